//! What is public is shown in use: each type, trait, function and macro has an example of its own, and each function of
//! a type occurs in some example.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the sources can be read");
    let paths = entries.map(|entry| entry.expect("an entry can be read").path());
    let mut all: Vec<PathBuf> = paths
        .flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .collect();
    all.sort();
    all
}

/// The names that are exported by `pub use`, except for hidden ones.
fn exported(text: &str, names: &mut BTreeSet<String>) {
    let mut is_hidden = false;
    for statement in text.split_inclusive(';') {
        is_hidden |= statement.contains("#[doc(hidden)]");
        if let Some((_, list)) = statement.split_once("pub use ").filter(|_| !is_hidden) {
            let words = list.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        is_hidden = false;
    }
}

/// The name of an item that a line declares.
fn item(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").filter(|rest| rest.starts_with("fn ")).unwrap_or(rest);
    let (word, rest) = rest.split_once(' ')?;
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    matches!(word, "fn" | "struct" | "enum" | "trait" | "type").then_some(name)
}

/// The type that an `impl` block is for.
fn implemented(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("impl")?.trim_end_matches(['{', ' ']);
    let rest = if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.find(|letter| {
            depth += match letter {
                '<' => 1,
                '>' => -1,
                _ => 0,
            };
            depth == 0
        })?;
        &rest[end + 1..]
    } else {
        rest
    };
    if rest.contains(" for ") {
        return None;
    }
    rest.trim().split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

#[derive(Default)]
struct Found {
    items: usize,
    functions: usize,
    missing: Vec<String>,
}

fn look(name: &str, found: &mut Found) {
    let folder = testing::root().join("crates").join(name).join("src");
    let texts: Vec<(PathBuf, String)> = sources(&folder)
        .into_iter()
        .map(|path| (path.clone(), fs::read_to_string(path).expect("a source can be read")))
        .collect();
    let mut names = BTreeSet::new();
    for (path, text) in &texts {
        let file = path.file_name().unwrap_or_default();
        if file == "lib.rs" || file == "mod.rs" {
            exported(text, &mut names);
        }
    }
    // Modules that are public export what is in them.
    let lib = fs::read_to_string(folder.join("lib.rs")).expect("a library has a root");
    let open: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let (mut functions, mut examples) = (Vec::new(), String::new());
    for (path, text) in &texts {
        let is_open = path == &folder.join("lib.rs")
            || open.iter().any(|module| {
                path == &folder.join(format!("{module}.rs")) || path == &folder.join(module).join("mod.rs")
            });
        let (mut docs, mut is_hidden, mut is_attribute, mut of) = (String::new(), false, false, None);
        for line in text.lines() {
            let (code, is_inner) = (line.trim_start(), line.starts_with("    "));
            if let Some(doc) = code.strip_prefix("///").or(code.strip_prefix("//!")) {
                docs.push_str(doc);
                docs.push('\n');
                continue;
            }
            if !docs.is_empty() {
                for example in docs.split("```").skip(1).step_by(2) {
                    examples.push_str(example);
                }
            }
            // Attributes may have several lines.
            if code.starts_with("#[") || is_attribute {
                is_hidden |= code.contains("doc(hidden)");
                is_attribute = !code.ends_with(']');
                continue;
            }
            if let Some(item) = item(code).filter(|_| !is_hidden) {
                if !is_inner && (is_open || names.contains(item)) {
                    found.items += 1;
                    if !docs.contains("```") {
                        found.missing.push(format!("{name}: {item} has no example"));
                    }
                } else if is_inner && of.is_some_and(|of| is_open || names.contains(of)) && !docs.is_empty() {
                    functions.push((path.clone(), item.to_owned()));
                }
            }
            if !is_inner && let Some(of_block) = implemented(line) {
                of = (!is_hidden).then_some(of_block);
            }
            docs.clear();
            is_hidden = false;
        }
    }
    for (path, function) in functions {
        found.functions += 1;
        let is_used = examples.match_indices(&function).any(|(at, _)| {
            let before = examples[..at].chars().next_back();
            let after = examples[at + function.len()..].chars().next();
            before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
                && after.is_some_and(|letter| letter == '(' || letter == ':')
        });
        if !is_used {
            found.missing.push(format!("{name}: {function} of {} is in no example", path.display()));
        }
    }
}

#[test]
fn everything_public_is_in_an_example() {
    let mut found = Found::default();
    for name in ["model", "actors", "command", "macros"] {
        look(name, &mut found);
    }
    assert!(found.missing.is_empty(), "{:#?}", found.missing);
    assert!(found.items > 80 && found.functions > 150, "{} and {}", found.items, found.functions);
}
