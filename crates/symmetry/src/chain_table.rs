//! Access chains, interned in a table: a chain is a number.
//!
//! Also chains that were only offered to a unit are interned. The table is subject to the memory limit and is
//! compacted from time to time: see [`Chains::has_room`](crate::Chains::has_room).

use std::cmp::Ordering;

use rustc_hash::FxHashMap;
use state::make_room;

use crate::mix::mix128;

/// A chain, by its number in the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ChainId(pub(crate) u32);

impl ChainId {
    /// The chain of the globals, which has no places.
    pub const ROOT: Self = Self(0);
    /// No chain: greater than all others.
    pub const NONE: Self = Self(u32::MAX);

    pub const fn exists(self) -> bool {
        self.0 != Self::NONE.0
    }
}

/// In labels: the edge leads from the root to a running thread, whose id is in the low bits.
pub(crate) const THREAD: u64 = 1 << 63;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Chain {
    pub parent: ChainId,
    label: u64,
    depth: u32,
    /// Where it starts: 0 for the globals, one more than its id for a thread.
    pub origin: u32,
    /// A hash of the places, which does not depend on the thread at the start.
    pub hash: u128,
}

/// The chains that units have or had recently.
#[derive(Clone, Debug)]
pub struct ChainTable {
    chains: Vec<Chain>,
    index: FxHashMap<(u32, u64), ChainId>,
}

impl Default for ChainTable {
    fn default() -> Self {
        let root = Chain { parent: ChainId::NONE, label: 0, depth: 0, origin: 0, hash: mix128(0, 0) };
        Self { chains: vec![root], index: FxHashMap::default() }
    }
}

impl ChainTable {
    pub(crate) fn get(&self, id: ChainId) -> Chain {
        self.chains[id.0 as usize]
    }

    /// The chain with one more place.
    pub fn extend(&mut self, chain: ChainId, label: u64) -> ChainId {
        if !chain.exists() {
            return ChainId::NONE;
        }
        let chains = &mut self.chains;
        *self.index.entry((chain.0, label)).or_insert_with(|| {
            let parent = chains[chain.0 as usize];
            let is_thread = label & THREAD != 0;
            let origin = if is_thread { label as u32 + 1 } else { parent.origin };
            let hash = if is_thread { mix128(1, 0) } else { mix128(parent.hash, label) };
            chains.push(Chain { parent: chain, label, depth: parent.depth + 1, origin, hash });
            ChainId(u32::try_from(chains.len() - 1).expect("fewer than 2^32 chains"))
        })
    }

    /// Where the chain starts: 0 for the globals, one more than its id for a thread.
    pub fn origin(&self, chain: ChainId) -> u32 {
        self.get(chain).origin
    }

    /// A hash of the places, which does not depend on the thread at the start.
    pub fn hash(&self, chain: ChainId) -> u128 {
        self.get(chain).hash
    }

    /// Compares two chains that exist, regardless of the threads at their starts.
    pub fn compare_places(&self, a: ChainId, b: ChainId) -> Ordering {
        let (mut x, mut y) = (self.get(a), self.get(b));
        x.depth.cmp(&y.depth).then_with(|| {
            // Places nearer to the start count more.
            let mut order = Ordering::Equal;
            while x.depth > u32::from(x.origin != 0) {
                order = x.label.cmp(&y.label).then(order);
                (x, y) = (self.get(x.parent), self.get(y.parent));
            }
            order
        })
    }

    pub fn compare(&self, a: ChainId, b: ChainId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        if !a.exists() || !b.exists() {
            return b.exists().cmp(&a.exists());
        }
        let (mut x, mut y) = (self.get(a), self.get(b));
        (x.origin != 0).cmp(&(y.origin != 0)).then(x.depth.cmp(&y.depth)).then_with(|| {
            while x.parent != y.parent {
                (x, y) = (self.get(x.parent), self.get(y.parent));
            }
            x.label.cmp(&y.label)
        })
    }

    /// The number of chains.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Makes sure that there is memory, and that there are numbers, for `spare` more chains.
    pub(crate) fn has_room(&mut self, spare: usize) -> bool {
        self.chains.len().saturating_add(spare) < ChainId::NONE.0 as usize
            && make_room(&mut self.chains, spare)
            && self.index.try_reserve(spare).is_ok()
    }

    /// Drops the chains that are not `used`. Returns the new numbers of the others. All prefixes of a used
    /// chain must be used.
    pub(crate) fn retain(&mut self, used: &[bool]) -> Vec<ChainId> {
        let mut renumbered = Vec::with_capacity(used.len());
        let mut next = 0;
        for (at, &is_used) in used.iter().enumerate() {
            renumbered.push(if is_used { ChainId(next) } else { ChainId::NONE });
            if is_used {
                // Its prefix has a lesser number, and has its new number already.
                let mut chain = self.chains[at];
                if chain.parent.exists() {
                    chain.parent = renumbered[chain.parent.0 as usize];
                }
                self.chains[next as usize] = chain;
                next += 1;
            }
        }
        self.chains.truncate(next as usize);
        self.index.clear();
        let chains = self.chains.iter().zip(0..).skip(1);
        self.index.extend(chains.map(|(chain, id)| ((chain.parent.0, chain.label), ChainId(id))));
        renumbered
    }

    pub fn is_empty(&self) -> bool {
        false
    }
}
