//! The initial state, and whose steps count: timeouts, priorities, ranks, conditions, exclusive threads,
//! and fused locations.

use std::collections::BTreeMap;

use ir::{Action, Guard, LocationId, MAX_FUSED_STEPS, TransitionId};
use system::{Bound, FaultKind, Step};

use crate::eval::initial_value;
use crate::fault::Stop;
use crate::machine::{Machine, add_channels, add_thread};
use crate::state::Untracked;
use crate::steps::{EvalContext, Steps, location};
use crate::value::Value;
use crate::{Events, Naive, NaiveFault, State, Stopped};

impl Naive<'_> {
    /// The initial state. The bound on threads does not apply to those that are active from the start.
    pub fn initial(&self) -> State {
        let program = self.program;
        let mut state = State {
            globals: Vec::new(),
            threads: BTreeMap::new(),
            objects: BTreeMap::new(),
            channels: BTreeMap::new(),
            exclusive: None,
            last: program.features.remembers_last.then_some(0),
            monitor: 0,
            untracked: Untracked::default(),
            soft_fault: Untracked::default(),
            serials: Untracked::default(),
        };
        for (id, global) in program.globals.iter() {
            let value = initial_value(program, global);
            if global.untracked {
                state.untracked.0.insert(id, value);
                state.globals.push(Value::Null);
            } else {
                state.globals.push(value);
            }
        }
        add_channels(&mut state, &program.first_channels, None);
        let mut state = self.prepared(state, 0, &program.prologue);
        for (id, &procedure) in program.active.iter().enumerate() {
            let frame = self.frame(procedure, Vec::new(), &[]);
            let frame = frame.unwrap_or_else(|_| unreachable!("default values are not out of range"));
            let (id, priority) = (id as u32, program.procedures[procedure].priority);
            add_thread(program, &mut state, id, procedure, priority, frame);
            state = self.prepared(state, id, &program.procedures[procedure].prologue);
        }
        state
    }

    /// The state after a prologue of the initial state. A fault there is a soft fault of that state.
    fn prepared(&self, state: State, thread: u32, prologue: &[Action]) -> State {
        let soft_fault = state.soft_fault.0.clone();
        let mut machine = Machine::new(self, state, thread, EvalContext::default());
        let end = prologue.iter().try_for_each(|action| machine.action(action, &mut |_| 0).map(|_| ()));
        let fault = match end {
            Err(Stop::Fault(fault)) => Some(fault),
            _ => None,
        };
        machine.state.soft_fault = Untracked(soft_fault.or(fault));
        machine.state
    }

    /// Whether an exclusive thread goes on from here: the state is the middle of something.
    pub fn is_transient(&self, state: &State) -> bool {
        state.exclusive.is_some_and(|thread| !self.inside_atomic(state, thread))
    }

    /// The steps of a state, and in which context they are. Only where ids of threads are observable is there
    /// another context.
    pub(crate) fn steps_in_context(&self, state: &State) -> (EvalContext, Steps) {
        let calm = self.steps_in(state, EvalContext::default());
        if !calm.0.is_empty() || !calm.1.is_empty() || !self.program.features.thread_ids_observable {
            return (EvalContext::default(), calm);
        }
        let timeout = EvalContext { timeout: true, ..EvalContext::default() };
        (timeout, self.steps_in(state, timeout))
    }

    /// The steps of the threads with the greatest priority, or of the exclusive thread only.
    fn steps_in(&self, state: &State, context: EvalContext) -> Steps {
        // Without observable ids there are no priorities.
        let alone = state.exclusive.filter(|_| !self.program.features.thread_ids_observable);
        let threads = state.threads.iter().filter(|&(&id, _)| alone.is_none_or(|alone| alone == id));
        let each = threads.map(|(&id, thread)| (id, thread.priority, self.able(state, id, context)));
        let able: Vec<_> = each.filter(|(_, _, own)| !own.0.is_empty() || !own.1.is_empty()).collect();
        let greatest = able.iter().map(|&(_, priority, _)| priority).max();
        let (mut enabled, mut faults) = (Vec::new(), Vec::new());
        for (thread, priority, own) in able {
            if Some(priority) == greatest && state.exclusive.is_none_or(|exclusive| exclusive == thread) {
                enabled.extend(own.0);
                faults.extend(own.1);
            }
        }
        (enabled, faults)
    }

    /// The steps of a thread as if there were no priorities: those of the least rank.
    pub(crate) fn able(&self, state: &State, thread: u32, context: EvalContext) -> Steps {
        match self.is_provided(state, thread, context) {
            Ok(true) => {}
            Ok(false) => return Steps::default(),
            Err(fault) => {
                // It is as if all guards were that fault: the first transition stands for all.
                let here = location(state, thread).map(|here| &self.program.locations[here].transitions);
                let first = here.and_then(|transitions| transitions.first());
                let step = first.map(|id| Step { thread, transition: id.0, choice: 0 });
                return (Vec::new(), step.map(|step| (step, fault)).into_iter().collect());
            }
        }
        self.steps_at(state, thread, context)
    }

    /// The steps of a thread where it is, whether it may step or not: those of the least rank.
    pub(crate) fn steps_at(&self, state: &State, thread: u32, context: EvalContext) -> Steps {
        let (mut enabled, mut faults) = self.steps_of(state, thread, context);
        let rank = |step: &Step| self.program.transitions[TransitionId(step.transition)].rank;
        let least = enabled.iter().chain(faults.iter().map(|(step, _)| step)).map(rank).min();
        enabled.retain(|step| Some(rank(step)) == least);
        faults.retain(|(step, _)| Some(rank(step)) == least);
        (enabled, faults)
    }

    /// Whether the condition of a thread's procedure holds.
    pub(crate) fn is_provided(
        &self,
        state: &State,
        thread: u32,
        context: EvalContext,
    ) -> Result<bool, NaiveFault> {
        let Some(here) = location(state, thread) else { return Ok(false) };
        let procedure = self.program.locations[here].procedure;
        let Some(provided) = &self.program.procedures[procedure].provided else { return Ok(true) };
        match self.evaluator(state, thread, context).bool(provided) {
            Ok(holds) => Ok(holds),
            Err(Stop::Fault(fault)) => Err(fault),
            Err(Stop::Exceeded(bound, span)) => Err(crate::fault::exceeded(bound, span, self.bounds)),
            Err(Stop::Abandoned) => Ok(false),
            Err(Stop::Blocked) => unreachable!("expressions do not block"),
        }
    }

    /// The steps of one thread, by its priority among others.
    pub(crate) fn steps_of_one(&self, state: &State, thread: u32, context: EvalContext) -> Steps {
        if !self.program.features.thread_ids_observable {
            return self.able(state, thread, context);
        }
        let (mut enabled, mut faults) = self.steps_in(state, context);
        enabled.retain(|step| step.thread == thread);
        faults.retain(|(step, _)| step.thread == thread);
        (enabled, faults)
    }

    /// In which context a step is one of the state, as far as other transitions and threads are concerned.
    pub(crate) fn context_of(&self, state: &State, step: Step) -> Result<EvalContext, Stopped> {
        let (context, (enabled, faults)) = if self.program.features.thread_ids_observable {
            self.steps_in_context(state)
        } else if self.depends_on_others(state, step.thread) {
            (EvalContext::default(), self.able(state, step.thread, EvalContext::default()))
        } else {
            return Ok(EvalContext::default());
        };
        if let Some((_, fault)) = faults.into_iter().find(|(other, _)| *other == step) {
            return Err(Stopped::Fault(fault));
        }
        if enabled.contains(&step) { Ok(context) } else { Err(Stopped::NotEnabled) }
    }

    /// Whether a transition of a thread may be disabled by others of the location, or by the condition of the
    /// procedure.
    fn depends_on_others(&self, state: &State, thread: u32) -> bool {
        location(state, thread).is_some_and(|here| {
            let here = &self.program.locations[here];
            self.program.procedures[here.procedure].provided.is_some()
                || here.transitions.iter().any(|&id| self.program.transitions[id].rank != 0)
        })
    }

    /// Takes one transition, with the partner of a rendezvous and through fused locations. Its thread becomes
    /// exclusive if the last transition is.
    pub(crate) fn fire_one(
        &self,
        state: &State,
        step: Step,
        context: EvalContext,
        events: &mut Option<Events>,
    ) -> Result<State, Stopped> {
        let machine = self.micro_step(state, step, context, events)?;
        let mover = machine.partner.map_or(step.thread, |(partner, _)| partner);
        let last = machine.last.unwrap_or(TransitionId(step.transition));
        let mut next = machine.state;
        next.soft_fault = Untracked(machine.soft_fault);
        next.last = state.last.map(|_| mover);
        next.exclusive = None;
        if self.program.transitions[last].exclusive {
            let (enabled, faults) = self.steps_of_one(&next, mover, EvalContext::default());
            next.exclusive = (!enabled.is_empty() || !faults.is_empty()).then_some(mover);
        }
        Ok(next)
    }
}

impl Machine<'_> {
    /// Goes on as long as the thread is at a fused location.
    pub fn pass_fused(&mut self) -> Result<(), Stop> {
        let program = self.program();
        let mut taken = 0;
        while let Some(id) = self.here().filter(|&id| program.locations[id].fused) {
            let span = program.locations[id].span;
            if taken == MAX_FUSED_STEPS {
                return Err(Stop::Exceeded(Bound::Frames, span));
            }
            let Some(next) = self.first(id)? else {
                let message = "nothing is possible here, in the middle of a step";
                return Err(Stop::fault(FaultKind::InnerBlock, span, message));
            };
            self.may_meet = false;
            self.transition(next, 0, &mut |_| 0)?;
            taken += 1;
        }
        Ok(())
    }

    /// The first transition of a fused location that is enabled; an `else` comes last.
    pub fn first(&self, location: LocationId) -> Result<Option<TransitionId>, Stop> {
        let program = self.program();
        let is_else = |id: TransitionId| program.transitions[id].guard == Guard::Else;
        let transitions = &program.locations[location].transitions;
        let (last, first): (Vec<_>, Vec<_>) = transitions.iter().copied().partition(|&id| is_else(id));
        for id in first.into_iter().chain(last) {
            let holds = match &program.transitions[id].guard {
                Guard::Always | Guard::Else => true,
                Guard::When(guard) => self.evaluator().bool(guard)?,
                Guard::Ready(location) => self.first(*location)?.is_some(),
            };
            if !holds {
                continue;
            }
            self.opening(&program.transitions[id].body)?;
            let mut trial = Self { may_meet: false, events: None, ..self.clone() };
            if !matches!(trial.transition(id, 0, &mut |_| 0), Err(Stop::Blocked)) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }
}
