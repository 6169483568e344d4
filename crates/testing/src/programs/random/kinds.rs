//! The types that collections are made of, and values of them.

use std::fmt;

use super::Generator;
use super::body::Body;

/// A type of elements or of collections.
#[derive(Clone, PartialEq)]
pub(super) enum Kind {
    Bool,
    Bit,
    Wrap,
    Color,
    /// An element of an abstract enum.
    Name,
    Word,
    Node,
    Tid,
    Lock,
    Cells,
    Set(Box<Kind>),
    Bag(Box<Kind>),
    Map(Box<Kind>, Box<Kind>),
    Seq(Box<Kind>),
    Queue(Box<Kind>),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "boolean"),
            Self::Bit => write!(f, "int (0, 1)"),
            Self::Wrap => write!(f, "int wrap (0, 2)"),
            Self::Color => write!(f, "Color"),
            Self::Name => write!(f, "Name"),
            Self::Word => write!(f, "string"),
            Self::Node => write!(f, "Node"),
            Self::Tid => write!(f, "tid"),
            Self::Lock => write!(f, "lock"),
            Self::Cells => write!(f, "int (0, 1)[]"),
            Self::Set(element) => write!(f, "Set<{element}>"),
            Self::Bag(element) => write!(f, "Bag<{element}>"),
            Self::Map(key, value) => write!(f, "Map<{key}, {value}>"),
            Self::Seq(element) => write!(f, "Seq<{element}>"),
            Self::Queue(element) => write!(f, "Queue<{element}>"),
        }
    }
}

impl Kind {
    /// The parts of a collection: its elements, or its keys and values.
    pub(super) fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Set(element) | Self::Bag(element) | Self::Seq(element) | Self::Queue(element) => {
                vec![element]
            }
            Self::Map(key, value) => vec![key, value],
            _ => vec![],
        }
    }

    pub(super) fn is_collection(&self) -> bool {
        !self.parts().is_empty()
    }

    /// The kind that is chosen from a collection.
    pub(super) fn element(&self) -> &Self {
        self.parts().first().copied().unwrap_or(self)
    }

    /// Whether there are so few values that sets of them need not be kept small.
    pub(super) const fn is_tiny(&self) -> bool {
        matches!(self, Self::Bool | Self::Bit)
    }
}

impl Generator {
    /// A collection, in which there may be others.
    pub(super) fn collection_kind(&mut self) -> Kind {
        let element = self.element_kind();
        let element = if self.chance(20) { self.collection_of(element) } else { element };
        self.collection_of(element)
    }

    fn element_kind(&mut self) -> Kind {
        match self.rng.below(15) {
            0 => Kind::Bool,
            1..=2 => Kind::Bit,
            3 => Kind::Wrap,
            4..=5 => Kind::Color,
            6 => Kind::Word,
            7 => Kind::Lock,
            8..=10 if self.heap => Kind::Node,
            11 if self.handles => Kind::Tid,
            12 if self.table => Kind::Cells,
            _ => Kind::Name,
        }
    }

    fn collection_of(&mut self, element: Kind) -> Kind {
        let nested = element.is_collection();
        let element = Box::new(element);
        match self.rng.below(7) {
            0..=1 => Kind::Set(element),
            2 => Kind::Bag(element),
            3..=4 => {
                let value = self.element_kind();
                let value = if !nested && self.chance(20) { Kind::Set(Box::new(value)) } else { value };
                Kind::Map(element, Box::new(value))
            }
            5 => Kind::Seq(element),
            _ => Kind::Queue(element),
        }
    }

    /// A value that a place of this kind may have.
    pub(super) fn value(&mut self, body: &Body, kind: &Kind) -> String {
        match kind {
            Kind::Bool => self.condition(body, 0),
            Kind::Bit if self.dangerous() => self.int(body, 1),
            Kind::Bit => format!("({} & 1)", self.int(body, 0)),
            Kind::Wrap => self.int(body, 0),
            Kind::Color => self.pick(&["c", "c", "Color::red", "Color::green", "Color::blue"]).to_owned(),
            Kind::Name if self.chance(12) => "null".to_owned(),
            Kind::Name if body.names.is_empty() || self.chance(60) => self.name().to_owned(),
            Kind::Name => self.rng.pick(&body.names).clone(),
            Kind::Word => self.pick(&["word", "word", "\"on\"", "\"off\"", "null"]).to_owned(),
            Kind::Node if self.chance(15) => "null".to_owned(),
            Kind::Node => self.node(body),
            Kind::Tid => self.handle(body),
            Kind::Lock => self.pick(&["m", "n", "null"]).to_owned(),
            Kind::Cells => self.pick(&["cells", "null"]).to_owned(),
            _ => self.collection(body, kind),
        }
    }

    /// A small collection.
    fn collection(&mut self, body: &Body, kind: &Kind) -> String {
        let places = self.places_of(body, kind);
        if !places.is_empty() && self.chance(55) {
            return self.rng.pick(&places).clone();
        }
        match kind {
            Kind::Set(_) if !places.is_empty() && self.chance(30) => {
                let (of, less) = (self.rng.pick(&places).clone(), self.pick(&["intersection", "difference"]));
                format!("{of}.{less}({})", self.created(body, kind, 1))
            }
            Kind::Set(element) if **element == Kind::Color && self.chance(25) => "(all Color)".to_owned(),
            Kind::Set(element) if **element == Kind::Name && self.chance(25) => "(all Name)".to_owned(),
            _ => {
                let count = self.rng.below(3);
                self.created(body, kind, count)
            }
        }
    }

    /// A new collection of this many elements, which may be equal.
    pub(super) fn created(&mut self, body: &Body, kind: &Kind, count: usize) -> String {
        let mut elements = Vec::new();
        if matches!(kind, Kind::Queue(_)) {
            let capacity = if self.dangerous() {
                self.int(body, 0)
            } else {
                (count.max(1) + self.rng.below(2)).to_string()
            };
            elements.push(capacity);
        }
        for _ in 0..count {
            elements.extend(kind.parts().into_iter().map(|part| self.value(body, part)));
        }
        format!("{kind}({})", elements.join(", "))
    }
}
