//! What people see.

use super::*;

#[test]
fn states_and_changes_of_processes() {
    let program = processes(
        "enum kind { ack, data }
        channel q [2] { byte means enum kind, byte }; channel plain [2] { byte, byte }; channel one [1] { byte means channel };
        channel none [0] { byte }; channel own [1] { byte };
        channels q, plain, one, none;
        global byte k means enum kind; global byte to means channel; global byte line[2] means channel; synthetic global byte h;
        thread node(byte peer means channel) { local byte mine means channel; local byte got[2][2] means enum kind;
          channels own; prologue { mine := channel(own); }
          loc a:
            t0: do { send(channel(q), 2, 3); } goto a1;
          loc a1 fused: t1: do { send(channel(q), 0, 1); } goto a2;
          loc a2 fused: t2: do { send(channel(plain), 4, 5); } goto a3;
          loc a3 fused: t3: do { send(channel(one), channel(q)); h := 1; } goto b;
          loc b: t4: do { send(mine, 7); k := 1; to := mine; line[1] := 9; got[1][0] := 2; } goto c;
          loc c: t5: do { receive(channel(q), got[0][1] :=, *); start node(channel(plain)); } goto d;
          loc d end:
        } active node;",
    );
    let naive = Naive::new(&program);
    let state = naive.initial();
    let expected = "k = 0\nto = 0\nline = [0, 0]\nq = []\nplain = []\none = []\nnode(0):own = []\nnode(0) at a\n  \
        peer = 0\n  mine = node(0):own\n  got = [0, 0, 0, 0]\n";
    assert_eq!(naive.describe_state(&state), expected);
    let sent = schedule(&naive, &[0]);
    let expected = ["q: [] → [data(3), 0(1)]", "plain: [] → [(4, 5)]", "one: [] → [q]"];
    assert_eq!(changes(&naive, &state, &sent), expected);
    let stored = schedule(&naive, &[0, 0]);
    let expected = [
        "k: 0 → ack",
        "to: 0 → node(0):own",
        "line[1]: 0 → 9",
        "node(0):own: [] → [7]",
        "node(0).got[1][0]: 0 → data",
    ];
    assert_eq!(changes(&naive, &sent, &stored), expected);
    let started = schedule(&naive, &[0, 0, 0]);
    let expected =
        ["node(1) starts (peer: plain)", "q: [data(3), 0(1)] → [0(1)]", "node(0).got[0][1]: 0 → data"];
    assert_eq!(changes(&naive, &stored, &started), expected);
}
