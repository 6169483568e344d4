//! Runs, shown step by step as they come. Nothing of a step is kept when it was shown.

use std::io::{self, Write as _};

use check::json::ObjectWriter;
use check::report::Diagnostic;
use check::{Model, Trace, TraceStep};

use crate::msc::{Chart, Look, Size};
use crate::out::{Out, Sink};
use crate::render::Paint;
use crate::trace::{self, Extent, LONGEST_TRACE, Row, Rows, Style, Widths};
use crate::view::{States, View, ViewArgs};

/// A run of which the end is not known yet.
///
/// How wide columns are depends on what is in them. The first rows are kept until there are
/// [`LONGEST_TRACE`] of them or the run ends, so that a short run looks as it does in a report. After that,
/// columns grow when they have to.
pub struct Unfolding<'o> {
    out: &'o mut Out,
    style: Style,
    /// Without its steps.
    beginning: Trace,
    rows: Rows,
    /// The first rows, as long as they are not shown.
    kept: Vec<Row>,
    /// Whether rows are shown as they come.
    has_begun: bool,
    steps: u64,
    widths: Widths,
}

impl<'o> Unfolding<'o> {
    pub fn new(beginning: Trace, out: &'o mut Out, paint: Paint) -> Self {
        let (rows, style) = (Rows::new(None), Style { paint, unfold: false });
        let (kept, widths) = (Vec::new(), Widths::default());
        Self { out, style, beginning, rows, kept, has_begun: false, steps: 0, widths }
    }

    pub fn step(&mut self, step: TraceStep) -> io::Result<()> {
        self.steps += 1;
        self.rows.add(step).map_or(Ok(()), |row| self.row(row))
    }

    fn row(&mut self, row: Row) -> io::Result<()> {
        self.widths.fit(&row);
        if self.has_begun {
            return self.show(&row);
        }
        self.kept.push(row);
        if self.kept.len() == LONGEST_TRACE { self.begin() } else { Ok(()) }
    }

    /// Shows what was kept.
    fn begin(&mut self) -> io::Result<()> {
        self.has_begun = true;
        let kept = std::mem::take(&mut self.kept);
        self.out.write_all(trace::initially(&self.beginning, self.widths).as_bytes())?;
        kept.iter().try_for_each(|row| self.show(row))
    }

    fn show(&mut self, row: &Row) -> io::Result<()> {
        self.out.lines(&trace::row(row, None, self.widths, self.style))
    }

    /// The run ended. `trace` says what is wrong with that, if anything is.
    pub fn end(mut self, trace: &Trace) -> io::Result<()> {
        let rows = std::mem::replace(&mut self.rows, Rows::new(None));
        rows.end().map_or(Ok(()), |row| self.row(row))?;
        if !self.has_begun {
            self.begin()?;
        }
        let ending = trace::ending(trace, self.steps, self.widths, self.style.paint);
        self.out.write_all(ending.as_bytes())?;
        self.out.write_all(trace::last_state(trace, self.widths, true).as_bytes())?;
        self.out.flush()
    }
}

/// How large a run is, before it is shown.
#[derive(Clone, Copy, Default)]
pub struct Extents {
    steps: u64,
    row: Extent,
    widths: Widths,
    chart: Size,
}

impl Extents {
    pub fn fit(&mut self, step: &TraceStep) {
        self.steps += 1;
        self.row.add(step);
        self.widths.fit_step(step, self.row);
        self.chart.fit(&step.started);
    }
}

/// How a run is shown of which everything is known.
pub enum Show<'a> {
    Text(&'a ViewArgs),
    Chart(Look, &'a ViewArgs),
    /// With what else there is to say.
    Json(Vec<Diagnostic>),
}

/// A run of which everything is known: `trace` has no steps, but knows how it ends.
pub struct Known<'a> {
    pub model: &'a Model,
    pub trace: &'a Trace,
    pub extents: Extents,
}

impl Known<'_> {
    /// Shows a run. `each_step` hands over the steps.
    pub fn show(
        &self,
        how: &Show<'_>,
        paint: Paint,
        out: &mut dyn Sink,
        each_step: impl FnOnce(&mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        match how {
            Show::Text(view) => self.text(view, paint, out, each_step)?,
            Show::Chart(look, view) => self.chart(*look, view, paint, out, each_step)?,
            Show::Json(diagnostics) => self.json(diagnostics, out, each_step)?,
        }
        out.flush()
    }

    fn text(
        &self,
        view: &ViewArgs,
        paint: Paint,
        out: &mut dyn Sink,
        each_step: impl FnOnce(&mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { model, trace, extents } = self;
        let widths = extents.widths;
        let style = Style { paint, unfold: view.unfold };
        if view.has_beginning() {
            out.lines(&trace::initially(trace, widths))?;
        }
        let mut states = States::new(model, trace);
        let mut show = |row: Row, out: &mut dyn Sink| {
            if !(row.first()..).zip(&row.steps).any(|(at, step)| view.shows(at, step)) {
                return Ok(());
            }
            out.lines(&match view.view {
                View::States => states.row(&row, trace, widths, style),
                View::Steps | View::Threads | View::Msc => trace::row(&row, trace.cycle, widths, style),
            })
        };
        let mut rows = Rows::new(trace.cycle);
        each_step(&mut |step| rows.add(step.clone()).map_or(Ok(()), |row| show(row, out)))?;
        rows.end().map_or(Ok(()), |row| show(row, out))?;
        if view.has_end(extents.steps) {
            out.lines(&trace::ending(trace, extents.steps, widths, paint))?;
            out.lines(&trace::last_state(trace, widths, true))?;
        }
        Ok(())
    }

    fn chart(
        &self,
        look: Look,
        view: &ViewArgs,
        paint: Paint,
        out: &mut dyn Sink,
        each_step: impl FnOnce(&mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { trace, extents: Extents { steps, widths, mut chart, .. }, .. } = *self;
        chart.steps = steps;
        chart.fit(&trace.processes);
        let mut chart = Chart::new(trace, chart, look);
        out.lines(&chart.begin(trace))?;
        let mut index = 0;
        each_step(&mut |step| {
            index += 1;
            let drawn = chart.step(index - 1, step);
            if view.shows(index - 1, step) { out.lines(&drawn) } else { Ok(()) }
        })?;
        if view.has_end(steps) {
            out.lines(&chart.end(trace))?;
            out.lines(&trace::ending(trace, steps, widths, paint))?;
        }
        Ok(())
    }

    fn json(
        &self,
        diagnostics: &Vec<Diagnostic>,
        out: &mut dyn Sink,
        each_step: impl FnOnce(&mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>,
    ) -> io::Result<()> {
        let Trace {
            initial,
            initial_state,
            steps: _,
            cycle,
            individual,
            ends_in,
            last,
            last_state,
            processes: _,
        } = self.trace;
        let mut object = ObjectWriter::new(&mut *out)?;
        object.key("initial", initial)?;
        object.key("initial_state", initial_state)?;
        object.open_list("steps")?;
        each_step(&mut |step| object.element(step))?;
        object.close_list()?;
        if let Some(cycle) = cycle {
            object.key("cycle", cycle)?;
        }
        if let Some(individual) = individual {
            object.key("individual", individual)?;
        }
        object.key("ends_in", ends_in)?;
        object.key("last", last)?;
        object.key("last_state", last_state)?;
        if !diagnostics.is_empty() {
            object.key("diagnostics", diagnostics)?;
        }
        object.end()
    }
}
