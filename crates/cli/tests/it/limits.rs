//! Searches that are stopped by a limit say so, and claim nothing more than they know.

use crate::support::Sandbox;

#[test]
fn states() {
    let sandbox = Sandbox::with("peterson.bir");
    for search in ["bfs", "dfs"] {
        for limit in [1, 2, 100, 2905] {
            let line = format!("check peterson.bir --por off --search {search} --max-states {limit}");
            let (run, report) = sandbox.json(&line);
            run.expect(3);
            assert_eq!(report["verdict"], "inconclusive");
            assert_eq!(report["states"], limit);
            assert_eq!(report["incomplete"], "the limit on states was reached");
        }
        // As many as there are is no limit.
        let (run, report) =
            sandbox.json(&format!("check peterson.bir --por off --search {search} --max-states 2906"));
        run.expect(0);
        assert_eq!(report["verdict"], "holds");
    }
}

#[test]
fn depth() {
    let sandbox = Sandbox::with("philosophers.bir");
    // The deadlock is four steps away.
    let (run, report) = sandbox.json("check philosophers.bir --max-depth 3");
    run.expect(3);
    assert_eq!(report["verdict"], "holds up to bounds");
    assert_eq!(report["depth"], 3);
    assert_eq!(report["incomplete"], "states more than 3 steps away were not explored");
    sandbox.run("check philosophers.bir --max-depth 4").expect(1);
    // Depth first, a limit on the depth hides states within it as well.
    let (run, report) = sandbox.json("check philosophers.bir --max-depth 3 --search dfs");
    run.expect(3);
    assert_eq!(report["verdict"], "inconclusive");
    // A limit that nothing reaches limits nothing.
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    sandbox.run("check philosophers_ordered.bir --max-depth 1000").expect(0);
    sandbox.run("check philosophers_ordered.bir --max-depth 18446744073709551615").expect(0);
}

#[test]
fn time() {
    let sandbox = Sandbox::with("philosophers.bir");
    for search in ["bfs", "dfs"] {
        let (run, report) = sandbox.json(&format!("check philosophers.bir --time 0s --search {search}"));
        run.expect(3);
        assert_eq!(report["verdict"], "inconclusive");
        assert_eq!(report["states"], 0);
        assert_eq!(report["incomplete"], "the time limit was reached");
    }
    // Some time is enough to begin with, and not enough for many millions of states.
    let (run, report) = sandbox.json("check philosophers.bir -D N=20 --time 200ms");
    run.expect(3);
    assert_eq!(report["incomplete"], "the time limit was reached");
    assert!(report["seconds"].as_f64().is_some_and(|seconds| seconds >= 0.1), "{}", report["seconds"]);
    sandbox.run("check philosophers.bir --time 1d").expect(1);
}

#[cfg(target_os = "linux")]
#[test]
fn memory() {
    let cases = [
        ("philosophers.bir", "-D N=13 --search bfs --store exact --symmetry none", 64),
        ("philosophers_ordered.bir", "-D N=12 --search dfs --store exact", 32),
        ("philosophers_ordered.bir", "-D N=12 --search bfs --store naive", 48),
    ];
    for (model, options, megabytes) in cases {
        let line = format!("check {model} {options} --memory {megabytes}M");
        let (run, report) = Sandbox::with(model).json(&line);
        run.expect(3);
        assert_eq!(report["verdict"], "inconclusive", "{line}");
        assert_eq!(report["incomplete"], "the memory limit was reached", "{line}");
        let limit = f64::from(megabytes << 20);
        assert_eq!(report["memory_limit_bytes"].as_f64(), Some(limit));
        let peak = report["peak_memory_bytes"].as_f64().expect("the kernel tells the peak");
        assert!(peak <= 1.05 * limit, "{line}: {peak} is more than the limit");
        assert!(peak >= 0.5 * limit, "{line}: {peak} is far from the limit");
        assert!(report["states"].as_u64().is_some_and(|states| states > 10_000), "{}", report["states"]);
    }
}

#[test]
fn too_little_memory_to_begin_with() {
    let (run, report) = Sandbox::with("philosophers.bir").json("check philosophers.bir --memory 1");
    run.expect(3);
    assert_eq!(report["verdict"], "inconclusive");
    assert_eq!(report["memory_limit_bytes"], 1);
}

#[test]
fn bounds() {
    let sandbox = Sandbox::with("philosophers.bir");
    // The step that lays the table needs an array, three forks and four threads.
    for (options, step) in [
        ("--max-objects 3", "1 step was not taken because it exceeds --max-objects 3"),
        ("--max-threads 3", "1 step was not taken because it exceeds --max-threads 3"),
    ] {
        let (run, report) = sandbox.json(&format!("check philosophers.bir {options}"));
        run.expect(3);
        assert_eq!(report["verdict"], "holds up to bounds");
        assert_eq!(report["incomplete"], step);
        assert_eq!(report["exhaustive"], false);
        let human = sandbox.run(&format!("check philosophers.bir {options}"));
        human.expect(3);
        assert!(human.stdout.contains(step), "{}", human.stdout);
        assert!(human.stdout.contains("; 1 step exceeds that and was not taken"), "{}", human.stdout);
        let (run, report) = sandbox.json(&format!("check philosophers.bir {options} --on-bound error"));
        run.expect(1);
        assert_eq!(report["violation"]["steps"], 1);
    }
    sandbox.run("check philosophers.bir --max-objects 4 --max-threads 4").expect(1);

    let sandbox = Sandbox::with("recursion.bir");
    sandbox.run("check recursion.bir --max-frames 2").expect(3);
    let (run, report) = sandbox.json("check recursion.bir --max-frames 2 --on-bound error");
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "stack-bound");
}

/// Models in Promela have objects and frames if they are in dynamic Promela.
#[test]
fn bounds_of_dynamic_promela() {
    let sandbox = Sandbox::new();
    let sum = "typedef Cell { Cell& rest }; function sum(byte n) : byte { \
        byte rest; if :: n > 0 -> rest = sum(n - 1) :: else fi; return n + rest } \
        init { Cell& c; byte all; c = new Cell; c.rest = new Cell; all = sum(3); assert(all == 6) }";
    sandbox.write("sum.pml", sum);
    sandbox.run("check sum.pml --max-frames 5 --max-objects 2 --naming dfs").expect(0);
    for option in ["--max-frames 4", "--max-objects 1"] {
        let (run, report) = sandbox.json(&format!("check sum.pml {option}"));
        run.expect(3);
        assert_eq!(report["incomplete"], format!("1 step was not taken because it exceeds {option}"));
    }
    sandbox.write("plain.pml", "byte n; active proctype P() { n++ }");
    for (option, has_none) in
        [("--max-frames 5", "neither objects nor frames"), ("--naming dfs", "keep their numbers")]
    {
        sandbox.run(&format!("check plain.pml {option}")).refused(&[&option[..8], has_none]);
    }
}

#[test]
fn a_model_that_starts_beyond_the_bounds() {
    let sandbox = Sandbox::new();
    sandbox.write("two.bir", "system Two { active[2] thread T() { skip; } }");
    for command in ["check", "simulate", "print --layout", "graph --format dot"] {
        let run = sandbox.run(&format!("{command} two.bir --max-threads 1"));
        run.refused(&["the model starts with 2 threads, but --max-threads is 1"]);
    }
}
