//! Channels that hold nothing: sender and receiver step together.

use super::*;

#[test]
fn partners_are_the_choices_of_the_sender() {
    let program = processes(
        "channel q [0] { byte, byte }; channel r [0] { byte, byte }; channels q, r; global byte x; global boolean open = true;
        thread R(byte n) { local byte y;
          loc a:
            t0: do { receive(channel(q), 1, y :=); x := y; } goto b;
            t1: do { receive(channel(q), *, y :=); } goto c;
            t2: do { receive(channel(q), 2, *); } goto c;
            t3: when true do { receive(channel(q), *, *); } goto c;
            t4: do { receive(channel(q), *, 8); } goto c;
            t5: do { receive(channel(r), *, *); } goto c;
          loc b end: loc c end:
        }
        thread S() { loc a: t6: do { send(channel(q), 1, 7); x := x + 1; } goto b; loc b end: }
        thread P() provided open { loc a: t7: do { receive(channel(q), *, *); open := false; } goto b; loc b end: }
        active R, S, R, P;",
    );
    let naive = Naive::new(&program);
    let initial = naive.initial();
    // Two of the thread 0, two of 2, one of 3; those that receive cannot do it alone.
    let expected: Vec<_> = (0..5).map(|choice| (1, 6, choice)).collect();
    assert_eq!(steps(&naive, &initial), expected);
    // The sender's rest comes first: x is 1, and then what was received.
    for (choice, partner, location, x) in
        [(0, 0, "b", "7"), (1, 0, "c", "1"), (2, 2, "b", "7"), (3, 2, "c", "1")]
    {
        let next = fire(&naive, &initial, (1, 6, choice));
        assert_eq!((at(&naive, &next, 1), at(&naive, &next, partner)), ("b", location));
        assert_eq!(global(&naive, &next, "x"), x);
        let received = next.threads[&partner].frames[0].locals[1].clone();
        assert_eq!(received, Value::Int(7));
    }
    let next = fire(&naive, &initial, (1, 6, 4));
    assert_eq!(at(&naive, &next, 3), "b");
    assert_eq!(naive.fire(&initial, Step { thread: 1, transition: 6, choice: 5 }), Err(Stopped::NotEnabled));
    assert!(naive.deadlocked(&schedule(&naive, &[1])));
}

#[test]
fn without_partner_there_is_no_step() {
    let program = processes(
        "channel q [0] { byte }; channels q; global byte x;
        thread S() { loc a: t0: do { send(channel(q), x); } goto b; t1: else do { x := 3; } goto a; loc b end: }
        thread R() { loc a: t2: do { receive(channel(q), 3); } goto b; loc b end: }
        active S, R;",
    );
    let naive = Naive::new(&program);
    assert_eq!(steps(&naive, &naive.initial()), [(0, 1, 0)]);
    let state = schedule(&naive, &[0]);
    assert_eq!(steps(&naive, &state), [(0, 0, 0)]);
    let state = schedule(&naive, &[0, 0]);
    assert!(steps(&naive, &state).is_empty() && !naive.deadlocked(&state));
}

#[test]
fn a_partner_receives_by_the_least_rank() {
    let program = processes(
        "channel q [0] { byte }; channels q;
        thread S() { loc a: t0: do { send(channel(q), 1); } goto b; loc b end: }
        thread R() { loc a:
            t1: rank 2 do { receive(channel(q), *); } goto a;
            t2: rank 1 do { receive(channel(q), *); } goto b;
            t3: rank 0 do { receive(channel(q), 9); } goto a;
            t4: rank 1 do { receive(channel(q), 1); } goto c;
          loc b end: loc c end: }
        active S, R;",
    );
    let naive = Naive::new(&program);
    assert_eq!(steps(&naive, &naive.initial()), [(0, 0, 0), (0, 0, 1)]);
    let to = |choice| at(&naive, &fire(&naive, &naive.initial(), (0, 0, choice)), 1).to_owned();
    assert_eq!([to(0), to(1)], ["b", "c"]);
}

#[test]
fn the_partner_says_who_has_the_floor() {
    let text = |sender: &str, receiver: &str| {
        processes(&format!(
            "channel q [0] {{ byte }}; channels q; global byte x;
            thread S() {{ loc a: t0: {sender} do {{ send(channel(q), 1); }} goto b; loc b: t1: do {{ x := 1; }} goto c;
              loc c end: }}
            thread R() {{ loc a: t2: {receiver} do {{ receive(channel(q), *); }} goto b; loc b: t3: do {{ x := 2; }} goto c;
              loc c end: }}
            active S, R;"
        ))
    };
    for (sender, receiver, floor) in [
        ("", "", None),
        ("exclusive", "", None),
        ("", "exclusive", Some(1)),
        ("exclusive", "exclusive", Some(1)),
    ] {
        let program = text(sender, receiver);
        let naive = Naive::new(&program);
        let state = schedule(&naive, &[0]);
        assert_eq!((state.exclusive, naive.is_transient(&state)), (floor, floor.is_some()));
        let expected = if floor.is_some() { vec![(1, 3, 0)] } else { vec![(0, 1, 0), (1, 3, 0)] };
        assert_eq!(steps(&naive, &state), expected);
    }
}

#[test]
fn the_partner_is_the_last_thread() {
    let program = processes(
        "channel q [0] { byte }; channels q; global byte x;
        thread S() { loc a: t0: do { send(channel(q), 1); } goto b; loc b: t1: do { x := last() + 10; } goto c; loc c end: }
        thread R() { loc a: t2: do { receive(channel(q), *); } goto b; loc b end: }
        active R, S, R;",
    );
    let naive = Naive::new(&program);
    let state = fire(&naive, &naive.initial(), (1, 0, 1));
    assert_eq!(state.last, Some(2));
    assert_eq!(global(&naive, &fire(&naive, &state, (1, 1, 0)), "x"), "12");
}

#[test]
fn what_happens_in_a_step_is_recorded() {
    let program = processes(
        "record Node { Node next; } global Node node;
        channel q [0] { byte, record Node }; channel r [2] { byte }; global chan q;
 global chan r;
 prologue { q := new chan(q); r := new chan(r); }
        thread S() {
          loc a: t0: do { node := new Node; } goto b;
          loc b: t1: do { send(q, 3, node); } goto c;
          loc c: t2: do { send(r, 4); } goto d;
          loc d fused: t3: do { print(\"sent %d\", 4); } goto e;
          loc e end:
        }
        thread R() { local Node mine;
          loc a: t4: do { receive(q, *, mine :=); } goto b;
          loc b: t5: do { receive(r, *); } goto c;
          loc c end:
        }
        active S, R;",
    );
    let naive = Naive::new(&program);
    let state = schedule(&naive, &[0]);
    let Fired { next, events } = naive.fire_recorded(&state, Step { thread: 0, transition: 1, choice: 0 });
    let message = |transfer, channel: u32, name: &str, thread: &str, fields: &[Datum]| Transferred {
        transfer,
        channel: ChannelIdentity::Object(channel),
        channel_name: name.to_owned(),
        thread: thread.to_owned(),
        message: Message { fields: fields.to_vec(), is_named: false },
    };
    let four = &[Datum::Int(4)];
    let handed = Transfer::Rendezvous { receiver: "R(1)".to_owned() };
    let node = [Datum::Int(3), Datum::Object("Node#1".to_owned())];
    assert_eq!(events.messages, [message(handed, 1, "q", "S(0)", &node)]);
    assert_eq!(events.messages[0].message.to_string(), "(3, Node#1)");
    assert_eq!(events.partner.map(|(thread, transition)| (thread, transition.0)), Some((1, 4)));
    let step = |thread, transition| Step { thread, transition, choice: 0 };
    let Fired { next, events } = naive.fire_recorded(&next.unwrap(), step(0, 2));
    let sent = Transfer::Send { position: 0 };
    assert_eq!(events.messages, [message(sent, 2, "r", "S(0)", four)]);
    assert_eq!((events.printed.as_str(), events.partner), ("sent 4", None));
    let Fired { events, .. } = naive.fire_recorded(&next.unwrap(), step(1, 5));
    let received = Transfer::Receive { position: 0 };
    assert_eq!(events.messages, [message(received, 2, "r", "R(1)", four)]);
}
