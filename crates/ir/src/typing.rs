//! The types that expressions have by their form, and which types admit which.
//!
//! [`Expr::ty`](crate::Expr::ty) is the type of an expression. Mostly there is no choice, and the verifier
//! demands the type that [`Program::natural_type`] gives. Integers and `?:` leave a choice: a front end may
//! give them a narrower type that it knows to fit, and the text form then writes that type down.

use crate::{
    Array, BinaryOp, CollectionOp, Const, EnumId, Expr, ExprKind, FunId, IntType, ProcedureId, Program, Type,
    TypeId, UnaryOp, Width,
};

/// The owner of the variables of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// An invariant: globals only.
    Program,
    /// The body of a pure function: globals and parameters.
    Fun(FunId),
    /// A transition or a resume location: globals and local variables.
    Procedure(ProcedureId),
}

impl Width {
    /// The type of all integers of this width.
    pub const fn whole(self) -> IntType {
        match self {
            Self::Int => IntType::INT,
            Self::Long => IntType::LONG,
        }
    }
}

impl BinaryOp {
    pub const fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr | Self::Ushr)
    }
}

impl Program {
    /// Whether a place of type `to` takes values of type `from`. Ranges of integers are not checked by types,
    /// but when a value is stored.
    pub fn admits(&self, to: Type, from: Type) -> bool {
        match (to, from) {
            (Type::Record(to), Type::Record(from)) => {
                self.records.get(from).is_some_and(|record| record.descends_from(to))
            }
            (Type::Int(_), Type::Int(_))
            | (
                Type::Record(_)
                | Type::Array(_)
                | Type::Lock
                | Type::Pointer
                | Type::Channel
                | Type::String
                | Type::Tid
                | Type::Abstract(_),
                Type::Null,
            ) => true,
            _ => to == from,
        }
    }

    /// The type of an expression of this kind unless it has another one explicitly, or `None` if it has none,
    /// because ids are out of range or operands do not fit.
    pub fn natural_type(&self, kind: &ExprKind, scope: Scope) -> Option<Type> {
        let declared = |ty: TypeId| self.types.get(ty);
        Some(match kind {
            ExprKind::Const(value) => match *value {
                Const::Bool(_) => Type::Bool,
                Const::Int(value) => {
                    let width = if i32::try_from(value).is_ok() { Width::Int } else { Width::Long };
                    Type::Int(width.whole())
                }
                Const::Enum(id, _) => self.enum_type(id)?,
                Const::Null => Type::Null,
                Const::String(_) => Type::String,
            },
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                declared(self.globals.get(*id)?.ty)?
            }
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => match scope {
                Scope::Procedure(procedure) => declared(self.procedures.get(procedure)?.locals.get(*id)?.ty)?,
                Scope::Program | Scope::Fun(_) => return None,
            },
            ExprKind::Param(index) => match scope {
                Scope::Fun(fun) => declared(self.funs.get(fun)?.params.get(*index as usize)?.1)?,
                Scope::Program | Scope::Procedure(_) => return None,
            },
            ExprKind::Field(_, field) => declared(self.fields.get(*field)?.ty)?,
            ExprKind::Index(array, _) => match declared(array.ty)? {
                Type::Array(element) => declared(element)?,
                _ => return None,
            },
            ExprKind::Address(..) | ExprKind::Offset(..) => Type::Pointer,
            ExprKind::Within(operand, _) => declared(operand.ty)?,
            ExprKind::Length(_)
            | ExprKind::Number(_)
            | ExprKind::ThreadNumber
            | ExprKind::ThreadCount
            | ExprKind::LastThread
            | ExprKind::FirstThread(_)
            | ExprKind::ThreadsAt { .. }
            | ExprKind::ThreadLocation(_)
            | ExprKind::ThreadPriority(_)
            | ExprKind::Channel(_)
            | ExprKind::ChannelLength(_)
            | ExprKind::ChannelHas { .. } => Type::Int(IntType::INT),
            ExprKind::Unary(UnaryOp::Neg, operand) => self.whole(operand)?,
            ExprKind::Binary(op, left, right) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                    self.wider(left, right)?
                }
                BinaryOp::Shl | BinaryOp::Shr | BinaryOp::Ushr => self.whole(left)?,
                BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => match declared(left.ty)? {
                    Type::Bool => Type::Bool,
                    _ => self.wider(left, right)?,
                },
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Implies => Type::Bool,
            },
            ExprKind::Cond(_, then, otherwise) => {
                let (a, b) = (declared(then.ty)?, declared(otherwise.ty)?);
                match (a, b) {
                    _ if a == b => a,
                    (Type::Int(_), Type::Int(_)) => self.wider(then, otherwise)?,
                    _ if self.admits(a, b) => a,
                    _ if self.admits(b, a) => b,
                    _ => return None,
                }
            }
            ExprKind::Cast(record, _) => Type::Record(*record),
            ExprKind::Unary(UnaryOp::Not, _)
            | ExprKind::InstanceOf(..)
            | ExprKind::LockAvailable(_)
            | ExprKind::HasLock(_)
            | ExprKind::WasNotified(_)
            | ExprKind::ThreadTerminated(_)
            | ExprKind::Quantified { .. }
            | ExprKind::IsYoungest
            | ExprKind::Timeout
            | ExprKind::ThreadAt { .. }
            | ExprKind::IndividualAt { .. }
            | ExprKind::ThreadEnabled(_)
            | ExprKind::ChannelFull(_) => Type::Bool,
            // Only the type of the expression says what it wraps to, or what the pointer leads to.
            ExprKind::Wrap(_) | ExprKind::Load(_) => return None,
            ExprKind::ThreadLocal { procedure, local, .. } => {
                declared(self.procedures.get(*procedure)?.locals.get(*local)?.ty)?
            }
            ExprKind::Call(fun, _) => declared(self.funs.get(*fun)?.result)?,
            ExprKind::All(id) => {
                let element = self.enum_type(*id)?;
                Type::Set(self.types.iter().find(|&(_, ty)| ty == element)?.0)
            }
            ExprKind::Collection(op, operands) => {
                let of = operands.first().and_then(|operand| declared(operand.ty));
                match op {
                    // Only the type of the expression says what it creates.
                    CollectionOp::Create => return None,
                    CollectionOp::Add
                    | CollectionOp::Remove
                    | CollectionOp::Put
                    | CollectionOp::Tail
                    | CollectionOp::Union
                    | CollectionOp::Intersection
                    | CollectionOp::Difference => of?,
                    CollectionOp::Contains | CollectionOp::Subset => Type::Bool,
                    CollectionOp::Size | CollectionOp::Count | CollectionOp::Capacity => {
                        Type::Int(IntType::INT)
                    }
                    CollectionOp::Get => match of? {
                        Type::Map(_, value) => declared(value)?,
                        of => declared(of.element()?)?,
                    },
                    CollectionOp::Head => declared(of?.element()?)?,
                    CollectionOp::Keys => Type::Set(of?.element()?),
                }
            }
        })
    }

    /// The type of the elements of an enum.
    pub fn enum_type(&self, id: EnumId) -> Option<Type> {
        Some(if self.enums.get(id)?.is_abstract { Type::Abstract(id) } else { Type::Enum(id) })
    }

    fn width(&self, operand: &Expr) -> Option<Width> {
        match self.types.get(operand.ty)? {
            Type::Int(int) => Some(int.width),
            _ => None,
        }
    }

    fn whole(&self, operand: &Expr) -> Option<Type> {
        Some(Type::Int(self.width(operand)?.whole()))
    }

    fn wider(&self, left: &Expr, right: &Expr) -> Option<Type> {
        let width = match (self.width(left)?, self.width(right)?) {
            (Width::Int, Width::Int) => Width::Int,
            _ => Width::Long,
        };
        Some(Type::Int(width.whole()))
    }
}
