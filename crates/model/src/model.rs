//! What a model program is: states, actions, and what must hold.

use std::any::TypeId;
use std::cell::{Cell, OnceCell};
use std::fmt;
use std::panic::Location;

use crate::mentions::Mentions;
use crate::sorts::Size;
use crate::{Index, Individual, Obstacle, Process, Properties, Role, Shape, Sorts, Term};

/// A model program. Everything must be a function of its arguments: no clocks, no random numbers, no order of
/// a hash map.
///
/// ```
/// use quotient_model::{Cx, Doing, Kind, Model, Obstacle, Process, Program, Properties, Role};
///
/// /// A lamp that must not be switched more than `limit` times.
/// struct Lamp { limit: u8 }
///
/// impl Model for Lamp {
///     type State = (bool, u8);
///     type Action = ();
///     fn initial(&self, _: &Cx<'_>, out: &mut Vec<(bool, u8)>) { out.push((false, 0)); }
///     fn actions(&self, _: &Cx<'_>, _: &(bool, u8), out: &mut Vec<()>) { out.push(()); }
///     fn apply(&self, _: &mut Doing<'_>, (is_on, times): &mut (bool, u8), (): &()) {
///         (*is_on, *times) = (!*is_on, *times + 1);
///     }
///     fn properties(&self, to: &mut Properties<(bool, u8)>) {
///         let limit = self.limit;
///         to.invariant("spared", move |_, (_, times)| *times <= limit);
///     }
///     // The rest has defaults.
///     fn accepting(&self, _: &Cx<'_>, (is_on, _): &(bool, u8)) -> bool { !is_on }
///     fn within(&self, _: &Cx<'_>, (_, times): &(bool, u8)) -> bool { *times < 100 }
///     fn process(&self, _: &Cx<'_>, (): &()) -> Process { Process::Named("hand") }
///     fn role(&self, (): &()) -> Role { Role::Input }
///     fn obstacles(&self, _: &Cx<'_>, _: &(bool, u8), _: &mut Vec<Obstacle>) {}
/// }
///
/// assert_eq!(Program::new(Lamp { limit: 3 }).check().assert_violates(Kind::Invariant).run.len(), 4);
/// ```
pub trait Model {
    /// A state: a plain value.
    type State: Shape;
    /// What can happen in a state, with its arguments.
    type Action: Shape;

    /// Adds the states in which runs begin.
    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>);

    /// Adds the actions that are possible in `state`.
    fn actions(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<Self::Action>);

    /// Takes an action. A panic, such as that of a failed `assert!`, and [`Doing::fail`] are violations.
    fn apply(&self, cx: &mut Doing<'_>, state: &mut Self::State, action: &Self::Action);

    /// Adds what must hold.
    fn properties(&self, _to: &mut Properties<Self::State>) {}

    /// Whether a run may end in `state`. A state without actions in which it may not is a deadlock.
    fn accepting(&self, _cx: &Cx<'_>, _state: &Self::State) -> bool {
        true
    }

    /// Whether `state` is inside of the part that is to be explored. Steps out of it are not followed, and the
    /// verdict says so.
    fn within(&self, _cx: &Cx<'_>, _state: &Self::State) -> bool {
        true
    }

    /// Who takes an action.
    fn process(&self, _cx: &Cx<'_>, _action: &Self::Action) -> Process {
        Process::Whole
    }

    /// What an action is to those who test an implementation against the model.
    fn role(&self, _action: &Self::Action) -> Role {
        Role::Input
    }

    /// Adds why actions are not possible in `state`, for reports. [`Model::actions`] says which are.
    fn obstacles(&self, _cx: &Cx<'_>, _state: &Self::State, _out: &mut Vec<Obstacle>) {}
}

/// What a model may ask about its program.
///
/// ```
/// use quotient_model::{Cx, Set, Shape, model, sort};
/// sort! { struct Guest; struct Ticket: dynamic; }
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Party { guests: Set<Guest>, tickets: Set<Ticket> }
/// #[model]
/// impl Party {
///     #[initial]
///     fn everybody(cx: &Cx<'_>) -> Self {
///         assert_eq!(cx.count::<Guest>(), cx.all::<Guest>().len());
///         Self { guests: cx.all().collect(), tickets: Set::new() }
///     }
///     #[action]
///     fn sell(&mut self, cx: &Cx<'_>) {
///         self.tickets.extend(cx.fresh::<Ticket>(&*self));
///     }
///     #[invariant]
///     fn known(&self, cx: &Cx<'_>) -> bool {
///         cx.mentioned::<Ticket>(self).len() == self.tickets.len()
///     }
///     #[within]
///     fn few(&self) -> bool { self.tickets.len() < 3 }
/// }
/// assert_eq!(Party::program().sort::<Guest>(4).sort::<Ticket>(5).check().run().states, 3);
/// ```
pub struct Cx<'a> {
    pub(crate) sorts: &'a Sorts,
    /// There was no individual left.
    pub(crate) is_full: Cell<bool>,
    /// Individuals, by sort and number, that are not new, whatever the state says: in an action, those that the state
    /// before it mentions; in a part of a model, those that the other parts mention.
    pub(crate) taken: Option<&'a Taken<'a>>,
}

/// Whether an individual is not new.
pub(crate) type Taken<'a> = dyn Fn(usize, u32) -> bool + 'a;

impl<'a> Cx<'a> {
    pub(crate) fn new(sorts: &'a Sorts) -> Self {
        Self { sorts, is_full: Cell::new(false), taken: None }
    }

    /// Asks with other individuals not being new, and notes if there was none left.
    fn with<R>(&self, taken: &Taken<'_>, ask: impl FnOnce(&Cx<'_>) -> R) -> R {
        let inner = Cx { sorts: self.sorts, is_full: Cell::new(false), taken: Some(taken) };
        let result = ask(&inner);
        self.is_full.set(self.is_full.get() || inner.is_full.get());
        result
    }

    /// For models that consist of several: asks one of them. Individuals that `rest`, the state of the
    /// others, mentions are not new to it.
    pub fn beside<R>(&self, rest: &impl Shape, ask: impl FnOnce(&Cx<'_>) -> R) -> R {
        let mentions = OnceCell::new();
        let taken = |sort, index| {
            mentions.get_or_init(|| Mentions::of(self.sorts, rest)).has(sort, index)
                || self.taken.is_some_and(|taken| taken(sort, index))
        };
        self.with(&taken, ask)
    }

    fn sort<I: Individual>(&self) -> (usize, u32) {
        let number = self.sorts.find(TypeId::of::<I>());
        match number.map(|number| (number, self.sorts.all[number].size)) {
            Some((number, Size::Given(count))) => (number, count),
            _ => panic!("no value of the state mentions the sort {}", I::NAME),
        }
    }

    /// All individuals of a sort that exist from the beginning. Which one comes first says nothing.
    pub fn all<I: Individual>(&self) -> impl ExactSizeIterator<Item = I> + use<I> {
        assert!(!I::DYNAMIC, "{} is dynamic: ask which individuals a state mentions", I::NAME);
        (0..self.sort::<I>().1).map(|index| I::at(Index(index)))
    }

    /// The number of individuals of a sort, or the greatest number that may exist at a time.
    pub fn count<I: Individual>(&self) -> usize {
        self.sort::<I>().1 as usize
    }

    /// An individual of a dynamic sort that `state` does not mention, nor the state before the action. If
    /// there is none left, steps are missing, and the verdict says so.
    pub fn fresh<I: Individual>(&self, state: &impl Shape) -> Option<I> {
        assert!(I::DYNAMIC, "all individuals of {} exist from the beginning", I::NAME);
        let (sort, count) = self.sort::<I>();
        let mentions = Mentions::of(self.sorts, state);
        let is_new =
            |&index: &u32| !mentions.has(sort, index) && !self.taken.is_some_and(|taken| taken(sort, index));
        let free = (0..count).find(is_new);
        self.is_full.set(self.is_full.get() || free.is_none());
        free.map(|index| I::at(Index(index)))
    }

    /// The individuals of a sort that `state` mentions. Which one comes first says nothing.
    pub fn mentioned<I: Individual>(&self, state: &impl Shape) -> Vec<I> {
        let (sort, count) = self.sort::<I>();
        let mentions = Mentions::of(self.sorts, state);
        (0..count).filter(|&index| mentions.has(sort, index)).map(|index| I::at(Index(index))).collect()
    }
}

/// What an action may do besides changing the state.
///
/// ```
/// use quotient_model::{Cx, Doing, Kind, Shape, model};
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Game { score: u8 }
/// #[model]
/// impl Game {
///     #[initial]
///     fn start(_: &Cx<'_>) -> Self { Self::default() }
///     #[action]
///     fn roll(&mut self, cx: &mut Doing<'_>) {
///         let Some(points) = cx.choose(1..=6) else { return };
///         cx.note(format!("it shows {points}"));
///         self.score += points;
///         match self.score {
///             10 => cx.covers("R1: ten can be reached"),
///             11.. => cx.fail("too many points"),
///             _ => {}
///         }
///     }
/// }
/// let violation = Game::program().check().assert_violates(Kind::Failure);
/// assert_eq!(violation.run.len(), 2);
/// let report = Game::program().check().keep_going().run();
/// assert_eq!(report.covered, ["R1: ten can be reached"]);
/// ```
pub struct Doing<'a> {
    cx: &'a Cx<'a>,
    done: &'a mut Done,
}

/// What an action did besides changing the state.
pub(crate) struct Done {
    /// The number that says how the choices are made; what is left of it.
    pub(crate) choice: u32,
    /// The product of the numbers of alternatives so far. More than fit are a fault.
    pub(crate) alternatives: u64,
    pub(crate) failure: Option<(&'static Location<'static>, String)>,
    pub(crate) is_impossible: bool,
    /// What was said about the action; only kept where a run is shown.
    pub(crate) remarks: Option<Vec<Remark>>,
    /// The requirements that were covered.
    pub(crate) covered: Vec<&'static str>,
}

/// What an action said about itself.
///
/// ```
/// use quotient_model::{Cx, Doing, Model, Program, Remark};
/// /// Answers twice what it is asked.
/// struct Double;
/// impl Model for Double {
///     type State = ();
///     type Action = u8;
///     fn initial(&self, _: &Cx<'_>, out: &mut Vec<()>) { out.push(()); }
///     fn actions(&self, _: &Cx<'_>, (): &(), out: &mut Vec<u8>) { out.extend([1, 2]); }
///     fn apply(&self, doing: &mut Doing<'_>, (): &mut (), asked: &u8) {
///         doing.output(&(2 * asked));
///         doing.note("easy");
///     }
/// }
/// let steps = Program::new(Double).successors(&()).expect("it does not fail");
/// let Remark::Output(answer) = &steps[1].remarks[0] else { panic!("it answers") };
/// assert_eq!(answer.to_string(), "4");
/// assert_eq!(steps[1].remarks[1], Remark::Note("easy".to_owned()));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// A text for people: [`Doing::note`].
    Note(String),
    /// A value that an implementation must answer: [`Doing::output`].
    Output(Term),
    /// A requirement: [`Doing::covers`].
    Covers(&'static str),
}

impl Done {
    pub(crate) fn new(choice: u32, shown: bool) -> Self {
        Self {
            choice,
            alternatives: 1,
            failure: None,
            is_impossible: false,
            remarks: shown.then(Vec::new),
            covered: Vec::new(),
        }
    }
}

impl<'a> Doing<'a> {
    pub(crate) const fn new(cx: &'a Cx<'a>, done: &'a mut Done) -> Self {
        Self { cx, done }
    }

    /// What may be asked about the program.
    pub const fn cx(&self) -> &'a Cx<'a> {
        self.cx
    }

    /// For models that consist of several: acts in one of them. Individuals that `rest`, the state of the
    /// others, mentions are not new to it.
    pub fn beside<R>(&mut self, rest: &impl Shape, act: impl FnOnce(&mut Doing<'_>) -> R) -> R {
        let done = &mut *self.done;
        self.cx.beside(rest, |cx| act(&mut Doing { cx, done }))
    }

    /// For models that consist of several: acts in one of them as if the others were not there. `before` is its state
    /// before the action.
    pub fn inside<R>(&mut self, before: &impl Shape, act: impl FnOnce(&mut Doing<'_>) -> R) -> R {
        let done = &mut *self.done;
        let mentions = OnceCell::new();
        let taken =
            |sort, index| mentions.get_or_init(|| Mentions::of(self.cx.sorts, before)).has(sort, index);
        self.cx.with(&taken, |cx| act(&mut Doing { cx, done }))
    }

    /// One of several values: a run for each of them. Without any the action does not happen, and `None` is
    /// returned.
    #[track_caller]
    pub fn choose<T>(&mut self, alternatives: impl IntoIterator<Item = T>) -> Option<T> {
        let mut alternatives: Vec<T> = alternatives.into_iter().collect();
        let count = alternatives.len() as u64;
        if count == 0 {
            self.done.is_impossible = true;
            return None;
        }
        self.done.alternatives = self.done.alternatives.saturating_mul(count);
        assert!(self.done.alternatives <= 1 << 20, "an action has more than {} alternatives", 1 << 20);
        let digit = u64::from(self.done.choice) % count;
        self.done.choice = (u64::from(self.done.choice) / count) as u32;
        Some(alternatives.swap_remove(digit as usize))
    }

    /// An individual of a dynamic sort that `state` does not mention, see [`Cx::fresh`].
    pub fn fresh<I: Individual>(&self, state: &impl Shape) -> Option<I> {
        self.cx.fresh(state)
    }

    /// Says something about this step, which traces show. It is no part of the state.
    pub fn note(&mut self, text: impl fmt::Display) {
        if let Some(remarks) = &mut self.done.remarks {
            remarks.push(Remark::Note(text.to_string()));
        }
    }

    /// A value that an implementation must answer in this step. It is no part of the state.
    pub fn output(&mut self, value: &impl Shape) {
        if let Some(remarks) = &mut self.done.remarks {
            remarks.push(Remark::Output(value.term()));
        }
    }

    /// The step covers a requirement. Reports list those that were covered.
    pub fn covers(&mut self, requirement: &'static str) {
        self.done.covered.push(requirement);
        if let Some(remarks) = &mut self.done.remarks {
            remarks.push(Remark::Covers(requirement));
        }
    }

    /// The action violates a rule. What it does after this does not matter.
    #[track_caller]
    pub fn fail(&mut self, message: impl fmt::Display) {
        let location = Location::caller();
        self.done.failure.get_or_insert_with(|| (location, message.to_string()));
    }
}
