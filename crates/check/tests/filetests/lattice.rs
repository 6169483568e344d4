//! Every combination of options that a check does not refuse.
//!
//! Whatever becomes available (a store, a level of symmetry, a reduction) is run over all models from that day
//! on, without a change here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::AtomicBool;

use quotient::config::{Config, SearchKind, StoreKind, Switch, Symmetry};
use quotient::report::{Report, Verdict};
use quotient::{Checked, Model, Quiet, TrailFile};

use crate::oracle::{Case, Truth, violation};

const SYMMETRIES: [Symmetry; 5] =
    [Symmetry::None, Symmetry::Heap, Symmetry::Pc, Symmetry::Bots(None), Symmetry::Full];

/// One way to check a model.
#[derive(Clone, Debug)]
pub struct Cell {
    search: SearchKind,
    store: StoreKind,
    symmetry: Symmetry,
    por: Switch,
    merge: Switch,
    keep_going: bool,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { search, store, symmetry, por, merge, keep_going } = self;
        write!(f, "--search {search} --store {store} --symmetry {symmetry}")?;
        if *por == Switch::On {
            f.write_str(" --por on")?;
        }
        if *merge == Switch::On {
            f.write_str(" --merge on")?;
        }
        if *keep_going {
            f.write_str(" --continue")?;
        }
        Ok(())
    }
}

impl Cell {
    fn config(&self, base: Config) -> Config {
        Config {
            search: self.search,
            store: self.store,
            symmetry: self.symmetry,
            por: self.por,
            merge: self.merge,
            keep_going: self.keep_going,
            ..base
        }
    }

    /// Every state and every step of the model is visited, so that all counts are those of the brute force.
    fn is_plain(&self) -> bool {
        self.symmetry == Symmetry::None && self.por == Switch::Off && self.merge == Switch::Off
    }
}

/// With `--continue` all combinations, and without it those with the default store: how a search ends does not
/// depend on the store.
pub fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for &search in SearchKind::ALL {
        for &store in StoreKind::ALL {
            for symmetry in SYMMETRIES {
                for &por in Switch::ALL {
                    for &merge in Switch::ALL {
                        for keep_going in [true, false] {
                            cells.push(Cell { search, store, symmetry, por, merge, keep_going });
                        }
                    }
                }
            }
        }
    }
    cells.retain(|cell| {
        let wanted = cell.keep_going || cell.store == StoreKind::default();
        wanted && cell.config(Config::default()).refusal().is_none()
    });
    cells
}

/// Fails with what is found and what was expected.
macro_rules! same {
    ($found:expr, $expected:expr, $($what:tt)+) => {{
        let (found, expected) = (&$found, &$expected);
        if found != expected {
            return Err(format!("{}: found {found:?}, expected {expected:?}", format_args!($($what)+)));
        }
    }};
}

/// A cell finds what the brute force finds.
pub fn check(case: &Case, cell: &Cell) -> Result<(), String> {
    let model = case.model()?;
    let config = cell.config(case.header.options.config());
    let Checked { report, trail, interrupted } =
        quotient::check(&model, &config, 0, &AtomicBool::new(false), &mut Quiet)
            .map_err(|error| format!("{error:?}"))?;
    same!(interrupted, false, "interrupted");
    let truth = case.truth()?;
    same!(report.verdict.as_str(), truth.expected.verdict, "verdict");
    if cell.keep_going || report.verdict != Verdict::Violated {
        explored_everything(cell, &report, truth)?;
    } else {
        stopped_at_a_violation(&report, truth)?;
    }
    counterexample(&model, &config, &report, trail.as_ref())
}

fn explored_everything(cell: &Cell, report: &Report, truth: &Truth) -> Result<(), String> {
    let bounds = report.truncations;
    let truncated = truth.truncations.iter().any(|&count| count > 0);
    same!(report.exhaustive, !truncated, "exhaustive");
    same!(report.incomplete.is_some(), truncated, "incomplete");
    let kinds: BTreeSet<String> = report.violations.iter().map(|violation| violation.kind.clone()).collect();
    same!(kinds, truth.expected.kinds, "kinds of violations");
    if !cell.is_plain() {
        if report.states > truth.states {
            return Err(format!("{} states, and without reduction only {}", report.states, truth.states));
        }
        return Ok(());
    }
    let mut violations = BTreeMap::new();
    for found in &report.violations {
        *violations.entry(violation(&found.kind, found.location.as_ref())).or_default() += found.count;
    }
    same!(violations, truth.violations, "violations");
    same!(report.states, truth.states, "states");
    same!(report.matched, truth.matched, "matched");
    same!(report.transitions, truth.transitions, "transitions");
    same!([bounds.objects, bounds.threads, bounds.frames], truth.truncations, "truncations");
    Ok(())
}

fn stopped_at_a_violation(report: &Report, truth: &Truth) -> Result<(), String> {
    let [found] = report.violations.as_slice() else {
        return Err(format!("a search that stops has one violation, not {:?}", report.violations));
    };
    same!(found.count, 1, "violations");
    let known = violation(&found.kind, found.location.as_ref());
    if !truth.violations.contains_key(&known) {
        return Err(format!("{known:?} is none of {:?}", truth.violations));
    }
    if report.states > truth.states || report.transitions > truth.transitions {
        return Err(format!("{} states and {} transitions are too many", report.states, report.transitions));
    }
    same!(report.exhaustive, false, "exhaustive");
    Ok(())
}

/// The counterexample ends in what it is to show, and so does the trail when it is read back and replayed.
fn counterexample(
    model: &Model,
    config: &Config,
    report: &Report,
    trail: Option<&TrailFile>,
) -> Result<(), String> {
    let Some(shown) = &report.violation else {
        same!(report.violations.len(), 0, "violations without a first one");
        same!(trail.is_some(), false, "a trail of nothing");
        return Ok(());
    };
    let first = &report.violations[0];
    same!(
        (&first.kind, &first.message, first.steps),
        (&shown.kind, &shown.message, shown.steps),
        "the first"
    );
    same!(shown.trace.steps.len() as u64, shown.steps, "steps of the trace");
    let ending = shown.trace.ends_in.as_ref().map(|ending| (&ending.kind, &ending.message));
    same!(ending, Some((&shown.kind, &shown.message)), "the end of the trace");

    let trail = trail.ok_or("a violation without a trail")?;
    let read = TrailFile::parse(&trail.to_json())?;
    same!(read.fingerprint, model.fingerprint(), "fingerprint");
    same!(read.violation.as_ref().map(|violation| &violation.kind), Some(&shown.kind), "kind in the trail");
    let again = quotient::replay(model, config.bounds, read.steps(), read.claimed())
        .map_err(|diverged| diverged.to_string())?;
    let steps = |trace: &quotient::Trace| format!("{:?}", trace.steps);
    same!(steps(&again), steps(&shown.trace), "steps of the replay");
    let ending = again.ends_in.as_ref().map(|ending| (&ending.kind, &ending.message));
    same!(ending, Some((&shown.kind, &shown.message)), "the end of the replay");
    Ok(())
}
