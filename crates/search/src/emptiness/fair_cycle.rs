//! A fair cycle through a component in which threads are renamed: it meets every mark and serves every
//! thread.
//!
//! The cycle is walked on a concrete state. At each state, a step is taken that leads nearer to the next
//! goal: first the marks that are missing and the threads that have not been served, identified by their
//! names at this state; then the head of the component. [`Fair`] has the distances: states with the same
//! encoding are equally far from every goal, provided that all edges within the component are known. The
//! search that found the component may not have seen all of them, so the nodes of the component are expanded
//! again. The nearest goal comes first, and among equally good steps the one that is least by names. So the
//! next walk around the component is the same one with threads permuted, unless two threads are
//! indistinguishable, and the run soon returns to the state where it began.

use ltl::Marks;
use rustc_hash::FxHashSet;
use store::{Budget, StateStore};
use system::{Encoding, Temporal, has_room};

use super::acceptance::Sets;
use super::components::Component;
use super::lasso::Move;
use super::node_edges::{EdgeView, NodeEdges};
use super::product::{Node, ProductWalk};
use super::threads::{Edge, Fair, Graph, Interned, Label, NEVER};

/// Memory is requested from the budget once per this many nodes.
const BATCH: usize = 1 << 12;

/// What the walk is to reach next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Goal {
    Mark(u32),
    /// An edge that serves the thread with this id.
    Serve(u32),
    Head,
}

/// An edge on a shortest path to a goal.
struct Found<const N: usize> {
    /// The distance of the goal from the edge's target; 0 if the edge reaches the goal.
    left: u32,
    /// The step: name of the thread, transition, choice.
    step: Option<(u32, u32, u32)>,
    node: Node,
    marks: Sets<N>,
    path: Vec<Move>,
}

/// A component with fair runs, and the distances to all goals in it.
pub struct FairCycle<'a> {
    component: &'a Component,
    fair: Fair,
    sets: u32,
    /// For each mark, the distances by node.
    to_marks: Vec<Vec<u32>>,
    to_head: Vec<u32>,
}

impl<'a> FairCycle<'a> {
    /// Prepares a walk through a component that has fair runs. `None` if memory or time do not allow it, or
    /// if states do not decode to themselves.
    pub fn new<S, T, const N: usize>(
        walk: &mut ProductWalk<'_, S, T, N>,
        component: &'a Component,
        budget: &Budget,
    ) -> Option<Self>
    where
        S: Temporal,
        T: StateStore + ?Sized,
    {
        let sets = walk.automaton.sets;
        let fair = expand(walk, component, budget)?;
        if !budget.allows((sets as usize + 1) * component.nodes().len() * size_of::<u32>()) {
            return None;
        }
        // The head is the first node of the component.
        let to_head = fair.to_node(0);
        let to_marks = (0..sets).map(|set| fair.to_mark(set)).collect();
        Some(Self { component, fair, sets, to_marks, to_head })
    }

    /// Walks around the component once: from a state at its head to a state with the same encoding. `None` if
    /// names depend on more than the state, or if memory is short.
    pub fn walk<S, T, const N: usize>(
        &self,
        edges: &mut NodeEdges<'_, S, T>,
        state: &mut S::State,
    ) -> Option<Vec<Move>>
    where
        S: Temporal,
        T: StateStore + ?Sized,
    {
        let (mut node, mut names) = (self.component.head, Vec::new());
        edges.system.thread_names(state, &mut names);
        let mut missing = Marks::all(self.sets);
        let ids = 0..names.len() as u32;
        let mut waiting: Vec<u32> = ids.filter(|&id| is_there(&names, id)).collect();
        let mut moves = Vec::new();
        loop {
            let at = self.place(edges, node)?;
            let goal = self.nearest(at, &names, missing, &waiting);
            if goal == Goal::Head && node == self.component.head && !moves.is_empty() {
                return Some(moves);
            }
            // Goals that are reached on the way count as well.
            loop {
                let found: Found<N> = self.nearer(edges, state, node, goal, &names)?;
                edges.find(state, node, &mut |shown: EdgeView<'_, S, N>| {
                    shown.path == found.path && shown.marks == found.marks
                });
                node = found.node;
                edges.system.thread_names(state, &mut names);
                missing = missing.without(found.marks.marks());
                waiting.retain(|&id| !found.marks.has_thread(id) && is_there(&names, id));
                moves.extend(found.path);
                if found.left == 0 {
                    break;
                }
            }
        }
    }

    /// Among the edges of a node, the one whose target is nearest to the goal, if that is nearer than the
    /// node itself. `names` are the names of the threads at the node.
    fn nearer<S, T, const N: usize>(
        &self,
        edges: &mut NodeEdges<'_, S, T>,
        state: &mut S::State,
        node: Node,
        goal: Goal,
        names: &[u32],
    ) -> Option<Found<N>>
    where
        S: Temporal,
        T: StateStore + ?Sized,
    {
        let (system, automaton) = (edges.system, &edges.reader.automaton);
        let far = self.distance(goal, self.place(edges, node)?, names);
        if far == NEVER || !has_room(system, state) {
            return None;
        }
        let mut best: Option<Found<N>> = None;
        let mut next = Vec::new();
        edges.find(state, node, &mut |EdgeView { node, state, marks, path }: EdgeView<'_, S, N>| {
            let Some(at) = self.component.place(node.index(automaton)) else { return false };
            system.thread_names(state, &mut next);
            let is_met = match goal {
                Goal::Mark(set) => marks.marks().contains(Marks::one(set)),
                Goal::Serve(id) => marks.has_thread(id) || !is_there(&next, id),
                Goal::Head => node == self.component.head,
            };
            let left = if is_met { 0 } else { self.distance(goal, at, &next) };
            let step = path.first().and_then(|taken| taken.step);
            let step = step.map(|step| (names[step.thread as usize], step.transition, step.choice));
            if left < far && best.as_ref().is_none_or(|best| (left, step) < (best.left, best.step)) {
                best = Some(Found { left, step, node, marks, path: path.to_vec() });
            }
            false
        });
        best
    }

    fn place<S, T: ?Sized>(&self, edges: &NodeEdges<'_, S, T>, node: Node) -> Option<usize> {
        self.component.place(node.index(&edges.reader.automaton))
    }

    fn nearest(&self, at: usize, names: &[u32], missing: Marks, waiting: &[u32]) -> Goal {
        let marks = (0..self.sets).filter(|&set| missing.contains(Marks::one(set))).map(Goal::Mark);
        let services = waiting.iter().copied().map(Goal::Serve);
        let key = |goal: &Goal| {
            let name = if let Goal::Serve(id) = *goal { names[id as usize] } else { 0 };
            (self.distance(*goal, at, names), name, *goal)
        };
        marks.chain(services).min_by_key(key).unwrap_or(Goal::Head)
    }

    /// The distance of a goal from a position, where `names` are the names of the threads.
    fn distance(&self, goal: Goal, at: usize, names: &[u32]) -> u32 {
        match goal {
            Goal::Mark(set) => self.to_marks[set as usize][at],
            Goal::Serve(id) => names.get(id as usize).map_or(NEVER, |&name| self.fair.to_service(at, name)),
            Goal::Head => self.to_head[at],
        }
    }
}

/// Computes what happens to threads in a component, by all edges within it.
fn expand<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    component: &Component,
    budget: &Budget,
) -> Option<Fair>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (system, automaton) = (walk.explorer.expander.system, walk.automaton);
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let (mut edges, mut labels) = (Vec::new(), Interned::<Label>::default());
    let nodes = component.nodes().len();
    for (from, node) in component.nodes().enumerate() {
        // The collected data per edge takes as much memory again as the edges themselves.
        let has_memory =
            !from.is_multiple_of(BATCH) || budget.allows((edges.len() + BATCH) * size_of::<Edge>());
        if !has_memory || walk.explorer.tick(&walk.stack).is_break() || !has_room(system, &mut state) {
            return None;
        }
        walk.explorer.sink.store.decode(node.id(), &mut encoding);
        system.decode(&encoding, &mut state);
        system.thread_names(&mut state, &mut before);
        let mut outgoing = NodeEdges {
            system,
            store: &mut *walk.explorer.sink.store,
            reader: walk.reader,
            stutters: walk.stutters,
            encoding: &mut encoding,
            stores_transient: walk.explorer.expander.stores_transient,
            path: Vec::new(),
            passed: FxHashSet::default(),
        };
        let mut is_full = false;
        outgoing.find(&mut state, node, &mut |shown: EdgeView<'_, S, N>| {
            let Some(to) = component.place(shown.node.index(automaton)) else { return false };
            system.thread_names(shown.state, &mut after);
            match labels.number(Label::new(&before, &after, shown.marks), budget) {
                Ok(label) => edges.push(Edge { to: to as u32, from: from as u32, label }),
                Err(_) => is_full = true,
            }
            is_full
        });
        if is_full {
            return None;
        }
    }
    let most = labels.all.iter().map(|label| label.fates.len()).max().unwrap_or_default();
    if !Graph::fits(nodes, edges.len(), most, budget) {
        return None;
    }
    Graph::new(nodes, edges).fair(&labels.all)
}

/// Whether a thread with this id exists.
fn is_there(names: &[u32], id: u32) -> bool {
    names.get(id as usize).is_some_and(|&name| name != u32::MAX)
}
