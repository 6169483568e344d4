//! Tracing of accesses: which bits of which words are read and written, and in which order.
//!
//! The successor cache and the dynamic partial order reduction switch it on while they try steps. Otherwise
//! it costs one test per access.

use std::sync::{Mutex, PoisonError};

use crate::{NodeRef, State};

/// One access to some bits of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    pub at: u32,
    pub mask: u64,
    pub kind: AccessKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Read,
    /// The word belongs to this unit.
    Write(NodeRef),
    /// The bits were shifted down by this many places without being read: see [`State::shift_bits`].
    Shift(NodeRef, u32),
}

#[derive(Clone, Default, Debug)]
pub(crate) struct AccessTrace {
    pub is_on: bool,
    accesses: Accesses,
}

impl AccessTrace {
    #[cold]
    pub fn record(&self, at: usize, mask: u64, kind: AccessKind) {
        self.accesses.push(Access { at: at as u32, mask, kind });
    }
}

/// The recorded accesses. Reading a state takes a shared reference, hence the lock. It is held for a push
/// only.
#[derive(Default, Debug)]
struct Accesses(Mutex<Vec<Access>>);

impl Accesses {
    fn get_mut(&mut self) -> &mut Vec<Access> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, access: Access) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(access);
    }
}

/// The trace of a clone is empty.
impl Clone for Accesses {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl State {
    /// Starts an empty trace of all reads and writes of words of units.
    pub fn trace_accesses(&mut self) {
        self.trace.is_on = true;
        self.trace.accesses.get_mut().clear();
    }

    /// The number of accesses in the trace.
    pub fn count_accesses(&mut self) -> usize {
        self.trace.accesses.get_mut().len()
    }

    /// Moves the trace to `into`, and goes on with an empty one.
    pub fn take_accesses(&mut self, into: &mut Vec<Access>) {
        into.clear();
        std::mem::swap(into, self.trace.accesses.get_mut());
    }

    /// Ends what [`State::trace_accesses`] began. The trace can still be taken.
    pub fn stop_tracing(&mut self) {
        self.trace.is_on = false;
    }
}
