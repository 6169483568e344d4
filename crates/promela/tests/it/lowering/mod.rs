//! Compiling models in tests.

mod diagnostics;
mod dynamic;
mod spin;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quotient_promela::Compiled;
use source::{Diagnostics, Provider, SourceMap, Style};

/// The file system.
struct Files;

impl Provider for Files {
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

/// Compiles a text without errors.
pub fn program(text: &str) -> ir::Program {
    match compile(text) {
        (Ok(program), _) => program,
        (Err(()), rendered) => panic!("{rendered}"),
    }
}

/// The program, and the diagnostics as they are shown.
pub fn compile(text: &str) -> (Result<ir::Program, ()>, String) {
    let mut map = SourceMap::new();
    let file = map.add("model.pml", text).expect("a small file");
    let result = quotient_promela::compile(&mut map, &BTreeMap::new(), file, &[]);
    finish(result, &map)
}

pub fn compile_file(path: &Path) -> (Result<ir::Program, ()>, String) {
    let (result, map) = load(path);
    finish(result, &map)
}

/// The program with its statements merged.
pub fn compile_merged(path: &Path) -> Option<ir::Program> {
    let Compiled { program, chains, .. } = load(path).0.ok()?;
    Some(quotient_promela::merge(&program, &chains))
}

fn load(path: &Path) -> (Result<Compiled, Diagnostics>, SourceMap) {
    let mut map = SourceMap::new();
    let file = map.load(&Files, path.to_str().expect("a path in UTF-8")).expect("the file exists");
    (quotient_promela::compile(&mut map, &Files, file, &[]), map)
}

fn finish(result: Result<Compiled, Diagnostics>, map: &SourceMap) -> (Result<ir::Program, ()>, String) {
    match result {
        Ok(Compiled { program, warnings, .. }) => (Ok(program), warnings.render(map, Style::Plain)),
        Err(diagnostics) => (Err(()), diagnostics.render(map, Style::Plain)),
    }
}

/// The project's models and SPIN's examples, where they are installed.
pub fn models() -> Vec<PathBuf> {
    let own = testing::models().join("promela");
    let mut found = Vec::new();
    for root in [own.as_path(), Path::new("/usr/share/doc/spin/examples")] {
        collect(root, &mut found);
    }
    found.sort();
    found
}

fn collect(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "pml") {
            found.push(path);
        }
    }
}
