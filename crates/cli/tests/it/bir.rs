//! The language BIR, as far as reports show it.

use crate::support::Sandbox;

const SERVER: &str = "system S { int (0, 2) asked; boolean never;
  active [2] thread Client() { asked += 1; }
  active thread Server() { while true do idle end: when asked > 0; asked -= 1; end }
}";

#[test]
fn threads_may_stay_at_end_locations() {
    let sandbox = Sandbox::new();
    sandbox.write("server.bir", SERVER);
    for options in ["", "--symmetry none --por off", "--search dfs", "--por on"] {
        let held = sandbox.run(&format!("check server.bir {options}"));
        held.expect(0);
    }
    let ended = sandbox.run("simulate server.bir");
    ended.expect(0);
    let words = "All threads have ended or are at end locations.\n";
    assert!(ended.stdout.ends_with(words), "{}", ended.stdout);

    // Without the mark, and with another thread that waits.
    sandbox.write("plain.bir", SERVER.replace("idle end:", "idle:"));
    let stuck = sandbox.run("check plain.bir");
    stuck.expect(1);
    assert!(
        stuck.stdout.contains("deadlock: no thread can move, and not all have ended.\n"),
        "{}",
        stuck.stdout
    );
    sandbox.write("other.bir", SERVER.replace("asked += 1;", "asked += 1; when never;"));
    let stuck = sandbox.run("check other.bir");
    stuck.expect(1);
    let words = "deadlock: no thread can move, and not all have ended or are at end locations.\n";
    assert!(stuck.stdout.contains(words), "{}", stuck.stdout);
}

#[test]
fn assertions_have_messages() {
    let sandbox = Sandbox::new();
    let model = "system S { int x; active thread T() { x := 1; assert x == 2 : \"x is\\n two\"; } }";
    sandbox.write("fails.bir", model);
    let failed = sandbox.run("check fails.bir");
    failed.expect(1);
    let words = "assertion: x is two (the asserted condition is false).\n";
    assert!(failed.stdout.contains(words), "{}", failed.stdout);
    let json = sandbox.run("check fails.bir --format json");
    assert!(json.stdout.contains("x is two (the asserted condition is false)"), "{}", json.stdout);
}

#[test]
fn models_import_files() {
    let sandbox = Sandbox::new();
    sandbox.write("limits.bir", "const Limits { MAX = 2; }");
    sandbox.write(
        "counter.bir",
        "import \"limits.bir\";\nrecord Counter { int value := Limits.MAX; }
function count(Counter c) {\n  c.value -= 1;\n  assert c.value > 0;\n}",
    );
    sandbox.write(
        "main.bir",
        "import \"counter.bir\";
system Main { active thread T() { Counter c; c := new Counter; invoke count(c); invoke count(c); } }",
    );
    let failed = sandbox.run("check main.bir --trail trail.json");
    failed.expect(1);
    assert!(failed.stdout.contains("at counter.bir:5:3  assert c.value > 0;"), "{}", failed.stdout);
    sandbox.run("replay main.bir trail.json").expect(1);
    sandbox.run("check main.bir -D MAX=3").expect(0);
    sandbox.write("counter.bir", "record Counter { }");
    let refused = sandbox.run("check main.bir");
    refused.expect(2);
    assert!(refused.stderr.contains("there is no function `count`"), "{}", refused.stderr);
}

/// A thread that may stay at a `wait` may stay while it waits.
#[test]
fn waiting_at_an_end_location_is_no_deadlock() {
    let sandbox = Sandbox::new();
    let model =
        "system S { lock l; active thread T() { l := new lock; lock(l); w end: wait(l); unlock(l); } }";
    sandbox.write("waits.bir", model);
    sandbox.run("check waits.bir").expect(0);
    sandbox.write("stuck.bir", model.replace("w end: ", ""));
    sandbox.run("check stuck.bir").expect(1);
}
