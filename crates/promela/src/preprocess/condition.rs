//! The conditions of `#if` and `#elif`: constant expressions of C on 64-bit integers, where names are 0.

use crate::lexer::{Interner, Kind, Lexeme, Token};
use crate::text::clip;

/// The largest nesting depth of a condition.
const MAX_NESTING: u32 = 100;

/// An error, and the index of the lexeme at fault, which may be one past the last.
pub struct Wrong {
    pub at: usize,
    pub message: String,
}

type Outcome = Result<i64, Wrong>;

/// The value of a condition, in which `defined` and macros are replaced already.
pub fn evaluate(lexemes: &[Lexeme], interner: &Interner) -> Outcome {
    let mut condition = Condition { lexemes, interner, at: 0, nesting: 0, idle: 0 };
    let value = condition.ternary()?;
    match lexemes.get(condition.at) {
        None => Ok(value),
        Some(_) => Err(condition.wrong("an operator or the end of the line")),
    }
}

struct Condition<'a> {
    lexemes: &'a [Lexeme],
    interner: &'a Interner,
    at: usize,
    nesting: u32,
    /// Positive in an operand whose value is unused: there, division by zero is fine.
    idle: u32,
}

fn strength(token: Token) -> Option<u8> {
    Some(match token {
        Token::Or => 1,
        Token::And => 2,
        Token::BitOr => 3,
        Token::BitXor => 4,
        Token::BitAnd => 5,
        Token::Equal | Token::NotEqual => 6,
        Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => 7,
        Token::ShiftLeft | Token::ShiftRight => 8,
        Token::Plus | Token::Minus => 9,
        Token::Star | Token::Slash | Token::Percent => 10,
        _ => return None,
    })
}

impl Condition<'_> {
    fn operator(&self) -> Option<Token> {
        let lexeme = self.lexemes.get(self.at).filter(|lexeme| lexeme.kind == Kind::Operator)?;
        Token::fixed(lexeme.symbol)
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.operator() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn wrong(&self, expected: &str) -> Wrong {
        let found = match self.lexemes.get(self.at) {
            Some(lexeme) => format!("`{}`", clip(self.interner.text(lexeme.symbol))),
            None => "the end of the line".to_owned(),
        };
        Wrong { at: self.at, message: format!("expected {expected}, found {found}") }
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        if self.nesting == MAX_NESTING {
            return Err(Wrong { at: self.at, message: "this condition is nested too deeply".to_owned() });
        }
        self.nesting += 1;
        let outcome = parse(self);
        self.nesting -= 1;
        outcome
    }

    /// Parses an operand whose value is unused unless `used`.
    fn used_if(&mut self, used: bool, parse: impl FnOnce(&mut Self) -> Outcome) -> Outcome {
        self.idle += u32::from(!used);
        let outcome = parse(self);
        self.idle -= u32::from(!used);
        outcome
    }

    fn ternary(&mut self) -> Outcome {
        let test = self.binary(1)?;
        if !self.eat(Token::Question) {
            return Ok(test);
        }
        let yes = self.used_if(test != 0, |this| this.nested(Self::ternary))?;
        if !self.eat(Token::Colon) {
            return Err(self.wrong("`:`"));
        }
        let no = self.used_if(test == 0, |this| this.nested(Self::ternary))?;
        Ok(if test == 0 { no } else { yes })
    }

    fn binary(&mut self, weakest: u8) -> Outcome {
        let mut left = self.unary()?;
        while let Some(token) = self.operator() {
            let Some(strength) = strength(token).filter(|&strength| strength >= weakest) else { break };
            let at = self.at;
            self.at += 1;
            let used = match token {
                Token::And => left != 0,
                Token::Or => left == 0,
                _ => true,
            };
            let right = self.used_if(used, |this| this.binary(strength + 1))?;
            left = self.apply(token, left, right, at)?;
        }
        Ok(left)
    }

    fn apply(&self, token: Token, left: i64, right: i64, at: usize) -> Outcome {
        Ok(match token {
            Token::Or => i64::from(left != 0 || right != 0),
            Token::And => i64::from(left != 0 && right != 0),
            Token::BitOr => left | right,
            Token::BitXor => left ^ right,
            Token::BitAnd => left & right,
            Token::Equal => i64::from(left == right),
            Token::NotEqual => i64::from(left != right),
            Token::Less => i64::from(left < right),
            Token::LessEqual => i64::from(left <= right),
            Token::Greater => i64::from(left > right),
            Token::GreaterEqual => i64::from(left >= right),
            Token::ShiftLeft => u32::try_from(right).ok().and_then(|by| left.checked_shl(by)).unwrap_or(0),
            Token::ShiftRight => left >> right.clamp(0, 63),
            Token::Plus => left.wrapping_add(right),
            Token::Minus => left.wrapping_sub(right),
            Token::Star => left.wrapping_mul(right),
            _ if right == 0 && self.idle > 0 => 0,
            _ if right == 0 => return Err(Wrong { at, message: "this divides by zero".to_owned() }),
            Token::Slash => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        })
    }

    fn unary(&mut self) -> Outcome {
        let Some(token) = self.operator() else { return self.primary() };
        // Promela has operators that C does not have, or uses otherwise.
        let operation: fn(i64) -> i64 = match token {
            Token::Not => |value| i64::from(value == 0),
            Token::SortedSend => |value| i64::from(value != 0),
            Token::Minus => i64::wrapping_neg,
            Token::Tilde => |value| !value,
            Token::Plus | Token::Decrement | Token::Increment => |value| value,
            _ => return self.primary(),
        };
        self.at += 1;
        self.nested(Self::unary).map(operation)
    }

    fn primary(&mut self) -> Outcome {
        if self.eat(Token::LeftParen) {
            let value = self.nested(Self::ternary)?;
            return if self.eat(Token::RightParen) { Ok(value) } else { Err(self.wrong("`)`")) };
        }
        let Some(lexeme) = self.lexemes.get(self.at) else { return Err(self.wrong("a number or a name")) };
        let text = self.interner.text(lexeme.symbol);
        let value = match lexeme.kind {
            Kind::Word => Some(0),
            Kind::Number => number(text),
            Kind::Char => character(text).map(i64::from),
            _ => None,
        };
        let Some(value) = value else { return Err(self.wrong("a number or a name")) };
        self.at += 1;
        Ok(value)
    }
}

/// A number as C writes them.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(u64::cast_signed)
}

/// The value of a character constant, quotes included in the text. Escapes are those that SPIN knows.
pub fn character(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [b'\'', byte, b'\''] if *byte != b'\\' => Some(*byte),
        [b'\'', b'\\', byte, b'\''] => Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'f' => b'\x0c',
            byte => *byte,
        }),
        _ => None,
    }
}
