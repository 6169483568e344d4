//! Linear temporal logic: all of it that needs no model.
//!
//! A model violates a formula if it has a run that satisfies the formula's negation. So a [`Formula`] becomes an [`Automaton`]
//! that accepts the words that satisfy it, and a search looks for a run of both at once. Propositions are numbers
//! ([`Prop`]): what they stand for is the affair of the front end that handed them out, and of the search, which turns a state
//! into a [`lasso::Valuation`].
//!
//! ```text
//! text ── parse ── Formula ── normal ── rewrite ─┬─ alternating ── translate ─┬─ reduce ── degeneralize ── reduce ── never
//!                     │                          └──────── tableau ───────────┘     │             │                  hoa
//!                   lasso: what the formula says about one word                generalized      buchi
//! ```
//!
//! | module          | what it is                                                                                 |
//! |-----------------|--------------------------------------------------------------------------------------------|
//! | [`parse`]       | SPIN's notation, with a hook for the conditions of the embedding language                  |
//! | [`lasso`]       | the truth of a formula on an ultimately periodic word: the oracle                          |
//! | [`normal`]      | negation normal form, each subformula once                                                 |
//! | [`rewrite`]     | smaller formulas that mean the same, by what `implication` sees                            |
//! | [`alternating`] | what a formula demands now and next; [`translate`] makes sets of demands the states        |
//! | [`tableau`]     | a second, independent translation                                                          |
//! | [`reduce`]      | smaller automata: useless states, marks and sets, simulation                               |
//! | [`degeneralize`]| accepting states instead of several acceptance sets                                        |
//! | `recurrence`    | conjunctions with many `[] <> b`: fairness assumptions                                     |
//! | [`best`]        | **the way in**: the smallest automaton of all this, generalized or Büchi                   |
//! | [`kind`]        | how much an emptiness check has to do                                                      |
//! | [`stutter`]     | whether partial order reduction is allowed                                                 |
//! | [`hoa`]         | the Hanoi Omega-Automata format, in and out                                                |
//! | [`mod@never`]   | never claims, out                                                                          |
//!
//! What must hold:
//! - an automaton of a formula accepts exactly the words on which [`lasso::Lasso::satisfies`] says yes, after each stage;
//! - `lasso` shares no code with the translations, and the translations none with each other but the terms;
//! - nothing panics on a formula that `parse` accepts, and a translation that would explode ends with [`TooLarge`];
//! - equal formulas have equal automata in every run: no order of a hash map shows.
//!
//! ```
//! use quotient_ltl::{Limits, best, kind, never, parse};
//!
//! let mut names = parse::Names::default();
//! let formula = parse::parse("[] (request -> <> answer)", &mut names).unwrap();
//! let claim = best::buchi(&formula.negated(), Limits::default()).unwrap();
//! assert_eq!((claim.edges.len(), claim.transitions()), (2, 3));
//! assert_eq!(kind::Weakness::of(&claim).strength, kind::Strength::Weak);
//! println!("{}", never::never(&claim, "![] (request -> <> answer)", |prop| names.name(prop)).unwrap());
//! ```
//!
//! Absent here: what a proposition means, the product with a model, the search in it, fairness.

pub mod alternating;
mod automaton;
pub mod best;
mod cube;
pub mod degeneralize;
mod formula;
pub mod hoa;
mod implication;
pub mod kind;
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
pub mod stutter;
pub mod tableau;
pub mod translate;
mod worklist;

pub use automaton::{Automaton, Edge, Marks, State};
pub use cube::Cube;
pub use formula::{Formula, Prop};
pub use limits::{Budget, Limits, TooLarge};
