//! A system of which only ample steps are offered.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use engine::{Engine, EngineState, OverEngine, Trial};
use ir::LocationId;
use state::{NodeRef, ThreadId};
use system::{
    Alarm, Bound, Effect, Encoding, Fault, Fired, Halt, HiddenData, Limits, Step, Steps, SuccessorCache,
    Temporal, TransitionSystem, has_room, is_abandoned,
};

use crate::analysis::{Analysis, Candidate, Operation};
use crate::channels::View;
use crate::conflicts::Row;
use crate::discipline::Breach;
use crate::footprint::UseKind;
use crate::heap::{Heap, Places};
use crate::owners::Owners;
use crate::porters::Porters;

/// How much of an atomic block is looked at to find out whether something goes wrong there, for each step into it. What systems
/// remember of threads ([`TransitionSystem::turn`]) is less, so that it makes no difference whether they do.
const TRIALS: u32 = 1 << 15;
const DEEPEST: u32 = 1 << 8;

/// How many states with several threads are looked at to find out whether it is worth looking for ample steps, and which part of
/// them must have some at least.
///
/// They are states on random runs of the full system. So whether the system is reduced is a function of the program, and not of
/// the order of a search: ample steps are one of the state. If these runs take long, there is no telling, and it is reduced.
const SAMPLE: u32 = 1 << 10;
const WORTH: u32 = 64;
/// How long these runs are at most, and how many there are.
const LONGEST_RUN: u32 = 1 << 8;
const RUNS: u32 = 1 << 8;
/// How often the interpreter may look at its alarm meanwhile.
const LOOKS: u32 = 1 << 6;

/// A system with ample steps only.
pub struct Reduced<'a, S> {
    system: &'a S,
    analysis: &'a Analysis,
    counts: Cell<Counts>,
    /// Threads that nobody disturbs, and the steps of the one that was looked at last: kept for the memory that they have.
    threads: Cell<Vec<ThreadId>>,
    steps: Cell<Steps>,
    /// Whether it is worth looking for ample steps, once that is known.
    is_worthwhile: Cell<Option<bool>>,
    /// How many states are looked at to find that out.
    sample: u32,
    porters: Porters,
    places: Places,
    doubts: RefCell<Invalidated>,
}

/// Why a search is worth nothing, if there is anything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Invalidated {
    /// What was assumed and is not so.
    pub breaches: Vec<Breach>,
    /// A bound on what states hold was exceeded: how much that is at a time depends on the order of steps.
    pub is_bounded: bool,
}

impl Invalidated {
    pub fn is_empty(&self) -> bool {
        self.breaches.is_empty() && !self.is_bounded
    }
}

/// In how many states what was offered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// All steps.
    pub full: u64,
    /// Those of one thread, whatever others could do.
    pub ample: u64,
}

impl<'a, S: OverEngine> Reduced<'a, S> {
    pub fn new(system: &'a S, analysis: &'a Analysis) -> Self {
        Self {
            system,
            analysis,
            counts: Cell::default(),
            threads: Cell::default(),
            steps: Cell::default(),
            is_worthwhile: Cell::default(),
            sample: SAMPLE,
            porters: Porters::new(analysis),
            places: Places::new(&analysis.program, system.layout()),
            doubts: RefCell::default(),
        }
    }

    /// Why what was found so far counts for nothing, if there is anything. The search is to start again then, without what
    /// was assumed. As long as all steps were offered in all states, nothing was assumed.
    pub fn doubts(&self) -> Invalidated {
        if self.counts.get().ample == 0 { Invalidated::default() } else { self.doubts.borrow().clone() }
    }

    /// With a sample of another size.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn with_sample(mut self, states: u32) -> Self {
        self.sample = states;
        self
    }

    /// Whether it is worth looking for ample steps. If there are too few states to tell, it is.
    fn is_worthwhile(&self) -> bool {
        if let Some(known) = self.is_worthwhile.get() {
            return known;
        }
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
                // Marsaglia's generator (2003).
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
        // What was found out on these runs is found out again, if a search comes there.
        self.doubts.take();
        let is_worthwhile =
            looked_at < self.sample || ample * WORTH >= self.sample || is_abandoned(self.system, state);
        self.is_worthwhile.set(Some(is_worthwhile));
        is_worthwhile
    }

    /// Whether some thread has ample steps. Names are not asked for.
    fn has_ample(&self, state: &mut S::State) -> bool {
        let mut all = (0..self.system.concrete(state).thread_limit()).map(ThreadId);
        self.view(state).exclusive().is_none()
            && all.any(|thread| self.is_undisturbed(self.view(state), thread) && self.is_ample(state, thread))
    }

    /// What was offered so far. Where a state is asked for its steps twice, it counts twice.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    fn view<'s>(&'s self, state: &'s S::State) -> View<'s> {
        View { analysis: self.analysis, layout: self.system.layout(), state: self.system.concrete(state) }
    }

    /// The thread whose steps are ample, if there is one. Then `self.steps` has its steps.
    ///
    /// First comes what locations tell, then what depends on the state, and the thread's own steps are looked at only if
    /// nobody disturbs them. What others can do right now does not matter.
    fn ample(&self, state: &mut S::State) -> Option<ThreadId> {
        let ample = if self.is_worthwhile() { self.find_ample(state) } else { None };
        let mut counts = self.counts.get();
        *if ample.is_some() { &mut counts.ample } else { &mut counts.full } += 1;
        self.counts.set(counts);
        ample
    }

    fn find_ample(&self, state: &mut S::State) -> Option<ThreadId> {
        let exclusive = self.view(state).exclusive();
        self.check_discipline(state, exclusive);
        // In the middle of something there is one thread only.
        if exclusive.is_some() {
            return None;
        }
        let mut all = (0..self.system.concrete(state).thread_limit()).map(ThreadId);
        if self.system.renames() {
            let mut threads = self.threads.take();
            threads.clear();
            threads.extend(all.filter(|&thread| self.is_undisturbed(self.view(state), thread)));
            if threads.len() > 1 {
                self.system.order(state, &mut threads);
            }
            let ample = threads.iter().copied().find(|&thread| self.is_ample(state, thread));
            self.threads.set(threads);
            ample
        } else {
            all.find(|&thread| self.is_undisturbed(self.view(state), thread) && self.is_ample(state, thread))
        }
    }

    /// Whether a thread is at a candidate location, and nothing that others may do is in its way.
    #[inline]
    fn is_undisturbed(&self, view: View<'_>, thread: ThreadId) -> bool {
        if !view.state.is_running(thread) {
            return false;
        }
        let location = view.location(thread);
        match self.analysis.conflicts.row(self.analysis, location) {
            Some(row) => self.is_free(view, thread, location, row) && self.goes_on_undisturbed(view, thread),
            None => false,
        }
    }

    /// The same for what comes after the step of a thread where a function returns, and for what it is in the middle of.
    fn goes_on_undisturbed(&self, view: View<'_>, thread: ThreadId) -> bool {
        let program = &self.analysis.program;
        if program.features.thread_ids_observable || view.state.has_one_frame(view.layout, thread) {
            return true;
        }
        // A function was called in the middle of a step, which goes on after it.
        let is_within_atomic_block =
            view.layout.exclusive.is_some() && view.locations(thread).any(|at| program.locations[at].atomic);
        !is_within_atomic_block
            && self.parts(view, thread).skip(1).all(|(location, part)| {
                let row = part.and_then(|_| self.analysis.conflicts.row(self.analysis, location));
                row.is_some_and(|row| self.is_free(view, thread, location, row))
            })
    }

    /// What the steps of a thread consist of: those at its location and, where functions return, what comes then.
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
        candidate.operations.iter().all(|operation| Self::stays_possible(view, thread, operation))
            && (!is_open || self.uses_are_safe(view, thread, location, candidate))
            && (!candidate.sticky || !self.porters.has(view, thread))
    }

    /// Whether channels are used in a way that nobody else can disturb or notice.
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

    /// Whether what is done to a channel can be done, whatever others do first, and no monitor sees it.
    fn stays_possible(view: View<'_>, thread: ThreadId, operation: &Operation) -> bool {
        let Some(number) = view.value(&operation.channel, thread, false) else { return false };
        let Some((length, capacity)) = view.load(number) else { return false };
        let is_possible = match operation.kind {
            UseKind::Send { sorted, .. } => !sorted && length < capacity,
            UseKind::Receive { .. } => length > 0,
            _ => capacity > 0,
        };
        is_possible && !is_watched(view, operation.kind, number)
    }

    /// Whether others may use a channel in a way that is in conflict.
    fn has_conflict(&self, view: View<'_>, thread: ThreadId, kind: UseKind, number: i64) -> bool {
        let Analysis { conflicts, sets, uses, .. } = self.analysis;
        let is_used = |of, by: Option<ThreadId>| {
            conflicts.any_rival(sets, kind, of, |at| {
                // Threads end youngest first: none does so before a younger one that stays where it is.
                let comes_later = uses[at].kind == UseKind::End && by.is_some_and(|other| other < thread);
                !comes_later && view.may_use(&uses[at], by, number)
            })
        };
        view.running().filter(|&other| other != thread).any(|other| {
            let mut futures = view.futures(other);
            futures.any(|future| is_used(future.own, Some(other)) || is_used(future.started, None))
        })
    }

    /// Whether the steps of a thread that nobody disturbs lead on, and nobody disturbs what they do to objects.
    fn is_ample(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let view = self.view(state);
        let touches_heap = !self.analysis.program.features.thread_ids_observable
            && self.parts(view, thread).any(|(_, part)| part.is_some_and(|part| part.heap));
        (!touches_heap || self.has_objects_to_itself(state, thread))
            && self.succeeds(state, thread, touches_heap)
    }

    /// Whether nobody else can disturb or notice what a thread does to objects, and all its steps lead to states.
    fn has_objects_to_itself(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let trial = self.dry_run(state, thread);
        trial.succeeds
            && self.with_heap(state, |heap| heap.judge(thread, &trial.accesses)).is_some_and(|shown| {
                let view = self.view(state);
                let others = view.running().filter(|&other| other != thread);
                let mut locations = others.flat_map(|other| view.locations(other));
                !(shown.in_runs
                    || shown.in_states && locations.any(|at| self.analysis.futures.at(at).visible))
            })
    }

    fn dry_run(&self, state: &mut S::State, thread: ThreadId) -> Trial {
        let mut trial = Trial::default();
        let (engine, below) = (self.system.engine(), self.system.engine_state_mut(state));
        // What is tried is judged by the units that it touches.
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
            places: &self.places,
            layout,
            state: concrete,
            owners: Owners::new(layout, concrete, &mentions, self.analysis.blind),
            last: Cell::default(),
        })
    }

    /// Checks what is assumed about the use of objects, for all that threads try.
    fn check_discipline(&self, state: &mut S::State, exclusive: Option<ThreadId>) {
        let Analysis { classes, blind, program, .. } = self.analysis;
        if program.features.thread_ids_observable || !classes.locks || !classes.heap || blind.breaches {
            return;
        }
        let mut threads: Vec<ThreadId> = self.view(state).running().collect();
        // Who is alone may do what it wants.
        if threads.len() < 2 {
            return;
        }
        threads.retain(|&thread| exclusive.is_none_or(|exclusive| exclusive == thread));
        let mut found = Vec::new();
        for thread in threads {
            let looks = self.analysis.discipline.looks(self.view(state).location(thread));
            if looks || cfg!(debug_assertions) {
                let trial = self.dry_run(state, thread);
                let known = found.len();
                self.with_heap(state, |heap| heap.breaches(thread, &trial.accesses, &mut found));
                debug_assert!(looks || known == found.len(), "there is nothing to look at");
            }
        }
        let mut doubts = self.doubts.borrow_mut();
        found.retain(|breach| !doubts.breaches.contains(breach));
        found.sort();
        found.dedup();
        doubts.breaches.append(&mut found);
    }

    /// The cache below, which is there if this one is.
    fn cache(&self) -> &dyn SuccessorCache<S::State> {
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

    /// Whether a thread has steps, and all of them lead to states: what others do must not be lost behind a fault or a bound.
    /// Where they were tried out, that much is known.
    fn succeeds(&self, state: &mut S::State, thread: ThreadId, is_tried: bool) -> bool {
        let mut steps = self.steps.take();
        steps.clear();
        // What can be told about a thread as a whole is plain, and leads on.
        let is_told = self.system.successor_cache().is_some_and(|cache| {
            !cache.threads(state).is_empty()
                && cache.successors(state, thread.0, &mut |step, _| steps.enabled.push(step))
        });
        if is_told {
            steps.enabled.dedup();
        } else {
            steps.clear();
            self.system.engine().steps_of(self.system.engine_state_mut(state), thread, &mut steps);
        }
        let tries = |state: &mut S::State| {
            let (engine, state) = (self.system.engine(), self.system.engine_state_mut(state));
            steps.enabled.iter().all(|&step| step_leads_on(engine, state, step, 0, &mut { TRIALS }))
        };
        let succeeds = steps.faults.is_empty()
            && !steps.enabled.is_empty()
            && !steps.is_abandoned
            && self.finds_messages(self.view(state).location(thread), &steps)
            && (is_told || is_tried || tries(state));
        self.steps.set(steps);
        succeeds
    }

    /// Whether what is looked for anywhere in a channel is there: otherwise it may come yet.
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

/// Whether a step, and those after it that nobody interrupts, lead to states. It is tried out below all names.
fn step_leads_on(engine: &Engine, state: &mut EngineState, step: Step, depth: u32, trials: &mut u32) -> bool {
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
            && steps.enabled.iter().all(|&step| step_leads_on(engine, state, step, depth + 1, trials));
    } else if !engine.layout().thread_ids_observable && is_within_atomic_block() {
        // There is more than one way on: what is done there has not been looked at.
        succeeds = false;
    }
    engine.undo(state);
    succeeds
}

/// Whether the program's monitor may be moved by such an operation on a channel.
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
        let fired = self.system.fire(state, step);
        if matches!(fired, Fired::Truncated(Bound::Objects | Bound::Threads))
            && !self.analysis.program.features.thread_ids_observable
        {
            self.doubts.borrow_mut().is_bounded = true;
        }
        fired
    }

    fn undo(&self, state: &mut S::State) {
        self.system.undo(state);
    }

    /// Whether a bound is exceeded here is a function of what is observed, which steps that are left out do
    /// not change: the reduction is as good as without bounds.
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
        self.system.decode(from, state);
    }

    fn is_transient(&self, state: &S::State) -> bool {
        self.system.is_transient(state)
    }

    fn retrace(&self, chain: &[(Encoding, u32)], last: Option<(Step, Fault)>) -> Vec<Step> {
        self.system.retrace(chain, last)
    }

    fn limits(&self) -> Option<&dyn Limits<S::State>> {
        self.system.limits()
    }

    fn hidden_data(&self) -> Option<&dyn HiddenData<S::State>> {
        self.system.hidden_data()
    }

    fn successor_cache(&self) -> Option<&dyn SuccessorCache<S::State>> {
        self.system.successor_cache().map(|_| self as _)
    }
}

/// The successors of the threads that the system below remembers, of one thread only where its steps are ample.
impl<S: OverEngine> SuccessorCache<S::State> for Reduced<'_, S> {
    fn threads(&self, state: &mut S::State) -> Range<u32> {
        let all = self.cache().threads(state);
        match if all.is_empty() { None } else { self.ample(state) } {
            Some(ThreadId(thread)) => thread..thread + 1,
            None => all,
        }
    }

    fn successors(&self, state: &mut S::State, thread: u32, visit: &mut dyn FnMut(Step, Effect<'_>)) -> bool {
        self.cache().successors(state, thread, visit)
    }

    fn apply(&self, state: &mut S::State, step: Step, number: usize, later: &mut Vec<Step>) -> bool {
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
