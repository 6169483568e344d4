//! What is offered by mistake is not taken.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use naive::Naive;
use search::Options;
use system::{Alarm, FaultKind, Step};

use super::effort::Effort;
use super::graph::Graph;
use super::stage::Stage;
use super::{Case, Minimiser, length, minimise};
use crate::config::{Bounds, Config, Fairness};
use crate::deadline::Deadline;
use crate::model::Model;
use crate::pipeline::Check;
use crate::replay::{Claimed, Confirmed, Found, MergedSteps, Word, confirm, interpreter};

/// Two assertions that fail: `First` after one step, `Second` after its own two. `Idle` has no part in
/// either.
const TWO: &str = "system Two {
  int x;

  active thread Idle() {
    loc loc0: do { x := x + 1; } goto loc1;
    loc loc1: do { x := x + 1; } goto loc2;
    loc loc2: do { x := x + 1; } return;
  }

  active thread First() {
    loc loc0: do { assert false; } return;
  }

  active thread Second() {
    loc loc0: do { skip; } goto loc1;
    loc loc1: do { assert false; } return;
  }
}
";

fn model() -> Model {
    let files = BTreeMap::from([("two.bir".to_owned(), TWO.as_bytes().to_vec())]);
    Model::load(&files, "two.bir", &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// The steps of threads, each by its index, from the initial state.
fn steps(naive: &Naive<'_>, threads: &[u32]) -> Vec<Step> {
    let mut state = naive.initial();
    let mut steps = Vec::new();
    for &thread in threads {
        let (enabled, _) = naive.steps(&state);
        let step = *enabled.iter().find(|step| step.thread == thread).expect("it can move");
        steps.push(step);
        if let Ok(next) = naive.fire(&state, step) {
            state = next;
        }
    }
    steps
}

fn confirmed(model: &Model, naive: Naive<'_>, steps: &[Step]) -> Confirmed {
    let found = Found { kind: FaultKind::Assertion, claimed: None };
    let confirmed = confirm(model, naive, &mut MergedSteps::of_model(steps), &found);
    confirmed.ok().flatten().expect("it is a violation")
}

/// Offers the runs of `offers` in place of that of `threads`; then minimises.
fn check(threads: &[u32], offers: &[(&[u32], bool)], expect: (u64, u64)) {
    let (model, config) = (model(), Config::default());
    let interrupt = Arc::new(AtomicBool::new(false));
    let options = Options { interrupt: Some(&interrupt), ..Options::default() };
    let check = Check::new(&model, &config, options, Deadline::after(None));
    let naive = interpreter(&model, Bounds::default());
    let found = Found { kind: FaultKind::Assertion, claimed: None };
    let case = Case { check: &check, naive, found, is_shortest: false };
    let run = || confirmed(&model, naive, &steps(&naive, threads));
    for &(offer, expect) in offers {
        let mut minimiser = Minimiser::new(&case, run());
        let before = length(&minimiser.best);
        assert_eq!(minimiser.offer_run(&steps(&naive, offer), None), expect, "{offer:?}");
        assert_eq!(length(&minimiser.best) < before, expect, "{offer:?}");
        assert_eq!(minimiser.best.ending.location, run().ending.location, "{offer:?}");
    }
    let (best, minimised) = minimise(&case, run());
    assert_eq!(length(&best), expect);
    assert_eq!(best.ending.location, run().ending.location);
    assert!(minimised.shortest && minimised.complete, "{minimised:?}");
}

#[test]
fn a_run_to_another_violation_is_not_taken() {
    // The run of `First` is shorter, and no run to the violation of `Second`.
    check(&[0, 2, 0, 0, 2], &[(&[1], false), (&[0, 1], false), (&[0, 2], false), (&[2, 2], true)], (2, 0));
    check(&[0, 0, 2, 1], &[(&[2, 2], false), (&[0], false), (&[1], true)], (1, 0));
}

/// Once the effort is spent, the interpreter is asked nothing more, however often a state is looked at.
#[test]
fn without_effort_nothing_is_explored() {
    let text = "byte n; active [3] proctype P() { do :: n = 1 - n od } ltl p { [] (n == 0) }";
    let files = BTreeMap::from([("p.pml".to_owned(), text.as_bytes().to_vec())]);
    let model = Model::load(&files, "p.pml", &[]).unwrap_or_else(|rejected| panic!("{rejected}"));
    let naive = interpreter(&model, Bounds::default());
    let claimed = Claimed {
        property: &model.program.properties[0],
        cycle: None,
        fairness: Fairness::None,
        individual: None,
    };
    for (steps, is_explored) in [(100, true), (0, false)] {
        let alarm = Alarm::after(0);
        let effort = Effort::new(&alarm, steps);
        let stage = Stage::new(naive, &effort);
        let mut graph = Graph::new(&stage, Word::new(stage.naive, claimed));
        let initial = graph.initial();
        for _ in 0..2000 {
            graph.around(initial);
        }
        // An interpreter that is asked rings the alarm before long.
        assert_eq!((alarm.has_rung(), effort.is_spent()), (is_explored, true), "{steps}");
    }
}
