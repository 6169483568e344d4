//! Models by rules: a type of states whose functions are the initial states, the actions and the properties.
//!
//! `#[model]` reads the functions of an `impl` block and implements [`Ruled`] for the type. [`Rules`] makes a
//! [`Model`] of that, so a model by rules is a model like any other. One function, [`Ruled::offer`], says which
//! actions are possible and why others are not: searches collect the former, reports the latter.

use std::fmt::{self, Write as _};
use std::marker::PhantomData;

use crate::{Cx, Doing, Model, Obstacle, Process, Properties, Role, Shape};

/// A type of states with rules. Implemented by [`#[model]`](macro@crate::model).
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
/// use quotient_model::{Model, Rules, Ruled};
/// fn names<S: Ruled>() -> Vec<&'static str> { S::RULES.iter().map(|rule| rule.name).collect() }
/// assert_eq!(names::<Counter>(), ["Up", "Down"]);
/// assert_eq!(Counter { value: 4 }.value, 4);
/// ```
pub trait Ruled: Shape {
    /// What can happen, with its arguments.
    type Action: Shape;
    /// The actions, by the order of their variants.
    const RULES: &'static [Rule];

    /// Adds the states in which runs begin.
    fn initial(cx: &Cx<'_>, out: &mut Vec<Self>);
    /// Offers the actions that are possible, and says which conditions others lack.
    fn offer<T: Offers<Self::Action>>(&self, cx: &Cx<'_>, to: &mut T);
    /// Takes an action.
    fn take(&mut self, doing: &mut Doing<'_>, action: &Self::Action);
    /// Adds what must hold.
    fn properties(_to: &mut Properties<Self>) {}
    /// See [`Model::accepting`].
    fn accepting(&self, _cx: &Cx<'_>) -> bool {
        true
    }
    /// See [`Model::within`].
    fn within(&self, _cx: &Cx<'_>) -> bool {
        true
    }
    /// See [`Model::process`].
    fn process(_cx: &Cx<'_>, _action: &Self::Action) -> Process {
        Process::Whole
    }
    /// See [`Model::role`].
    fn role(_action: &Self::Action) -> Role {
        Role::Input
    }
}

/// An action as it is written.
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
/// use quotient_model::{Rule, Ruled};
/// let Rule { name, when } = Counter::RULES[1];
/// assert_eq!((name, when[0].text), ("Down", "self.value > 0"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// The name of its variant.
    pub name: &'static str,
    /// The operands of its `when`, from left to right.
    pub when: &'static [When],
}

/// A condition of an action.
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
/// use quotient_model::{Ruled, When};
/// let When { text, place } = Counter::RULES[0].when[0];
/// assert!(text == "self.value < 9" && place.contains(':'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct When {
    /// The expression as it is written.
    pub text: &'static str,
    /// Where it is written: file, line and column.
    pub place: &'static str,
}

/// What is told the possible actions of a state.
///
/// ```
/// use quotient_model::Offers;
/// /// Counts the actions that are offered.
/// struct Count(usize);
/// impl<A> Offers<A> for Count {
///     fn offer(&mut self, _: A) { self.0 += 1; }
/// }
/// let mut count = Count(0);
/// count.offer("an action");
/// assert_eq!(count.0, 1);
/// ```
pub trait Offers<A> {
    /// An action is possible.
    fn offer(&mut self, action: A);
    /// The condition of a rule with this number is false for these arguments, whatever further ones are.
    fn refuse(&mut self, _rule: &'static Rule, _condition: usize, _known: &[(&str, &dyn fmt::Debug)]) {}
}

impl<T> Offers<T> for Vec<T> {
    #[inline]
    fn offer(&mut self, action: T) {
        self.push(action);
    }
}

/// Reports name at most this many false conditions of one action: more do not help.
const OBSTACLES: usize = 8;

/// Collects why actions are not possible.
struct Refusals<'a> {
    /// By rule: whether it was offered, and how often it was refused.
    counts: Vec<(&'static str, usize)>,
    out: &'a mut Vec<Obstacle>,
}

impl<A> Offers<A> for Refusals<'_> {
    fn offer(&mut self, _: A) {}

    fn refuse(&mut self, rule: &'static Rule, condition: usize, known: &[(&str, &dyn fmt::Debug)]) {
        let at = self.counts.iter().position(|(name, _)| *name == rule.name).unwrap_or_else(|| {
            self.counts.push((rule.name, 0));
            self.counts.len() - 1
        });
        self.counts[at].1 += 1;
        if self.counts[at].1 > OBSTACLES {
            return;
        }
        let mut action = rule.name.to_owned();
        for (number, (name, value)) in known.iter().enumerate() {
            let before = if number == 0 { " { " } else { ", " };
            _ = write!(action, "{before}{name}: {value:?}");
        }
        if !known.is_empty() {
            action.push_str(" }");
        }
        let When { text, place } = rule.when[condition];
        self.out.push(Obstacle { action, condition: text.to_owned(), place: place.to_owned() });
    }
}

/// The model that the rules of a type of states are.
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
/// use quotient_model::{Program, Rules};
/// // What `Counter::program()` is.
/// let counter: Program<Rules<Counter>> = Program::new(Rules::new());
/// assert_eq!(counter.initial_states().expect("it has one").len(), 1);
/// ```
pub struct Rules<S>(PhantomData<fn() -> S>);

impl<S> Rules<S> {
    /// The rules of `S`.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<S> Default for Rules<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Ruled> Model for Rules<S> {
    type State = S;
    type Action = S::Action;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<S>) {
        S::initial(cx, out);
    }

    fn actions(&self, cx: &Cx<'_>, state: &S, out: &mut Vec<S::Action>) {
        state.offer(cx, out);
    }

    fn apply(&self, cx: &mut Doing<'_>, state: &mut S, action: &S::Action) {
        state.take(cx, action);
    }

    fn properties(&self, to: &mut Properties<S>) {
        S::properties(to);
    }

    fn accepting(&self, cx: &Cx<'_>, state: &S) -> bool {
        state.accepting(cx)
    }

    fn within(&self, cx: &Cx<'_>, state: &S) -> bool {
        state.within(cx)
    }

    fn process(&self, cx: &Cx<'_>, action: &S::Action) -> Process {
        S::process(cx, action)
    }

    fn role(&self, action: &S::Action) -> Role {
        S::role(action)
    }

    fn obstacles(&self, cx: &Cx<'_>, state: &S, out: &mut Vec<Obstacle>) {
        state.offer(cx, &mut Refusals { counts: Vec::new(), out });
    }
}

/// A text that is shown without quotes.
#[doc(hidden)]
pub struct AsIs(pub String);

impl fmt::Debug for AsIs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
