//! The store of deflated vectors: as [`crate::Exact`], but every packed vector is compressed by itself.
//!
//! It exists for comparison. A vector of a few dozen bytes repeats little within itself, and what it shares
//! with other states, which is most of it, is out of reach for a compressor that sees one state at a time.
//!
//! Deflating is a function of the bytes (it always starts afresh, with the same parameters), and inflating is
//! its inverse: equal states have equal bytes, and different states have different bytes.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use system::Encoding;

use crate::packer::Packer;
use crate::vectors::Vectors;
use crate::{Budget, Figure, Full, Insert, StateId, StateStore};

/// A store of deflated vectors.
#[derive(Debug)]
pub struct Gzip {
    packer: Packer,
    vectors: Vectors,
    compress: Compress,
    decompress: Decompress,
    deflated: Vec<u8>,
    inflated: Vec<u8>,
}

impl Gzip {
    pub fn new(budget: &Budget) -> Self {
        Self {
            packer: Packer::default(),
            vectors: Vectors::new(budget),
            // Without the headers and checksums of files.
            compress: Compress::new(Compression::default(), false),
            decompress: Decompress::new(false),
            deflated: Vec::new(),
            inflated: Vec::new(),
        }
    }
}

impl StateStore for Gzip {
    fn kind(&self) -> &'static str {
        "gzip"
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let packed = self.packer.pack(encoding);
        self.compress.reset();
        self.deflated.clear();
        let mut status = Status::Ok;
        while status != Status::StreamEnd {
            let rest = &packed[self.compress.total_in() as usize..];
            self.deflated.reserve(64 + rest.len());
            let step = self.compress.compress_vec(rest, &mut self.deflated, FlushCompress::Finish);
            status = step.expect("there is room, and the stream has not ended");
        }
        self.vectors.insert(&self.deflated, limit)
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let deflated = self.vectors.get(id);
        self.decompress.reset(false);
        self.inflated.clear();
        let mut status = Status::Ok;
        while status != Status::StreamEnd {
            let rest = &deflated[self.decompress.total_in() as usize..];
            self.inflated.reserve(64 + 4 * rest.len());
            let step = self.decompress.decompress_vec(rest, &mut self.inflated, FlushDecompress::Finish);
            status = step.expect("what was deflated here is well-formed");
        }
        into.unflatten(self.packer.unpack(&self.inflated));
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
