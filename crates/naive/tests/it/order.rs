//! The order of values is that of the words they are made of.

use std::cmp::Ordering;

use ir::{EnumId, StringId};
use testing::SplitMix64;

use super::*;

/// A value as signed words: atoms are one each, and collections have their size before their elements.
fn words(value: &Value) -> Vec<i64> {
    fn all<'v>(size: usize, elements: impl IntoIterator<Item = &'v Value>) -> Vec<i64> {
        std::iter::once(size as i64).chain(elements.into_iter().flat_map(words)).collect()
    }
    match value {
        Value::Null => vec![0],
        Value::Bool(value) => vec![i64::from(*value)],
        Value::Int(value) => vec![*value],
        Value::Enum(_, element) => vec![i64::from(*element)],
        Value::Abstract(_, id) | Value::Ref(id) | Value::Thread(id) | Value::Str(StringId(id)) => {
            vec![i64::from(*id) + 1]
        }
        Value::Pointer(..) => unreachable!("collections hold no pointers"),
        Value::Set(set) => all(set.len(), set),
        Value::Bag(bag) => {
            let pairs = bag.iter().flat_map(|(element, &count)| [words(element), vec![count as i64]]);
            std::iter::once(vec![bag.len() as i64]).chain(pairs).flatten().collect()
        }
        Value::Map(map) => all(map.len(), map.iter().flat_map(|(key, value)| [key, value])),
        Value::Seq(elements) => all(elements.len(), elements),
        Value::Queue { capacity, elements } => [vec![*capacity], all(elements.len(), elements)].concat(),
    }
}

/// A type, as far as it matters here.
enum Shape {
    Bool,
    Int,
    Enum,
    Abstract,
    Ref,
    Thread,
    Str,
    Set(Box<Shape>),
    Bag(Box<Shape>),
    Map(Box<Shape>, Box<Shape>),
    Seq(Box<Shape>),
    Queue(Box<Shape>),
}

fn shape(rng: &mut SplitMix64, depth: usize) -> Shape {
    let kinds = if depth == 0 { 7 } else { 12 };
    let kind = rng.below(kinds);
    let mut inner = || Box::new(shape(rng, depth.saturating_sub(1)));
    match kind {
        0 => Shape::Bool,
        1 => Shape::Int,
        2 => Shape::Enum,
        3 => Shape::Abstract,
        4 => Shape::Ref,
        5 => Shape::Thread,
        6 => Shape::Str,
        7 => Shape::Set(inner()),
        8 => Shape::Bag(inner()),
        9 => Shape::Map(inner(), inner()),
        10 => Shape::Seq(inner()),
        _ => Shape::Queue(inner()),
    }
}

/// A small value, so that many begin alike.
fn value(rng: &mut SplitMix64, shape: &Shape) -> Value {
    let id = rng.below(3) as u32;
    let elements = |rng: &mut SplitMix64, of: &Shape| {
        let size = rng.below(4);
        (0..size).map(|_| value(rng, of)).collect::<Vec<_>>()
    };
    match shape {
        Shape::Abstract | Shape::Ref | Shape::Thread | Shape::Str if rng.chance(25) => Value::Null,
        Shape::Bool => Value::Bool(rng.chance(50)),
        Shape::Int => Value::Int(*rng.pick(&[i64::MIN, -2, -1, 0, 1, 2, i64::MAX])),
        Shape::Enum => Value::Enum(EnumId(0), id),
        Shape::Abstract => Value::Abstract(EnumId(1), id),
        Shape::Ref => Value::Ref(id),
        Shape::Thread => Value::Thread(id),
        Shape::Str => Value::Str(StringId(id)),
        Shape::Set(of) => Value::Set(elements(rng, of).into_iter().collect()),
        Shape::Bag(of) => {
            let elements = elements(rng, of).into_iter();
            Value::Bag(elements.map(|element| (element, 1 + rng.below(3))).collect())
        }
        Shape::Map(key, to) => {
            let keys = elements(rng, key).into_iter();
            Value::Map(keys.map(|key| (key, value(rng, to))).collect())
        }
        Shape::Seq(of) => Value::Seq(elements(rng, of)),
        Shape::Queue(of) => {
            let elements = elements(rng, of);
            Value::Queue { capacity: (elements.len() + rng.below(4)) as i64, elements }
        }
    }
}

#[test]
fn values_are_ordered_like_their_words() {
    let mut met = [0; 3];
    for seed in 0..3000 {
        let mut rng = SplitMix64::new(seed);
        let shape = shape(&mut rng, 3);
        for _ in 0..40 {
            let (a, b) = (value(&mut rng, &shape), value(&mut rng, &shape));
            let order = words(&a).cmp(&words(&b));
            assert_eq!(a.cmp(&b), order, "{a:?} {b:?}");
            assert_eq!(a == b, order == Ordering::Equal, "{a:?} {b:?}");
            met[(order as i8 + 1) as usize] += 1;
        }
    }
    assert!(met.iter().all(|&times| times > 5000), "{met:?}");
}
