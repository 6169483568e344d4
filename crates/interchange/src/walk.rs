//! What the text of a program says of sorts, and the text itself as terms.
//!
//! One walk over a part of the text does both: it joins the sorts of what is assigned, compared, passed and sent,
//! and leaves terms in which literals keep their sort variables. Which literals are names is known at the end.

use ir::{
    Action, ActionKind, Array, BinaryOp, Channel, ChannelId, Const, Expr, ExprKind, GlobalId, Guard, Id,
    LocalId, LocationId, Meaning, Pattern, Place, PlaceKind, ProcedureId, Program, Sort, Table, Transition,
    Type, UnaryOp, Variable,
};
use rustc_hash::FxHashMap;
use source::Span;

use crate::functions::{Function, evaluate, is_function};
use crate::seeded::{Seeded, is_seeded};
use crate::unify::{Reason, Unifier, Var};

/// A piece of text without names.
pub type Key = u32;

/// A piece of text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Leaf(Key),
    /// A number, which is a name if its sort says so.
    Literal {
        var: Var,
        value: i64,
    },
    Location(LocationId),
    Node {
        key: Key,
        /// Whether the order of its children matters.
        is_ordered: bool,
        children: Vec<Term>,
    },
}

/// Numbers for keys.
#[derive(Debug, Default)]
pub struct Keys {
    numbers: FxHashMap<Vec<u64>, Key>,
}

impl Keys {
    pub fn intern(&mut self, parts: Vec<u64>) -> Key {
        let next = self.numbers.len() as Key;
        *self.numbers.entry(parts).or_insert(next)
    }
}

/// The sort variables of a variable.
#[derive(Clone, Debug)]
pub struct VariableVars {
    pub value: Var,
    pub indices: Vec<Var>,
}

/// A place that may hold channels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChannelPlace {
    Global(GlobalId),
    Local(ProcedureId, LocalId),
    Field(ChannelId, usize),
}

/// Which places may hold which channels, at any time.
#[derive(Clone, Debug, Default)]
pub struct ChannelFlow {
    pairs: Vec<(ChannelPlace, ChannelId)>,
}

impl ChannelFlow {
    pub fn new(program: &Program) -> Self {
        let mut walk = Walk::new(program);
        walk.walk_all();
        let globals = program.globals.ids().map(ChannelPlace::Global);
        let procedures = program.procedures.iter();
        let locals = procedures.flat_map(|(id, procedure)| {
            procedure.locals.ids().map(move |local| ChannelPlace::Local(id, local))
        });
        let channels = program.channels.iter();
        let fields = channels
            .flat_map(|(id, channel)| (0..channel.fields.len()).map(move |at| ChannelPlace::Field(id, at)));
        let places: Vec<ChannelPlace> = globals.chain(locals).chain(fields).collect();
        let mut pairs = Vec::new();
        for place in places {
            let var = walk.var_of(place);
            let holds = |&channel: &ChannelId| walk.unifier.are_one(var, walk.channels[channel]);
            pairs.extend(program.channels.ids().filter(holds).map(|channel| (place, channel)));
        }
        Self { pairs }
    }
}

/// A range of numbers.
type Range = (i64, i64);

/// The numbers of threads, and of channels.
const THREADS: Range = (0, 254);
const CHANNELS: Range = (1, 255);

/// A store of a number that may have to be brought into a range.
#[derive(Clone, Debug)]
struct Store {
    var: Var,
    from: Numbers,
    to: Numbers,
    /// It matters only if threads of this procedure are yet to start: numbers of those that are there are looked at
    /// one by one.
    if_started: Option<ProcedureId>,
    span: Span,
}

/// Which numbers there may be.
#[derive(Clone, Copy, Debug)]
enum Numbers {
    Within(Range),
    /// Those of a field of the messages of channels of a sort.
    OfField(Var, usize),
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
    /// Literals: they may turn out to be channels.
    literals: Vec<(Var, i64)>,
    /// Expressions about nothing but the number of the thread that evaluates them.
    pub functions: Vec<Function>,
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
            unifier.are_channels(var);
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
            constants: constants(program),
            indexed: program.globals.values().map(|_| false).collect(),
            literals: Vec::new(),
            functions: Vec::new(),
            started: program.procedures.values().map(|_| false).collect(),
            stores: Vec::new(),
            ranges: Vec::new(),
            parameters: parameters(program),
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
                self.literals.push((vars.value, value));
            }
        }
        self.finish();
    }

    /// Joins the sorts of all places that ever hold a channel with that of the channel: messages are read as what
    /// they were sent as, also if the text that put the channel there is gone.
    pub fn join_channels(&mut self, flow: &ChannelFlow) {
        for &(place, channel) in &flow.pairs {
            let var = self.var_of(place);
            self.unifier.join(var, self.channels[channel], 0, shifted(self.program.channels[channel].span));
        }
    }

    fn var_of(&mut self, place: ChannelPlace) -> Var {
        match place {
            ChannelPlace::Global(id) => self.globals[id].value,
            ChannelPlace::Local(procedure, id) => self.locals[procedure][id].value,
            ChannelPlace::Field(channel, at) => self.unifier.field(self.channels[channel], at),
        }
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
            let narrowed = |store: &Store| {
                let is_name = self.unifier.sort(store.var) != Sort::Number && !is_seeded(Seeded::NoRanges);
                let froms = self.numbers(store.from);
                is_name
                    && store.if_started.is_none_or(|procedure| self.started[procedure])
                    && self
                        .numbers(store.to)
                        .iter()
                        .any(|to| froms.iter().any(|from| from.0 < to.0 || to.1 < from.1))
            };
            let Some(store) = self.stores.iter().find(|&store| narrowed(store)).cloned() else { return };
            self.number(store.var, "stores a number that may not fit", store.span);
        }
    }

    /// The ranges of numbers.
    fn numbers(&self, numbers: Numbers) -> Vec<Range> {
        match numbers {
            Numbers::Within(range) => vec![range],
            Numbers::OfField(channel, at) => {
                let all = self.program.channels.iter();
                let channels = all.filter(|&(id, _)| self.unifier.are_one(self.channels[id], channel));
                channels.filter_map(|(_, channel)| self.range(channel.fields.get(at)?.ty)).collect()
            }
        }
    }

    /// The range of a type of numbers.
    fn range(&self, ty: ir::TypeId) -> Option<Range> {
        match self.program.types[ty] {
            Type::Int(int) => Some((int.lo, int.hi)),
            _ => None,
        }
    }

    /// The numbers that an expression yields, apart from constant differences: `None` if it is the number of the thread
    /// that evaluates it, or no number.
    fn numbers_of(&self, expr: &Expr) -> Option<Range> {
        if self.scope.is_some() && is_function(expr) {
            // Numbers of threads are less than 255.
            let results: Vec<i64> =
                (0..255).filter_map(|thread| evaluate(self.program, expr, thread)).collect();
            return Some((*results.iter().min()?, *results.iter().max()?));
        }
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => Some((*value, *value)),
            ExprKind::ThreadNumber => None,
            ExprKind::LastThread => Some(THREADS),
            ExprKind::Channel(_) => Some(CHANNELS),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, left, right) => {
                match (self.numbers_of(left), self.numbers_of(right)) {
                    (Some(_), None) | (None, Some(_)) => None,
                    _ if matches!(right.kind, ExprKind::Const(_)) => self.numbers_of(left),
                    _ if matches!(left.kind, ExprKind::Const(_)) => self.numbers_of(right),
                    _ => self.range(expr.ty),
                }
            }
            ExprKind::Cond(_, then, otherwise) => {
                let [a, b] = [then, otherwise].map(|expr| self.numbers_of(expr).unwrap_or(THREADS));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            _ => self.range(expr.ty),
        }
    }

    /// A store of what an expression yields.
    fn stores(&mut self, var: Var, expr: &Expr, to: Option<Numbers>) {
        let Some(to) = to else { return };
        let span = expr.span;
        if let Some(from) = self.numbers_of(expr) {
            self.stores.push(Store { var, from: Numbers::Within(from), to, if_started: None, span });
        } else if self.scope.is_some() {
            self.stores.push(Store { var, from: Numbers::Within(THREADS), to, if_started: self.scope, span });
        }
    }

    fn join_literals(&mut self) {
        let mut is_joined = vec![false; self.literals.len()];
        loop {
            let mut has_changed = false;
            for (at, &(var, value)) in self.literals.iter().enumerate() {
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

    fn literal(&mut self, var: Var, value: i64) -> Term {
        self.literals.push((var, value));
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
            self.unifier.are_channels(var);
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
            let term = self.literal(var, value);
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
            ActionKind::Assign(place, value) => {
                let place_ty = place.ty;
                let (to, place) = self.place(place);
                let (from, term) = self.expr(value);
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
                        self.stores.push(Store { var, from, to, if_started: None, span });
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
                self.unifier.are_channels(of);
                let mut children = vec![channel];
                for (at, field) in message.iter().enumerate() {
                    let (var, term) = self.expr(field);
                    if *sorted {
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
                self.unifier.are_channels(of);
                let mut children = vec![channel];
                for (at, field) in pattern.iter().enumerate() {
                    let (var, term, kind) = match field {
                        Pattern::Store(place) => {
                            let (var, term) = self.place(place);
                            if let Some(range) = self.range(place.ty) {
                                let (from, to) = (Numbers::OfField(of, at), Numbers::Within(range));
                                self.stores.push(Store { var, from, to, if_started: None, span });
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
                self.unifier.are_threads(var, shifted(span));
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
            PlaceKind::Field(..) | PlaceKind::Index(..) => unreachable!("the program is flat"),
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
            return (var, self.literal(var, channel));
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

    // Expressions.

    fn number(&mut self, var: Var, what: &'static str, span: Span) {
        self.unifier.is_number(var, Reason { what, span });
    }

    /// A fresh variable of the sort of numbers.
    fn plain(&mut self, span: Span) -> Var {
        let var = self.unifier.fresh();
        self.number(var, "is a number, and is used as a process", span);
        var
    }

    fn expr(&mut self, expr: &Expr) -> (Var, Term) {
        let span = expr.span;
        if let Some(procedure) = self.scope
            && is_function(expr)
        {
            let var = match self.program.types[expr.ty] {
                Type::Int(_) => self.unifier.fresh(),
                _ => self.plain(span),
            };
            self.functions.push(Function { procedure, expr: expr.clone(), var });
            let term = self.function_term(expr);
            return (var, term);
        }
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => {
                let var = self.unifier.fresh();
                (var, self.literal(var, *value))
            }
            ExprKind::Const(Const::Bool(value)) => {
                let term = Term::Leaf(self.key(vec![40, (*value).into()]));
                (self.plain(span), term)
            }
            ExprKind::Global(id) => {
                let var = self.globals[*id].value;
                match &self.constants[*id] {
                    Some(channels) if self.program.globals[*id].dims.is_empty() => {
                        let channel = channels[0];
                        (var, self.literal(var, channel))
                    }
                    _ => (var, Term::Leaf(self.key(vec![30, id.index() as u64]))),
                }
            }
            ExprKind::Local(id) => {
                let term = Term::Leaf(self.key(vec![31, id.index() as u64]));
                (self.local(*id).value, term)
            }
            ExprKind::Element(array, indices) => self.element(*array, indices),
            ExprKind::Unary(op, operand) => {
                let (var, term) = self.expr(operand);
                if *op == UnaryOp::Neg {
                    self.number(var, "uses a process as a number", span);
                }
                let node = self.node(vec![41, *op as u64], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span),
            ExprKind::Cond(condition, then, otherwise) => {
                let condition = self.condition(condition);
                let (var, then) = self.expr(then);
                let (other, otherwise) = self.expr(otherwise);
                self.unifier.join(var, other, 0, shifted(span));
                (var, self.node(vec![42], true, vec![condition, then, otherwise]))
            }
            ExprKind::Wrap(operand) => {
                let (var, term) = self.expr(operand);
                if let Some(range) = self.range(expr.ty) {
                    self.ranges.push((var, range.0, range.1));
                    self.stores(var, operand, Some(Numbers::Within(range)));
                }
                (var, self.node(vec![43, expr.ty.index() as u64], true, vec![term]))
            }
            ExprKind::Number(operand) => {
                let term = self.condition(operand);
                let node = self.node(vec![44], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::ThreadNumber => {
                let var = match self.scope {
                    Some(procedure) => self.threads[procedure],
                    None => self.plain(span),
                };
                (var, Term::Leaf(self.key(vec![45])))
            }
            ExprKind::LastThread => {
                let var = self.unifier.fresh();
                self.unifier.are_threads(var, shifted(span));
                (var, Term::Leaf(self.key(vec![46])))
            }
            ExprKind::ThreadCount => (self.plain(span), Term::Leaf(self.keys.intern(vec![47]))),
            ExprKind::IsYoungest => {
                if let Some(procedure) = self.scope.filter(|_| !is_seeded(Seeded::AnyEnd)) {
                    let var = self.threads[procedure];
                    self.number(var, "lets processes end youngest first, so that their order matters", span);
                }
                (self.plain(span), Term::Leaf(self.keys.intern(vec![48])))
            }
            ExprKind::Timeout => (self.plain(span), Term::Leaf(self.keys.intern(vec![49]))),
            ExprKind::FirstThread(procedure) => {
                let var = self.threads[*procedure];
                self.number(var, "refers to the first of several processes", span);
                (var, Term::Leaf(self.key(vec![50, procedure.index() as u64])))
            }
            ExprKind::ThreadAt { thread, procedure, locations } => {
                let (var, term) = self.expr(thread);
                self.unifier.join(var, self.threads[*procedure], 0, shifted(span));
                let mut children = vec![term];
                children.extend(locations.iter().map(|&location| Term::Location(location)));
                let node = self.node(vec![51, procedure.index() as u64], true, children);
                (self.plain(span), node)
            }
            ExprKind::ThreadLocal { thread, procedure, local, indices } => {
                let (var, term) = self.expr(thread);
                self.unifier.join(var, self.threads[*procedure], 0, shifted(span));
                let vars = self.locals[*procedure][*local].clone();
                let mut children = vec![term];
                for (index, &to) in indices.iter().zip(&vars.indices) {
                    let (var, term) = self.expr(index);
                    self.unifier.join(to, var, 0, shifted(index.span));
                    children.push(term);
                }
                // It is 0 if there is no such thread.
                children.push(self.literal(vars.value, 0));
                let key = vec![52, procedure.index() as u64, local.index() as u64];
                (vars.value, self.node(key, true, children))
            }
            ExprKind::ThreadEnabled(thread)
            | ExprKind::ThreadLocation(thread)
            | ExprKind::ThreadPriority(thread) => {
                let kind = match expr.kind {
                    ExprKind::ThreadEnabled(_) => 53,
                    ExprKind::ThreadLocation(_) => 54,
                    _ => 55,
                };
                self.asks_locations |= kind == 54;
                let (var, term) = self.expr(thread);
                self.unifier.are_threads(var, shifted(span));
                let node = self.node(vec![kind], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::Channel(id) => {
                let var = self.channels[*id];
                let first = self.program.first_channels.iter().position(|first| first == id);
                match first {
                    Some(position) => (var, self.literal(var, position as i64 + 1)),
                    None => (var, Term::Leaf(self.key(vec![56, id.index() as u64]))),
                }
            }
            ExprKind::ChannelLength(channel) | ExprKind::ChannelFull(channel) => {
                let kind = if matches!(expr.kind, ExprKind::ChannelLength(_)) { 57 } else { 58 };
                let (var, term) = self.expr(channel);
                self.unifier.are_channels(var);
                let node = self.node(vec![kind], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                let (of, channel) = self.expr(channel);
                self.unifier.are_channels(of);
                let mut children = vec![channel];
                for (at, field) in pattern.iter().enumerate() {
                    let Some(expr) = field else {
                        children.push(Term::Leaf(self.key(vec![0])));
                        continue;
                    };
                    let (var, term) = self.expr(expr);
                    let from = self.unifier.field(of, at);
                    self.unifier.join(var, from, 0, shifted(expr.span));
                    children.push(term);
                }
                let node = self.node(vec![59, (*anywhere).into()], true, children);
                (self.plain(span), node)
            }
            ExprKind::ThreadsAt { procedure, locations } => {
                let locations = locations.iter().map(|&location| Term::Location(location)).collect();
                let node = self.node(vec![60, procedure.index() as u64], false, locations);
                (self.plain(span), node)
            }
            ExprKind::Const(_)
            | ExprKind::Param(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Length(_)
            | ExprKind::Cast(..)
            | ExprKind::InstanceOf(..)
            | ExprKind::LockAvailable(_)
            | ExprKind::HasLock(_)
            | ExprKind::WasNotified(_)
            | ExprKind::ThreadTerminated(_)
            | ExprKind::Call(..)
            | ExprKind::All(_)
            | ExprKind::Collection(..)
            | ExprKind::Quantified { .. }
            | ExprKind::IndividualAt { .. } => unreachable!("the program is flat"),
        }
    }

    /// The text of a function of the number of a thread, which names nobody.
    fn function_term(&mut self, expr: &Expr) -> Term {
        let parts = match &expr.kind {
            ExprKind::Const(Const::Int(value)) => vec![63, 0, *value as u64],
            ExprKind::Const(Const::Bool(value)) => vec![63, 1, (*value).into()],
            kind => {
                let operator = match kind {
                    ExprKind::Unary(op, _) => 16 + *op as u64,
                    ExprKind::Binary(op, ..) => 32 + *op as u64,
                    ExprKind::Cond(..) => 2,
                    ExprKind::Wrap(_) => 3,
                    ExprKind::Number(_) => 4,
                    _ => 5,
                };
                let mut parts = vec![64, operator, expr.ty.index() as u64];
                for operand in expr.operands() {
                    let Term::Leaf(key) = self.function_term(operand) else {
                        unreachable!("it names nobody")
                    };
                    parts.push(key.into());
                }
                parts
            }
        };
        Term::Leaf(self.key(parts))
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> (Var, Term) {
        // A constant difference shifts.
        let constant = |expr: &Expr| match expr.kind {
            ExprKind::Const(Const::Int(value)) => Some(value),
            _ => None,
        };
        let shift = match (op, constant(left), constant(right)) {
            (BinaryOp::Add, None, Some(by)) => Some((left, by)),
            (BinaryOp::Sub, None, Some(by)) => Some((left, by.wrapping_neg())),
            (BinaryOp::Add, Some(by), None) => Some((right, by)),
            _ => None,
        };
        if let Some((operand, by)) = shift {
            let (var, term) = self.expr(operand);
            let result = self.unifier.fresh();
            self.unifier.join(result, var, by, shifted(span));
            return (result, self.node(vec![61, by as u64], true, vec![term]));
        }
        // Which operand comes first matters if it may fault: the others are not evaluated then.
        let is_commutative = matches!(
            op,
            BinaryOp::And | BinaryOp::Or | BinaryOp::Add | BinaryOp::Mul | BinaryOp::Eq | BinaryOp::Ne
        ) && !self.may_fault(left)
            && !self.may_fault(right);
        let mut children = Vec::new();
        let mut vars = Vec::new();
        let is_nested = matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Add | BinaryOp::Mul);
        self.operands(op, is_nested, left, &mut vars, &mut children);
        self.operands(op, is_nested, right, &mut vars, &mut children);
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {}
            BinaryOp::Eq | BinaryOp::Ne => self.unifier.join(vars[0], vars[1], 0, shifted(span)),
            _ => vars.iter().for_each(|&var| self.number(var, "uses a process as a number", span)),
        }
        let node = self.node(vec![62, op as u64], !is_commutative, children);
        (self.plain(span), node)
    }

    /// Whether an expression may fault in some state.
    fn may_fault(&self, expr: &Expr) -> bool {
        if is_seeded(Seeded::AnyOperand) {
            return false;
        }
        let is_inside = |index: &Expr, &len: &u32| match index.kind {
            ExprKind::Const(Const::Int(at)) => (0..i64::from(len)).contains(&at),
            _ => false,
        };
        let mut may = false;
        expr.each(&mut |part| {
            may |= match &part.kind {
                ExprKind::Element(array, indices) => {
                    let dims = match *array {
                        Array::Global(id) => Some(&self.program.globals[id].dims),
                        Array::Local(id) => {
                            self.scope.map(|procedure| &self.program.procedures[procedure].locals[id].dims)
                        }
                    };
                    !dims.is_some_and(|dims| {
                        indices.iter().zip(dims).all(|(index, len)| is_inside(index, len))
                    })
                }
                ExprKind::Binary(op, ..) => op.is_shift() || matches!(op, BinaryOp::Div | BinaryOp::Rem),
                ExprKind::ChannelLength(_) | ExprKind::ChannelFull(_) | ExprKind::ChannelHas { .. } => true,
                ExprKind::ThreadLocal { indices, .. } => !indices.is_empty(),
                _ => false,
            };
        });
        may
    }

    /// The operands of an operator, also of the same one nested in it.
    fn operands(
        &mut self,
        op: BinaryOp,
        is_nested: bool,
        expr: &Expr,
        vars: &mut Vec<Var>,
        children: &mut Vec<Term>,
    ) {
        match &expr.kind {
            ExprKind::Binary(inner, left, right) if is_nested && *inner == op => {
                self.operands(op, is_nested, left, vars, children);
                self.operands(op, is_nested, right, vars, children);
            }
            _ => {
                let (var, term) = self.expr(expr);
                vars.push(var);
                children.push(term);
            }
        }
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
        Meaning::Channel => unifier.are_channels(var),
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

/// By procedure: the locals that never change after the start, other than channels.
fn parameters(program: &Program) -> Table<ProcedureId, Vec<LocalId>> {
    let mut all: Table<ProcedureId, Vec<LocalId>> = program
        .procedures
        .values()
        .map(|procedure| {
            let locals = procedure.locals.iter();
            let numbers =
                locals.filter(|(_, local)| local.meaning != Meaning::Channel && local.dims.is_empty());
            numbers.map(|(id, _)| id).collect()
        })
        .collect();
    for transition in program.transitions.values() {
        let procedure = program.locations[transition.source].procedure;
        for place in transition.body.iter().flat_map(Action::places) {
            if let PlaceKind::Local(changed) = place.kind {
                all[procedure].retain(|&local| local != changed);
            }
        }
    }
    all
}

/// The channels of globals that never change.
fn constants(program: &Program) -> Table<GlobalId, Option<Vec<i64>>> {
    let mut constants: Table<GlobalId, Option<Vec<i64>>> = program
        .globals
        .values()
        .map(|global| {
            let init = match global.init {
                Some(Const::Int(value)) => value,
                _ => 0,
            };
            (global.meaning == Meaning::Channel && global.dims.len() <= 1)
                .then(|| vec![init; global.size().max(1)])
        })
        .collect();
    for action in &program.prologue {
        if let ActionKind::Assign(Place { kind, .. }, value) = &action.kind {
            let (id, at) = match kind {
                PlaceKind::Global(id) => (*id, Some(0)),
                PlaceKind::Element(Array::Global(id), indices) => match &indices[..] {
                    [Expr { kind: ExprKind::Const(Const::Int(at)), .. }] => (*id, usize::try_from(*at).ok()),
                    _ => (*id, None),
                },
                _ => continue,
            };
            let element = at.and_then(|at| constants[id].as_mut().and_then(|channels| channels.get_mut(at)));
            match (element, &value.kind) {
                (Some(element), ExprKind::Const(Const::Int(value))) => *element = *value,
                _ => constants[id] = None,
            }
        }
    }
    let mut store = |place: &Place| {
        if let PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) = place.kind {
            constants[id] = None;
        }
    };
    let bodies = program.transitions.values().flat_map(|transition| &transition.body);
    let prologues = program.procedures.values().flat_map(|procedure| &procedure.prologue);
    bodies.chain(prologues).flat_map(Action::places).for_each(&mut store);
    constants
}
