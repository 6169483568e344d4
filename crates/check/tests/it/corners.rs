//! Corners of Promela, each a model of a few lines, with what SPIN 6.5.2 says about it.
//!
//! The files in `corners` hold many models each. A line `//// NAME: EXPECTATION` begins a model:
//!
//! ```text
//! //// name: holds 8 9                 states and transitions, as SPIN counts them without reductions
//! //// name: violated channel, …       all kinds of violations
//! //// name: refused E1305             the code of an error
//! ```

use std::collections::BTreeSet;

use quotient_check::config::{Config, SearchKind, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};
use testing::{files_below, models};

use crate::common::load;

struct Corner {
    name: String,
    expectation: String,
    text: String,
}

fn corners() -> Vec<Corner> {
    let folder = models().join("../crates/check/tests/corners");
    let mut corners = Vec::new();
    for file in files_below(&folder, "pml") {
        // What is before the first model says what the file is about.
        for section in file.text.split("//// ").skip(1) {
            let (header, text) = section.split_once('\n').expect("a line of its own");
            let (name, expectation) = header.split_once(": ").expect("`name: expectation`");
            corners.push(Corner {
                name: format!("{}/{name}", file.name),
                expectation: expectation.to_owned(),
                text: text.to_owned(),
            });
        }
    }
    corners
}

fn check(name: &str, model: &Model, config: &Config) -> Report {
    let config = Config { safety: true, keep_going: true, ..config.clone() };
    let checked = quotient_check::check(model, &config, 0, &std::sync::Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{name}: {error:?}")).report
}

fn kinds(report: &Report) -> BTreeSet<&str> {
    report.violations.iter().map(|violation| violation.kind.as_str()).collect()
}

#[test]
fn corners_are_those_of_spin() {
    let mut wrong = Vec::new();
    for Corner { name, expectation, text } in corners() {
        let model = load("corner.pml", text.as_bytes(), &[]);
        if let Some(code) = expectation.strip_prefix("refused ") {
            match model {
                Ok(_) => wrong.push(format!("{name}: accepted")),
                Err(rejected) if !rejected.to_string().contains(code) => {
                    wrong.push(format!("{name}: {rejected}"));
                }
                Err(_) => {}
            }
            continue;
        }
        let model = match model {
            Ok(model) => model,
            Err(rejected) => {
                wrong.push(format!("{name}: {rejected}"));
                continue;
            }
        };
        let expected: BTreeSet<&str> = expectation
            .strip_prefix("violated ")
            .map_or_else(BTreeSet::new, |kinds| kinds.split(", ").collect());
        for &search in SearchKind::ALL {
            let config = Config { search: Some(search), symmetry: Symmetry::None, ..Config::unreduced() };
            let report = check(&name, &model, &config);
            let found = if kinds(&report).is_empty() && report.verdict == Verdict::Holds {
                format!("holds {} {}", report.states, report.states + report.matched)
            } else {
                format!(
                    "{} {}",
                    report.verdict.as_str(),
                    kinds(&report).into_iter().collect::<Vec<_>>().join(", ")
                )
            };
            if found != expectation {
                wrong.push(format!("{name}: {found}, not {expectation} ({search})"));
            }
            // With reductions other violations may be met first, and all kinds are found all the same.
            for merge in [Switch::On, Switch::Off] {
                for por in [Switch::On, Switch::Off] {
                    let config = Config { search: Some(search), merge, por, ..Config::default() };
                    if config.refusal(model.dialect()).is_none() {
                        let report = check(&name, &model, &config);
                        if kinds(&report) != expected {
                            wrong.push(format!(
                                "{name}: {:?} ({search}, merge {merge}, por {por})",
                                kinds(&report)
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
