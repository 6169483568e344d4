//! `quotient simulate --interactive`: a run that goes where its user wants.

mod input;

use std::collections::VecDeque;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _, stdin, stdout};
use std::ops::ControlFlow::{Break, Continue};
use std::path::Path;

use check::config::Bounds;
use check::simulate::{self, Choice, Chosen, Condition, Interactive, Mobility, Paused};
use check::{Model, Step, TraceStep};

use super::failure::Failure;
use super::recorded::read_trail;
use super::simulate::{condition, unwritable};
use crate::args::ModelArgs;
use crate::files::{Disk, Output};
use crate::out::Out;
use crate::render::{Paint, plural};
use crate::run::Unfolding;
use crate::trace::{self, Row, Rows, Style, Widths};
use input::{Command, HELP};

/// Random steps end after this number, unless another one is given.
const MOST_STEPS: u64 = 10_000;
/// Of random steps, this many rows are shown; `trail` shows all.
const SHOWN_ROWS: usize = 20;

/// Where a session takes place.
#[derive(Clone, Copy)]
pub struct Place<'m> {
    pub model: &'m Model,
    /// How the model was loaded.
    pub args: &'m ModelArgs,
    pub disk: &'m Disk,
    pub bounds: Bounds,
    pub paint: Paint,
}

/// Lets a user choose the steps of a run, which begins with those of `prefix`. Returns the steps.
pub fn session(place: Place<'_>, seed: u64, prefix: &[Step]) -> Result<Vec<Step>, Failure> {
    let run = Interactive::new(place.model, place.bounds, seed)?;
    let mut session = Session { place, run, condition: None };
    let stopped = session.run.load(prefix).map_err(|reason| super::recorded::misfit(&reason))?;
    writeln!(stdout(), "Choose a step by its number; u takes one back, s shows the state, q ends.")?;
    writeln!(stdout(), "help lists all commands.")?;
    if let Some(reason) = stopped {
        session.last_step_faults(&reason)?;
    }
    // A terminal shows what is typed; a transcript has to show what is read.
    let echoed = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if let Some(wrong) = session.run.wrong() {
            writeln!(stdout(), "{}", place.paint.bad(&wrong))?;
        }
        let choices = session.run.choices();
        write!(stdout(), "{}", trace::menu(&choices, place.paint))?;
        if choices.is_empty() {
            writeln!(stdout(), "There are no steps here.")?;
        }
        write!(stdout(), "step {}> ", session.run.steps().len() + 1)?;
        drop(stdout().flush());
        let Some(Ok(line)) = lines.next() else {
            writeln!(stdout())?;
            break;
        };
        if !echoed {
            writeln!(stdout(), "{line}")?;
        }
        match Command::parse(&line) {
            Ok(Command::Quit) => break,
            Ok(command) => session.obey(command, &choices)?,
            Err(reason) => writeln!(stdout(), "{reason}")?,
        }
    }
    Ok(session.run.steps().to_vec())
}

struct Session<'m> {
    place: Place<'m>,
    run: Interactive<'m>,
    /// The condition of the last `until`.
    condition: Option<Condition>,
}

impl Session<'_> {
    fn obey(&mut self, command: Command, choices: &[Choice]) -> io::Result<()> {
        let at = self.run.steps().len();
        match command {
            Command::Nothing | Command::Quit => Ok(()),
            Command::Help => write!(stdout(), "{HELP}"),
            Command::Step(number) => match choices.get(number.wrapping_sub(1)) {
                Some(choice) => self.take(choice.step),
                None => writeln!(stdout(), "There is no step `{number}`."),
            },
            Command::Random(count) => self.walk(count, false),
            Command::Run { most, until: None } => self.walk(most.unwrap_or(MOST_STEPS), false),
            Command::Run { most, until: Some(text) } => self.until(most.unwrap_or(MOST_STEPS), &text),
            Command::Continue(most) => match &self.condition {
                Some(_) => self.walk(most.unwrap_or(MOST_STEPS), true),
                None => writeln!(stdout(), "There is no condition yet: `until EXPR` has one."),
            },
            Command::Undo(_) if at == 0 => writeln!(stdout(), "This is the initial state."),
            Command::Undo(count) => self.go_to(at.saturating_sub(count)),
            Command::Redo(_) if self.run.taken_back() == 0 => {
                writeln!(stdout(), "No step was taken back.")
            }
            Command::Redo(count) => self.go_to(at + count.min(self.run.taken_back())),
            Command::GoTo(to) => self.go_to(to),
            Command::State => indented(&self.run.describe()),
            Command::Diff(since) => {
                let last = at + self.run.taken_back();
                match since {
                    Some(since) if since > last => self.no_such_step(since),
                    _ => match self.run.differences(since) {
                        none if none.is_empty() => writeln!(stdout(), "Nothing is different."),
                        lines => indented(&lines),
                    },
                }
            }
            Command::Why(thread) => self.why(thread.as_deref()),
            Command::Trail => self.trail(),
            Command::Load(path) => self.load(&path),
            Command::Save(path) => self.save(&path),
        }
    }

    fn take(&mut self, step: Step) -> io::Result<()> {
        match self.run.take(step) {
            Chosen::Moved(words) => {
                let TraceStep { printed, changes, .. } = *words;
                for line in printed.iter().flat_map(|text| text.lines()) {
                    writeln!(stdout(), "    prints: {line}")?;
                }
                changes.iter().try_for_each(|change| writeln!(stdout(), "    {change}"))
            }
            Chosen::Stopped(reason) => writeln!(stdout(), "{}", self.place.paint.bad(&reason)),
        }
    }

    fn go_to(&mut self, to: usize) -> io::Result<()> {
        if self.run.go_to(to) { Ok(()) } else { self.no_such_step(to) }
    }

    fn no_such_step(&self, number: usize) -> io::Result<()> {
        let count = self.run.steps().len() + self.run.taken_back();
        writeln!(stdout(), "The run has no step {number}, but {}.", plural(count as u64, "step"))
    }

    /// Takes random steps until a condition holds.
    fn until(&mut self, most: u64, text: &str) -> io::Result<()> {
        let Place { model, args, disk, .. } = self.place;
        let condition = match condition(model, args, disk, text) {
            Ok(condition) => condition,
            Err(failure) => return excuse(failure),
        };
        let holds = self.run.holds(&condition);
        let text = condition.text.clone();
        self.condition = Some(condition);
        match holds {
            Ok(false) => self.walk(most, true),
            Ok(true) => {
                writeln!(stdout(), "`{text}` holds here; `continue` goes on until it holds again.")
            }
            Err(reason) => writeln!(stdout(), "`{text}` cannot be evaluated here: {reason}."),
        }
    }

    /// Takes random steps, and shows the last of them.
    fn walk(&mut self, most: u64, has_condition: bool) -> io::Result<()> {
        let Self { place: Place { paint, .. }, run, condition } = self;
        let condition = condition.as_ref().filter(|_| has_condition);
        let first = run.steps().len() as u64;
        let mut rows = Rows::starting_at(first);
        let mut last: VecDeque<Row> = VecDeque::new();
        let keep = |row: Option<Row>, last: &mut VecDeque<Row>| {
            last.extend(row);
            if last.len() > SHOWN_ROWS {
                last.pop_front();
            }
        };
        let paused = run.walk(most, condition, |step| {
            keep(rows.add(step), &mut last);
            Continue(())
        });
        keep(rows.end(), &mut last);
        let mut widths = Widths::default();
        for row in &last {
            widths.fit(row);
        }
        if let Some(row) = last.front().filter(|row| row.first() > first) {
            writeln!(stdout(), "  … {} …", plural(row.first() - first, "step"))?;
        }
        let style = Style { paint: *paint, unfold: false };
        for row in &last {
            write!(stdout(), "{}", trace::row(row, None, widths, style))?;
        }
        let steps = run.steps().len() as u64;
        let goes_on = if paused == Paused::Steps { "; `continue` goes on" } else { "" };
        match (paused, condition) {
            (Paused::Stopped(reason), _) => writeln!(stdout(), "{}", paint.bad(&reason))?,
            (Paused::Reached, Some(Condition { text, .. })) => {
                return writeln!(stdout(), "`{text}` holds after step {steps}.");
            }
            (Paused::Undecided(reason), Some(Condition { text, .. })) => {
                return writeln!(stdout(), "`{text}` cannot be evaluated after step {steps}: {reason}.");
            }
            _ => {}
        }
        match condition {
            Some(Condition { text, .. }) => {
                let taken = plural(steps - first, "step");
                writeln!(stdout(), "`{text}` did not hold in {taken}{goes_on}.")
            }
            None => Ok(()),
        }
    }

    /// Says why a thread cannot move, or why all that cannot.
    fn why(&self, thread: Option<&str>) -> io::Result<()> {
        let paint = self.place.paint;
        let threads = self.run.threads();
        let asked = thread.map_or_else(|| threads.clone(), |thread| vec![thread.to_owned()]);
        let mut said = thread.is_some();
        for name in asked {
            let Some((name, mobility)) = self.run.mobility(&name) else {
                return writeln!(stdout(), "There is no `{name}` here, but {}.", threads.join(", "));
            };
            match mobility {
                Mobility::Ended => writeln!(stdout(), "  {name} has ended.")?,
                Mobility::Moves(_) if thread.is_none() => continue,
                Mobility::Moves(count) => {
                    writeln!(stdout(), "  {name} can move: it has {}.", plural(count as u64, "step"))?;
                }
                Mobility::Excluded { by } => {
                    writeln!(stdout(), "  {name} waits: {by} is inside of an atomic block.")?;
                }
                Mobility::Waits { blocked, may_stay } => {
                    write!(stdout(), "{}", trace::stuck(&blocked, paint))?;
                    if blocked.waits.is_empty() {
                        writeln!(stdout(), "    none of its statements can be taken before those of others")?;
                    }
                    if may_stay {
                        writeln!(stdout(), "    it may stay there: this is a valid end")?;
                    }
                }
            }
            said = true;
        }
        if !said {
            writeln!(stdout(), "No thread waits here.")?;
        }
        Ok(())
    }

    /// Shows the steps so far.
    fn trail(&self) -> io::Result<()> {
        let Place { model, bounds, paint, .. } = self.place;
        let mut out = Out::new();
        let mut unfolding = Unfolding::new(simulate::beginning(model, bounds), &mut out, paint);
        let mut shown = Ok(());
        let steps = self.run.steps().iter().copied();
        let trace = check::replay_each(model, bounds, steps, None, |step| {
            shown = unfolding.step(step);
            if shown.is_ok() { Continue(()) } else { Break(()) }
        });
        shown?;
        unfolding.end(&trace.map_err(io::Error::other)?)
    }

    fn load(&mut self, path: &Path) -> io::Result<()> {
        let Place { model, args, bounds, .. } = self.place;
        let read = read_trail(path, args).and_then(|input| input.steps(model, args, bounds));
        let (steps, warning) = match read {
            Ok(read) => read,
            Err(failure) => return excuse(failure),
        };
        if let Some(text) = warning {
            writeln!(stdout(), "warning: {text}")?;
        }
        match self.run.load(&steps) {
            Ok(None) => Ok(()),
            Ok(Some(reason)) => self.last_step_faults(&reason),
            Err(reason) => writeln!(stdout(), "The trail does not fit the model: {reason}"),
        }
    }

    fn last_step_faults(&self, reason: &str) -> io::Result<()> {
        writeln!(stdout(), "The last step of the trail is not taken: {}", self.place.paint.bad(reason))
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        let Place { model, disk, bounds, .. } = self.place;
        let name = path.display().to_string();
        let text = check::trail_file(model, bounds, None, self.run.steps()).to_json();
        let saved = match Output::new(path, disk) {
            Err(reason) => return writeln!(stdout(), "a trail {reason}; name another file"),
            Ok(output) => output.write_whole(&text),
        };
        match saved {
            Ok(()) => {
                let steps = plural(self.run.steps().len() as u64, "step");
                writeln!(stdout(), "Saved {steps} in `{name}`.")
            }
            Err(error) => excuse(unwritable(&name, &error)),
        }
    }
}

/// Says why a command of the session has no result. The session goes on.
fn excuse(failure: Failure) -> io::Result<()> {
    match failure {
        Failure::Rejected { text, .. } | Failure::InReport(text) => write!(stdout(), "{text}"),
        Failure::Internal(reason) => writeln!(stdout(), "internal error: {reason}"),
        Failure::Interrupted => Ok(()),
        Failure::Output(error) => Err(error),
    }
}

fn indented(lines: &[String]) -> io::Result<()> {
    lines.iter().try_for_each(|line| writeln!(stdout(), "  {line}"))
}
