//! A model in the orders of actions that a scenario allows.

mod machine;
mod pattern;
mod text;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use quotient_model::{Cx, Doing, Model, Obstacle, Process, Properties, Role, Shape};

use machine::Machine;
use pattern::{Pattern, plain};

/// A model that takes its actions in orders that a scenario allows.
///
/// | scenario              | what happens                                                             |
/// |-----------------------|--------------------------------------------------------------------------|
/// | `send`                | an action of this name; `tm_commit` and `TmCommit` are one name          |
/// | `send(_, Hi)`         | with these arguments; `_` stands for any. Or by name: `send(text: Hi)`   |
/// | `_`                   | any action                                                               |
/// | `!p`                  | any action that is not `p`                                               |
/// | `a; b`                | `a` and then `b`                                                         |
/// | `a \| b`              | one of them                                                              |
/// | `a & b`               | both, interleaved                                                        |
/// | `a*`, `a+`, `a?`      | any number of times, at least once, at most once                         |
/// | `a{3}`, `a{1,3}`, `a{2,}` | so many times                                                        |
/// | `...`                 | any actions                                                              |
///
/// `;` binds tighter than `|`, and that tighter than `&`; parentheses group. Arguments are numbers, texts, `true`,
/// `false` and variants of enums with their fields. Individuals have no names, so a scenario cannot name them: `_`.
///
/// A run may end where the scenario may end and the model accepts.
///
/// ```
/// use quotient_compose::Scenario;
/// use quotient_model::{Program, Rules, Shape, model};
///
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Door { is_open: bool, knocks: u8 }
///
/// #[model]
/// impl Door {
///     #[initial]
///     fn closed() -> Self { Self::default() }
///     #[action(when = !self.is_open)]
///     fn knock(&mut self) { self.knocks += 1; }
///     #[action(when = !self.is_open)]
///     fn open(&mut self) { self.is_open = true; }
///     #[action(when = self.is_open)]
///     fn close(&mut self) { self.is_open = false; }
/// }
///
/// let visits = Scenario::new(Rules::<Door>::new(), "(knock{2}; open; close){2}").unwrap();
/// assert_eq!(Program::new(visits).check().assert_holds().states, 9);
/// ```
pub struct Scenario<M> {
    model: M,
    machine: Machine,
    /// The names of actions to which the scenario is restricted; all, if there is no list.
    alphabet: Option<BTreeSet<String>>,
}

/// A state of a [`Scenario`].
#[derive(Clone, Debug, Shape)]
pub struct Staged<S> {
    /// The state of the model.
    pub state: S,
    /// The places in the scenario at which a run may be.
    pub stages: BTreeSet<u32>,
}

/// What is wrong with the text of a scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScenarioError {
    /// The text.
    pub text: String,
    /// Where it is wrong, in bytes.
    pub at: Range<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, at, message } = self;
        let marks = text.get(at.clone()).map_or(1, |marked| marked.chars().count().max(1));
        let before = text.get(..at.start).map_or(0, |before| before.chars().count());
        write!(f, "{message}\n  {text}\n  {}{}", " ".repeat(before), "^".repeat(marks))
    }
}

impl std::error::Error for ScenarioError {}

impl<M: Model> Scenario<M> {
    /// Only what the scenario says happens.
    pub fn new(model: M, text: &str) -> Result<Self, ScenarioError> {
        let machine = text::read(text, M::Action::VARIANTS)?;
        Ok(Self { model, machine, alphabet: None })
    }

    /// Actions that the scenario names happen in its orders only. Others happen at any time; `_` and `!p` do not stand
    /// for them.
    ///
    /// ```
    /// # use quotient_compose::Scenario;
    /// # use quotient_model::{Program, Rules, Shape, model};
    /// # #[derive(Clone, Debug, Default, Shape)]
    /// # struct Counter { a: u8, b: u8 }
    /// # #[model]
    /// # impl Counter {
    /// #     #[initial]
    /// #     fn zero() -> Self { Self::default() }
    /// #     #[action]
    /// #     fn left(&mut self) { self.a += 1; }
    /// #     #[action(when = self.b < 2)]
    /// #     fn right(&mut self) { self.b += 1; }
    /// # }
    /// // At most three times left, and right as often as it likes.
    /// let some = Scenario::restricting(Rules::<Counter>::new(), "left{0,3}").unwrap();
    /// assert_eq!(Program::new(some).check().assert_holds().states, 4 * 3);
    /// ```
    pub fn restricting(model: M, text: &str) -> Result<Self, ScenarioError> {
        let scenario = Self::new(model, text)?;
        let alphabet = Some(scenario.machine.names());
        Ok(Self { alphabet, ..scenario })
    }

    /// A scenario as a machine: rows of a state, a pattern of actions, and the next state. It begins in
    /// `start`, and may end in the states of `ends`.
    pub fn table(
        model: M,
        start: u32,
        rows: &[(u32, &str, u32)],
        ends: &[u32],
    ) -> Result<Self, ScenarioError> {
        let mut machine = Machine::default();
        for &(from, text, to) in rows {
            let atom = text::read_atom(text, M::Action::VARIANTS)?;
            machine.add(from as usize, atom, to as usize);
        }
        machine.set_ends(start as usize, ends.iter().map(|&end| end as usize));
        Ok(Self { model, machine, alphabet: None })
    }

    /// Where a run may be after an action; nothing if the scenario forbids it.
    fn next(&self, stages: &BTreeSet<u32>, action: &M::Action) -> Option<BTreeSet<u32>> {
        let term = action.term();
        if let Some(alphabet) = &self.alphabet
            && !alphabet.contains(&plain(Pattern::name_of(&term)))
        {
            return Some(stages.clone());
        }
        let next = self.machine.next(stages, &term);
        (!next.is_empty()).then_some(next)
    }
}

impl<M: Model> Model for Scenario<M> {
    type State = Staged<M::State>;
    type Action = M::Action;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        let mut states = Vec::new();
        self.model.initial(cx, &mut states);
        let stages = BTreeSet::from([self.machine.start()]);
        out.extend(states.into_iter().map(|state| Staged { state, stages: stages.clone() }));
    }

    fn actions(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<M::Action>) {
        self.model.actions(cx, &state.state, out);
        out.retain(|action| self.next(&state.stages, action).is_some());
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Self::State, action: &M::Action) {
        if let Some(next) = self.next(&state.stages, action) {
            state.stages = next;
        }
        self.model.apply(doing, &mut state.state, action);
    }

    fn properties(&self, to: &mut Properties<Self::State>) {
        let mut all = Properties::default();
        self.model.properties(&mut all);
        to.of_part("", all, |state| &state.state);
    }

    fn accepting(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        self.machine.may_end(&state.stages) && self.model.accepting(cx, &state.state)
    }

    fn within(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        self.model.within(cx, &state.state)
    }

    fn process(&self, cx: &Cx<'_>, action: &M::Action) -> Process {
        self.model.process(cx, action)
    }

    fn role(&self, action: &M::Action) -> Role {
        self.model.role(action)
    }

    fn obstacles(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<Obstacle>) {
        self.model.obstacles(cx, &state.state, out);
        let mut all = Vec::new();
        self.model.actions(cx, &state.state, &mut all);
        all.retain(|action| self.next(&state.stages, action).is_none());
        out.extend(all.iter().map(|action| Obstacle {
            action: format!("{action:?}"),
            condition: "the scenario allows it here".to_owned(),
            place: String::new(),
        }));
    }
}
