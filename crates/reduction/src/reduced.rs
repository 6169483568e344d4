//! A system of which only ample steps are offered.

use std::cell::Cell;
use std::ops::Range;

use engine::{Engine, EngineState};
use ir::{Id, LocationId};
use state::{Layout, State, ThreadId};
use system::{Effect, Encoding, Fault, Fired, Step, Steps, TransitionSystem};

use crate::analysis::{Analysis, Candidate, Operation};
use crate::channels::View;
use crate::conflicts::Row;
use crate::cycles::break_cycles;
use crate::footprint::UseKind;

/// How much of an atomic block is looked at to find out whether something goes wrong there, for each step into it. What systems
/// remember of threads ([`TransitionSystem::turn`]) is less, so that it makes no difference whether they do.
const TRIALS: u32 = 1 << 15;
const DEEPEST: u32 = 1 << 8;

/// A system that can be reduced: one that runs a program over states.
pub trait Concrete: TransitionSystem {
    fn layout(&self) -> &Layout;

    fn concrete<'s>(&self, state: &'s Self::State) -> &'s State;

    /// Whether states are encoded under names other than ids.
    fn renames(&self) -> bool;

    /// Puts threads into an order that is a function of the state's encoding.
    fn order(&self, state: &mut Self::State, threads: &mut [ThreadId]);
}

impl Concrete for Engine {
    fn layout(&self) -> &Layout {
        Self::layout(self)
    }

    fn concrete<'s>(&self, state: &'s EngineState) -> &'s State {
        &state.state
    }

    fn renames(&self) -> bool {
        false
    }

    fn order(&self, _: &mut EngineState, _: &mut [ThreadId]) {}
}

/// A system with ample steps only.
pub struct Reduced<'a, S> {
    system: &'a S,
    analysis: &'a Analysis,
    counts: Cell<Counts>,
    /// Threads that nobody disturbs, and the steps of the one that was looked at last: kept for the memory that they have.
    threads: Cell<Vec<ThreadId>>,
    steps: Cell<Steps>,
}

/// In how many states what was offered.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// All steps.
    pub full: u64,
    /// Those of one thread, whatever others could do.
    pub ample: u64,
}

impl<'a, S: Concrete> Reduced<'a, S> {
    pub fn new(system: &'a S, analysis: &'a Analysis) -> Self {
        Self { system, analysis, counts: Cell::default(), threads: Cell::default(), steps: Cell::default() }
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
        let View { layout, state: concrete, .. } = self.view(state);
        // In the middle of something there is one thread only.
        if layout.exclusive.is_some_and(|slot| concrete.peek(concrete.root(), slot) != 0) {
            return None;
        }
        let mut all = (0..concrete.thread_limit()).map(ThreadId);
        let ample = if self.system.renames() {
            let mut threads = self.threads.take();
            threads.clear();
            threads.extend(all.filter(|&thread| self.is_undisturbed(self.view(state), thread)));
            if threads.len() > 1 {
                self.system.order(state, &mut threads);
            }
            let ample = threads.iter().copied().find(|&thread| self.leads_on(state, thread));
            self.threads.set(threads);
            ample
        } else {
            all.find(|&thread| self.is_undisturbed(self.view(state), thread) && self.leads_on(state, thread))
        };
        let mut counts = self.counts.get();
        *if ample.is_some() { &mut counts.ample } else { &mut counts.full } += 1;
        self.counts.set(counts);
        ample
    }

    /// Whether a thread is at a candidate location, and nothing that others may do is in its way.
    #[inline]
    fn is_undisturbed(&self, view: View<'_>, thread: ThreadId) -> bool {
        if !view.state.is_running(thread) {
            return false;
        }
        let location = view.location(thread);
        match self.analysis.conflicts.row(location) {
            Some(row) => self.is_free(view, thread, location, row),
            None => false,
        }
    }

    fn is_free(&self, view: View<'_>, thread: ThreadId, location: LocationId, row: &Row) -> bool {
        let Some(candidate) = &self.analysis.candidates[location] else { return false };
        let mut is_open = false;
        for other in view.running().filter(|&other| other != thread) {
            for location in view.locations(other) {
                if row.certain.contains(location.index()) {
                    return false;
                }
                is_open |= row.open.contains(location.index());
            }
        }
        candidate.operations.iter().all(|operation| stays_possible(view, thread, operation))
            && (!is_open || self.uses_are_safe(view, thread, location, candidate))
            && (!candidate.sticky || self.is_let_in(view, thread, candidate))
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
            view.value(channel, thread, false)
                .is_some_and(|number| !self.has_conflict(view, thread, kind, number))
        })
    }

    /// Whether others may use a channel in a way that is in conflict.
    fn has_conflict(&self, view: View<'_>, thread: ThreadId, kind: UseKind, number: i64) -> bool {
        let may_use = |at: u32, by| view.may_use(&self.analysis.uses[at as usize], by, number);
        view.running().filter(|&other| other != thread).any(|other| {
            view.locations(other).any(|location| {
                let rivals = self.analysis.conflicts.rivals(kind, location);
                rivals.own.iter().any(|&at| may_use(at, Some(other)))
                    || rivals.started.iter().any(|&at| may_use(at, None))
            })
        })
    }

    /// Whether a thread at a sticky location can leave it only by messages, and is none of those who let the others in.
    fn is_let_in(&self, view: View<'_>, thread: ThreadId, candidate: &Candidate) -> bool {
        let location = view.location(thread);
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
        for fed in view.running() {
            for at in view.futures(fed).flat_map(|future| future.sticky.iter()) {
                let awaited = &self.analysis.uses[at];
                let number = awaited.channel.as_ref().and_then(|channel| view.value(channel, fed, true));
                let is_fed = |other: ThreadId| {
                    view.futures(other).flat_map(|future| future.own.iter()).any(|at| {
                        let found = &self.analysis.uses[at];
                        let fits = matches!(
                            (awaited.kind, found.kind),
                            (UseKind::Receive { .. }, UseKind::Send { .. })
                                | (UseKind::Send { .. }, UseKind::Receive { keep: false, .. })
                        );
                        fits && number.is_none_or(|number| view.may_use(found, Some(other), number))
                    })
                };
                for feeder in view.running().filter(|&other| is_fed(other)) {
                    feeds[feeder.0 as usize].push(fed.0 as usize);
                }
            }
        }
        break_cycles(&feeds, &vec![0; threads])
    }

    /// Whether a thread has steps, and all of them lead to states: what others do must not be lost behind a fault or a bound.
    fn leads_on(&self, state: &mut S::State, thread: ThreadId) -> bool {
        let mut steps = self.steps.take();
        steps.clear();
        // What can be told about a thread as a whole is plain, and leads on.
        let is_told = !self.system.turns(state).is_empty()
            && self.system.turn(state, thread.0, |step, _| steps.enabled.push(step));
        if is_told {
            steps.enabled.dedup();
        } else {
            steps.clear();
            self.system.steps_of(state, thread.0, &mut steps);
        }
        let leads_on = steps.faults.is_empty()
            && !steps.enabled.is_empty()
            && self.finds_messages(self.view(state).location(thread), &steps)
            && (is_told
                || steps.enabled.iter().all(|&step| self.step_leads_on(state, step, 0, &mut { TRIALS })));
        self.steps.set(steps);
        leads_on
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

    fn step_leads_on(&self, state: &mut S::State, step: Step, depth: u32, trials: &mut u32) -> bool {
        if *trials == 0 || depth > DEEPEST {
            return false;
        }
        *trials -= 1;
        match self.system.fire(state, step) {
            Fired::Fault(_) | Fired::Truncated(_) => return false,
            Fired::Moved | Fired::Flawed(_) => {}
        }
        let mut leads_on = true;
        if self.system.is_transient(state) {
            let mut steps = Steps::default();
            self.system.steps(state, &mut steps);
            leads_on = steps.faults.is_empty()
                && steps.enabled.iter().all(|&step| self.step_leads_on(state, step, depth + 1, trials));
        }
        self.system.undo(state);
        leads_on
    }
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

/// Whether the program's monitor may be moved by such an operation on a channel.
fn is_watched(view: View<'_>, kind: UseKind, number: i64) -> bool {
    let monitor = view.analysis.program.monitor.iter();
    let mut events = monitor.flat_map(|monitor| &monitor.states).flat_map(|state| &state.events);
    events.any(|event| {
        event.send == matches!(kind, UseKind::Send { .. })
            && view.value(&event.channel, ThreadId(0), true).is_none_or(|watched| watched == number)
    })
}

impl<S: Concrete> TransitionSystem for Reduced<'_, S> {
    type State = S::State;

    fn initial(&self) -> S::State {
        self.system.initial()
    }

    fn steps(&self, state: &mut S::State, out: &mut Steps) {
        if self.ample(state).is_none() {
            return self.system.steps(state, out);
        }
        let steps = self.steps.take();
        out.clear();
        out.enabled.extend_from_slice(&steps.enabled);
        self.steps.set(steps);
    }

    fn turns(&self, state: &mut S::State) -> Range<u32> {
        let all = self.system.turns(state);
        match if all.is_empty() { None } else { self.ample(state) } {
            Some(ThreadId(thread)) => thread..thread + 1,
            None => all,
        }
    }

    fn turn(&self, state: &mut S::State, thread: u32, visit: impl FnMut(Step, Effect<'_>)) -> bool {
        self.system.turn(state, thread, visit)
    }

    fn retake(&self, state: &mut S::State, step: Step, number: usize, later: &mut Vec<Step>) -> bool {
        self.system.retake(state, step, number, later)
    }

    fn steps_of(&self, state: &mut S::State, thread: u32, out: &mut Steps) {
        self.system.steps_of(state, thread, out);
    }

    fn fire(&self, state: &mut S::State, step: Step) -> Fired {
        self.system.fire(state, step)
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

    fn has_room(&self, state: &mut S::State) -> bool {
        self.system.has_room(state)
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
