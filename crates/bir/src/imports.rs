//! The files that a model imports.
//!
//! `import "locks.bir";` at the start of a file makes the declarations of another file part of the model. The
//! name is relative to the file that imports. A file is imported once, however often it is named, so files
//! may import each other.
//!
//! Files are read before anything is compiled, in an order in which a file comes after those that it imports:
//! constants refer to earlier ones only.

use source::{Diagnostic, Diagnostics, FileId, Origin, Provider, SourceMap, Span, plain};

use crate::codes;
use crate::parser;
use crate::text::clip;

/// The largest number of imported files.
const MAX_FILES: usize = 1000;

/// A file whose imports are being read.
struct Open {
    file: FileId,
    imports: std::vec::IntoIter<(String, Span)>,
}

/// Reads all files that a file imports, directly or through others. A file comes after those that it imports,
/// except where they import each other.
pub fn load(map: &mut SourceMap, provider: &dyn Provider, file: FileId) -> Result<Vec<FileId>, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let loaded = load_all(map, provider, file, &mut diagnostics);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(loaded) }
}

/// The files that can be read; [`load`] needs all of them.
pub fn load_all(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    diagnostics: &mut Diagnostics,
) -> Vec<FileId> {
    let mut loaded = Vec::new();
    let mut known = vec![plain(map.file(file).name())];
    let open = |map: &SourceMap, file, diagnostics: &mut Diagnostics| Open {
        file,
        imports: parser::imports(map, file, diagnostics).into_iter(),
    };
    let mut stack = vec![open(map, file, diagnostics)];
    while let Some(top) = stack.last_mut() {
        let Some((name, span)) = top.imports.next() else {
            loaded.push(top.file);
            stack.pop();
            continue;
        };
        let path = relative(map.file(top.file).name(), &name);
        let key = plain(&path);
        if known.contains(&key) {
            continue;
        }
        known.push(key);
        if known.len() > MAX_FILES {
            let message = format!("too many files are imported, the last one `{}`", clip(&path));
            diagnostics.push(
                Diagnostic::error(codes::BAD_IMPORT, message)
                    .at(span, "the limit is reached here")
                    .note(format!("the limit is {MAX_FILES}")),
            );
            break;
        }
        match read(map, provider, &path, span) {
            Ok(file) => stack.push(open(map, file, diagnostics)),
            Err(problem) => diagnostics.push(*problem),
        }
    }
    // The model itself.
    loaded.retain(|&other| other != file);
    loaded
}

fn read(
    map: &mut SourceMap,
    provider: &dyn Provider,
    path: &str,
    span: Span,
) -> Result<FileId, Box<Diagnostic>> {
    let shown = clip(path);
    let bad = |message: String| Diagnostic::error(codes::BAD_IMPORT, message).at(span, "imported here");
    let bytes = provider
        .include(path)
        .map_err(|error| Box::new(bad(format!("cannot import `{shown}`: {error}")).help(RELATIVE)))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Box::new(bad(format!("cannot import `{shown}`: it is not UTF-8 text"))))?;
    let origin = Origin::Included { by: span };
    map.add_derived(path, text, origin).map_err(|_| Box::new(bad(format!("`{shown}` is larger than 4 GiB"))))
}

const RELATIVE: &str = "the name is relative to the folder of the file that imports";

/// The path of a file that `from` names.
fn relative(from: &str, name: &str) -> String {
    match from.rfind('/') {
        Some(end) if !name.starts_with('/') => format!("{}/{name}", &from[..end]),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_file() {
        assert_eq!(relative("a/b.bir", "c.bir"), "a/c.bir");
        assert_eq!(relative("b.bir", "c/d.bir"), "c/d.bir");
        assert_eq!(relative("/x/b.bir", "/c.bir"), "/c.bir");
    }

    #[test]
    fn one_file_has_one_plain_path() {
        for path in ["a/b.bir", "./a/b.bir", "a/./b.bir", "a/c/../b.bir", "a//b.bir"] {
            assert_eq!(plain(path), "a/b.bir", "{path}");
        }
        assert_eq!(plain("../a.bir"), "../a.bir");
        assert_eq!(plain("/../a.bir"), "/../a.bir");
    }
}
