//! Finds runs along chains of encodings, for systems in which states with equal encodings have successors
//! with equal encodings.

use crate::{Encoding, Fault, Fired, Step, Steps, TransitionSystem};

pub fn retrace<S: TransitionSystem + ?Sized>(
    system: &S,
    chain: &[(Encoding, u32)],
    passing: &[Step],
    last: Option<(Step, Fault)>,
) -> Vec<Step> {
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    system.encode(&mut state, &mut encoding);
    let mut taken = Vec::new();
    for (target, _) in &chain[1..] {
        taken.extend(steps_to(system, &mut state, &mut encoding, target));
    }
    for &step in passing {
        system.fire(&mut state, step);
        taken.push(step);
    }
    if let Some((step, fault)) = last {
        let step = step_to_fault(system, &mut state, fault, |other| other == step)
            .or_else(|| step_to_fault(system, &mut state, fault, |_| true));
        taken.push(step.expect("a state with an equal encoding has a step with an equal fault"));
    }
    taken
}

/// Moves `state`, which `encoding` describes, along the first path to a state with the encoding `target`: one
/// step, or several if the states in between are transient.
pub fn steps_to<S: TransitionSystem + ?Sized>(
    system: &S,
    state: &mut S::State,
    encoding: &mut Encoding,
    target: &Encoding,
) -> Vec<Step> {
    let mut offered = Steps::default();
    system.steps(state, &mut offered);
    let mut levels = vec![offered.enabled.into_iter()];
    let mut taken = Vec::new();
    while let Some(level) = levels.last_mut() {
        let Some(step) = level.next() else {
            levels.pop();
            if taken.pop().is_some() {
                system.undo(state);
            }
            continue;
        };
        if !matches!(system.fire(state, step), Fired::Moved | Fired::MovedWithFault(_)) {
            continue;
        }
        taken.push(step);
        system.encode(state, encoding);
        if encoding.same(target) {
            return taken;
        }
        if system.is_transient(state) {
            let mut offered = Steps::default();
            system.steps(state, &mut offered);
            levels.push(offered.enabled.into_iter());
        } else {
            taken.pop();
            system.undo(state);
        }
    }
    panic!("no step leads to the next state: states with equal encodings have other successors");
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
