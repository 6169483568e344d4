//! Expressions, by precedence climbing.

use source::{Diagnostic, Span};

use super::{Class, MAX_HEIGHT, Parsed, Parser};
use crate::ast::{
    BinaryOp, Expr, ExprKind, Name, Part, Probe, ReceiveArg, ReceiveArgKind, Run, UnaryOp, VarRef,
};
use crate::codes;
use crate::lexer::{Lexeme, Token, join};

/// The operator of a token, and its precedence. All of them associate to the left.
pub fn binary_operator(token: Token) -> Option<(BinaryOp, u8)> {
    Some(match token {
        Token::Or => (BinaryOp::Or, 1),
        Token::And => (BinaryOp::And, 2),
        Token::BitOr => (BinaryOp::BitOr, 3),
        Token::BitXor => (BinaryOp::BitXor, 4),
        Token::BitAnd => (BinaryOp::BitAnd, 5),
        Token::Equal => (BinaryOp::Equal, 6),
        Token::NotEqual => (BinaryOp::NotEqual, 6),
        Token::Less => (BinaryOp::Less, 7),
        Token::LessEqual => (BinaryOp::LessEqual, 7),
        Token::Greater => (BinaryOp::Greater, 7),
        Token::GreaterEqual => (BinaryOp::GreaterEqual, 7),
        Token::ShiftLeft => (BinaryOp::ShiftLeft, 8),
        Token::ShiftRight => (BinaryOp::ShiftRight, 8),
        Token::Plus => (BinaryOp::Add, 9),
        Token::Minus => (BinaryOp::Subtract, 9),
        Token::Star => (BinaryOp::Multiply, 10),
        Token::Slash => (BinaryOp::Divide, 10),
        Token::Percent => (BinaryOp::Remainder, 10),
        _ => return None,
    })
}

pub fn unary_operator(token: Token) -> Option<UnaryOp> {
    match token {
        Token::Not => Some(UnaryOp::Not),
        Token::Minus => Some(UnaryOp::Negate),
        Token::Tilde => Some(UnaryOp::Complement),
        _ => None,
    }
}

fn height_of<'e>(operands: impl IntoIterator<Item = &'e Expr>) -> u32 {
    1 + operands.into_iter().map(|operand| operand.height).max().unwrap_or(0)
}

fn height_of_ref(variable: &VarRef) -> u32 {
    variable.depth + height_of(variable.parts.iter().filter_map(|part| part.index.as_deref()))
}

fn height_of_args(args: &[ReceiveArg]) -> u32 {
    let heights = args.iter().map(|arg| match &arg.kind {
        ReceiveArgKind::Var(variable) => height_of_ref(variable),
        ReceiveArgKind::Eval(value) => value.height,
        ReceiveArgKind::Int(_) => 1,
    });
    1 + heights.max().unwrap_or(0)
}

/// The `full`, `empty`, `nfull` or `nempty` in a condition that SPIN does not negate.
fn probe(expr: &Expr) -> Option<(Probe, Span)> {
    match &expr.kind {
        ExprKind::Probe(probe, _) => Some((*probe, expr.span)),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => probe_in([&**left, &**right]),
        _ => None,
    }
}

fn probe_in<'e>(operands: impl IntoIterator<Item = &'e Expr>) -> Option<(Probe, Span)> {
    operands.into_iter().find_map(probe)
}

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::binary)
    }

    /// Operands and operators are on explicit stacks: ten levels of precedence on the native stack, for each
    /// pair of parentheses, would be too much.
    fn binary(&mut self) -> Parsed<Expr> {
        let mut waiting: Vec<(Expr, BinaryOp, u8, Lexeme)> = Vec::new();
        let mut operand = self.unary()?;
        loop {
            let next = binary_operator(self.peek()).or_else(|| self.operator_word());
            let weaker = |strength: u8| next.is_none_or(|(_, next)| next <= strength);
            while let Some((left, op, _, lexeme)) =
                waiting.pop_if(|&mut (_, _, strength, _)| weaker(strength))
            {
                if !matches!(op, BinaryOp::And | BinaryOp::Or) {
                    self.check_probes([&left, &operand], lexeme);
                }
                operand = self.binary_expr(op, left, operand)?;
            }
            let Some((op, strength)) = next else { return Ok(operand) };
            let lexeme = self.bump();
            waiting.push((operand, op, strength, lexeme));
            operand = self.unary()?;
        }
    }

    pub(super) fn binary_expr(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Parsed<Expr> {
        let span = join(left.span, right.span);
        let height = height_of([&left, &right]);
        self.tree(ExprKind::Binary(op, Box::new(left), Box::new(right)), span, height)
    }

    pub(super) fn unary_expr(&mut self, op: UnaryOp, operand: Expr, start: Span) -> Parsed<Expr> {
        let span = join(start, operand.span);
        let height = 1 + operand.height;
        self.tree(ExprKind::Unary(op, Box::new(operand)), span, height)
    }

    fn tree(&mut self, kind: ExprKind, span: Span, height: u32) -> Parsed<Expr> {
        if height > MAX_HEIGHT {
            return Err(self.too_deep("this expression is too large", MAX_HEIGHT as usize));
        }
        Ok(Expr { kind, span, height })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let op = match unary_operator(self.peek()) {
            Some(op) => op,
            None if self.not_word() => UnaryOp::Not,
            None => return self.primary(),
        };
        let lexeme = self.bump();
        let operand = self.nested(Self::unary)?;
        self.check_probes([&operand], lexeme);
        self.unary_expr(op, operand, lexeme.span)
    }

    /// SPIN's partial order reduction relies on these being neither negated nor computed with.
    fn check_probes<'e>(&mut self, operands: impl IntoIterator<Item = &'e Expr>, operator: Lexeme) {
        let Some((found, span)) = probe_in(operands) else { return };
        let (word, opposite) = match found {
            Probe::Full => ("full", "nfull"),
            Probe::Empty => ("empty", "nempty"),
            Probe::Nfull => ("nfull", "full"),
            Probe::Nempty => ("nempty", "empty"),
        };
        let message = format!("`{word}` can only be combined with `&&` and `||`");
        let diagnostic = Diagnostic::error(codes::BAD_PROBE, message)
            .at(operator.span, "not with this")
            .label(span, "the condition")
            .help(format!("the opposite of `{word}(q)` is `{opposite}(q)`; `len(q)` is a number"));
        self.report_about(operator, diagnostic);
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let (kind, height) = match self.peek() {
            Token::LeftParen => return self.nested(Self::parenthesised),
            Token::Ident => return self.named(),
            _ if self.at_literal() => (ExprKind::Int(self.literal()?.value), 1),
            Token::Timeout => {
                self.bump();
                (ExprKind::Timeout, 1)
            }
            Token::Np => {
                self.bump();
                (ExprKind::Nonprogress, 1)
            }
            Token::Run => return self.run(),
            token @ (Token::Len | Token::Full | Token::Empty | Token::Nfull | Token::Nempty) => {
                let word = token.text().unwrap_or_default();
                self.bump();
                self.expect(Token::LeftParen, &format!(" after `{word}`"))?;
                let channel = self.var_ref()?;
                self.expect(Token::RightParen, &format!(" after the argument of `{word}`"))?;
                let height = 1 + height_of_ref(&channel);
                let kind = match token {
                    Token::Full => ExprKind::Probe(Probe::Full, channel),
                    Token::Empty => ExprKind::Probe(Probe::Empty, channel),
                    Token::Nfull => ExprKind::Probe(Probe::Nfull, channel),
                    Token::Nempty => ExprKind::Probe(Probe::Nempty, channel),
                    _ => ExprKind::Len(channel),
                };
                (kind, height)
            }
            Token::BitAnd => return self.address(),
            Token::Star => {
                let variable = self.var_ref()?;
                let height = height_of_ref(&variable);
                (ExprKind::Var(variable), height)
            }
            token @ (Token::Enabled | Token::PcValue | Token::GetPriority) => {
                let word = token.text().unwrap_or_default();
                self.bump();
                self.expect(Token::LeftParen, &format!(" after `{word}`"))?;
                let process = Box::new(self.expr()?);
                self.expect(Token::RightParen, &format!(" after the argument of `{word}`"))?;
                let height = 1 + process.height;
                let kind = match token {
                    Token::Enabled => ExprKind::Enabled(process),
                    Token::PcValue => ExprKind::PcValue(process),
                    _ => ExprKind::GetPriority(process),
                };
                (kind, height)
            }
            Token::CExpr => {
                self.embedded_c();
                (ExprKind::Int(1), 1)
            }
            _ => return Err(self.unexpected("an expression")),
        };
        let span = self.since(start);
        self.tree(kind, span, height)
    }

    /// `(e)` or `(c -> a : b)`.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        let mut first = self.binary()?;
        while self.at(Token::Assign) && self.second() != Token::Greater {
            self.assignment_in_expression();
            let right = self.binary()?;
            first = self.binary_expr(BinaryOp::Equal, first, right)?;
        }
        if self.eat(Token::RightParen) {
            return Ok(Expr { span: self.since(start), ..first });
        }
        if !self.eat(Token::Arrow) {
            return Err(self.unexpected("`)` or an operator"));
        }
        let yes = self.expr()?;
        self.expect(Token::Colon, " before the other value")?;
        let no = self.expr()?;
        self.expect(Token::RightParen, " after the other value")?;
        let height = height_of([&first, &yes, &no]);
        let span = self.since(start);
        self.tree(ExprKind::Cond(Box::new([first, yes, no])), span, height)
    }

    /// `&place`
    fn address(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        self.extends(start, "the address of a variable");
        let place = self.var_ref()?;
        let height = 1 + height_of_ref(&place);
        let span = self.since(start);
        self.tree(ExprKind::AddressOf(place), span, height)
    }

    /// `name(args)`, inside of an expression.
    fn call_of_function(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let name = self.name("the name of a function")?;
        let args = self.arguments()?;
        let height = height_of(&args);
        let span = self.since(start);
        self.tree(ExprKind::Call(name, args), span, height)
    }

    /// Arguments in parentheses.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        self.expect(Token::LeftParen, " before the arguments")?;
        let mut args = Vec::new();
        while !self.at(Token::RightParen) {
            if !args.is_empty() {
                self.expect(Token::Comma, " or `)` after an argument")?;
            }
            args.push(self.expr()?);
        }
        self.bump();
        Ok(args)
    }

    fn run(&mut self) -> Parsed<Expr> {
        let start = self.bump().span;
        let process = self.name("the name of a process")?;
        if !self.at(Token::LeftParen) {
            return Err(self.run_without_arguments(&process));
        }
        self.bump();
        let mut args = Vec::new();
        while !self.at(Token::RightParen) {
            if !args.is_empty() {
                self.expect(Token::Comma, " or `)` after an argument")?;
            }
            args.push(self.expr()?);
        }
        self.bump();
        let priority = self.priority()?;
        let height = height_of(&args);
        let span = self.since(start);
        self.tree(ExprKind::Run(Run { process, args, priority }), span, height)
    }

    /// Whether the next token is the name of a process.
    pub(super) fn at_process(&mut self) -> bool {
        self.at(Token::Ident) && self.class() == Some(Class::Proctype)
    }

    /// An expression that starts with a name: a variable, a poll of a channel, or a remote reference.
    fn named(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let second = self.second();
        let process = self.at_process();
        if second == Token::At || process && matches!(second, Token::LeftBracket | Token::Colon) {
            let name = self.name("a process")?;
            return self.remote(name);
        }
        if second == Token::LeftParen && self.at_callable() {
            return self.call_of_function();
        }
        let variable = self.var_ref()?;
        if self.at(Token::At)
            && let [Part { name, index: Some(pid) }] = variable.parts.as_slice()
        {
            return self.remote_part(name.clone(), Some(pid.clone()));
        }
        let height = height_of_ref(&variable);
        let random = self.at(Token::RandomReceive);
        if (random || self.at(Token::Question)) && self.second() == Token::LeftBracket {
            self.bump();
            self.bump();
            let args = self.receive_args()?;
            self.expect(Token::RightBracket, " after the fields of a message")?;
            let height = height.max(height_of_args(&args));
            let span = self.since(start);
            return self.tree(ExprKind::Poll { channel: variable, random, args }, span, height);
        }
        let span = self.since(start);
        self.tree(ExprKind::Var(variable), span, height)
    }

    /// `process[pid]…` or `process…`, after the name.
    fn remote(&mut self, process: Name) -> Parsed<Expr> {
        let pid = if self.eat(Token::LeftBracket) {
            let pid = self.expr()?;
            self.expect(Token::RightBracket, " after the number of a process")?;
            Some(Box::new(pid))
        } else {
            None
        };
        self.remote_part(process, pid)
    }

    /// `@label` or `:variable`.
    fn remote_part(&mut self, process: Name, pid: Option<Box<Expr>>) -> Parsed<Expr> {
        let start = process.span;
        let height = 1 + pid.as_ref().map_or(0, |pid| pid.height);
        if self.eat(Token::At) {
            let label = self.name("a label")?;
            let span = self.since(start);
            return self.tree(ExprKind::RemoteLabel { process, pid, label }, span, height);
        }
        if !self.eat(Token::Colon) {
            return Err(self.unexpected("`@` and a label, or `:` and a variable"));
        }
        let part = self.part()?;
        let span = join(part.name.span, self.last.lexeme.span);
        let variable = VarRef { parts: vec![part], stars: 0, depth: 0, span };
        let height = height.max(1 + height_of_ref(&variable));
        let span = self.since(start);
        self.tree(ExprKind::RemoteVar { process, pid, variable }, span, height)
    }

    /// `a[i].b[j].c`, or `*` and such a place.
    pub(super) fn var_ref(&mut self) -> Parsed<VarRef> {
        let start = self.span();
        let mut stars = 0;
        while self.at(Token::Star) {
            self.bump();
            self.extends(start, "`*`, which goes through a pointer");
            stars += 1;
        }
        let mut parts = vec![self.part()?];
        while self.eat(Token::Dot) {
            parts.push(self.part()?);
        }
        // In a dynamic program each field may be behind another pointer.
        let fields = if self.extension.is_some() { parts.len() as u32 - 1 } else { 0 };
        let depth = stars + fields;
        if depth > MAX_HEIGHT {
            return Err(self.too_deep("this path is too long", MAX_HEIGHT as usize));
        }
        Ok(VarRef { parts, stars, depth, span: self.since(start) })
    }

    fn part(&mut self) -> Parsed<Part> {
        let name = self.name("a variable")?;
        let index = if self.eat(Token::LeftBracket) {
            let index = self.expr()?;
            self.expect(Token::RightBracket, " after an index")?;
            self.more_dimensions()?;
            Some(Box::new(index))
        } else {
            None
        };
        Ok(Part { name, index })
    }
}
