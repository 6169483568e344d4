//! What a check found out.

use std::fmt;
use std::time::Duration;

use crate::equivariance::Broken;
use crate::sorts::Labels;
use crate::{Obstacle, Process, Remark, Shape};

/// The kinds of violations.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Kind;
/// let violation = Counter::program().check().assert_violates(Kind::Invariant);
/// assert_eq!((violation.kind, violation.kind.as_str()), (Kind::Invariant, "invariant"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// An invariant is false.
    Invariant,
    /// A state without actions is not accepting.
    Deadlock,
    /// An action called [`Doing::fail`](crate::Doing::fail).
    Failure,
    /// The model panicked.
    Panic,
    /// No state satisfies a condition that some state should.
    Unreachable,
    /// A run violates a formula.
    Property,
}

impl Kind {
    /// The name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Deadlock => "deadlock",
            Self::Failure => "failure",
            Self::Panic => "panic",
            Self::Unreachable => "unreachable",
            Self::Property => "property",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A step of a run that is shown.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Kind;
/// let violation = Counter::program().check().assert_violates(Kind::Invariant);
/// let last = violation.run.last().expect("it has steps");
/// assert!(matches!(last.action, CounterAction::Up) && last.choice == 0 && last.remarks.is_empty());
/// assert_eq!(last.state.as_ref().map(|counter| counter.value), Some(3));
/// ```
#[derive(Clone, Debug)]
pub struct Taken<S, A> {
    /// The action.
    pub action: A,
    /// Who takes it.
    pub process: Process,
    /// How its choices are made: 0 if it has none.
    pub choice: u32,
    /// What the action says about this step.
    pub remarks: Vec<Remark>,
    /// The state to which it leads. `None` if the step violates a rule.
    pub state: Option<S>,
}

/// A violation, with a run to it.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Kind;
/// let violation = Counter::program().check().assert_violates(Kind::Invariant);
/// assert_eq!((violation.place.as_str(), violation.run.len()), ("small", 3));
/// // As tests and people see it.
/// assert!(violation.to_string().starts_with("invariant: `small` is false\n  0. Counter { value: 0 }\n  1. Up"));
/// // A formula is violated by a cycle.
/// let violation = Counter::program().check().formula("[] <> false").assert_violates(Kind::Property);
/// assert!(violation.cycle.is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Violation<S, A> {
    /// What kind of violation it is.
    pub kind: Kind,
    /// The name of the invariant or property, or where in the source it is.
    pub place: String,
    /// What was violated, and how.
    pub message: String,
    /// The initial state of the run. `None` if no run shows the violation.
    pub initial: Option<S>,
    /// The steps of the run. A step that violates a rule is the last one, and leads to no state.
    pub run: Vec<Taken<S, A>>,
    /// The index of the first step that is repeated for ever. If it is the number of steps, the run ends: in
    /// the last state, nothing can happen.
    pub cycle: Option<usize>,
    /// The state after the cycle is the one before it; otherwise they differ in interchangeable individuals.
    pub is_closed: bool,
    /// For a deadlock: why actions are not possible, as far as the model says it.
    pub obstacles: Vec<Obstacle>,
    /// What minimisation did to the run, if the search that found it does not find shortest ones.
    pub minimised: Option<Minimised>,
    pub(crate) labels: Labels,
}

/// What minimisation did to a run.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::{Kind, Order};
/// let violation = Counter::program().check().order(Order::DepthFirst).assert_violates(Kind::Invariant);
/// let minimised = violation.minimised.expect("the search went deep");
/// assert!(minimised.from_steps >= violation.run.len() && minimised.complete);
/// assert_eq!((minimised.from_switches, minimised.to_switches), (0, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Minimised {
    /// The number of steps of the run that the search found.
    pub from_steps: usize,
    /// How often it changes from a process to another.
    pub from_switches: usize,
    /// How often the run that is shown does.
    pub to_switches: usize,
    /// No single step can be left out: the work was not broken off.
    pub complete: bool,
}

impl<S: Shape, A: Shape> fmt::Display for Violation<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.labels.show(|| self.write(f))
    }
}

impl<S: Shape, A: Shape> Violation<S, A> {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        if let Some(initial) = &self.initial {
            write!(f, "\n  0. {initial:?}")?;
        }
        for (number, taken) in self.run.iter().enumerate() {
            if self.cycle == Some(number) {
                f.write_str("\n  From here on, the rest is repeated for ever.")?;
            }
            write!(f, "\n  {}. {:?}", number + 1, taken.action)?;
            for remark in &taken.remarks {
                match remark {
                    Remark::Note(text) => write!(f, "\n     {text}")?,
                    Remark::Output(term) => write!(f, "\n     answers {term}")?,
                    Remark::Covers(_) => {}
                }
            }
            if let Some(state) = &taken.state {
                write!(f, "\n     {state:?}")?;
            }
        }
        if self.cycle == Some(self.run.len()) {
            f.write_str("\n  The run ends here.")?;
        } else if self.cycle.is_some() && !self.is_closed {
            f.write_str("\n  The cycle is closed up to the names of individuals.")?;
        }
        for obstacle in &self.obstacles {
            let Obstacle { action, condition, place } = obstacle;
            write!(f, "\n  {action} is not possible: `{condition}` is false ({place})")?;
        }
        Ok(())
    }
}

/// What a check found out.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Verdict;
/// let text = match Counter::program().check().max_states(2).run().verdict {
///     Verdict::Holds => "everything was explored".to_owned(),
///     Verdict::HoldsUpTo(reasons) => reasons.join(", "),
///     Verdict::Violated(violation) => violation.to_string(),
///     Verdict::NotAFunction(reason) | Verdict::Refused(reason) => reason,
/// };
/// assert!(text.contains("limit"), "{text}");
/// ```
#[derive(Clone, Debug)]
pub enum Verdict<S, A> {
    /// Everything was explored, and nothing is violated.
    Holds,
    /// Nothing is violated as far as the search went. The reasons say how far.
    HoldsUpTo(Vec<String>),
    /// A violation, confirmed by running it twice on plain values.
    Violated(Box<Violation<S, A>>),
    /// The model answers differently when it is asked again: nothing can be said about it.
    NotAFunction(String),
    /// The check cannot be made.
    Refused(String),
}

impl<S, A> Verdict<S, A> {
    /// How much it matters beside other verdicts of the same check.
    pub(crate) const fn weight(&self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::HoldsUpTo(_) => 1,
            Self::Violated(_) => 2,
            Self::NotAFunction(_) => 3,
            Self::Refused(_) => 4,
        }
    }
}

impl<S: Shape, A: Shape> fmt::Display for Verdict<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::HoldsUpTo(reasons) => write!(f, "holds as far as it was explored: {}", reasons.join("; ")),
            Self::Violated(violation) => violation.fmt(f),
            Self::NotAFunction(difference) => {
                write!(f, "this model is not a function of its state: {difference}")
            }
            Self::Refused(reason) => write!(f, "not checked: {reason}"),
        }
    }
}

/// What was found out about one goal of a check.
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
/// let mut lock = Lock::program().sort::<Client>(3);
/// let report = lock.check().assert_holds();
/// let [safety, formula] = &report.goals[..] else { panic!("there are two goals") };
/// assert_eq!((safety.name.as_str(), safety.states, safety.transitions, safety.depth), ("safety", 2, 4, 1));
/// assert_eq!((formula.name.as_str(), formula.formula.as_str()), ("HELD_AGAIN", "[] <> is_held"));
/// assert!(formula.product.is_some() && formula.stopped.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct GoalReport<S, A> {
    /// `safety`, or the name of the formula; with the individual in brackets, if it is about one.
    pub name: String,
    /// The formula as it is written; empty for safety.
    pub formula: String,
    /// What was found out.
    pub verdict: Verdict<S, A>,
    /// The number of states that were stored.
    pub states: usize,
    /// The number of steps that were taken.
    pub transitions: u64,
    /// The number of steps that led to states that were stored already.
    pub matched: u64,
    /// The greatest distance from the initial state at which a state was stored.
    pub depth: u32,
    /// For a formula: the number of pairs of a state and a state of its automaton, and the size of that.
    pub product: Option<(usize, usize)>,
    /// The store.
    pub store: StoreReport,
    /// How long it took.
    pub elapsed: Duration,
    /// The limit that ended the search, if one did.
    pub stopped: Option<search::StopReason>,
}

/// The store of a search.
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
/// let report = Lock::program().sort::<Client>(3).check().assert_holds();
/// let store = &report.goals[0].store;
/// assert_eq!((store.kind, store.omissions), ("trie", None));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct StoreReport {
    /// Its name.
    pub kind: &'static str,
    /// The memory used.
    pub bytes: usize,
    /// The number of states that a lossy store is expected to have lost.
    pub omissions: Option<f64>,
}

/// The result of a check.
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
/// let report = Lock::program().sort::<Client>(3).check().assert_holds();
/// assert_eq!((report.states, report.transitions), (2, 4));
/// assert!(report.violations.is_empty() && report.broken.is_empty() && report.not_canonical == 0);
/// ```
#[derive(Clone, Debug)]
pub struct Report<S, A> {
    /// What was found out: the first violation, or how far everything holds.
    pub verdict: Verdict<S, A>,
    /// What was found out about each goal. The first one is the usual one for safety.
    pub goals: Vec<GoalReport<S, A>>,
    /// All violations of safety, if the check went on after the first one.
    pub violations: Vec<Violation<S, A>>,
    /// The number of states that were stored for the first goal.
    pub states: usize,
    /// The number of steps that were taken for the first goal.
    pub transitions: u64,
    /// The requirements that were [covered](crate::Doing::covers).
    pub covered: Vec<&'static str>,
    /// The sorts whose individuals were found not to be interchangeable. They are told apart.
    pub broken: Vec<Broken>,
    /// The number of states that may have been stored more than once, since the search for their canonical
    /// names was broken off.
    pub not_canonical: u64,
    /// What finding canonical names took, in all searches.
    pub naming: Naming,
}

/// What finding canonical names took.
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
/// let report = Lock::program().sort::<Client>(3).check().assert_holds();
/// assert!(report.naming.states >= 2 && report.naming.searched == 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Naming {
    /// The number of states that were named, each as often as it was met.
    pub states: u64,
    /// The individuals, objects and entries of collections in them that were put in order.
    pub nodes: u64,
    /// Those of the states whose names took a search.
    pub searched: u64,
}
