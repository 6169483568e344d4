//! The conditions on ample steps, and their consequences, checked on random programs whose states are all
//! known.

use std::collections::BTreeSet;

use engine::{Engine, EngineState, OverEngine};
use ir::{LocationId, Program};
use reduction::testing::Seeded;
use reduction::{Analysis, Observed, Reduced, obstacle};
use search::{Completeness, Options as Limits, Quiet, StopReason, bfs};
use state::{Bounds, Entity, Layout, NodeRef, ObjectId, State, ThreadId};
use store::{Budget, HashSetStore};
use symmetry::{Level, Naming, Options, Symmetric, SymmetryConfig};
use system::{Encoding, Fired, Steps, Temporal, TransitionSystem};
use testing::{SplitMix64, channels, heap, program, random_mixed_text, random_processes};

use crate::common::{complaint, difference, graph};

const BOUNDS: Bounds = Bounds { threads: 8, frames: 255, objects: 65535 };

/// Among this number of programs there is one that reveals each seeded error.
const MANY: u64 = 10_000;

const MOST_STATES: usize = 700;

fn programs() -> u64 {
    testing::effort(5000)
}

/// Why the reduction of a program is wrong, if it is; and the numbers of states without and with the
/// reduction. `None` if the program is too large.
fn verdict(program: &Program, analysis: &Analysis) -> Option<(Option<String>, [usize; 2])> {
    let engine = Engine::new(program, BOUNDS, false);
    let who = |_: &EngineState, thread| thread;
    let full = graph(&engine, MOST_STATES, &who)?;
    let system = Reduced::new(&engine, analysis);
    let reduced = graph(&system, MOST_STATES, &who)?;
    let wrong = complaint(&full, &reduced).or_else(|| difference(&full, &reduced));
    Some((wrong, [full.nodes.len(), reduced.nodes.len()]))
}

/// Checks a program with a heap like [`verdict`], over a system that identifies states that differ only in
/// names. If an assumption does not hold, the program is checked again without it. Threads are identified by
/// their procedures.
fn heap_verdict<S: OverEngine + Temporal>(
    system: &S,
    analysis: &mut Analysis,
) -> Option<(Option<String>, [usize; 2])> {
    let who = |state: &S::State, thread| {
        let (state, layout) = (system.concrete(state), system.layout());
        let first = state.frames(layout, ThreadId(thread)).next().expect("it runs");
        layout.procedure_of[LocationId(state.read_untraced(first, layout.location) as u32)].0
    };
    let full = graph(system, MOST_STATES, &who)?;
    let reduced = loop {
        let reduced = Reduced::new(system, analysis);
        let found = graph(&reduced, MOST_STATES, &who)?;
        let doubts = reduced.invalidated();
        if doubts.is_empty() {
            break found;
        }
        analysis.drop_assumptions(&doubts.breaches);
    };
    let wrong = complaint(&full, &reduced).or_else(|| difference(&full, &reduced));
    Some((wrong, [full.nodes.len(), reduced.nodes.len()]))
}

fn canonical(naming: Naming) -> SymmetryConfig {
    SymmetryConfig { level: Level::Full, naming, options: Options::default() }
}

fn all_are_valid(
    make: impl Fn(u64) -> Program,
    text: impl Fn(u64) -> String,
    verdict: impl Fn(&Program, &mut Analysis) -> Option<(Option<String>, [usize; 2])>,
) -> [usize; 4] {
    let (mut complete, mut reduced, mut states, mut left) = (0, 0, 0, 0);
    for seed in 0..programs() {
        let program = make(seed);
        if obstacle(&program).is_some() {
            continue;
        }
        let mut analysis = Analysis::new(&program, &Observed::invariants(&program));
        let Some((wrong, [all, some])) = verdict(&program, &mut analysis) else { continue };
        assert_eq!(wrong, None, "program {seed}\n{}", text(seed));
        complete += 1;
        reduced += usize::from(some < all);
        states += all;
        left += some;
    }
    eprintln!("{complete} programs, {reduced} of them reduced, {states} states, {left} are left");
    [complete, reduced, states, left]
}

#[test]
fn reductions_of_random_programs_are_valid() {
    let make = |seed| program(&channels::text(seed));
    let [complete, reduced, states, left] =
        all_are_valid(make, channels::text, |program, analysis| verdict(program, analysis));
    assert!(complete > programs() as usize / 2 && reduced > complete / 4 && left < states / 10 * 9);
}

#[test]
fn reductions_of_programs_with_channels_of_threads_are_valid() {
    let text = channels::text_with_own_channels;
    let [complete, reduced, ..] =
        all_are_valid(|seed| program(&text(seed)), text, |program, analysis| verdict(program, analysis));
    assert!(complete > programs() as usize / 2 && reduced > complete / 4);
}

#[test]
fn reductions_of_programs_that_count_and_wait_are_valid() {
    let text = channels::text_with_counters;
    let [complete, reduced, ..] =
        all_are_valid(|seed| program(&text(seed)), text, |program, analysis| verdict(program, analysis));
    assert!(complete > programs() as usize / 2 && reduced > complete / 4);
}

#[test]
fn reductions_of_programs_with_many_features_are_valid() {
    let [complete, reduced, ..] =
        all_are_valid(random_processes, testing::random_processes_text, |program, analysis| {
            verdict(program, analysis)
        });
    assert!(complete > programs() as usize / 10 && reduced > complete / 50);
}

#[test]
fn reductions_of_programs_with_objects_are_valid() {
    let make = |seed| program(&heap::text(seed));
    let [complete, reduced, states, left] = all_are_valid(make, heap::text, named_verdict);
    assert!(complete > programs() as usize / 2 && reduced > complete / 3 && left < states / 10 * 9);
}

/// If ample steps are rare in the sample, they are not looked for any more: then the search is of the full
/// system, and is never invalidated.
#[test]
fn giving_up_offers_all_steps() {
    let (mut found, mut given_up, mut doubted) = (0, 0, 0);
    for seed in 0..programs() / 5 {
        let program = program(&heap::text(seed));
        let engine = Engine::new(&program, BOUNDS, false);
        let system = Symmetric::new(&engine, canonical(Naming::Chain));
        let analysis = Analysis::new(&program, &Observed::invariants(&program));
        let who = |_: &_, thread| thread;
        let Some(full) = graph(&system, MOST_STATES, &who) else { continue };
        let patient = Reduced::new(&system, &analysis);
        let Some(_) = graph(&patient, MOST_STATES, &who) else { continue };
        let hasty = Reduced::new(&system, &analysis).with_sample(2);
        let Some(reduced) = graph(&hasty, MOST_STATES, &who) else { continue };
        if hasty.counts().ample > 0 {
            found += 1;
            continue;
        }
        given_up += 1;
        doubted += usize::from(!patient.invalidated().is_empty());
        assert_eq!(reduced.nodes, full.nodes, "program {seed}");
        assert!(hasty.invalidated().is_empty(), "program {seed}");
    }
    assert!(found > 10 && given_up > 10 && doubted > 0, "{found} {given_up} {doubted}");
}

/// A search that has become void ends before it has found all states, and says so.
#[test]
fn void_searches_end_early() {
    let mut early = 0;
    for seed in 0..programs() / 5 {
        let program = program(&heap::text(seed));
        let engine = Engine::new(&program, BOUNDS, false);
        let system = Symmetric::new(&engine, canonical(Naming::Chain));
        let analysis = Analysis::new(&program, &Observed::invariants(&program));
        let reduced = Reduced::new(&system, &analysis);
        let options = Limits { keep_going: true, max_states: Some(MOST_STATES), ..Limits::default() };
        let outcome = bfs(&reduced, &mut HashSetStore::new(&Budget::unlimited()), &options, &mut Quiet);
        if outcome.completeness == Completeness::Stopped(StopReason::Void) {
            assert!(!reduced.invalidated().is_empty(), "program {seed}");
            early += 1;
        }
    }
    assert!(early > 0);
}

/// Situations that are too rare in random programs.
const RARE: &[&str] = &[
    // A counter that is brought into a smaller range than its own returns to earlier values, whatever its
    // guard says.
    "program narrow; features thread_ids;
    thread P() {
        local int wrap (0, 7) v;
        loc a: when v < 7 do { v := (wrap(v + 1) : int wrap (0, 3)); } goto a;
    }
    thread Q() { loc a: do { check(1 == 0); } goto b; loc b end: }
    active P, Q;",
    // A thread that arrives where a message is awaited changes what a sender with an alternative does.
    "program meeting; features thread_ids;
    channel r [0] { int wrap (0, 3) };
    channels r;
    thread P() { loc a: goto b; loc b end: do { receive(channel(r), *); } goto c; loc c end: }
    thread Q() { loc a: do { send(channel(r), 1); } goto b; else goto c; loc b end: loc c: do { check(1 == 0); } goto b; }
    active P, Q;",
    // A thread that sends to a channel of another thread must do so before that thread ends.
    "program farewell; features thread_ids;
    channel k [1] { int wrap (0, 7) };
    channel m [1] { int wrap (0, 7) };
    channels k;
    thread P() {
        local int wrap (0, 7) peer means channel;
        loc a: do { receive(channel(k), peer :=); } goto b;
        loc b: do { send(peer, 1); } goto c;
        loc c end:
    }
    thread Q() {
        channels m;
        loc a: do { send(channel(k), channel(m)); } goto b;
        loc b: when youngest() return;
    }
    active P, Q;",
    // Each variable is written by one thread, and the property reads both.
    "program order; features thread_ids;
    global int wrap (0, 3) x;
    global int wrap (0, 3) y;
    thread P() { loc a: do { x := 1; } goto b; loc b end: }
    thread Q() { loc a: do { y := 1; } goto b; loc b end: }
    active P, Q;
    invariant ordered = x >= y;",
];

#[test]
fn rare_programs_are_reduced_as_they_should() {
    for text in RARE {
        let program = program(text);
        let (wrong, _) = verdict(&program, &Analysis::new(&program, &Observed::invariants(&program)))
            .expect("it is small");
        assert_eq!(wrong, None, "{text}");
    }
}

/// Two threads that arrive where a rendezvous is possible do not conflict: each arrives on its own.
#[test]
fn arrivals_commute() {
    let text = "program arrivals; features thread_ids;
    channel r [0] { int wrap (0, 3) };
    channel s [0] { int wrap (0, 3) };
    channels r, s;
    thread P() { loc a: goto b; loc b end: do { receive(channel(r), *); } goto c; loc c end: }
    thread Q() { loc a: goto b; loc b end: do { receive(channel(s), *); } goto c; loc c end: }
    active P, Q;";
    let program = program(text);
    let analysis = Analysis::new(&program, &Observed::invariants(&program));
    let (wrong, states) = verdict(&program, &analysis).expect("it is small");
    assert_eq!((wrong, states), (None, [4, 3]));
}

/// A thread that has answered ends, and its parent takes the answer, in one order: no other thread uses the
/// parent's channel, and the parent cannot end before.
#[test]
fn children_that_answer_end_in_one_order() {
    let text = "program answers; features thread_ids;
    channel k [1] { int wrap (0, 7) };
    thread P() {
        local int wrap (0, 7) v;
        local int wrap (0, 7) mine means channel;
        channels k;
        prologue { mine := channel(k); }
        loc a: do { start Q(mine); } goto b;
        loc b: do { receive(mine, v :=); } goto c;
        loc c: do { v := 0; } goto d;
        loc d: when youngest() return;
    }
    thread Q(int wrap (0, 7) answer means channel) {
        local int wrap (0, 7) mine means channel;
        channels k;
        prologue { mine := channel(k); }
        loc a: do { send(answer, 1); } goto b;
        loc b: when youngest() return;
    }
    active P;";
    let program = program(text);
    let analysis = Analysis::new(&program, &Observed::invariants(&program));
    let (wrong, [all, some]) = verdict(&program, &analysis).expect("it is small");
    assert_eq!(wrong, None);
    // In sequence, the number of states is the number of steps plus one.
    assert_eq!((all > some, some), (true, 7));
}

/// Random programs that revealed errors: 10975 has threads of two procedures that take turns in one place,
/// and have the same size.
const WENT_WRONG: &[u64] = &[10_975];

#[test]
fn programs_that_once_went_wrong_are_valid() {
    for &seed in WENT_WRONG {
        let text = channels::text(seed);
        let program = program(&text);
        let (wrong, _) = verdict(&program, &Analysis::new(&program, &Observed::invariants(&program)))
            .expect("it is small");
        assert_eq!(wrong, None, "{text}");
    }
}

#[test]
fn seeded_faults_are_caught() {
    for &seeded in Seeded::NUMBERED {
        let texts = (0..MANY).flat_map(|seed| {
            let texts: [fn(u64) -> String; 3] =
                [channels::text, channels::text_with_own_channels, channels::text_with_counters];
            texts.map(|text| text(seed))
        });
        let texts = RARE.iter().map(|&text| text.to_owned()).chain(texts);
        let caught = texts.map(|text| program(&text)).any(|program| {
            let analysis = seeded.analysis(&program, &Observed::invariants(&program));
            verdict(&program, &analysis).is_some_and(|(wrong, _)| wrong.is_some())
        });
        assert!(caught, "{seeded:?} goes unnoticed");
    }
}

/// Situations with objects that are too rare in random programs.
const RARE_OBJECTS: &[&str] = &[
    // A thread can find an object only in a set.
    "program catalogue;
    record Cell { int v; }
    global Set<Cell> s;
    thread P() {
        local Cell a;
        loc a: do { a := new Cell; } goto b;
        loc b: do { s := s.add(a); } goto c;
        loc c: do { a.v := 1; } goto d;
        loc d end:
    }
    thread Q() {
        local Cell a;
        loc a: when s.size() > 0 do { a := choose s; assert a.v == 1; } goto b;
        loc b end:
    }
    active P, Q;",
    // A thread that does not use the lock has to do something else first, which is a fault.
    "program careless;
    record Cell { lock m; int v; }
    global Cell g;
    thread P() {
        local int v;
        loc a: do { lock(g.m); } goto b;
        loc b: do { v := g.v; } goto c;
        loc c: do { unlock(g.m); assert v == 0; } goto d;
        loc d end:
    }
    thread Q() {
        local Cell n;
        loc a: do { n.v := 1; } goto b; do { g.v := 1; } goto b;
        loc b end:
    }
    thread MAIN() { loc a: do { g := new Cell; g.m := new lock; start P(); start Q(); } return; }
    active MAIN;",
    // An atomic block can only end in a fault.
    "program trap;
    thread P() {
        local int v;
        loc a: do { v := 1; } goto b;
        loc b atomic: do { assert v == 0; } goto c; do { v := v / (v - 1); } goto c;
        loc c end:
    }
    thread Q() { loc a: goto b; loc b: do { assert 1 == 0; } goto a; }
    active P, Q;",
    // Each object is written by one thread, and the property reads both.
    "program order;
    record Cell { lock m; int v; }
    global Cell g;
    global Cell h;
    global boolean ready;
    thread P() {
        loc a: do { lock(g.m); } goto b;
        loc b: do { ready := true; } goto c;
        loc c: do { g.v := 1; } goto d;
        loc d: do { unlock(g.m); } goto e;
        loc e end:
    }
    thread Q() {
        loc a: when ready do { lock(h.m); } goto b;
        loc b: do { h.v := 1; } goto c;
        loc c: do { unlock(h.m); } goto d;
        loc d end:
    }
    thread MAIN() {
        loc a: do { g := new Cell; g.m := new lock; h := new Cell; h.m := new lock; start P(); start Q(); } goto b;
        loc b end:
    }
    active MAIN;
    invariant ordered = g == null || g.v >= h.v;",
];

#[test]
fn rare_programs_with_objects_are_reduced_as_they_should() {
    for text in RARE_OBJECTS {
        let program = program(text);
        let engine = Engine::new(&program, BOUNDS, false);
        for naming in [Naming::Chain, Naming::Dfs] {
            let mut analysis = Analysis::new(&program, &Observed::invariants(&program));
            let system = Symmetric::new(&engine, canonical(naming));
            let (wrong, _) = heap_verdict(&system, &mut analysis).expect("it is small");
            assert_eq!(wrong, None, "{text}");
        }
    }
}

#[test]
fn seeded_faults_about_objects_are_caught() {
    for &seeded in Seeded::HEAP {
        let random = (0..MANY).flat_map(|seed| {
            let texts: [fn(u64) -> String; 3] = [heap::text, heap::explicit_text, heap::channel_text];
            texts.map(|text| text(seed))
        });
        let caught = RARE_OBJECTS.iter().map(|&text| text.to_owned()).chain(random).any(|text| {
            let program = program(&text);
            let mut analysis = seeded.analysis(&program, &Observed::invariants(&program));
            named_verdict(&program, &mut analysis).is_some_and(|(wrong, _)| wrong.is_some())
        });
        assert!(caught, "{seeded:?} goes unnoticed");
    }
}

/// If names are observable, two orders of creating objects lead to different states.
#[test]
fn objects_without_symmetry_are_caught() {
    let caught = (0..MANY).map(heap::text).any(|text| {
        let program = program(&text);
        let mut analysis = Analysis::new(&program, &Observed::invariants(&program));
        let engine = Engine::new(&program, BOUNDS, false);
        heap_verdict(&engine, &mut analysis).is_some_and(|(wrong, _)| wrong.is_some())
    });
    assert!(caught);
}

/// The objects that only a thread can reach, computed from scratch.
fn own_objects(layout: &Layout, state: &State, thread: ThreadId) -> BTreeSet<ObjectId> {
    let mut found = [BTreeSet::new(), BTreeSet::new()];
    for unit in std::iter::once(NodeRef::Root).chain(state.units()) {
        let list = match unit {
            NodeRef::Root => 1,
            NodeRef::Thread(id) => usize::from(id != thread),
            NodeRef::Object(_) => continue,
        };
        let mut open = vec![unit];
        while let Some(unit) = open.pop() {
            state.edges(layout, unit, &mut |edge| {
                if let Entity::Object(target) = edge.target
                    && found[list].insert(target)
                {
                    open.push(NodeRef::Object(target));
                }
            });
        }
    }
    let [own, others] = found;
    own.difference(&others).copied().collect()
}

/// Names are repaired step by step, and owners are derived from them: after each step, undo and decoding they
/// must be equal to those computed from scratch.
#[test]
fn owners_are_what_they_are_from_scratch() {
    let (mut seen, mut own) = (0, 0);
    for seed in 0..programs() / 10 {
        let program = program(&heap::text(seed));
        let engine = Engine::new(&program, BOUNDS, false);
        let system = Symmetric::new(&engine, canonical(Naming::Chain));
        let mut state = system.initial();
        let mut encoding = Encoding::new();
        let mut rng = SplitMix64::new(seed);
        let mut depth = 0;
        for _ in 0..80 {
            let mut steps = Steps::default();
            system.steps(&mut state, &mut steps);
            if depth > 0 && (steps.enabled.is_empty() || rng.chance(30)) {
                system.undo(&mut state);
                depth -= 1;
            } else if !steps.enabled.is_empty() {
                let step = *rng.pick(&steps.enabled);
                depth += usize::from(system.fire(&mut state, step) == Fired::Moved);
            }
            if rng.chance(10) {
                system.encode(&mut state, &mut encoding);
                system.decode(&encoding, &mut state);
                depth = 0;
            }
            let concrete = system.concrete(&state);
            for thread in (0..concrete.thread_limit()).map(ThreadId).filter(|&id| concrete.is_running(id)) {
                let expected = own_objects(system.layout(), concrete, thread);
                assert_eq!(
                    reduction::testing::own_objects(&system, &state, thread),
                    expected,
                    "program {seed}"
                );
                seen += concrete.object_count();
                own += expected.len();
            }
        }
    }
    assert!(own > seen / 20, "{own} of {seen}");
}

/// Explicit memory: only own objects are deleted and lost early.
#[test]
fn reductions_of_programs_that_delete_objects_are_valid() {
    let make = |seed| program(&heap::explicit_text(seed));
    let [complete, reduced, states, left] = all_are_valid(make, heap::explicit_text, named_verdict);
    assert!(complete > programs() as usize / 2 && reduced > complete / 6 && left < states);
}

/// Blocks, and pointers to parts of objects.
#[test]
fn reductions_of_programs_with_pointers_are_valid() {
    let make = |seed| program(&heap::pointer_text(seed));
    let [complete, reduced, states, left] = all_are_valid(make, heap::pointer_text, named_verdict);
    assert!(complete > programs() as usize / 2 && reduced > complete / 6 && left < states);
}

fn named_verdict(program: &Program, analysis: &mut Analysis) -> Option<(Option<String>, [usize; 2])> {
    let engine = Engine::new(program, BOUNDS, false);
    let naming = [Naming::Chain, Naming::Auto, Naming::Dfs][program.transitions.len() % 3];
    heap_verdict(&Symmetric::new(&engine, canonical(naming)), analysis)
}

/// Channels as objects, with ranks and fused locations.
#[test]
fn reductions_of_programs_with_channel_objects_are_valid() {
    let make = |seed| program(&heap::channel_text(seed));
    let [complete, reduced, states, left] = all_are_valid(make, heap::channel_text, named_verdict);
    assert!(complete > programs() as usize / 2 && reduced > complete / 6 && left < states);
}

/// The text of a random program with many features, in which each procedure runs once: threads are identified by their
/// procedures.
fn mixed(number: u64) -> String {
    let mut text = random_mixed_text(2 * number + 1);
    text.truncate(text.find("active ").expect("there are threads"));
    text += "active T, U;";
    text.replace("t := start T();", "t := null;").replace("t := start U();", "d := null;")
}

/// Recursive functions and alternatives together with objects, channels and locks.
#[test]
fn reductions_of_mixed_programs_are_valid() {
    let [complete, reduced, ..] = all_are_valid(|number| program(&mixed(number)), mixed, named_verdict);
    assert!(complete > programs() as usize / 2 && reduced > complete / 100);
}
