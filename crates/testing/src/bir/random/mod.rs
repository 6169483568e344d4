//! Random models: text that compiles, has few states, and uses all of the language.
//!
//! A model has a main thread that sets things up and starts others, or only threads that are active from the
//! beginning and share plain globals. Their statements are drawn from `statements` and `locations`;
//! `functions` has the functions that they call, and `collections` the collections that half of the models
//! have. Everything that could fault is tested first, except in a minority of models whose `danger` is not 0:
//! there, faults are part of what is to be found. Deadlocks are rare where `blocking` is 0.
//!
//! Loops inside atomic blocks are counted, so that every step ends. Objects are made in loops too, but only
//! to replace others.
//!
//! Every element of a list is a line, and nested parts are indented: `shrink` relies on that.

mod collections;
mod exprs;
mod functions;
mod locations;
mod statements;
mod types;

use crate::SplitMix64;

use collections::Collection;
use exprs::atom;
use functions::Function;
use statements::Body;
use types::{BIT, DIGIT, INTS, Record, Ty};

/// Ways to write a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// With as few parentheses as possible.
    Plain,
    /// With parentheses around all operands. The program is the same.
    Parentheses,
    /// With collections before their operations: `s.add(x)`. The program is the same.
    Methods,
    /// With steps that do nothing between others, and atomic blocks around single steps. There are more
    /// states, but the same errors.
    Padded,
}

/// The model of this seed.
pub fn random_model(seed: u64) -> String {
    random_variant(seed, Variant::Plain)
}

/// The model of this seed, written in another way.
pub fn random_variant(seed: u64, variant: Variant) -> String {
    Generator::new(seed, variant).model(seed)
}

struct Generator {
    rng: SplitMix64,
    variant: Variant,
    /// In percent: how often something can fault, and how often a thread can block forever.
    danger: usize,
    blocking: usize,
    /// The features of the model. All but exceptions, texts and virtual calls need a setup.
    heap: bool,
    arrays: bool,
    locks: bool,
    handles: bool,
    exceptions: bool,
    texts: bool,
    /// Whether there is an abstract enum, and whether its elements are named.
    keys: bool,
    names_elements: bool,
    collections: Vec<Collection>,
    /// The collection type that there are functions for.
    helper: Option<usize>,
    records: Vec<Record>,
    globals: Vec<Variable>,
    functions: Vec<Function>,
    /// The record that the table `visit` of functions is for, if there is one. It extends `R0`.
    table: Option<usize>,
    /// The record of the elements of the array `table`.
    table_record: usize,
    /// Threads that can be started: their names, and the types of their parameters.
    children: Vec<(String, Vec<Ty>)>,
    members: Vec<Vec<String>>,
    names: usize,
}

#[derive(Clone)]
struct Variable {
    name: String,
    ty: Ty,
    role: Role,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Assigned anywhere.
    Free,
    /// Assigned only where it belongs. Globals are not `null` once everything is set up.
    Fixed,
}

/// The variables that an expression can refer to.
#[derive(Clone, Default)]
struct Scope {
    variables: Vec<Variable>,
    /// Whether everything is set up.
    ready: bool,
    /// Whether a thread evaluates the expression.
    thread: bool,
}

impl Generator {
    fn new(seed: u64, variant: Variant) -> Self {
        let mut rng = SplitMix64::new(seed);
        let set_up = rng.chance(80);
        let danger = if rng.chance(25) { 5 + rng.below(15) } else { 0 };
        let blocking = if rng.chance(30) { 30 + rng.below(60) } else { 0 };
        let mut has = |percent| set_up && rng.chance(percent);
        let (heap, locks, handles) = (has(65), has(50), has(50));
        let arrays = heap && has(35);
        let collections = rng.chance(50);
        let keys = collections && rng.chance(60);
        let mut generator = Self {
            variant,
            danger,
            blocking,
            heap,
            arrays,
            locks,
            handles,
            exceptions: rng.chance(40),
            texts: rng.chance(20),
            keys,
            names_elements: keys && rng.chance(25),
            collections: Vec::new(),
            helper: None,
            records: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            table: None,
            table_record: 0,
            children: Vec::new(),
            members: Vec::new(),
            names: 0,
            rng,
        };
        if collections {
            generator.make_collections();
        }
        generator
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.rng.below(items.len())]
    }

    fn dangerous(&mut self) -> bool {
        self.danger > 0 && self.rng.chance(self.danger)
    }

    fn may_block(&mut self) -> bool {
        self.blocking > 0 && self.rng.chance(self.blocking)
    }

    fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names - 1
    }

    /// Whether there is a main thread that sets things up.
    fn sets_up(&self) -> bool {
        self.heap || self.locks || self.handles
    }

    fn model(mut self, seed: u64) -> String {
        self.make_records();
        self.make_globals();
        self.make_constants();
        self.make_funs();
        self.make_functions();
        self.make_threads();
        self.make_properties();
        for record in 0..self.records.len() {
            let lines = self.print_record(record);
            self.members.push(lines);
        }
        // The order is free.
        for last in (1..self.members.len()).rev() {
            let other = self.rng.below(last + 1);
            self.members.swap(last, other);
        }
        let mut text = format!("system Random{seed} {{\n");
        for line in self.members.iter().flatten() {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("}\n");
        text
    }

    fn member(&mut self, line: impl Into<String>) {
        self.members.push(vec![line.into()]);
    }

    /// The globals that a thread can refer to.
    fn scope(&self) -> Scope {
        Scope { variables: self.globals.clone(), ready: true, thread: true }
    }

    fn global(&mut self, name: &str, ty: Ty, role: Role) {
        let init = match ty {
            Ty::Bool if role == Role::Free => self.pick(&["", "", " := true", " := !C.ON"]),
            Ty::Enum => self.pick(&["", " := Color.Blue"]),
            Ty::Int(0 | 5 | 7) => self.pick(&["", "", " := C.N", " := C.M - 1"]),
            Ty::Text => self.pick(&["", " := \"on\""]),
            _ => "",
        };
        let text = self.type_text(ty);
        self.member(format!("{text} {name}{init};"));
        self.globals.push(Variable { name: name.to_owned(), ty, role });
    }

    fn make_globals(&mut self) {
        self.global("b", Ty::Bool, Role::Free);
        self.global("c", Ty::Enum, Role::Free);
        for index in 0..=self.rng.below(3) {
            let ty = Ty::Int(self.rng.below(INTS.len()));
            self.global(&format!("x{index}"), ty, Role::Free);
        }
        if self.sets_up() {
            self.global("ready", Ty::Bool, Role::Fixed);
        }
        if self.texts {
            self.global("word", Ty::Text, Role::Free);
        }
        if self.locks {
            self.global("m", Ty::Lock, Role::Fixed);
            self.global("n", Ty::Lock, Role::Fixed);
            self.global("flag", Ty::Bool, Role::Fixed);
        }
        if self.handles {
            self.global("who", Ty::Tid, Role::Free);
        }
        if self.heap {
            let plain = self.records.iter().filter(|record| record.name.starts_with('R')).count();
            let other = self.rng.below(plain);
            self.table_record = self.rng.below(plain);
            self.global("head", Ty::Record(0), Role::Free);
            self.global("spare", Ty::Record(other), Role::Free);
        }
        if self.arrays {
            self.global("cells", Ty::Ints(BIT), Role::Fixed);
            self.global("table", Ty::Records(self.table_record), Role::Fixed);
            self.member("typealias Row Small[];");
            self.member("Row[] grid;");
        }
        if !self.collections.is_empty() {
            self.collection_globals();
        }
    }

    fn make_constants(&mut self) {
        let on = self.pick(&["true", "false", "C.N < C.M", "C.N == 2 && !(C.M > 3)"]);
        let lines = ["const C {", "  N = 2;", "  M = C.N + 1;", &format!("  ON = {on};"), "}"];
        self.members.push(lines.map(str::to_owned).to_vec());
        self.member("enum Color { Red, Green, Blue }");
        self.member("typealias Small int (0, C.N - 1);");
    }

    /// Pure functions.
    fn make_funs(&mut self) {
        self.member("fun twice(int n) returns int = n * 2;");
        self.member("fun lesser(long k, long n) returns long = k < n ? k : n;");
        self.member("fun pick(boolean test, int (0, 3) n) returns int (0, 3) = test ? n : 3 - n;");
        if self.heap {
            let next = self.fields(0).into_iter().find(|field| field.ty == Ty::Record(0));
            let next = next.map_or_else(|| "null".to_owned(), |field| format!("r.{}", field.name));
            self.member("typealias Node R0;");
            self.member(format!(
                "fun far(Node r, int n) returns int = r == null || n <= 0 ? 0 : 1 + far({next}, n - 1);"
            ));
        }
        if self.locks {
            self.member("fun free(lock k) returns boolean = lockAvailable(k) && !hasLock(k);");
        }
        self.collection_funs();
    }

    fn body(&mut self, function: bool) -> Body {
        // Each variant draws equally many numbers.
        let padding = SplitMix64::new(self.rng.next_u64());
        let padding = (self.variant == Variant::Padded).then_some(padding);
        Body::new(self.scope(), function, padding)
    }

    fn make_threads(&mut self) {
        let count = 1 + self.rng.below(2);
        // Whether the main thread sets the flag that others wait for.
        let main_signals = self.sets_up() && self.chance(40);
        let mut started = Vec::new();
        for index in 0..count {
            let name = format!("T{index}");
            let child = self.sets_up() && self.chance(60);
            let mut params = Vec::new();
            if child {
                let ty = if self.heap && self.chance(50) { Ty::Record(0) } else { DIGIT };
                params.extend([ty].into_iter().filter(|_| self.chance(70)));
                if self.chance(30) {
                    params.extend(self.some_collection());
                }
                if self.keys && self.chance(30) {
                    params.push(Ty::Key);
                }
            }
            let head = match (child, count) {
                (true, _) => "thread",
                (false, 1) if self.chance(50) => "active[C.N] thread",
                (false, _) => "active thread",
            };
            let signals = index + 1 == count && !main_signals;
            self.thread(head, &name, &params, !child && self.sets_up(), signals);
            if child {
                // Threads of one kind are interchangeable.
                let twins = if self.chance(40) { 2 } else { 1 };
                started.extend(vec![(name.clone(), params.clone()); twins]);
                self.children.push((name, params));
            }
        }
        if self.sets_up() {
            self.main_thread(&started, main_signals);
        }
    }

    fn thread(&mut self, head: &str, name: &str, types: &[Ty], waits: bool, signals: bool) {
        let mut body = self.body(false);
        body.signals = signals;
        self.hide_global(&mut body);
        let params = self.params(&mut body, types);
        let head = format!("{head} {name}({params})");
        let statements = 2 + self.rng.below(4);
        let lines = if self.chance(35) {
            self.locations(&head, body, statements, waits, None)
        } else {
            if waits {
                let wait = self.pick(&[
                    "assume ready;",
                    "choose when <ready> do skip; end",
                    "assume ready == true;",
                ]);
                body.line(wait);
            }
            if self.locks && !signals && self.chance(40) {
                self.monitor(&mut body);
            }
            let depth = if self.chance(25) { 3 } else { 2 };
            self.block(&mut body, statements, depth);
            if *types == [DIGIT] && self.chance(30) {
                let place = if self.handles && self.chance(50) { "who := " } else { "" };
                body.open("if a0 > 0 do");
                body.line(format!("{place}start {name}(a0 / 2);"));
                body.close("end");
            }
            if signals && self.locks {
                self.signal(&mut body);
            }
            body.print(&head)
        };
        self.members.push(lines);
    }

    /// Declares parameters.
    fn params(&mut self, body: &mut Body, params: &[Ty]) -> String {
        let mut texts = Vec::new();
        for (index, &ty) in params.iter().enumerate() {
            let name = format!("a{index}");
            texts.push(format!("{} {name}", self.type_text(ty)));
            body.scope.variables.push(Variable { name, ty, role: Role::Free });
        }
        texts.join(", ")
    }

    /// Makes what others rely on, and starts some of them.
    fn main_thread(&mut self, started: &[(String, Vec<Ty>)], signals: bool) {
        let mut body = self.body(false);
        body.signals = signals;
        let whole = self.chance(70);
        if whole {
            body.open("atomic");
        }
        if self.locks {
            body.line("m := new lock;");
            body.line(self.pick(&["n := new lock;", "n := m;"]));
        }
        if self.arrays {
            body.line(format!("cells := new {}[2];", INTS[BIT].text));
            body.line(format!("table := new {}[C.N];", self.records[self.table_record].name));
            // Two rows, or one twice.
            body.line(self.pick(&["grid := new Row[2];", "grid := new Small[][C.N];"]));
            body.line("grid[0] := new Small[2];");
            body.line(self.pick(&["grid[1] := grid[0];", "grid[1] := new Small[C.N];"]));
        }
        if let Some(index) = self.pots() {
            body.line(format!("pots := new {}[2];", self.collection_text(index)));
        }
        if self.heap && self.chance(70) {
            let record = *self.rng.pick(&self.below(0));
            body.line(format!("head := new {};", self.records[record].name));
        }
        body.line("ready := true;");
        if whole {
            body.close("end");
        }
        for (name, params) in started {
            self.start(&mut body, name, params);
            if self.chance(30) {
                self.statement(&mut body, 1);
            }
        }
        let statements = self.rng.below(3);
        self.block(&mut body, statements, 2);
        if signals && self.locks {
            self.signal(&mut body);
        }
        let kind = self.pick(&["main", "active"]);
        let lines = body.print(&format!("{kind} thread Main()"));
        self.members.push(lines);
    }

    fn make_properties(&mut self) {
        let scope = Scope { ready: false, thread: false, ..self.scope() };
        for index in 0..self.rng.below(3) {
            let pin = if self.chance(50) { self.named_element(&scope) } else { None };
            let anything = self.boolean(&scope, 2);
            let anything = pin.unwrap_or(anything);
            let holds = if self.dangerous() {
                anything
            } else {
                let sure = self.pick(&["C.N == 2", "pick(b, 2) > 0", "(c != Color.Red => true)"]);
                let whatever = self.not(&anything);
                let either = self.binary(&anything, "|", &whatever);
                self.binary(&either, "&&", &atom(sure))
            };
            self.member(format!("invariant I{index} = {};", holds.text));
        }
        if self.chance(10) {
            self.member("ltl P = [] (b -> <> !b);");
        }
    }
}
