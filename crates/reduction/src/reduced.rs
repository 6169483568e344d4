//! A system of which only ample steps are offered.

use std::cell::{Cell, RefCell};

use engine::{Engine, EngineState, Trial};
use ir::LocationId;
use state::{Layout, NodeRef, ObjectId, State, ThreadId};
use system::{Bound, Encoding, Fault, Fired, Step, Steps, TransitionSystem};

use crate::analysis::{Analysis, Candidate};
use crate::channels::View;
use crate::cycles::break_cycles;
use crate::discipline::Breach;
use crate::footprint::UseKind;
use crate::heap::{Heap, Places};
use crate::owners::Owners;

/// How much of an atomic block is looked at to find out whether something goes wrong there.
const TRIALS: u32 = 256;

/// A system that can be reduced: one that runs a program over states.
pub trait Concrete: TransitionSystem {
    fn engine(&self) -> &Engine;

    fn layout(&self) -> &Layout {
        self.engine().layout()
    }

    fn concrete<'s>(&self, state: &'s Self::State) -> &'s State;

    /// The state without its names, for steps that are taken back before anybody looks.
    fn unnamed<'s>(&self, state: &'s mut Self::State) -> &'s mut EngineState;

    /// Tells who mentions an object, and where: the labels of edges. Or tells that it is not known.
    fn mentions(&self, state: &Self::State, object: ObjectId, visit: &mut dyn FnMut(NodeRef, u64)) -> bool;

    /// Puts threads into an order that is a function of the state's encoding.
    fn order(&self, state: &mut Self::State, threads: &mut [ThreadId]);
}

impl Concrete for Engine {
    fn engine(&self) -> &Engine {
        self
    }

    fn concrete<'s>(&self, state: &'s EngineState) -> &'s State {
        &state.state
    }

    fn unnamed<'s>(&self, state: &'s mut EngineState) -> &'s mut EngineState {
        state
    }

    fn mentions(&self, _: &EngineState, _: ObjectId, _: &mut dyn FnMut(NodeRef, u64)) -> bool {
        false
    }

    fn order(&self, _: &mut EngineState, _: &mut [ThreadId]) {}
}

/// A system with ample steps only.
pub struct Reduced<'a, S> {
    system: &'a S,
    analysis: &'a Analysis,
    counts: Cell<Counts>,
    places: Places,
    doubts: RefCell<Doubts>,
}

/// Why a search is worth nothing, if there is anything.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Doubts {
    /// What was assumed and is not so.
    pub breaches: Vec<Breach>,
    /// A bound on what states hold was exceeded: how much that is at a time depends on the order of steps.
    pub is_bounded: bool,
}

impl Doubts {
    pub fn is_empty(&self) -> bool {
        self.breaches.is_empty() && !self.is_bounded
    }
}

/// In how many states what was offered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// All steps, of several threads.
    pub full: u64,
    /// Those of one thread, where others had some too.
    pub ample: u64,
}

impl<'a, S: Concrete> Reduced<'a, S> {
    pub fn new(system: &'a S, analysis: &'a Analysis) -> Self {
        let places = Places::new(&analysis.program, system.layout());
        Self { system, analysis, counts: Cell::default(), places, doubts: RefCell::default() }
    }

    /// Why what was found so far counts for nothing, if there is anything. The search is to start again then, without what
    /// was assumed.
    pub fn doubts(&self) -> Doubts {
        self.doubts.borrow().clone()
    }

    /// What was offered so far. Where a state is asked for its steps twice, it counts twice.
    pub fn counts(&self) -> Counts {
        self.counts.get()
    }

    /// The thread whose steps are ample, if there is one.
    fn ample(&self, state: &mut S::State, steps: &Steps) -> Option<ThreadId> {
        let mut threads: Vec<ThreadId> = steps.enabled.iter().map(|step| ThreadId(step.thread)).collect();
        threads.dedup();
        let others_fault = |thread| steps.faults.iter().any(|(step, _)| ThreadId(step.thread) != thread);
        if threads.len() < 2 && !threads.first().is_some_and(|&only| others_fault(only)) {
            return None;
        }
        threads.retain(|thread| !steps.faults.iter().any(|(step, _)| step.thread == thread.0));
        threads.retain(|&thread| self.is_candidate(self.system.concrete(state), thread, steps));
        self.system.order(state, &mut threads);
        threads.into_iter().find(|&thread| {
            if self.touches_heap(self.system.concrete(state), thread) {
                self.is_undisturbed(state, thread)
            } else {
                self.leads_on(state, thread, steps)
            }
        })
    }

    fn is_candidate(&self, state: &State, thread: ThreadId, steps: &Steps) -> bool {
        let Some(candidate) = &self.analysis.candidates[self.location(state, thread)] else { return false };
        let view = View { analysis: self.analysis, layout: self.system.layout(), state };
        let classes = self.analysis.classes;
        self.parts(state, thread).all(|part| {
            part.is_some_and(|part| {
                (classes.heap || !part.heap)
                    && (classes.messages || part.operations.is_empty() && !part.ends)
                    && self.is_settled(state, thread, part)
            })
        }) && !self.is_within_atomic_block(state, thread)
            && self.operations_are_safe(view, thread, candidate, steps)
            && (!candidate.sticky || self.is_let_in(view, thread, candidate))
    }

    /// What the steps of a thread consist of: those at its location and, where functions return, what comes then.
    fn parts<'s>(
        &'s self,
        state: &'s State,
        thread: ThreadId,
    ) -> impl Iterator<Item = Option<&'s Candidate>> {
        let layout = self.system.layout();
        let mut frames: Vec<usize> = state.frames(layout, thread).collect();
        std::iter::successors(frames.pop(), move |_| frames.pop())
            .map(|frame| {
                self.analysis.candidates[LocationId(state.peek(frame, layout.location) as u32)].as_ref()
            })
            .scan(true, |goes_on, part| {
                let is_next = std::mem::replace(goes_on, part.is_some_and(|part| part.returns));
                is_next.then_some(part)
            })
    }

    fn touches_heap(&self, state: &State, thread: ThreadId) -> bool {
        self.parts(state, thread).flatten().any(|part| part.heap)
    }

    /// Whether a function was called in the middle of a step, which goes on after it.
    fn is_within_atomic_block(&self, state: &State, thread: ThreadId) -> bool {
        let layout = self.system.layout();
        layout.exclusive.is_some()
            && state.frames(layout, thread).any(|frame| {
                self.analysis.program.locations[LocationId(state.peek(frame, layout.location) as u32)].atomic
            })
    }

    /// Whether nobody else can touch the globals that a thread does.
    fn is_settled(&self, state: &State, thread: ThreadId, part: &Candidate) -> bool {
        let mut others = running(state).filter(|&other| other != thread);
        !others.any(|other| {
            self.futures(state, other).any(|future| {
                future.writes.intersects(&part.settled)
                    || future.reads.intersects(&part.writes)
                    || future.visible && part.visible
            })
        })
    }

    /// Whether nobody else can disturb or notice what a thread does to objects, and all its steps lead to states.
    fn is_undisturbed(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let trial = self.try_out(state, thread);
        let concrete = self.system.concrete(state);
        let others = running(concrete).filter(|&other| other != thread);
        trial.leads_on
            && self.with_heap(state, |heap| heap.judge(thread, &trial.accesses)).is_some_and(|shown| {
                let mut futures = others.flat_map(|other| self.futures(concrete, other));
                !(shown.in_runs || shown.in_states && futures.any(|future| future.visible))
            })
    }

    fn try_out(&self, state: &mut S::State, thread: ThreadId) -> Trial {
        let mut trial = Trial::default();
        self.system.engine().try_out(self.system.unnamed(state), thread, &mut trial);
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
        })
    }

    /// The thread that is in the middle of something.
    fn exclusive(&self, state: &State) -> Option<ThreadId> {
        let slot = self.system.layout().exclusive?;
        ThreadId::from_raw(state.peek(state.root(), slot))
    }

    /// Checks what is assumed about the use of objects, for all that threads try.
    fn check_discipline(&self, state: &mut S::State, exclusive: Option<ThreadId>) {
        let Analysis { classes, blind, program, .. } = self.analysis;
        if program.numbered || !classes.locks || !classes.heap || blind.breaches {
            return;
        }
        let concrete = self.system.concrete(state);
        let mut threads: Vec<ThreadId> = running(concrete).collect();
        // Who is alone may do what it wants.
        if threads.len() < 2 {
            return;
        }
        threads.retain(|&thread| exclusive.is_none_or(|exclusive| exclusive == thread));
        let mut found = Vec::new();
        for thread in threads {
            let looks = self.analysis.discipline.looks(self.location(self.system.concrete(state), thread));
            if looks || cfg!(debug_assertions) {
                let trial = self.try_out(state, thread);
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

    fn location(&self, state: &State, thread: ThreadId) -> LocationId {
        LocationId(state.peek(state.frame(thread), self.system.layout().location) as u32)
    }

    /// What a thread may still do, by its frames.
    fn futures<'s>(
        &'s self,
        state: &'s State,
        thread: ThreadId,
    ) -> impl Iterator<Item = &'s crate::analysis::Future> {
        let layout = self.system.layout();
        state
            .frames(layout, thread)
            .map(move |frame| &self.analysis.futures[LocationId(state.peek(frame, layout.location) as u32)])
    }

    /// Whether channels are used in a way that nobody else can disturb or notice.
    fn operations_are_safe(
        &self,
        view: View<'_>,
        thread: ThreadId,
        candidate: &Candidate,
        steps: &Steps,
    ) -> bool {
        let operations = candidate.operations.iter().all(|operation| {
            let Some(number) = view.value(&operation.channel, thread, false) else { return false };
            let Some((length, capacity)) = view.load(number) else { return false };
            let is_enabled = || {
                let transition = operation.transition.map(|id| id.0);
                steps
                    .enabled
                    .iter()
                    .any(|step| step.thread == thread.0 && Some(step.transition) == transition)
            };
            let stays_as_it_is = match operation.kind {
                UseKind::Send { sorted, .. } => !sorted && length < capacity,
                // A message further back that fits may come yet.
                UseKind::Receive { anywhere, .. } => length > 0 && (!anywhere || is_enabled()),
                _ => capacity > 0,
            };
            stays_as_it_is
                && !is_watched(view, operation.kind, number)
                && !self.has_conflict(view, thread, operation.kind, number)
        });
        let claims = || {
            let location = self.location(view.state, thread);
            let procedure = self.analysis.program.locations[location].procedure;
            self.analysis.program.procedures[procedure].claims.iter()
        };
        operations
            && (!candidate.ends
                || claims().all(|claim| {
                    let kind = if claim.receive { UseKind::ClaimReceive } else { UseKind::ClaimSend };
                    let number = view.value(&claim.channel, thread, false);
                    number.is_some_and(|number| !self.has_conflict(view, thread, kind, number))
                }))
    }

    /// Whether others may use a channel in a way that is in conflict.
    fn has_conflict(&self, view: View<'_>, thread: ThreadId, kind: UseKind, number: i64) -> bool {
        let in_conflict = |at: usize, by| {
            let other = &self.analysis.uses[at];
            kind.conflicts_with(other.kind) && view.may_use(other, by, number)
        };
        running(view.state).filter(|&other| other != thread).any(|other| {
            self.futures(view.state, other).any(|future| {
                future.own.iter().any(|at| in_conflict(at, Some(other)))
                    || future.started.iter().any(|at| in_conflict(at, None))
            })
        })
    }

    /// Whether a thread at a sticky location can leave it only by messages, and is none of those who let the others in.
    fn is_let_in(&self, view: View<'_>, thread: ThreadId, candidate: &Candidate) -> bool {
        let location = self.location(view.state, thread);
        let program = &self.analysis.program;
        let is_message = |kind| matches!(kind, UseKind::Receive { keep: false, .. } | UseKind::Send { .. });
        program.numbered
            && program.locations[location].transitions.iter().all(|&id| {
                let mut operations =
                    candidate.operations.iter().filter(|operation| operation.transition == Some(id));
                operations.any(|operation| is_message(operation.kind))
            })
            && !self.porters(view)[thread.0 as usize]
    }

    /// By thread: whether it lets all others in wherever it is sticky. There is one on every circle of threads that wait for
    /// messages of each other to get past sticky locations. See the crate's documentation.
    fn porters(&self, view: View<'_>) -> Vec<bool> {
        let threads = view.state.thread_limit() as usize;
        let mut feeds = vec![Vec::new(); threads];
        for fed in running(view.state) {
            for at in self.futures(view.state, fed).flat_map(|future| future.sticky.iter()) {
                let awaited = &self.analysis.uses[at];
                let number = awaited.channel.as_ref().and_then(|channel| view.value(channel, fed, true));
                let is_fed = |other: ThreadId| {
                    self.futures(view.state, other).flat_map(|future| future.own.iter()).any(|at| {
                        let found = &self.analysis.uses[at];
                        let fits = matches!(
                            (awaited.kind, found.kind),
                            (UseKind::Receive { .. }, UseKind::Send { .. })
                                | (UseKind::Send { .. }, UseKind::Receive { keep: false, .. })
                        );
                        fits && number.is_none_or(|number| view.may_use(found, Some(other), number))
                    })
                };
                for feeder in running(view.state).filter(|&other| is_fed(other)) {
                    feeds[feeder.0 as usize].push(fed.0 as usize);
                }
            }
        }
        break_cycles(&feeds, &vec![0; threads])
    }

    /// Whether all steps of a thread lead to states: what others do must not be lost behind a fault or a bound.
    fn leads_on(&self, state: &mut S::State, thread: ThreadId, steps: &Steps) -> bool {
        let own = steps.enabled.iter().filter(|step| step.thread == thread.0);
        let mut budget = TRIALS;
        own.copied().all(|step| self.step_leads_on(state, step, &mut budget))
    }

    fn step_leads_on(&self, state: &mut S::State, step: Step, budget: &mut u32) -> bool {
        if *budget == 0 {
            return false;
        }
        *budget -= 1;
        match self.system.fire(state, step) {
            Fired::Fault(_) | Fired::Truncated(_) => return false,
            Fired::Moved | Fired::Flawed(_) => {}
        }
        let mut leads_on = true;
        if self.system.is_transient(state) {
            let mut steps = Steps::default();
            self.system.steps(state, &mut steps);
            leads_on = steps.faults.is_empty()
                && steps.enabled.iter().all(|&step| self.step_leads_on(state, step, budget));
        } else if self.exclusive(self.system.concrete(state)).is_some() {
            // In the middle of an atomic block with more than one way on.
            leads_on = false;
        }
        self.system.undo(state);
        leads_on
    }
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

/// The threads that have not ended.
fn running(state: &State) -> impl Iterator<Item = ThreadId> {
    (0..state.thread_limit()).map(ThreadId).filter(|&thread| state.is_running(thread))
}

impl<S: Concrete> TransitionSystem for Reduced<'_, S> {
    type State = S::State;

    fn initial(&self) -> S::State {
        self.system.initial()
    }

    fn steps(&self, state: &mut S::State, out: &mut Steps) {
        self.system.steps(state, out);
        // In the middle of something there is one thread only.
        let exclusive = self.exclusive(self.system.concrete(state));
        self.check_discipline(state, exclusive);
        if exclusive.is_some() {
            return;
        }
        let ample = self.ample(state, out);
        let mut counts = self.counts.get();
        match ample {
            Some(ThreadId(thread)) => {
                counts.ample += 1;
                out.enabled.retain(|step| step.thread == thread);
                out.faults.clear();
            }
            None => counts.full += 1,
        }
        self.counts.set(counts);
    }

    fn fire(&self, state: &mut S::State, step: Step) -> Fired {
        let fired = self.system.fire(state, step);
        if matches!(fired, Fired::Truncated(Bound::Objects | Bound::Threads))
            && !self.analysis.program.numbered
        {
            self.doubts.borrow_mut().is_bounded = true;
        }
        fired
    }

    fn partner(&self, state: &mut S::State, step: Step) -> Option<u32> {
        self.system.partner(state, step)
    }

    fn is_observed(&self, state: &S::State) -> bool {
        self.system.is_observed(state)
    }

    fn valuation(&self, state: &mut S::State) -> Result<u64, Fault> {
        self.system.valuation(state)
    }

    fn is_transient(&self, state: &S::State) -> bool {
        self.system.is_transient(state)
    }

    fn undo(&self, state: &mut S::State) {
        self.system.undo(state);
    }

    /// There is none once it is known that the search must start again.
    fn has_room(&self, state: &mut S::State) -> bool {
        self.doubts.borrow().is_empty() && self.system.has_room(state)
    }

    fn check(&self, state: &mut S::State) -> Option<Fault> {
        self.system.check(state)
    }

    fn checks(&self) -> bool {
        self.system.checks()
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

    fn has_memos(&self) -> bool {
        self.system.has_memos()
    }

    fn memo(&self, state: &mut S::State) -> u32 {
        self.system.memo(state)
    }

    fn recall(&self, memo: u32, state: &mut S::State) {
        self.system.recall(memo, state);
    }

    fn retrace(&self, chain: &[(Encoding, u32)], last: Option<(Step, Fault)>) -> Vec<Step> {
        self.system.retrace(chain, last)
    }
}
