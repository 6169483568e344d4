//! Models that are checked by tests, in a few lines: the page `checking/rust-api.md` of the book shows this
//! file piece by piece.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use quotient::languages::config::{Config, Fairness, Limits, Switch};
use quotient::languages::report::{Verdict, Violation};
use quotient::languages::values::Value;
use quotient::languages::{Checked, FaultKind, Model, Quiet, TrailFile, itf};

const COUNTER: &str = "
system Counter {
  const PARAM { ADDERS = 2; }

  int count;
  int (0, PARAM.ADDERS) ended;

  ltl Ends = <> (ended == PARAM.ADDERS);

  active [PARAM.ADDERS] thread Adder() {
    int seen;

    seen := count;
    count := seen + 1;
    ended += 1;
    assert ended == PARAM.ADDERS => count == PARAM.ADDERS : \"no increment is lost\";
  }
}";

fn with_atomic() -> String {
    COUNTER.replace("seen := count;", "atomic seen := count;").replace("seen + 1;", "seen + 1; end")
}

fn load(text: &str, adders: u32) -> Result<Model, Box<dyn Error>> {
    let files = BTreeMap::from([("counter.bir".to_owned(), text.into())]);
    let defines = [("ADDERS".to_owned(), adders.to_string())];
    Ok(Model::load(&files, "counter.bir", &defines)?)
}

fn check(model: &Model, config: &Config) -> Result<Checked, Box<dyn Error>> {
    Ok(quotient::languages::check(model, config, 0, &Arc::default(), &mut Quiet)?)
}

fn assert_holds(model: &Model, config: &Config) {
    let report = check(model, config).expect("the options fit the model").report;
    if let Some(violation) = &report.violation {
        panic!("{}", in_words(violation));
    }
    assert_eq!(report.verdict, Verdict::Holds, "{}", report.incomplete.unwrap_or_default());
}

fn in_words(violation: &Violation) -> String {
    let mut text = format!("{}: {}\n", violation.kind, violation.message);
    for (number, step) in violation.trace.steps.iter().enumerate() {
        let place = &step.location;
        let _ = writeln!(text, "{:3}. {} {}: {}", number + 1, step.thread, place.line, place.text);
        for change in &step.changes {
            let _ = writeln!(text, "       {change}");
        }
    }
    text
}

#[test]
fn no_increment_is_lost() {
    assert_holds(&load(&with_atomic(), 3).unwrap(), &Config::default());
}

#[test]
#[should_panic(expected = "no increment is lost")]
fn increments_that_are_two_steps_are_lost() {
    assert_holds(&load(COUNTER, 2).unwrap(), &Config::default());
}

fn read_violation(violation: &Violation) {
    assert_eq!(violation.kind, FaultKind::Assertion);
    assert_eq!(violation.location.as_ref().map(|place| place.line), Some(16));
    let last = &violation.trace.last_state;
    assert_eq!(last.globals["count"], Value::Int(1));
    assert!(last.threads.values().all(|thread| thread.frames[0].locals["seen"] == Value::Int(0)));
}

fn keep_and_replay(model: &Model, checked: &Checked) -> Result<(), Box<dyn Error>> {
    let trail = checked.trail.as_ref().ok_or("nothing is violated")?;
    let text = trail.to_json();

    let trail = TrailFile::parse(&text)?;
    assert_eq!(trail.fingerprint, model.fingerprint(), "the model has changed since");
    let trace = quotient::languages::replay(model, trail.bounds, trail.steps(), trail.claimed())?;
    assert_eq!(trace.ends_in.as_ref().map(|ending| ending.kind), Some(FaultKind::Assertion));

    let states = itf::write(model, trail.bounds, trail.steps(), &trace)?;
    assert!(states.contains("\"#meta\""));
    Ok(())
}

fn options() -> Config {
    Config {
        por: Switch::Off,
        property: Some("Ends".to_owned()),
        fairness: Fairness::Weak,
        limits: Limits { time: Some(Duration::from_mins(10)), ..Limits::default() },
        ..Config::default()
    }
}

pub fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", counterexample()?);
    assert_holds(&load(&with_atomic(), 2)?, &options());
    Ok(())
}

/// What a test prints that fails.
pub fn counterexample() -> Result<String, Box<dyn Error>> {
    let model = load(COUNTER, 2)?;
    let checked = check(&model, &Config::default())?;
    let violation = checked.report.violation.as_ref().ok_or("nothing is violated")?;
    read_violation(violation);
    keep_and_replay(&model, &checked)?;
    Ok(in_words(violation))
}
