//! From bytes to the positions of the protocol, and back.
//!
//! The protocol counts lines from 0, and in a line the code units of UTF-16. A line ends at `\n`, `\r\n`, or a `\r`
//! alone. A position behind the end of its line stands for the end, one in the middle of a character for its start.

use lsp_types::{Position, Range};

/// Where the lines of a text start.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect() }
    }

    /// The bytes of a line, without its end.
    fn line(&self, text: &str, line: usize) -> (usize, usize) {
        let Some(&start) = self.starts.get(line) else { return (text.len(), text.len()) };
        let end = self.starts.get(line + 1).map_or(text.len(), |&next| next as usize);
        let content = text[start as usize..end].trim_end_matches(['\n', '\r']);
        (start as usize, start as usize + content.len())
    }

    pub fn position(&self, text: &str, byte: u32) -> Position {
        let mut byte = (byte as usize).min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let line = self.starts.partition_point(|&start| start as usize <= byte) - 1;
        let (start, end) = self.line(text, line);
        let units = text[start..byte.clamp(start, end)].encode_utf16().count();
        Position { line: line as u32, character: units as u32 }
    }

    pub fn range(&self, text: &str, start: u32, end: u32) -> Range {
        Range { start: self.position(text, start), end: self.position(text, end.max(start)) }
    }

    pub fn byte(&self, text: &str, position: Position) -> u32 {
        let (start, end) = self.line(text, position.line as usize);
        let mut units = 0;
        for (at, letter) in text[start..end].char_indices() {
            units += letter.len_utf16() as u32;
            if units > position.character {
                return (start + at) as u32;
            }
        }
        end as u32
    }

    /// The position of a column that counts characters from 1, on a line that counts from 1 and ends at `\n`.
    pub fn of_column(line_text: &str, line: u32, column: u32) -> Position {
        let units: usize =
            line_text.chars().take(column.saturating_sub(1) as usize).map(char::len_utf16).sum();
        Position { line: line.saturating_sub(1), character: units as u32 }
    }

    #[cfg(test)]
    fn count(&self) -> u32 {
        self.starts.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_units_of_utf_16() {
        let text = "a\u{1d11e}b\té\r\nx\ry\n\nz";
        let lines = Lines::of(text);
        assert_eq!(lines.count(), 5);
        let both = [
            (0, at(0, 0)),
            (1, at(0, 1)),
            (5, at(0, 3)),
            (6, at(0, 4)),
            (7, at(0, 5)),
            (9, at(0, 6)),
            (11, at(1, 0)),
            (12, at(1, 1)),
            (13, at(2, 0)),
            (15, at(3, 0)),
            (16, at(4, 0)),
            (17, at(4, 1)),
        ];
        for (byte, position) in both {
            assert_eq!(lines.position(text, byte), position, "byte {byte}");
            assert_eq!(lines.byte(text, position), byte, "{position:?}");
        }
        // The middle of a character, of a surrogate pair and of the end of a line; what is too far.
        assert_eq!(lines.position(text, 3), at(0, 1));
        assert_eq!(lines.byte(text, at(0, 2)), 1);
        assert_eq!(lines.position(text, 10), at(0, 6));
        assert_eq!(lines.byte(text, at(0, 99)), 9);
        assert_eq!(lines.byte(text, at(99, 0)), 17);
        assert_eq!(lines.position(text, 99), at(4, 1));
    }

    #[test]
    fn columns_of_reports_are_characters() {
        assert_eq!(Lines::of_column("\u{1d11e}x", 3, 2), at(2, 2));
        assert_eq!(Lines::of_column("x", 1, 9), at(0, 1));
    }
}
