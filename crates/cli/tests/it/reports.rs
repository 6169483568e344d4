//! What people see, word for word. Changes are reviewed with `cargo insta review`.

use crate::support::{Run, Sandbox};

/// The report without what differs from run to run and from machine to machine.
fn stable(run: &Run) -> String {
    let line = |line: &str| {
        if line.contains(" transitions/s") {
            "(times)".to_owned()
        } else if line.contains("; peak process memory ") {
            format!("{}: (memory)", line.split(':').next().unwrap_or_default())
        } else {
            line.to_owned()
        }
    };
    assert_eq!(run.stderr, "");
    run.stdout.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn check(model: &str, options: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let sandbox = Sandbox::new();
    sandbox.write(name, std::fs::read(crate::support::models().join(model)).expect("a model"));
    stable(&sandbox.run(&format!("check {name} {options}")))
}

#[test]
fn deadlock() {
    insta::assert_snapshot!(check("philosophers.bir", ""));
}

#[test]
fn fault_and_dead_code() {
    insta::assert_snapshot!(check("faults/uncaught_exception_fault.bir", "--search dfs --continue"));
}

#[test]
fn invariants() {
    insta::assert_snapshot!(check("peterson_bug.bir", "-D N=3 --continue"));
}

#[test]
fn holds() {
    insta::assert_snapshot!(check("philosophers_ordered.bir", "-D N=2"));
}

#[test]
fn holds_up_to_bounds() {
    insta::assert_snapshot!(check("faults/heap_bound_fault.bir", "--max-objects 4"));
}

#[test]
fn inconclusive() {
    insta::assert_snapshot!(check("philosophers.bir", "--max-states 1"));
}

#[test]
fn no_error_found() {
    insta::assert_snapshot!(check("philosophers_ordered.bir", "--store compact"));
}

#[test]
fn an_error_that_a_lossy_store_finds() {
    insta::assert_snapshot!(check("philosophers.bir", "--store bitstate --arena 64Ki"));
}

#[test]
fn quiet() {
    assert_eq!(check("philosophers.bir", "--quiet"), "philosophers.bir: violated");
    assert_eq!(check("philosophers.bir", "-q --max-depth 1"), "philosophers.bir: holds up to bounds");
    assert_eq!(check("philosophers.bir", "-q --max-states 1"), "philosophers.bir: inconclusive");
    assert_eq!(check("philosophers_ordered.bir", "-q"), "philosophers_ordered.bir: holds");
}

#[test]
fn a_session_by_hand() {
    let sandbox = Sandbox::with("philosophers.bir");
    let run = sandbox.run_with_input("simulate philosophers.bir --interactive -D N=2", "1\n1\ns\nu\nq\n");
    insta::assert_snapshot!(stable(&run));
}

/// Long lines of models are cut: reports have lines of their own.
#[test]
fn long_lines_are_cut() {
    let sandbox = Sandbox::new();
    let sum = vec!["x"; 200].join(" + ");
    sandbox.write("long.bir", format!("system S {{ int x; active thread T() {{ assert {sum} == 1; }} }}"));
    let run = sandbox.run("check long.bir");
    run.expect(1);
    assert!(run.stdout.contains('…'), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() < 140), "{}", run.stdout);
}
