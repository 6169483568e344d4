//! Reports and traces for people.

use std::fmt::Write as _;

use quotient::report::{Place, Report, Verdict};
use quotient::simulate::Choice;
use quotient::{Style, Trace};

use crate::units;

/// Colours, or none.
#[derive(Clone, Copy)]
pub struct Paint {
    coloured: bool,
}

impl Paint {
    pub fn new(style: Style) -> Self {
        Self { coloured: style == Style::Coloured }
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub fn good(self, text: &str) -> String {
        self.with("1;32", text)
    }

    pub fn bad(self, text: &str) -> String {
        self.with("1;31", text)
    }

    fn unsure(self, text: &str) -> String {
        self.with("1;33", text)
    }

    fn strong(self, text: &str) -> String {
        self.with("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.with("2", text)
    }
}

/// The whole report: verdict, counterexample, statistics, assumptions.
pub fn report(report: &Report, replay: Option<&str>, quiet: bool, paint: Paint) -> String {
    let mut out = String::new();
    let verdict = match report.verdict {
        Verdict::Holds => paint.good("holds"),
        Verdict::HoldsUpToBounds => paint.unsure("holds up to bounds"),
        Verdict::Violated => paint.bad("violated"),
        Verdict::Inconclusive => paint.unsure("inconclusive"),
    };
    let _ = writeln!(out, "{}: {verdict}", report.model);
    if quiet {
        return out;
    }
    let words = match report.verdict {
        Verdict::Holds => {
            "Every reachable state was explored: no deadlock, no failed assertion, no broken invariant, no fault.".to_owned()
        }
        Verdict::HoldsUpToBounds => format!(
            "No violation within the bounds, but {}.",
            report.incomplete.as_deref().unwrap_or("something was cut off")
        ),
        Verdict::Violated => match &report.violation {
            Some(violation) => format!("{}: {}.", violation.kind, violation.message),
            None => String::new(),
        },
        Verdict::Inconclusive => format!(
            "No violation so far, but not everything was explored: {}.",
            report.incomplete.as_deref().unwrap_or("the search stopped early")
        ),
    };
    let _ = writeln!(out, "{words}");
    if let Some(violation) = &report.violation {
        if let Some(place) = &violation.location {
            let _ = writeln!(
                out,
                "  at {}:{}:{}  {}",
                place.file,
                place.line,
                place.column,
                paint.strong(&place.text)
            );
        }
        let how = if report.search == "bfs" { "shortest first" } else { "depth first" };
        let _ = writeln!(out, "\nCounterexample, {} ({how}):\n", steps(violation.steps));
        out += &trace(&violation.trace, paint);
        out += &ending(&violation.trace, paint);
        if let Some(command) = replay {
            let _ = writeln!(out, "\nTo see it again:\n  {command}");
        }
    }
    if report.violations.len() > 1 || report.violations.first().is_some_and(|first| first.count > 1) {
        let _ = writeln!(out, "\nAll violations found:");
        for violation in &report.violations {
            let place = violation
                .location
                .as_ref()
                .map_or(String::new(), |place| format!(" at {}:{}:{}", place.file, place.line, place.column));
            let _ = writeln!(
                out,
                "  {}× {}: {}{place} (first after {})",
                units::count(violation.count),
                violation.kind,
                violation.message,
                steps(violation.steps)
            );
        }
    }
    if report.verdict == Verdict::Violated
        && let Some(reason) = &report.incomplete
    {
        let _ = writeln!(out, "\nNot everything was explored: {reason}.");
    }
    if !report.dead_code.is_empty() {
        let _ = writeln!(out, "\nNever reached:");
        for dead in &report.dead_code {
            let what = match (&dead.name, dead.entered) {
                (_, false) => format!("all of {}", dead.procedure),
                (Some(name), _) => format!("{} of {}", name, dead.procedure),
                (None, _) => format!("in {}", dead.procedure),
            };
            let _ = writeln!(out, "  {what}  {}", at(&dead.location, paint));
        }
    }
    let _ = writeln!(
        out,
        "\n{} states, {} matched, {} transitions, depth {}",
        units::count(report.states),
        units::count(report.matched),
        units::count(report.transitions),
        units::count(report.depth)
    );
    let _ = writeln!(
        out,
        "{}, {} states/s, {} transitions/s",
        units::seconds(report.seconds),
        units::count(report.states_per_second as u64),
        units::count(report.transitions_per_second as u64)
    );
    let _ = writeln!(
        out,
        "store {}: {} ({:.1} bytes a state); peak memory of the process {}",
        report.store.kind,
        units::bytes(report.store.bytes),
        report.store.bytes_per_state,
        units::bytes(report.peak_memory_bytes)
    );
    let _ = writeln!(out, "\nAssumptions:");
    for assumption in &report.assumptions {
        let _ = writeln!(out, "  - {assumption}");
    }
    out
}

fn steps(n: u64) -> String {
    match n {
        1 => "1 step".to_owned(),
        n => format!("{} steps", units::count(n)),
    }
}

fn at(place: &Place, paint: Paint) -> String {
    let place_text = format!("{}:{}", place.file, place.line);
    format!("{}  {}", paint.dim(&place_text), place.text)
}

/// The steps of a run: who, where, and what changed.
pub fn trace(trace: &Trace, paint: Paint) -> String {
    let mut out = String::new();
    if !trace.initial.is_empty() {
        let _ = writeln!(out, "  initially");
        for line in &trace.initial {
            let _ = writeln!(out, "        {line}");
        }
    }
    let width = trace.steps.len().to_string().len().max(3);
    for (index, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(
            out,
            "  {:>width$}. {}  {}",
            index + 1,
            paint.strong(&step.thread),
            at(&step.location, paint)
        );
        for change in &step.changes {
            let _ = writeln!(out, "        {change}");
        }
    }
    out
}

/// What is wrong at the end of a run.
pub fn ending(trace: &Trace, paint: Paint) -> String {
    let mut out = String::new();
    let Some(ending) = &trace.ends_in else { return out };
    let _ = writeln!(out, "  {}: {}", paint.bad(&ending.kind), ending.message);
    if let Some(place) = &ending.location {
        let _ = writeln!(out, "        {}", at(place, paint));
    }
    for blocked in &ending.blocked {
        let _ = writeln!(
            out,
            "        {} is stuck at  {}",
            paint.strong(&blocked.thread),
            at(&blocked.location, paint)
        );
    }
    out
}

/// A line of the menu of an interactive run.
pub fn choice(number: usize, choice: &Choice, paint: Paint) -> String {
    let fault = if choice.faults { paint.bad("  (faults)") } else { String::new() };
    format!("  {number:>3}) {}  {}{fault}\n", paint.strong(&choice.thread), at(&choice.location, paint))
}
