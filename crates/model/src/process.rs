//! Who acts: processes, and the roles of actions.

use std::any::TypeId;

use crate::{Index, Individual, Ref, Shape};

/// Who takes an action: the unit of fairness, and a lane of a sequence chart.
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
/// use quotient_model::Process;
/// let processes = [Process::from("clock"), Process::from(("lift", 2)), Process::default()];
/// let lock = Lock::program().sort::<Client>(1);
/// assert_eq!(processes.map(|process| lock.process_name(process)), ["clock", "lift(2)", ""]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Process {
    /// The model as a whole.
    #[default]
    Whole,
    /// A process with a name.
    Named(&'static str),
    /// One of several processes with a name and a number. They are not interchangeable.
    Member(&'static str, u32),
    /// An individual or an object: made by [`Process::of`].
    Individual(Who),
}

/// An individual of any sort, or an object.
///
/// ```
/// use quotient_model::{Heap, Process};
/// let mut heap: Heap<u8> = Heap::new();
/// let object = heap.add(7);
/// assert!(matches!(Process::of(object), Process::Individual(who) if who == who.clone()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Who {
    pub(crate) sort: TypeId,
    pub(crate) index: Index,
}

impl Process {
    /// The process that an individual or an object is.
    ///
    /// # Panics
    ///
    /// If the value is neither.
    #[track_caller]
    pub fn of(individual: impl Shape + Copy) -> Self {
        let (sort, index) = individual.individual().expect("a process is an individual or an object");
        Self::Individual(Who { sort, index })
    }
}

impl<I: Individual> From<I> for Process {
    fn from(individual: I) -> Self {
        Self::of(individual)
    }
}

impl<T: Shape> From<Ref<T>> for Process {
    fn from(object: Ref<T>) -> Self {
        Self::of(object)
    }
}

impl From<&'static str> for Process {
    fn from(name: &'static str) -> Self {
        Self::Named(name)
    }
}

impl From<(&'static str, u32)> for Process {
    fn from((name, number): (&'static str, u32)) -> Self {
        Self::Member(name, number)
    }
}

/// What an action is to those who test an implementation against the model. Searches take all of them.
///
/// ```
/// use quotient_model::{Model, Role, Shape, model};
/// #[derive(Clone, Debug, Default, Shape)]
/// struct Phone { rings: bool }
/// #[model]
/// impl Phone {
///     #[initial]
///     fn quiet() -> Self { Self::default() }
///     #[action(when = !self.rings)]
///     fn call(&mut self) { self.rings = true; }
///     #[action(when = self.rings, kind = output)]
///     fn ring(&mut self) { self.rings = false; }
/// }
/// let phone = Phone::program();
/// assert_eq!(phone.model().role(&PhoneAction::Call), Role::Input);
/// assert_eq!(phone.model().role(&PhoneAction::Ring), Role::Output);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash, Debug)]
pub enum Role {
    /// The test does it.
    #[default]
    Input,
    /// The implementation does it, and the test observes it.
    Output,
    /// The implementation does it, and nobody observes it.
    Hidden,
    /// Leads to a state in which a test may end.
    Cleanup,
}

/// Why an action is not possible, as far as the model says it.
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
/// let counter = Counter::program();
/// let [obstacle] = &counter.obstacles(&Counter { value: 0 })[..] else { panic!("it cannot go down") };
/// assert_eq!((obstacle.action.as_str(), obstacle.condition.as_str()), ("Down", "self.value > 0"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// The action, with the arguments that are known.
    pub action: String,
    /// The condition that is false.
    pub condition: String,
    /// Where it is written: file, line and column.
    pub place: String,
}
