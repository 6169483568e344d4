//! Statements, and the actions of transformations.

use ir::BinaryOp;
use source::{Diagnostic, Span, similar};

use super::{Parsed, Parser, Reported};
use crate::ast::*;
use crate::codes;
use crate::lexer::Token;

/// Words that statements start with, and that are likely to be followed by a name.
pub const STATEMENT_WORDS: [&str; 10] =
    ["assert", "assume", "throw", "delete", "return", "start", "invoke", "while", "if", "goto"];

/// Whether a statement other than an assignment starts with this token.
pub(super) fn starts_statement(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Atomic
            | While
            | If
            | Choose
            | Try
            | Return
            | Skip
            | Assert
            | Assume
            | Lock
            | Unlock
            | Wait
            | Unwait
            | Notify
            | NotifyAll
            | Throw
            | Start
            | Exit
            | Invoke
    )
}

/// Whether a list of statements ends before this token.
pub(super) fn ends_block(token: Token) -> bool {
    use Token::*;
    matches!(token, End | Else | Elseif | Catch | When | Do | RightBrace | Loc | Eof)
}

/// The operator of `place op= value`.
fn compound(token: Token) -> Option<BinaryOp> {
    Some(match token {
        Token::PlusAssign => BinaryOp::Add,
        Token::MinusAssign => BinaryOp::Sub,
        Token::StarAssign => BinaryOp::Mul,
        Token::SlashAssign => BinaryOp::Div,
        Token::PercentAssign => BinaryOp::Rem,
        Token::AndAssign => BinaryOp::BitAnd,
        Token::OrAssign => BinaryOp::BitOr,
        Token::CaretAssign => BinaryOp::BitXor,
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    /// Statements up to a token that none starts with. Inner blocks need at least one, and end in a keyword;
    /// bodies (the outermost) end in a brace.
    pub(super) fn statements(&mut self, inner: bool) -> Block<'s> {
        let mut block = Vec::new();
        let first = self.consumed;
        let mut is_empty = true;
        loop {
            let before = self.consumed;
            if inner && self.at_foreign_elseif() {
                is_empty &= before == first;
                break;
            }
            if self.at(Token::Do) && matches!(self.peek_at(1), Token::Colon | Token::LeftBrace) {
                let stop = |token| ends_block(token) || starts_statement(token);
                block.extend(self.element(Self::statement, stop));
                is_empty = false;
                continue;
            }
            if self.at(Token::When) {
                let stop = |token| ends_block(token) || starts_statement(token);
                block.extend(self.element(Self::wait_or_branch, stop).flatten());
                if self.branch.is_none() {
                    is_empty = false;
                    continue;
                }
                if inner {
                    is_empty &= before == first;
                    break;
                }
                self.stray_branch(None);
                block.extend(self.statements(true));
                self.eat(Token::End);
                is_empty = false;
                continue;
            }
            if ends_block(self.peek()) || self.at_member() {
                let misplaced = !inner && !matches!(self.peek(), Token::RightBrace | Token::Eof);
                if misplaced && !self.at_member() {
                    self.misplaced();
                    continue;
                }
                is_empty &= before == first;
                break;
            }
            let stop = |token| ends_block(token) || starts_statement(token);
            block.extend(self.element(Self::statement, stop));
        }
        if inner && is_empty {
            let (found, place) = match &self.branch {
                Some((_, span)) => ("the keyword `when`".to_owned(), *span),
                None => (self.describe_next(), self.span()),
            };
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, format!("expected a statement, found {found}"))
                    .at(place, "expected a statement")
                    .help("a block that does nothing is written `skip;`");
            self.report_here(diagnostic);
        }
        block
    }

    /// `when e;`, or `when e do` where a statement could begin, which is a branch of the `choose` around it.
    fn wait_or_branch(&mut self) -> Parsed<Option<Stmt<'s>>> {
        let start = self.span();
        let guard = self.when()?;
        if self.at(Token::Do) {
            self.bump();
            self.branch = Some((guard, self.since(start)));
            return Ok(None);
        }
        self.end_of_wait()?;
        Ok(Some(Stmt { label: None, kind: StmtKind::When(guard), span: self.since(start) }))
    }

    fn end_of_wait(&mut self) -> Parsed<()> {
        if !self.at(Token::Semicolon) && !self.at(Token::Do) {
            return Err(self.unexpected("`;` or `do` after the condition"));
        }
        self.semicolon()
    }

    /// `when e` or `when < e >`.
    pub(super) fn when(&mut self) -> Parsed<Expr<'s>> {
        self.bump();
        if !self.eat(Token::Less) {
            return self.expr();
        }
        let outer = std::mem::replace(&mut self.in_angles, true);
        let guard = self.expr();
        self.in_angles = outer;
        let guard = guard?;
        self.expect(Token::Greater, " after the guard")?;
        Ok(guard)
    }

    /// Reports a branch outside of `choose`. Its statements are parsed as if they belonged to the block
    /// around it.
    pub(super) fn stray_branch(&mut self, block: Option<(&str, Span)>) {
        let Some((_, span)) = self.branch.take() else { return };
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED, "`when … do` is a branch of `choose`")
            .at(span, "this is not in a `choose`");
        if let Some((word, keyword)) = block {
            diagnostic = diagnostic.label(keyword, format!("this `{word}` has not ended"));
        }
        self.report(diagnostic.help("a statement that waits for a condition is written `when e;`"));
        self.last_error = Some(self.ahead[0].start);
    }

    /// Reports a keyword at the outermost level of a body that ends a block.
    fn misplaced(&mut self) {
        if !self.at(Token::Loc) {
            let found = self.describe_next();
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, format!("expected a statement, found {found}"))
                    .at(self.span(), "expected a statement");
            let diagnostic = if self.at(Token::End) {
                diagnostic.help("all blocks before this have ended; a body ends with `}`")
            } else {
                diagnostic
            };
            self.report_here(diagnostic);
            self.bump();
            return;
        }
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, "a body is made either of statements or of locations")
                .at(self.span(), "this body started with a statement");
        self.report_here(diagnostic);
        // The rest is probably another language: skip the body.
        while !self.at(Token::Eof) && !self.at_member() {
            if self.at(Token::RightBrace) && !matches!(self.peek_at(1), Token::Goto | Token::Return) {
                break;
            }
            self.bump();
        }
    }

    fn statement(&mut self) -> Parsed<Stmt<'s>> {
        if let Some(foreign) = self.foreign_statement() {
            return foreign;
        }
        let label = self.label()?;
        let stmt = self.nested(Self::statement_here)?;
        Ok(Stmt { label, ..stmt })
    }

    /// `name:` or `name end:` before a statement.
    fn label(&mut self) -> Parsed<Option<Label<'s>>> {
        let next = self.peek_at(1);
        let marked = next == Token::End && self.peek_at(2) == Token::Colon;
        if !(next == Token::Colon || marked) || !(self.at(Token::Ident) || self.peek().is_keyword()) {
            return Ok(None);
        }
        let name = self.name("a label")?;
        let end = self.eat(Token::End);
        self.bump();
        if ends_block(self.peek()) && !self.at(Token::When) || self.at_member() {
            let diagnostic = Diagnostic::error(
                codes::UNEXPECTED,
                format!("expected a statement after the label, found {}", self.describe_next()),
            )
            .at(self.span(), "expected a statement")
            .label(name.span, "the label is here")
            .help("a label names the place before a statement; `skip;` does nothing");
            return Err(self.report_here(diagnostic));
        }
        Ok(Some(Label { name, end }))
    }

    fn statement_here(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        match self.peek() {
            Token::Atomic => {
                self.bump();
                let braced = self.eat_brace();
                let body = self.block(braced);
                self.end("atomic", start, braced)?;
                Ok(Stmt { label: None, kind: StmtKind::Atomic(body), span: start })
            }
            Token::While => self.while_loop(),
            Token::When => {
                let guard = self.when()?;
                self.end_of_wait()?;
                Ok(Stmt { label: None, kind: StmtKind::When(guard), span: self.since(start) })
            }
            Token::Ident if self.at_for() => self.for_loop(),
            Token::Ident if self.at_word("break") && self.peek_at(1) == Token::Semicolon => {
                self.leave(StmtKind::Break)
            }
            Token::Ident if self.at_word("continue") && self.peek_at(1) == Token::Semicolon => {
                self.leave(StmtKind::Continue)
            }
            Token::If => self.conditional_statement(),
            Token::Choose => self.choose(),
            Token::Try => self.try_statement(),
            Token::Return => {
                self.bump();
                let without = self.at(Token::Semicolon) || ends_block(self.peek());
                let value = if without { None } else { Some(self.expr()?) };
                self.semicolon()?;
                Ok(Stmt { label: None, kind: StmtKind::Return(value), span: self.since(start) })
            }
            _ if self.at_variable() => Err(self.late_local()),
            _ => self.action(),
        }
    }

    pub(super) fn late_local(&mut self) -> Reported {
        let mut diagnostic =
            Diagnostic::error(codes::LATE_LOCAL, "variables are declared at the start of a body")
                .at(self.span(), "this looks like a declaration");
        let similar = similar(self.slice(self.ahead[0]), STATEMENT_WORDS);
        if let Some(similar) = similar.filter(|_| self.at(Token::Ident)) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        } else {
            diagnostic = diagnostic.help("move it to the start of the body of the procedure");
        }
        self.report_here(diagnostic)
    }

    /// Actions up to a closing brace.
    pub(super) fn actions(&mut self) -> Vec<Stmt<'s>> {
        let mut actions = Vec::new();
        while !matches!(self.peek(), Token::RightBrace | Token::Eof | Token::Loc) && !self.at_member() {
            actions.extend(self.element(Self::action_only, starts_statement));
        }
        actions
    }

    fn action_only(&mut self) -> Parsed<Stmt<'s>> {
        let word = match self.peek() {
            token @ (Token::Atomic
            | Token::While
            | Token::If
            | Token::Choose
            | Token::Try
            | Token::Return) => token.fixed_text().unwrap_or_default(),
            _ if self.at_variable() => return Err(self.late_local()),
            _ => {
                let action = self.action()?;
                if !matches!(action.kind, StmtKind::Invoke(_)) {
                    return Ok(action);
                }
                let diagnostic = Diagnostic::error(codes::UNEXPECTED, "`invoke` is no action")
                    .at(action.span, "")
                    .help("a call is a transformation of its own: `loc l: invoke f() goto m;`");
                self.report(diagnostic);
                return Err(Reported);
            }
        };
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, format!("expected an action, found the keyword `{word}`"))
                .at(self.span(), "expected an action")
                .help("a transformation has only actions; its jump comes behind the braces");
        Err(self.report_here(diagnostic))
    }

    fn action(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Assert => {
                self.bump();
                self.warn_of_macro();
                let test = self.expr()?;
                if self.at(Token::Comma) {
                    let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `:` or `;`, found `,`")
                        .at(self.span(), "expected `:`")
                        .help("the message of an assertion follows a colon: `assert e : \"…\";`");
                    return Err(self.report_here(diagnostic));
                }
                let message = if self.eat(Token::Colon) { Some(self.message()?) } else { None };
                StmtKind::Assert(test, message)
            }
            Token::Assume => {
                self.bump();
                StmtKind::Assume(self.expr()?)
            }
            Token::Throw => {
                self.bump();
                StmtKind::Throw(self.expr()?)
            }
            Token::Lock => self.monitor(MonitorOp::Lock)?,
            Token::Unlock => self.monitor(MonitorOp::Unlock)?,
            Token::Wait => self.monitor(MonitorOp::Wait)?,
            Token::Unwait => self.monitor(MonitorOp::Unwait)?,
            Token::Notify => self.monitor(MonitorOp::Notify)?,
            Token::NotifyAll => self.monitor(MonitorOp::NotifyAll)?,
            Token::Exit => {
                self.bump();
                StmtKind::Exit
            }
            Token::Skip => {
                self.bump();
                StmtKind::Skip
            }
            Token::Start => self.start(None)?,
            Token::Invoke => StmtKind::Invoke(self.invoke(None, start)?),
            Token::Ident if self.at_delete() => {
                self.bump();
                StmtKind::Delete(self.expr()?)
            }
            Token::Ident | Token::LeftParen => self.assignment(start)?,
            _ => return Err(self.unexpected("a statement")),
        };
        self.semicolon()?;
        Ok(Stmt { label: None, kind, span: self.since(start) })
    }

    /// Whether a statement `delete e;` starts here, rather than one about something with that name.
    pub(super) fn at_delete(&mut self) -> bool {
        self.at_word("delete")
            && matches!(self.peek_at(1), Token::Ident | Token::LeftParen | Token::Null)
            && !matches!(self.peek_at(2), Token::Assign | Token::Equal)
    }

    /// Warns of `assert!(e)`, which is meant otherwise in another language.
    fn warn_of_macro(&mut self) {
        let (word, sign) = (self.last, self.ahead[0]);
        let next = self.lexeme_at(1);
        if (sign.token, next.token) == (Token::Bang, Token::LeftParen)
            && word.end == sign.start
            && sign.end == next.start
        {
            let span = self.span_of(word).to(self.span_of(sign));
            self.report(
                Diagnostic::warning(codes::NEGATED_ASSERTION, "this asserts that the condition is false")
                    .at(span, "`!` is the negation of what follows")
                    .help("write `assert (…)` if it should be true, and `assert !(…)` if not"),
            );
        }
    }

    /// The message of an assertion.
    fn message(&mut self) -> Parsed<String> {
        if !self.at(Token::Str) {
            return Err(self.unexpected("the message of the assertion, in quotes"));
        }
        let text = self.string_literal();
        self.bump();
        Ok(text)
    }

    /// `break;` or `continue;`
    fn leave(&mut self, kind: StmtKind<'s>) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        self.semicolon()?;
        Ok(Stmt { label: None, kind, span: self.since(start) })
    }

    fn monitor(&mut self, op: MonitorOp) -> Parsed<StmtKind<'s>> {
        self.bump();
        self.expect(Token::LeftParen, " before the lock")?;
        let lock = self.expr()?;
        self.expect(Token::RightParen, " after the lock")?;
        Ok(StmtKind::Monitor(op, lock))
    }

    fn start(&mut self, place: Option<Expr<'s>>) -> Parsed<StmtKind<'s>> {
        self.bump();
        let thread = self.name("the name of a thread")?;
        let args = self.args()?;
        Ok(StmtKind::Start { place, thread, args })
    }

    pub(super) fn invoke(&mut self, place: Option<Expr<'s>>, start: Span) -> Parsed<Invoke<'s>> {
        self.bump();
        let dispatch = self.eat(Token::Virtual);
        let callee =
            self.name(if dispatch { "the name of a table of functions" } else { "the name of a function" })?;
        let args = self.args()?;
        Ok(Invoke { place, dispatch, callee, args, span: self.since(start) })
    }

    /// `place := value`, with all kinds of values, or an operation that changes a collection.
    fn assignment(&mut self, start: Span) -> Parsed<StmtKind<'s>> {
        let place = self.expr()?;
        if self.at(Token::Semicolon) && matches!(place.kind, ExprKind::Operation(_)) {
            return Ok(StmtKind::Change(place));
        }
        if let Some(reported) = self.foreign_assignment(&place) {
            return Err(reported);
        }
        if let Some(op) = compound(self.peek()) {
            let lexeme = self.bump();
            let right = self.expr()?;
            let height = place.height.max(right.height) + 1;
            let (op_span, span, left) = (self.span_of(lexeme), place.span.to(right.span), place.clone());
            let binary = Binary { op, op_span, left, right };
            let value = self.tree(ExprKind::Binary(Box::new(binary)), span, height)?;
            return Ok(StmtKind::Assign { place, value });
        }
        self.expect(Token::Assign, "")?;
        match self.peek() {
            Token::Start => self.start(Some(place)),
            Token::Invoke => Ok(StmtKind::Invoke(self.invoke(Some(place), start)?)),
            _ => Ok(StmtKind::Assign { place, value: self.expr()? }),
        }
    }
}
