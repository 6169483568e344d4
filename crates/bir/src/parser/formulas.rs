//! Formulas of temporal logic.
//!
//! In order of increasing precedence: `->` and `<->`, `=>`, `||`, `&&`, `U`, `W` and `V`, then the operators
//! of expressions. All associate to the left but `=>`. Prefix operators (`[]`, `<>`, `X`, `!`) bind most
//! tightly, so that `[] x > 3` would compare a formula with a number: it is refused.

use ir::BinaryOp;
use ltl::Formula;
use source::{Diagnostic, Diagnostics, Span};

use super::exprs::binary_operator;
use super::{MAX_HEIGHT, MAX_LOOKAHEAD, Parsed, Parser, Reported};
use crate::ast::{
    Binary as BinaryExpr, Each, Expr, ExprKind, Name, Temporal, TemporalKind, ThreadQuestion, Threads,
};
use crate::codes;
use crate::lexer::{Lexeme, Lexer, Token};
use crate::text::clip;

/// Operators that are words.
const TEMPORAL_WORDS: &[&str] = &[
    "U",
    "W",
    "V",
    "X",
    "until",
    "stronguntil",
    "weakuntil",
    "release",
    "implies",
    "equivalent",
    "next",
    "always",
    "eventually",
];

type Unary = fn(Box<Formula>) -> Formula;
type Binary = fn(Box<Formula>, Box<Formula>) -> Formula;

/// A part of a formula.
enum Node<'s> {
    /// A condition on a state.
    State(Expr<'s>),
    Temporal {
        formula: Formula,
        span: Span,
        height: u32,
    },
}

impl Node<'_> {
    fn span(&self) -> Span {
        match self {
            Self::State(expr) => expr.span,
            Self::Temporal { span, .. } => *span,
        }
    }

    fn height(&self) -> u32 {
        match self {
            Self::State(expr) => expr.height,
            Self::Temporal { height, .. } => *height,
        }
    }
}

/// An infix operator.
#[derive(Clone, Copy)]
enum Operator {
    /// Between formulas only.
    Temporal(Binary),
    /// Between formulas, or within a condition.
    Logical(BinaryOp, Binary),
    /// Within a condition only.
    State(BinaryOp),
}

const ARROW: u8 = 0;
const IMPLIES: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const UNTIL: u8 = 4;
/// The offset of the precedences of operators of expressions.
const STATE: u8 = 5;

impl<'s> Parser<'s, '_> {
    /// A whole formula.
    pub(super) fn formula(&mut self, name: Name<'s>) -> Parsed<Temporal<'s>> {
        self.in_formula = true;
        let parsed = self.whole_formula(name);
        self.in_formula = false;
        parsed
    }

    fn whole_formula(&mut self, name: Name<'s>) -> Parsed<Temporal<'s>> {
        let mut atoms = Vec::new();
        let each = if self.at_word("forall") && self.at_threads() { Some(self.each()?) } else { None };
        let node = self.part(ARROW, &mut atoms)?;
        let (node, each) = match (node, each) {
            // Without temporal operators, it is a condition on the threads of a state.
            (Node::State(body), Some(Each { procedure, variable, span })) => {
                let (span, height) = (self.since(span), body.height + 2);
                let threads = Threads { question: ThreadQuestion::All, procedure, variable, body };
                let whole = self.tree(ExprKind::Threads(Box::new(threads)), span, height)?;
                (Node::State(whole), None)
            }
            (node, each) => (node, each),
        };
        let formula = formula_of(node, &mut atoms);
        Ok(Temporal { name, each, kind: TemporalKind::Formula(formula), atoms })
    }

    /// `forall procedure variable :`
    fn each(&mut self) -> Parsed<Each<'s>> {
        let start = self.span();
        self.bump();
        let procedure = self.name("a thread")?;
        let variable = self.name("the name of a variable")?;
        let span = self.since(start);
        self.expect(Token::Colon, " before the formula")?;
        if self.at_word("forall") && self.at_threads() && self.is_temporal(4) {
            let inner = self.span_of(self.ahead[0]).to(self.span_of(self.ahead[2]));
            let diagnostic = Diagnostic::error(
                codes::BAD_INDIVIDUAL,
                "a property is about one thread at a time",
            )
            .at(inner, "this is a second one")
            .label(span, "the first one")
            .help("say about others what does not depend on who they are: `exists Thread t: t@location`");
            return Err(self.report_here(diagnostic));
        }
        Ok(Each { procedure, variable, span })
    }

    /// Whether `forall procedure variable :` or `exists procedure variable :` is next.
    fn at_threads(&mut self) -> bool {
        let tokens = [self.peek_at(1), self.peek_at(2), self.peek_at(3)];
        tokens == [Token::Ident, Token::Ident, Token::Colon]
    }

    /// Whether a temporal operator comes at this distance or after it, before the enclosing bracket is
    /// closed.
    fn is_temporal(&mut self, start: usize) -> bool {
        let mut depth = 0;
        for distance in start..start + MAX_LOOKAHEAD {
            let word = self.lexeme_at(distance);
            let word = if word.token == Token::Ident { self.slice(word) } else { "" };
            match (self.peek_at(distance), self.peek_at(distance + 1)) {
                (Token::LeftParen, _) => depth += 1,
                (Token::RightParen, _) if depth == 0 => return false,
                (Token::RightParen, _) => depth -= 1,
                (Token::Semicolon | Token::Eof, _) => return false,
                (Token::Arrow, _)
                | (Token::LeftBracket, Token::RightBracket)
                | (Token::Less, Token::Greater) => return true,
                // A name, rather than an operator.
                (Token::Ident, _) if distance > 0 && self.peek_at(distance - 1) == Token::At => {}
                (Token::Ident, _) if TEMPORAL_WORDS.contains(&word) => return true,
                _ => {}
            }
        }
        false
    }

    /// Refuses a condition on threads that would follow one of them through a run. Its quantifier began at
    /// `start`, and its condition is next.
    pub(super) fn about_one_state(
        &mut self,
        start: Span,
        question: ThreadQuestion,
        procedure: Name<'s>,
        variable: Name<'s>,
    ) -> Parsed<()> {
        let negations = (0..MAX_LOOKAHEAD).take_while(|&at| self.peek_at(at) == Token::Bang).count();
        let is_enclosed = self.peek_at(negations) == Token::LeftParen;
        let is_temporal = if is_enclosed { self.is_temporal(negations + 1) } else { self.prefix().is_some() };
        if !is_temporal {
            return Ok(());
        }
        let (thread, shown) = (clip(procedure.text), clip(variable.text));
        let diagnostic = match question {
            ThreadQuestion::All => Diagnostic::error(
                codes::BAD_INDIVIDUAL,
                format!("`{shown}` is followed through a run only from the beginning of the property"),
            )
            .at(self.since(start), "here it is a thread of a single state")
            .help(format!("put `forall {thread} {shown}:` in front of the whole formula")),
            ThreadQuestion::Some | ThreadQuestion::Count => Diagnostic::error(
                codes::BAD_INDIVIDUAL,
                format!("no `{shown}` can be chosen that is followed through a run"),
            )
            .at(self.since(start), "here it is a thread of a single state")
            .note("which one it should be may depend on all that happens later")
            .help(format!(
                "`forall {thread} {shown}:` in front of the whole formula follows each of them; inside, ask about one state: \
                 `<> (exists {thread} {shown}: {shown}@location)`"
            )),
        };
        Err(self.report_here(diagnostic))
    }

    /// The next infix operator, its precedence, and its number of tokens.
    fn operator(&mut self) -> Option<(Operator, u8, usize)> {
        if self.at(Token::Ident) {
            return Some(match self.slice(self.ahead[0]) {
                "U" | "until" | "stronguntil" => (Operator::Temporal(Formula::Until), UNTIL, 1),
                "W" | "weakuntil" => (Operator::Temporal(Formula::WeakUntil), UNTIL, 1),
                "V" | "release" => (Operator::Temporal(Formula::Release), UNTIL, 1),
                "implies" => (Operator::Temporal(Formula::Implies), ARROW, 1),
                "equivalent" => (Operator::Temporal(Formula::Equivalent), ARROW, 1),
                "and" => (Operator::Logical(BinaryOp::And, Formula::And), AND, 1),
                "or" => (Operator::Logical(BinaryOp::Or, Formula::Or), OR, 1),
                _ => return None,
            });
        }
        match self.peek() {
            Token::Arrow => Some((Operator::Temporal(Formula::Implies), ARROW, 1)),
            Token::Less if self.peek_at(1) == Token::Arrow => {
                Some((Operator::Temporal(Formula::Equivalent), ARROW, 2))
            }
            Token::Implies => Some((Operator::Logical(BinaryOp::Implies, Formula::Implies), IMPLIES, 1)),
            Token::OrOr => Some((Operator::Logical(BinaryOp::Or, Formula::Or), OR, 1)),
            Token::AndAnd => Some((Operator::Logical(BinaryOp::And, Formula::And), AND, 1)),
            token => binary_operator(token).map(|(op, strength)| (Operator::State(op), STATE + strength, 1)),
        }
    }

    /// A part made of operators of at least the precedence `least`.
    fn part(&mut self, least: u8, atoms: &mut Vec<Expr<'s>>) -> Parsed<Node<'s>> {
        let mut left = self.nested(|parser| parser.operand(atoms))?;
        while let Some((operator, strength, tokens)) = self.operator()
            && strength >= least
        {
            let lexeme = self.bump();
            for _ in 1..tokens {
                self.bump();
            }
            let next = if strength == IMPLIES { strength } else { strength + 1 };
            let right = self.nested(|parser| parser.part(next, atoms))?;
            left = self.combine(operator, lexeme, left, right, atoms)?;
        }
        match left {
            Node::State(test) if least == ARROW && self.at(Token::Question) => {
                self.conditional(test).map(Node::State)
            }
            left => Ok(left),
        }
    }

    fn combine(
        &mut self,
        operator: Operator,
        lexeme: Lexeme,
        left: Node<'s>,
        right: Node<'s>,
        atoms: &mut Vec<Expr<'s>>,
    ) -> Parsed<Node<'s>> {
        let span = left.span().to(right.span());
        let height = left.height().max(right.height()) + 1;
        let build = match (operator, left, right) {
            (Operator::Logical(op, _) | Operator::State(op), Node::State(left), Node::State(right)) => {
                let op_span = self.span_of(lexeme);
                let kind = ExprKind::Binary(Box::new(BinaryExpr { op, op_span, left, right }));
                return self.tree(kind, span, height).map(Node::State);
            }
            (Operator::State(_), left, right) => {
                let temporal = if matches!(left, Node::State(_)) { right } else { left };
                return Err(self.no_condition(lexeme, temporal.span()));
            }
            (Operator::Logical(_, build) | Operator::Temporal(build), left, right) => (build, left, right),
        };
        let (build, left, right) = build;
        let (left, right) = (formula_of(left, atoms), formula_of(right, atoms));
        self.temporal_node(build(Box::new(left), Box::new(right)), span, height)
    }

    fn temporal_node(&mut self, formula: Formula, span: Span, height: u32) -> Parsed<Node<'s>> {
        if height > MAX_HEIGHT.min(ltl::parse::MAX_DEPTH) {
            return Err(self.too_deep("this formula has too many parts", MAX_HEIGHT));
        }
        Ok(Node::Temporal { formula, span, height })
    }

    fn no_condition(&mut self, operator: Lexeme, operand: Span) -> Reported {
        let text = clip(self.slice(operator));
        let message = format!("`{text}` works on values, and a formula has none");
        let diagnostic = Diagnostic::error(codes::TEMPORAL_OPERAND, message)
            .at(self.span_of(operator), "this operator")
            .label(operand, "this is a formula")
            .help("`[] x > 3` is read as `([] x) > 3`: write `[] (x > 3)`");
        self.report(diagnostic);
        self.last_error = Some(self.ahead[0].start);
        Reported
    }

    /// The next prefix operator, and its number of tokens.
    fn prefix(&mut self) -> Option<(Unary, usize)> {
        if self.at(Token::Ident) {
            return Some(match self.slice(self.ahead[0]) {
                "X" | "next" => (Formula::Next, 1),
                "always" => (Formula::Always, 1),
                "eventually" => (Formula::Eventually, 1),
                _ => return None,
            });
        }
        match (self.peek(), self.peek_at(1)) {
            (Token::LeftBracket, Token::RightBracket) => Some((Formula::Always, 2)),
            (Token::Less, Token::Greater) => Some((Formula::Eventually, 2)),
            _ => None,
        }
    }

    /// Reports `G p` or `F p`, where these letters cannot be names, and consumes the letter.
    fn foreign_prefix(&mut self) {
        if !self.at_word("G") && !self.at_word("F") {
            return;
        }
        let is_operator = match self.peek_at(1) {
            Token::Ident => {
                let next = self.lexeme_at(1);
                let next = self.slice(next);
                !TEMPORAL_WORDS.contains(&next) && !matches!(next, "and" | "or")
            }
            Token::Bang | Token::True | Token::False => true,
            Token::LeftParen => self.is_temporal(2),
            _ => false,
        };
        if !is_operator {
            return;
        }
        let letter = self.slice(self.ahead[0]);
        let hint = crate::foreign::function_hint(letter, true).unwrap_or_default();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, format!("there is no operator `{letter}`"))
            .at(self.span(), "")
            .help(hint);
        self.report_here(diagnostic);
        // What follows may have the same mistake.
        self.silent = true;
        self.bump();
    }

    fn operand(&mut self, atoms: &mut Vec<Expr<'s>>) -> Parsed<Node<'s>> {
        let start = self.span();
        self.foreign_prefix();
        if let Some((build, tokens)) = self.prefix() {
            for _ in 0..tokens {
                self.bump();
            }
            let operand = self.nested(|parser| parser.operand(atoms))?;
            let (span, height) = (start.to(operand.span()), operand.height() + 1);
            let formula = build(Box::new(formula_of(operand, atoms)));
            return self.temporal_node(formula, span, height);
        }
        if self.at(Token::Bang) || self.at_word("not") {
            self.bump();
            let operand = self.nested(|parser| parser.operand(atoms))?;
            let (span, height) = (start.to(operand.span()), operand.height() + 1);
            return match operand {
                Node::State(operand) => {
                    self.tree(ExprKind::Not(Box::new(operand)), span, height).map(Node::State)
                }
                Node::Temporal { formula, .. } => {
                    self.temporal_node(Formula::Not(Box::new(formula)), span, height)
                }
            };
        }
        if matches!(self.peek(), Token::Semicolon | Token::RightParen | Token::Eof) {
            return Err(self.unexpected("a formula"));
        }
        let node = if self.at(Token::LeftParen) && !self.at_cast() {
            self.bump();
            let inner = self.nested(|parser| parser.part(ARROW, atoms))?;
            self.expect(Token::RightParen, " or an operator")?;
            let span = self.since(start);
            match inner {
                Node::State(expr) => Node::State(self.postfix(Expr { span, ..expr })?),
                Node::Temporal { formula, height, .. } => Node::Temporal { formula, span, height },
            }
        } else {
            Node::State(self.unary()?)
        };
        match node {
            Node::State(expr) if self.at(Token::Instanceof) => {
                self.bump();
                let record = self.name("a record")?;
                let (span, height) = (self.since(start), expr.height + 1);
                self.tree(ExprKind::InstanceOf(Box::new(expr), record), span, height).map(Node::State)
            }
            node => Ok(node),
        }
    }
}

fn formula_of<'s>(node: Node<'s>, atoms: &mut Vec<Expr<'s>>) -> Formula {
    match node {
        Node::State(expr) => {
            atoms.push(expr);
            Formula::Prop(ltl::Prop(atoms.len() as u32 - 1))
        }
        Node::Temporal { formula, .. } => formula,
    }
}

/// An automaton whose propositions are conditions, in the quotes of its text.
pub fn automaton<'s>(name: Name<'s>, text: &'s str, diagnostics: &mut Diagnostics) -> Option<Temporal<'s>> {
    let file = name.span.file;
    let read = match ltl::hoa::read(text) {
        Ok(read) => read,
        Err(error) => {
            let at = Span::new(file, error.at.start as u32, error.at.end as u32);
            diagnostics.push(Diagnostic::error(codes::BAD_AUTOMATON, error.message.clone()).at(at, ""));
            return None;
        }
    };
    let mut atoms = Vec::new();
    for prop in &read.props {
        let Some(quoted) = text.find(&format!("\"{prop}\"")) else {
            let message = "a proposition of an automaton is a condition without quotes and backslashes";
            diagnostics.push(Diagnostic::error(codes::BAD_AUTOMATON, message).at(name.span, ""));
            return None;
        };
        let mut parser = Parser::new(&text[..quoted + 1 + prop.len()], file, diagnostics);
        parser.lexer = Lexer::new(parser.text, quoted as u32 + 1);
        parser.ahead.clear();
        parser.fill();
        atoms.push(parser.expr().ok()?);
        if !parser.at(Token::Eof) {
            parser.unexpected("an operator or the end of the condition");
            return None;
        }
    }
    Some(Temporal { name, each: None, kind: TemporalKind::Automaton(read.automaton), atoms })
}
