//! How collections change.

use super::Generator;
use super::body::{Body, Place};
use super::collections::Variable;
use super::kinds::Kind;

impl Generator {
    /// An assignment, or a choice, that has to do with collections.
    pub(super) fn collection_assignment(&mut self, body: &Body) -> String {
        let place = self.place(body);
        let Variable { name, kind } = &place;
        match self.rng.below(10) {
            0 => format!("{} := choose all Name;", self.name()),
            1 => format!("{} := {};", self.name(), self.value(body, &Kind::Name)),
            2 if self.chance(50) => "c := choose all Color;".to_owned(),
            2..=3 if kind.element() == &Kind::Name => {
                let other = self.created(body, kind, 1);
                let from = self.careful(&format!("{name}.size() > 0"), name, &other);
                format!("rival := choose {from};")
            }
            _ => {
                let (guard, value) = self.change(body, &place);
                match guard {
                    Some(guard) => format!("{name} := {guard} ? {value} : {name};"),
                    None => format!("{name} := {value};"),
                }
            }
        }
    }

    /// A statement about collections.
    pub(super) fn collection_statement(&mut self, body: &mut Body, at: usize) -> usize {
        match self.rng.below(24) {
            0..=5 => {
                let place = self.place(body);
                let (guard, value) = self.change(body, &place);
                guarded(body, at, guard.as_deref(), &format!("{} := {value};", place.name))
            }
            6..=10 => self.choose(body, at),
            11..=12 => self.take_first(body, at),
            13..=14 => {
                let place = self.place(body);
                let local = self.local_place(body, &place.kind);
                let back =
                    if self.chance(30) { format!(" {} := {local};", place.name) } else { String::new() };
                let at = body.then(at, &format!("do {{ {local} := {}; }}", place.name));
                let change = self.collection_assignment(body);
                body.then(at, &format!("do {{ {change}{back} }}"))
            }
            15..=16 => self.store(body, at),
            17..=18 => {
                let assertion = self.collection_assertion(body);
                body.then(at, &format!("do {{ {assertion} }}"))
            }
            19 => {
                let (change, question) = (self.collection_assignment(body), self.question(body));
                body.then(at, &format!("do {{ {change} assume {question}; }}"))
            }
            20..=21 if self.danger > 0 => {
                let (guard, mistake) = (self.condition(body, 1), self.collection_mistake(body));
                guarded(body, at, Some(&guard), &mistake)
            }
            _ => {
                let (guard, actions) = (self.question(body), self.actions(body));
                let to = body.then(at, &format!("when {guard} do {{ {actions} }}"));
                if self.chance(80) {
                    body.step(at, "else", to);
                }
                to
            }
        }
    }

    /// Another value for a place, and the condition under which it may be stored.
    fn change(&mut self, body: &Body, place: &Variable) -> (Option<String>, String) {
        let Variable { name, kind } = place;
        let element = self.value(body, kind.element());
        let choice = self.rng.below(10);
        match (choice, kind) {
            (0..=3, Kind::Queue(_)) if self.danger > 0 && self.chance(30) => {
                (None, format!("{name}.add({element})"))
            }
            (0..=3, _) => {
                let (guard, more) = self.grown(body, name, kind, &element);
                (Some(guard), more)
            }
            (4, _) => (None, format!("{name}.remove({element})")),
            (5, _) if self.grows(kind) => (None, format!("more({name}, {element})")),
            (5..=6, Kind::Set(_)) => {
                let (less, other) = (self.pick(&["intersection", "difference"]), self.value(body, kind));
                (None, format!("{name}.{less}({other})"))
            }
            (7..=8, Kind::Set(_)) => {
                let union = format!("{name}.union({})", self.value(body, kind));
                (Some(format!("{union}.size() <= 3")), union)
            }
            (5..=6, Kind::Seq(_) | Kind::Queue(_)) => {
                (self.guard(format!("{name}.size() > 0")), format!("{name}.tail()"))
            }
            (7..=8, Kind::Seq(_) | Kind::Queue(_)) => {
                let index = self.small_index(body);
                (self.guard(format!("{name}.size() > {index}")), format!("{name}.put({index}, {element})"))
            }
            _ => (None, self.value(body, kind)),
        }
    }

    /// A guard against a fault.
    fn guard(&mut self, guard: String) -> Option<String> {
        // Collections are full or empty less often than references are null.
        (!self.dangerous() && !self.dangerous()).then_some(guard)
    }

    fn choose(&mut self, body: &mut Body, at: usize) -> usize {
        if self.chance(30) {
            let kind = self.rng.pick(&[Kind::Name, Kind::Name, Kind::Color]).clone();
            let to = self.destination(body, &kind);
            let rest = if self.chance(50) { self.assignment(body) } else { String::new() };
            return body.then(at, &format!("do {{ {to} := choose all {kind}; {rest} }}"));
        }
        let Variable { name, kind } = self.place(body);
        let to = self.destination(body, kind.element());
        let from = match &kind {
            Kind::Map(..) if self.chance(50) => format!("{name}.keys()"),
            _ => name.clone(),
        };
        let rest = match self.rng.below(6) {
            0..=1 => format!("{name} := {name}.remove({to});"),
            2 => format!("{} := choose {from};", self.destination(body, kind.element())),
            3 => self.assignment(body),
            _ => String::new(),
        };
        let guard = self.guard(format!("{name}.size() > 0"));
        guarded(body, at, guard.as_deref(), &format!("{to} := choose {from}; {rest}"))
    }

    /// The first element of a sequence or queue, or the value of a key.
    fn take_first(&mut self, body: &mut Body, at: usize) -> usize {
        let Variable { name, kind } = self.place(body);
        match &kind {
            Kind::Seq(element) | Kind::Queue(element) => {
                let to = self.destination(body, element);
                let rest = if self.chance(70) { format!("{name} := {name}.tail();") } else { String::new() };
                let guard = self.guard(format!("{name}.size() > 0"));
                guarded(body, at, guard.as_deref(), &format!("{to} := {name}.head(); {rest}"))
            }
            Kind::Map(key, value) => {
                let (to, key) = (self.destination(body, value), self.value(body, key));
                let guard = self.guard(format!("{name}.contains({key})"));
                guarded(body, at, guard.as_deref(), &format!("{to} := {name}.get({key});"))
            }
            _ => self.choose(body, at),
        }
    }

    /// A function that takes a collection and returns one.
    fn store(&mut self, body: &mut Body, at: usize) -> usize {
        let Some(kind) = self.collections.as_ref().and_then(|collections| collections.growing.clone()) else {
            return self.choose(body, at);
        };
        let (args, into) =
            ([self.value(body, &kind), self.value(body, kind.element())], self.destination(body, &kind));
        let to = body.open();
        let resume = format!("R{}", body.places.len());
        let call = format!("call store({}) resume {resume};", args.join(", "));
        let text = format!("of {} into {into} goto {};", body.places[at].name, body.places[to].name);
        body.places[at].transitions.push(call);
        body.places.push(Place { name: resume, resume: Some(text), atomic: body.atomic, ..Place::default() });
        to
    }

    /// Something that may be wrong, sometimes.
    pub(super) fn collection_mistake(&mut self, body: &mut Body) -> String {
        let Variable { name, kind } = self.place(body);
        let element = self.value(body, kind.element());
        let index = self.int(body, 0);
        match &kind {
            Kind::Queue(_) if self.chance(30) => format!("{name} := {kind}({index}, {element});"),
            Kind::Queue(_) if self.chance(40) => format!("{name} := {name}.add({element}).add({element});"),
            Kind::Seq(of) | Kind::Queue(of) => match self.rng.below(4) {
                0 => format!("{name} := {name}.tail();"),
                1 => format!("{name} := {name}.put({index}, {element});"),
                2 => format!("{} := {name}.head();", self.destination(body, of)),
                _ => format!("{} := {name}.get({index});", self.destination(body, of)),
            },
            Kind::Map(_, value) if self.chance(60) => {
                format!("{} := {name}.get({element});", self.destination(body, value))
            }
            _ if kind.element() == &Kind::Bit && self.chance(40) => {
                format!("{} := choose {};", self.pick(&["x", "y"]), self.created(body, &kind, 1))
            }
            _ => format!("{} := choose {name};", self.destination(body, kind.element())),
        }
    }

    /// A place for an element.
    fn destination(&mut self, body: &mut Body, kind: &Kind) -> String {
        let global = match kind {
            Kind::Bool => "b",
            Kind::Bit if self.table && self.chance(50) => "cells[x & 1]",
            Kind::Bit | Kind::Wrap => self.pick(&["x", "y"]),
            Kind::Color => "c",
            Kind::Name if body.names.is_empty() && self.chance(30) => {
                let local = body.fresh("j", "Name", "");
                body.names.push(local.clone());
                return local;
            }
            Kind::Name if !body.names.is_empty() && self.chance(40) => {
                return self.rng.pick(&body.names).clone();
            }
            Kind::Name => self.name(),
            Kind::Word => "word",
            Kind::Node => self.pick(&["spare", "head"]),
            Kind::Tid => "other",
            Kind::Lock | Kind::Cells => return body.fresh("w", &kind.to_string(), ""),
            _ => {
                let places = self.places_of(body, kind);
                if places.is_empty() || self.chance(30) {
                    return self.local_place(body, kind);
                }
                return self.rng.pick(&places).clone();
            }
        };
        global.to_owned()
    }

    /// A local variable for collections of this kind.
    fn local_place(&mut self, body: &mut Body, kind: &Kind) -> String {
        let known = body.collections.iter().find(|place| place.kind == *kind);
        if let Some(known) = known
            && self.rng.chance(70)
        {
            return known.name.clone();
        }
        let name = body.fresh("g", &kind.to_string(), "");
        body.collections.push(Variable { name: name.clone(), kind: kind.clone() });
        name
    }
}

/// A transition, with a way around it if it has a guard.
fn guarded(body: &mut Body, at: usize, guard: Option<&str>, actions: &str) -> usize {
    match guard {
        Some(guard) => {
            let to = body.then(at, &format!("when {guard} do {{ {actions} }}"));
            body.step(at, "else", to);
            to
        }
        None => body.then(at, &format!("do {{ {actions} }}")),
    }
}
