//! Options that do not go together: what would give a wrong answer is refused, or not used, and that is said.
//!
//! A reduced or lossy search that claims what only a plain one can claim is how checkers go wrong. Each of
//! the tests is about one such claim.

use serde_json::Value;

use crate::support::{Sandbox, models};

/// A model in which two processes do something of their own.
const PAIR: &str = "byte x, y, g;
active proctype A() { byte a; a = 1; a = 2; x = a; g = g + a }
active proctype B() { byte b; b = 1; b = 2; y = b; g = g + b }
never seen { T0: if :: x == 9 -> goto accept_T1 :: true -> goto T0 fi; accept_T1: goto accept_T1 }
";

/// A process that waits for ever on one of its ways.
const STUCK: &str = "byte x, y;
active proctype A() { byte a; a = 1; a = 2; x = a; y == 3; x = 7 }
active proctype B() { byte b; b = 1; b = 2; y = b }
";

fn sandbox(text: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", text);
    sandbox
}

/// Checks with reduction by default, and with `--por on`: neither reduces anything, and both say why.
fn gives_way(sandbox: &Sandbox, options: &str, code: i32, why: &str) {
    for (switch, loudly) in
        [("", "no partial order reduction: "), ("--por on", "no partial order reduction despite --por on: ")]
    {
        let line = format!("check m.pml -q {options} {switch}");
        let (run, report) = sandbox.json(&line);
        run.expect(code);
        let reduction = &report["properties"].get(0).map_or(&report["reduction"], |one| &one["reduction"]);
        assert_eq!(reduction["por"], "off", "{line}");
        assert!(
            reduction["notice"].as_str().is_some_and(|notice| notice.contains(why)),
            "{line}: {reduction}"
        );
        let is_it = |text: &&str| text.starts_with(loudly) && text.contains(why);
        let assumptions = report["assumptions"].as_array().expect("a list");
        assert!(
            assumptions.iter().filter_map(Value::as_str).any(|text| is_it(&text)),
            "{line}: {assumptions:?}"
        );
    }
}

/// A formula that counts states, and claims of which it is not known whether they do.
#[test]
fn reduction_with_properties_that_count_states() {
    let sandbox = sandbox(PAIR);
    gives_way(&sandbox, "--ltl <>X(g==4)", 0, "the property `--ltl` counts states, as `X` does");
    gives_way(&sandbox, "--property seen", 0, "it is not known whether the claim `seen` counts states");
    // With a formula that does not, all is well.
    let (run, report) = sandbox.json("check m.pml -q --ltl <>(g==4)");
    run.expect(0);
    let reduction = &report["properties"][0]["reduction"];
    assert_eq!((&reduction["por"], &reduction["notice"]), (&"on".into(), &Value::Null));
    assert!(reduction["ample"].as_u64() > Some(0), "{reduction}");
    // So are states in the middle of what is merged.
    let merged = |formula: &str| {
        let (_, report) = sandbox.json(&format!("check m.pml -q --ltl {formula}"));
        report["properties"][0]["reduction"]["merge"].clone()
    };
    assert_eq!((merged("<>X(g==4)"), merged("<>(g==4)")), ("off".into(), "on".into()));
}

/// Who can move, who moved, and who comes first.
#[test]
fn reduction_with_questions_about_the_schedule() {
    for (text, why) in [
        ("byte x; active [2] proctype A() { byte a; a = _last; x = a }", "reads `_last`"),
        (
            "byte x; active [2] proctype A() { byte a; a = 1; if :: enabled(1 - _pid) -> x = a :: else fi }",
            "uses `enabled()`",
        ),
        ("byte x; active [2] proctype A() { byte a; a = pc_value(0); x = a }", "uses `pc_value()`"),
        ("byte x; active [2] proctype A() priority 2 { byte a; a = 1; x = a }", "has priorities"),
        (
            "byte x; active [2] proctype A() provided (x < 9) { byte a; a = 1; x = a }",
            "has `provided` clauses",
        ),
    ] {
        gives_way(&sandbox(text), "--safety", 0, why);
    }
    // Who asks whether there is a message, or where a process is, or whether all others wait, is asked in all
    // states.
    for text in [
        "chan c = [1] of { bit }; active proctype A() { byte a; a = 1; c!1 }
         active proctype B() { byte b; b = 1; if :: c?1 :: else -> assert(false) fi }",
        "active proctype A() { byte a; a = 1; here: a = 2 }
         active proctype B() { byte b; b = 1; assert(!A@here) }",
        "chan c = [0] of { bit }; active proctype A() { byte a; if :: c?_ :: a == 0 -> a = 1 fi; end: c?_ }
         active proctype B() { if :: c!1 :: else -> assert(false) fi }",
        "byte x; active proctype A() { byte a; a = 1; x = a; false }
         active proctype B() { byte b; b = 1; timeout -> assert(x == 0) }",
    ] {
        for options in ["--por on --merge on", "--por off --merge off"] {
            let (run, report) = sandbox(text).json(&format!("check m.pml -q {options}"));
            run.expect(1);
            assert_eq!(report["violation"]["kind"], "assertion", "{options}: {text}");
        }
    }
}

/// Reductions keep what can be said of runs. What can be said of trees of runs cannot be asked.
#[test]
fn reduction_with_branching_time() {
    let sandbox = sandbox(PAIR);
    for formula in ["AG(x==0)", "E<>(x==1)", "A[](x<2)"] {
        sandbox.run(&format!("check m.pml --ltl {formula}")).refused(&["error["]);
    }
}

/// What names an individual is pinned, and individuals have no order.
#[test]
fn symmetry_with_individuals() {
    let text = |more: &str| {
        format!(
            "system S {{ abstract enum E {{ A, B, C }} E owner; {more}
             active thread T() {{ E e; e := Set.choose(E.all); owner := e; }} }}"
        )
    };
    let sandbox = Sandbox::new();
    sandbox.write("m.bir", text("ltl P = [] (owner == E.A);"));
    for symmetry in ["none", "full"] {
        let (run, report) = sandbox.json(&format!("check m.bir -q --symmetry {symmetry}"));
        run.expect(1);
        assert_eq!(report["symmetry"]["pinned"], serde_json::json!(["E.A"]));
    }
    sandbox.write("m.bir", text("invariant P = owner < E.B;"));
    sandbox.run("check m.bir").refused(&["error["]);
}

/// Starvation shows only to those who know who is who.
#[test]
fn symmetry_with_fairness() {
    let text = std::fs::read(models().join("temporal/starvation.bir")).expect("a model");
    let sandbox = Sandbox::new();
    sandbox.write("m.bir", text);
    let verdicts = |symmetry: &str| {
        let (_, report) =
            sandbox.json(&format!("check m.bir -q --fairness weak --symmetry {symmetry} --continue"));
        let properties = report["properties"].as_array().expect("a list").clone();
        properties.iter().map(|one| (one["name"].clone(), one["verdict"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(verdicts("full"), verdicts("none"));
    for level in ["pc", "bots"] {
        let line = format!("check m.bir --non-progress --fairness weak --symmetry {level}");
        sandbox.run(&line).refused(&["lets the age of threads decide"]);
    }
}

/// Cycles are not found breadth first, and what is shortest of some runs is not what is shortest of all.
#[test]
fn breadth_first() {
    let sandbox = sandbox(STUCK);
    for option in ["--ltl [](x<9)", "--non-progress"] {
        sandbox
            .run(&format!("check m.pml --search bfs {option}"))
            .refused(&["cycles are looked for depth first"]);
    }
    let run = sandbox.run("check m.pml --search bfs --minimise off");
    run.expect(1);
    assert!(run.stdout.contains("(short; use --por off --merge off for a shortest one)"), "{}", run.stdout);
    for options in ["", "--por off --merge off", "--por off --merge off --minimise off"] {
        let run = sandbox.run(&format!("check m.pml --search bfs {options}"));
        run.expect(1);
        assert!(run.stdout.contains("(shortest)"), "{}", run.stdout);
    }
    // A rendezvous is one step, in which nothing is lost: who waits for one that never comes is stuck.
    let alone = self::sandbox(
        "chan c = [0] of { bit }; active proctype A() { c!1; c!1 } active proctype B() { c?1 }",
    );
    for search in ["bfs", "dfs"] {
        let (run, report) = alone.json(&format!("check m.pml -q --search {search}"));
        run.expect(1);
        assert_eq!(report["violation"]["kind"], "deadlock");
    }
}

/// A cycle that is fair is not taken for granted where the search first comes back to a state.
#[test]
fn early_ends_of_cycles_with_fairness() {
    let sandbox = sandbox(
        "bool done;
         active proctype Loop() { do :: done -> break :: else od }
         active proctype Ends() { done = true }",
    );
    for store in ["trie", "exact", "collapse"] {
        let check =
            |fairness: &str| sandbox.run(&format!("check m.pml -q --ltl <>done --store {store} {fairness}"));
        check("").expect(1);
        check("--fairness weak").expect(0);
    }
}

/// Who may take a state for another one proves nothing, and finds no cycles.
#[test]
fn lossy_stores() {
    let sandbox = sandbox(PAIR);
    for store in ["compact", "bitstate"] {
        let (run, report) = sandbox.json(&format!("check m.pml -q --safety --store {store}"));
        run.expect(3);
        assert_eq!(report["verdict"], "no error found");
        for option in ["--ltl [](x<9)", "--non-progress", "--property seen"] {
            let line = format!("check m.pml --store {store} {option}");
            sandbox.run(&line).refused(&["may take a state for another one"]);
        }
        let (run, report) = sandbox.json(&format!("check m.pml -q --store {store}"));
        run.expect(3);
        let reason = report["incomplete"].as_str().expect("a reason");
        assert!(reason.contains("temporal properties (seen) were not checked"), "{reason}");
    }
}

/// Depth first, a state can first be met on a detour, and what is near behind it is not looked at again.
#[test]
fn depth_first_up_to_a_depth() {
    let sandbox = sandbox(PAIR);
    let (run, report) = sandbox.json("check m.pml -q --safety --search dfs --max-depth 3");
    run.expect(3);
    assert_eq!(report["verdict"], "inconclusive");
    let (run, report) = sandbox.json("check m.pml -q --safety --search bfs --max-depth 3");
    run.expect(3);
    assert_eq!(report["verdict"], "holds up to bounds");
}

/// The one that is taken of several orders of the same steps may be longer than a limit.
#[test]
fn reduction_up_to_a_depth() {
    let sandbox = sandbox(PAIR);
    sandbox
        .run("check m.pml --por on --max-depth 3")
        .refused(&["--por on has no meaning with --max-depth 3"]);
    let (_, limited) = sandbox.json("check m.pml -q --safety --max-depth 3");
    let reduction = &limited["reduction"];
    assert_eq!((&reduction["por"], &reduction["merge"]), (&"off".into(), &"off".into()));
    assert!(reduction["notice"].as_str().is_some_and(|notice| notice.contains("--max-depth")), "{reduction}");
    assert!(
        reduction["merge_notice"].as_str().is_some_and(|notice| notice.contains("--max-depth")),
        "{reduction}"
    );
    let (_, plain) = sandbox.json("check m.pml -q --safety --max-depth 3 --por off --merge off");
    assert_eq!(limited["states"], plain["states"]);
}

/// How many objects there are at a time is a question of order, too.
#[test]
fn reduction_with_bounds_that_are_errors() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "m.bir",
        "system S { record R {} active [2] thread T() { R r; loc a: do { r := new R; } goto b;
         loc b: do { r := null; } goto c; loc c: do { } return; } }",
    );
    let line = "check m.bir -q --max-objects 1 --on-bound error";
    let (run, report) = sandbox.json(line);
    run.expect(1);
    assert_eq!(report["violation"]["kind"], "heap-bound");
    assert!(
        report["reduction"]["notice"].as_str().is_some_and(|notice| notice.contains("the number of objects"))
    );
}
