use std::collections::BTreeMap;
use std::ops::ControlFlow::Continue;

use super::*;
use crate::replay::replay;
use crate::simulate;

/// Rendezvous, buffered messages, processes that come and go, `atomic` and `d_step`.
const MAIL: &str = "
mtype = { ask, ack };
chan wire = [0] of { mtype, byte };
chan box = [2] of { byte };
byte sum;
active proctype Server() {
  byte n;
end:
  do
  :: wire?ask,n ->
     d_step { sum = sum + n; box!sum }
     wire!ack,n
  od
}
proctype Client(byte k) {
  byte got;
  wire!ask,k;
  wire?ack,eval(k);
  box?got;
  printf(\"client %d got %d\\n\", k, got);
  assert(got == k)
}
init { atomic { run Client(1); run Client(2) } }
";

/// Local statements, which SPIN merges.
const LOCAL: &str = "
byte x;
active proctype A() { byte i, j; x = 1; i = 2; j = i + 1; x = 5; i = 7; j = 8 }
active proctype B() { byte k; x == 5 -> k = 1; k = 2; assert(x == 1) }
";

/// Two who wait for each other, with two ways to hand over.
const STUCK: &str = "
chan c = [0] of { byte }; byte x;
active proctype A() { if :: c!1 :: c!2 :: x = 3 fi; c!3 }
active proctype B() { byte y; do :: c?y -> break :: c?2 od; c?4 }
";

fn model(text: &str) -> Model {
    let files = BTreeMap::from([("m.pml".to_owned(), text.into())]);
    Model::load(&files, "m.pml", &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Who moves by which statement, and what the run ends in.
fn run(text: &str, trail: &str) -> (String, Option<String>) {
    let model = model(text);
    let steps = read(&model, Bounds::default(), trail).unwrap_or_else(|misfit| panic!("{misfit}"));
    let trace =
        replay(&model, Bounds::default(), steps, None).unwrap_or_else(|diverged| panic!("{diverged}"));
    let shown = trace.steps.iter().map(|step| format!("{} {}", step.thread_id, step.location.text));
    (shown.collect::<Vec<_>>().join("; "), trace.ends_in.map(|ending| ending.kind.to_string()))
}

#[track_caller]
fn misfit(text: &str, trail: &str, expect: &str) {
    let misfit = read(&model(text), Bounds::default(), trail).expect_err("it does not fit");
    assert_eq!(misfit.to_string(), expect);
}

#[test]
fn what_looks_like_a_trail() {
    for text in ["1:0:0\n", "-4:-4:-4\n1:0:0", "\n  1:2:3  \n"] {
        assert!(is_spin_trail(text), "{text}");
    }
    for text in ["", "{\"version\": 1}", "1:0\n", "1:0:0:0\n", "a:b:c", "[1, 2, 3]"] {
        assert!(!is_spin_trail(text), "{text}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let mut violations = 0;
    for text in [MAIL, LOCAL, STUCK] {
        let model = model(text);
        for seed in 0..60 {
            let (mut steps, mut words) = (Vec::new(), Vec::new());
            let run = simulate::random(&model, Bounds::default(), seed, 60, |step, in_words| {
                steps.push(step);
                words.push(in_words);
                Continue(())
            });
            violations += usize::from(run.expect("a run").trace.ends_in.is_some());
            let written = write(&model, &words);
            let read = read(&model, Bounds::default(), &written).unwrap_or_else(|e| panic!("{e}\n{written}"));
            assert_eq!(read, steps, "seed {seed}:\n{written}");
        }
    }
    assert!(violations > 60, "{violations}");
}

/// The verifier's own, with one line a statement.
#[test]
fn a_trail_of_spin() {
    let trail = "1:1:15\n2:1:16\n3:3:9\n4:0:0\n5:0:3\n6:0:4\n7:3:10\n8:3:11\n9:3:12\n10:3:13\n11:3:14\n12:2:9\n13:0:0\n\
                 14:0:3\n15:0:4\n16:2:10\n17:2:11\n18:2:12\n19:2:13\n";
    let (steps, ending) = run(MAIL, trail);
    assert_eq!(
        steps,
        "1 run Client(1); 1 run Client(2); 3 wire!ask,k; 0 d_step; 0 wire!ack,n; 3 box?got; \
         3 printf(\"client %d got %d\\n\", k, got); 3 assert(got == k); 3 -end-; 2 wire!ask,k; 0 d_step; \
         0 wire!ack,n; 2 box?got; 2 printf(\"client %d got %d\\n\", k, got); 2 assert(got == k)"
    );
    assert_eq!(ending.as_deref(), Some("assertion"));
}

/// A trail of the same run, but the assertion is merged with the statement before it, and there is no line
/// for it in the end.
#[test]
fn merged_statements() {
    let trail = "-4:-4:-4\n1:1:15\n2:1:16\n3:3:9\n4:0:0\n5:0:3\n6:0:4\n7:3:10\n8:3:11\n9:3:12\n10:3:14\n11:2:9\n12:0:0\n\
                 13:0:3\n14:0:4\n15:2:10\n16:2:11\n17:2:12\n";
    let (steps, ending) = run(MAIL, trail);
    assert!(steps.ends_with("2 printf(\"client %d got %d\\n\", k, got); 2 assert(got == k)"), "{steps}");
    assert_eq!(steps.matches("3 assert(got == k); 3 -end-").count(), 1, "{steps}");
    assert_eq!(ending.as_deref(), Some("assertion"));

    let (steps, ending) = run(LOCAL, "-4:-4:-4\n1:0:0\n2:0:1\n3:0:3\n4:1:7\n5:1:8\n6:1:10\n");
    assert_eq!(steps, "0 x = 1; 0 i = 2; 0 j = i + 1; 0 x = 5; 1 x == 5; 1 k = 1; 1 k = 2; 1 assert(x == 1)");
    assert_eq!(ending.as_deref(), Some("assertion"));
}

/// With a claim, the numbers of processes begin at 1.
#[test]
fn the_lines_of_a_claim_are_passed_over() {
    let plain = run(LOCAL, "1:0:0\n2:0:1\n");
    assert_eq!(plain, ("0 x = 1; 0 i = 2".to_owned(), None));
    assert_eq!(run(LOCAL, "-2:2:-2\n-5:0:0\n1:0:14\n2:1:0\n3:0:14\n4:1:1\n"), plain);
}

#[test]
fn a_line_that_is_left_over_when_nobody_can_move() {
    let (steps, ending) = run(STUCK, "1:0:0\n2:1:7\n3:1:9\n");
    assert_eq!((&*steps, ending.as_deref()), ("0 c!1", Some("deadlock")));
}

#[test]
fn trails_that_do_not_fit() {
    misfit(LOCAL, "1:0:0\nnonsense\n", "line 2: not of the form step:process:statement");
    misfit(LOCAL, "-3:0:0\n", "line 1: this kind of line is not known");
    misfit(LOCAL, "1:0:-1\n", "line 1: no process and no statement has a negative number");
    misfit(
        LOCAL,
        "1:0:0\n-1:-1:-1\n",
        "line 2: the trail goes round a cycle, and only runs that end can be replayed",
    );
    misfit(LOCAL, "1:2:0\n", "line 1: there is no process 2 at this point");
    misfit(LOCAL, "1:0:0\n2:0:0\n", "line 2: A(0) is at m.pml:3, which has no statement 0");
    misfit(LOCAL, "1:0:0\n2:1:7\n", "line 2: B(1) cannot execute `x == 5` (m.pml:4) at this point");
    misfit(
        STUCK,
        "1:0:0\n2:0:0\n",
        "line 1: A(0) sends at `c!1` (m.pml:3), but the next line is not that of a process that receives it",
    );
}
