//! Trails: runs as files, with their actions as values. A trail survives a new order of actions in the model,
//! and people can read and write it.

use std::io::Write;

use quotient_model::{Shape, Violation};
use serde_json::Value;

use crate::json::Json;
use crate::{FORMAT_VERSION, Failure};

/// A recorded run.
pub struct Trail {
    pub model: String,
    /// The sizes of sorts, by their options.
    pub sizes: Vec<(String, u32)>,
    /// The initial state, as a term.
    pub initial: String,
    pub steps: Vec<Recorded>,
    pub violation: Option<Claimed>,
}

/// A step: the term of its action, and how its choices are made.
pub struct Recorded {
    pub action: String,
    pub choice: u32,
}

/// The violation that a run shows.
pub struct Claimed {
    pub kind: String,
    pub message: String,
    /// The property, and the number of steps before those that are repeated for ever.
    pub property: Option<(String, Option<usize>)>,
}

impl Trail {
    pub fn of_violation<S: Shape, A: Shape>(
        model: &str,
        sizes: &[(String, u32)],
        violation: &Violation<S, A>,
    ) -> Self {
        let step = |taken: &quotient_model::Taken<S, A>| Recorded {
            action: taken.action.term().to_string(),
            choice: taken.choice,
        };
        Self {
            model: model.to_owned(),
            sizes: sizes.to_vec(),
            initial: violation.initial.as_ref().map(|state| state.term().to_string()).unwrap_or_default(),
            steps: violation.run.iter().map(step).collect(),
            violation: Some(Claimed {
                kind: violation.kind.to_string(),
                message: violation.message.clone(),
                property: (violation.kind == quotient_model::Kind::Property)
                    .then(|| (violation.place.clone(), violation.cycle)),
            }),
        }
    }

    pub fn json(&self) -> Json {
        let sizes = self.sizes.iter().map(|(option, size)| {
            Json::Object(vec![("option", Json::text(option)), ("size", Json::Count((*size).into()))])
        });
        let step = |Recorded { action, choice }: &Recorded| {
            Json::Object(vec![("action", Json::text(action)), ("choice", Json::Count((*choice).into()))])
        };
        let violation = Json::maybe(self.violation.as_ref(), |Claimed { kind, message, property }| {
            let mut entries = vec![("kind", Json::text(kind)), ("message", Json::text(message))];
            if let Some((name, start)) = property {
                let start = Json::maybe(*start, |start| Json::Count(start as u64));
                let property = vec![("name", Json::text(name)), ("cycle_start", start)];
                entries.push(("property", Json::Object(property)));
            }
            Json::Object(entries)
        });
        Json::Object(vec![
            ("version", Json::Count(FORMAT_VERSION)),
            ("model", Json::text(&self.model)),
            ("language", Json::text("rust")),
            ("sizes", Json::List(sizes.collect())),
            ("violation", violation),
            ("initial", Json::text(&self.initial)),
            ("steps", Json::List(self.steps.iter().map(step).collect())),
        ])
    }

    pub fn read(file: &str) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::new(format!("cannot read `{file}`: {error}")))?;
        // A page of a check has its trail in it.
        Self::parse(page::trail_of(&text).unwrap_or(&text))
            .map_err(|reason| Failure::new(format!("`{file}` is not a trail of a model in Rust: {reason}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if value["language"] != "rust" {
            return Err("it lacks `\"language\": \"rust\"`".to_owned());
        }
        if value["version"] != FORMAT_VERSION {
            return Err(format!(
                "its version is {}, and this program knows {FORMAT_VERSION}",
                value["version"]
            ));
        }
        let text = |value: &Value, key: &str| {
            value[key].as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is not a text"))
        };
        let list = |key: &str| value[key].as_array().ok_or_else(|| format!("`{key}` is not a list"));
        let small = |value: &Value, key: &str| {
            let number = value[key].as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| format!("`{key}` is not a small number"))
        };
        let claimed = |value: &Value| {
            let property = value.get("property").map(|property| {
                text(property, "name").map(|name| {
                    let start = property["cycle_start"].as_u64();
                    (name, start.and_then(|start| usize::try_from(start).ok()))
                })
            });
            Ok::<_, String>(Claimed {
                kind: text(value, "kind")?,
                message: text(value, "message")?,
                property: property.transpose()?,
            })
        };
        Ok(Self {
            model: text(&value, "model")?,
            sizes: list("sizes")?
                .iter()
                .map(|size| Ok((text(size, "option")?, small(size, "size")?)))
                .collect::<Result<_, String>>()?,
            initial: text(&value, "initial")?,
            steps: list("steps")?
                .iter()
                .map(|step| Ok(Recorded { action: text(step, "action")?, choice: small(step, "choice")? }))
                .collect::<Result<_, String>>()?,
            violation: value.get("violation").filter(|value| !value.is_null()).map(claimed).transpose()?,
        })
    }
}

/// Writes a trail to a file, or to `out` if the file is `-`. A file that is no trail is not replaced.
pub fn write(file: &str, trail: &Trail, out: &mut dyn Write) -> Result<(), Failure> {
    let text = format!("{}\n", trail.json());
    if file == "-" {
        return Ok(out.write_all(text.as_bytes())?);
    }
    let is_ours = |old: &str| old.trim().is_empty() || Trail::parse(old).is_ok();
    match std::fs::read_to_string(file) {
        Ok(old) if !is_ours(&old) => {
            return Err(Failure::new(format!(
                "`{file}` exists and is not a trail; name another file by --trail"
            )));
        }
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(Failure::new(format!(
                "cannot replace `{file}`: {error}; name another file by --trail"
            )));
        }
        _ => {}
    }
    std::fs::write(file, text).map_err(|error| Failure::new(format!("cannot write `{file}`: {error}")))
}
