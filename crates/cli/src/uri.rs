//! Paths as URIs (RFC 3986).

use std::fmt::Write as _;
use std::path::{Component, Path};

/// The URI of a file. It is relative to the current folder where the file is named so, or is in that folder.
pub fn uri(file: &str) -> String {
    let here = std::env::current_dir().ok();
    let path = Path::new(file);
    let below = here.as_deref().and_then(|here| path.strip_prefix(here).ok());
    of_path(below.unwrap_or(path))
}

fn of_path(path: &Path) -> String {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Prefix(prefix) => parts.push(encoded(&prefix.as_os_str().to_string_lossy())),
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => parts.push("..".to_owned()),
            Component::Normal(part) => parts.push(encoded(&part.to_string_lossy())),
        }
    }
    let joined = parts.join("/");
    if path.is_absolute() { format!("file:///{joined}") } else { joined }
}

/// A segment of a path: what is not unreserved is written as its bytes in UTF-8.
fn encoded(segment: &str) -> String {
    let mut out = String::new();
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_encoded() {
        assert_eq!(uri("models/a b.bir"), "models/a%20b.bir");
        assert_eq!(uri("./x:y/é%.pml"), "x%3Ay/%C3%A9%25.pml");
        assert_eq!(uri("../up.bir"), "../up.bir");
    }

    #[cfg(unix)]
    #[test]
    fn absolute_paths_have_a_scheme_unless_they_are_here() {
        assert_eq!(uri("/dev/stdin"), "file:///dev/stdin");
        let here = std::env::current_dir().expect("a folder").join("a/b.bir");
        assert_eq!(uri(&here.to_string_lossy()), "a/b.bir");
    }
}
