//! What an editor can set, in `initializationOptions` or in the section `quotient` of its configuration:
//!
//! ```json
//! { "defines": ["N=3"], "check": { "seconds": 60, "megabytes": 4096, "states": 1000000 } }
//! ```

use std::time::Duration;

use check::config::Limits;
use serde::Deserialize;
use serde_json::Value;

use crate::checks::usual_limits;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Constants and macros, as by `-D`.
    pub defines: Vec<(String, String)>,
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Self { defines: Vec::new(), limits: usual_limits() }
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Given {
    defines: Vec<String>,
    check: GivenLimits,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct GivenLimits {
    seconds: Option<u64>,
    megabytes: Option<u64>,
    states: Option<u64>,
}

impl Settings {
    /// Reads settings, or says what is wrong with them.
    pub fn read(value: &Value) -> Result<Self, String> {
        let value = value.get("quotient").unwrap_or(value);
        if value.is_null() {
            return Ok(Self::default());
        }
        let given =
            Given::deserialize(value).map_err(|error| format!("settings that make no sense: {error}"))?;
        let defines = given.defines.iter().map(|text| {
            let (name, value) = text.split_once('=').unwrap_or((text, "1"));
            (name.trim().to_owned(), value.trim().to_owned())
        });
        let mut limits = usual_limits();
        limits.time = given.check.seconds.map(Duration::from_secs).or(limits.time);
        limits.memory = given.check.megabytes.map(|size| size << 20).or(limits.memory);
        limits.states = given.check.states;
        Ok(Self { defines: defines.collect(), limits })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read() {
        let given =
            json!({ "quotient": { "defines": ["N=3", "FAST"], "check": { "seconds": 5, "megabytes": 1 } } });
        let settings = Settings::read(&given).unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(settings.defines, [pair("N", "3"), pair("FAST", "1")]);
        assert_eq!(settings.limits.time, Some(Duration::from_secs(5)));
        assert_eq!(settings.limits.memory, Some(1 << 20));
        assert!(Settings::read(&Value::Null).unwrap().defines.is_empty());
        assert!(Settings::read(&json!({ "defines": 3 })).is_err());
    }
}
