//! The group of the permutations that a plan allows: generators, which the verifier checks, its order, and its name if
//! it has a common one.

use std::collections::BTreeMap;

use canon::{Canonizer, Graph, Options};
use ir::{Exchange, Expr, LocationId, Permutation, Program, Recoding, Refuted, verify_exchange};
use rustc_hash::FxHashMap;

use crate::lift::composed;
use crate::plan::Plan;
use crate::refine::Colours;
use crate::text::{Edge, Text};

/// Movers, each with the mover that it goes to.
type Map = FxHashMap<u32, u32>;

/// The same for linked movers by their positions: where each goes.
type Way = Vec<u32>;

/// Where a linked mover can go: its image by position, each with a way that takes it there.
type Orbit = Vec<(u32, Way)>;

/// The group of the permutations that a plan allows.
#[derive(Clone, Debug, Default)]
pub struct Group {
    generators: Vec<Permutation>,
    chain: Chain,
}

/// The permutations of linked movers that leave the links as they are, by a chain of stabilizers (Sims, "Computational
/// methods in the study of permutation groups", 1970): each is one product of ways, one of each level.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The linked movers.
    movers: Vec<u32>,
    /// Those that can go elsewhere while all before them are fixed, by their positions, with a way to each place where
    /// they can go.
    levels: Vec<(usize, Vec<Way>)>,
}

/// The memory of [`Chain::straighten`], kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct Images {
    assigned: Vec<u32>,
    next: Vec<u32>,
    /// By mover: which mover is assigned to it.
    back: Vec<u32>,
}

impl Chain {
    /// Makes of an assignment of movers to others of their classes one that leaves the links as they are. It is a product
    /// of the given one and one that depends only on what that made of the links: so two assignments that make the same of
    /// them still differ by what they differed by.
    ///
    /// All assignments that make the same of the links are products with a permutation that leaves them as they are. Of
    /// these, the one with the least images, level by level, is undone.
    pub fn straighten(&self, moved: &mut [u32], Images { assigned, next, back }: &mut Images) {
        assigned.clear();
        assigned.extend(self.movers.iter().map(|&mover| moved[mover as usize]));
        for (base, ways) in &self.levels {
            let least = ways.iter().min_by_key(|way| assigned[way[*base] as usize]);
            if let Some(way) = least {
                next.clear();
                next.extend(way.iter().map(|&at| assigned[at as usize]));
                std::mem::swap(assigned, next);
            }
        }
        back.resize(moved.len(), u32::MAX);
        for (&image, &mover) in assigned.iter().zip(&self.movers) {
            back[image as usize] = mover;
        }
        for &mover in &self.movers {
            moved[mover as usize] = back[moved[mover as usize] as usize];
        }
    }
}

/// The position of a linked mover.
fn position(linked: &[u32], mover: u32) -> u32 {
    linked.iter().position(|&other| other == mover).map_or(u32::MAX, |at| at as u32)
}

impl Plan {
    /// Holds the plan, for states with this text where properties ask for `observed`, against the rules of the verifier.
    pub fn verify(&self, program: &Program, text: &[LocationId], observed: &[&Expr]) -> Result<(), Refuted> {
        let generators = self.generators();
        let exchange = Exchange {
            sorts: &self.sorts,
            threads: &self.population.threads,
            channels: &self.population.channels,
            text,
            observed,
            generators,
        };
        if generators.is_empty() { Ok(()) } else { verify_exchange(program, &exchange) }
    }

    /// Permutations that generate all that the plan allows: those that exchange free movers, and those of the chain.
    pub fn generators(&self) -> &[Permutation] {
        &self.known_group.get_or_init(|| self.find_group(&|| false).unwrap_or_default()).generators
    }

    /// The permutation that the plan allows besides the identity, if there is no other.
    pub fn exchange(&self) -> Option<&Permutation> {
        let [one] = self.generators() else { return None };
        let twice = composed(one, one);
        let is_same = |recoding: &Recoding| {
            let mut elements = recoding.elements.iter().zip(0..);
            elements
                .all(|(element, at)| element.to == at && element.values.iter().all(|(from, to)| from == to))
        };
        let is_back = Permutation { coded: BTreeMap::new(), ..twice.clone() }.is_identity()
            && twice.coded.values().all(is_same);
        is_back.then_some(one)
    }

    /// The group of the linked movers.
    pub fn chain(&self) -> &Chain {
        &self.known_group.get_or_init(|| self.find_group(&|| false).unwrap_or_default()).chain
    }

    /// Finds the group. Returns false if it is over before that.
    pub fn generate(&self, is_over: &dyn Fn() -> bool) -> bool {
        if self.known_group.get().is_none() {
            let Some(found) = self.find_group(is_over) else { return false };
            self.known_group.get_or_init(|| found);
        }
        true
    }

    fn is_linked(&self, mover: u32) -> bool {
        self.links.iter().any(|link| link.source == mover || link.target == mover)
    }

    /// `None` if it is over before it is found.
    fn find_group(&self, is_over: &dyn Fn() -> bool) -> Option<Group> {
        let mut generators = Vec::new();
        let mut linked = Vec::new();
        for class in &self.classes {
            let (bound, free): (Vec<u32>, Vec<u32>) = class.iter().partition(|&&mover| self.is_linked(mover));
            linked.extend(bound);
            for pair in free.windows(2) {
                let swapped = |mover: u32| match mover {
                    _ if mover == pair[0] => pair[1],
                    _ if mover == pair[1] => pair[0],
                    _ => mover,
                };
                generators.push(self.permutation(swapped));
            }
        }
        let mut levels = Vec::new();
        for at in 0..linked.len() {
            if is_over() {
                return None;
            }
            let Some((orbit, maps)) = self.orbit(&linked, at) else { break };
            generators.extend(maps.iter().map(|map| self.permutation(|mover| map[&mover])));
            if orbit.len() > 1 {
                levels.push((at, orbit.into_iter().map(|(_, way)| way).collect()));
            }
        }
        Some(Group { generators, chain: Chain { movers: linked, levels } })
    }

    /// Where one of the linked movers can go if those before it are fixed, each with a permutation that takes it there,
    /// and permutations that generate these. `None` if none of the movers can go anywhere.
    fn orbit(&self, linked: &[u32], at: usize) -> Option<(Orbit, Vec<Map>)> {
        let (fixed, mover) = (&linked[..at], linked[at]);
        let colours = self.colours(linked, fixed);
        if !(0..linked.len() as u32).any(|node| colours.is_shared(node)) {
            return None;
        }
        let mut maps: Vec<Map> = Vec::new();
        let start = || vec![(at as u32, (0..linked.len() as u32).collect::<Way>())];
        let mut orbit = start();
        for (&other, node) in linked.iter().zip(0..) {
            if orbit.iter().any(|&(member, _)| member == node) || colours.of(node) != colours.of(at as u32) {
                continue;
            }
            let Some(map) = self.symmetry(fixed, mover, other) else { continue };
            maps.push(map);
            let ways =
                maps.iter().map(|map| linked.iter().map(|mover| position(linked, map[mover])).collect());
            let ways: Vec<Way> = ways.collect();
            let mut next = 0;
            orbit = start();
            while let Some((member, way)) = orbit.get(next).cloned() {
                next += 1;
                for map in &ways {
                    let image = map[member as usize];
                    if orbit.iter().all(|&(other, _)| other != image) {
                        orbit.push((image, way.iter().map(|&to| map[to as usize]).collect()));
                    }
                }
            }
        }
        Some((orbit, maps))
    }

    /// Colours that tell apart what no permutation exchanges that fixes some of the linked movers.
    fn colours(&self, linked: &[u32], fixed: &[u32]) -> Colours {
        let class = |mover: u32| self.classes.iter().position(|class| class.contains(&mover));
        let node = |mover: u32| linked.iter().position(|&other| other == mover);
        let label = |(at, &mover): (usize, &u32)| {
            let first = self.classes.len();
            if at < fixed.len() { (first + at) as u32 } else { class(mover).unwrap_or(first) as u32 }
        };
        let edge = |link: &Edge| {
            let (source, target) = (node(link.source)? as u32, node(link.target)? as u32);
            Some(Edge { source, label: link.label, target })
        };
        let labels = linked.iter().enumerate().map(label).collect();
        Colours::new(&Text { labels, edges: self.links.iter().filter_map(edge).collect(), ..Text::default() })
    }

    /// What permutations do to a class: `S5` for all of them, `C5` for rotations, or the number of them.
    pub fn group(&self, class: &[u32]) -> String {
        let len = class.len();
        if !class.iter().any(|&mover| self.is_linked(mover)) {
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
        // What the class is linked to tells its members apart.
        let others = self.classes.iter().filter(|other| other[..] != *class).flatten().copied();
        let linked: Vec<u32> =
            class.iter().copied().chain(others.filter(|&mover| self.is_linked(mover))).collect();
        let mut order = 1_u128;
        for at in 0..class.len() {
            let Some((orbit, _)) = self.orbit(&linked, at) else { break };
            order = order.saturating_mul(orbit.len() as u128);
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
