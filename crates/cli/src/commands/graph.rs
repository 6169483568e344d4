//! `quotient graph`: the state graph of a model.

use std::io::{self, Write as _};
use std::process::ExitCode;

use check::graph::{Contents, GraphOptions, PropertyChoice};
use check::picture::draw::graph::MOST_STATES;

use super::failure::{Outcome, usage};
use super::load::{external_property, fit_bounds, load_with};
use crate::args::{GraphArgs, GraphContents, GraphFormat, GraphSymmetry};
use crate::files::{Disk, free_memory};
use crate::interrupt;
use crate::out::Out;

/// A drawing of more states than this is more than a person looks at.
const LARGEST_DRAWING: usize = MOST_STATES;

pub fn graph(args: &GraphArgs) -> Outcome {
    if let Some(reason) = unfit_for_aut(args).filter(|_| args.format == GraphFormat::Aut) {
        return Err(usage(reason));
    }
    let disk = Disk::default();
    let external = external_property(args.ltl.as_deref(), args.property.as_deref(), &disk)?;
    let model = load_with(&args.model, external.as_ref(), &disk, false)?;
    fit_bounds(&args.bounds.sizes, &model)?;
    let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let options = GraphOptions {
        bounds: args.bounds.bounds(),
        max_states: usize::try_from(args.max_states).unwrap_or(usize::MAX),
        memory: free_memory(),
        depth: args.depth.map(narrow),
        contents: match args.contents {
            GraphContents::None => Contents::None,
            GraphContents::Changes => Contents::Changes,
            GraphContents::Full => Contents::Full,
        },
        // A picture shows what is wrong.
        marks: args.marks || args.format == GraphFormat::Svg,
        merges_orbits: args.symmetry == GraphSymmetry::Full,
        around: args.around.map(|state| (state, narrow(args.radius))),
        property: match (&args.ltl, &args.property) {
            (Some(formula), _) => Some(PropertyChoice::Ltl(formula.clone())),
            (None, Some(name)) => Some(PropertyChoice::Name(name.clone())),
            (None, None) => None,
        },
    };
    let graph = check::graph::graph(&model, &options, interrupt::flag())?;
    let format = match args.format {
        GraphFormat::Dot => check::graph::GraphFormat::Dot,
        GraphFormat::Aut => check::graph::GraphFormat::Aut,
        GraphFormat::Json => check::graph::GraphFormat::Json,
        GraphFormat::Svg => check::graph::GraphFormat::Svg,
    };
    // The model's own were shown when it was read.
    for diagnostic in graph.diagnostics.iter().filter(|diagnostic| diagnostic.code.is_none()) {
        drop(writeln!(io::stderr(), "warning: {}", diagnostic.message));
    }
    let is_drawing = matches!(args.format, GraphFormat::Dot | GraphFormat::Svg);
    if is_drawing && graph.len() > LARGEST_DRAWING {
        let what = if args.format == GraphFormat::Svg { "is folded" } else { "is hard to read" };
        drop(writeln!(
            io::stderr(),
            "warning: a drawing of {} states {what}; --depth N draws the beginning of the graph, \
             --around STATE --radius N the neighbourhood of a state, --symmetry full one node for states that \
             differ only in names",
            graph.len()
        ));
    }
    let mut out = Out::new();
    graph.write(format, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// What Aldebaran's format has no place for.
fn unfit_for_aut(args: &GraphArgs) -> Option<&'static str> {
    let has_contents = args.contents != GraphContents::None;
    let has_property = args.ltl.is_some() || args.property.is_some();
    match () {
        () if has_contents => Some("--format aut has no place for the contents of states: use dot or json"),
        () if has_property => Some("--format aut has no place for the marks of a run: use dot or json"),
        () if args.around.is_some() => {
            Some("--format aut numbers states without gaps, which --around leaves: use dot or json")
        }
        () => None,
    }
}
