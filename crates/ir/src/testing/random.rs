//! Random programs that do interesting things.
//!
//! Random trees of statements would mostly fault at once or never meet each other. So programs are put together
//! from motifs that work: critical sections, monitors with somebody to notify, calls that recurse, virtual calls,
//! exceptions with handlers at various levels, lists and cycles that become garbage, threads that start and join
//! others. Details are random: which variables, which guards, what is in one transition and what in several, what
//! is atomic. What could fault is written with a guard that keeps it from doing so, except where the *danger* of the
//! program says otherwise; more than half of the programs have none.
//!
//! Programs are made as text, so that a failing test can be read, and spans tell all parts of a program apart.

use std::fmt::Write;

use super::SplitMix64;
use crate::Program;

/// A program that verifies. Most have less than 10,000 states; equal seeds give equal programs.
pub fn random_program(seed: u64) -> Program {
    super::program(&random_text(seed))
}

/// The text of [`random_program`].
pub fn random_text(seed: u64) -> String {
    let mut rng = SplitMix64::new(seed);
    let danger = match rng.below(20) {
        0..=8 => 0,
        9..=15 => 50,
        _ => 140,
    };
    let mut generator = Generator {
        danger,
        monitor: rng.chance(55),
        exceptions: rng.chance(50),
        heap: rng.chance(65),
        table: rng.chance(30),
        handles: rng.chance(50),
        functions: Vec::new(),
        virtual_calls: false,
        children: false,
        rng,
    };
    generator.program()
}

/// The globals of kinds that are assigned to and compared. Their number keeps the number of states in check.
const INTS: &[(&str, &str)] = &[("x", "int (0, 3)"), ("y", "int wrap (0, 2)"), ("z", "int (-1, 1)")];

struct Generator {
    rng: SplitMix64,
    /// How often of 1000 times a guard against faults is left out.
    danger: usize,
    // What the program is about.
    monitor: bool,
    exceptions: bool,
    heap: bool,
    table: bool,
    handles: bool,
    /// Functions that can be called so far, with the exceptions they may throw.
    functions: Vec<Function>,
    virtual_calls: bool,
    /// Whether there is a thread for others to start.
    children: bool,
}

#[derive(Clone)]
struct Function {
    name: &'static str,
    throws: bool,
}

struct Place {
    name: String,
    resume: Option<String>,
    atomic: bool,
    transitions: Vec<String>,
}

/// A procedure in the making.
#[derive(Default)]
struct Body {
    places: Vec<Place>,
    catches: Vec<String>,
    /// Locals with their types and initial values, parameters left out.
    locals: Vec<(String, String, &'static str)>,
    /// Names of locals that expressions may use, by kind.
    ints: Vec<String>,
    nodes: Vec<String>,
    tids: Vec<String>,
    /// Locals that live sets keep.
    kept: Vec<String>,
    atomic: bool,
    /// Inside of something that repeats: no threads are started here, and the heap does not grow.
    repeats: bool,
    /// Whether somebody here or above catches what is thrown.
    caught: bool,
    /// How often the lock `m` is held here.
    held: usize,
    /// A function that may be left at any time, with this text.
    leave: &'static str,
}

impl Body {
    fn open(&mut self) -> usize {
        let name = format!("L{}", self.places.len());
        self.places.push(Place { name, resume: None, atomic: self.atomic, transitions: Vec::new() });
        self.places.len() - 1
    }

    /// A transition; `what` is everything but the jump.
    fn step(&mut self, from: usize, what: &str, to: usize) {
        let jump = format!("{what} goto {};", self.places[to].name);
        self.places[from].transitions.push(jump);
    }

    /// A transition to a new place.
    fn then(&mut self, from: usize, what: &str) -> usize {
        let to = self.open();
        self.step(from, what, to);
        to
    }

    fn local(&mut self, name: &str, ty: &str, init: &'static str) -> String {
        if self.locals.iter().all(|(other, ..)| other != name) {
            self.locals.push((name.to_owned(), ty.to_owned(), init));
        }
        name.to_owned()
    }

    fn fresh(&mut self, prefix: &str, ty: &str, init: &'static str) -> String {
        let name = format!("{prefix}{}", self.locals.len());
        self.local(&name, ty, init)
    }
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.rng.below(items.len())]
    }

    fn dangerous(&mut self) -> bool {
        self.rng.below(1000) < self.danger
    }

    // Expressions.

    fn int(&mut self, body: &Body, depth: usize) -> String {
        if depth == 0 || self.chance(35) {
            return match self.rng.below(8) {
                0..=1 => self.rng.below(4).to_string(),
                2..=4 => INTS[self.rng.below(INTS.len())].0.to_owned(),
                5 if self.table => "cells.length".to_owned(),
                5 => "-1".to_owned(),
                _ if body.ints.is_empty() => "x".to_owned(),
                _ => self.rng.pick(&body.ints).clone(),
            };
        }
        if self.dangerous() {
            let operand = self.int(body, 1);
            return match self.rng.below(4) {
                0 => format!("(9223372036854775806 + {operand})"),
                1 => format!("(1 shl (30 + {operand}))"),
                2 => format!("(7 / {operand})"),
                _ => format!("(5 % {operand})"),
            };
        }
        let (a, b) = (self.int(body, depth - 1), self.int(body, depth - 1));
        match self.rng.below(17) {
            0..=3 => format!("({a} + {b})"),
            4..=5 => format!("({a} - {b})"),
            6 => format!("({a} * {b})"),
            7 => format!("({a} {} {})", self.pick(&["/", "%"]), self.pick(&["2", "3", "-2"])),
            8 => format!("({a} {} {})", self.pick(&["shl", "shr", "ushr"]), self.pick(&["0", "1", "2"])),
            9 => format!("({a} {} {b})", self.pick(&["&", "|", "^"])),
            10 => format!("-({a})"),
            11 => {
                let condition = self.condition(body, depth - 1);
                format!("({condition} ? {a} : {b})")
            }
            12 => format!("twice({a})"),
            13..=14 if self.heap => {
                let node = self.node(body);
                if self.dangerous() {
                    format!("{node}.value")
                } else {
                    format!("({node} != null ? {node}.value : {a})")
                }
            }
            15 if self.heap => {
                let node = self.node(body);
                format!("depth({node}, {})", 1 + self.rng.below(3))
            }
            _ if self.table => format!("cells[{}]", self.index(&a)),
            _ => a,
        }
    }

    /// An index into arrays of two elements.
    fn index(&mut self, value: &str) -> String {
        if self.dangerous() { value.to_owned() } else { format!("{value} & 1") }
    }

    fn condition(&mut self, body: &Body, depth: usize) -> String {
        if depth > 0 && self.chance(30) {
            let (a, b) = (self.condition(body, depth - 1), self.condition(body, depth - 1));
            let op = self.pick(&["&&", "||", "=>", "&", "^", "=="]);
            return format!("({a} {op} {b})");
        }
        match self.rng.below(16) {
            0..=1 => "b".to_owned(),
            2 => "!b".to_owned(),
            3..=7 => {
                let (a, b) = (self.int(body, depth), self.int(body, 0));
                format!("({a} {} {b})", self.pick(&["==", "!=", "<", "<=", ">", ">="]))
            }
            8 => format!("(c {} Color::{})", self.pick(&["==", "!="]), self.pick(&["red", "green", "blue"])),
            9..=10 if self.heap => {
                let (a, b) = (self.node(body), self.node(body));
                match self.rng.below(4) {
                    0 => format!("({a} == {b})"),
                    1 => format!("({a} != null)"),
                    2 => format!("({a} == null)"),
                    _ => format!("({a} instanceof {})", self.pick(&["Leaf", "Twig", "Node"])),
                }
            }
            11..=12 if self.handles => {
                let handle = self.handle(body);
                match self.rng.below(4) {
                    _ if self.dangerous() => format!("threadTerminated({handle})"),
                    0 => format!("({handle} == {})", self.handle(body)),
                    1 => format!("({handle} != null)"),
                    _ => format!("({handle} != null && threadTerminated({handle}))"),
                }
            }
            13 => format!("{}(m)", self.pick(&["lockAvailable", "hasLock", "wasNotified", "mayEnter"])),
            14 => {
                format!("(word {} {})", self.pick(&["==", "!="]), self.pick(&["\"on\"", "\"off\"", "null"]))
            }
            _ => "b".to_owned(),
        }
    }

    fn node(&mut self, body: &Body) -> String {
        match self.rng.below(6) {
            0..=1 => "head".to_owned(),
            2 => "spare".to_owned(),
            3 if self.table => format!("table[{}]", self.rng.below(2)),
            _ if body.nodes.is_empty() => "head".to_owned(),
            _ => self.rng.pick(&body.nodes).clone(),
        }
    }

    fn handle(&mut self, body: &Body) -> String {
        if body.tids.is_empty() || self.chance(60) {
            "who".to_owned()
        } else {
            self.rng.pick(&body.tids).clone()
        }
    }

    // Actions.

    /// A value for a place of this type.
    fn value_for(&mut self, body: &Body, ty: &str) -> String {
        let value = self.int(body, 2);
        match ty {
            _ if self.dangerous() => value,
            "int (0, 3)" => format!("{value} & 3"),
            "int (0, 1)" => format!("{value} & 1"),
            "int (-1, 1)" => format!("{value} % 2"),
            _ => value,
        }
    }

    /// An assignment of something small.
    fn assignment(&mut self, body: &Body) -> String {
        match self.rng.below(12) {
            0..=4 => {
                let &(name, ty) = self.rng.pick(INTS);
                format!("{name} := {};", self.value_for(body, ty))
            }
            5 => format!("b := {};", self.condition(body, 1)),
            6 => "b := !b;".to_owned(),
            7 => format!("c := Color::{};", self.pick(&["red", "green", "blue"])),
            8 if !body.ints.is_empty() => {
                let name = self.rng.pick(&body.ints).clone();
                format!("{name} := {} & 1;", self.int(body, 2))
            }
            9 if self.table => {
                let (index, value) = (self.int(body, 1), self.value_for(body, "int (0, 1)"));
                format!("cells[{}] := {value};", self.index(&index))
            }
            10 => format!("word := {};", self.pick(&["\"on\"", "\"off\"", "null"])),
            _ => format!("y := y + {};", 1 + self.rng.below(2)),
        }
    }

    /// Actions of one transition: a few assignments, and rarely something that can stop it.
    fn actions(&mut self, body: &Body) -> String {
        let mut actions = self.assignment(body);
        while self.chance(25) {
            let next = match self.rng.below(6) {
                0 => format!("assume {};", self.condition(body, 1)),
                1 if self.dangerous() => format!("assert {};", self.condition(body, 1)),
                1 => format!("assert {};", self.pick(&["x >= 0", "y <= 2", "z * z <= 1", "b || !b"])),
                _ => self.assignment(body),
            };
            write!(actions, " {next}").expect("a String takes everything");
        }
        actions
    }

    // Statements: each goes on from a place and gives the place it leads to.

    fn block(&mut self, body: &mut Body, mut at: usize, statements: usize, depth: usize) -> usize {
        for _ in 0..statements {
            at = self.statement(body, at, depth);
        }
        at
    }

    fn statement(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        if self.dangerous() {
            return self.mistake(body, at);
        }
        match self.rng.below(100) {
            0..=9 => {
                let actions = self.actions(body);
                body.then(at, &format!("do {{ {actions} }}"))
            }
            10..=18 => {
                let (guard, actions) = (self.condition(body, 2), self.actions(body));
                let what = format!("when {guard} do {{ {actions} }}");
                let to = body.then(at, &what);
                if self.chance(70) {
                    body.step(at, "else", to);
                }
                to
            }
            19..=29 => self.critical(body, at, depth),
            30..=36 if self.monitor => {
                let waits = self.chance(50);
                self.monitor(body, at, waits)
            }
            30..=42 => self.choice(body, at),
            43..=55 if self.heap => self.heap(body, at),
            56..=68 if !self.functions.is_empty() => self.call(body, at),
            69..=75 if depth > 0 && self.exceptions => self.attempt(body, at, depth),
            76..=81 if depth > 0 => self.atomic(body, at, depth),
            82..=84 if depth > 0 => self.counted(body, at, depth),
            85..=90 if self.children && !body.repeats => self.start(body, at),
            91..=93 if self.handles => {
                let handle = self.handle(body);
                let join = format!("when {handle} == null || threadTerminated({handle})");
                body.then(at, &join)
            }
            94..=95 => {
                let condition = self.condition(body, 2);
                let actions = self.actions(body);
                body.then(at, &format!("do {{ {actions} assume {condition}; {} }}", self.assignment(body)))
            }
            96 => {
                let guard = self.condition(body, 1);
                let leave = if self.chance(50) { "do { exit; }" } else { "do { b := !b; exit; }" };
                let to = body.then(at, &format!("when {guard} {leave}"));
                body.step(at, "else", to);
                to
            }
            97 if !body.leave.is_empty() => {
                let guard = self.condition(body, 1);
                let leave = format!("when {guard} {};", body.leave);
                body.places[at].transitions.push(leave);
                body.then(at, "else")
            }
            _ => {
                let actions = self.actions(body);
                body.then(at, &format!("invisible do {{ {actions} }}"))
            }
        }
    }

    /// Something that may be wrong, sometimes.
    fn mistake(&mut self, body: &mut Body, at: usize) -> usize {
        let lock = self.pick(&["m", "n"]);
        let node = if self.heap { self.node(body) } else { "head".into() };
        let mistake = match self.rng.below(13) {
            0 => format!("unlock({lock});"),
            1 => format!("wait({lock});"),
            2 => format!("unwait({lock});"),
            3 => format!("{}({lock});", self.pick(&["notify", "notifyAll"])),
            4 => format!("assert {};", self.condition(body, 2)),
            5..=6 => format!("b := ({node} as {}).mark;", self.pick(&["Leaf", "Bush"])),
            7 => format!("x := {node}.next.value;"),
            8 => format!("z := {};", self.int(body, 1)),
            9 => format!("cells[{}] := 1;", self.int(body, 1)),
            10 => format!("cells := new int (0, 1)[{}];", self.pick(&["z", "x", "2", "-1", "1 + z"])),
            11 => {
                let record = self.pick(&["Failure", "Worse"]);
                let variable = body.local("e", "Failure", "");
                format!("{variable} := new {record}; throw {variable};")
            }
            _ => "lock(m); unlock(m); unlock(m);".to_owned(),
        };
        let guard = self.condition(body, 1);
        let to = body.then(at, &format!("when {guard} do {{ {mistake} }}"));
        body.step(at, "else", to);
        to
    }

    /// Several transitions, with what may be left if none is enabled.
    fn choice(&mut self, body: &mut Body, at: usize) -> usize {
        let to = body.open();
        for _ in 0..2 + self.rng.below(2) {
            let actions = self.actions(body);
            if self.chance(70) {
                let guard = self.condition(body, 2);
                body.step(at, &format!("when {guard} do {{ {actions} }}"), to);
            } else {
                body.step(at, &format!("do {{ {actions} }}"), to);
            }
        }
        if self.chance(60) {
            body.step(at, "else", to);
        }
        to
    }

    /// A critical section: in one transition, or over several.
    fn critical(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let lock = if self.chance(70) { "m" } else { "n" };
        if self.chance(20) {
            let actions = self.actions(body);
            return body.then(at, &format!("do {{ lock({lock}); {actions} unlock({lock}); }}"));
        }
        let held = usize::from(lock == "m");
        let at = body.then(at, &format!("do {{ lock({lock}); }}"));
        body.held += held;
        let statements = 1 + usize::from(self.chance(30));
        let at = self.block(body, at, statements, depth.saturating_sub(1));
        body.held -= held;
        if self.dangerous() {
            return at;
        }
        let actions = if self.chance(30) { self.assignment(body) } else { String::new() };
        body.then(at, &format!("do {{ {actions} unlock({lock}); }}"))
    }

    /// Waiting for `flag`, or setting it.
    fn monitor(&mut self, body: &mut Body, at: usize, waits: bool) -> usize {
        let twice = self.pick(&["", "", "", "lock(m); "]);
        let at = body.then(at, &format!("do {{ {twice}lock(m); }}"));
        let leave = if twice.is_empty() { "unlock(m);" } else { "unlock(m); unlock(m);" };
        if waits {
            let back = body.open();
            let done = body.open();
            body.step(at, "when flag", done);
            body.step(at, "when !flag do { wait(m); }", back);
            if self.chance(60) {
                body.step(back, "do { unwait(m); }", at);
            } else {
                let notified = if self.chance(30) { "when wasNotified(m) " } else { "" };
                body.step(back, &format!("{notified}do {{ unwait(m); }}"), done);
            }
            let reset = self.pick(&["flag := false; ", "", ""]);
            return body.then(done, &format!("do {{ {reset}{leave} }}"));
        }
        let notify = self.pick(&["notify(m);", "notify(m);", "notifyAll(m);", "notify(m); notify(m);"]);
        match self.rng.below(3) {
            0 => body.then(at, &format!("do {{ flag := true; {notify} {leave} }}")),
            1 => {
                let at = body.then(at, &format!("do {{ flag := true; {notify} }}"));
                body.then(at, &format!("do {{ {leave} }}"))
            }
            _ => {
                let at = body.then(at, "do { flag := !flag; }");
                body.then(at, &format!("do {{ {notify} {leave} }}"))
            }
        }
    }

    /// Making, linking, walking and dropping nodes.
    fn heap(&mut self, body: &mut Body, at: usize) -> usize {
        let local = body.local("p", "Node", "");
        if !body.nodes.contains(&local) {
            body.nodes.push(local);
        }
        let record = self.pick(&["Node", "Leaf", "Twig"]);
        match self.rng.below(11) {
            0 => {
                let place = self.pick(&["head", "spare", "p"]);
                body.then(at, &format!("do {{ {place} := new {record}; }}"))
            }
            // A longer list, or a cycle that nobody else knows.
            1 if !body.repeats => {
                body.then(at, &format!("do {{ p := new {record}; p.next := head; head := p; }}"))
            }
            1..=2 => {
                let rest = self.pick(&["p := null;", "head := p;", "spare := p; p := null;", ""]);
                let cycle = format!("p := new {record}; p.next := new {record}; p.next.next := p; {rest}");
                body.then(at, &format!("do {{ {cycle} }}"))
            }
            3 => {
                let (to, from) = (self.pick(&["head", "spare", "p"]), self.node(body));
                body.then(at, &format!("do {{ {to} := {from}; }}"))
            }
            4 => {
                let to = self.pick(&["head", "spare", "p"]);
                body.then(at, &format!("do {{ {to} := null; }}"))
            }
            5 => {
                let guard = if self.dangerous() { "" } else { "when head != null " };
                let to = body.then(at, &format!("{guard}do {{ head := head.next; }}"));
                body.step(at, "else", to);
                to
            }
            6..=7 => {
                let node = self.node(body);
                let guard = if self.dangerous() { String::new() } else { format!("when {node} != null ") };
                let value = self.value_for(body, "int (0, 3)");
                let to = body.then(at, &format!("{guard}do {{ {node}.value := {value}; }}"));
                body.step(at, "else", to);
                to
            }
            8 => {
                let (node, value) = (self.node(body), self.condition(body, 1));
                let guard =
                    if self.dangerous() { String::new() } else { format!("when {node} instanceof Leaf ") };
                let to = body.then(at, &format!("{guard}do {{ ({node} as Leaf).mark := {value}; }}"));
                body.step(at, "else", to);
                to
            }
            9 => {
                let node = self.node(body);
                let link = format!("when {node} != null do {{ {node}.next := {}; }}", self.node(body));
                let to = body.then(at, &link);
                body.step(at, "else", to);
                to
            }
            _ => self.node_lock(body, at),
        }
    }

    /// The lock that a node has.
    fn node_lock(&mut self, body: &mut Body, at: usize) -> usize {
        if self.chance(50) {
            let twig = body.local("twig", "Twig", "");
            let plant =
                format!("{twig} := new Twig; {twig}.guard := new lock; head := {twig}; {twig} := null;");
            return body.then(at, &format!("do {{ {plant} }}"));
        }
        let local = body.fresh("k", "lock", "");
        let to = body.open();
        let take = format!("when head instanceof Twig do {{ {local} := (head as Twig).guard; }}");
        let holds = body.then(at, &take);
        body.step(at, "else", to);
        let inside = body.then(holds, &format!("when {local} != null do {{ lock({local}); }}"));
        body.step(holds, &format!("when {local} == null"), to);
        let actions = self.actions(body);
        body.step(inside, &format!("do {{ {actions} unlock({local}); }}"), to);
        to
    }

    fn call(&mut self, body: &mut Body, at: usize) -> usize {
        let to = body.open();
        let resume = format!("R{}", body.places.len());
        let local = body.local("r", "int", "");
        if !body.ints.contains(&local) {
            body.ints.push(local);
        }
        let place = self.pick(&["r", "r", "y", "x"]);
        let mut functions = self.functions.clone();
        if !body.caught && !self.dangerous() {
            functions.retain(|function| !function.throws);
        }
        let before =
            if self.chance(30) { format!("do {{ {} }} ", self.assignment(body)) } else { String::new() };
        let call = if self.virtual_calls && self.chance(45) {
            let node = self.node(body);
            let guard = if self.dangerous() { String::new() } else { format!("when {node} != null ") };
            body.step(at, "else", to);
            format!("{guard}{before}call virtual visit({node}, {}) resume {resume};", self.int_arg(body))
        } else if functions.is_empty() {
            body.step(at, "do { y := y + 1; }", to);
            return to;
        } else {
            let function = self.rng.pick(&functions).name;
            format!("{before}call {function}({}) resume {resume};", self.int_arg(body))
        };
        let target = body.places[to].name.clone();
        // All functions give a result of 0 to 3.
        let into = if self.chance(80) { format!("into {place} ") } else { String::new() };
        let text = format!("of {} {into}goto {target};", body.places[at].name);
        body.places[at].transitions.push(call);
        body.places.push(Place { name: resume, resume: Some(text), atomic: false, transitions: Vec::new() });
        to
    }

    fn int_arg(&mut self, body: &Body) -> String {
        let value = self.int(body, 1);
        if self.dangerous() { value } else { format!("{value} & 3") }
    }

    /// Statements with handlers for what they throw.
    fn attempt(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let variable = body.local("e", "Failure", "");
        body.kept.push(variable);
        let outer = std::mem::replace(&mut body.caught, true);
        // What is thrown from `at` counts, so it has to be a place of its own.
        let at = body.then(at, "");
        let first = body.places.len();
        let mut end = at;
        if self.chance(70) && !self.functions.is_empty() {
            end = self.call(body, end);
        }
        if self.chance(60) {
            let guard = self.condition(body, 1);
            let (record, code) = (self.pick(&["Failure", "Worse"]), self.rng.below(3));
            let change = if self.chance(50) { "y := y + 1; " } else { "" };
            let throw = format!("e := new {record}; e.code := {code}; {change}throw e;");
            let to = body.then(end, &format!("when {guard} do {{ {throw} }}"));
            body.step(end, "else", to);
            end = to;
        }
        let statements = 1 + self.rng.below(2);
        end = self.block(body, end, statements, depth - 1);
        body.caught = outer;
        let places = std::iter::once(at).chain(first..body.places.len());
        let covered: Vec<_> = places
            .filter(|&place| place != end && body.places[place].resume.is_none())
            .map(|place| body.places[place].name.clone())
            .collect();
        let covered = covered.join(", ");
        let handler = body.open();
        let records = if outer || self.dangerous() {
            self.pick(&["Failure", "Worse"])
        } else {
            self.pick(&["Failure", "Worse+Failure"])
        };
        for record in records.split('+') {
            let target = &body.places[handler].name;
            body.catches.push(format!("catch {record} e at {covered} goto {target};"));
        }
        if outer && self.chance(25) {
            body.step(handler, "do { throw e; }", end);
        } else {
            let forget = self.pick(&["e := null; ", "", "x := e.code; "]);
            body.step(handler, &format!("do {{ {forget} }}"), end);
        }
        end
    }

    fn atomic(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let outer = std::mem::replace(&mut body.atomic, true);
        let mut at = at;
        if self.chance(60) {
            at = body.then(at, "");
            at = self.choice(body, at);
        }
        let statements = 1 + self.rng.below(2);
        at = self.block(body, at, statements, depth - 1);
        body.atomic = outer;
        body.then(at, "")
    }

    /// A loop that ends.
    fn counted(&mut self, body: &mut Body, at: usize, depth: usize) -> usize {
        let counter = body.fresh("i", "int (0, 3)", "");
        body.kept.push(counter.clone());
        let rounds = 1 + self.rng.below(2);
        let outer = std::mem::replace(&mut body.repeats, true);
        let to = body.open();
        let inside =
            body.then(at, &format!("when {counter} < {rounds} do {{ {counter} := {counter} + 1; }}"));
        body.step(at, &format!("when {counter} >= {rounds} do {{ {counter} := 0; }}"), to);
        let end = self.block(body, inside, 1, depth - 1);
        body.step(end, "", at);
        body.repeats = outer;
        to
    }

    fn start(&mut self, body: &mut Body, at: usize) -> usize {
        let (node, value) = (if self.heap { self.node(body) } else { "null".into() }, self.int_arg(body));
        let start = format!("start Child({node}, {value});");
        let place = match self.rng.below(4) {
            0 if self.handles => "who := ",
            1 | 2 if self.handles => {
                let local = body.local("t", "tid", "");
                if !body.tids.contains(&local) {
                    body.tids.push(local);
                }
                "t := "
            }
            _ => "",
        };
        body.then(at, &format!("do {{ {place}{start} }}"))
    }

    // Procedures.

    fn print(&mut self, out: &mut String, head: &str, body: &Body) {
        let mut text = format!("{head} {{\n");
        for (name, ty, init) in &body.locals {
            let hidden = if self.chance(10) { "hidden " } else { "" };
            writeln!(text, "  {hidden}local {ty} {name}{init};").expect("a String takes everything");
        }
        for catch in &body.catches {
            writeln!(text, "  {catch}").expect("a String takes everything");
        }
        for place in &body.places {
            if let Some(resume) = &place.resume {
                writeln!(text, "  resume {} {resume}", place.name).expect("a String takes everything");
                continue;
            }
            let atomic = if place.atomic { " atomic" } else { "" };
            let live = if self.chance(12) { self.live(body) } else { String::new() };
            writeln!(text, "  loc {}{atomic}{live}:", place.name).expect("a String takes everything");
            for transition in &place.transitions {
                writeln!(text, "    {transition}").expect("a String takes everything");
            }
        }
        text.push_str("}\n");
        out.push_str(&text);
    }

    /// Most of the locals; those that are dereferenced without a question only where danger is wanted.
    fn live(&mut self, body: &Body) -> String {
        let mut live = Vec::new();
        for (name, ty, _) in &body.locals {
            let keep = body.kept.contains(name) || (ty == "lock" && self.danger == 0);
            if keep || self.chance(60) {
                live.push(name.as_str());
            }
        }
        format!(" live {{{}}}", live.join(", "))
    }

    /// Ends a body.
    fn finish(&mut self, body: &mut Body, at: usize, exit: &str) {
        let actions =
            if self.chance(40) { format!("do {{ {} }} ", self.assignment(body)) } else { String::new() };
        body.places[at].transitions.push(format!("{actions}{exit};"));
    }

    fn add_functions(&mut self, out: &mut String) {
        // Each may call those before it.
        if self.chance(60) {
            let mut body =
                Body { repeats: true, ints: vec!["k".into()], leave: "return k", ..Body::default() };
            let mut at = body.open();
            let statements = self.rng.below(3);
            at = self.block(&mut body, at, statements, 0);
            let result = format!("return {}", self.value_for(&body, "int (0, 3)"));
            self.finish(&mut body, at, &result);
            self.print(out, "function work(int (0, 3) k) returns int (0, 3)", &body);
            self.functions.push(Function { name: "work", throws: false });
        }
        if self.exceptions {
            self.risky(out);
        }
        if self.chance(60) {
            self.climb(out);
        }
        if self.heap && self.chance(60) {
            self.visits(out);
        }
    }

    /// A function that throws, and one that catches some of it.
    fn risky(&mut self, out: &mut String) {
        let mut body = Body { repeats: true, ints: vec!["k".into()], ..Body::default() };
        body.local("e", "Failure", "");
        let at = body.open();
        let guard = self.condition(&body, 1);
        let to =
            body.then(at, &format!("when k > 1 || {guard} do {{ e := new Failure; e.code := k; throw e; }}"));
        body.step(at, "when k == 1 do { e := new Worse; e.code := 3; throw e; }", to);
        body.step(at, "else", to);
        self.finish(&mut body, to, "return k & 1");
        self.print(out, "function risky(int (0, 3) k) returns int (0, 3)", &body);
        self.functions.push(Function { name: "risky", throws: true });
        if self.chance(60) {
            let record = self.pick(&["Failure", "Worse"]);
            let rethrow = self.chance(30);
            let handler =
                if rethrow { "L2: do { y := y + 1; throw e; } return 0;" } else { "L2: return e.code;" };
            write!(
                out,
                "function shield(int (0, 3) k) returns int (0, 3) {{
  local int r;
  local Failure e;
  catch {record} e at L0 goto L2;
  loc L0:
    call risky(k) resume R0;
  resume R0 of L0 into r goto L1;
  loc L1:
    do {{ {} }} return r & 3;
  loc {handler}
}}
",
                self.assignment(&Body::default())
            )
            .expect("a String takes everything");
            let throws = record == "Worse" || rethrow;
            self.functions.push(Function { name: "shield", throws });
        }
    }

    /// Recursion, with something to do on the way down or up.
    fn climb(&mut self, out: &mut String) {
        let nobody = Body { ints: vec!["k".into()], ..Body::default() };
        let down =
            if self.chance(50) { format!("do {{ {} }} ", self.assignment(&nobody)) } else { String::new() };
        let throws = self.exceptions && self.chance(30);
        let bottom = if throws { "do { f := new Worse; throw f; } " } else { "" };
        let up = if self.chance(50) {
            "return r + 1 & 3;".to_owned()
        } else {
            format!("goto L1;\n  loc L1:\n    do {{ {} }} return r & 3;", self.assignment(&nobody))
        };
        write!(
            out,
            "function climb(int (0, 3) k) returns int (0, 3) {{
  local int (0, 3) r;
  local Failure f;
  loc L0:
    when k > 0 {down}call climb(k - 1) resume R0;
    else {bottom}return 0;
  resume R0 of L0 into r {up}
}}
"
        )
        .expect("a String takes everything");
        self.functions.push(Function { name: "climb", throws });
    }

    /// Virtual functions.
    fn visits(&mut self, out: &mut String) {
        for record in ["Node", "Leaf", "Twig"] {
            let mut body = Body { repeats: true, ints: vec!["k".into()], ..Body::default() };
            body.nodes.push("self".into());
            let mut at = body.open();
            if self.chance(50) {
                let value = self.value_for(&body, "int (0, 3)");
                at = body.then(at, &format!("do {{ self.value := {value}; }}"));
            }
            if record == "Leaf" && self.chance(50) {
                at = body.then(at, "do { self.mark := !self.mark; }");
            }
            let result = format!("return {}", self.value_for(&body, "int (0, 3)"));
            self.finish(&mut body, at, &result);
            let head = format!("function visit{record}({record} self, int (0, 3) k) returns int (0, 3)");
            self.print(out, &head, &body);
        }
        let node = if self.dangerous() || self.dangerous() { "" } else { "  Node -> visitNode;\n" };
        let leaf = self.pick(&["visitLeaf", "visitNode"]);
        let rest = format!("  Leaf -> {leaf};\n  Twig -> visitTwig;\n  Bush -> {leaf};\n");
        write!(out, "virtual visit {{\n{node}{rest}}}\n").expect("a String takes everything");
        self.virtual_calls = true;
    }

    fn thread(&mut self, out: &mut String, name: &str, statements: usize, waits: bool) {
        let mut body = Body { caught: false, leave: "return", ..Body::default() };
        let params = if name.starts_with("Active") {
            ""
        } else {
            body.ints.push("k".into());
            body.nodes.push("q".into());
            "Node q, int (0, 3) k"
        };
        if self.chance(40) {
            let init = self.pick(&["", " = 1"]);
            let local = body.local("l", "int (0, 1)", init);
            body.ints.push(local);
        }
        let entry = body.open();
        let mut at = if waits { body.then(entry, "when ready") } else { entry };
        let start = at;
        let again = self.chance(20);
        body.repeats = again;
        let mut statements = statements;
        if self.monitor && self.chance(70) {
            // Mostly the first ones wait and the last one notifies.
            let waits = self.chance(if name.ends_with('0') { 85 } else { 30 });
            at = self.monitor(&mut body, at, waits);
            statements -= 1;
        }
        if self.exceptions && statements > 1 && self.chance(50) {
            at = self.attempt(&mut body, at, 1);
            statements -= 1;
        }
        at = self.block(&mut body, at, statements, 2);
        if again {
            body.step(at, "", start);
        } else {
            self.finish(&mut body, at, "return");
        }
        self.print(out, &format!("thread {name}({params})"), &body);
    }

    fn program(&mut self) -> String {
        let mut out = String::from("program random;\n");
        out.push_str(
            "strings \"on\", \"off\";
enum Color { red, green, blue }
record Node {
  int (0, 3) value;
  Node next;
}
record Leaf extends Node {
  boolean mark;
  tid owner;
}
record Twig extends Node {
  lock guard;
}
record Bush extends Leaf, Twig {}
throwable record Failure {
  int code;
}
throwable record Worse extends Failure {}
global lock m;
global lock n;
global boolean ready;
global boolean flag;
global boolean b;
global Color c;
global string word = \"on\";
global Node head;
global Node spare;
global tid who;
global int (0, 1)[] cells;
global Node[] table;
",
        );
        for (name, ty) in INTS {
            let init = if self.chance(20) { " = 1" } else { "" };
            writeln!(out, "global {ty} {name}{init};").expect("a String takes everything");
        }
        let seed = self.pick(&["v * 2", "v + 1", "v & 5", "v shl 1"]).to_owned();
        write!(
            out,
            "fun twice(int v) returns int wrap (0, 7) = {seed};
fun depth(Node v, int fuel) returns int = v == null || fuel <= 0 ? 0 : 1 + depth(v.next, fuel - 1);
fun mayEnter(lock v) returns boolean = v != null && lockAvailable(v);
"
        )
        .expect("a String takes everything");
        self.add_functions(&mut out);
        let workers = 2 + usize::from(self.chance(35));
        let statements = if workers == 2 { 3 } else { 2 };
        if self.chance(40) {
            let size = 1 + self.rng.below(2);
            self.thread(&mut out, "Child", size, false);
            self.children = true;
        }
        let mut starts = Vec::new();
        let mut active = vec!["Main"];
        let mut worker = None;
        for name in ["Worker0", "Worker1", "Worker2"].into_iter().take(workers) {
            // The same thread twice, a thread that runs from the start, or one that is started.
            let name = match (worker, self.rng.below(10)) {
                (Some(same), 0..=3) => same,
                (_, 4..=5) => {
                    let name = match active.len() {
                        1 => "Active0",
                        2 => "Active1",
                        _ => "Active2",
                    };
                    let size = statements + self.rng.below(2);
                    self.thread(&mut out, name, size, true);
                    active.push(name);
                    continue;
                }
                _ => {
                    let size = statements + self.rng.below(2);
                    self.thread(&mut out, name, size, false);
                    worker = Some(name);
                    name
                }
            };
            let handle = if self.handles && self.chance(60) { "who := " } else { "" };
            let node = if self.heap { self.pick(&["head", "spare", "null"]) } else { "null" };
            starts.push(format!("{handle}start {name}({node}, {});", self.rng.below(4)));
        }
        self.main(&mut out, &starts);
        if self.chance(50) {
            active.rotate_left(1);
        }
        writeln!(out, "active {};", active.join(", ")).expect("a String takes everything");
        self.properties(&mut out);
        out
    }

    /// Sets everything up and starts the others: in one step, or in several.
    fn main(&mut self, out: &mut String, starts: &[String]) {
        let mut body = Body { repeats: true, leave: "return", ..Body::default() };
        let mut setup = String::from("m := new lock; n := new lock; cells := new int (0, 1)[2]; ");
        setup.push_str("table := new Node[2]; ");
        if self.heap {
            let record = self.pick(&["Node", "Leaf", "Twig", "Bush"]);
            write!(setup, "head := new {record}; head.value := 1; ").expect("a String takes everything");
            if self.chance(40) {
                setup.push_str("table[1] := head; ");
            }
        }
        setup.push_str("ready := true; ");
        let mut at = body.open();
        if self.chance(60) {
            setup.push_str(&starts.join(" "));
            at = body.then(at, &format!("do {{ {setup} }}"));
        } else {
            body.atomic = self.chance(40);
            at = body.then(at, &format!("do {{ {setup} }}"));
            for start in starts {
                at = body.then(at, &format!("do {{ {start} }}"));
            }
            body.atomic = false;
            at = body.then(at, "");
        }
        if self.monitor && self.chance(40) {
            at = self.monitor(&mut body, at, false);
        } else if self.chance(35) {
            let statements = 1 + self.rng.below(2);
            at = self.block(&mut body, at, statements, 1);
        }
        self.finish(&mut body, at, "return");
        self.print(out, "thread Main()", &body);
    }

    fn properties(&mut self, out: &mut String) {
        for name in ["safe0", "safe1"] {
            if self.chance(40) {
                let always = ["x <= 3", "ready => m != null", "head == null || head.value >= 0", "y < 3"];
                let invariant = if self.dangerous() || self.dangerous() {
                    self.pick(&["x < 3", "b => x != y", "head.value < 3", "who == null || !flag"])
                } else {
                    self.pick(&always)
                };
                writeln!(out, "invariant {name} = {invariant};").expect("a String takes everything");
            }
        }
        if self.chance(20) {
            out.push_str("temporal later = \"[] (b -> <> !b)\";\n");
        }
    }
}
