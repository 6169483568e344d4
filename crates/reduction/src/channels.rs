//! Which channels threads may use.
//!
//! A channel is a number, which can be passed around. If an expression only reads what never changes
//! (constants, parameters that keep their value, the number of the thread, globals that are only
//! initialized), it always names the same channel, and its value in the current state says which one. An
//! element of an array that never changes is one of its elements. Everything else may be any channel.

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

    /// The thread that runs exclusively, inside an atomic block.
    #[inline]
    pub fn exclusive(self) -> Option<ThreadId> {
        ThreadId::from_raw(self.state.read_untraced(self.state.root(), self.layout.exclusive?))
    }

    /// The location of a thread.
    #[inline]
    pub fn location(self, thread: ThreadId) -> LocationId {
        self.location_at(self.state.frame(thread))
    }

    #[inline]
    fn location_at(self, frame: usize) -> LocationId {
        LocationId(self.state.read_untraced(frame, self.layout.location) as u32)
    }

    /// The locations of a thread in each of its frames.
    pub fn locations(self, thread: ThreadId) -> impl Iterator<Item = LocationId> {
        self.state.frames(self.layout, thread).map(move |frame| self.location_at(frame))
    }

    /// What a thread may still do, by frame.
    pub fn futures(self, thread: ThreadId) -> impl Iterator<Item = &'a Future> {
        self.locations(thread).map(move |location| self.analysis.futures.at(location))
    }

    /// The value of an expression of a thread, evaluated in its last frame; with `for_good`, only if the
    /// value never changes.
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

    /// The number of a channel that was created with a thread. The youngest thread ends first, and its
    /// channels are removed with it, so channels are in the order of their threads.
    fn own_channel(&self, id: ChannelId, thread: ThreadId) -> Option<i64> {
        let program = &self.analysis.program;
        let channels = |thread| &program.procedures[self.frame(thread).0].channels;
        let at = channels(thread).iter().position(|&own| own == id)?;
        let before: usize = (0..thread.0).map(|older| channels(ThreadId(older)).len()).sum();
        Some((program.first_channels.len() + before + at) as i64 + 1)
    }

    /// Whether a use may be of the channel with this number, which exists: now or later, by `thread` or, if
    /// that is `None`, by a thread that may be started.
    ///
    /// A channel that is created with a thread that is started later can have this number only after the
    /// present channel was removed with its own thread, which is a use of it as well.
    pub fn may_use(&self, found: &Use, thread: Option<ThreadId>, number: i64) -> bool {
        let Some(channel) = &found.channel else { return true };
        let Some(thread) = thread else {
            return match channel.kind {
                ExprKind::Channel(id) => self.first_channel(id) == Some(number),
                _ => true,
            };
        };
        // Variables in which channels were passed are 0 when they are no longer needed.
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

    /// The number of messages of the channel with this number, and its capacity.
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
    /// One use of each kind, with arbitrary parameters.
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

    /// The index of the kind in [`UseKind::EACH`]. The conflicts of a use depend on nothing else.
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

    /// The kind by whose conflicts a use is judged in a state with this number of messages in a channel of
    /// this capacity: an awaited condition that does not hold must not become true.
    pub const fn now(self, (length, capacity): (u32, u32)) -> Self {
        let Self::Await { more, question } = self else { return self };
        let is_so = match question {
            Question::Empty => (length > 0) == more,
            Question::Full => (length == capacity) == more,
            Question::Other => return self,
        };
        Self::Await { more: more == is_so, question }
    }

    /// Whether a use of the same channel by another thread, now or later, conflicts with this one. There is a
    /// message if this is a receive, there is room if it is a send, and what it awaits is true.
    ///
    /// In the table, `A+` and `A-` stand for awaiting more and fewer messages, `CS` and `CR` for claims to
    /// send and to receive.
    ///
    /// | this \ other  | send           | receive   | poll | `A+` | `A-` | `CS` | `CR` | end |
    /// |---------------|----------------|-----------|------|------|------|------|------|-----|
    /// | send          | yes            | if sensed | yes  |      | yes  | yes  |      | yes |
    /// | receive       | sorted, sensed | yes       | yes  | yes  |      |      | yes  | yes |
    /// | poll          | yes            | yes       |      |      |      |      |      | yes |
    /// | `A+`          | sorted         | yes       |      |      |      |      |      | yes |
    /// | `A-`          | yes            |           |      |      |      |      |      | yes |
    /// | end of `CS`   | yes            |           |      |      |      |      |      | yes |
    /// | end of `CR`   |                | yes       |      |      |      |      |      | yes |
    /// | end           | yes            | yes       | yes  | yes  | yes  | yes  | yes  | yes |
    ///
    /// The first message stays the first one when others are put behind it, and room stays room when some
    /// messages are removed. A thread that waits for messages is not affected by more of them: what it could
    /// do before, it can still do.
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
