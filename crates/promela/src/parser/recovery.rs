//! Reports, and how the parser continues after one.

use source::Diagnostic;

use super::exprs::binary_operator;
use super::{Parser, Reported};
use crate::codes;
use crate::lexer::{Lexeme, Token};
use crate::text::clip;

impl Parser<'_> {
    fn describe_next(&mut self) -> String {
        let next = self.peek_at(0);
        let text = clip(self.input.interner.text(next.lexeme.symbol));
        match next.token {
            Token::Eof => "the end of the model".to_owned(),
            Token::LineEnd => "the end of the line".to_owned(),
            Token::Str => "a string".to_owned(),
            token if token.is_word() => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let found = self.describe_next();
        let mut diagnostic =
            Diagnostic::error(codes::UNEXPECTED, format!("expected {expected}, found {found}"))
                .at(self.span(), format!("expected {expected}"));
        if self.at_unit() && self.nesting > 0 {
            diagnostic = diagnostic.help("is a `}` missing before this?");
        }
        let next = self.peek();
        let goes_on = takes_left(next) && self.last.token == Token::LineEnd;
        if next == Token::LineEnd || goes_on {
            diagnostic = diagnostic
                .note("a line that could end a statement does end it")
                .help("to go on in the next line, end the line with an operator, or use parentheses");
        }
        self.report_here(diagnostic)
    }

    /// Reports an error about the next token, unless there already was one.
    pub(super) fn report_here(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.last_error != Some(self.consumed) {
            self.last_error = Some(self.consumed);
            let lexeme = self.peek_at(0).lexeme;
            self.report_about(lexeme, diagnostic);
        }
        Reported
    }

    /// Reports something about a lexeme, with the path from where it is written to where it is used.
    pub(super) fn report_about(&mut self, lexeme: Lexeme, mut diagnostic: Diagnostic) {
        if lexeme.spelled != lexeme.span {
            diagnostic = diagnostic.label(lexeme.spelled, "it is written here");
        }
        self.report(diagnostic);
    }

    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        if let Some(call) = self.frames.iter().rev().find_map(|frame| frame.call.as_ref()) {
            diagnostic = diagnostic.label(call.site.span, "in this call of an inline");
        }
        self.input.report(diagnostic);
        if self.input.has_given_up() {
            self.give_up();
        }
    }

    /// Continues as if the model ended here.
    pub(super) fn give_up(&mut self) {
        self.input.give_up();
        self.forget();
    }

    /// Drops everything that is to be read before the input.
    pub(super) fn forget(&mut self) {
        self.frames.clear();
        self.ahead.clear();
        self.held = None;
    }

    /// Whether something starts here that cannot be part of a body.
    pub(super) fn at_unit(&mut self) -> bool {
        use Token::*;
        matches!(
            self.peek(),
            Active | Proctype | DProctype | Init | Never | Trace | Notrace | Ltl | Typedef | Inline
        )
    }

    /// Skips to where the next unit may start.
    pub(super) fn skip_unit(&mut self) {
        self.skip_to(|token| token == Token::Semicolon);
        self.eat(Token::RightBrace);
    }

    /// Skips to where the next statement may start: after a separator, or before the end of a sequence.
    pub(super) fn skip_statement(&mut self) {
        self.skip_to(|token| {
            matches!(
                token,
                Token::Semicolon | Token::Arrow | Token::LineEnd | Token::Separator | Token::Fi | Token::Od
            )
        });
    }

    /// Skips past the `fi` or `od` of the current options.
    pub(super) fn skip_options(&mut self) {
        self.skip_to(|token| matches!(token, Token::Fi | Token::Od));
        if self.at(Token::Fi) || self.at(Token::Od) {
            self.bump();
        }
    }

    /// Skips to a token that `stops` accepts, to the end of the enclosing braces and options, or to a unit.
    /// Braces and options on the way are skipped as a whole.
    fn skip_to(&mut self, stops: impl Fn(Token) -> bool) {
        let mut depth = 0_usize;
        self.skipping = true;
        loop {
            match self.peek() {
                Token::Eof => break,
                Token::RightBrace if depth == 0 => break,
                token if depth == 0 && stops(token) => break,
                Token::LeftBrace | Token::If | Token::Do => depth += 1,
                Token::RightBrace | Token::Fi | Token::Od => depth = depth.saturating_sub(1),
                _ if self.at_unit() => break,
                _ => {}
            }
            self.bump();
        }
        self.skipping = false;
    }
}

/// Whether a token needs a left operand.
fn takes_left(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Assign | Increment | Decrement | Question | RandomReceive | Comma | Dot | Of | Priority | At
    ) || binary_operator(token).is_some()
}
