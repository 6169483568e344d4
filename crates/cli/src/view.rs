//! The views of a run: its steps, a column for each thread, the messages between processes, whole states.

use std::fmt::Write as _;

use check::{Dialect, Model, Trace, TraceStep};
use clap::{Args, ValueEnum};

use crate::msc::Look;
use crate::trace::{self, Row, Style, Widths, cut};

/// How a run is shown.
#[derive(Args, Clone, Debug)]
pub struct ViewArgs {
    /// How to show a run: its steps, threads (a column for each thread), msc (the messages between
    /// processes) or states (the whole state after each step)
    #[arg(long, value_name = "VIEW", value_enum, default_value_t, hide_possible_values = true)]
    pub view: View,

    /// Show only the steps of this thread, or of all threads of this name: Worker#2 or Worker
    #[arg(long, value_name = "THREAD")]
    pub only: Vec<String>,

    /// Show the run from this step on
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u64).range(1..))]
    pub from: Option<u64>,

    /// Show the run up to this step
    #[arg(long, value_name = "STEP", value_parser = clap::value_parser!(u64).range(1..))]
    pub to: Option<u64>,

    /// Show the statements of atomic blocks one by one
    #[arg(long)]
    pub unfold: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum View {
    #[default]
    Steps,
    Threads,
    Msc,
    States,
}

impl ViewArgs {
    /// Whether a run is shown as it is without options.
    pub fn is_default(&self) -> bool {
        let Self { view, only, from, to, unfold } = self;
        *view == View::Steps && only.is_empty() && from.is_none() && to.is_none() && !unfold
    }

    /// Why runs of models of a language cannot be shown like this.
    pub fn refusal(&self, dialect: &Dialect) -> Option<String> {
        let reason = "--view msc is for Promela models: others have no channels; --view threads has a column \
                      for each thread";
        (self.view == View::Msc && !dialect.has_channels).then(|| reason.to_owned())
    }

    /// The options that JSON does not have, if one was given.
    pub fn unfit_for_json(&self) -> Option<&'static str> {
        let Self { view, only, from, to, unfold } = self;
        match view {
            View::Threads => Some("--view threads"),
            View::Msc => Some("--view msc"),
            View::Steps | View::States if !only.is_empty() => Some("--only"),
            View::Steps | View::States if from.is_some() => Some("--from"),
            View::Steps | View::States if to.is_some() => Some("--to"),
            View::Steps | View::States => unfold.then_some("--unfold"),
        }
    }

    /// The options that pictures do not have, if one was given.
    pub fn unfit_for_pictures(&self) -> Option<&'static str> {
        let Self { view: _, only, from, to, unfold } = self;
        match () {
            () if !only.is_empty() => Some("--only"),
            () if from.is_some() => Some("--from"),
            () if to.is_some() => Some("--to"),
            () => unfold.then_some("--unfold"),
        }
    }

    /// The columns of a view by threads.
    pub fn look(&self, width: usize, unicode: bool) -> Option<Look> {
        let (is_local, has_events) = match self.view {
            View::Threads => (true, true),
            View::Msc => (false, false),
            View::Steps | View::States => return None,
        };
        Some(Look { width, unicode, local: is_local, events: has_events })
    }

    /// Whether a step of this index is shown.
    pub fn shows(&self, index: u64, step: &TraceStep) -> bool {
        let number = index + 1;
        let is_named = |name: &String| {
            let rest = step.thread.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['#', '(']))
        };
        self.from.is_none_or(|from| from <= number)
            && self.to.is_none_or(|to| number <= to)
            && (self.only.is_empty() || self.only.iter().any(is_named))
    }

    /// Whether the run is shown from its beginning, and to its end.
    pub fn has_beginning(&self) -> bool {
        self.from.is_none_or(|from| from == 1)
    }

    pub fn has_end(&self, steps: u64) -> bool {
        self.to.is_none_or(|to| steps <= to)
    }
}

/// A run that is shown state by state.
pub struct States<'m> {
    model: &'m Model,
    /// The lines of the state that was shown last.
    before: Vec<String>,
}

/// The lines around that of a step that are shown with it.
const AROUND: u32 = 1;

impl<'m> States<'m> {
    pub fn new(model: &'m Model, trace: &Trace) -> Self {
        Self { model, before: trace.initial.clone() }
    }

    /// A row, the source around its statement, and the state after it. Lines of the state that were not there
    /// before are marked.
    pub fn row(&mut self, row: &Row, trace: &Trace, widths: Widths, style: Style) -> String {
        let mut out = trace::row(row, trace.cycle, widths, style);
        let indent = widths.indent();
        let place = &row.head().location;
        for line in place.line.saturating_sub(AROUND).max(1)..=place.line + AROUND {
            let Some(text) = self.model.source_line(&place.file, line) else { continue };
            let text = cut(text, 100);
            let line = if line == place.line {
                style.paint.strong(&format!("> {line:>4} | {text}"))
            } else {
                style.paint.dim(&format!("  {line:>4} | {text}"))
            };
            let _ = writeln!(out, "{indent}{line}");
        }
        let Some(step) = row.steps.last().filter(|step| !step.lines.is_empty()) else { return out };
        for line in &step.lines {
            let is_new = !self.before.contains(line);
            let shown = if is_new { style.paint.strong(&format!("* {line}")) } else { format!("  {line}") };
            let _ = writeln!(out, "{indent}{shown}");
        }
        self.before.clone_from(&step.lines);
        out
    }
}
