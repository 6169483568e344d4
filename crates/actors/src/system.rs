//! Systems of actors: who takes part, over which network, what may fail, and what must hold.

use std::rc::Rc;

use quotient_model::{Individual, Program, Seq, Set, index_of, sort};

use crate::monitor::Monitor;
use crate::network::Network;
use crate::world::View;
use crate::{Actor, ActorModel};

sort! {
    /// The address of an actor. Addresses of actors of one group can be compared for equality, and have no order
    /// and no number.
    ///
    /// ```
    /// use quotient_actors::{Addr, Envelope};
    /// fn is_reply(asked: &Envelope<u8>, told: &Envelope<u8>) -> bool {
    ///     let (asker, teller): (Addr, Addr) = (asked.from, told.to);
    ///     asker == teller && asked.to == told.from
    /// }
    /// ```
    pub struct Addr;
}

/// Whether an actor can receive what it does not react to.
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
/// use quotient_actors::NoOps;
/// // The second message to a node does nothing.
/// let consumed = nodes(3).program().check().assert_holds().states;
/// let ignored = nodes(3).noops(NoOps::Ignore).program().check().assert_holds().states;
/// assert!(ignored < consumed);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum NoOps {
    /// A message arrives, and is gone, also if the receiver does nothing.
    #[default]
    Consume,
    /// In unordered networks a delivery that changes nothing and sends nothing does not happen, and neither does
    /// a timeout that only sets its timer again. There are fewer states. Messages stay that would be gone, so
    /// that conditions of the network are refused.
    Ignore,
}

/// What happens to a message for which there is no room.
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
/// use quotient_actors::OnFull;
/// nodes(2).capacity(2, OnFull::Fail).program().check().assert_holds();
/// assert_eq!(nodes(2).capacity(1, OnFull::Lose).program().check().assert_holds().states, 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OnFull {
    /// The state in which it was sent is not explored, and the verdict says so.
    #[default]
    Bound,
    /// It is a violation.
    Fail,
    /// It is lost.
    Lose,
}

/// A group of actors: numbers that follow each other.
#[derive(Clone, Debug)]
struct Group {
    name: String,
    first: u32,
    count: u32,
    pinned: bool,
}

/// Who takes part in a system.
#[derive(Clone, Default, Debug)]
pub(crate) struct Layout {
    groups: Vec<Group>,
}

impl Layout {
    fn add(&mut self, name: &str, count: usize, pinned: bool) {
        assert!(self.groups.iter().all(|group| group.name != name), "there are two groups `{name}`");
        let first = self.groups.last().map_or(0, |last| last.first + last.count);
        self.groups.push(Group { name: name.to_owned(), first, count: count as u32, pinned });
    }

    #[track_caller]
    fn group(&self, name: &str) -> &Group {
        let group = self.groups.iter().find(|group| group.name == name);
        group.unwrap_or_else(|| panic!("there is no group `{name}`"))
    }

    #[track_caller]
    pub fn members(&self, name: &str) -> impl ExactSizeIterator<Item = Addr> + use<> {
        let group = self.group(name);
        (group.first..group.first + group.count).map(|number| Addr::at(index_of(number)))
    }

    /// Actors are called by their groups.
    fn labels(&self) -> Vec<(String, u32)> {
        let of =
            |group: &Group| (0..group.count).map(|number| (group.name.clone(), number)).collect::<Vec<_>>();
        self.groups.iter().flat_map(of).collect()
    }

    fn classes(&self) -> Vec<u32> {
        let classes = self.groups.iter().flat_map(|group| {
            let (size, times) = if group.pinned { (1, group.count) } else { (group.count, 1) };
            std::iter::repeat_n(size, times as usize)
        });
        classes.filter(|&size| size > 0).collect()
    }
}

/// The place of an actor in its system: what its behaviour may be made of.
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
/// let system = System::new()
///     .pinned("server", 2, |place| {
///         assert_eq!(place.in_order("server")[place.number()], place.me());
///         Node { peers: place.peers() }
///     })
///     .group("client", 2, |place| Node { peers: place.members("server") });
/// system.program().check().assert_holds();
/// ```
pub struct Place<'a> {
    layout: &'a Layout,
    group: &'a Group,
    number: u32,
}

impl Place<'_> {
    /// The address of the actor.
    pub fn me(&self) -> Addr {
        Addr::at(index_of(self.number))
    }

    /// The other members of its group.
    pub fn peers(&self) -> Set<Addr> {
        self.members(&self.group.name).iter().copied().filter(|&peer| peer != self.me()).collect()
    }

    /// The members of a group.
    #[track_caller]
    pub fn members(&self, name: &str) -> Set<Addr> {
        self.layout.members(name).collect()
    }

    /// The members of a pinned group, in order.
    ///
    /// # Panics
    ///
    /// If the members are interchangeable: they have no order.
    #[track_caller]
    pub fn in_order(&self, name: &str) -> Seq<Addr> {
        let pinned = self.layout.group(name).pinned;
        assert!(pinned, "the members of `{name}` are interchangeable, so they have no order: pin them");
        self.layout.members(name).collect()
    }

    /// The number of the actor among the pinned ones of its name, from 0.
    ///
    /// # Panics
    ///
    /// If the actor is interchangeable with others.
    #[track_caller]
    pub fn number(&self) -> usize {
        let Group { name, pinned, first, .. } = self.group;
        assert!(*pinned, "the members of `{name}` are interchangeable, so they have no numbers: pin them");
        (self.number - first) as usize
    }
}

/// What makes the actors of a group.
type Maker<A> = Box<dyn Fn(&Place<'_>) -> A>;
/// A condition of states.
pub(crate) type Holds<A, W> = Rc<dyn Fn(&View<'_, A, W>) -> bool>;
/// A condition of states and an actor.
pub(crate) type HoldsOf<A, W> = Rc<dyn Fn(&View<'_, A, W>, Addr) -> bool>;
/// A condition of messages: from whom, to whom, what.
pub(crate) type Sent<M> = Rc<dyn Fn(Addr, Addr, &M) -> bool>;

/// What must hold in a system.
pub(crate) struct Conditions<A: Actor, W: Monitor<A::Msg>> {
    pub invariants: Vec<(String, Holds<A, W>)>,
    pub reachable: Vec<(String, Holds<A, W>)>,
    pub propositions: Vec<(String, Holds<A, W>)>,
    pub propositions_of: Vec<(String, HoldsOf<A, W>)>,
    /// With whether some message is to satisfy it, rather than none.
    pub messages: Vec<(String, Sent<A::Msg>, bool)>,
    /// With whether it is about each actor.
    pub formulas: Vec<(String, String, bool)>,
    pub within: Vec<Holds<A, W>>,
    pub accepting: Vec<Holds<A, W>>,
}

impl<A: Actor, W: Monitor<A::Msg>> Default for Conditions<A, W> {
    fn default() -> Self {
        Self {
            invariants: Vec::new(),
            reachable: Vec::new(),
            propositions: Vec::new(),
            propositions_of: Vec::new(),
            messages: Vec::new(),
            formulas: Vec::new(),
            within: Vec::new(),
            accepting: Vec::new(),
        }
    }
}

impl<A: Actor, W: Monitor<A::Msg>> Conditions<A, W> {
    fn is_empty(&self) -> bool {
        let Self { invariants, reachable, propositions, propositions_of, messages, .. } = self;
        let Self { formulas, within, accepting, .. } = self;
        invariants.len() + reachable.len() + propositions.len() + propositions_of.len() == 0
            && messages.len() + formulas.len() + within.len() + accepting.len() == 0
    }
}

/// How messages travel, and what may fail.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub network: Network,
    pub lossy: bool,
    pub crashes: usize,
    pub recover: bool,
    pub partitions: usize,
    pub capacity: Option<usize>,
    pub on_full: OnFull,
    pub noops: NoOps,
    pub fair: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            network: Network::Unordered { duplicating: false },
            lossy: false,
            crashes: 0,
            recover: true,
            partitions: 0,
            capacity: None,
            on_full: OnFull::default(),
            noops: NoOps::default(),
            fair: false,
        }
    }
}

/// A system of actors of type `A`, judged by a monitor of type `W`. [`System::program`] makes it a program that
/// can be checked.
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
/// use quotient_actors::{Network, NoOps, OnFull};
/// use quotient_model::{Fairness, Symmetry};
///
/// // What may fail.
/// let faulty = nodes(2)
///     .network(Network::Unordered { duplicating: true })
///     .lossy(true)
///     .crashes(1)
///     .recover(true)
///     .partitions(1)
///     .capacity(2, OnFull::Bound)
///     .noops(NoOps::Consume)
///     .invariant("nothing else is known", |view| view.actors().all(|(_, state)| *state <= 1))
///     .reachable("both know", |view| view.group("node").filter(|state| **state == 1).count() == 2)
///     .some_message("told", |_, _, msg| *msg == 1)
///     .no_message("mistold", |_, _, msg| *msg > 1)
///     .within(|view| view.down() < 2)
///     .accepting(|view| view.down() == 0);
/// faulty.program().check().assert_holds();
///
/// // What happens in the end.
/// let told = nodes(2)
///     .fair()
///     .proposition("quiet", |view| view.network().is_empty())
///     .proposition_of("knows", |view, node| view.actor(node) == Some(&1))
///     .ltl("it gets quiet", "<> quiet")
///     .forall("each is told", "<> knows");
/// told.program().check().assert_holds();
/// ```
pub struct System<A: Actor, W: Monitor<A::Msg> = ()> {
    layout: Layout,
    makers: Vec<Maker<A>>,
    settings: Settings,
    monitor: W,
    conditions: Conditions<A, W>,
}

impl<A: Actor> Default for System<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: Actor> System<A> {
    /// A system without actors. Its network is unordered, loses nothing and duplicates nothing.
    pub fn new() -> Self {
        Self {
            layout: Layout::default(),
            makers: Vec::new(),
            settings: Settings::default(),
            monitor: (),
            conditions: Conditions::default(),
        }
    }

    /// Lets a [monitor](crate::monitor) see all messages and judge them. To be said before conditions.
    #[track_caller]
    pub fn monitor<W: Monitor<A::Msg>>(self, monitor: W) -> System<A, W> {
        let Self { layout, makers, settings, monitor: (), conditions } = self;
        assert!(conditions.is_empty(), "the monitor of a system is given before its conditions");
        System { layout, makers, settings, monitor, conditions: Conditions::default() }
    }
}

impl<A: Actor, W: Monitor<A::Msg>> System<A, W> {
    /// Adds a group of interchangeable actors. Their behaviours are the same but for who they are.
    #[track_caller]
    pub fn group(mut self, name: &str, count: usize, make: impl Fn(&Place<'_>) -> A + 'static) -> Self {
        self.layout.add(name, count, false);
        self.makers.push(Box::new(make));
        self
    }

    /// Adds actors that have numbers, and are told apart.
    #[track_caller]
    pub fn pinned(mut self, name: &str, count: usize, make: impl Fn(&Place<'_>) -> A + 'static) -> Self {
        self.layout.add(name, count, true);
        self.makers.push(Box::new(make));
        self
    }

    /// Sets the network.
    pub fn network(mut self, network: Network) -> Self {
        assert!(network.window() > 0, "a window of 0 lets nothing arrive");
        self.settings.network = network;
        self
    }

    /// Lets messages be lost.
    pub fn lossy(mut self, lossy: bool) -> Self {
        self.settings.lossy = lossy;
        self
    }

    /// Lets up to `count` actors be down at a time. A crash loses state, timers and choices.
    pub fn crashes(mut self, count: usize) -> Self {
        self.settings.crashes = count;
        self
    }

    /// Whether actors that are down can start again. They can if this is not said.
    pub fn recover(mut self, recover: bool) -> Self {
        self.settings.recover = recover;
        self
    }

    /// Lets up to `count` pairs of actors be cut off from each other at a time.
    pub fn partitions(mut self, count: usize) -> Self {
        self.settings.partitions = count;
        self
    }

    /// Gives the network room for `messages`: in all, or from one actor to another if messages are in line.
    pub fn capacity(mut self, messages: usize, on_full: OnFull) -> Self {
        (self.settings.capacity, self.settings.on_full) = (Some(messages), on_full);
        self
    }

    /// Whether deliveries that do nothing happen.
    pub fn noops(mut self, noops: NoOps) -> Self {
        self.settings.noops = noops;
        self
    }

    /// Assumes of runs that deliveries, timeouts, choices and recoveries of an actor that stay possible happen.
    pub fn fair(mut self) -> Self {
        self.settings.fair = true;
        self
    }

    /// A condition that holds in every state.
    pub fn invariant(mut self, name: &str, holds: impl Fn(&View<'_, A, W>) -> bool + 'static) -> Self {
        self.conditions.invariants.push((name.to_owned(), Rc::new(holds)));
        self
    }

    /// A condition that holds in some state.
    pub fn reachable(mut self, name: &str, holds: impl Fn(&View<'_, A, W>) -> bool + 'static) -> Self {
        self.conditions.reachable.push((name.to_owned(), Rc::new(holds)));
        self
    }

    /// A condition that formulas can name.
    pub fn proposition(mut self, name: &str, holds: impl Fn(&View<'_, A, W>) -> bool + 'static) -> Self {
        self.conditions.propositions.push((name.to_owned(), Rc::new(holds)));
        self
    }

    /// A condition of actors that formulas [of each actor](System::forall) can name.
    pub fn proposition_of(
        mut self,
        name: &str,
        holds: impl Fn(&View<'_, A, W>, Addr) -> bool + 'static,
    ) -> Self {
        self.conditions.propositions_of.push((name.to_owned(), Rc::new(holds)));
        self
    }

    /// A formula of linear temporal logic that holds in every run: `[] (asked -> <> answered)`.
    pub fn ltl(mut self, name: &str, formula: &str) -> Self {
        self.conditions.formulas.push((name.to_owned(), formula.to_owned(), false));
        self
    }

    /// A formula that holds in every run for each actor.
    pub fn forall(mut self, name: &str, formula: &str) -> Self {
        self.conditions.formulas.push((name.to_owned(), formula.to_owned(), true));
        self
    }

    /// In some state a message is on its way that satisfies a condition.
    pub fn some_message(mut self, name: &str, holds: impl Fn(Addr, Addr, &A::Msg) -> bool + 'static) -> Self {
        self.conditions.messages.push((name.to_owned(), Rc::new(holds), true));
        self
    }

    /// In no state a message is on its way that satisfies a condition.
    pub fn no_message(mut self, name: &str, holds: impl Fn(Addr, Addr, &A::Msg) -> bool + 'static) -> Self {
        self.conditions.messages.push((name.to_owned(), Rc::new(holds), false));
        self
    }

    /// States that do not satisfy this are not explored, and the verdict says so.
    pub fn within(mut self, holds: impl Fn(&View<'_, A, W>) -> bool + 'static) -> Self {
        self.conditions.within.push(Rc::new(holds));
        self
    }

    /// A run may end only in states that satisfy this. If it is not said, a run may end anywhere.
    pub fn accepting(mut self, holds: impl Fn(&View<'_, A, W>) -> bool + 'static) -> Self {
        self.conditions.accepting.push(Rc::new(holds));
        self
    }

    /// The system as a program.
    pub fn program(self) -> Program<ActorModel<A, W>> {
        let (classes, labels) = (self.layout.classes(), self.layout.labels());
        Program::new(self.model()).sort_in_classes::<Addr>(&classes).label::<Addr>(labels)
    }

    fn model(self) -> ActorModel<A, W> {
        let Self { layout, makers, settings, monitor, conditions } = self;
        let mut actors = Vec::new();
        for (group, make) in layout.groups.iter().zip(makers) {
            for number in group.first..group.first + group.count {
                actors.push(make(&Place { layout: &layout, group, number }));
            }
        }
        ActorModel { actors, layout: Rc::new(layout), settings, monitor, conditions }
    }
}
