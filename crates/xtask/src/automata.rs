//! `xtask automata`: the sizes of the automata of the usual formulas, and of their negations, beside SPIN's.
//!
//! Sizes are numbers of states and of transitions; a transition whose label is a disjunction counts once, on
//! both sides. SPIN as usually installed does not support `X`, and does not finish for some formulas: these
//! have a mark instead of figures, and do not count in the sums that are compared.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use ltl::normal::Terms;
use ltl::parse::{Names, parse};
use ltl::smallest::{buchi, generalized};
use ltl::{Automaton, Formula, Limits};

use crate::page;
use crate::process::{self, End};
use crate::suite::in_parallel;
use crate::table::Table;

const COMMAND: &str = "cargo xtask automata";

/// A line is a name and a formula; the name begins with the letters of its family.
const FORMULAS: &str = include_str!("../../ltl/tests/it/formulas.txt");

/// The time limit of a translation.
const SOON: Duration = Duration::from_secs(1);

#[derive(Args)]
pub struct AutomataArgs {
    /// For SPIN, for each formula
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    pub timeout: u64,

    /// Write the table here as Markdown, too
    #[arg(long, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

/// States and transitions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Size([usize; 2]);

/// SPIN's result.
#[derive(Clone, Copy)]
enum Theirs {
    Size(Size),
    /// It has no `X`.
    Next,
    TooLong,
}

struct Line {
    name: String,
    /// The text of the formula.
    text: String,
    generalized: Size,
    buchi: Size,
    theirs: Theirs,
    /// The time of both of our translations.
    time: Duration,
}

/// Compares. Returns whether our automata are not larger in sum, and were built within the limit.
pub fn run(args: &AutomataArgs) -> Result<bool> {
    let spin =
        process::find(&["spin"]).context("SPIN is not installed: there is no `spin` on the search path")?;
    let formulas = formulas()?;
    let limit = Duration::from_secs(args.timeout);
    let lines = in_parallel(formulas.len(), |at| {
        let (name, names, formula) = &formulas[at];
        Line::new(name, names, formula, &spin, limit)
    })?;
    println!("# {:10} {:>12} {:>8} {:>9}", "formula", "generalized", "buchi", "spin");
    for line in &lines {
        let [generalized, buchi] = [line.generalized, line.buchi].map(|size| size.to_string());
        println!("{:12} {generalized:>12} {buchi:>8} {:>9}", line.name, line.theirs.to_string());
    }
    let slowest = lines.iter().map(|line| line.time).max().unwrap_or_default();
    let summary = summary(&lines);
    println!("# {}", summary.plain().trim_end().replace('\n', "\n# "));
    eprintln!("the slowest translation took {} ms", slowest.as_millis());
    if let Some(path) = &args.out {
        let millis = slowest.as_millis();
        page::write(path, COMMAND, &markdown(&lines, &summary, millis))?;
    }
    let [ours, theirs] = sums(&lines);
    let is_smaller = ours.0.iter().zip(theirs.0).all(|(&ours, theirs)| ours <= theirs);
    Ok(is_smaller && slowest < SOON)
}

/// The formulas and their negations, named.
fn formulas() -> Result<Vec<(String, Names, Formula)>> {
    let mut all = Vec::new();
    for line in FORMULAS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, text) = line.split_once(' ').context("a name and a formula")?;
        let mut names = Names::default();
        let formula = parse(text, &mut names).map_err(|error| anyhow!("{name}: {error:?}"))?;
        let negation = formula.negated();
        for (name, formula) in [(name.to_owned(), formula), (format!("!{name}"), negation)] {
            all.push((name, names.clone(), formula));
        }
    }
    Ok(all)
}

impl Line {
    fn new(name: &str, names: &Names, formula: &Formula, spin: &Path, limit: Duration) -> Result<Self> {
        let start = Instant::now();
        let made = |of: fn(&Formula, Limits) -> Result<Automaton, ltl::TooLarge>| {
            of(formula, Limits::default()).map_err(|_| anyhow!("{name} has too large an automaton"))
        };
        let [generalized, buchi] =
            [made(generalized)?, made(buchi)?].map(|of| Size([of.edges.len(), of.transitions()]));
        let time = start.elapsed();
        let text = formula.display(|prop| names.name(prop)).to_string();
        let theirs = Theirs::of(formula, names, spin, limit)?;
        Ok(Self { name: name.to_owned(), text, generalized, buchi, theirs, time })
    }
}

impl Theirs {
    fn of(formula: &Formula, names: &Names, spin: &Path, limit: Duration) -> Result<Self> {
        if !formula.is_next_free() {
            return Ok(Self::Next);
        }
        let mut terms = Terms::default();
        let normal = terms.of(formula, false);
        let normal = terms.formula(normal);
        let text = formula.display(|prop| names.name(prop)).to_string();
        // SPIN's command line has no `W`.
        let text =
            if text.contains(" W ") { normal.display(|prop| names.name(prop)).to_string() } else { text };
        let run = process::run(process::command(spin, Path::new("/"), ["-f", &text]), limit)?;
        match run.end {
            End::Code(0) => Ok(Self::Size(size_of_claim(&run.stdout))),
            End::TimedOut => Ok(Self::TooLong),
            end => Err(anyhow!("spin -f '{text}' ends with {end:?}: {}", run.text().trim())),
        }
    }

    const fn size(self) -> Option<Size> {
        match self {
            Self::Size(size) => Some(size),
            Self::Next | Self::TooLong => None,
        }
    }
}

/// The size of a claim that SPIN printed.
fn size_of_claim(claim: &str) -> Size {
    let count = |start: &str| claim.lines().filter(|line| line.trim_start().starts_with(start)).count();
    // `skip` at the end is a state that stays where it is.
    Size([count("do") + count("skip"), count("::") + count("skip")])
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.0[0], self.0[1])
    }
}

impl fmt::Display for Theirs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Next => f.write_str("no-X"),
            Self::TooLong => f.write_str("too-long"),
        }
    }
}

/// The sums of the Büchi automata for which SPIN has one: ours and SPIN's.
fn sums<'a>(lines: impl IntoIterator<Item = &'a Line>) -> [Size; 2] {
    let mut sums = [Size::default(); 2];
    for line in lines {
        let Some(theirs) = line.theirs.size() else { continue };
        for (sum, size) in sums.iter_mut().zip([line.buchi, theirs]) {
            (sum.0[0], sum.0[1]) = (sum.0[0] + size.0[0], sum.0[1] + size.0[1]);
        }
    }
    sums
}

/// The sums, by family and in all.
fn summary(lines: &[Line]) -> Table {
    let family = |line: &Line| -> String { line.name.chars().filter(char::is_ascii_alphabetic).collect() };
    let mut table =
        Table::new(&["formulas", ">number", ">SPIN has", ">too long for SPIN", ">Büchi", ">SPIN's"]);
    let mut push = |title: &str, lines: &[&Line]| {
        let [ours, theirs] = sums(lines.iter().copied());
        let compared = lines.iter().filter(|line| line.theirs.size().is_some()).count();
        let too_long = lines.iter().filter(|line| matches!(line.theirs, Theirs::TooLong)).count();
        let counts = [lines.len(), compared, too_long].map(|count| count.to_string());
        let sums = [ours, theirs].map(|size| size.to_string());
        table.push([title.to_owned()].into_iter().chain(counts).chain(sums).collect());
    };
    for lines in lines.chunk_by(|a, b| family(a) == family(b)) {
        push(&family(&lines[0]), &lines.iter().collect::<Vec<_>>());
    }
    push("all", &lines.iter().collect::<Vec<_>>());
    table
}

fn markdown(lines: &[Line], summary: &Table, millis: u128) -> String {
    let mut table = Table::new(&["name", "formula", ">generalized", ">Büchi", ">SPIN"]);
    for line in lines {
        let sizes = [line.generalized, line.buchi].map(|size| size.to_string());
        let text = format!("`{}`", line.text.replace("||", "\\|\\|"));
        let row = [format!("`{}`", line.name), text].into_iter().chain(sizes);
        table.push(row.chain([line.theirs.to_string()]).collect());
    }
    let mut text = summary.markdown();
    _ = writeln!(text, "\nThe slowest of these translations took {millis} ms.\n");
    text + &table.markdown()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_transitions_of_a_claim() {
        let claim = "never  {    /* p U q */\nT0_init:\n\tdo\n\t:: ((q)) -> goto accept_all\n\t:: ((p)) -> goto T0_init\n\tod;\naccept_all:\n\tskip\n}\n";
        assert_eq!(size_of_claim(claim), Size([2, 3]));
    }

    #[test]
    fn every_formula_is_there_with_its_negation() {
        assert_eq!(formulas().unwrap().len(), 2 * (12 + 27 + 55));
    }
}
