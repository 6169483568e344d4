//! How many threads and objects of each kind there were in the largest states.
//!
//! A state is counted only if it has more threads, or more objects, than every state before, which is known
//! from the size of its encoding. So there are at most as many counts as there can be threads and objects.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use state::{Layout, NodeRef, State, UnitKind};
use system::{Encoding, Section};

/// The threads of the first state with the most threads, and the objects of the first state with the most
/// objects, by kind.
#[derive(Default)]
pub struct Population {
    /// The numbers of threads and objects of these states.
    most: Cell<[u32; 2]>,
    counts: RefCell<BTreeMap<UnitKind, u32>>,
}

/// A population that was counted elsewhere.
pub struct Counts {
    most: [u32; 2],
    counts: BTreeMap<UnitKind, u32>,
}

impl Population {
    /// Counts a state that has just been encoded, if it is larger than those before.
    #[inline]
    pub fn meet(&self, layout: &Layout, state: &State, encoding: &Encoding) {
        let widths = [encoding.width(Section::Threads), encoding.width(Section::Objects)];
        let most = self.most.get();
        if widths[0] > most[0] || widths[1] > most[1] {
            self.count(layout, state, [widths[0] > most[0], widths[1] > most[1]]);
            self.most.set([widths[0].max(most[0]), widths[1].max(most[1])]);
        }
    }

    /// Replaces the counts of threads, of objects, or of both.
    #[cold]
    fn count(&self, layout: &Layout, state: &State, [threads, objects]: [bool; 2]) {
        let mut counts = self.counts.borrow_mut();
        let is_counted =
            |kind: &UnitKind| if matches!(kind, UnitKind::Thread(_)) { threads } else { objects };
        counts.retain(|kind, _| !is_counted(kind));
        let units = state.units().filter(|unit| !matches!(unit, NodeRef::Root));
        for kind in units.filter_map(|unit| state.unit_kind(layout, unit)).filter(is_counted) {
            *counts.entry(kind).or_default() += 1;
        }
    }

    /// Starts again, and returns what there was so far.
    pub fn take(&self) -> Counts {
        Counts { most: self.most.take(), counts: self.counts.take() }
    }

    /// Adds the counts of states that come after those of this one.
    pub fn add(&self, later: Counts) {
        let most = self.most.get();
        let [threads, objects] = [0, 1].map(|at| later.most[at] > most[at]);
        let is_replaced =
            |kind: &UnitKind| if matches!(kind, UnitKind::Thread(_)) { threads } else { objects };
        let mut counts = self.counts.borrow_mut();
        counts.retain(|kind, _| !is_replaced(kind));
        counts.extend(later.counts.into_iter().filter(|(kind, _)| is_replaced(kind)));
        self.most.set([0, 1].map(|at| later.most[at].max(most[at])));
    }

    /// Appends the counts, for [`Counts::read`].
    pub fn write(&self, out: &mut Vec<u64>) {
        let counts = self.counts.borrow();
        out.extend(self.most.get().map(u64::from));
        out.push(counts.len() as u64);
        for (&kind, &count) in counts.iter() {
            out.extend(kind.code().into_iter().chain([count]).map(u64::from));
        }
    }

    /// The counts, by kind.
    pub fn counts(&self) -> Vec<(UnitKind, u32)> {
        self.counts.borrow().iter().map(|(&kind, &count)| (kind, count)).collect()
    }
}

impl Counts {
    /// Reads what [`Population::write`] has written from the first words. `None` if it was something else.
    pub fn read(words: &mut &[u64]) -> Option<Self> {
        let [threads, objects, kinds] = next(words)?;
        let [threads, objects] = [threads, objects].map(|most| u32::try_from(most).ok());
        let mut counts = BTreeMap::new();
        for _ in 0..kinds {
            let [tag, index, count] = next(words)?.map(|word| u32::try_from(word).ok());
            counts.insert(UnitKind::of_code([tag?, index?])?, count?);
        }
        Some(Self { most: [threads?, objects?], counts })
    }
}

/// Takes the first words.
pub fn next<const N: usize>(words: &mut &[u64]) -> Option<[u64; N]> {
    let (first, rest) = words.split_first_chunk()?;
    *words = rest;
    Some(*first)
}
