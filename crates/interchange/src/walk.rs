//! What the text of a program says of sorts, and the text itself as terms.
//!
//! One walk over a part of the text does both: it joins the sorts of what is assigned, compared, passed and sent,
//! and leaves terms in which literals keep their sort variables. Which literals are names is known at the end.

use ir::{
    Action, ActionKind, Array, Channel, ChannelId, Const, Expr, ExprKind, GlobalId, Guard, Id, LocalId,
    Meaning, Pattern, Place, PlaceKind, ProcedureId, Program, Sort, Table, Transition, Type, Variable,
};
use source::Span;

use crate::coded::{self, Access};
use crate::functions::Function;
use crate::seeded::{Seeded, is_seeded};
use crate::terms::{Key, Keys, Term};
use crate::unify::{Reason, Unifier, Var};

pub use self::flow::ChannelFlow;
use self::stores::{Numbers, Store, THREADS};

mod constant;
mod exprs;
mod flow;
mod stores;

/// The sort variables of a variable.
#[derive(Clone, Debug)]
pub struct VariableVars {
    pub value: Var,
    pub indices: Vec<Var>,
}

/// The sort variables of a program, and what was found out about them.
#[derive(Debug)]
pub struct Walk<'p> {
    pub program: &'p Program,
    pub unifier: Unifier,
    pub keys: Keys,
    pub globals: Table<GlobalId, VariableVars>,
    pub locals: Table<ProcedureId, Table<LocalId, VariableVars>>,
    /// By procedure: the numbers of its threads.
    pub threads: Table<ProcedureId, Var>,
    /// By channel, as declared.
    pub channels: Table<ChannelId, Var>,
    /// The channels of globals that never change, by element.
    pub constants: Table<GlobalId, Option<Vec<i64>>>,
    /// Those that are indexed by more than literals.
    pub indexed: Table<GlobalId, bool>,
    /// Literals: they may turn out to be channels, or name threads.
    literals: Vec<(Var, i64, Span)>,
    /// Expressions about nothing but the number of the thread that evaluates them.
    pub functions: Vec<Function>,
    /// Which variables are taken to be coded, and their uses.
    pub coded: Table<GlobalId, bool>,
    pub accesses: Vec<Access>,
    /// What is used as the number of some thread, and of some channel.
    asked_threads: Vec<(Var, Span)>,
    asked_channels: Vec<(Var, Span)>,
    /// By number: what the threads run that are there.
    pub present: Vec<ProcedureId>,
    /// Whether threads of a procedure may be started by the text.
    started: Table<ProcedureId, bool>,
    /// Stores of numbers that may not fit where they are stored: the sort, the range of the numbers, and that of the
    /// place or, if that is a field of messages, the channel and the field.
    stores: Vec<Store>,
    /// Expressions whose numbers are brought into a range.
    pub ranges: Vec<(Var, i64, i64)>,
    /// By procedure: locals that never change after the start, other than channels.
    pub parameters: Table<ProcedureId, Vec<LocalId>>,
    /// Whether the text asks for the numbers of locations.
    pub asks_locations: bool,
    /// The procedure whose text is walked.
    scope: Option<ProcedureId>,
}

impl<'p> Walk<'p> {
    pub fn new(program: &'p Program) -> Self {
        let mut unifier = Unifier::default();
        let globals =
            program.globals.values().map(|variable| declare(&mut unifier, program, variable)).collect();
        let mut locals = Table::new();
        let mut threads = Table::new();
        for procedure in program.procedures.values() {
            let of_locals =
                procedure.locals.values().map(|variable| declare(&mut unifier, program, variable));
            locals.push(of_locals.collect());
            let var = unifier.fresh();
            unifier.are_threads(var, Reason { what: "", span: procedure.span });
            threads.push(var);
        }
        let mut channels = Table::new();
        for Channel { fields, span, .. } in program.channels.values() {
            let var = unifier.fresh();
            unifier.are_channels(var, shifted(*span));
            for (at, field) in fields.iter().enumerate() {
                let of_field = unifier.field(var, at);
                note_meaning(&mut unifier, of_field, field.meaning, *span);
            }
            channels.push(var);
        }
        Self {
            program,
            unifier,
            keys: Keys::default(),
            globals,
            locals,
            threads,
            channels,
            constants: constant::constants(program),
            indexed: program.globals.values().map(|_| false).collect(),
            literals: Vec::new(),
            functions: Vec::new(),
            coded: program.globals.values().map(|_| false).collect(),
            accesses: Vec::new(),
            asked_threads: Vec::new(),
            asked_channels: Vec::new(),
            present: Vec::new(),
            started: program.procedures.values().map(|_| false).collect(),
            stores: Vec::new(),
            ranges: Vec::new(),
            parameters: constant::parameters(program),
            asks_locations: false,
            scope: None,
        }
    }

    /// Walks over everything, as if all of it were text.
    pub fn walk_all(&mut self) {
        let program = self.program;
        for (id, procedure) in program.procedures.iter() {
            self.scope = Some(id);
            for action in &procedure.prologue {
                self.action(action);
            }
            self.declarations(id);
        }
        for transition in program.transitions.values() {
            self.transition(program.locations[transition.source].procedure, transition);
        }
        self.scope = None;
        for action in &program.prologue {
            self.action(action);
        }
        for (global, vars) in program.globals.values().zip(self.globals.values()) {
            if let Some(Const::Int(value)) = global.init {
                self.literals.push((vars.value, value, global.span));
            }
        }
        self.finish();
    }

    /// What is known at the end only: literals that stand for channels have the fields of these channels; functions of
    /// the numbers of threads that are yet to start, and names that are brought into a range, are numbers.
    pub fn finish(&mut self) {
        self.join_literals();
        for at in 0..self.functions.len() {
            let Function { procedure, var, ref expr } = self.functions[at];
            let span = expr.span;
            if self.started[procedure] && self.unifier.sort(var) != Sort::Number {
                self.number(var, "is computed from the number of a process that is yet to start", span);
            }
        }
        loop {
            if let Some(store) = self.stores.iter().find(|store| self.is_narrowed(store)).cloned() {
                self.number(store.var, "stores a number that may not fit", store.span);
            } else if !self.pin_asked() {
                return;
            }
        }
    }

    /// Where the text first names a thread by its number.
    pub fn mention(&self, thread: u32) -> Option<Span> {
        let is_it = |&&(var, value, _): &&(Var, i64, Span)| match self.unifier.sort(var) {
            Sort::Thread { shift } => value.checked_add(shift) == Some(thread.into()),
            Sort::Number | Sort::Channel => false,
        };
        self.literals.iter().find(is_it).map(|&(_, _, span)| span)
    }

    fn join_literals(&mut self) {
        let mut is_joined = vec![false; self.literals.len()];
        loop {
            let mut has_changed = false;
            for (at, &(var, value, _)) in self.literals.iter().enumerate() {
                // Channels are numbered from 1 on; other numbers are no channels.
                let position = value.checked_sub(1).and_then(|at| usize::try_from(at).ok());
                let channel = position.and_then(|position| self.program.first_channels.get(position));
                if let Some(&channel) = channel.filter(|_| !is_joined[at] && self.unifier.has_channels(var)) {
                    self.unifier.join(
                        var,
                        self.channels[channel],
                        0,
                        shifted(self.program.channels[channel].span),
                    );
                    is_joined[at] = true;
                    has_changed = true;
                }
            }
            if !has_changed {
                return;
            }
        }
    }

    pub fn key(&mut self, parts: Vec<u64>) -> Key {
        self.keys.intern(parts)
    }

    fn node(&mut self, parts: Vec<u64>, is_ordered: bool, children: Vec<Term>) -> Term {
        let key = self.key(parts);
        if children.is_empty() { Term::Leaf(key) } else { Term::Node { key, is_ordered, children } }
    }

    fn literal(&mut self, var: Var, value: i64, span: Span) -> Term {
        self.literals.push((var, value, span));
        Term::Literal { var, value }
    }

    // Text.

    /// Everything about a transition but where it leads.
    pub fn transition(&mut self, procedure: ProcedureId, transition: &Transition) -> Vec<Term> {
        self.scope = Some(procedure);
        let mut terms = Vec::new();
        match &transition.guard {
            Guard::Always | Guard::Ready(_) => {}
            Guard::When(guard) => terms.push(self.condition(guard)),
            Guard::Else => terms.push(Term::Leaf(self.keys.intern(vec![1, 0]))),
        }
        for action in &transition.body {
            terms.push(self.action(action));
        }
        terms
    }

    /// The conditions and claims of a procedure.
    pub fn declarations(&mut self, procedure: ProcedureId) -> Vec<Term> {
        self.scope = Some(procedure);
        let program = self.program;
        let declared = &program.procedures[procedure];
        let mut terms: Vec<Term> = declared.provided.iter().map(|expr| self.condition(expr)).collect();
        for claim in &declared.claims {
            let (var, term) = self.expr(&claim.channel);
            self.channel(var, claim.span);
            terms.push(self.node(vec![2, claim.receive.into()], true, vec![term]));
        }
        terms
    }

    /// What a thread of a procedure does when it is started: text, if it is started by text.
    fn start(&mut self, procedure: ProcedureId) -> Vec<Term> {
        let scope = self.scope.replace(procedure);
        let program = self.program;
        let declared = &program.procedures[procedure];
        let mut terms = Vec::new();
        for (id, local) in declared.locals.iter().skip(declared.params) {
            let value = match local.init {
                Some(Const::Int(value)) => value,
                Some(_) => continue,
                None => 0,
            };
            let var = self.locals[procedure][id].value;
            let term = self.literal(var, value, local.span);
            terms.push(self.node(vec![3, id.index() as u64], true, vec![term]));
        }
        for action in &declared.prologue {
            terms.push(self.action(action));
        }
        self.scope = scope;
        terms
    }

    /// A condition that is not evaluated by a thread.
    pub fn property(&mut self, expr: &Expr) -> Term {
        self.scope = None;
        self.condition(expr)
    }

    fn condition(&mut self, expr: &Expr) -> Term {
        self.expr(expr).1
    }

    fn action(&mut self, action: &Action) -> Term {
        let span = action.span;
        match &action.kind {
            ActionKind::Assign(place, value) if self.is_coded(coded::stored(place)) => {
                let Some(stored) = coded::stored(place) else { unreachable!("it is coded") };
                self.access(10, stored, value)
            }
            ActionKind::Assign(place, value) => {
                let place_ty = place.ty;
                let (to, place) = self.place(place);
                let is_reset = is_seeded(Seeded::AnyReset) && value.kind == ExprKind::Const(Const::Int(0));
                let (from, term) = if is_reset {
                    (self.unifier.fresh(), Term::Leaf(self.key(vec![0])))
                } else {
                    self.expr(value)
                };
                self.unifier.join(to, from, 0, shifted(span));
                let range = self.range(place_ty).map(Numbers::Within);
                self.stores(to, value, range);
                self.node(vec![10], true, vec![place, term])
            }
            ActionKind::Assert(expr, _) | ActionKind::Check(expr) | ActionKind::Assume(expr) => {
                let kind = match action.kind {
                    ActionKind::Assert(..) => 11,
                    ActionKind::Check(_) => 12,
                    _ => 13,
                };
                let condition = self.condition(expr);
                self.node(vec![kind], true, vec![condition])
            }
            ActionKind::Start { result, procedure, args, priority } => {
                let mut children = Vec::new();
                self.started[*procedure] = true;
                if let Some(place) = result {
                    let range = self.range(place.ty);
                    let (var, place) = self.place(place);
                    self.unifier.join(var, self.threads[*procedure], 0, shifted(span));
                    if let Some(range) = range {
                        let (from, to) = (Numbers::Within(THREADS), Numbers::Within(range));
                        self.stores.push(Store { var, from, to, of_self: None, span });
                    }
                    children.push(place);
                }
                for (arg, at) in args.iter().zip(0..) {
                    let (var, term) = self.expr(arg);
                    let param = self.locals[*procedure][LocalId(at)].value;
                    self.unifier.join(param, var, 0, shifted(span));
                    let ty = self.program.procedures[*procedure].locals[LocalId(at)].ty;
                    let range = self.range(ty).map(Numbers::Within);
                    self.stores(param, arg, range);
                    children.push(term);
                }
                children.extend(self.start(*procedure));
                let priority = priority.map_or(256, u64::from);
                self.node(
                    vec![14, procedure.index() as u64, priority, result.is_some().into()],
                    true,
                    children,
                )
            }
            ActionKind::Send { channel, sorted, message } => {
                let (of, channel) = self.expr(channel);
                self.channel(of, span);
                let mut children = vec![channel];
                for (at, field) in message.iter().enumerate() {
                    let (var, term) = self.expr(field);
                    if *sorted && !is_seeded(Seeded::AnyMessage) {
                        self.number(var, "sorts messages by processes", field.span);
                    }
                    let to = self.unifier.field(of, at);
                    self.unifier.join(to, var, 0, shifted(span));
                    self.stores(to, field, Some(Numbers::OfField(of, at)));
                    children.push(term);
                }
                self.node(vec![15, (*sorted).into()], true, children)
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                let (of, channel) = self.expr(channel);
                self.channel(of, span);
                let mut children = vec![channel];
                for (at, field) in pattern.iter().enumerate() {
                    let (var, term, kind) = match field {
                        Pattern::Store(place) => {
                            let (var, term) = self.place(place);
                            if let Some(range) = self.range(place.ty) {
                                let (from, to) = (Numbers::OfField(of, at), Numbers::Within(range));
                                self.stores.push(Store { var, from, to, of_self: None, span });
                            }
                            (Some(var), term, 0)
                        }
                        Pattern::Match(expr) => {
                            let (var, term) = self.expr(expr);
                            (Some(var), term, 1)
                        }
                        Pattern::Any => (None, Term::Leaf(self.key(vec![0])), 2),
                    };
                    if let Some(var) = var {
                        let from = self.unifier.field(of, at);
                        self.unifier.join(var, from, 0, shifted(span));
                    }
                    children.push(self.node(vec![16, kind], true, vec![term]));
                }
                self.node(vec![17, (*anywhere).into(), (*keep).into()], true, children)
            }
            ActionKind::SetPriority(thread, priority) => {
                let (var, thread) = self.expr(thread);
                self.thread(var, span);
                let (to, priority) = self.expr(priority);
                self.number(to, "uses a process as a priority", span);
                self.node(vec![18], true, vec![thread, priority])
            }
            ActionKind::Print { .. } => Term::Leaf(self.key(vec![19])),
            ActionKind::Exit => Term::Leaf(self.key(vec![20])),
            // Programs with observable ids of threads have none of these.
            ActionKind::New(..)
            | ActionKind::Choose(..)
            | ActionKind::Lock(_)
            | ActionKind::Unlock(_)
            | ActionKind::Wait(_)
            | ActionKind::Unwait(_)
            | ActionKind::Notify(_)
            | ActionKind::NotifyAll(_)
            | ActionKind::Throw(_)
            | ActionKind::BadCall(_)
            | ActionKind::Delete(_)
            | ActionKind::Kill(_) => unreachable!("the program is flat"),
        }
    }

    fn place(&mut self, place: &Place) -> (Var, Term) {
        match &place.kind {
            PlaceKind::Global(id) => {
                (self.globals[*id].value, Term::Leaf(self.keys.intern(vec![30, id.index() as u64])))
            }
            PlaceKind::Local(id) => {
                (self.local(*id).value, Term::Leaf(self.keys.intern(vec![31, id.index() as u64])))
            }
            PlaceKind::Element(array, indices) => self.element(*array, indices),
            PlaceKind::Field(..) | PlaceKind::Index(..) | PlaceKind::Through(_) => {
                unreachable!("the program is flat")
            }
        }
    }

    fn local(&self, id: LocalId) -> &VariableVars {
        &self.locals[self.scope.expect("text with locals belongs to a procedure")][id]
    }

    fn element(&mut self, array: Array, indices: &[Expr]) -> (Var, Term) {
        if let (Array::Global(id), [index]) = (array, indices)
            && let ExprKind::Const(Const::Int(at)) = index.kind
            && let Some(channels) = &self.constants[id]
            && let Some(&channel) = usize::try_from(at).ok().and_then(|at| channels.get(at))
        {
            let var = self.globals[id].value;
            return (var, self.literal(var, channel, index.span));
        }
        let (vars, key) = match array {
            Array::Global(id) => {
                self.indexed[id] = true;
                (self.globals[id].clone(), vec![32, id.index() as u64])
            }
            Array::Local(id) => (self.local(id).clone(), vec![33, id.index() as u64]),
        };
        let mut children = Vec::new();
        for (index, &to) in indices.iter().zip(&vars.indices) {
            let (var, term) = self.expr(index);
            self.unifier.join(to, var, 0, shifted(index.span));
            children.push(term);
        }
        (vars.value, self.node(key, true, children))
    }
}

/// What is joined and shifted against itself is a number.
const fn shifted(span: Span) -> Reason {
    Reason { what: "uses a process as a number", span }
}

fn note_meaning(unifier: &mut Unifier, var: Var, meaning: Meaning, span: Span) {
    match meaning {
        Meaning::Number => {}
        Meaning::Symbol(_) => {
            unifier.is_number(var, Reason { what: "is a symbol, and is used as a process", span });
        }
        Meaning::Channel => unifier.are_channels(var, shifted(span)),
    }
}

fn declare(unifier: &mut Unifier, program: &Program, variable: &Variable) -> VariableVars {
    let value = unifier.fresh();
    note_meaning(unifier, value, variable.meaning, variable.span);
    if !matches!(program.types[variable.ty], Type::Int(_)) {
        unifier.is_number(value, Reason { what: "is no number", span: variable.span });
    }
    VariableVars { value, indices: variable.dims.iter().map(|_| unifier.fresh()).collect() }
}
