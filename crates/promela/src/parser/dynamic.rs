//! The dynamic extension: objects, pointers, functions.
//!
//! Its words are names like others wherever a model declares them or uses them as names, so that a model of
//! SPIN's language stays what it is: `new` is a word of the extension only between `=` and a type, `delete`
//! only before what can be deleted, `function` only before a name and its parameters, `ftype` only as a type.
//! `null` is a name that means nothing unless the model declares it.

use source::{Diagnostic, Span};

use super::{Class, Parsed, Parser};
use crate::ast::{ChannelInit, Function, FunctionBody, New, StmtKind};
use crate::codes;
use crate::lexer::Token;
use crate::text::clip;

/// The words that are names in models that declare them.
const WORDS: [&str; 5] = ["new", "delete", "null", "function", "ftype"];

/// The names of the functions that a text declares: they may be called before that.
pub(super) fn function_names(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, word) in text.match_indices("function") {
        let rest = text[at + word.len()..].trim_start();
        let starts = !text[..at].ends_with(is_word) && rest.len() < text.len() - at - word.len();
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if starts && end > 0 && rest[end..].trim_start().starts_with('(') {
            names.push(rest[..end].to_owned());
        }
    }
    names
}

impl Parser<'_> {
    /// Notes that the model uses the extension.
    pub(super) fn extends(&mut self, span: Span, what: &'static str) {
        if self.extension.is_none() && !self.may_extend {
            let message = format!("{what} is not of SPIN's language");
            self.input.diagnostics.push(
                Diagnostic::error(codes::EXTENSION, message)
                    .at(span, "a part of the dynamic extension")
                    .help("without `--dialect spin`, this is a model in dynamic Promela"),
            );
        }
        self.extension.get_or_insert((span, what));
    }

    /// Notes that a word of the extension is declared as a name, if that is what is next.
    pub(super) fn declares_word(&mut self) {
        if WORDS.iter().any(|word| self.at_word(word)) {
            let symbol = self.peek_at(0).lexeme.symbol;
            self.plain_words.insert(symbol);
        }
    }

    /// Whether the next token is a word of the extension that the model has not declared.
    fn at_own_word(&mut self, word: &str) -> bool {
        self.at_word(word) && {
            let symbol = self.peek_at(0).lexeme.symbol;
            !self.plain_words.contains(&symbol)
        }
    }

    /// `T & name`, where `T` is a type.
    pub(super) fn at_pointer_type(&mut self) -> bool {
        if !matches!(self.second(), Token::BitAnd | Token::And) {
            return false;
        }
        let is_type = self.class() == Some(Class::Typedef) || self.at_own_word("ftype");
        is_type && matches!(self.peek_at(2).token, Token::Ident | Token::BitAnd | Token::And)
    }

    /// Whether the last token ahead follows `new`, and so is a type that ends a statement.
    pub(super) fn is_after_new(&self) -> bool {
        let before = |distance: usize| match self.ahead.len().checked_sub(distance) {
            Some(at) => self.ahead.get(at),
            None => (self.ahead.len() + 1 == distance).then_some(&self.last),
        };
        // Through the `&` of a pointer.
        let mut distance = 1;
        while before(distance).is_some_and(|next| matches!(next.token, Token::BitAnd | Token::And)) {
            distance += 1;
        }
        let is_new = |at: usize| {
            before(at).is_some_and(|next| {
                next.token == Token::Ident && &**self.input.interner.text(next.lexeme.symbol) == "new"
            })
        };
        is_new(distance) || distance > 1 && is_new(distance + 1)
    }

    /// Whether `new` and a type are next.
    pub(super) fn at_new(&mut self) -> bool {
        use Token::*;
        self.at_word("new")
            && matches!(
                self.second(),
                Ident | Bit | Bool | Byte | Pid | Short | Int | Unsigned | Chan | Mtype
            )
    }

    /// `new T`, `new T[length]` or `new chan(capacity) of { types }`.
    pub(super) fn new_object(&mut self) -> Parsed<New> {
        let start = self.bump().span;
        self.extends(start, "`new`");
        if self.at(Token::Chan) && self.second() == Token::LeftParen {
            self.bump();
            self.bump();
            let capacity = self.expr()?;
            self.expect(Token::RightParen, " after the capacity of a channel")?;
            if !self.eat(Token::Of) {
                let diagnostic =
                    Diagnostic::error(codes::UNEXPECTED, "expected `of` and the types of the messages")
                        .at(self.span(), "expected `of` before this")
                        .help("a channel is made by its declaration: `chan q = [2] of { byte }`");
                return Err(self.report_here(diagnostic));
            }
            self.expect(Token::LeftBrace, " before the types of the messages")?;
            let fields = self.message_types()?;
            return Ok(New::Channel(ChannelInit { capacity, fields, span: self.since(start) }));
        }
        let ty = self.ty()?;
        let length = if self.eat(Token::LeftBracket) {
            let length = self.expr()?;
            self.expect(Token::RightBracket, " after the number of elements")?;
            Some(length)
        } else {
            None
        };
        Ok(New::Object { ty, length })
    }

    /// Whether `delete` and what is deleted are next.
    pub(super) fn at_delete(&mut self) -> bool {
        matches!(self.second(), Token::Ident | Token::Star | Token::LeftParen)
            && self.at_own_word("delete")
            && self.class().is_none()
    }

    pub(super) fn delete(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        self.extends(start, "`delete`");
        Ok(StmtKind::Delete(self.expr()?))
    }

    /// Whether a function, or a variable that holds one, is next.
    pub(super) fn at_callable(&mut self) -> bool {
        let next = self.peek_at(0);
        next.token == Token::Ident
            && self.callables.contains(&next.lexeme.symbol)
            && !self.classes.contains_key(&next.lexeme.symbol)
    }

    /// Whether a place may hold a function.
    pub(super) fn has_function_types(&self) -> bool {
        self.extension.is_some()
    }

    /// `function name (`
    pub(super) fn at_function(&mut self) -> bool {
        self.at_word("function")
            && self.class().is_none()
            && self.second() == Token::Ident
            && self.peek_at(2).token == Token::LeftParen
    }

    pub(super) fn function(&mut self) -> Parsed<Function> {
        let start = self.bump().span;
        self.extends(start, "`function`");
        let symbol = self.peek_at(0).lexeme.symbol;
        self.callables.insert(symbol);
        let name = self.name("the name of a function")?;
        self.bump();
        let params = if self.at(Token::RightParen) { Vec::new() } else { self.fields(Token::RightParen)? };
        self.expect(Token::RightParen, " after the parameters")?;
        let result = if self.eat(Token::Colon) { Some(self.ty()?) } else { None };
        let span = self.since(start);
        if self.at(Token::Assign) {
            self.bump();
            let value = self.expr()?;
            if !matches!(self.peek(), Token::Semicolon | Token::LineEnd | Token::Eof) {
                return Err(self.unexpected("`;` after the value of a function"));
            }
            return Ok(Function { name, params, result, body: FunctionBody::Expr(value), span });
        }
        self.in_function = true;
        let body = self.body();
        self.in_function = false;
        Ok(Function { name, params, result, body: FunctionBody::Block(body?), span })
    }

    /// Whether a `return` here is that of an inline.
    pub(super) fn returns_to_call(&self) -> bool {
        self.frames.last().and_then(|frame| frame.call.as_ref()).is_some_and(|call| call.result.is_some())
    }

    /// `return`, or `return e`.
    pub(super) fn return_from_function(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        if self.in_inline() {
            let text = clip("return");
            let diagnostic =
                Diagnostic::error(codes::STRAY_RETURN, format!("`{text}` in an inline leaves no function"))
                    .at(start, "this is in the body of an inline")
                    .help("return from the function after the call of the inline");
            return Err(self.report_here(diagnostic));
        }
        let is_bare = self.at_separator()
            || matches!(
                self.peek(),
                Token::RightBrace | Token::Separator | Token::Fi | Token::Od | Token::Eof
            );
        Ok(StmtKind::Return(if is_bare { None } else { Some(self.expr()?) }))
    }
}
