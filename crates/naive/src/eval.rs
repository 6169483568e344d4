//! Expressions, by recursion.
//!
//! Recursion is as deep as expressions nest, times the calls of pure functions that are active: with the
//! default bounds more than the native stack holds. So evaluation goes on in a fresh native thread whenever
//! it gets [`LEVELS`] deeper; nothing else notices.

use std::{iter, slice};

use ir::{
    Array, BinaryOp, Const, Expr, ExprKind, FunId, Id, Program, RecordId, Scope, Type, TypeId, UnaryOp,
    Variable, Width, text,
};
use source::Span;
use system::{Alarm, Bound, FaultKind};

use crate::collections::Operation;
use crate::fault::{Stop, burn};
use crate::state::position;
use crate::steps::EvalContext;
use crate::value::default_value;
use crate::{Bounds, Naive, NaiveFault, ObjectKind, State, Value};

/// How deep evaluation recurses on the native stack it starts on, and on each fresh one.
const LEVELS: (u32, u32) = (200, 10_000);
const FRESH_STACK: usize = 64 << 20;

/// What an expression is evaluated in.
#[derive(Clone, Copy)]
pub(crate) struct Eval<'a> {
    pub program: &'a Program,
    pub bounds: Bounds,
    pub state: &'a State,
    /// The thread that evaluates. Invariants are evaluated by none.
    pub thread: Option<u32>,
    /// The locals of a frame, or the parameters of a pure function.
    pub variables: &'a [Value],
    pub scope: Scope,
    /// Active calls of pure functions.
    pub calls: u32,
    pub context: EvalContext,
    pub alarm: Option<&'a Alarm>,
}

impl Eval<'_> {
    pub fn eval(&self, expr: &Expr) -> Result<Value, Stop> {
        self.nested(expr, LEVELS.0)
    }

    pub fn bool(&self, expr: &Expr) -> Result<bool, Stop> {
        Ok(as_bool(&self.eval(expr)?))
    }

    fn nested(&self, expr: &Expr, levels: u32) -> Result<Value, Stop> {
        if levels > 0 {
            return self.level(expr, levels - 1);
        }
        bits::on_fresh_stack(FRESH_STACK, || self.level(expr, LEVELS.1)).unwrap_or_else(|| {
            self.alarm.inspect(|alarm| alarm.ring());
            Err(Stop::Abandoned)
        })
    }

    fn level(&self, expr: &Expr, levels: u32) -> Result<Value, Stop> {
        let eval = |expr: &Expr| self.nested(expr, levels);
        let bool = |expr: &Expr| Ok::<_, Stop>(as_bool(&self.nested(expr, levels)?));
        let evals = |exprs: &[Expr]| exprs.iter().map(eval).collect::<Result<Vec<_>, Stop>>();
        Ok(match &expr.kind {
            ExprKind::Const(value) => constant(self.program, *value),
            ExprKind::Global(id) => self.state.global(*id).clone(),
            ExprKind::Local(id) => self.variables[id.0 as usize].clone(),
            ExprKind::Param(index) => self.variables[*index as usize].clone(),
            ExprKind::Field(base, field) => {
                let object = self.object(base, &eval(base)?, expr.span)?;
                let ObjectKind::Record(record, values) = object else { unreachable!("a record has fields") };
                values[position(self.program, *record, *field).expect("fields are inherited")].clone()
            }
            ExprKind::Index(array, index) => {
                let (base, index) = (eval(array)?, as_int(&eval(index)?));
                let values = self.elements(array, &base, expr.span)?;
                values[position_of(index, values, expr.span, "an array")?].clone()
            }
            ExprKind::Length(array) => {
                let values = self.elements(array, &eval(array)?, expr.span)?;
                Value::Int(values.len() as i64)
            }
            ExprKind::Address(base, field) => {
                let value = eval(base)?;
                let object = self.object(base, &value, expr.span)?;
                let (Value::Ref(id), ObjectKind::Record(record, _)) = (value, object) else {
                    unreachable!("a record has fields")
                };
                let leaf = position(self.program, *record, *field).expect("fields are inherited");
                Value::Pointer(id, leaf as u32)
            }
            ExprKind::Offset(pointer, distance) => {
                let (base, distance) = (eval(pointer)?, as_int(&eval(distance)?));
                let Some((id, leaf)) = target(&base) else { return Err(self.null(pointer, expr.span)) };
                let leaf = i64::from(leaf).saturating_add(distance);
                let leaves = self.leaves(pointer, id, expr.span)?;
                let leaf = position_of(leaf, leaves, expr.span, "an object with leaves")?;
                Value::Pointer(id, leaf as u32)
            }
            ExprKind::Load(pointer) => {
                let base = eval(pointer)?;
                let Some((id, leaf)) = target(&base) else { return Err(self.null(pointer, expr.span)) };
                self.leaf_type(pointer, id, leaf, expr.ty, expr.span)?;
                self.leaves(pointer, id, expr.span)?[leaf as usize].clone()
            }
            ExprKind::Within(index, bound) => {
                let value = as_int(&eval(index)?);
                if !(0..i64::from(*bound)).contains(&value) {
                    let message = format!("index {value} outside of an array of length {bound}");
                    return Err(Stop::fault(FaultKind::Index, expr.span, message));
                }
                Value::Int(value)
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Value::Bool(!bool(operand)?),
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let value = as_int(&eval(operand)?).checked_neg();
                Value::Int(value.ok_or_else(|| self.overflow(expr))?)
            }
            ExprKind::Binary(BinaryOp::And, left, right) => Value::Bool(bool(left)? && bool(right)?),
            ExprKind::Binary(BinaryOp::Or, left, right) => Value::Bool(bool(left)? || bool(right)?),
            ExprKind::Binary(BinaryOp::Implies, left, right) => Value::Bool(!bool(left)? || bool(right)?),
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (eval(left)?, eval(right)?);
                self.binary(expr, *op, left.ty, &a, &b)?
            }
            ExprKind::Cond(condition, then, otherwise) => {
                if bool(condition)? {
                    eval(then)?
                } else {
                    eval(otherwise)?
                }
            }
            ExprKind::Cast(record, operand) => {
                let value = eval(operand)?;
                if let Some(dynamic) = self.record_of(operand, &value, expr.span)?
                    && !self.program.records[dynamic].descends_from(*record)
                {
                    let (is, not) =
                        (&self.program.records[dynamic].name, &self.program.records[*record].name);
                    let message = format!("`{}` is a {is}, not a {not}", self.text(operand));
                    return Err(Stop::fault(FaultKind::BadCast, expr.span, message));
                }
                value
            }
            ExprKind::InstanceOf(operand, record) => {
                let dynamic = self.record_of(operand, &eval(operand)?, expr.span)?;
                Value::Bool(dynamic.is_some_and(|is| self.program.records[is].descends_from(*record)))
            }
            ExprKind::LockAvailable(operand) => {
                let (_, owner) = self.lock(operand, &eval(operand)?, expr.span)?;
                Value::Bool(owner.is_none() || owner == self.thread)
            }
            ExprKind::HasLock(operand) => {
                let (_, owner) = self.lock(operand, &eval(operand)?, expr.span)?;
                Value::Bool(owner.is_some() && owner == self.thread)
            }
            ExprKind::WasNotified(operand) => {
                let (lock, _) = self.lock(operand, &eval(operand)?, expr.span)?;
                let waiting = self.thread.and_then(|thread| self.state.threads[&thread].waiting);
                Value::Bool(waiting.is_some_and(|waiting| waiting.lock == lock && waiting.notified))
            }
            ExprKind::ThreadTerminated(operand) => match eval(operand)? {
                Value::Thread(thread) => Value::Bool(self.state.threads[&thread].ended()),
                _ => return Err(self.null(operand, expr.span)),
            },
            ExprKind::Call(fun, args) => {
                let (values, spans) = (evals(args)?, args.iter().map(|arg| arg.span).collect::<Vec<_>>());
                self.call(expr.span, *fun, &spans, values, levels)?
            }
            ExprKind::All(id) => {
                let elements = 0..self.program.enums[*id].elements.len() as u32;
                Value::Set(elements.map(|at| constant(self.program, Const::Enum(*id, at))).collect())
            }
            ExprKind::Collection(op, operands) => {
                Operation { eval: self, expr, operands, values: &evals(operands)? }.result(*op)?
            }
            ExprKind::Quantified { all, over, fun, captures } => {
                let (collection, captured) = (eval(over)?, evals(captures)?);
                let spans: Vec<_> = iter::once(&**over).chain(captures).map(|arg| arg.span).collect();
                let holds = self.for_each(expr.span, *fun, &spans, &collection, &captured, levels)?;
                Value::Bool(if *all { !holds.contains(&false) } else { holds.contains(&true) })
            }
            ExprKind::Element(array, indices) => {
                let indices = ints(&evals(indices)?);
                let (variable, values) = match *array {
                    Array::Global(id) => (&self.program.globals[id], self.state.global(id)),
                    Array::Local(id) => {
                        let Scope::Procedure(procedure) = self.scope else {
                            unreachable!("only procedures have local variables")
                        };
                        let locals = &self.program.procedures[procedure].locals;
                        (&locals[id], &self.variables[id.index()])
                    }
                };
                element(variable, values, &indices, expr.span)?
            }
            ExprKind::Wrap(operand) => {
                let value = eval(operand)?;
                admit(self.program, expr.ty, value, expr.span, || format!("`{}`", self.text(expr)))?
            }
            ExprKind::Number(operand) => Value::Int(bool(operand)?.into()),
            ExprKind::ThreadNumber
            | ExprKind::ThreadCount
            | ExprKind::LastThread
            | ExprKind::IsYoungest
            | ExprKind::Timeout
            | ExprKind::FirstThread(_)
            | ExprKind::ThreadsAt { .. }
            | ExprKind::IndividualAt { .. }
            | ExprKind::Channel(_) => self.number(&expr.kind),
            ExprKind::ThreadLocal { thread, procedure, local, indices } => {
                let (number, indices) = (as_int(&eval(thread)?), ints(&evals(indices)?));
                let variable = &self.program.procedures[*procedure].locals[*local];
                match self.thread_of(number, *procedure).and_then(|thread| thread.frames.last()) {
                    None if self.program.types[variable.ty] == Type::Bool => Value::Bool(false),
                    None => Value::Int(0),
                    Some(frame) if indices.is_empty() => frame.local(*local).clone(),
                    Some(frame) => element(variable, frame.local(*local), &indices, expr.span)?,
                }
            }
            ExprKind::ThreadAt { thread: operand, .. }
            | ExprKind::ThreadEnabled(operand)
            | ExprKind::ThreadLocation(operand)
            | ExprKind::ThreadPriority(operand) => {
                let number = as_int(&eval(operand)?);
                self.thread_question(&expr.kind, number)
            }
            ExprKind::ChannelLength(operand) => {
                let channel = self.channel(operand, &eval(operand)?, expr.span)?;
                Value::Int(channel.messages.len() as i64)
            }
            ExprKind::ChannelFull(operand) => {
                let channel = self.channel(operand, &eval(operand)?, expr.span)?;
                let capacity = self.program.channels[channel.declared].capacity as usize;
                Value::Bool(capacity > 0 && channel.messages.len() >= capacity)
            }
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                let value = eval(channel)?;
                let channel = self.channel(channel, &value, expr.span)?;
                if matches!(value, Value::Ref(_)) && !self.program.fits_question(channel.declared, pattern) {
                    return Err(self.misfit(channel, expr.span));
                }
                if self.program.channels[channel.declared].capacity == 0 {
                    let name = &self.program.channels[channel.declared].name;
                    let message = format!("`{name}` holds no messages that one could ask for");
                    return Err(Stop::fault(FaultKind::Channel, expr.span, message));
                }
                let wanted: Vec<Option<&Expr>> = pattern.iter().map(Option::as_ref).collect();
                Value::Int(self.find(channel, &wanted, *anywhere, expr.span)?.map_or(0, |at| at as i64 + 1))
            }
        })
    }

    /// Calls a pure function; `args` are where the values of its parameters come from.
    fn call(
        &self,
        span: Span,
        id: FunId,
        args: &[Span],
        mut values: Vec<Value>,
        levels: u32,
    ) -> Result<Value, Stop> {
        let fun = &self.program.funs[id];
        for ((value, arg), (name, ty)) in values.iter_mut().zip(args).zip(&fun.params) {
            *value = admit(self.program, *ty, value.clone(), *arg, || format!("`{name}`"))?;
        }
        if self.calls >= self.bounds.frames {
            return Err(Stop::Exceeded(Bound::Frames, span));
        }
        burn(self.alarm)?;
        let inner = Eval { variables: &values, scope: Scope::Fun(id), calls: self.calls + 1, ..*self };
        let result = inner.nested(&fun.body, levels)?;
        admit(self.program, fun.result, result, fun.body.span, || format!("`{}`", fun.name))
    }

    /// Whether a pure function holds, for each element of a collection. It is called for all of them,
    /// whatever comes out, so that no order shows. `args` are where the elements and the captured values come
    /// from.
    fn for_each(
        &self,
        span: Span,
        fun: FunId,
        args: &[Span],
        collection: &Value,
        captured: &[Value],
        levels: u32,
    ) -> Result<Vec<bool>, Stop> {
        let (mut holds, mut stops) = (Vec::new(), Vec::new());
        for element in collection.elements() {
            let values = [slice::from_ref(element), captured].concat();
            match self.call(span, fun, args, values, levels) {
                Ok(value) => holds.push(as_bool(&value)),
                // Nothing that other elements lead to counts more.
                Err(Stop::Exceeded(Bound::Frames, _)) => return Err(Stop::Exceeded(Bound::Frames, span)),
                Err(Stop::Abandoned) => return Err(Stop::Abandoned),
                Err(stop) => stops.push(stop),
            }
        }
        stops.into_iter().min_by_key(Stop::precedence).map_or(Ok(holds), Err)
    }

    fn binary(&self, expr: &Expr, op: BinaryOp, left: TypeId, a: &Value, b: &Value) -> Result<Value, Stop> {
        match op {
            BinaryOp::Eq => return Ok(Value::Bool(a == b)),
            BinaryOp::Ne => return Ok(Value::Bool(a != b)),
            _ => {}
        }
        if let (&Value::Bool(a), &Value::Bool(b)) = (a, b) {
            return Ok(Value::Bool(match op {
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                BinaryOp::BitXor => a ^ b,
                _ => unreachable!("these are of booleans"),
            }));
        }
        let (a, b) = (as_int(a), as_int(b));
        let result = match op {
            BinaryOp::Lt => return Ok(Value::Bool(a < b)),
            BinaryOp::Le => return Ok(Value::Bool(a <= b)),
            BinaryOp::Gt => return Ok(Value::Bool(a > b)),
            BinaryOp::Ge => return Ok(Value::Bool(a >= b)),
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div | BinaryOp::Rem if b == 0 => {
                let message = format!("division by zero in `{}`", self.text(expr));
                return Err(Stop::fault(FaultKind::DivisionByZero, expr.span, message));
            }
            BinaryOp::Div => a.checked_div(b),
            // The least integer divided by -1 has no quotient, but a remainder.
            BinaryOp::Rem => Some(a.wrapping_rem(b)),
            BinaryOp::BitAnd => Some(a & b),
            BinaryOp::BitOr => Some(a | b),
            BinaryOp::BitXor => Some(a ^ b),
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr => {
                let Type::Int(int) = self.program.types[left] else { unreachable!("integers are shifted") };
                let bits = i64::from(int.width.bits());
                if !(0..bits).contains(&b) {
                    let message = format!("shift distance {b} outside of 0..{}", bits - 1);
                    return Err(Stop::fault(FaultKind::Range, expr.span, message));
                }
                match (op, int.width) {
                    (BinaryOp::Shl, _) => i64::try_from(i128::from(a) << b).ok(),
                    (BinaryOp::Shr, _) => Some(a >> b),
                    (_, Width::Int) => Some(i64::from(((a as u32) >> b) as i32)),
                    (_, Width::Long) => Some(((a as u64) >> b) as i64),
                }
            }
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                unreachable!("evaluated before")
            }
        };
        result.map(Value::Int).ok_or_else(|| self.overflow(expr))
    }

    pub fn text(&self, expr: &Expr) -> String {
        text::expr(self.program, self.scope, expr)
    }

    pub fn show(&self, value: &Value) -> String {
        Naive { bounds: self.bounds, ..Naive::new(self.program) }.show(self.state, value)
    }

    fn overflow(&self, expr: &Expr) -> Stop {
        let message = format!("the value of `{}` does not fit in 64 bits", self.text(expr));
        Stop::fault(FaultKind::Range, expr.span, message)
    }

    /// `operand` is null where it must not be.
    pub fn null(&self, operand: &Expr, span: Span) -> Stop {
        Stop::fault(FaultKind::NullDereference, span, format!("`{}` is null", self.text(operand)))
    }

    /// `operand` refers to an object that has ended, where its contents are needed.
    pub fn ended(&self, operand: &Expr, id: u32, span: Span) -> Stop {
        let object = &self.state.objects[&id];
        let (text, naive) = (self.text(operand), Naive::new(self.program));
        let name = naive.object_name(self.state, id);
        let (kind, message) = if matches!(object.kind, ObjectKind::Tombstone { out_of_scope: true, .. }) {
            (FaultKind::DanglingLocal, format!("`{text}` refers to {name}, whose scope was left"))
        } else {
            (FaultKind::UseAfterFree, format!("`{text}` refers to {name}, which was deleted"))
        };
        naive.memory_fault(self.state, id, NaiveFault::new(kind, span, message))
    }

    /// `operand` is empty where it must not be.
    pub fn empty(&self, operand: &Expr, span: Span) -> Stop {
        Stop::fault(FaultKind::Empty, span, format!("`{}` is empty", self.text(operand)))
    }

    /// The object that the value of `operand` refers to.
    fn object(&self, operand: &Expr, value: &Value, span: Span) -> Result<&ObjectKind, Stop> {
        match value {
            Value::Ref(id) => match &self.state.objects[id].kind {
                ObjectKind::Tombstone { .. } => Err(self.ended(operand, *id, span)),
                kind => Ok(kind),
            },
            _ => Err(self.null(operand, span)),
        }
    }

    /// The leaves of an object, which must not have ended.
    fn leaves(&self, operand: &Expr, id: u32, span: Span) -> Result<&[Value], Stop> {
        match self.object(operand, &Value::Ref(id), span)? {
            ObjectKind::Record(_, leaves) | ObjectKind::Block(_, leaves) => Ok(leaves),
            _ => unreachable!("pointers lead to leaves"),
        }
    }

    /// The type of what a pointer leads to, which must be `wanted`, or an integer if that is one.
    pub fn leaf_type(
        &self,
        operand: &Expr,
        id: u32,
        leaf: u32,
        wanted: TypeId,
        span: Span,
    ) -> Result<TypeId, Stop> {
        let leaves = self.leaves(operand, id, span)?;
        let at = position_of(leaf.into(), leaves, span, "an object with leaves")?;
        let (ObjectKind::Record(record, _) | ObjectKind::Block(record, _)) = &self.state.objects[&id].kind
        else {
            unreachable!("pointers lead to leaves")
        };
        let fields = &self.program.records[*record].fields;
        let ty = self.program.fields[fields[at % fields.len()]].ty;
        let is_int = |ty: TypeId| matches!(self.program.types[ty], Type::Int(_));
        if ty == wanted || is_int(ty) && is_int(wanted) {
            return Ok(ty);
        }
        let (is, not) = (self.program.type_name(ty), self.program.type_name(wanted));
        let message = format!("`{}` leads to a value of the type {is}, not {not}", self.text(operand));
        Err(Stop::fault(FaultKind::BadCast, span, message))
    }

    fn elements(&self, operand: &Expr, value: &Value, span: Span) -> Result<&[Value], Stop> {
        match self.object(operand, value, span)? {
            ObjectKind::Array(_, values) => Ok(values),
            _ => unreachable!("arrays have elements"),
        }
    }

    /// A lock and its owner.
    pub fn lock(&self, operand: &Expr, value: &Value, span: Span) -> Result<(u32, Option<u32>), Stop> {
        match (value, self.object(operand, value, span)?) {
            (Value::Ref(id), ObjectKind::Lock { owner, .. }) => Ok((*id, *owner)),
            _ => unreachable!("the operand is a lock"),
        }
    }

    /// The dynamic record of the value of `operand`, unless it is null.
    pub fn record_of(&self, operand: &Expr, value: &Value, span: Span) -> Result<Option<RecordId>, Stop> {
        if *value == Value::Null {
            return Ok(None);
        }
        match self.object(operand, value, span)? {
            ObjectKind::Record(record, _) => Ok(Some(*record)),
            _ => unreachable!("the operand is a record"),
        }
    }
}

/// The object that a pointer leads to, and the leaf. A reference to a whole object leads to its first leaf.
pub(crate) fn target(pointer: &Value) -> Option<(u32, u32)> {
    match *pointer {
        Value::Pointer(id, leaf) => Some((id, leaf)),
        Value::Null => None,
        _ => unreachable!("the value is a pointer"),
    }
}

/// The position of an index in `what`, which holds these values.
pub(crate) fn position_of(index: i64, values: &[Value], span: Span, what: &str) -> Result<usize, Stop> {
    usize::try_from(index).ok().filter(|&at| at < values.len()).ok_or_else(|| {
        let message = format!("index {index} outside of {what} of length {}", values.len());
        Stop::fault(FaultKind::Index, span, message)
    })
}

/// What a place of type `ty`, called `name()`, holds after `value` was stored to it. Only integers have
/// ranges: a collection of the place's type holds what was admitted to it already.
pub(crate) fn admit(
    program: &Program,
    ty: TypeId,
    value: Value,
    span: Span,
    name: impl FnOnce() -> String,
) -> Result<Value, Stop> {
    let (Type::Int(int), &Value::Int(number)) = (program.types[ty], &value) else { return Ok(value) };
    int.admit(number).map(Value::Int).ok_or_else(|| {
        let message = format!("value {number} outside of the range {}..{} of {}", int.lo, int.hi, name());
        Stop::fault(FaultKind::Range, span, message)
    })
}

/// Where the element of an array variable is that has these indices.
pub(crate) fn element_position(variable: &Variable, indices: &[i64], span: Span) -> Result<usize, Stop> {
    let mut position = 0;
    for (&index, &len) in indices.iter().zip(&variable.dims) {
        let Some(index) = usize::try_from(index).ok().filter(|&index| index < len as usize) else {
            let message = format!("index {index} outside of `{}` of length {len}", variable.name);
            return Err(Stop::fault(FaultKind::Index, span, message));
        };
        position = position * len as usize + index;
    }
    Ok(position)
}

fn element(variable: &Variable, values: &Value, indices: &[i64], span: Span) -> Result<Value, Stop> {
    let position = element_position(variable, indices, span)?;
    match values {
        Value::Seq(elements) => Ok(elements[position].clone()),
        _ => unreachable!("the variable is an array"),
    }
}

fn ints(values: &[Value]) -> Vec<i64> {
    values.iter().map(as_int).collect()
}

fn constant(program: &Program, value: Const) -> Value {
    match value {
        Const::Bool(value) => Value::Bool(value),
        Const::Int(value) => Value::Int(value),
        Const::Enum(id, element) if program.enums[id].is_abstract => Value::Abstract(id, element),
        Const::Enum(id, element) => Value::Enum(id, element),
        Const::Null => Value::Null,
        Const::String(id) => Value::Str(id),
    }
}

/// The value that a variable starts with.
pub(crate) fn initial_value(program: &Program, variable: &Variable) -> Value {
    let one =
        variable.init.map_or_else(|| default_value(program, variable.ty), |init| constant(program, init));
    in_all_elements(variable, one)
}

/// The value of a variable all elements of which, if it is an array, are `one`.
pub(crate) fn in_all_elements(variable: &Variable, one: Value) -> Value {
    if variable.dims.is_empty() { one } else { Value::Seq(vec![one; variable.size()]) }
}

fn as_bool(value: &Value) -> bool {
    match value {
        Value::Bool(value) => *value,
        _ => unreachable!("the expression is boolean"),
    }
}

pub(crate) fn as_int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        _ => unreachable!("the expression is an integer"),
    }
}
