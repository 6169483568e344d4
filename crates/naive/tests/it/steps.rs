//! Which steps there are: order, else, choices, and steps that are not there.

use super::*;

#[test]
fn steps_are_in_order_of_threads_transitions_and_choices() {
    let program = program(
        "program p; global boolean no; thread T() { loc a: t2: return; t0: when no return; t1: return; }
        active T, T;",
    );
    let naive = Naive::new(&program);
    let steps: Vec<_> = naive.steps(&naive.initial()).0.iter().map(|s| (s.thread, s.transition)).collect();
    assert_eq!(steps, [(0, 2), (0, 1), (1, 2), (1, 1)]);
}

#[test]
fn else_needs_the_others_to_be_disabled() {
    let text = |guard: &str, body: &str| {
        format!(
            "program p; global int x; global lock l; thread T() {{ loc a: when {guard} do {{ {body} }} return;
            else return; }} active T;"
        )
    };
    for (guard, body, expected) in [
        ("true", "x := 1;", vec![0]),
        ("false", "x := 1;", vec![1]),
        // An obstacle disables as well.
        ("true", "assume x == 1;", vec![1]),
        // A body that faults is enabled.
        ("true", "x := 1 / x;", vec![0]),
        // A guard that faults is neither.
        ("1 / x == 1", "x := 1;", vec![]),
    ] {
        let program = program(&text(guard, body));
        let naive = Naive::new(&program);
        let steps: Vec<_> = naive.steps(&naive.initial()).0.iter().map(|step| step.transition).collect();
        assert_eq!(steps, expected, "{guard} {body}");
    }
}

#[test]
fn else_may_meet_obstacles_itself() {
    let program = program(
        "program p; global boolean b; thread T() { loc a: when b return; else do { assume b; } return; } active T;",
    );
    let naive = Naive::new(&program);
    assert!(naive.deadlocked(&naive.initial()));
}

#[test]
fn what_is_not_there_cannot_be_fired() {
    let program = program(
        "program p; global boolean no; thread T() { loc a: return; when no return; when true return; else return; }
        thread U() { loc a: do { assume no; } return; } active T, U, T;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    let (enabled, _) = naive.steps(&initial);
    for thread in 0..5 {
        for transition in 0..7 {
            for choice in [0, 1, 2, u32::MAX] {
                let step = Step { thread, transition, choice };
                let fired = naive.fire(&initial, step);
                assert_eq!(fired.is_ok(), enabled.contains(&step), "{step:?}");
                if let Err(stopped) = fired {
                    assert_eq!(stopped, Stopped::NotEnabled);
                }
            }
        }
    }
    // Nor can a thread that has ended.
    let step = Step { thread: 0, transition: 0, choice: 0 };
    let ended = naive.fire(&initial, step).unwrap();
    assert_eq!(naive.fire(&ended, step), Err(Stopped::NotEnabled));
}

#[test]
fn a_state_without_threads_is_no_deadlock() {
    let program = program("program p; thread T() { loc a: return; } active T;");
    let naive = Naive::new(&program);
    let state = run(&naive).unwrap();
    assert!(state.threads.is_empty() && !naive.deadlocked(&state) && naive.steps(&state).0.is_empty());
}

#[test]
fn choices_are_numbered_with_the_first_as_least_digit() {
    // Three threads wait; one step notifies two of them.
    let program = program(
        "program p; global lock l; thread W() {
          loc a: when l != null do { lock(l); } goto b; loc b: do { wait(l); } goto c; loc c: do { unwait(l); } return;
        } thread N() {
          loc a: do { l := new lock; } goto b; loc b: do { lock(l); notify(l); notify(l); unlock(l); } return;
        } active N, W, W, W;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0, 1, 1, 2, 2, 3, 3]);
    let steps = naive.steps(&state).0;
    let choices: Vec<_> = steps.iter().map(|step| (step.thread, step.choice)).collect();
    assert_eq!(choices, (0..6).map(|choice| (0, choice)).collect::<Vec<_>>());
    let notified = |choice: u32| {
        let next = naive.fire(&state, Step { choice, ..steps[0] }).unwrap();
        let threads = next.threads.iter();
        let threads = threads.filter(|(_, thread)| thread.waiting.is_some_and(|waiting| waiting.notified));
        threads.map(|(&id, _)| id).collect::<Vec<_>>()
    };
    // With d0 of 3 and then d1 of the 2 that are left: d0 + 3 * d1.
    let expected = [[1, 2], [1, 2], [1, 3], [1, 3], [2, 3], [2, 3]];
    assert_eq!([0, 1, 3, 2, 4, 5].map(notified), expected.map(Vec::from));
    assert_eq!(naive.fire(&state, Step { choice: 6, ..steps[0] }), Err(Stopped::NotEnabled));
}
