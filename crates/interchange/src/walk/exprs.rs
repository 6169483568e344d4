//! What expressions say of sorts, and their terms.

use ir::{Array, BinaryOp, Const, Expr, ExprKind, GlobalId, Id, Sort, Type, UnaryOp};
use source::Span;

use super::stores::Numbers;
use super::{Walk, shifted};
use crate::coded::{self, Access};
use crate::functions::{Function, is_function};
use crate::seeded::{Seeded, is_seeded};
use crate::terms::Term;
use crate::unify::{Reason, Var};

impl Walk<'_> {
    /// A number that any thread may have.
    pub fn thread(&mut self, var: Var, span: Span) {
        self.unifier.are_threads(var, shifted(span));
        self.asked_threads.push((var, span));
    }

    /// The number of a channel that is used.
    pub fn channel(&mut self, var: Var, span: Span) {
        self.unifier.are_channels(var, shifted(span));
        self.asked_channels.push((var, span));
    }

    /// If a number is used as a thread or a channel, it may be that of any. Returns whether some are numbers now that
    /// were none.
    pub fn pin_asked(&mut self) -> bool {
        let unifier = &self.unifier;
        let is_number = |&&(var, _): &&(Var, Span)| unifier.sort(var) == Sort::Number;
        let thread = self.asked_threads.iter().find(is_number).copied();
        let channel = self.asked_channels.iter().find(is_number).copied();
        let threads = thread.map(|(_, span)| (self.threads.values().copied().collect::<Vec<_>>(), span));
        let channels = channel.map(|(_, span)| (self.channels.values().copied().collect::<Vec<_>>(), span));
        let mut has_changed = false;
        for (vars, span) in threads.into_iter().chain(channels) {
            for var in vars {
                has_changed |= self.unifier.sort(var) != Sort::Number;
                self.number(var, "uses a number as a process or channel", span);
            }
        }
        has_changed
    }

    pub fn number(&mut self, var: Var, what: &'static str, span: Span) {
        self.unifier.is_number(var, Reason { what, span });
    }

    /// A fresh variable of the sort of numbers.
    pub fn plain(&mut self, span: Span) -> Var {
        let var = self.unifier.fresh();
        self.number(var, "is a number, and is used as a process", span);
        var
    }

    pub fn expr(&mut self, expr: &Expr) -> (Var, Term) {
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
                (var, self.literal(var, *value, span))
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
                        (var, self.literal(var, channel, span))
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
                self.thread(var, span);
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
                if !is_seeded(Seeded::AnyFirst) {
                    self.number(var, "refers to the first of several processes", span);
                }
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
                if !is_seeded(Seeded::NoDefaults) {
                    children.push(self.literal(vars.value, 0, span));
                }
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
                self.thread(var, span);
                let node = self.node(vec![kind], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::Channel(id) => {
                let var = self.channels[*id];
                let first = self.program.first_channels.iter().position(|first| first == id);
                match first {
                    Some(position) => (var, self.literal(var, position as i64 + 1, span)),
                    None => (var, Term::Leaf(self.key(vec![56, id.index() as u64]))),
                }
            }
            ExprKind::ChannelLength(channel) | ExprKind::ChannelFull(channel) => {
                let kind = if matches!(expr.kind, ExprKind::ChannelLength(_)) { 57 } else { 58 };
                let (var, term) = self.expr(channel);
                self.channel(var, span);
                let node = self.node(vec![kind], true, vec![term]);
                (self.plain(span), node)
            }
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                let (of, channel) = self.expr(channel);
                self.channel(of, span);
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
            | ExprKind::Address(..)
            | ExprKind::Offset(..)
            | ExprKind::Load(_)
            | ExprKind::Within(..)
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

    pub fn is_coded(&self, used: Option<(GlobalId, Option<&Expr>)>) -> bool {
        used.is_some_and(|(variable, _)| self.coded[variable])
    }

    /// A use of a coded variable: text without names.
    pub fn access(&mut self, kind: u64, (variable, index): (GlobalId, Option<&Expr>), value: &Expr) -> Term {
        let procedure = self.scope.expect("properties use no coded variables");
        let (index, value) = (index.cloned(), value.clone());
        let mut parts = vec![65, kind, variable.index() as u64];
        for operand in index.iter().chain([&value]) {
            let Term::Leaf(key) = self.function_term(operand) else { unreachable!("it names nobody") };
            parts.push(key.into());
        }
        self.accesses.push(Access { procedure, variable, index, value });
        Term::Leaf(self.key(parts))
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
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
            for (read, value) in [(coded::read(left), right), (coded::read(right), left)] {
                if let Some(read) = read.filter(|&read| self.is_coded(Some(read))) {
                    let term = self.access(20 + op as u64, read, value);
                    return (self.plain(span), term);
                }
            }
        }
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
