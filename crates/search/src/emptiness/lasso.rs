//! Runs that accept: a stem, and a cycle that is repeated for ever.
//!
//! What is on the stack of a search is a real run. A cycle of nodes is not, where encodings are the same for
//! states that differ in names: the state at its end may be another one than at its beginning, with the same
//! encoding. So it is walked again and again, from where the last pass ended, each time by steps to states
//! with the same encodings; names that are permuted return at last. Objects or threads that are created on
//! the cycle may have new names each time, and then the cycle is one up to names.

use ltl::State;
use rustc_hash::FxHashSet;
use store::StateStore;
use system::{Step, Temporal, has_room};

use super::around::{Around, Shown};
use super::marks::Sets;
use super::product::{Node, Walk};
use crate::trail::Trail;

/// How often a cycle is walked, and how many moves it has then.
const PASSES: usize = 1 << 12;
const MOVES: usize = 1 << 18;

/// A move of a system and an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// There is none where nobody has a step: then the state stays what it is.
    pub step: Option<Step>,
    /// The state of the automaton after it.
    pub to: State,
}

/// An accepting run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From the initial states of the system and the automaton.
    pub stem: Vec<Move>,
    pub cycle: Vec<Move>,
    /// The cycle leads back to where it begins. Otherwise it does so up to names only.
    pub is_closed: bool,
}

impl Lasso {
    /// The steps of the stem, and those of the cycle once.
    pub fn trail(&self) -> Trail {
        Trail { steps: self.stem.iter().chain(&self.cycle).filter_map(|taken| taken.step).collect() }
    }

    /// The place in the trail where the cycle begins.
    pub fn cycle_start(&self) -> usize {
        self.stem.iter().filter(|taken| taken.step.is_some()).count()
    }

    /// Nothing moves on the cycle but the automaton: the run of the system is finite.
    pub fn stutters(&self) -> bool {
        self.cycle.iter().all(|taken| taken.step.is_none())
    }
}

/// An edge of the product that a cycle takes: where it leads, and marks that it must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn<const N: usize> {
    pub node: Node,
    pub marks: Sets<N>,
}

/// The run that goes to a level of the stack, the head of a cycle, and then along that cycle: `pass` walks it
/// once, from a state at its head to one with the same encoding, and tells the moves. There is none if `pass`
/// does not find its way.
pub fn lift<S, T, const N: usize>(
    walk: &mut Walk<'_, S, T, N>,
    level: usize,
    mut pass: impl FnMut(&mut Around<'_, S, T>, &mut S::State) -> Option<Vec<Move>>,
) -> Option<Lasso>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    walk.unwind(level);
    let mut stem = walk.stack.moves();
    let explorer = &mut walk.explorer;
    let mut around = Around {
        system: explorer.expander.system,
        store: &mut *explorer.sink.store,
        reader: walk.reader,
        stutters: walk.stutters,
        encoding: &mut explorer.expander.encoding,
        stores_transient: explorer.expander.stores_transient,
        way: Vec::new(),
        passed: FxHashSet::default(),
    };
    let state = &mut explorer.expander.state;
    let mut heads: Vec<Vec<u64>> = around.system.identity(state).into_iter().collect();
    let (mut moves, mut ends): (Vec<Move>, Vec<usize>) = (Vec::new(), vec![0]);
    loop {
        moves.extend(pass(&mut around, state)?);
        let now = around.system.identity(state);
        let first = now.as_ref().map_or(Some(0), |now| heads.iter().position(|head| head == now));
        if let Some(first) = first {
            let cycle = moves.split_off(ends[first]);
            stem.extend(moves);
            return Some(Lasso { stem, cycle, is_closed: true });
        }
        heads.extend(now);
        ends.push(moves.len());
        if ends.len() > PASSES || moves.len() > MOVES {
            moves.truncate(ends[1]);
            return Some(Lasso { stem, cycle: moves, is_closed: false });
        }
    }
}

/// Walks a cycle of nodes once. There is no way if some step cannot be found: names depend on more than the
/// state, or memory is short.
pub fn along<S, T, const N: usize>(
    turns: &[Turn<N>],
    around: &mut Around<'_, S, T>,
    state: &mut S::State,
) -> Option<Vec<Move>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let mut at = turns.last()?.node;
    let mut moves = Vec::new();
    for turn in turns {
        let mut is_right =
            |shown: Shown<'_, S, N>| shown.node == turn.node && shown.marks.contains(turn.marks);
        if !has_room(around.system, state) || !around.find(state, at, &mut is_right) {
            return None;
        }
        moves.extend(&around.way);
        at = turn.node;
    }
    Some(moves)
}
