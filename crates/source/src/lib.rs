//! Files, spans and diagnostics.
//!
//! A [`Span`] is what every later stage keeps of the text a thing came from; [`SourceMap`] turns it back
//! into file, line and column. Front ends collect [`Diagnostic`]s in [`Diagnostics`]: several per run, in the
//! order of the text, with a cap, so that a file of nonsense costs no more than a file with a few mistakes.
//!
//! This crate opens no file: what reads files implements [`Provider`].

mod codes;
mod diagnostic;
mod index;
mod map;
mod provider;
mod render;
mod similar;
mod span;

pub use diagnostic::{Diagnostic, Diagnostics, Label, MAX_REPORTED, Severity};
pub use index::{Definition, Index, Mention, NameKind};
pub use map::{Origin, Position, SourceFile, SourceMap, decode};
pub use provider::{Provider, plain};
pub use render::Style;
pub use similar::similar;
pub use span::{FileId, Span};
