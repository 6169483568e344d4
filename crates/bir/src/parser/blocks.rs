//! Statements with blocks: loops, conditions, choices, handlers.

use source::{Diagnostic, Span};

use super::statements::{ends_block, starts_statement};
use super::{Crooked, Parsed, Parser, Reported};
use crate::ast::*;
use crate::codes;
use crate::lexer::Token;

impl<'s> Parser<'s, '_> {
    /// A condition up to `do`, and whether a brace follows instead. After an error in it, the block after it
    /// is parsed all the same, so that `end` finds its partner.
    fn test(&mut self) -> Parsed<(Expr<'s>, bool)> {
        let start = self.span();
        let parsed = self.expr();
        let parsed = parsed.and_then(|test| self.begin("the condition").map(|braced| (test, braced)));
        parsed.or_else(|Reported| self.skip_to_do(start))
    }

    fn skip_to_do(&mut self, start: Span) -> Parsed<(Expr<'s>, bool)> {
        while !self.at(Token::Do) && !self.at(Token::LeftBrace) {
            if ends_block(self.peek()) || self.at(Token::Semicolon) || starts_statement(self.peek()) {
                return Err(Reported);
            }
            self.bump();
        }
        let braced = self.bump().token == Token::LeftBrace;
        Ok((Expr { kind: ExprKind::Error, span: start, height: 1 }, braced))
    }

    /// The `end` of a statement whose keyword is at `start`.
    pub(super) fn end(&mut self, word: &'static str, start: Span, braced: bool) -> Parsed<()> {
        let keyword = Span::new(start.file, start.start, start.start + word.len() as u32);
        while self.branch.is_some() {
            self.stray_branch(Some((word, keyword)));
            self.statements(true);
            if self.eat(Token::End) && !self.at(Token::End) && self.branch.is_none() {
                // The `end` of the branch, rather than of the block around it.
                self.statements(true);
            }
        }
        if braced {
            return Ok(());
        }
        if self.at(Token::End) {
            let end = self.span();
            if self.indentation(end) != self.indentation(keyword) {
                self.crooked.push(Crooked { word, keyword, end });
            }
            self.bump();
            return Ok(());
        }
        let found = self.describe_next();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, format!("expected `end`, found {found}"))
            .at(self.span(), "expected `end`")
            .label(keyword, format!("to end this `{word}`"));
        // A block inside of it may have got the `end` that was meant for it.
        let suspect = self.crooked.iter().find(|block| block.keyword.start > keyword.start);
        let diagnostic = match suspect {
            Some(Crooked { word, keyword, end }) => diagnostic
                .label(*keyword, format!("perhaps it is this `{word}` that has not ended"))
                .label(*end, "since this `end` is indented otherwise"),
            None => diagnostic,
        };
        Err(self.report_here(diagnostic))
    }

    /// What comes before a token on its line, if that is blank.
    fn indentation(&self, span: Span) -> Option<&'s str> {
        let before = &self.text[..span.start as usize];
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        line.trim().is_empty().then_some(line)
    }

    pub(super) fn while_loop(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        let (test, braced) = self.test()?;
        let span = start.to(test.span);
        let body = self.block(braced);
        self.end("while", start, braced)?;
        Ok(Stmt { label: None, kind: StmtKind::While { test, body }, span })
    }

    /// Whether a loop starts here, or what was probably meant as one: `for` can be a name.
    pub(super) fn at_for(&mut self) -> bool {
        self.at_word("for")
            && match self.peek_at(1) {
                Token::Ident => !matches!(self.peek_at(2), Token::Semicolon | Token::Assign),
                Token::LeftParen | Token::IntType | Token::LongType => true,
                _ => false,
            }
    }

    pub(super) fn for_loop(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        if !self.at(Token::Ident) {
            return Ok(self.foreign_for(start));
        }
        let variable = self.name("the name of a variable")?;
        if !self.eat_word("in") {
            return Ok(self.foreign_for(start));
        }
        let over = self.over().or_else(|Reported| {
            let (elements, braced) = self.skip_to_do(start)?;
            Ok((Over::Elements(elements), braced))
        });
        let (over, braced) = over?;
        let span = match &over {
            Over::Range { to, .. } => start.to(to.span),
            Over::Elements(elements) => start.to(elements.span),
        };
        let body = self.block(braced);
        self.end("for", start, braced)?;
        let extent = self.since(start);
        Ok(Stmt { label: None, kind: StmtKind::For(Box::new(For { variable, over, body, extent })), span })
    }

    /// What a `for` runs over, up to `do`, and whether a brace follows instead.
    fn over(&mut self) -> Parsed<(Over<'s>, bool)> {
        let from = self.expr()?;
        let inclusive = self.at(Token::DotDotEqual);
        if !inclusive && !self.at(Token::DotDot) {
            let braced = self.begin("what the loop runs over")?;
            return Ok((Over::Elements(from), braced));
        }
        self.bump();
        let to = self.expr()?;
        let braced = self.begin("the range")?;
        Ok((Over::Range { from, to, inclusive }, braced))
    }

    pub(super) fn conditional_statement(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        let (test, mut braced) = self.test()?;
        let span = start.to(test.span);
        let mut arms = vec![(test, self.block(braced))];
        while self.eat(Token::Elseif) || self.eat_else_if() || self.eat_foreign_elseif() {
            let (test, in_braces) = self.test()?;
            arms.push((test, self.block(in_braces)));
            braced = in_braces;
        }
        let otherwise = self.otherwise(&mut braced)?;
        self.end("if", start, braced)?;
        Ok(Stmt { label: None, kind: StmtKind::If { arms, otherwise }, span })
    }

    /// `else if`, which is `elseif`.
    fn eat_else_if(&mut self) -> bool {
        let found = self.at(Token::Else) && self.peek_at(1) == Token::If;
        if found {
            self.bump();
            self.bump();
        }
        found
    }

    fn otherwise(&mut self, braced: &mut bool) -> Parsed<Option<Block<'s>>> {
        if !self.eat(Token::Else) {
            return Ok(None);
        }
        *braced = self.begin("`else`")?;
        Ok(Some(self.block(*braced)))
    }

    pub(super) fn choose(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        let mut branches = Vec::new();
        while self.branch.is_some() || self.at(Token::When) || self.at(Token::Do) {
            branches.push(self.branch()?);
        }
        if branches.is_empty() {
            return Err(self.unexpected("`when <…> do` or `do`"));
        }
        let mut braced = false;
        let otherwise = self.otherwise(&mut braced)?;
        self.end("choose", start, braced)?;
        Ok(Stmt { label: None, kind: StmtKind::Choose { branches, otherwise }, span: start })
    }

    fn branch(&mut self) -> Parsed<Branch<'s>> {
        if let Some((guard, span)) = self.branch.take() {
            let body = self.statements(true);
            return Ok(Branch { guard: Some(guard), body, span });
        }
        let start = self.span();
        let (mut guard, mut braced) = (None, false);
        if self.at(Token::When) {
            let (parsed, in_braces) = self.guard().or_else(|Reported| self.skip_to_do(start))?;
            (guard, braced) = (Some(parsed), in_braces);
        } else {
            self.bump();
        }
        let span = self.since(start);
        let body = self.block(braced);
        Ok(Branch { guard, body, span })
    }

    /// `when < e > do`, and whether a brace follows instead of `do`.
    fn guard(&mut self) -> Parsed<(Expr<'s>, bool)> {
        let guard = self.when()?;
        let braced = self.begin("the guard")?;
        Ok((guard, braced))
    }

    pub(super) fn try_statement(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        let mut braced = self.eat_brace();
        let body = self.block(braced);
        let mut handlers = Vec::new();
        while self.at(Token::Catch) {
            let (handler, in_braces) = self.handler()?;
            handlers.push(handler);
            braced = in_braces;
        }
        if handlers.is_empty() {
            return Err(self.unexpected("`catch` after the statements of `try`"));
        }
        self.end("try", start, braced)?;
        Ok(Stmt { label: None, kind: StmtKind::Try { body, handlers }, span: start })
    }

    fn handler(&mut self) -> Parsed<(Handler<'s>, bool)> {
        let start = self.span();
        self.bump();
        self.expect(Token::LeftParen, " after `catch`")?;
        let record = self.name("the name of a record")?;
        let variable = self.name("the name of a variable")?;
        self.expect(Token::RightParen, " after the variable")?;
        let span = self.since(start);
        let braced = self.eat_brace();
        let body = self.block(braced);
        let extent = self.since(span);
        Ok((Handler { record, variable, body, span, extent }, braced))
    }
}
