//! A system that offers only ample steps where it can.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use engine::{Engine, EngineState, OverEngine, Trial};
use ir::{FieldId, LocationId};
use state::{NodeRef, ThreadId};
use system::{
    Alarm, Bound, Counted, Effect, Encoding, Fault, Fired, Halt, HiddenData, Limits, Statistics, Step, Steps,
    SuccessorCache, Temporal, TransitionSystem, Waypoint, has_room, is_abandoned,
};

use crate::analysis::{Analysis, Candidate, Operation};
use crate::channels::View;
use crate::conflicts::Row;
use crate::cycle_cut::CycleCut;
use crate::discipline::Breach;
use crate::footprint::UseKind;
use crate::heap::{FieldSlots, Heap};
use crate::owners::Owners;

/// The effort to find out whether something goes wrong in an atomic block, for each step into it: the number
/// of trials, and their depth. A successor cache ([`SuccessorCache`]) covers less than this, so the result
/// does not depend on whether there is one.
const TRIALS: u32 = 1 << 15;
const DEEPEST: u32 = 1 << 8;

/// The number of states with several threads that are examined to decide whether it is worthwhile to look for
/// ample steps. One in `WORTH` of them must have some.
///
/// The states are on random runs of the full system. So whether the system is reduced is a function of the
/// program, and not of the order of a search: ample steps are a function of the state. If these runs take too
/// long, the question is not decided, and the system is reduced.
const SAMPLE: u32 = 1 << 10;
const WORTH: u32 = 64;
/// The greatest length of these runs, and their number.
const LONGEST_RUN: u32 = 1 << 8;
const RUNS: u32 = 1 << 8;
/// The number of times that the interpreter may query its alarm meanwhile.
const LOOKS: u32 = 1 << 6;

/// A system that offers only ample steps where it can.
pub struct Reduced<'a, S> {
    system: &'a S,
    analysis: &'a Analysis,
    counts: Cell<Counts>,
    /// The steps of the state were asked for already.
    is_counted: Cell<bool>,
    /// The independent threads, and the steps of the thread that was examined last: kept to reuse their
    /// memory.
    threads: Cell<Vec<ThreadId>>,
    steps: Cell<Steps>,
    /// Whether it is worthwhile to look for ample steps; `None` if it is not known yet.
    is_worthwhile: Cell<Option<bool>>,
    /// The number of states that are examined to find that out.
    sample: u32,
    cycle_cut: CycleCut,
    field_slots: FieldSlots,
    invalidated: RefCell<Invalidated>,
}

/// Why a search is void. Empty if it is not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Invalidated {
    /// The assumptions that do not hold.
    pub breaches: Vec<Breach>,
    /// A bound on the contents of states was exceeded: how much exists at a time depends on the order of
    /// steps.
    pub is_bounded: bool,
}

impl Invalidated {
    pub fn is_empty(&self) -> bool {
        self.breaches.is_empty() && !self.is_bounded
    }
}

/// The numbers of states in which all steps, or ample steps, were offered. Transient states, which have no
/// ample steps, do not count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// All steps.
    pub full: u64,
    /// The steps of one thread only.
    pub ample: u64,
}

impl<'a, S: OverEngine> Reduced<'a, S> {
    pub fn new(system: &'a S, analysis: &'a Analysis) -> Self {
        Self {
            system,
            analysis,
            counts: Cell::default(),
            is_counted: Cell::default(),
            threads: Cell::default(),
            steps: Cell::default(),
            is_worthwhile: Cell::default(),
            sample: SAMPLE,
            cycle_cut: CycleCut::new(analysis),
            field_slots: FieldSlots::new(&analysis.program, system.layout()),
            invalidated: RefCell::default(),
        }
    }

    /// Why the results so far are void, if they are. Then the search must start again, without the
    /// assumptions. As long as all steps were offered in all states, no assumption was used.
    pub fn invalidated(&self) -> Invalidated {
        if self.counts.get().ample == 0 { Invalidated::default() } else { self.invalidated.borrow().clone() }
    }

    /// Sets the size of the sample.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_sample(mut self, states: u32) -> Self {
        self.sample = states;
        self
    }

    /// Whether it is worthwhile to look for ample steps. If there are too few states to decide, it is.
    fn is_worthwhile(&self) -> bool {
        if let Some(known) = self.is_worthwhile.get() {
            return known;
        }
        let invalidated = self.invalidated.take();
        let state = &mut self.system.initial();
        if let Some(limits) = self.system.limits() {
            limits.heed(state, &Arc::new(Alarm::after(LOOKS)));
        }
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut steps = Steps::default();
        let (mut looked_at, mut ample) = (0, 0);
        for _ in 0..RUNS {
            if looked_at == self.sample || !has_room(self.system, state) || is_abandoned(self.system, state) {
                break;
            }
            let mut taken = 0;
            while taken < LONGEST_RUN && looked_at < self.sample && ample * WORTH < self.sample {
                if self.view(state).running().nth(1).is_some() {
                    looked_at += 1;
                    ample += u32::from(self.has_ample(state));
                }
                self.system.steps(state, &mut steps);
                // Xorshift (Marsaglia, Xorshift RNGs, Journal of Statistical Software, 2003).
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let count = steps.enabled.len() as u64;
                let Some(at) = random.checked_rem(count) else { break };
                match self.system.fire(state, steps.enabled[at as usize]) {
                    Fired::Moved | Fired::MovedWithFault(_) => taken += 1,
                    Fired::Fault(_) | Fired::Truncated(_) | Fired::Abandoned => break,
                }
            }
            (0..taken).for_each(|_| self.system.undo(state));
        }
        // Breaches on these runs are found again if a search gets there.
        self.invalidated.replace(invalidated);
        let is_worthwhile =
            looked_at < self.sample || ample * WORTH >= self.sample || is_abandoned(self.system, state);
        self.is_worthwhile.set(Some(is_worthwhile));
        is_worthwhile
    }

    /// Whether some thread has ample steps. Names are not used.
    fn has_ample(&self, state: &mut S::State) -> bool {
        let mut all = (0..self.system.concrete(state).thread_limit()).map(ThreadId);
        self.view(state).exclusive().is_none()
            && all.any(|thread| self.is_independent(self.view(state), thread) && self.is_ample(state, thread))
    }

    /// What was offered so far. If a state is asked for its steps twice in a row, it counts once.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    fn view<'s>(&'s self, state: &'s S::State) -> View<'s> {
        View { analysis: self.analysis, layout: self.system.layout(), state: self.system.concrete(state) }
    }

    /// The thread whose steps are ample, if there is one. Then `self.steps` has its steps.
    ///
    /// The checks by location come first, then those that depend on the state; the thread's own steps are
    /// examined only if no other thread interferes with them. What other threads can do in the current state
    /// does not matter.
    fn ample(&self, state: &mut S::State) -> Option<ThreadId> {
        let ample = if self.is_worthwhile() { self.find_ample(state) } else { None };
        if !self.is_counted.replace(true) && !self.system.is_transient(state) {
            let mut counts = self.counts.get();
            *if ample.is_some() { &mut counts.ample } else { &mut counts.full } += 1;
            self.counts.set(counts);
        }
        ample
    }

    fn find_ample(&self, state: &mut S::State) -> Option<ThreadId> {
        let exclusive = self.view(state).exclusive();
        self.check_discipline(state, exclusive);
        // Inside an atomic block there is one thread only.
        if exclusive.is_some() {
            return None;
        }
        let mut all = (0..self.system.concrete(state).thread_limit()).map(ThreadId);
        if self.system.renames() {
            let mut threads = self.threads.take();
            threads.clear();
            threads.extend(all.filter(|&thread| self.is_independent(self.view(state), thread)));
            if threads.len() > 1 {
                self.system.order(state, &mut threads);
            }
            let ample = threads.iter().copied().find(|&thread| self.is_ample(state, thread));
            self.threads.set(threads);
            ample
        } else {
            all.find(|&thread| self.is_independent(self.view(state), thread) && self.is_ample(state, thread))
        }
    }

    /// Whether a thread is at a candidate location, and nothing that other threads may do interferes with it.
    #[inline]
    fn is_independent(&self, view: View<'_>, thread: ThreadId) -> bool {
        if !view.state.is_running(thread) {
            return false;
        }
        let location = view.location(thread);
        match self.analysis.conflicts.row(self.analysis, location) {
            Some(row) => self.is_free(view, thread, location, row) && self.rest_is_independent(view, thread),
            None => false,
        }
    }

    /// Whether other threads do not interfere with what comes after the thread's step, if a function returns,
    /// and the thread is not in the middle of a step.
    fn rest_is_independent(&self, view: View<'_>, thread: ThreadId) -> bool {
        let program = &self.analysis.program;
        if program.features.thread_ids_observable || view.state.has_one_frame(view.layout, thread) {
            return true;
        }
        // A function was called in the middle of a step, which continues after the call.
        let is_within_atomic_block =
            view.layout.exclusive.is_some() && view.locations(thread).any(|at| program.locations[at].atomic);
        !is_within_atomic_block
            && self.parts(view, thread).skip(1).all(|(location, part)| {
                let row = part.and_then(|_| self.analysis.conflicts.row(self.analysis, location));
                row.is_some_and(|row| self.is_free(view, thread, location, row))
            })
    }

    /// The parts of a thread's steps: those at its location and, where functions return, those that follow.
    fn parts<'s>(
        &'s self,
        view: View<'s>,
        thread: ThreadId,
    ) -> impl Iterator<Item = (LocationId, Option<&'s Candidate>)> {
        let mut locations: Vec<LocationId> = view.locations(thread).collect();
        let mut goes_on = true;
        std::iter::from_fn(move || {
            let location = locations.pop().filter(|_| goes_on)?;
            let part = self.analysis.candidates[location].as_ref();
            goes_on = part.is_some_and(|part| part.returns);
            Some((location, part))
        })
    }

    fn is_free(&self, view: View<'_>, thread: ThreadId, location: LocationId, row: Row<'_>) -> bool {
        let Some(candidate) = &self.analysis.candidates[location] else { return false };
        let mut is_open = false;
        for other in view.running().filter(|&other| other != thread) {
            let mut is_clear = |location: LocationId| {
                let answer = row.at(location);
                is_open |= answer.open;
                !answer.certain
            };
            if !is_clear(view.location(other))
                || !view.state.has_one_frame(view.layout, other) && !view.locations(other).all(is_clear)
            {
                return false;
            }
        }
        candidate.operations.iter().all(|operation| Self::cannot_be_disabled(view, thread, operation))
            && (!is_open || self.uses_are_safe(view, thread, location, candidate))
            && (!candidate.sticky || !self.cycle_cut.contains(view, thread))
    }

    /// Whether channels are used in such a way that other threads can neither interfere nor notice.
    fn uses_are_safe(
        &self,
        view: View<'_>,
        thread: ThreadId,
        location: LocationId,
        candidate: &Candidate,
    ) -> bool {
        candidate.uses(&self.analysis.program, location).all(|(kind, channel)| {
            view.value(channel, thread, false).is_some_and(|number| {
                let kind = view.load(number).map_or(kind, |load| kind.now(load));
                !self.has_conflict(view, thread, kind, number)
            })
        })
    }

    /// Whether an operation on a channel is possible whatever other threads do first, and no monitor watches
    /// it.
    fn cannot_be_disabled(view: View<'_>, thread: ThreadId, operation: &Operation) -> bool {
        let Some(number) = view.value(&operation.channel, thread, false) else { return false };
        let Some((length, capacity)) = view.load(number) else { return false };
        let is_possible = match operation.kind {
            UseKind::Send { sorted, .. } => !sorted && length < capacity,
            UseKind::Receive { .. } => length > 0,
            _ => capacity > 0,
        };
        is_possible && !is_watched(view, operation.kind, number)
    }

    /// Whether other threads may use a channel in a conflicting way.
    fn has_conflict(&self, view: View<'_>, thread: ThreadId, kind: UseKind, number: i64) -> bool {
        let Analysis { conflicts, sets, uses, .. } = self.analysis;
        let is_used = |of, by: Option<ThreadId>| {
            conflicts.any_conflicting(sets, kind, of, |at| {
                // The youngest thread ends first: no thread ends before a younger one that stays where it is.
                let comes_later = uses[at].kind == UseKind::End && by.is_some_and(|other| other < thread);
                !comes_later && view.may_use(&uses[at], by, number)
            })
        };
        view.running().filter(|&other| other != thread).any(|other| {
            let mut futures = view.futures(other);
            futures.any(|future| is_used(future.own, Some(other)) || is_used(future.started, None))
        })
    }

    /// Whether the steps of an independent thread succeed, and other threads do not interfere with what they
    /// do to objects.
    fn is_ample(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let view = self.view(state);
        let touches_heap = !self.analysis.program.features.thread_ids_observable
            && self.parts(view, thread).any(|(_, part)| part.is_some_and(|part| part.heap));
        (!touches_heap || self.has_objects_to_itself(state, thread))
            && self.succeeds(state, thread, touches_heap)
    }

    /// Whether other threads can neither interfere with nor notice what a thread does to objects, and all its
    /// steps lead to states.
    fn has_objects_to_itself(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let trial = self.dry_run(state, thread);
        trial.succeeds
            && self.with_heap(state, |heap| heap.judge(thread, &trial)).is_some_and(|visibility| {
                let view = self.view(state);
                let others = view.running().filter(|&other| other != thread);
                let mut locations = others.flat_map(|other| view.locations(other));
                !(visibility.in_runs
                    || visibility.in_states && locations.any(|at| self.analysis.futures.at(at).visible))
            })
    }

    fn dry_run(&self, state: &mut S::State, thread: ThreadId) -> Trial {
        let mut trial = Trial::default();
        let (engine, below) = (self.system.engine(), self.system.engine_state_mut(state));
        // Accesses are judged by the units to which they belong.
        below.state.map_units();
        engine.dry_run(below, thread, &mut trial);
        if self.analysis.blind.guards {
            trial.accesses.drain(..trial.guards);
        }
        trial
    }

    fn with_heap<T>(&self, state: &S::State, look: impl FnOnce(&Heap<'_>) -> T) -> T {
        let (layout, concrete) = (self.system.layout(), self.system.concrete(state));
        let mentions =
            |object, visit: &mut dyn FnMut(NodeRef, u64)| self.system.mentions(state, object, visit);
        look(&Heap {
            analysis: self.analysis,
            field_slots: &self.field_slots,
            layout,
            state: concrete,
            owners: Owners::new(layout, concrete, &mentions, self.analysis.blind),
            last: Cell::default(),
        })
    }

    /// Checks the assumptions about the use of objects, for everything that threads try.
    fn check_discipline(&self, state: &mut S::State, exclusive: Option<ThreadId>) {
        let Analysis { classes, blind, program, .. } = self.analysis;
        if program.features.thread_ids_observable || !classes.locks || !classes.heap || blind.breaches {
            return;
        }
        let mut threads: Vec<ThreadId> = self.view(state).running().collect();
        // A thread that is alone may do anything.
        if threads.len() < 2 {
            return;
        }
        threads.retain(|&thread| exclusive.is_none_or(|exclusive| exclusive == thread));
        let mut found = Vec::new();
        for thread in threads {
            let must_check = self.analysis.discipline.must_check(self.view(state).location(thread));
            if must_check || cfg!(debug_assertions) {
                let trial = self.dry_run(state, thread);
                let known = found.len();
                self.with_heap(state, |heap| heap.breaches(thread, &trial.accesses, &mut found));
                debug_assert!(must_check || known == found.len(), "there is nothing to look at");
            }
        }
        let mut invalidated = self.invalidated.borrow_mut();
        found.retain(|breach| !invalidated.breaches.contains(breach));
        found.sort();
        found.dedup();
        invalidated.breaches.append(&mut found);
    }

    /// The cache of the system below, which exists if this one does.
    fn cache(&self) -> &S::Cache {
        self.system.successor_cache().expect("there is a cache over this one")
    }

    /// Replaces `out` by the steps of one thread, if they are ample. Returns whether they are.
    fn ample_steps(&self, state: &mut S::State, out: &mut Steps) -> bool {
        let is_ample = self.ample(state).is_some();
        if is_ample {
            let steps = self.steps.take();
            out.clear();
            out.enabled.extend_from_slice(&steps.enabled);
            self.steps.set(steps);
        }
        is_ample
    }

    /// Whether a thread has steps, and all of them lead to states: what other threads do must not be lost
    /// behind a fault or a bound. If the steps were tried already (`is_tried`), the latter is known.
    fn succeeds(&self, state: &mut S::State, thread: ThreadId, is_tried: bool) -> bool {
        let mut steps = self.steps.take();
        steps.clear();
        // If the cache describes all successors of a thread, the steps are ordinary, and succeed.
        let is_cached = self.system.successor_cache().is_some_and(|cache| {
            !cache.threads(state).is_empty()
                && cache.successors(state, thread.0, |step, _| steps.enabled.push(step))
        });
        if is_cached {
            steps.enabled.dedup();
        } else {
            steps.clear();
            self.system.engine().steps_of(self.system.engine_state_mut(state), thread, &mut steps);
        }
        let tries = |state: &mut S::State| {
            let (engine, state) = (self.system.engine(), self.system.engine_state_mut(state));
            steps.enabled.iter().all(|&step| step_succeeds(engine, state, step, 0, &mut { TRIALS }))
        };
        let succeeds = steps.faults.is_empty()
            && !steps.enabled.is_empty()
            && !steps.is_abandoned
            && self.finds_messages(self.view(state).location(thread), &steps)
            && (is_cached || is_tried || tries(state));
        self.steps.set(steps);
        succeeds
    }

    /// Whether every message that may be received from anywhere in a channel is there: otherwise it may still
    /// arrive.
    fn finds_messages(&self, location: LocationId, steps: &Steps) -> bool {
        let operations =
            self.analysis.candidates[location].iter().flat_map(|candidate| &candidate.operations);
        operations.filter(|operation| matches!(operation.kind, UseKind::Receive { anywhere: true, .. })).all(
            |operation| {
                let transition = operation.transition.map(|id| id.0);
                steps.enabled.iter().any(|step| Some(step.transition) == transition)
            },
        )
    }
}

/// Whether a step, and the uninterruptible steps after it, lead to states. It is tried on the engine's state,
/// below all names.
fn step_succeeds(engine: &Engine, state: &mut EngineState, step: Step, depth: u32, trials: &mut u32) -> bool {
    if *trials == 0 || depth > DEEPEST {
        return false;
    }
    *trials -= 1;
    match engine.fire_only(state, step) {
        Fired::Fault(_) | Fired::Truncated(_) | Fired::Abandoned => return false,
        Fired::Moved | Fired::MovedWithFault(_) => {}
    }
    let mut succeeds = true;
    let is_within_atomic_block = || {
        engine.layout().exclusive.is_some_and(|slot| state.state.read_untraced(state.state.root(), slot) != 0)
    };
    if engine.is_transient(state) {
        let mut steps = Steps::default();
        engine.steps(state, &mut steps);
        succeeds = steps.faults.is_empty()
            && !steps.is_abandoned
            && steps.enabled.iter().all(|&step| step_succeeds(engine, state, step, depth + 1, trials));
    } else if !engine.layout().thread_ids_observable && is_within_atomic_block() {
        // There are several ways to continue, which have not been examined.
        succeeds = false;
    }
    engine.undo(state);
    succeeds
}

/// Whether such an operation on a channel may move the program's monitor.
fn is_watched(view: View<'_>, kind: UseKind, number: i64) -> bool {
    let monitor = view.analysis.program.monitor.iter();
    let mut events = monitor.flat_map(|monitor| &monitor.states).flat_map(|state| &state.events);
    events.any(|event| {
        event.send == matches!(kind, UseKind::Send { .. })
            && view.value(&event.channel, ThreadId(0), true).is_none_or(|watched| watched == number)
    })
}

impl<S: OverEngine> TransitionSystem for Reduced<'_, S> {
    type State = S::State;
    type Cache = Self;

    fn initial(&self) -> S::State {
        self.system.initial()
    }

    fn steps(&self, state: &mut S::State, out: &mut Steps) {
        if !self.ample_steps(state, out) {
            self.system.steps(state, out);
        }
    }

    fn folded_steps(&self, state: &mut S::State, out: &mut Steps) {
        if !self.ample_steps(state, out) {
            self.system.folded_steps(state, out);
        }
    }

    fn fire(&self, state: &mut S::State, step: Step) -> Fired {
        self.is_counted.set(false);
        let fired = self.system.fire(state, step);
        if matches!(fired, Fired::Truncated(Bound::Objects | Bound::Threads))
            && !self.analysis.program.features.thread_ids_observable
        {
            self.invalidated.borrow_mut().is_bounded = true;
        }
        fired
    }

    fn undo(&self, state: &mut S::State) {
        self.is_counted.set(false);
        self.system.undo(state);
    }

    /// Whether a bound is exceeded here is a function of what is observed, which steps that are left out do
    /// not change: so bounds do not affect the validity of the reduction.
    fn check(&self, state: &mut S::State) -> Result<(), Halt> {
        self.system.check(state)
    }

    fn ended(&self, state: &S::State) -> bool {
        self.system.ended(state)
    }

    fn encode(&self, state: &mut S::State, into: &mut Encoding) {
        self.system.encode(state, into);
    }

    fn decode(&self, from: &Encoding, state: &mut S::State) {
        self.is_counted.set(false);
        self.system.decode(from, state);
    }

    fn is_transient(&self, state: &S::State) -> bool {
        self.system.is_transient(state)
    }

    fn retrace(&self, chain: &[Waypoint], passing: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        self.system.retrace(chain, passing, last)
    }

    fn limits(&self) -> Option<&dyn Limits<S::State>> {
        Some(self)
    }

    fn hidden_data(&self) -> Option<&dyn HiddenData<S::State>> {
        self.system.hidden_data()
    }

    fn statistics(&self) -> Option<&dyn Statistics<S::State>> {
        Some(self)
    }

    fn successor_cache(&self) -> Option<&Self> {
        self.system.successor_cache().map(|_| self)
    }
}

impl<S: OverEngine> Limits<S::State> for Reduced<'_, S> {
    fn has_room(&self, state: &mut S::State) -> bool {
        has_room(self.system, state)
    }

    fn heed(&self, state: &mut S::State, alarm: &Arc<Alarm>) {
        if let Some(limits) = self.system.limits() {
            limits.heed(state, alarm);
        }
    }

    fn is_abandoned(&self, state: &S::State) -> bool {
        is_abandoned(self.system, state)
    }

    fn is_void(&self) -> bool {
        self.counts.get().ample > 0 && !self.invalidated.borrow().is_empty()
    }
}

/// What a reduced system has counted, why its search is void, and what the system below has counted.
type Parts = (Counts, Invalidated, Option<Counted>);

impl<S: OverEngine> Statistics<S::State> for Reduced<'_, S> {
    fn take(&self, state: &mut S::State) -> Counted {
        let below = self.system.statistics().map(|below| below.take(state));
        Box::new((self.counts.take(), self.invalidated.take(), below))
    }

    fn add(&self, counted: Counted) {
        let counted: Box<dyn Any> = counted;
        let (counts, mut invalidated, below) =
            *counted.downcast::<Parts>().expect("a reduced system has counted");
        let Counts { full, ample } = self.counts.get();
        self.counts.set(Counts { full: full + counts.full, ample: ample + counts.ample });
        let mut sum = self.invalidated.borrow_mut();
        invalidated.breaches.retain(|breach| !sum.breaches.contains(breach));
        sum.breaches.append(&mut invalidated.breaches);
        sum.is_bounded |= invalidated.is_bounded;
        if let (Some(statistics), Some(below)) = (self.system.statistics(), below) {
            statistics.add(below);
        }
    }

    fn write(&self, state: &S::State, out: &mut Vec<u64>) -> bool {
        let Counts { full, ample } = self.counts.get();
        let invalidated = self.invalidated.borrow();
        out.extend([full, ample, invalidated.is_bounded.into(), invalidated.breaches.len() as u64]);
        for breach in &invalidated.breaches {
            out.extend(match *breach {
                Breach::Constant(field) => [0, field.0.into()],
                Breach::Guard(field) => [1, field.0.into()],
            });
        }
        self.invalidated().is_empty() && self.system.statistics().is_none_or(|below| below.write(state, out))
    }

    fn read(&self, words: &mut &[u64]) -> Option<Counted> {
        let (&[full, ample, is_bounded, breaches], mut rest) = words.split_first_chunk()?;
        let mut invalidated = Invalidated { is_bounded: is_bounded != 0, ..Invalidated::default() };
        for _ in 0..breaches {
            let (&[kind, field], after) = rest.split_first_chunk()?;
            let field = FieldId(u32::try_from(field).ok()?);
            invalidated.breaches.push(if kind == 0 { Breach::Constant(field) } else { Breach::Guard(field) });
            rest = after;
        }
        *words = rest;
        let below = match self.system.statistics() {
            Some(below) => Some(below.read(words)?),
            None => None,
        };
        let parts: Parts = (Counts { full, ample }, invalidated, below);
        Some(Box::new(parts))
    }
}

/// The cached successors of the system below; those of one thread only if its steps are ample.
impl<S: OverEngine> SuccessorCache<S::State> for Reduced<'_, S> {
    fn threads(&self, state: &mut S::State) -> Range<u32> {
        let all = self.cache().threads(state);
        match if all.is_empty() { None } else { self.ample(state) } {
            Some(ThreadId(thread)) => thread..thread + 1,
            None => all,
        }
    }

    fn successors(&self, state: &mut S::State, thread: u32, visit: impl FnMut(Step, Effect<'_>)) -> bool {
        self.cache().successors(state, thread, visit)
    }

    fn renames(&self) -> bool {
        self.cache().renames()
    }

    fn encoded_successors(
        &self,
        state: &mut S::State,
        thread: u32,
        into: &mut Encoding,
        visit: impl FnMut(Step, &mut Encoding),
    ) -> bool {
        self.cache().encoded_successors(state, thread, into, visit)
    }

    fn apply(&self, state: &mut S::State, step: Step, number: usize, later: &mut Vec<Step>) -> bool {
        self.is_counted.set(false);
        self.cache().apply(state, step, number, later)
    }

    fn thread_steps(&self, state: &mut S::State, thread: u32, out: &mut Steps) {
        self.cache().thread_steps(state, thread, out);
    }

    fn has_state_properties(&self) -> bool {
        self.cache().has_state_properties()
    }
}

impl<S: OverEngine + Temporal> Temporal for Reduced<'_, S> {
    fn valuation(&self, state: &mut S::State) -> Result<u64, Halt> {
        self.system.valuation(state)
    }

    fn is_observed(&self, state: &S::State) -> bool {
        self.system.is_observed(state)
    }

    fn partner(&self, state: &mut S::State, step: Step) -> Option<u32> {
        self.system.partner(state, step)
    }

    fn all_steps(&self, state: &mut S::State, out: &mut Steps) -> bool {
        self.system.steps(state, out);
        true
    }

    fn thread_names(&self, state: &mut S::State, out: &mut Vec<u32>) -> bool {
        self.system.thread_names(state, out)
    }

    fn identity(&self, state: &mut S::State) -> Option<Vec<u64>> {
        self.system.identity(state)
    }
}
