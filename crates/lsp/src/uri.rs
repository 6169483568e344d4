//! Names of documents: URIs for the editor, paths for the front ends.
//!
//! A document that is no file, such as a new one without a name, is known by its URI everywhere.

use std::fmt::Write as _;
use std::str::FromStr as _;

use lsp_types::Uri;

const FILE: &str = "file://";

/// The path of a document.
pub fn path_of(uri: &Uri) -> String {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix(FILE) else { return text.to_owned() };
    // An authority is the name of a machine, which is this one.
    let path = rest.find('/').map_or(rest, |start| &rest[start..]);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = decoded(path);
    // `/c:/models`
    let bytes = decoded.as_bytes();
    let has_drive = bytes.len() > 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    if has_drive { decoded[1..].to_owned() } else { decoded }
}

/// The URI of a path. `None` if there is none, as for text of the command line.
pub fn uri_of(path: &str) -> Option<Uri> {
    let is_drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    if !path.starts_with('/') && !is_drive {
        return path.contains(':').then(|| Uri::from_str(path).ok()).flatten();
    }
    let mut text = String::from(FILE);
    if is_drive {
        text.push('/');
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(byte.into());
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Uri::from_str(&text).ok()
}

fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = (first == b'%').then(|| tail.get(..2)).flatten();
        let value = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(value) = value.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            bytes.push(value);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use source::plain;

    use super::*;

    #[test]
    fn paths_and_uris_lead_to_each_other() {
        let both = [
            ("/models/a b.bir", "file:///models/a%20b.bir"),
            ("/é/%x.pml", "file:///%C3%A9/%25x.pml"),
            ("c:/models/a.bir", "file:///c%3A/models/a.bir"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
        ];
        for (path, uri) in both {
            let made = uri_of(path).unwrap();
            assert_eq!(made.as_str(), uri);
            assert_eq!(path_of(&made), path);
        }
        let other = Uri::from_str("file://localhost/a.bir?x#y").unwrap();
        assert_eq!(path_of(&other), "/a.bir");
        assert!(uri_of("<command line>").is_none() && uri_of("a.bir").is_none());
    }

    #[test]
    fn one_file_has_one_plain_path() {
        assert_eq!(plain("/a/./b/../c.bir"), "/a/c.bir");
        assert_eq!(plain("untitled:Untitled-1"), "untitled:Untitled-1");
    }
}
