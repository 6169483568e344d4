//! Trails: the steps from the initial state to a violation.
//!
//! A trail is concrete: it can be replayed on the system alone, without a store. A depth-first search has it
//! on its stack. A breadth-first search only has a chain of stored states, and the steps that it fired are
//! steps of *decoded* states, in which everything may have other names: [`TransitionSystem::retrace`] finds
//! the run from the initial state through the same states.

use std::fmt;

use system::{Fault, FaultKind, Fired, Halt, Step, Steps, TransitionSystem};

/// The steps of a run, from the initial state on.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Trail {
    pub steps: Vec<Step>,
}

impl Trail {
    pub const fn len(&self) -> usize {
        self.steps.len()
    }

    pub const fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Fires the steps one after another and returns the faults at the end: the fault of the last step or, if
    /// it moved, the faults of the state to which it leads. `visit` is called with the initial state, without
    /// a step, and with each state to which a step led.
    pub fn replay<S: TransitionSystem>(
        &self,
        system: &S,
        mut visit: impl FnMut(Option<Step>, &mut S::State),
    ) -> Result<Vec<Fault>, Diverged> {
        let mut state = system.initial();
        let mut offered = Steps::default();
        visit(None, &mut state);
        let mut soft_fault = None;
        for (at, &step) in self.steps.iter().enumerate() {
            let is_last = at + 1 == self.steps.len();
            system.steps(&mut state, &mut offered);
            let guard = offered.faults.iter().find(|(other, _)| *other == step).map(|&(_, fault)| fault);
            let fired = match guard {
                Some(fault) => Fired::Fault(fault),
                None if offered.enabled.contains(&step) => system.fire(&mut state, step),
                None => return Err(Diverged { at, step, cause: Cause::NotEnabled }),
            };
            soft_fault = None;
            match fired {
                Fired::Moved => visit(Some(step), &mut state),
                Fired::MovedWithFault(fault) => {
                    visit(Some(step), &mut state);
                    soft_fault = Some(fault);
                }
                Fired::Fault(fault) if is_last => return Ok(vec![fault]),
                Fired::Fault(fault) => return Err(Diverged { at, step, cause: Cause::Fault(fault) }),
                Fired::Truncated(_) => return Err(Diverged { at, step, cause: Cause::Truncated }),
                Fired::Abandoned => unreachable!("the state heeds no alarm"),
            }
        }
        let violated = match system.check(&mut state) {
            Err(Halt::Fault(fault)) => Some(fault),
            Ok(()) | Err(Halt::Truncated(_) | Halt::Abandoned) => None,
        };
        let mut faults: Vec<Fault> = soft_fault.into_iter().chain(violated).collect();
        system.steps(&mut state, &mut offered);
        if is_deadlock(system, &state, &offered) {
            faults.push(DEADLOCK);
        }
        Ok(faults)
    }
}

impl From<Vec<Step>> for Trail {
    fn from(steps: Vec<Step>) -> Self {
        Self { steps }
    }
}

pub(crate) const DEADLOCK: Fault = Fault { kind: FaultKind::Deadlock, site: 0 };

/// Whether the state has no enabled step and no faulting guard, and is not a proper end.
pub(crate) fn is_deadlock<S: TransitionSystem>(system: &S, state: &S::State, steps: &Steps) -> bool {
    steps.is_empty() && !system.ended(state)
}

/// The error of a trail that the system does not follow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diverged {
    /// The index of the step in the trail.
    pub at: usize,
    pub step: Step,
    cause: Cause,
}

/// Why the system does not follow a trail.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Cause {
    NotEnabled,
    Fault(Fault),
    Truncated,
}

impl fmt::Display for Diverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, step, cause } = self;
        write!(
            f,
            "step {} of the trail (thread {}, transition {}, choice {}) ",
            at + 1,
            step.thread,
            step.transition,
            step.choice
        )?;
        match cause {
            Cause::NotEnabled => f.write_str("is not enabled: is the trail of another version of the model?"),
            Cause::Fault(fault) => write!(f, "ends in a fault ({}) before the end of the trail", fault.kind),
            Cause::Truncated => {
                f.write_str("leaves a bound: were the bounds greater when the trail was made?")
            }
        }
    }
}

impl std::error::Error for Diverged {}
