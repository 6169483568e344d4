//! Evaluations that take longer than anybody waits for are abandoned: they have no outcome, and leave no
//! trace.

use std::sync::Arc;
use std::time::Instant;

use ir::Program;
use naive::{Naive, Stopped};
use quotient_engine::Engine;
use state::Bounds;
use system::{Alarm, Encoding, Fired, Halt, Limits, Steps, Temporal, TransitionSystem};

/// `deep(60)` takes 2^60 calls, and `wide(0)` quantifies over four elements in 90 levels.
const DECLARATIONS: &str = "program p; global int n; global Set<int> s;
    fun deep(int n) returns boolean = n == 0 ? true : deep(n - 1) && deep(n - 1);
    fun wide(int n) returns boolean = n > 90 ? true : forall(s, again, n);
    fun again(int x, int n) returns boolean = wide(n + 1 + x - x);";

fn program(rest: &str) -> Program {
    testing::program(&format!("{DECLARATIONS} {rest}"))
}

/// An alarm that has been due for ever.
fn due() -> Arc<Alarm> {
    Arc::new(Alarm::new(Some(Instant::now()), None))
}

/// The state that the first steps lead to, and how it looks.
fn state_after(engine: &Engine, steps: usize) -> (quotient_engine::EngineState, Vec<u64>) {
    let mut state = engine.initial();
    let mut offered = Steps::default();
    for _ in 0..steps {
        engine.steps(&mut state, &mut offered);
        assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Moved);
    }
    let look = look(engine, &mut state);
    (state, look)
}

fn look(engine: &Engine, state: &mut quotient_engine::EngineState) -> Vec<u64> {
    let mut encoding = Encoding::new();
    let mut copy = state.clone();
    engine.encode(&mut copy, &mut encoding);
    let mut words = Vec::new();
    encoding.flatten(&mut words);
    words
}

/// The first thing in a body that takes long, after as many steps.
fn abandons(rest: &str, before: usize) {
    let program = program(rest);
    let engine = Engine::new(&program, Bounds::default(), false);
    let (mut state, before) = state_after(&engine, before);
    engine.heed(&mut state, &due());
    let mut offered = Steps::default();
    engine.steps(&mut state, &mut offered);
    if !offered.is_abandoned {
        assert!(!engine.is_abandoned(&state));
        assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Abandoned, "{rest}");
    }
    assert!(engine.is_abandoned(&state) && !offered.is_empty(), "{rest}");
    assert_eq!(look(&engine, &mut state), before);
    // It is not taken for a deadlock the second time, either.
    engine.steps(&mut state, &mut offered);
    assert!(!offered.is_empty());
}

#[test]
fn steps_are_abandoned() {
    abandons("thread T() { loc a: when deep(60) do { } return; } active T;", 0);
    abandons("thread T() { loc a: when deep(60) do { } return; else goto a; } active T;", 0);
    abandons("thread T() { loc a: do { assume deep(60); } return; } active T;", 0);
    abandons("thread T() { loc a: do { n := 1; assume deep(60); } return; } active T;", 0);
    abandons("thread T() { loc a: do { assert deep(60); } return; } active T;", 0);
    let start = "loc a: do { s := Set<int>(1, 2, 3, 4); } goto b;";
    abandons(&format!("thread T() {{ {start} loc b: do {{ assert wide(0); }} return; }} active T;"), 1);
    abandons(&format!("thread T() {{ {start} loc b: when wide(0) do {{ }} return; }} active T;"), 1);
}

#[test]
fn atomic_blocks_are_abandoned() {
    abandons("thread T() { loc a: goto b; loc b atomic: do { n := n == 0 ? 1 : 0; } goto b; } active T;", 0);
    abandons(
        "thread T() { loc a: goto b; loc b atomic: when deep(60) do { } goto c; loc c: return; } active T;",
        0,
    );
}

#[test]
fn conditions_are_abandoned() {
    let text =
        "thread T() { loc a: return; } active T; invariant first = n == 0; invariant lasting = deep(60);
        invariant wrong = n == 1; property always { prop \"deep\" = deep(60); formula \"[] p0\"; }";
    let program = program(text);
    let engine = Engine::new(&program, Bounds::default(), false).with_property(0);
    let mut state = engine.initial();
    engine.heed(&mut state, &due());
    assert_eq!(engine.check(&mut state), Err(Halt::Abandoned));
    assert_eq!(engine.valuation(&mut state), Err(Halt::Abandoned));
    assert!(engine.is_abandoned(&state));
    let alarm = due();
    let naive = Naive { alarm: Some(&alarm), ..Naive::new(&program) };
    assert_eq!(naive.check(&naive.initial()), Err(Stopped::Abandoned));
    assert_eq!(naive.valuation(&naive.initial(), &program.properties[0]), Err(Stopped::Abandoned));
    assert!(alarm.has_rung());
}

#[test]
fn the_plain_interpreter_abandons_them_too() {
    let program = program("thread T() { loc a: do { assert deep(60); } return; } active T;");
    let alarm = due();
    let naive = Naive::new(&program);
    let heeding = Naive { alarm: Some(&alarm), ..naive };
    let step = system::Step { thread: 0, transition: 0, choice: 0 };
    assert_eq!(heeding.fire(&naive.initial(), step), Err(Stopped::Abandoned));
    // What is void stays so.
    assert!(alarm.has_rung());
}

#[test]
fn fused_locations_are_abandoned() {
    let text = "program p; features thread_ids; global int n;
        thread T() { loc a: goto b; loc b fused: do { n := n == 0 ? 1 : 0; } goto b; } active T;";
    let program = testing::program(text);
    let engine = Engine::new(&program, Bounds::default(), false);
    let mut state = engine.initial();
    engine.heed(&mut state, &due());
    let mut offered = Steps::default();
    engine.steps(&mut state, &mut offered);
    assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Abandoned);
    assert!(engine.is_abandoned(&state));
}

/// An alarm that does not ring changes nothing.
#[test]
fn an_alarm_that_is_not_due_is_not_noticed() {
    let program = program(
        "thread T() { loc a: do { s := Set<int>(1, 2, 3, 4); n := deep(12) ? 1 : 2; } goto b; loc b: when wide(86) do { } return; }
        active T;",
    );
    let engine = Engine::new(&program, Bounds::default(), false);
    let (mut state, _) = state_after(&engine, 0);
    engine.heed(&mut state, &Arc::new(Alarm::default()));
    let mut offered = Steps::default();
    for _ in 0..2 {
        engine.steps(&mut state, &mut offered);
        assert_eq!(engine.fire(&mut state, offered.enabled[0]), Fired::Moved);
    }
    assert!(!engine.is_abandoned(&state));
    assert_eq!(look(&engine, &mut state), state_after(&engine, 2).1);
}
