//! Whether individuals are interchangeable: the claim of types, tested.
//!
//! Nothing keeps a model from asking which element of a set comes first. So for some states two individuals
//! are exchanged, and the model is asked for its answers again: the actions, their results, what holds. They
//! must be the same but for the exchange. Individuals of dynamic sorts and objects are exchanged if the state
//! mentions both, since the next new one is chosen among the others.

use std::sync::atomic::Ordering::Relaxed;

use bits::SplitMix64;

use crate::mentions::Mentions;
use crate::panics::caught;
use crate::program::{Applied, Offers};
use crate::properties::Proposition;
use crate::sorts::Size;
use crate::words::{Names, Scratch, plain, renamed};
use crate::{Cx, Index, Model, Process, Program};

/// The states whose answers are tested.
///
/// ```
/// # use quotient_model::{Shape, model, sort};
/// # sort! { pub struct Client; }
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Lock { holder: Option<Client> }
/// # #[model]
/// # impl Lock {
/// #     #[initial]
/// #     fn free() -> Self { Self::default() }
/// #     #[action(when = self.holder.is_none(), process = client)]
/// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
/// #     #[action(when = self.holder == Some(client), process = client)]
/// #     fn release(&mut self, client: Client) { self.holder = None; }
/// #     #[proposition]
/// #     fn is_held(&self) -> bool { self.holder.is_some() }
/// #     #[ltl("[] <> is_held")]
/// #     const HELD_AGAIN: () = ();
/// #     #[view]
/// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
/// # }
/// use quotient_model::SymmetryCheck;
/// let mut lock = Lock::program().sort::<Client>(3);
/// lock.check().symmetry_check(SymmetryCheck::All).assert_counts(2, 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SymmetryCheck {
    /// All states, with every pair of individuals.
    All,
    /// The first hundred states with every pair of individuals; with one pair each, the states up to the
    /// thousandth and one of 64 after them.
    #[default]
    Sample,
    /// None. The types are trusted.
    Off,
}

/// A sort whose individuals are not interchangeable.
///
/// ```
/// use quotient_model::{Cx, Shape, model, sort};
/// sort! { struct Side; }
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Coin { up: Option<Side> }
/// #[model]
/// impl Coin {
///     #[initial]
///     fn in_the_air() -> Self { Self::default() }
///     /// It falls on the side that comes first: a question that has no answer.
///     #[action(when = self.up.is_none())]
///     fn fall(&mut self, cx: &Cx<'_>) { self.up = cx.all().next(); }
/// }
/// let mut coin = Coin::program().sort::<Side>(2);
/// let report = coin.check().assert_holds();
/// assert_eq!(report.broken[0].sort, "Side");
/// assert_eq!(report.broken[0].exchanged, (0, 1));
/// // The same of one state.
/// let state = coin.initial_states().expect("it has one").remove(0);
/// coin.set_symmetry(quotient_model::Symmetry::Full, &[]);
/// assert!(coin.asymmetry(&state).is_some());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    pub(crate) number: usize,
    /// The name of the sort.
    pub sort: String,
    /// The state in which it shows.
    pub state: String,
    /// The two individuals that were exchanged.
    pub exchanged: (u32, u32),
    /// What differs.
    pub difference: String,
}

/// Which states are tested, and how far that went.
#[derive(Debug)]
pub(crate) struct Sampling {
    pub mode: SymmetryCheck,
    asked: u64,
    random: SplitMix64,
    is_on: bool,
}

impl Default for Sampling {
    fn default() -> Self {
        Self { mode: SymmetryCheck::Off, asked: 0, random: SplitMix64::new(1), is_on: false }
    }
}

impl Sampling {
    pub fn new(mode: SymmetryCheck) -> Self {
        Self { mode, is_on: true, ..Self::default() }
    }
}

/// The first states, tested with all pairs: small models are tested completely.
const THOROUGH: u64 = 100;
/// The states that are all tested.
const FIRST: u64 = 1000;
/// After them, one of this many is.
const ONE_OF: usize = 64;
/// Of those, where no individuals can be exchanged, one of this many is asked again.
const AGAIN: usize = 4;

/// What a model answers about a state: words, and how to show them.
type Answers = Vec<(Vec<u64>, String)>;

impl<M: Model> Program<M> {
    /// Tests a state, if it is its turn. What is found is noted, and ends the search.
    pub(crate) fn sample(&self, value: &M::State, actions: &[M::Action], is_full: bool) {
        let mut sampling = self.sampling.borrow_mut();
        if !sampling.is_on {
            return;
        }
        sampling.asked += 1;
        if sampling.mode != SymmetryCheck::All && sampling.asked > FIRST && sampling.random.below(ONE_OF) > 0
        {
            return;
        }
        let has_exchanges = sampling.mode != SymmetryCheck::Off && self.is_named();
        if !has_exchanges && sampling.asked > FIRST && sampling.random.below(AGAIN) > 0 {
            return;
        }
        let Ok(again) = self.offered(value) else { return };
        let offered = &Offers { actions: actions.to_vec(), is_full };
        let difference = difference(|shown| {
            [self.answers(value, offered, None, shown), self.answers(value, &again, None, shown)]
        });
        if let Some(difference) = difference {
            self.notes.borrow_mut().unrepeatable = Some(format!("in {value:?}: {difference}"));
            return self.interrupt.store(true, Relaxed);
        }
        if sampling.mode == SymmetryCheck::Off {
            return;
        }
        let mut pairs = self.pairs(value);
        if sampling.mode == SymmetryCheck::Sample && sampling.asked > THOROUGH && !pairs.is_empty() {
            let chosen = sampling.random.below(pairs.len());
            pairs = vec![pairs.swap_remove(chosen)];
        }
        if let Some(broken) = self.first_broken(value, offered, &pairs) {
            self.notes.borrow_mut().broken = Some(broken);
            self.interrupt.store(true, Relaxed);
        }
    }

    fn first_broken(
        &self,
        value: &M::State,
        offered: &Offers<M::Action>,
        pairs: &[(usize, u32, u32)],
    ) -> Option<Broken> {
        pairs.iter().find_map(|&(sort, a, b)| {
            let difference = self.exchange(value, offered, sort, a, b)?;
            Some(Broken {
                number: sort,
                sort: self.sorts.all[sort].name.clone(),
                state: format!("{value:?}"),
                exchanged: (a, b),
                difference,
            })
        })
    }

    /// Tests in a state that individuals are interchangeable, with every pair of them. Returns a sort whose are not.
    pub fn asymmetry(&self, state: &M::State) -> Option<Broken> {
        let offered = self.offered(state).ok()?;
        self.first_broken(state, &offered, &self.pairs(state))
    }

    /// The pairs of individuals that can be exchanged.
    fn pairs(&self, value: &M::State) -> Vec<(usize, u32, u32)> {
        let mentions = Mentions::of(&self.sorts, value);
        let mut pairs = Vec::new();
        for (number, sort) in self.sorts.all.iter().enumerate().filter(|(_, sort)| sort.symmetric) {
            let exists = |index: &u32| !sort.dynamic || mentions.has(number, *index);
            let count = match sort.size {
                Size::Given(count) => count,
                Size::Open | Size::Unknown => mentions.found[number].len() as u32,
            };
            let all: Vec<u32> = (0..count).filter(exists).collect();
            for (at, &a) in all.iter().enumerate() {
                let later = all[at + 1..].iter().filter(|&&b| sort.class(a) == sort.class(b));
                pairs.extend(later.map(|&b| (number, a, b)));
            }
        }
        pairs
    }

    /// What differs if two individuals are exchanged.
    fn exchange(
        &self,
        value: &M::State,
        offered: &Offers<M::Action>,
        sort: usize,
        a: u32,
        b: u32,
    ) -> Option<String> {
        let mut names: Names = vec![Vec::new(); self.sorts.all.len()];
        names[sort] = (0..=b)
            .map(|index| {
                if index == a {
                    b
                } else if index == b {
                    a
                } else {
                    index
                }
            })
            .collect();
        let exchanged = renamed(&self.sorts, &names, value);
        let Ok(theirs) = self.offered(&exchanged) else {
            return Some("only afterwards, finding the actions panics".to_owned());
        };
        difference(|shown| {
            [
                self.answers(value, offered, Some(&names), shown),
                self.answers(&exchanged, &theirs, None, shown),
            ]
        })
    }

    /// Everything the model says about a state, under other names if they are given. How it is shown is left
    /// out unless it is needed: that takes longer than everything else.
    fn answers(
        &self,
        value: &M::State,
        offered: &Offers<M::Action>,
        names: Option<&Names>,
        shown: bool,
    ) -> Answers {
        let cx = Cx::new(&self.sorts);
        let (mut answers, mut scratch) = (Vec::new(), Scratch::default());
        let mut fact = |text: String| answers.push((text.bytes().map(u64::from).collect(), text));
        for (name, holds) in self.properties.invariants.iter().chain(&self.properties.reachable) {
            fact(format!("{name}: {}", told(|| holds(&cx, value))));
        }
        for (name, proposition) in &self.properties.propositions {
            match proposition {
                Proposition::OfState(holds) => fact(format!("{name}: {}", told(|| holds(&cx, value)))),
                Proposition::OfIndividual(sort, holds) => {
                    let Some(sort) = self.sorts.find(*sort) else { continue };
                    let Size::Given(count) = self.sorts.all[sort].size else { continue };
                    for index in 0..count {
                        let named = names.and_then(|names| names[sort].get(index as usize)).unwrap_or(&index);
                        let holds = told(|| holds(&cx, value, Index(index)));
                        fact(format!("{name} of {}{named}: {holds}", self.sorts.all[sort].name));
                    }
                }
            }
        }
        fact(format!("accepting: {}", self.accepts(value)));
        fact(format!("an individual is missing: {}", offered.is_full));
        for action in &offered.actions {
            let action_named =
                names.map_or_else(|| action.clone(), |names| renamed(&self.sorts, names, action));
            let process = match caught(|| self.model.process(&cx, action)).unwrap_or_default() {
                Process::Whole => String::new(),
                Process::Individual(who) => {
                    let sort = self.sorts.number(who.sort);
                    let names = names.map(|names| &names[sort]);
                    let index =
                        names.and_then(|names| names.get(who.index.0 as usize)).unwrap_or(&who.index.0);
                    format!(" by {}{index}", self.sorts.all[sort].name)
                }
                other => format!(" by {other:?}"),
            };
            let (mut choice, mut end) = (0, 1);
            while choice < end {
                let outcome = self.applied(value, action, choice as u32, None, false);
                end = end.max(outcome.alternatives);
                choice += 1;
                if choice > outcome.alternatives {
                    continue;
                }
                let mut words = plain(&self.sorts, &action_named, &mut scratch).to_vec();
                words.extend(process.bytes().map(u64::from));
                let told = |text: &str| if shown { text.to_owned() } else { String::new() };
                let result = match outcome.applied {
                    Applied::Moved(next) => {
                        let next = match names {
                            Some(names) => renamed(&self.sorts, names, &next),
                            None => next,
                        };
                        words.push(0);
                        words.extend_from_slice(plain(&self.sorts, &next, &mut scratch));
                        if shown { format!("leads to {next:?}") } else { String::new() }
                    }
                    Applied::Impossible => {
                        words.push(1);
                        told("does not happen")
                    }
                    Applied::Outside => {
                        words.push(2);
                        told("leaves the bounds")
                    }
                    Applied::Crowded => {
                        words.push(4);
                        told("needs one more individual")
                    }
                    // Where the fault is counts, and not its message, which may name individuals.
                    Applied::Fault(fault) => {
                        words.extend([3, fault.site.into()]);
                        format!("fails at {}", self.notes.borrow().sites[fault.site as usize])
                    }
                };
                let text = if shown { format!("{action_named:?}{process} {result}") } else { String::new() };
                answers.push((words, text));
            }
        }
        answers
    }
}

/// What a condition says.
fn told(holds: impl FnOnce() -> bool) -> String {
    caught(holds).map_or_else(|_| "a panic".to_owned(), |holds| holds.to_string())
}

/// The first answer that only one side has. `answers` is asked again for how it is shown.
fn difference(answers: impl Fn(bool) -> [Answers; 2]) -> Option<String> {
    let sorted = |shown| {
        let mut sides = answers(shown);
        for side in &mut sides {
            side.sort_unstable();
        }
        sides
    };
    let [ours, theirs] = sorted(false);
    if ours.iter().map(|(words, _)| words).eq(theirs.iter().map(|(words, _)| words)) {
        return None;
    }
    let [ours, theirs] = &sorted(true);
    let only =
        |a: &Answers, b: &Answers| a.iter().find(|x| !b.iter().any(|y| x.0 == y.0)).map(|x| x.1.clone());
    Some(match (only(ours, theirs), only(theirs, ours)) {
        (Some(ours), Some(theirs)) => format!("expected `{ours}`, but `{theirs}`"),
        (Some(ours), None) => format!("expected `{ours}`, which is missing"),
        (None, Some(theirs)) => format!("`{theirs}` is new"),
        (None, None) => "an action is offered more often".to_owned(),
    })
}
