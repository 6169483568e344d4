//! JSON schemas of what programs read: reports and trails.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use system::FaultKind;

use crate::batch::Summary;
use crate::report::{Failed, Report};
use crate::trail::TrailFile;

/// The schema of the object that `quotient check --format json` prints.
pub fn report() -> Schema {
    schema::<Printed<'_>>("What `quotient check --format json` prints")
}

/// The schema of trails.
pub fn trail() -> Schema {
    schema::<TrailFile>("A trail of `quotient`")
}

fn schema<T: JsonSchema>(title: &str) -> Schema {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema
}

/// What is printed of one model, or of several.
#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is of interest")]
enum Printed<'a> {
    One(OfModel<'a>),
    Several(Batch<'a>),
}

/// A report, or what is printed instead of one.
#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is of interest")]
enum OfModel<'a> {
    Report(Box<Report>),
    Failed(Failed<'a>),
}

/// What is printed of several models.
#[derive(JsonSchema, serde::Serialize)]
struct Batch<'a> {
    version: u32,
    tool: &'static str,
    /// One element for each model that was checked, as it is printed for a model alone.
    reports: Vec<OfModel<'a>>,
    summary: Summary,
}

/// The kinds of violations, by their names.
pub(crate) fn fault_kind(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": FaultKind::ALL.map(FaultKind::as_str) })
}
