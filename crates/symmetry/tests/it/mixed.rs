//! Where objects, recursive functions and channels of references meet: a channel mentions what is in its
//! messages.

use std::collections::BTreeSet;

use engine::Engine;
use ir::Program;
use quotient_symmetry::{Level, Naming};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{effort, program, random_mixed, random_mixed_text};

use crate::brute::least_form;
use crate::forms::{Form, NAMINGS, config, decode, flat, form, full};
use crate::orbits::explore_up_to;

/// Few objects, so that all names of them can be tried.
const BOUNDS: state::Bounds = state::Bounds { threads: 4, frames: 4, objects: 7 };

/// All states without symmetry, unless there are more than `most`.
fn plain_states(engine: &Engine, most: usize) -> Option<Vec<Encoding>> {
    let mut state = engine.initial();
    let mut mirror = Encoding::new();
    engine.encode(&mut state, &mut mirror);
    let mut seen = BTreeSet::from([flat(&mirror)]);
    let mut all = vec![mirror];
    let mut at = 0;
    while at < all.len() {
        let mut mirror = all[at].clone();
        engine.decode(&mirror, &mut state);
        let mut steps = Steps::default();
        engine.steps(&mut state, &mut steps);
        for step in steps.enabled {
            if matches!(engine.fire(&mut state, step), Fired::Moved | Fired::MovedWithFault(_)) {
                engine.encode(&mut state, &mut mirror);
                if seen.insert(flat(&mirror)) {
                    all.push(mirror.clone());
                }
                engine.undo(&mut state);
            }
        }
        if all.len() > most {
            return None;
        }
        at += 1;
    }
    Some(all)
}

/// The classes of the states without symmetry, by brute force, are as many as the states at the level `full`,
/// which has one form for each class; those of the level `heap` lie in between.
fn classes_are_found_once(program: &Program, most: usize) -> Option<[usize; 3]> {
    let engine = Engine::new(program, BOUNDS, false);
    let layout = engine.layout();
    let plain = plain_states(&engine, most)?;
    let mut classes = BTreeSet::new();
    for encoding in &plain {
        classes.insert(least_form(layout, &decode(layout, encoding), 50_000)?);
    }
    let mut counts = [plain.len(), 0, classes.len()];
    for naming in NAMINGS {
        let (by_heap, _) = explore_up_to(most, &engine, config(Level::Heap, naming))?;
        let (by_class, _) = explore_up_to(most, &engine, full(naming))?;
        assert_eq!(by_class.len(), classes.len(), "{naming:?}");
        let forms: BTreeSet<Form> =
            plain.iter().map(|encoding| form(full(naming), layout, &decode(layout, encoding))).collect();
        assert!(forms.iter().eq(by_class.keys()), "{naming:?}");
        assert!((by_class.len()..=plain.len()).contains(&by_heap.len()), "{naming:?}");
        counts[1] = by_heap.len();
    }
    Some(counts)
}

#[test]
fn lists_go_through_channels() {
    let program = program(testing::POST);
    assert_eq!(classes_are_found_once(&program, 100_000), Some([904, 60, 44]));
}

/// Two lists in one channel change their places in it, and are told apart by nothing else.
#[test]
fn a_channel_is_an_order() {
    let program = program(
        "program order;
        record Node { boolean marked; }
        channel box [2] { record Node };
        global chan box;
        prologue { box := new chan(box); }
        thread T() {
          local Node a;
          loc make live {}: do { a := new Node; } goto put;
            do { a := new Node; a.marked := true; } goto put;
          loc put: do { send(box, a); } goto make;
          loc take live {}: do { receive(box, a :=); } goto make;
        }
        active T;",
    );
    // At `make` with 0, 1 or 2 messages; at `put` with one object more. The two that are put last may not be
    // equal.
    assert_eq!(
        classes_are_found_once(&program, 1000).map(|[.., classes]| classes),
        Some(1 + 2 + 4 + 2 + 4 + 8)
    );
}

#[test]
fn random_programs() {
    let (mut complete, mut folded) = (0, 0);
    for seed in (1..effort(240)).step_by(2) {
        let program = random_mixed(seed);
        let found = std::panic::catch_unwind(|| classes_are_found_once(&program, 1200));
        let found = found.unwrap_or_else(|panic| {
            eprintln!("program {seed}\n{}", random_mixed_text(seed));
            std::panic::resume_unwind(panic)
        });
        if let Some([plain, heap, classes]) = found {
            complete += 1;
            folded += u64::from(classes < heap && heap <= plain);
        }
    }
    // The programs are worth something.
    eprintln!("{complete} programs, {folded} with less classes than states");
    assert!(complete > effort(30), "{complete} are small enough");
    assert!(folded > effort(10), "{folded} have symmetric threads");
}

/// A random program in which ids of threads can be observed, and threads end, the youngest first.
fn with_numbers(seed: u64) -> Program {
    let text = random_mixed_text(2 * seed);
    let last = "  loc l9: when youngest() return;\n  loc inside fused:";
    let text = text.replace("  loc inside fused:", last).replacen("goto l1;", "goto l9;", 2);
    program(&text.replacen("goto l2;", "goto l9;", 1))
}

/// Where ids of threads can be observed, only objects have names: what the level `heap` stores are the forms of all
/// states, and fewer than these.
#[test]
fn random_programs_with_observable_threads() {
    let most = 1500;
    let (mut complete, mut folded) = (0, 0);
    for seed in 0..effort(150) {
        let program = with_numbers(seed);
        let engine = Engine::new(&program, BOUNDS, false);
        let layout = engine.layout();
        let Some(plain) = plain_states(&engine, most) else { continue };
        let ladder = config(Level::Heap, Naming::Dfs);
        let stored = explore_up_to(most, &engine, ladder).map(|(stored, _)| stored);
        let stored = stored.unwrap_or_else(|| panic!("program {seed}: more states than without symmetry"));
        let forms: BTreeSet<Form> =
            plain.iter().map(|encoding| form(ladder, layout, &decode(layout, encoding))).collect();
        assert!(
            forms.iter().eq(stored.keys()),
            "program {seed}: {} forms, {} states",
            forms.len(),
            stored.len()
        );
        folded += u64::from(forms.len() < plain.len());
        complete += 1;
    }
    eprintln!("{complete} programs, {folded} with less forms than states");
    assert!(complete > effort(150) / 4 && folded > effort(10), "{complete} {folded}");
}

/// Pointers to parts of objects: each way to give names finds as many forms, and what these leave out would make
/// states one that differ.
#[test]
fn random_programs_with_pointers() {
    let bounds = state::Bounds { objects: 40, ..BOUNDS };
    let (mut complete, mut states) = (0, 0);
    for seed in 0..effort(150) {
        let text = testing::heap::pointer_text(seed);
        let program = program(&text);
        let engine = Engine::new(&program, bounds, false);
        let layout = engine.layout();
        let Some(plain) = plain_states(&engine, 800) else { continue };
        for level in [Level::Heap, Level::Full] {
            let counts = NAMINGS.map(|naming| {
                let ladder = config(level, naming);
                let forms: BTreeSet<Form> =
                    plain.iter().map(|encoding| form(ladder, layout, &decode(layout, encoding))).collect();
                let stored = explore_up_to(800, &engine, ladder).map(|(stored, _)| stored.len());
                assert_eq!(stored, Some(forms.len()), "program {seed}, {level:?}, {naming:?}\n{text}");
                forms.len()
            });
            assert!(
                counts.iter().all(|&count| count == counts[0]),
                "program {seed}, {level:?}, {counts:?}\n{text}"
            );
        }
        complete += 1;
        states += plain.len() as u64;
    }
    eprintln!("{complete} programs with pointers, {states} states");
    assert!(complete > effort(150) / 2, "{complete}");
}
