//! Once round a component in which threads are renamed, so that every mark is met and every thread has had
//! its turn.
//!
//! The run is a concrete one. From each state on it, a step is taken that leads nearer to what comes next: a
//! mark that is missing, or what is good for a thread that has not had its turn, by what it is called there;
//! at last the head of the component. How far that is, [`Fair`] knows: states with the same encoding are
//! equally far from everything, as long as all edges within the component are known. A search that found the
//! component may not have seen all of them, so its nodes are expanded again. What is nearest comes first, and
//! of steps that are as good as each other the one that is least by names: so that the next round is the same
//! one with threads exchanged, as long as nobody is like another, and the run is soon back where it began.

use ltl::Marks;
use rustc_hash::FxHashSet;
use store::{Budget, StateStore};
use system::{Encoding, Temporal, has_room};

use super::around::{Around, Shown};
use super::components::Component;
use super::lasso::Move;
use super::marks::Sets;
use super::product::{Node, Walk};
use super::threads::{Edge, Fair, Graph, Interned, Label, NEVER};

/// So many nodes ask for memory at a time.
const BATCH: usize = 1 << 12;

/// What a round is to meet next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Goal {
    Mark(u32),
    /// The turn of the thread with this id.
    Turn(u32),
    Head,
}

/// An edge on the way to a goal.
struct Found<const N: usize> {
    /// How far the goal is from its target; 0 if it is met.
    left: u32,
    /// The step: the name of its thread, the transition, the choice.
    step: Option<(u32, u32, u32)>,
    node: Node,
    marks: Sets<N>,
    way: Vec<Move>,
}

pub struct Rounds<'a> {
    component: &'a Component,
    fair: Fair,
    sets: u32,
    /// By node, for each mark.
    to_marks: Vec<Vec<u32>>,
    to_head: Vec<u32>,
}

impl<'a> Rounds<'a> {
    /// Of a component with fair runs. There are none if memory or time do not allow it, or if states decode
    /// to others than they are.
    pub fn new<S, T, const N: usize>(
        walk: &mut Walk<'_, S, T, N>,
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
        // The head is the first of its nodes.
        let to_head = fair.to_node(0);
        let to_marks = (0..sets).map(|set| fair.to_mark(set)).collect();
        Some(Self { component, fair, sets, to_marks, to_head })
    }

    /// Walks one round, from a state at the head of the component to one with the same encoding. There is
    /// none if names depend on more than the state, or if memory is short.
    pub fn walk<S, T, const N: usize>(
        &self,
        around: &mut Around<'_, S, T>,
        state: &mut S::State,
    ) -> Option<Vec<Move>>
    where
        S: Temporal,
        T: StateStore + ?Sized,
    {
        let (mut node, mut names) = (self.component.head, Vec::new());
        around.system.thread_names(state, &mut names);
        let mut missing = Marks::all(self.sets);
        let ids = 0..names.len() as u32;
        let mut waiting: Vec<u32> = ids.filter(|&id| is_there(&names, id)).collect();
        let mut moves = Vec::new();
        loop {
            let at = self.place(around, node)?;
            let goal = self.nearest(at, &names, missing, &waiting);
            if goal == Goal::Head && node == self.component.head && !moves.is_empty() {
                return Some(moves);
            }
            // What else is met on the way need not be met again.
            loop {
                let found: Found<N> = self.nearer(around, state, node, goal, &names)?;
                around.find(state, node, &mut |shown: Shown<'_, S, N>| {
                    shown.way == found.way && shown.marks == found.marks
                });
                node = found.node;
                around.system.thread_names(state, &mut names);
                missing = missing.without(found.marks.marks());
                waiting.retain(|&id| !found.marks.has_thread(id) && is_there(&names, id));
                moves.extend(found.way);
                if found.left == 0 {
                    break;
                }
            }
        }
    }

    /// The edge of a node that leads nearest to the goal, and nearer than the node is, where threads have
    /// these names.
    fn nearer<S, T, const N: usize>(
        &self,
        around: &mut Around<'_, S, T>,
        state: &mut S::State,
        node: Node,
        goal: Goal,
        names: &[u32],
    ) -> Option<Found<N>>
    where
        S: Temporal,
        T: StateStore + ?Sized,
    {
        let (system, automaton) = (around.system, &around.reader.automaton);
        let far = self.distance(goal, self.place(around, node)?, names);
        if far == NEVER || !has_room(system, state) {
            return None;
        }
        let mut best: Option<Found<N>> = None;
        let mut next = Vec::new();
        around.find(state, node, &mut |Shown { node, state, marks, way }: Shown<'_, S, N>| {
            let Some(at) = self.component.place(node.index(automaton)) else { return false };
            system.thread_names(state, &mut next);
            let is_met = match goal {
                Goal::Mark(set) => marks.marks().contains(Marks::one(set)),
                Goal::Turn(id) => marks.has_thread(id) || !is_there(&next, id),
                Goal::Head => node == self.component.head,
            };
            let left = if is_met { 0 } else { self.distance(goal, at, &next) };
            let step = way.first().and_then(|taken| taken.step);
            let step = step.map(|step| (names[step.thread as usize], step.transition, step.choice));
            if left < far && best.as_ref().is_none_or(|best| (left, step) < (best.left, best.step)) {
                best = Some(Found { left, step, node, marks, way: way.to_vec() });
            }
            false
        });
        best
    }

    fn place<S, T: ?Sized>(&self, around: &Around<'_, S, T>, node: Node) -> Option<usize> {
        self.component.place(node.index(&around.reader.automaton))
    }

    fn nearest(&self, at: usize, names: &[u32], missing: Marks, waiting: &[u32]) -> Goal {
        let marks = (0..self.sets).filter(|&set| missing.contains(Marks::one(set))).map(Goal::Mark);
        let turns = waiting.iter().copied().map(Goal::Turn);
        let key = |goal: &Goal| {
            let name = if let Goal::Turn(id) = *goal { names[id as usize] } else { 0 };
            (self.distance(*goal, at, names), name, *goal)
        };
        marks.chain(turns).min_by_key(key).unwrap_or(Goal::Head)
    }

    /// How far a goal is from a place, where threads have these names.
    fn distance(&self, goal: Goal, at: usize, names: &[u32]) -> u32 {
        match goal {
            Goal::Mark(set) => self.to_marks[set as usize][at],
            Goal::Turn(id) => names.get(id as usize).map_or(NEVER, |&name| self.fair.to_turn(at, name)),
            Goal::Head => self.to_head[at],
        }
    }
}

/// What becomes of threads in a component, by all edges within it.
fn expand<S, T, const N: usize>(
    walk: &mut Walk<'_, S, T, N>,
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
        // All that is known of its edges is as large again as what there is.
        let has_memory =
            !from.is_multiple_of(BATCH) || budget.allows((edges.len() + BATCH) * size_of::<Edge>());
        if !has_memory || walk.explorer.tick(&walk.stack).is_break() || !has_room(system, &mut state) {
            return None;
        }
        walk.explorer.sink.store.decode(node.id(), &mut encoding);
        system.decode(&encoding, &mut state);
        system.thread_names(&mut state, &mut before);
        let mut around = Around {
            system,
            store: &mut *walk.explorer.sink.store,
            reader: walk.reader,
            stutters: walk.stutters,
            encoding: &mut encoding,
            stores_transient: walk.explorer.expander.stores_transient,
            way: Vec::new(),
            passed: FxHashSet::default(),
        };
        let mut is_full = false;
        around.find(&mut state, node, &mut |shown: Shown<'_, S, N>| {
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

/// Whether there is a thread with this id.
fn is_there(names: &[u32], id: u32) -> bool {
    names.get(id as usize).is_some_and(|&name| name != u32::MAX)
}
