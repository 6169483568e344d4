//! Bodies that are made of locations.

use super::exprs::{Exp, atom};
use super::statements::Body;
use super::types::{DIGIT, Ty};
use super::{Generator, Role};

/// Locations under construction.
#[derive(Default)]
struct Graph {
    /// The transformations of each.
    places: Vec<Vec<String>>,
    catches: Vec<String>,
    /// Locals that keep their values everywhere.
    kept: Vec<String>,
}

impl Graph {
    fn open(&mut self) -> usize {
        self.places.push(Vec::new());
        self.places.len() - 1
    }

    fn step(&mut self, from: usize, what: &str, to: usize) {
        self.places[from].push(format!("{what} goto L{to};"));
    }

    fn then(&mut self, from: usize, what: &str) -> usize {
        let to = self.open();
        self.step(from, what, to);
        to
    }
}

impl Generator {
    /// A body of locations. `waits` for the setup, and returns `value`.
    pub(super) fn locations(
        &mut self,
        head: &str,
        mut body: Body,
        segments: usize,
        waits: bool,
        value: Option<String>,
    ) -> Vec<String> {
        let mut graph = Graph::default();
        let mut at = graph.open();
        if waits {
            at = graph.then(at, "when ready do { }");
        }
        for _ in 0..segments {
            at = self.segment(&mut graph, &mut body, at);
        }
        if body.signals && self.locks {
            let lines = "lock(m); flag := true; notifyAll(m); unlock(m);";
            at = graph.then(at, &format!("do {{ {lines} }}"));
        }
        let value = value.map_or_else(String::new, |value| format!(" {value}"));
        graph.places[at].push(format!("do {{ }} return{value};"));
        self.print_locations(head, &body, graph)
    }

    fn print_locations(&mut self, head: &str, body: &Body, graph: Graph) -> Vec<String> {
        let mut lines = vec![format!("{head} {{")];
        lines.extend(body.declarations());
        let Graph { places, catches, kept } = graph;
        let mut elements = Vec::new();
        for (index, transformations) in places.into_iter().enumerate() {
            let live = if self.chance(20) { self.live(body, &kept) } else { String::new() };
            let mut element = vec![format!("  loc L{index}:{live}")];
            element.extend(transformations.into_iter().map(|line| format!("    {line}")));
            elements.push(element);
        }
        // Their order among themselves matters, that among locations does not.
        for catch in catches {
            elements.push(vec![format!("  {catch}")]);
        }
        lines.extend(elements.into_iter().flatten());
        lines.push("}".to_owned());
        lines
    }

    /// The locals that have to be kept, and some others.
    fn live(&mut self, body: &Body, kept: &[String]) -> String {
        let globals = &self.globals;
        let locals =
            body.scope.variables.iter().filter(|v| globals.iter().all(|global| global.name != v.name));
        let names: Vec<_> = locals.map(|variable| variable.name.clone()).collect();
        let live: Vec<_> = names.into_iter().filter(|name| kept.contains(name) || self.chance(60)).collect();
        if live.is_empty() { " live {}".to_owned() } else { format!(" live {{ {} }}", live.join(", ")) }
    }

    /// The actions of one transformation.
    fn actions(&mut self, body: &Body) -> String {
        let mut actions = Vec::new();
        for _ in 0..self.rng.below(3) {
            actions.push(self.assignment(&body.scope));
        }
        if self.chance(15) {
            let test = self.boolean(&body.scope, 1);
            let sure = if self.dangerous() { test } else { self.binary(&test, "|", &self.not(&test)) };
            let word = self.pick(&["assert", "assume"]);
            actions.push(format!("{word} {};", sure.text));
        }
        actions.join(" ")
    }

    fn perform(&mut self, body: &Body) -> String {
        let invisible = if self.chance(10) { "invisible " } else { "" };
        format!("do {invisible}{{ {} }}", self.actions(body))
    }

    /// `when test`, and the opposite. A test that faults does so in both cases.
    fn either(&self, test: &Exp) -> (String, String) {
        (format!("when {}", test.text), format!("when {}", self.not(test).text))
    }

    fn segment(&mut self, graph: &mut Graph, body: &mut Body, at: usize) -> usize {
        match self.rng.below(15) {
            0..=2 => self.branches(graph, body, at),
            3 if self.locks => {
                let actions = self.actions(body);
                let at = graph.then(at, "do { lock(m); }");
                graph.then(at, &format!("do {{ {actions} unlock(m); }}"))
            }
            4 if self.locks && !body.signals => self.wait(graph, at),
            5..=6 => self.call_location(graph, body, at),
            7 => self.rounds(graph, body, at),
            8 if !body.repeats => {
                let to = graph.open();
                let test = self.boolean(&body.scope, 1);
                let (on, off) = self.either(&test);
                let (back, perform) = (self.rng.below(at + 1), self.perform(body));
                graph.step(at, &format!("{on} {perform}"), back);
                graph.step(at, &format!("{off} do {{ }}"), to);
                to
            }
            9..=10 if self.exceptions => self.throw_location(graph, body, at),
            11..=12 if self.heap => self.heap_location(graph, body, at),
            13..=14 if !self.collections.is_empty() => {
                let Some((test, line)) = self.choice(body) else { return graph.then(at, "do { }") };
                let (to, actions) = (graph.open(), self.actions(body));
                let (on, off) = self.either(&test);
                graph.step(at, &format!("{on} do {{ {line} {actions} }}"), to);
                graph.step(at, &format!("{off} do {{ }}"), to);
                to
            }
            _ => {
                let perform = self.perform(body);
                graph.then(at, &perform)
            }
        }
    }

    /// Several transformations, some of them always possible.
    fn branches(&mut self, graph: &mut Graph, body: &Body, at: usize) -> usize {
        let to = graph.open();
        let test = self.boolean(&body.scope, 1);
        let (on, off) = self.either(&test);
        let heads = match self.rng.below(3) {
            0 => vec![on, off],
            1 => vec![on, String::new()],
            _ => vec![on, off, String::new()],
        };
        for head in heads {
            let perform = self.perform(body);
            let what = format!("{head} {perform}");
            if self.chance(30) {
                let other = graph.then(at, what.trim());
                let perform = self.perform(body);
                graph.step(other, &perform, to);
            } else {
                graph.step(at, what.trim(), to);
            }
        }
        to
    }

    fn wait(&mut self, graph: &mut Graph, at: usize) -> usize {
        let at = graph.then(at, "do { lock(m); }");
        let back = graph.open();
        let done = graph.open();
        graph.step(at, "when flag do { unlock(m); }", done);
        graph.step(at, "when !flag do { wait(m); }", back);
        let notified = if self.chance(30) { "when wasNotified(m) " } else { "" };
        graph.step(back, &format!("{notified}do {{ unwait(m); }}"), at);
        done
    }

    fn call_location(&mut self, graph: &mut Graph, body: &mut Body, at: usize) -> usize {
        let place = self.result_place(&body.scope);
        if let Some(root) = self.table
            && self.chance(40)
        {
            let (to, arg) = (graph.open(), self.value(&body.scope, DIGIT));
            let receiver = self.variable(&body.scope, |variable| variable.ty == Ty::Record(0));
            let receiver = atom(receiver.map_or_else(|| "head".to_owned(), |variable| variable.name));
            let call = format!("{place}invoke virtual visit({}, {})", receiver.text, arg.text);
            let (on, off) = self.either(&self.instance_of(&receiver, root));
            graph.step(at, &format!("{on} {call}"), to);
            graph.step(at, &format!("{off} do {{ }}"), to);
            return to;
        }
        let Some((name, args, result)) = self.call(body) else { return graph.then(at, "do { }") };
        let place = if result { place } else { String::new() };
        graph.then(at, &format!("{place}invoke {name}({args})"))
    }

    /// A loop that ends.
    fn rounds(&mut self, graph: &mut Graph, body: &mut Body, at: usize) -> usize {
        let counter = self.local(body, "i", DIGIT, Role::Fixed);
        graph.kept.push(counter.clone());
        let (perform, rounds) = (self.actions(body), 1 + self.rng.below(2));
        let to = graph.open();
        graph.step(
            at,
            &format!("when {counter} < {rounds} do {{ {counter} := {counter} + 1; {perform} }}"),
            at,
        );
        graph.step(at, &format!("when {counter} >= {rounds} do {{ {counter} := 0; }}"), to);
        to
    }

    /// Throws, and catches here what is thrown.
    fn throw_location(&mut self, graph: &mut Graph, body: &mut Body, at: usize) -> usize {
        let failure = self.failure();
        let local = self.some_local(body, "e", Ty::Record(failure));
        graph.kept.push(local.clone());
        // A `throw` at `at` is covered there, so it has to be a location of its own.
        let at = graph.then(at, "do { }");
        let (to, handler) = (graph.open(), graph.open());
        if self.chance(50) {
            let place = self.result_place(&body.scope);
            let arg = self.value(&body.scope, DIGIT);
            graph.step(at, &format!("{place}invoke risky({})", arg.text), to);
        } else {
            let test = self.boolean(&body.scope, 1);
            let (on, off) = self.either(&test);
            let (record, actions) = (*self.rng.pick(&self.below(failure)), self.actions(body));
            let name = &self.records[record].name;
            graph.step(at, &format!("{on} do {{ {local} := new {name}; {actions} throw {local}; }}"), to);
            graph.step(at, &format!("{off} do {{ }}"), to);
        }
        let forget = self.pick(&["", ":= null"]);
        let forget = if forget.is_empty() { String::new() } else { format!("{local} {forget};") };
        graph.step(handler, &format!("do {{ {forget} }}"), to);
        let below = self.below(failure);
        let mut records = vec![*self.rng.pick(&below)];
        if records[0] != failure && !self.dangerous() {
            records.push(failure);
        }
        for record in records {
            let name = &self.records[record].name;
            graph.catches.push(format!("catch {name} {local} at L{at} goto L{handler};"));
        }
        to
    }

    /// Makes an object, or writes to one if it exists.
    fn heap_location(&mut self, graph: &mut Graph, body: &mut Body, at: usize) -> usize {
        let written = self.field_of(&body.scope, |_| true, |_| true);
        match written {
            Some((test, field, declared)) if self.chance(70) => {
                let value = self.value(&body.scope, declared.ty);
                let to = graph.open();
                let (on, off) = self.either(&test);
                graph.step(at, &format!("{on} do {{ {} := {}; }}", field.text, value.text), to);
                graph.step(at, &format!("{off} do {{ }}"), to);
                to
            }
            _ => {
                let record = *self.rng.pick(&self.below(0));
                let value = atom(format!("new {}", self.records[record].name));
                graph.then(at, &format!("do {{ head := {}; }}", value.text))
            }
        }
    }
}
