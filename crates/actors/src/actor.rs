//! What an actor is: what it does when something happens to it.
//!
//! Actors as in Agha, "Actors" (1986): a behaviour reacts to one message at a time, by changing its own state and
//! sending messages. The names of the functions are those of the Rust library Stateright, so that actors can be
//! moved from there; see the page of the book.

use std::ops::{Deref, DerefMut};

use quotient_model::{Reader, Shape, Sorts, Term, Visit};

use crate::Addr;

/// A behaviour. Its functions must depend on their arguments alone.
///
/// ```
/// use quotient_actors::{Actor, Addr, Draft, Out, System};
///
/// /// Throws a dice, and throws it again when its timer expires or a message arrives.
/// struct Player;
///
/// impl Actor for Player {
///     type State = Option<u8>;
///     type Msg = ();
///     type Timer = ();
///     type Random = u8;
///     type Storage = u8;
///     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> Option<u8> {
///         out.choose_random("dice", 1..=6);
///         stored.copied()
///     }
///     fn on_random(&self, _: Addr, shown: &mut Draft<'_, Option<u8>>, random: &u8, out: &mut Out<Self>) {
///         shown.set(Some(*random));
///         out.save(*random);
///         out.set_timer(());
///     }
///     fn on_timeout(&self, _: Addr, _: &mut Draft<'_, Option<u8>>, (): &(), out: &mut Out<Self>) {
///         out.choose_random("dice", 1..=6);
///     }
///     fn on_msg(&self, _: Addr, _: &mut Draft<'_, Option<u8>>, _: Addr, (): &(), out: &mut Out<Self>) {
///         out.choose_random("dice", 1..=6);
///     }
/// }
///
/// let player = System::new().pinned("player", 1, |_| Player);
/// player.reachable("a six", |view| view.actors().any(|(_, shown)| *shown == Some(6))).program().check().assert_holds();
/// ```
pub trait Actor: Sized + 'static {
    /// What the actor knows. It is lost when the actor crashes.
    type State: Shape;
    /// The messages of the system.
    type Msg: Shape;
    /// The timers that it can set; [`Never`] if it sets none.
    type Timer: Shape;
    /// What it can choose at random; [`Never`] if it chooses nothing.
    type Random: Shape;
    /// What it can save, and has again after a crash; [`Never`] if it saves nothing.
    type Storage: Shape;

    /// The actor starts, for the first time or after a crash. `stored` is what it saved.
    fn on_start(&self, me: Addr, stored: Option<&Self::Storage>, out: &mut Out<Self>) -> Self::State;

    /// A message arrives.
    fn on_msg(
        &self,
        _me: Addr,
        _state: &mut Draft<'_, Self::State>,
        _from: Addr,
        _msg: &Self::Msg,
        _out: &mut Out<Self>,
    ) {
    }

    /// A timer expires. It is not set any more.
    fn on_timeout(
        &self,
        _me: Addr,
        _state: &mut Draft<'_, Self::State>,
        _timer: &Self::Timer,
        _out: &mut Out<Self>,
    ) {
    }

    /// One of the alternatives given to [`Out::choose_random`] was chosen.
    fn on_random(
        &self,
        _me: Addr,
        _state: &mut Draft<'_, Self::State>,
        _random: &Self::Random,
        _out: &mut Out<Self>,
    ) {
    }
}

/// What an actor does besides changing its state.
#[derive(Clone, Debug)]
pub(crate) enum Command<M, T, R, D> {
    Send(Addr, M),
    SetTimer(T),
    CancelTimer(T),
    ChooseRandom(String, Vec<R>),
    Save(D),
}

/// The commands of an actor.
pub(crate) type Commands<A> =
    Vec<Command<<A as Actor>::Msg, <A as Actor>::Timer, <A as Actor>::Random, <A as Actor>::Storage>>;

/// Collects what an actor does besides changing its state.
///
/// ```
/// use quotient_actors::{Actor, Addr, Never, Out, System};
/// struct Busy;
/// impl Actor for Busy {
///     type State = ();
///     type Msg = u8;
///     type Timer = char;
///     type Random = bool;
///     type Storage = Never;
///     fn on_start(&self, me: Addr, _: Option<&Never>, out: &mut Out<Self>) {
///         assert!(out.is_empty());
///         out.send(me, 1);
///         out.broadcast(&[me], &2);
///         out.set_timer('a');
///         out.set_timer('b');
///         out.cancel_timer('b');
///         out.choose_random("coin", [false, true]);
///         out.choose_random("another coin", [false, true]);
///         out.remove_random("another coin");
///     }
/// }
/// let busy = System::new().pinned("busy", 1, |_| Busy).program();
/// let first = busy.initial_states().expect("it has one").remove(0);
/// // Two messages, a timer and a choice of two.
/// assert_eq!(busy.successors(&first).expect("it does not fail").len(), 5);
/// ```
pub struct Out<A: Actor>(pub(crate) Commands<A>);

impl<A: Actor> Default for Out<A> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<A: Actor> Out<A> {
    /// Sends a message.
    pub fn send(&mut self, to: Addr, msg: A::Msg) {
        self.0.push(Command::Send(to, msg));
    }

    /// Sends a message to each of several actors.
    pub fn broadcast<'a>(&mut self, to: impl IntoIterator<Item = &'a Addr>, msg: &A::Msg) {
        self.0.extend(to.into_iter().map(|&to| Command::Send(to, msg.clone())));
    }

    /// Sets a timer. There is no clock: a timer that is set may expire at any time.
    pub fn set_timer(&mut self, timer: A::Timer) {
        self.0.push(Command::SetTimer(timer));
    }

    /// Cancels a timer.
    pub fn cancel_timer(&mut self, timer: A::Timer) {
        self.0.push(Command::CancelTimer(timer));
    }

    /// Lets one of several alternatives be chosen later, by [`Actor::on_random`]. Choices under the same key
    /// replace each other; without alternatives the choice is withdrawn.
    pub fn choose_random(
        &mut self,
        key: impl Into<String>,
        alternatives: impl IntoIterator<Item = A::Random>,
    ) {
        self.0.push(Command::ChooseRandom(key.into(), alternatives.into_iter().collect()));
    }

    /// Withdraws a choice.
    pub fn remove_random(&mut self, key: impl Into<String>) {
        self.choose_random(key, []);
    }

    /// Saves what the actor needs after a crash, in place of what it saved before.
    pub fn save(&mut self, storage: A::Storage) {
        self.0.push(Command::Save(storage));
    }

    /// Whether the actor did nothing so far.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The state of an actor while it handles something: the state itself to read, and a copy from the first
/// change on. A handler that does not write to it changes nothing.
///
/// ```
/// use quotient_actors::Draft;
/// let state = vec![1];
/// let mut draft = Draft::new(&state);
/// assert_eq!(draft.len(), 1);
/// draft.push(2);
/// draft.to_mut().push(3);
/// assert_eq!(draft.into_changed(), Some(vec![1, 2, 3]));
/// let mut replaced = Draft::new(&state);
/// replaced.set(Vec::new());
/// assert_eq!(replaced.into_changed(), Some(Vec::new()));
/// assert_eq!(Draft::new(&state).into_changed(), None);
/// ```
pub struct Draft<'a, S> {
    before: &'a S,
    after: Option<S>,
}

impl<'a, S: Clone> Draft<'a, S> {
    /// A draft without changes.
    pub const fn new(before: &'a S) -> Self {
        Self { before, after: None }
    }

    /// The state, to be changed: what `&mut *draft` is.
    pub fn to_mut(&mut self) -> &mut S {
        self.after.get_or_insert_with(|| self.before.clone())
    }

    /// Replaces the state.
    pub fn set(&mut self, state: S) {
        self.after = Some(state);
    }

    /// The state, if it was written to.
    pub fn into_changed(self) -> Option<S> {
        self.after
    }
}

impl<S> Deref for Draft<'_, S> {
    type Target = S;
    fn deref(&self) -> &S {
        self.after.as_ref().unwrap_or(self.before)
    }
}

impl<S: Clone> DerefMut for Draft<'_, S> {
    fn deref_mut(&mut self) -> &mut S {
        self.to_mut()
    }
}

/// The number of members that every two majorities of `count` share one of.
///
/// ```
/// use quotient_actors::majority;
/// assert_eq!([3, 4, 5].map(majority), [2, 3, 3]);
/// ```
pub const fn majority(count: usize) -> usize {
    count / 2 + 1
}

/// A type without values: that of timers that are never set, choices that are never made, storage that is never
/// used.
///
/// ```
/// use quotient_actors::Never;
/// let timers: Vec<Never> = Vec::new();
/// assert!(timers.is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Never {}

impl Shape for Never {
    const SORTED: bool = false;
    fn sorts(_: &mut Sorts) {}
    fn walk<V: Visit>(&self, _: &mut V) {
        match *self {}
    }
    fn read(_: &mut Reader<'_>) -> Self {
        unreachable!("there was no value to be written")
    }
    fn most_bits(_: &Sorts) -> Option<u32> {
        Some(0)
    }
    fn term(&self) -> Term {
        match *self {}
    }
    fn order(&self, _: &Self) -> std::cmp::Ordering {
        match *self {}
    }
}
