//! Single runs, at random and by hand.

use std::collections::BTreeSet;

use crate::support::Sandbox;

/// The lines of numbered steps.
fn steps(stdout: &str) -> Vec<&str> {
    let number = |line: &&str| {
        line.trim_start().split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
    };
    stdout.lines().filter(number).collect()
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let sandbox = Sandbox::with("peterson.bir");
    let mut different = BTreeSet::new();
    for seed in [0, 1, 2, 3, 18_446_744_073_709_551_615_u64] {
        let line = format!("simulate peterson.bir --seed {seed} --steps 40");
        let run = sandbox.run(&line);
        run.expect(0);
        assert_eq!(run, sandbox.run(&line));
        assert_eq!(steps(&run.stdout).len(), 40, "{}", run.stdout);
        assert!(run.stdout.ends_with("Stopped after 40 steps (use --steps for more).\n"), "{}", run.stdout);
        different.insert(run.stdout);
    }
    assert!(different.len() > 1, "all seeds give one run");
    assert_eq!(
        sandbox.run("simulate peterson.bir"),
        sandbox.run("simulate peterson.bir --seed 0 --steps 100")
    );
}

#[test]
fn how_runs_end() {
    let sandbox = Sandbox::with("philosophers.bir");
    let none = sandbox.run("simulate philosophers.bir --steps 0");
    none.expect(0);
    assert!(none.stdout.ends_with("Stopped after 0 steps (use --steps for more).\n"), "{}", none.stdout);
    let one = sandbox.run("simulate philosophers.bir --steps 1");
    one.expect(0);
    assert!(one.stdout.ends_with("Stopped after 1 step (use --steps for more).\n"), "{}", one.stdout);

    // A run that is long enough starves. Like a replay, a run that shows a violation exits with 1.
    let stuck = sandbox.run("simulate philosophers.bir --steps 1000000");
    stuck.expect(1);
    assert!(stuck.stdout.contains("deadlock: no thread can move"), "{}", stuck.stdout);
    assert_eq!(stuck.stdout.matches("is stuck at").count(), 3);

    let bounded = sandbox.run("simulate philosophers.bir --max-threads 2");
    bounded.expect(0);
    assert!(bounded.stdout.ends_with("the next step exceeds the bound on threads.\n"), "{}", bounded.stdout);

    let sandbox = Sandbox::new();
    sandbox.write("ends.bir", "system S { int x; active thread T() { x := 1; assert x == 1; } }");
    let ended = sandbox.run("simulate ends.bir");
    ended.expect(0);
    assert!(ended.stdout.ends_with("All threads have ended.\n"), "{}", ended.stdout);
    assert_eq!(steps(&ended.stdout).len(), 2);
    sandbox.write("fails.bir", "system S { int x; active thread T() { x := 1; assert x == 2; } }");
    let failed = sandbox.run("simulate fails.bir");
    failed.expect(1);
    assert!(failed.stdout.contains("the asserted condition is false"), "{}", failed.stdout);
}

#[test]
fn a_run_can_be_kept_and_replayed() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run("simulate philosophers.bir -D N=2 --steps 5 --seed 3 --trail run.json");
    let replay = sandbox.run("replay philosophers.bir run.json");
    replay.expect(run.code.expect("an exit code"));
    assert_eq!(replay.stderr, "");
    assert_eq!(steps(&replay.stdout), steps(&run.stdout));

    let stuck = sandbox.run("simulate philosophers.bir --steps 1000000 --trail stuck.json");
    let replay = sandbox.run("replay philosophers.bir stuck.json");
    replay.expect(1);
    assert_eq!(replay.stdout, stuck.stdout);

    let run = sandbox.run("simulate philosophers.bir --steps 2 --trail missing/run.json");
    run.expect(2);
    assert!(run.stderr.contains("cannot write `missing/run.json`"), "{}", run.stderr);
}

#[test]
fn by_hand() {
    let sandbox = Sandbox::with("philosophers.bir");
    let input = "1\n1\n1\ns\nu\n\n9\nfork\nq\n";
    let run = sandbox.run_with_input("simulate philosophers.bir --interactive --trail run.json", input);
    run.expect(0);
    assert_eq!(run.stderr, "");
    let out = &run.stdout;
    assert!(out.starts_with("Choose a step by its number; u takes one back, s shows the state, q ends.\n"));
    let prompts: Vec<&str> = out.lines().filter(|line| line.starts_with("step ")).collect();
    assert_eq!(
        prompts,
        [
            "step 1> 1",
            "step 2> 1",
            "step 3> 1",
            "step 4> s",
            "step 4> u",
            "step 3> ",
            "step 3> 9",
            "step 3> fork",
            "step 3> q"
        ]
    );
    let forks: Vec<&str> = out.lines().filter(|line| line.contains(".isHeld: ")).map(str::trim).collect();
    assert_eq!(forks, ["Fork#1.isHeld: false → true", "Fork#2.isHeld: false → true"]);
    assert!(out.contains("  Philosopher#1 at loc2\n"), "the state is shown: {out}");
    assert!(out.contains("There is no step `9`.") && out.contains("There is no step `fork`."), "{out}");

    // What was chosen, less what was taken back.
    let replay = sandbox.run("replay philosophers.bir run.json");
    replay.expect(0);
    assert_eq!(steps(&replay.stdout).len(), 2);
}

#[test]
fn by_hand_into_a_deadlock() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run =
        sandbox.run_with_input("simulate philosophers.bir --interactive -D N=2", "1\n1\n2\nu\nu\nu\nu\n");
    run.expect(0);
    let out = &run.stdout;
    assert!(
        out.contains(
            "deadlock: no thread can move, and not all have ended\nThere are no steps here.\nstep 4> u\n"
        ),
        "{out}"
    );
    assert!(out.contains("This is the initial state.\n"), "{out}");
    // The input ends without a q.
    assert!(out.ends_with("step 1> \n"), "{out}");
}

#[test]
fn by_hand_into_a_fault() {
    let sandbox = Sandbox::new();
    sandbox.write("zero.bir", "system S { int x; active thread T() { assert x == 1; } }");
    let run = sandbox.run_with_input("simulate zero.bir --interactive", "1\nq\n");
    run.expect(0);
    assert!(run.stdout.contains("\nassertion: the asserted condition is false\n"), "{}", run.stdout);
}

/// Columns are as wide as the first steps need, and grow.
#[test]
fn long_runs_look_like_short_ones() {
    let sandbox = Sandbox::with("peterson.bir");
    let long = sandbox.run("simulate peterson.bir --steps 1500");
    long.expect(0);
    let numbers: Vec<u32> = steps(&long.stdout)
        .iter()
        .map(|line| line.trim_start().split_once(". ").expect("a number").0.parse().expect("a number"))
        .collect();
    assert_eq!(numbers, (1..=1500).collect::<Vec<u32>>());
    assert!(long.stdout.ends_with("\nStopped after 1 500 steps (use --steps for more).\n"));
    // As many steps as are looked at before the first is shown.
    let short = sandbox.run("simulate peterson.bir --steps 200");
    let shown =
        short.stdout.strip_suffix("Stopped after 200 steps (use --steps for more).\n").expect("it ends so");
    assert!(long.stdout.starts_with(shown));
}

/// What was shown is not kept: a run needs no more memory the longer it is. Nor does its replay, but for the
/// steps themselves, nor does a trail that is written.
#[cfg(target_os = "linux")]
#[test]
fn long_runs_fit_into_little_memory() {
    let sandbox = Sandbox::with("peterson.bir");
    let limited = |line: &str| {
        let mut command = std::process::Command::new("sh");
        let limit = format!("ulimit -v 90000; exec \"$0\" {line} > /dev/null");
        command.arg("-c").arg(limit).arg(sandbox.command("").get_program());
        command.current_dir(sandbox.path("")).stderr(std::process::Stdio::piped());
        crate::support::finish(command.spawn().expect("a shell"))
    };
    limited("simulate peterson.bir --steps 100000 --trail run.json").expect(0);
    for how in ["", "--format json"] {
        limited(&format!("replay peterson.bir run.json {how}")).expect(0);
    }
}

/// A walk drops its past now and then, and goes on with the same state: the plain interpreter, which takes
/// the same steps, would notice a difference. Hidden variables are no part of what is kept of a state, and
/// stay what they are.
#[test]
fn long_runs_go_on_with_the_same_state() {
    let sandbox = Sandbox::new();
    let hidden = "hidden byte h; byte x; chan q = [3] of { byte };
        active [2] proctype P() {
          do
          :: h < 50 -> h++; x = h
          :: h > 10 -> h = h - 10
          :: q!h
          :: q?x -> if :: x % 2 == 0 -> atomic { run Q(); x++ } :: else fi
          od
        }
        proctype Q() { x = h; h = (h + 7) % 60 }";
    sandbox.write("m.pml", hidden);
    for seed in 0..4 {
        let run = sandbox.run(&format!("simulate m.pml --steps 3000 --seed {seed}"));
        run.expect(0);
        assert!(
            run.stdout.ends_with("Stopped after 3 000 steps (use --steps for more).\n"),
            "{}",
            run.stdout
        );
    }
    for model in ["message_queue.bir", "peterson.bir", "philosophers_ordered.bir"] {
        for seed in 0..4 {
            let run = Sandbox::with(model).run(&format!("simulate {model} --steps 2000 --seed {seed}"));
            run.expect(0);
        }
    }
}

const COUNTERS: &str = "system C {
  int (0, 9) x;
  int (0, 9) y;
  active [2] thread T() {
    loc a: when x < 9 do { x := x + 1; } goto b;
    loc b: when x > 0 && y < 9 do { x := x - 1; y := y + 1; } goto a;
  }
}";

/// The lines that a session prints after a line of input and before the next menu.
fn answer<'o>(out: &'o str, input: &str) -> Vec<&'o str> {
    let from = out.find(&format!("> {input}\n")).unwrap_or_else(|| panic!("no `{input}` in {out}"));
    let is_menu =
        |line: &&str| line.trim_start().split_once(')').is_some_and(|(n, _)| n.parse::<u32>().is_ok());
    out[from..].lines().skip(1).take_while(|line| !is_menu(line) && !line.starts_with("step ")).collect()
}

/// Each point of a run can be reached again, backwards and forwards, and is the state that a replay ends in.
#[test]
fn sessions_go_back_and_forth() {
    for (model, steps) in [("peterson.bir", 70), ("message_queue.bir", 30)] {
        let sandbox = Sandbox::with(model);
        for at in [0, 1, 15, 16, 17, 29, 63].into_iter().filter(|&at| at < steps) {
            let rest = steps - at;
            let input = format!(
                "r {steps}\ng {at}\ns\nsave part.json\nredo {rest}\nundo {rest}\nd {at}\nr 5\nu 99\nd 0\nq\n"
            );
            let run = sandbox.run_with_input(&format!("simulate {model} --interactive --seed {at}"), &input);
            run.expect(0);
            let shown: Vec<&str> = answer(&run.stdout, "s").iter().map(|line| &line[2..]).collect();
            let replay = sandbox.run(&format!("replay {model} part.json --format json")).json();
            let last: Vec<String> = serde_json::from_value(replay["last"].clone()).expect("lines");
            assert_eq!(shown, last, "{model}, step {at}");
            assert!(run.stdout.contains(&format!("step {}> undo", steps + 1)), "{}", run.stdout);
            for since in [at, 0] {
                let different = answer(&run.stdout, &format!("d {since}"));
                assert_eq!(different, ["Nothing is different."], "{}", run.stdout);
            }
        }
    }
}

#[test]
fn sessions_know_their_commands() {
    let sandbox = Sandbox::new();
    sandbox.write("c.bir", COUNTERS);
    let input =
        "help\n1\nd\nd\nwhy T#1\nundo 5\nundo\nredo 9\nredo\ngoto 7\nundo x\nload none.json\nsave c.bir\nq\n";
    let run = sandbox.run_with_input("simulate c.bir --interactive --seed 1", input);
    run.expect(0);
    let answer = |input: &str| answer(&run.stdout, input).join("\n");
    assert!(answer("help").contains("\n  w, why [THREAD] "), "{}", run.stdout);
    assert_eq!(answer("d"), "  x: 0 → 1\n  T#1 at a → b");
    assert!(run.stdout.contains("> d\nNothing is different.\n"), "{}", run.stdout);
    assert_eq!(answer("why T#1"), "  T#1 can move: it has 1 step.");
    assert_eq!(answer("undo"), "This is the initial state.");
    assert_eq!(answer("redo"), "No step was taken back.");
    assert_eq!(answer("goto 7"), "The run has no step 7, but 1 step.");
    assert_eq!(answer("undo x"), "`undo` takes a number, not `x`.");
    assert!(answer("load none.json").starts_with("error: cannot read `none.json`"), "{}", run.stdout);
    assert!(answer("save c.bir").contains("which this command reads"), "{}", run.stdout);
    assert_eq!(sandbox.read("c.bir"), COUNTERS);
}

#[test]
fn sessions_say_why_threads_wait() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("check philosophers.bir --trail stuck.json").expect(1);
    let run = sandbox.run_with_input(
        "simulate philosophers.bir --interactive",
        "load stuck.json\nw\nw Philosopher#2\nw Nobody\nq\n",
    );
    run.expect(0);
    assert_eq!(
        answer(&run.stdout, "w").iter().filter(|line| line.contains("waits until `!right.isHeld`")).count(),
        3
    );
    let one = answer(&run.stdout, "w Philosopher#2");
    assert!(one[0].starts_with("  Philosopher#2 waits at"), "{one:?}");
    assert!(one[1].contains("right.isHeld = true (written last by Philosopher#3)"), "{one:?}");
    assert!(
        run.stdout.contains("There is no `Nobody` here, but Philosopher#1, Philosopher#2, Philosopher#3.")
    );
    // Not a trail of this model.
    let run =
        sandbox.run_with_input("simulate philosophers.bir --interactive -D N=2", "r 2\nload stuck.json\nq\n");
    run.expect(0);
    assert!(run.stdout.contains("warning: the trail was made from another version"), "{}", run.stdout);
    assert!(run.stdout.contains("The trail does not fit the model: step "), "{}", run.stdout);
    assert!(run.stdout.ends_with("step 3> q\n"), "the run stays what it was: {}", run.stdout);
}

/// The first state in which a condition holds ends a run, and no state before it satisfies it.
#[test]
fn runs_up_to_a_condition() {
    let sandbox = Sandbox::new();
    sandbox.write("c.bir", COUNTERS);
    let until = |condition: &str, options: &str| {
        let mut command = sandbox.command(&format!("simulate c.bir {options} --until"));
        crate::support::finish(command.arg(condition).spawn().expect("it starts"))
    };
    for seed in 0..5 {
        let run = until("y == 3 && x > 0", &format!("--seed {seed} --trail run.json"));
        run.expect(0);
        assert!(run.stdout.contains("`y == 3 && x > 0` holds after "), "{}", run.stdout);
        let replay = sandbox.run("replay c.bir run.json --format json --view states").json();
        let holds = |state: &serde_json::Value| {
            state["globals"]["y"] == 3 && state["globals"]["x"].as_i64().is_some_and(|x| x > 0)
        };
        let states: Vec<bool> =
            replay["steps"].as_array().expect("a list").iter().map(|step| holds(&step["state"])).collect();
        assert_eq!(states.iter().position(|&holds| holds), Some(states.len() - 1), "{replay}");
    }
    until("x == 0", "").expect(0);
    let run = until("y == 9", "--steps 4");
    run.expect(3);
    assert!(
        run.stdout.ends_with("(use --steps for more).\n`y == 9` did not hold in this run.\n"),
        "{}",
        run.stdout
    );
    until("[] (x == 1)", "").refused(&["temporal operators are for properties"]);
    until("z == 1", "").refused(&["there is no variable `z`"]);

    let input = "until x == 1\nuntil x == 1\nc\nrun 3 until x == 77\nuntil x ==\nq\n";
    let run = sandbox.run_with_input("simulate c.bir --interactive", input);
    run.expect(0);
    assert!(run.stdout.contains("`x == 1` holds after step 1.\n"), "{}", run.stdout);
    assert!(run.stdout.contains("`x == 1` holds here; `continue` goes on"), "{}", run.stdout);
    assert!(
        run.stdout.contains("`x == 77` did not hold in 3 steps; `continue` goes on.\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("--until:1:5"), "{}", run.stdout);
}

/// A condition may read what the model only writes, and what only properties ask for.
#[test]
fn conditions_about_what_states_do_not_hold() {
    let sandbox = Sandbox::new();
    let model = "byte x; byte w;
        active [2] proctype P() { do :: atomic { x < 5 -> x++; w = x } :: x > 0 -> x-- od }";
    sandbox.write("m.pml", model);
    for condition in ["w==4", "_last==1"] {
        for seed in 0..3 {
            let run = sandbox.run(&format!("simulate m.pml --steps 2000 --seed {seed} --until {condition}"));
            run.expect(0);
            assert!(run.stdout.contains(&format!("`{condition}` holds after ")), "{}", run.stdout);
        }
    }
}

/// A run goes on from the end of a trail, with the constants and bounds of the trail.
#[test]
fn runs_go_on_from_a_trail() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("simulate philosophers.bir -D N=4 --steps 6 --seed 2 --trail six.json").expect(0);
    let run =
        sandbox.run("simulate philosophers.bir --from-trail six.json --steps 3 --seed 5 --trail nine.json");
    assert_eq!(run.stderr, "");
    let six = steps(&sandbox.run("replay philosophers.bir six.json").stdout).len();
    assert_eq!(six, 6);
    let nine = sandbox.run("replay philosophers.bir nine.json");
    assert_eq!(steps(&nine.stdout), steps(&run.stdout));
    assert_eq!(steps(&run.stdout).len(), 9, "{}", run.stdout);
    assert_eq!(steps(&run.stdout)[..6], steps(&sandbox.run("replay philosophers.bir six.json").stdout)[..]);

    // A trail of a violation ends in it.
    sandbox.run("check philosophers.bir --trail stuck.json").expect(1);
    let run = sandbox.run("simulate philosophers.bir --from-trail stuck.json");
    run.expect(1);
    assert_eq!(run.stdout, sandbox.run("replay philosophers.bir stuck.json").stdout);
    sandbox.write("fails.bir", "system S { int x; active thread T() { x := 1; assert x == 2; } }");
    sandbox.run("check fails.bir --trail fails.json").expect(1);
    let run = sandbox.run("simulate fails.bir --from-trail fails.json");
    run.expect(1);
    assert_eq!(run.stdout, sandbox.run("replay fails.bir fails.json").stdout);
    let run = sandbox.run_with_input("simulate fails.bir --interactive --from-trail fails.json", "q\n");
    run.expect(0);
    assert!(run.stdout.contains("The last step of the trail is not taken: assertion: "), "{}", run.stdout);
    assert!(run.stdout.ends_with("step 2> q\n"), "{}", run.stdout);

    let run = sandbox.run("simulate fails.bir --from-trail stuck.json");
    run.expect(2);
    assert!(run.stderr.contains("the trail does not fit the model: step 1 of "), "{}", run.stderr);
}

/// A trail of SPIN's can be the beginning of a run.
#[test]
fn runs_go_on_from_a_trail_of_spins() {
    let sandbox = Sandbox::new();
    sandbox.write("a.pml", "byte x; active proctype P() { do :: x < 3 -> x++; assert(x < 2) od }");
    sandbox.run("check a.pml --trail-format spin --trail a.trail").expect(1);
    let run = sandbox.run("simulate a.pml --from-trail a.trail");
    run.expect(1);
    assert_eq!(run.stdout, sandbox.run("replay a.pml a.trail").stdout);
}
