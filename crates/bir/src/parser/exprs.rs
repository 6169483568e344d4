//! Expressions, by precedence climbing.

use ir::BinaryOp;
use source::{Diagnostic, Span};

use super::{MAX_HEIGHT, MAX_LOOKAHEAD, Parsed, Parser, Reported};
use crate::ast::{
    Binary, Builtin, Expr, ExprKind, Name, New, Operation, Quantified, ThreadQuestion, Threads, Type,
    TypeKind,
};
use crate::codes;
use crate::collections::Kind;
use crate::lexer::Token;
use crate::text::clip;

/// The precedences of infix operators, from the weakest. `=>` and `?:` associate to the right, the others to
/// the left.
const CONDITIONAL: u8 = 1;
const IMPLIES: u8 = 2;
const OR_OR: u8 = 3;
const AND_AND: u8 = 4;
const OR: u8 = 5;
const XOR: u8 = 6;
const AND: u8 = 7;
const EQUALITY: u8 = 8;
const COMPARISON: u8 = 9;
const SHIFT: u8 = 10;
const SUM: u8 = 11;
const PRODUCT: u8 = 12;

pub(super) fn binary_operator(token: Token) -> Option<(BinaryOp, u8)> {
    Some(match token {
        Token::Implies => (BinaryOp::Implies, IMPLIES),
        Token::OrOr => (BinaryOp::Or, OR_OR),
        Token::AndAnd => (BinaryOp::And, AND_AND),
        Token::Or => (BinaryOp::BitOr, OR),
        Token::Caret => (BinaryOp::BitXor, XOR),
        Token::And => (BinaryOp::BitAnd, AND),
        Token::EqualEqual => (BinaryOp::Eq, EQUALITY),
        Token::BangEqual => (BinaryOp::Ne, EQUALITY),
        Token::Less => (BinaryOp::Lt, COMPARISON),
        Token::LessEqual => (BinaryOp::Le, COMPARISON),
        Token::Greater => (BinaryOp::Gt, COMPARISON),
        Token::GreaterEqual => (BinaryOp::Ge, COMPARISON),
        Token::Shl => (BinaryOp::Shl, SHIFT),
        Token::Shr => (BinaryOp::Shr, SHIFT),
        Token::Ushr => (BinaryOp::Ushr, SHIFT),
        Token::Plus => (BinaryOp::Add, SUM),
        Token::Minus => (BinaryOp::Sub, SUM),
        Token::Star => (BinaryOp::Mul, PRODUCT),
        Token::Slash => (BinaryOp::Div, PRODUCT),
        Token::Percent => (BinaryOp::Rem, PRODUCT),
        _ => return None,
    })
}

impl<'s> Parser<'s, '_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr<'s>> {
        self.nested(|parser| parser.operators(CONDITIONAL))
    }

    /// An expression made of operators that bind at least as strongly as `least`.
    fn operators(&mut self, least: u8) -> Parsed<Expr<'s>> {
        let mut left = self.unary()?;
        loop {
            if self.at_increment() {
                return Ok(left);
            }
            let token = self.foreign_operator().unwrap_or(self.peek());
            if token == Token::Question && least <= CONDITIONAL {
                left = self.conditional(left)?;
            } else if token == Token::Instanceof && least <= COMPARISON {
                self.bump();
                let record = self.name("a record")?;
                let (span, height) = (self.since(left.span), left.height + 1);
                left = self.tree(ExprKind::InstanceOf(Box::new(left), record), span, height)?;
            } else if let Some((op, strength)) = binary_operator(token)
                && strength >= least
                && !self.at_end_of_guard()
            {
                left = self.binary(left, op, strength)?;
            } else {
                return Ok(left);
            }
        }
    }

    /// The `>` of `when < e > do` or `when < e >;` is not an operator: what follows cannot be an operand.
    fn at_end_of_guard(&mut self) -> bool {
        self.at(Token::Greater)
            && (self.peek_at(1) == Token::Do || self.in_angles && self.peek_at(1) == Token::Semicolon)
    }

    fn binary(&mut self, left: Expr<'s>, op: BinaryOp, strength: u8) -> Parsed<Expr<'s>> {
        let lexeme = self.bump();
        let op_span = self.span_of(lexeme);
        let right = if op == BinaryOp::Implies {
            self.nested(|parser| parser.operators(strength))?
        } else {
            self.operators(strength + 1)?
        };
        let (span, height) = (left.span.to(right.span), left.height.max(right.height) + 1);
        self.tree(ExprKind::Binary(Box::new(Binary { op, op_span, left, right })), span, height)
    }

    pub(super) fn conditional(&mut self, test: Expr<'s>) -> Parsed<Expr<'s>> {
        self.bump();
        let then = self.expr()?;
        self.expect(Token::Colon, " before the other value of the condition")?;
        let otherwise = self.expr()?;
        let span = test.span.to(otherwise.span);
        let height = test.height.max(then.height).max(otherwise.height) + 1;
        self.tree(ExprKind::Cond(Box::new([test, then, otherwise])), span, height)
    }

    pub(super) fn tree(&mut self, kind: ExprKind<'s>, span: Span, height: u32) -> Parsed<Expr<'s>> {
        if height > MAX_HEIGHT {
            return Err(self.too_deep("this expression has too many parts", MAX_HEIGHT));
        }
        Ok(Expr { kind, span, height })
    }

    pub(super) fn unary(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        match self.peek() {
            Token::Bang => {
                self.bump();
                let operand = self.nested(Self::unary)?;
                let height = operand.height + 1;
                self.tree(ExprKind::Not(Box::new(operand)), self.since(start), height)
            }
            Token::Ident if self.eat_foreign_not() => {
                let operand = self.nested(Self::unary)?;
                let height = operand.height + 1;
                self.tree(ExprKind::Not(Box::new(operand)), self.since(start), height)
            }
            Token::Minus if self.peek_at(1) == Token::Int => {
                self.bump();
                let number = self.number(start, true);
                self.postfix(number)
            }
            Token::Minus => {
                self.bump();
                let operand = self.nested(Self::unary)?;
                let height = operand.height + 1;
                self.tree(ExprKind::Neg(Box::new(operand)), self.since(start), height)
            }
            Token::LeftParen if self.at_cast() => {
                self.bump();
                let ty = self.ty()?;
                self.expect(Token::RightParen, " after the type of the cast")?;
                let operand = self.nested(Self::unary)?;
                let height = operand.height + 1;
                self.tree(ExprKind::Cast(Box::new((ty, operand))), self.since(start), height)
            }
            Token::Ident if self.at_quantifier() => self.quantified(),
            _ => {
                let operand = self.primary()?;
                self.postfix(operand)
            }
        }
    }

    /// Whether `forall x` or `exists x` starts here: these words can be names.
    pub(super) fn at_quantifier(&mut self) -> bool {
        use Token::{Boolean, Ident, IntType, Lock, LongType, StringType, Tid};
        (self.at_word("forall") || self.at_word("exists"))
            && match self.peek_at(1) {
                Ident => !self.at_assignment(1),
                // Probably meant as a quantifier.
                Boolean | IntType | LongType | Tid | StringType | Lock => true,
                _ => false,
            }
    }

    /// `forall x in e : e`. The condition extends as far as possible.
    fn quantified(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let all = self.at_word("forall");
        self.bump();
        let variable = self.name("the name of a variable")?;
        if variable.text != "in" && self.at(Token::Ident) && self.peek_at(1) == Token::Colon {
            let question = if all { ThreadQuestion::All } else { ThreadQuestion::Some };
            return self.threads(start, question, variable);
        }
        if !self.eat_word("in") {
            let found = self.describe_next();
            let message = format!("expected `in` after the variable of the quantifier, found {found}");
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                .at(self.span(), "expected `in`")
                .help("quantifiers are written `forall x in s : …`; `x` is of the type of the elements");
            return Err(self.report_here(diagnostic));
        }
        let over = self.expr()?;
        self.expect(Token::Colon, " before the condition of the quantifier")?;
        let body = self.expr()?;
        let height = over.height.max(body.height) + 1;
        let quantified = Quantified { all, variable, over, body };
        self.tree(ExprKind::Quantified(Box::new(quantified)), self.since(start), height)
    }

    /// `procedure variable : e`, after the procedure.
    fn threads(&mut self, start: Span, question: ThreadQuestion, procedure: Name<'s>) -> Parsed<Expr<'s>> {
        let variable = self.name("the name of a variable")?;
        self.expect(Token::Colon, " before the condition on the thread")?;
        self.about_one_state(start, question, procedure, variable)?;
        let body = self.expr()?;
        if question == ThreadQuestion::Count {
            self.expect(Token::RightParen, " after the condition on the thread")?;
        }
        let height = body.height + 2;
        let threads = Threads { question, procedure, variable, body };
        self.tree(ExprKind::Threads(Box::new(threads)), self.since(start), height)
    }

    /// Whether `( T ) e` starts here, rather than `( e )`. A name in parentheses is a type if an operand
    /// follows that is not assigned to.
    pub(super) fn at_cast(&mut self) -> bool {
        match self.peek_at(1) {
            Token::Boolean
            | Token::IntType
            | Token::LongType
            | Token::Tid
            | Token::StringType
            | Token::Lock => true,
            Token::Ident => match self.peek_at(2) {
                Token::RightParen if self.peek_at(3) == Token::Ident => !self.at_assignment(3),
                Token::RightParen => matches!(
                    self.peek_at(3),
                    Token::LeftParen
                        | Token::Null
                        | Token::New
                        | Token::Int
                        | Token::Str
                        | Token::True
                        | Token::False
                ),
                Token::LeftBracket => self.peek_at(3) == Token::RightBracket,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether `place :=` starts at this distance, as in `when (test) place := invoke …`.
    pub(super) fn at_assignment(&mut self, start: usize) -> bool {
        let mut distance = start + 1;
        loop {
            match self.peek_at(distance) {
                Token::Assign => return true,
                Token::Dot => distance += 2,
                Token::LeftBracket => match self.behind_brackets(distance) {
                    Some(end) => distance = end,
                    None => return false,
                },
                _ => return false,
            }
        }
    }

    /// Fields and elements.
    pub(super) fn postfix(&mut self, mut base: Expr<'s>) -> Parsed<Expr<'s>> {
        loop {
            let height = base.height + 1;
            match self.peek() {
                Token::Dot => {
                    self.bump();
                    let member = self.member_name()?;
                    if self.at(Token::LeftParen) || self.at_type_arguments(&base, member) {
                        base = self.operation(base, member)?;
                        continue;
                    }
                    let span = self.since(base.span);
                    base = self.tree(ExprKind::Member(Box::new(base), member), span, height)?;
                }
                Token::LeftBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Token::RightBracket, " after the index")?;
                    let (span, height) = (self.since(base.span), height.max(index.height + 1));
                    base = self.tree(ExprKind::Index(Box::new(base), Box::new(index)), span, height)?;
                }
                _ => return Ok(base),
            }
        }
    }

    /// The name after a dot: a keyword only where it is the name of an operation.
    fn member_name(&mut self) -> Parsed<Name<'s>> {
        if self.at(Token::Choose) && matches!(self.peek_at(1), Token::LeftParen | Token::Less) {
            let lexeme = self.bump();
            return Ok(Name { text: self.slice(lexeme), span: self.span_of(lexeme) });
        }
        self.name("the name of a field")
    }

    /// Whether `<T, …>(` follows, or something that can only become that, rather than a comparison.
    fn at_type_arguments(&mut self, base: &Expr<'s>, member: Name<'s>) -> bool {
        use Token::*;
        if !self.at(Less) || matches!(self.peek_at(1), Boolean | IntType | LongType | Tid | StringType | Lock)
        {
            return self.at(Less);
        }
        if base.extension().is_none() {
            return false;
        }
        let mut depth = 0;
        for distance in 0..MAX_LOOKAHEAD {
            match self.peek_at(distance) {
                Less => depth += 1,
                Greater if depth == 1 => return self.peek_at(distance + 1) == LeftParen,
                Greater => depth -= 1,
                Boolean | IntType | LongType | Tid | StringType | Lock | Ident | Int | Dot | Comma | Plus
                | Minus | Star | LeftParen | RightParen | LeftBracket | RightBracket => {}
                _ => return false,
            }
        }
        // Only types are that long.
        member.text == "create"
    }

    /// `extension.name<T, …>(e, …)`, after the name.
    fn operation(&mut self, extension: Expr<'s>, name: Name<'s>) -> Parsed<Expr<'s>> {
        if name.text == "type" {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "a type is no expression")
                .at(self.since(extension.span), "expected an expression")
                .help("collections are created by `create`, and never cast");
            return Err(self.report_here(diagnostic));
        }
        let types = if self.at(Token::Less) { self.type_arguments()? } else { Vec::new() };
        let args = self.args()?;
        let highest = args.iter().map(|arg| arg.height).chain([extension.height]).max();
        // Some operations are lowered to two nested ones.
        let (span, height) = (self.since(extension.span), highest.unwrap_or(0) + 2);
        let operation = Operation { extension, name, types, args, literal: false };
        self.tree(ExprKind::Operation(Box::new(operation)), span, height)
    }

    fn primary(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Int => return Ok(self.number(start, false)),
            Token::True => ExprKind::Bool(true),
            Token::False => ExprKind::Bool(false),
            Token::Null => ExprKind::Null,
            Token::Str => {
                let text = self.string_literal();
                self.bump();
                return Ok(Expr { kind: ExprKind::Str(text), span: start, height: 1 });
            }
            Token::Ident => {
                let name = self.name("a name")?;
                if self.eat(Token::At) {
                    let location = self.name("the name of a location")?;
                    return self.tree(ExprKind::At(name, location), self.since(start), 1);
                }
                if self.at(Token::LeftBrace)
                    && let Some(kind) = Kind::named(name.text)
                {
                    return self.literal(kind, name);
                }
                if !self.at(Token::LeftParen) {
                    return Ok(Expr { kind: ExprKind::Name(name.text), span: name.span, height: 1 });
                }
                let args = self.args()?;
                let height = args.iter().map(|arg| arg.height).max().unwrap_or(0) + 1;
                return self.tree(ExprKind::Call(name, args), self.since(start), height);
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Token::RightParen, "")?;
                return Ok(Expr { span: self.since(start), ..inner });
            }
            Token::Hash => {
                self.bump();
                self.expect(Token::LeftParen, " after `#`")?;
                let procedure = self.name("the name of a thread")?;
                return self.threads(start, ThreadQuestion::Count, procedure);
            }
            Token::LockAvailable => return self.builtin(Builtin::LockAvailable),
            Token::HasLock => return self.builtin(Builtin::HasLock),
            Token::WasNotified => return self.builtin(Builtin::WasNotified),
            Token::ThreadTerminated => return self.builtin(Builtin::ThreadTerminated),
            Token::New => return self.new_object(),
            Token::Start | Token::Invoke => return self.impure(),
            Token::LeftBrace | Token::LeftBracket => return Err(self.foreign_literal()),
            _ => return Err(self.unexpected("an expression")),
        };
        self.bump();
        Ok(Expr { kind, span: start, height: 1 })
    }

    /// `Set{e, …}` or `Map{k: v, …}`, after the name of the kind.
    fn literal(&mut self, kind: Kind, name: Name<'s>) -> Parsed<Expr<'s>> {
        let brace = self.span();
        self.bump();
        let mut args = Vec::new();
        while !self.at(Token::RightBrace) {
            args.push(self.expr()?);
            if kind == Kind::Map {
                self.expect(Token::Colon, " between the key and its value")?;
                args.push(self.expr()?);
            }
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightBrace, " after the elements")?;
        let height = args.iter().map(|arg| arg.height).max().unwrap_or(0) + 2;
        if kind == Kind::Queue {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "a queue has a capacity as well")
                .at(self.since(name.span), "this has only elements")
                .help("write `Queue.create(capacity, …)`; without a capacity, it is a `Seq`");
            self.report(diagnostic);
            return Err(Reported);
        }
        let extension = Expr { kind: ExprKind::Name(name.text), span: name.span, height: 1 };
        let create = Name { text: "create", span: brace };
        let operation = Operation { extension, name: create, types: Vec::new(), args, literal: true };
        self.tree(ExprKind::Operation(Box::new(operation)), self.since(name.span), height)
    }

    fn impure(&mut self) -> Parsed<Expr<'s>> {
        let word = self.peek().fixed_text().unwrap_or_default();
        let diagnostic = Diagnostic::error(
            codes::IMPURE_EXPRESSION,
            format!("`{word}` cannot be a part of an expression"),
        )
        .at(self.span(), "expressions have no effects")
        .help(format!("assign its result to a variable first: `v := {word} …;`"));
        Err(self.report_here(diagnostic))
    }

    /// `( e, e, … )`
    pub(super) fn args(&mut self) -> Parsed<Vec<Expr<'s>>> {
        self.expect(Token::LeftParen, " before the arguments")?;
        let mut args = Vec::new();
        if !self.at(Token::RightParen) {
            loop {
                args.push(self.expr()?);
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::RightParen, " after the arguments")?;
        Ok(args)
    }

    fn builtin(&mut self, builtin: Builtin) -> Parsed<Expr<'s>> {
        let start = self.span();
        self.bump();
        self.expect(Token::LeftParen, " before the argument")?;
        let arg = self.expr()?;
        self.expect(Token::RightParen, " after the argument")?;
        let height = arg.height + 1;
        self.tree(ExprKind::Builtin(builtin, Box::new(arg)), self.since(start), height)
    }

    fn new_object(&mut self) -> Parsed<Expr<'s>> {
        let start = self.span();
        self.bump();
        let mut ty = self.element_type()?;
        let mut length = None;
        let mut height = 0;
        let mut dimensions = 0;
        while self.eat(Token::LeftBracket) {
            if self.eat(Token::RightBracket) {
                ty = self.array_of(ty, &mut dimensions)?;
                continue;
            }
            let value = self.expr()?;
            height = value.height;
            length = Some(value);
            self.expect(Token::RightBracket, " after the length")?;
            break;
        }
        self.check_new(&ty, length.as_ref())?;
        self.tree(ExprKind::New(Box::new(New { ty, length })), self.since(start), height + 1)
    }

    fn check_new(&mut self, ty: &Type<'s>, length: Option<&Expr<'s>>) -> Parsed<()> {
        let (message, help) = match ty.kind {
            _ if length.is_some() && self.at(Token::LeftBracket) => (
                "only one dimension can be allocated at a time",
                "allocate the inner arrays in a loop: `new int[][n]`, then `a[i] := new int[m];`",
            ),
            _ if length.is_some() => return Ok(()),
            TypeKind::Named(name) if self.at(Token::LeftParen) => {
                let name = clip(name);
                let help = format!(
                    "write `new {name}`; the record says how fields start: `record {name} {{ int x := 1; }}`"
                );
                let diagnostic = Diagnostic::error(codes::UNEXPECTED, "records have no constructors")
                    .at(self.span(), "")
                    .help(help);
                return Err(self.report_here(diagnostic));
            }
            TypeKind::Named(_) | TypeKind::Lock => return Ok(()),
            TypeKind::Array(_) => ("the length of the new array is missing", "write `new T[length]`"),
            TypeKind::Extension { .. } => {
                ("collections are values and not allocated", "create one: `Set.create<T>(…)`")
            }
            _ => ("only records, locks and arrays can be allocated", "for an array write `new T[length]`"),
        };
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message).at(self.span(), "").help(help);
        Err(self.report_here(diagnostic))
    }

    /// The number of the next token, negated if `negative`.
    fn number(&mut self, start: Span, negative: bool) -> Expr<'s> {
        let text = self.slice(self.ahead[0]);
        let (digits, long) = match text.strip_suffix(['L', 'l']) {
            Some(digits) => (digits, true),
            None => (text, false),
        };
        let magnitude = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            Some(hex) => parse_digits(hex, 16),
            None => parse_digits(digits, 10),
        };
        let value = magnitude.map(|magnitude| if negative { -magnitude } else { magnitude });
        let problem = match value {
            None => Some(("is not a number", "numbers are written like `12`, `0x1f` or `12L`")),
            Some(value) if i64::try_from(value).is_err() => {
                Some(("does not fit into 64 bits", "integers have at most 64 bits"))
            }
            Some(_) => None,
        };
        if let Some((problem, help)) = problem {
            let sign = if negative { "-" } else { "" };
            let diagnostic =
                Diagnostic::error(codes::BAD_NUMBER, format!("`{sign}{}` {problem}", clip(text)))
                    .at(self.span(), "")
                    .help(help);
            // Any value will do for the rest.
            self.report_here(diagnostic);
        }
        self.bump();
        let value = value.and_then(|value| i64::try_from(value).ok()).unwrap_or(0);
        // A number that is too large for an `int` can only be meant as a `long`.
        let long = long || i32::try_from(value).is_err();
        Expr { kind: ExprKind::Int { value, long }, span: self.since(start), height: 1 }
    }

    /// The contents of the next token.
    pub(super) fn string_literal(&mut self) -> String {
        let lexeme = self.ahead[0];
        let raw = self.slice(lexeme);
        let inner = &raw[1..raw.len() - 1];
        let mut text = String::with_capacity(inner.len());
        let mut letters = inner.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter != '\\' {
                text.push(letter);
                continue;
            }
            match letters.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, '0')) => text.push('\0'),
                Some((_, other @ ('\\' | '"' | '\''))) => text.push(other),
                other => {
                    let width = other.map_or(0, |(_, other)| other.len_utf8());
                    let start = lexeme.start + 1 + at as u32;
                    let span = Span::new(self.file, start, start + 1 + width as u32);
                    self.report(
                        Diagnostic::error(codes::BAD_ESCAPE, "this escape is not known")
                            .at(span, "")
                            .help(r#"there are `\n`, `\t`, `\r`, `\0`, `\\`, `\"` and `\'`"#),
                    );
                }
            }
        }
        text
    }
}

/// `None` for text that is not a number; numbers of any length are capped.
fn parse_digits(digits: &str, radix: u32) -> Option<i128> {
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0_i128, |sum, digit| {
        let digit = digit.to_digit(radix)?;
        Some(sum.saturating_mul(radix.into()).saturating_add(digit.into()))
    })
}
