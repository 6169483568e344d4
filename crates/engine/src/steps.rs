//! Which steps a state has: guards, ranks, choice points, fused locations, priorities, timeouts.
//!
//! Most is found by looking at the state. Only bodies that choose, or may be blocked after they have done
//! something, are tried out.

use ir::{ChannelId, Id, LocationId, Program};
use state::{Slot, State, ThreadId};
use system::{Step, Steps};

use crate::code::{GuardCode, Opening, Operand, TransitionCode};
use crate::eval::{EvalContext, Stack, burn};
use crate::locations::LocationCode;
use crate::machine::{Mode, Stop};
use crate::{Engine, EngineState};

impl Engine {
    /// Adds the steps of a state.
    pub(crate) fn state_steps(&self, es: &mut EngineState, out: &mut Steps) {
        if let Some(slot) = self.layout.exclusive
            && let Some(thread) = ThreadId::from_raw(es.state.read(0, slot))
        {
            if es.has_next {
                out.enabled.extend_from_slice(&es.next.enabled);
                out.faults.extend_from_slice(&es.next.faults);
            } else {
                self.offer(es, thread, out);
            }
            return;
        }
        self.all_steps(es, out);
        if self.has_timeout && out.is_empty() {
            es.stack.context.timeout = true;
            self.all_steps(es, out);
            es.stack.context.timeout = false;
        }
    }

    pub(crate) fn all_steps(&self, es: &mut EngineState, out: &mut Steps) {
        for thread in (0..es.state.thread_limit()).map(ThreadId) {
            if es.state.is_running(thread) {
                self.offer(es, thread, out);
            }
        }
    }

    /// Adds the steps of a thread, unless one of greater priority has any.
    pub(crate) fn offer(&self, es: &mut EngineState, thread: ThreadId, out: &mut Steps) {
        let before = (out.enabled.len(), out.faults.len());
        self.own_steps(es, thread, out);
        if let Some(slot) = self.layout.priority
            && before != (out.enabled.len(), out.faults.len())
            && self.is_outranked(es, thread, slot)
        {
            out.enabled.truncate(before.0);
            out.faults.truncate(before.1);
        }
    }

    /// Whether a thread of greater priority has steps.
    fn is_outranked(&self, es: &mut EngineState, thread: ThreadId, slot: Slot) -> bool {
        let priority = |state: &State, thread: ThreadId| state.read(state.thread(thread), slot);
        let own = priority(&es.state, thread);
        let mut steps = Steps::default();
        (0..es.state.thread_limit()).map(ThreadId).any(|other| {
            es.state.is_running(other) && priority(&es.state, other) > own && {
                self.own_steps(es, other, &mut steps);
                !steps.is_empty()
            }
        })
    }

    /// Whether a thread can step where it is, regardless of priorities and of the condition of its procedure.
    /// In programs that read this, no body chooses or waits.
    pub(crate) fn is_enabled(&self, state: &State, context: EvalContext, thread: ThreadId) -> bool {
        let mut stack = Stack::with_context(context);
        let frame = state.frame(thread);
        self.location_at(state, frame).groups.iter().any(|group| {
            let mut can_be_taken = |&id: &u32| match self.ways(state, &mut stack, thread, frame, id) {
                Ok(ways) => ways > 0,
                Err(Stop::Fault(_) | Stop::Truncated(_)) => true,
                Err(Stop::Blocked | Stop::Abandoned) => false,
            };
            group.transitions.iter().any(&mut can_be_taken) || group.otherwise.is_some()
        })
    }

    /// Whether the condition of its procedure lets a thread step.
    pub(crate) fn is_provided(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        location: usize,
    ) -> Result<bool, Stop> {
        let procedure = self.layout.procedure_of[LocationId(location as u32)];
        match self.code.provided[procedure.index()] {
            Some(provided) => Ok(self.value_of(state, stack, thread, frame, provided)? != 0),
            None => Ok(true),
        }
    }

    pub(crate) fn value_of(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        operand: Operand,
    ) -> Result<i64, Stop> {
        match operand.load {
            Some(_) => self.operand(state, stack.context, thread, frame, operand),
            None => self.value(state, stack, thread, frame, operand.pc),
        }
    }

    /// Adds the steps of a thread, regardless of priorities.
    #[inline]
    pub(crate) fn own_steps(&self, es: &mut EngineState, thread: ThreadId, out: &mut Steps) {
        if self.has_conditions && !self.may_step(es, thread, out) {
            return;
        }
        let frame = es.state.frame(thread);
        let before = out.enabled.len() + out.faults.len();
        for group in &self.location_at(&es.state, frame).groups {
            for &id in &group.transitions {
                self.add_steps(es, thread, frame, id, out);
            }
            if let Some(id) = group.otherwise
                && out.enabled.len() + out.faults.len() == before
                && !out.is_abandoned
            {
                self.add_steps(es, thread, frame, id, out);
            }
            if out.enabled.len() + out.faults.len() > before {
                return;
            }
        }
    }

    /// Whether the condition of its procedure lets a thread step. If the condition faults, the fault is
    /// added.
    fn may_step(&self, es: &mut EngineState, thread: ThreadId, out: &mut Steps) -> bool {
        let frame = es.state.frame(thread);
        let location = es.state.read(frame, self.layout.location) as usize;
        match self.is_provided(&es.state, &mut es.stack, thread, frame, location) {
            Ok(may_step) => may_step,
            Err(Stop::Fault(fault)) => {
                // The effect is that of a fault of all guards: the first transition stands for all.
                let step = |transition| Step { thread: thread.0, transition, choice: 0 };
                out.faults.extend(self.locations[location].first.map(step).map(|step| (step, fault)));
                false
            }
            Err(_) => false,
        }
    }

    /// Adds the steps by a transition; if it is an `else`, no other is enabled.
    #[inline]
    pub(crate) fn add_steps(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        frame: usize,
        id: u32,
        out: &mut Steps,
    ) {
        let step = Step { thread: thread.0, transition: id, choice: 0 };
        let TransitionCode { guard, opening, obstacle, trial, .. } = self.code.transitions[id as usize];
        // Most transitions are enabled if a few tests succeed.
        if let (Opening::Other, None, false) = (opening, obstacle, trial) {
            let holds = match guard {
                GuardCode::Always | GuardCode::Else => Some(true),
                GuardCode::When(_, tests) => self.decide(&es.state, thread, frame, tests),
                GuardCode::Ready(_) => None,
            };
            if let Some(holds) = holds {
                if holds {
                    out.enabled.push(step);
                }
                return;
            }
        }
        let ways = match self.ways(&es.state, &mut es.stack, thread, frame, id) {
            Ok(ways) => ways,
            Err(Stop::Fault(fault)) => return out.faults.push((step, fault)),
            // Firing exceeds the bound again.
            Err(Stop::Truncated(_)) => return out.enabled.push(step),
            Err(Stop::Abandoned) => return out.is_abandoned = true,
            Err(Stop::Blocked) => return,
        };
        if ways == 0 {
            return;
        }
        if let Some(pc) = obstacle {
            match self.value(&es.state, &mut es.stack, thread, frame, pc) {
                Ok(0) => return,
                Err(Stop::Abandoned) => return out.is_abandoned = true,
                // Firing meets the fault or the bound again.
                Err(_) => return out.enabled.push(step),
                Ok(_) => {}
            }
        }
        if trial {
            self.trial_steps(es, step, out);
        } else {
            out.enabled.extend((0..ways).map(|choice| Step { choice, ..step }));
        }
    }

    /// Tries out all resolutions of the choice points of a body. They may differ in the choice points that
    /// follow, and in whether the body is blocked.
    fn trial_steps(&self, es: &mut EngineState, mut step: Step, out: &mut Steps) {
        let body = self.code.transitions[step.transition as usize].body;
        let first = out.enabled.len();
        es.choices.begin();
        loop {
            es.choices.clear();
            es.state.mark();
            let end = burn(&mut es.stack.fuel)
                .and_then(|()| self.run(es, ThreadId(step.thread), body, step.choice, Mode::Trial));
            es.state.undo();
            if end == Err(Stop::Abandoned) {
                out.is_abandoned = true;
                return;
            }
            let points = &es.choices.points;
            let ways = points.iter().fold(1_u64, |ways, point| ways.saturating_mul(point.ways.into()));
            if ways > ir::MAX_CHOICES {
                out.enabled.truncate(first);
                return out.enabled.push(Step { choice: ir::TOO_MANY_CHOICES, ..step });
            }
            if end != Err(Stop::Blocked) {
                let times = points.iter().map(|point| point.times as usize).product();
                out.enabled.extend(std::iter::repeat_n(step, times));
            }
            // The next combination: the last digit that can grow does, and those after it start over.
            let mut weight = 1;
            let mut next = None;
            for point in points {
                if point.next < point.ways {
                    next = Some(step.choice % weight + weight * point.next);
                }
                weight *= point.ways;
            }
            match next {
                Some(choice) => step.choice = choice,
                None => return,
            }
        }
    }

    /// The number of ways in which a transition can be taken: more than one for a rendezvous only.
    #[inline]
    fn ways(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        id: u32,
    ) -> Result<u32, Stop> {
        let TransitionCode { guard, opening, .. } = self.code.transitions[id as usize];
        match guard {
            GuardCode::Always | GuardCode::Else => {}
            GuardCode::When(pc, tests) => {
                let holds = match self.decide(state, thread, frame, tests) {
                    Some(holds) => holds,
                    None => self.value(state, stack, thread, frame, pc)? != 0,
                };
                if !holds {
                    return Ok(0);
                }
            }
            GuardCode::Ready(location) => {
                return Ok(self.first_fused(state, stack, thread, frame, location)?.is_some().into());
            }
        }
        match opening {
            Opening::Other => Ok(1),
            Opening::Send(send) => {
                let send = &self.code.sends[send as usize];
                let mut message = std::mem::take(&mut stack.message);
                let channel = self.evaluate_send(state, stack.context, thread, send, &mut message);
                let ways = channel.and_then(|channel| {
                    Ok(if !channel.has_room(state, &message, send.channel.pc as usize)? {
                        0
                    } else if channel.shape.capacity > 0 || self.fused_transitions[id as usize] {
                        // In the middle of a step there is no partner: firing is a fault.
                        1
                    } else {
                        Self::admit_message(channel, &mut message);
                        let mut count = 0;
                        self.partners(state, stack, thread, channel, &message, &mut |_| {
                            count += 1;
                            false
                        });
                        count
                    })
                });
                stack.message = message;
                ways
            }
            Opening::Receive(receive) => {
                let receive = &self.code.receives[receive as usize];
                Ok(self.receivable(state, stack.context, thread, frame, receive)?.is_some().into())
            }
        }
    }

    /// The first transition of a fused location that is enabled.
    pub(crate) fn first_fused(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        location: u32,
    ) -> Result<Option<u32>, Stop> {
        let LocationCode { transitions, otherwise, .. } = &self.locations[location as usize];
        for &id in transitions {
            if self.ways(state, stack, thread, frame, id)? > 0 {
                return Ok(Some(id));
            }
        }
        Ok(*otherwise)
    }

    /// Whether all threads have ended or are at end locations, and the monitor is in an end state.
    pub(crate) fn has_ended(&self, state: &State) -> bool {
        let mut running =
            (0..state.thread_limit()).map(ThreadId).filter(|&thread| state.is_running(thread)).peekable();
        let monitored = || match (&self.code.monitor, self.layout.monitor) {
            (Some(monitor), Some(slot)) => monitor.ends[state.read(0, slot) as usize],
            _ => true,
        };
        let at_end = |thread| self.location_at(state, state.frame(thread)).is_end;
        running.peek().is_none() || monitored() && running.all(at_end)
    }
}

/// The channels of each procedure.
pub fn channels_of(program: &Program) -> Vec<Vec<ChannelId>> {
    program.procedures.values().map(|procedure| procedure.channels.clone()).collect()
}

/// By transition: whether it leads to or leaves from a fused location, where there is no partner for a
/// rendezvous.
pub fn fused_transitions(program: &Program) -> Vec<bool> {
    let is_fused = |location: LocationId| program.locations[location].fused;
    let leads = |transition: &ir::Transition| match transition.exit {
        ir::Exit::Jump(ir::Jump::Goto(target)) => is_fused(target),
        _ => false,
    };
    program.transitions.values().map(|transition| is_fused(transition.source) || leads(transition)).collect()
}

/// Whether `timeout` is read in the middle of a step.
pub fn bodies_ask_for_timeout(program: &Program) -> bool {
    let mut asked = false;
    let mut look = |expr: &ir::Expr| expr.each(&mut |expr| asked |= expr.kind == ir::ExprKind::Timeout);
    // The condition of a partner's procedure is evaluated during the rendezvous.
    program.procedures.values().filter_map(|procedure| procedure.provided.as_ref()).for_each(&mut look);
    for transition in program.transitions.values() {
        transition.body.iter().flat_map(ir::Action::operands).for_each(&mut look);
        if let ir::Guard::When(guard) = &transition.guard
            && program.locations[transition.source].fused
        {
            look(guard);
        }
    }
    asked
}
