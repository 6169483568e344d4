//! Which steps a state has, and what becomes of them: guards, ranks, choice points, messages, rendezvous,
//! inner locations, priorities, timeouts, monitors.
//!
//! Most is found by looking at the state. Only bodies that choose, or may meet an obstacle after they have
//! done something, are tried out.

use ir::{ChannelId, Id, LocationId, Program};
use state::{NodeRef, ObjectId, Slot, State, ThreadId};
use system::{Bound, Fault, FaultKind, Step, Steps};

use crate::channels::Channel;
use crate::code::{
    ClaimCode, EventCode, GuardCode, Opening, Operand, PatternCode, Pc, ReceiveCode, SendCode, TransitionCode,
};
use crate::eval::{EvalContext, Stack, burn, fault};
use crate::locations::LocationCode;
use crate::machine::{Mode, Stop};
use crate::{Engine, EngineState};

/// Who receives what a rendezvous sends.
#[derive(Clone, Copy)]
struct Partner {
    thread: ThreadId,
    transition: u32,
}

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
            es.stack.mood.timeout = true;
            self.all_steps(es, out);
            es.stack.mood.timeout = false;
        }
    }

    fn all_steps(&self, es: &mut EngineState, out: &mut Steps) {
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

    /// Whether a thread can step where it is, priorities and the condition of its procedure aside. No body
    /// chooses or waits in programs that ask for this.
    pub(crate) fn is_enabled(&self, state: &State, mood: EvalContext, thread: ThreadId) -> bool {
        let mut stack = Stack::in_mood(mood);
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

    /// Whether a thread at a location may step at all.
    fn is_provided(
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

    fn value_of(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        operand: Operand,
    ) -> Result<i64, Stop> {
        match operand.load {
            Some(_) => self.operand(state, stack.mood, thread, frame, operand),
            None => self.value(state, stack, thread, frame, operand.pc),
        }
    }

    /// Adds the steps of a thread, priorities aside.
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

    /// Whether the condition under which a thread may step holds. If it faults, that is added.
    fn may_step(&self, es: &mut EngineState, thread: ThreadId, out: &mut Steps) -> bool {
        let frame = es.state.frame(thread);
        let location = es.state.read(frame, self.layout.location) as usize;
        match self.is_provided(&es.state, &mut es.stack, thread, frame, location) {
            Ok(may_step) => may_step,
            Err(Stop::Fault(fault)) => {
                // It is as if all guards faulted: the first transition stands for all.
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
        let ways = match self.ways(&es.state, &mut es.stack, thread, frame, id) {
            Ok(ways) => ways,
            Err(Stop::Fault(fault)) => return out.faults.push((step, fault)),
            // Firing finds out again.
            Err(Stop::Truncated(_)) => return out.enabled.push(step),
            Err(Stop::Abandoned) => return out.is_abandoned = true,
            Err(Stop::Blocked) => return,
        };
        if ways == 0 {
            return;
        }
        let TransitionCode { obstacle, trial, .. } = self.code.transitions[id as usize];
        if let Some(pc) = obstacle {
            match self.value(&es.state, &mut es.stack, thread, frame, pc) {
                Ok(0) => return,
                Err(Stop::Abandoned) => return out.is_abandoned = true,
                // Firing finds out again.
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

    /// Tries out all resolutions of the choice points of a body, which may differ in what choices follow and
    /// in whether an obstacle comes.
    fn trial_steps(&self, es: &mut EngineState, mut step: Step, out: &mut Steps) {
        let body = self.code.transitions[step.transition as usize].body;
        let first = out.enabled.len();
        loop {
            es.radices.clear();
            es.state.mark();
            let end = burn(&mut es.stack.fuel)
                .and_then(|()| self.run(es, ThreadId(step.thread), body, step.choice, Mode::Trial));
            es.state.undo();
            if end == Err(Stop::Abandoned) {
                out.is_abandoned = true;
                return;
            }
            let ways = es.radices.iter().fold(1_u64, |ways, &radix| ways.saturating_mul(radix.into()));
            if ways > ir::MAX_CHOICES {
                out.enabled.truncate(first);
                return out.enabled.push(Step { choice: ir::TOO_MANY_CHOICES, ..step });
            }
            if end != Err(Stop::Blocked) {
                out.enabled.push(step);
            }
            // The next combination: the last digit that can grow does, and those after it start over.
            let mut digits = step.choice;
            let mut weight = 1;
            let mut next = None;
            for &radix in &es.radices {
                let digit = digits % radix;
                digits /= radix;
                if digit + 1 < radix {
                    next = Some(step.choice % weight + weight * (digit + 1));
                }
                weight *= radix;
            }
            match next {
                Some(choice) => step.choice = choice,
                None => return,
            }
        }
    }
    /// In how many ways a transition can be taken: more than one by a rendezvous only.
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
                return Ok(self.first_inner(state, stack, thread, frame, location)?.is_some().into());
            }
        }
        match opening {
            Opening::Other => Ok(1),
            Opening::Send(send) => {
                let send = &self.code.sends[send as usize];
                let mut message = std::mem::take(&mut stack.message);
                let channel = self.evaluate_send(state, stack.mood, thread, send, &mut message);
                let ways = channel.and_then(|channel| {
                    Ok(if !channel.has_room(state, &message, send.channel.pc as usize)? {
                        0
                    } else if channel.shape.capacity > 0 || self.amid[id as usize] {
                        // Where nobody can be met, firing finds out that it is a fault.
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
                Ok(self.receivable(state, stack.mood, thread, frame, receive)?.is_some().into())
            }
        }
    }

    /// The first transition of an inner location that is enabled.
    fn first_inner(
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

    /// Evaluates the channel and the message of a send.
    pub(crate) fn evaluate_send<'e>(
        &'e self,
        state: &State,
        mood: EvalContext,
        thread: ThreadId,
        send: &SendCode,
        message: &mut Vec<i64>,
    ) -> Result<Channel<'e>, Stop> {
        let frame = state.frame(thread);
        let site = send.channel.pc as usize;
        let number = self.operand(state, mood, thread, frame, send.channel)?;
        message.clear();
        for &field in &send.message {
            message.push(self.operand(state, mood, thread, frame, field)?);
        }
        self.channel(state, number, site)
    }

    /// Brings the fields of a message into the ranges of their types.
    pub(crate) fn admit_message(channel: Channel<'_>, message: &mut [i64]) {
        for (value, ty) in message.iter_mut().zip(&channel.shape.types) {
            *value = ty.and_then(|ty| ty.admit(*value)).unwrap_or(*value);
        }
    }

    /// The channel and the message that a receive would take, if there is one.
    pub(crate) fn receivable<'e>(
        &'e self,
        state: &State,
        mood: EvalContext,
        thread: ThreadId,
        frame: usize,
        receive: &ReceiveCode,
    ) -> Result<Option<(Channel<'e>, u32)>, Stop> {
        let site = receive.channel.pc as usize;
        let number = self.operand(state, mood, thread, frame, receive.channel)?;
        let channel = self.channel(state, number, site)?;
        if channel.shape.capacity == 0 {
            return if receive.keep { Err(fault(FaultKind::Channel, site)) } else { Ok(None) };
        }
        let found = self.find_message(state, mood, (thread, frame), channel, receive, site)?;
        match found {
            Some(_) if !receive.names_fields_of(channel) => Err(fault(FaultKind::Channel, site)),
            _ => Ok(found.map(|at| (channel, at))),
        }
    }

    /// Visits those who can receive a message of a rendezvous, until told that it is enough.
    fn partners(
        &self,
        state: &State,
        stack: &mut Stack,
        sender: ThreadId,
        channel: Channel<'_>,
        message: &[i64],
        visit: &mut impl FnMut(Partner) -> bool,
    ) {
        for thread in (0..state.thread_limit()).map(ThreadId) {
            if thread == sender || !state.is_running(thread) {
                continue;
            }
            let frame = state.frame(thread);
            let location = state.read(frame, self.layout.location) as usize;
            let LocationCode { receives, groups, .. } = &self.locations[location];
            if !receives
                || self.has_conditions && self.is_provided(state, stack, thread, frame, location) != Ok(true)
            {
                continue;
            }
            for group in groups {
                let mut fits = false;
                for &transition in &group.transitions {
                    if self.takes(state, stack, (thread, frame), transition, channel, message) {
                        fits = true;
                        if visit(Partner { thread, transition }) {
                            return;
                        }
                    }
                }
                if fits {
                    break;
                }
            }
        }
    }

    /// Whether a transition of a thread receives this message from this channel. If its pattern names a field that the
    /// message does not have, meeting finds out that it is a fault.
    fn takes(
        &self,
        state: &State,
        stack: &mut Stack,
        (thread, frame): (ThreadId, usize),
        transition: u32,
        channel: Channel<'_>,
        message: &[i64],
    ) -> bool {
        let TransitionCode { guard: GuardCode::Always, opening: Opening::Receive(receive), .. } =
            self.code.transitions[transition as usize]
        else {
            return false;
        };
        let receive = &self.code.receives[receive as usize];
        let same = self.value_of(state, stack, thread, frame, receive.channel) == Ok(channel.number);
        same && !receive.keep
            && receive.pattern.iter().zip(message).all(|(field, &value)| match *field {
                PatternCode::Match(wanted) => self.value_of(state, stack, thread, frame, wanted) == Ok(value),
                _ => true,
            })
    }

    /// Puts a message into a channel with room for it.
    pub(crate) fn put_message(
        &self,
        state: &mut State,
        channel: Channel<'_>,
        sorted: bool,
        message: &mut [i64],
    ) -> Option<Fault> {
        let at = if sorted { channel.position(state, message) } else { channel.len(state) };
        Self::admit_message(channel, message);
        channel.insert(state, at, message);
        self.observe(state, true, channel.number, message)
    }

    /// Takes a message out of a channel, or a copy of it.
    pub(crate) fn take_message(
        &self,
        state: &mut State,
        channel: Channel<'_>,
        at: u32,
        receive: &ReceiveCode,
        message: &mut Vec<i64>,
    ) -> Option<Fault> {
        message.clear();
        message.extend((0..channel.shape.fields.len()).map(|field| channel.field(state, at, field)));
        if receive.keep {
            return None;
        }
        channel.remove(state, at);
        self.observe(state, false, channel.number, message)
    }

    /// Takes note if a thread sends to a channel, or receives from it, that another one claims.
    #[inline]
    fn claimed(&self, es: &mut EngineState, send: bool, thread: ThreadId, channel: Channel<'_>, site: Pc) {
        if !self.code.claims.is_empty() && self.is_claimed(&es.state, send, thread, channel) {
            es.stack.note(Some(Fault { kind: FaultKind::ExclusiveChannel, site }));
        }
    }

    /// Whether a thread other than this one claims to be the only one that sends to a channel, or receives from it.
    fn is_claimed(&self, state: &State, send: bool, thread: ThreadId, channel: Channel<'_>) -> bool {
        let is_other = |&other: &ThreadId| other != thread && state.is_running(other);
        let mut others = (0..state.thread_limit()).map(ThreadId).filter(is_other);
        others.any(|other| {
            let frame = state.frame(other);
            let claims = |claim: &ClaimCode| {
                claim.send == send
                    && self.operand(state, EvalContext::default(), other, frame, claim.channel)
                        == Ok(channel.number)
            };
            self.code.claims[self.procedure_of(state, other).index()].iter().any(claims)
        })
    }

    /// Moves the monitor, if it sees the event, and tells what is wrong with that.
    fn observe(&self, state: &mut State, send: bool, channel: i64, message: &[i64]) -> Option<Fault> {
        let (monitor, slot) = (self.code.monitor.as_ref()?, self.layout.monitor?);
        let nobody = ThreadId(u32::MAX);
        let value = |state: &State, operand| self.operand(state, EvalContext::default(), nobody, 0, operand);
        let sees = |event: &EventCode| event.send == send && value(state, event.channel) == Ok(channel);
        if !monitor.states.iter().flatten().any(sees) {
            return None;
        }
        let here = state.read(0, slot) as usize;
        let fits = |event: &&EventCode| {
            sees(event)
                && event.pattern.iter().enumerate().all(|(field, wanted)| {
                    wanted.is_none_or(|wanted| {
                        message.get(field).is_some_and(|&got| value(state, wanted) == Ok(got))
                    })
                })
        };
        let failure = Fault { kind: FaultKind::Monitor, site: monitor.site };
        let last = monitor.states.len() as u32 - 1;
        let target = monitor.states[here].iter().find(fits).map(|event| event.target);
        match (target, monitor.negated) {
            (None, false) => return Some(failure),
            (None, true) => state.write(NodeRef::Root, 0, slot, last.into()),
            (Some(target), negated) => {
                state.write(NodeRef::Root, 0, slot, target.into());
                if negated && target == last {
                    return Some(failure);
                }
            }
        }
        None
    }

    /// A thread whose id is observable ends: it goes, and its channels with it.
    pub(crate) fn end_observed(&self, state: &mut State, thread: ThreadId) {
        let channels = self.channels_of[self.procedure_of(state, thread).index()].len() as u32;
        state.end_thread(&self.layout, thread);
        state.drop_node(&self.layout, NodeRef::Thread(thread));
        let count = state.channel_count();
        for id in (count - channels..count).rev() {
            state.drop_node(&self.layout, NodeRef::Object(ObjectId(id)));
        }
    }

    /// Takes a step. Inside an atomic block, those that follow of necessity are part of it; otherwise the
    /// thread has the floor after it if its last transition is exclusive.
    pub(crate) fn take(&self, es: &mut EngineState, step: Step) -> Result<(), Stop> {
        let Some(slot) = self.layout.exclusive else { return self.take_one(es, step).map(|_| ()) };
        if self.has_exclusive {
            let (thread, transition) = self.take_one(es, step)?;
            let floor = if self.keeps_floor(es, thread, transition) { thread.raw() } else { 0 };
            es.state.write_kept(NodeRef::Root, 0, slot, floor);
            return Ok(());
        }
        let mut micro = std::mem::take(&mut es.micro);
        let end = self.take_block(es, step, slot, &mut micro);
        es.micro = micro;
        let exclusive = if end? { ThreadId(step.thread).raw() } else { 0 };
        if es.state.read(0, slot) != exclusive {
            es.state.write_kept(NodeRef::Root, 0, slot, exclusive);
        }
        Ok(())
    }

    /// Whether a thread has the floor after a transition. Then its steps are remembered.
    fn keeps_floor(&self, es: &mut EngineState, thread: ThreadId, transition: u32) -> bool {
        if !self.code.transitions[transition as usize].exclusive || !es.state.is_running(thread) {
            return false;
        }
        let mut next = std::mem::take(&mut es.next);
        next.clear();
        self.offer(es, thread, &mut next);
        es.has_next = !next.is_empty();
        es.next = next;
        es.has_next
    }

    /// Takes a step, and those that follow of necessity in an atomic block. Returns whether the thread is in
    /// the middle of the block then, and can go on there.
    fn take_block(
        &self,
        es: &mut EngineState,
        step: Step,
        slot: Slot,
        micro: &mut Steps,
    ) -> Result<bool, Stop> {
        let thread = ThreadId(step.thread);
        let mut taken = 0;
        if es.state.read(0, slot) != 0 {
            micro.clear();
            self.offer(es, thread, micro);
            // In the middle of a block there is one way on only where the block was cut.
            if micro.enabled.len() + micro.faults.len() == 1 {
                taken = ir::MAX_MICRO_STEPS;
            }
        }
        self.take_one(es, step)?;
        while self.inside_atomic(&es.state, thread) {
            micro.clear();
            self.offer(es, thread, micro);
            if micro.is_abandoned || !es.stack.fuel.burn() {
                return Err(Stop::Abandoned);
            }
            match (&micro.enabled[..], &micro.faults[..]) {
                ([], []) => return Ok(false),
                (&[only], []) if taken < ir::MAX_MICRO_STEPS => {
                    taken += 1;
                    self.take_one(es, only)?;
                }
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    fn inside_atomic(&self, state: &State, thread: ThreadId) -> bool {
        if state.has_one_frame(&self.layout, thread) {
            return self.location_at(state, state.frame(thread)).is_atomic;
        }
        let mut frames = state.frames(&self.layout, thread);
        frames.any(|frame| self.location_at(state, frame).is_atomic)
    }

    /// Takes a transition, with the partner of a rendezvous and through inner locations. Tells the thread
    /// that moved last, and its last transition.
    #[inline]
    fn take_one(&self, es: &mut EngineState, step: Step) -> Result<(ThreadId, u32), Stop> {
        let mut thread = ThreadId(step.thread);
        let mut transition = step.transition;
        let TransitionCode { guard, body, guard_can_truncate, .. } =
            self.code.transitions[transition as usize];
        if guard_can_truncate && let GuardCode::When(pc, _) = guard {
            self.value(&es.state, &mut es.stack, thread, es.state.frame(thread), pc)?;
        }
        if step.choice == ir::TOO_MANY_CHOICES {
            return Err(self.exceeds(Bound::Threads, body as usize));
        }
        if self.bodies_ask_for_timeout {
            es.stack.mood.timeout = self.has_timed_out(es);
        }
        let partner = self.act(es, thread, &mut transition, step.choice)?;
        self.go_on(es, thread, &mut transition)?;
        if let Some(partner) = partner {
            (thread, transition) = (partner.thread, partner.transition);
            self.taken.insert(transition);
            let body = self.code.transitions[transition as usize].body;
            transition = self.run(es, thread, body, 0, Mode::Whole)?.unwrap_or(transition);
            self.go_on(es, thread, &mut transition)?;
        }
        es.stack.mood.timeout = false;
        if let Some(slot) = self.layout.last {
            es.state.write(NodeRef::Root, 0, slot, thread.0.into());
        }
        Ok((thread, transition))
    }

    /// Whether the state has steps only because of a timeout.
    fn has_timed_out(&self, es: &mut EngineState) -> bool {
        let holds_floor = self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
        let mut calm = Steps::default();
        if !holds_floor {
            self.all_steps(es, &mut calm);
        }
        !holds_floor && calm.is_empty()
    }

    /// Goes on as long as the thread is at inner locations. The last transition becomes another one then.
    fn go_on(&self, es: &mut EngineState, thread: ThreadId, transition: &mut u32) -> Result<(), Stop> {
        if !self.has_inner {
            return Ok(());
        }
        while es.state.is_running(thread) {
            let frame = es.state.frame(thread);
            let location = es.state.read(frame, self.layout.location) as u32;
            if !self.locations[location as usize].is_inner {
                break;
            }
            *transition = self.next_inner(es, thread, frame, *transition, location)?;
            self.act(es, thread, transition, 0)?;
        }
        es.stack.inner_steps = 0;
        Ok(())
    }

    /// The transition by which a thread leaves an inner location, to which it came by another one.
    fn next_inner(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        frame: usize,
        before: u32,
        location: u32,
    ) -> Result<u32, Stop> {
        es.stack.count_inner_step()?;
        let next = self.first_inner(&es.state, &mut es.stack, thread, frame, location)?;
        let site = self.code.transitions[before as usize].body;
        next.ok_or(Stop::Fault(Fault { kind: FaultKind::InnerBlock, site }))
    }

    /// Takes a transition; if it is a rendezvous, up to where its partner goes on, whom it tells. Where the run goes on to
    /// another transition, this is the last one.
    fn act(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        transition: &mut u32,
        choice: u32,
    ) -> Result<Option<Partner>, Stop> {
        let mut code = self.code.transitions[*transition as usize];
        if self.passages.leads_in(*transition)
            && let GuardCode::Ready(location) = code.guard
        {
            let frame = es.state.frame(thread);
            self.reach(location);
            if !self.locations[location as usize].clears.is_empty() {
                self.with_run(es, thread, |run| run.clear(location));
            }
            *transition = self.next_inner(es, thread, frame, *transition, location)?;
            code = self.code.transitions[*transition as usize];
        }
        self.taken.insert(*transition);
        let TransitionCode { opening, body, .. } = code;
        let (mut partner, mut choices) = (None, 0);
        match opening {
            Opening::Other => choices = choice,
            Opening::Send(send) => {
                let send = &self.code.sends[send as usize];
                let mut message = std::mem::take(&mut es.stack.message);
                let done = self.evaluate_send(&es.state, es.stack.mood, thread, send, &mut message).and_then(
                    |channel| {
                        if !channel.has_room(&es.state, &message, send.channel.pc as usize)? {
                            return Err(Stop::Blocked);
                        }
                        if channel.shape.capacity > 0 {
                            self.claimed(es, true, thread, channel, send.channel.pc);
                            let soft_fault =
                                self.put_message(&mut es.state, channel, send.sorted, &mut message);
                            es.stack.note(soft_fault);
                            return Ok(None);
                        }
                        if self.amid[*transition as usize] {
                            return Err(fault(FaultKind::InnerBlock, send.channel.pc as usize));
                        }
                        Self::admit_message(channel, &mut message);
                        self.meet(es, thread, channel, &message, (send.channel.pc, choice)).map(Some)
                    },
                );
                es.stack.message = message;
                partner = done?;
            }
            Opening::Receive(receive) => {
                let receive = &self.code.receives[receive as usize];
                let frame = es.state.frame(thread);
                let (channel, at) = self
                    .receivable(&es.state, es.stack.mood, thread, frame, receive)?
                    .ok_or(Stop::Blocked)?;
                self.claimed(es, false, thread, channel, receive.channel.pc);
                let mut message = std::mem::take(&mut es.stack.message);
                let soft_fault = self.take_message(&mut es.state, channel, at, receive, &mut message);
                es.stack.note(soft_fault);
                let done = self.store(es, thread, receive, &message);
                es.stack.message = message;
                done?;
            }
        }
        if let Some(last) = self.run(es, thread, body, choices, Mode::Whole)? {
            *transition = last;
        }
        Ok(partner)
    }

    /// Who receives in a step, if it is a rendezvous.
    pub(crate) fn receiver(&self, es: &mut EngineState, step: Step) -> Option<u32> {
        let Opening::Send(send) = self.code.transitions[step.transition as usize].opening else {
            return None;
        };
        es.stack.mood = EvalContext {
            timeout: self.bodies_ask_for_timeout && self.has_timed_out(es),
            ..EvalContext::default()
        };
        let thread = ThreadId(step.thread);
        let send = &self.code.sends[send as usize];
        let mut message = std::mem::take(&mut es.stack.message);
        let channel = self.evaluate_send(&es.state, es.stack.mood, thread, send, &mut message).ok();
        let mut found = None;
        if let Some(channel) = channel.filter(|channel| channel.shape.capacity == 0) {
            Self::admit_message(channel, &mut message);
            found = self.partner(es, thread, channel, &message, step.choice);
        }
        es.stack.message = message;
        found.map(|partner| partner.thread.0)
    }

    /// The partner with this number of those who can receive a message of a rendezvous.
    fn partner(
        &self,
        es: &mut EngineState,
        sender: ThreadId,
        channel: Channel<'_>,
        message: &[i64],
        choice: u32,
    ) -> Option<Partner> {
        let (mut found, mut left) = (None, choice);
        self.partners(&es.state, &mut es.stack, sender, channel, message, &mut |partner| {
            found = (left == 0).then_some(partner);
            left = left.wrapping_sub(1);
            found.is_some()
        });
        found
    }

    /// Hands a message over.
    fn meet(
        &self,
        es: &mut EngineState,
        sender: ThreadId,
        channel: Channel<'_>,
        message: &[i64],
        (site, choice): (Pc, u32),
    ) -> Result<Partner, Stop> {
        let partner = self.partner(es, sender, channel, message, choice).ok_or(Stop::Blocked)?;
        let Opening::Receive(receive) = self.code.transitions[partner.transition as usize].opening else {
            unreachable!("partners receive")
        };
        let receive = &self.code.receives[receive as usize];
        if !receive.names_fields_of(channel) {
            return Err(fault(FaultKind::Channel, receive.channel.pc as usize));
        }
        for (send, thread, site) in [(true, sender, site), (false, partner.thread, receive.channel.pc)] {
            self.claimed(es, send, thread, channel, site);
            let soft_fault = self.observe(&mut es.state, send, channel.number, message);
            es.stack.note(soft_fault);
        }
        self.store(es, partner.thread, receive, message)?;
        Ok(partner)
    }

    fn store(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        receive: &ReceiveCode,
        message: &[i64],
    ) -> Result<(), Stop> {
        self.with_run(es, thread, |run| run.store_message(receive, message))
    }

    /// Makes the initial state: prologues run, and the active threads start.
    pub(crate) fn make_initial(&self, es: &mut EngineState) {
        self.make_channels(&mut es.state, &self.first_channels);
        let mut end = self.run_prologue(es, None, self.code.prologue);
        for &procedure in &self.active {
            let mut frame = self.layout.frames[procedure].template.clone();
            let entry = self.entries[procedure.index()];
            for &(slot, value) in &self.locations[entry as usize].clears {
                slot.put(&mut frame, value);
            }
            self.reach(entry);
            let Some(id) = es.state.start_thread(&self.layout, &frame, u32::MAX) else { continue };
            if let Some(slot) = self.layout.priority {
                let at = es.state.thread(id);
                let priority = self.priorities[procedure.index()];
                es.state.write(NodeRef::Thread(id), at, slot, priority.into());
            }
            self.make_channels(&mut es.state, &self.channels_of[procedure.index()]);
            end = end.and(self.run_prologue(es, Some(id), self.code.prologues[procedure.index()]));
        }
        es.start_fault = match end {
            Err(Stop::Fault(fault)) => Some(fault),
            Ok(()) | Err(Stop::Blocked | Stop::Truncated(_) | Stop::Abandoned) => None,
        };
        es.state.forget();
    }

    /// Whether all threads have ended or are where they may stay, and so is the monitor.
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

/// By transition: whether it leads to or leaves from an inner location, where nobody can be met.
pub fn amid(program: &Program) -> Vec<bool> {
    let is_inner = |location: LocationId| program.locations[location].fused;
    let leads = |transition: &ir::Transition| match transition.exit {
        ir::Exit::Jump(ir::Jump::Goto(target)) => is_inner(target),
        _ => false,
    };
    program.transitions.values().map(|transition| is_inner(transition.source) || leads(transition)).collect()
}

/// Whether `timeout` is asked for where a step is already under way.
pub fn bodies_ask_for_timeout(program: &Program) -> bool {
    let mut asked = false;
    let mut look = |expr: &ir::Expr| expr.each(&mut |expr| asked |= expr.kind == ir::ExprKind::Timeout);
    // Whether the partner of a rendezvous may step is looked at when it is met.
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
