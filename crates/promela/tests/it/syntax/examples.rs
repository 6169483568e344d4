//! The examples that come with SPIN, where they are installed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use source::{Diagnostics, Provider, SourceMap, Style};

const EXAMPLES: &str = "/usr/share/doc/spin/examples/Examples";

struct Disk;

impl Provider for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}

#[test]
fn all_but_those_with_embedded_c_are_parsed() {
    let mut found = Vec::new();
    models(Path::new(EXAMPLES), &mut found);
    found.sort();
    let mut refused = Vec::new();
    for path in found {
        let mut map = SourceMap::new();
        let Ok(file) = map.load(&Disk, &path.to_string_lossy()) else { continue };
        let mut diagnostics = Diagnostics::new();
        let model = quotient_promela::parse(&mut map, &Disk, file, &[], &mut diagnostics);
        let text = map.file(file).text();
        let embedded = ["c_code", "c_expr", "c_decl", "c_state", "c_track"];
        let codes: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        if embedded.iter().any(|word| text.contains(word)) {
            assert!(codes.contains(&"E1203"), "{}", path.display());
        } else if text.contains("!R& X") {
            // A formula with `&` instead of `&&`, which SPIN misreads.
            assert_eq!(codes, ["E1210"], "{}", path.display());
        } else if text.contains("STDIN") {
            assert_eq!(codes, ["E1204"], "{}", path.display());
        } else if model.is_none() {
            refused.push(format!("{}\n{}", path.display(), diagnostics.render(&map, Style::Plain)));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
