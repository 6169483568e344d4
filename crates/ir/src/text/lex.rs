//! Characters to tokens.

use super::Error;
use super::names::{is_identifier_part, is_identifier_start};
use crate::ids::small;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// An identifier or a keyword.
    Word(String),
    /// A name in ticks.
    Quoted(String),
    String(String),
    /// The magnitude of an integer.
    Number(u64),
    Symbol(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(super) struct Lexeme {
    pub token: Token,
    pub start: u32,
    pub end: u32,
}

/// Longer ones first.
const SYMBOLS: &[&str] = &[
    "::", ":=", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "<", ">", "=", "!", "&", "|", "^", "+", "-",
    "*", "/", "%", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "#", "@",
];

pub(super) fn lex(text: &str) -> Result<Vec<Lexeme>, Error> {
    if u32::try_from(text.len()).is_err() {
        return Err(Error::new(0, "the text is too long"));
    }
    let mut lexemes = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            continue;
        }
        let start = small(text.len() - rest.len());
        let Some(first) = rest.chars().next() else {
            lexemes.push(Lexeme { token: Token::End, start, end: start });
            return Ok(lexemes);
        };
        let token = if is_identifier_start(first) {
            let word = leading(rest, is_identifier_part);
            rest = &rest[word.len()..];
            Token::Word(word.to_owned())
        } else if first.is_ascii_digit() {
            let digits = leading(rest, |c| c.is_ascii_digit());
            rest = &rest[digits.len()..];
            Token::Number(digits.parse().map_err(|_| Error::new(start, "the number is too large"))?)
        } else if first == '\'' || first == '"' {
            let (content, after) =
                quoted(&rest[1..], first).ok_or_else(|| Error::new(start, "the quotes are not closed"))?;
            rest = after;
            if first == '"' { Token::String(content) } else { Token::Quoted(content) }
        } else if let Some(symbol) = SYMBOLS.iter().find(|&&symbol| rest.starts_with(symbol)) {
            rest = &rest[symbol.len()..];
            Token::Symbol(symbol)
        } else {
            return Err(Error::new(start, format!("`{first}` means nothing here")));
        };
        lexemes.push(Lexeme { token, start, end: small(text.len() - rest.len()) });
    }
}

fn leading(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !belongs(c)).unwrap_or(text.len())]
}

/// The contents of an opened quote, and the text after it.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut content = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '\\' => content.push(match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                c => c,
            }),
            c if c == quote => return Some((content, chars.as_str())),
            c => content.push(c),
        }
    }
}
