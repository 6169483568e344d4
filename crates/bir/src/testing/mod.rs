//! Models for the tests of everything that reads or runs models.
//!
//! [`random_model`] writes one from a seed, and [`shrink`] makes one that shows a mistake as small as it can.
//! [`compile_unmerged`] compiles without the merging of steps in atomic blocks, which must make no difference.

mod random;
mod shrink;
#[cfg(test)]
mod tests;

pub use random::{Variant, random_model, random_variant};
pub use shrink::shrink;

use source::{Diagnostics, FileId, SourceMap};

use crate::lower::Merge;

/// Like [`compile`](crate::compile), but every statement of an atomic block keeps its own location.
pub fn compile_unmerged(map: &SourceMap, file: FileId) -> Result<ir::Program, Diagnostics> {
    crate::compile_merging(map, file, &[], &[], Merge::Nothing).map(|(program, _)| program)
}
