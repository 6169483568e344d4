//! States and actions of systems of actors.

use quotient_model::{Map, Seq, Set, Shape};

use crate::monitor::Monitor;
use crate::system::Layout;
use crate::{Actor, Addr, Envelope, Flight, NoOps};

/// What an actor has while it is up.
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// let program = nodes(2).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// for local in first.actors.values().flatten() {
///     assert!(local.state == 0 && local.timers.is_empty() && local.random.is_empty());
/// }
/// ```
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
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// let program = nodes(2).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// assert_eq!((first.actors.len(), first.network.len()), (2, 2));
/// assert!(first.stored.is_empty() && first.cuts.is_empty());
/// ```
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
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// use quotient_actors::Action;
/// let program = nodes(2).lossy(true).crashes(1).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// let steps = program.successors(&first).expect("it does not fail");
/// let count = |is: fn(&Action<u8, (), ()>) -> bool| steps.iter().filter(|step| is(&step.action)).count();
/// assert_eq!(count(|action| matches!(action, Action::Deliver(_))), 2);
/// assert_eq!(count(|action| matches!(action, Action::Drop(_))), 2);
/// assert_eq!(count(|action| matches!(action, Action::Crash(_))), 2);
/// ```
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
///
/// ```
/// # use quotient_actors::{Actor, Addr, Draft, Out, System};
/// # use quotient_model::Set;
/// # /// Tells its peers 1, once.
/// # struct Node { peers: Set<Addr> }
/// # impl Actor for Node {
/// #     type State = u8;
/// #     type Msg = u8;
/// #     type Timer = ();
/// #     type Random = ();
/// #     type Storage = u8;
/// #     fn on_start(&self, _: Addr, stored: Option<&u8>, out: &mut Out<Self>) -> u8 {
/// #         if stored.is_none() {
/// #             out.broadcast(&self.peers, &1);
/// #         }
/// #         stored.copied().unwrap_or(0)
/// #     }
/// #     fn on_msg(&self, _: Addr, state: &mut Draft<'_, u8>, _: Addr, msg: &u8, out: &mut Out<Self>) {
/// #         if **state < *msg {
/// #             state.set(*msg);
/// #             out.save(*msg);
/// #         }
/// #     }
/// # }
/// # fn nodes(count: usize) -> System<Node> {
/// #     System::new().group("node", count, |place| Node { peers: place.peers() })
/// # }
/// let system = nodes(2)
///     .crashes(1)
///     .network(quotient_actors::Network::Unordered { duplicating: true })
///     .invariant("what is known is saved", |view| {
///         view.actors().all(|(node, state)| *state == 0 || view.stored(node) == Some(state))
///     })
///     .invariant("no timers", |view| {
///         view.actors().all(|(node, _)| view.timers(node).is_some_and(|timers| timers.is_empty()))
///     })
///     .invariant("one is up", |view| view.down() <= 1 && view.group("node").count() >= 1)
///     .reachable("quiet", |view| view.network().len() == 2 && *view.monitor() == ());
/// system.program().check().assert_holds();
/// ```
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
