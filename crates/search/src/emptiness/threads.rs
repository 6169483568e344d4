//! Fairness that acceptance sets do not express: what happens to each thread in a component.
//!
//! Where states that differ only in the names of threads are identified, an acceptance set per thread carries
//! no information: on a cycle of nodes, the thread with name `i` at the end may be another thread than the
//! one with name `i` at the beginning. And strong fairness is not a conjunction of acceptance sets at all. So
//! the sets of threads are ignored while components are searched, and a component with all marks of the
//! automaton is then examined thread by thread (after Emerson and Sistla, Utilizing symmetry when
//! model-checking under fairness assumptions, TOPLAS 1997, and for strong fairness after Emerson and Lei,
//! Modalities for model checking, Science of Computer Programming 1987, whose algorithm is applied here to
//! threads that are renamed from edge to edge).
//!
//! Each thread has one or more *slots*, the demands of fairness on it ([`super::acceptance`]). The nodes of
//! the *thread graph* are pairs: a node of the component, and a slot of a thread there, under the name of the
//! thread. An edge of the component may *require* a pair of its source. It *serves* the pair as
//! [`super::acceptance`] says, and also if the thread no longer exists after it. Every edge that does not
//! serve the pair leads to another pair: the target of the edge, and the same slot under the name of the
//! thread there. Two steps to the same node may rename threads differently, so every step is an edge of its
//! own. A run is fair if no thread has a slot that is required infinitely often and served only finitely
//! often. (The creation and the end of threads need no special treatment: the slots of a thread that ends are
//! served.)
//!
//! Consider any strongly connected set of edges, a *part*. A pair is *lost* in the part if it has no path, by
//! edges of the part, to an edge that serves it. An edge is *bad* if it requires a lost pair of its source.
//!
//! **In a part, a slot that is not lost does not become lost, and no slot is lost when its thread is
//! created.** What can be reached from a lost pair is lost, and a thread with a lost slot does not end. So
//! the number of lost slots, which is a function of the node, does not decrease along an edge; since the part
//! is strongly connected, it is the same at all nodes.
//!
//! **A part without bad edges has a fair run through all its edges.** Serve one slot after the other, in the
//! order in which they have waited or were created, unless it is lost: from the current state, take the path
//! to the edge that serves it; in between, visit each edge of the part. A lost slot stays lost, and is never
//! required, because no edge is bad. No other slot waits for ever, because the number of threads is bounded.
//!
//! **A fair run that stays in a part takes its bad edges finitely often.** Each time it takes a bad edge,
//! some slot is required that is lost, and is never served again. So its thread never ends. The number of
//! threads that exist at a time is bounded. Therefore, if bad edges were taken infinitely often, some slot of
//! some thread would be required infinitely often, which is never served again after the first time.
//!
//! So a component has a fair run with all marks if and only if this procedure finds one ([`super::streett`]):
//! split the edges into strongly connected parts; drop those that lack a mark; a part without bad edges has a
//! fair run; of every other part remove the bad edges and go on with the rest. By the last statement, the
//! edges that a fair run takes infinitely often, which are strongly connected and have all marks, are never
//! removed.
//!
//! Under weak fairness every pair is required by all edges from its node. In a strongly connected part with a
//! lost pair, every node has one, so all edges are bad and nothing is left: it is enough to examine maximal
//! components. Under strong fairness smaller parts must be found, and the cycle of a counterexample may be
//! away from the node at which the search noticed the component.
//!
//! The names need not be canonical for this: an edge records the names of the threads before and after the
//! step that was taken. Nor must all edges of the component be known: what is required at a node is known
//! from the node, so a fair run by known edges is a fair run.

use std::hash::Hash;
use std::ops::ControlFlow;
use std::rc::Rc;

use ltl::strength::Weakness;
use ltl::{Marks, State};
use rustc_hash::FxHashMap;
use store::{Budget, Chunked, Full};
use system::Temporal;

use super::acceptance::{Obligations, Sets};
use super::reader::Reader;
use super::streett::Parts;
use crate::outcome::StopReason;
use crate::sink::or_stop;

/// The fate of a slot along an edge that serves it.
pub const SERVED: u32 = u32::MAX;

/// Memory is requested from the budget once per this many new labels: this many bytes for each label, and for
/// each slot in it.
const BATCH: usize = 1 << 10;
const LABEL_BYTES: usize = 128;
const SLOT_BYTES: usize = 8;

/// What an edge means for marks and threads.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The marks of the automaton, where they matter.
    pub marks: Marks,
    /// By slot at the source of the edge: the same slot at the target, or [`SERVED`]. Slots are numbered by
    /// the names of their threads.
    pub fates: Vec<u32>,
    /// The slots at the source that are required, in increasing order.
    pub required: Vec<u32>,
}

/// An edge between nodes, with the number of its label.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub to: u32,
    pub from: u32,
    pub label: u32,
}

/// The edges between live nodes, in the order in which a search for components finds them.
pub struct Threads {
    edges: Chunked<Edge>,
    labels: Interned<Label>,
    names: Interned<Vec<u32>>,
    /// The nodes from the initial one to the current one: node number, number of the list of names, and state
    /// of the automaton.
    path: Chunked<(u32, u32, State)>,
    /// By state of the automaton: whether it is in a component with all marks. Edges of other states do not
    /// matter.
    accepting: Vec<bool>,
    /// The greatest number of slots of a node so far.
    most: usize,
    /// The number of slots of a thread.
    per_thread: u32,
    /// The marks that a part of a component must have: none if maximal components are enough.
    all: Marks,
    budget: Budget,
}

impl Threads {
    pub fn new(reader: &Reader, obligations: &Obligations, budget: &Budget) -> Self {
        let weakness = Weakness::of(&reader.automaton);
        let accepts = |state| weakness.accepts(state) || state == reader.diverging;
        Self {
            edges: Chunked::new(budget),
            labels: Interned::default(),
            names: Interned::default(),
            path: Chunked::new(budget),
            accepting: reader.automaton.states().map(accepts).collect(),
            most: 0,
            per_thread: obligations.per_thread(),
            all: if obligations.is_weak() { Marks::NONE } else { Marks::all(reader.automaton.sets) },
            budget: budget.clone(),
        }
    }

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Removes all edges except the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.edges.truncate(len);
    }

    /// The search enters node `number`, which consists of `state` and `claimed`.
    pub fn enter<S: Temporal>(
        &mut self,
        system: &S,
        state: &mut S::State,
        claimed: State,
        number: u32,
    ) -> ControlFlow<StopReason> {
        let mut names = Vec::new();
        system.thread_names(state, &mut names);
        self.most = self.most.max(names.len() * self.per_thread as usize);
        let names = or_stop(self.names.number(names, &self.budget))?;
        or_stop(self.path.push((number, names, claimed)))
    }

    pub fn leave(&mut self) {
        self.path.pop();
    }

    /// Adds an edge from the last node that was entered to node `to`, which consists of `state` and
    /// `claimed`.
    pub fn add<S: Temporal, const N: usize>(
        &mut self,
        system: &S,
        state: &mut S::State,
        claimed: State,
        to: u32,
        marks: Sets<N>,
    ) -> ControlFlow<StopReason> {
        let Some((from, names, left)) = self.path.last() else { return ControlFlow::Continue(()) };
        if !self.accepting[left.index()] || !self.accepting[claimed.index()] {
            return ControlFlow::Continue(());
        }
        let (before, mut after) = (Rc::clone(&self.names.all[names as usize]), Vec::new());
        system.thread_names(state, &mut after);
        let mut label = Label::new(&before, &after, marks, self.per_thread);
        if self.all == Marks::NONE {
            label.marks = Marks::NONE;
        }
        let label = or_stop(self.labels.number(label, &self.budget))?;
        or_stop(self.edges.push(Edge { to, from, label }))
    }

    /// The parts with fair runs of the component whose edges are those from index `start` on, and whose nodes
    /// are numbered from `root` on.
    pub fn parts(&self, start: usize, root: u32, nodes: usize) -> ControlFlow<StopReason, Parts<'_>> {
        if !Parts::fit(nodes, self.edges.len() - start, self.most, &self.budget) {
            return ControlFlow::Break(StopReason::Memory);
        }
        let edges = (start..self.edges.len()).map(|at| {
            let Edge { from, to, label } = self.edges[at];
            Edge { from: from - root, to: to - root, label }
        });
        ControlFlow::Continue(Parts::new(nodes, edges.collect(), &self.labels.all, self.all))
    }
}

impl Label {
    /// The label of an edge with these marks. `before` and `after` are the names of the threads at its two
    /// ends, by thread id, and each thread has `per_thread` slots.
    pub fn new<const N: usize>(before: &[u32], after: &[u32], marks: Sets<N>, per_thread: u32) -> Self {
        let mut required = Vec::new();
        let fates = fates(before, after, per_thread, |slot, name| {
            if marks.requires(slot) {
                required.push(name);
            }
            marks.serves(slot)
        });
        required.sort_unstable();
        Self { marks: marks.marks(), fates, required }
    }
}

/// By slot before a step, under the names of threads: the slot after it, or [`SERVED`]. `before` and `after`
/// are indexed by thread id. `serves` is asked for each slot by id, and is told the slot by name.
fn fates(
    before: &[u32],
    after: &[u32],
    per_thread: u32,
    mut serves: impl FnMut(u32, u32) -> bool,
) -> Vec<u32> {
    let named = || before.iter().zip(0_u32..).filter(|&(&name, _)| name != u32::MAX);
    let names = named().map(|(&name, _)| name + 1).max().unwrap_or_default();
    let mut fates = vec![SERVED; (names * per_thread) as usize];
    for (&name, id) in named() {
        // A thread that does not exist afterwards has no name, and its slots count as served.
        let next = after.get(id as usize).copied().filter(|&next| next != u32::MAX);
        for of_thread in 0..per_thread {
            let slot = name * per_thread + of_thread;
            let is_served = serves(id.saturating_mul(per_thread).saturating_add(of_thread), slot);
            fates[slot as usize] =
                next.filter(|_| !is_served).map_or(SERVED, |next| next * per_thread + of_thread);
        }
    }
    fates
}

/// Distinct values, each with a number.
pub struct Interned<T> {
    pub all: Vec<Rc<T>>,
    numbers: FxHashMap<Rc<T>, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { all: Vec::new(), numbers: FxHashMap::default() }
    }
}

impl<T: Hash + Eq> Interned<T> {
    /// The number of a value that has one.
    pub fn find(&self, value: &T) -> Option<u32> {
        self.numbers.get(value).copied()
    }

    pub fn number(&mut self, value: T, budget: &Budget) -> Result<u32, Full> {
        if let Some(&number) = self.numbers.get(&value) {
            return Ok(number);
        }
        let number = self.all.len();
        let bytes = LABEL_BYTES + SLOT_BYTES * super::acceptance::SLOTS as usize;
        if number.is_multiple_of(BATCH) && !budget.allows(BATCH * bytes) {
            return Err(Full::Memory);
        }
        let value = Rc::new(value);
        self.all.push(Rc::clone(&value));
        self.numbers.insert(value, number as u32);
        Ok(number as u32)
    }
}

#[cfg(test)]
mod tests;
