//! The built-in extensions: the collections and their operations.
//!
//! Everything here is a table. The parser does not depend on it, so that an extension that is not in the
//! table can be refused by name, with a hint.

use ir::{CollectionOp, Type, TypeId};

/// A kind of collections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Set,
    Bag,
    Map,
    Seq,
    Queue,
}

/// An operation, written `Kind.name(args)`.
#[derive(Debug)]
pub struct Operation {
    pub name: &'static str,
    pub meaning: Meaning,
    pub params: &'static [Param],
    /// The parameters that may follow, any number of times.
    pub rest: &'static [Param],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    Apply(CollectionOp),
    /// Some element: only as the whole right side of an assignment.
    Choose,
    IsEmpty,
    IsFull,
}

/// The parameters of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Param {
    /// The collection.
    This,
    /// Another collection of the same type.
    Other,
    /// An element (for a map: a key) that becomes part of the collection.
    Element,
    /// An element that is only searched for.
    Sought,
    /// A value of a map.
    Value,
    Index,
    Capacity,
}

impl Kind {
    pub const ALL: [Self; 5] = [Self::Set, Self::Bag, Self::Map, Self::Seq, Self::Queue];

    pub fn name(self) -> &'static str {
        match self {
            Self::Set => "Set",
            Self::Bag => "Bag",
            Self::Map => "Map",
            Self::Seq => "Seq",
            Self::Queue => "Queue",
        }
    }

    /// The noun for a value of this kind in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Set => "a set",
            Self::Bag => "a bag",
            Self::Map => "a map",
            Self::Seq => "a sequence",
            Self::Queue => "a queue",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a collection type.
    pub fn of(ty: Type) -> Option<Self> {
        match ty {
            Type::Set(_) => Some(Self::Set),
            Type::Bag(_) => Some(Self::Bag),
            Type::Map(..) => Some(Self::Map),
            Type::Seq(_) => Some(Self::Seq),
            Type::Queue(_) => Some(Self::Queue),
            _ => None,
        }
    }

    /// The type with these arguments, if their number is right.
    pub fn applied(self, args: &[TypeId]) -> Option<Type> {
        Some(match (self, args) {
            (Self::Set, &[element]) => Type::Set(element),
            (Self::Bag, &[element]) => Type::Bag(element),
            (Self::Map, &[key, value]) => Type::Map(key, value),
            (Self::Seq, &[element]) => Type::Seq(element),
            (Self::Queue, &[element]) => Type::Queue(element),
            _ => return None,
        })
    }

    /// Its type arguments, as messages write them.
    pub fn type_params(self) -> &'static [&'static str] {
        if self == Self::Map { &["K", "V"] } else { &["T"] }
    }

    /// The collection in the signatures of operations.
    fn letter(self) -> &'static str {
        match self {
            Self::Set => "s",
            Self::Bag => "b",
            Self::Map => "m",
            Self::Seq | Self::Queue => "q",
        }
    }

    pub fn operations(self) -> impl Iterator<Item = &'static Operation> {
        let own = match self {
            Self::Set => SET,
            Self::Bag => BAG,
            Self::Map => MAP,
            Self::Seq => SEQ,
            Self::Queue => QUEUE,
        };
        // A queue is a sequence with a capacity.
        let inherited = if self == Self::Queue { SEQ } else { &[] };
        let hidden = move |item: &&Operation| own.iter().all(|other| other.name != item.name);
        own.iter().chain(inherited.iter().filter(hidden)).chain(COMMON)
    }

    pub fn operation(self, name: &str) -> Option<&'static Operation> {
        self.operations().find(|operation| operation.name == name)
    }
}

impl Operation {
    /// Whether its result is a collection of the type of its first argument: then it can be a statement.
    pub fn changes(&self) -> bool {
        use CollectionOp::{Add, Difference, Intersection, Put, Remove, Tail, Union};
        matches!(self.meaning, Meaning::Apply(Add | Remove | Put | Tail | Union | Intersection | Difference))
    }

    pub fn creates(&self) -> bool {
        self.meaning == Meaning::Apply(CollectionOp::Create)
    }

    /// How it is written.
    pub fn signature(&self, kind: Kind) -> String {
        let mut letters: Vec<_> = self
            .params
            .iter()
            .chain(self.rest)
            .map(|param| match param {
                Param::This => kind.letter(),
                Param::Other => "t",
                Param::Element | Param::Sought if kind == Kind::Map => "k",
                Param::Element | Param::Sought => "x",
                Param::Value => "v",
                Param::Index => "i",
                Param::Capacity => "capacity",
            })
            .collect();
        if !self.rest.is_empty() {
            letters.push("…");
        }
        let types =
            if self.creates() { format!("<{}>", kind.type_params().join(", ")) } else { String::new() };
        format!("{}.{}{types}({})", kind.name(), self.name, letters.join(", "))
    }
}

const fn apply(name: &'static str, op: CollectionOp, params: &'static [Param]) -> Operation {
    Operation { name, meaning: Meaning::Apply(op), params, rest: &[] }
}

const fn ask(name: &'static str, meaning: Meaning) -> Operation {
    Operation { name, meaning, params: &[Param::This], rest: &[] }
}

const fn create(params: &'static [Param], rest: &'static [Param]) -> Operation {
    Operation { name: "create", meaning: Meaning::Apply(CollectionOp::Create), params, rest }
}

use Param::{Capacity, Element, Index, Other, Sought, This, Value};

const COMMON: &[Operation] = &[
    apply("remove", CollectionOp::Remove, &[This, Sought]),
    apply("contains", CollectionOp::Contains, &[This, Sought]),
    apply("size", CollectionOp::Size, &[This]),
    ask("isEmpty", Meaning::IsEmpty),
    ask("choose", Meaning::Choose),
];

const SET: &[Operation] = &[
    create(&[], &[Element]),
    apply("add", CollectionOp::Add, &[This, Element]),
    apply("union", CollectionOp::Union, &[This, Other]),
    apply("intersection", CollectionOp::Intersection, &[This, Other]),
    apply("difference", CollectionOp::Difference, &[This, Other]),
    apply("subset", CollectionOp::Subset, &[This, Other]),
];

const BAG: &[Operation] = &[
    create(&[], &[Element]),
    apply("add", CollectionOp::Add, &[This, Element]),
    apply("count", CollectionOp::Count, &[This, Sought]),
];

const MAP: &[Operation] = &[
    create(&[], &[Element, Value]),
    apply("put", CollectionOp::Put, &[This, Element, Value]),
    apply("get", CollectionOp::Get, &[This, Sought]),
    apply("containsKey", CollectionOp::Contains, &[This, Sought]),
    apply("keys", CollectionOp::Keys, &[This]),
];

const SEQ: &[Operation] = &[
    create(&[], &[Element]),
    apply("append", CollectionOp::Add, &[This, Element]),
    apply("add", CollectionOp::Add, &[This, Element]),
    apply("get", CollectionOp::Get, &[This, Index]),
    apply("put", CollectionOp::Put, &[This, Index, Element]),
    apply("head", CollectionOp::Head, &[This]),
    apply("tail", CollectionOp::Tail, &[This]),
];

const QUEUE: &[Operation] = &[
    create(&[Capacity], &[Element]),
    apply("capacity", CollectionOp::Capacity, &[This]),
    ask("isFull", Meaning::IsFull),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures() {
        let check = |kind: Kind, name: &str, expect: &str| {
            assert_eq!(kind.operation(name).map(|operation| operation.signature(kind)).unwrap(), expect);
        };
        check(Kind::Set, "union", "Set.union(s, t)");
        check(Kind::Bag, "create", "Bag.create<T>(x, …)");
        check(Kind::Map, "create", "Map.create<K, V>(k, v, …)");
        check(Kind::Map, "put", "Map.put(m, k, v)");
        check(Kind::Queue, "create", "Queue.create<T>(capacity, x, …)");
        check(Kind::Queue, "put", "Queue.put(q, i, x)");
        check(Kind::Queue, "isFull", "Queue.isFull(q)");
        assert!(Kind::Seq.operation("isFull").is_none());
    }

    #[test]
    fn names_are_distinct() {
        for kind in Kind::ALL {
            let mut names: Vec<_> = kind.operations().map(|operation| operation.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{kind:?}");
        }
    }
}
