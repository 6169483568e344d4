//! The group of the permutations that a plan allows, for people: its order, and its name if it has a common one.

use canon::{Canonizer, Graph, Options};
use rustc_hash::FxHashMap;

use crate::plan::Plan;

/// Movers, each with the mover that it goes to.
type Map = FxHashMap<u32, u32>;

impl Plan {
    /// What permutations do to a class: `S5` for all of them, `C5` for rotations, or the number of them.
    pub fn group(&self, class: &[u32]) -> String {
        let is_linked =
            |mover: u32| self.links.iter().any(|link| link.source == mover || link.target == mover);
        let len = class.len();
        if !class.iter().any(|&mover| is_linked(mover)) {
            return format!("S{len}");
        }
        let order = self.order(class);
        let is_all = (1..=len as u128).try_fold(1_u128, u128::checked_mul) == Some(order);
        let turns = || {
            let to = |&other: &u32| self.symmetry(&[], class[0], other);
            class[1..].iter().filter_map(to).any(|map| {
                let round = std::iter::successors(Some(class[0]), |mover| Some(map[mover]));
                round.skip(1).position(|mover| mover == class[0]) == Some(len - 1)
            })
        };
        if is_all {
            format!("S{len}")
        } else if order == len as u128 && turns() {
            format!("C{len}")
        } else {
            format!("{order} permutations")
        }
    }

    /// How many ways there are to permute a class.
    fn order(&self, class: &[u32]) -> u128 {
        let mut order = 1_u128;
        let mut fixed: Vec<u32> = Vec::new();
        for &mover in class {
            let orbit = class.iter().filter(|&&other| self.symmetry(&fixed, mover, other).is_some()).count();
            order = order.saturating_mul(orbit as u128);
            fixed.push(mover);
        }
        order
    }

    /// A permutation that the plan allows, fixes some movers, and takes one to another.
    fn symmetry(&self, fixed: &[u32], from: u32, to: u32) -> Option<Map> {
        let (first, form) = self.canonical(fixed, from);
        let (second, other) = self.canonical(fixed, to);
        let by_position: FxHashMap<u32, u32> =
            second.iter().map(|(&mover, &position)| (position, mover)).collect();
        (form == other)
            .then(|| first.iter().map(|(&mover, position)| (mover, by_position[position])).collect())
    }

    /// The canonical positions of the movers if some are fixed, one by one, and one is marked; and the graph, relabelled.
    fn canonical(&self, fixed: &[u32], marked: u32) -> (Map, Vec<[u32; 3]>) {
        let mut graph = Graph::new();
        let mut nodes = Map::default();
        for (class, number) in self.classes.iter().zip(0..) {
            for &mover in class {
                let own = fixed.iter().position(|&other| other == mover).map_or(0, |at| at as u64 + 2);
                let label = number << 32 | own << 1 | u64::from(mover == marked);
                nodes.insert(mover, graph.add_node(label));
            }
        }
        for link in &self.links {
            graph.add_edge(nodes[&link.source], link.label, nodes[&link.target]);
        }
        let mut canonizer = Canonizer::new();
        canonizer.order(&graph, Options::default());
        let positions: Map =
            nodes.iter().map(|(&mover, &node)| (mover, canonizer.position()[node as usize])).collect();
        let mut form: Vec<[u32; 3]> = self
            .links
            .iter()
            .map(|link| [positions[&link.source], link.label, positions[&link.target]])
            .collect();
        let position = |mover: &u32| positions[mover];
        for (class, number) in self.classes.iter().zip(0..) {
            form.extend(class.iter().map(|mover| [position(mover), number, u32::MAX]));
        }
        form.extend(fixed.iter().zip(0..).map(|(mover, at)| [position(mover), at, u32::MAX - 1]));
        form.push([position(&marked), 0, u32::MAX - 2]);
        form.sort_unstable();
        (positions, form)
    }
}
