//! A cycle through a component in which fairness is decided thread by thread: it meets every mark and is
//! fair.
//!
//! The cycle is walked on a concrete state, within a part of the component that has a fair run
//! ([`super::streett`]). At each state, a step is taken that leads nearer to the next goal: first the marks
//! that are missing and the slots that were required since the beginning of the walk and have not been
//! served, identified by the names of their threads at this state; then the head of the part. [`Part`] has
//! the distances: states with the same encoding are equally far from every goal, provided that all edges
//! within the component are known. The search that found the component may not have seen all of them, so the
//! nodes of the component are expanded again. The nearest goal comes first, and among equally good steps the
//! one that is least by names. So the next walk around the part is the same one with threads permuted, unless
//! two threads are indistinguishable, and the run soon returns to the state where it began.
//!
//! A walk serves what it requires of the threads that exist when it begins. Threads that it creates exist at
//! the beginning of the next walk. So walks one after the other are a fair run, whether or not they return to
//! the same state.

use ltl::Marks;
use rustc_hash::FxHashSet;
use store::{Budget, StateStore};
use system::{Encoding, Temporal, has_room};

use super::acceptance::Sets;
use super::components::Component;
use super::lasso::Move;
use super::node_edges::{EdgeView, NodeEdges};
use super::product::{Node, ProductWalk};
use super::streett::{Examined, NEVER, Part, Parts, shortest_path};
use super::threads::{Edge, Interned, Label};

/// Memory is requested from the budget once per this many nodes.
const BATCH: usize = 1 << 12;

/// What the walk is to reach next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Goal {
    Mark(u32),
    /// An edge that serves this slot, numbered by the id of its thread.
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

/// A part of a component with fair runs, and the distances to all goals in it.
pub struct FairCycle<'a> {
    component: &'a Component,
    part: Part,
    /// Some edges between nodes of the part do not belong to it. Where only nodes require slots, this is
    /// never so: then the edges from a node are all bad or none is.
    is_partial: bool,
    labels: Interned<Label>,
    /// The nodes after the head of the component on the way to the head of the part.
    lead: Vec<Node>,
    /// The head of the part.
    head: Node,
    sets: u32,
    per_thread: u32,
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
        let (sets, per_thread) = (walk.automaton.sets, walk.obligations.per_thread());
        let (edges, labels) = expand(walk, component, budget)?;
        let nodes = component.nodes().len();
        let mut parts = Parts::new(nodes, edges.clone(), &labels.all, Marks::all(sets));
        let mut fair = Vec::new();
        loop {
            match parts.examine() {
                Examined::Fair(part) => fair.push(part),
                Examined::Unfair if walk.explorer.tick(&walk.stack).is_break() => return None,
                Examined::Unfair => {}
                Examined::End => break,
            }
        }
        if !budget.allows((sets as usize + 1) * nodes * size_of::<u32>()) {
            return None;
        }
        // The part that is nearest to the head of the component, its first node.
        let mut part_of = vec![None; nodes];
        for (number, part) in fair.iter().enumerate() {
            part.nodes().iter().for_each(|&node| part_of[node as usize] = Some(number));
        }
        let path = shortest_path(nodes, &edges, 0, |node| part_of[node].is_some())?;
        let head = path.last().copied().unwrap_or_default();
        let part = fair.swap_remove(part_of[head]?);
        let inner = edges
            .iter()
            .filter(|edge| [edge.from, edge.to].iter().all(|&node| part.number(node as usize).is_some()));
        let is_partial = inner.count() > part.edges();
        let all: Vec<Node> = component.nodes().collect();
        let to_head = part.to_node(part.number(head)?);
        let to_marks = (0..sets).map(|set| part.to_mark(set, &labels.all)).collect();
        let (lead, head) = (path.into_iter().map(|node| all[node]).collect(), all[head]);
        Some(Self { component, part, is_partial, labels, lead, head, sets, per_thread, to_marks, to_head })
    }

    /// The nodes from the head of the component, which is left out, to the head of the part.
    pub fn lead(&self) -> &[Node] {
        &self.lead
    }

    /// Walks around the part once: from a state at its head to a state with the same encoding. `None` if
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
        let (mut node, mut names) = (self.head, Vec::new());
        edges.system.thread_names(state, &mut names);
        let mut missing = Marks::all(self.sets);
        // The slots that were not served since the walk began.
        let slots = 0..names.len() as u32 * self.per_thread;
        let mut unserved: Vec<u32> = slots.filter(|&slot| self.slot(&names, slot).is_some()).collect();
        // Those of them that were required.
        let mut waiting: Vec<u32> = Vec::new();
        let mut moves = Vec::new();
        loop {
            let at = self.place(edges, node)?;
            self.add_required(at, &names, &unserved, &mut waiting);
            let goal = self.nearest(at, &names, missing, &waiting);
            if goal == Goal::Head && node == self.head && !moves.is_empty() {
                return Some(moves);
            }
            // Goals that are reached on the way count as well.
            loop {
                let found: Found<N> = self.nearer(edges, state, node, goal, &names)?;
                self.add_required(self.place(edges, node)?, &names, &unserved, &mut waiting);
                edges.find(state, node, &mut |shown: EdgeView<'_, S, N>| {
                    shown.path == found.path && shown.marks == found.marks
                });
                node = found.node;
                edges.system.thread_names(state, &mut names);
                missing = missing.without(found.marks.marks());
                for slots in [&mut unserved, &mut waiting] {
                    slots.retain(|&slot| !found.marks.serves(slot) && self.slot(&names, slot).is_some());
                }
                moves.extend(found.path);
                if found.left == 0 {
                    break;
                }
            }
        }
    }

    /// Adds the slots to `waiting` that are required at a node, where `names` are the names of the threads.
    fn add_required(&self, at: usize, names: &[u32], unserved: &[u32], waiting: &mut Vec<u32>) {
        let required = self.part.required(at, &self.labels.all);
        let is_required = |slot: u32| self.slot(names, slot).is_some_and(|slot| required.contains(&slot));
        for &slot in unserved {
            if !waiting.contains(&slot) && is_required(slot) {
                waiting.push(slot);
            }
        }
    }

    /// The slot, numbered by the name of its thread, of a slot that is numbered by id; `None` if there is no
    /// such thread.
    fn slot(&self, names: &[u32], slot: u32) -> Option<u32> {
        let name = names.get((slot / self.per_thread) as usize).filter(|&&name| name != u32::MAX)?;
        Some(name * self.per_thread + slot % self.per_thread)
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
        let from = self.place(edges, node)?;
        let far = self.distance(goal, from, names);
        if far == NEVER || !has_room(system, state) {
            return None;
        }
        let mut best: Option<Found<N>> = None;
        let mut next = Vec::new();
        edges.find(state, node, &mut |EdgeView { node, state, marks, path }: EdgeView<'_, S, N>| {
            let place = self.component.place(node.index(automaton));
            let Some(at) = place.and_then(|at| self.part.number(at)) else { return false };
            system.thread_names(state, &mut next);
            if self.is_partial {
                let label = self.labels.find(&Label::new(names, &next, marks, self.per_thread));
                if !label.is_some_and(|label| self.part.has(from, at, label)) {
                    return false;
                }
            }
            let is_met = match goal {
                Goal::Mark(set) => marks.marks().contains(Marks::one(set)),
                Goal::Serve(slot) => marks.serves(slot) || self.slot(&next, slot).is_none(),
                Goal::Head => node == self.head,
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

    /// The number of a node in the part.
    fn place<S, T: ?Sized>(&self, edges: &NodeEdges<'_, S, T>, node: Node) -> Option<usize> {
        self.part.number(self.component.place(node.index(&edges.reader.automaton))?)
    }

    fn nearest(&self, at: usize, names: &[u32], missing: Marks, waiting: &[u32]) -> Goal {
        let marks = (0..self.sets).filter(|&set| missing.contains(Marks::one(set))).map(Goal::Mark);
        let services = waiting.iter().copied().map(Goal::Serve);
        let key = |goal: &Goal| {
            let slot = if let Goal::Serve(slot) = *goal { self.slot(names, slot) } else { Some(0) };
            (self.distance(*goal, at, names), slot, *goal)
        };
        marks.chain(services).min_by_key(key).unwrap_or(Goal::Head)
    }

    /// The distance of a goal from a position, where `names` are the names of the threads.
    fn distance(&self, goal: Goal, at: usize, names: &[u32]) -> u32 {
        match goal {
            Goal::Mark(set) => self.to_marks[set as usize][at],
            Goal::Serve(slot) => self.slot(names, slot).map_or(NEVER, |slot| self.part.to_service(at, slot)),
            Goal::Head => self.to_head[at],
        }
    }
}

/// Finds all edges within a component, and what they mean for threads. The positions of nodes in the
/// component are their numbers.
fn expand<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    component: &Component,
    budget: &Budget,
) -> Option<(Vec<Edge>, Interned<Label>)>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let (system, automaton) = (walk.explorer.expander.system, walk.automaton);
    let per_thread = walk.obligations.per_thread();
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
            obligations: walk.obligations,
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
            match labels.number(Label::new(&before, &after, shown.marks, per_thread), budget) {
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
    edges.sort_unstable();
    edges.dedup();
    Parts::fit(nodes, 2 * edges.len(), most, budget).then_some((edges, labels))
}
