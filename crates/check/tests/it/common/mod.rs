//! What suites have in common that run over models.

pub mod oracle;
pub mod properties;
pub mod walk;

use std::collections::BTreeMap;

use quotient_check::{Model, Rejected};

/// Compiles bytes as a model of this name.
pub fn load(name: &str, bytes: &[u8], defines: &[(String, String)]) -> Result<Model, Rejected> {
    let files = BTreeMap::from([(name.to_owned(), bytes.to_vec())]);
    Model::load(&files, name, defines)
}
