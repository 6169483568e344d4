//! How much work minimisation may take.
//!
//! Work is counted in steps of the plain interpreter, so that what comes out is a function of the model and
//! the options. The clock is there as well, for models whose steps take long; where it ends minimisation, the
//! report says that more might have been possible.

use std::cell::Cell;

use system::Alarm;

/// The work that is left.
pub struct Effort<'a> {
    pub alarm: &'a Alarm,
    left: Cell<u64>,
    is_spent: Cell<bool>,
}

impl<'a> Effort<'a> {
    pub fn new(alarm: &'a Alarm, steps: u64) -> Self {
        Self { alarm, left: Cell::new(steps), is_spent: Cell::new(false) }
    }

    /// Gives more work of the same alarm.
    pub fn refill(&self, steps: u64) {
        self.left.set(steps);
    }

    /// Takes work away. Returns whether there was as much, and time.
    pub fn spend(&self, steps: u64) -> bool {
        let left = self.left.get().checked_sub(steps).filter(|_| !self.alarm.has_rung());
        self.left.set(left.unwrap_or(0));
        self.is_spent.set(self.is_spent.get() || left.is_none());
        left.is_some()
    }

    /// Records that something was not tried although it might have been better.
    pub fn give_up(&self) {
        self.is_spent.set(true);
    }

    /// Whether something was not tried.
    pub fn is_spent(&self) -> bool {
        self.is_spent.get() || self.alarm.has_rung()
    }

    pub fn left(&self) -> u64 {
        self.left.get()
    }

    pub fn has_left(&self) -> bool {
        self.left.get() > 0 && !self.alarm.has_rung()
    }
}
