//! Limits that end an evaluation in its middle.
//!
//! A search checks the clock and interrupts between steps. A single step can take long: a condition with
//! nested quantifiers, a function that calls itself twice, an atomic block. So an interpreter counts its
//! operations as [`Fuel`], and asks an [`Alarm`] whenever the fuel is used up. If the alarm is due, the
//! evaluation is abandoned: it has no outcome, and the search ends as it would have ended between two steps.
//!
//! Without an alarm nothing is ever abandoned: a run without limits is a function of model, options and seed.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::Instant;

/// The number of operations between two queries of an alarm.
const PORTION: u32 = 1 << 10;

/// A reason to abandon a computation: a deadline, an interrupt from another thread, or a number of queries.
#[derive(Debug, Default)]
pub struct Alarm {
    deadline: Option<Instant>,
    /// The number of further queries that find it not due.
    looks: Option<AtomicU32>,
    interrupt: Option<Arc<AtomicBool>>,
    /// The number of operations until [`Alarm::burn`] queries the alarm again.
    left: AtomicU32,
    has_rung: AtomicBool,
}

impl Alarm {
    pub fn new(deadline: Option<Instant>, interrupt: Option<Arc<AtomicBool>>) -> Self {
        Self { deadline, interrupt, ..Self::default() }
    }

    /// An alarm that is due after this number of queries, which is the same in every run.
    pub fn after(looks: u32) -> Self {
        Self { looks: Some(AtomicU32::new(looks)), ..Self::default() }
    }

    /// Whether the computation must be abandoned.
    pub fn is_due(&self) -> bool {
        let is_used_up =
            |looks: &AtomicU32| looks.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
        self.is_interrupted()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.looks.as_ref().is_some_and(is_used_up)
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(Relaxed))
    }

    /// Counts an operation of an interpreter that is not critical for performance. Returns whether to
    /// continue; once the result is false, it stays false.
    pub fn burn(&self) -> bool {
        let left = self.left.load(Relaxed);
        if left > 0 {
            self.left.store(left - 1, Relaxed);
            return true;
        }
        if self.has_rung() || self.is_due() {
            self.ring();
            return false;
        }
        self.left.store(PORTION, Relaxed);
        true
    }

    /// Makes [`Alarm::burn`] return false from now on.
    pub fn ring(&self) {
        self.left.store(0, Relaxed);
        self.has_rung.store(true, Relaxed);
    }

    /// Whether [`Alarm::burn`] ever returned false, or would: results obtained since then are void.
    pub fn has_rung(&self) -> bool {
        self.has_rung.load(Relaxed)
    }
}

/// The number of operations that an interpreter may perform before it queries its alarm.
#[derive(Clone, Debug, Default)]
pub struct Fuel {
    left: u32,
    alarm: Option<Arc<Alarm>>,
    is_spent: bool,
}

impl Fuel {
    pub fn new(alarm: &Arc<Alarm>) -> Self {
        Self { alarm: Some(Arc::clone(alarm)), ..Self::default() }
    }

    /// Counts an operation. Returns whether to continue; once the result is false, it stays false.
    #[inline]
    pub fn burn(&mut self) -> bool {
        self.burn_many(1)
    }

    /// Counts an operation that takes as long as several.
    #[inline]
    pub fn burn_many(&mut self, operations: u32) -> bool {
        match self.left.checked_sub(operations) {
            Some(left) => {
                self.left = left;
                true
            }
            None => self.refill(),
        }
    }

    #[cold]
    fn refill(&mut self) -> bool {
        let Some(alarm) = &self.alarm else {
            self.left = u32::MAX;
            return true;
        };
        self.is_spent |= alarm.is_due();
        self.left = if self.is_spent { 0 } else { PORTION };
        !self.is_spent
    }

    /// Whether the result was ever false.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuel_without_an_alarm_lasts_for_ever() {
        let mut fuel = Fuel::default();
        assert!((0..5000).all(|_| fuel.burn()) && (0..10).all(|_| fuel.burn_many(u32::MAX)));
        assert!(!fuel.is_spent());
    }

    #[test]
    fn an_alarm_rings_within_a_portion_and_does_not_stop() {
        let flag = Arc::new(AtomicBool::new(false));
        let alarm = Arc::new(Alarm::new(None, Some(Arc::clone(&flag))));
        let mut fuel = Fuel::new(&alarm);
        assert!((0..5000).all(|_| fuel.burn() && alarm.burn()));
        flag.store(true, Relaxed);
        let most = PORTION as usize + 1;
        assert!((0..most).take_while(|_| fuel.burn()).count() < most);
        assert!((0..most).take_while(|_| alarm.burn()).count() < most);
        flag.store(false, Relaxed);
        assert!(!fuel.burn() && fuel.is_spent());
        assert!(!alarm.burn() && alarm.has_rung());
    }

    #[test]
    fn a_deadline_that_is_over_rings_at_once() {
        let alarm = Arc::new(Alarm::new(Some(Instant::now()), None));
        assert!(alarm.is_due() && !alarm.is_interrupted());
        assert!(!alarm.burn() && !Fuel::new(&alarm).burn());
    }
}
