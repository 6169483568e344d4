//! What each command does.

mod check;
mod counterexample;
mod explore;
mod failure;
mod fmt;
mod graph;
mod load;
mod lsp;
mod print;
mod recorded;
mod replay;
mod resume;
mod session;
mod shell;
mod simulate;
mod trail_names;

use std::path::Path;

use ::check::Style;

use crate::files::{Disk, Output};
pub use failure::usage;

pub use check::check;
pub use explore::explore;
pub use failure::Failure;
pub use fmt::fmt;
pub use graph::graph;
pub use lsp::lsp;
pub use print::print;
pub use replay::replay;
pub use resume::resume;
pub use shell::{definitions, quoted};
pub use simulate::simulate;

/// The style of a stream, which may be a terminal.
pub fn style(terminal: bool) -> Style {
    if terminal && !anstyle_query::no_color() { Style::Coloured } else { Style::Plain }
}

/// Where a trail goes, unless it would replace something that it must not.
fn trail_output(path: &Path, disk: &Disk) -> Result<Output, Failure> {
    Output::new(path, disk).map_err(|reason| usage(format!("a trail {reason}; name another file by --trail")))
}
