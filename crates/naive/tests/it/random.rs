//! Laws that hold for all programs, on random ones; and that those do what they are there for.

use std::collections::{BTreeMap, BTreeSet};

use ir::{ActionKind, Callee, Exit, Guard, TransitionId};
use testing::{SplitMix64, effort, random_program, random_text};

use super::*;

/// Bounds that most programs keep to and some do not.
fn naive(program: &Program, seed: u64) -> Naive<'_> {
    let bounds = match seed % 3 {
        0 => Bounds { threads: 4, frames: 3, objects: 8 },
        _ => Bounds::default(),
    };
    Naive { bounds, ..Naive::new(program) }
}

#[test]
fn enabled_steps_fire_and_others_do_not() {
    for seed in 0..effort(60) {
        let program = random_program(seed);
        let naive = naive(&program, seed);
        let mut rng = SplitMix64::new(seed);
        let mut state = naive.initial();
        for _ in 0..60 {
            let (enabled, faults) = naive.steps(&state);
            for &step in &enabled {
                assert_ne!(naive.fire(&state, step), Err(Stopped::NotEnabled), "{seed} {step:?}");
            }
            for (step, fault) in &faults {
                assert_eq!(naive.fire(&state, *step), Err(Stopped::Fault(fault.clone())), "{seed} {step:?}");
            }
            for _ in 0..20 {
                let step = Step {
                    thread: rng.below(6) as u32,
                    transition: rng.below(program.transitions.len() + 2) as u32,
                    choice: rng.below(3) as u32,
                };
                let there = enabled.contains(&step) || faults.iter().any(|(other, _)| *other == step);
                assert_eq!(naive.fire(&state, step) != Err(Stopped::NotEnabled), there, "{seed} {step:?}");
            }
            if enabled.is_empty() {
                break;
            }
            let step = *rng.pick(&enabled);
            if let Ok(next) = naive.fire(&state, step) {
                assert_eq!(naive.fire(&state, step).as_ref(), Ok(&next));
                state = next;
            }
        }
    }
}

#[test]
fn states_are_free_of_garbage_and_sound() {
    for seed in 0..effort(100) {
        let program = random_program(seed);
        let naive = naive(&program, seed);
        let mut rng = SplitMix64::new(seed);
        let mut state = naive.initial();
        for _ in 0..80 {
            let mut again = state.clone();
            collect(&mut again);
            assert_eq!(again, state, "{seed}");
            for object in state.objects.values() {
                if let ObjectKind::Lock { owner, count } = object.kind {
                    assert_eq!(owner.is_some(), count > 0);
                    assert!(owner.is_none_or(|owner| state.threads.contains_key(&owner)));
                }
            }
            if let Some(exclusive) = state.exclusive {
                let (enabled, faults) = naive.steps(&state);
                assert!(!enabled.is_empty() || !faults.is_empty());
                assert!(enabled.iter().all(|step| step.thread == exclusive));
            }
            let enabled = naive.steps(&state).0;
            if enabled.is_empty() {
                break;
            }
            if let Ok(next) = naive.fire(&state, *rng.pick(&enabled)) {
                for change in naive.describe_changes(&state, &next) {
                    assert!(!matches!(&change, Change::Value { from, to, .. } if from == to), "{change}");
                }
                let _ = naive.describe_state(&next);
                state = next;
            }
        }
    }
}

/// What random programs are to have in them, and in how many of 200 at least.
const WANTED: &[(&str, usize)] = &[
    ("assertions", 15),
    ("assumptions", 15),
    ("bags", 3),
    ("calls", 60),
    ("calls of virtual functions", 8),
    ("catches by a caller", 10),
    ("catches in the frame that throws", 10),
    ("choices of elements", 20),
    ("choices of whom to notify", 5),
    ("collections in collections", 2),
    ("collections of objects and threads", 2),
    ("deadlocks", 30),
    ("elements of abstract enums", 20),
    ("else", 80),
    ("empty collections", 3),
    ("ended threads that are known", 20),
    ("exclusive states", 8),
    ("faults", 25),
    ("garbage", 25),
    ("locks held twice", 15),
    ("maps", 5),
    ("no faults", 100),
    ("notified threads", 20),
    ("queues", 1),
    ("recursion", 8),
    ("sequences", 4),
    ("sets", 8),
    ("start", 100),
    ("states without live threads", 40),
    ("threads that wait together", 12),
    ("truncations", 3),
    ("unwait", 20),
];

#[test]
fn random_programs_do_interesting_things() {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let mut large = 0;
    for seed in 0..200 {
        let program = random_program(seed);
        let naive = naive(&program, seed);
        let seen = features(&naive, 3000);
        large += usize::from(seen.1 >= 3000);
        for feature in seen.0 {
            *found.entry(feature).or_default() += 1;
        }
    }
    for (feature, least) in WANTED {
        let times = found.get(feature).copied().unwrap_or(0);
        assert!(times >= *least, "{feature}: {times} of 200, {found:#?}");
    }
    assert!(large < 40, "{large} of 200 programs have 3000 states and more");
}

/// What is met in the first states of a program, and how many states these are.
fn features(naive: &Naive<'_>, limit: usize) -> (BTreeSet<&'static str>, usize) {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::from([naive.initial()]);
    let mut open = vec![naive.initial()];
    let mut faulty = false;
    while let Some(state) = open.pop() {
        let mut is = |holds: bool, feature| holds.then(|| found.insert(feature));
        let live = state.threads.values().filter(|thread| !thread.ended());
        is(live.clone().count() == 0, "states without live threads");
        is(state.threads.values().any(Thread::ended), "ended threads that are known");
        is(state.exclusive.is_some(), "exclusive states");
        is(live.clone().filter(|t| t.waiting.is_some()).count() > 1, "threads that wait together");
        is(live.clone().any(|t| t.waiting.is_some_and(|w| w.notified)), "notified threads");
        is(live.clone().any(|t| t.frames.len() > 3), "recursion");
        let twice = |object: &Object| matches!(object.kind, ObjectKind::Lock { count: 2.., .. });
        is(state.objects.values().any(twice), "locks held twice");
        for value in &state.globals {
            let kind = match value {
                Value::Abstract(..) => "elements of abstract enums",
                Value::Set(_) => "sets",
                Value::Bag(_) => "bags",
                Value::Map(_) => "maps",
                Value::Seq(_) => "sequences",
                Value::Queue { .. } => "queues",
                _ => continue,
            };
            let elements = value.elements();
            is(!elements.is_empty() || matches!(value, Value::Abstract(..)), kind);
            is(elements.iter().any(|element| !element.elements().is_empty()), "collections in collections");
            let refers = |value: &&Value| matches!(value, Value::Ref(_) | Value::Thread(_));
            is(elements.iter().any(refers), "collections of objects and threads");
        }
        is(naive.deadlocked(&state), "deadlocks");
        let (enabled, faults) = naive.steps(&state);
        faulty |= !faults.is_empty() || naive.check(&state).is_err();
        for step in enabled {
            let transition = &naive.program.transitions[TransitionId(step.transition)];
            if step.choice > 0 {
                let meets =
                    |kind: fn(&ActionKind) -> bool| transition.body.iter().any(|action| kind(&action.kind));
                is(meets(|kind| matches!(kind, ActionKind::Notify(_))), "choices of whom to notify");
                is(meets(|kind| matches!(kind, ActionKind::Choose(..))), "choices of elements");
            }
            let next = match naive.fire(&state, step) {
                Ok(next) => next,
                Err(Stopped::Truncated(_)) => {
                    is(true, "truncations");
                    continue;
                }
                Err(Stopped::NotEnabled | Stopped::Abandoned) => unreachable!("enabled steps can be fired"),
                Err(Stopped::Fault(fault)) => {
                    faulty = true;
                    is(fault.kind == FaultKind::Empty, "empty collections");
                    continue;
                }
            };
            is(transition.guard == Guard::Else, "else");
            is(next.objects.len() < state.objects.len(), "garbage");
            if let Exit::Call { callee, .. } = transition.exit {
                is(true, "calls");
                is(matches!(callee, Callee::Virtual(_)), "calls of virtual functions");
            }
            for action in &transition.body {
                match action.kind {
                    ActionKind::Assert(..) => is(true, "assertions"),
                    ActionKind::Assume(_) => is(true, "assumptions"),
                    ActionKind::Start { .. } => is(true, "start"),
                    ActionKind::Unwait(_) => is(true, "unwait"),
                    ActionKind::Throw(_) => {
                        let depth =
                            |state: &State| state.threads.get(&step.thread).map_or(0, |t| t.frames.len());
                        is(depth(&next) < depth(&state), "catches by a caller");
                        is(depth(&next) == depth(&state), "catches in the frame that throws")
                    }
                    _ => None,
                };
            }
            if seen.len() < limit && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found.insert(if faulty { "faults" } else { "no faults" });
    (found, seen.len())
}

#[test]
fn equal_seeds_give_equal_programs() {
    assert_eq!(random_text(7), random_text(7));
    let texts: BTreeSet<_> = (0..100).map(random_text).collect();
    assert_eq!(texts.len(), 100);
}
