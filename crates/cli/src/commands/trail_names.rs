//! The names of trails that are not named on the command line.
//!
//! A trail is called after its model, without the folder. Where two models of a call would get one name, each
//! of their trails is called after the whole path of its model, with folders joined by `_` and with the
//! ending of the file: `a/m.bir` and `b/m.bir` have `a_m.bir.trail.json` and `b_m.bir.trail.json`. If that is
//! not enough, numbers make the difference. Names that differ only in upper and lower case count as the same:
//! some file systems make no difference between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use crate::args::TrailFormat;

/// The names of the trails of all models of a call.
pub fn trail_names(models: &[impl AsRef<Path>], format: TrailFormat) -> Vec<String> {
    let plain: Vec<String> = models.iter().map(|model| plain_name(model.as_ref(), format)).collect();
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for name in &plain {
        *uses.entry(name.to_lowercase()).or_default() += 1;
    }
    let is_shared = |name: &str| uses[&name.to_lowercase()] > 1;
    let mut taken: BTreeSet<String> = uses.keys().cloned().collect();
    let names = models.iter().zip(plain).map(|(model, name)| {
        if !is_shared(&name) {
            return name;
        }
        let stem = whole_path(model.as_ref());
        let candidates = (1..).map(|number: u64| match number {
            1 => format!("{stem}.{}", ending(format)),
            number => format!("{stem}.{number}.{}", ending(format)),
        });
        let mut free = candidates.filter(|name| taken.insert(name.to_lowercase()));
        free.next().expect("there is always another number")
    });
    names.collect()
}

const fn ending(format: TrailFormat) -> &'static str {
    match format {
        TrailFormat::Json => "trail.json",
        TrailFormat::Spin => "trail",
        TrailFormat::Itf => "itf.json",
    }
}

/// The name for a model alone. SPIN looks for a trail under the whole name of the model.
fn plain_name(model: &Path, format: TrailFormat) -> String {
    let name = match format {
        TrailFormat::Json | TrailFormat::Itf => model.file_stem(),
        TrailFormat::Spin => model.file_name(),
    };
    format!("{}.{}", name.unwrap_or_default().to_string_lossy(), ending(format))
}

/// The path of a model as the name of a file.
fn whole_path(model: &Path) -> String {
    let parts = model.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(models: &[&str], expect: &[&str]) {
        let names = trail_names(models, TrailFormat::Json);
        assert_eq!(names, expect);
        let distinct: BTreeSet<String> = names.iter().map(|name| name.to_lowercase()).collect();
        assert_eq!(distinct.len(), names.len());
    }

    #[test]
    fn names_are_those_of_single_models_unless_they_meet() {
        check(&["models/a.bir"], &["a.trail.json"]);
        check(&["models/a.bir", "b.pml"], &["a.trail.json", "b.trail.json"]);
        check(
            &["x/a.bir", "y/a.bir", "b.pml"],
            &["x_a.bir.trail.json", "y_a.bir.trail.json", "b.trail.json"],
        );
        check(&["a.bir", "a.pml"], &["a.bir.trail.json", "a.pml.trail.json"]);
        check(&["A.bir", "x/a.bir"], &["A.bir.trail.json", "x_a.bir.trail.json"]);
    }

    #[test]
    fn numbers_where_paths_meet_as_well() {
        check(
            &["a/b.bir", "a_b.bir", "b.bir"],
            &["a_b.bir.trail.json", "a_b.trail.json", "b.bir.trail.json"],
        );
        check(&["../a.bir", "a.bir"], &["a.bir.trail.json", "a.bir.2.trail.json"]);
        // A name that another model has anyway.
        check(
            &["a.bir", "a.pml", "a.bir.x"],
            &["a.bir.2.trail.json", "a.pml.trail.json", "a.bir.trail.json"],
        );
    }

    #[test]
    fn names_for_spin() {
        assert_eq!(trail_names(&["x/a.pml", "b.pml"], TrailFormat::Spin), ["a.pml.trail", "b.pml.trail"]);
        assert_eq!(
            trail_names(&["x/a.pml", "y/a.pml"], TrailFormat::Spin),
            ["x_a.pml.trail", "y_a.pml.trail"]
        );
    }
}
