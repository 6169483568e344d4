//! Statements, and the actions of transformations.

use ir::BinaryOp;
use source::{Diagnostic, Span, similar};

use super::{Crooked, Parsed, Parser, Reported};
use crate::ast::*;
use crate::codes;
use crate::lexer::Token;

/// Words that statements start with, and that are likely to be followed by a name.
pub const STATEMENT_WORDS: [&str; 9] =
    ["assert", "assume", "throw", "return", "start", "invoke", "while", "if", "goto"];

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
fn ends_block(token: Token) -> bool {
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
    fn when(&mut self) -> Parsed<Expr<'s>> {
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

    /// Reports a branch outside of `choose`. Its statements are parsed as if they belonged to the block around
    /// it.
    fn stray_branch(&mut self, block: Option<(&str, Span)>) {
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
            Token::Ident | Token::LeftParen => self.assignment(start)?,
            _ => return Err(self.unexpected("a statement")),
        };
        self.semicolon()?;
        Ok(Stmt { label: None, kind, span: self.since(start) })
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

    /// A condition up to `do`, and whether a brace follows instead. After an error in it, the block after it is
    /// parsed all the same, so that `end` finds its partner.
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
    fn end(&mut self, word: &'static str, start: Span, braced: bool) -> Parsed<()> {
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

    fn while_loop(&mut self) -> Parsed<Stmt<'s>> {
        let start = self.span();
        self.bump();
        let (test, braced) = self.test()?;
        let span = start.to(test.span);
        let body = self.block(braced);
        self.end("while", start, braced)?;
        Ok(Stmt { label: None, kind: StmtKind::While { test, body }, span })
    }

    /// Whether a loop starts here, or what was probably meant as one: `for` can be a name.
    fn at_for(&mut self) -> bool {
        self.at_word("for")
            && match self.peek_at(1) {
                Token::Ident => !matches!(self.peek_at(2), Token::Semicolon | Token::Assign),
                Token::LeftParen | Token::IntType | Token::LongType => true,
                _ => false,
            }
    }

    fn for_loop(&mut self) -> Parsed<Stmt<'s>> {
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
        Ok(Stmt { label: None, kind: StmtKind::For(Box::new(For { variable, over, body })), span })
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

    fn conditional_statement(&mut self) -> Parsed<Stmt<'s>> {
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

    fn choose(&mut self) -> Parsed<Stmt<'s>> {
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

    fn try_statement(&mut self) -> Parsed<Stmt<'s>> {
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
        Ok((Handler { record, variable, body, span }, braced))
    }
}
