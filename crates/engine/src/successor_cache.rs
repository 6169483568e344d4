//! A cache of the successors of threads.
//!
//! What a thread can do is determined by the bits of the state that the interpreter reads to find out, in the
//! order in which it reads them: the first position is always the same, the second depends on what was found
//! at the first, and so on. So all that was ever found out about a thread is a decision tree (which bits are
//! there at this position?), and its leaves are the successors, each as the bits that its step writes. States
//! of one program give the same few outcomes over and over; the interpreter runs once for each new
//! combination of them. Where a thread with many options has too many combinations, each of its transitions
//! gets a tree of its own, as long as they do not depend on each other.
//!
//! Reads and writes are those of [`state::State::trace_accesses`], which sees every access to a word. Which
//! units there are and where, and which procedures threads run, is not read but known: each layout of units
//! has trees of its own. A step that makes units or takes some away writes their lengths. If some step of a
//! thread ends in a fault, hard or soft, or exceeds a bound, the leaf is irregular, and the interpreter is
//! asked each time.
//!
//! A step that is taken later is taken by what it writes ([`Engine::apply_successor`]), and needs no
//! interpreter either, unless it changes the layout of units.
//!
//! Now and then an answer is checked against the interpreter.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustc_hash::FxHashMap;
use state::{NodeRef, State, ThreadId, UnitsChanged};
use system::{Effect, Fired, Step, Steps};

use crate::code::GuardCode;
use crate::decision_tree::{DecisionTrees, Leaf, Node, Test};
use crate::locations::Group;
use crate::recorder::{Recorder, Successor, Successors};
use crate::{Engine, EngineState};

/// The cache is cleared when it has more nodes or successors than this.
const MOST_NODES: usize = 1 << 17;
/// With more combinations of outcomes for a location than this, each of its transitions gets a tree of its
/// own.
const MOST_MISSES: u32 = 1 << 10;
/// With more layouts of units than this, little is asked twice, and the cache is switched off.
const MOST_LAYOUTS: usize = 1 << 12;
/// One of this many answers is checked.
const AUDIT_EVERY: u64 = if cfg!(debug_assertions) { 16 } else { 1 << 14 };
/// The number of lookups after which the cache must be worth it.
const TRIAL: u64 = 1 << 14;
/// The greatest number of steps through transient states, and of successors at one leaf.
const DEEPEST: usize = 64;
const MOST_SUCCESSORS: usize = 256;

#[derive(Clone, Debug, Default)]
pub struct Cache {
    /// Layouts of units by their description.
    layouts: FxHashMap<Box<[u32]>, u32>,
    /// The layout at hand: its number in the state, and here.
    current: Option<(u64, u32)>,
    description: Vec<u32>,
    roots: FxHashMap<CacheKey, Node>,
    /// By layout and thread: where its trees were last left.
    last_hits: Vec<Vec<LastHits>>,
    trees: DecisionTrees,
    /// Leaves by the hash of their successors.
    leaves: FxHashMap<u64, Leaf>,
    successors: Successors,
    /// The generation of the successors.
    generation: Generation,
    asked: u64,
    missed: u64,
    applied: u64,
    /// By location: the number of misses in trees for all transitions there.
    misses: Vec<u32>,
    /// The cache is not worth it.
    is_off: bool,
    recorder: Recorder,
}

/// Identifies one generation of the cache. A cleared or cloned cache gets a new one.
#[derive(Debug)]
struct Generation(u64);

impl Default for Generation {
    fn default() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Relaxed) + 1)
    }
}

impl Clone for Generation {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What a tree is about: a thread in a layout of units, and one of its transitions or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct CacheKey {
    layout: u32,
    thread: u32,
    transition: Option<u32>,
}

/// The last answers about a thread in a layout of units.
#[derive(Clone, Debug)]
struct LastHits {
    /// From the tree for all transitions.
    all: LastHit,
    /// From the tree for each transition of one location.
    location: usize,
    each: Vec<LastHit>,
}

/// The last answer from a tree. It is still right as long as no position has changed that was tested.
#[derive(Clone, Copy, Debug)]
struct LastHit {
    root: Option<Node>,
    leaf: Leaf,
    /// Positions modulo 64, as bits.
    tested: u64,
    changed: u64,
}

const NO_HIT: LastHit = LastHit { root: None, leaf: Leaf::Irregular, tested: u64::MAX, changed: u64::MAX };

impl LastHits {
    /// Makes room for the transition with this number at a location.
    fn prepare(&mut self, location: usize, number: usize) {
        if self.location != location {
            self.location = location;
            self.each.clear();
        }
        self.each.resize(self.each.len().max(number + 1), NO_HIT);
    }
}

impl Cache {
    fn clear(&mut self) {
        self.roots.clear();
        self.last_hits.clear();
        self.trees.clear();
        self.leaves.clear();
        self.successors.clear();
        self.generation = Generation::default();
    }

    fn count_miss(&mut self, location: usize) {
        if self.misses.len() <= location {
            self.misses.resize(location + 1, 0);
        }
        self.misses[location] = self.misses[location].saturating_add(1);
    }

    /// The number of the layout of units of a state.
    #[inline]
    fn layout(&mut self, engine: &Engine, state: &State) -> u32 {
        match self.current {
            Some((number, id)) if number == state.unit_layout() => id,
            _ => self.find_layout(engine, state),
        }
    }

    #[cold]
    fn find_layout(&mut self, engine: &Engine, state: &State) -> u32 {
        self.description.clear();
        state.describe_unit_layout(&mut self.description);
        let threads = (0..state.thread_limit()).map(ThreadId).filter(|&thread| state.is_running(thread));
        self.description.extend(threads.map(|thread| engine.procedure_of(state, thread).0));
        let fresh = self.layouts.len() as u32;
        self.is_off |= self.layouts.len() > MOST_LAYOUTS;
        let id = match self.layouts.get(&self.description[..]) {
            Some(&id) => id,
            None => *self.layouts.entry(self.description.as_slice().into()).or_insert(fresh),
        };
        self.current = Some((state.unit_layout(), id));
        // Changes were not followed while other layouts were current.
        self.invalidate_hits(id, u64::MAX);
        id
    }

    /// Marks positions as changed, which the last hits may have tested.
    #[inline]
    fn invalidate_hits(&mut self, layout: u32, changed: u64) {
        for hits in self.last_hits.get_mut(layout as usize).into_iter().flatten() {
            hits.all.changed |= changed;
            hits.each.iter_mut().for_each(|hit| hit.changed |= changed);
        }
    }

    /// Reads from the journal what changed since the last call.
    #[inline]
    pub fn follow_changes(&mut self, state: &mut State) {
        let changed = state.take_changed_places();
        if changed != 0
            && let Some((_, layout)) = self.current
        {
            self.invalidate_hits(layout, changed);
        }
    }

    /// The leaf that a state leads to, if it is known. A key with a transition comes with its location, and
    /// the number of the transition there.
    #[inline]
    fn find(&mut self, state: &State, key: CacheKey, (location, number): (usize, usize)) -> Option<Leaf> {
        let (layout, thread) = (key.layout as usize, key.thread as usize);
        if self.last_hits.get(layout).is_none_or(|hits| hits.len() <= thread) {
            self.prepare_hits(layout, thread);
        }
        let hits = &mut self.last_hits[layout][thread];
        let hit = if key.transition.is_none() {
            &mut hits.all
        } else {
            if hits.location != location || hits.each.len() <= number {
                hits.prepare(location, number);
            }
            &mut hits.each[number]
        };
        if hit.tested & hit.changed == 0 {
            return Some(hit.leaf);
        }
        let root = match hit.root {
            Some(root) => root,
            None => *self.roots.get(&key)?,
        };
        let found = descend(&self.trees, state, root);
        *hit = match found {
            Some((leaf, tested)) => LastHit { root: Some(root), leaf, tested, changed: 0 },
            None => LastHit { root: Some(root), ..NO_HIT },
        };
        found.map(|(leaf, _)| leaf)
    }

    #[cold]
    fn prepare_hits(&mut self, layout: usize, thread: usize) {
        if self.last_hits.len() <= layout {
            self.last_hits.resize_with(layout + 1, Vec::new);
        }
        let none = || LastHits { all: NO_HIT, location: usize::MAX, each: Vec::new() };
        self.last_hits[layout].resize_with(thread + 1, none);
    }

    /// Adds what was recorded.
    fn learn(&mut self, key: CacheKey, is_regular: bool) -> Leaf {
        let recorder = std::mem::take(&mut self.recorder);
        let leaf = if is_regular { self.leaf_of(&recorder.found) } else { Leaf::Irregular };
        // The last test and its outcome: the next node is the child there.
        let mut last = None;
        for &(at, mask) in &recorder.tests {
            let test = match self.child(key, last) {
                None => {
                    let test = self.trees.new_test(at, mask);
                    self.add(key, last, Node::Test(test));
                    test
                }
                Some(Node::Test(test)) if (test.at, test.mask) == (at, mask) => test,
                Some(other) => {
                    unreachable!("after the same outcomes comes {other:?}, not a test of {mask:x} at {at}")
                }
            };
            last = Some((test, recorder.before[at as usize] & mask));
        }
        self.add(key, last, Node::Leaf(leaf));
        self.recorder = recorder;
        leaf
    }

    /// The leaf for these successors. Different outcomes often have the same.
    fn leaf_of(&mut self, found: &Successors) -> Leaf {
        let hash = found.hash();
        if let Some(&leaf @ Leaf::Known { first, count }) = self.leaves.get(&hash)
            && self.successors.is_same(first, count, found)
        {
            return leaf;
        }
        let leaf = Leaf::Known { first: self.successors.len() as u32, count: found.len() as u32 };
        self.successors.extend(found);
        self.leaves.insert(hash, leaf);
        leaf
    }

    /// The child of a test for an outcome, or the root of a tree, if it is known.
    fn child(&self, key: CacheKey, of: Option<(Test, u64)>) -> Option<Node> {
        match of {
            None => self.roots.get(&key).copied(),
            Some((test, outcome)) => self.trees.child(test, outcome),
        }
    }

    fn add(&mut self, key: CacheKey, of: Option<(Test, u64)>, child: Node) {
        match of {
            None => _ = self.roots.insert(key, child),
            Some((test, outcome)) => self.trees.add(test, outcome, child),
        }
    }
}

/// Goes from the root of a tree to a leaf. Returns the leaf and the positions that were tested.
#[inline]
fn descend(trees: &DecisionTrees, state: &State, root: Node) -> Option<(Leaf, u64)> {
    let (mut node, mut tested) = (root, 0);
    loop {
        match node {
            Node::Test(test) => {
                tested |= 1 << (test.at % 64);
                let outcome = state.word_untraced(test.at as usize) & test.mask;
                node = trees.child(test, outcome)?;
            }
            Node::Leaf(leaf) => return Some((leaf, tested)),
        }
    }
}

/// Writes what a successor writes. Returns false if that is not all that changes.
fn apply(es: &mut EngineState, successor: &Successor, later: &mut Vec<Step>) -> bool {
    if !successor.is_shown {
        return false;
    }
    let EngineState { state, cache, .. } = es;
    state.mark();
    for write in cache.successors.writes(successor) {
        let unit = NodeRef::of(write.key);
        let at = state.start_of(unit) + write.word as usize;
        state.write_word(unit, at, write.apply(state.word_untraced(at)));
    }
    let steps = cache.successors.later(successor);
    for _ in steps {
        state.mark();
    }
    later.extend_from_slice(steps);
    es.has_next = false;
    es.start_fault = None;
    true
}

impl Engine {
    /// Whether the steps of a state are those of its threads, each of which depends on words only.
    pub(crate) fn is_cacheable(&self, es: &EngineState) -> bool {
        let is_exclusive = || self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
        self.is_flat
            && self.layout.priority.is_none()
            && self.hidden.is_none()
            && !self.bodies_ask_for_timeout
            && !es.cache.is_off
            && es.start_fault.is_none()
            && !is_exclusive()
    }

    /// Visits the successors of a thread by the cache. Returns false if some of them have to be asked for
    /// otherwise.
    pub(crate) fn cached_successors(
        &self,
        es: &mut EngineState,
        thread: u32,
        mut visit: impl FnMut(Step, Effect<'_>),
    ) -> bool {
        let id = ThreadId(thread);
        if !es.state.is_running(id) {
            return true;
        }
        let layout = es.cache.layout(self, &es.state);
        let location = es.state.read_untraced(es.state.frame(id), self.layout.location) as usize;
        let key = |transition| CacheKey { layout, thread, transition };
        let Some(group) = self.split_group(&es.cache, location) else {
            let missed = es.cache.missed;
            let is_all = self.locations[location].groups.is_empty()
                || self.lookup(es, key(None), (location, 0), &mut visit).is_some();
            if es.cache.missed > missed {
                es.cache.count_miss(location);
            }
            return is_all;
        };
        let mut count = 0;
        for (number, &transition) in group.transitions.iter().enumerate() {
            match self.lookup(es, key(Some(transition)), (location, number), &mut visit) {
                Some(more) => count += more,
                None => return false,
            }
        }
        match group.otherwise {
            Some(transition) if count == 0 => {
                let place = (location, group.transitions.len());
                self.lookup(es, key(Some(transition)), place, &mut visit).is_some()
            }
            _ => true,
        }
    }

    /// The transitions of a location, if each of them has a tree of its own.
    #[inline]
    fn split_group(&self, cache: &Cache, location: usize) -> Option<&Group> {
        let is_split = cache.misses.get(location).is_some_and(|&misses| misses >= MOST_MISSES);
        match &self.locations[location].groups[..] {
            [group] if is_split && !self.has_conditions && group.transitions.len() > 1 => Some(group),
            _ => None,
        }
    }

    /// Takes a step by what it writes, if that is cached: to the successor with this number among those of
    /// the step. `later` gets the steps after the first, and there is as much to undo as if they were fired
    /// one by one.
    pub(crate) fn apply_successor(
        &self,
        es: &mut EngineState,
        step: Step,
        number: usize,
        later: &mut Vec<Step>,
    ) -> bool {
        let id = ThreadId(step.thread);
        if es.state.records_graph() || !self.is_cacheable(es) || !es.state.is_running(id) {
            return false;
        }
        es.cache.follow_changes(&mut es.state);
        let layout = es.cache.layout(self, &es.state);
        let location = es.state.read_untraced(es.state.frame(id), self.layout.location) as usize;
        let group = self.split_group(&es.cache, location);
        let key = CacheKey { layout, thread: step.thread, transition: group.map(|_| step.transition) };
        let place = group.map_or(0, |group| {
            let place = group.transitions.iter().position(|&other| other == step.transition);
            place.unwrap_or(group.transitions.len())
        });
        let leaf = es.cache.find(&es.state, key, (location, place));
        es.cache.applied += 1;
        if let Some(leaf) = leaf
            && es.cache.applied.is_multiple_of(AUDIT_EVERY)
        {
            self.audit(es, key, leaf);
        }
        let Some(Leaf::Known { first, count }) = leaf else { return false };
        let mut successors = es.cache.successors.range(first, count).iter();
        let Some(&successor) = successors.by_ref().filter(|successor| successor.step == step).nth(number)
        else {
            return false;
        };
        apply(es, &successor, later)
    }

    /// Takes a step by its effect, which is one that was visited in this very state. Returns whether that is possible.
    ///
    /// The changes are noted by the cache when it is asked for the threads of another state. Until then it may be asked
    /// about this state again, once the step is undone.
    pub fn apply_effect(&self, es: &mut EngineState, number: u64, later: &mut Vec<Step>) -> bool {
        if es.state.records_graph() || number >> 32 != es.cache.generation.0 {
            return false;
        }
        let Some(&successor) = es.cache.successors.get(number as u32) else { return false };
        apply(es, &successor, later)
    }

    /// Visits the successors for a key, which are recorded first if necessary. Returns their number, or
    /// `None` if the leaf is irregular.
    #[inline]
    fn lookup(
        &self,
        es: &mut EngineState,
        key: CacheKey,
        place: (usize, usize),
        visit: &mut impl FnMut(Step, Effect<'_>),
    ) -> Option<u32> {
        es.cache.asked += 1;
        let leaf = match es.cache.find(&es.state, key, place) {
            Some(leaf) => {
                if es.cache.asked.is_multiple_of(AUDIT_EVERY) {
                    self.audit(es, key, leaf);
                }
                leaf
            }
            None => self.add_missing(es, key)?,
        };
        let Leaf::Known { first, count } = leaf else { return None };
        let cache = &es.cache;
        let numbers = cache.generation.0 << 32 | u64::from(first)..;
        for (found, number) in cache.successors.range(first, count).iter().zip(numbers) {
            visit(found.step, Effect { number, writes: cache.successors.writes(found) });
        }
        Some(count)
    }

    #[cold]
    fn add_missing(&self, es: &mut EngineState, key: CacheKey) -> Option<Leaf> {
        let cache = &mut es.cache;
        cache.missed += 1;
        if cache.asked > TRIAL && cache.missed > cache.asked / 4 {
            cache.is_off = true;
            cache.clear();
            return None;
        }
        if cache.trees.len() > MOST_NODES
            || cache.successors.len() > MOST_NODES
            || cache.successors.count_writes() > 2 * MOST_NODES
        {
            cache.clear();
        }
        let is_regular = self.record(es, key);
        if es.stack.fuel.is_spent() {
            return None;
        }
        Some(es.cache.learn(key, is_regular))
    }

    /// Records what a thread can do. Returns false if the interpreter must be asked each time. The key of an
    /// `else` transition is looked up only where the thread can do nothing else.
    fn record(&self, es: &mut EngineState, key: CacheKey) -> bool {
        let mut recorder = std::mem::take(&mut es.cache.recorder);
        let mut steps = std::mem::take(&mut recorder.steps);
        steps.clear();
        recorder.begin(&es.state);
        es.state.trace_accesses();
        let thread = ThreadId(key.thread);
        let frame = es.state.frame(thread);
        match key.transition {
            None => self.own_steps(es, thread, &mut steps),
            Some(id) if matches!(self.code.transitions[id as usize].guard, GuardCode::Else) => {
                steps.enabled.push(Step { thread: thread.0, transition: id, choice: 0 });
            }
            Some(id) => self.add_steps(es, thread, frame, id, &mut steps),
        }
        recorder.read_trace(&mut es.state);
        let none = UnitsChanged::default();
        let is_regular = steps.faults.is_empty()
            && steps.enabled.iter().all(|&step| self.follow(es, &mut recorder, (step, step), 0, none));
        es.state.stop_tracing();
        recorder.steps = steps;
        es.cache.recorder = recorder;
        is_regular
    }

    /// Goes on by a step of a path that began with `first`, and by those after it as long as the thread is
    /// exclusive.
    fn follow(
        &self,
        es: &mut EngineState,
        recorder: &mut Recorder,
        (first, step): (Step, Step),
        depth: usize,
        changes: UnitsChanged,
    ) -> bool {
        let position = recorder.position();
        let fired = self.fire_only(es, step);
        recorder.read_trace(&mut es.state);
        let changes = changes.and(es.state.units_changed());
        // A unit that came may have taken the place or the id of one that went.
        let mut is_regular = fired == Fired::Moved
            && !(changes.came && changes.gone)
            && depth < DEEPEST
            && recorder.found.len() < MOST_SUCCESSORS;
        if is_regular {
            let exclusive = self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
            if exclusive {
                let mut next = Steps::default();
                self.state_steps(es, &mut next);
                recorder.read_trace(&mut es.state);
                is_regular = next.faults.is_empty()
                    && next.enabled.iter().all(|&next| {
                        recorder.path.push(next);
                        let is_regular = self.follow(es, recorder, (first, next), depth + 1, changes);
                        recorder.path.pop();
                        is_regular
                    });
            } else {
                recorder.read_trace(&mut es.state);
                recorder.arrive(&es.state, first, 0..self.layout.root_shown, changes);
            }
        }
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
            es.has_next = false;
            es.state.undo();
        }
        recorder.go_back(position);
        is_regular
    }

    /// Checks an answer of the cache against the interpreter.
    #[cold]
    fn audit(&self, es: &mut EngineState, key: CacheKey, leaf: Leaf) {
        let is_regular = self.record(es, key);
        if es.stack.fuel.is_spent() {
            return;
        }
        let cache = &es.cache;
        let same = match leaf {
            Leaf::Known { first, count } => {
                is_regular && cache.successors.is_same(first, count, &cache.recorder.found)
            }
            Leaf::Irregular => !is_regular,
        };
        assert!(same, "what is cached for {key:?} is not what the thread can do");
    }
}
