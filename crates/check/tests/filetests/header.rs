//! What the leading comment of a model expects.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use quotient_check::config::{Bounds, Config, Minimise};
use quotient_check::report::Verdict;

/// The expectations of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    pub options: Options,
    pub expected: Expected,
    /// Without symmetry.
    pub states: u64,
    /// With all symmetry, where the header says so.
    pub orbits: Option<u64>,
    /// Whether each check takes long, so that there are not to be many.
    pub is_slow: bool,
}

/// A verdict, and the kinds of all violations there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub verdict: &'static str,
    pub kinds: BTreeSet<String>,
}

/// The options of the command line that models need.
#[derive(Clone, Default, Debug)]
pub struct Options {
    pub defines: Vec<(String, String)>,
    pub bounds: Bounds,
}

impl PartialEq for Options {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Eq for Options {}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verdict)?;
        for (index, kind) in self.kinds.iter().enumerate() {
            write!(f, "{} {kind}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl FromStr for Expected {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        for verdict in [Verdict::Holds, Verdict::HoldsUpToBounds] {
            if text == verdict.as_str() {
                return Ok(Self { verdict: verdict.as_str(), kinds: BTreeSet::new() });
            }
        }
        let kinds = text.strip_prefix("violated ").ok_or_else(|| {
            format!("the verdict is `holds`, `holds up to bounds` or `violated KIND`, not `{text}`")
        })?;
        let kinds = kinds.split(',').map(|kind| kind.trim().to_owned()).collect();
        Ok(Self { verdict: Verdict::Violated.as_str(), kinds })
    }
}

impl Header {
    pub fn parse(text: &str) -> Result<Self, String> {
        let count = |key| {
            let number = |text: &str| text.parse().map_err(|_| format!("no number of {key}: `{text}`"));
            value(text, key)?.map(number).transpose()
        };
        Ok(Self {
            options: value(text, "options")?.unwrap_or_default().parse()?,
            expected: value(text, "verdict")?.ok_or("there is no line `// verdict: …`")?.parse()?,
            states: count("states")?.ok_or("there is no line `// states: N` (BLESS=1 corrects N)")?,
            orbits: count("orbits")?,
            is_slow: match value(text, "cells")? {
                None => false,
                Some("few") => true,
                Some(other) => return Err(format!("`// cells: few`, or no such line, not `{other}`")),
            },
        })
    }
}

/// The lines of the leading comment.
pub fn leading_comment(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| line.starts_with("//"))
}

/// What stands behind `// key:`, if there is such a line.
pub fn value<'t>(text: &'t str, key: &str) -> Result<Option<&'t str>, String> {
    let start = format!("// {key}:");
    let mut found = leading_comment(text).filter_map(|line| line.strip_prefix(start.as_str()));
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(format!("two lines `{start}`")),
        (first, _) => Ok(first.map(str::trim)),
    }
}

impl FromStr for Options {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            let mut operand = || words.next().ok_or_else(|| format!("`{word}` needs a value"));
            let sizes = &mut options.bounds.sizes;
            match word {
                "-D" => {
                    let define = operand()?;
                    let (name, value) =
                        define.split_once('=').ok_or_else(|| format!("`{define}` is not NAME=VALUE"))?;
                    options.defines.push((name.to_owned(), value.to_owned()));
                }
                "--on-bound" => options.bounds.on_bound = operand()?.parse()?,
                "--max-objects" => sizes.objects = number(operand()?)?,
                "--max-threads" => sizes.threads = number(operand()?)?,
                "--max-frames" => sizes.frames = number(operand()?)?,
                _ => return Err(format!("the option `{word}` is not known here")),
            }
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

impl Options {
    /// A configuration with these options and otherwise the defaults, without reductions and for safety: the
    /// brute force knows nothing else.
    pub fn config(&self) -> Config {
        // What minimisation does is tested by itself.
        let minimise = Minimise::Off;
        Config { bounds: self.bounds, safety: true, minimise, ..Config::unreduced() }
    }
}

pub mod tests {
    use quotient_check::config::OnBound;

    use super::*;

    pub fn all() {
        options();
        verdicts();
        headers();
    }

    fn options() {
        let text = "-D N=3 -D P.M=x=y --on-bound error --max-objects 4 --max-threads 5 --max-frames 6";
        let Options { defines, bounds } = text.parse().unwrap();
        let define = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(defines, [define("N", "3"), define("P.M", "x=y")]);
        assert_eq!(bounds.on_bound, OnBound::Error);
        assert_eq!((bounds.sizes.objects, bounds.sizes.threads, bounds.sizes.frames), (4, 5, 6));
        for wrong in ["--store naive", "-D", "-D N", "--max-objects", "--max-frames x", "--on-bound no", "4"]
        {
            assert!(wrong.parse::<Options>().is_err(), "{wrong}");
        }
    }

    fn verdicts() {
        for text in ["holds", "holds up to bounds", "violated deadlock", "violated assertion, index"] {
            assert_eq!(text.parse::<Expected>().unwrap().to_string(), text);
        }
        assert_eq!("violated index".parse::<Expected>().unwrap().kinds, BTreeSet::from(["index".to_owned()]));
        for wrong in ["hold", "violated", "Holds", ""] {
            assert!(wrong.parse::<Expected>().is_err(), "{wrong}");
        }
    }

    fn headers() {
        let header = Header::parse("// About.\n//\n// verdict: holds\n// states: 7\nsystem S {}\n").unwrap();
        assert_eq!((header.states, header.orbits), (7, None));
        let header = Header::parse("// verdict: holds\n// states: 7\n// orbits: 3\nsystem S {}\n").unwrap();
        assert_eq!((header.states, header.orbits), (7, Some(3)));
        assert_eq!(header.expected.to_string(), "holds");
        assert_eq!(header.options, Options::default());
        for wrong in [
            "// verdict: holds\nsystem S {}\n// states: 7\n",
            "// states: 7\nsystem S {}\n",
            "// verdict: holds\n// states: 7\n// states: 8\n",
            "// verdict: holds\n// states: many\n",
            "// verdict: holds\n// states: 7\n// orbits: few\n",
            "// verdict: holds\n// states: 7\n// cells: many\n",
            "// verdict: holds\n// states: 7\n// options: --fast\n",
        ] {
            assert!(Header::parse(wrong).is_err(), "{wrong}");
        }
    }
}
