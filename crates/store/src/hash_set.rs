//! The reference store: a map of the standard library from flat vectors to ids.
//!
//! It is the oracle of the tests of the other stores and the baseline of their benchmarks. It relies on
//! nothing but the correctness of [`Encoding::flatten`]. It keeps each vector twice, which is the price of
//! simplicity.

use std::collections::HashMap;

use system::Encoding;

use crate::{Budget, Full, Insert, StateId, StateStore};

/// A store that is a map of the standard library.
#[derive(Debug)]
pub struct HashSetStore {
    ids: HashMap<Vec<u64>, StateId>,
    states: Vec<Vec<u64>>,
    budget: Budget,
    bytes: usize,
    scratch: Vec<u64>,
}

/// The approximate memory of a state beside its words: two vectors, a map entry, the allocator's overhead.
const OVERHEAD: usize = 128;

impl HashSetStore {
    pub fn new(budget: &Budget) -> Self {
        let budget = budget.clone();
        Self { ids: HashMap::new(), states: Vec::new(), budget, bytes: 0, scratch: Vec::new() }
    }
}

impl StateStore for HashSetStore {
    fn kind(&self) -> &'static str {
        "naive"
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        self.scratch.clear();
        encoding.flatten(&mut self.scratch);
        if let Some(&id) = self.ids.get(&self.scratch) {
            return Ok(Insert::Seen(Some(id)));
        }
        if self.states.len() >= limit {
            return Err(Full::States);
        }
        if self.states.len() == StateId::LIMIT {
            return Err(Full::Ids);
        }
        let bytes = 16 * self.scratch.len() + OVERHEAD;
        if !self.budget.allows(bytes) {
            return Err(Full::Memory);
        }
        let id = StateId(self.states.len() as u64);
        self.ids.insert(self.scratch.clone(), id);
        self.states.push(self.scratch.clone());
        self.bytes += bytes;
        Ok(Insert::New(id))
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        into.unflatten(&self.states[id.index()]);
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }
}
