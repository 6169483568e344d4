//! Several models in one call: what came of them all.

use std::fmt::Write as _;

use check::batch::{Counts, FirstViolation, ModelSummary, Summary};
use check::report::Verdict;

use crate::interrupt;
use crate::render::{Paint, plural};
use crate::result::{BAD, Finding, INTERNAL, ModelResult, first_error, position};
use crate::units;

/// Sums up results one by one. Reports are not kept.
#[derive(Default)]
pub struct Summing {
    interrupted: bool,
    counts: Counts,
    rows: Vec<Row>,
}

/// A model in the table at the end.
struct Row {
    summary: ModelSummary,
    /// What else there is to say: the first violation, the first error, or why there is no answer.
    remark: String,
}

impl Summing {
    pub fn add(&mut self, result: &ModelResult) {
        let mut summary = ModelSummary {
            model: result.model.clone(),
            verdict: None,
            exit_code: result.exit_code(),
            states: None,
            seconds: None,
            violation: None,
            error: None,
            trail: None,
        };
        let remark = match &result.finding {
            Finding::Checked(finished) => {
                let report = &finished.report;
                self.counts.add(report.verdict);
                self.interrupted |= finished.interrupted;
                summary.verdict = Some(report.verdict);
                summary.states = Some(report.states);
                summary.seconds = Some(report.seconds);
                summary.trail.clone_from(&finished.trail);
                summary.violation = report.violation.as_ref().map(|violation| FirstViolation {
                    kind: violation.kind,
                    message: violation.message.clone(),
                    property: violation.property.clone(),
                    location: violation.location.clone(),
                });
                match &summary.violation {
                    Some(violation) => first_violation(violation),
                    None => report.incomplete.clone().unwrap_or_default(),
                }
            }
            Finding::Failed { diagnostics, .. } => {
                self.counts.error += 1;
                let error = first_error(diagnostics);
                summary.error = error.map(|error| error.message.clone());
                error.map_or(String::new(), |error| {
                    let place = error.location.as_ref();
                    let place =
                        place.map_or(String::new(), |extent| format!(" at {}", position(&extent.start)));
                    format!("{}{place}", error.message)
                })
            }
            Finding::NotChecked => {
                self.interrupted = true;
                self.counts.not_checked += 1;
                String::new()
            }
        };
        self.rows.push(Row { summary, remark });
    }

    /// The exit code of the call: that of an interrupt, else the worst.
    ///
    /// | code | because a model            |
    /// |------|----------------------------|
    /// | 4    | met an internal error      |
    /// | 2    | has errors, or is refused  |
    /// | 1    | is violated                |
    /// | 3    | has less than a proof      |
    /// | 0    | all of them hold           |
    pub fn exit_code(&self) -> u8 {
        let codes = || self.rows.iter().filter_map(|row| row.summary.exit_code);
        let worst_first = [INTERNAL, BAD, 1, 3];
        match worst_first.into_iter().find(|&code| codes().any(|known| known == code)) {
            _ if self.interrupted => interrupt::EXIT_CODE,
            Some(code) => code,
            None => 0,
        }
    }

    /// For programs.
    pub fn finish(self) -> Summary {
        Summary {
            exit_code: self.exit_code(),
            interrupted: self.interrupted,
            counts: self.counts,
            models: self.rows.into_iter().map(|row| row.summary).collect(),
        }
    }

    /// The table for people: a row for each model, and how many came out how.
    pub fn table(&self, paint: Paint) -> String {
        let mut out = String::new();
        let cells: Vec<_> = self.rows.iter().map(Row::cells).collect();
        let width = |column: usize| {
            let rows = cells.iter().map(|cells| cells[column].chars().count());
            rows.chain([HEAD[column].len()]).max().unwrap_or(0)
        };
        let widths = [width(0), width(1), width(2), width(3)];
        let row = |cells: [&str; 4], verdict: &str, remark: &str| {
            let pad = |column: usize| " ".repeat(widths[column] - cells[column].chars().count());
            let [model, _, states, time] = cells;
            let line = format!(
                "  {model}{}  {verdict}{}  {}{states}  {}{time}  {remark}",
                pad(0),
                pad(1),
                pad(2),
                pad(3)
            );
            line.trim_end().to_owned()
        };
        let _ = writeln!(out, "{}", paint.strong(&row(HEAD, HEAD[1], "remark")));
        for (Row { summary, remark }, cells) in self.rows.iter().zip(&cells) {
            let verdict = match summary.verdict {
                Some(verdict) => paint.verdict(verdict),
                None => paint.bad(&cells[1]),
            };
            let _ =
                writeln!(out, "{}", row(cells.each_ref().map(String::as_str), &verdict, &shortened(remark)));
        }
        let Counts { holds, holds_up_to_bounds, violated, no_error_found, inconclusive, error, not_checked } =
            self.counts;
        let named = [
            (holds, Verdict::Holds.as_str()),
            (violated, Verdict::Violated.as_str()),
            (holds_up_to_bounds, Verdict::HoldsUpToBounds.as_str()),
            (no_error_found, Verdict::NoErrorFound.as_str()),
            (inconclusive, Verdict::Inconclusive.as_str()),
            (error, "with errors"),
            (not_checked, NOT_CHECKED),
        ];
        let named = named.iter().filter(|(count, _)| *count > 0);
        let named: Vec<_> = named.map(|(count, name)| format!("{} {name}", units::count(*count))).collect();
        let _ = writeln!(out, "\n{}: {}", plural(self.rows.len() as u64, "model"), named.join(", "));
        out
    }
}

const HEAD: [&str; 4] = ["model", "verdict", "states", "time"];
/// In place of a verdict.
pub const ERROR: &str = "error";
const NOT_CHECKED: &str = "not checked";

impl Row {
    fn cells(&self) -> [String; 4] {
        let ModelSummary { model, verdict, exit_code, states, seconds, .. } = &self.summary;
        let verdict = match (verdict, exit_code) {
            (Some(verdict), _) => verdict.as_str(),
            (None, Some(_)) => ERROR,
            (None, None) => NOT_CHECKED,
        };
        [
            model.clone(),
            verdict.to_owned(),
            states.map(units::count).unwrap_or_default(),
            seconds.map(units::seconds).unwrap_or_default(),
        ]
    }
}

/// The kind of a violation and its place, or the property.
fn first_violation(violation: &FirstViolation) -> String {
    let FirstViolation { kind, message: _, property, location } = violation;
    match (property, location) {
        (Some(property), _) => format!("{kind} of `{property}`"),
        (None, Some(place)) => format!("{kind} at {}", position(place)),
        (None, None) => kind.to_string(),
    }
}

/// A remark has at most this many characters in the table.
const LONGEST_REMARK: usize = 100;

fn shortened(remark: &str) -> String {
    match remark.char_indices().nth(LONGEST_REMARK) {
        Some((end, _)) => format!("{}…", remark[..end].trim_end()),
        None => remark.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use check::report::Diagnostic;

    use super::*;

    fn failed(exit_code: u8) -> Finding {
        Finding::Failed { diagnostics: vec![Diagnostic::error("a test")], exit_code }
    }

    fn sum(findings: impl IntoIterator<Item = Finding>) -> Summing {
        let mut summing = Summing::default();
        for finding in findings {
            summing.add(&ModelResult { model: "m.bir".to_owned(), finding });
        }
        summing
    }

    #[test]
    fn an_internal_error_is_worse_than_a_bad_model_and_an_interrupt_is_worst() {
        assert_eq!(sum([]).exit_code(), 0);
        assert_eq!(sum([failed(BAD)]).exit_code(), 2);
        assert_eq!(sum([failed(BAD), failed(INTERNAL)]).exit_code(), 4);
        assert_eq!(sum([failed(INTERNAL), failed(BAD)]).exit_code(), 4);
        assert_eq!(sum([failed(INTERNAL), Finding::NotChecked]).exit_code(), 130);
    }

    #[test]
    fn models_without_reports_are_in_the_table() {
        let summing = sum([failed(BAD), Finding::NotChecked]);
        let expect = [
            "  model  verdict      states  time  remark",
            "  m.bir  error                      a test",
            "  m.bir  not checked",
            "",
            "2 models: 1 with errors, 1 not checked",
        ];
        let table = summing.table(Paint::new(check::Style::Plain));
        assert_eq!(table.lines().collect::<Vec<_>>(), expect);
        let summary = summing.finish();
        assert_eq!((summary.counts.error, summary.counts.not_checked), (1, 1));
        assert_eq!(summary.models[0].error.as_deref(), Some("a test"));
        assert_eq!(summary.models[1].exit_code, None);
    }
}
