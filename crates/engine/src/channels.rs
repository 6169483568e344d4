//! Channels: finding them, and the messages in them.
//!
//! Messages are shifted when one is taken out or inserted, so that the words of a channel do not depend on
//! its past.

use ir::{ChannelId, Id, ProcedureId};
use state::{ChannelShape, NodeRef, ObjectId, ObjectKind, Slot, State, ThreadId, mask};
use system::FaultKind;

use crate::Engine;
use crate::code::{ArrayCode, Op, Operand, PatternCode, ReceiveCode};
use crate::eval::{EvalContext, Stack, fault};
use crate::machine::Stop;

impl ArrayCode {
    /// The slot of the element with these indices, if there is one.
    #[inline]
    pub fn slot(&self, indices: &[i64]) -> Option<Slot> {
        let mut flat = 0;
        for (&index, &len) in indices.iter().zip(&self.dims) {
            if !(0..i64::from(len)).contains(&index) {
                return None;
            }
            flat = flat * len + index as u32;
        }
        Some(self.variable.slot(flat))
    }

    /// The slot of the element for a thread, in an array of one dimension.
    #[inline]
    pub fn own_slot(&self, thread: ThreadId, offset: i32) -> Option<Slot> {
        let index = thread.0.wrapping_add_signed(offset);
        (index < self.dims[0]).then(|| self.variable.slot(index))
    }
}

/// A channel of a state.
#[derive(Clone, Copy)]
pub struct Channel<'e> {
    /// Its number, or the bits of a reference to it.
    pub number: i64,
    pub declared: ChannelId,
    node: NodeRef,
    /// Where its words start.
    base: usize,
    pub shape: &'e ChannelShape,
}

impl Channel<'_> {
    pub fn len(self, state: &State) -> u32 {
        state.read(self.base, self.shape.length) as u32
    }

    pub fn is_full(self, state: &State) -> bool {
        self.shape.capacity > 0 && self.len(state) == self.shape.capacity
    }

    /// Whether the channel admits another message; a channel without capacity always does. A message with
    /// another number of fields than the channel has is a fault if it could be sent.
    pub fn has_room(self, state: &State, message: &[i64], pc: usize) -> Result<bool, Stop> {
        if self.is_full(state) {
            return Ok(false);
        }
        if message.len() == self.shape.fields.len() { Ok(true) } else { Err(fault(FaultKind::Channel, pc)) }
    }

    #[inline]
    pub fn field(self, state: &State, message: u32, field: usize) -> i64 {
        state.read(self.base, self.shape.field(message, field))
    }

    fn set_length(self, state: &mut State, length: u32) {
        state.write(self.node, self.base, self.shape.length, length.into());
    }

    /// Inserts a message. There must be room for it.
    pub fn insert(self, state: &mut State, at: u32, message: &[i64]) {
        let length = self.len(state);
        for to in (at + 1..=length).rev() {
            self.copy(state, to - 1, to);
        }
        for (field, &value) in message.iter().enumerate() {
            state.write(self.node, self.base, self.shape.field(at, field), value);
        }
        self.set_length(state, length + 1);
    }

    /// The position for a sorted message: before the first one that is greater. Fields from the first one on
    /// that is no integer are not compared.
    pub fn position(self, state: &State, message: &[i64]) -> u32 {
        let length = self.len(state);
        let greater = |at: u32| {
            let integers = message.iter().zip(&self.shape.types).take_while(|(_, ty)| ty.is_some());
            let fields =
                integers.enumerate().map(|(field, (&value, _))| (value, self.field(state, at, field)));
            fields.filter(|(value, other)| value != other).map(|(value, other)| value < other).next()
                == Some(true)
        };
        (0..length).find(|&at| greater(at)).unwrap_or(length)
    }

    /// Takes a message out.
    pub fn remove(self, state: &mut State, at: u32) {
        let shape = self.shape;
        let length = self.len(state);
        if at == 0 && shape.message_words == 1 && !shape.carries_names {
            self.shift(state, length);
        } else {
            for to in at..length - 1 {
                self.copy(state, to + 1, to);
            }
            self.clear(state, length - 1);
        }
        self.set_length(state, length - 1);
    }

    /// Takes the first message out, by whole words.
    fn shift(self, state: &mut State, length: u32) {
        let ChannelShape { message_bits: bits, per_word, word, shift, .. } = *self.shape;
        let node = self.node;
        if word == 0 {
            // Messages are behind the head, in the only word.
            return Self::shift_word(state, node, self.base, !mask(shift), bits);
        }
        let used = length.div_ceil(per_word);
        for at in 0..used {
            let place = self.base + (word + at) as usize;
            Self::shift_word(state, node, place, u64::MAX, bits);
            if at + 1 < used {
                let last = (per_word - 1) * u32::from(bits);
                let carried = state.bits(place + 1, 0, mask(bits));
                state.write_bits(node, place, mask(bits) << last, carried << last);
            }
        }
    }

    fn shift_word(state: &mut State, node: NodeRef, at: usize, messages: u64, bits: u8) {
        if bits < 64 {
            state.shift_bits(node, at, messages, bits.into());
        } else {
            state.write_bits(node, at, messages, 0);
        }
    }

    fn copy(self, state: &mut State, from: u32, to: u32) {
        for field in 0..self.shape.fields.len() {
            let value = self.field(state, from, field);
            state.write(self.node, self.base, self.shape.field(to, field), value);
        }
    }

    fn clear(self, state: &mut State, at: u32) {
        for field in 0..self.shape.fields.len() {
            let slot = self.shape.field(at, field);
            state.write(self.node, self.base, slot, slot.lo);
        }
    }
}

impl ReceiveCode {
    /// Whether a message of this channel that fits the pattern can be received with it. A message that is
    /// taken out must have as many fields as the pattern, and a message that is kept at least as many.
    pub fn names_fields_of(&self, channel: Channel<'_>) -> bool {
        let fields = channel.shape.fields.len();
        if self.keep { self.pattern.len() <= fields } else { self.pattern.len() == fields }
    }
}

impl Engine {
    /// The channel of this number, or to which this reference is.
    #[inline]
    pub(crate) fn channel<'e>(&'e self, state: &State, number: i64, pc: usize) -> Result<Channel<'e>, Stop> {
        if !self.is_flat {
            self.object(state, number).map_err(|kind| fault(kind, pc))?;
        }
        let known =
            ObjectId::from_raw(number).filter(|_| number > 0).and_then(|id| Some((id, state.object_at(id)?)));
        let (id, base) = known.ok_or(fault(FaultKind::Channel, pc))?;
        let declared = self.declaration(state, base);
        Ok(Channel {
            number,
            declared,
            node: NodeRef::Object(id),
            base,
            shape: &self.layout.channels[declared],
        })
    }

    fn declaration(&self, state: &State, base: usize) -> ChannelId {
        match self.layout.kind(state.read(base, self.layout.tag)) {
            ObjectKind::Channel(id) => id,
            kind => unreachable!("{kind:?} where a channel is"),
        }
    }

    /// Makes channels with numbers for a thread that was just started, or the first ones. Returns false if there
    /// would be too many.
    pub(crate) fn make_channels(&self, state: &mut State, channels: &[ChannelId]) -> bool {
        channels.iter().all(|&id| {
            let template = &self.layout.channels[id].unit.template;
            state.new_object(template, template.len(), 0, ir::MAX_CHANNELS).is_some()
        })
    }

    /// The value of an operand.
    #[inline]
    pub(crate) fn operand(
        &self,
        state: &State,
        context: EvalContext,
        thread: ThreadId,
        frame: usize,
        operand: Operand,
    ) -> Result<i64, Stop> {
        match operand.load {
            Some(Op::Const(value)) => Ok(value),
            Some(load) => Ok(Self::load(state, frame, load)),
            None => {
                let mut stack = Stack::with_context(context);
                self.value(state, &mut stack, thread, frame, operand.pc)
            }
        }
    }

    /// The first message in a channel that fits a pattern, which is evaluated for a thread. If the pattern
    /// compares a field that the message does not have, that is a fault.
    pub(crate) fn find_message(
        &self,
        state: &State,
        context: EvalContext,
        (thread, frame): (ThreadId, usize),
        channel: Channel<'_>,
        receive: &ReceiveCode,
        pc: usize,
    ) -> Result<Option<u32>, Stop> {
        let ReceiveCode { anywhere, pattern, .. } = receive;
        let fields = channel.shape.fields.len();
        let length = channel.len(state);
        let last = if *anywhere { length } else { length.min(1) };
        'messages: for at in 0..last {
            for (field, wanted) in pattern.iter().enumerate() {
                let PatternCode::Match(wanted) = *wanted else { continue };
                if field >= fields {
                    return Err(fault(FaultKind::Channel, pc));
                }
                if self.operand(state, context, thread, frame, wanted)? != channel.field(state, at, field) {
                    continue 'messages;
                }
            }
            return Ok(Some(at));
        }
        Ok(None)
    }

    #[inline(never)]
    pub(crate) fn channel_has(
        &self,
        state: &State,
        context: EvalContext,
        thread: ThreadId,
        frame: usize,
        pc: usize,
        pattern: u32,
    ) -> Result<i64, Stop> {
        let pattern = &self.code.receives[pattern as usize];
        let number = self.operand(state, context, thread, frame, pattern.channel)?;
        let channel = self.channel(state, number, pc)?;
        pattern.fits.check(channel.declared, pc)?;
        if channel.shape.capacity == 0 {
            return Err(fault(FaultKind::Channel, pc));
        }
        let found = self.find_message(state, context, (thread, frame), channel, pattern, pc)?;
        Ok(found.map_or(0, |at| i64::from(at) + 1))
    }

    /// Evaluates operations about the state as a whole.
    #[inline(never)]
    pub(crate) fn ask(&self, state: &State, thread: ThreadId, op: Op) -> i64 {
        match op {
            Op::ThreadCount => state.thread_count().into(),
            Op::LastThread => self.layout.last.map_or(0, |slot| state.read(0, slot)),
            Op::IsYoungest => (thread.0 + 1 == state.thread_count()).into(),
            Op::FirstThread(procedure) => {
                let of = |thread: &u32| self.procedure_of(state, ThreadId(*thread)).0 == procedure;
                (0..state.thread_count()).find(of).map_or(-1, i64::from)
            }
            Op::ThreadsAt(site) => {
                let (_, locations) = &self.code.sites[site as usize];
                let at = |thread: &ThreadId| {
                    let first = state.frames(&self.layout, *thread).next();
                    let location = first.map(|frame| state.read(frame, self.layout.location) as u32);
                    location.is_some_and(|location| locations.binary_search(&location).is_ok())
                };
                let threads = (0..state.thread_limit()).map(ThreadId);
                threads.filter(|&thread| state.is_running(thread)).filter(at).count() as i64
            }
            Op::OwnChannel(at) => {
                let others = (0..thread.0)
                    .map(|other| self.channels_of[self.procedure_of(state, ThreadId(other)).index()].len());
                (self.first_channels.len() + others.sum::<usize>()) as i64 + i64::from(at) + 1
            }
            op => unreachable!("{op:?} asks nothing"),
        }
    }

    /// The procedure of a thread. It never changes, so this does not count as a read (see
    /// [`crate::successor_cache`]).
    pub(crate) fn procedure_of(&self, state: &State, thread: ThreadId) -> ProcedureId {
        let location = state.read_untraced(state.frame(thread), self.layout.location);
        self.layout.procedure_of[ir::LocationId(location as u32)]
    }

    fn thread_of(state: &State, number: i64) -> Option<ThreadId> {
        let id = ThreadId(u32::try_from(number).ok()?);
        state.is_running(id).then_some(id)
    }

    /// The frame of the thread with this number, if it runs this procedure.
    pub(crate) fn frame_of(&self, state: &State, number: i64, procedure: ProcedureId) -> Option<usize> {
        let id = Self::thread_of(state, number)?;
        (self.procedure_of(state, id) == procedure).then(|| state.frame(id))
    }

    /// Evaluates operations about a thread or a channel by its number.
    #[inline(never)]
    pub(crate) fn look_up(
        &self,
        state: &State,
        context: EvalContext,
        pc: usize,
        op: Op,
        number: i64,
    ) -> Result<i64, Stop> {
        Ok(match op {
            Op::ChannelLength => self.channel(state, number, pc)?.len(state).into(),
            Op::ChannelFull => self.channel(state, number, pc)?.is_full(state).into(),
            Op::ThreadAt(site) => {
                let (procedure, locations) = &self.code.sites[site as usize];
                let frame = self.frame_of(state, number, *procedure);
                let at = frame.map(|frame| state.read(frame, self.layout.location) as u32);
                at.is_some_and(|at| locations.binary_search(&at).is_ok()).into()
            }
            Op::ThreadLocal { procedure, slot } => {
                let frame = self.frame_of(state, number, ProcedureId(procedure));
                frame.map_or(0, |frame| state.read(frame, self.code.slots[slot as usize]))
            }
            Op::ThreadEnabled => {
                let thread = Self::thread_of(state, number);
                let asked = EvalContext { asked: true, ..context };
                let able = thread
                    .filter(|_| !context.asked)
                    .is_some_and(|thread| self.is_enabled(state, asked, thread));
                able.into()
            }
            Op::ThreadLocation => Self::thread_of(state, number)
                .map_or(0, |thread| self.location_at(state, state.frame(thread)).number.into()),
            Op::ThreadPriority => match (Self::thread_of(state, number), self.layout.priority) {
                (Some(thread), Some(slot)) => state.read(state.thread(thread), slot),
                (Some(_), None) => 1,
                (None, _) => 0,
            },
            op => unreachable!("{op:?} looks nothing up"),
        })
    }
}
