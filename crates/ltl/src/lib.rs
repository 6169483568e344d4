//! Linear temporal logic, independent of any model.
//!
//! A model violates a formula if it has a run that satisfies the formula's negation. So a [`Formula`] becomes
//! an [`Automaton`] that accepts the words that satisfy it, and a search looks for a run of both at once.
//! Propositions are numbers ([`Prop`]): their meaning is known to the front end that assigned them, and to
//! the search, which turns a state into a [`lasso::Valuation`].
//!
//! ```text
//! text ─ parse ─ Formula ─ normal ─ rewrite ─┬─ alternating ─ translate ─┬─ reduce ─ degeneralize ─ reduce
//!                   │                        └───────── tableau ─────────┘     │                       │
//!         lasso: the truth of the formula on one word               generalized: hoa   buchi: hoa, never
//! ```
//!
//! | module          | what it is                                                                          |
//! |-----------------|-------------------------------------------------------------------------------------|
//! | [`parse`]       | SPIN's notation, with a hook for the conditions of the embedding language           |
//! | [`lasso`]       | the truth of a formula on an ultimately periodic word: the oracle                   |
//! | [`normal`]      | negation normal form, each subformula once                                          |
//! | [`rewrite`]     | smaller formulas with the same meaning, by syntactic `implication`                  |
//! | [`alternating`] | what a formula demands now and next; [`translate`] makes sets of demands the states |
//! | [`tableau`]     | a second, independent translation                                                   |
//! | [`reduce`]      | smaller automata: useless states, marks and sets, simulation                        |
//! | [`degeneralize`]| accepting states instead of several acceptance sets                                 |
//! | `recurrence`    | conjunctions with many `[] <> b`: fairness assumptions                              |
//! | [`smallest`]    | **the entry point**: the smallest automaton, generalized or Büchi                   |
//! | [`strength`]    | how much an emptiness check has to do                                               |
//! | [`stutter`]     | whether partial order reduction is allowed                                          |
//! | [`hoa`]         | the Hanoi Omega-Automata format, reading and writing                                |
//! | [`mod@never`]   | never claims, writing                                                               |
//!
//! Invariants:
//! - an automaton of a formula accepts exactly the words that [`lasso::Lasso::satisfies`] accepts, after each
//!   stage;
//! - `lasso` shares no code with the translations, and the translations share only the terms;
//! - nothing panics on a formula that `parse` accepts, and a translation that would explode ends with
//!   [`TooLarge`];
//! - equal formulas have equal automata in every run: results do not depend on the order of a hash map.
//!
//! ```
//! use quotient_ltl::{Limits, never, parse, smallest, strength};
//!
//! let mut names = parse::Names::default();
//! let formula = parse::parse("[] (request -> <> answer)", &mut names).unwrap();
//! let claim = smallest::buchi(&formula.negated(), Limits::default()).unwrap();
//! assert_eq!((claim.edges.len(), claim.transitions()), (2, 3));
//! assert_eq!(strength::Weakness::of(&claim).strength, strength::Strength::Weak);
//! println!("{}", never::never(&claim, "![] (request -> <> answer)", |prop| names.name(prop)).unwrap());
//! ```
//!
//! Not here: the meaning of propositions, the product with a model, the search in it, fairness.

pub mod alternating;
mod automaton;
mod cube;
pub mod degeneralize;
mod formula;
pub mod hoa;
mod implication;
pub mod lasso;
mod limits;
pub mod never;
pub mod normal;
pub mod parse;
mod recurrence;
pub mod reduce;
pub mod rewrite;
mod scc;
mod simulation;
pub mod smallest;
pub mod strength;
pub mod stutter;
pub mod tableau;
pub mod translate;
mod worklist;

pub use automaton::{Automaton, Edge, Marks, State};
pub use cube::Cube;
pub use formula::{Formula, Prop};
pub use limits::{Budget, Limits, TooLarge};
