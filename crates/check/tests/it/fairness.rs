//! Fairness together with what makes searches smaller: symmetry of threads, and reduction.

use std::sync::Arc;

use quotient_check::config::{Config, Fairness, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};
use testing::{files_below, models};

fn model(name: &str, text: &str) -> Model {
    crate::common::load(name, text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn check(model: &Model, config: &Config) -> Report {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn fair(property: &str) -> Config {
    Config { property: Some(property.to_owned()), fairness: Fairness::Weak, ..Config::default() }
}

fn says(report: &Report, what: &str) -> bool {
    report.assumptions.iter().any(|line| line.contains(what))
}

/// A model file of the repository.
fn temporal(name: &str) -> Model {
    let files = files_below(&models().join("temporal"), "bir");
    let file = files.into_iter().find(|file| file.name.ends_with(name)).expect("there is such a model");
    model("m.bir", &file.text)
}

#[test]
fn threads_that_are_alike_count_once() {
    let relay = temporal("relay.bir");
    let states = [Symmetry::Full, Symmetry::Heap, Symmetry::None].map(|symmetry| {
        let report = check(&relay, &Config { symmetry, ..fair("Awake") });
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!(report.symmetry.level, symmetry);
        assert!(says(&report, &format!("symmetry {symmetry}:")), "{:?}", report.assumptions);
        report.states
    });
    assert!(5 * states[0] < states[2] && states[0] < states[1] && states[1] <= states[2], "{states:?}");
}

#[test]
fn a_fair_cycle_on_which_threads_change_places() {
    let relay = temporal("relay.bir");
    let report = check(&relay, &fair("Silence"));
    assert_eq!((report.verdict, report.symmetry.level), (Verdict::Violated, Symmetry::Full));
    let shown = report.violation.expect("a run");
    let cycle = shown.trace.cycle.expect("a cycle");
    assert!(cycle.closed);
    // Four times two steps are the least in which all threads move and one always runs.
    assert!(shown.trace.steps.len() - cycle.start >= 8);
}

const LOCAL: &str = "system S {
    int g;
    ltl Done = <> (g == 2);
    active thread Idler() { loc i: do { } goto i; }
    active thread A() { int x; loc a: do { x := 1; } goto b; loc b: do { x := 2; } goto c; loc c: do { g := g + 1; } return; }
    active thread B() { int x; loc a: do { x := 1; } goto b; loc b: do { x := 2; } goto c; loc c: do { g := g + 1; } return; }
}";

#[test]
fn steps_that_concern_nobody_else_are_reduced() {
    let model = model("m.bir", LOCAL);
    let full = check(&model, &Config { por: Switch::Off, ..fair("Done") });
    let reduced = check(&model, &Config { por: Switch::On, ..fair("Done") });
    assert_eq!((full.verdict, reduced.verdict), (Verdict::Holds, Verdict::Holds));
    assert!(reduced.states < full.states && reduced.reduction.ample > 0, "{:?}", reduced.reduction);
    assert!(says(&reduced, "that neither enable nor block other threads"), "{:?}", reduced.assumptions);
    // That a thread is left out does not mean that it cannot move.
    let unfair = check(&model, &Config { por: Switch::On, fairness: Fairness::None, ..fair("Done") });
    assert_eq!(unfair.verdict, Verdict::Violated);
}

const MESSAGES: &str = "
    chan c = [2] of { byte };
    byte got;
    ltl done { <> (got == 2) }
    active proctype Idler() { do :: skip od }
    active proctype Sender() { c!1; c!2 }
    active proctype Receiver() { byte b; c?b; c?b; got = b }
";

#[test]
fn messages_let_others_move() {
    let model = model("m.pml", MESSAGES);
    let config = |fairness| Config { por: Switch::On, fairness, ..fair("done") };
    assert!(check(&model, &config(Fairness::None)).reduction.ample > 0);
    let report = check(&model, &config(Fairness::Weak));
    assert_eq!((report.verdict, report.reduction.ample), (Verdict::Holds, 0));
    assert_eq!(report.reduction.notice, None);
}

/// Two channels that are filled when their receivers are ready, and a process that would put something into
/// either.
const NO_ROOM: &str = "
    chan c = [1] of { byte };
    chan d = [1] of { byte };
    bool wantc = true, wantd = true, sent;
    ltl done { <> sent }
    active proctype TakeC() { byte x; do :: c?x; wantc = true od }
    active proctype TakeD() { byte x; do :: d?x; wantd = true od }
    active proctype FillC() { do :: wantc -> wantc = false; c!1 od }
    active proctype FillD() { do :: wantd -> wantd = false; d!1 od }
    active proctype Either() { if :: c!2 :: d!2 fi; sent = true }
";

/// It has to wait if both are full, so it may wait for ever. To receive at once whatever there is would leave
/// that out.
#[test]
fn a_message_that_is_not_received_yet() {
    let model = model("m.pml", NO_ROOM);
    for por in [Switch::Off, Switch::On] {
        assert_eq!(check(&model, &Config { por, ..fair("done") }).verdict, Verdict::Violated, "{por}");
    }
}

#[test]
fn timeouts_ask_about_everybody() {
    let model = model(
        "m.pml",
        "byte x; ltl done { <> (x == 1) } active proctype P() { timeout -> x = 1 } active proctype Q() { byte y; y = 1; y = 2 }",
    );
    let report = check(&model, &Config { por: Switch::On, ..fair("done") });
    assert!(report.reduction.notice.is_some_and(|notice| notice.contains("timeout")));
    assert_eq!(report.verdict, Verdict::Holds);
}

fn strong(property: &str) -> Config {
    Config { fairness: Fairness::Strong, ..fair(property) }
}

#[test]
fn strong_fairness_counts_threads_that_are_alike_once() {
    let semaphore = temporal("semaphore.bir");
    let states = [Symmetry::Full, Symmetry::None].map(|symmetry| {
        let report = check(&semaphore, &Config { symmetry, ..strong("Served") });
        assert_eq!((report.verdict, report.symmetry.level), (Verdict::Holds, symmetry));
        assert!(says(&report, "only strongly fair schedules count"), "{:?}", report.assumptions);
        report.states
    });
    assert!(3 * states[0] < 2 * states[1], "{states:?}");
}

/// Between two steps of others, a thread can move for a moment: whether it can again and again depends on the
/// order of independent steps.
#[test]
fn under_strong_fairness_nothing_is_reduced() {
    let model = model("m.bir", LOCAL);
    for por in [Switch::Auto, Switch::On] {
        let report = check(&model, &Config { por, ..strong("Done") });
        assert_eq!((report.verdict, report.reduction.ample), (Verdict::Holds, 0));
        assert!(report.reduction.notice.is_some_and(|notice| notice.contains("strong fairness")));
        let despite = report.assumptions.iter().any(|line| line.contains("despite --por on"));
        assert_eq!(despite, por == Switch::On);
    }
    let merged =
        crate::common::load("m.pml", MESSAGES.as_bytes(), &[]).unwrap_or_else(|_| panic!("it compiles"));
    let report = check(&merged, &Config { merge: Switch::On, ..strong("done") });
    assert_eq!(report.verdict, Verdict::Holds);
    let notice = report.reduction.merge_notice.unwrap_or_default();
    assert!(notice.contains("strong fairness") || notice.contains("no statement"), "{notice}");
}

/// The thread that waits for both can move only while neither is up.
#[test]
fn a_cycle_that_avoids_what_it_cannot_serve() {
    let neighbours = temporal("neighbours.bir");
    for symmetry in [Symmetry::Full, Symmetry::None] {
        let report = check(&neighbours, &Config { symmetry, ..strong("MiddleEats") });
        assert_eq!(report.verdict, Verdict::Violated);
        let shown = report.violation.expect("a run");
        let cycle = shown.trace.cycle.expect("a cycle");
        // Each of the others takes its fork and puts it back.
        assert!(cycle.closed && shown.trace.steps.len() - cycle.start == 4, "{:?}", shown.trace.cycle);
    }
}

#[test]
fn trails_say_which_fairness_they_are_about() {
    let neighbours = temporal("neighbours.bir");
    let checked = quotient_check::check(&neighbours, &strong("MiddleEats"), 0, &Arc::default(), &mut Quiet);
    let trail = checked.unwrap_or_else(|error| panic!("{error:?}")).trail.expect("a trail");
    let json = trail.to_json();
    assert!(json.contains("\"fairness\": \"strong\""), "{json}");
    let weak = check_trail(&neighbours, &fair("MiddleEats"));
    assert!(!weak.to_json().contains("\"fairness\""));
    let recorded = |trail: &quotient_check::TrailFile| {
        trail.violation.as_ref().and_then(|violation| violation.property.clone()).expect("a property")
    };
    let bounds = Config::default().bounds;
    assert!(quotient_check::replay_property(&neighbours, bounds, trail.steps(), &recorded(&trail)).is_ok());
    // A run that is weakly fair need not be strongly fair.
    let lefty = check_trail(&neighbours, &fair("LeftEats"));
    let claimed = quotient_check::TrailProperty { fairness: Some(Fairness::Strong), ..recorded(&lefty) };
    assert!(quotient_check::replay_property(&neighbours, bounds, lefty.steps(), &recorded(&lefty)).is_ok());
    let refuted = quotient_check::replay_property(&neighbours, bounds, lefty.steps(), &claimed);
    assert!(refuted.is_err_and(|reason| reason.contains("can move again and again")));
}

fn check_trail(model: &Model, config: &Config) -> quotient_check::TrailFile {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).trail.expect("a trail")
}

const PASSED_OVER: &str = "
    chan c = [0] of { bit };
    bit one, two;
    ltl second { [] <> two }
    active proctype Sender() { do :: c!1 od }
    active proctype First() { do :: c?_; one = 1; one = 0 od }
    active proctype Second() { do :: c?_; two = 1; two = 0 od }
";

/// A process that can only receive has no step of its own; the step of a rendezvous is the sender's.
#[test]
fn partners_can_move() {
    let model = model("m.pml", PASSED_OVER);
    assert_eq!(check(&model, &fair("second")).verdict, Verdict::Violated);
    assert_eq!(check(&model, &strong("second")).verdict, Verdict::Holds);
}

/// In the middle of an atomic block, threads outside of it cannot move. A run that never leaves the block is
/// fair.
#[test]
fn atomic_blocks_keep_others_from_moving() {
    let endless = "system S {
        boolean done;
        ltl Done = <> done;
        active thread Waits() { loc w: when !done do { done := true; } return; }
        active thread Spins() { atomic while true do skip; end end }
    }";
    let model = model("m.bir", endless);
    assert_eq!(check(&model, &strong("Done")).verdict, Verdict::Violated);
    let blocks =
        endless.replace("atomic while true do skip; end end", "while true do atomic skip; skip; end end");
    let model =
        crate::common::load("m.bir", blocks.as_bytes(), &[]).unwrap_or_else(|_| panic!("it compiles"));
    assert_eq!(check(&model, &strong("Done")).verdict, Verdict::Holds);
}

#[test]
fn transformations_that_are_fair() {
    let lossy = temporal("lossy.bir");
    let config = fair("Delivered");
    for (symmetry, por) in [(Symmetry::Full, Switch::Auto), (Symmetry::None, Switch::On)] {
        let report = check(&lossy, &Config { symmetry, por, ..config.clone() });
        assert_eq!((report.verdict, report.reduction.ample), (Verdict::Holds, 0));
        assert!(
            says(&report, "marked `fair`") && says(&report, "`fair` transitions"),
            "{:?}",
            report.assumptions
        );
    }
    let text = files_below(&models().join("temporal"), "bir");
    let text = &text.iter().find(|file| file.name.ends_with("lossy.bir")).expect("the model").text;
    let unmarked = model("m.bir", &text.replace("do fair {", "do {"));
    assert_eq!(check(&unmarked, &strong("Delivered")).verdict, Verdict::Violated);
    // Marks are part of the program, and their order does not matter.
    let both = |marks: &str| model("m.bir", &text.replace("do fair {", &format!("do {marks} {{")));
    assert_eq!(both("fair invisible").fingerprint(), both("invisible fair").fingerprint());
    assert_ne!(unmarked.fingerprint(), lossy.fingerprint());
    let printed = ir::text::print(&lossy.program);
    assert_eq!(ir::text::print(&testing::program(&printed)), printed);
}
