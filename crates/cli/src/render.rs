//! Reports and traces for people.

use std::fmt::Write as _;

use anstyle::AnsiColor;
use check::config::{Fairness, SearchKind};
use check::report::{
    Alternative, Checkpoint, Coverage, Interchangeable, InterchangeableKind, Pinned, Property, Report, Store,
    Swarm, Symmetry, Verdict, Violation,
};
use check::{Dialect, FaultKind, Style};

use crate::commands::quoted;
use crate::trace::{clean, columns, excerpt};
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

    pub const fn plain() -> Self {
        Self { coloured: false }
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

    /// A verdict, in the colour of what it says.
    pub fn verdict(self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Holds => self.good(verdict.as_str()),
            Verdict::Violated => self.bad(verdict.as_str()),
            other => self.unsure(other.as_str()),
        }
    }

    fn unsure(self, text: &str) -> String {
        self.with(AnsiColor::Yellow.on_default().bold(), text)
    }

    pub fn strong(self, text: &str) -> String {
        self.with(anstyle::Style::new().bold(), text)
    }

    pub fn dim(self, text: &str) -> String {
        self.with(anstyle::Style::new().dimmed(), text)
    }
}

/// The whole report: verdict, counterexample, statistics, assumptions.
///
/// The text of the counterexample, if there is one, is that of the view that was asked for.
pub fn report(
    report: &Report,
    dialect: &Dialect,
    counterexample: &str,
    replay: Option<&str>,
    quiet: bool,
    paint: Paint,
) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}: {}", clean(&report.model), paint.verdict(report.verdict));
    if quiet {
        return out;
    }
    let words = sentence(report, dialect);
    let _ = writeln!(out, "{words}");
    if let Some(Checkpoint { folder, states: Some(states), .. }) = &report.checkpoint {
        let states = plural(*states, "state");
        let _ = writeln!(
            out,
            "A checkpoint with {states} is kept. To go on:\n  quotient resume {}",
            quoted(folder)
        );
    }
    if let Some(violation) = &report.violation {
        if let Some(place) = &violation.location {
            let _ = writeln!(
                out,
                "  at {}:{}:{}  {}",
                clean(&place.file),
                place.line,
                place.column,
                paint.strong(&excerpt(place))
            );
        }
        let _ = writeln!(out, "\nCounterexample, {}:\n", how_long_words(report, violation));
        out += counterexample;
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
        "{}, {} states/s, {} transitions/s{}",
        units::seconds(report.seconds),
        units::count(report.states_per_second as u64),
        units::count(report.transitions_per_second as u64),
        if report.threads > 1 { format!(", {} threads", report.threads) } else { String::new() }
    );
    out += &store(&report.store, report.peak_memory_bytes);
    out += &report.store.coverage.map(coverage).unwrap_or_default();
    out += &report.store.swarm.as_ref().map(swarm).unwrap_or_default();
    out += &alternatives(&report.store.alternatives);
    out += &symmetry(&report.symmetry);
    let _ = writeln!(out, "\nAssumptions:");
    for assumption in &report.assumptions {
        let _ = writeln!(out, "  - {assumption}");
    }
    out
}

/// What a verdict says.
pub fn sentence(report: &Report, dialect: &Dialect) -> String {
    match report.verdict {
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
    }
}

/// How long a counterexample is, and what is known about that.
pub fn how_long_words(report: &Report, violation: &Violation) -> String {
    format!("{} ({})", plural(violation.steps, "step"), how_long(report, violation))
}

/// What is known about the length of a counterexample.
fn how_long(report: &Report, violation: &Violation) -> String {
    let longer = violation.minimised.map(|minimised| minimised.from_steps);
    let longer = longer.filter(|&steps| steps > violation.steps);
    let minimised = longer.map(|steps| format!("minimised from {}", plural(steps, "step")));
    if violation.kind == FaultKind::AcceptanceCycle {
        let minimised = minimised.map_or(String::new(), |text| format!(", {text}"));
        return format!("an infinite run{minimised}");
    }
    if report.is_shortest() {
        return "shortest".to_owned();
    }
    minimised.unwrap_or_else(|| {
        let how = match report.search {
            // A search for cycles has no other order.
            _ if report.properties.iter().any(|property| property.verdict == Verdict::Violated) => {
                "depth first"
            }
            // What counts as a step of the search is a whole atomic block.
            SearchKind::Bfs if report.has_coarse_steps => "short",
            SearchKind::Bfs => "short; use --por off --merge off for a shortest one",
            SearchKind::Dfs if !report.store.kind.rebuilds() => "depth first",
            SearchKind::Dfs => "depth first; use --search bfs for a short one",
        };
        how.to_owned()
    })
}

/// What was found out about each temporal property.
fn properties(properties: &[Property], paint: Paint) -> String {
    let mut out = String::new();
    if !properties.is_empty() {
        out += "\nProperties:\n";
    }
    for property in properties {
        let verdict = paint.verdict(property.verdict);
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

/// What the searches of a swarm have found together.
fn swarm(swarm: &Swarm) -> String {
    let Swarm { searches, states, estimated_states, coverage, sample: _, seconds } = swarm;
    let finds = searches.iter().filter(|search| search.violations > 0).count();
    let completed = searches.iter().filter(|search| search.completed).count();
    let seen = match (states, estimated_states, coverage) {
        (Some(states), Some(all), Some(coverage)) => format!(
            "together about {} states, at most {:.1} % of {} or more",
            units::count(*states),
            (1000.0 * coverage).floor() / 10.0,
            units::count(*all)
        ),
        _ if completed < 2 => {
            "how much they have seen is unknown, because fewer than two were completed".to_owned()
        }
        _ => "how much they have seen is too little to be estimated".to_owned(),
    };
    format!(
        "swarm: {} {} in {} altogether, {} with errors; {seen}; the figures above are those of one\n",
        units::count(searches.len() as u64),
        if searches.len() == 1 { "search" } else { "searches" },
        units::seconds(*seconds),
        units::count(finds as u64)
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
    if symmetry.naming.is_none() && symmetry.interchangeable.is_empty() {
        let no_symmetry = |reason: &String| format!("no symmetry: {reason}\n");
        return symmetry.not_interchangeable.iter().map(no_symmetry).collect();
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
    for reason in &symmetry.not_interchangeable {
        let _ = writeln!(out, "not interchangeable: {reason}");
    }
    for Pinned { name, by } in &symmetry.pinned_by {
        let _ = writeln!(out, "pinned: {name} (named by {})", by.join(", "));
    }
    out
}

/// Things that can be exchanged for each other, in words.
fn group(Interchangeable { kind, name, count, group }: &Interchangeable) -> String {
    let count = units::count(u64::from(*count));
    match kind {
        InterchangeableKind::Thread if group.is_some() => {
            format!("{count} processes {name} ({})", group.as_deref().unwrap_or_default())
        }
        InterchangeableKind::Thread => format!("{count} threads {name}"),
        InterchangeableKind::Channel => {
            format!("{count} channels like {name} ({})", group.as_deref().unwrap_or_default())
        }
        InterchangeableKind::Object => format!("{count} objects {name}"),
        InterchangeableKind::Element => format!("{count} elements of {name}"),
    }
}

/// The kind of a violation, as reports in JSON call it, and its message.
pub fn what(kind: FaultKind, message: &str) -> String {
    format!("{kind}: {}", clean(message))
}

pub fn plural(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{} {noun}s", units::count(n)),
    }
}

#[cfg(test)]
mod tests {
    use check::config::Naming;

    use super::*;

    #[test]
    fn what_is_interchangeable() {
        use InterchangeableKind::{Element, Object, Thread};
        let of = |(kind, name, count): (_, &str, _)| {
            group(&Interchangeable { kind, name: name.to_owned(), count, group: None })
        };
        let words = [(Thread, "Client", 4), (Object, "int[]", 1200), (Element, "Key", 3)].map(of);
        assert_eq!(words, ["4 threads Client", "1 200 objects int[]", "3 elements of Key"]);
    }

    #[test]
    fn how_exact_symmetry_is() {
        let check =
            |level: &str, canonical, [searched, exhausted]: [u64; 2], pinned: &[&str], expect: &str| {
                let report = Symmetry {
                    chosen: None,
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
                    not_interchangeable: Vec::new(),
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
