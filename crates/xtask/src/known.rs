//! The list of differences that are understood and accepted.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::compare::Difference;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    model: String,
    what: String,
    reason: String,
}

#[derive(Default, Debug)]
pub struct KnownDifferences {
    entries: Vec<Known>,
    /// Those that occurred, and the models that were compared at all.
    seen: BTreeSet<usize>,
    compared: BTreeSet<String>,
}

impl KnownDifferences {
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut known = Self::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let parts: Vec<&str> = line.splitn(3, ": ").map(str::trim).collect();
            let [model, what, reason] = parts[..] else { bail!("expected `MODEL: WHAT: REASON`: {line}") };
            let [model, what, reason] = [model, what, reason].map(str::to_owned);
            known.entries.push(Known { model, what, reason });
        }
        Ok(known)
    }

    /// The reasons, if all these differences of a model are known. Records that it was compared.
    pub fn excuse(&mut self, model: &str, differences: &[Difference]) -> Option<String> {
        self.compared.insert(model.to_owned());
        let mut reasons = BTreeSet::new();
        let mut all = !differences.is_empty();
        for difference in differences {
            let found =
                self.entries.iter().position(|known| known.model == model && known.what == difference.what);
            match found {
                Some(index) => {
                    self.seen.insert(index);
                    reasons.insert(self.entries[index].reason.clone());
                }
                None => all = false,
            }
        }
        all.then(|| reasons.into_iter().collect::<Vec<_>>().join("; "))
    }

    /// Entries for models that were compared and did not differ in this way.
    pub fn stale(&self) -> Vec<String> {
        let unused = self.entries.iter().enumerate().filter(|(index, _)| !self.seen.contains(index));
        unused
            .filter(|(_, known)| self.compared.contains(&known.model))
            .map(|(_, known)| format!("{}: {}", known.model, known.what))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(what: &'static str) -> Difference {
        Difference { what, detail: String::new() }
    }

    #[test]
    fn excuses_what_is_listed_only() {
        let mut known = KnownDifferences::parse("# comment\n\na.pml: states: counted: twice\n").unwrap();
        assert_eq!(known.excuse("a.pml", &[difference("states")]).as_deref(), Some("counted: twice"));
        assert_eq!(known.excuse("a.pml", &[difference("states"), difference("kinds")]), None);
        assert_eq!(known.excuse("b.pml", &[difference("states")]), None);
        assert!(known.stale().is_empty());
    }

    #[test]
    fn stale_entries_are_those_of_compared_models() {
        let mut known = KnownDifferences::parse("a.pml: states: x\nb.pml: states: y\n").unwrap();
        assert_eq!(known.excuse("a.pml", &[]), None);
        assert_eq!(known.stale(), ["a.pml: states"]);
    }

    #[test]
    fn malformed_lines_are_errors() {
        assert!(KnownDifferences::parse("a.pml states\n").is_err());
    }
}
