//! Which steps a state has, and what becomes of them.

use ir::{
    ActionKind, Guard, Leaks, LocationId, MAX_CHOICES, MAX_MICRO_STEPS, Property, Scope, TOO_MANY_CHOICES,
    TransitionId,
};
use system::{Alarm, Bound, FaultKind, Step};

use crate::collect::collect;
use crate::eval::Eval;
use crate::fault::Stop;
use crate::machine::{Machine, note};
use crate::{Events, Naive, NaiveFault, OnBound, State, Stopped, Thread};

/// What an evaluation depends on besides the state.
#[derive(Clone, Copy, Default)]
pub(crate) struct EvalContext {
    /// Whether no thread has a step without `timeout`.
    pub timeout: bool,
    /// Whether some thread asks for what another can do.
    pub asked: bool,
}

/// What a transition comes to for a thread at its source.
enum Attempt {
    Disabled,
    /// The guard cannot be evaluated.
    Fault(NaiveFault),
    /// It can be taken, with each of these choices.
    Enabled(Vec<u32>),
}

/// The steps of one or all threads: those that can be fired, and those whose guard faults.
pub(crate) type Steps = (Vec<Step>, Vec<(Step, NaiveFault)>);

/// The steps of a state, as [`Naive::steps`] lists them.
pub struct Moves<'s> {
    state: &'s State,
    context: EvalContext,
    pub enabled: Vec<Step>,
    pub faults: Vec<(Step, NaiveFault)>,
}

impl Naive<'_> {
    /// The steps that can be fired (some of them to a fault or out of bounds), and those whose guard faults.
    /// Both are in order of threads, then of the location's transitions, then of choices.
    pub fn steps(&self, state: &State) -> (Vec<Step>, Vec<(Step, NaiveFault)>) {
        self.steps_in_context(state).1
    }

    /// Fires a step, together with what follows it in an atomic block.
    pub fn fire(&self, state: &State, step: Step) -> Result<State, Stopped> {
        self.fire_with(state, step, &mut None)
    }

    /// The steps of a state, for those who fire several of them.
    pub fn moves<'s>(&self, state: &'s State) -> Moves<'s> {
        let (context, (enabled, faults)) = self.steps_in_context(state);
        Moves { state, context, enabled, faults }
    }

    /// Fires an enabled step of a state, which is not looked for again.
    pub fn fire_move(&self, moves: &Moves<'_>, at: usize) -> Result<State, Stopped> {
        let Some(&step) = moves.enabled.get(at) else { return Err(Stopped::NotEnabled) };
        self.heeding(|| self.fire_in(moves.state, step, moves.context, &mut None))
    }

    /// Fires a step, and adds what happens to `events`, if there are any.
    pub(crate) fn fire_with(
        &self,
        state: &State,
        step: Step,
        events: &mut Option<Events>,
    ) -> Result<State, Stopped> {
        self.heeding(|| self.fire_whole(state, step, events))
    }

    /// Fires something, unless there is no time for it.
    fn heeding(&self, fire: impl FnOnce() -> Result<State, Stopped>) -> Result<State, Stopped> {
        // States are copied, and may be large: here there is time to look.
        if let Some(alarm) = self.alarm.filter(|alarm| alarm.is_due()) {
            alarm.ring();
        }
        let fired = fire();
        // Steps that follow may not have been found.
        if self.alarm.is_some_and(Alarm::has_rung) { Err(Stopped::Abandoned) } else { fired }
    }

    fn fire_whole(&self, state: &State, step: Step, events: &mut Option<Events>) -> Result<State, Stopped> {
        let context = self.context_of(state, step)?;
        self.fire_in(state, step, context, events)
    }

    /// Fires a step that is one of the state in this context, together with what follows it in an atomic block.
    fn fire_in(
        &self,
        state: &State,
        step: Step,
        context: EvalContext,
        events: &mut Option<Events>,
    ) -> Result<State, Stopped> {
        let mut next = self.fire_one(state, step, context, events)?;
        // In the middle of a block there is one way on only where the block was cut.
        let mut taken = 0;
        if state.exclusive.is_some() {
            let (enabled, faults) = self.steps_of_one(state, step.thread, EvalContext::default());
            if enabled.len() + faults.len() == 1 {
                taken = MAX_MICRO_STEPS;
            }
        }
        while self.inside_atomic(&next, step.thread) {
            match self.steps_of_one(&next, step.thread, EvalContext::default()) {
                (enabled, faults) if enabled.is_empty() && faults.is_empty() => break,
                (enabled, faults) if enabled.len() == 1 && faults.is_empty() && taken < MAX_MICRO_STEPS => {
                    let mut soft_fault = next.soft_fault.0.take();
                    next = self.fire_one(&next, enabled[0], EvalContext::default(), events)?;
                    if let Some(later) = next.soft_fault.0.take() {
                        note(&mut soft_fault, later);
                    }
                    next.soft_fault.0 = soft_fault;
                    taken += 1;
                }
                _ => {
                    next.exclusive = Some(step.thread);
                    break;
                }
            }
        }
        next.serials.0.steps = state.serials.0.steps + 1;
        if self.program.memory.leaks() == Leaks::Off {
            collect(&mut next);
            return Ok(next);
        }
        let whole = next.clone();
        let lost = collect(&mut next);
        if let Some(leak) = self.leak(step, &whole, &next, lost.into_keys()) {
            next.soft_fault.0 = Some(leak);
        }
        Ok(next)
    }

    pub(crate) fn inside_atomic(&self, state: &State, thread: u32) -> bool {
        let frames = state.threads.get(&thread).map_or(&[][..], |thread| &thread.frames);
        frames.iter().any(|frame| self.program.locations[frame.location].atomic)
    }

    /// Whether all invariants hold. If not, the first one that is violated or faults counts; if there is
    /// none, the first one whose evaluation leads out of bounds.
    pub fn check(&self, state: &State) -> Result<(), Stopped> {
        if state.exclusive.is_some() {
            return Ok(());
        }
        let Self { program, bounds, alarm, .. } = *self;
        let (scope, context) = (Scope::Program, EvalContext::default());
        let mut unevaluated = Ok(());
        for invariant in &program.invariants {
            let thread = None;
            let eval =
                Eval { program, bounds, state, thread, variables: &[], scope, calls: 0, context, alarm };
            let end = match eval.bool(&invariant.expr) {
                Ok(true) => continue,
                Ok(false) => {
                    let message = format!("`{}` does not hold", invariant.name);
                    let fault = NaiveFault::new(FaultKind::Invariant, invariant.span, message);
                    Stopped::Fault(NaiveFault { parts: eval.parts(&invariant.expr), ..fault })
                }
                Err(stop) => stop.stopped(bounds, self.on_bound),
            };
            match end {
                Stopped::Truncated(_) => unevaluated = unevaluated.and(Err(end)),
                _ => return Err(end),
            }
        }
        unevaluated
    }

    /// Which propositions of a property hold, a bit each.
    pub fn valuation(&self, state: &State, property: &Property) -> Result<u64, Stopped> {
        self.valuation_about(state, property, None)
    }

    /// The propositions that hold of a property [of each thread of a procedure](ir::Property::each), for this
    /// thread.
    pub fn valuation_about(
        &self,
        state: &State,
        property: &Property,
        thread: Option<u32>,
    ) -> Result<u64, Stopped> {
        let Self { program, bounds, alarm, .. } = *self;
        let (scope, context) = (Scope::Program, EvalContext::default());
        let eval = Eval { program, bounds, state, thread, variables: &[], scope, calls: 0, context, alarm };
        let mut valuation = 0;
        for (bit, prop) in property.props.iter().enumerate() {
            let holds = eval.bool(&prop.expr).map_err(|stop| stop.stopped(bounds, self.on_bound))?;
            valuation |= u64::from(holds) << bit;
        }
        Ok(valuation)
    }

    /// Whether no thread can step, no guard faults, and the state is not a proper end.
    pub fn deadlocked(&self, state: &State) -> bool {
        let (enabled, faults) = self.steps(state);
        enabled.is_empty() && faults.is_empty() && !self.ended(state)
    }

    /// Whether a state without steps is a proper end: all threads have ended or may stay where they are, and
    /// so may the monitor.
    pub fn ended(&self, state: &State) -> bool {
        let monitor = self.program.monitor.as_ref();
        state.threads.values().all(Thread::ended)
            || self.unfinished(state).is_empty()
                && monitor.is_none_or(|monitor| monitor.states[state.monitor as usize].end)
    }

    /// The threads that have neither ended nor may stay where they are.
    pub fn unfinished(&self, state: &State) -> Vec<u32> {
        let threads = state.threads.keys().copied();
        let stays = |thread| location(state, thread).is_none_or(|here| self.program.locations[here].end);
        threads.filter(|&thread| !stays(thread)).collect()
    }

    /// All transitions of a thread that can be taken, whatever their ranks.
    pub(crate) fn steps_of(&self, state: &State, thread: u32, context: EvalContext) -> Steps {
        let (mut enabled, mut faults) = (Vec::new(), Vec::new());
        let Some(location) = location(state, thread) else { return (enabled, faults) };
        for &id in &self.program.locations[location].transitions {
            let step = |choice| Step { thread, transition: id.0, choice };
            match self.attempt(state, thread, id, context) {
                Attempt::Disabled => {}
                Attempt::Fault(fault) => faults.push((step(0), fault)),
                Attempt::Enabled(choices) => enabled.extend(choices.into_iter().map(step)),
            }
        }
        (enabled, faults)
    }

    fn attempt(&self, state: &State, thread: u32, id: TransitionId, context: EvalContext) -> Attempt {
        let transition = &self.program.transitions[id];
        match &transition.guard {
            Guard::Always => {}
            Guard::When(_) | Guard::Ready(_) => match self.holds(state, thread, &transition.guard, context) {
                Ok(true) => {}
                Ok(false) => return Attempt::Disabled,
                Err(stop) => {
                    return match stop.stopped(self.bounds, self.on_bound) {
                        Stopped::Fault(fault) => Attempt::Fault(fault),
                        // The step exists, and firing it leads out of bounds.
                        Stopped::Truncated(_) => Attempt::Enabled(vec![0]),
                        Stopped::NotEnabled | Stopped::Abandoned => Attempt::Disabled,
                    };
                }
            },
            Guard::Else => {
                let others = &self.program.locations[transition.source].transitions;
                let disabled = |&other: &TransitionId| {
                    other == id
                        || self.program.transitions[other].rank > transition.rank
                        || matches!(self.attempt(state, thread, other, context), Attempt::Disabled)
                };
                if !others.iter().all(disabled) {
                    return Attempt::Disabled;
                }
            }
        }
        if let Some(ActionKind::Send { .. } | ActionKind::Receive { .. }) =
            transition.body.first().map(|action| &action.kind)
        {
            let machine = Machine::new(self, state.clone(), thread, context);
            if let Err(Stop::Fault(fault)) = machine.opening(&transition.body) {
                return Attempt::Fault(fault);
            }
        }
        match self.choices(state, thread, id, context) {
            choices if choices.is_empty() => Attempt::Disabled,
            choices => Attempt::Enabled(choices),
        }
    }

    /// Whether a guard that asks something of the state holds.
    fn holds(&self, state: &State, thread: u32, guard: &Guard, context: EvalContext) -> Result<bool, Stop> {
        match guard {
            Guard::When(condition) => self.evaluator(state, thread, context).bool(condition),
            Guard::Ready(inner) => {
                Ok(Machine::new(self, state.clone(), thread, context).first(*inner)?.is_some())
            }
            Guard::Always | Guard::Else => Ok(true),
        }
    }

    /// The choices with which the body meets no obstacle, ascending.
    fn choices(&self, state: &State, thread: u32, id: TransitionId, context: EvalContext) -> Vec<u32> {
        let mut found = Vec::new();
        let mut prefix = Vec::new();
        loop {
            let mut met: Vec<(u32, u32)> = Vec::new();
            let mut machine = Machine::new(self, state.clone(), thread, context);
            let outcome = machine.run(id, &mut |alternatives| {
                let digit = prefix.get(met.len()).copied().unwrap_or(0);
                met.push((digit, alternatives));
                digit
            });
            let ways = met.iter().fold(1_u64, |ways, &(_, radix)| ways.saturating_mul(radix.into()));
            if ways > MAX_CHOICES {
                return vec![TOO_MANY_CHOICES];
            }
            if let Err(Stop::Abandoned) = outcome {
                return Vec::new();
            }
            if !matches!(outcome, Err(Stop::Blocked)) {
                let number = |rest: u32, &(digit, radix): &(u32, u32)| radix * rest + digit;
                found.push(met.iter().rev().fold(0, number));
            }
            // The next resolution in depth-first order, if there is one.
            while met.pop_if(|&mut (digit, radix)| digit + 1 == radix).is_some() {}
            let Some((last, _)) = met.last_mut() else { break };
            *last += 1;
            prefix = met.iter().map(|&(digit, _)| digit).collect();
        }
        found.sort_unstable();
        found
    }

    /// One transition, without what follows in an atomic block, and without collecting garbage.
    pub(crate) fn micro_step(
        &self,
        state: &State,
        step: Step,
        context: EvalContext,
        events: &mut Option<Events>,
    ) -> Result<Machine<'_>, Stopped> {
        let id = TransitionId(step.transition);
        let here = location(state, step.thread).ok_or(Stopped::NotEnabled)?;
        if state.exclusive.is_some_and(|exclusive| exclusive != step.thread)
            || !self.program.locations[here].transitions.contains(&id)
        {
            return Err(Stopped::NotEnabled);
        }
        match &self.program.transitions[id].guard {
            Guard::Always => {}
            guard @ (Guard::When(_) | Guard::Ready(_)) => self.guard(state, step, guard, context)?,
            Guard::Else => {
                if matches!(self.attempt(state, step.thread, id, context), Attempt::Disabled) {
                    return Err(Stopped::NotEnabled);
                }
            }
        }
        if step.choice == TOO_MANY_CHOICES {
            return Err(if self.choices(state, step.thread, id, context) != [TOO_MANY_CHOICES] {
                Stopped::NotEnabled
            } else if self.on_bound == OnBound::Truncate {
                Stopped::Truncated(Bound::Threads)
            } else {
                let (kind, span) = (FaultKind::Bound(Bound::Threads), self.program.transitions[id].span);
                let message = format!("more than {MAX_CHOICES} ways to choose");
                Stopped::Fault(NaiveFault::new(kind, span, message))
            });
        }
        let mut rest = step.choice;
        let mut machine = Machine::new(self, state.clone(), step.thread, context);
        machine.events = events.take();
        let outcome = machine.run(id, &mut |alternatives| {
            let digit = rest % alternatives;
            rest /= alternatives;
            digit
        });
        *events = machine.events.take();
        if let Some(events) = events {
            events.partner = events.partner.or(machine.partner);
        }
        if rest != 0 {
            return Err(Stopped::NotEnabled);
        }
        outcome.map_err(|stop| stop.stopped(self.bounds, self.on_bound))?;
        Ok(machine)
    }

    fn guard(&self, state: &State, step: Step, guard: &Guard, context: EvalContext) -> Result<(), Stopped> {
        match self.holds(state, step.thread, guard, context) {
            Ok(true) => Ok(()),
            // What faults before any choice point has the one choice 0.
            Err(stop) if step.choice == 0 => Err(stop.stopped(self.bounds, self.on_bound)),
            Ok(false) | Err(_) => Err(Stopped::NotEnabled),
        }
    }
}

/// Where a thread is, unless it has ended or does not exist.
pub(crate) fn location(state: &State, thread: u32) -> Option<LocationId> {
    state.threads.get(&thread)?.frames.last().map(|frame| frame.location)
}
