//! What other stores would need for the states that one has.
//!
//! When memory ran out, a user wants to know which store would get further. The lossy ones follow formulas.
//! The exact ones are tried out on a sample: states that were stored one after the other, since neighbours
//! share parts. What a store takes for all states is estimated by what it took for the later part of the
//! sample, so that what all states pay together does not count. States share more with many others than with
//! few, so this is too much rather than too little.

use store::{Access, Bitstate, Budget, Compact, StateId, StateStore};
use system::Encoding;

use crate::config::{Config, SearchKind, StoreKind};
use crate::report::{Alternative, Store};
use crate::stores::{OnStore, with_store};

/// So many states are tried out.
const SAMPLE: usize = 4096;

/// Some of the states of a store, one after the other as flat vectors.
#[derive(Default)]
pub struct Sample {
    words: Vec<u64>,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Sample {
    /// Those in the middle or, of a store that queues states, those that a search did not get to, `open` in
    /// number. Nothing, of a store that does not give states back or where not even that much memory is left.
    pub fn of<T: StateStore + ?Sized>(store: &mut T, open: usize) -> Self {
        let mut sample = Self::default();
        let len = store.len();
        let (first, size) = match store.access() {
            Access::ById => ((len - len.min(SAMPLE)) / 2, len.min(SAMPLE)),
            Access::InOrder => (len - open, open.min(SAMPLE)),
            Access::Never => (0, 0),
        };
        let mut encoding = Encoding::new();
        for id in (first..first + size).map(|id| StateId(id as u64)) {
            store.decode(id, &mut encoding);
            let (head, words) = encoding.flat();
            let len = head.len() + words.len();
            if sample.ends.is_empty() {
                let reserved = sample.words.try_reserve_exact(2 * size * len);
                if reserved.and_then(|()| sample.ends.try_reserve_exact(size)).is_err() {
                    return Self::default();
                }
            }
            if sample.words.len() + len > sample.words.capacity() {
                break;
            }
            sample.words.extend_from_slice(head);
            sample.words.extend_from_slice(words);
            sample.ends.push(sample.words.len());
        }
        sample
    }

    fn states(&self) -> impl Iterator<Item = &[u64]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.words[start..end])
    }
}

/// Measures the bytes that each further state of a sample takes.
struct BytesPerState<'a>(&'a Sample);

impl OnStore for BytesPerState<'_> {
    type Output = Option<f64>;

    fn run<T: StateStore + ?Sized>(self, store: &mut T) -> Option<f64> {
        let Self(sample) = self;
        let warm_up = sample.ends.len() / 4;
        let mut encoding = Encoding::new();
        let mut before = 0;
        for (index, flat) in sample.states().enumerate() {
            if index == warm_up {
                before = store.bytes();
            }
            encoding.unflatten(flat);
            store.insert(&mut encoding, usize::MAX).ok()?;
        }
        let measured = sample.ends.len() - warm_up;
        (measured > 0).then(|| store.bytes().saturating_sub(before) as f64 / measured as f64)
    }
}

/// What the other stores would take for `states` states, those that take least first.
pub fn alternatives(of: &Store, states: usize, sample: &Sample) -> Vec<Alternative> {
    let free = &Budget::unlimited();
    // How small an automaton is shows when it is complete, and not in a part of it.
    let exact = [StoreKind::Trie, StoreKind::Collapse, StoreKind::Gzip, StoreKind::Exact];
    let exact = exact.into_iter().filter_map(|store| {
        let config = Config { store, ..Config::default() };
        let bytes = with_store(&config, free, SearchKind::Dfs, BytesPerState(sample))?;
        Some((store, bytes, false))
    });
    let lossy = [
        (StoreKind::Compact, Compact::bytes_per_state(Compact::DEFAULT_WIDTH), true),
        (StoreKind::Bitstate, Bitstate::bytes_per_state(states as f64), true),
    ];
    let mut alternatives: Vec<Alternative> = exact
        .chain(lossy)
        .filter(|(kind, bytes, _)| *kind != of.kind && *bytes > 0.0 && states > 0)
        .map(|(kind, bytes_per_state, lossy)| Alternative {
            kind,
            bytes: (bytes_per_state * states as f64) as u64,
            bytes_per_state,
            times_more: of.bytes_per_state / bytes_per_state,
            lossy,
        })
        .collect();
    alternatives.sort_by(|a, b| a.bytes_per_state.total_cmp(&b.bytes_per_state));
    alternatives
}
