//! The tokens of the format, each with its place.

use std::ops::Range;

use crate::parse::ParseError;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    /// `States:`
    Header(String),
    Word(String),
    Text(String),
    Number(u64),
    /// `@name`
    Alias(String),
    Symbol(char),
    Body,
    End,
}

impl Token {
    pub fn describe(&self) -> String {
        match self {
            Self::Header(name) => format!("`{name}:`"),
            Self::Word(word) => format!("`{word}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Number(number) => format!("`{number}`"),
            Self::Alias(name) => format!("`@{name}`"),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::Body => "`--BODY--`".to_owned(),
            Self::End => "`--END--`".to_owned(),
        }
    }
}

pub fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, ParseError> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |from: usize| {
            let continues = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let end = rest[from..].find(|c| !continues(c)).map_or(rest.len(), |end| from + end);
            rest[from..end].to_owned()
        };
        let (token, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("/*") {
            at += comment(rest).ok_or_else(|| ParseError::new(at..at + 2, "this comment has no end"))?;
            continue;
        } else if rest.starts_with("--BODY--") {
            (Token::Body, 8)
        } else if rest.starts_with("--END--") {
            (Token::End, 7)
        } else if rest.starts_with("--ABORT--") {
            return Err(ParseError::new(at..at + 9, "the automaton was aborted by the tool that wrote it"));
        } else if first == '"' {
            string(rest).ok_or_else(|| ParseError::new(at..at + 1, "this string has no end"))?
        } else if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number: Option<u32> = rest[..end].parse().ok();
            let number = number.ok_or_else(|| ParseError::new(at..at + end, "this number is too large"))?;
            (Token::Number(number.into()), end)
        } else if first == '@' {
            let name = word(1);
            let length = 1 + name.len();
            (Token::Alias(name), length)
        } else if first.is_ascii_alphabetic() || first == '_' {
            let word = word(0);
            let length = word.len();
            if rest[length..].starts_with(':') {
                (Token::Header(word), length + 1)
            } else {
                (Token::Word(word), length)
            }
        } else if "!&|()[]{}".contains(first) {
            (Token::Symbol(first), 1)
        } else {
            return Err(ParseError::new(at..at + first.len_utf8(), format!("`{first}` has no meaning here")));
        };
        all.push((token, at..at + length));
        at += length;
    }
    Ok(all)
}

/// The length of the comment at the start; comments nest.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    loop {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += text[at..].chars().next()?.len_utf8();
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The string at the start of `text`, and its length there.
fn string(text: &str) -> Option<(Token, usize)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1);
    loop {
        match chars.next()? {
            (at, '"') => return Some((Token::Text(value), at + 1)),
            (_, '\\') => value.push(chars.next()?.1),
            (_, c) => value.push(c),
        }
    }
}
