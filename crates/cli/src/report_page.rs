//! `check --report`: a check as a page of HTML that stands alone, to attach to a bug or a run of CI.
//!
//! What the page says is what the report for people says, in the same words, with pictures. The search is watched while
//! it runs ([`Samples`]), for the plots. The trail is in the page, and `quotient replay MODEL PAGE` reads it.

use std::collections::BTreeMap;
use std::ops::ControlFlow::Continue;

use check::config::{Fairness, SearchKind};
use check::picture::draw::diagram::Tone;
use check::picture::draw::plot::Plot;
use check::picture::{self, Rows as ChartRows};
use check::report::{Place, Report, TOOL, Verdict};
use check::{Checked, Model, Observer, Progress, Trace, Watcher};
use page::{Block, Line, Page, Section, SourceLine};

use crate::commands::{definitions, quoted};
use crate::render::{self, Paint, plural};
use crate::result::{main_place, position};
use crate::trace::{self, Row, Rows, clean, cut};
use crate::units;

/// What a search said of itself while it ran.
#[derive(Default)]
pub struct Samples {
    searches: Vec<Search>,
}

/// One of the searches of a check.
#[derive(Default)]
struct Search {
    /// The number of states of each level.
    levels: Vec<u64>,
    /// States, and bytes of the store.
    memory: Vec<(f64, f64)>,
}

impl Search {
    fn states(&self) -> u64 {
        self.levels.iter().sum()
    }
}

/// An observer that takes notes for a page, and hands everything on to another one.
pub struct Sampling<'a, W> {
    pub samples: Option<Samples>,
    pub inner: &'a mut W,
}

impl<W: Observer> Observer for Sampling<'_, W> {
    fn progress(&mut self, progress: &Progress) {
        if let Some(search) = self.samples.as_mut().and_then(|samples| samples.searches.last_mut()) {
            search.memory.push((progress.states as f64, progress.store_bytes as f64));
        }
        self.inner.progress(progress);
    }

    fn records(&self) -> bool {
        self.samples.is_some() || self.inner.records()
    }

    fn stored(&mut self, id: check::StateId, depth: u32) {
        let Some(samples) = &mut self.samples else { return };
        if id.0 == 0 || samples.searches.is_empty() {
            samples.searches.push(Search::default());
        }
        if let Some(search) = samples.searches.last_mut() {
            let level = depth as usize;
            if search.levels.len() <= level {
                search.levels.resize(level + 1, 0);
            }
            search.levels[level] += 1;
        }
    }
}

impl<W: Watcher> Watcher for Sampling<'_, W> {
    fn round(&mut self, round: &check::report::Round) {
        self.inner.round(round);
    }
}

/// What a page is made of.
pub struct Result<'a> {
    pub model: &'a Model,
    pub checked: &'a Checked,
    pub samples: &'a Samples,
    /// The command that made the page.
    pub command: String,
    /// What to type to see the violation again.
    pub replay: Option<String>,
}

/// A page has at most this many rows of a run, the first and the last ones.
const MOST_ROWS: usize = 600;
const FIRST_ROWS: usize = 100;
/// So many lines around one of a model are shown.
const AROUND: u32 = 3;

impl Result<'_> {
    pub fn html(&self) -> String {
        let report = &self.checked.report;
        let tone = match report.verdict {
            Verdict::Holds => Tone::Good,
            Verdict::Violated => Tone::Bad,
            _ => Tone::Doubt,
        };
        let mut summary = vec![render::sentence(report, self.model.dialect())];
        let place = report.violation.as_ref().and_then(|violation| violation.location.as_ref());
        summary.extend(place.map(|place| format!("At {}: {}", position(place), cut(&place.text, 100))));
        if self.checked.interrupted {
            summary.push("The check was interrupted.".to_owned());
        }
        let mut sections = Vec::new();
        let mut add = |title: &str, is_folded, blocks: Vec<Block>| {
            sections.push(Section { title: title.to_owned(), is_folded, blocks });
        };
        if let Some(violation) = &report.violation {
            let title = format!("Counterexample: {}", render::how_long_words(report, violation));
            add(&title, false, run(&violation.trace));
            add("The state at the end", false, self.states(&violation.trace));
            add("As a chart", violation.trace.steps.len() > 60, charts(&violation.trace));
            add("Source", false, self.source(&violation.trace));
        }
        add("All violations found", false, all_violations(report));
        add("Properties", false, properties(report));
        add("Assumptions", false, vec![Block::List(report.assumptions.clone())]);
        add("Warnings", false, warnings(report));
        add("Never reached", true, never_reached(report));
        add("Statistics", report.verdict == Verdict::Violated, self.statistics());
        add("Options and versions", true, self.options());
        add("To reproduce", false, self.commands());
        Page {
            title: clean(&report.model).into_owned(),
            verdict: report.verdict.as_str().to_owned(),
            tone,
            summary,
            sections,
            trail: self.checked.trail.as_ref().map(check::TrailFile::to_json),
        }
        .html(TOOL)
    }

    /// The objects before and after the last step.
    fn states(&self, trace: &Trace) -> Vec<Block> {
        let mut before = None;
        if let Some(trail) = &self.checked.trail {
            let mut last = Some(trace.initial_state.clone());
            let again = check::replay_states(self.model, trail.bounds, trail.steps(), |step| {
                before = std::mem::replace(&mut last, step.state);
                Continue(())
            });
            again.expect("the run was confirmed");
        }
        let last = &trace.last_state;
        let mut blocks = Vec::new();
        let is_of_step = trace.ends_in.as_ref().is_some_and(|ending| ending.is_of_step);
        let before = before.filter(|before| before != last);
        if let Some(before) = &before {
            let picture =
                picture::scene("The state before the last step", None, before, None).diagram().part();
            blocks.push(Block::Picture(picture, "Before the last step.".to_owned()));
        }
        let scene = picture::scene("The last state", before.as_ref(), last, trace.ends_in.as_ref());
        let caption = if is_of_step {
            "The last state; the step that comes next is what is wrong."
        } else {
            "The last state. What the last step changed is highlighted; green arrows: holds, red dashed ones: waits for."
        };
        blocks.push(Block::Picture(scene.diagram().part(), caption.to_owned()));
        blocks
    }

    /// The lines of the model around what is wrong, and where threads are stuck.
    fn source(&self, trace: &Trace) -> Vec<Block> {
        let report = &self.checked.report;
        let mut hits: BTreeMap<(&str, u32), String> = BTreeMap::new();
        let mut add = |place: &'_ Place, note: &str| {
            let Some(file) = self.file(&place.file) else { return };
            let known = hits.entry((file, place.line)).or_default();
            if !known.contains(note) {
                let comma = if known.is_empty() { "" } else { ", " };
                known.push_str(comma);
                known.push_str(note);
            }
        };
        if let Some(place) = report.violation.as_ref().and_then(main_place) {
            add(place, "here");
        }
        for blocked in trace.ends_in.iter().flat_map(|ending| &ending.blocked) {
            add(&blocked.location, &blocked.thread);
        }
        let mut blocks = Vec::new();
        let files: Vec<&str> = hits.keys().map(|(file, _)| *file).collect();
        let mut last = None;
        for file in files {
            if last.replace(file) == Some(file) {
                continue;
            }
            let own: Vec<u32> = hits.keys().filter(|(of, _)| *of == file).map(|(_, line)| *line).collect();
            let mut lines: Vec<SourceLine> = Vec::new();
            for &hit in &own {
                for number in hit.saturating_sub(AROUND).max(1)..=hit + AROUND {
                    let is_new = lines.last().is_none_or(|last| last.number < number);
                    let Some(text) = self.model.source_line(file, number).filter(|_| is_new) else {
                        continue;
                    };
                    let note = hits.get(&(file, number)).cloned();
                    lines.push(SourceLine { number, text: cut(text, 200), note });
                }
            }
            blocks.push(Block::Source { file: file.to_owned(), lines });
        }
        blocks
    }

    /// A name of a file of the model that lives as long as the report.
    fn file<'s>(&'s self, name: &str) -> Option<&'s str> {
        self.model.files().find(|known| *known == name)
    }

    fn statistics(&self) -> Vec<Block> {
        let report = &self.checked.report;
        let facts = vec![
            ("States".to_owned(), units::count(report.states)),
            (
                "Transitions".to_owned(),
                format!("{}, {} matched", units::count(report.transitions), units::count(report.matched)),
            ),
            ("Depth".to_owned(), units::count(report.depth)),
            ("Time".to_owned(), units::seconds(report.seconds)),
            (
                "Store".to_owned(),
                format!(
                    "{}, {:.1} bytes per state",
                    units::bytes(report.store.bytes),
                    report.store.bytes_per_state
                ),
            ),
            ("Peak memory".to_owned(), units::bytes(report.peak_memory_bytes)),
        ];
        let mut blocks = vec![Block::Facts(facts)];
        // Only the search that the figures are of.
        let same = |search: &&Search| search.states() == report.states;
        let Some(search) = self.samples.searches.iter().find(same) else { return blocks };
        let levels: Vec<(f64, f64)> =
            (0..).map(f64::from).zip(search.levels.iter().map(|&count| count as f64)).collect();
        if levels.len() > 1 {
            let across = match report.search {
                SearchKind::Bfs => "steps from the initial state",
                SearchKind::Dfs => "depth at which the search met a state first",
            };
            let (title, up) = ("States of each level".to_owned(), "states".to_owned());
            let plot = Plot { title, across: across.to_owned(), up, points: levels };
            blocks.push(Block::Picture(plot.part(), "States of each level.".to_owned()));
        }
        let mut memory = vec![(0.0, 0.0)];
        memory.extend(search.memory.iter().copied());
        memory.push((report.states as f64, report.store.bytes as f64));
        let (title, across, up) = ("Memory".to_owned(), "states".to_owned(), "bytes of the store".to_owned());
        let plot = Plot { title, across, up, points: memory };
        blocks
            .push(Block::Picture(plot.part(), "The memory of the store, as the search goes on.".to_owned()));
        blocks
    }

    fn options(&self) -> Vec<Block> {
        let report = &self.checked.report;
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let mut facts = vec![
            fact("Program", report.tool.clone()),
            fact("Model", clean(&report.model).into_owned()),
            fact("Fingerprint of the model", self.model.fingerprint()),
            fact("Search", report.search.to_string()),
            fact("Threads", report.threads.to_string()),
            fact("Store", report.store.kind.to_string()),
            fact("Symmetry", report.symmetry.level.to_string()),
            fact("Partial order reduction", report.reduction.por.to_string()),
            fact("Statement merging", report.reduction.merge.to_string()),
            fact(
                "Bounds",
                format!(
                    "{} objects, {} threads, {} frames per thread",
                    report.bounds.objects, report.bounds.threads, report.bounds.frames
                ),
            ),
            fact("Complete", if report.exhaustive { "yes" } else { "no" }.to_owned()),
        ];
        if let Some(reason) = &report.incomplete {
            facts.push(fact("Why not", reason.clone()));
        }
        let defines: Vec<String> = definitions(&self.model.defines).collect();
        if !defines.is_empty() {
            facts.push(fact("Constants", defines.join(" ")));
        }
        vec![Block::Facts(facts)]
    }

    fn commands(&self) -> Vec<Block> {
        let mut blocks = vec![Block::Text("The check:".to_owned()), Block::Code(self.command.clone())];
        if let Some(replay) = &self.replay {
            blocks.push(Block::Text(
                "The counterexample; this page can be given in place of the trail:".to_owned(),
            ));
            blocks.push(Block::Code(replay.clone()));
        }
        blocks
    }
}

/// The run, step by step, with what each step changed.
fn run(trace: &Trace) -> Vec<Block> {
    let mut lines = vec![Line {
        text: "initially".to_owned(),
        changes: trace.initial.iter().map(|line| cut(line, 200)).collect(),
        ..Line::default()
    }];
    let mut rows = Rows::new(trace.cycle);
    let mut all: Vec<Row> = trace.steps.iter().filter_map(|step| rows.add(step.clone())).collect();
    all.extend(rows.end());
    let shown: Vec<&Row> = all.iter().filter(|row| !row.is_jump() || starts_cycle(row, trace)).collect();
    let left_out =
        if shown.len() > MOST_ROWS { FIRST_ROWS..shown.len() - (MOST_ROWS - FIRST_ROWS) } else { 0..0 };
    for (at, row) in shown.iter().enumerate() {
        if starts_cycle(row, trace) {
            lines.push(said("From here on, the steps are repeated for ever.", Tone::Cycle));
        }
        if left_out.contains(&at) {
            if at == left_out.start {
                let count = left_out.len() as u64;
                lines.push(said(&format!("… {} are left out here", plural(count, "row")), Tone::Doubt));
            }
            continue;
        }
        if row.is_jump() {
            continue;
        }
        let head = row.head();
        let test = head.test.map_or("", |test| if test { " → true" } else { " → false" });
        let reads =
            head.reads.iter().map(|read| format!("{} is {}", clean(&read.text), cut(&read.shown, 200)));
        let details = trace::details(row, Paint::plain()).into_iter().map(|line| cut(&line, 300));
        lines.push(Line {
            number: row.number(),
            thread: clean(&head.thread).into_owned(),
            place: format!("{}:{}", head.location.file, head.location.line),
            text: format!("{}{test}", cut(&head.location.text, 160)),
            changes: reads.chain(details).collect(),
            tone: Tone::Plain,
        });
    }
    if trace.cycle.is_some_and(|cycle| cycle.start == trace.steps.len()) {
        lines.push(said("The run stays in this state for ever.", Tone::Cycle));
    }
    if let Some(ending) = &trace.ends_in {
        let mut last = said(&render::what(ending.kind, &ending.message), Tone::Bad);
        last.changes.extend(ending.reads.iter().map(|read| format!("{} is {}", read.text, read.shown)));
        for blocked in &ending.blocked {
            let at = position(&blocked.location);
            let waits: Vec<&str> = blocked.waits.iter().map(|wait| wait.text.as_str()).collect();
            last.changes.push(format!("{} at {at} {}", blocked.thread, waits.join("; ")));
        }
        if !ending.waiting_cycle.is_empty() {
            let first = &ending.waiting_cycle[0];
            last.changes.push(format!("in a circle: {} → {first}", ending.waiting_cycle.join(" → ")));
        }
        lines.push(last);
    }
    vec![Block::Run(lines)]
}

/// The run in one look, and as a chart.
fn charts(trace: &Trace) -> Vec<Block> {
    let overview = picture::overview("The run: a line for each thread", trace).part();
    let chart = picture::chart("The run: a column for each thread", trace, ChartRows::Steps).part();
    vec![
        Block::Picture(
            overview,
            "Which thread takes which steps; what is repeated for ever is shaded.".to_owned(),
        ),
        Block::Picture(chart, "Time goes down. Arrows are messages.".to_owned()),
    ]
}

/// A remark between steps.
fn said(text: &str, tone: Tone) -> Line {
    Line { text: text.to_owned(), tone, ..Line::default() }
}

fn starts_cycle(row: &Row, trace: &Trace) -> bool {
    trace.cycle.is_some_and(|cycle| cycle.start as u64 == row.first() && cycle.start < trace.steps.len())
}

fn all_violations(report: &Report) -> Vec<Block> {
    let several =
        report.violations.len() > 1 || report.violations.first().is_some_and(|first| first.count > 1);
    if !several {
        return Vec::new();
    }
    let rows = report.violations.iter().map(|violation| {
        vec![
            units::count(violation.count),
            render::what(violation.kind, &violation.message),
            violation.location.as_ref().map(position).unwrap_or_default(),
            violation.steps.to_string(),
        ]
    });
    let head = ["times", "what", "where", "first after steps"].map(str::to_owned).to_vec();
    vec![Block::Table { head, rows: rows.collect() }]
}

fn properties(report: &Report) -> Vec<Block> {
    if report.properties.is_empty() && report.unchecked.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    if let Some(verdict) = report.safety_verdict {
        let what = "no deadlocks, failed assertions, broken invariants or faults".to_owned();
        rows.push(vec!["safety".to_owned(), verdict.as_str().to_owned(), what, String::new()]);
    }
    rows.extend(report.properties.iter().map(|property| {
        let fairness = match property.fairness {
            Fairness::None => "all runs".to_owned(),
            fairness => format!("runs under {fairness} fairness"),
        };
        let vacuous: Vec<String> = property
            .vacuous
            .iter()
            .map(|condition| format!("vacuously: `{condition}` never holds"))
            .collect();
        let formula = property.formula.clone().unwrap_or_default();
        let text = [vec![formula], vacuous].concat().join("; ");
        vec![property.name.clone(), property.verdict.as_str().to_owned(), text, fairness]
    }));
    rows.extend(
        report
            .unchecked
            .iter()
            .map(|name| vec![name.clone(), "not checked".to_owned(), String::new(), String::new()]),
    );
    let head = ["property", "verdict", "formula", "of"].map(str::to_owned).to_vec();
    vec![Block::Table { head, rows }]
}

fn warnings(report: &Report) -> Vec<Block> {
    if report.warnings.is_empty() { Vec::new() } else { vec![Block::List(report.warnings.clone())] }
}

fn never_reached(report: &Report) -> Vec<Block> {
    let rows: Vec<Vec<String>> = report
        .dead_code
        .iter()
        .map(|dead| {
            let what = match (&dead.name, dead.entered) {
                (_, false) => format!("all of {}", dead.procedure),
                (Some(name), _) => format!("{name} of {}", dead.procedure),
                (None, _) => format!("in {}", dead.procedure),
            };
            vec![what, position(&dead.location), cut(&dead.location.text, 100)]
        })
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let head = ["what", "where", "text"].map(str::to_owned).to_vec();
    vec![Block::Table { head, rows }]
}

/// The command that is running, as a shell takes it.
pub fn this_command() -> String {
    let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
    [vec!["quotient".to_owned()], words.collect()].concat().join(" ")
}
