//! What is between actors: messages on their way, and which of them can arrive.
//!
//! | network                   | on its way                         | can arrive | afterwards |
//! |---------------------------|------------------------------------|------------|------------|
//! | unordered                 | a bag of messages                  | each       | once less  |
//! | unordered and duplicating | a set of messages                  | each       | still there|
//! | ordered                   | a sequence from each actor to each | the first  | gone       |
//! | windowed                  | the same                           | the first k| gone       |
//! | synchronous               | nothing between steps              | see below  | gone       |
//!
//! In a synchronous network a step goes on until no message is on its way: what an actor sends arrives before
//! anything else happens. If several messages are on their way in such a step, they arrive in all orders that
//! keep those from one actor to another in line. Only what is sent at the start waits for the first steps.

use std::fmt;
use std::str::FromStr;

use quotient_model::{Bag, Map, Seq, Set, Shape};

use crate::Addr;

/// A message on its way.
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
/// use quotient_actors::{Action, Envelope};
/// let program = nodes(2).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// let steps = program.successors(&first).expect("it does not fail");
/// let Action::Deliver(Envelope { from, to, msg }) = &steps[0].action else { panic!("messages arrive") };
/// assert!(from != to && *msg == 1);
/// ```
#[derive(Clone, PartialEq, Eq, Shape)]
pub struct Envelope<M> {
    /// Who sent it.
    pub from: Addr,
    /// Who is to receive it.
    pub to: Addr,
    /// What was sent.
    pub msg: M,
}

impl<M: fmt::Debug> fmt::Debug for Envelope<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} → {:?}: {:?}", self.from, self.to, self.msg)
    }
}

/// A kind of network.
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
/// use quotient_actors::Network;
/// for network in ["unordered", "duplicating", "ordered", "windowed:2", "synchronous"] {
///     let network: Network = network.parse().expect("a network");
///     nodes(2).network(network).program().check().assert_holds();
/// }
/// assert_eq!(Network::Windowed { window: 2 }.to_string(), "windowed:2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// Messages arrive in any order.
    Unordered {
        /// A message can arrive any number of times.
        duplicating: bool,
    },
    /// Messages from one actor to another arrive in the order in which they were sent.
    Ordered,
    /// A message from one actor to another can overtake `window - 1` others.
    Windowed {
        /// How many messages can arrive next.
        window: usize,
    },
    /// Messages arrive in the step in which they are sent.
    Synchronous,
}

impl Network {
    /// How many messages from one actor to another can arrive next, if they are in line.
    pub(crate) const fn window(self) -> usize {
        match self {
            Self::Windowed { window } => window,
            _ => 1,
        }
    }

    /// Whether a message that is not delivered keeps no other from being delivered.
    pub(crate) const fn is_unordered(self) -> bool {
        matches!(self, Self::Unordered { .. })
    }
}

impl FromStr for Network {
    type Err = String;

    /// Reads the names that [`Network`] is shown by: `unordered`, `duplicating`, `ordered`, `windowed:2`,
    /// `synchronous`.
    fn from_str(name: &str) -> Result<Self, String> {
        let windowed = name.strip_prefix("windowed:").and_then(|window| window.parse().ok());
        match (name, windowed) {
            (_, Some(window)) if window > 0 => Ok(Self::Windowed { window }),
            ("unordered", _) => Ok(Self::Unordered { duplicating: false }),
            ("duplicating", _) => Ok(Self::Unordered { duplicating: true }),
            ("ordered", _) => Ok(Self::Ordered),
            ("synchronous", _) => Ok(Self::Synchronous),
            _ => Err(format!(
                "`{name}` is not a network: unordered, duplicating, ordered, windowed:N (N > 0) or synchronous"
            )),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unordered { duplicating: false } => f.write_str("unordered"),
            Self::Unordered { duplicating: true } => f.write_str("duplicating"),
            Self::Ordered => f.write_str("ordered"),
            Self::Windowed { window } => write!(f, "windowed:{window}"),
            Self::Synchronous => f.write_str("synchronous"),
        }
    }
}

/// The messages on their way.
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
/// use quotient_actors::{Flight, Network};
/// let program = nodes(3).network(Network::Ordered).program();
/// let first = program.initial_states().expect("it has one").remove(0);
/// assert!(matches!(first.network, Flight::Lines(_)) && first.network.len() == 6 && !first.network.is_empty());
/// assert!(!first.network.any(|from, to, msg| from == to || *msg != 1));
/// ```
#[derive(Clone, Debug, Shape)]
pub enum Flight<M> {
    /// Of an unordered network.
    Unordered(Bag<Envelope<M>>),
    /// Of a duplicating one.
    Duplicating(Set<Envelope<M>>),
    /// Of the others: what is under way from one actor to another, the oldest first. There are no empty lines.
    Lines(Map<(Addr, Addr), Seq<M>>),
}

impl<M: Shape> Flight<M> {
    pub(crate) fn new(network: Network) -> Self {
        match network {
            Network::Unordered { duplicating: false } => Self::Unordered(Bag::new()),
            Network::Unordered { duplicating: true } => Self::Duplicating(Set::new()),
            Network::Ordered | Network::Windowed { .. } | Network::Synchronous => Self::Lines(Map::new()),
        }
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        match self {
            Self::Unordered(bag) => bag.len(),
            Self::Duplicating(set) => set.len(),
            Self::Lines(lines) => lines.values().map(Vec::len).sum(),
        }
    }

    /// Whether no message is on its way.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Unordered(bag) => bag.is_empty(),
            Self::Duplicating(set) => set.is_empty(),
            Self::Lines(lines) => lines.is_empty(),
        }
    }

    /// Whether one of the messages satisfies a condition.
    pub fn any(&self, mut holds: impl FnMut(Addr, Addr, &M) -> bool) -> bool {
        match self {
            Self::Unordered(bag) => bag.iter().any(|(sent, _)| holds(sent.from, sent.to, &sent.msg)),
            Self::Duplicating(set) => set.iter().any(|sent| holds(sent.from, sent.to, &sent.msg)),
            Self::Lines(lines) => {
                lines.iter().any(|(&(from, to), line)| line.iter().any(|msg| holds(from, to, msg)))
            }
        }
    }

    /// The number of messages that share what has room for `capacity` of them: all, or those of one line.
    pub(crate) fn crowd(&self) -> usize {
        match self {
            Self::Lines(lines) => lines.values().map(Vec::len).max().unwrap_or(0),
            _ => self.len(),
        }
    }

    /// The number of messages with which a message has to share its room.
    pub(crate) fn company(&self, sent: &Envelope<M>) -> usize {
        match self {
            Self::Lines(lines) => lines.get(&(sent.from, sent.to)).map_or(0, Vec::len),
            _ => self.len(),
        }
    }

    pub(crate) fn send(&mut self, sent: Envelope<M>) {
        match self {
            Self::Unordered(bag) => bag.insert(sent),
            Self::Duplicating(set) => _ = set.insert(sent),
            Self::Lines(lines) => lines.entry_or_default((sent.from, sent.to)).push(sent.msg),
        }
    }

    /// Adds the messages that can arrive next, each once.
    pub(crate) fn arriving(&self, window: usize, mut each: impl FnMut(Envelope<M>)) {
        match self {
            Self::Unordered(bag) => bag.iter().for_each(|(sent, _)| each(sent.clone())),
            Self::Duplicating(set) => set.iter().for_each(|sent| each(sent.clone())),
            Self::Lines(lines) => {
                for (&(from, to), line) in lines.iter() {
                    let first = &line[..window.min(line.len())];
                    for (at, msg) in first.iter().enumerate() {
                        if !first[..at].iter().any(|other| other.order(msg).is_eq()) {
                            each(Envelope { from, to, msg: msg.clone() });
                        }
                    }
                }
            }
        }
    }

    /// Takes a message off the network, since it arrived.
    pub(crate) fn arrived(&mut self, sent: &Envelope<M>) {
        if !matches!(self, Self::Duplicating(_)) {
            self.remove(sent);
        }
    }

    /// Takes a message off the network.
    pub(crate) fn remove(&mut self, sent: &Envelope<M>) {
        match self {
            Self::Unordered(bag) => _ = bag.remove(sent),
            Self::Duplicating(set) => _ = set.remove(sent),
            Self::Lines(lines) => {
                let key = (sent.from, sent.to);
                let Some(line) = lines.get_mut(&key) else { return };
                let at = line.iter().position(|msg| msg.order(&sent.msg).is_eq());
                at.map(|at| line.remove(at));
                if line.is_empty() {
                    lines.remove(&key);
                }
            }
        }
    }
}
