//! The text of a scenario.

use std::ops::Range;
use std::rc::Rc;

use super::ScenarioError;
use super::machine::{Expr, MOST, Machine};
use super::pattern::{Arguments, Pattern, Value, plain};

/// The deepest nesting.
const DEEPEST: u32 = 100;
/// The most repetitions that a number can ask for, each of which is written out.
const REPETITIONS: usize = 1000;

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Name(String),
    Number(i128),
    Text(String),
    /// A mark: `;`, `...`.
    Mark(&'static str),
    End,
}

const MARKS: [&str; 17] =
    ["...", "…", ";", "|", "&", "*", "+", "?", "!", "(", ")", "{", "}", ",", ":", "_", "-"];

pub(super) fn read(text: &str, variants: &[&str]) -> Result<Machine, ScenarioError> {
    let mut reader = Reader::new(text, variants)?;
    let expr = reader.interleaved()?;
    reader.expect_end()?;
    let too_large = || reader.error(0..text.len(), format!("the scenario has more than {MOST} states"));
    Machine::new(reader.patterns.clone(), &expr).ok_or_else(too_large)
}

/// One pattern.
pub(super) fn read_atom(text: &str, variants: &[&str]) -> Result<Pattern, ScenarioError> {
    let mut reader = Reader::new(text, variants)?;
    let pattern = reader.pattern()?;
    reader.expect_end()?;
    Ok(pattern)
}

struct Reader<'a> {
    text: &'a str,
    variants: &'a [&'a str],
    tokens: Vec<(Token, Range<usize>)>,
    at: usize,
    patterns: Vec<Pattern>,
    depth: u32,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, variants: &'a [&'a str]) -> Result<Self, ScenarioError> {
        let mut reader = Self { text, variants, tokens: Vec::new(), at: 0, patterns: Vec::new(), depth: 0 };
        let mut at = 0;
        while let Some(letter) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = |fits: fn(char) -> bool| rest.find(|letter| !fits(letter)).unwrap_or(rest.len());
            let (token, length) = if letter.is_whitespace() {
                at += letter.len_utf8();
                continue;
            } else if letter.is_ascii_digit() {
                let length = length(|letter| letter.is_ascii_digit());
                let number = rest[..length].parse();
                let number = number.map_err(|_| reader.error(at..at + length, "the number is too large"))?;
                (Token::Number(number), length)
            } else if letter.is_alphabetic() || letter == '_' && rest[1..].starts_with(char::is_alphanumeric)
            {
                let length = length(|letter| letter.is_alphanumeric() || letter == '_');
                (Token::Name(rest[..length].to_owned()), length)
            } else if letter == '"' {
                let end = rest[1..].find('"');
                let end = end.ok_or_else(|| reader.error(at..text.len(), "the text has no end"))?;
                (Token::Text(rest[1..=end].to_owned()), end + 2)
            } else if let Some(&mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                (Token::Mark(mark), mark.len())
            } else {
                let message = format!("`{letter}` means nothing in a scenario");
                return Err(reader.error(at..at + letter.len_utf8(), message));
            };
            reader.tokens.push((token, at..at + length));
            at += length;
        }
        reader.tokens.push((Token::End, text.len()..text.len()));
        Ok(reader)
    }

    fn error(&self, at: Range<usize>, message: impl Into<String>) -> ScenarioError {
        ScenarioError { text: self.text.to_owned(), at, message: message.into() }
    }

    fn here(&self) -> Range<usize> {
        self.tokens[self.at].1.clone()
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn skips(&mut self, mark: &'static str) -> bool {
        let is_there = *self.peek() == Token::Mark(mark);
        if is_there {
            self.advance();
        }
        is_there
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), ScenarioError> {
        if self.skips(mark) { Ok(()) } else { Err(self.error(self.here(), format!("expected `{mark}`"))) }
    }

    fn expect_end(&self) -> Result<(), ScenarioError> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(self.error(self.here(), "expected `;`, `|`, `&` or the end")),
        }
    }

    fn interleaved(&mut self) -> Result<Rc<Expr>, ScenarioError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(self.here(), "the scenario is nested too deeply"));
        }
        let mut all = self.alternatives()?;
        while self.skips("&") {
            all = all.interleaved(&self.alternatives()?);
        }
        self.depth -= 1;
        Ok(all)
    }

    fn alternatives(&mut self) -> Result<Rc<Expr>, ScenarioError> {
        let mut all = self.sequence()?;
        while self.skips("|") {
            all = Rc::new(Expr::Or(all, self.sequence()?));
        }
        Ok(all)
    }

    fn sequence(&mut self) -> Result<Rc<Expr>, ScenarioError> {
        let mut all = vec![self.repeated()?];
        while self.skips(";") {
            all.push(self.repeated()?);
        }
        // From the right, so that what is left after each is a part of the whole.
        let done = Rc::new(Expr::Done);
        Ok(all.into_iter().rev().fold(done, |rest, one| one.then(&rest)))
    }

    fn repeated(&mut self) -> Result<Rc<Expr>, ScenarioError> {
        let mut one = self.one()?;
        let done = Rc::new(Expr::Done);
        loop {
            one = if self.skips("*") {
                Rc::new(Expr::Repeated(one))
            } else if self.skips("+") {
                one.then(&Rc::new(Expr::Repeated(Rc::clone(&one))))
            } else if self.skips("?") {
                Rc::new(Expr::Or(one, done.clone()))
            } else if self.skips("{") {
                let at = self.here();
                let (least, most) = self.bounds()?;
                if one.size().saturating_mul(most.unwrap_or(least + 1)) > MOST {
                    return Err(self.error(at, format!("the scenario has more than {MOST} states")));
                }
                let mut rest = match most {
                    None => Rc::new(Expr::Repeated(Rc::clone(&one))),
                    Some(most) => (least..most)
                        .fold(done.clone(), |rest, _| Rc::new(Expr::Or(one.then(&rest), done.clone()))),
                };
                for _ in 0..least {
                    rest = one.then(&rest);
                }
                rest
            } else {
                return Ok(one);
            };
        }
    }

    /// `3}`, `1,3}` or `2,}`.
    fn bounds(&mut self) -> Result<(usize, Option<usize>), ScenarioError> {
        let at = self.here();
        let least = self.repetitions()?;
        let mut most = Some(least);
        if self.skips(",") {
            most = if *self.peek() == Token::Mark("}") { None } else { Some(self.repetitions()?) };
        }
        let end = self.here().start;
        self.expect("}")?;
        if most.is_some_and(|most| most < least) {
            return Err(self.error(at.start..end, "the second number is less than the first one"));
        }
        Ok((least, most))
    }

    fn repetitions(&mut self) -> Result<usize, ScenarioError> {
        let at = self.here();
        match self.advance() {
            Token::Number(number) => match usize::try_from(number) {
                Ok(number) if number <= REPETITIONS => Ok(number),
                _ => Err(self.error(at, format!("at most {REPETITIONS} repetitions can be counted"))),
            },
            _ => Err(self.error(at, "expected a number")),
        }
    }

    fn one(&mut self) -> Result<Rc<Expr>, ScenarioError> {
        if self.skips("(") {
            let inner = self.interleaved()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let is_anything = self.skips("...") || self.skips("…");
        let pattern = if is_anything { Pattern::Any } else { self.pattern()? };
        let known = self.patterns.iter().position(|other| *other == pattern);
        let number = known.unwrap_or_else(|| {
            self.patterns.push(pattern);
            self.patterns.len() - 1
        });
        let one = Rc::new(Expr::One(number));
        Ok(if is_anything { Rc::new(Expr::Repeated(one)) } else { one })
    }

    fn pattern(&mut self) -> Result<Pattern, ScenarioError> {
        let at = self.here();
        match self.advance() {
            Token::Mark("_") => Ok(Pattern::Any),
            Token::Mark("!") => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err(self.error(at, "the scenario is nested too deeply"));
                }
                let pattern = self.pattern()?;
                self.depth -= 1;
                Ok(Pattern::Not(Box::new(pattern)))
            }
            Token::Name(name) => {
                if !self.variants.iter().any(|variant| plain(variant) == plain(&name)) {
                    let all = self.variants.join(", ");
                    return Err(self.error(at, format!("there is no action `{name}`; there are {all}")));
                }
                Ok(Pattern::Named { name, arguments: self.arguments()? })
            }
            _ => Err(self.error(at, "expected an action, `_`, `...`, `!` or `(`")),
        }
    }

    fn arguments(&mut self) -> Result<Option<Arguments>, ScenarioError> {
        if !self.skips("(") {
            return Ok(None);
        }
        let (mut in_order, mut by_name) = (Vec::new(), Vec::new());
        while !self.skips(")") {
            let at = self.here();
            let is_named = self.tokens.get(self.at + 1).is_some_and(|(token, _)| *token == Token::Mark(":"));
            match self.peek().clone() {
                Token::Name(name) if is_named => {
                    self.advance();
                    self.advance();
                    by_name.push((name, self.value()?));
                }
                _ => in_order.push(self.value()?),
            }
            if !in_order.is_empty() && !by_name.is_empty() {
                return Err(self.error(at, "arguments are given either all by name or all in order"));
            }
            if *self.peek() != Token::Mark(")") {
                self.expect(",")?;
            }
        }
        Ok(Some(if by_name.is_empty() { Arguments::InOrder(in_order) } else { Arguments::ByName(by_name) }))
    }

    fn value(&mut self) -> Result<Value, ScenarioError> {
        let at = self.here();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(at, "the scenario is nested too deeply"));
        }
        let value = match self.advance() {
            Token::Mark("_") => Value::Any,
            Token::Number(number) => Value::Number(number),
            Token::Mark("-") => match self.advance() {
                Token::Number(number) => Value::Number(-number),
                _ => return Err(self.error(at, "expected a number after `-`")),
            },
            Token::Text(text) => Value::Text(text),
            Token::Name(name) if name == "true" || name == "false" => Value::Bool(name == "true"),
            Token::Name(name) => Value::Variant { name, arguments: self.arguments()? },
            _ => return Err(self.error(at, "expected a value, or `_` for any")),
        };
        self.depth -= 1;
        Ok(value)
    }
}
