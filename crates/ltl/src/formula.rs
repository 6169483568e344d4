//! Formulas as they are written.
//!
//! The meaning of a formula on an infinite word is that of Pnueli (1977): `X` is the next position; `a U b`
//! requires `b` to come, `a W b` does not; `a V b` (release) is the dual of `U`: `b` holds up to and
//! including the first `a`, or always.

use std::fmt;

/// An atomic proposition. Its meaning is known to the code that assigned the number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Prop(pub u32);

impl Prop {
    /// Valuations and labels are words of this many bits.
    pub const LIMIT: u32 = 64;
}

impl fmt::Display for Prop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    True,
    False,
    Prop(Prop),
    Not(Box<Self>),
    /// `X a`
    Next(Box<Self>),
    /// `[] a`
    Always(Box<Self>),
    /// `<> a`
    Eventually(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
    Implies(Box<Self>, Box<Self>),
    Equivalent(Box<Self>, Box<Self>),
    /// `a U b`
    Until(Box<Self>, Box<Self>),
    /// `a W b`
    WeakUntil(Box<Self>, Box<Self>),
    /// `a V b`
    Release(Box<Self>, Box<Self>),
}

impl Formula {
    pub fn negated(&self) -> Self {
        Self::Not(Box::new(self.clone()))
    }

    pub fn operands(&self) -> impl Iterator<Item = &Self> {
        let (first, second) = match self {
            Self::True | Self::False | Self::Prop(_) => (None, None),
            Self::Not(a) | Self::Next(a) | Self::Always(a) | Self::Eventually(a) => (Some(a), None),
            Self::And(a, b)
            | Self::Or(a, b)
            | Self::Implies(a, b)
            | Self::Equivalent(a, b)
            | Self::Until(a, b)
            | Self::WeakUntil(a, b)
            | Self::Release(a, b) => (Some(a), Some(b)),
        };
        first.into_iter().chain(second).map(|operand| &**operand)
    }

    /// Whether the formula has no `X`. Such a formula does not depend on how often a state is repeated, which
    /// partial order reduction requires; [`crate::stutter`] recognizes further formulas of this kind.
    pub fn is_next_free(&self) -> bool {
        !matches!(self, Self::Next(_)) && self.operands().all(Self::is_next_free)
    }

    /// The formula with each proposition replaced by a formula.
    #[must_use]
    pub fn substitute(&self, f: &impl Fn(Prop) -> Self) -> Self {
        let one = |a: &Self| Box::new(a.substitute(f));
        match self {
            Self::True => Self::True,
            Self::False => Self::False,
            Self::Prop(prop) => f(*prop),
            Self::Not(a) => Self::Not(one(a)),
            Self::Next(a) => Self::Next(one(a)),
            Self::Always(a) => Self::Always(one(a)),
            Self::Eventually(a) => Self::Eventually(one(a)),
            Self::And(a, b) => Self::And(one(a), one(b)),
            Self::Or(a, b) => Self::Or(one(a), one(b)),
            Self::Implies(a, b) => Self::Implies(one(a), one(b)),
            Self::Equivalent(a, b) => Self::Equivalent(one(a), one(b)),
            Self::Until(a, b) => Self::Until(one(a), one(b)),
            Self::WeakUntil(a, b) => Self::WeakUntil(one(a), one(b)),
            Self::Release(a, b) => Self::Release(one(a), one(b)),
        }
    }

    /// The propositions of the formula, each once, in the order of their numbers.
    pub fn props(&self) -> Vec<Prop> {
        fn collect(formula: &Formula, props: &mut Vec<Prop>) {
            if let Formula::Prop(prop) = formula {
                props.push(*prop);
            }
            formula.operands().for_each(|operand| collect(operand, props));
        }
        let mut props = Vec::new();
        collect(self, &mut props);
        props.sort_unstable();
        props.dedup();
        props
    }

    /// The formula as text that [`crate::parse`] reads back in either dialect. `name` writes the
    /// propositions.
    pub fn display<N: fmt::Display>(&self, name: impl Fn(Prop) -> N) -> impl fmt::Display {
        let mut text = String::new();
        self.write(&mut text, &name);
        text
    }

    fn write<N: fmt::Display>(&self, text: &mut String, name: &impl Fn(Prop) -> N) {
        let operator = match self {
            Self::True => return text.push_str("true"),
            Self::False => return text.push_str("false"),
            Self::Prop(prop) => return text.push_str(&name(*prop).to_string()),
            Self::Not(_) => "!",
            Self::Next(_) => "X ",
            Self::Always(_) => "[] ",
            Self::Eventually(_) => "<> ",
            Self::Until(..) => " U ",
            Self::WeakUntil(..) => " W ",
            Self::Release(..) => " V ",
            Self::And(..) => " && ",
            Self::Or(..) => " || ",
            Self::Implies(..) => " -> ",
            Self::Equivalent(..) => " <-> ",
        };
        let strength = self.strength();
        if strength == UNARY {
            text.push_str(operator);
        }
        for (place, operand) in self.operands().enumerate() {
            if place == 1 {
                text.push_str(operator);
            }
            // All operators associate to the left, and a chain of one operator needs no parentheses.
            let chain = place == 0 && std::mem::discriminant(self) == std::mem::discriminant(operand);
            let open =
                operand.strength() <= strength && strength < UNARY && !chain || operand.strength() < strength;
            if open {
                text.push('(');
            }
            operand.write(text, name);
            if open {
                text.push(')');
            }
        }
    }

    fn strength(&self) -> u8 {
        match self {
            Self::True | Self::False | Self::Prop(_) => UNARY + 1,
            Self::Not(_) | Self::Next(_) | Self::Always(_) | Self::Eventually(_) => UNARY,
            Self::Until(..) | Self::WeakUntil(..) | Self::Release(..) => TEMPORAL,
            Self::And(..) | Self::Or(..) | Self::Implies(..) | Self::Equivalent(..) => LOGICAL,
        }
    }
}

/// How tightly operators bind: as far as both dialects of [`crate::parse`] agree.
const LOGICAL: u8 = 0;
const TEMPORAL: u8 = 1;
const UNARY: u8 = 2;

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display(|prop| prop).fmt(f)
    }
}
