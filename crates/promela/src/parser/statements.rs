//! Statements, and sequences of them.

use source::{Diagnostic, Span};

use super::declarations::Declared;
use super::{Parsed, Parser, Reported};
use crate::ast::{
    Block, Expr, ExprKind, Name, Part, Print, ReceiveArg, ReceiveArgKind, Stmt, StmtKind, VarRef,
};
use crate::codes;
use crate::lexer::Token;
use crate::text::clip;

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self, context: &str) -> Parsed<Block> {
        let start = self.expect(Token::LeftBrace, context)?;
        let (steps, end) = self.within(Token::RightBrace, start, |parser| {
            let mut steps = parser.sequence()?;
            let mut is_first = true;
            loop {
                match parser.peek() {
                    Token::RightBrace => return Ok((steps, parser.bump().span)),
                    // Something around this block goes on here, so that its brace is missing.
                    Token::Separator if parser.is_open(Token::Fi) || parser.is_open(Token::Od) => {}
                    Token::Eof => {}
                    end if parser.is_open(end) => {}
                    end => {
                        // Others that follow have the same cause.
                        if std::mem::take(&mut is_first) {
                            parser.stray_end(end);
                        }
                        parser.bump();
                        parser.last_error = Some(parser.consumed);
                        steps.extend(parser.sequence()?);
                        continue;
                    }
                }
                parser.unclosed();
                return Ok((steps, parser.last.lexeme.span));
            }
        })?;
        self.compare_indentation(start, end);
        Ok(Block { steps, span: self.since(start), end, inlined: None })
    }

    /// A `::`, `fi` or `od` that belongs to nothing.
    #[cold]
    #[inline(never)]
    fn stray_end(&mut self, end: Token) {
        let text = end.text().unwrap_or_default();
        let (label, help) = match end {
            Token::Separator => {
                ("no `if` and no `do` is open here", "options are between `if` and `fi`, or `do` and `od`")
            }
            Token::Fi => ("no `if` is open here", "is this one too many?"),
            _ => ("no `do` is open here", "is this one too many?"),
        };
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, format!("expected `}}` or a statement, found `{text}`"))
                .at(self.span(), label)
                .help(help);
        self.report_here(diagnostic);
    }

    pub(super) fn at_separator(&mut self) -> bool {
        matches!(self.peek(), Token::Semicolon | Token::Arrow | Token::LineEnd)
    }

    /// Whether a sequence ends here.
    fn at_end(&mut self) -> bool {
        matches!(self.peek(), Token::RightBrace | Token::Separator | Token::Fi | Token::Od | Token::Eof)
    }

    /// Statements and separators, at least one statement. An error in a statement is reported, and parsing
    /// continues with the next one.
    pub(super) fn sequence(&mut self) -> Parsed<Vec<Stmt>> {
        let mut steps = Vec::new();
        if self.at(Token::Eof) {
            self.unclosed();
        }
        if self.at_end() {
            self.no_statement();
        }
        let mut after_else = false;
        while !self.at_end() {
            let before = self.consumed;
            if let Ok(step) = self.nested(Self::step) {
                let is_else = matches!(step.kind, StmtKind::Else);
                let done = self.last.token == Token::RightBrace || is_else;
                if let Some(Stmt { kind: StmtKind::Else, span, .. }) = steps.last().filter(|_| after_else) {
                    self.check_after_else(*span, &step);
                }
                after_else = is_else && !self.at_separator();
                steps.push(step);
                if !done && !self.at_separator() && !self.at_end() {
                    let is_guard = steps.len() == 1 && matches!(steps[0].kind, StmtKind::Expr(_));
                    self.missing_separator(is_guard);
                    self.skip_statement();
                }
            } else {
                if self.at_unit() {
                    return Err(Reported);
                }
                if self.consumed == before {
                    self.bump();
                }
                self.skip_statement();
            }
            while self.at_separator() {
                self.bump();
            }
        }
        Ok(steps)
    }

    #[cold]
    #[inline(never)]
    fn no_statement(&mut self) {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected a statement, found nothing")
            .at(self.span(), "expected a statement before this")
            .help("`skip` is a statement that does nothing");
        self.report_here(diagnostic);
    }

    /// Warns of `else condition`: the condition does not belong to the `else`.
    #[cold]
    #[inline(never)]
    fn check_after_else(&mut self, otherwise: Span, step: &Stmt) {
        let StmtKind::Expr(Expr { kind, .. }) = &step.kind else { return };
        if matches!(kind, ExprKind::Int(_) | ExprKind::Timeout | ExprKind::Run(_)) {
            return;
        }
        let diagnostic = Diagnostic::warning(codes::ELSE_CONDITION, "an `else` has no condition")
            .at(step.span, "this is waited for when the `else` was taken")
            .label(otherwise, "the `else`")
            .help("an option with a condition starts with the condition: `:: x == 1 -> …`");
        self.report(diagnostic);
    }

    #[cold]
    #[inline(never)]
    fn missing_separator(&mut self, is_guard: bool) {
        use Token::{Assert, Atomic, Break, DStep, Do, Else, For, Goto, If, Printf, Printm, Return, Select};
        if self.at(Token::Assign) && self.second() != Token::Greater && self.last.token == Token::Ident {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "an assignment has no value")
                .at(self.span(), "this cannot be part of an expression")
                .help("`==` compares; two variables are set by two statements: `x = 0; y = 0`");
            self.report_here(diagnostic);
            return;
        }
        let next = self.peek_at(0);
        let begins = starts_expr(next.token)
            || matches!(
                next.token,
                If | Do
                    | Atomic
                    | DStep
                    | For
                    | Select
                    | Goto
                    | Break
                    | Else
                    | Assert
                    | Printf
                    | Printm
                    | Return
            );
        if begins && !self.at_unit() && self.recognised().is_none() {
            let text = clip(self.input.interner.text(next.lexeme.symbol));
            let (separator, reason) = if is_guard {
                ("->", "after the guard of an option")
            } else {
                (";", "between two statements")
            };
            let message = format!("expected `;` or `->` between two statements, found `{text}`");
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                .at(next.lexeme.span, "another statement starts here")
                .help(format!("write `{separator}` {reason}"));
            self.report_here(diagnostic);
            return;
        }
        self.unexpected("`;` or `->` between two statements");
    }

    /// A declaration or statement, with the part after `unless`.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        if self.at_declaration() {
            return self.declared(start);
        }
        if matches!(self.peek(), Token::Xr | Token::Xs) {
            return self.exclusive(start);
        }
        let main = self.statement()?;
        if !self.at(Token::Unless) {
            return Ok(main);
        }
        let span = self.bump().span;
        let escape = self.statement()?;
        let kind = StmtKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Stmt { labels: Vec::new(), kind, span })
    }

    #[inline(never)]
    fn declared(&mut self, start: Span) -> Parsed<Stmt> {
        match self.declaration()? {
            Declared::Variables(declaration) => Ok(self.plain(StmtKind::Declaration(declaration), start)),
            Declared::Mtype(mtype) => {
                self.must_be_global("the elements of an mtype", mtype.span);
                Ok(skip(start))
            }
        }
    }

    /// `xr` or `xs`, and channels.
    #[inline(never)]
    fn exclusive(&mut self, start: Span) -> Parsed<Stmt> {
        let receive = self.at(Token::Xr);
        self.bump();
        let mut channels = vec![self.var_ref()?];
        while self.eat(Token::Comma) {
            channels.push(self.var_ref()?);
        }
        Ok(self.plain(StmtKind::Exclusive { receive, channels }, start))
    }

    /// A statement that ends with the last token.
    fn plain(&self, kind: StmtKind, start: Span) -> Stmt {
        Stmt { labels: Vec::new(), kind, span: self.since(start) }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels: Vec<Name> = Vec::new();
        while self.at(Token::Ident)
            && self.second() == Token::Colon
            && !self.at_process()
            && !self.at_pascal(1)
        {
            labels.push(self.name("a label")?);
            self.bump();
        }
        if let Some(label) = labels.last() {
            let span = label.span;
            if self.at_declaration() || matches!(self.peek(), Token::Xr | Token::Xs) {
                return Err(self.labelled_declaration(span));
            }
            if self.at_separator() || self.at_end() || self.at(Token::Unless) {
                return Ok(Stmt { labels, ..skip(span) });
            }
        }
        let statement = self.unlabelled()?;
        Ok(Stmt { labels, ..statement })
    }

    #[cold]
    #[inline(never)]
    fn labelled_declaration(&mut self, label: Span) -> Reported {
        let diagnostic = Diagnostic::error(codes::LABELLED_DECLARATION, "a declaration cannot have a label")
            .at(self.span(), "this is a declaration")
            .label(label, "the label")
            .help("move the declaration before the label");
        self.report_here(diagnostic)
    }

    fn unlabelled(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let headed = |kind| Ok(Stmt { labels: Vec::new(), kind, span: start });
        let kind = match self.peek() {
            Token::If => return headed(StmtKind::If(self.options(Token::Fi)?)),
            Token::Do => return headed(StmtKind::Do(self.options(Token::Od)?)),
            Token::Atomic => {
                self.bump();
                return headed(StmtKind::Atomic(self.block(" after `atomic`")?));
            }
            Token::DStep => {
                self.bump();
                return headed(StmtKind::DStep(self.block(" after `d_step`")?));
            }
            Token::LeftBrace => return headed(StmtKind::Block(self.block("")?)),
            Token::For => return self.for_loop(),
            Token::Select => self.select()?,
            Token::Goto => {
                self.bump();
                StmtKind::Goto(self.name("a label")?)
            }
            Token::Break => {
                self.bump();
                StmtKind::Break
            }
            Token::Else => {
                self.bump();
                StmtKind::Else
            }
            Token::Assert => {
                self.bump();
                StmtKind::Assert(self.expr()?)
            }
            Token::Printf => self.printf()?,
            Token::Printm => {
                self.bump();
                self.expect(Token::LeftParen, " after `printm`")?;
                let value = self.expr()?;
                self.expect(Token::RightParen, " after the argument of `printm`")?;
                StmtKind::Printm(value)
            }
            Token::SetPriority => {
                self.bump();
                self.expect(Token::LeftParen, " after `set_priority`")?;
                let process = self.expr()?;
                self.expect(Token::Comma, " and a priority")?;
                let priority = self.expr()?;
                self.expect(Token::RightParen, " after the arguments of `set_priority`")?;
                StmtKind::SetPriority(process, priority)
            }
            Token::Return if self.in_function && !self.returns_to_call() => self.return_from_function()?,
            Token::Return => self.return_value()?,
            Token::Ident if self.at_delete() => self.delete()?,
            Token::CCode => {
                self.embedded_c();
                return Ok(skip(start));
            }
            _ => match self.at_call() {
                Some(index) => {
                    let block = self.call(index, None)?;
                    let span = block.inlined.as_ref().map_or(start, |call| call.span);
                    return Ok(Stmt { labels: Vec::new(), kind: StmtKind::Block(block), span });
                }
                None if self.at(Token::Ident) && self.second() == Token::LeftParen && !self.at_callable() => {
                    self.bad_call();
                    return Ok(skip(start));
                }
                None => self.simple()?,
            },
        };
        Ok(self.plain(kind, start))
    }

    /// `return e`, which assigns to the variable that the call of the inline is assigned to.
    #[cold]
    #[inline(never)]
    fn return_value(&mut self) -> Parsed<StmtKind> {
        let span = self.bump().span;
        let call = self.frames.last().and_then(|frame| frame.call.clone());
        if self.at_separator() || self.at_end() {
            let diagnostic = Diagnostic::error(codes::STRAY_RETURN, "a `return` without a value")
                .at(span, "this returns nothing")
                .help("a process or an inline ends at its closing brace: `goto` a label there");
            return Err(self.report_here(diagnostic));
        }
        let value = self.expr()?;
        let Some(target) = call.as_ref().and_then(|call| call.result.clone()) else {
            let diagnostic = Diagnostic::error(codes::STRAY_RETURN, "nothing takes what is returned here");
            let diagnostic = if call.is_some() {
                diagnostic
                    .at(span, "this is in an inline whose call is not assigned")
                    .help("`x = name(args)` calls an inline for its result")
            } else {
                diagnostic
                    .at(span, "this is not in an inline")
                    .help("a process hands over a value through a global variable or a channel: `q!x`")
            };
            self.report(diagnostic);
            return Err(Reported);
        };
        Ok(StmtKind::Assign { target, value })
    }

    /// A statement that starts with an expression.
    #[inline(never)]
    fn simple(&mut self) -> Parsed<StmtKind> {
        let named = matches!(self.peek(), Token::Ident | Token::Star);
        let expr = match self.peek() {
            token if starts_expr(token) => self.expr()?,
            _ => return Err(self.unexpected("a statement")),
        };
        if matches!(expr.kind, ExprKind::Var(_)) && named && self.at_pascal(0) {
            self.pascal();
        }
        let next = self.peek();
        let target = match expr.kind {
            ExprKind::Var(target) if named && takes_variable(next) => target,
            ExprKind::Var(callee) if named && next == Token::LeftParen && self.has_function_types() => {
                return Ok(StmtKind::Call { target: None, callee, args: self.arguments()? });
            }
            ExprKind::Call(name, args) if named => {
                return Ok(StmtKind::Call { target: None, callee: whole(name), args });
            }
            _ => return Ok(StmtKind::Expr(expr)),
        };
        self.bump();
        Ok(match next {
            Token::Assign => match self.at_call() {
                Some(index) => StmtKind::Block(self.call(index, Some(target))?),
                None if self.at_new() => StmtKind::New { target, made: self.new_object()? },
                None => self.assigned(target)?,
            },
            Token::Increment => StmtKind::Increment(target),
            Token::Decrement => StmtKind::Decrement(target),
            Token::Not | Token::SortedSend => {
                let args = self.send_args()?;
                StmtKind::Send { channel: target, sorted: next == Token::SortedSend, args }
            }
            _ => self.receive(target, next == Token::RandomReceive)?,
        })
    }

    /// The value of an assignment, which may be the call of a function.
    fn assigned(&mut self, target: VarRef) -> Parsed<StmtKind> {
        let value = self.expr()?;
        Ok(match value.kind {
            ExprKind::Call(name, args) => StmtKind::Call { target: Some(target), callee: whole(name), args },
            ExprKind::Var(callee) if self.at(Token::LeftParen) && self.has_function_types() => {
                StmtKind::Call { target: Some(target), callee, args: self.arguments()? }
            }
            _ => StmtKind::Assign { target, value },
        })
    }

    fn send_args(&mut self) -> Parsed<Vec<Expr>> {
        let mut args = vec![self.expr()?];
        let open = self.eat(Token::LeftParen);
        if open {
            args.push(self.expr()?);
        }
        while self.eat(Token::Comma) {
            args.push(self.expr()?);
        }
        if open {
            self.expect(Token::RightParen, " after the fields of a message")?;
        }
        Ok(args)
    }

    fn receive(&mut self, channel: VarRef, random: bool) -> Parsed<StmtKind> {
        if let Some(name) = channel.as_name().filter(|name| &*name.text == "STDIN") {
            let diagnostic =
                Diagnostic::error(codes::UNSUPPORTED_SYNTAX, "`STDIN`: input from outside is not supported")
                    .at(name.span, "a model that is checked has no input")
                    .help("`select` chooses among all inputs that there can be");
            self.report(diagnostic);
        }
        let copy = self.eat(Token::Less);
        let args = self.receive_args()?;
        if copy {
            self.expect(Token::Greater, " after the fields of a message")?;
        }
        Ok(StmtKind::Receive { channel, random, copy, args })
    }

    /// `a, b`, `(a, b)` or `a(b, c)`.
    pub(super) fn receive_args(&mut self) -> Parsed<Vec<ReceiveArg>> {
        let mut args = Vec::new();
        let mut open = 0_usize;
        loop {
            while self.eat(Token::LeftParen) {
                open += 1;
            }
            args.push(self.receive_arg()?);
            if self.eat(Token::LeftParen) {
                open += 1;
                continue;
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        for _ in 0..open {
            self.expect(Token::RightParen, " after the fields of a message")?;
        }
        Ok(args)
    }

    fn receive_arg(&mut self) -> Parsed<ReceiveArg> {
        let start = self.span();
        let kind = if self.eat(Token::Eval) {
            self.expect(Token::LeftParen, " after `eval`")?;
            let value = self.expr()?;
            self.expect(Token::RightParen, " after the argument of `eval`")?;
            ReceiveArgKind::Eval(value)
        } else if self.eat(Token::Minus) {
            ReceiveArgKind::Int(self.literal()?.value.wrapping_neg())
        } else if self.at_literal() {
            ReceiveArgKind::Int(self.literal()?.value)
        } else if self.at(Token::Ident) {
            ReceiveArgKind::Var(self.var_ref()?)
        } else {
            return Err(self.unexpected("a variable, a constant or `eval`"));
        };
        Ok(ReceiveArg { kind, span: self.since(start) })
    }

    #[inline(never)]
    fn printf(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Token::LeftParen, " after `printf`")?;
        if !self.at(Token::Str) {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected a text in double quotes")
                .at(self.span(), "`printf` starts with a text")
                .help("write `printf(\"x is %d\\n\", x)`");
            return Err(self.report_here(diagnostic));
        }
        let lexeme = self.bump();
        let text = self.input.interner.text(lexeme.symbol);
        let format = text[1..text.len() - 1].into();
        let mut args = Vec::new();
        while self.eat(Token::Comma) {
            args.push(self.expr()?);
        }
        self.expect(Token::RightParen, " or `,` after an argument of `printf`")?;
        Ok(StmtKind::Printf(Print { format, format_span: lexeme.span, args }))
    }
}

/// Whether a token after a variable starts a statement that is not a condition.
fn takes_variable(token: Token) -> bool {
    use Token::*;
    matches!(token, Assign | Increment | Decrement | Not | SortedSend | Question | RandomReceive)
}

pub(super) fn starts_expr(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Ident
            | Number
            | Char
            | True
            | False
            | Skip
            | LeftParen
            | Not
            | Minus
            | Tilde
            | Run
            | Len
            | Enabled
            | PcValue
            | GetPriority
            | Full
            | Empty
            | Nfull
            | Nempty
            | Timeout
            | Np
            | CExpr
            | Star
            | BitAnd
    )
}

/// A name as a place.
fn whole(name: Name) -> VarRef {
    let span = name.span;
    VarRef { parts: vec![Part { name, index: None }], stars: 0, depth: 0, span }
}

pub(super) fn skip(span: Span) -> Stmt {
    let kind = StmtKind::Expr(Expr { kind: ExprKind::Int(1), span, height: 1 });
    Stmt { labels: Vec::new(), kind, span }
}
