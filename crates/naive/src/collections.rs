//! What is done with collections.
//!
//! Every operation gives another value and leaves its operands as they are. What becomes an element, key or
//! value is admitted to its type; what is only looked for is not.

use std::collections::{BTreeMap, BTreeSet};

use ir::{CollectionOp, Expr, Type, TypeId};
use system::FaultKind;

use crate::Value;
use crate::eval::{Eval, admit, as_int, position_of};
use crate::fault::Stop;

/// An operation whose operands are evaluated.
pub(crate) struct Operation<'a> {
    pub eval: &'a Eval<'a>,
    /// The whole of it, which is where it faults.
    pub expr: &'a Expr,
    pub operands: &'a [Expr],
    pub values: &'a [Value],
}

impl Operation<'_> {
    pub fn result(&self, op: CollectionOp) -> Result<Value, Stop> {
        Ok(match (op, self.values) {
            (CollectionOp::Create, _) => self.create()?,

            (CollectionOp::Add, [Value::Set(set), _]) => {
                let mut set = set.clone();
                set.insert(self.element(1)?);
                Value::Set(set)
            }
            (CollectionOp::Add, [Value::Bag(bag), _]) => {
                let mut bag = bag.clone();
                *bag.entry(self.element(1)?).or_default() += 1;
                Value::Bag(bag)
            }
            (CollectionOp::Add, [Value::Seq(elements), _]) => {
                Value::Seq([&elements[..], &[self.element(1)?]].concat())
            }
            (CollectionOp::Add, [Value::Queue { capacity, elements }, _]) => {
                self.queue(*capacity, [&elements[..], &[self.element(1)?]].concat())?
            }

            (CollectionOp::Remove, [Value::Set(set), element]) => {
                let mut set = set.clone();
                set.remove(element);
                Value::Set(set)
            }
            (CollectionOp::Remove, [Value::Bag(bag), element]) => {
                let mut bag = bag.clone();
                if let Some(count) = bag.get_mut(element) {
                    *count -= 1;
                }
                bag.retain(|_, count| *count > 0);
                Value::Bag(bag)
            }
            (CollectionOp::Remove, [Value::Map(map), key]) => {
                let mut map = map.clone();
                map.remove(key);
                Value::Map(map)
            }
            (CollectionOp::Remove, [Value::Seq(elements), element]) => Value::Seq(without(elements, element)),
            (CollectionOp::Remove, [Value::Queue { capacity, elements }, element]) => {
                Value::Queue { capacity: *capacity, elements: without(elements, element) }
            }

            (CollectionOp::Put, [Value::Map(map), ..]) => {
                let mut map = map.clone();
                map.insert(self.element(1)?, self.value(2)?);
                Value::Map(map)
            }
            (CollectionOp::Put, [Value::Seq(elements), ..]) => Value::Seq(self.replaced(elements)?),
            (CollectionOp::Put, [Value::Queue { capacity, elements }, ..]) => {
                Value::Queue { capacity: *capacity, elements: self.replaced(elements)? }
            }

            (CollectionOp::Contains, [collection, element]) => {
                Value::Bool(collection.elements().contains(&element))
            }
            (CollectionOp::Size, [Value::Bag(bag)]) => size(bag.values().sum()),
            (CollectionOp::Size, [collection]) => size(collection.elements().len()),
            (CollectionOp::Count, [Value::Bag(bag), element]) => size(bag.get(element).copied().unwrap_or(0)),
            (CollectionOp::Capacity, [Value::Queue { capacity, .. }]) => Value::Int(*capacity),

            (CollectionOp::Get, [Value::Map(map), key]) => {
                map.get(key).cloned().ok_or_else(|| self.missing(key))?
            }
            (CollectionOp::Get, [Value::Seq(elements) | Value::Queue { elements, .. }, _]) => {
                elements[self.index(elements)?].clone()
            }
            (CollectionOp::Head, [Value::Seq(elements) | Value::Queue { elements, .. }]) => {
                self.split(elements)?.0.clone()
            }
            (CollectionOp::Tail, [Value::Seq(elements)]) => Value::Seq(self.split(elements)?.1.to_vec()),
            (CollectionOp::Tail, [Value::Queue { capacity, elements }]) => {
                Value::Queue { capacity: *capacity, elements: self.split(elements)?.1.to_vec() }
            }

            (CollectionOp::Keys, [Value::Map(map)]) => Value::Set(map.keys().cloned().collect()),
            (CollectionOp::Union, [Value::Set(a), Value::Set(b)]) => Value::Set(a | b),
            (CollectionOp::Intersection, [Value::Set(a), Value::Set(b)]) => Value::Set(a & b),
            (CollectionOp::Difference, [Value::Set(a), Value::Set(b)]) => Value::Set(a - b),
            (CollectionOp::Subset, [Value::Set(a), Value::Set(b)]) => Value::Bool(a.is_subset(b)),

            (op, values) => unreachable!("{op:?} is not of {values:?}"),
        })
    }

    fn create(&self) -> Result<Value, Stop> {
        let all = 0..self.values.len();
        Ok(match self.eval.program.types[self.expr.ty] {
            Type::Set(_) => Value::Set(all.map(|at| self.element(at)).collect::<Result<BTreeSet<_>, _>>()?),
            Type::Bag(_) => {
                let mut bag = BTreeMap::new();
                for at in all {
                    *bag.entry(self.element(at)?).or_default() += 1;
                }
                Value::Bag(bag)
            }
            Type::Map(..) => {
                let mut map = BTreeMap::new();
                for at in all.step_by(2) {
                    map.insert(self.element(at)?, self.value(at + 1)?);
                }
                Value::Map(map)
            }
            Type::Seq(_) => Value::Seq(all.map(|at| self.element(at)).collect::<Result<_, _>>()?),
            Type::Queue(_) => {
                let capacity = as_int(&self.values[0]);
                if capacity < 0 {
                    let message = format!("negative capacity {capacity}");
                    return Err(Stop::fault(FaultKind::Index, self.expr.span, message));
                }
                let elements = all.skip(1).map(|at| self.element(at)).collect::<Result<_, _>>()?;
                self.queue(capacity, elements)?
            }
            _ => unreachable!("only collections are created"),
        })
    }

    /// An operand as an element of the collection that comes out, or as a key if that is a map.
    fn element(&self, at: usize) -> Result<Value, Stop> {
        match self.eval.program.types[self.expr.ty] {
            Type::Map(key, _) => self.admitted(at, key, "keys"),
            collection => self.admitted(at, collection.element().expect("a collection"), "elements"),
        }
    }

    /// An operand as a value of the map that comes out.
    fn value(&self, at: usize) -> Result<Value, Stop> {
        match self.eval.program.types[self.expr.ty] {
            Type::Map(_, value) => self.admitted(at, value, "values"),
            _ => unreachable!("only maps have values"),
        }
    }

    fn admitted(&self, at: usize, ty: TypeId, what: &str) -> Result<Value, Stop> {
        let (value, span) = (self.values[at].clone(), self.operands[at].span);
        admit(self.eval.program, ty, value, span, || format!("the {what}"))
    }

    fn queue(&self, capacity: i64, elements: Vec<Value>) -> Result<Value, Stop> {
        if elements.len() as i64 > capacity {
            let message = format!("{} elements in a queue of capacity {capacity}", elements.len());
            return Err(Stop::fault(FaultKind::Overflow, self.expr.span, message));
        }
        Ok(Value::Queue { capacity, elements })
    }

    fn missing(&self, key: &Value) -> Stop {
        let message = format!("`{}` has no key {}", self.eval.text(&self.operands[0]), self.eval.show(key));
        Stop::fault(FaultKind::MissingKey, self.expr.span, message)
    }

    /// The position that the second operand says.
    fn index(&self, elements: &[Value]) -> Result<usize, Stop> {
        let what = match self.values[0] {
            Value::Queue { .. } => "a queue",
            _ => "a sequence",
        };
        position_of(as_int(&self.values[1]), elements, self.expr.span, what)
    }

    /// With the last operand at that position.
    fn replaced(&self, elements: &[Value]) -> Result<Vec<Value>, Stop> {
        let index = self.index(elements)?;
        let mut elements = elements.to_vec();
        elements[index] = self.element(2)?;
        Ok(elements)
    }

    /// The first element, and the others.
    fn split<'v>(&self, elements: &'v [Value]) -> Result<(&'v Value, &'v [Value]), Stop> {
        elements.split_first().ok_or_else(|| self.eval.empty(&self.operands[0], self.expr.span))
    }
}

/// Without the first occurrence of an element.
fn without(elements: &[Value], element: &Value) -> Vec<Value> {
    let mut elements = elements.to_vec();
    if let Some(at) = elements.iter().position(|other| other == element) {
        elements.remove(at);
    }
    elements
}

fn size(number: usize) -> Value {
    Value::Int(number as i64)
}
