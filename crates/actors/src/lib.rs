//! Actors as model programs: behaviours that answer messages, the network between them, failures, and monitors
//! that judge what clients observe.
//!
//! An [`Actor`] says what it does when it starts, when a message arrives and when a timer expires. A [`System`]
//! puts actors into groups, chooses a network and how things may fail, and says what must hold. Members of a
//! [group](System::group) are interchangeable: states that differ only in which member is which are stored
//! once. [Pinned](System::pinned) actors have numbers and are told apart.
//!
//! ```
//! use quotient_actors::{Actor, Addr, Choice, Draft, Network, Never, Out, System};
//! use quotient_model::{Set, Shape, Symmetry};
//!
//! #[derive(Clone, Debug, Shape)]
//! enum Msg { Ask, Yes }
//!
//! /// Asks everybody, and counts who agrees.
//! struct Asks(Set<Addr>);
//! /// Agrees.
//! struct Agrees;
//!
//! impl Actor for Asks {
//!     type State = Set<Addr>;
//!     type Msg = Msg;
//!     type Timer = Never;
//!     type Random = Never;
//!     type Storage = Never;
//!     fn on_start(&self, _: Addr, _: Option<&Never>, out: &mut Out<Self>) -> Set<Addr> {
//!         out.broadcast(&self.0, &Msg::Ask);
//!         Set::new()
//!     }
//!     fn on_msg(&self, _: Addr, agreed: &mut Draft<'_, Set<Addr>>, from: Addr, _: &Msg, _: &mut Out<Self>) {
//!         agreed.insert(from);
//!     }
//! }
//!
//! impl Actor for Agrees {
//!     type State = ();
//!     type Msg = Msg;
//!     type Timer = Never;
//!     type Random = Never;
//!     type Storage = Never;
//!     fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) {}
//!     fn on_msg(&self, _: Addr, _: &mut Draft<'_, ()>, from: Addr, _: &Msg, out: &mut Out<Self>) {
//!         out.send(from, Msg::Yes);
//!     }
//! }
//!
//! let mut vote = System::new()
//!     .pinned("chair", 1, |place| Choice::L(Asks(place.members("member"))))
//!     .group("member", 4, |_| Choice::R(Agrees))
//!     .network(Network::Unordered { duplicating: false })
//!     .reachable("all agreed", |view| {
//!         view.group("chair").any(|state| matches!(state, Choice::L(agreed) if agreed.len() == 4))
//!     })
//!     .program();
//! // Each member was asked, answered, or was heard.
//! assert_eq!(vote.check().symmetry(Symmetry::None).assert_holds().states, 3 * 3 * 3 * 3);
//! assert_eq!(vote.check().assert_holds().states, 15);
//! ```
//!
//! What must hold:
//! - A handler is a function of its arguments.
//! - An actor of a group does not depend on its number. [`Place`] gives it none, and the test of symmetry of
//!   `quotient_model` tells actors that depend on the order of a set of addresses.

#![warn(missing_docs)]

mod actor;
mod choice;
mod model;
pub mod monitor;
mod network;
pub mod register;
mod system;
mod world;

pub use actor::{Actor, Draft, Never, Out, majority};
pub use choice::Choice;
pub use model::ActorModel;
pub use network::{Envelope, Flight, Network};
pub use system::{Addr, NoOps, OnFull, Place, System};
pub use world::{Action, Local, View, World};

/// The page of the book, whose examples are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/modelling/coming-from-stateright.md")]
struct Page;
