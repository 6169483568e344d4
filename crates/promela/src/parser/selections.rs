//! `if`, `do`, `for` and `select`; also as other languages write them.

use source::{Diagnostic, Span};

use super::exprs::binary_operator;
use super::mistakes::foreign_syntax;
use super::statements::skip;
use super::{Parsed, Parser};
use crate::ast::{Block, ExprKind, SelectForm, Stmt, StmtKind};
use crate::codes;
use crate::lexer::{Lexeme, Token, join};
use crate::text::clip;

/// Up to this difference of its bounds, SPIN turns a `select` into options.
const MAX_OPTIONS: i32 = 32;

impl Parser<'_> {
    /// The options between `if` and `fi`, or `do` and `od`. If there is none, everything up to the end is
    /// skipped.
    #[inline(never)]
    pub(super) fn options(&mut self, end: Token) -> Parsed<Vec<Block>> {
        let start = self.bump().span;
        self.within(end, start, |parser| parser.options_to(end, start))
    }

    fn options_to(&mut self, end: Token, start: Span) -> Parsed<Vec<Block>> {
        if !self.at(Token::Separator) {
            self.no_options(end, start);
            return Ok(Vec::new());
        }
        let mut options = Vec::new();
        while self.at(Token::Separator) {
            let start = self.bump().span;
            let steps = self.sequence()?;
            let (span, end) = (self.since(start), self.last.lexeme.span.after());
            options.push(Block { steps, span, end, inlined: None });
        }
        if !self.eat(end) {
            self.unclosed();
            // The end of another statement, or something around this one goes on.
            let next = self.peek();
            if matches!(next, Token::Fi | Token::Od) && !self.is_open(next) {
                self.bump();
            }
        }
        Ok(options)
    }

    /// An `if` or `do` without `::`. It is passed over.
    #[cold]
    #[inline(never)]
    fn no_options(&mut self, end: Token, start: Span) {
        let is_loop = end == Token::Od;
        if is_loop && self.at(Token::LeftBrace) {
            let help = "a loop lists its options: `do :: x < 3 -> x++ :: else -> break od`";
            let diagnostic = foreign_syntax(start, "a `do` of Promela has no block", "", help);
            self.report_here(diagnostic);
            self.skip_block();
            if self.at_word("while") {
                self.bump();
                self.skip_parens();
            }
            return;
        }
        let (word, text) = if is_loop { ("do", "od") } else { ("if", "fi") };
        let missing = Diagnostic::error(codes::UNEXPECTED, format!("expected `::` after `{word}`"))
            .at(self.span(), "expected `::` before this")
            .help(format!(
                "each option of `{word}` starts with `::`, as in `{word} :: x == 0 -> x = 1 {text}`"
            ));
        if is_loop || !self.at(Token::LeftParen) {
            self.report_here(missing);
            if matches!(self.peek(), Token::RightBrace | Token::Eof) || self.eat(end) {
                return;
            }
            self.skip_options();
            return;
        }
        let before = self.consumed;
        let condition = self.span();
        self.skip_parens();
        let condition = self.since(condition);
        let is_option = matches!(self.peek(), Token::Arrow | Token::Semicolon | Token::Separator | Token::Fi)
            || binary_operator(self.peek()).is_some();
        let is_new = self.last_error != Some(before);
        if is_option {
            if is_new {
                self.report(missing);
            }
            self.skip_options();
            return;
        }
        let shown = self.input.map.text(condition);
        let shown = if (1..=30).contains(&shown.len()) { clip(shown) } else { "(…)".to_owned() };
        let help =
            format!("write `if :: {shown} -> … :: else -> … fi`; without an `else`, it waits for {shown}");
        if is_new {
            let span = join(start, condition);
            self.report(foreign_syntax(span, "an `if` of Promela lists its options", "", help));
        }
        self.skip_branches();
    }

    /// Skips the branches of an `if` as in C, after its condition.
    fn skip_branches(&mut self) {
        loop {
            if self.at(Token::LineEnd) {
                self.bump();
            }
            if self.at(Token::LeftBrace) {
                self.skip_block();
            } else {
                self.skip_statement();
            }
            let separated = self.at_separator() && self.second() == Token::Else;
            if separated {
                self.bump();
            }
            if !self.eat(Token::Else) {
                self.last.token = Token::RightBrace;
                return;
            }
            if self.eat(Token::If) {
                self.skip_parens();
            }
        }
    }

    #[inline(never)]
    pub(super) fn for_loop(&mut self) -> Parsed<Stmt> {
        let start = self.bump().span;
        self.expect(Token::LeftParen, " after `for`")?;
        if !self.at(Token::Ident) && self.at_declaration() {
            return Ok(self.foreign_for(start, true));
        }
        let variable = self.var_ref()?;
        if self.at(Token::Assign) || self.at_pascal(0) {
            return Ok(self.foreign_for(start, false));
        }
        if self.at_word("in") {
            self.bump();
            let over = self.var_ref()?;
            let (body, span) = self.for_body(start)?;
            return Ok(Stmt { labels: Vec::new(), kind: StmtKind::ForIn { variable, over, body }, span });
        }
        if !self.eat(Token::Colon) {
            return Err(self.unexpected("`:` or `in`"));
        }
        let from = self.expr()?;
        self.expect(Token::DotDot, " between the bounds")?;
        let to = self.expr()?;
        let (body, span) = self.for_body(start)?;
        Ok(Stmt { labels: Vec::new(), kind: StmtKind::For { variable, from, to, body }, span })
    }

    /// A `for` as in C. Its body is passed over.
    #[cold]
    #[inline(never)]
    fn foreign_for(&mut self, start: Span, declares: bool) -> Stmt {
        let (message, note) = if declares {
            ("a `for` declares no variable", Some("the variable is declared at the beginning of the process"))
        } else {
            ("a `for` of Promela has two bounds", None)
        };
        let help = "write `for (i : 0 .. 9) { … }`, which counts from 0 to 9, both included";
        let at = self.span();
        let mut diagnostic = foreign_syntax(at, message, "", help).label(start, "this loop");
        if let Some(note) = note {
            diagnostic = diagnostic.note(note);
        }
        self.report_here(diagnostic);
        // One parenthesis is open.
        let mut depth = 1_usize;
        while depth > 0 && !matches!(self.peek(), Token::Eof | Token::LeftBrace | Token::RightBrace) {
            match self.bump() {
                lexeme if lexeme.is(Token::LeftParen) => depth += 1,
                lexeme if lexeme.is(Token::RightParen) => depth -= 1,
                _ => {}
            }
        }
        self.skip_block();
        self.last.token = Token::RightBrace;
        skip(start)
    }

    /// The end of the head of a loop, and its body; with the span of the head.
    fn for_body(&mut self, start: Span) -> Parsed<(Block, Span)> {
        self.expect(Token::RightParen, " after the head of the loop")?;
        let span = self.since(start);
        if self.at(Token::LineEnd) || self.at(Token::Semicolon) {
            self.bump();
        }
        Ok((self.block(" before the body of the loop")?, span))
    }

    #[inline(never)]
    pub(super) fn select(&mut self) -> Parsed<StmtKind> {
        let start = self.bump().span;
        self.expect(Token::LeftParen, " after `select`")?;
        // SPIN's lexer matches plain text: a name without `_` and digits, on one line.
        let name = self.peek_at(0).lexeme;
        let mut plain = !self.in_inline()
            && !name.newline
            && !self.input.interner.text(name.symbol).contains('_')
            && self.second_is(Token::Colon);
        let variable = self.var_ref()?;
        self.expect(Token::Colon, " and the bounds")?;
        plain &= self.at(Token::Number) && self.on_line() && self.second_is(Token::DotDot);
        let from = self.expr()?;
        self.expect(Token::DotDot, " between the bounds")?;
        plain &= self.at(Token::Number) && self.on_line() && self.second_is(Token::RightParen);
        let to = self.expr()?;
        self.expect(Token::RightParen, " after the bounds")?;
        let form = match (&from.kind, &to.kind) {
            (&ExprKind::Int(low), &ExprKind::Int(high)) if plain => {
                if low > high {
                    let diagnostic =
                        Diagnostic::error(codes::EMPTY_SELECT, "there is nothing to select from")
                            .at(self.since(start), "the first bound is larger than the second one");
                    self.report(diagnostic);
                }
                let few = high.checked_sub(low).is_some_and(|difference| difference <= MAX_OPTIONS);
                if few { SelectForm::Options } else { SelectForm::Loop }
            }
            _ => SelectForm::General,
        };
        Ok(StmtKind::Select { variable, from, to, form })
    }

    /// Whether the next token is not the first of its line.
    fn on_line(&mut self) -> bool {
        !self.peek_at(0).lexeme.newline
    }

    /// Whether `token` comes after the next token, on the same line.
    fn second_is(&mut self, token: Token) -> bool {
        let next = self.peek_at(1);
        let Lexeme { newline, .. } = next.lexeme;
        next.token == token && !newline
    }
}
