//! The Promela front end.
//!
//! Promela is SPIN's language. A model goes through a preprocessor like C's, then a parser that follows SPIN's own
//! grammar down to its odd corners, for SPIN is the reference.

pub mod ast;
pub mod codes;

mod automaton;
mod build;
mod dataflow;
mod elements;
mod lexer;
mod lower;
mod parser;
mod preprocess;
mod resolve;
mod symbols;
mod text;
mod tree;
mod unused;

pub use parser::parse;

use source::{Diagnostics, FileId, Provider, SourceMap};

/// Compiles a model. `defines` are macros, as `-DNAME=VALUE` gives them; included files are read by way of `provider`
/// and added to `map`. On success there may be warnings.
pub fn compile(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
) -> Result<(ir::Program, Diagnostics), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(model) = parse(map, provider, file, defines, &mut diagnostics) else {
        return Err(diagnostics.without_warnings());
    };
    let mut builder = build::Builder::new(map, &mut diagnostics);
    builder.model(&model);
    let program = (!builder.diagnostics.has_errors()).then(|| lower::lower(&mut builder, file));
    match program {
        Some(program) if !diagnostics.has_errors() => Ok((program, diagnostics)),
        _ => Err(diagnostics.without_warnings()),
    }
}
