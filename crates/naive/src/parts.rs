//! Why a condition has the value that it has: the parts that decide it, with their values.
//!
//! Of a conjunction that is false, the first operand that is false decides, and so on; operands that were
//! not evaluated have no part in it. A quantifier is decided by a witness, if there is one. What is left are
//! variables, fields, elements and operations without operators between them.

use ir::{Array, BinaryOp, Expr, ExprKind, FunId, Guard, Meaning, Scope, TransitionId, UnaryOp};

use source::Span;

use crate::eval::Eval;
use crate::machine::Machine;
use crate::show::indices;
use crate::{Datum, Naive, ObjectKind, Value};

/// A part of a condition, and its value: `counter.value = 1`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// As the program has it.
    pub text: String,
    /// Where the model has it, if it is a variable, field, element or operation.
    pub span: Span,
    pub value: Datum,
    /// What is read, if that is one variable, field, element or channel: `Counter#1.value`.
    pub name: Option<String>,
    /// The thread that is asked about or that holds the lock that is asked about.
    pub thread: Option<u32>,
}

/// More parts than these do not explain anything.
const MOST_PARTS: usize = 8;
/// Conditions of functions are explained up to this depth of calls.
const DEEPEST: u32 = 16;
/// Expressions are taken apart up to this depth.
const MOST_LEVELS: u32 = 200;

impl Eval<'_> {
    /// The parts of a condition that decide its value, each once.
    pub fn parts(&self, expr: &Expr) -> Vec<Part> {
        let mut parts = Parts::default();
        parts.decide(self, expr, 0);
        parts.list
    }

    fn naive(&self) -> Naive<'_> {
        Naive { bounds: self.bounds, alarm: self.alarm, ..Naive::new(self.program) }
    }

    /// What the numbers of a variable stand for.
    pub fn meaning(&self, expr: &Expr) -> Meaning {
        match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                self.program.globals[*id].meaning
            }
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => match self.scope {
                Scope::Procedure(procedure) => self.program.procedures[procedure].locals[*id].meaning,
                _ => Meaning::Number,
            },
            ExprKind::ThreadLocal { procedure, local, .. } => {
                self.program.procedures[*procedure].locals[*local].meaning
            }
            ExprKind::Channel(_) => Meaning::Channel,
            ExprKind::Wrap(inner) | ExprKind::Number(inner) => self.meaning(inner),
            _ => Meaning::Number,
        }
    }

    /// Whether a variable was made by a front end.
    fn is_synthetic(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                self.program.globals[*id].synthetic
            }
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => match self.scope {
                Scope::Procedure(procedure) => self.program.procedures[procedure].locals[*id].synthetic,
                _ => false,
            },
            _ => false,
        }
    }

    /// The variable, field, element or channel that an expression reads, as changes call it.
    fn name_of(&self, expr: &Expr) -> Option<String> {
        let naive = self.naive();
        let object = |base: &Expr| match self.eval(base).ok()? {
            Value::Ref(id) => Some((id, naive.object_name(self.state, id))),
            _ => None,
        };
        let local = |id: &ir::LocalId| {
            let (thread, Scope::Procedure(procedure)) = (self.thread?, self.scope) else { return None };
            let depth = self.state.threads.get(&thread)?.frames.len().checked_sub(1)?;
            let local = &self.program.procedures[procedure].locals[*id];
            Some((naive.local_name(self.state, thread, depth, local), local))
        };
        match &expr.kind {
            ExprKind::Global(id) => Some(self.program.globals[*id].name.clone()),
            ExprKind::Local(id) => local(id).map(|(name, _)| name),
            ExprKind::Field(base, field) => {
                Some(format!("{}.{}", object(base)?.1, self.program.fields[*field].name))
            }
            ExprKind::Index(base, index) => {
                Some(format!("{}[{}]", object(base)?.1, self.eval(index).ok()?.as_int()?))
            }
            ExprKind::Load(pointer) => match self.eval(pointer).ok()? {
                Value::Pointer(id, leaf) => {
                    let object = naive.object_name(self.state, id);
                    Some(object + &naive.leaf_name(self.state, id, leaf))
                }
                _ => None,
            },
            ExprKind::Element(array, at) => {
                let (name, variable) = match array {
                    Array::Global(id) => (self.program.globals[*id].name.clone(), &self.program.globals[*id]),
                    Array::Local(id) => local(id)?,
                };
                let at =
                    at.iter().map(|index| self.eval(index).ok()?.as_int()).collect::<Option<Vec<_>>>()?;
                let position = crate::eval::element_position(variable, &at, expr.span).ok()?;
                Some(name + &indices(variable, position))
            }
            ExprKind::LockAvailable(lock) | ExprKind::HasLock(lock) => object(lock).map(|(_, name)| name),
            ExprKind::ChannelLength(channel)
            | ExprKind::ChannelFull(channel)
            | ExprKind::ChannelHas { channel, .. } => {
                let channel = self.eval(channel).ok()?;
                self.state.channel(&channel).map(|_| naive.channel_name(self.state, &channel))
            }
            _ => None,
        }
    }

    /// The thread that a test is about: the owner of a lock, or a thread that is to end.
    fn thread_of_test(&self, expr: &Expr) -> Option<u32> {
        match &expr.kind {
            ExprKind::LockAvailable(lock) | ExprKind::HasLock(lock) => match self.eval(lock).ok()? {
                Value::Ref(id) => match self.state.objects.get(&id)?.kind {
                    ObjectKind::Lock { owner, .. } => owner,
                    _ => None,
                },
                _ => None,
            },
            ExprKind::ThreadTerminated(thread) => match self.eval(thread).ok()? {
                Value::Thread(id) => Some(id),
                _ => None,
            },
            _ => None,
        }
    }
}

#[derive(Default)]
struct Parts {
    list: Vec<Part>,
    /// How deep the recursion is.
    levels: u32,
}

impl Parts {
    fn push(&mut self, part: Part) {
        let known = |other: &Part| other.text == part.text;
        if self.list.len() < MOST_PARTS && !self.list.iter().any(known) {
            self.list.push(part);
        }
    }

    /// Adds what decides a condition, which is evaluated inside of `depth` functions.
    fn decide(&mut self, eval: &Eval<'_>, expr: &Expr, depth: u32) {
        if self.levels < MOST_LEVELS && self.list.len() < MOST_PARTS {
            self.levels += 1;
            self.decide_level(eval, expr, depth);
            self.levels -= 1;
        }
    }

    fn decide_level(&mut self, eval: &Eval<'_>, expr: &Expr, depth: u32) {
        let value = |expr: &Expr| match eval.eval(expr) {
            Ok(Value::Bool(value)) => Some(value),
            _ => None,
        };
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) | ExprKind::Number(inner) => self.decide(eval, inner, depth),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), ..) => {
                let operands = chain(expr, *op);
                let decisive = Some(*op == BinaryOp::Or);
                match operands.iter().find(|operand| value(operand) == decisive) {
                    Some(operand) => self.decide(eval, operand, depth),
                    None => operands.iter().for_each(|operand| self.decide(eval, operand, depth)),
                }
            }
            ExprKind::Binary(BinaryOp::Implies, left, right) => {
                self.decide(eval, left, depth);
                if value(left) == Some(true) {
                    self.decide(eval, right, depth);
                }
            }
            ExprKind::Cond(condition, then, otherwise) => {
                self.decide(eval, condition, depth);
                let taken = if value(condition) == Some(true) { then } else { otherwise };
                self.decide(eval, taken, depth);
            }
            ExprKind::Quantified { all, over, fun, captures } => {
                if !self.witness(eval, (*all, over, *fun, captures), depth) {
                    self.leaves(eval, over);
                }
            }
            ExprKind::Call(fun, args) if depth < DEEPEST && value(expr).is_some() => {
                self.whole(eval, expr);
                for arg in args {
                    self.leaves(eval, arg);
                }
                let values = args.iter().map(|arg| eval.eval(arg)).collect::<Result<Vec<_>, _>>();
                if let Ok(values) = values {
                    self.inside(eval, *fun, &values, depth + 1);
                }
            }
            _ => self.leaves(eval, expr),
        }
    }

    /// Adds the element by which a quantifier is decided, if there is one, and why.
    fn witness(
        &mut self,
        eval: &Eval<'_>,
        (all, over, fun, captures): (bool, &Expr, FunId, &[Expr]),
        depth: u32,
    ) -> bool {
        let captured = captures.iter().map(|arg| eval.eval(arg)).collect::<Result<Vec<_>, _>>();
        let (Ok(collection), Ok(captured)) = (eval.eval(over), captured) else { return false };
        let body = &eval.program.funs[fun].body;
        let witness = collection.elements().into_iter().find(|&element| {
            let values = [std::slice::from_ref(element), &captured].concat();
            let inner = Eval { variables: &values, scope: Scope::Fun(fun), calls: eval.calls + 1, ..*eval };
            inner.bool(body).is_ok_and(|holds| holds != all)
        });
        let Some(element) = witness else { return false };
        let (text, _) = eval.program.funs[fun].params[0].clone();
        let value = eval.naive().datum(eval.state, element);
        let span = Span::default();
        self.push(Part { text, span, value, name: None, thread: None });
        self.inside(eval, fun, &[std::slice::from_ref(element), &captured].concat(), depth + 1);
        true
    }

    /// Adds what decides the body of a function.
    fn inside(&mut self, eval: &Eval<'_>, fun: FunId, values: &[Value], depth: u32) {
        if depth < DEEPEST && eval.calls < eval.bounds.frames {
            let inner = Eval { variables: values, scope: Scope::Fun(fun), calls: eval.calls + 1, ..*eval };
            self.decide(&inner, &eval.program.funs[fun].body, depth);
        }
    }

    /// Adds the variables, fields, elements and operations in an expression.
    fn leaves(&mut self, eval: &Eval<'_>, expr: &Expr) {
        if self.levels < MOST_LEVELS && self.list.len() < MOST_PARTS {
            self.levels += 1;
            self.leaves_level(eval, expr);
            self.levels -= 1;
        }
    }

    fn leaves_level(&mut self, eval: &Eval<'_>, expr: &Expr) {
        match &expr.kind {
            // The model has one operation where the program has several: `Set.isEmpty(s)` is a comparison.
            ExprKind::Binary(_, left, right)
                if [left, right].iter().any(|operand| {
                    operand.span == expr.span && matches!(operand.kind, ExprKind::Collection(..))
                }) =>
            {
                self.add(eval, expr, expr.span);
                for inner in [left, right].iter().flat_map(|operand| operand.operands()) {
                    self.leaves(eval, inner);
                }
            }
            ExprKind::Const(_)
            | ExprKind::ThreadNumber
            | ExprKind::IsYoungest
            | ExprKind::All(_)
            | ExprKind::Channel(_) => {}
            ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cond(..)
            | ExprKind::Cast(..)
            | ExprKind::InstanceOf(..)
            | ExprKind::Wrap(_)
            | ExprKind::Within(..)
            | ExprKind::Number(_)
            | ExprKind::Quantified { .. } => {
                expr.operands().into_iter().for_each(|operand| self.leaves(eval, operand));
            }
            ExprKind::Field(..) | ExprKind::Load(_) | ExprKind::Length(_) => self.whole(eval, expr),
            ExprKind::Index(_, index) => {
                self.whole(eval, expr);
                self.leaves(eval, index);
            }
            _ => {
                self.whole(eval, expr);
                expr.operands().into_iter().for_each(|operand| self.leaves(eval, operand));
            }
        }
    }

    /// Adds an expression as one part.
    fn whole(&mut self, eval: &Eval<'_>, expr: &Expr) {
        // A front end may have made it of something else that the model has at this place.
        let is_written = matches!(
            expr.kind,
            ExprKind::Global(_)
                | ExprKind::Local(_)
                | ExprKind::Param(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Load(_)
                | ExprKind::Element(..)
                | ExprKind::ThreadLocal { .. }
                | ExprKind::Collection(..)
        );
        self.add(eval, expr, if is_written { expr.span } else { Span::default() });
    }

    /// Adds an expression that the model has at a place, unless it is about what a front end has made up.
    fn add(&mut self, eval: &Eval<'_>, expr: &Expr, span: Span) {
        let Ok(value) = eval.eval(expr) else { return };
        let mut is_made_up = false;
        expr.each(&mut |inner| is_made_up |= eval.is_synthetic(inner));
        if is_made_up {
            return;
        }
        let value = eval.naive().datum_as(eval.state, &value, eval.meaning(expr));
        let (name, thread) = (eval.name_of(expr), eval.thread_of_test(expr));
        self.push(Part { text: eval.text(expr), span, value, name, thread });
    }
}

/// The operands of `a && b && c`, or of another operator.
fn chain(mut expr: &Expr, op: BinaryOp) -> Vec<&Expr> {
    let mut operands = Vec::new();
    while let ExprKind::Binary(other, left, right) = &expr.kind
        && *other == op
    {
        operands.push(&**right);
        expr = left;
    }
    operands.push(expr);
    operands.reverse();
    operands
}

impl Machine<'_> {
    /// What decides that a transition can be taken here.
    pub fn guard_parts(&self, id: TransitionId) -> Vec<Part> {
        let transition = &self.program().transitions[id];
        match &transition.guard {
            Guard::When(condition) => self.evaluator().parts(condition),
            Guard::Else => {
                let mut parts = Parts::default();
                for &other in &self.program().locations[transition.source].transitions {
                    if let Guard::When(condition) = &self.program().transitions[other].guard {
                        parts.decide(&self.evaluator(), condition, 0);
                    }
                }
                parts.list
            }
            Guard::Always | Guard::Ready(_) => Vec::new(),
        }
    }
}

impl Value {
    /// The number that it is, if it is one.
    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Bool(value) => Some((*value).into()),
            _ => None,
        }
    }
}
