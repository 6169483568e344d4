//! Properties about each thread by itself: what is reported, and what is recorded.

use std::collections::BTreeMap;
use std::sync::Arc;

use quotient_check::config::{Config, Switch, Symmetry};
use quotient_check::report::Verdict;
use quotient_check::{Checked, Model, Quiet, TrailFile, replay_property};

fn load(members: &str) -> Model {
    let text = format!("system S {{ {members} }}");
    let files = BTreeMap::from([("s.bir".to_owned(), text.into_bytes())]);
    Model::load(&files, "s.bir", &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

/// Checks all properties of a model, at every level of symmetry, with reduction and without. All say the
/// same.
fn check(model: &Model) -> Checked {
    let mut all = Vec::new();
    for symmetry in [Symmetry::Full, Symmetry::Heap, Symmetry::None] {
        for &por in Switch::ALL {
            let config = Config { symmetry, por, ..Config::default() };
            all.push(
                quotient_check::check(model, &config, 0, &Arc::default(), &mut Quiet).expect("a report"),
            );
        }
    }
    let verdicts = |checked: &Checked| -> Vec<_> {
        let properties = checked.report.properties.iter();
        properties
            .map(|property| (property.name.clone(), property.verdict, property.vacuous.clone()))
            .collect()
    };
    let first = all.remove(0);
    assert!(all.iter().all(|other| verdicts(other) == verdicts(&first)));
    first
}

/// The first thread starts another one, which then waits for ever: each of both is one that the property is
/// about.
const CHAIN: &str = "boolean started;
    thread Idle() { loc i: do {} goto i; }
    active thread T() {
      loc a: when !started do { started := true; start T(); } goto b;
      loc b: do {} goto b;
    }";

#[test]
fn individuals_of_both_origins_count() {
    let checked = check(&load(&format!("{CHAIN} ltl Gone = forall T t: <> t@b;")));
    assert_eq!(checked.report.verdict, Verdict::Violated);
    let [property] = &checked.report.properties[..] else { panic!("one property is one entry") };
    assert_eq!(property.formula.as_deref(), Some("forall T t: <> (t@b)"));
    let violation = checked.report.violation.expect("it is shown");
    assert!(
        violation.message.starts_with("`Gone` is violated for t = T#2: forall T t:"),
        "{}",
        violation.message
    );
    let individual = violation.trace.individual.expect("it is somebody");
    assert_eq!((&individual.variable[..], &individual.thread[..]), ("t", "T#2"));
    assert_eq!(checked.report.symmetry.pinned, ["T t"]);
}

#[test]
fn a_condition_that_somebody_fulfils_is_not_vacuous() {
    let model = load(&format!(
        "{CHAIN}
         ltl Second = forall T t: [] (t@a && started -> ! <> t@b);
         ltl First = forall T t: [] (t@b -> [] t@b);
         ltl Nowhere = forall T t: [] (t@a && t@b -> started);
         ltl Nobody = forall Idle i: <> i@i;"
    ));
    let checked = check(&model);
    assert_eq!(checked.report.verdict, Verdict::Holds);
    let vacuous: Vec<_> = checked.report.properties.iter().map(|property| &property.vacuous[..]).collect();
    assert_eq!(vacuous, [&[][..], &[], &["t@a && t@b".to_owned()], &["there is a Idle i".to_owned()]]);
    assert_eq!(checked.report.warnings.len(), 2, "{:?}", checked.report.warnings);
}

#[test]
fn whom_a_trail_is_about_is_checked() {
    let model = load(&format!("{CHAIN} ltl Gone = forall T t: <> t@b;"));
    let trail = TrailFile::parse(&check(&model).trail.expect("a trail").to_json()).expect("it comes back");
    let recorded =
        trail.violation.as_ref().and_then(|violation| violation.property.clone()).expect("a property");
    let replay = |individual: Option<u32>| {
        let recorded = quotient_check::TrailProperty { individual, ..recorded.clone() };
        replay_property(&model, Config::default().bounds, trail.steps(), &recorded)
            .map(|trace| trace.individual)
    };
    assert_eq!(recorded.individual, Some(2));
    assert!(replay(Some(2)).is_ok_and(|individual| individual.is_some()));
    assert_eq!(replay(Some(1)).err().as_deref(), Some("the run satisfies the property"));
    for wrong in [None, Some(0), Some(3)] {
        assert_eq!(replay(wrong).err().as_deref(), Some("there is no such individual before the cycle"));
    }
}

/// Where an individual is chosen in the middle of an atomic block, the block is cut, and garbage is collected
/// there. So a search may find a run that the model does not have within the bound on objects. That is its
/// own reason, and memory is not to blame.
#[test]
fn runs_that_exceed_a_bound_without_the_mark_are_not_shown() {
    let text = "record R {}
        boolean b;
        ltl Gone = forall T t: <> t@gone;
        thread T() { loc w: do {} goto w; loc gone: do {} return; }
        active thread M() {
          R r;
          atomic r := new R; r := null; if b do b := false; end start T(); r := new R; end
          while true do b := !b; end
        }";
    let model = load(text);
    let report = |objects| {
        let mut config = Config { property: Some("Gone".to_owned()), ..Config::default() };
        config.bounds.sizes.objects = objects;
        quotient_check::check(&model, &config, 0, &Arc::default(), &mut Quiet).expect("a report").report
    };
    assert_eq!(report(2).verdict, Verdict::Violated);
    let lost = report(1);
    let reason = lost.incomplete.expect("it is not complete");
    assert_eq!((lost.verdict, lost.violation.is_some()), (Verdict::Inconclusive, false));
    assert!(reason.contains("could not be followed step by step") && !reason.contains("memory"), "{reason}");
}
