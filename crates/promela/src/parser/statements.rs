//! Statements, and sequences of them.

use source::{Diagnostic, Span};

use super::declarations::Declared;
use super::{Parsed, Parser, Reported};
use crate::ast::{
    Block, Expr, ExprKind, Name, Print, ReceiveArg, ReceiveArgKind, SelectForm, Stmt, StmtKind, VarRef,
};
use crate::codes;
use crate::lexer::{Lexeme, Token};

/// Up to this difference of its bounds, SPIN turns a `select` into options.
const MAX_OPTIONS: i32 = 32;

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self, context: &str) -> Parsed<Block> {
        let start = self.expect(Token::LeftBrace, context)?;
        let steps = self.sequence()?;
        let end = self.expect(Token::RightBrace, " or a statement")?;
        Ok(Block { steps, span: self.since(start), end, inlined: None })
    }

    fn at_separator(&mut self) -> bool {
        matches!(self.peek(), Token::Semicolon | Token::Arrow | Token::LineEnd)
    }

    /// Whether a sequence ends here.
    fn at_end(&mut self) -> bool {
        matches!(self.peek(), Token::RightBrace | Token::Separator | Token::Fi | Token::Od | Token::Eof)
    }

    /// Statements and separators, at least one statement. An error in a statement is reported, and parsing
    /// continues with the next one.
    fn sequence(&mut self) -> Parsed<Vec<Stmt>> {
        let mut steps = Vec::new();
        if self.at_end() {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected a statement, found nothing")
                .at(self.span(), "expected a statement before this")
                .help("`skip` is a statement that does nothing");
            self.report_here(diagnostic);
        }
        while !self.at_end() {
            let before = self.consumed;
            if let Ok(step) = self.nested(Self::step) {
                let done = self.last.token == Token::RightBrace || matches!(step.kind, StmtKind::Else);
                steps.push(step);
                if !done && !self.at_separator() && !self.at_end() {
                    self.missing_separator();
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

    fn missing_separator(&mut self) {
        if self.at_unit() {
            self.unexpected("`}`");
            return;
        }
        self.unexpected("`;` or `->` between two statements");
    }

    /// A declaration or statement, with the part after `unless`.
    fn step(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        if self.at_declaration() {
            return match self.declaration()? {
                Declared::Variables(declaration) => Ok(self.plain(StmtKind::Declaration(declaration), start)),
                Declared::Mtype(mtype) => {
                    self.must_be_global("the elements of an mtype", mtype.span);
                    Ok(skip(start))
                }
            };
        }
        if matches!(self.peek(), Token::Xr | Token::Xs) {
            let receive = self.at(Token::Xr);
            self.bump();
            let mut channels = vec![self.var_ref()?];
            while self.eat(Token::Comma) {
                channels.push(self.var_ref()?);
            }
            return Ok(self.plain(StmtKind::Exclusive { receive, channels }, start));
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

    /// A statement that ends with the last token.
    fn plain(&self, kind: StmtKind, start: Span) -> Stmt {
        Stmt { labels: Vec::new(), kind, span: self.since(start) }
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let mut labels: Vec<Name> = Vec::new();
        while self.at(Token::Ident) && self.second() == Token::Colon && !self.at_process() {
            labels.push(self.name("a label")?);
            self.bump();
        }
        if let Some(label) = labels.last() {
            let span = label.span;
            if self.at_declaration() || matches!(self.peek(), Token::Xr | Token::Xs) {
                let diagnostic =
                    Diagnostic::error(codes::LABELLED_DECLARATION, "a declaration cannot have a label")
                        .at(self.span(), "this is a declaration")
                        .label(span, "the label")
                        .help("move the declaration before the label");
                return Err(self.report_here(diagnostic));
            }
            if self.at_separator() || self.at_end() || self.at(Token::Unless) {
                return Ok(Stmt { labels, ..skip(span) });
            }
        }
        let statement = self.unlabelled()?;
        Ok(Stmt { labels, ..statement })
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
            Token::Return => self.return_value()?,
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
                None => self.simple()?,
            },
        };
        Ok(self.plain(kind, start))
    }

    /// `return e`, which assigns to the variable that the call of the inline is assigned to.
    fn return_value(&mut self) -> Parsed<StmtKind> {
        let span = self.bump().span;
        let target = self.frames.last().and_then(|frame| frame.call.as_ref()?.result.clone());
        let value = self.expr()?;
        let Some(target) = target else {
            let diagnostic = Diagnostic::error(codes::STRAY_RETURN, "nothing takes what is returned here")
                .at(span, "this is not in an inline whose call is assigned")
                .help("`x = name(args)` calls an inline for its result");
            self.report(diagnostic);
            return Err(Reported);
        };
        Ok(StmtKind::Assign { target, value })
    }

    /// A statement that starts with an expression.
    fn simple(&mut self) -> Parsed<StmtKind> {
        let named = self.at(Token::Ident);
        let expr = match self.peek() {
            token if starts_expr(token) => self.expr()?,
            _ => return Err(self.unexpected("a statement")),
        };
        let next = self.peek();
        let target = match expr.kind {
            ExprKind::Var(target) if named && takes_variable(next) => target,
            _ => return Ok(StmtKind::Expr(expr)),
        };
        self.bump();
        Ok(match next {
            Token::Assign => match self.at_call() {
                Some(index) => StmtKind::Block(self.call(index, Some(target))?),
                None => StmtKind::Assign { target, value: self.expr()? },
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

    fn printf(&mut self) -> Parsed<StmtKind> {
        self.bump();
        self.expect(Token::LeftParen, " after `printf`")?;
        if !self.at(Token::Str) {
            return Err(self.unexpected("a string"));
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

    /// The options between `if` and `fi`, or `do` and `od`. If there is an error between options, all of them
    /// are skipped.
    fn options(&mut self, end: Token) -> Parsed<Vec<Block>> {
        self.bump();
        let mut options = Vec::new();
        while self.at(Token::Separator) {
            let start = self.bump().span;
            let steps = self.sequence()?;
            let (span, end) = (self.since(start), self.last.lexeme.span.after());
            options.push(Block { steps, span, end, inlined: None });
        }
        if !options.is_empty() && self.eat(end) {
            return Ok(options);
        }
        let text = end.text().unwrap_or_default();
        self.unexpected(&if options.is_empty() { "`::`".to_owned() } else { format!("`::` or `{text}`") });
        self.skip_options();
        Err(Reported)
    }

    fn for_loop(&mut self) -> Parsed<Stmt> {
        let start = self.bump().span;
        self.expect(Token::LeftParen, " after `for`")?;
        let variable = self.var_ref()?;
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

    /// The end of the head of a loop, and its body; with the span of the head.
    fn for_body(&mut self, start: Span) -> Parsed<(Block, Span)> {
        self.expect(Token::RightParen, " after the head of the loop")?;
        let span = self.since(start);
        if self.at(Token::LineEnd) || self.at(Token::Semicolon) {
            self.bump();
        }
        Ok((self.block(" before the body of the loop")?, span))
    }

    fn select(&mut self) -> Parsed<StmtKind> {
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

/// Whether a token after a variable starts a statement that is not a condition.
fn takes_variable(token: Token) -> bool {
    use Token::*;
    matches!(token, Assign | Increment | Decrement | Not | SortedSend | Question | RandomReceive)
}

fn starts_expr(token: Token) -> bool {
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
    )
}

fn skip(span: Span) -> Stmt {
    let kind = StmtKind::Expr(Expr { kind: ExprKind::Int(1), span, height: 1 });
    Stmt { labels: Vec::new(), kind, span }
}
