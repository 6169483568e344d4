//! Tokens and comments, each with the white space before it.

use crate::lexer::Token;

/// A token, or a comment.
pub struct Piece<'s> {
    pub text: &'s str,
    /// `None` for a comment.
    pub token: Option<Token>,
    /// Whether it is the first of its line.
    pub newline: bool,
    /// Whether there is an empty line before it.
    pub empty_line: bool,
    /// Whether there is any white space or comment before it.
    pub space: bool,
    /// The number of characters before it on its line.
    pub column: usize,
}

pub struct Pieces<'s> {
    pub all: Vec<Piece<'s>>,
}

impl<'s> Pieces<'s> {
    pub fn of(text: &'s str) -> Self {
        let mut pieces = Self { all: Vec::new() };
        let mut end = 0;
        for lexeme in super::lexemes(text) {
            let (start, next) = (lexeme.start as usize, lexeme.end as usize);
            end = pieces.comments(text, end, start);
            pieces.add(text, end, (start, next), Some(lexeme.token));
            end = next;
        }
        pieces.comments(text, end, text.len());
        pieces
    }

    /// Adds the comments between two tokens. Returns where the last one ends.
    fn comments(&mut self, text: &'s str, from: usize, to: usize) -> usize {
        let mut end = from;
        loop {
            let gap = &text[end..to];
            let Some(start) = gap.find('/').map(|at| end + at) else { return end };
            let rest = &text[start..to];
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                rest.find("*/").map_or(rest.len(), |at| at + 2)
            };
            self.add(text, end, (start, start + length), None);
            end = start + length;
        }
    }

    fn add(&mut self, text: &'s str, before: usize, (start, end): (usize, usize), token: Option<Token>) {
        let gap = &text[before..start];
        let breaks = gap.matches('\n').count();
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        self.all.push(Piece {
            text: &text[start..end],
            token,
            newline: breaks > 0 || self.all.is_empty(),
            empty_line: breaks > 1,
            space: !gap.is_empty(),
            column: text[line..start].chars().count(),
        });
    }

    pub fn token(&self, at: usize) -> Option<Token> {
        self.all.get(at)?.token
    }

    /// The next token after a piece, comments passed over.
    pub fn next_token(&self, at: usize) -> Option<usize> {
        (at + 1..self.all.len()).find(|&at| self.all[at].token.is_some())
    }
}
