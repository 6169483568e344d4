//! Several models in one call: the summary at the end of the object that `--format json` prints for them.

use serde::Serialize;
use system::FaultKind;

use crate::report::{Place, Verdict, as_text};

/// What came of all models of a call.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Summary {
    /// The exit code of the call: the worst of those of its models.
    pub exit_code: u8,
    /// Whether an interrupt ended the call: then some models may not have been checked.
    pub interrupted: bool,
    pub counts: Counts,
    /// One entry for each model, in the order of the command line.
    pub models: Vec<ModelSummary>,
}

/// How many models came out how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    pub holds: u64,
    pub holds_up_to_bounds: u64,
    pub violated: u64,
    pub no_error_found: u64,
    pub inconclusive: u64,
    /// Models without a verdict: they have errors, do not fit the options, or met an internal error.
    pub error: u64,
    /// Models that were not looked at, because of an interrupt.
    pub not_checked: u64,
}

/// What came of one model of several.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelSummary {
    /// The model, as it was named.
    pub model: String,
    pub verdict: Option<Verdict>,
    /// The exit code of a call with this model alone. A model that was not checked has none.
    pub exit_code: Option<u8>,
    pub states: Option<u64>,
    pub seconds: Option<f64>,
    pub violation: Option<FirstViolation>,
    /// The first error, if there is no verdict because of one.
    pub error: Option<String>,
    /// The file with the trail of the violation.
    pub trail: Option<String>,
}

/// The first violation of a model, without its trace.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstViolation {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::fault_kind"))]
    pub kind: FaultKind,
    pub message: String,
    pub property: Option<String>,
    pub location: Option<Place>,
}

impl Counts {
    /// Counts a model that has a verdict.
    pub fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Holds => &mut self.holds,
            Verdict::HoldsUpToBounds => &mut self.holds_up_to_bounds,
            Verdict::Violated => &mut self.violated,
            Verdict::NoErrorFound => &mut self.no_error_found,
            Verdict::Inconclusive => &mut self.inconclusive,
        } += 1;
    }
}
