//! Reports and traces for people.

use std::fmt::Write as _;

use anstyle::AnsiColor;
use quotient::config::{Fairness, SearchKind};
use quotient::report::{
    Alternative, Coverage, Interchangeable, InterchangeableKind, Pinned, Place, Property, Report, Store,
    Symmetry, Verdict,
};
use quotient::simulate::Choice;
use quotient::{Cycle, Dialect, FaultKind, Style, Trace, TraceStep};

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

    fn with(self, style: anstyle::Style, text: &str) -> String {
        if self.coloured { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default().bold(), text)
    }

    pub fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default().bold(), text)
    }

    fn unsure(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    fn strong(self, text: &str) -> String {
        self.with(anstyle::Style::new().bold(), text)
    }

    fn dim(self, text: &str) -> String {
        self.with(anstyle::Style::new().dimmed(), text)
    }
}

/// The whole report: verdict, counterexample, statistics, assumptions.
pub fn report(report: &Report, dialect: &Dialect, replay: Option<&str>, quiet: bool, paint: Paint) -> String {
    let mut out = String::new();
    let verdict = match report.verdict {
        Verdict::Holds => paint.good("holds"),
        Verdict::HoldsUpToBounds => paint.unsure("holds up to bounds"),
        Verdict::Violated => paint.bad("violated"),
        Verdict::NoErrorFound => paint.unsure("no error found"),
        Verdict::Inconclusive => paint.unsure("inconclusive"),
    };
    let _ = writeln!(out, "{}: {verdict}", report.model);
    if quiet {
        return out;
    }
    let words = match report.verdict {
        Verdict::Holds => {
            let all = match &report.properties[..] {
                [] => String::new(),
                [one] => format!("Every run satisfies `{}`.", one.name),
                _ => "Every run satisfies all temporal properties.".to_owned(),
            };
            let safe = format!("The search is complete: {}.", dialect.absent);
            let safe = if report.safety { safe } else { String::new() };
            [safe, all].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        }
        Verdict::HoldsUpToBounds => format!(
            "No violation within the bounds, but {}.",
            report.incomplete.as_deref().unwrap_or("something was cut off")
        ),
        Verdict::Violated => match &report.violation {
            Some(violation) => format!("{}.", what(violation.kind, &violation.message)),
            None => String::new(),
        },
        Verdict::NoErrorFound => format!(
            "No violation, but {}.",
            report.incomplete.as_deref().unwrap_or("the store may have taken states for others")
        ),
        Verdict::Inconclusive => format!(
            "No violation found, but the search is not complete: {}.",
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
                paint.strong(&excerpt(place))
            );
        }
        let how = match report.search {
            _ if violation.kind == FaultKind::AcceptanceCycle => "an infinite run",
            // A search for cycles has no other order.
            _ if report.properties.iter().any(|property| property.verdict == Verdict::Violated) => {
                "depth first"
            }
            SearchKind::Bfs if report.is_shortest() => "shortest",
            SearchKind::Bfs => "short; use --por off --merge off for a shortest one",
            SearchKind::Dfs if !report.store.kind.rebuilds() => "depth first",
            SearchKind::Dfs => "depth first; use --search bfs for a short one",
        };
        let _ = writeln!(out, "\nCounterexample, {} ({how}):\n", plural(violation.steps, "step"));
        let (steps, widths) = trace(&violation.trace, paint);
        out += &steps;
        out += &ending(&violation.trace, violation.trace.steps.len() as u64, widths, paint);
        if let Some(command) = replay {
            let _ = writeln!(out, "\nTo replay it:\n  {command}");
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
                "  {}× {}{place} (first after {})",
                units::count(violation.count),
                what(violation.kind, &violation.message),
                plural(violation.steps, "step")
            );
        }
    }
    if report.verdict == Verdict::Violated
        && let Some(reason) = &report.incomplete
    {
        let _ = writeln!(out, "\nThe search is not complete: {reason}.");
    }
    if !report.dead_code.is_empty() {
        let _ = writeln!(out, "\nNever reached:");
        let rows = report.dead_code.iter().map(|dead| {
            let what = match (&dead.name, dead.entered) {
                (_, false) => format!("all of {}", dead.procedure),
                (Some(name), _) => format!("{} of {}", name, dead.procedure),
                (None, _) => format!("in {}", dead.procedure),
            };
            (what, &dead.location)
        });
        for row in columns(rows, str::to_owned, paint) {
            let _ = writeln!(out, "  {row}");
        }
    }
    out += &properties(&report.properties, paint);
    // Where a search was stopped, how far it got.
    let open = match (report.verdict, report.search) {
        (Verdict::Inconclusive, SearchKind::Bfs) => format!(", frontier {}", units::count(report.open)),
        (Verdict::Inconclusive, SearchKind::Dfs) => format!(", stack {}", units::count(report.open)),
        _ => String::new(),
    };
    let _ = writeln!(
        out,
        "\n{}, {} matched, {}, depth {}{open}",
        plural(report.states, "state"),
        units::count(report.matched),
        plural(report.transitions, "transition"),
        units::count(report.depth)
    );
    let _ = writeln!(
        out,
        "{}, {} states/s, {} transitions/s",
        units::seconds(report.seconds),
        units::count(report.states_per_second as u64),
        units::count(report.transitions_per_second as u64)
    );
    out += &store(&report.store, report.peak_memory_bytes);
    out += &report.store.coverage.map(coverage).unwrap_or_default();
    out += &alternatives(&report.store.alternatives);
    out += &symmetry(&report.symmetry);
    let _ = writeln!(out, "\nAssumptions:");
    for assumption in &report.assumptions {
        let _ = writeln!(out, "  - {assumption}");
    }
    out
}

/// What was found out about each temporal property.
fn properties(properties: &[Property], paint: Paint) -> String {
    let mut out = String::new();
    if !properties.is_empty() {
        out += "\nProperties:\n";
    }
    for property in properties {
        let verdict = match property.verdict {
            Verdict::Holds => paint.good("holds"),
            Verdict::Violated => paint.bad("violated"),
            other => paint.unsure(other.as_str()),
        };
        let fairness = match property.fairness {
            Fairness::None => String::new(),
            fairness @ (Fairness::Weak | Fairness::Strong) => format!(" under {fairness} fairness"),
        };
        let _ = writeln!(out, "  {}: {verdict}{fairness}", property.name);
        if let Some(formula) = &property.formula {
            let _ = writeln!(out, "    {formula}");
        }
        for condition in &property.vacuous {
            let _ = writeln!(out, "    {}", paint.unsure(&format!("vacuously: `{condition}` never holds")));
        }
        let _ = writeln!(
            out,
            "    {} × {} of the automaton: {} of {}, {}",
            plural(property.states, "state"),
            plural(property.automaton_states, "state"),
            plural(property.product_states, "pair"),
            units::count(property.states.saturating_mul(property.automaton_states)),
            units::seconds(property.seconds)
        );
    }
    out
}

/// How much memory the states take, and what else there is to say about where they are.
fn store(store: &Store, peak: u64) -> String {
    let figures = store.figures.iter().map(|(name, &value)| {
        let name = name.replace('_', " ");
        match name.as_str() {
            "fill" | "load" => format!(", {name} {:.1} %", 100.0 * value),
            "bits" => format!(", {}", units::bits(value as u64)),
            _ if value.fract() == 0.0 => format!(", {name} {}", units::count(value as u64)),
            _ => format!(", {name} {value:.1}"),
        }
    });
    format!(
        "store {}: {} ({:.1} bytes per state{}); peak process memory {}\n",
        store.kind,
        units::bytes(store.bytes),
        store.bytes_per_state,
        figures.collect::<String>(),
        units::bytes(peak)
    )
}

/// How much of the state space was seen: what both searches missed does not show, so there may be more.
fn coverage(Coverage { estimated_states, coverage, sample: sizes }: Coverage) -> String {
    let [here, there, both] = sizes.map(units::count);
    let sample = format!("in the samples of two searches: {here} and {there}, in both {both}");
    match (estimated_states, coverage) {
        (Some(states), Some(coverage)) => format!(
            "coverage: at most {:.1} %, since there are about {} states or more ({sample})\n",
            (1000.0 * coverage).floor() / 10.0,
            units::count(states)
        ),
        _ if sizes == [0; 3] => "coverage: unknown, because not both searches were completed\n".to_owned(),
        _ => format!("coverage: too small to be estimated ({sample})\n"),
    }
}

/// Which other stores would have got further.
fn alternatives(alternatives: &[Alternative]) -> String {
    let mut out = String::new();
    if !alternatives.is_empty() {
        out += "Estimates for other stores, for the states so far:\n";
    }
    for other in alternatives {
        let holds = match other.times_more {
            ..0.95 => "would hold fewer".to_owned(),
            ..1.05 => "would hold about as many".to_owned(),
            ..9.95 => format!("would hold about {:.1}× more", other.times_more),
            _ => format!("would hold about {}× more", units::count(other.times_more.round() as u64)),
        };
        let lossy = if other.lossy { ", but may lose some" } else { "" };
        let _ = writeln!(
            out,
            "  {} {holds} (about {:.1} bytes per state){lossy}",
            other.kind, other.bytes_per_state
        );
    }
    out
}

/// Whether a class of states that differ only in names has exactly one state, and who is in no class with
/// others. Without symmetry there are no classes to speak of.
fn symmetry(symmetry: &Symmetry) -> String {
    if symmetry.naming.is_none() {
        return String::new();
    }
    let searches = match symmetry.ties_searched {
        0 => String::new(),
        1 => "; 1 name needed a search".to_owned(),
        n => format!("; {} names needed a search", units::count(n)),
    };
    let exact = match (symmetry.canonical, symmetry.searches_exhausted) {
        (true, _) => format!("one state per class{searches}"),
        (false, 0) => {
            "classes may be stored more than once; use --symmetry full for one state per class".to_owned()
        }
        (false, n) => {
            format!(
                "classes may be stored more than once{searches}, and {} of these searches ran out of budget",
                units::count(n)
            )
        }
    };
    let mut out = format!("symmetry {}: {exact}\n", symmetry.level);
    if !symmetry.interchangeable.is_empty() {
        let groups: Vec<String> = symmetry.interchangeable.iter().map(group).collect();
        let _ = writeln!(out, "interchangeable: {}", groups.join(", "));
    }
    for Pinned { name, by } in &symmetry.pinned_by {
        let _ = writeln!(out, "pinned: {name} (named by {})", by.join(", "));
    }
    out
}

/// Things that can be exchanged for each other, in words.
fn group(Interchangeable { kind, name, count }: &Interchangeable) -> String {
    let count = units::count(u64::from(*count));
    match kind {
        InterchangeableKind::Thread => format!("{count} threads {name}"),
        InterchangeableKind::Object => format!("{count} objects {name}"),
        InterchangeableKind::Element => format!("{count} elements of {name}"),
    }
}

/// The kind of a violation, as reports in JSON call it, and its message.
fn what(kind: FaultKind, message: &str) -> String {
    format!("{kind}: {message}")
}

pub fn plural(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", units::count(n)),
    }
}

/// A source line is shown up to this many characters.
const LONGEST_LINE: usize = 100;

fn excerpt(place: &Place) -> String {
    match place.text.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", place.text[..end].trim_end()),
        None => place.text.clone(),
    }
}

/// Who, where, and the line there: one row each, in columns.
fn columns<'p>(
    rows: impl IntoIterator<Item = (String, &'p Place)>,
    name: impl Fn(&str) -> String,
    paint: Paint,
) -> Vec<String> {
    let rows: Vec<_> = rows.into_iter().collect();
    let mut widths = Widths::default();
    for (who, place) in &rows {
        widths.fit_row(who, place);
    }
    rows.iter().map(|(who, place)| widths.row(who, place, &name, paint)).collect()
}

/// How wide the columns of a run are.
#[derive(Clone, Copy, Default)]
pub struct Widths {
    /// The width of the numbers of steps.
    number: usize,
    who: usize,
    at: usize,
}

impl Widths {
    /// Makes room for a number of steps.
    pub fn fit_number(&mut self, number: u64) {
        self.number = self.number.max(number.to_string().len());
    }

    /// Makes room for a step.
    pub fn fit(&mut self, step: &TraceStep) {
        self.fit_row(&step.thread, &step.location);
    }

    fn fit_row(&mut self, who: &str, place: &Place) {
        self.who = self.who.max(who.chars().count());
        self.at = self.at.max(at(place).chars().count());
    }

    fn row(self, who: &str, place: &Place, name: impl Fn(&str) -> String, paint: Paint) -> String {
        // Padding comes after the colours: escape sequences have no width.
        let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.chars().count()));
        let at = at(place);
        let (who_pad, at_pad) = (pad(who, self.who), pad(&at, self.at));
        format!("{}{who_pad}  {}{at_pad}  {}", name(who), paint.dim(&at), excerpt(place))
    }

    /// How far what belongs to a step is indented: the steps are numbered.
    fn indent(self) -> String {
        " ".repeat(self.number + 6)
    }
}

fn at(place: &Place) -> String {
    format!("{}:{}", place.file, place.line)
}

/// A report shows this many steps of a counterexample; `quotient replay` shows all.
pub const LONGEST_TRACE: usize = 200;
/// How many of them are the first ones.
const FIRST_STEPS: usize = 20;

/// The steps of a run: who, where, and what changed. Of a long one, the middle is left out.
fn trace(trace: &Trace, paint: Paint) -> (String, Widths) {
    let count = trace.steps.len();
    let left_out =
        if count > LONGEST_TRACE { FIRST_STEPS..count - (LONGEST_TRACE - FIRST_STEPS) } else { 0..0 };
    let shown = || (0..count).filter(|index| !left_out.contains(index));
    let mut widths = Widths::default();
    widths.fit_number(count as u64);
    shown().for_each(|index| widths.fit(&trace.steps[index]));
    let mut out = initially(trace, widths);
    for index in shown() {
        if !left_out.is_empty() && index == left_out.end {
            let _ = writeln!(out, "{}… {} …", widths.indent(), plural(left_out.len() as u64, "step"));
        }
        out += &step(index as u64, &trace.steps[index], trace.cycle, widths, paint);
    }
    (out, widths)
}

/// The state that a run begins with.
pub fn initially(trace: &Trace, widths: Widths) -> String {
    let mut out = String::new();
    if !trace.initial.is_empty() {
        let _ = writeln!(out, "  initially");
        for line in &trace.initial {
            let _ = writeln!(out, "{}{line}", widths.indent());
        }
    }
    out
}

/// The step with this index: who, where, and what changed.
pub fn step(index: u64, step: &TraceStep, cycle: Option<Cycle>, widths: Widths, paint: Paint) -> String {
    let mut out = String::new();
    if cycle.is_some_and(|cycle| cycle.start as u64 == index) {
        let _ = writeln!(out, "  {}", paint.bad("the cycle starts here"));
    }
    let row = widths.row(&step.thread, &step.location, |thread| paint.strong(thread), paint);
    let width = widths.number;
    let _ = writeln!(out, "  {:>width$}. {row}{}", index + 1, outcome(step.test, paint));
    for line in said(step).iter().chain(&step.changes) {
        let _ = writeln!(out, "{}{line}", widths.indent());
    }
    out
}

/// What a step hands over to another process, and what it prints.
fn said(step: &TraceStep) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(message), Some(partner)) = (step.messages.first(), &step.partner) {
        let at = &partner.location;
        let place = format!("{}:{}  {}", at.file, at.line, excerpt(at));
        lines.push(format!("{}!{} to {} at {place}", message.channel, message.text, partner.thread));
    }
    lines.extend(step.printed.iter().flat_map(|text| text.lines()).map(|line| format!("prints: {line}")));
    lines
}

/// Which way a test went.
fn outcome(test: Option<bool>, paint: Paint) -> String {
    test.map_or(String::new(), |test| paint.dim(if test { "  (true)" } else { "  (false)" }))
}

/// What is wrong at the end of a run of this number of steps.
pub fn ending(trace: &Trace, steps: u64, widths: Widths, paint: Paint) -> String {
    let mut out = String::new();
    let Some(ending) = &trace.ends_in else { return out };
    let indent = widths.indent();
    match trace.cycle {
        Some(cycle) if cycle.start as u64 == steps => {
            let _ = writeln!(out, "  and nothing can move any more: the run stays in this state");
        }
        Some(cycle) => {
            let same = if cycle.closed { "" } else { ", up to the names of what is created on it" };
            let _ = writeln!(out, "  steps from {} on repeat forever{same}", cycle.start + 1);
        }
        None => {}
    }
    let _ = writeln!(out, "  {}", paint.bad(&what(ending.kind, &ending.message)));
    if let Some(place) = &ending.location {
        let _ = writeln!(out, "{indent}{}  {}", paint.dim(&at(place)), excerpt(place));
    }
    let stuck = ending.blocked.iter().map(|blocked| (blocked.thread.clone(), &blocked.location));
    for row in columns(stuck, |thread| format!("{} is stuck at", paint.strong(thread)), paint) {
        let _ = writeln!(out, "{indent}{row}");
    }
    out
}

/// The menu of an interactive run.
pub fn menu(choices: &[Choice], paint: Paint) -> String {
    let rows = choices.iter().map(|choice| (choice.thread.clone(), &choice.location));
    let rows = columns(rows, |thread| paint.strong(thread), paint);
    let mut out = String::new();
    for (index, (choice, row)) in choices.iter().zip(rows).enumerate() {
        let fault = if choice.faults { paint.bad("  (faults)") } else { String::new() };
        let partner = choice.partner.as_ref().map_or(String::new(), |partner| format!("  (to {partner})"));
        let test = outcome(choice.test, paint);
        let _ = writeln!(out, "  {:>3}) {row}{test}{}{fault}", index + 1, paint.dim(&partner));
    }
    out
}

#[cfg(test)]
mod tests {
    use quotient::config::Naming;

    use super::*;

    #[test]
    fn what_is_interchangeable() {
        use InterchangeableKind::{Element, Object, Thread};
        let of = |(kind, name, count): (_, &str, _)| {
            group(&Interchangeable { kind, name: name.to_owned(), count })
        };
        let words = [(Thread, "Client", 4), (Object, "int[]", 1200), (Element, "Key", 3)].map(of);
        assert_eq!(words, ["4 threads Client", "1 200 objects int[]", "3 elements of Key"]);
    }

    #[test]
    fn how_exact_symmetry_is() {
        let check =
            |level: &str, canonical, [searched, exhausted]: [u64; 2], pinned: &[&str], expect: &str| {
                let report = Symmetry {
                    level: level.parse().expect("a level"),
                    naming: (level != "none").then_some(Naming::Chain),
                    canonical,
                    ties_searched: searched,
                    searches_exhausted: exhausted,
                    touched_per_step: 1.0,
                    pinned: pinned.iter().map(|&name| name.to_owned()).collect(),
                    pinned_by: pinned
                        .iter()
                        .map(|&name| Pinned { name: name.to_owned(), by: vec!["property `P`".to_owned()] })
                        .collect(),
                    interchangeable: Vec::new(),
                };
                assert_eq!(symmetry(&report), expect);
            };
        check("none", true, [0, 0], &["E.A"], "");
        check("full", true, [0, 0], &[], "symmetry full: one state per class\n");
        check("full", true, [1, 0], &[], "symmetry full: one state per class; 1 name needed a search\n");
        check(
            "full",
            false,
            [2000, 3],
            &["E.A", "E.B"],
            "symmetry full: classes may be stored more than once; 2 000 names needed a search, and 3 of these searches ran out of \
             budget\npinned: E.A (named by property `P`)\npinned: E.B (named by property `P`)\n",
        );
        check(
            "pc",
            false,
            [0, 0],
            &[],
            "symmetry pc: classes may be stored more than once; use --symmetry full for one state per class\n",
        );
    }
}
