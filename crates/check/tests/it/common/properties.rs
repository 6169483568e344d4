//! Temporal properties of model files: what their headers say is found whatever the level of symmetry and the
//! store, if it is one in which cycles can be looked for.
//!
//! ```text
//! // property NAME: violated                       or `holds`
//! // property NAME under weak fairness: holds
//! // property NAME under strong fairness: holds
//! ```
//!
//! `progress` and `accept` are what `--non-progress` and `--acceptance` look at.

use std::sync::Arc;

use quotient_check::config::{Config, Fairness, StoreKind, Switch, Symmetry};
use quotient_check::report::Verdict;
use quotient_check::{Checked, Model, Quiet, TrailFile};

/// What a header says about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    name: String,
    fairness: Fairness,
    verdict: Verdict,
}

/// The lines about properties in the leading comment.
pub fn lines(text: &str) -> Result<Vec<Line>, String> {
    let comment = text.lines().take_while(|line| line.starts_with("//"));
    let about = comment.filter_map(|line| line.strip_prefix("// property "));
    about.map(line).collect()
}

fn line(text: &str) -> Result<Line, String> {
    let (what, verdict) = text.split_once(": ").ok_or_else(|| format!("`{text}` has no verdict"))?;
    let fairnesses = [(" under weak fairness", Fairness::Weak), (" under strong fairness", Fairness::Strong)];
    let fair = fairnesses.iter().find_map(|&(words, fairness)| Some((what.strip_suffix(words)?, fairness)));
    let (name, fairness) = fair.unwrap_or((what, Fairness::None));
    let verdict = match verdict.trim() {
        "holds" => Verdict::Holds,
        "violated" => Verdict::Violated,
        other => return Err(format!("a property `holds` or is `violated`, not `{other}`")),
    };
    Ok(Line { name: name.to_owned(), fairness, verdict })
}

/// Checks all that a header says, in every cell. How many lines there are.
pub fn check(model: &Model, text: &str, base: &Config) -> Result<usize, String> {
    let lines = lines(text)?;
    for property in &model.program.properties {
        let is_it = |line: &Line| line.name == property.name && line.fairness == Fairness::None;
        if !lines.iter().any(is_it) {
            return Err(format!("there is no line `// property {}: …`", property.name));
        }
    }
    for line in &lines {
        let mut least = None;
        for symmetry in [Symmetry::Full, Symmetry::Heap, Symmetry::None] {
            let mut counts = None;
            for &store in StoreKind::ALL.iter().filter(|store| store.rebuilds()) {
                let cell = format!("{line:?} --store {store} --symmetry {symmetry}");
                let config = Config {
                    store,
                    symmetry,
                    fairness: line.fairness,
                    non_progress: line.name == "progress",
                    acceptance: line.name == "accept",
                    property: Some(line.name.clone())
                        .filter(|name| !["progress", "accept"].contains(&name.as_str())),
                    ..base.clone()
                };
                let found = cell_of(model, &config, line).map_err(|reason| format!("{cell}: {reason}"))?;
                // A search goes the same way whatever it keeps its states in.
                if *counts.get_or_insert(found) != found {
                    return Err(format!("{cell}: {found:?} states and pairs, elsewhere {counts:?}"));
                }
            }
            // Only a search to the end has seen everything, and only without reduction.
            if base.por == Switch::Off && line.verdict == Verdict::Holds && least > counts {
                return Err(format!("{line:?}, {symmetry}: {counts:?} is less than {least:?}"));
            }
            least = counts;
        }
    }
    Ok(lines.len())
}

/// The states and pairs that were stored.
fn cell_of(model: &Model, config: &Config, line: &Line) -> Result<(u64, u64), String> {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    let Checked { report, trail, .. } = checked.map_err(|error| format!("{error:?}"))?;
    let [property] = &report.properties[..] else {
        return Err(format!("one property was asked for, not {:?}", report.properties));
    };
    if (property.verdict, report.verdict) != (line.verdict, line.verdict) {
        return Err(format!("{} ({:?})", property.verdict.as_str(), report.incomplete));
    }
    let counts = (property.states, property.product_states);
    let Some(shown) = &report.violation else {
        return if line.verdict == Verdict::Holds { Ok(counts) } else { Err("nothing is shown".to_owned()) };
    };
    if shown.kind != quotient_check::FaultKind::AcceptanceCycle {
        return Err(format!("{}: {}", shown.kind, shown.message));
    }
    // The run is concrete, whatever the search took for the same: when it is read back and replayed, it
    // violates the property again, and its cycle leads back to where it begins.
    if shown.trace.cycle.is_some_and(|cycle| !cycle.closed) {
        return Err("the cycle is not closed".to_owned());
    }
    let read = TrailFile::parse(&trail.ok_or("no trail")?.to_json())?;
    let recorded = read.violation.as_ref().and_then(|violation| violation.property.as_ref());
    let recorded = recorded.ok_or("a trail without a property")?;
    let again = quotient_check::replay_property(model, config.bounds, read.steps(), recorded)?;
    if again.cycle != shown.trace.cycle || again.steps.len() as u64 != shown.steps {
        return Err(format!("{:?} is replayed as {:?}", shown.trace.cycle, again.cycle));
    }
    Ok(counts)
}

pub mod tests {
    use super::*;

    pub fn all() {
        let text = "// A.\n// property P: holds\n// property P under weak fairness: violated\nltl {}\n// property Q: holds\n";
        let line = |fairness, verdict| Line { name: "P".to_owned(), fairness, verdict };
        let expected = [line(Fairness::None, Verdict::Holds), line(Fairness::Weak, Verdict::Violated)];
        assert_eq!(lines(text).unwrap(), expected);
        for wrong in ["// property P", "// property P: hold", "// property P: violated deadlock"] {
            assert!(lines(wrong).is_err(), "{wrong}");
        }
    }
}
