//! A procedure under construction: places with transitions between them.

use super::collections::Variable;
use super::{Generator, put};

#[derive(Default)]
pub(super) struct Place {
    pub name: String,
    pub resume: Option<String>,
    pub atomic: bool,
    /// Whether it is a handler of exceptions.
    pub handles: bool,
    pub transitions: Vec<String>,
}

/// A procedure under construction.
#[derive(Default)]
pub(super) struct Body {
    pub places: Vec<Place>,
    pub catches: Vec<String>,
    /// Locals with their types and initial values, without parameters.
    pub locals: Vec<(String, String, &'static str)>,
    pub params: Vec<&'static str>,
    /// Names of locals that expressions may use, by kind.
    pub ints: Vec<String>,
    pub nodes: Vec<String>,
    pub tids: Vec<String>,
    pub names: Vec<String>,
    pub collections: Vec<Variable>,
    /// Locals that live sets keep.
    pub kept: Vec<String>,
    pub atomic: bool,
    /// Inside something that repeats: no threads are started here, and the heap does not grow.
    pub repeats: bool,
    /// Whether exceptions are caught, here or in a caller.
    pub caught: bool,
    /// A function that may be left at any time, with this text.
    pub leave: &'static str,
}

impl Body {
    pub(super) fn open(&mut self) -> usize {
        let name = format!("L{}", self.places.len());
        self.places.push(Place { name, resume: None, atomic: self.atomic, ..Place::default() });
        self.places.len() - 1
    }

    /// A transition; `what` is everything but the jump.
    pub(super) fn step(&mut self, from: usize, what: &str, to: usize) {
        let jump = format!("{what} goto {};", self.places[to].name);
        self.places[from].transitions.push(jump);
    }

    /// A transition to a new place.
    pub(super) fn then(&mut self, from: usize, what: &str) -> usize {
        let to = self.open();
        self.step(from, what, to);
        to
    }

    pub(super) fn local(&mut self, name: &str, ty: &str, init: &'static str) -> String {
        if self.locals.iter().all(|(other, ..)| other != name) {
            self.locals.push((name.to_owned(), ty.to_owned(), init));
        }
        name.to_owned()
    }

    pub(super) fn fresh(&mut self, prefix: &str, ty: &str, init: &'static str) -> String {
        let name = format!("{prefix}{}", self.locals.len());
        self.local(&name, ty, init)
    }
}

impl Generator {
    pub(super) fn print(&mut self, out: &mut String, head: &str, body: &Body) {
        let mut text = format!("{head} {{\n");
        for (name, ty, init) in &body.locals {
            let synthetic = if self.chance(10) { "synthetic " } else { "" };
            put(&mut text, &format!("  {synthetic}local {ty} {name}{init};"));
        }
        for catch in &body.catches {
            put(&mut text, &format!("  {catch}"));
        }
        for place in &body.places {
            let atomic = if place.atomic { " atomic" } else { "" };
            if let Some(resume) = &place.resume {
                put(&mut text, &format!("  resume {}{atomic} {resume}", place.name));
                continue;
            }
            let likely = if place.handles { 50 } else { 12 };
            let live = if self.chance(likely) { self.live(body) } else { String::new() };
            put(&mut text, &format!("  loc {}{atomic}{live}:", place.name));
            for transition in &place.transitions {
                put(&mut text, &format!("    {transition}"));
            }
        }
        text.push_str("}\n");
        out.push_str(&text);
    }

    /// Most of the locals; those that are dereferenced without a test only with danger.
    pub(super) fn live(&mut self, body: &Body) -> String {
        let mut live = Vec::new();
        for &name in &body.params {
            if name == "self" || self.chance(70) {
                live.push(name);
            }
        }
        for (name, ty, _) in &body.locals {
            let keep = body.kept.contains(name) || (ty == "lock" && self.danger == 0);
            if keep || self.chance(60) {
                live.push(name.as_str());
            }
        }
        format!(" live {{{}}}", live.join(", "))
    }

    /// Ends a body.
    pub(super) fn finish(&mut self, body: &mut Body, at: usize, exit: &str) {
        let actions =
            if self.chance(40) { format!("do {{ {} }} ", self.assignment(body)) } else { String::new() };
        body.places[at].transitions.push(format!("{actions}{exit};"));
    }
}
