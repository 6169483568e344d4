//! What a run has to show to be a run to the same violation.

use naive::{NaiveFault, State, Stopped};
use system::FaultKind;

use super::stage::{Performed, Recorded, Stage};

/// The violation at the end of a run.
pub enum Target {
    /// The last step faults.
    Step(NaiveFault),
    /// The last step violates a check, and moves all the same.
    SoftFault(NaiveFault),
    /// The last state violates an invariant.
    Invariant(NaiveFault),
    /// No thread can move in the last state.
    Deadlock,
}

impl Target {
    /// What a run of a violation of this kind shows, if it is known.
    pub fn of(stage: &Stage<'_>, run: &Recorded, kind: FaultKind) -> Option<Self> {
        if let Some(fault) = &run.fault {
            return (fault.kind == kind).then(|| Self::Step(fault.clone()));
        }
        let last = &run.last.state;
        if kind == FaultKind::Deadlock {
            return stage.naive.deadlocked(last).then_some(Self::Deadlock);
        }
        if let Some(fault) = last.soft_fault().filter(|fault| fault.kind == kind) {
            return Some(Self::SoftFault(fault.clone()));
        }
        match stage.naive.check(last) {
            Err(Stopped::Fault(fault)) if fault.kind == kind => Some(Self::Invariant(fault)),
            _ => None,
        }
    }

    /// Whether an act comes to it. That of a deadlock is asked of the state: see [`Target::is_stuck`].
    pub fn is_hit(&self, stage: &Stage<'_>, performed: &Performed) -> bool {
        match (self, performed) {
            (Self::Step(meant), Performed::Fault(_, fault)) => is_same(meant, fault),
            (Self::SoftFault(meant), Performed::Moved(_, next)) => {
                next.state.soft_fault().is_some_and(|fault| is_same(meant, fault))
            }
            (Self::Invariant(meant), Performed::Moved(_, next)) => match stage.naive.check(&next.state) {
                Err(Stopped::Fault(fault)) => is_same(meant, &fault),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a state in which the acts that are left are impossible is the deadlock that is meant.
    pub fn is_stuck(&self, stage: &Stage<'_>, state: &State) -> bool {
        matches!(self, Self::Deadlock) && stage.effort.spend(2) && stage.naive.deadlocked(state)
    }
}

/// Whether two faults are the same violation to people.
fn is_same(one: &NaiveFault, other: &NaiveFault) -> bool {
    (one.kind, one.span) == (other.kind, other.span) && class(&one.message) == class(&other.message)
}

/// A message without its numbers: another run may come to other values.
pub fn class(message: &str) -> String {
    let mut class = String::new();
    for letter in message.chars() {
        let letter = if letter.is_ascii_digit() { '0' } else { letter };
        if letter != '0' || !class.ends_with('0') {
            class.push(letter);
        }
    }
    class
}
