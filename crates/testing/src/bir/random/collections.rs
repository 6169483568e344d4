//! Collections, abstract enums, quantifiers and choices.
//!
//! A model has a handful of collection types, made of types with few values and of each other. Before an
//! operation that could make a collection grow forever its size is tested, and before one that needs an
//! element, whether it is empty. If test and operation are two steps, they are in one atomic block.

use super::exprs::{Exp, QUANTIFIED, atom};
use super::statements::Body;
use super::types::{BIT, Field, Fit, INTS, Ty};
use super::{Generator, Role, Scope, Variable, Variant};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Set,
    Bag,
    Map,
    Seq,
    Queue,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Set => "Set",
            Self::Bag => "Bag",
            Self::Map => "Map",
            Self::Seq => "Seq",
            Self::Queue => "Queue",
        }
    }
}

/// A collection type. `Ty` knows it by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Collection {
    kind: Kind,
    /// The keys, for a map.
    pub(super) element: Ty,
    /// The values, for a map.
    value: Option<Ty>,
}

/// A collection that a statement can change.
struct Target {
    place: Exp,
    index: usize,
    /// The condition that has to be tested first, if any.
    test: Option<Exp>,
    /// Whether other threads can change it as well.
    shared: bool,
}

impl Generator {
    /// Makes some types: of plain values, of references and threads, and of each other.
    pub(super) fn make_collections(&mut self) {
        let mut plain = vec![Ty::Int(BIT), Ty::Enum, Ty::Bool];
        let kinds = [(self.keys, Ty::Key), (self.heap, Ty::Record(0)), (self.handles, Ty::Tid)];
        for (there, ty) in kinds {
            // References and threads are more interesting than numbers.
            plain.extend([ty; 3].into_iter().filter(|_| there));
        }
        if self.locks {
            plain.push(Ty::Lock);
        }
        let mut elements = plain.clone();
        for _ in 0..2 + self.rng.below(4) {
            let element = if self.chance(55) { *self.rng.pick(&plain) } else { *self.rng.pick(&elements) };
            let kind = *self.rng.pick(&[
                Kind::Set,
                Kind::Set,
                Kind::Set,
                Kind::Bag,
                Kind::Map,
                Kind::Seq,
                Kind::Queue,
            ]);
            let value = if self.chance(65) { *self.rng.pick(&plain) } else { *self.rng.pick(&elements) };
            let made = Collection { kind, element, value: Some(value).filter(|_| kind == Kind::Map) };
            if !self.collections.contains(&made) {
                self.collections.push(made);
                elements.push(Ty::Collection(self.collections.len() - 1));
            }
        }
    }

    pub(super) fn collection_text(&self, index: usize) -> String {
        format!("{}.type<{}>", self.collections[index].kind.name(), self.type_args(index))
    }

    fn type_args(&self, index: usize) -> String {
        let Collection { element, value, .. } = self.collections[index];
        let value = value.map(|value| format!(", {}", self.type_text(value)));
        format!("{}{}", self.type_text(element), value.unwrap_or_default())
    }

    /// A collection type, if the model has any.
    pub(super) fn some_collection(&mut self) -> Option<Ty> {
        if self.collections.is_empty() {
            return None;
        }
        Some(Ty::Collection(self.rng.below(self.collections.len())))
    }

    pub(super) fn collection_globals(&mut self) {
        for index in 0..=self.rng.below(3) {
            if let Some(ty) = self.some_collection() {
                self.global(&format!("s{index}"), ty, Role::Free);
            }
        }
        if self.keys {
            self.global("id", Ty::Key, Role::Free);
            self.member("abstract enum Key { K0, K1, K2 }");
        }
        if self.arrays
            && let Some(Ty::Collection(index)) = self.some_collection()
        {
            self.global("pots", Ty::Collections(index), Role::Fixed);
        }
        if self.chance(20) {
            self.member("extension Set for any.class;");
        }
    }

    /// Pure functions on one of the types.
    pub(super) fn collection_funs(&mut self) {
        let Some(Ty::Collection(index)) = self.some_collection() else { return };
        self.helper = Some(index);
        let (ty, element) = (self.collection_text(index), self.type_text(self.collections[index].element));
        self.member(format!("fun member({ty} s, {element} x) returns boolean = exists y in s : y == x;"));
        if self.collections[index].kind != Kind::Map {
            let grown = self.grown(&atom("s"), index, &[atom("x")]);
            self.member(format!("fun grown({ty} s, {element} x) returns {ty} = {};", grown.text));
        }
    }

    /// A function on that type.
    pub(super) fn collection_function(&mut self) {
        let Some(index) = self.helper else { return };
        let Collection { kind, element, .. } = self.collections[index];
        let ty = self.collection_text(index);
        let (name, element) = (kind.name(), self.type_text(element));
        let lines = [
            format!("function lose({ty} s, {element} x) returns {ty} {{"),
            format!("  if {name}.contains(s, x) do"),
            format!("    {name}.remove(s, x);"),
            "  end".to_owned(),
            "  return s;".to_owned(),
            "}".to_owned(),
        ];
        self.members.push(lines.to_vec());
    }

    fn operate(&self, index: usize, operation: &str, args: &[&Exp]) -> Exp {
        let args: Vec<_> = args.iter().map(|arg| arg.text.as_str()).collect();
        // The type of what is created may depend on its place.
        if let (Variant::Methods, [base, rest @ ..]) = (self.variant, &args[..])
            && !operation.starts_with("create")
            && !base.contains("create")
        {
            return atom(format!("({base}).{operation}({})", rest.join(", ")));
        }
        atom(format!("{}.{operation}({})", self.collections[index].kind.name(), args.join(", ")))
    }

    /// Whether the element type has few values.
    fn finite(&self, index: usize) -> bool {
        let Collection { kind, element, .. } = self.collections[index];
        matches!(kind, Kind::Set | Kind::Map) && matches!(element, Ty::Int(_) | Ty::Enum | Ty::Bool | Ty::Key)
    }

    fn not_empty(&self, base: &Exp, index: usize) -> Exp {
        self.not(&self.operate(index, "isEmpty", &[base]))
    }

    /// Whether there is room for another element.
    fn has_room(&mut self, base: &Exp, index: usize) -> Exp {
        if self.collections[index].kind == Kind::Queue {
            return self.not(&self.operate(index, "isFull", &[base]));
        }
        let most = self.pick(&["2", "C.N"]);
        self.binary(&self.operate(index, "size", &[base]), "<", &atom(most))
    }

    /// The collection with one more element, if there is room.
    fn grown(&mut self, base: &Exp, index: usize, args: &[Exp]) -> Exp {
        let added = self.added(base, index, args);
        if self.finite(index) || self.dangerous() {
            return added;
        }
        let room = self.has_room(base, index);
        self.cond(&room, &added, base)
    }

    /// The operation that adds an element, with a value if it is a map.
    fn added(&mut self, base: &Exp, index: usize, args: &[Exp]) -> Exp {
        let operation = match self.collections[index].kind {
            Kind::Map => "put",
            Kind::Seq | Kind::Queue => self.pick(&["append", "add"]),
            Kind::Set | Kind::Bag => "add",
        };
        let args: Vec<_> = std::iter::once(base).chain(args).collect();
        self.operate(index, operation, &args)
    }

    /// A new element, with a value if it is a map.
    fn entry(&mut self, scope: &Scope, index: usize) -> Vec<Exp> {
        let Collection { element, value, .. } = self.collections[index];
        [Some(element), value].into_iter().flatten().map(|ty| self.part(scope, ty)).collect()
    }

    /// A small value of the type of an element.
    fn part(&mut self, scope: &Scope, ty: Ty) -> Exp {
        match ty {
            Ty::Bool => self.boolean(scope, 0),
            Ty::Int(_) => {
                let number = self.int_leaf(scope);
                self.fitted(&number, ty)
            }
            Ty::Collection(index) => self.collection(scope, index, 0),
            _ => self.plain_value(scope, ty),
        }
    }

    /// A collection with at most two elements. Its types can be left out where they are known.
    fn created(&mut self, scope: &Scope, index: usize, known: bool) -> Exp {
        let mut args = Vec::new();
        if self.collections[index].kind == Kind::Queue {
            let capacity = if self.dangerous() { self.pick(&["-1", "0"]) } else { "2" };
            args.push(atom(capacity));
        }
        for _ in 0..self.rng.below(3) {
            args.extend(self.entry(scope, index));
        }
        let types =
            if known && self.chance(60) { String::new() } else { format!("<{}>", self.type_args(index)) };
        let args: Vec<_> = args.iter().collect();
        self.operate(index, &format!("create{types}"), &args)
    }

    /// A value of a collection type, for a place that says which.
    pub(super) fn collection_value(&mut self, scope: &Scope, index: usize) -> Exp {
        if self.chance(25) { self.created(scope, index, true) } else { self.collection(scope, index, 1) }
    }

    /// A collection.
    fn collection(&mut self, scope: &Scope, index: usize, depth: usize) -> Exp {
        let ty = Ty::Collection(index);
        let known = self.variable(scope, |variable| variable.ty == ty);
        let base = match known {
            Some(variable) if self.chance(85) => atom(variable.name),
            _ if self.pots() == Some(index) && scope.ready => atom(self.pick(&["pots[0]", "pots[1]"])),
            _ => self.created(scope, index, false),
        };
        if depth == 0 || self.chance(30) {
            return base;
        }
        let Collection { kind, element, .. } = self.collections[index];
        let entry = self.entry(scope, index);
        match self.rng.below(8) {
            0..=1 => self.operate(index, "remove", &[&base, &entry[0]]),
            2 if self.helper == Some(index) && kind != Kind::Map => {
                atom(format!("grown({}, {})", base.text, entry[0].text))
            }
            2..=3 => self.grown(&base, index, &entry),
            4 if kind == Kind::Set && self.finite(index) => {
                let other = match element {
                    Ty::Enum if self.chance(40) => atom("Color.all"),
                    Ty::Key if self.chance(40) => atom("Key.all"),
                    _ => self.collection(scope, index, 0),
                };
                let operation = self.pick(&["union", "intersection", "difference"]);
                self.operate(index, operation, &[&base, &other])
            }
            4 if kind == Kind::Set => {
                let other = self.collection(scope, index, 0);
                let operation = self.pick(&["intersection", "difference"]);
                self.operate(index, operation, &[&base, &other])
            }
            4..=5 if matches!(kind, Kind::Seq | Kind::Queue) => {
                let change = if self.chance(60) {
                    self.operate(index, "tail", &[&base])
                } else {
                    self.operate(index, "put", &[&base, &atom("0"), &entry[0]])
                };
                if self.dangerous() {
                    return change;
                }
                let empty = self.operate(index, "isEmpty", &[&base]);
                self.cond(&empty, &base, &change)
            }
            6 => {
                let (test, other) = (self.boolean(scope, 0), self.created(scope, index, true));
                self.cond(&test, &base, &other)
            }
            7 => self.read_field(scope, |field| field == ty, &base).unwrap_or(base),
            _ => base,
        }
    }

    /// The type of the elements of the array of collections.
    pub(super) fn pots(&self) -> Option<usize> {
        self.globals.iter().find_map(|variable| match variable.ty {
            Ty::Collections(index) => Some(index),
            _ => None,
        })
    }

    /// All elements of an enum.
    fn everything(&mut self) -> (&'static str, Ty) {
        if self.keys && self.chance(70) { ("Key.all", Ty::Key) } else { ("Color.all", Ty::Enum) }
    }

    /// The type of a visible collection.
    fn in_sight(&mut self, scope: &Scope) -> Option<usize> {
        match self.variable(scope, |variable| matches!(variable.ty, Ty::Collection(_)))?.ty {
            Ty::Collection(index) => Some(index),
            _ => None,
        }
    }

    /// A question about a collection.
    pub(super) fn question(&mut self, scope: &Scope, depth: usize) -> Option<Exp> {
        if self.chance(10) {
            let (all, ty) = self.everything();
            return Some(self.quantifier(scope, &atom(all), ty, depth));
        }
        let index = self.in_sight(scope)?;
        let base = self.collection(scope, index, depth.min(1));
        let Collection { kind, element, .. } = self.collections[index];
        Some(match self.rng.below(10) {
            0..=1 => {
                let element = self.part(scope, element);
                let contains = if kind == Kind::Map { "containsKey" } else { "contains" };
                self.operate(index, contains, &[&base, &element])
            }
            2 => self.operate(index, "isEmpty", &[&base]),
            3 => {
                let (operator, other) = (self.pick(&["==", "!="]), self.created(scope, index, true));
                self.binary(&base, operator, &other)
            }
            4 if kind == Kind::Set => {
                let other = self.collection(scope, index, 0);
                self.operate(index, "subset", &[&base, &other])
            }
            4 if kind == Kind::Queue => self.operate(index, "isFull", &[&base]),
            5 if self.helper == Some(index) => {
                let element = self.part(scope, element);
                atom(format!("member({}, {})", base.text, element.text))
            }
            _ => {
                let keys = kind == Kind::Map && self.chance(30);
                let over = if keys { self.operate(index, "keys", &[&base]) } else { base };
                self.quantifier(scope, &over, element, depth)
            }
        })
    }

    fn quantifier(&mut self, scope: &Scope, over: &Exp, element: Ty, depth: usize) -> Exp {
        // A name can hide another one.
        let name = if self.chance(10) { "x0".to_owned() } else { format!("y{}", self.fresh()) };
        let mut inner = scope.clone();
        inner.variables.retain(|variable| variable.name != name);
        inner.variables.push(Variable { name: name.clone(), ty: element, role: Role::Fixed });
        let about = self.about(&inner, &atom(&name), element);
        let body = if depth > 0 && self.chance(50) {
            let (other, operator) =
                (self.boolean(&inner, depth - 1), self.pick(&["&&", "||", "=>", "==", "&"]));
            self.binary(&about, operator, &other)
        } else {
            about
        };
        let word = self.pick(&["forall", "exists"]);
        Exp { text: format!("{word} {name} in {} : {}", over.text, body.text), strength: QUANTIFIED }
    }

    /// A question about an element.
    fn about(&mut self, scope: &Scope, this: &Exp, ty: Ty) -> Exp {
        match ty {
            Ty::Bool => this.clone(),
            Ty::Int(_) => {
                let (operator, other) = (self.pick(&["==", "<", ">="]), self.int_leaf(scope));
                self.binary(this, operator, &other)
            }
            Ty::Tid if self.chance(50) => {
                let ended = atom(format!("threadTerminated({})", this.text));
                if self.dangerous() { ended } else { self.binary(&self.not_null(this), "&&", &ended) }
            }
            Ty::Collection(index) => {
                let element = self.collections[index].element;
                if self.chance(50) {
                    return self.quantifier(scope, this, element, 0);
                }
                let element = self.part(scope, element);
                self.operate(index, "contains", &[this, &element])
            }
            _ => {
                let (operator, other) = (self.pick(&["==", "!="]), self.plain_value(scope, ty));
                self.binary(this, operator, &other)
            }
        }
    }

    /// A number that a collection has.
    pub(super) fn measure(&mut self, scope: &Scope) -> Option<Exp> {
        let index = self.in_sight(scope)?;
        let (base, kind) = (self.collection(scope, index, 1), self.collections[index].kind);
        Some(match kind {
            Kind::Bag if self.chance(50) => {
                let element = self.part(scope, self.collections[index].element);
                self.operate(index, "count", &[&base, &element])
            }
            Kind::Queue if self.chance(40) => self.operate(index, "capacity", &[&base]),
            _ => self.operate(index, "size", &[&base]),
        })
    }

    /// A value of this type from a collection: the first element, or the value of a key.
    pub(super) fn taken(&mut self, scope: &Scope, ty: Ty, otherwise: &Exp) -> Option<Exp> {
        let fits = |collection: &Collection| match collection.kind {
            Kind::Map => collection.value == Some(ty),
            Kind::Seq | Kind::Queue => collection.element == ty,
            Kind::Set | Kind::Bag => false,
        };
        let fitting: Vec<_> = self.collections.iter().map(fits).collect();
        let found = self.variable(scope, |v| matches!(v.ty, Ty::Collection(index) if fitting[index]))?;
        let Ty::Collection(index) = found.ty else { return None };
        let (base, Collection { kind, element, .. }) = (atom(found.name), self.collections[index]);
        let (test, value) = if kind == Kind::Map {
            let key = self.part(scope, element);
            let contains = self.pick(&["contains", "containsKey"]);
            (self.operate(index, contains, &[&base, &key]), self.operate(index, "get", &[&base, &key]))
        } else {
            let value = match self.pick(&["head", "get"]) {
                "get" => self.operate(index, "get", &[&base, &atom("0")]),
                head => self.operate(index, head, &[&base]),
            };
            (self.not_empty(&base, index), value)
        };
        Some(if self.dangerous() { value } else { self.cond(&test, &value, otherwise) })
    }

    /// A change of a collection in one line, which does not fault.
    pub(super) fn change(&mut self, scope: &Scope) -> Option<String> {
        let fits = |v: &Variable| v.role == Role::Free && matches!(v.ty, Ty::Collection(_));
        let Variable { name, ty, .. } = self.variable(scope, fits)?;
        let Ty::Collection(index) = ty else { return None };
        let place = atom(name);
        let entry = self.entry(scope, index);
        Some(match self.rng.below(5) {
            0 => format!("{};", self.operate(index, "remove", &[&place, &entry[0]]).text),
            1 if self.finite(index) => format!("{};", self.added(&place, index, &entry).text),
            1..=2 => format!("{} := {};", place.text, self.grown(&place, index, &entry).text),
            _ => format!("{} := {};", place.text, self.collection_value(scope, index).text),
        })
    }

    /// A statement about a collection.
    pub(super) fn collect(&mut self, body: &mut Body) {
        if self.chance(20) {
            let (all, ty) = self.everything();
            let place = self.chosen_place(body, ty);
            body.line(format!("{place} := Set.choose({all});"));
            return;
        }
        let Some(Target { place, index, test, shared }) = self.target(body) else { return };
        let Collection { kind, element, .. } = self.collections[index];
        let entry = self.entry(&body.scope, index);
        let (question, line) = match self.rng.below(8) {
            0 => {
                let value = self.collection_value(&body.scope, index);
                (None, format!("{} := {};", place.text, value.text))
            }
            1 => (None, format!("{};", self.operate(index, "remove", &[&place, &entry[0]]).text)),
            2..=3 => {
                let asked = if self.finite(index) { None } else { Some(self.has_room(&place, index)) };
                (asked, format!("{};", self.added(&place, index, &entry).text))
            }
            4 if matches!(kind, Kind::Seq | Kind::Queue) => (
                Some(self.not_empty(&place, index)),
                format!("{};", self.operate(index, "tail", &[&place]).text),
            ),
            5 if self.helper == Some(index) => {
                let args = format!("{}, {}", place.text, entry[0].text);
                (None, format!("{} := invoke lose({args});", place.text))
            }
            _ => {
                let to = self.chosen_place(body, element);
                let choice = self.operate(index, "choose", &[&place]);
                (Some(self.not_empty(&place, index)), format!("{to} := {};", choice.text))
            }
        };
        let question = match (test, question) {
            (Some(a), Some(b)) => Some(self.binary(&a, "&&", &b)),
            (a, b) => a.or(b),
        };
        let Some(question) = question.filter(|_| !self.dangerous()) else {
            body.line(line);
            return;
        };
        if shared {
            body.open("atomic");
        }
        body.open(format!("if {} do", question.text));
        body.line(line);
        body.close("end");
        if shared {
            body.close("end");
        }
    }

    /// Puts something new into a collection, if there is a suitable one.
    pub(super) fn keep(&mut self, body: &mut Body, ty: Ty, value: &str) {
        let fits = |collection: &Collection| collection.element == ty && collection.kind != Kind::Map;
        let fitting: Vec<_> = self.collections.iter().map(fits).collect();
        let fits =
            |v: &Variable| v.role == Role::Free && matches!(v.ty, Ty::Collection(index) if fitting[index]);
        let Some(Variable { name, ty: Ty::Collection(index), .. }) = self.variable(&body.scope, fits) else {
            return;
        };
        let grown = self.grown(&atom(&name), index, &[atom(value)]);
        body.line(format!("{name} := {};", grown.text));
    }

    /// A variable, a field or an element of the array.
    fn target(&mut self, body: &mut Body) -> Option<Target> {
        if self.pots().is_some() && self.chance(30) {
            let index = self.pots()?;
            let place = atom(self.pick(&["pots[0]", "pots[1]", "pots[x0 > 0 ? 1 : 0]"]));
            let hidden = !body.scope.variables.iter().any(|v| v.name == "x0" && matches!(v.ty, Ty::Int(_)));
            let place = if hidden { atom("pots[1]") } else { place };
            return Some(Target { place, index, test: None, shared: true });
        }
        if self.chance(30)
            && let Some((test, place, Field { ty: Ty::Collection(index), .. })) =
                self.field_of(&body.scope, |_| true, |field| matches!(field.ty, Ty::Collection(_)))
        {
            return Some(Target { place, index, test: Some(test), shared: true });
        }
        if self.chance(30)
            && let Some(ty @ Ty::Collection(index)) = self.some_collection()
        {
            let place = atom(self.some_local(body, "z", ty));
            return Some(Target { place, index, test: None, shared: false });
        }
        let fits = |v: &Variable| v.role == Role::Free && matches!(v.ty, Ty::Collection(_));
        let variable = self.variable(&body.scope, fits)?;
        let Ty::Collection(index) = variable.ty else { return None };
        let shared = self.globals.iter().any(|global| global.name == variable.name);
        Some(Target { place: atom(variable.name), index, test: None, shared })
    }

    /// The place for a chosen element.
    fn chosen_place(&mut self, body: &mut Body, element: Ty) -> String {
        let takes = |ty: Ty| match (ty, element) {
            (Ty::Int(int), Ty::Int(_)) => !matches!(INTS[int].fit, Fit::Above(_)),
            _ => ty == element,
        };
        match self.variable(&body.scope, |variable| variable.role == Role::Free && takes(variable.ty)) {
            Some(variable) if self.chance(70) => variable.name,
            _ => self.some_local(body, "w", element),
        }
    }

    /// A `when` with a choice from a collection that is not empty.
    pub(super) fn choice(&mut self, body: &mut Body) -> Option<(Exp, String)> {
        let index = self.in_sight(&body.scope)?;
        let base = self.collection(&body.scope, index, 0);
        let place = self.chosen_place(body, self.collections[index].element);
        let choice = self.operate(index, "choose", &[&base]);
        Some((self.not_empty(&base, index), format!("{place} := {};", choice.text)))
    }

    /// An operation on collections that may well fault.
    pub(super) fn collection_risk(&mut self, scope: &Scope) -> Option<String> {
        let fits = |v: &Variable| v.role == Role::Free && matches!(v.ty, Ty::Collection(_));
        let Variable { name, ty, .. } = self.variable(scope, fits)?;
        let Ty::Collection(index) = ty else { return None };
        let (place, entry) = (atom(name), self.entry(scope, index));
        let kind = self.collections[index].kind;
        Some(match kind {
            Kind::Seq | Kind::Queue if self.chance(30) => {
                format!("{};", self.operate(index, "tail", &[&place]).text)
            }
            Kind::Seq | Kind::Queue if self.chance(40) => {
                let at = self.int_leaf(scope);
                format!("{};", self.operate(index, "put", &[&place, &at, &entry[0]]).text)
            }
            Kind::Queue => format!("{};", self.added(&place, index, &entry).text),
            Kind::Map => {
                let value = self.operate(index, "get", &[&place, &entry[0]]);
                format!("assert {0} == {0};", value.text)
            }
            _ => {
                let question = self.not_empty(&place, index);
                format!("assert {};", question.text)
            }
        })
    }

    /// A question that names an element, which is then no longer like the others.
    pub(super) fn named_element(&mut self, scope: &Scope) -> Option<Exp> {
        if !self.names_elements {
            return None;
        }
        let key = self.variable(scope, |variable| variable.ty == Ty::Key)?;
        let (named, operator) = (self.pick(&["Key.K0", "Key.K0", "Key.K2"]), self.pick(&["==", "!="]));
        if self.chance(30) {
            let text = format!("exists k in Key.all : k == {named} && k {operator} {}", key.name);
            return Some(Exp { text, strength: QUANTIFIED });
        }
        Some(self.binary(&atom(key.name), operator, &atom(named)))
    }
}
