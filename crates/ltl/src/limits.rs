//! Translations are exponential; these limits make them end with an error instead of running forever.

use std::fmt;

/// How much work a translation may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// States of an automaton.
    pub states: usize,
    /// Edges that are built, including those that turn out to be redundant.
    pub edges: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: 4_000, edges: 1_000_000 }
    }
}

/// Why a formula was not translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// A proposition has a number for which a valuation has no bit.
    Propositions,
    /// The formula needs more acceptance sets than there are marks.
    Sets,
    States,
    Edges,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Propositions => "the formula has more than 64 propositions",
            Self::Sets => "the automaton of the formula has more than 64 acceptance sets",
            Self::States => "the automaton of the formula has too many states",
            Self::Edges => "the automaton of the formula has too many transitions",
        })
    }
}

impl std::error::Error for TooLarge {}

/// What is left of the limits.
pub struct Budget {
    pub states: usize,
    edges: usize,
}

impl Budget {
    pub fn new(limits: Limits) -> Self {
        Self { states: limits.states, edges: limits.edges }
    }

    pub fn spend(&mut self, edges: usize) -> Result<(), TooLarge> {
        self.edges = self.edges.checked_sub(edges).ok_or(TooLarge::Edges)?;
        Ok(())
    }

    /// Charges for comparing `edges` edges with each other, which costs far less than building them.
    pub fn compare(&mut self, edges: usize) -> Result<(), TooLarge> {
        self.spend(edges.saturating_mul(edges) / 64)
    }
}
