//! Runs along chains of encodings, for systems in which states with equal encodings have successors with equal
//! encodings.

use crate::{Encoding, Fault, Fired, Step, Steps, TransitionSystem};

pub fn retrace<S: TransitionSystem + ?Sized>(
    system: &S,
    chain: &[(Encoding, u32)],
    last: Option<(Step, Fault)>,
) -> Vec<Step> {
    let (mut state, mut encoding) = (system.initial(), Encoding::new());
    system.encode(&mut state, &mut encoding);
    let mut taken = Vec::new();
    for (target, _) in &chain[1..] {
        taken.extend(steps_to(system, &mut state, &mut encoding, target));
    }
    if let Some((step, fault)) = last {
        let found = steps_to_fault(system, &mut state, fault);
        let step = found.iter().copied().find(|&other| other == step).or(found.first().copied());
        taken.push(step.expect("a state with an equal encoding has a step with an equal fault"));
    }
    taken
}

/// Takes the first way of `state`, which `encoding` shows, to a state with the encoding `target`: a step, and more where
/// the states in between are transient.
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
        if !matches!(system.fire(state, step), Fired::Moved | Fired::Flawed(_)) {
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

/// The steps of `state` that end in `fault`, in their guards or when they are fired.
pub fn steps_to_fault<S: TransitionSystem + ?Sized>(
    system: &S,
    state: &mut S::State,
    fault: Fault,
) -> Vec<Step> {
    let mut offered = Steps::default();
    system.steps(state, &mut offered);
    let guards = offered.faults.iter().filter(|&&(_, other)| other == fault).map(|&(step, _)| step);
    let mut found: Vec<Step> = guards.collect();
    for &step in &offered.enabled {
        match system.fire(state, step) {
            Fired::Fault(other) if other == fault => found.push(step),
            Fired::Flawed(other) => {
                if other == fault {
                    found.push(step);
                }
                system.undo(state);
            }
            Fired::Moved => system.undo(state),
            Fired::Fault(_) | Fired::Truncated(_) => {}
        }
    }
    found
}
