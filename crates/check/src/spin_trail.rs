//! SPIN's trail files: a line `step:process:statement` for every step.
//!
//! A process is called by its `_pid`, a statement by the number that SPIN gives it, which is
//! [`Transition::number`](ir::Transition::number). A rendezvous is two lines, first the sender's, then the
//! receiver's; a `d_step` is one, whatever it does; every statement of an `atomic` is one; and so is the end
//! of a process. Lines with a negative step are about the trail as a whole:
//!
//! | line          | what it says                               | what becomes of it            |
//! |---------------|--------------------------------------------|-------------------------------|
//! | `-1:…`        | here begins a cycle                        | refused: runs end in a state  |
//! | `-2:…`        | there is a never claim; it is process 0    | its lines are passed over     |
//! | `-4:…`        | statements were merged                     | see below                     |
//! | `-5:` – `-8:` | in which order the search looked for steps | passed over                   |
//!
//! # Merged statements
//!
//! Unless its options say otherwise, SPIN makes one transition of a statement and those behind it that only
//! concern its process, or that are in the same `atomic`. Its trails say so, but they do not say which
//! statements are merged. So [`read`] finds out by running the model: after each of its lines, a process goes
//! on, step by step, until it is at a location with the statement of its next line. A process that has no
//! line left may stay where it is; how far it goes is decided by the end of the run, which is to show a
//! violation. All of this is a search that tries the likely way first and takes back what leads nowhere.
//! Whatever it finds is a run of the plain interpreter, so a trail is never believed.

use std::collections::VecDeque;
use std::fmt::{self, Write as _};

use ir::TransitionId;
use naive::{Naive, State, Stopped};
use system::Step;

use crate::config::Bounds;
use crate::dialect::place_of_step;
use crate::model::Model;
use crate::replay::interpreter;
use crate::trace::TraceStep;

/// A process takes at most this many merged steps behind one line.
const MOST_MERGED: usize = 256;
/// Steps that are tried before the search is given up, for each line.
const TRIED_PER_LINE: usize = 64;
/// And at least.
const TRIED_AT_LEAST: usize = 20_000;

/// The number of points that are remembered where another way could have been taken: what is wrong shows
/// soon.
const MOST_OPEN: usize = 10_000;

/// Why a trail is not one of the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The line of the file, from 1.
    pub line: usize,
    pub reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// Whether a file looks like one of SPIN's trails: its first line that says anything is three numbers.
pub fn is_spin_trail(text: &str) -> bool {
    text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| numbers(line).is_some())
}

fn numbers(line: &str) -> Option<[i64; 3]> {
    let mut parts = line.trim().split(':').map(|part| part.trim().parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// One step of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    /// Where it is in the file.
    at: usize,
    process: u32,
    statement: u32,
}

struct Lines {
    lines: Vec<Line>,
    merged: bool,
}

fn parse(text: &str) -> Result<Lines, Misfit> {
    let mut parsed = Lines { lines: Vec::new(), merged: false };
    let mut claimed = false;
    for (index, text) in text.lines().enumerate() {
        let at = index + 1;
        let misfit = |reason: &str| Misfit { line: at, reason: reason.to_owned() };
        if text.trim().is_empty() {
            continue;
        }
        let [step, process, statement] =
            numbers(text).ok_or_else(|| misfit("not of the form step:process:statement"))?;
        match step {
            -1 => return Err(misfit("the trail goes round a cycle, and only runs that end can be replayed")),
            -2 => claimed = true,
            -4 => parsed.merged = true,
            -8..=-5 => {}
            _ if step < 0 => return Err(misfit("this kind of line is not known")),
            // The claim's own.
            _ if claimed && process == 0 => {}
            _ => match (u32::try_from(process - i64::from(claimed)), u32::try_from(statement)) {
                (Ok(process), Ok(statement)) => parsed.lines.push(Line { at, process, statement }),
                _ => return Err(misfit("no process and no statement has a negative number")),
            },
        }
    }
    Ok(parsed)
}

/// The steps that a trail of SPIN's stands for.
pub fn read(model: &Model, bounds: Bounds, text: &str) -> Result<Vec<Step>, Misfit> {
    let Lines { lines, merged } = parse(text)?;
    if !model.dialect().is_spins {
        return Err(Misfit { line: 1, reason: "only Promela models have trails of SPIN's".to_owned() });
    }
    let naive = interpreter(model, bounds);
    let tries = (TRIED_PER_LINE * lines.len()).max(TRIED_AT_LEAST);
    Reader { model, naive, lines, merged, tries, misfit: None }.run()
}

struct Reader<'m> {
    model: &'m Model,
    naive: Naive<'m>,
    lines: Vec<Line>,
    merged: bool,
    /// How many steps may still be tried.
    tries: usize,
    /// The one farthest in the file.
    misfit: Option<Misfit>,
}

/// A point of the run: the steps so far lead to the state, and stand for the lines so far.
#[derive(Clone)]
struct Point {
    state: State,
    steps: usize,
    line: usize,
    /// The processes that may go on by merged statements, last one first, and how many each has taken.
    going_on: Vec<(u32, usize)>,
    /// The last step has no successor.
    faulted: bool,
}

/// A way on from a point.
#[derive(Clone, Copy)]
enum Way {
    /// A step for the next line, or for the next two.
    Line(Step, Option<u32>),
    /// A merged statement.
    Merged(Step),
    /// No more merged statements of the process that goes on.
    Stay,
}

impl Reader<'_> {
    fn run(mut self) -> Result<Vec<Step>, Misfit> {
        let state = self.naive.initial();
        let mut point = Point { state, steps: 0, line: 0, going_on: Vec::new(), faulted: false };
        let mut steps: Vec<Step> = Vec::new();
        // A run that fits all lines but shows no violation, in case that there is none that does.
        let mut innocent: Option<Vec<Step>> = None;
        let mut open: VecDeque<(Point, Vec<Way>)> = VecDeque::new();
        loop {
            let ends = self.ends(&point);
            if ends && (point.faulted || self.is_violated(&point.state)) {
                return Ok(steps);
            }
            if ends && point.going_on.is_empty() {
                innocent.get_or_insert_with(|| steps.clone());
            }
            // The best way comes last, to be popped first.
            let mut ways = if point.faulted { Vec::new() } else { self.ways(&point) };
            ways.reverse();
            open.push_back((point, ways));
            if open.len() > MOST_OPEN {
                open.pop_front();
            }
            let next = loop {
                let Some((point, ways)) = open.back_mut() else { break None };
                match ways.pop() {
                    Some(way) if self.tries > 0 => {
                        steps.truncate(point.steps);
                        // A point that has only one way on need not be remembered.
                        let point = if ways.is_empty() {
                            open.pop_back().map(|(point, _)| point)
                        } else {
                            Some(point.clone())
                        };
                        let taken = point.and_then(|point| self.take(point, way, &mut steps));
                        if taken.is_some() {
                            break taken;
                        }
                    }
                    Some(_) => break None,
                    None => drop(open.pop_back()),
                }
            };
            match next {
                Some(next) => point = next,
                None => return innocent.ok_or_else(|| self.no_way()),
            }
        }
    }

    /// Why nothing fits.
    fn no_way(&mut self) -> Misfit {
        let line = self.lines.last().map_or(1, |line| line.at);
        self.misfit
            .take()
            .unwrap_or_else(|| Misfit { line, reason: "the run goes on behind the trail".to_owned() })
    }

    /// Whether all lines are done. Where no process can move, one may be left over: breadth first, SPIN also
    /// writes down the step that it tried last.
    fn ends(&self, point: &Point) -> bool {
        let left = self.lines.len() - point.line;
        left == 0 || left == 1 && point.going_on.is_empty() && self.naive.deadlocked(&point.state)
    }

    fn is_violated(&self, state: &State) -> bool {
        state.soft_fault().is_some()
            || matches!(self.naive.check(state), Err(Stopped::Fault(_)))
            || self.naive.deadlocked(state)
    }

    /// What a point can go on with, the most likely way first.
    fn ways(&mut self, point: &Point) -> Vec<Way> {
        let (enabled, faults) = self.naive.steps(&point.state);
        let all: Vec<Step> = enabled.into_iter().chain(faults.into_iter().map(|(step, _)| step)).collect();
        let Some(&(process, taken)) = point.going_on.last() else {
            return match self.lines.get(point.line) {
                Some(&line) => self.ways_by_line(point, line, &all),
                None => Vec::new(),
            };
        };
        let merged = all.iter().filter(|step| step.thread == process && taken < MOST_MERGED);
        let merged = merged.map(|&step| Way::Merged(step));
        match self.lines[point.line..].iter().find(|line| line.process == process) {
            Some(line) if !self.has_statement(&point.state, process, line.statement) => merged.collect(),
            _ => std::iter::once(Way::Stay).chain(merged).collect(),
        }
    }

    fn ways_by_line(&mut self, point: &Point, line: Line, steps: &[Step]) -> Vec<Way> {
        let program = self.naive.program;
        let number = |id: TransitionId| program.transitions[id].number;
        let (mut ways, mut others) = (Vec::new(), Vec::new());
        for &step in steps {
            if step.thread != line.process || number(TransitionId(step.transition)) != line.statement {
                continue;
            }
            let receiver = self.lines.get(point.line + 1).map(|line| (line.process, line.statement));
            match self.naive.fire_recorded(&point.state, step).events.partner {
                None => ways.push(Way::Line(step, None)),
                Some((thread, id)) if receiver == Some((thread, number(id))) => {
                    ways.push(Way::Line(step, Some(thread)));
                }
                Some((thread, _)) => others.push(thread),
            }
        }
        if ways.is_empty() {
            let reason = self.reason(&point.state, line, &others);
            self.misfit(line.at, reason);
        }
        ways
    }

    fn misfit(&mut self, line: usize, reason: String) {
        if self.misfit.as_ref().is_none_or(|misfit| misfit.line < line) {
            self.misfit = Some(Misfit { line, reason });
        }
    }

    /// Why no step is what a line says; `others` could receive what it sends.
    fn reason(&self, state: &State, line: Line, others: &[u32]) -> String {
        let Line { process, statement, .. } = line;
        let name = self.naive.thread_name(state, process);
        let program = self.naive.program;
        let Some(frame) = state.threads.get(&process).and_then(|thread| thread.frames.last()) else {
            return format!("there is no process {process} at this point");
        };
        let here = &program.locations[frame.location];
        let meant = here.transitions.iter().find(|&&id| program.transitions[id].number == statement);
        let Some(&meant) = meant else {
            let at = self.model.place(here.span);
            return format!("{name} is at {}:{}, which has no statement {statement}", at.file, at.line);
        };
        let at = place_of_step(self.model, meant);
        let statement = format!("`{}` ({}:{})", at.text, at.file, at.line);
        match others.first() {
            Some(_) => format!(
                "{name} sends at {statement}, but the next line is not that of a process that receives it"
            ),
            None if state.exclusive.is_some_and(|other| other != process) => {
                format!("{name} cannot move: another process is in the middle of an atomic sequence")
            }
            None => format!("{name} cannot execute {statement} at this point"),
        }
    }

    fn has_statement(&self, state: &State, process: u32, statement: u32) -> bool {
        let program = self.naive.program;
        let frame = state.threads.get(&process).and_then(|thread| thread.frames.last());
        frame.is_some_and(|frame| {
            let here = &program.locations[frame.location].transitions;
            here.iter().any(|&id| program.transitions[id].number == statement)
        })
    }

    /// The point behind, if there is one.
    fn take(&mut self, mut point: Point, way: Way, steps: &mut Vec<Step>) -> Option<Point> {
        let (step, lines) = match way {
            Way::Stay => {
                point.going_on.pop();
                return Some(point);
            }
            Way::Merged(step) => (step, 0),
            Way::Line(step, partner) => (step, 1 + usize::from(partner.is_some())),
        };
        self.tries -= 1;
        match self.naive.fire(&point.state, step) {
            Ok(state) => point.state = state,
            Err(Stopped::Fault(fault)) if point.line + lines < self.lines.len() => {
                let reason = format!("the run ends here ({fault}), but the trail goes on");
                self.misfit(self.lines[point.line + lines].at, reason);
                return None;
            }
            Err(Stopped::Fault(_)) => point.faulted = true,
            Err(Stopped::Truncated(bound)) => {
                let reason = format!("the step exceeds the bound on {}", bound.as_str());
                self.misfit(self.lines[point.line.min(self.lines.len() - 1)].at, reason);
                return None;
            }
            Err(Stopped::NotEnabled | Stopped::Abandoned) => return None,
        }
        steps.push(step);
        point.steps = steps.len();
        point.line += lines;
        match way {
            Way::Line(step, partner) if self.merged => {
                point.going_on =
                    partner.into_iter().chain([step.thread]).map(|process| (process, 0)).collect();
            }
            Way::Merged(_) => {
                if let Some((_, taken)) = point.going_on.last_mut() {
                    *taken += 1;
                }
            }
            Way::Line(..) | Way::Stay => {}
        }
        point.going_on.retain(|(process, _)| point.state.threads.contains_key(process));
        Some(point)
    }
}

/// A run as SPIN writes it down, without merged statements.
pub fn write<'t>(model: &Model, steps: impl IntoIterator<Item = &'t TraceStep>) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut line = |process: u32, transition: u32| {
        count += 1;
        let number = model.program.transitions[TransitionId(transition)].number;
        let _ = writeln!(out, "{count}:{process}:{number}");
    };
    for step in steps {
        line(step.thread_id, step.transition);
        if let Some(partner) = &step.partner {
            line(partner.thread_id, partner.transition);
        }
    }
    out
}

#[cfg(test)]
mod tests;
