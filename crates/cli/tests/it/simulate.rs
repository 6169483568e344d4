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
