//! JSON schemas of what programs read: reports and trails.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use system::{Bound, FaultKind};

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

/// A report, or what is printed instead of one.
#[derive(JsonSchema, serde::Serialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is of interest")]
enum Printed<'a> {
    Report(Box<Report>),
    Failed(Failed<'a>),
}

/// The kinds of violations, by their names.
pub(crate) fn fault_kind(_: &mut SchemaGenerator) -> Schema {
    let kinds = [
        FaultKind::Assertion,
        FaultKind::Invariant,
        FaultKind::Deadlock,
        FaultKind::NullDereference,
        FaultKind::BadCast,
        FaultKind::Index,
        FaultKind::Range,
        FaultKind::DivisionByZero,
        FaultKind::Unlock,
        FaultKind::Wait,
        FaultKind::Notify,
        FaultKind::UncaughtException,
        FaultKind::Empty,
        FaultKind::MissingKey,
        FaultKind::Overflow,
        FaultKind::Channel,
        FaultKind::ExclusiveChannel,
        FaultKind::InnerBlock,
        FaultKind::Monitor,
        FaultKind::AcceptanceCycle,
        FaultKind::Bound(Bound::Threads),
        FaultKind::Bound(Bound::Frames),
        FaultKind::Bound(Bound::Objects),
    ];
    json_schema!({ "type": "string", "enum": kinds.map(FaultKind::as_str) })
}
