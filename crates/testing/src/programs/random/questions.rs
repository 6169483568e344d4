//! Questions about collections.

use super::Generator;
use super::body::Body;
use super::collections::{Predicate, Variable};
use super::kinds::Kind;

impl Generator {
    /// A number that a collection gives.
    pub(super) fn measure(&mut self, body: &Body) -> String {
        let Variable { name, kind } = self.place(body);
        let number = matches!(kind.parts().last(), Some(Kind::Bit | Kind::Wrap));
        match &kind {
            Kind::Bag(element) if self.chance(60) => format!("{name}.count({})", self.value(body, element)),
            Kind::Queue(_) if self.chance(25) => format!("{name}.capacity()"),
            Kind::Map(key, _) if number && self.chance(70) => {
                let key = self.value(body, key);
                self.careful(&format!("{name}.contains({key})"), &format!("{name}.get({key})"), "1")
            }
            Kind::Seq(_) | Kind::Queue(_) if number && self.chance(70) => match self.rng.below(4) {
                0..=1 => self.careful(&format!("{name}.size() > 0"), &format!("{name}.head()"), "0"),
                2 if self.grows(&kind) => format!("total({name})"),
                _ => {
                    let index = self.small_index(body);
                    self.careful(&format!("{name}.size() > {index}"), &format!("{name}.get({index})"), "y")
                }
            },
            _ => format!("{name}.size()"),
        }
    }

    /// A condition on collections.
    pub(super) fn question(&mut self, body: &Body) -> String {
        let Variable { name, kind } = self.place(body);
        let element = self.value(body, kind.element());
        match self.rng.below(14) {
            0..=4 => {
                if let Some(quantifier) = self.quantifier(body, &name, &kind) {
                    return quantifier;
                }
            }
            5 => {
                let other = self.value(body, &kind);
                return format!("({name} {} {other})", self.pick(&["==", "!="]));
            }
            6..=7 => {
                let number = self.pick(&["0", "1", "2"]);
                return format!("({name}.size() {} {number})", self.pick(&["==", "!=", "<", ">"]));
            }
            8 => return format!("(name {} {})", self.pick(&["==", "!="]), self.pick(&["rival", "null"])),
            9..=11 => match &kind {
                Kind::Set(_) => {
                    let other = self.value(body, &kind);
                    return format!("{name}.subset({other})");
                }
                Kind::Map(key, value) => {
                    let value = self.value(body, value);
                    if self.chance(30) {
                        let keys = self.value(body, &Kind::Set(key.clone()));
                        return format!("({name}.keys() == {keys})");
                    }
                    let equal = format!("{name}.get({element}) == {value}");
                    return self.careful(&format!("{name}.contains({element})"), &equal, "b");
                }
                Kind::Seq(_) | Kind::Queue(_) => {
                    let equal = format!("{name}.head() == {element}");
                    return self.careful(&format!("{name}.size() > 0"), &equal, "b");
                }
                Kind::Bag(_) => return format!("({name}.count({element}) > {})", self.pick(&["0", "1"])),
                _ => {}
            },
            _ => {}
        }
        format!("{name}.contains({element})")
    }

    fn quantifier(&mut self, body: &Body, name: &str, kind: &Kind) -> Option<String> {
        let Predicate { name: fun, captured, .. } = self.predicate_for(kind, |_| true)?;
        let captured = captured.map(|kind| format!(", {}", self.value(body, &kind))).unwrap_or_default();
        Some(format!("{}({name}, {fun}{captured})", self.pick(&["forall", "exists"])))
    }

    pub(super) fn collection_assertion(&mut self, body: &Body) -> String {
        if self.dangerous() || self.dangerous() {
            let Variable { name, kind } = self.place(body);
            return match self.rng.below(4) {
                0 => "assert name != Name::ada;".to_owned(),
                1 => "assert rival == Name::bob => name != Name::cid;".to_owned(),
                2 if kind.element() == &Kind::Name => format!("assert !{name}.contains(Name::bob);"),
                _ => format!("assert {};", self.question(body)),
            };
        }
        let place = self.place(body);
        format!("assert {};", self.collected(&place))
    }

    /// An invariant about the places that exist from the beginning.
    pub(super) fn collection_invariant(&mut self) -> String {
        if self.dangerous() || self.dangerous() {
            let broken =
                ["name != Name::ada", "name == null || name != rival", "rival == null || rival == Name::bob"];
            return self.pick(&broken).to_owned();
        }
        let shared = self.collections.iter().flat_map(|collections| &collections.places);
        let globals: Vec<_> = shared.filter(|place| !place.name.contains(['.', '['])).cloned().collect();
        let place = self.rng.pick(&globals).clone();
        self.collected(&place)
    }

    /// A condition that holds of a collection in every program without danger; some name elements.
    fn collected(&mut self, place: &Variable) -> String {
        let Variable { name, kind } = place;
        let small = format!("{name}.size() <= 3");
        match self.rng.below(9) {
            0..=1 => "(name == Name::ada => name != Name::bob)".to_owned(),
            2 => "name == null || (all Name).contains(name)".to_owned(),
            3..=4 if kind.element() == &Kind::Name => {
                format!("{name}.contains(Name::cid) => {name}.size() > 0")
            }
            3..=7 => {
                let plain = |predicate: &Predicate| {
                    !predicate.asks && predicate.captured.as_ref().is_none_or(|kind| *kind == Kind::Name)
                };
                match self.predicate_for(kind, plain) {
                    Some(Predicate { name: fun, captured, .. }) => {
                        let captured = if captured.is_some() { ", Name::bob" } else { "" };
                        let quantifier = self.pick(&["forall", "exists"]);
                        format!("{quantifier}({name}, {fun}{captured}) || {small}")
                    }
                    None => small,
                }
            }
            _ => small,
        }
    }
}
