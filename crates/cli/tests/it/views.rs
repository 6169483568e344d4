//! The views of a run.

use serde_json::Value;

use crate::support::{Run, Sandbox, finish, models};

const UPDATE: &str = "system Update {
  record Counter { int value; }
  int ended;
  thread Adder(Counter counter) {
    int seen;
    seen := counter.value;
    counter.value := seen + 1;
    ended := ended + 1;
    assert ended == 2 => counter.value == 2;
  }
  main thread Main() {
    Counter counter;
    atomic
      counter := new Counter;
      start Adder(counter);
      start Adder(counter);
    end
  }
}
";

/// A folder with a model and the trail of its lost update.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("update.bir", UPDATE);
    sandbox.run("check update.bir -q").expect(1);
    sandbox
}

fn replay(sandbox: &Sandbox, options: &str) -> Run {
    let mut command = sandbox.command(&format!("replay update.bir update.trail.json {options}"));
    finish(command.env("COLUMNS", "120").spawn().expect("quotient starts"))
}

#[test]
fn steps_show_what_decides() {
    let shown = replay(&sandbox(), "").stdout;
    for text in [
        "seen = 0 (unchanged)\n",
        "Counter#1.value = 1 (unchanged)\n",
        "counter := new Counter;  (and 2 more statements)\n",
        "with ended = 2, counter.value = 1\n",
        "  the state before the last step\n",
        "Counter#1 (value: 1)\n",
    ] {
        assert!(shown.contains(text), "no {text} in\n{shown}");
    }
}

#[test]
fn atomic_blocks_are_unfolded() {
    let shown = replay(&sandbox(), "--unfold").stdout;
    assert!(!shown.contains("more statements"), "{shown}");
    assert_eq!(shown.matches("start Adder(counter);\n").count(), 2, "{shown}");
}

#[test]
fn a_column_for_each_thread() {
    let run = replay(&sandbox(), "--view threads");
    run.expect(1);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let place =
        |text: &str| lines.iter().find_map(|line| line.find(text)).unwrap_or_else(|| panic!("no {text}"));
    // The columns of the threads are beside each other, and what a thread does is in its own one.
    let (first, second) = (place("Adder#1"), place("Adder#2"));
    assert_ne!(first, second);
    let events = lines.iter().filter(|line| line.contains("seen = 0 (unchanged)"));
    let columns: Vec<bool> = events.map(|line| line.find("seen = 0") > Some(first.max(second))).collect();
    assert!(columns.contains(&true) && columns.contains(&false), "{}", run.stdout);
}

#[test]
fn whole_states() {
    let sandbox = sandbox();
    let shown = replay(&sandbox, "--view states").stdout;
    assert!(shown.contains("* ended = 1\n") && shown.contains("  ended = 1\n"), "{shown}");
    assert!(shown.contains(">    6 |     seen := counter.value;\n"), "{shown}");
    // In JSON, each step has the state after it.
    let (_, trace) = sandbox.json("replay update.bir update.trail.json --view states");
    let steps = trace["steps"].as_array().expect("a list");
    let ended: Vec<Option<i64>> =
        steps.iter().map(|step| step["state"]["globals"]["ended"].as_i64()).collect();
    assert!(ended.contains(&Some(1)) && ended.contains(&Some(2)), "{ended:?}");
    let (_, plain) = sandbox.json("replay update.bir update.trail.json");
    assert!(
        plain["steps"].as_array().is_some_and(|steps| steps.iter().all(|step| step.get("state").is_none()))
    );
}

#[test]
fn parts_of_a_run() {
    let sandbox = sandbox();
    let numbers = |options: &str| -> Vec<String> {
        let shown = replay(&sandbox, options).stdout;
        let row = |line: &str| {
            let number = line.strip_prefix("  ")?.trim_start().split_once(". ")?.0;
            number.parse::<u32>().ok().map(|number| number.to_string())
        };
        shown.lines().filter_map(row).collect()
    };
    let all = numbers("");
    assert_eq!(numbers("--from 2 --to 3"), ["2", "3"]);
    let (one, other) = (numbers("--only Adder#1"), numbers("--only Adder#2"));
    assert_eq!(one.len() + other.len() + 1, all.len());
    assert_eq!(numbers("--only Adder").len(), one.len() + other.len());
    assert_eq!(numbers("--only Adder#1 --only Adder#2"), numbers("--only Adder"));
    assert_eq!(numbers("--only Add"), [""; 0]);
    let start = replay(&sandbox, "--to 2").stdout;
    assert!(start.contains("initially") && !start.contains("assertion:"), "{start}");
}

/// A check shows its counterexample in the same views.
#[test]
fn views_of_a_check() {
    let sandbox = sandbox();
    for view in ["--view states", "--view threads", "--only Adder#2", "--unfold"] {
        let check = sandbox.run(&format!("check update.bir {view}")).stdout;
        let replay = sandbox.run(&format!("replay update.bir update.trail.json {view}")).stdout;
        assert!(check.contains(replay.trim_end()), "{view}:\n{check}\n{replay}");
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let sandbox = sandbox();
    sandbox
        .run("check update.bir --view msc")
        .refused(&["--view msc is for Promela models", "--view threads"]);
    for line in [
        "check update.bir --view states --format json",
        "check update.bir --unfold --format sarif",
        "replay update.bir update.trail.json --only Adder --format json",
    ] {
        let run = sandbox.run(line);
        run.expect(2);
        assert!(run.stderr.contains("for people"), "{}", run.stderr);
    }
    sandbox.run("replay update.bir update.trail.json --from 0").refused(&["--from"]);
}

/// Why each thread of a deadlock waits.
#[test]
fn deadlocks_explain_themselves() {
    let sandbox = Sandbox::new();
    let path = models().join("philosophers.bir");
    let (_, report) = sandbox.json(&format!("check {}", path.display()));
    let ending = &report["violation"]["trace"]["ends_in"];
    let cycle: Vec<&str> =
        ending["waiting_cycle"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(cycle.len(), 3);
    for blocked in ending["blocked"].as_array().expect("a list") {
        let wait = &blocked["waits"][0];
        assert_eq!(wait["text"], "waits until `!right.isHeld`");
        assert_eq!(
            (&wait["reads"][0]["text"], &wait["reads"][0]["value"]),
            (&"right.isHeld".into(), &true.into())
        );
        let at = cycle.iter().position(|&thread| blocked["thread"] == thread).expect("it is in the cycle");
        assert_eq!(wait["on"], cycle[(at + 1) % cycle.len()]);
    }
    sandbox.write(
        "m.pml",
        "chan room = [1] of { byte }; chan mail = [2] of { byte }; chan meet = [0] of { byte };
        bool b = true; active proctype D() { !b } active proctype A() { room!1; room!2 } active proctype B() { byte x; mail?x } active proctype C() { meet!3 }",
    );
    let shown = sandbox.run("check m.pml").stdout;
    for text in [
        "waits for room in room, which is full: [1]\n",
        "waits for a message in mail, which is empty\n",
        "waits for a receiver at meet\n",
        "waits until `!b`: b = 1\n",
    ] {
        assert!(shown.contains(text), "no {text} in\n{shown}");
    }
}

/// Statements of inlines show the call.
#[test]
fn inlines_show_their_calls() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "m.pml",
        "byte x;
inline twice(n) {
  x = x + n;
  x = x + n
}
inline outer(n) {
  twice(n + 1)
}
active proctype P() { outer(2); assert(x != 6) }",
    );
    let run = sandbox.run("check m.pml");
    let call = "x = x + n  (in twice(n + 1) at line 7, in outer(2) at line 9)";
    assert_eq!(run.stdout.matches(call).count(), 2, "{}", run.stdout);
    let (_, report) = sandbox.json("check m.pml");
    let via = &report["violation"]["trace"]["steps"][0]["location"]["via"];
    assert_eq!((&via[0]["text"], &via[1]["line"]), (&"twice(n + 1)".into(), &9.into()));
}

/// The statements of an `atomic` are one row, with the numbers of their steps, and jumps have none.
#[test]
fn rows_of_promela() {
    let sandbox = Sandbox::new();
    let text = "byte x; active proctype P() { atomic { x = 1; x = 2; x = 3 }; do :: x < 5 -> x++ :: else -> break od; assert(false) }";
    sandbox.write("m.pml", text);
    let shown = sandbox.run("check m.pml --merge off --por off --minimise off").stdout;
    assert!(shown.contains("  1-3. P(0)  m.pml:1  x = 1  (and 2 more statements)\n"), "{shown}");
    assert!(shown.contains("x: 0 → 3\n") && !shown.contains("x: 0 → 1\n"), "{shown}");
    assert!(!shown.contains("  break\n"), "{shown}");
}

/// A step of a search may be several steps of a trail: then no run is called shortest.
#[test]
fn shortest_is_not_said_of_what_was_not_compared() {
    let sandbox = Sandbox::new();
    let text = "byte x; active proctype P() { if :: atomic { true; x = 1; x = 2; x = 3 }; x == 9 :: x = 5; x == 9 fi }";
    sandbox.write("m.pml", text);
    for options in ["", "--search dfs", "--por off --merge off --minimise off"] {
        let run = sandbox.run(&format!("check m.pml --safety {options}"));
        run.expect(1);
        assert!(!run.stdout.contains("(shortest)"), "{options}: {}", run.stdout);
    }
}

/// What controls a terminal is written out.
#[test]
fn control_characters_are_shown() {
    let sandbox = Sandbox::new();
    sandbox
        .write("m.pml", "active proctype P() { printf(\"\u{1b}[31mred\\n\"); assert(false) /* \u{202e} */ }");
    let run = sandbox.run("check m.pml --merge off");
    assert!(run.stdout.contains("prints: ␛[31mred"), "{}", run.stdout);
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']), "{}", run.stdout);
}
