//! States of which most components changed.
//!
//! Under symmetry the next state may have new names for everything. Then it is cheaper to compare all words
//! in one pass than to ask for each component that was touched, and to compute the changes of leaves from all
//! of their fields than to look for the fields that changed: there is hardly anything to predict wrongly.

use system::{Encoding, Section};

use super::TreeCursor;
use crate::trie::layout::{ROOT, TreeLayout};

/// A component that is compared by itself takes about as long as this number of slots in one pass. Besides, a
/// change that is compared as a whole cannot be undone.
const SLOTS_PER_COMPONENT: usize = 4;
/// A step and the one that was taken back touch this number of components in small states.
const FEW: usize = 8;

/// Whether a state of which this number of components was touched is to be compared as a whole.
#[inline]
pub fn is_most(layout: &TreeLayout, touched: usize) -> bool {
    touched > FEW && touched * SLOTS_PER_COMPONENT > layout.slots()
}

impl TreeCursor {
    /// Updates all leaves from an encoding. Returns whether there are or were components that do not fit the
    /// layout. This cannot be undone.
    // Inlined, it slows down updates of a few components.
    #[inline(never)]
    pub(super) fn update_whole(&mut self, layout: &TreeLayout, encoding: &Encoding) -> bool {
        self.clear_log();
        let mut has_rest = !self.rest.is_empty();
        let Self { forms, words: row, numbers, open, changes, shown, row_is_stale, version, .. } = self;
        let mut met = forms.meet(layout, encoding);
        if let Some((form, words)) = &mut met
            && !has_rest
        {
            if !std::mem::replace(row_is_stale, true) {
                shown.copy_from_slice(&numbers[..layout.leaves()]);
            }
            let mut open = |above| {
                if above != ROOT {
                    open.push(above);
                }
            };
            if !form.is_still(words, *version) {
                // Of a stale row, the bits that are not likely to change are right.
                let has_changed = form.settle(layout, words, row, |field, bits| {
                    numbers[field.leaf as usize] ^= bits;
                    shown[field.leaf as usize] ^= bits;
                    open(field.above);
                });
                *version += u64::from(has_changed);
                form.version = *version;
            }
            form.leaves(words, |leaf, number| {
                let old = &mut numbers[leaf.leaf as usize];
                if *old != number {
                    *old = number;
                    open(leaf.above);
                }
            });
            return false;
        }
        if std::mem::replace(row_is_stale, false) {
            bring_up_to_date(layout, row, shown, numbers);
        }
        changes.copy_from_slice(row);
        match met {
            Some((form, words)) => form.read(words, row),
            None => has_rest |= !read(layout, encoding, row),
        }
        let mut unexpected = 0;
        for ((change, word), still) in self.changes.iter_mut().zip(&self.words).zip(layout.still()) {
            *change ^= word;
            unexpected |= *change & still;
        }
        self.update_lively_leaves(layout);
        if unexpected != 0 {
            self.version += 1;
            self.update_still_leaves(layout);
        }
        has_rest
    }

    /// Writes what leaves show since the row of words was left behind.
    #[inline]
    pub(super) fn bring_row_up_to_date(&mut self, layout: &TreeLayout) {
        if std::mem::replace(&mut self.row_is_stale, false) {
            let is_still = bring_up_to_date(layout, &mut self.words, &self.shown, &self.numbers);
            self.version += u64::from(!is_still);
        }
    }

    /// From now on, the row of words may be left behind.
    #[inline]
    pub(super) fn leave_row_behind(&mut self, layout: &TreeLayout) {
        if !std::mem::replace(&mut self.row_is_stale, true) {
            self.shown.copy_from_slice(&self.numbers[..layout.leaves()]);
        }
    }

    fn update_lively_leaves(&mut self, layout: &TreeLayout) {
        for lively in layout.lively() {
            let leaf = lively.leaf as usize;
            let fields = layout.sources(leaf).iter();
            let change = fields.fold(0, |all, field| all ^ field.take(self.changes[field.slot as usize]));
            self.numbers[leaf] ^= change;
            if change != 0 {
                self.open(lively.above);
            }
        }
    }

    #[cold]
    fn update_still_leaves(&mut self, layout: &TreeLayout) {
        for (slot, still) in layout.still().iter().enumerate() {
            let changes = self.changes[slot] & still;
            if changes == 0 {
                continue;
            }
            for field in layout.fields(slot) {
                if changes & field.mask != 0 {
                    self.numbers[field.leaf as usize] ^= field.place(changes);
                    self.open(field.above);
                }
            }
        }
    }

    /// Makes `into` describe the state of the tree, whatever it described before.
    #[inline(never)]
    pub(super) fn show_whole(&mut self, layout: &TreeLayout, into: &mut Encoding) {
        if self.rest.is_empty() && self.forms.write(layout, &self.words, into) {
            return;
        }
        if !self.rest.is_empty() {
            into.clear();
            // A component may be in its slots or in the rest.
            layout.components().for_each(|key| self.show(layout, key, into));
            self.rest.iter().for_each(|(key, _)| self.show(layout, *key, into));
            return;
        }
        into.refill(|into| {
            for section in Section::ALL {
                let mut gaps = 0;
                for span in layout.spans(section) {
                    let first = span.first as usize;
                    let length = self.words[first] as usize;
                    if length == 0 {
                        gaps += 1;
                        continue;
                    }
                    (0..std::mem::take(&mut gaps)).for_each(|_| into.nothing(section));
                    let words = &self.words[first + 1..first + length];
                    into.component(section, |out| match words {
                        // Most components are one word long: too short for a call of `memcpy`.
                        &[word] => out.push(word),
                        words => out.extend_from_slice(words),
                    });
                }
            }
        });
        self.forms.keep(layout, &self.words, into);
    }
}

/// Writes what leaves show since they were as in `shown` into a row of words. Returns whether only leaves have changed
/// that are likely to.
fn bring_up_to_date(layout: &TreeLayout, row: &mut [u64], shown: &[u32], numbers: &[u32]) -> bool {
    let mut is_still = true;
    // The rest is the last leaf, and has no words.
    for (leaf, (old, new)) in shown[..layout.rest()].iter().zip(numbers).enumerate() {
        if old != new {
            for source in layout.sources(leaf) {
                row[source.slot as usize] ^= source.place(old ^ new);
            }
            is_still &= layout.is_lively(leaf);
        }
    }
    is_still
}

/// Writes the words of an encoding into a row of words. Returns whether all of its components fit; those that
/// do not fit leave their slots empty.
fn read(layout: &TreeLayout, encoding: &Encoding, row: &mut [u64]) -> bool {
    row.fill(0);
    let mut all_fit = true;
    for section in Section::ALL {
        let mut components = encoding.section(section);
        for (span, words) in layout.spans(section).iter().zip(&mut components) {
            let Some(words) = words else { continue };
            if words.len() < span.count as usize {
                let first = span.first as usize;
                row[first] = words.len() as u64 + 1;
                row[first + 1..][..words.len()].copy_from_slice(words);
            } else {
                all_fit = false;
            }
        }
        all_fit &= components.flatten().next().is_none();
    }
    all_fit
}
