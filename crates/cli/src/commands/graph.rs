//! `quotient graph`: the state graph of a model.

use std::io::{self, Write as _};
use std::process::ExitCode;

use super::failure::Outcome;
use super::load::{fit_bounds, load};
use crate::args::{GraphArgs, GraphFormat};
use crate::files::{Disk, free_memory};
use crate::interrupt;
use crate::out::Out;

pub fn graph(args: &GraphArgs) -> Outcome {
    let model = load(&args.model, &Disk::default(), false)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let max = usize::try_from(args.max_states).unwrap_or(usize::MAX);
    let bounds = args.bounds.bounds();
    let graph = quotient::graph::graph(&model, bounds, max, free_memory(), interrupt::flag())?;
    let format = match args.format {
        GraphFormat::Dot => quotient::graph::GraphFormat::Dot,
        GraphFormat::Aut => quotient::graph::GraphFormat::Aut,
        GraphFormat::Json => quotient::graph::GraphFormat::Json,
    };
    // The model's own were shown when it was read.
    for diagnostic in graph.diagnostics.iter().filter(|diagnostic| diagnostic.code.is_none()) {
        drop(writeln!(io::stderr(), "warning: {}", diagnostic.message));
    }
    let mut out = Out::new();
    graph.write(format, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
