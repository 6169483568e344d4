//! Random temporal formulas about globals and about the locations of processes.

use std::fmt;

use super::generate::Generator;
use super::tree::Expr;

/// A formula. The shrinker replaces its parts by their own parts.
#[derive(Clone, PartialEq, Debug)]
pub enum Formula {
    Condition(Expr),
    Unary(&'static str, Box<Formula>),
    Binary(&'static str, Box<Formula>, Box<Formula>),
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition(expr) => write!(f, "({expr})"),
            Self::Unary(operator, a) => write!(f, "({operator} {a})"),
            Self::Binary(operator, a, b) => write!(f, "({a} {operator} {b})"),
        }
    }
}

impl Formula {
    /// Its parts, if it has any.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Condition(_) => Vec::new(),
            Self::Unary(_, a) => vec![a],
            Self::Binary(_, a, b) => vec![a, b],
        }
    }

    /// All formulas in which one part was replaced by one of its own parts.
    pub fn simpler(&self) -> Vec<Self> {
        let mut all: Vec<Self> = self.parts().into_iter().cloned().collect();
        match self {
            Self::Condition(_) => {}
            Self::Unary(operator, a) => {
                all.extend(a.simpler().into_iter().map(|a| Self::Unary(operator, a.into())));
            }
            Self::Binary(operator, a, b) => {
                all.extend(a.simpler().into_iter().map(|a| Self::Binary(operator, a.into(), b.clone())));
                all.extend(b.simpler().into_iter().map(|b| Self::Binary(operator, a.clone(), b.into())));
            }
        }
        all
    }
}

impl Generator {
    /// Formulas of the kinds that people write, and any others.
    pub fn formula(&mut self) -> Formula {
        let unary = |operator, a: Formula| Formula::Unary(operator, a.into());
        let binary = |operator, a: Formula, b: Formula| Formula::Binary(operator, a.into(), b.into());
        match self.rng.below(12) {
            0 => unary("[]", self.proposition()),
            1 => unary("<>", self.proposition()),
            2 | 3 => unary("[]", unary("<>", self.proposition())),
            4 => unary("<>", unary("[]", self.proposition())),
            5 => unary("[]", binary("->", self.proposition(), unary("<>", self.proposition()))),
            6 => binary(
                "->",
                unary("[]", unary("<>", self.proposition())),
                unary("[]", unary("<>", self.proposition())),
            ),
            _ => {
                // SPIN as usually installed refuses models with a single `X`.
                let next = self.rng.chance(6);
                self.any_formula(3, next)
            }
        }
    }

    fn any_formula(&mut self, depth: usize, next: bool) -> Formula {
        if depth == 0 || self.rng.chance(15) {
            return self.proposition();
        }
        let a = self.any_formula(depth - 1, next);
        match self.rng.below(12) {
            0 => Formula::Unary("!", a.into()),
            1 | 2 => Formula::Unary("[]", a.into()),
            3 | 4 => Formula::Unary("<>", a.into()),
            5 | 6 if next => Formula::Unary("X", a.into()),
            _ => {
                const OPERATORS: [&str; 7] = ["&&", "||", "->", "<->", "U", "U", "V"];
                let operator = OPERATORS[self.rng.below(OPERATORS.len())];
                Formula::Binary(operator, a.into(), self.any_formula(depth - 1, next).into())
            }
        }
    }

    /// True or false in a state, without `_pid` and the like, which depend on the process that evaluates it.
    fn proposition(&mut self) -> Formula {
        const OPERATORS: [&str; 6] = ["==", "==", "!=", "<", ">", ">="];
        if self.rng.chance(25)
            && let Some(remote) = self.remote()
        {
            return Formula::Condition(remote);
        }
        if self.rng.chance(15)
            && let Some(chan) = self.some_chan(true)
        {
            let place = self.chan_place(&chan);
            let bound = self.rng.between(0, 1);
            return Formula::Condition(Expr::Text(format!("len({place}) > {bound}")));
        }
        let Some(var) = self.some_var(false) else { return Formula::Condition(Expr::Lit(1)) };
        let left = Expr::Place(self.var_place(&var));
        let right = match var.ty.names() {
            [] => Expr::Lit(self.rng.between(0, 2)),
            names => Expr::Text(names[self.rng.below(names.len())].into()),
        };
        let operator = OPERATORS[self.rng.below(OPERATORS.len())];
        Formula::Condition(Expr::Binary(operator, left.into(), right.into()))
    }
}
