//! Checks that the editor asks for: one at a time, each in a thread of its own, with limits on time and memory.
//!
//! A check reads the texts as they were when it was asked for. It ends early when it is cancelled, or when a file
//! that it reads is changed.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use check::config::{Config, Limits};
use check::report::{Place, Report, Verdict};
use check::{CheckError, Extension, Language, Model, Progress, Watcher};
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_types::{Position, Range};

use crate::documents::Overlay;
use crate::lines::Lines;

/// The stack of a thread that checks. Front ends recurse over trees of limited depth.
const STACK: usize = 64 << 20;
/// The number of steps of a counterexample that are shown as places.
const SHOWN_STEPS: usize = 100;

/// What is checked: a temporal property, or with `None` everything.
pub type Goal = Option<String>;

/// A check that was asked for.
pub struct Job {
    pub number: u64,
    /// The file of the model.
    pub path: String,
    pub language: Language,
    pub goal: Goal,
    pub files: Overlay,
    pub defines: Vec<(String, String)>,
    pub limits: Limits,
    pub interrupt: Arc<AtomicBool>,
}

/// What a thread that checks has to say.
pub enum News {
    Progress { number: u64, states: u64 },
    Done { number: u64, found: Result<Outcome, String> },
}

/// A check that has ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    /// On one line, with the figures: `holds: 15,490 states, 0.3 s`.
    pub summary: String,
    pub interrupted: bool,
    pub violation: Option<Violation>,
}

#[derive(Clone, Debug)]
pub struct Violation {
    /// A deadlock, for example, has no place.
    pub at: Option<Spot>,
    pub kind: String,
    pub message: String,
    /// The run, with the number of steps that are left out.
    pub steps: Vec<(Spot, String)>,
    pub more: usize,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Spot {
    pub path: String,
    pub range: Range,
}

/// The checks that run or wait.
pub struct Checks {
    waiting: VecDeque<Job>,
    running: Option<(u64, Arc<AtomicBool>)>,
    sender: Sender<News>,
    pub news: Receiver<News>,
}

impl Checks {
    pub fn new() -> Self {
        let (sender, news) = unbounded();
        Self { waiting: VecDeque::new(), running: None, sender, news }
    }

    /// Adds a check, which begins when the others have ended.
    pub fn add(&mut self, job: Job) {
        self.waiting.push_back(job);
        self.next();
    }

    /// Ends a check. One that has not begun ends without an outcome.
    pub fn stop(&mut self, number: u64) {
        if let Some((_, interrupt)) = self.running.as_ref().filter(|(running, _)| *running == number) {
            interrupt.store(true, Ordering::Relaxed);
        }
        let before = self.waiting.len();
        self.waiting.retain(|job| job.number != number);
        if self.waiting.len() < before {
            // The receiver is a part of this.
            let _ = self.sender.send(News::Done { number, found: Err("interrupted".to_owned()) });
        }
    }

    pub fn stop_all(&mut self) {
        self.waiting.clear();
        if let Some((_, interrupt)) = &self.running {
            interrupt.store(true, Ordering::Relaxed);
        }
    }

    /// A check has ended.
    pub fn ended(&mut self, number: u64) {
        if self.running.as_ref().is_some_and(|(running, _)| *running == number) {
            self.running = None;
        }
        self.next();
    }

    fn next(&mut self) {
        if self.running.is_some() {
            return;
        }
        let Some(job) = self.waiting.pop_front() else { return };
        let (number, sender) = (job.number, self.sender.clone());
        self.running = Some((number, job.interrupt.clone()));
        let news = self.sender.clone();
        let thread = std::thread::Builder::new().name("check".to_owned()).stack_size(STACK);
        let started = thread.spawn(move || {
            let found = catch_unwind(AssertUnwindSafe(|| run(&job, &news)));
            let found = found.unwrap_or_else(|_| Err("internal error: the check panicked".to_owned()));
            let _ = news.send(News::Done { number, found });
        });
        if let Err(error) = started {
            let found = Err(format!("no thread could be started: {error}"));
            let _ = sender.send(News::Done { number, found });
        }
    }
}

struct Told<'a> {
    number: u64,
    news: &'a Sender<News>,
}

impl check::Observer for Told<'_> {
    fn progress(&mut self, progress: &Progress) {
        let states = progress.states as u64;
        let _ = self.news.send(News::Progress { number: self.number, states });
    }
}

impl Watcher for Told<'_> {}

fn run(job: &Job, news: &Sender<News>) -> Result<Outcome, String> {
    let model = Model::load_as(&job.files, &job.path, job.language, Extension::Auto, &job.defines, &[]);
    let model = model.map_err(|_| "the model has errors".to_owned())?;
    let config = Config { property: job.goal.clone(), limits: job.limits.clone(), ..Config::default() };
    let mut told = Told { number: job.number, news };
    match check::check(&model, &config, 0, &job.interrupt, &mut told) {
        Ok(checked) => Ok(outcome(&model, &checked.report, checked.interrupted)),
        Err(CheckError::Interrupted) => Err("interrupted".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

fn outcome(model: &Model, report: &Report, interrupted: bool) -> Outcome {
    let violation = report.violation.as_ref().map(|violation| {
        let all = &violation.trace.steps;
        let step = |(at, step): (usize, &check::TraceStep)| {
            let mut text = format!("step {}, {}: {}", at + 1, step.thread, step.location.text);
            if !step.changes.is_empty() {
                let _ = write!(text, "   [{}]", step.changes.join("; "));
            }
            (spot(model, &step.location), text)
        };
        Violation {
            at: violation.location.as_ref().map(|place| spot(model, place)),
            kind: violation.kind.to_string(),
            message: violation.message.clone(),
            steps: all.iter().enumerate().take(SHOWN_STEPS).map(step).collect(),
            more: all.len().saturating_sub(SHOWN_STEPS),
        }
    });
    let figures = format!("{} states, {}", grouped(report.states), seconds(report.seconds));
    let verdict = match report.verdict {
        Verdict::Holds => "holds",
        Verdict::HoldsUpToBounds => "holds up to bounds",
        Verdict::Violated => "violated",
        Verdict::NoErrorFound => "no error found",
        Verdict::Inconclusive => "inconclusive",
    };
    let mut summary = verdict.to_owned();
    if let Some(violation) = &report.violation {
        let kind = violation.property.clone().unwrap_or_else(|| violation.kind.to_string());
        let _ = write!(summary, " ({kind}, {} steps)", violation.steps);
    } else if let Some(reason) = &report.incomplete {
        let _ = write!(summary, " ({reason})");
    }
    Outcome { verdict: report.verdict, summary: format!("{summary}: {figures}"), interrupted, violation }
}

/// A place of a report. Its text says how far it reaches, unless it is a shortened one.
fn spot(model: &Model, place: &Place) -> Spot {
    let line = model.source_line(&place.file, place.line).unwrap_or_default();
    let start = Lines::of_column(line, place.line, place.column);
    let from: usize = line.chars().take(place.column.saturating_sub(1) as usize).map(char::len_utf8).sum();
    let rest = &line[from..];
    let length = if rest.starts_with(place.text.as_str()) { place.text.len() } else { rest.trim_end().len() };
    let units = rest[..length].encode_utf16().count() as u32;
    let end = Position { character: start.character + units, ..start };
    Spot { path: place.file.clone(), range: Range { start, end } }
}

/// `15,490`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn seconds(seconds: f64) -> String {
    if seconds < 10.0 { format!("{seconds:.1} s") } else { format!("{seconds:.0} s") }
}

/// The limits of a check, if the editor sets none.
pub fn usual_limits() -> Limits {
    Limits { time: Some(Duration::from_mins(1)), memory: Some(4 << 30), ..Limits::default() }
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
