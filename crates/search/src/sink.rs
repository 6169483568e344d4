//! The sink of a search: it puts successors into the store, and the results into the ledger.
//!
//! This sink stores at once. The order of its calls is the order of everything that is counted.

use std::ops::ControlFlow;

use store::{Access, Insert, StateId, StateStore, Ticket};
use system::{Encoding, Step};

use crate::ledger::Ledger;
use crate::observer::Observer;
use crate::options::Options;
use crate::outcome::StopReason;

/// The store and the ledger of a search.
pub struct Sink<'a, T: ?Sized> {
    pub store: &'a mut T,
    pub ledger: Ledger<'a>,
}

/// A step from a stored state to another state, `depth` steps from the initial one.
#[derive(Clone, Copy)]
pub struct Edge {
    pub source: StateId,
    pub step: Step,
    pub depth: u32,
}

impl<'a, T: StateStore + ?Sized> Sink<'a, T> {
    /// `store` must be empty: a search relies on the order of its ids.
    pub fn new(store: &'a mut T, options: &'a Options<'a>, observer: &'a mut dyn Observer) -> Self {
        Self::with_ledger(store, Ledger::new(options, observer))
    }

    pub fn with_ledger(store: &'a mut T, ledger: Ledger<'a>) -> Self {
        assert!(store.is_empty(), "a search begins with an empty store");
        Self { store, ledger }
    }

    fn limit(&self) -> usize {
        self.ledger.options.max_states.unwrap_or(usize::MAX)
    }

    pub fn put_initial(&mut self, encoding: &mut Encoding) -> ControlFlow<StopReason, StateId> {
        or_stop(self.store.insert(encoding, self.limit()))?;
        self.ledger.initial(INITIAL);
        ControlFlow::Continue(INITIAL)
    }

    /// Stores the state to which an edge leads.
    #[inline]
    pub fn put(&mut self, edge: Edge, encoding: &mut Encoding) -> ControlFlow<StopReason, Insert> {
        self.ledger.transition();
        let insert = or_stop(self.store.insert(encoding, self.limit()))?;
        self.ledger.note(insert, edge);
        ControlFlow::Continue(insert)
    }

    /// Stores a state by its ticket, which must be of the current epoch. The caller must then call
    /// [`Ledger::note`].
    #[inline]
    pub fn commit(&mut self, ticket: Ticket) -> ControlFlow<StopReason, Insert> {
        self.ledger.transition();
        let limit = self.limit();
        let store = self.store.prepared().expect("it made the ticket");
        or_stop(store.commit(ticket, limit))
    }

    /// Counts another edge to a stored state, for which an earlier edge stood.
    pub fn repeat(&mut self, edge: Edge, target: Option<StateId>) {
        let target = target.filter(|_| self.store.access() == Access::ById);
        self.ledger.transition();
        self.ledger.note(Insert::Seen(target), edge);
    }

    /// The current epoch of the store's tickets.
    pub fn epoch(&mut self) -> u32 {
        self.store.prepared().map_or(0, |store| store.epoch())
    }

    /// Lets the store reorganize itself, which may invalidate tickets.
    pub fn maintain(&mut self) {
        if let Some(store) = self.store.prepared() {
            store.maintain();
        }
    }
}

/// Ids are assigned from 0 on.
const INITIAL: StateId = StateId(0);

/// Ends the search if the store has no more memory or ids.
pub fn or_stop<T>(result: Result<T, store::Full>) -> ControlFlow<StopReason, T> {
    match result {
        Ok(value) => ControlFlow::Continue(value),
        Err(full) => ControlFlow::Break(full.into()),
    }
}
