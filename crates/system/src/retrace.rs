//! Runs along chains of stored states.

use crate::{Encoding, Fault, Fired, Step, Steps, TransitionSystem};

/// A state on the way of a search.
#[derive(Clone)]
pub struct Waypoint {
    pub encoding: Encoding,
    /// Its hidden data.
    pub hidden: u32,
    /// The steps to it from the state that was decoded from the waypoint before: one, or several if the states in
    /// between are transient. None if it is the first.
    pub steps: Vec<Step>,
}

pub fn retrace<S: TransitionSystem + ?Sized>(
    system: &S,
    chain: &[Waypoint],
    passing: &[Step],
    last: Option<(Step, Fault)>,
) -> Vec<Step> {
    let mut state = system.initial();
    let mut taken: Vec<Step> =
        chain.iter().flat_map(|waypoint| &waypoint.steps).chain(passing).copied().collect();
    for &step in &taken {
        let fired = system.fire(&mut state, step);
        assert!(matches!(fired, Fired::Moved | Fired::MovedWithFault(_)), "a step of the search leads on");
    }
    if let Some((step, fault)) = last {
        let step = step_to_fault(system, &mut state, fault, |other| other == step)
            .or_else(|| step_to_fault(system, &mut state, fault, |_| true));
        taken.push(step.expect("a state with an equal encoding has a step with an equal fault"));
    }
    taken
}

/// The first step of `state` that ends in `fault`, in its guard or when it is fired, among those that
/// `to_try` accepts. No other step is fired: a search that ended may never have fired them.
pub fn step_to_fault<S: TransitionSystem + ?Sized>(
    system: &S,
    state: &mut S::State,
    fault: Fault,
    to_try: impl Fn(Step) -> bool,
) -> Option<Step> {
    let mut offered = Steps::default();
    system.steps(state, &mut offered);
    let mut guards = offered.faults.iter().filter(|&&(step, other)| other == fault && to_try(step));
    if let Some(&(step, _)) = guards.next() {
        return Some(step);
    }
    offered.enabled.into_iter().filter(|&step| to_try(step)).find(|&step| match system.fire(state, step) {
        Fired::Fault(other) => other == fault,
        Fired::MovedWithFault(other) => {
            system.undo(state);
            other == fault
        }
        Fired::Moved => {
            system.undo(state);
            false
        }
        Fired::Truncated(_) | Fired::Abandoned => false,
    })
}
