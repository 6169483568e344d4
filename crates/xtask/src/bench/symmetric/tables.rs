//! The tables, as Markdown.

use super::runs::{Binary, Figures, Tool};
use crate::bench::report::{NONE, list, ratio};
use crate::measure::geometric_mean;
use crate::table::{Table, grouped};

/// All that was measured with one model.
pub struct Measured {
    pub model: String,
    /// Whether it is about large states, so that its ratios are not part of the means.
    pub about_size: bool,
    pub results: Vec<(Tool, Result<Figures, String>)>,
    /// Remarks beside the reasons why there are no figures.
    pub notes: Vec<String>,
}

impl Measured {
    fn figures(&self, tool: Tool) -> Option<&Figures> {
        self.results.iter().find(|(other, _)| *other == tool)?.1.as_ref().ok()
    }

    fn ours(&self, binary: Binary, search: &'static str, level: &'static str) -> Option<&Figures> {
        self.figures(Tool::Quotient { binary, search, level })
    }

    /// Complete searches at one level that have different numbers of states or transitions. Levels between
    /// `none` and `full` can store a state under several names, so their numbers depend on the order.
    pub fn disagreement(&self) -> Option<String> {
        for level in ["none", "full"] {
            let of_level = self.results.iter().filter_map(|(tool, figures)| match tool {
                Tool::Quotient { level: other, .. } if *other == level => {
                    let figures = figures.as_ref().ok().filter(|figures| figures.complete)?;
                    Some((tool, figures.states, figures.transitions))
                }
                _ => None,
            });
            let found: Vec<_> = of_level.collect();
            if let Some([(one, a, b), (other, c, d)]) = found.windows(2).find_map(|pair| match pair {
                [first, second] if (first.1, first.2) != (second.1, second.2) => Some([first, second]),
                _ => None,
            }) {
                return Some(format!(
                    "{one}: {a} states, {b} transitions; {other}: {c} states, {d} transitions"
                ));
            }
        }
        None
    }
}

/// What was asked for.
pub struct Scope {
    pub searches: Vec<&'static str>,
    pub levels: Vec<&'static str>,
    pub binaries: Vec<Binary>,
    pub rumur: bool,
}

/// A quotient of two times.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Ratio {
    Exact(f64),
    /// Of numbers that can't be compared well.
    Rough(f64),
    /// The true one is smaller, since the search of the denominator did not end.
    AtMost(f64),
    /// The true one is greater.
    AtLeast(f64),
}

impl Ratio {
    fn text(of: Option<Self>) -> String {
        match of {
            None => NONE.to_owned(),
            Some(Self::Exact(number)) => ratio(Some(number)),
            Some(Self::Rough(number)) => format!("{number:.2}*"),
            Some(Self::AtMost(number)) => format!("< {number:.3}"),
            Some(Self::AtLeast(number)) => format!("> {number:.2}"),
        }
    }

    /// Of the times to a verdict.
    fn verdicts(numerator: &Figures, denominator: &Figures) -> Option<Self> {
        let quotient = numerator.seconds / denominator.seconds;
        match (numerator.complete, denominator.complete) {
            (true, true) => Some(Self::Exact(quotient)),
            (true, false) => Some(Self::AtMost(quotient)),
            (false, true) => Some(Self::AtLeast(quotient)),
            (false, false) => None,
        }
    }
}

/// Everything; `conditions` are lines on tools and machine.
pub fn markdown(measured: &[Measured], scope: &Scope, conditions: &[String]) -> String {
    let mut blocks = vec![list(conditions)];
    for &search in &scope.searches {
        for &binary in &scope.binaries {
            blocks.push(format!("## Summary, {}\n", place(search, binary)));
            blocks.push(summary(measured, scope, binary, search));
        }
        if scope.binaries.contains(&Binary::Other) {
            blocks.push(format!("## The given checker / the other one, {search}\n"));
            blocks.push(comparison(measured, scope, search));
        }
    }
    blocks.push("## Details\n".to_owned());
    blocks.push(details(measured));
    let notes: Vec<_> = measured.iter().flat_map(notes).collect();
    if !notes.is_empty() {
        blocks.push(list(&notes));
    }
    blocks.join("\n")
}

fn place(search: &str, binary: Binary) -> String {
    match binary {
        Binary::Given => search.to_owned(),
        Binary::Other => format!("{search}, other checker"),
    }
}

/// A time per transition; a star if the search did not end.
fn nanoseconds(figures: Option<&Figures>) -> String {
    let star = |figures: &Figures| if figures.complete { "" } else { "*" };
    let text = |figures: &Figures| Some(format!("{:.0}{}", figures.nanoseconds?, star(figures)));
    figures.and_then(text).unwrap_or_else(|| NONE.to_owned())
}

/// Of the times per transition. A depth-first search that did not end has expanded states on its stack whose
/// steps it has not taken yet, so its time per transition is too long by an unknown factor.
fn steps(search: &str, numerator: Option<&Figures>, denominator: Option<&Figures>) -> Option<Ratio> {
    let (numerator, denominator) = (numerator?, denominator?);
    let quotient = numerator.nanoseconds? / denominator.nanoseconds?;
    let comparable = search != "dfs" || numerator.complete && denominator.complete;
    Some(if comparable { Ratio::Exact(quotient) } else { Ratio::Rough(quotient) })
}

fn count(figures: Option<&Figures>) -> String {
    match figures {
        None => NONE.to_owned(),
        Some(figures) if figures.complete => grouped(figures.states),
        Some(figures) => format!("> {}", grouped(figures.states)),
    }
}

/// One row per model.
fn summary(measured: &[Measured], scope: &Scope, binary: Binary, search: &'static str) -> String {
    let others: Vec<_> = scope.levels.iter().copied().filter(|level| *level != "none").collect();
    let mut headings = vec!["model".to_owned(), ">states".to_owned(), ">orbits".to_owned()];
    headings.extend(scope.levels.iter().map(|level| format!(">ns, {level}")));
    headings.extend(others.iter().map(|level| format!(">step: {level} / none")));
    headings.extend(others.iter().map(|level| format!(">verdict: {level} / none")));
    if scope.rumur {
        headings.extend([">ns, rumur", ">step: full / rumur", ">verdict: full / rumur"].map(str::to_owned));
    }
    let mut table = Table::new(&headings);
    let first_ratio = 3 + scope.levels.len();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); headings.len()];
    for measured in measured {
        let ours = |level| measured.ours(binary, search, level);
        let (none, full, rumur) = (ours("none"), ours("full"), measured.figures(Tool::Rumur));
        let mut cells = vec![measured.model.clone(), count(none), count(full)];
        cells.extend(scope.levels.iter().map(|&level| nanoseconds(ours(level))));
        let mut push = |cells: &mut Vec<String>, ratio: Option<Ratio>| {
            if let Some(Ratio::Exact(number)) = ratio
                && !measured.about_size
            {
                columns[cells.len()].push(number);
            }
            cells.push(Ratio::text(ratio));
        };
        let verdicts = |a: Option<&Figures>, b: Option<&Figures>| Ratio::verdicts(a?, b?);
        for &level in &others {
            push(&mut cells, steps(search, ours(level), none));
        }
        for &level in &others {
            push(&mut cells, verdicts(ours(level), none));
        }
        if scope.rumur {
            cells.push(nanoseconds(rumur));
            push(&mut cells, steps(search, full, rumur));
            push(&mut cells, verdicts(full, rumur));
        }
        table.push(cells);
    }
    let mut cells = vec!["**geometric mean**".to_owned()];
    cells.resize(first_ratio, String::new());
    cells.extend(columns[first_ratio..].iter().map(|column| match geometric_mean(column) {
        None => String::new(),
        mean => ratio(mean),
    }));
    table.push(cells);
    table.markdown()
}

/// Two binaries: one row per model.
fn comparison(measured: &[Measured], scope: &Scope, search: &'static str) -> String {
    let mut headings = vec!["model".to_owned()];
    headings.extend(scope.levels.iter().map(|level| format!(">step, {level}")));
    headings.extend(scope.levels.iter().map(|level| format!(">verdict, {level}")));
    let mut table = Table::new(&headings);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); headings.len()];
    for measured in measured {
        let of = |binary, level| measured.ours(binary, search, level);
        let both = |&level: &&'static str| (of(Binary::Given, level), of(Binary::Other, level));
        let steps = scope.levels.iter().map(both).map(|(given, other)| steps(search, given, other));
        let verdicts = scope.levels.iter().map(both).map(|(given, other)| Ratio::verdicts(given?, other?));
        let mut cells = vec![measured.model.clone()];
        for ratio in steps.chain(verdicts) {
            if let Some(Ratio::Exact(number)) = ratio {
                columns[cells.len()].push(number);
            }
            cells.push(Ratio::text(ratio));
        }
        table.push(cells);
    }
    let mut cells = vec!["**geometric mean**".to_owned()];
    cells.extend(columns[1..].iter().map(|column| ratio(geometric_mean(column))));
    table.push(cells);
    table.markdown()
}

const DETAILS: &[&str] =
    &["model", "run", ">states", ">transitions", ">ns/transition", ">seconds", ">bytes/state", "searched"];

/// One row per tool and model.
fn details(measured: &[Measured]) -> String {
    let mut table = Table::new(DETAILS);
    for measured in measured {
        for (tool, figures) in &measured.results {
            let Ok(figures) = figures else { continue };
            let bytes = figures.bytes_per_state;
            let known = |number| if number == 0 { NONE.to_owned() } else { grouped(number) };
            table.push(vec![
                measured.model.clone(),
                tool.to_string(),
                known(figures.states),
                known(figures.transitions),
                figures.nanoseconds.map_or_else(|| NONE.to_owned(), |time| format!("{time:.0}")),
                format!("{:.2}", figures.seconds),
                bytes.map_or_else(|| NONE.to_owned(), |bytes| format!("{bytes:.1}")),
                if figures.complete { "all" } else { "a part" }.to_owned(),
            ]);
        }
    }
    table.markdown()
}

fn notes(measured: &Measured) -> Vec<String> {
    let failures = measured.results.iter().filter_map(|(tool, figures)| {
        figures.as_ref().err().map(|why| format!("{}, {tool}: {why}", measured.model))
    });
    let notes = measured.notes.iter().map(|note| format!("{}: {note}", measured.model));
    let disagreement = measured.disagreement().map(|what| format!("**{}: {what}**", measured.model));
    failures.chain(notes).chain(disagreement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(states: u64, nanoseconds: f64, seconds: f64, complete: bool) -> Figures {
        Figures {
            states,
            transitions: 2 * states,
            complete,
            seconds,
            nanoseconds: Some(nanoseconds),
            bytes_per_state: Some(4.0),
        }
    }

    fn ours(binary: Binary, level: &'static str, figures: Figures) -> (Tool, Result<Figures, String>) {
        (Tool::Quotient { binary, search: "bfs", level }, Ok(figures))
    }

    fn measured() -> Measured {
        let results = vec![
            ours(Binary::Given, "none", figures(1000, 100.0, 8.0, false)),
            ours(Binary::Given, "full", figures(10, 400.0, 2.0, true)),
            ours(Binary::Other, "none", figures(1000, 100.0, 8.0, true)),
            ours(Binary::Other, "full", figures(10, 1600.0, 4.0, true)),
            (Tool::Rumur, Ok(figures(12, 200.0, 1.0, true))),
        ];
        Measured { model: "m".to_owned(), about_size: false, results, notes: vec!["a remark".to_owned()] }
    }

    fn scope() -> Scope {
        Scope {
            searches: vec!["bfs"],
            levels: vec!["none", "full"],
            binaries: vec![Binary::Given, Binary::Other],
            rumur: true,
        }
    }

    fn cells(table: &str, start: &str) -> Vec<String> {
        let line = table.lines().find(|line| line.starts_with(&format!("| {start}"))).unwrap();
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    }

    #[test]
    fn summaries_have_ratios_and_their_means() {
        let table = summary(&[measured()], &scope(), Binary::Given, "bfs");
        let row = ["m", "> 1,000", "10", "100*", "400", "4.00", "< 0.250", "200", "2.00", "2.00"];
        assert_eq!(cells(&table, "m "), row);
        assert_eq!(cells(&table, "**geo")[5..], ["4.00", "", "", "2.00", "2.00"]);
    }

    #[test]
    fn deep_searches_that_did_not_end_are_not_compared() {
        let (all, part) = (figures(10, 400.0, 2.0, true), figures(10, 100.0, 2.0, false));
        assert_eq!(steps("dfs", Some(&all), Some(&all)), Some(Ratio::Exact(1.0)));
        assert_eq!(steps("bfs", Some(&all), Some(&part)), Some(Ratio::Exact(4.0)));
        assert_eq!(steps("dfs", Some(&all), Some(&part)), Some(Ratio::Rough(4.0)));
        assert_eq!(Ratio::text(Some(Ratio::Rough(4.0))), "4.00*");
    }

    #[test]
    fn two_checkers_are_compared() {
        let table = comparison(&[measured()], &scope(), "bfs");
        assert_eq!(cells(&table, "m "), ["m", "1.00", "0.25", "> 1.00", "0.50"]);
    }

    #[test]
    fn complete_searches_must_agree() {
        let mut measured = measured();
        assert_eq!(measured.disagreement(), None);
        measured.results.push((
            Tool::Quotient { binary: Binary::Given, search: "dfs", level: "full" },
            Ok(figures(11, 1.0, 1.0, true)),
        ));
        assert!(measured.disagreement().unwrap().contains("dfs full: 11 states"));
        let text = markdown(&[measured], &scope(), &[]);
        assert!(text.contains("- m: a remark") && text.contains("**m: bfs full, other: 10 states"), "{text}");
    }
}
