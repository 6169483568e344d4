//! The models of the repository, for every suite that runs over all of them.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).expect("crates are two levels below the root").to_owned()
}

/// The folder with the bundled models.
pub fn models() -> PathBuf {
    root().join("models")
}

/// A model file, with its name in tests: its path below `folder`.
#[derive(Clone, Debug)]
pub struct ModelFile {
    pub name: String,
    pub text: String,
}

/// All files below a folder with this ending, in the order of their names.
pub fn files_below(folder: &Path, ending: &str) -> Vec<ModelFile> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let entries = fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display()));
        for entry in entries {
            let path = entry.expect("an entry of a folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                let name = path.strip_prefix(folder).expect("it is below").to_string_lossy().into_owned();
                let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
                found.push(ModelFile { name, text });
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
