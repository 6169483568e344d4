//! What threads can do, remembered.
//!
//! What a thread can do is determined by the bits of the state that the interpreter reads to find out, in the order in which
//! it reads them: the first place it looks at is always the same, the second depends on what was found at the first, and so
//! on. So all that was ever found out about a thread is a tree of questions (which bits are there at this place?), and at
//! its ends are the steps, each with the bits that it writes. States of one program ask the same few questions over and over;
//! the interpreter runs once for each new combination of answers. Where a thread with many options has too many of these, each
//! of its transitions gets a tree of its own, as long as they do not depend on each other.
//!
//! Reads and writes are those of [`state::State::trace_accesses`], which sees every access to a word. Which units there are, and
//! where, and which procedures threads run, is not read but known: trees are of one arrangement of units. A step that makes units
//! or takes some away writes their lengths. A thread of which some step ends in a fault, is flawed or exceeds a bound is
//! remembered as irregular, and left to the interpreter each time.
//!
//! A step that is taken later is taken by what it writes ([`Engine::retake_turn`]), and needs no interpreter either, unless it
//! changes the arrangement.
//!
//! Now and then an answer is checked against the interpreter.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rustc_hash::{FxHashMap, FxHasher};
use state::{Access, AccessKind, NodeRef, State, ThreadId, UnitsChanged};
use system::{Effect, Fired, Key, Step, Steps, Write};

use crate::code::GuardCode;
use crate::locations::Group;
use crate::questions::{End, Next, Question, Questions};
use crate::{Engine, EngineState};

/// Trees that grow beyond this are cut down.
const MOST_NODES: usize = 1 << 17;
/// How many combinations of answers there may be for all transitions of a location together.
const MOST_MISSES: u32 = 1 << 10;
const MOST_ARRANGEMENTS: usize = 1 << 12;
/// How many answers come between two that are checked.
const AUDIT_EVERY: u64 = if cfg!(debug_assertions) { 16 } else { 1 << 14 };
/// How many questions are asked before it is looked at whether they are worth it.
const TRIAL: u64 = 1 << 14;
/// Steps inside of one that nobody interrupts, and ways that one step leads.
const DEEPEST: usize = 64;
const MOST_MOVES: usize = 256;

#[derive(Clone, Debug, Default)]
pub struct Turns {
    arrangements: FxHashMap<Box<[u32]>, u32>,
    /// The arrangement at hand: its number in the state, and here.
    current: Option<(u64, u32)>,
    description: Vec<u32>,
    /// The roots of the trees, by [`Topic`].
    roots: FxHashMap<Topic, Next>,
    /// By arrangement and thread: where its trees were last entered and left.
    near: Vec<Vec<Nearby>>,
    questions: Questions,
    /// By hash of its moves: an end.
    ends: FxHashMap<u64, End>,
    moves: Vec<Move>,
    /// Of the moves.
    generation: Generation,
    writes: Vec<Write>,
    /// The steps of moves after their first ones.
    later: Vec<Step>,
    asked: u64,
    missed: u64,
    retaken: u64,
    /// By location: how often a tree about all transitions there had no answer, and whether that was too often.
    misses: Vec<u32>,
    /// It is not worth it.
    is_off: bool,
    scout: Scout,
}

/// A number that no others have that remember something: neither those that were forgotten, nor clones.
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

/// What a tree is about: a thread in an arrangement, and one of its transitions, or all of them.
type Topic = (u32, u32, Option<u32>);

/// The last answers about a thread in an arrangement.
#[derive(Clone, Debug)]
struct Nearby {
    /// About all its transitions.
    all: Near,
    /// About each of those of a location.
    location: usize,
    each: Vec<Near>,
}

/// The last answer from a tree.
#[derive(Clone, Copy, Debug)]
struct Near {
    root: Option<Next>,
    /// The end, as long as no place changes that was asked about: bits of both, modulo 64.
    end: End,
    asked: u64,
    changed: u64,
}

const NOT_NEAR: Near = Near { root: None, end: End::Irregular, asked: u64::MAX, changed: u64::MAX };

/// A way to another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Move {
    step: Step,
    first_write: u32,
    writes: u32,
    /// The steps after the first one, through transient states.
    first_later: u32,
    later: u32,
    /// It changes nothing but words that encodings show.
    is_shown: bool,
}

/// Finds out what a thread can do, and what that depends on.
#[derive(Clone, Debug, Default)]
struct Scout {
    /// The words before.
    before: Vec<u64>,
    /// The units before, and their lengths.
    units: Vec<(NodeRef, usize)>,
    /// By place: the bits that were asked for.
    known: Vec<u64>,
    /// By place: the bits that were written on the way so far.
    written: Vec<u64>,
    /// By place: the bits among these that hold what was elsewhere in their word.
    copies: Vec<Copies>,
    /// The ways through these lists: where, whose, and what was written and copied before.
    way: Vec<(u32, NodeRef, u64, Copies)>,
    questions: Vec<(u32, u64)>,
    /// The steps on the way but the first.
    path: Vec<Step>,
    moves: Vec<Move>,
    writes: Vec<Write>,
    later: Vec<Step>,
    accesses: Vec<Access>,
    steps: Steps,
}

/// Bits that hold what was so many places above them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Copies {
    mask: u64,
    shift: u32,
}

impl Turns {
    fn clear(&mut self) {
        self.roots.clear();
        self.near.clear();
        self.questions.clear();
        self.ends.clear();
        self.moves.clear();
        self.generation = Generation::default();
        self.writes.clear();
        self.later.clear();
    }

    fn count_miss(&mut self, location: usize) {
        if self.misses.len() <= location {
            self.misses.resize(location + 1, 0);
        }
        self.misses[location] = self.misses[location].saturating_add(1);
    }

    /// The number of the arrangement of a state.
    #[inline]
    fn arrangement(&mut self, engine: &Engine, state: &State) -> u32 {
        match self.current {
            Some((number, id)) if number == state.unit_layout() => id,
            _ => self.find_arrangement(engine, state),
        }
    }

    #[cold]
    fn find_arrangement(&mut self, engine: &Engine, state: &State) -> u32 {
        self.description.clear();
        state.describe_unit_layout(&mut self.description);
        let threads = (0..state.thread_limit()).map(ThreadId).filter(|&thread| state.is_running(thread));
        self.description.extend(threads.map(|thread| engine.procedure_of(state, thread).0));
        let fresh = self.arrangements.len() as u32;
        // Where threads come and go so much, little is asked twice.
        self.is_off |= self.arrangements.len() > MOST_ARRANGEMENTS;
        let id = match self.arrangements.get(&self.description[..]) {
            Some(&id) => id,
            None => *self.arrangements.entry(self.description.as_slice().into()).or_insert(fresh),
        };
        self.current = Some((state.unit_layout(), id));
        // Nobody followed the changes meanwhile.
        self.change_near(id, u64::MAX);
        id
    }

    /// Places changed that the last answers may have asked about.
    #[inline]
    fn change_near(&mut self, arrangement: u32, changed: u64) {
        for near in self.near.get_mut(arrangement as usize).into_iter().flatten() {
            near.all.changed |= changed;
            near.each.iter_mut().for_each(|near| near.changed |= changed);
        }
    }

    /// The end that the answers of a state lead to, if they were ever given before. A topic that is about one transition
    /// comes with its location, and its number there.
    #[inline]
    fn find(&mut self, state: &State, topic: Topic, (location, number): (usize, usize)) -> Option<End> {
        let (arrangement, thread, transition) = topic;
        let (arrangement, thread) = (arrangement as usize, thread as usize);
        if self.near.get(arrangement).is_none_or(|near| near.len() <= thread) {
            self.make_near(arrangement, thread);
        }
        let nearby = &mut self.near[arrangement][thread];
        let near = if transition.is_none() {
            &mut nearby.all
        } else {
            if nearby.location != location || nearby.each.len() <= number {
                nearby.go(location, number);
            }
            &mut nearby.each[number]
        };
        if near.asked & near.changed == 0 {
            return Some(near.end);
        }
        let root = match near.root {
            Some(root) => root,
            None => *self.roots.get(&topic)?,
        };
        let found = walk(&self.questions, state, root);
        *near = match found {
            Some((end, asked)) => Near { root: Some(root), end, asked, changed: 0 },
            None => Near { root: Some(root), ..NOT_NEAR },
        };
        found.map(|(end, _)| end)
    }

    #[cold]
    fn make_near(&mut self, arrangement: usize, thread: usize) {
        if self.near.len() <= arrangement {
            self.near.resize_with(arrangement + 1, Vec::new);
        }
        let nowhere = || Nearby { all: NOT_NEAR, location: usize::MAX, each: Vec::new() };
        self.near[arrangement].resize_with(thread + 1, nowhere);
    }

    /// Takes note of what changed since the last time.
    #[inline]
    pub(crate) fn follow_changes(&mut self, state: &mut State) {
        let changed = state.take_changed_places();
        if changed != 0
            && let Some((_, arrangement)) = self.current
        {
            self.change_near(arrangement, changed);
        }
    }

    /// Remembers what the scout found out.
    fn learn(&mut self, topic: Topic, is_plain: bool) -> End {
        let scout = std::mem::take(&mut self.scout);
        let end = if !is_plain {
            End::Irregular
        } else if let Some(end) = self.same_moves(&scout) {
            end
        } else {
            let first = self.moves.len() as u32;
            let (writes, later) = (self.writes.len() as u32, self.later.len() as u32);
            let shifted = |found: &Move| Move {
                first_write: found.first_write + writes,
                first_later: found.first_later + later,
                ..*found
            };
            self.moves.extend(scout.moves.iter().map(shifted));
            self.writes.extend_from_slice(&scout.writes);
            self.later.extend_from_slice(&scout.later);
            let end = End::Known { first, count: scout.moves.len() as u32 };
            self.ends.insert(scout.hash(), end);
            end
        };
        // The last question and its answer: what comes after it is next.
        let mut last = None;
        for &(at, mask) in &scout.questions {
            let question = match self.next(topic, last) {
                None => {
                    let question = self.questions.ask(at, mask);
                    self.enter(topic, last, Next::Ask(question));
                    question
                }
                Some(Next::Ask(question)) if (question.at, question.mask) == (at, mask) => question,
                Some(other) => unreachable!(
                    "after the same answers comes {other:?}, not a question for {mask:x} at {at}"
                ),
            };
            last = Some((question, scout.before[at as usize] & mask));
        }
        self.enter(topic, last, Next::End(end));
        self.scout = scout;
        end
    }

    /// An end at which there are the same moves as the scout found. Different answers often lead to the same.
    fn same_moves(&self, scout: &Scout) -> Option<End> {
        let end = *self.ends.get(&scout.hash())?;
        self.is_same(end, scout).then_some(end)
    }

    /// Whether the moves at an end are those that the scout found.
    fn is_same(&self, end: End, scout: &Scout) -> bool {
        let End::Known { first, count } = end else { return false };
        let known = &self.moves[first as usize..][..count as usize];
        known.len() == scout.moves.len()
            && known.iter().zip(&scout.moves).all(|(old, new)| {
                (old.step, old.is_shown) == (new.step, new.is_shown)
                    && Self::parts(old, &self.writes, &self.later)
                        == Self::parts(new, &scout.writes, &scout.later)
            })
    }

    /// What comes after an answer, or at the root of a tree, if that is known.
    fn next(&self, topic: Topic, after: Option<(Question, u64)>) -> Option<Next> {
        match after {
            None => self.roots.get(&topic).copied(),
            Some((question, answer)) => self.questions.after(question, answer),
        }
    }

    fn enter(&mut self, topic: Topic, after: Option<(Question, u64)>, next: Next) {
        match after {
            None => _ = self.roots.insert(topic, next),
            Some((question, answer)) => self.questions.add(question, answer, next),
        }
    }

    /// What a move writes, and its steps after the first one.
    fn parts<'a>(found: &Move, writes: &'a [Write], later: &'a [Step]) -> (&'a [Write], &'a [Step]) {
        (
            &writes[found.first_write as usize..][..found.writes as usize],
            &later[found.first_later as usize..][..found.later as usize],
        )
    }
}

impl Nearby {
    /// Gets ready for so many transitions of a location.
    fn go(&mut self, location: usize, number: usize) {
        if self.location != location {
            self.location = location;
            self.each.clear();
        }
        self.each.resize(self.each.len().max(number + 1), NOT_NEAR);
    }
}

/// From the root of a tree to an end, and the places that are asked about on the way.
#[inline]
fn walk(questions: &Questions, state: &State, root: Next) -> Option<(End, u64)> {
    let (mut next, mut asked) = (root, 0);
    loop {
        match next {
            Next::Ask(question) => {
                asked |= 1 << (question.at % 64);
                let answer = state.word_untraced(question.at as usize) & question.mask;
                next = questions.after(question, answer)?;
            }
            Next::End(end) => return Some((end, asked)),
        }
    }
}

/// That a component is not there.
const fn whole(key: Key) -> Write {
    Write { key, word: Write::LENGTH, mask: u64::MAX, bits: 0, copied: 0, shift: 0 }
}

/// The units of a state, and how many words they have.
fn lengths(state: &State) -> impl Iterator<Item = (NodeRef, usize)> {
    let units = std::iter::once(NodeRef::Root).chain(state.units());
    units.map(|node| (node, state.words_of(node).map_or(0, <[u64]>::len)))
}

impl Scout {
    /// A hash of the moves.
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for found in &self.moves {
            (found.step, found.is_shown, Turns::parts(found, &self.writes, &self.later)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn begin(&mut self, state: &State) {
        let words = state.all_words();
        self.before.clear();
        self.before.extend_from_slice(words);
        self.written.clear();
        self.written.resize(words.len(), 0);
        self.copies.clear();
        self.copies.resize(words.len(), Copies::default());
        // Words of nobody are not part of the state: if they are read, a step wrote them before.
        self.known.clear();
        self.known.resize(words.len(), u64::MAX);
        self.units.clear();
        self.units.extend(lengths(state));
        for &(node, len) in &self.units {
            self.known[state.start_of(node)..][..len].fill(0);
        }
        self.way.clear();
        self.questions.clear();
        self.path.clear();
        self.moves.clear();
        self.writes.clear();
        self.later.clear();
    }

    /// Takes note of what was read and written since the last time. Bits that were written on the way are not those of the
    /// state that it began with, unless they were copied from there.
    fn note(&mut self, state: &mut State) {
        let mut accesses = std::mem::take(&mut self.accesses);
        state.take_accesses(&mut accesses);
        for access in &accesses {
            let at = access.at as usize;
            // Of units that came meanwhile: nothing will be remembered.
            if at >= self.before.len() {
                continue;
            }
            match access.kind {
                AccessKind::Read => self.read(at, access.mask),
                AccessKind::Write(node) => self.write(at, node, access.mask, Copies::default()),
                AccessKind::Shift(node, shift) => {
                    let copied = access.mask & access.mask >> shift;
                    let source = copied << shift;
                    let mut copies = Copies { mask: copied, shift };
                    // What is copied a second time is as well asked for.
                    if self.written[at] & source != 0 || self.copies[at].mask != 0 {
                        self.read(at, source);
                        copies = Copies::default();
                    }
                    self.write(at, node, access.mask, copies);
                }
            }
        }
        self.accesses = accesses;
    }

    fn read(&mut self, at: usize, mask: u64) {
        let Copies { mask: copied, shift } = self.copies[at];
        for before in [mask & !self.written[at], (mask & copied) << shift] {
            let asked = before & !self.known[at];
            if asked != 0 {
                self.known[at] |= asked;
                self.questions.push((at as u32, asked));
            }
        }
    }

    fn write(&mut self, at: usize, node: NodeRef, mask: u64, copies: Copies) {
        self.way.push((at as u32, node, self.written[at], self.copies[at]));
        self.written[at] |= mask;
        if copies.mask != 0 {
            self.copies[at] = copies;
        } else {
            self.copies[at].mask &= !mask;
        }
    }

    /// The way leads to the state at hand.
    fn arrive(&mut self, state: &State, step: Step, shown: Range<usize>, changes: UnitsChanged) {
        let (first_write, first_later) = (self.writes.len(), self.later.len());
        let mut is_shown = true;
        if changes != UnitsChanged::default() {
            is_shown = false;
            self.rearrange(state);
        }
        for &(at, node, ..) in &self.way {
            // What encodings do not show, they do not show.
            if node == NodeRef::Root && !shown.contains(&(at as usize)) {
                is_shown = false;
                continue;
            }
            if changes.came && !self.units.iter().any(|&(unit, _)| unit == node) || !state.exists(node) {
                continue;
            }
            let (key, word) = (node.key(), at - state.start_of(node) as u32);
            let mask = self.written[at as usize];
            let Copies { mask: copied, shift } = self.copies[at as usize];
            let bits = state.word_untraced(at as usize) & mask & !copied;
            if !self.writes[first_write..].iter().any(|write| (write.key, write.word) == (key, word)) {
                self.writes.push(Write { key, word, mask, bits, copied, shift });
            }
        }
        self.later.extend_from_slice(&self.path);
        self.moves.push(Move {
            step,
            first_write: first_write as u32,
            writes: (self.writes.len() - first_write) as u32,
            first_later: first_later as u32,
            later: self.path.len() as u32,
            is_shown,
        });
    }

    /// What becomes of units that came or went is written as a whole.
    fn rearrange(&mut self, state: &State) {
        for (node, len) in lengths(state).filter(|unit| !self.units.contains(unit)) {
            let words = state.words_of(node).unwrap_or_default();
            let length = Write { bits: len as u64 + 1, ..whole(node.key()) };
            self.writes.push(length);
            self.writes.extend((0..).zip(words).map(|(word, &bits)| Write { word, bits, ..length }));
        }
        for &(node, len) in self.units.iter().filter(|&&(node, _)| !state.exists(node)) {
            let length = whole(node.key());
            self.writes.extend((0..len as u32).map(|word| Write { word, ..length }));
            self.writes.push(length);
        }
    }

    /// Goes back to where the way had so many parts.
    fn go_back(&mut self, parts: usize) {
        while self.way.len() > parts {
            if let Some((at, _, written, copies)) = self.way.pop() {
                self.written[at as usize] = written;
                self.copies[at as usize] = copies;
            }
        }
    }
}

impl Engine {
    /// Whether the threads of a state are all that its steps depend on.
    pub(crate) fn has_turns(&self, es: &EngineState) -> bool {
        let has_floor = || self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
        self.is_flat
            && self.layout.priority.is_none()
            && self.concealed.is_none()
            && !self.bodies_ask_for_timeout
            && !es.turns.is_off
            && es.start_fault.is_none()
            && !has_floor()
    }

    pub(crate) fn take_turn(
        &self,
        es: &mut EngineState,
        thread: u32,
        mut visit: impl FnMut(Step, Effect<'_>),
    ) -> bool {
        let id = ThreadId(thread);
        if !es.state.is_running(id) {
            return true;
        }
        let arrangement = es.turns.arrangement(self, &es.state);
        let location = es.state.read_untraced(es.state.frame(id), self.layout.location) as usize;
        let Some(group) = self.split_group(&es.turns, location) else {
            let missed = es.turns.missed;
            let is_all = self.locations[location].groups.is_empty()
                || self.recall(es, (arrangement, thread, None), (location, 0), &mut visit).is_some();
            if es.turns.missed > missed {
                es.turns.count_miss(location);
            }
            return is_all;
        };
        let mut ways = 0;
        for (number, &transition) in group.transitions.iter().enumerate() {
            let topic = (arrangement, thread, Some(transition));
            match self.recall(es, topic, (location, number), &mut visit) {
                Some(more) => ways += more,
                None => return false,
            }
        }
        match group.otherwise {
            Some(transition) if ways == 0 => {
                let place = (location, group.transitions.len());
                self.recall(es, (arrangement, thread, Some(transition)), place, &mut visit).is_some()
            }
            _ => true,
        }
    }

    /// The transitions of a location, if each of them has a tree of its own.
    #[inline]
    fn split_group(&self, turns: &Turns, location: usize) -> Option<&Group> {
        let is_split = turns.misses.get(location).is_some_and(|&misses| misses >= MOST_MISSES);
        match &self.locations[location].groups[..] {
            [group] if is_split && !self.has_conditions && group.transitions.len() > 1 => Some(group),
            _ => None,
        }
    }

    /// Takes a step by what it is known to write, if that is known: one of the ways that it leads, by their number. Then `later`
    /// gets the steps after the first, and there is as much to undo as if they were fired one by one.
    pub(crate) fn retake_turn(
        &self,
        es: &mut EngineState,
        step: Step,
        number: usize,
        later: &mut Vec<Step>,
    ) -> bool {
        let id = ThreadId(step.thread);
        if es.state.records_graph() || !self.has_turns(es) || !es.state.is_running(id) {
            return false;
        }
        es.turns.follow_changes(&mut es.state);
        let arrangement = es.turns.arrangement(self, &es.state);
        let location = es.state.read_untraced(es.state.frame(id), self.layout.location) as usize;
        let group = self.split_group(&es.turns, location);
        let topic = (arrangement, step.thread, group.map(|_| step.transition));
        let place = group.map_or(0, |group| {
            let place = group.transitions.iter().position(|&other| other == step.transition);
            place.unwrap_or(group.transitions.len())
        });
        let end = es.turns.find(&es.state, topic, (location, place));
        es.turns.retaken += 1;
        if end.is_some() && es.turns.retaken.is_multiple_of(AUDIT_EVERY) {
            self.audit(es, topic, end);
        }
        let Some(End::Known { first, count }) = end else { return false };
        let EngineState { state, turns, .. } = es;
        let mut ways = turns.moves[first as usize..][..count as usize].iter();
        let Some(way) = ways.by_ref().filter(|way| way.step == step).nth(number) else { return false };
        if !way.is_shown {
            return false;
        }
        let (writes, steps) = Turns::parts(way, &turns.writes, &turns.later);
        state.mark();
        for write in writes {
            let node = NodeRef::of(write.key);
            let at = state.start_of(node) + write.word as usize;
            state.write_word(node, at, write.apply(state.word_untraced(at)));
        }
        for _ in steps {
            state.mark();
        }
        later.extend_from_slice(steps);
        es.has_next = false;
        es.start_fault = None;
        true
    }

    /// Visits what there is to say about a topic, and says how much that was, unless it is irregular.
    #[inline]
    fn recall(
        &self,
        es: &mut EngineState,
        topic: Topic,
        place: (usize, usize),
        visit: &mut impl FnMut(Step, Effect<'_>),
    ) -> Option<u32> {
        es.turns.asked += 1;
        let mut end = es.turns.find(&es.state, topic, place);
        if end.is_none() {
            end = self.scout_turn(es, topic);
        } else if es.turns.asked.is_multiple_of(AUDIT_EVERY) {
            self.audit(es, topic, end);
        }
        let Some(End::Known { first, count }) = end else { return None };
        let turns = &es.turns;
        let numbers = turns.generation.0 << 32 | u64::from(first)..;
        for (found, number) in turns.moves[first as usize..][..count as usize].iter().zip(numbers) {
            let writes = &turns.writes[found.first_write as usize..][..found.writes as usize];
            visit(found.step, Effect { number, writes });
        }
        Some(count)
    }

    #[cold]
    fn scout_turn(&self, es: &mut EngineState, topic: Topic) -> Option<End> {
        let turns = &mut es.turns;
        turns.missed += 1;
        if turns.asked > TRIAL && turns.missed > turns.asked / 4 {
            turns.is_off = true;
            turns.clear();
            return None;
        }
        if turns.questions.len() > MOST_NODES
            || turns.moves.len() > MOST_NODES
            || turns.writes.len() > 2 * MOST_NODES
        {
            turns.clear();
        }
        let is_plain = self.scout(es, topic);
        if es.stack.fuel.is_spent() {
            return None;
        }
        Some(es.turns.learn(topic, is_plain))
    }

    /// Lets the interpreter find out what a thread can do; tells whether that can be remembered. Its `else` is asked for only
    /// where it can do nothing else.
    fn scout(&self, es: &mut EngineState, (_, thread, transition): Topic) -> bool {
        let mut scout = std::mem::take(&mut es.turns.scout);
        let mut steps = std::mem::take(&mut scout.steps);
        steps.clear();
        scout.begin(&es.state);
        es.state.trace_accesses();
        let thread = ThreadId(thread);
        let frame = es.state.frame(thread);
        match transition {
            None => self.own_steps(es, thread, &mut steps),
            Some(id) if matches!(self.code.transitions[id as usize].guard, GuardCode::Else) => {
                steps.enabled.push(Step { thread: thread.0, transition: id, choice: 0 });
            }
            Some(id) => self.add_steps(es, thread, frame, id, &mut steps),
        }
        scout.note(&mut es.state);
        let is_plain = steps.faults.is_empty()
            && steps
                .enabled
                .iter()
                .all(|&step| self.follow(es, &mut scout, (step, step), 0, UnitsChanged::default()));
        es.state.stop_tracing();
        scout.steps = steps;
        es.turns.scout = scout;
        is_plain
    }

    /// Goes on by a step, and by those after it as long as nobody can interrupt them.
    fn follow(
        &self,
        es: &mut EngineState,
        scout: &mut Scout,
        (first, step): (Step, Step),
        depth: usize,
        changes: UnitsChanged,
    ) -> bool {
        let parts = scout.way.len();
        let fired = self.fire_only(es, step);
        scout.note(&mut es.state);
        let changes = changes.and(es.state.units_changed());
        // What came may have taken the place, or the name, of what went.
        let mut is_plain = fired == Fired::Moved
            && !(changes.came && changes.gone)
            && depth < DEEPEST
            && scout.moves.len() < MOST_MOVES;
        if is_plain {
            let exclusive = self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
            if exclusive {
                let mut next = Steps::default();
                self.state_steps(es, &mut next);
                scout.note(&mut es.state);
                is_plain = next.faults.is_empty()
                    && next.enabled.iter().all(|&next| {
                        scout.path.push(next);
                        let is_plain = self.follow(es, scout, (first, next), depth + 1, changes);
                        scout.path.pop();
                        is_plain
                    });
            } else {
                scout.note(&mut es.state);
                scout.arrive(&es.state, first, 0..self.layout.root_shown, changes);
            }
        }
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
            es.has_next = false;
            es.state.undo();
        }
        scout.go_back(parts);
        is_plain
    }

    /// Asks the interpreter about something that is remembered.
    #[cold]
    fn audit(&self, es: &mut EngineState, topic: Topic, end: Option<End>) {
        let is_plain = self.scout(es, topic);
        if es.stack.fuel.is_spent() {
            return;
        }
        let turns = &es.turns;
        let same = match end {
            Some(end @ End::Known { .. }) => is_plain && turns.is_same(end, &turns.scout),
            Some(End::Irregular) => !is_plain,
            None => false,
        };
        assert!(same, "what is remembered of {topic:?} is not what can be done");
    }
}
