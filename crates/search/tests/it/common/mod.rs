//! A common interface of both searches, and a straightforward exploration of a graph.

pub mod kripke;

use std::collections::{BTreeMap, HashMap, VecDeque};

use quotient_search::{Observer, Options, Outcome, bfs, dfs};
use store::StateStore;
use system::toy::{Edge, Graph};
use system::{Bound, Fault, FaultKind, TransitionSystem};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    Bfs,
    Dfs,
}

pub const SEARCHES: [Search; 2] = [Search::Bfs, Search::Dfs];

impl Search {
    pub fn run<S, T>(
        self,
        system: &S,
        store: &mut T,
        options: &Options<'_>,
        observer: &mut dyn Observer,
    ) -> Outcome
    where
        S: TransitionSystem,
        T: StateStore + ?Sized,
    {
        match self {
            Self::Bfs => bfs(system, store, options, observer),
            Self::Dfs => dfs(system, store, options, observer),
        }
    }
}

/// Facts about a graph, computed without a search, a store or a transition system.
#[derive(Default, Debug)]
pub struct Truth {
    /// The distance of each reachable node from node 0.
    pub distance: BTreeMap<usize, usize>,
    pub transitions: u64,
    pub moves: u64,
    /// For each fault, its number of occurrences and the length of the shortest trail to it.
    pub faults: HashMap<(FaultKind, u32), (u64, usize)>,
    pub truncations: BTreeMap<Bound, u64>,
    /// The number of nodes that violate no invariant, but have one that is not evaluated.
    pub unevaluated: u64,
}

pub fn truth(graph: &Graph) -> Truth {
    let mut truth = Truth { distance: BTreeMap::from([(0, 0)]), ..Truth::default() };
    let mut queue = VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        let (node, distance) = (&graph.nodes[at], truth.distance[&at]);
        let mut fault = |fault: Fault, length: usize| {
            let entry = truth.faults.entry((fault.kind, fault.site)).or_insert((0, length));
            *entry = (entry.0 + 1, entry.1.min(length));
        };
        if let Some(site) = node.violates {
            fault(Fault { kind: FaultKind::Invariant, site }, distance);
        }
        truth.unevaluated += u64::from(node.violates.is_none() && node.unevaluated.is_some());
        if node.edges.is_empty() && !node.is_end {
            fault(Fault { kind: FaultKind::Deadlock, site: 0 }, distance);
        }
        for edge in &node.edges {
            truth.transitions += u64::from(!matches!(edge, Edge::GuardFault(_)));
            match *edge {
                Edge::To(target) => {
                    truth.moves += 1;
                    truth.distance.entry(target).or_insert_with(|| {
                        queue.push_back(target);
                        distance + 1
                    });
                }
                Edge::Fault(found) | Edge::GuardFault(found) => fault(found, distance + 1),
                Edge::Truncated(bound) => *truth.truncations.entry(bound).or_default() += 1,
            }
        }
    }
    truth
}
