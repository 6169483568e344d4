//! Formulas of temporal logic.
//!
//! In order of increasing precedence: `->` and `<->`, `||`, `&&`, `U`, `W` and `V`, then the operators of
//! expressions. All of them associate to the left. Prefix operators (`[]`, `<>`, `X`, `!`) bind most tightly,
//! so that `[] x > 3` would compare a formula with a number: it is refused.

use source::{Diagnostic, Span};

use super::exprs::{binary_operator, unary_operator};
use super::inlines::Frame;
use super::mistakes::foreign_syntax;
use super::{MAX_HEIGHT, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, Formula, FormulaKind, Item, Ltl, Name, UnaryOp};
use crate::codes;
use crate::lexer::{Lexeme, Token, join};

/// A formula that is not parsed yet.
pub struct Deferred {
    /// Its position among the items.
    at: usize,
    name: Option<Name>,
    span: Span,
    /// From brace to brace.
    lexemes: Vec<Lexeme>,
}

/// A part of a formula.
pub(super) enum Node {
    /// A condition on a state.
    State(Expr),
    /// With the height of the tree.
    Temporal(Formula, u32),
}

impl Node {
    fn span(&self) -> Span {
        match self {
            Self::State(expr) => expr.span,
            Self::Temporal(formula, _) => formula.span,
        }
    }

    fn with_span(self, span: Span) -> Self {
        match self {
            Self::State(expr) => Self::State(Expr { span, ..expr }),
            Self::Temporal(formula, height) => Self::Temporal(Formula { span, ..formula }, height),
        }
    }

    fn height(&self) -> u32 {
        match self {
            Self::State(expr) => expr.height,
            Self::Temporal(_, height) => *height,
        }
    }

    pub(super) fn formula(self) -> Formula {
        match self {
            Self::State(expr) => Formula { span: expr.span, kind: FormulaKind::Atom(expr) },
            Self::Temporal(formula, _) => formula,
        }
    }
}

type Unary = fn(Box<Formula>) -> FormulaKind;
type Binary = fn(Box<Formula>, Box<Formula>) -> FormulaKind;

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

const IMPLIES: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const UNTIL: u8 = 3;
/// The offset of the precedences of operators of expressions.
const STATE: u8 = 4;

impl Parser<'_> {
    /// Keeps a formula for later.
    pub(super) fn defer_formula(&mut self) -> Parsed<()> {
        let start = self.bump().span;
        let name = if self.at(Token::Ident) { Some(self.name("a name")?) } else { None };
        let span = self.since(start);
        if !self.at(Token::LeftBrace) {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `{` before the formula")
                .at(self.span(), "expected `{` before this")
                .help("a formula is in braces: `ltl p { [] (x > 0) }`");
            return Err(self.report_here(diagnostic));
        }
        self.bump();
        let open = self.last.lexeme;
        let lexemes = self.lexemes_to_brace(open)?;
        self.deferred.push(Deferred { at: self.items.len(), name, span, lexemes });
        self.items.push(None);
        Ok(())
    }

    /// Parses all formulas that were deferred.
    pub(super) fn formulas(&mut self) {
        for Deferred { at, name, span, lexemes } in std::mem::take(&mut self.deferred) {
            if self.input.has_given_up() {
                return;
            }
            self.forget();
            self.parens = 0;
            self.frames.push(Frame::new(lexemes, None));
            // A new position, so that errors here are reported.
            self.consumed += 1;
            self.foreign_formula = false;
            if let Ok(formula) = self.whole_formula() {
                self.items[at] = Some(Item::Ltl(Ltl { name, formula, span }));
            }
        }
    }

    fn whole_formula(&mut self) -> Parsed<Formula> {
        self.expect(Token::LeftBrace, "")?;
        let formula = self.formula()?.formula();
        if self.at(Token::Assign) && self.second() != Token::Greater {
            return Err(self.assignment_in_formula());
        }
        if self.at(Token::Semicolon) || self.at(Token::Arrow) {
            self.bump();
        }
        self.expect(Token::RightBrace, " or an operator after the formula")?;
        Ok(formula)
    }

    pub(super) fn assignment_in_formula(&mut self) -> super::Reported {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "an assignment inside of a formula")
            .at(self.span(), "this sets a variable")
            .help("`==` compares");
        self.report_here(diagnostic)
    }

    /// The text of the next token, if it is a name: the words of formulas are not keywords elsewhere.
    fn word(&mut self) -> Option<std::rc::Rc<str>> {
        let next = self.peek_at(0);
        (next.token == Token::Ident).then(|| self.input.interner.text(next.lexeme.symbol).clone())
    }

    /// The next infix operator, its precedence, and its number of tokens.
    fn operator(&mut self) -> Option<(Operator, u8, usize)> {
        if let Some(word) = self.word() {
            return Some(match &*word {
                "U" | "until" | "stronguntil" => (Operator::Temporal(FormulaKind::Until), UNTIL, 1),
                "W" | "weakuntil" => (Operator::Temporal(FormulaKind::WeakUntil), UNTIL, 1),
                "V" | "release" => (Operator::Temporal(FormulaKind::Release), UNTIL, 1),
                "implies" => (Operator::Temporal(FormulaKind::Implies), IMPLIES, 1),
                "equivalent" => (Operator::Temporal(FormulaKind::Equivalent), IMPLIES, 1),
                word => return self.foreign_infix(word),
            });
        }
        match self.peek() {
            Token::Arrow => Some((Operator::Temporal(FormulaKind::Implies), IMPLIES, 1)),
            Token::Less if self.second() == Token::Arrow => {
                Some((Operator::Temporal(FormulaKind::Equivalent), IMPLIES, 2))
            }
            Token::Or => Some((Operator::Logical(BinaryOp::Or, FormulaKind::Or), OR, 1)),
            Token::And => Some((Operator::Logical(BinaryOp::And, FormulaKind::And), AND, 1)),
            token => binary_operator(token).map(|(op, strength)| (Operator::State(op), STATE + strength, 1)),
        }
    }

    pub(super) fn formula(&mut self) -> Parsed<Node> {
        let mut waiting: Vec<(Node, Operator, u8, Lexeme)> = Vec::new();
        let mut operand = self.nested(Self::operand)?;
        loop {
            let next = self.operator();
            let weaker = |strength: u8| next.is_none_or(|(_, next, _)| next <= strength);
            while let Some((left, operator, _, lexeme)) =
                waiting.pop_if(|&mut (_, _, strength, _)| weaker(strength))
            {
                operand = self.combine(operator, lexeme, left, operand)?;
            }
            let Some((operator, strength, tokens)) = next else { return Ok(operand) };
            let lexeme = self.bump();
            if tokens == 2 {
                self.bump();
            }
            waiting.push((operand, operator, strength, lexeme));
            operand = self.nested(Self::operand)?;
        }
    }

    fn combine(&mut self, operator: Operator, lexeme: Lexeme, left: Node, right: Node) -> Parsed<Node> {
        let kind = match (operator, left, right) {
            (Operator::Logical(op, _) | Operator::State(op), Node::State(left), Node::State(right)) => {
                return self.binary_expr(op, left, right).map(Node::State);
            }
            (Operator::State(_), left, right) => {
                let temporal = if matches!(left, Node::Temporal(..)) { left } else { right };
                return Err(self.no_condition(lexeme, temporal.span()));
            }
            (Operator::Logical(_, kind) | Operator::Temporal(kind), left, right) => (kind, left, right),
        };
        let (kind, left, right) = kind;
        let span = join(left.span(), right.span());
        let height = 1 + left.height().max(right.height());
        self.temporal(kind(Box::new(left.formula()), Box::new(right.formula())), span, height)
    }

    fn temporal(&mut self, kind: FormulaKind, span: Span, height: u32) -> Parsed<Node> {
        if height > MAX_HEIGHT {
            return Err(self.too_deep("this formula is too large", MAX_HEIGHT as usize));
        }
        Ok(Node::Temporal(Formula { kind, span }, height))
    }

    fn no_condition(&mut self, operator: Lexeme, operand: Span) -> super::Reported {
        if self.foreign_formula {
            return super::Reported;
        }
        let text = crate::text::clip(self.input.interner.text(operator.symbol));
        let message = format!("`{text}` works on values, and a formula has none");
        let diagnostic = Diagnostic::error(codes::TEMPORAL_OPERAND, message)
            .at(operator.span, "this operator")
            .label(operand, "this is a formula")
            .help("`[] x > 3` is read as `([] x) > 3`: write `[] (x > 3)`");
        self.last_error = Some(self.consumed);
        self.report_about(operator, diagnostic);
        super::Reported
    }

    /// The next prefix operator, and its number of tokens.
    fn prefix(&mut self) -> Option<(Unary, usize)> {
        if let Some(word) = self.word() {
            return Some(match &*word {
                "X" | "next" => (FormulaKind::Next, 1),
                "always" => (FormulaKind::Always, 1),
                "eventually" => (FormulaKind::Eventually, 1),
                word => return self.foreign_prefix(word),
            });
        }
        match (self.peek(), self.second()) {
            (Token::LeftBracket, Token::RightBracket) => Some((FormulaKind::Always, 2)),
            (Token::Less, Token::Greater) => Some((FormulaKind::Eventually, 2)),
            _ => None,
        }
    }

    /// An infix operator of other notations. Between two operands, no name can be.
    fn foreign_infix(&mut self, word: &str) -> Option<(Operator, u8, usize)> {
        let (meant, operator, strength) = match word {
            "R" | "releases" => ("V` or `release", Operator::Temporal(FormulaKind::Release as Binary), UNTIL),
            "and" | "AND" => ("&&", Operator::Logical(BinaryOp::And, FormulaKind::And), AND),
            "or" | "OR" => ("||", Operator::Logical(BinaryOp::Or, FormulaKind::Or), OR),
            "imply" | "IMPLIES" => ("->", Operator::Temporal(FormulaKind::Implies as Binary), IMPLIES),
            "iff" | "xnor" => ("<->", Operator::Temporal(FormulaKind::Equivalent as Binary), IMPLIES),
            _ => return None,
        };
        let message = format!("`{word}` is not an operator of formulas");
        let diagnostic = foreign_syntax(self.span(), message, "", format!("write `{meant}`"));
        self.report_here(diagnostic);
        Some((operator, strength, 1))
    }

    /// A prefix operator of other notations. A variable of this name is not followed by an operand.
    fn foreign_prefix(&mut self, word: &str) -> Option<(Unary, usize)> {
        use Token::{Greater, Ident, LeftBracket, LeftParen, Less, Not, Number, RightBracket};
        let (meant, kind): (_, Unary) = match word {
            "F" | "E" | "Eventually" | "finally" => ("<>` or `eventually", FormulaKind::Eventually),
            "G" | "globally" | "Always" | "henceforth" => ("[]` or `always", FormulaKind::Always),
            "N" | "Next" => ("X` or `next", FormulaKind::Next),
            "not" | "NOT" => ("!", FormulaKind::Not),
            "AG" | "AF" | "EG" | "EF" | "AX" | "EX" => ("", FormulaKind::Always),
            _ => return None,
        };
        let operand = matches!(
            (self.second(), self.peek_at(2).token),
            (Ident | LeftParen | Not | Number, _) | (LeftBracket, RightBracket) | (Less, Greater)
        );
        if !operand {
            return None;
        }
        let message = format!("`{word}` is not an operator of formulas");
        let help = match word.len() {
            2 if meant.is_empty() => {
                "formulas are about all runs (LTL): `AG` is `[]`, `AF` is `<>`, and `E` cannot be asked"
                    .to_owned()
            }
            _ => format!("write `{meant}`"),
        };
        let diagnostic = foreign_syntax(self.span(), message, "", help);
        self.report_here(diagnostic);
        self.foreign_formula = true;
        Some((kind, 1))
    }

    fn operand(&mut self) -> Parsed<Node> {
        let start = self.span();
        if let Some((kind, tokens)) = self.prefix() {
            for _ in 0..tokens {
                self.bump();
            }
            let operand = self.nested(Self::operand)?;
            let (span, height) = (join(start, operand.span()), 1 + operand.height());
            return self.temporal(kind(Box::new(operand.formula())), span, height);
        }
        if let Some(op) = unary_operator(self.peek()) {
            let lexeme = self.bump();
            return match self.nested(Self::operand)? {
                Node::State(operand) => self.unary_expr(op, operand, start).map(Node::State),
                Node::Temporal(operand, height) if op == UnaryOp::Not => {
                    let span = join(start, operand.span);
                    self.temporal(FormulaKind::Not(Box::new(operand)), span, height + 1)
                }
                Node::Temporal(operand, _) => Err(self.no_condition(lexeme, operand.span)),
            };
        }
        if self.eat(Token::LeftParen) {
            let inner = self.formula()?;
            if self.at(Token::Assign) && self.second() != Token::Greater {
                return Err(self.assignment_in_formula());
            }
            self.expect(Token::RightParen, " or an operator")?;
            return Ok(inner.with_span(self.since(start)));
        }
        self.primary().map(Node::State)
    }
}
