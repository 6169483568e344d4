//! Trails as files: enough to run a counterexample again, on this version or a later one.

use serde::{Deserialize, Serialize};
use system::Step;

const FORMAT_VERSION: u32 = 1;

/// A recorded run of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TrailFile {
    pub version: u32,
    /// The file name of the model, for people.
    pub model: String,
    /// Of the compiled model: a trail fits the model it was made from.
    pub fingerprint: String,
    pub defines: Vec<(String, String)>,
    pub bounds: TrailBounds,
    /// What the run ends in, if it shows a violation.
    pub violation: Option<TrailViolation>,
    pub steps: Vec<TrailStep>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TrailBounds {
    pub objects: u32,
    pub threads: u32,
    pub frames: u32,
    pub error: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrailViolation {
    pub kind: String,
    pub message: String,
    /// Of a temporal property.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<TrailProperty>,
}

/// The property that a run violates, by going on for ever.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TrailProperty {
    pub name: String,
    /// Of a property that came with the command: its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    pub is_fair: bool,
    /// Of a property about individuals: the how manieth thread of its procedure violates it, from 1, in the order of their starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub individual: Option<u32>,
    /// How many steps come before those that are repeated. There is no such number if the property is violated whatever comes next.
    pub cycle_start: Option<usize>,
    pub is_closed: bool,
}

/// A step: the numbers that replay it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct TrailStep {
    pub thread: u32,
    pub transition: u32,
    pub choice: u32,
}

impl TrailFile {
    pub fn new(
        model: String,
        fingerprint: String,
        defines: Vec<(String, String)>,
        bounds: TrailBounds,
        violation: Option<TrailViolation>,
        steps: &[Step],
    ) -> Self {
        let steps = steps
            .iter()
            .map(|&Step { thread, transition, choice }| TrailStep { thread, transition, choice })
            .collect();
        Self { version: FORMAT_VERSION, model, fingerprint, defines, bounds, violation, steps }
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text).map_err(|error| format!("not a trail: {error}"))?;
        if file.version != FORMAT_VERSION {
            return Err(format!(
                "a trail of version {}, but this program reads version {FORMAT_VERSION}",
                file.version
            ));
        }
        let TrailBounds { objects, threads, frames, error: _ } = file.bounds;
        let sizes = 1..=crate::LARGEST_BOUND;
        if !sizes.contains(&objects) || !sizes.contains(&threads) {
            return Err("a trail with bounds that no check has".to_owned());
        }
        if !(1..=crate::LARGEST_FRAME_BOUND).contains(&frames) {
            return Err("a trail with a bound on frames that no check has".to_owned());
        }
        Ok(file)
    }

    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a trail is plain data") + "\n"
    }

    /// The kind of violation that the run is to show.
    pub fn claimed(&self) -> Option<&str> {
        self.violation.as_ref().map(|violation| violation.kind.as_str())
    }

    pub fn steps(&self) -> impl Iterator<Item = Step> {
        self.steps.iter().map(|&TrailStep { thread, transition, choice }| Step { thread, transition, choice })
    }
}
