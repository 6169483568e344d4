//! Files, spans and diagnostics.
//!
//! A [`Span`] is what every later stage keeps of the text a thing came from; [`SourceMap`] turns it back
//! into file, line and column.

mod span;

pub use span::{FileId, Span};
