//! Channels that hold messages.

use super::*;

/// A program with one thread that does all of this, a step each, on a channel `q` that holds three pairs.
fn script(actions: &[&str]) -> Program {
    let steps = actions.iter().enumerate();
    let steps = steps.map(|(at, action)| format!("loc l{at}: do {{ {action}; }} goto l{};", at + 1));
    let body = steps.collect::<Vec<_>>().concat();
    processes(&format!(
        "channel q [3] {{ byte, byte }}; channel r [0] {{ byte }}; channels q, r;
        global byte x; global byte y; global byte a[2]; global boolean b;
        thread T() {{ {body} loc l{} end: }} active T;",
        actions.len()
    ))
}

#[test]
fn messages_leave_in_the_order_in_which_they_came() {
    let program = script(&[
        "send(channel(q), 1, 300)",
        "send(channel(q), 0, 2)",
        "receive(channel(q), x :=, y :=)",
        "receive(channel(q), 0, x :=)",
    ]);
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0, 0]);
    // Fields wrap.
    assert_eq!(messages(&state, 1), [[1, 44], [0, 2]]);
    let state = schedule(&naive, &[0, 0, 0]);
    assert_eq!((global(&naive, &state, "x"), global(&naive, &state, "y")), ("1".into(), "44".into()));
    assert_eq!(messages(&state, 1), [[0, 2]]);
    let state = schedule(&naive, &[0; 4]);
    assert_eq!(global(&naive, &state, "x"), "2");
    assert!(messages(&state, 1).is_empty() && !naive.deadlocked(&state));
}

#[test]
fn a_full_channel_is_an_obstacle() {
    let program = script(&["send(channel(q), 1, 1)"; 4]);
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0, 0, 0]);
    assert_eq!(steps(&naive, &state), []);
    assert!(naive.deadlocked(&state));
}

#[test]
fn sorted_messages_stand_before_the_first_that_is_greater() {
    let program =
        script(&["insert(channel(q), 2, 1)", "insert(channel(q), 1, 9)", "insert(channel(q), 2, 0)"]);
    let naive = Naive::new(&program);
    assert_eq!(messages(&schedule(&naive, &[0; 3]), 1), [[1, 9], [2, 0], [2, 1]]);
    // It is the first that is greater, in a channel that is not sorted as well.
    let program = script(&["send(channel(q), 5, 0)", "send(channel(q), 1, 0)", "insert(channel(q), 3, 0)"]);
    let naive = Naive::new(&program);
    assert_eq!(messages(&schedule(&naive, &[0; 3]), 1), [[3, 0], [5, 0], [1, 0]]);
}

#[test]
fn patterns_pick_messages() {
    let filled = ["send(channel(q), 1, 10)", "send(channel(q), 2, 20)", "send(channel(q), 2, 30)"];
    for (action, expected) in [
        ("receive(channel(q), 2, x :=)", None),
        ("receive(channel(q), *, x :=)", Some(("10", vec![[2, 20], [2, 30]]))),
        ("extract(channel(q), 2, x :=)", Some(("20", vec![[1, 10], [2, 30]]))),
        ("extract(channel(q), 2, 40)", None),
        ("peek(channel(q), 1, x :=)", Some(("10", vec![[1, 10], [2, 20], [2, 30]]))),
        ("peek(channel(q), 2, x :=)", None),
        ("find(channel(q), x :=, 30)", Some(("2", vec![[1, 10], [2, 20], [2, 30]]))),
    ] {
        let program = script(&[&filled[..], &[action]].concat());
        let naive = Naive::new(&program);
        let state = schedule(&naive, &[0; 3]);
        match expected {
            None => assert_eq!(steps(&naive, &state), [], "{action}"),
            Some((x, left)) => {
                let state = fire(&naive, &state, steps(&naive, &state)[0]);
                assert_eq!(global(&naive, &state, "x"), x, "{action}");
                assert_eq!(messages(&state, 1), left, "{action}");
            }
        }
    }
}

#[test]
fn places_are_evaluated_when_their_turn_comes() {
    let program = script(&["send(channel(q), 1, 7)", "receive(channel(q), x :=, a[x] :=)"]);
    let naive = Naive::new(&program);
    assert_eq!(global(&naive, &schedule(&naive, &[0, 0]), "a"), "[0, 7]");
}

#[test]
fn questions_about_channels() {
    let holds = |condition: &str| {
        let program =
            script(&["send(channel(q), 1, 10)", "send(channel(q), 2, 20)", &format!("b := {condition}")]);
        let naive = Naive::new(&program);
        global(&naive, &schedule(&naive, &[0; 3]), "b") == "true"
    };
    assert!(holds("length(channel(q)) == 2 && length(channel(r)) == 0"));
    assert!(holds("!full(channel(q)) && !full(channel(r))"));
    assert!(holds("heads(channel(q), 1, *) == 1 && heads(channel(q), 2, *) + heads(channel(q), 1, 20) == 0"));
    assert!(holds("has(channel(q), 2, 20) == 2 && has(channel(q), 1, 20) == 0"));
    assert!(holds("channel(q) == 1 && channel(r) == 2"));
}

#[test]
fn what_is_wrong_with_a_channel() {
    for action in [
        "send(0, 1, 1)",
        "send(3, 1, 1)",
        "send(channel(q), 1)",
        "receive(x, *, *)",
        "b := length(0 - 1) == 0",
        "b := full(7)",
        "b := heads(channel(r), *) == 1",
    ] {
        let program = script(&[action]);
        let naive = Naive::new(&program);
        let initial = naive.initial();
        assert_eq!(fault(&naive, &initial, (0, 0, 0)), FaultKind::Channel, "{action}");
        // Messages are a part of the guard.
        assert_eq!(naive.steps(&initial).1.len(), usize::from(!action.starts_with('b')), "{action}");
    }
}

/// A pattern of another number of fields is wrong once there is a message that it would take, and not before.
#[test]
fn numbers_of_fields_matter_where_messages_are_taken() {
    for action in ["receive(channel(q), *)", "receive(channel(q), *, *, *)", "peek(channel(q), *, *, *)"] {
        let program = script(&["send(channel(q), 1, 1)", action]);
        let naive = Naive::new(&program);
        let state = schedule(&naive, &[0]);
        assert_eq!(fault(&naive, &state, (0, 1, 0)), FaultKind::Channel, "{action}");
        let alone = script(&[action]);
        let naive = Naive::new(&alone);
        assert_eq!(naive.steps(&naive.initial()), (vec![], vec![]), "{action}");
    }
    for action in ["receive(channel(q), 2)", "receive(channel(r), *, *)"] {
        let program = script(&["send(channel(q), 1, 1)", action]);
        let naive = Naive::new(&program);
        assert_eq!(naive.steps(&schedule(&naive, &[0])), (vec![], vec![]), "{action}");
    }
    let program = script(&["send(channel(q), 1, 1)", "b := heads(channel(q), 1) == 1"]);
    let naive = Naive::new(&program);
    assert_eq!(global(&naive, &schedule(&naive, &[0, 0]), "b"), "true");
}

#[test]
fn what_threads_wait_for_at_channels() {
    let program = processes(
        "channel q [1] { byte }; channel r [0] { byte }; channels q, r; global boolean open;
        thread S() { loc a: t0: do { send(channel(q), 1); } goto b; loc b: t1: do { send(channel(q), 2); } goto c; loc c end: }
        thread R() { loc a: t2: do { receive(channel(q), 7); } goto b; loc b end: }
        thread M() { loc a: t3: do { send(channel(r), 1); } goto b; t4: do { receive(channel(r), *); } goto b; loc b end: }
        thread P() provided open { loc a: t5: do { open := false; } goto b; loc b end: }
        active S, R, M, P;",
    );
    let naive = Naive::new(&program);
    let channel = |name: &str, is_send, contents: Option<i64>| Obstacle::Channel {
        channel: name.to_owned(),
        is_send,
        contents: contents
            .map(|field| Datum::Messages(vec![Message { fields: vec![Datum::Int(field)], is_named: false }])),
    };
    let state = fire(&naive, &naive.initial(), (0, 0, 0));
    let of = |thread| {
        naive.obstacles(&state, thread).into_iter().map(|(_, obstacle)| obstacle).collect::<Vec<_>>()
    };
    assert_eq!(of(0), [channel("q", true, Some(1))]);
    assert_eq!(of(1), [channel("q", false, Some(1))]);
    assert_eq!(of(2), [channel("r", true, None), channel("r", false, None)]);
    let [Obstacle::Condition { text, .. }] = &of(3)[..] else { panic!("{:?}", of(3)) };
    assert_eq!(text, "open");
}
