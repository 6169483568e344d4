//! Taking steps: a transition and those that follow of necessity; and the initial state.

use ir::Id;
use state::{NodeRef, ObjectId, Slot, State, ThreadId};
use system::{Bound, Fault, FaultKind, Step, Steps};

use crate::code::{GuardCode, Opening, TransitionCode};
use crate::eval::fault;
use crate::machine::{Mode, Stop};
use crate::messages::Partner;
use crate::{Engine, EngineState};

impl Engine {
    /// Ends a thread whose id is observable. It is dropped together with its channels.
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
    /// thread is exclusive after it if its last transition is.
    #[inline]
    pub(crate) fn take(&self, es: &mut EngineState, step: Step) -> Result<(), Stop> {
        let Some(slot) = self.layout.exclusive else { return self.take_one(es, step).map(|_| ()) };
        if self.has_exclusive {
            let (thread, transition) = self.take_one(es, step)?;
            let exclusive = if self.stays_exclusive(es, thread, transition) { thread.raw() } else { 0 };
            es.state.write_kept(NodeRef::Root, 0, slot, exclusive);
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

    /// Whether a thread is exclusive after a transition. In that case its next steps are kept.
    fn stays_exclusive(&self, es: &mut EngineState, thread: ThreadId, transition: u32) -> bool {
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
            // In the middle of a block there is a single step only where the block was cut.
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

    /// Takes a transition, with the partner of a rendezvous and through fused locations. Returns the thread
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
            es.stack.context.timeout = self.has_timed_out(es);
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
        es.stack.context.timeout = false;
        if let Some(slot) = self.layout.last {
            es.state.write(NodeRef::Root, 0, slot, thread.0.into());
        }
        Ok((thread, transition))
    }

    /// Whether the state has steps only because of a timeout.
    pub(crate) fn has_timed_out(&self, es: &mut EngineState) -> bool {
        let is_exclusive = self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0);
        let mut calm = Steps::default();
        if !is_exclusive {
            self.all_steps(es, &mut calm);
        }
        !is_exclusive && calm.is_empty()
    }

    /// Goes on as long as the thread is at fused locations. Sets `transition` to the last one.
    fn go_on(&self, es: &mut EngineState, thread: ThreadId, transition: &mut u32) -> Result<(), Stop> {
        if !self.has_fused {
            return Ok(());
        }
        while es.state.is_running(thread) {
            let frame = es.state.frame(thread);
            let location = es.state.read(frame, self.layout.location) as u32;
            if !self.locations[location as usize].is_fused {
                break;
            }
            *transition = self.next_fused(es, thread, frame, *transition, location)?;
            self.act(es, thread, transition, 0)?;
        }
        es.stack.fused_steps = 0;
        Ok(())
    }

    /// The transition by which a thread leaves a fused location, to which it came by `before`.
    fn next_fused(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        frame: usize,
        before: u32,
        location: u32,
    ) -> Result<u32, Stop> {
        es.stack.count_fused_step()?;
        let next = self.first_fused(&es.state, &mut es.stack, thread, frame, location)?;
        let site = self.code.transitions[before as usize].body;
        next.ok_or(Stop::Fault(Fault { kind: FaultKind::InnerBlock, site }))
    }

    /// Takes a transition. If it is a rendezvous, returns the partner, which has not moved yet. Sets
    /// `transition` to the last one, if the run goes on to others.
    fn act(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        transition: &mut u32,
        choice: u32,
    ) -> Result<Option<Partner>, Stop> {
        let mut code = self.code.transitions[*transition as usize];
        if self.jumps.leads_in(*transition)
            && let GuardCode::Ready(location) = code.guard
        {
            let frame = es.state.frame(thread);
            self.reach(location);
            if !self.locations[location as usize].clears.is_empty() {
                self.with_run(es, thread, |run| run.clear(location));
            }
            *transition = self.next_fused(es, thread, frame, *transition, location)?;
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
                let done = self
                    .evaluate_send(&es.state, es.stack.context, thread, send, &mut message)
                    .and_then(|channel| {
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
                        if self.fused_transitions[*transition as usize] {
                            return Err(fault(FaultKind::InnerBlock, send.channel.pc as usize));
                        }
                        Self::admit_message(channel, &mut message);
                        self.meet(es, thread, channel, &message, (send.channel.pc, choice)).map(Some)
                    });
                es.stack.message = message;
                partner = done?;
            }
            Opening::Receive(receive) => {
                let receive = &self.code.receives[receive as usize];
                let frame = es.state.frame(thread);
                let (channel, at) = self
                    .receivable(&es.state, es.stack.context, thread, frame, receive)?
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
}
