//! Sending and receiving: buffered channels, rendezvous, claims of exclusive use, and the monitor of
//! messages.

use ir::Id;
use state::{NodeRef, State, ThreadId};
use system::{Fault, FaultKind, Step};

use crate::channels::Channel;
use crate::code::{
    ClaimCode, EventCode, GuardCode, Opening, PatternCode, Pc, ReceiveCode, SendCode, TransitionCode,
};
use crate::eval::{EvalContext, Stack, fault};
use crate::locations::LocationCode;
use crate::machine::Stop;
use crate::{Engine, EngineState};

/// The receiver of a rendezvous.
#[derive(Clone, Copy)]
pub struct Partner {
    pub thread: ThreadId,
    pub transition: u32,
}

impl Engine {
    /// Evaluates the channel and the message of a send.
    pub(crate) fn evaluate_send<'e>(
        &'e self,
        state: &State,
        context: EvalContext,
        thread: ThreadId,
        send: &SendCode,
        message: &mut Vec<i64>,
    ) -> Result<Channel<'e>, Stop> {
        let frame = state.frame(thread);
        let site = send.channel.pc as usize;
        let number = self.operand(state, context, thread, frame, send.channel)?;
        message.clear();
        for &field in &send.message {
            message.push(self.operand(state, context, thread, frame, field)?);
        }
        let channel = self.channel(state, number, site)?;
        send.fits.check(channel.declared, site)?;
        Ok(channel)
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
        context: EvalContext,
        thread: ThreadId,
        frame: usize,
        receive: &ReceiveCode,
    ) -> Result<Option<(Channel<'e>, u32)>, Stop> {
        let site = receive.channel.pc as usize;
        let number = self.operand(state, context, thread, frame, receive.channel)?;
        let channel = self.channel(state, number, site)?;
        receive.fits.check(channel.declared, site)?;
        if channel.shape.capacity == 0 {
            return if receive.keep { Err(fault(FaultKind::Channel, site)) } else { Ok(None) };
        }
        let found = self.find_message(state, context, (thread, frame), channel, receive, site)?;
        match found {
            Some(_) if !receive.names_fields_of(channel) => Err(fault(FaultKind::Channel, site)),
            _ => Ok(found.map(|at| (channel, at))),
        }
    }

    /// Visits the threads that can receive a message of a rendezvous, with their transitions, until `visit`
    /// returns true.
    pub(crate) fn partners(
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

    /// Whether a transition of a thread receives this message from this channel. If its pattern names a field
    /// that the message does not have, that is a fault when they meet.
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
            && receive.fits.check(channel.declared, 0).is_ok()
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

    /// Notes a soft fault if a thread sends to a channel, or receives from it, that another one claims.
    #[inline]
    pub(crate) fn claimed(
        &self,
        es: &mut EngineState,
        send: bool,
        thread: ThreadId,
        channel: Channel<'_>,
        site: Pc,
    ) {
        if !self.code.claims.is_empty() && self.is_claimed(&es.state, send, thread, channel) {
            es.stack.note(Some(Fault { kind: FaultKind::ExclusiveChannel, site }));
        }
    }

    /// Whether a thread other than this one claims to be the only one that sends to a channel, or receives
    /// from it.
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

    /// Moves the monitor, if it sees the event. Returns the fault, if the monitor fails.
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

    /// The thread that receives in a step, if the step is a rendezvous.
    pub(crate) fn receiver(&self, es: &mut EngineState, step: Step) -> Option<u32> {
        let Opening::Send(send) = self.code.transitions[step.transition as usize].opening else {
            return None;
        };
        es.stack.context = EvalContext {
            timeout: self.bodies_ask_for_timeout && self.has_timed_out(es),
            ..EvalContext::default()
        };
        let thread = ThreadId(step.thread);
        let send = &self.code.sends[send as usize];
        let mut message = std::mem::take(&mut es.stack.message);
        let channel = self.evaluate_send(&es.state, es.stack.context, thread, send, &mut message).ok();
        let mut found = None;
        if let Some(channel) = channel.filter(|channel| channel.shape.capacity == 0) {
            Self::admit_message(channel, &mut message);
            found = self.partner(es, thread, channel, &message, step.choice);
        }
        es.stack.message = message;
        es.stack.context = EvalContext::default();
        found.map(|partner| partner.thread.0)
    }

    /// The partner with this number among those that can receive a message of a rendezvous.
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
    pub(crate) fn meet(
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

    pub(crate) fn store(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        receive: &ReceiveCode,
        message: &[i64],
    ) -> Result<(), Stop> {
        self.with_run(es, thread, |run| run.store_message(receive, message))
    }
}
