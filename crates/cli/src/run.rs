//! Runs, shown step by step as they come. Nothing of a step is kept when it was shown.

use std::io::{self, Write as _};

use quotient::json::ObjectWriter;
use quotient::report::Diagnostic;
use quotient::{Trace, TraceStep};

use crate::msc::{Chart, Look, Size};
use crate::out::Out;
use crate::render::{self, LONGEST_TRACE, Paint, Widths};

/// A run of which the end is not known yet.
///
/// How wide columns are depends on what is in them. The first steps are kept until there are
/// [`LONGEST_TRACE`] of them or the run ends, so that a short run looks as it does in a report. After that,
/// columns grow when they have to.
pub struct Unfolding<'o> {
    out: &'o mut Out,
    paint: Paint,
    /// Without its steps.
    beginning: Trace,
    /// The first steps, as long as they are not shown.
    kept: Vec<TraceStep>,
    /// How many steps were shown.
    shown: u64,
    widths: Widths,
}

impl<'o> Unfolding<'o> {
    pub fn new(beginning: Trace, out: &'o mut Out, paint: Paint) -> Self {
        Self { out, paint, beginning, kept: Vec::new(), shown: 0, widths: Widths::default() }
    }

    pub fn step(&mut self, step: TraceStep) -> io::Result<()> {
        self.widths.fit(&step);
        if self.shown > 0 {
            return self.show(&step);
        }
        self.kept.push(step);
        if self.kept.len() == LONGEST_TRACE { self.begin() } else { Ok(()) }
    }

    /// Shows what was kept.
    fn begin(&mut self) -> io::Result<()> {
        let kept = std::mem::take(&mut self.kept);
        self.widths.fit_number(kept.len() as u64);
        self.out.write_all(render::initially(&self.beginning, self.widths).as_bytes())?;
        kept.iter().try_for_each(|step| self.show(step))
    }

    fn show(&mut self, step: &TraceStep) -> io::Result<()> {
        self.widths.fit_number(self.shown + 1);
        self.out.lines(&render::step(self.shown, step, None, self.widths, self.paint))?;
        self.shown += 1;
        Ok(())
    }

    /// The run ended. `trace` says what is wrong with that, if anything is.
    pub fn end(mut self, trace: &Trace) -> io::Result<()> {
        if self.shown == 0 {
            self.begin()?;
        }
        let ending = render::ending(trace, self.shown, self.widths, self.paint);
        self.out.write_all(ending.as_bytes())?;
        self.out.flush()
    }
}

/// How large a run is, before it is shown.
#[derive(Clone, Copy, Default)]
pub struct Extents {
    steps: u64,
    widths: Widths,
    chart: Size,
}

impl Extents {
    pub fn fit(&mut self, step: &TraceStep) {
        self.steps += 1;
        self.widths.fit(step);
        self.chart.fit(&step.started);
    }
}

/// How a run is shown of which everything is known.
pub enum Show {
    Text,
    Chart(Look),
    /// With what else there is to say.
    Json(Vec<Diagnostic>),
}

/// Shows a run: `trace` has no steps, but knows how it ends. `each_step` hands over the steps.
pub fn show(
    trace: &Trace,
    mut extents: Extents,
    how: &Show,
    paint: Paint,
    out: &mut Out,
    each_step: impl FnOnce(&mut dyn FnMut(&TraceStep) -> io::Result<()>) -> io::Result<()>,
) -> io::Result<()> {
    extents.widths.fit_number(extents.steps);
    let Extents { steps, widths, mut chart } = extents;
    let ending = || render::ending(trace, steps, widths, paint);
    match how {
        Show::Text => {
            out.lines(&render::initially(trace, widths))?;
            let mut index = 0;
            each_step(&mut |step| {
                index += 1;
                out.lines(&render::step(index - 1, step, trace.cycle, widths, paint))
            })?;
            out.lines(&ending())?;
        }
        Show::Chart(look) => {
            chart.steps = steps;
            chart.fit(&trace.processes);
            let mut chart = Chart::new(trace, chart, *look);
            out.lines(&chart.begin(trace))?;
            let mut index = 0;
            each_step(&mut |step| {
                index += 1;
                out.lines(&chart.step(index - 1, step))
            })?;
            out.lines(&chart.end(trace))?;
            out.lines(&ending())?;
        }
        Show::Json(diagnostics) => {
            let Trace { initial, steps: _, cycle, individual, ends_in, last, processes: _ } = trace;
            let mut object = ObjectWriter::new(&mut *out)?;
            object.key("initial", initial)?;
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
            if !diagnostics.is_empty() {
                object.key("diagnostics", diagnostics)?;
            }
            object.end()?;
        }
    }
    out.flush()
}
