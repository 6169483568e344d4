//! The exact store of flat vectors: a state is packed ([`crate::packer`]), and stored as a byte string
//! ([`crate::vectors`]).

use system::Encoding;

use crate::packer::Packer;
use crate::vectors::Vectors;
use crate::{Budget, Figure, Full, Insert, StateId, StateStore};

/// A store of packed vectors.
#[derive(Debug)]
pub struct Exact {
    packer: Packer,
    vectors: Vectors,
}

impl Exact {
    pub fn new(budget: &Budget) -> Self {
        Self { packer: Packer::default(), vectors: Vectors::new(budget) }
    }

    /// Assigns at most `limit` ids.
    #[must_use]
    pub fn with_id_limit(self, limit: usize) -> Self {
        Self { vectors: self.vectors.with_id_limit(limit), ..self }
    }
}

impl StateStore for Exact {
    fn kind(&self) -> &'static str {
        "exact"
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        self.vectors.insert(self.packer.pack(encoding), limit)
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        into.unflatten(self.packer.unpack(self.vectors.get(id)));
    }

    fn len(&self) -> usize {
        self.vectors.len()
    }

    fn bytes(&self) -> usize {
        self.vectors.bytes() + self.packer.bytes()
    }

    fn figures(&self) -> Vec<Figure> {
        vec![Figure { name: "load", value: self.vectors.load() }]
    }
}
