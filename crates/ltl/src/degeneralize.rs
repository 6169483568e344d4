//! From several acceptance sets to accepting states.
//!
//! The automaton is copied once for each set. Copy `i` waits for set `i`; an edge that is in this set leads
//! to copy `i + 1`, or further if it is in the next sets too and [`Pace`] allows it. Behind the last copy are
//! the accepting states, which wait for the first set again. Nothing needs to be remembered between
//! components: an edge that leaves a component leads to an existing copy of its target, if there is one.
//! (Gastin and Oddoux 2001 describe the copies with edges that skip levels.)

use rustc_hash::FxHashMap;

use crate::scc::Components;
use crate::worklist::Worklist;
use crate::{Automaton, Edge, Marks, State};

/// How many copies an edge may advance at once. One is enough, since a set that was skipped comes again;
/// several may lead to fewer states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    One,
    Many,
}

/// A Büchi automaton with accepting states for the same language. It waits for the sets in the given order,
/// which has to contain each set once.
pub fn degeneralize(automaton: &Automaton, order: &[u32], pace: Pace) -> Automaton {
    debug_assert_eq!(order.len() as u32, automaton.sets);
    let last = order.len();
    let components = Components::of(automaton, |_| true);
    let mut copies = Worklist::<(State, usize)>::default();
    // The first copy of each state.
    let mut first: FxHashMap<State, usize> = FxHashMap::default();
    let initial = State(copies.number((automaton.initial, 0)));
    first.insert(automaton.initial, 0);
    let mut edges = Vec::new();
    while let Some((state, copy)) = copies.pop() {
        let accepting = copy == last;
        let mut own = Vec::new();
        for edge in automaton.edges(state) {
            let target = if components.is_inner(state, edge) {
                let from = if accepting { 0 } else { copy };
                let passed = order[from..].iter().take_while(|set| edge.marks.contains(Marks::one(**set)));
                let passed = passed.count();
                from + if pace == Pace::One { passed.min(1) } else { passed }
            } else {
                first.get(&edge.to).copied().unwrap_or(0)
            };
            first.entry(edge.to).or_insert(target);
            let marks = if accepting { Marks::one(0) } else { Marks::NONE };
            own.push(Edge { to: State(copies.number((edge.to, target))), marks, cube: edge.cube });
        }
        edges.push(own);
    }
    Automaton { initial, edges, sets: 1 }
}
