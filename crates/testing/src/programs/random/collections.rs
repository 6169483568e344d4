//! Collections: the places that have them, and the functions for them.
//!
//! Collections are kept small, so that programs have few states: nothing is added to one with two elements,
//! except for tiny types and bags, and a result of more than three elements is not stored. These guards do
//! not depend on danger.

use super::body::Body;
use super::kinds::Kind;
use super::{Generator, put};

/// A place with a collection.
#[derive(Clone)]
pub(super) struct Variable {
    pub name: String,
    pub kind: Kind,
}

/// A pure function for quantifiers: of an element, and perhaps of another value.
#[derive(Clone)]
pub(super) struct Predicate {
    pub name: String,
    pub over: Kind,
    pub captured: Option<Kind>,
    /// Whether it depends on the thread that evaluates it: invariants must not.
    pub asks: bool,
}

/// The collections of a program, and the functions for them.
#[derive(Default)]
pub(super) struct Collections {
    /// Global places.
    pub places: Vec<Variable>,
    /// Places with an element of the abstract enum, or none.
    pub names: Vec<&'static str>,
    pub predicates: Vec<Predicate>,
    /// The type of the pure function `more` and the function `store`.
    pub growing: Option<Kind>,
    /// The type of the argument that threads get when they are started.
    pub carried: Option<Kind>,
    /// The statements that make the places.
    setup: String,
}

impl Collections {
    fn add_place(&mut self, name: &str, kind: &Kind) {
        self.places.push(Variable { name: name.to_owned(), kind: kind.clone() });
    }
}

impl Generator {
    /// Declares the global parts.
    pub(super) fn add_collections(&mut self, out: &mut String) {
        put(out, "abstract enum Name { ada, bob, cid }\nglobal Name name;\nglobal Name rival;");
        let kinds = [self.collection_kind(), self.collection_kind()];
        let mut collections = self.add_places(out, &kinds);
        collections.carried = match self.rng.below(4) {
            0 => Some(Kind::Name),
            1 => Some(kinds[0].clone()),
            _ => None,
        };
        if self.chance(60) {
            collections.growing = Some(self.rng.pick(&kinds).clone());
        }
        self.collections = Some(collections);
        for kind in &kinds {
            self.add_predicates(out, kind);
        }
        self.add_growing(out);
    }

    /// Globals of these kinds, and sometimes a record or an array.
    fn add_places(&mut self, out: &mut String, kinds: &[Kind; 2]) -> Collections {
        let mut collections = Collections { names: vec!["name", "rival"], ..Collections::default() };
        for name in ["s0", "s1", "s2"].into_iter().take(2 + usize::from(self.chance(40))) {
            let kind = if self.chance(60) { &kinds[0] } else { &kinds[1] };
            put(out, &format!("global {kind} {name};"));
            collections.add_place(name, kind);
        }
        let kind = self.rng.pick(kinds);
        match self.rng.below(10) {
            0..=2 => {
                put(out, &format!("record Bin {{ {kind} items; Name owner; }}\nglobal Bin bin;"));
                collections.setup.push_str("bin := new Bin; ");
                collections.add_place("bin.items", kind);
                collections.names.push("bin.owner");
            }
            3..=4 => {
                put(out, &format!("global {kind}[] bins;"));
                collections.setup = format!("bins := new {kind}[2]; ");
                collections.add_place("bins[0]", kind);
                collections.add_place("bins[z & 1]", kind);
            }
            5 => {
                put(out, "global Name[] tags;");
                collections.setup.push_str("tags := new Name[2]; ");
                collections.names.extend(["tags[0]", "tags[z & 1]"]);
            }
            _ => {}
        }
        collections
    }

    /// The statements that make the places before they are used, and their initial contents.
    pub(super) fn collection_setup(&mut self) -> String {
        let Some(collections) = &self.collections else { return String::new() };
        let (mut setup, places) = (collections.setup.clone(), collections.places.clone());
        if self.chance(30) {
            setup.push_str("name := choose all Name; ");
        }
        for Variable { name, kind } in places {
            let count = self.rng.below(3);
            if count > 0 || (matches!(kind, Kind::Queue(_)) && !self.dangerous()) {
                let first = self.created(&Body::default(), &kind, count);
                setup = format!("{setup}{name} := {first}; ");
            }
        }
        setup
    }

    /// Predicates for the elements of a collection, and before them for the elements of these.
    fn add_predicates(&mut self, out: &mut String, kind: &Kind) {
        for part in kind.parts() {
            self.add_predicates(out, part);
        }
        if !kind.is_collection() {
            return;
        }
        let over = kind.element().clone();
        for _ in 0..=self.rng.below(2) {
            let (mut condition, asks) = self.predicate(&over);
            let captured = match self.rng.below(4) {
                0 => Some((over.clone(), self.pick(&["v == w", "v != w"]))),
                1 => Some((Kind::Bit, self.pick(&["w > 0", "w == x"]))),
                2 => Some((kind.clone(), self.pick(&["w.contains(v)", "w.size() > 1"]))),
                _ => None,
            };
            let param = captured.as_ref().map(|(captured, question)| {
                let op = self.pick(&["&&", "||", "=>", "=="]);
                condition = format!("({condition}) {op} ({question})");
                format!(", {captured} w")
            });
            let param = param.unwrap_or_default();
            let Some(collections) = &mut self.collections else { return };
            let name = format!("is{}", collections.predicates.len());
            put(out, &format!("fun {name}({over} v{param}) returns boolean = {condition};"));
            let captured = captured.map(|(captured, _)| captured);
            collections.predicates.push(Predicate { name, over: over.clone(), captured, asks });
        }
    }

    /// A condition on `v`, and whether it depends on the thread.
    fn predicate(&mut self, over: &Kind) -> (String, bool) {
        let asks = self.chance(15);
        let risky = self.danger > 0 && self.chance(20);
        let condition = match over {
            Kind::Bool => self.pick(&["v", "!v", "v == b"]),
            Kind::Bit | Kind::Wrap if risky => {
                self.pick(&["2 / v > 1", "(v == 0 ? 1 / v : 1 shl (31 + v)) > 0", "1 / (v - x) < 2"])
            }
            Kind::Bit | Kind::Wrap => self.pick(&["v > 0", "v == x", "v + y < 2", "count(v) != 1"]),
            Kind::Color => self.pick(&["v == c", "v != Color::red"]),
            Kind::Name => self.pick(&["v == name", "v != rival", "v != null"]),
            Kind::Word => self.pick(&["v == word", "v != \"on\"", "v != null"]),
            Kind::Node if risky => self.pick(&["v.value > x", "v.next.value < 2", "(v as Leaf).mark"]),
            Kind::Node => {
                self.pick(&["v != null && v.value > 0", "v == head", "depth(v, 2) > 1", "v instanceof Leaf"])
            }
            Kind::Tid if risky => "threadTerminated(v)",
            Kind::Tid => self.pick(&["v != null && threadTerminated(v)", "v == who", "v != null"]),
            Kind::Lock if asks => "mayEnter(v)",
            Kind::Lock => self.pick(&["v == m", "v != null"]),
            Kind::Cells if risky => "v[y] == 1",
            Kind::Cells => self.pick(&["v == cells", "v != null && v[1] == 0"]),
            _ => {
                let inner = self.predicate_for(over, |inner| inner.captured.is_none() && !inner.asks);
                let condition = match inner {
                    Some(Predicate { name, .. }) if self.chance(70) => {
                        format!("{}(v, {name})", self.pick(&["forall", "exists"]))
                    }
                    _ => self.pick(&["v.size() > 1", "v.size() == y"]).to_owned(),
                };
                return (condition, false);
            }
        };
        match over {
            Kind::Lock => (condition.to_owned(), asks),
            _ if asks => (format!("{condition} || mayEnter(n)"), true),
            _ => (condition.to_owned(), false),
        }
    }

    /// Functions that take and return collections.
    fn add_growing(&mut self, out: &mut String) {
        let Some(kind) = self.collections.as_ref().and_then(|collections| collections.growing.clone()) else {
            return;
        };
        let element = kind.element();
        let nobody = Body::default();
        let (guard, more) = self.grown(&nobody, "s", &kind, "v");
        put(out, &format!("fun more({kind} s, {element} v) returns {kind} = {guard} ? {more} : s;"));
        let change = if self.chance(50) { "" } else { "do { y := y + 1; } " };
        let less = self.pick(&["s.remove(v)", "s"]);
        put(
            out,
            &format!(
                "function store({kind} s, {element} v) returns {kind} {{
  loc L0:
    when {guard} {change}return {more};
    else do {{ s := {less}; }} goto L1;
  loc L1:
    return s;
}}"
            ),
        );
        if let Kind::Seq(element) | Kind::Queue(element) = &kind
            && matches!(**element, Kind::Bit | Kind::Wrap)
        {
            put(
                out,
                &format!("fun total({kind} s) returns int = s.size() == 0 ? 0 : s.head() + total(s.tail());"),
            );
        }
    }

    /// A collection with one more element or key, and the condition under which that is allowed.
    pub(super) fn grown(&mut self, body: &Body, name: &str, kind: &Kind, element: &str) -> (String, String) {
        let guard = match kind {
            Kind::Set(of) if of.is_tiny() => format!("{name}.size() < 3"),
            Kind::Bag(_) => format!("{name}.size() < 3"),
            Kind::Map(..) => format!("({name}.size() < 2 || {name}.contains({element}))"),
            Kind::Queue(_) => format!("{name}.size() < {name}.capacity()"),
            _ => format!("{name}.size() < 2"),
        };
        let more = match kind {
            Kind::Map(_, value) => format!("{name}.put({element}, {})", self.value(body, value)),
            _ => format!("{name}.add({element})"),
        };
        (guard, more)
    }

    /// The places with collections of this kind.
    pub(super) fn places_of(&self, body: &Body, kind: &Kind) -> Vec<String> {
        let shared = self.collections.iter().flat_map(|collections| &collections.places);
        let places = shared.chain(&body.collections).filter(|place| place.kind == *kind);
        places.map(|place| place.name.clone()).collect()
    }

    /// Some place with a collection.
    pub(super) fn place(&mut self, body: &Body) -> Variable {
        let shared = self.collections.iter().flat_map(|collections| &collections.places);
        let places: Vec<_> = shared.chain(&body.collections).cloned().collect();
        self.rng.pick(&places).clone()
    }

    /// A predicate for the elements of a collection.
    pub(super) fn predicate_for(
        &mut self,
        kind: &Kind,
        fits: impl Fn(&Predicate) -> bool,
    ) -> Option<Predicate> {
        let all = self.collections.iter().flat_map(|collections| &collections.predicates);
        let fitting = all.filter(|predicate| predicate.over == *kind.element() && fits(predicate));
        let fitting: Vec<_> = fitting.cloned().collect();
        if fitting.is_empty() { None } else { Some(self.rng.pick(&fitting).clone()) }
    }

    /// A global place with an element of the abstract enum.
    pub(super) fn name(&mut self) -> &'static str {
        let names: Vec<_> =
            self.collections.iter().flat_map(|collections| &collections.names).copied().collect();
        self.pick(&names)
    }

    pub(super) fn grows(&self, kind: &Kind) -> bool {
        self.collections.as_ref().is_some_and(|collections| collections.growing.as_ref() == Some(kind))
    }

    /// The collection that a thread gets, after its other arguments.
    pub(super) fn carried(&mut self, body: &Body) -> String {
        let carried = self.collections.as_ref().and_then(|collections| collections.carried.clone());
        carried.map(|kind| format!(", {}", self.value(body, &kind))).unwrap_or_default()
    }

    /// `what` where it is allowed, or with danger.
    pub(super) fn careful(&mut self, allowed: &str, what: &str, otherwise: &str) -> String {
        if self.dangerous() { what.to_owned() } else { format!("({allowed} ? {what} : {otherwise})") }
    }

    pub(super) fn small_index(&mut self, body: &Body) -> String {
        if self.dangerous() { self.int(body, 0) } else { format!("({} & 1)", self.int(body, 0)) }
    }
}
