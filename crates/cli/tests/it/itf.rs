//! Trails in the Informal Trace Format, read by a reader that knows only the format.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Sandbox, models};

/// What the reader says of a trace. Without Python there is no reader, which is all right except in CI.
pub fn read(trace: &str) -> Option<Value> {
    let reader = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/itf_reader.py");
    let child = Command::new("python3").arg(reader).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "python3 does not start: {error}");
            return None;
        }
    };
    child.stdin.take().expect("a pipe").write_all(trace.as_bytes()).expect("the reader reads");
    let output = child.wait_with_output().expect("the reader ends");
    assert!(output.status.success(), "the reader refuses the trace");
    Some(serde_json::from_slice(&output.stdout).expect("the reader prints JSON"))
}

fn trace(model: &str, options: &str) -> Option<Value> {
    let sandbox = Sandbox::new();
    let path = models().join(model);
    let line = format!("check {} {options} --trail-format itf --trail t.itf.json", path.display());
    let run = sandbox.run(&line);
    run.expect(1);
    assert!(!run.stdout.contains("To replay it"), "{}", run.stdout);
    read(&sandbox.read("t.itf.json"))
}

#[test]
fn a_run_that_ends_in_a_deadlock() {
    let Some(read) = trace("philosophers.bir", "--por off") else { return };
    assert_eq!((&read["states"], &read["loop"]), (&json!(5), &Value::Null));
    assert_eq!(read["vars"], json!(["threads", "objects", "channels", "action"]));
    let objects = read["last"]["objects"].as_array().expect("a map");
    assert_eq!(objects[0], json!(["Fork#1", { "kind": "Fork", "contents": { "isHeld": true } }]));
}

#[test]
fn a_step_that_faults_leads_to_no_state() {
    let sandbox = Sandbox::new();
    sandbox.write("m.bir", "system M { int x; int y; active thread T() { x := 4; x := x / y; } }");
    sandbox.run("check m.bir --trail-format itf").expect(1);
    let Some(read) = read(&sandbox.read("m.itf.json")) else { return };
    assert_eq!((&read["states"], &read["last"]["x"]), (&json!(2), &json!(4)));
}

#[test]
fn names_of_the_model_come_first() {
    let sandbox = Sandbox::new();
    let text = "byte threads; chan q = [2] of { byte, byte }; active proctype P() { q!1,2; threads++; assert(false) }";
    sandbox.write("m.pml", text);
    sandbox.run("check m.pml --trail-format itf --merge off").expect(1);
    let Some(read) = read(&sandbox.read("m.itf.json")) else { return };
    assert_eq!(read["vars"], json!(["threads", "threads_", "objects", "channels", "action"]));
    assert_eq!((&read["last"]["threads"], &read["last"]["channels"]), (&json!(1), &json!([["q", [[1, 2]]]])));
}

#[test]
fn runs_that_go_on_for_ever_have_a_loop() {
    let sandbox = Sandbox::new();
    sandbox.write("m.pml", "byte x; active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 1 od }");
    sandbox.run("check m.pml --ltl <>(x==7) --trail-format itf --merge off --trail t.json").expect(1);
    let Some(round) = read(&sandbox.read("t.json")) else { return };
    let (states, start) = (round["states"].as_u64().expect("a number"), round["loop"].as_u64());
    assert!(start.is_some_and(|start| start < states), "{round}");
    // A run that stays in its last state for ever.
    sandbox.write("n.pml", "byte x; active proctype P() { x = 1 }");
    sandbox.run("check n.pml --ltl <>(x==7) --trail-format itf --trail n.json").expect(1);
    let stays = read(&sandbox.read("n.json")).expect("there is a reader");
    assert_eq!(stays["loop"].as_u64().map(|start| start + 1), stays["states"].as_u64());
}

/// Every violation of a bundled model can be written, and the reader finds nothing wrong with it.
#[test]
fn runs_of_bundled_models() {
    let mut seen = 0;
    for folder in ["", "faults", "promela", "temporal"] {
        let names = std::fs::read_dir(models().join(folder)).expect("models");
        for name in names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()) {
            if !(name.contains("_bug.") || name.contains("_fault.") || folder == "temporal") {
                continue;
            }
            let sandbox = Sandbox::new();
            let path = models().join(folder).join(&name);
            let options = "--max-states 20000 --trail-format itf --trail t.json --quiet";
            let run = sandbox.run(&format!("check {} {options}", path.display()));
            if run.code == Some(1) {
                seen += 1;
                let text = sandbox.read("t.json");
                assert!(read(&text).is_none_or(|read| read["states"].as_u64() > Some(0)), "{name}");
            }
        }
    }
    assert!(seen > 60, "{seen}");
}
