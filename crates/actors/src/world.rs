//! States and actions of systems of actors.

use quotient_model::{Map, Seq, Set, Shape};

use crate::monitor::Monitor;
use crate::system::Layout;
use crate::{Actor, Addr, Envelope, Flight, NoOps};

/// What an actor has while it is up.
#[derive(Clone, Debug, Shape)]
pub struct Local<S, T, R> {
    /// Its state.
    pub state: S,
    /// The timers that are set.
    pub timers: Set<T>,
    /// The alternatives of choices to be made, by key.
    pub random: Map<String, Seq<R>>,
}

/// A state of a system of actors: of type `State`, `Msg`, `Timer`, `Random` and `Storage`, and with a monitor
/// of type `Seen`.
#[derive(Clone, Debug, Shape)]
pub struct World<State, Msg, Timer, Random, Storage, Seen> {
    /// By actor: what it has, or `None` while it is down.
    pub actors: Map<Addr, Option<Local<State, Timer, Random>>>,
    /// The messages on their way.
    pub network: Flight<Msg>,
    /// What actors saved.
    pub stored: Map<Addr, Storage>,
    /// The pairs of actors, in both directions, between which no message arrives.
    pub cuts: Set<(Addr, Addr)>,
    /// What the monitor keeps.
    pub seen: Seen,
}

/// The states of systems of actors of type `A` with a monitor of type `W`.
pub(crate) type WorldOf<A, W> = World<
    <A as Actor>::State,
    <A as Actor>::Msg,
    <A as Actor>::Timer,
    <A as Actor>::Random,
    <A as Actor>::Storage,
    <W as Monitor<<A as Actor>::Msg>>::State,
>;

/// What can happen in a system of actors.
#[derive(Clone, Debug, Shape)]
pub enum Action<Msg, Timer, Random> {
    /// A message arrives.
    Deliver(Envelope<Msg>),
    /// A message is lost.
    Drop(Envelope<Msg>),
    /// A timer expires.
    Timeout(Addr, Timer),
    /// A choice, under its key, is made.
    Choose(Addr, String, Random),
    /// An actor goes down.
    Crash(Addr),
    /// An actor starts again.
    Recover(Addr),
    /// No message arrives between two actors any more.
    Cut(Set<Addr>),
    /// Messages arrive between two actors again.
    Heal(Set<Addr>),
}

/// A state, as conditions see it.
pub struct View<'a, A: Actor, W: Monitor<A::Msg>> {
    pub(crate) world: &'a WorldOf<A, W>,
    pub(crate) layout: &'a Layout,
    pub(crate) noops: NoOps,
}

impl<'a, A: Actor, W: Monitor<A::Msg>> View<'a, A, W> {
    /// The state of an actor, if it is up.
    pub fn actor(&self, at: Addr) -> Option<&'a A::State> {
        Some(&self.world.actors.get(&at)?.as_ref()?.state)
    }

    /// The actors that are up, with their states.
    pub fn actors(&self) -> impl Iterator<Item = (Addr, &'a A::State)> {
        let up = |(&at, local): (&Addr, &'a Option<Local<_, _, _>>)| Some((at, &local.as_ref()?.state));
        self.world.actors.iter().filter_map(up)
    }

    /// The states of the members of a group that are up.
    #[track_caller]
    pub fn group(&self, name: &str) -> impl Iterator<Item = &'a A::State> {
        let members = self.layout.members(name);
        members.filter_map(|at| self.actor(at)).collect::<Vec<_>>().into_iter()
    }

    /// The timers of an actor.
    pub fn timers(&self, at: Addr) -> Option<&'a Set<A::Timer>> {
        Some(&self.world.actors.get(&at)?.as_ref()?.timers)
    }

    /// What an actor saved.
    pub fn stored(&self, at: Addr) -> Option<&'a A::Storage> {
        self.world.stored.get(&at)
    }

    /// The number of actors that are down.
    pub fn down(&self) -> usize {
        self.world.actors.values().filter(|local| local.is_none()).count()
    }

    /// What the monitor keeps.
    pub fn monitor(&self) -> &'a W::State {
        &self.world.seen
    }

    /// The messages on their way.
    ///
    /// # Panics
    ///
    /// If deliveries that do nothing are ignored: then messages stay that would be gone, and conditions of the
    /// network would not mean what they say. [`System::some_message`](crate::System::some_message) and
    /// [`System::no_message`](crate::System::no_message) can be used then.
    #[track_caller]
    pub fn network(&self) -> &'a Flight<A::Msg> {
        assert!(
            self.noops == NoOps::Consume,
            "a condition looks at the network, but deliveries that do nothing are ignored: use \
             `NoOps::Consume`, or `some_message` and `no_message`"
        );
        &self.world.network
    }
}
