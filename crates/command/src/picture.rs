//! Pictures of states, runs and graphs of models in Rust.
//!
//! A state is a tree of values. Its fields are rows of one box; a field that is a map with individuals or objects as keys
//! is told of these: each of them is a box, with a row for each such map. References to individuals are arrows.

use std::collections::BTreeMap;

use draw::chart::{Chart, Lane, Overview, Row};
use draw::scene::{Fate, Field, Part, Role, Scene};
use quotient_model::{Model, Program, Shape, Taken, Term};

use crate::show;

/// The scene of a state, with what differs from the state before.
pub fn scene(title: &str, before: Option<&Term>, state: &Term) -> Scene {
    let mut parts = parts(state);
    if let Some(before) = before {
        let old = self::parts(before);
        for part in &mut parts {
            match old.iter().find(|other| other.name == part.name) {
                None => part.fate = Fate::Made,
                Some(other) => {
                    for field in &mut part.fields {
                        field.is_changed = other.fields.iter().all(|old| old.text != field.text);
                    }
                }
            }
        }
        for gone in old {
            if parts.iter().all(|part| part.name != gone.name) {
                let fields =
                    gone.fields.into_iter().map(|field| Field { targets: Vec::new(), ..field }).collect();
                parts.push(Part { fate: Fate::Ended, fields, ..gone });
            }
        }
    }
    Scene { title: title.to_owned(), parts, claims: Vec::new() }
}

fn parts(state: &Term) -> Vec<Part> {
    let Term::Record { fields, .. } = state else {
        let fields = vec![field("", state)];
        return vec![Part { name: "state".to_owned(), role: Role::Globals, fields, ..Part::default() }];
    };
    let mut own: Vec<Field> = Vec::new();
    let mut rows: BTreeMap<&Term, Vec<Field>> = BTreeMap::new();
    for (name, value) in fields {
        match value {
            Term::Map(entries)
                if !entries.is_empty()
                    && entries.iter().all(|(key, _)| matches!(key, Term::Individual { .. })) =>
            {
                for (key, value) in entries {
                    let rows = rows.entry(key).or_default();
                    match value {
                        // The fields of an object are rows of their own.
                        Term::Record { fields, .. } => {
                            rows.extend(
                                fields.iter().map(|(inner, value)| field(&format!("{name}.{inner}"), value)),
                            );
                        }
                        value => rows.push(field(name, value)),
                    }
                }
            }
            value => own.push(field(name, value)),
        }
    }
    let mut parts = Vec::new();
    if !own.is_empty() || rows.is_empty() {
        parts.push(Part { name: "state".to_owned(), role: Role::Globals, fields: own, ..Part::default() });
    }
    parts.extend(rows.into_iter().map(|(key, fields)| {
        let kind = match key {
            Term::Individual { sort, .. } => sort.clone(),
            _ => String::new(),
        };
        Part { name: key.to_string(), kind, fields, ..Part::default() }
    }));
    parts
}

fn field(name: &str, value: &Term) -> Field {
    let mut targets = Vec::new();
    individuals(value, &mut targets);
    let text = if name.is_empty() { value.to_string() } else { format!("{name} = {value}") };
    Field { text, targets, ..Field::default() }
}

/// The individuals and objects that a value mentions.
fn individuals(value: &Term, found: &mut Vec<String>) {
    match value {
        Term::Individual { .. } => {
            let name = value.to_string();
            if !found.contains(&name) {
                found.push(name);
            }
        }
        Term::Tuple { fields, .. } | Term::Sequence(fields) | Term::Set(fields) => {
            for value in fields {
                individuals(value, found);
            }
        }
        Term::Record { fields, .. } => fields.iter().for_each(|(_, value)| individuals(value, found)),
        Term::Bag(entries) => entries.iter().for_each(|(value, _)| individuals(value, found)),
        Term::Map(entries) => entries.iter().for_each(|(key, value)| {
            individuals(key, found);
            individuals(value, found);
        }),
        Term::Bool(_) | Term::Number(_) | Term::Char(_) | Term::Text(_) => {}
    }
}

/// A run, as pictures have it.
pub struct Run<'a, M: Model> {
    pub program: &'a Program<M>,
    pub initial: &'a M::State,
    pub steps: &'a [Taken<M::State, M::Action>],
    /// The number of steps before those that are repeated for ever.
    pub cycle: Option<usize>,
    /// What the run ends in.
    pub ending: Option<String>,
}

impl<M: Model> Run<'_, M> {
    /// The lanes of the steps: processes by their names, in the order in which they act.
    fn lanes(&self) -> (Vec<String>, Vec<usize>) {
        let mut names: Vec<String> = Vec::new();
        let lane = |taken: &Taken<M::State, M::Action>| {
            let name = match self.program.process_name(taken.process) {
                name if name.is_empty() => "steps".to_owned(),
                name => name,
            };
            names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let lanes = self.steps.iter().map(lane).collect();
        (names, lanes)
    }

    pub fn chart(&self, title: &str) -> Chart {
        let (names, lanes) = self.lanes();
        let mut before = self.initial;
        let mut rows = Vec::with_capacity(self.steps.len());
        for (at, (taken, lane)) in self.steps.iter().zip(lanes).enumerate() {
            let mut notes = show::remarks(&taken.remarks);
            if let Some(after) = &taken.state {
                notes.extend(show::changes(self.program, before, after));
                before = after;
            }
            let (number, text) = ((at + 1).to_string(), taken.action.term().to_string());
            rows.push(Row { number, lane, text, notes, partner: None, is_bad: taken.state.is_none() });
        }
        let lanes = names.into_iter().map(|name| Lane { name, ..Lane::default() }).collect();
        let cycle = self.cycle.filter(|&cycle| cycle < self.steps.len());
        Chart { title: title.to_owned(), lanes, rows, cycle, ending: self.ending.clone(), ..Chart::default() }
    }

    pub fn overview(&self, title: &str) -> Overview {
        let (lanes, steps) = self.lanes();
        let is_bad = self.steps.last().is_some_and(|taken| taken.state.is_none());
        Overview { title: title.to_owned(), lanes, steps, cycle: self.cycle, is_bad }
    }

    /// The last state, and the one before.
    pub fn last_states(&self) -> (Option<Term>, Term) {
        let mut states = self.steps.iter().rev().filter_map(|taken| taken.state.as_ref());
        match (states.next(), states.next()) {
            (None, _) => (None, self.initial.term()),
            (Some(last), before) => (Some(before.unwrap_or(self.initial).term()), last.term()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u32) -> Term {
        Term::Individual { sort: "Client".to_owned(), number }
    }

    fn state(holder: u32, waits: &[(u32, bool)]) -> Term {
        let waits = waits.iter().map(|&(who, waits)| (client(who), Term::Bool(waits))).collect();
        let fields = vec![("holder", client(holder)), ("waits", Term::Map(waits))];
        Term::Record { name: "Table", is_variant: false, fields }
    }

    #[test]
    fn maps_of_individuals_are_told_of_each() {
        let before = state(0, &[(0, false), (1, false)]);
        let after = state(1, &[(0, false), (1, true)]);
        let scene = scene("", Some(&before), &after);
        let of = |part: &Part| {
            let fields = part.fields.iter().map(|field| {
                let changed = if field.is_changed { " !" } else { "" };
                format!("{} → {:?}{changed}", field.text, field.targets)
            });
            format!("{}: {}", part.name, fields.collect::<Vec<_>>().join("; "))
        };
        let found: Vec<String> = scene.parts.iter().map(of).collect();
        assert_eq!(
            found,
            [
                "state: holder = Client1 → [\"Client1\"] !",
                "Client0: waits = false → []",
                "Client1: waits = true → [] !",
            ]
        );
    }
}
