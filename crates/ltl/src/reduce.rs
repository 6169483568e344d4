//! Smaller automata for the same language.
//!
//! - States from which no word is accepted are removed.
//! - Marks only matter on cycles. An edge that is on no cycle without an edge of a set may as well be in the
//!   set; components that miss a set altogether need no marks at all. On the edges between components marks
//!   can be chosen freely. Several choices are tried, since each may make states equal (`Marking`).
//! - A set is removed if another one implies it.
//! - Simulation merges states and removes edges (`simulation`).
//!
//! These steps help each other, and are repeated while the automaton shrinks.

use crate::scc::Components;
use crate::simulation::{self, Direction, keep};
use crate::{Automaton, Marks, State};

/// Where the marks are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acceptance {
    Edges,
    /// All edges of a state have the same marks, and have to keep this property.
    States,
}

/// The choice of marks where they do not matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Marking {
    /// On cycles the marks that were there, elsewhere none.
    Few,
    /// On cycles all, elsewhere none.
    Some,
    /// All everywhere.
    Many,
}

/// A smaller automaton with the same language, or the same automaton.
pub fn reduce(automaton: &Automaton, acceptance: Acceptance) -> Automaton {
    let first = reduce_with(automaton.clone(), acceptance, Marking::Few);
    let others =
        [Marking::Some, Marking::Many].map(|marking| reduce_with(first.clone(), acceptance, marking));
    [first].into_iter().chain(others).min_by_key(size).expect("there are three")
}

/// The measure that is minimized.
pub fn size(automaton: &Automaton) -> (usize, u32, usize, usize) {
    let edges = automaton.edges.iter().map(Vec::len).sum();
    (automaton.edges.len(), automaton.sets, automaton.transitions(), edges)
}

fn reduce_with(mut automaton: Automaton, acceptance: Acceptance, marking: Marking) -> Automaton {
    loop {
        let before = size(&automaton);
        drop_useless(&mut automaton);
        mark(&mut automaton, acceptance, marking);
        drop_sets(&mut automaton, acceptance);
        automaton.tidy();
        simulation::merge_equal(&mut automaton);
        simulation::reduce(&mut automaton, Direction::Forward, |_, _| true);
        let accepting = automaton.accepting_states();
        simulation::reduce(&mut automaton, Direction::Backward, |p, q| match (acceptance, &accepting) {
            (Acceptance::States, Some(accepting)) => accepting[p.index()] == accepting[q.index()],
            _ => true,
        });
        automaton.tidy();
        if size(&automaton) >= before {
            return automaton;
        }
    }
}

/// Removes the states from which no accepting cycle can be reached.
fn drop_useless(automaton: &mut Automaton) {
    let components = Components::of(automaton, |_| true);
    let all = Marks::all(automaton.sets);
    let marks = components.marks(automaton);
    // Edges lead to components with equal or smaller numbers.
    let mut useful: Vec<bool> = marks.iter().map(|&marks| marks == Some(all)).collect();
    let mut members: Vec<Vec<State>> = vec![Vec::new(); components.count()];
    for state in automaton.states() {
        if let Some(component) = components.component(state) {
            members[component].push(state);
        }
    }
    for component in 0..components.count() {
        let targets = members[component].iter().flat_map(|&state| automaton.edges(state)).map(|edge| edge.to);
        let reaches = targets.filter_map(|to| components.component(to)).any(|to| useful[to]);
        useful[component] |= reaches;
    }
    keep(automaton, |state| components.component(state).is_some_and(|component| useful[component]));
}

fn mark(automaton: &mut Automaton, acceptance: Acceptance, marking: Marking) {
    let all = Marks::all(automaton.sets);
    let free = if marking == Marking::Many { all } else { Marks::NONE };
    let components = Components::of(automaton, |_| true);
    let whole = components.marks(automaton);
    let accepts = |state| components.component(state).and_then(|component| whole[component]) == Some(all);
    // For each set, the components of the cycles that miss it.
    let sets = if marking == Marking::Few { 0 } else { automaton.sets };
    let missing = |set| Components::of(automaton, |edge| !edge.marks.contains(Marks::one(set)));
    let missing: Vec<Components> = (0..sets).map(missing).collect();
    let mut marked = automaton.edges.clone();
    for from in automaton.states() {
        let edges = &mut marked[from.index()];
        for edge in edges.iter_mut() {
            if !components.is_inner(from, edge) {
                edge.marks = free;
            } else if accepts(from) {
                for (set, missing) in (0..).zip(&missing) {
                    if !missing.is_inner(from, edge) {
                        edge.marks = edge.marks.with(Marks::one(set));
                    }
                }
            } else {
                edge.marks = Marks::NONE;
            }
        }
        if acceptance == Acceptance::States {
            let inner = edges.iter().filter(|edge| components.is_inner(from, edge));
            let common = inner.map(|edge| edge.marks).reduce(|a, b| Marks(a.0 & b.0)).unwrap_or(free);
            for edge in edges {
                edge.marks = common;
            }
        }
    }
    automaton.edges = marked;
}

/// Removes the sets that are implied: every cycle with an edge of another set has an edge of this one. A
/// component that does not accept has no marks, and still does not accept as long as there is a set; the only
/// set is removed if there is no such component.
fn drop_sets(automaton: &mut Automaton, acceptance: Acceptance) {
    let components = Components::of(automaton, |_| true);
    let edges =
        automaton.states().flat_map(|from| automaton.edges(from).iter().map(move |edge| (from, edge)));
    let inner = edges.filter(|(from, edge)| components.is_inner(*from, edge));
    let inner: Vec<Marks> = inner.map(|(_, edge)| edge.marks).collect();
    let mut kept: Vec<u32> = (0..automaton.sets).collect();
    let mut i = 0;
    while i < kept.len() {
        let set = Marks::one(kept[i]);
        let implied_by =
            |other: Marks| inner.iter().all(|marks| marks.contains(set) || !marks.contains(other));
        let implied = kept.iter().any(|&other| other != kept[i] && implied_by(Marks::one(other)));
        if implied || acceptance == Acceptance::Edges && implied_by(Marks::NONE) {
            kept.remove(i);
        } else {
            i += 1;
        }
    }
    if kept.len() as u32 == automaton.sets {
        return;
    }
    for edge in automaton.edges.iter_mut().flatten() {
        let marks = (0..).zip(&kept).filter(|(_, set)| edge.marks.contains(Marks::one(**set)));
        edge.marks = marks.fold(Marks::NONE, |all, (new, _)| all.with(Marks::one(new)));
    }
    automaton.sets = kept.len() as u32;
}
