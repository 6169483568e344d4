//! Monitors.

use super::*;

fn monitored(monitor: &str) -> Program {
    processes(&format!(
        "channel q [2] {{ byte }}; channel r [2] {{ byte }}; channel s [0] {{ byte }}; channels q, r, s; global byte x = 1;
        thread T() {{
          loc a: t0: do {{ send(channel(q), 1); }} goto b; t1: do {{ send(channel(q), 2); }} goto b;
            t2: do {{ send(channel(r), 5); }} goto b; t3: do {{ send(channel(s), 1); }} goto b;
          loc b end: t4: do {{ peek(channel(q), *); }} goto b; t5: do {{ receive(channel(q), *); }} goto c;
          loc c end:
        }}
        thread R() {{ loc a end: t6: do {{ receive(channel(s), *); }} goto a; }}
        active T, R; {monitor}"
    ))
}

/// What is wrong with the step to a state.
fn wrong(state: &State) -> Option<FaultKind> {
    state.soft_fault().map(|soft_fault| soft_fault.kind)
}

#[test]
fn runs_follow_a_monitor() {
    let program = monitored(
        "monitor { state { send(channel(q), x) goto 1; send(channel(q), 2) goto 0; }
          state { receive(channel(q), *) goto 2; } state end { } }",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    let state = fire(&naive, &initial, (0, 0, 0));
    assert_eq!(state.monitor, 1);
    // To look is no event, and channels that the monitor does not name have none.
    assert_eq!(fire(&naive, &state, (0, 4, 0)).monitor, 1);
    assert_eq!(fire(&naive, &initial, (0, 2, 0)).monitor, 0);
    // The monitor must be at an end as well.
    let end = fire(&naive, &state, (0, 5, 0));
    assert!(end.monitor == 2 && naive.ended(&end) && !naive.deadlocked(&end));
    assert!(naive.deadlocked(&fire(&naive, &initial, (0, 2, 0))));
    // Another order: the step leads on, and the monitor stays.
    let state = fire(&naive, &initial, (0, 1, 0));
    assert_eq!((state.monitor, wrong(&state)), (0, None));
    let state = fire(&naive, &state, (0, 5, 0));
    assert_eq!((state.monitor, wrong(&state)), (0, Some(FaultKind::Monitor)));
    assert!(messages(&state, 1).is_empty());
}

#[test]
fn only_directions_that_a_monitor_names_are_events() {
    let program = monitored("monitor { state end { receive(channel(q), 1) goto 1; } state end { } }");
    let naive = Naive::new(&program);
    let state = fire(&naive, &naive.initial(), (0, 0, 0));
    assert_eq!((state.monitor, wrong(&state)), (0, None));
    let state = fire(&naive, &state, (0, 5, 0));
    assert_eq!((state.monitor, wrong(&state)), (1, None));
}

#[test]
fn of_a_rendezvous_the_send_comes_first() {
    for (monitor, fine) in [
        ("state { send(channel(s), *) goto 1; } state end { receive(channel(s), 1) goto 0; }", true),
        ("state { receive(channel(s), *) goto 1; } state end { send(channel(s), 1) goto 0; }", false),
    ] {
        let program = monitored(&format!("monitor {{ {monitor} }}"));
        let naive = Naive::new(&program);
        let state = fire(&naive, &naive.initial(), (0, 3, 0));
        assert_eq!(wrong(&state).is_none(), fine);
    }
}

#[test]
fn a_negated_monitor_must_not_be_completed() {
    let program = monitored(
        "monitor negated { state { send(channel(q), 1) goto 1; } state { receive(channel(q), *) goto 2; } state { } }",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    // Something else takes it to its last state, which is fine.
    let state = fire(&naive, &initial, (0, 1, 0));
    assert_eq!((state.monitor, wrong(&state)), (2, None));
    let state = fire(&naive, &initial, (0, 0, 0));
    assert_eq!((state.monitor, wrong(&state)), (1, None));
    let state = fire(&naive, &state, (0, 5, 0));
    assert_eq!((state.monitor, wrong(&state)), (2, Some(FaultKind::Monitor)));
    // It also says where runs may end.
    assert!(!naive.ended(&fire(&naive, &initial, (0, 2, 0))));
}
