//! The store that cannot be wrong: a map of the standard library from flat vectors to ids.
//!
//! It is the oracle of the other stores and the baseline of their benchmarks, and asks nothing of an encoding
//! but that [`Encoding::flatten`] is right. It keeps each vector twice, which is the price of being obvious.

use std::collections::HashMap;

use system::Encoding;

use crate::{Budget, Full, Insert, StateId, StateStore};

#[derive(Debug)]
pub struct Naive {
    ids: HashMap<Vec<u64>, StateId>,
    states: Vec<Vec<u64>>,
    budget: Budget,
    bytes: usize,
    scratch: Vec<u64>,
}

/// What a state takes beside its words, roughly: two vectors, a map entry, the allocator's own.
const OVERHEAD: usize = 128;

impl Naive {
    pub fn new(budget: &Budget) -> Self {
        let budget = budget.clone();
        Self { ids: HashMap::new(), states: Vec::new(), budget, bytes: 0, scratch: Vec::new() }
    }

    fn flatten(&mut self, encoding: &Encoding) {
        self.scratch.clear();
        encoding.flatten(&mut self.scratch);
    }
}

impl StateStore for Naive {
    fn kind(&self) -> &'static str {
        "naive"
    }

    fn exact(&self) -> bool {
        true
    }

    fn insert(&mut self, _: Option<StateId>, encoding: &Encoding) -> Result<Insert, Full> {
        if let Some(id) = self.find(encoding) {
            return Ok(Insert::Seen(id));
        }
        if self.states.len() == StateId::LIMIT {
            return Err(Full::Ids);
        }
        let bytes = 16 * self.scratch.len() + OVERHEAD;
        if !self.budget.allows(bytes) {
            return Err(Full::Memory);
        }
        let id = StateId(self.states.len() as u32);
        self.ids.insert(self.scratch.clone(), id);
        self.states.push(self.scratch.clone());
        self.bytes += bytes;
        Ok(Insert::New(id))
    }

    fn find(&mut self, encoding: &Encoding) -> Option<StateId> {
        self.flatten(encoding);
        self.ids.get(&self.scratch).copied()
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
