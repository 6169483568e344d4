//! Trails as files: enough to run a counterexample again, on this version or a later one.

use std::fmt;
use std::io::Read;

use serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use system::Step;

use crate::config::{Bounds, Fairness, Sizes};
use crate::memory::MemoryOptions;

const FORMAT_VERSION: u32 = 1;

/// A recorded run of a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrailFile {
    pub version: u32,
    /// The file name of the model, for people.
    pub model: String,
    /// The fingerprint of the compiled model: a trail fits the model it was made from.
    pub fingerprint: String,
    pub defines: Vec<(String, String)>,
    /// How the memory of the model was asked to be.
    #[serde(default, skip_serializing_if = "MemoryOptions::is_default")]
    pub memory: MemoryOptions,
    pub bounds: Bounds,
    /// What the run ends in, if it shows a violation.
    pub violation: Option<TrailViolation>,
    #[serde(deserialize_with = "read_steps")]
    pub steps: Vec<TrailStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrailViolation {
    pub kind: String,
    pub message: String,
    /// The temporal property that the violation is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<TrailProperty>,
}

/// The property that a run violates by going on for ever, or that cannot be evaluated where it ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrailProperty {
    pub name: String,
    /// The text of a property that came with the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Only fair runs count. Of which kind of fairness, `fairness` says; if it does not, it is weak fairness.
    pub is_fair: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// For a `forall` property: the violating thread, counted from 1 in the order of starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub individual: Option<u32>,
    /// The number of steps before those that are repeated. There is none if the property is violated whatever
    /// comes next.
    pub cycle_start: Option<usize>,
    pub is_closed: bool,
    /// The violation is a fault: in the last state, a proposition of the property cannot be evaluated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_unevaluated: bool,
}

impl TrailProperty {
    /// Which runs count.
    pub fn fairness(&self) -> Fairness {
        let usual = if self.is_fair { Fairness::Weak } else { Fairness::None };
        self.fairness.unwrap_or(usual)
    }
}

/// A step: the numbers that replay it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrailStep {
    pub thread: u32,
    pub transition: u32,
    pub choice: u32,
}

impl TrailStep {
    /// The text of a step in a trail.
    pub fn json(self, is_first: bool) -> String {
        let Self { thread, transition, choice } = self;
        let comma = if is_first { "" } else { "," };
        format!(
            "{comma}\n    {{\n      \"thread\": {thread},\n      \"transition\": {transition},\n      \"choice\": {choice}\n    }}"
        )
    }
}

impl From<Step> for TrailStep {
    fn from(Step { thread, transition, choice }: Step) -> Self {
        Self { thread, transition, choice }
    }
}

/// What a trail begins with.
#[derive(Serialize)]
struct Head<'a> {
    version: u32,
    model: &'a str,
    fingerprint: &'a str,
    defines: &'a [(String, String)],
    #[serde(skip_serializing_if = "MemoryOptions::is_default")]
    memory: MemoryOptions,
    bounds: Bounds,
}

/// Reads steps as long as there is memory for them.
fn read_steps<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<TrailStep>, D::Error> {
    struct Steps;

    impl<'de> Visitor<'de> for Steps {
        type Value = Vec<TrailStep>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of steps")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
            let mut steps = Vec::new();
            while let Some(step) = from.next_element()? {
                if steps.len() == steps.capacity() {
                    let more = steps.len().max(1 << 10);
                    steps
                        .try_reserve(more)
                        .map_err(|_| A::Error::custom("there is not enough memory for its steps"))?;
                }
                steps.push(step);
            }
            Ok(steps)
        }
    }

    from.deserialize_seq(Steps)
}

impl TrailFile {
    pub fn new(
        model: String,
        fingerprint: String,
        defines: Vec<(String, String)>,
        memory: MemoryOptions,
        bounds: Bounds,
        violation: Option<TrailViolation>,
        steps: &[Step],
    ) -> Self {
        let steps = steps.iter().map(|&step| step.into()).collect();
        Self { version: FORMAT_VERSION, model, fingerprint, defines, memory, bounds, violation, steps }
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        Self::read(text.as_bytes())
    }

    /// Reads a trail without keeping its text.
    pub fn read(from: impl Read) -> Result<Self, String> {
        let file: Self = serde_json::from_reader(from).map_err(|error| format!("not a trail: {error}"))?;
        if file.version != FORMAT_VERSION {
            return Err(format!(
                "a trail of version {}, but this program reads version {FORMAT_VERSION}",
                file.version
            ));
        }
        let Sizes { objects, threads, frames } = file.bounds.sizes;
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

    /// The text of a trail up to its first step, for a run of which the end is not known yet. Each step is
    /// [`TrailStep::json`] then, and [`TrailFile::json_end`] comes last. The steps of this trail are left
    /// out.
    pub fn json_start(&self) -> String {
        let Self { version, model, fingerprint, defines, memory, bounds, violation: _, steps: _ } = self;
        let (version, memory, bounds) = (*version, *memory, *bounds);
        let head = Head { version, model, fingerprint, defines, memory, bounds };
        let text = serde_json::to_string_pretty(&head).expect("a trail is plain data");
        let open = text.strip_suffix("\n}").unwrap_or(&text);
        format!("{open},\n  \"steps\": [")
    }

    /// The text of a trail after its last step.
    pub fn json_end(violation: Option<&TrailViolation>) -> String {
        let violation = serde_json::to_string_pretty(&violation).expect("a trail is plain data");
        format!("\n  ],\n  \"violation\": {}\n}}\n", violation.replace('\n', "\n  "))
    }

    /// The kind of violation that the run is to show.
    pub fn claimed(&self) -> Option<&str> {
        self.violation.as_ref().map(|violation| violation.kind.as_str())
    }

    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step> + Clone {
        self.steps.iter().map(|&TrailStep { thread, transition, choice }| Step { thread, transition, choice })
    }
}
