//! From text to lexemes.
//!
//! A line that ends in `\` continues in the next one; a comment is white space. Operators are those of
//! Promela, not of C: SPIN reads the output of the C preprocessor, and divides it anew.

use std::rc::Rc;

use source::{FileId, Span};

use crate::lexer::{Interner, Kind, LONG_ARROW, Lexeme, OPERATORS};

pub struct Scanner {
    text: Rc<str>,
    file: FileId,
    at: usize,
    /// A lexeme that was read ahead.
    peeked: Option<Lexeme>,
    /// The start of an unterminated comment.
    pub open_comment: Option<Span>,
}

impl Scanner {
    pub fn new(text: Rc<str>, file: FileId) -> Self {
        Self { text, file, at: 0, peeked: None, open_comment: None }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, start as u32, end as u32)
    }

    pub fn peek(&mut self, interner: &mut Interner) -> Lexeme {
        if let Some(lexeme) = self.peeked {
            return lexeme;
        }
        let lexeme = self.scan(interner);
        self.peeked = Some(lexeme);
        lexeme
    }

    pub fn next(&mut self, interner: &mut Interner) -> Lexeme {
        match self.peeked.take() {
            Some(lexeme) => lexeme,
            None => self.scan(interner),
        }
    }

    /// The rest of this line.
    pub fn line(&mut self, interner: &mut Interner) -> Vec<Lexeme> {
        let mut line = Vec::new();
        loop {
            let next = self.peek(interner);
            if next.first || next.kind == Kind::End {
                return line;
            }
            line.push(self.next(interner));
        }
    }

    fn scan(&mut self, interner: &mut Interner) -> Lexeme {
        let before = self.at;
        let (first, newline) = self.skip_space();
        let (first, newline) = (first || before == 0, newline || before == 0);
        let start = self.at;
        let (kind, length) = cut(&self.text[start..]);
        self.at += length;
        let symbol = interner.lexeme(&self.text[start..self.at]);
        let span = self.span(start, self.at);
        Lexeme { kind, symbol, span, spelled: span, first, newline, space: start > before, painted: false }
    }

    /// Skips white space and comments. Returns whether a line ended, and whether there was any end of a line
    /// at all.
    fn skip_space(&mut self) -> (bool, bool) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let (mut first, mut spliced_lines, mut comment_lines) = (false, 0, false);
        while let Some(&byte) = bytes.get(self.at) {
            let rest = &bytes[self.at..];
            match byte {
                b'\n' => first = true,
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => {}
                b'\\' if spliced(rest) > 0 => {
                    spliced_lines += spliced(rest);
                    self.at += spliced(rest) - 1;
                }
                b'/' if rest.starts_with(b"//") => {
                    self.at += line_length(rest);
                    continue;
                }
                b'/' if rest.starts_with(b"/*") => {
                    let length = self.text[self.at + 2..].find("*/");
                    if length.is_none() {
                        self.open_comment = Some(self.span(self.at, self.at + 2));
                    }
                    let end = length.map_or(bytes.len(), |length| self.at + length + 4);
                    comment_lines |= bytes[self.at..end].contains(&b'\n');
                    self.at = end;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        // A spliced line without other white space counts as nothing.
        let spliced_lines = spliced_lines > 0 && self.at - start > spliced_lines;
        (first, first || comment_lines || spliced_lines)
    }
}

/// The distance to the end of the line.
fn line_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => break,
            b'\\' => at += spliced(&bytes[at..]).max(1),
            _ => at += 1,
        }
    }
    at
}

/// The kind and the length of the lexeme that a text starts with.
fn cut(text: &str) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.first() else { return (Kind::End, 0) };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let word = |bytes: &[u8]| bytes.iter().take_while(|&&byte| is_word(byte)).count();
    match first {
        b'0'..=b'9' => {
            let mut length = word(bytes);
            // `1.5` is one wrong number, but `1..5` is a range.
            while bytes.get(length) == Some(&b'.') && bytes.get(length + 1) != Some(&b'.') {
                length += 1 + word(&bytes[length + 1..]);
            }
            (Kind::Number, length)
        }
        _ if is_word(first) => (Kind::Word, word(bytes)),
        b'"' | b'\'' => quoted(text, first),
        b'-' if text.starts_with(LONG_ARROW) => (Kind::Operator, LONG_ARROW.len()),
        // `*/*` and `*//` are a product with a comment behind the operator.
        b'*' if bytes.get(1) == Some(&b'/') && !matches!(bytes.get(2), Some(b'*' | b'/')) => {
            (Kind::CommentEnd, 2)
        }
        _ => match OPERATORS.iter().find(|operator| text.starts_with(**operator)) {
            Some(operator) => (Kind::Operator, operator.len()),
            None => (Kind::Stray, text.chars().next().map_or(1, char::len_utf8)),
        },
    }
}

fn quoted(text: &str, quote: u8) -> (Kind, usize) {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return (Kind::Unterminated, at.min(bytes.len())),
            Some(b'\\') => {
                at += spliced(&bytes[at..]).max(2);
                // The escape may reach into a character.
                while at < bytes.len() && !text.is_char_boundary(at) {
                    at += 1;
                }
            }
            Some(&byte) if byte == quote => {
                return (if quote == b'"' { Kind::Str } else { Kind::Char }, at + 1);
            }
            Some(_) => at += 1,
        }
    }
}

/// The length of a `\` followed by the end of a line; 0 if there is none.
fn spliced(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\\\n") {
        2
    } else if bytes.starts_with(b"\\\r\n") {
        3
    } else {
        0
    }
}

/// The kind of a spelling that is exactly one lexeme.
pub fn single(text: &str) -> Option<Kind> {
    let (kind, length) = cut(text);
    let proper = !matches!(kind, Kind::Stray | Kind::CommentEnd | Kind::Unterminated | Kind::End);
    (proper && length == text.len()).then_some(kind)
}
