//! The Promela front end.
//!
//! Promela is SPIN's language. A model goes through a preprocessor like C's, then a parser that follows
//! SPIN's own grammar down to its odd corners, since SPIN is the reference.

pub mod ast;
pub mod codes;

mod automaton;
mod build;
mod dataflow;
mod elements;
mod foreign;
mod index;
mod lexer;
mod lower;
mod objects;
mod parser;
mod places;
mod preprocess;
mod resolve;
mod symbols;
mod text;
mod tree;
mod typing;
mod unused;
mod walk;

pub use lower::{Chain, Chains, Inlined, Link, merge, unseen};
pub use parser::parse;

use std::collections::BTreeSet;

use source::{Diagnostics, FileId, Index, Provider, SourceMap, Span};

/// Whether a model may use the dynamic extension.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Extension {
    /// A model that uses it is a dynamic program, all others are SPIN's.
    #[default]
    Auto,
    /// It is refused.
    Spin,
    /// The model is a dynamic program, whether it uses it or not.
    Dynamic,
}

impl std::str::FromStr for Extension {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "spin" => Ok(Self::Spin),
            "dynamic" => Ok(Self::Dynamic),
            _ => Err("expected auto, spin or dynamic".to_owned()),
        }
    }
}

impl std::fmt::Display for Extension {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Spin => "spin",
            Self::Dynamic => "dynamic",
        })
    }
}

/// The words of the language that cannot be names.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    lexer::words()
}

/// A model that was compiled.
#[derive(Debug)]
pub struct Compiled {
    pub program: ir::Program,
    /// Which statements can be merged, for [`merge`].
    pub chains: Chains,
    /// The globals that the model declares `hidden`. Others may be untracked as well: those that are only
    /// written.
    pub hidden: BTreeSet<ir::GlobalId>,
    /// The transitions that come from the bodies of inlines.
    pub inlined: Inlined,
    /// Whether the model uses the dynamic extension.
    pub is_dynamic: bool,
    /// Why processes have numbers in a dynamic program, and where. Otherwise they are references there.
    pub numbered: Option<(Span, &'static str)>,
    pub warnings: Diagnostics,
}

/// Compiles a model. `defines` are macros, as from `-DNAME=VALUE`; included files are read through `provider`
/// and added to `map`. There may be warnings even on success.
pub fn compile(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
) -> Result<Compiled, Diagnostics> {
    compile_with(map, provider, file, defines, &[])
}

/// Compiles a model together with properties that are not in it. Each is a file of its own: a formula as in
/// an `ltl` block, a `never` claim, or an automaton in the HOA format whose propositions are conditions of
/// the model. The name of the file is the name of the property. They come after those of the model.
pub fn compile_with(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    properties: &[FileId],
) -> Result<Compiled, Diagnostics> {
    compile_as(map, provider, file, defines, properties, Extension::Auto)
}

/// [`compile_with`], where it is known whether the model may use the dynamic extension.
pub fn compile_as(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    properties: &[FileId],
    extension: Extension,
) -> Result<Compiled, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let model = parser::parse_with(map, provider, file, defines, properties, extension, &mut diagnostics);
    let Some(model) = model else {
        return Err(diagnostics.without_warnings());
    };
    let mut builder = build::Builder::new(map, &mut diagnostics);
    builder.model(&model);
    builder.check_sizes();
    let is_dynamic = builder.is_dynamic;
    let lowered = (!builder.diagnostics.has_errors()).then(|| lower::lower(&mut builder, file));
    match lowered {
        Some((lowered, numbered)) if !diagnostics.has_errors() => {
            let (program, chains, hidden, inlined) = lowered;
            Ok(Compiled { program, chains, hidden, inlined, is_dynamic, numbered, warnings: diagnostics })
        }
        _ => Err(diagnostics.without_warnings()),
    }
}

/// A model as an editor sees it: what its names stand for, as far as that is known, and what [`compile_as`] reports.
/// Where the text is not a model yet, the names come from the parts that can be understood.
pub fn analyse(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    extension: Extension,
) -> (Result<Diagnostics, Diagnostics>, Index) {
    let mut diagnostics = Diagnostics::new();
    let sources = (&mut *map, provider);
    let (model, index) =
        parser::parse_all(sources, file, defines, &[], extension, &mut diagnostics, Index::on());
    if diagnostics.has_errors() {
        // Mistakes after the first ones may be consequences.
        let mut ignored = Diagnostics::new();
        let mut builder = build::Builder::new(map, &mut ignored);
        builder.index = index;
        builder.model(&model);
        let index = std::mem::take(&mut builder.index);
        return (Err(diagnostics.without_warnings()), index);
    }
    let mut builder = build::Builder::new(map, &mut diagnostics);
    builder.index = index;
    builder.model(&model);
    builder.check_sizes();
    let index = std::mem::take(&mut builder.index);
    if !builder.diagnostics.has_errors() {
        lower::lower(&mut builder, file);
    }
    if diagnostics.has_errors() {
        (Err(diagnostics.without_warnings()), index)
    } else {
        (Ok(diagnostics), index)
    }
}
