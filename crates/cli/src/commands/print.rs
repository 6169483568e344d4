//! `quotient print`: the compiled model.

use std::io::{Write as _, stdout};
use std::process::ExitCode;

use super::failure::{Outcome, usage};
use super::load::{external_property, fit_bounds, load, load_with};
use crate::args::{AutomatonFormat, PrintArgs};
use crate::files::Disk;

pub fn print(args: &PrintArgs) -> Outcome {
    if args.what.automaton {
        return print_automaton(args);
    }
    let model = load(&args.model, &Disk::default(), false)?;
    let bounds = fit_bounds(&args.sizes, &model)?;
    if args.what.ir {
        write!(stdout(), "{}", model.ir_text())?;
    } else if args.what.symmetry {
        write!(stdout(), "{}", check::describe_symmetry(&model, bounds)?)?;
    } else {
        write!(stdout(), "{}", check::engine(&model, bounds)?.layout().describe(&model.program))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_automaton(args: &PrintArgs) -> Outcome {
    let disk = Disk::default();
    let external = external_property(args.ltl.as_deref(), args.property.as_deref(), &disk)?;
    let model = load_with(&args.model, external.as_ref(), &disk, true)?;
    let name = external.as_ref().map(|external| external.name.as_str()).or(args.property.as_deref());
    let property = model.property(name).map_err(usage)?;
    let format = match args.format {
        None | Some(AutomatonFormat::Never) => check::property::AutomatonFormat::Never,
        Some(AutomatonFormat::Hoa) => check::property::AutomatonFormat::Hoa,
    };
    write!(stdout(), "{}", check::property::automaton(property, format).map_err(usage)?)?;
    Ok(ExitCode::SUCCESS)
}
