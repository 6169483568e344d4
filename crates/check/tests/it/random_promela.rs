//! Random Promela programs: what is left out changes no answer.
//!
//! Each program is checked with all statements in all orders, and then with partial order reduction, with
//! merged statements, and with both. Verdicts, the kinds and places of errors (deadlocks among them) and the
//! verdicts of temporal properties have to be the same. The programs are those of the comparison with SPIN.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quotient_check::config::{Config, Limits, SearchKind, Switch, Symmetry};
use quotient_check::report::{Place, Report, Verdict, ViolationCount};
use quotient_check::{FaultKind, Model, Quiet};
use testing::promela::{Purpose, program};

/// Programs with more states are left out.
const MOST_STATES: u64 = 4000;

fn programs() -> u64 {
    testing::effort(150)
}

fn load(text: &str) -> Option<Model> {
    let files = BTreeMap::from([("random.pml".to_owned(), text.as_bytes().to_vec())]);
    Model::load(&files, "random.pml", &[]).ok()
}

fn check(model: &Model, config: &Config) -> Result<Report, String> {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.map(|checked| checked.report).map_err(|error| format!("{error:?}"))
}

/// A kind of error, and the line and column where it is.
type Violation = (String, Option<(u32, u32)>);

/// What must not depend on what is left out.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    verdict: Verdict,
    violations: BTreeSet<Violation>,
    properties: Vec<(String, Verdict)>,
    exceeded: bool,
}

impl Found {
    fn of(report: &Report) -> Self {
        let place = |place: &Place| (place.line, place.column);
        // A broken trace assertion is one violation, at the place where it was first met.
        let violation = |one: &ViolationCount| {
            let location = one.location.as_ref().filter(|_| one.kind != FaultKind::Monitor);
            (one.kind.to_string(), location.map(place))
        };
        let violations = report.violations.iter();
        let properties = report.properties.iter();
        Self {
            verdict: report.verdict,
            violations: violations.map(violation).collect(),
            properties: properties.map(|property| (property.name.clone(), property.verdict)).collect(),
            exceeded: report.truncations.total() > 0,
        }
    }
}

/// How many programs were good for what.
#[derive(Default, Debug)]
struct Worth {
    compared: u64,
    violated: u64,
    deadlocked: u64,
    reduced: u64,
    merged: u64,
    merged_for_properties: u64,
}

/// Compares all combinations on one program.
fn compare(model: &Model, worth: &mut Worth) -> Result<(), String> {
    for search in [SearchKind::Bfs, SearchKind::Dfs] {
        let limits = Limits { states: Some(MOST_STATES), ..Limits::default() };
        let symmetry = Symmetry::None;
        let plain = Config { search: Some(search), symmetry, keep_going: true, ..Config::unreduced() };
        let full = check(model, &Config { limits, ..plain.clone() })?;
        if full.verdict == Verdict::Inconclusive || full.states >= MOST_STATES {
            return Ok(());
        }
        let expected = Found::of(&full);
        worth.compared += 1;
        worth.violated += u64::from(full.verdict == Verdict::Violated);
        worth.deadlocked += u64::from(full.violations.iter().any(|one| one.kind == FaultKind::Deadlock));
        for [por, merge] in [[Switch::Off, Switch::On], [Switch::On, Switch::Off], [Switch::On, Switch::On]] {
            let report = check(model, &Config { por, merge, ..plain.clone() })?;
            let found = Found::of(&report);
            if report.verdict == Verdict::Inconclusive || found != expected {
                let options = format!("--por {por} --merge {merge} --search {search}");
                return Err(format!("{options}: {found:?}, and {expected:?}"));
            }
            let on = |switch: Switch| u64::from(switch == Switch::On);
            worth.reduced += u64::from(report.reduction.ample > 0);
            worth.merged += on(report.reduction.merge);
            let of_properties = report.properties.iter().map(|property| on(property.reduction.merge));
            worth.merged_for_properties += of_properties.sum::<u64>();
        }
    }
    Ok(())
}

fn all(purpose: Purpose) -> Worth {
    let mut worth = Worth::default();
    for index in 0..programs() {
        let text = program(7, index, purpose).to_string();
        let Some(model) = load(&text) else { continue };
        if let Err(reason) = compare(&model, &mut worth) {
            panic!("program {index}: {reason}\n{text}");
        }
    }
    assert!(worth.compared > programs() / 4, "{worth:?}");
    assert!(worth.violated > worth.compared / 10 && worth.deadlocked > 0, "{worth:?}");
    assert!(worth.reduced > 0 && worth.merged > 0, "{worth:?}");
    worth
}

#[test]
fn errors_are_the_same() {
    all(Purpose::Safety);
}

#[test]
fn properties_are_the_same() {
    let worth = all(Purpose::Properties);
    assert!(worth.merged_for_properties > 0, "{worth:?}");
}
