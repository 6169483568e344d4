//! The files of a run, and the way from a byte back to a line and a column.
//!
//! Lines end at `\n`; a `\r` before it belongs to the end. Columns count characters from 1.

use std::collections::BTreeMap;
use std::fmt;

use crate::{Diagnostic, Diagnostics, FileId, Provider, Span};

/// All files that a run has read.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// Uses of macros, each with the place of the definition.
    expansions: BTreeMap<Span, Span>,
}

#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    /// The first byte of each line.
    lines: Vec<u32>,
    origin: Origin,
}

/// How a file got into the map. Text that a preprocessor produces is a file of its own; its origin leads back
/// to what the user wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Named by the user.
    Given,
    /// Included by the directive at this place.
    Included { by: Span },
    /// The expansion of a macro that is used at this place.
    Expanded { at: Span },
}

/// Line and column, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file that the user named. Fails for text that spans cannot address.
    pub fn add(&mut self, name: &str, text: &str) -> Result<FileId, Diagnostics> {
        self.add_derived(name, text.to_owned(), Origin::Given)
    }

    pub fn add_derived(
        &mut self,
        name: &str,
        mut text: String,
        origin: Origin,
    ) -> Result<FileId, Diagnostics> {
        if text.starts_with('\u{feff}') {
            text.drain(..'\u{feff}'.len_utf8());
        }
        // One less than the largest 32-bit number, since there are empty spans at the very end.
        if text.len() >= u32::MAX as usize {
            return Err(Diagnostic::error("E0003", format!("`{name}` is larger than 4 GiB")).into());
        }
        let starts = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(SourceFile { name: name.to_owned(), text, lines, origin });
        Ok(FileId(self.files.len() as u32 - 1))
    }

    /// Reads and adds a file that the user named, which must be UTF-8.
    pub fn load(&mut self, provider: &dyn Provider, path: &str) -> Result<FileId, Diagnostics> {
        let bytes = read(provider, path)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].split(|&byte| byte == b'\n').count();
            let diagnostic = Diagnostic::error("E0002", format!("`{path}` is not UTF-8 text"))
                .note(format!("line {line} (byte {good} of the file) has the first byte that does not fit"));
            Diagnostics::from(diagnostic)
        })?;
        self.add_derived(path, text, Origin::Given)
    }

    /// Reads and adds a file that the user named, in UTF-8 or Latin-1 ([`decode`]).
    pub fn load_decoded(&mut self, provider: &dyn Provider, path: &str) -> Result<FileId, Diagnostics> {
        let text = decode(read(provider, path)?);
        self.add_derived(path, text, Origin::Given)
    }

    /// Records the use of a macro. What it stands for has the place of the use; a diagnostic there shows the
    /// definition as well.
    pub fn add_expansion(&mut self, at: Span, definition: Span) {
        self.expansions.insert(at, definition);
    }

    /// The definition of the macro that is used at exactly this place.
    pub fn expansion(&self, at: Span) -> Option<Span> {
        self.expansions.get(&at).copied()
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The text of a span; empty if it is not within a file.
    pub fn text(&self, span: Span) -> &str {
        self.files
            .get(span.file.0 as usize)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or_default()
    }

    /// The line, from 1, on which a span starts.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span.file).line(span.start)
    }

    /// Where a span starts.
    pub fn position(&self, span: Span) -> Position {
        self.file(span.file).position(span.start)
    }

    /// `file:line:column` of the start of a span.
    pub fn describe(&self, span: Span) -> String {
        format!("{}:{}", self.file(span.file).name, self.position(span))
    }
}

impl SourceFile {
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn origin(&self) -> Origin {
        self.origin
    }

    pub fn line_count(&self) -> u32 {
        self.lines.len() as u32
    }

    /// The line, from 1, of a byte.
    pub fn line(&self, byte: u32) -> u32 {
        self.lines.partition_point(|&start| start <= byte) as u32
    }

    /// Text of a line without its end; empty if there is no such line.
    pub fn line_text(&self, line: u32) -> &str {
        let (start, end) = self.line_range(line);
        &self.text[start as usize..end as usize]
    }

    /// The bytes of a line without its end.
    pub fn line_range(&self, line: u32) -> (u32, u32) {
        let size = self.text.len() as u32;
        let index = line.wrapping_sub(1) as usize;
        let Some(&start) = self.lines.get(index) else { return (size, size) };
        let mut end = self.lines.get(index + 1).map_or(size, |next| next - 1);
        if end > start && self.text.as_bytes()[end as usize - 1] == b'\r' {
            end -= 1;
        }
        (start, end)
    }

    pub fn position(&self, byte: u32) -> Position {
        let byte = self.floor_char(byte);
        let line = self.line(byte);
        let start = self.lines[line as usize - 1];
        let column = self.text[start as usize..byte as usize].chars().count() as u32 + 1;
        Position { line, column }
    }

    /// The last boundary of a character that is not after `byte`.
    pub(crate) fn floor_char(&self, byte: u32) -> u32 {
        let mut byte = (byte as usize).min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte as u32
    }
}

fn read(provider: &dyn Provider, path: &str) -> Result<Vec<u8>, Diagnostics> {
    provider.read(path).map_err(|error| {
        Diagnostics::from(Diagnostic::error("E0001", format!("cannot read `{path}`: {error}")))
    })
}

/// The text of a file. A file that is not UTF-8 is read as Latin-1, in which every byte is a character, so
/// that lines and columns are those that an editor shows.
pub fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> (SourceMap, FileId) {
        let mut map = SourceMap::new();
        let file = map.add("a.bir", text).unwrap();
        (map, file)
    }

    #[test]
    fn positions_count_lines_and_characters() {
        let (map, file) = map("ab\r\nçd\n\nx");
        let at = |byte| map.file(file).position(byte).to_string();
        assert_eq!(
            [at(0), at(2), at(4), at(6), at(8), at(9), at(99)],
            ["1:1", "1:3", "2:1", "2:2", "3:1", "4:1", "4:2"]
        );
        // The middle of a character is its start.
        assert_eq!(at(5), "2:1");
        let lines: Vec<_> = (0..6).map(|line| map.file(file).line_text(line)).collect();
        assert_eq!(lines, ["", "ab", "çd", "", "x", ""]);
        assert_eq!(map.describe(Span::new(file, 4, 6)), "a.bir:2:1");
        assert_eq!(map.text(Span::new(file, 4, 6)), "ç");
        assert_eq!(map.text(Span::new(file, 5, 6)), "");
        assert_eq!(map.text(Span::new(FileId(7), 0, 1)), "");
    }

    #[test]
    fn a_byte_order_mark_is_dropped() {
        let (map, file) = map("\u{feff}system");
        assert_eq!(map.file(file).text(), "system");
    }

    #[test]
    fn files_that_cannot_be_used_are_diagnosed() {
        let files =
            BTreeMap::from([("bad".to_owned(), b"a\nb\xff".to_vec()), ("ok".to_owned(), b"x".to_vec())]);
        let mut map = SourceMap::new();
        assert_eq!(map.load(&files, "ok").unwrap(), FileId(0));
        let mut error = |path| map.load(&files, path).unwrap_err().iter().next().unwrap().clone();
        assert_eq!(error("gone").code, "E0001");
        let bad = error("bad");
        assert_eq!(bad.code, "E0002");
        assert!(bad.notes[0].contains("line 2 (byte 3"), "{:?}", bad.notes);
    }

    #[test]
    fn what_is_not_utf_8_is_latin_1() {
        assert_eq!(decode("naïve".into()), "naïve");
        assert_eq!(decode(b"na\xefve".to_vec()), "naïve");
        // One byte that is not UTF-8 decides for the whole file.
        assert_eq!(decode(b"\xc3\xaf \xef".to_vec()), "Ã¯ ï");
        let files = BTreeMap::from([("m.pml".to_owned(), b"/* \xef */ byte x".to_vec())]);
        let mut map = SourceMap::new();
        let file = map.load_decoded(&files, "m.pml").unwrap();
        let at = map.file(file).text().find("byte").unwrap() as u32;
        assert_eq!(map.describe(Span::new(file, at, at + 4)), "m.pml:1:9");
        assert!(map.load_decoded(&files, "gone").is_err());
    }
}
