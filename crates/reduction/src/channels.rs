//! Which channels threads may use.
//!
//! A channel is a number, which is passed around. Where an expression is over what never changes (constants, parameters that
//! keep their value, the number of the thread, globals that are only initialized), it names the same channel for good, and
//! its value in the state at hand tells which. What is in an array that never changes is one of its elements. Everything
//! else may be any channel.

use ir::{Array, BinaryOp, ChannelId, Const, Expr, ExprKind, Id, LocationId, ProcedureId, Type};
use state::{Layout, ObjectId, ObjectKind, Slot, State, ThreadId};

use crate::analysis::Analysis;
use crate::footprint::{Question, Use, UseKind};
use crate::futures::Future;

/// A state, as far as expressions about channels read it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub analysis: &'a Analysis,
    pub layout: &'a Layout,
    pub state: &'a State,
}

impl<'a> View<'a> {
    /// The threads that have not ended.
    pub fn running(self) -> impl Iterator<Item = ThreadId> {
        (0..self.state.thread_limit()).map(ThreadId).filter(move |&thread| self.state.is_running(thread))
    }

    /// The thread that is in the middle of something.
    #[inline]
    pub fn exclusive(self) -> Option<ThreadId> {
        ThreadId::from_raw(self.state.read_untraced(self.state.root(), self.layout.exclusive?))
    }

    /// Where a thread is.
    #[inline]
    pub fn location(self, thread: ThreadId) -> LocationId {
        self.location_at(self.state.frame(thread))
    }

    #[inline]
    fn location_at(self, frame: usize) -> LocationId {
        LocationId(self.state.read_untraced(frame, self.layout.location) as u32)
    }

    /// Where a thread is in each of its frames.
    pub fn locations(self, thread: ThreadId) -> impl Iterator<Item = LocationId> {
        self.state.frames(self.layout, thread).map(move |frame| self.location_at(frame))
    }

    /// What a thread may still do, by its frames.
    pub fn futures(self, thread: ThreadId) -> impl Iterator<Item = &'a Future> {
        self.locations(thread).map(move |location| self.analysis.futures.at(location))
    }

    /// The value of an expression of a thread, which is at its last frame. With `for_good`, only if it keeps it.
    pub fn value(&self, expr: &Expr, thread: ThreadId, for_good: bool) -> Option<i64> {
        let program = &self.analysis.program;
        match &expr.kind {
            ExprKind::Const(Const::Int(value)) => Some(*value),
            ExprKind::Const(Const::Bool(value)) => Some((*value).into()),
            ExprKind::Channel(id) => self.first_channel(*id).or_else(|| self.own_channel(*id, thread)),
            ExprKind::ThreadNumber => Some(thread.0.into()),
            ExprKind::Local(id) => {
                let (procedure, base) = self.frame(thread);
                let keeps = !self.analysis.assigned[procedure.index()].contains(id.index());
                (keeps || !for_good).then(|| {
                    self.state.read_untraced(base, self.layout.frames[procedure].slots[id.index() + 1])
                })
            }
            ExprKind::Global(id) => (self.analysis.is_fixed(id.index()) || !for_good)
                .then(|| self.state.read_untraced(self.state.root(), self.layout.root.slots[id.index()])),
            ExprKind::Element(Array::Global(id), indices) => {
                if for_good && !self.analysis.is_fixed(id.index()) {
                    return None;
                }
                let variable = self.layout.root_arrays[id.index()]?;
                let at = self.position(&program.globals[*id].dims, indices, thread, for_good)?;
                Some(self.state.read_untraced(self.state.root(), variable.slot(at)))
            }
            ExprKind::Element(Array::Local(id), indices) => {
                let (procedure, base) = self.frame(thread);
                if for_good && self.analysis.assigned[procedure.index()].contains(id.index()) {
                    return None;
                }
                let variable = self.layout.frame_arrays[procedure][id.index()]?;
                let dims = &program.procedures[procedure].locals[*id].dims;
                let at = self.position(dims, indices, thread, for_good)?;
                Some(self.state.read_untraced(base, variable.slot(at)))
            }
            ExprKind::Wrap(operand) => {
                let value = self.value(operand, thread, for_good)?;
                match program.types[expr.ty] {
                    Type::Int(int) => int.admit(value),
                    _ => None,
                }
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a, thread, for_good)?, self.value(b, thread, for_good)?);
                match op {
                    BinaryOp::Add => a.checked_add(b),
                    BinaryOp::Sub => a.checked_sub(b),
                    BinaryOp::Mul => a.checked_mul(b),
                    BinaryOp::Div => a.checked_div(b),
                    BinaryOp::Rem => a.checked_rem(b),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn frame(&self, thread: ThreadId) -> (ProcedureId, usize) {
        let base = self.state.frame(thread);
        (self.layout.procedure_of[self.location_at(base)], base)
    }

    fn position(&self, dims: &[u32], indices: &[Expr], thread: ThreadId, for_good: bool) -> Option<u32> {
        let mut flat = 0;
        for (index, &len) in indices.iter().zip(dims) {
            let index = self.value(index, thread, for_good)?;
            if !(0..i64::from(len)).contains(&index) {
                return None;
            }
            flat = flat * len + index as u32;
        }
        Some(flat)
    }

    fn first_channel(&self, id: ChannelId) -> Option<i64> {
        self.analysis.first_numbers[id]
    }

    /// The number of a channel that came with a thread. Threads end youngest first, and their channels with them, so channels
    /// are in the order of their threads.
    fn own_channel(&self, id: ChannelId, thread: ThreadId) -> Option<i64> {
        let program = &self.analysis.program;
        let channels = |thread| &program.procedures[self.frame(thread).0].channels;
        let at = channels(thread).iter().position(|&own| own == id)?;
        let before: usize = (0..thread.0).map(|older| channels(ThreadId(older)).len()).sum();
        Some((program.first_channels.len() + before + at) as i64 + 1)
    }

    /// Whether a use may be of the channel of this number, which exists: now or later, by a thread or, if there is none, by one
    /// that may be started.
    ///
    /// A channel that comes with a thread that is started later can have the number only after the channel at hand has gone
    /// with its own thread, which is a use of it as well.
    pub fn may_use(&self, found: &Use, thread: Option<ThreadId>, number: i64) -> bool {
        let Some(channel) = &found.channel else { return true };
        let Some(thread) = thread else {
            return match channel.kind {
                ExprKind::Channel(id) => self.first_channel(id) == Some(number),
                _ => true,
            };
        };
        // Variables that others were passed are 0 when they are not needed any more.
        if let ExprKind::Local(id) = channel.kind {
            let (procedure, base) = self.frame(thread);
            let assigned = &self.analysis.assigned_channels[procedure.index()];
            return assigned.contains(id.index())
                || self.state.read_untraced(base, self.layout.frames[procedure].slots[id.index() + 1])
                    == number;
        }
        match (self.value(channel, thread, true), &channel.kind) {
            (Some(value), _) => value == number,
            (None, ExprKind::Element(Array::Global(id), _)) if self.analysis.is_fixed(id.index()) => {
                let Some(variable) = self.layout.root_arrays[id.index()] else { return true };
                let size = self.analysis.program.globals[*id].size() as u32;
                (0..size).any(|at| self.state.read_untraced(self.state.root(), variable.slot(at)) == number)
            }
            _ => true,
        }
    }

    /// How many messages the channel of this number has, and how many it holds.
    pub fn load(&self, number: i64) -> Option<(u32, u32)> {
        let id = ObjectId::from_raw(number).filter(|_| number > 0)?;
        let base = self.state.object_at(id)?;
        let read = |slot: Slot| self.state.read_untraced(base, slot);
        match self.layout.kind(read(self.layout.tag)) {
            ObjectKind::Channel(kind) => {
                let shape = &self.layout.channels[kind];
                Some((read(shape.length) as u32, shape.capacity))
            }
            _ => None,
        }
    }
}

impl UseKind {
    /// One of each kind, whatever else there is to say about it.
    pub const EACH: [Self; 8] = [
        Self::Send { sorted: false, sensed: false },
        Self::Receive { anywhere: false, keep: false, sensed: false },
        Self::Poll,
        Self::ClaimSend,
        Self::ClaimReceive,
        Self::End,
        Self::Await { more: false, question: Question::Empty },
        Self::Await { more: true, question: Question::Empty },
    ];

    /// Its place among these. What it is in conflict with depends on nothing else.
    pub const fn number(self) -> usize {
        match self {
            Self::Send { .. } => 0,
            Self::Receive { .. } => 1,
            Self::Poll | Self::Await { question: Question::Other, .. } => 2,
            Self::ClaimSend => 3,
            Self::ClaimReceive => 4,
            Self::End => 5,
            Self::Await { more: false, .. } => 6,
            Self::Await { more: true, .. } => 7,
        }
    }

    /// What is in conflict with a use in a state with so many messages in a channel of a capacity: what is awaited and is
    /// not so must not become so.
    pub const fn now(self, (length, capacity): (u32, u32)) -> Self {
        let Self::Await { more, question } = self else { return self };
        let is_so = match question {
            Question::Empty => (length > 0) == more,
            Question::Full => (length == capacity) == more,
            Question::Other => return self,
        };
        Self::Await { more: more == is_so, question }
    }

    /// Whether a use by somebody else of the same channel, now or later, stands in the way of this one. There is a message
    /// if this is to receive, room if it is to send, and what it awaits is true.
    ///
    /// | this \ other | send            | receive     | poll | await more | await fewer | claim to send | claim to receive | end |
    /// |--------------|-----------------|-------------|------|------------|-------------|---------------|------------------|-----|
    /// | send         | yes             | if sensed   | yes  |            | yes         | yes           |                  | yes |
    /// | receive      | sorted, sensed  | yes         | yes  | yes        |             |               | yes              | yes |
    /// | poll         | yes             | yes         |      |            |             |               |                  | yes |
    /// | await more   | sorted          | yes         |      |            |             |               |                  | yes |
    /// | await fewer  | yes             |             |      |            |             |               |                  | yes |
    /// | end of claim to send    | yes  |             |      |            |             |               |                  | yes |
    /// | end of claim to receive |      | yes         |      |            |             |               |                  | yes |
    /// | end of the channel      | yes  | yes         | yes  | yes        | yes         | yes           | yes              | yes |
    ///
    /// The first message stays the first one when others are put behind it, and room stays room when some are taken out. Who
    /// waits for messages does not mind that there are more: what it could do before, it can still do.
    pub const fn conflicts_with(self, other: Self) -> bool {
        use UseKind::*;
        match (self, other) {
            (Send { .. }, Receive { sensed, .. }) => sensed,
            (Receive { .. }, Send { sorted, sensed }) => sorted || sensed,
            (Await { more: true, .. }, Send { sorted, .. }) => sorted,
            (End, _)
            | (_, End)
            | (Send { .. }, Send { .. } | Poll | Await { more: false, .. } | ClaimSend)
            | (Receive { .. }, Receive { .. } | Poll | Await { more: true, .. } | ClaimReceive)
            | (Poll, Send { .. } | Receive { .. })
            | (Await { more: true, .. }, Receive { .. })
            | (Await { more: false, .. }, Send { .. })
            | (ClaimSend, Send { .. })
            | (ClaimReceive, Receive { .. }) => true,
            (Send { .. }, ClaimReceive | Await { more: true, .. })
            | (Receive { .. }, ClaimSend | Await { more: false, .. })
            | (Poll | Await { .. }, Poll | Await { .. } | ClaimSend | ClaimReceive)
            | (Await { more: false, .. }, Receive { .. })
            | (ClaimSend | ClaimReceive, _) => false,
        }
    }
}
