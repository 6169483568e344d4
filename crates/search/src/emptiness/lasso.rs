//! Accepting runs: a stem, and a cycle that is repeated for ever.
//!
//! The stack of a search is a real run. A cycle of nodes need not be one, where states that differ in names
//! have the same encoding: the state at the end of the cycle may differ from the state at its beginning
//! although their encodings are equal. So the cycle is walked again and again, each time from the state where
//! the last pass ended, by steps to states with the same encodings. Names that are only permuted return
//! eventually. Objects or threads that are created on the cycle may get new names each time; then the cycle
//! is closed up to names only.

use ltl::State;
use rustc_hash::FxHashSet;
use store::StateStore;
use system::{Step, Temporal, has_room};

use super::acceptance::Sets;
use super::node_edges::{EdgeView, NodeEdges};
use super::product::{Node, ProductWalk};
use crate::trail::Trail;

/// The limits of the search for a closed cycle: the number of passes, and the number of moves in them.
const PASSES: usize = 1 << 12;
const MOVES: usize = 1 << 18;

/// A joint move of the system and the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The step of the system; `None` if no thread has a step, and the state stays as it is.
    pub step: Option<Step>,
    /// The state of the automaton after the move.
    pub to: State,
}

/// An accepting run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// The moves from the initial states of the system and the automaton to the cycle.
    pub stem: Vec<Move>,
    pub cycle: Vec<Move>,
    /// The cycle ends in the state in which it begins. If false, it does so only up to names.
    pub is_closed: bool,
}

impl Lasso {
    /// The steps of the stem, followed by those of the cycle once.
    pub fn trail(&self) -> Trail {
        Trail { steps: self.stem.iter().chain(&self.cycle).filter_map(|taken| taken.step).collect() }
    }

    /// The index of the first step of the cycle in the trail.
    pub fn cycle_start(&self) -> usize {
        self.stem.iter().filter(|taken| taken.step.is_some()).count()
    }

    /// Whether only the automaton moves on the cycle, so that the run of the system is finite.
    pub fn stutters(&self) -> bool {
        self.cycle.iter().all(|taken| taken.step.is_none())
    }
}

/// An edge of the product on a cycle: its target, and the marks that it must have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CycleEdge<const N: usize> {
    pub node: Node,
    pub marks: Sets<N>,
}

/// The run to a level of the stack, from there along `lead` to the head of a cycle, and then along that
/// cycle.
/// `pass` walks the cycle once, from a state at its head to a state with the same encoding, and returns the
/// moves. `None` if `lead` cannot be followed or `pass` fails.
pub fn lift<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    level: usize,
    lead: &[Node],
    mut pass: impl FnMut(&mut NodeEdges<'_, S, T>, &mut S::State) -> Option<Vec<Move>>,
) -> Option<Lasso>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let mut at = walk.stack.nodes().find(|&(number, _)| number == level)?.1.node;
    walk.unwind(level);
    let mut stem = walk.stack.moves();
    let explorer = &mut walk.explorer;
    let mut edges = NodeEdges {
        system: explorer.expander.system,
        store: &mut *explorer.sink.store,
        reader: walk.reader,
        obligations: walk.obligations,
        stutters: walk.stutters,
        encoding: &mut explorer.expander.encoding,
        stores_transient: explorer.expander.stores_transient,
        path: Vec::new(),
        passed: FxHashSet::default(),
    };
    let state = &mut explorer.expander.state;
    for &node in lead {
        stem.extend(edge_to::<_, _, N>(&mut edges, state, at, CycleEdge { node, marks: Sets::NONE })?);
        at = node;
    }
    let mut heads: Vec<Vec<u64>> = edges.system.identity(state).into_iter().collect();
    let (mut moves, mut ends): (Vec<Move>, Vec<usize>) = (Vec::new(), vec![0]);
    loop {
        moves.extend(pass(&mut edges, state)?);
        let now = edges.system.identity(state);
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

/// Takes an edge from the node `at` to the node of `edge`, with its marks. `None` if it cannot be found:
/// names depend on more than the state, or memory is short.
fn edge_to<S, T, const N: usize>(
    edges: &mut NodeEdges<'_, S, T>,
    state: &mut S::State,
    at: Node,
    edge: CycleEdge<N>,
) -> Option<Vec<Move>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let mut is_right =
        |shown: EdgeView<'_, S, N>| shown.node == edge.node && shown.marks.contains(edge.marks);
    let is_found = has_room(edges.system, state) && edges.find(state, at, &mut is_right);
    is_found.then(|| edges.path.clone())
}

/// Walks a cycle of nodes once. `None` if a step cannot be found.
pub fn along<S, T, const N: usize>(
    cycle: &[CycleEdge<N>],
    edges: &mut NodeEdges<'_, S, T>,
    state: &mut S::State,
) -> Option<Vec<Move>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let mut at = cycle.last()?.node;
    let mut moves = Vec::new();
    for edge in cycle {
        moves.extend(edge_to(edges, state, at, *edge)?);
        at = edge.node;
    }
    Some(moves)
}
