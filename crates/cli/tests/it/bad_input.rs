//! Files that are no models, and constants that do not fit.

use std::fs::{self, File};

use crate::support::Sandbox;

#[test]
fn unknown_constants_are_listed() {
    let sandbox = Sandbox::with("philosophers.bir");
    for command in ["check", "simulate", "print --ir", "graph --format dot"] {
        let run = sandbox.run(&format!("{command} philosophers.bir -D M=3"));
        run.refused(&["error[E0308]: there is no constant `M`", "`PARAM.N`"]);
    }
    let text = sandbox.read("philosophers.bir");
    let line = 1 + text.lines().position(|line| line.starts_with("  const PARAM { N")).expect("it is there");
    let place = format!("philosophers.bir:{line}:17");
    sandbox.run("check philosophers.bir -D N=x").refused(&["E0310", &place]);
    sandbox.run("check philosophers.bir -D N=3 -D N=4").refused(&["set twice"]);
}

#[test]
fn files_that_are_no_models() {
    let sandbox = Sandbox::new();
    sandbox.write("empty.bir", "");
    sandbox.write("blank.bir", " \n\n// nothing\n");
    sandbox.write("binary.bir", [0xff, 0xfe, 0x00, 0x01].repeat(1000));
    sandbox.write("zeros.bir", [0; 4096]);
    sandbox.write("text", "system S { active thread T() { skip; } }");
    sandbox.write("broken.pml", "active proctype P() { skip");
    sandbox.write("zeros.pml", [0; 4096]);
    fs::create_dir(sandbox.path("folder.bir")).expect("a folder");
    for (name, texts) in [
        ("missing.bir", ["cannot read `missing.bir`", "No such file"]),
        ("missing/folder.bir", ["cannot read `missing/folder.bir`", "No such file"]),
        ("empty.bir", ["E0201", "found the end of the file"]),
        ("blank.bir", ["E0201", "found the end of the file"]),
        ("binary.bir", ["`binary.bir` is not UTF-8 text", "byte 0 of the file"]),
        ("zeros.bir", ["E0101", "zeros.bir:1:1"]),
        ("folder.bir", ["cannot read `folder.bir`", "it is a directory"]),
        ("text", ["E1212", "text:1:1"]),
        ("missing.pml", ["cannot read `missing.pml`", "No such file"]),
        ("broken.pml", ["E1201", "broken.pml:1:"]),
        ("zeros.pml", ["error", "zeros.pml:1:1"]),
    ] {
        for command in ["check", "simulate", "print --layout", "graph --format aut"] {
            sandbox.run(&format!("{command} {name}")).refused(&texts);
        }
    }
}

/// The command gives up on large nonsense soon and says little: a hang would run into the deadline of all
/// runs.
#[test]
fn large_nonsense() {
    let size = 50 << 20;
    for piece in ["system nonsense { garbage\n", "x", "{", "/* ", "thread T() { x := 1; }\n"] {
        let sandbox = Sandbox::new();
        sandbox.write("large.bir", piece.repeat(size / piece.len()));
        let run = sandbox.run("check large.bir");
        run.refused(&["error[E", "large.bir:"]);
        assert!(run.stderr.len() < 100_000, "{piece:?}: {} bytes of errors", run.stderr.len());
    }
}

#[test]
fn files_that_are_too_long() {
    let sandbox = Sandbox::new();
    let file = File::create(sandbox.path("long.bir")).expect("a file");
    file.set_len(100 << 30).expect("a file with a hole");
    sandbox.run("check long.bir").refused(&["cannot read `long.bir`", "longer than 64 MiB"]);
}

#[test]
fn several_errors_at_once_in_the_order_of_lines() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "model.bir",
        "system S {\n  int x;\n  active thread T() {\n    y := 1;\n    x := true;\n  }\n}\n",
    );
    let run = sandbox.run("check model.bir");
    run.refused(&["error[E0301]: there is no variable `y`", "error[E0401]: the types do not match"]);
    assert!(run.stderr.find("model.bir:4:5") < run.stderr.find("model.bir:5:10"), "{}", run.stderr);
}

#[test]
fn warnings_go_to_stderr_and_into_the_report() {
    let sandbox = Sandbox::new();
    sandbox.write("model.bir", "system S { int x; active thread T() { skip; } }\n");
    let (run, report) = sandbox.json("check model.bir");
    run.expect(0);
    assert!(run.stderr.starts_with("warning[W0701]"), "{}", run.stderr);
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(1));
    let quiet = sandbox.run("check model.bir --quiet");
    quiet.expect(0);
    assert_eq!(quiet.stderr, "");
}
