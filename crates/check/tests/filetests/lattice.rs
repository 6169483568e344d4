//! Every combination of options that a check does not refuse.
//!
//! Whatever becomes available (a store, a level of symmetry, a reduction) is run over all models from that
//! day on, without a change here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use quotient_check::config::{Config, Naming, SearchKind, StoreKind, StoreOptions, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Checked, Model, Quiet, TrailFile};

use crate::common::oracle::{Violation, violation};
use crate::oracle::{Case, Truth};

const SYMMETRIES: [Symmetry; 7] = [
    Symmetry::None,
    Symmetry::Heap,
    Symmetry::Pc,
    Symmetry::Bots(Some(0)),
    Symmetry::Bots(Some(1)),
    Symmetry::Bots(None),
    Symmetry::Full,
];

/// Models with more states are checked in fewer cells.
const FEW_STATES: u64 = 5000;

/// Fails with what is found and what was expected.
macro_rules! same {
    ($found:expr, $expected:expr, $($what:tt)+) => {{
        let (found, expected) = (&$found, &$expected);
        if found != expected {
            return Err(format!("{}: found {found:?}, expected {expected:?}", format_args!($($what)+)));
        }
    }};
}

/// One way to check a model.
#[derive(Clone, Debug)]
pub struct Cell {
    search: SearchKind,
    store: StoreKind,
    symmetry: Symmetry,
    naming: Option<Naming>,
    por: Switch,
    merge: Switch,
    keep_going: bool,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { search, store, symmetry, naming, por, merge, keep_going } = self;
        write!(f, "--search {search} --store {store} --symmetry {symmetry}")?;
        if let Some(naming) = naming {
            write!(f, " --naming {naming}")?;
        }
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
            search: Some(self.search),
            store: self.store,
            // Room for all models here, and less to clear each time than by default.
            store_options: StoreOptions {
                arena: (self.store == StoreKind::Bitstate).then_some(24),
                ..StoreOptions::default()
            },
            symmetry: self.symmetry,
            naming: self.naming,
            por: self.por,
            merge: self.merge,
            keep_going: self.keep_going,
            ..base
        }
    }

    /// Every state and every step of the model is visited, so that all counts are those of the brute force.
    fn is_plain(&self) -> bool {
        self.symmetry == Symmetry::None && self.is_unreduced()
    }

    fn is_unreduced(&self) -> bool {
        self.por == Switch::Off && self.merge == Switch::Off
    }

    /// Whether a model with this number of states is checked in this cell. How a search ends does not depend
    /// on the store, and what a store says does not depend on the levels in between. Beside that, large
    /// models do without what small ones show as well, and without slow stores.
    fn is_wanted(&self, states: u64) -> bool {
        // Nothing in BIR is merged.
        if self.merge == Switch::On {
            return false;
        }
        let default_store = self.store == StoreKind::default();
        let slow_store =
            matches!(self.store, StoreKind::Automaton | StoreKind::CollapseAutomaton | StoreKind::Gzip);
        let default_naming = self.naming == Some(Naming::default());
        let large = states > FEW_STATES;
        // Which steps are ample does not depend on the store.
        if self.por == Switch::On && !default_store {
            return false;
        }
        match (self.symmetry, self.keep_going) {
            (Symmetry::None, true) => !(slow_store && large),
            (Symmetry::None, false) => default_store,
            (Symmetry::Full, true) => default_store || default_naming && !large,
            (Symmetry::Bots(Some(_)), _) if large => false,
            (Symmetry::Full, false) | (_, true) => default_store && (default_naming || !large),
            (_, false) => default_store && default_naming && !large,
        }
    }
}

/// The cells for a model with this number of states.
pub fn cells(states: u64) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &search in SearchKind::ALL {
        for &store in StoreKind::ALL {
            for symmetry in SYMMETRIES {
                let namings = Naming::ALL.iter().copied().map(Some).chain([None]);
                for naming in namings.filter(|naming| naming.is_none() == (symmetry == Symmetry::None)) {
                    for por in [Switch::Off, Switch::On] {
                        for merge in [Switch::Off, Switch::On] {
                            for keep_going in [true, false] {
                                let cell = Cell { search, store, symmetry, naming, por, merge, keep_going };
                                cells.push(cell);
                            }
                        }
                    }
                }
            }
        }
    }
    cells.retain(|cell| {
        cell.is_wanted(states)
            && cell.config(Config::default()).refusal(quotient_check::Language::Bir.dialect()).is_none()
    });
    cells
}

/// The number of states that differ in more than names, unless it takes too long to find out.
pub fn count_orbits(case: &Case) -> Result<Option<u64>, String> {
    let config = Config { keep_going: true, ..case.header.options.config() };
    let report = run(case, &config)?.report;
    same!(report.symmetry.level, Symmetry::Full, "the default level");
    Ok(report.symmetry.canonical.then_some(report.states))
}

fn run(case: &Case, config: &Config) -> Result<Checked, String> {
    let checked = quotient_check::check(&case.model()?, config, 0, &Arc::default(), &mut Quiet);
    checked.map_err(|error| format!("{error:?}"))
}

/// A cell finds what the brute force finds.
pub fn check(case: &Case, cell: &Cell) -> Result<(), String> {
    let config = cell.config(case.header.options.config());
    let Checked { report, trail, interrupted } = run(case, &config)?;
    same!(interrupted, false, "interrupted");
    let truth = case.truth()?;
    let expected = match truth.expected.verdict {
        proof if cell.store.is_lossy() && proof.starts_with("holds") => "no error found",
        verdict => verdict,
    };
    same!(report.verdict.as_str(), expected, "verdict");
    if cell.keep_going || report.verdict != Verdict::Violated {
        explored_everything(cell, &report, truth)?;
        if !cell.is_plain() && cell.is_unreduced() {
            counted_orbits(cell, &report, case)?;
        }
    } else {
        stopped_at_a_violation(cell, &report, truth)?;
    }
    counterexample(&case.model()?, &config, &report, trail.as_ref())
}

fn explored_everything(cell: &Cell, report: &Report, truth: &Truth) -> Result<(), String> {
    let bounds = report.truncations;
    let truncated = truth.truncations.iter().any(|&count| count > 0);
    let incomplete = truncated || cell.store.is_lossy();
    same!(report.exhaustive, !incomplete, "exhaustive");
    same!(report.incomplete.is_some(), incomplete, "incomplete");
    // There is enough room that nothing is lost.
    same!(report.store.expected_omissions.is_some(), cell.store.is_lossy(), "expected omissions");
    same!(report.store.expected_omissions.unwrap_or(0.0) < 0.001, true, "expected omissions below 0.001");
    let mut violations = BTreeMap::new();
    for found in &report.violations {
        *violations.entry(violation(found.kind.as_str(), found.location.as_ref())).or_default() +=
            found.count;
    }
    let truncations = [bounds.objects, bounds.threads, bounds.frames];
    if !cell.is_plain() {
        let places = |found: &BTreeMap<Violation, u64>| found.keys().cloned().collect::<BTreeSet<_>>();
        same!(places(&violations), places(&truth.violations), "violations");
        let exceeded = |counts: [u64; 3]| counts.map(|count| count > 0);
        same!(exceeded(truncations), exceeded(truth.truncations), "truncations");
        if cell.symmetry == Symmetry::Full {
            let more = |(what, count): (&Violation, &u64)| *count > truth.violations[what];
            let transitions = report.transitions > truth.transitions;
            if report.states > truth.states || transitions || violations.iter().any(more) {
                return Err(format!("more than without symmetry: {report:#?}, {truth:#?}"));
            }
        }
        return Ok(());
    }
    same!(violations, truth.violations, "violations");
    same!(report.states, truth.states, "states");
    same!(report.matched, truth.matched, "matched");
    same!(report.transitions, truth.transitions, "transitions");
    same!(truncations, truth.truncations, "truncations");
    Ok(())
}

/// No level stores fewer states than there are orbits, and the last one as many.
fn counted_orbits(cell: &Cell, report: &Report, case: &Case) -> Result<(), String> {
    let Some(orbits) = case.orbits()? else { return Ok(()) };
    if cell.symmetry == Symmetry::Full && report.symmetry.canonical {
        same!(report.states, orbits, "states");
    } else if report.states < orbits {
        return Err(format!("{} states, but there are {orbits} orbits", report.states));
    }
    Ok(())
}

fn stopped_at_a_violation(cell: &Cell, report: &Report, truth: &Truth) -> Result<(), String> {
    let [found] = report.violations.as_slice() else {
        return Err(format!("a search that stops has one violation, not {:?}", report.violations));
    };
    same!(found.count, 1, "violations");
    let known = violation(found.kind.as_str(), found.location.as_ref());
    if !truth.violations.contains_key(&known) {
        return Err(format!("{known:?} is none of {:?}", truth.violations));
    }
    // Levels in between can store a state under several names.
    let counts = matches!(cell.symmetry, Symmetry::None | Symmetry::Full);
    if counts && (report.states > truth.states || report.transitions > truth.transitions) {
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
    same!(
        read.violation.as_ref().map(|violation| violation.kind.as_str()),
        Some(shown.kind.as_str()),
        "kind in the trail"
    );
    let again = quotient_check::replay(model, config.bounds, read.steps(), read.claimed())
        .map_err(|diverged| diverged.to_string())?;
    let steps = |trace: &quotient_check::Trace| format!("{:?}", trace.steps);
    same!(steps(&again), steps(&shown.trace), "steps of the replay");
    let ending = again.ends_in.as_ref().map(|ending| (&ending.kind, &ending.message));
    same!(ending, Some((&shown.kind, &shown.message)), "the end of the replay");
    Ok(())
}
