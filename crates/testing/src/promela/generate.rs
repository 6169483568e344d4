//! Random programs: small, typed, finite, and without behaviour that C leaves undefined.
//!
//! A program has a few global variables and channels, and processes that are active from the beginning or
//! started by others, later ones by earlier ones only. Errors at which SPIN's verifier gives up (a block in a
//! `d_step`), dependence on the order of the search (`hidden` variables that are read before they are
//! written) and references to processes that may have ended are avoided or rare.

use super::scope::{Chan, Range, Scope, Type, Var};
use super::statements::Context;
use super::tree::*;
use crate::SplitMix64;

/// The constructs that a program may use beyond the common ones.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub last: bool,
    /// `_nr_pr`
    pub count: bool,
    pub priorities: bool,
    pub provided: bool,
    pub remote: bool,
    pub hidden: bool,
    pub exclusive: bool,
    pub trace: bool,
    /// Errors at which SPIN gives up.
    pub fatal: bool,
}

/// The number of formulas of a program.
const FORMULAS: usize = 6;

/// A label or variable of another process to refer to.
#[derive(Clone, Debug)]
pub struct Remote {
    pub proc: String,
    pub pid: usize,
    pub name: String,
    pub label: bool,
}

/// A process to start.
#[derive(Clone, Debug)]
struct Runnable {
    name: String,
    /// None stands for a channel.
    parameters: Vec<Option<Type>>,
    /// How often it may still be started.
    left: usize,
}

pub struct Generator {
    pub rng: SplitMix64,
    pub features: Features,
    pub scope: Scope,
    /// The fields of the messages that most channels carry.
    pub signature: Vec<Type>,
    /// A global channel of channels.
    pub bus: Option<String>,
    /// A global channel of records.
    pub record_chan: Option<String>,
    pub labels: Vec<String>,
    pub inlines: Vec<String>,
    pub remotes: Vec<Remote>,
    runnable: Vec<Runnable>,
    /// The locals of the current process.
    locals: Vec<Decl>,
    counters: usize,
    /// It has sent its channel to others.
    pub lends: bool,
    /// `xr` and `xs` claims that no process has made yet.
    exclusive: Vec<String>,
}

/// What a program is used to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Safety,
    /// It gets formulas, or labels that make for acceptance and non-progress cycles.
    Properties,
}

/// The program with this number of this seed.
pub fn program(seed: u64, index: u64, purpose: Purpose) -> Program {
    let mut rng = SplitMix64::stream(seed, index);
    let mut features = Features {
        last: rng.chance(10),
        count: true,
        priorities: rng.chance(10),
        provided: rng.chance(15),
        remote: rng.chance(20),
        hidden: rng.chance(15),
        exclusive: rng.chance(8),
        trace: rng.chance(5),
        fatal: rng.chance(4),
    };
    if purpose == Purpose::Properties {
        // SPIN has no claims together with traces, and counts claims as processes. Errors end runs.
        features = Features { count: false, trace: false, fatal: false, exclusive: false, ..features };
    }
    let generator = Generator {
        rng,
        features,
        scope: Scope::default(),
        signature: Vec::new(),
        bus: None,
        record_chan: None,
        labels: Vec::new(),
        inlines: Vec::new(),
        remotes: Vec::new(),
        runnable: Vec::new(),
        locals: Vec::new(),
        counters: 0,
        lends: false,
        exclusive: Vec::new(),
    };
    generator.program(purpose)
}

impl Generator {
    fn program(mut self, purpose: Purpose) -> Program {
        let mut program = Program {
            preamble: vec![
                "#define LIMIT 3".to_owned(),
                "#define BUMP(v) v = (v + 1) % LIMIT".to_owned(),
                "mtype = { red, green, blue }".to_owned(),
                "mtype:shape = { round, square }".to_owned(),
            ],
            ..Program::default()
        };
        self.global_vars(&mut program);
        self.global_chans(&mut program);
        self.global_inlines(&mut program);
        if self.features.trace {
            program.trace = self.trace();
        }
        self.processes(&mut program);
        if purpose == Purpose::Properties {
            self.properties(&mut program);
        }
        program
    }

    /// Formulas or labels, since in SPIN labels count together with formulas.
    fn properties(&mut self, program: &mut Program) {
        program.visit_blocks(&mut |block| {
            block
                .iter_mut()
                .filter(|stmt| matches!(stmt, Stmt::Assert(_)))
                .for_each(|stmt| *stmt = Stmt::Skip);
        });
        if self.rng.chance(50) {
            program.procs.push(idler());
        }
        match self.rng.below(10) {
            0 => label_loops(program, &mut self.rng, "accept"),
            1 | 2 => label_loops(program, &mut self.rng, "progress"),
            _ => program.formulas = (0..FORMULAS).map(|number| (number, self.formula())).collect(),
        }
    }

    fn global_vars(&mut self, program: &mut Program) {
        for number in 0..self.rng.between(1, 3) {
            let ty = Type::ALL[self.rng.below(Type::ALL.len())];
            let mut var = Var::new(format!("g{number}"), ty);
            if self.rng.chance(25) && !matches!(ty, Type::Unsigned(_)) {
                var = var.array(self.rng.between(2, 3));
            }
            let initial = self.initial(ty);
            program.globals.push(var.declaration("", initial));
            self.scope.vars.push(var);
        }
        if self.features.hidden {
            program.globals.push(Var::new("scratch", Type::Byte).declaration("hidden ", None));
        }
        if self.rng.chance(25) {
            program.preamble.push("typedef Pair { byte low; short high; bit flags[2] }".to_owned());
            let length = self.rng.chance(40).then_some(2);
            let after = length.map(|length| format!("[{length}]")).unwrap_or_default();
            let name = "pair".to_owned();
            program.globals.push(Decl { before: "Pair".into(), name, after, initial: None });
            self.record_chan = self.rng.chance(60).then(|| "records".to_owned());
            if let Some(name) = self.record_chan.clone() {
                let initial = format!("[{}] of {{ Pair }}", self.rng.between(1, 2));
                program.globals.push(Decl {
                    before: "chan".into(),
                    name,
                    after: String::new(),
                    initial: Some(initial),
                });
            }
            for (field, ty) in [("low", Type::Byte), ("high", Type::Short), ("flags[1]", Type::Byte)] {
                let field = Some(field.to_owned());
                self.scope.vars.push(Var { length, field, ..Var::new("pair", ty) });
            }
        }
    }

    fn initial(&mut self, ty: Type) -> Option<i64> {
        let known = !ty.is_symbolic() && self.rng.chance(25);
        known.then(|| if ty.is_small() { 1 } else { self.rng.between(0, 3) })
    }

    fn global_chans(&mut self, program: &mut Program) {
        let fields = self.rng.between(1, 2);
        self.signature = (0..fields).map(|_| Type::FIELDS[self.rng.below(Type::FIELDS.len())]).collect();
        if self.rng.chance(30) {
            self.signature[0] = Type::Mtype;
        }
        for number in 0..self.rng.between(1, 2) {
            // SPIN has no priorities together with rendezvous.
            let least = usize::from(self.features.priorities);
            let capacity = [0, 1, 1, 2, 3][least + self.rng.below(5 - least)];
            let length = self.rng.chance(15).then_some(2);
            let chan = Chan {
                name: format!("c{number}"),
                fields: self.message(),
                buffered: capacity > 0,
                length,
                global: true,
                owned: false,
            };
            program.globals.push(Self::chan_declaration(&chan, capacity));
            self.scope.chans.push(chan);
        }
        if self.features.exclusive {
            let plain = |chan: &&Chan| chan.buffered && chan.length.is_none();
            if let Some(chan) = self.scope.chans.iter().find(plain) {
                self.exclusive = vec![format!("xr {}", chan.name), format!("xs {}", chan.name)];
            }
        }
        if self.rng.chance(25) {
            let chan = Chan {
                name: "bus".into(),
                fields: vec![None],
                buffered: true,
                length: None,
                global: true,
                owned: false,
            };
            let capacity = self.rng.between(i64::from(self.features.priorities), 2);
            program.globals.push(Self::chan_declaration(&chan, capacity));
            self.bus = Some(chan.name);
        }
    }

    /// The fields of the messages that most channels carry.
    pub fn message(&self) -> Vec<Option<Type>> {
        self.signature.iter().copied().map(Some).collect()
    }

    fn chan_declaration(chan: &Chan, capacity: i64) -> Decl {
        let fields: Vec<&str> = chan.fields.iter().map(|ty| ty.map_or("chan", Type::keyword)).collect();
        Decl {
            before: "chan".into(),
            name: chan.name.clone(),
            after: chan.length.map(|length| format!("[{length}]")).unwrap_or_default(),
            initial: Some(format!("[{capacity}] of {{ {} }}", fields.join(", "))),
        }
    }

    fn global_inlines(&mut self, program: &mut Program) {
        if !self.rng.chance(50) {
            return;
        }
        let scope = self.scope.clone();
        self.scope.vars.push(Var {
            range: Range::of(0, 2),
            writable: false,
            ..Var::new("amount", Type::Byte)
        });
        let context = Context { in_loop: true, in_do: false, in_atomic: false, depth: 1, plain: false };
        let mut body = self.block(context, 1, 2);
        let sum = Expr::Binary("+", text("target").into(), text("amount").into());
        body.push(Stmt::Assign(Place::name("target"), Expr::Wrap("%", sum.into(), 3)));
        let parameters = vec!["target".to_owned(), "amount".to_owned()];
        program.inlines.push(Inline { name: "update".into(), parameters, body });
        self.inlines.push("update".into());
        self.scope = scope;
    }

    /// Constrains the messages of the first channel. In a rendezvous, SPIN's traces already see the offer.
    fn trace(&mut self) -> Option<String> {
        let chan = self.scope.chans.first().filter(|chan| chan.length.is_none() && chan.buffered)?.clone();
        let values: Vec<String> = self.signature.clone().iter().map(|_| "_".to_owned()).collect();
        let mut values = values;
        values[0] = if self.signature[0] == Type::Mtype { "red".into() } else { "1".into() };
        let any = vec!["_"; values.len()].join(", ");
        let keyword = if self.rng.chance(70) { "trace" } else { "notrace" };
        let name = chan.name;
        Some(format!("{keyword} {{ {name}!{any}; do :: {name}!{} od }}", values.join(", ")))
    }

    fn processes(&mut self, program: &mut Program) {
        let with_init = !self.features.remote && self.rng.chance(40);
        let total = self.rng.between(if with_init { 1 } else { 2 }, 3);
        let started = if self.features.remote { 0 } else { self.rng.between(i64::from(with_init), 2) };
        for number in 0..started {
            let parameters = (0..self.rng.between(0, 2))
                .map(|_| {
                    let ty = Type::FIELDS[self.rng.below(Type::FIELDS.len())];
                    let ty = self.local_type(ty);
                    if self.rng.chance(30) { None } else { Some(ty) }
                })
                .collect();
            let left = if self.rng.chance(70) { 1 } else { 2 };
            self.runnable.push(Runnable { name: format!("R{number}"), parameters, left });
        }
        let active = if with_init { total - 1 } else { total };
        let mut pid = 0;
        let mut procs = Vec::new();
        for number in 0..active {
            let count = if self.rng.chance(20) { 2 } else { 1 };
            let proc = self.process(format!("P{number}"), Start::Active(count), &[]);
            if count == 1 {
                self.remember(&proc, pid);
            }
            pid += usize::from(count);
            procs.push(proc);
        }
        if self.rng.chance(60) {
            procs.push(self.server());
        }
        if with_init {
            procs.push(self.process("init".into(), Start::Init, &[]));
        }
        // Processes that are not started any more come last, and may start those after them.
        while !self.runnable.is_empty() {
            let next = self.runnable.remove(0);
            procs.push(self.process(next.name.clone(), Start::Run, &next.parameters));
        }
        program.procs = procs;
    }

    /// A process that receives messages, and sometimes sends some: without it most programs block soon.
    fn server(&mut self) -> Proc {
        let context = Context { in_loop: true, in_do: true, in_atomic: false, depth: 1, plain: false };
        let outer = self.scope.clone();
        let mut options = Vec::new();
        for chan in self.scope.chans.clone() {
            self.scope.chans = vec![chan];
            let mut option = vec![self.receive_any()];
            if self.rng.chance(30) {
                option.push(self.statement(context));
            }
            options.push(option);
            if self.rng.chance(40) {
                options.push(vec![self.send(context)]);
            }
        }
        self.scope = outer;
        let serve = Stmt::Do(options);
        let serve = if self.rng.chance(75) { Stmt::Label("end1".into(), serve.into()) } else { serve };
        let locals = std::mem::take(&mut self.locals);
        let parameters = Vec::new();
        let (priority, provided) = (None, None);
        Proc {
            name: "Server".into(),
            start: Start::Active(1),
            parameters,
            priority,
            provided,
            locals,
            body: vec![serve],
        }
    }

    fn remember(&mut self, proc: &Proc, pid: usize) {
        let remote = |name: &str, label| Remote { proc: proc.name.clone(), pid, name: name.into(), label };
        let labels = proc.body.iter().filter_map(|stmt| match stmt {
            Stmt::Label(name, _) => Some(remote(name, true)),
            _ => None,
        });
        let plain = |decl: &&Decl| decl.after.is_empty() && !decl.before.contains("chan");
        let vars = proc.locals.iter().filter(plain).map(|decl| remote(&decl.name, false));
        self.remotes.extend(labels.chain(vars));
    }

    fn process(&mut self, name: String, start: Start, parameters: &[Option<Type>]) -> Proc {
        let outer = self.scope.clone();
        let mut declared = Vec::new();
        for (number, ty) in parameters.iter().enumerate() {
            let name = format!("p{number}");
            declared.push(format!("{} {name}", ty.map_or("chan", Type::keyword)));
            if let Some(ty) = *ty {
                self.scope.vars.push(Var::new(name, ty));
            } else {
                let fields = self.message();
                self.scope.chans.push(Chan { name, fields, ..Chan::default() });
            }
        }
        self.local_declarations();
        let cyclic = start != Start::Init && self.rng.chance(35);
        if cyclic {
            self.labels = (0..self.rng.between(1, 2)).map(|number| format!("L{number}")).collect();
        }
        let context = Context { in_loop: cyclic, in_do: false, in_atomic: false, depth: 2, plain: true };
        let (least, most) = if start == Start::Init { (0, 3) } else { (2, 4) };
        let mut body = self.block(context, least, most);
        if start == Start::Init {
            let starts: Vec<Stmt> =
                (0..self.rng.between(1, 3)).filter_map(|_| self.run_statement()).collect();
            if self.rng.chance(60) {
                body.insert(0, Stmt::Atomic(starts));
            } else {
                body.splice(0..0, starts);
            }
        }
        self.place_labels(&mut body);
        if std::mem::take(&mut self.lends) {
            body.push(Stmt::Label("end2".into(), Stmt::Expr(text("false")).into()));
        }
        if let Some(claim) = self.exclusive.pop() {
            body.insert(0, Stmt::Text(claim));
        }
        let priority = (self.features.priorities && start != Start::Init && self.rng.chance(60))
            .then(|| self.rng.between(1, 4) as u8);
        let locals = std::mem::take(&mut self.locals);
        self.scope = outer;
        // Over globals only.
        let provided =
            (self.features.provided && start != Start::Init && self.rng.chance(50)).then(|| self.provided());
        self.labels.clear();
        Proc { name, start, parameters: declared, priority, provided, locals, body }
    }

    fn provided(&mut self) -> Expr {
        match self.some_var(false) {
            Some(var) => {
                let place = Expr::Place(self.var_place(&var));
                Expr::Binary("!=", place.into(), Expr::Lit(self.rng.between(1, 3)).into())
            }
            None => Expr::Lit(1),
        }
    }

    /// With priorities, SPIN's verifiers leave local variables that are bit fields out of the state.
    fn local_type(&self, ty: Type) -> Type {
        match ty {
            Type::Bit | Type::Bool | Type::Unsigned(_) if self.features.priorities => Type::Byte,
            _ => ty,
        }
    }

    fn local_declarations(&mut self) {
        for number in 0..self.rng.between(0, 2) {
            let ty = Type::ALL[self.rng.below(Type::ALL.len())];
            let ty = self.local_type(ty);
            let mut var = Var::new(format!("x{number}"), ty);
            if self.rng.chance(15) && !matches!(ty, Type::Unsigned(_)) {
                var = var.array(2);
            }
            let initial = self.initial(ty);
            self.locals.push(var.declaration("", initial));
            self.scope.vars.push(var);
        }
        if self.rng.chance(15) {
            let chan = Chan {
                name: "mine".into(),
                fields: self.message(),
                buffered: true,
                owned: true,
                ..Chan::default()
            };
            let capacity = self.rng.between(1, 2);
            let declaration = Self::chan_declaration(&chan, capacity);
            self.locals.push(declaration);
            self.scope.chans.push(chan);
        }
        if self.bus.is_some() && self.rng.chance(60) {
            let name = "other".to_owned();
            self.locals.push(Decl {
                before: "chan".into(),
                name: name.clone(),
                after: String::new(),
                initial: None,
            });
            self.scope.chan_var = Some(name);
        }
    }

    /// Every label that is a target of jumps, and sometimes one that marks a valid end.
    fn place_labels(&mut self, body: &mut Block) {
        let mut labels = self.labels.clone();
        if self.rng.chance(30) {
            labels.push("end0".into());
        }
        if self.features.remote && self.labels.is_empty() {
            labels.push("here".into());
        }
        for label in labels {
            let position = self.rng.below(body.len());
            match body.get_mut(position) {
                // SPIN refuses endless loops of jumps, and labels before `unless`.
                Some(Stmt::Goto(_) | Stmt::Skip) | None => {
                    let pause = self.assignment(Context {
                        in_loop: true,
                        in_do: false,
                        in_atomic: false,
                        depth: 0,
                        plain: true,
                    });
                    body.insert(position, Stmt::Label(label, pause.into()));
                }
                Some(stmt @ Stmt::Unless(..)) => {
                    *stmt = Stmt::Label(label, Stmt::Group(vec![stmt.clone()]).into());
                }
                Some(stmt) => *stmt = Stmt::Label(label, Box::new(stmt.clone())),
            }
        }
    }

    /// Starts a process that may be started here.
    pub fn run_expr(&mut self) -> Option<Expr> {
        let ready: Vec<usize> = (0..self.runnable.len()).filter(|&n| self.runnable[n].left > 0).collect();
        let number = *self.rng.choose(&ready)?;
        self.runnable[number].left -= 1;
        let Runnable { name, parameters, .. } = self.runnable[number].clone();
        let mut values = Vec::new();
        for ty in parameters {
            values.push(if let Some(ty) = ty {
                self.value(ty, false)
            } else {
                let chan = self.some_chan(false)?;
                Expr::Place(self.chan_place(&chan))
            });
        }
        let priority =
            (self.features.priorities && self.rng.chance(40)).then(|| self.rng.between(1, 4) as u8);
        Some(Expr::Run(name, values, priority))
    }

    /// A new variable for counting, which only its loop changes.
    pub fn new_counter(&mut self, high: i64) -> String {
        let name = format!("i{}", self.counters);
        self.counters += 1;
        let ty = if self.rng.chance(50) { Type::Byte } else { Type::Int };
        // A select may begin below zero.
        let range = if ty == Type::Byte { ty.range() } else { Range::of(-1, high) };
        let var = Var { range, writable: false, ..Var::new(name.clone(), ty) };
        self.locals.push(var.declaration("", None));
        self.scope.vars.push(var);
        name
    }
}

/// A process that never ends, so that no run ends.
fn idler() -> Proc {
    let change = Expr::Binary("-", Expr::Lit(1).into(), text("idle").into());
    Proc {
        name: "Idler".into(),
        start: Start::Active(1),
        parameters: Vec::new(),
        priority: None,
        provided: None,
        locals: vec![Var::new("idle", Type::Bit).declaration("", None)],
        body: vec![Stmt::Do(vec![vec![Stmt::Assign(Place::name("idle"), change)]])],
    }
}

/// Labels some statements.
fn label_loops(program: &mut Program, rng: &mut SplitMix64, prefix: &str) {
    let mut number = 0;
    program.visit_blocks(&mut |block| {
        for stmt in block {
            // Labels before jumps, options and `unless` have no effect, or are refused.
            let takes_one = matches!(
                stmt,
                Stmt::Expr(_)
                    | Stmt::Assign(..)
                    | Stmt::Send { .. }
                    | Stmt::Receive { .. }
                    | Stmt::Do(_)
                    | Stmt::If(_)
            );
            if takes_one && rng.chance(25) {
                *stmt = Stmt::Label(format!("{prefix}{number}"), Box::new(stmt.clone()));
                number += 1;
            }
        }
    });
}

fn text(text: &str) -> Expr {
    Expr::Text(text.into())
}
