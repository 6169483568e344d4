//! JSON as it is printed: keys in the order in which they are written, two columns for each level.

use std::fmt;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Count(u64),
    Real(f64),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(&'static str, Self)>),
    /// JSON that was written by somebody else.
    Raw(String),
}

impl Json {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn texts<T: ToString>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::Text(text.to_string())).collect())
    }

    /// A value, or null.
    pub fn maybe<T>(value: Option<T>, of: impl FnOnce(T) -> Self) -> Self {
        value.map_or(Self::Null, of)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        let indent = |f: &mut fmt::Formatter<'_>, depth: usize| write!(f, "\n{:1$}", "", 2 * depth);
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Count(value) => write!(f, "{value}"),
            Self::Real(value) if value.is_finite() => write!(f, "{value:?}"),
            Self::Null | Self::Real(_) => f.write_str("null"),
            Self::Text(text) => quoted(text, f),
            Self::Raw(text) => f.write_str(text),
            Self::List(values) if values.is_empty() => f.write_str("[]"),
            Self::Object(entries) if entries.is_empty() => f.write_str("{}"),
            Self::List(values) => {
                for (number, value) in values.iter().enumerate() {
                    f.write_str(if number == 0 { "[" } else { "," })?;
                    indent(f, depth + 1)?;
                    value.write(f, depth + 1)?;
                }
                indent(f, depth)?;
                f.write_str("]")
            }
            Self::Object(entries) => {
                for (number, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if number == 0 { "{" } else { "," })?;
                    indent(f, depth + 1)?;
                    quoted(key, f)?;
                    f.write_str(": ")?;
                    value.write(f, depth + 1)?;
                }
                indent(f, depth)?;
                f.write_str("}")
            }
        }
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for letter in text.chars() {
        match letter {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\u{0}'..'\u{20}' | '\u{7f}' => write!(f, "\\u{:04x}", u32::from(letter))?,
            _ => write!(f, "{letter}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let text = "a \"quoted\" \\ line\nwith \u{1} and ä";
        let value = Json::Object(vec![
            ("text", Json::text(text)),
            ("list", Json::List(vec![Json::Null, Json::Bool(true), Json::Count(7), Json::Real(0.5)])),
            ("nothing", Json::List(Vec::new())),
            ("inner", Json::Object(vec![("raw", Json::Raw("[1]".to_owned()))])),
            ("infinite", Json::Real(f64::INFINITY)),
        ]);
        let read: serde_json::Value = serde_json::from_str(&value.to_string()).expect("it is JSON");
        let wanted = serde_json::json!({
            "text": text, "list": [null, true, 7, 0.5], "nothing": [], "inner": { "raw": [1] }, "infinite": null,
        });
        assert_eq!(read, wanted);
    }
}
