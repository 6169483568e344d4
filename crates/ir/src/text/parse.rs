//! From tokens to a tree, by recursive descent. This module has the tokens, the others the constructs.

use source::{FileId, Span};

mod actions;
mod exprs;
mod items;
mod procedures;
mod processes;
mod property;
mod types;

pub(super) use exprs::{BINARY, METHODS, TESTS};

use super::Error;
use super::lex::{Lexeme, Token};
use super::names::KEYWORDS;
use super::syntax::*;
use crate::{
    ActionKind, BinaryOp, CollectionOp, ExprKind, Features, Leaks, MAX_EXPR_DEPTH, MAX_TYPE_SIZE, Memory,
    ProcedureKind, UnaryOp,
};

type Parsed<T> = Result<T, Error>;

pub(super) fn parse(lexemes: Vec<Lexeme>) -> Parsed<ProgramTree> {
    Parser { lexemes, next: 0, nesting: 0 }.program()
}

struct Parser {
    /// Ends with [`Token::End`].
    lexemes: Vec<Lexeme>,
    next: usize,
    /// The number of open expressions and types: garbage must not exhaust the native stack.
    nesting: usize,
}

impl Parser {
    fn peek(&self) -> &Lexeme {
        &self.lexemes[self.next.min(self.lexemes.len() - 1)]
    }

    fn at(&self) -> u32 {
        self.peek().start
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().token.clone();
        self.next += 1;
        token
    }

    /// From `start` to the end of the last token.
    fn span(&self, start: u32) -> Span {
        let last = self.next.min(self.lexemes.len()).checked_sub(1);
        let end = last.map_or(start, |last| self.lexemes[last].end);
        Span::new(FileId::default(), start, end.max(start))
    }

    fn fail<T>(&self, expected: &str) -> Parsed<T> {
        let found = match &self.peek().token {
            Token::Word(text) => format!("`{text}`"),
            Token::Quoted(text) => format!("'{text}'"),
            Token::String(text) => format!("\"{text}\""),
            Token::Number(number) => format!("{number}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::End => "the end".to_owned(),
        };
        Err(Error::new(self.at(), format!("expected {expected}, found {found}")))
    }

    /// Whether the next token is this keyword or symbol.
    fn is(&self, what: &str) -> bool {
        match &self.peek().token {
            Token::Word(word) => word == what,
            Token::Symbol(symbol) => *symbol == what,
            _ => false,
        }
    }

    fn take(&mut self, what: &str) -> bool {
        let found = self.is(what);
        self.next += usize::from(found);
        found
    }

    fn expect(&mut self, what: &str) -> Parsed<()> {
        if self.take(what) { Ok(()) } else { self.fail(&format!("`{what}`")) }
    }

    fn index(&mut self) -> Parsed<u32> {
        if let Token::Number(number) = self.peek().token
            && let Ok(number) = u32::try_from(number)
        {
            self.next += 1;
            return Ok(number);
        }
        self.fail("an index")
    }

    /// The number after `mark`, if `mark` is next.
    fn marked_index(&mut self, mark: &str) -> Parsed<Option<u32>> {
        if self.take(mark) { self.index().map(Some) } else { Ok(None) }
    }

    fn is_name(&self) -> bool {
        match &self.peek().token {
            Token::Word(word) => !KEYWORDS.contains(&word.as_str()),
            Token::Quoted(_) => true,
            _ => false,
        }
    }

    fn name(&mut self) -> Parsed<Name> {
        if !self.is_name() {
            return self.fail("a name");
        }
        let at = self.at();
        let (Token::Word(text) | Token::Quoted(text)) = self.advance() else {
            return self.fail("a name");
        };
        Ok(Name { text, number: self.marked_index("#")?, at })
    }

    fn string(&mut self) -> Parsed<String> {
        if !matches!(self.peek().token, Token::String(_)) {
            return self.fail("a string");
        }
        match self.advance() {
            Token::String(text) => Ok(text),
            _ => self.fail("a string"),
        }
    }

    /// Items separated by commas, up to and including `close`.
    fn list<T>(&mut self, close: &str, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(close) {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One or more names, separated by commas.
    fn names(&mut self) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name()?];
        while self.take(",") {
            names.push(self.name()?);
        }
        Ok(names)
    }
}
