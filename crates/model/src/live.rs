//! A model program as a transition system.
//!
//! The steps of a state are found by taking all its actions: only then it is known how many alternatives each
//! of them has. The successors are kept until the search moves on from one of them, so that as a rule each
//! action is taken once. Values are used again: a successor gets the memory of one that is not needed any
//! more.
//!
//! | of a [`Step`] | for a model                                                                            |
//! |---------------|----------------------------------------------------------------------------------------|
//! | `thread`      | the number of the process ([`Processes`](crate::processes::Processes))                 |
//! | `transition`  | the variant of the action, the unit of fairness                                        |
//! | `choice`      | the index of the action, with one of its alternatives, in the list of all of the state |

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use system::{
    Bound, Effect, Encoding, Fault, Fired, Halt, Section, Step, Steps, SuccessorCache, TransitionSystem,
    Waypoint,
};

use crate::panics::caught;
use crate::program::{Applied, Program};
use crate::{Model, Shape};

/// A run of a model: its states so far.
///
/// ```
/// # use quotient_model::{Shape, model, sort};
/// # sort! { pub struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none(), process = client)]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client), process = client)]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// #     #[proposition]
/// #     fn is_held(&self) -> bool { self.holder.is_some() }
/// #     #[ltl("[] <> is_held")]
/// #     const HELD_AGAIN: () = ();
/// #     #[view]
/// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
/// # }
/// // A program is a transition system, and this is its state.
/// use quotient_model::{Live, Program, Rules};
/// fn is_new(live: &Live<Lock, LockAction>) -> bool {
///     live.value().is_some_and(|lock| lock.holder.is_none())
/// }
/// let lock: Program<Rules<Lock>> = Lock::program().sort::<Client>(2);
/// # fn initial<S: system::TransitionSystem>(system: &S) -> S::State { system.initial() }
/// assert!(is_new(&initial(&lock)));
/// ```
pub struct Live<S, A> {
    levels: Vec<Level<S, A>>,
    /// Values and lists whose memory is used again.
    spare: Vec<S>,
    spare_lists: Vec<Offered<S, A>>,
}

/// A state on a run. Without a value: before the first of several initial states was chosen.
struct Level<S, A> {
    value: Option<S>,
    offered: Option<Offered<S, A>>,
}

/// What can happen in a state.
pub(crate) struct Offered<S, A> {
    pub actions: Vec<A>,
    /// The actions with their alternatives, in order.
    candidates: Vec<Candidate>,
    /// The same as steps.
    steps: Vec<Step>,
    /// By candidate, or empty: where it leads, until that is asked for.
    results: Vec<Option<Applied<S>>>,
    /// Some are missing since there was no individual left.
    pub is_full: bool,
}

/// An action, with how its choices are made.
#[derive(Clone, Copy)]
struct Candidate {
    action: u32,
    choice: u32,
}

impl<S, A> Default for Offered<S, A> {
    fn default() -> Self {
        Self {
            actions: Vec::new(),
            candidates: Vec::new(),
            steps: Vec::new(),
            results: Vec::new(),
            is_full: false,
        }
    }
}

/// In place of the number of a variant: steps are missing.
const FULL: u32 = u32::MAX;
/// In place of the number of a variant: finding the actions panicked.
const UNKNOWN: u32 = u32::MAX - 1;

impl<S: Shape, A> Live<S, A> {
    pub(crate) fn at(value: Option<S>) -> Self {
        let levels = vec![Level { value, offered: None }];
        Self { levels, spare: Vec::new(), spare_lists: Vec::new() }
    }

    fn top(&self) -> &Level<S, A> {
        &self.levels[self.levels.len() - 1]
    }

    /// The value of the state; `None` before one of several initial states was chosen.
    pub fn value(&self) -> Option<&S> {
        self.top().value.as_ref()
    }

    fn push(&mut self, value: S) {
        self.levels.push(Level { value: Some(value), offered: None });
    }

    fn pop(&mut self) {
        if let Some(level) = self.levels.pop() {
            self.keep(level);
        }
    }

    /// Keeps the memory of a level.
    fn keep(&mut self, level: Level<S, A>) {
        self.spare.extend(level.value);
        if let Some(mut offered) = level.offered {
            offered.clear(&mut self.spare);
            self.spare_lists.push(offered);
        }
    }
}

impl<S, A> Offered<S, A> {
    /// Forgets where actions lead. The memory is kept.
    fn clear_results(&mut self, spare: &mut Vec<S>) {
        spare.extend(self.results.drain(..).filter_map(|result| match result {
            Some(Applied::Moved(value)) => Some(value),
            _ => None,
        }));
    }

    fn clear(&mut self, spare: &mut Vec<S>) {
        self.clear_results(spare);
        self.actions.clear();
        self.candidates.clear();
        self.steps.clear();
    }
}

impl<M: Model> Program<M> {
    /// Finds what can happen in the state on top, and where it leads.
    fn expand(&self, live: &mut Live<M::State, M::Action>) -> Result<(), Fault> {
        let Live { levels, spare, spare_lists, .. } = live;
        let last = levels.len() - 1;
        // The search moved on: the successors of the state before may not be asked for soon.
        if let Some(before) = levels[..last].last_mut().and_then(|level| level.offered.as_mut()) {
            before.clear_results(spare);
        }
        let level = &mut levels[last];
        let (Some(value), None) = (&level.value, &level.offered) else { return Ok(()) };
        let mut offered = spare_lists.pop().unwrap_or_default();
        offered.is_full = self.list_actions(value, &mut offered.actions)?;
        for (number, action) in (0..).zip(&offered.actions) {
            let (mut choice, mut end) = (0, 1);
            while choice < end {
                let outcome = self.applied(value, action, choice as u32, spare.pop(), false);
                end = end.max(outcome.alternatives);
                // Where earlier choices leave fewer alternatives, the number repeats one that was made.
                if choice < outcome.alternatives && !matches!(outcome.applied, Applied::Impossible) {
                    offered.candidates.push(Candidate { action: number, choice: choice as u32 });
                    offered.results.push(Some(outcome.applied));
                }
                choice += 1;
            }
        }
        self.name_steps(&mut offered)?;
        self.sample(value, &offered.actions, offered.is_full);
        level.offered = Some(offered);
        Ok(())
    }

    /// Says who takes each of the steps.
    fn name_steps(&self, offered: &mut Offered<M::State, M::Action>) -> Result<(), Fault> {
        let Offered { actions, candidates, steps, is_full, .. } = offered;
        let mut processes = self.processes.borrow_mut();
        let named = caught(|| {
            for (choice, candidate) in (0..).zip(&*candidates) {
                let action = &actions[candidate.action as usize];
                let thread = processes.thread(self, action);
                steps.push(Step { thread, transition: action.variant() as u32, choice });
            }
        });
        named.map_err(|panicked| self.panicked(&panicked))?;
        if *is_full {
            steps.push(Step { thread: 0, transition: FULL, choice: 0 });
        }
        if processes.take_grown() && self.focus.is_fair {
            self.interrupt.store(true, Relaxed);
        }
        Ok(())
    }

    /// Whether the user asked for the end of the search; passes it on.
    fn poll(&self) {
        if let Some(asked) = &self.asked_to_stop
            && asked.load(Relaxed)
        {
            self.interrupt.store(true, Relaxed);
        }
    }
}

impl<M: Model> TransitionSystem for Program<M> {
    type State = Live<M::State, M::Action>;
    type Cache = Self;

    /// With several initial states, a state before them from which a step leads to each.
    fn initial(&self) -> Self::State {
        let mut values = self.initial_values().unwrap_or_default();
        Live::at(if values.len() == 1 { values.pop() } else { None })
    }

    fn steps(&self, live: &mut Self::State, out: &mut Steps) {
        out.clear();
        self.poll();
        let step = |transition, choice| Step { thread: 0, transition, choice };
        if live.value().is_none() {
            let count = self.initial_values().unwrap_or_default().len();
            return out.enabled.extend((0..count as u32).map(|number| step(0, number)));
        }
        if let Err(fault) = self.expand(live) {
            return out.faults.push((step(UNKNOWN, 0), fault));
        }
        if let Some(offered) = &live.top().offered {
            out.enabled.extend_from_slice(&offered.steps);
        }
    }

    fn fire(&self, live: &mut Self::State, step: Step) -> Fired {
        if step.transition == FULL {
            self.notes.borrow_mut().crowded += 1;
            return Fired::Truncated(Bound::Objects);
        }
        let next = if live.value().is_none() {
            let values = self.initial_values().unwrap_or_default();
            values.into_iter().nth(step.choice as usize).map_or(Applied::Impossible, Applied::Moved)
        } else {
            if live.top().offered.is_none()
                && let Err(fault) = self.expand(live)
            {
                return Fired::Fault(fault);
            }
            let last = live.levels.len() - 1;
            let Level { value: Some(value), offered: Some(offered) } = &mut live.levels[last] else {
                return Fired::Truncated(Bound::Objects);
            };
            let kept = offered.results.get_mut(step.choice as usize).and_then(Option::take);
            kept.unwrap_or_else(|| {
                let Candidate { action, choice } = offered.candidates[step.choice as usize];
                self.applied(value, &offered.actions[action as usize], choice, live.spare.pop(), false)
                    .applied
            })
        };
        match next {
            Applied::Moved(value) => {
                live.push(value);
                return Fired::Moved;
            }
            Applied::Fault(fault) => return Fired::Fault(fault),
            Applied::Crowded => self.notes.borrow_mut().crowded += 1,
            Applied::Impossible | Applied::Outside => self.notes.borrow_mut().outside += 1,
        }
        Fired::Truncated(Bound::Objects)
    }

    fn undo(&self, live: &mut Self::State) {
        live.pop();
    }

    fn check(&self, live: &mut Self::State) -> Result<(), Halt> {
        let fault = live.value().and_then(|value| self.violated(value));
        fault.map_or(Ok(()), |fault| Err(Halt::Fault(fault)))
    }

    fn ended(&self, live: &Self::State) -> bool {
        live.value().is_none_or(|value| self.accepts(value))
    }

    fn encode(&self, live: &mut Self::State, into: &mut Encoding) {
        match live.value() {
            Some(value) => self.write(value, into),
            None => into.clear(),
        }
    }

    fn decode(&self, from: &Encoding, live: &mut Self::State) {
        while live.levels.len() > 1 {
            live.pop();
        }
        let Live { levels, spare, spare_lists } = live;
        let first = &mut levels[0];
        if let Some(mut offered) = first.offered.take() {
            offered.clear(spare);
            spare_lists.push(offered);
        }
        if from.width(Section::Root) == 0 {
            first.value = None;
        } else {
            self.read(from, &mut first.value);
        }
    }

    /// Where names are numbers, what changes between encodings is what actions change.
    fn successor_cache(&self) -> Option<&Self> {
        (!self.is_named()).then_some(self)
    }

    /// Follows the chain from the initial state on, each time by a step to a state that is stored as the next
    /// one. If names were not canonical there may be none: then the run ends early, and is not confirmed.
    fn retrace(&self, chain: &[Waypoint], _: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        let (mut live, mut encoding, mut taken) = (self.initial(), Encoding::new(), Vec::new());
        let mut offered = Steps::default();
        for Waypoint { encoding: target, .. } in &chain[1..] {
            self.steps(&mut live, &mut offered);
            let found = offered.enabled.iter().copied().find(|&step| {
                if self.fire(&mut live, step) != Fired::Moved {
                    return false;
                }
                self.encode(&mut live, &mut encoding);
                let is_target = encoding.same(target);
                if !is_target {
                    self.undo(&mut live);
                }
                is_target
            });
            let Some(step) = found else { return taken };
            taken.push(step);
        }
        if let Some((step, fault)) = last {
            let found = system::step_to_fault(self, &mut live, fault, |other| other == step);
            taken.extend(found.or_else(|| system::step_to_fault(self, &mut live, fault, |_| true)));
        }
        taken
    }
}

/// The successors of a state are there as soon as its steps are. That all actions are taken by one thread is no lie:
/// the steps say whose they are.
impl<M: Model> SuccessorCache<Live<M::State, M::Action>> for Program<M> {
    fn threads(&self, live: &mut Live<M::State, M::Action>) -> Range<u32> {
        0..u32::from(live.value().is_some())
    }

    fn successors(
        &self,
        live: &mut Live<M::State, M::Action>,
        _: u32,
        mut visit: impl FnMut(Step, Effect<'_>),
    ) -> bool {
        self.poll();
        if self.expand(live).is_err() {
            return false;
        }
        let Some(offered) = &live.top().offered else { return false };
        let is_moved = |result: &Option<Applied<_>>| matches!(result, Some(Applied::Moved(_)));
        if offered.is_full || !offered.results.iter().all(is_moved) {
            return false;
        }
        for (&step, result) in offered.steps.iter().zip(&offered.results) {
            if let Some(Applied::Moved(next)) = result {
                self.with_changes(next, |writes| visit(step, Effect { number: Effect::ANY, writes }));
            }
        }
        true
    }

    fn apply(&self, _: &mut Live<M::State, M::Action>, _: Step, _: usize, _: &mut Vec<Step>) -> bool {
        false
    }

    fn thread_steps(&self, live: &mut Live<M::State, M::Action>, _: u32, out: &mut Steps) {
        self.steps(live, out);
    }

    fn has_state_properties(&self) -> bool {
        !self.properties.invariants.is_empty() || !self.properties.reachable.is_empty()
    }
}
