//! Which operations apply to which collections.

use std::iter;

use super::Verifier;
use crate::*;

impl Verifier<'_> {
    /// Checks an operation on operands of these types that has this result.
    pub(super) fn collection(&mut self, op: CollectionOp, result: Type, operands: &[Type]) {
        let Some(params) = self.params(op, result, operands) else {
            self.error(format_args!("{op:?} does not work on this"));
            return;
        };
        let fits = params.len() == operands.len();
        self.demand(fits, format_args!("{op:?} takes {} operands, not {}", params.len(), operands.len()));
        for (&param, &operand) in params.iter().zip(operands) {
            let fits = self.program.admits(param, operand);
            self.demand(fits, format_args!("an operand of {op:?} does not fit its collection"));
        }
    }

    /// The types of the operands that an operation takes, or `None` if there is no such operation.
    fn params(&self, op: CollectionOp, result: Type, operands: &[Type]) -> Option<Vec<Type>> {
        const INT: Type = Type::Int(IntType::INT);
        let get = |ty| self.program.types.get(ty);
        if op == CollectionOp::Create {
            let count = operands.len();
            return Some(match result {
                Type::Set(element) | Type::Bag(element) | Type::Seq(element) => vec![get(element)?; count],
                Type::Map(key, value) => [get(key)?, get(value)?].repeat(count.div_ceil(2)),
                Type::Queue(element) => {
                    iter::once(INT).chain(iter::repeat_n(get(element)?, count.saturating_sub(1))).collect()
                }
                _ => return None,
            });
        }
        let of = *operands.first()?;
        let element = get(of.element()?)?;
        Some(match (op, of) {
            (CollectionOp::Size, _)
            | (CollectionOp::Head | CollectionOp::Tail, Type::Seq(_) | Type::Queue(_))
            | (CollectionOp::Keys, Type::Map(..))
            | (CollectionOp::Capacity, Type::Queue(_)) => vec![of],
            (CollectionOp::Add, Type::Set(_) | Type::Bag(_) | Type::Seq(_) | Type::Queue(_))
            | (CollectionOp::Remove | CollectionOp::Contains, _)
            | (CollectionOp::Count, Type::Bag(_))
            | (CollectionOp::Get, Type::Map(..)) => vec![of, element],
            (CollectionOp::Get, Type::Seq(_) | Type::Queue(_)) => vec![of, INT],
            (CollectionOp::Put, Type::Map(_, value)) => vec![of, element, get(value)?],
            (CollectionOp::Put, Type::Seq(_) | Type::Queue(_)) => vec![of, INT, element],
            (
                CollectionOp::Union
                | CollectionOp::Intersection
                | CollectionOp::Difference
                | CollectionOp::Subset,
                Type::Set(_),
            ) => vec![of, of],
            _ => return None,
        })
    }

    pub(super) fn quantified(&mut self, over: Type, id: FunId, captures: &[Expr]) {
        let Some(fun) = self.program.funs.get(id) else {
            self.error(format_args!("{id} does not exist"));
            return;
        };
        let Some(element) = over.element() else {
            self.error("what is quantified over is no collection");
            return;
        };
        let params: Vec<_> = fun.params.iter().map(|&(_, ty)| ty).collect();
        let fits = params.first() == Some(&element);
        self.demand(fits, format_args!("the first parameter of {} is not of the element type", fun.name));
        self.arguments(&fun.name, params.get(1..).unwrap_or_default(), captures);
        let fits = self.program.types.get(fun.result) == Some(Type::Bool);
        self.demand(fits, format_args!("{} is quantified and not boolean", fun.name));
    }
}
