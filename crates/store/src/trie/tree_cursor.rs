//! The tree of one state, which follows an encoding.

mod forms;
mod whole;

use std::ops::Range;

use system::{Encoding, Key, Moment, Section, Write};

use super::layout::{NOWHERE, Position, ROOT, Slot, TreeLayout};
use super::pairs::{ABSENT, Numbers, PairTable, join, split};
use super::queue::Queue;
use crate::Full;
use forms::Forms;

/// The words and numbers of the tree of one state.
#[derive(Debug)]
pub struct TreeCursor {
    /// The row of words: by slot of the layout, its word. 0 for components that do not exist or are in the rest.
    words: Vec<u64>,
    /// The row of words was left behind: by leaf, the number that it shows. Only leaves that are likely to change
    /// have other numbers by now.
    row_is_stale: bool,
    shown: Vec<u32>,
    /// Another number whenever leaves may have changed that are not likely to.
    version: u64,
    /// By position: its number. The root has none.
    numbers: Vec<u32>,
    /// The inner nodes except for the root that have a changed child.
    open: Queue,
    /// What the last update changed, unless it cannot be undone: slots with their old words, and positions
    /// with their old numbers.
    word_log: Vec<(u32, u64)>,
    number_log: Vec<(u32, u32)>,
    /// The components that are in the rest, in order, with their ranges in `rest_words`.
    rest: Vec<(Key, Range<usize>)>,
    rest_words: Vec<u64>,
    /// The moment of the encoding that the tree represents.
    moment: Option<Moment>,
    /// An update has failed: numbers and words do not fit together.
    is_torn: bool,
    /// The last update compared the encoding as a whole.
    is_whole: bool,
    /// Scratch space by slot: the bits that change.
    changes: Vec<u64>,
    forms: Forms,
    /// Scratch space: the components that were undone or are to be written to an encoding, and positions to
    /// visit.
    keys: Vec<Key>,
    stack: Vec<(u32, u32)>,
}

impl TreeCursor {
    /// The tree of a state without components.
    pub fn new(layout: &TreeLayout) -> Self {
        Self {
            words: vec![0; layout.slots()],
            row_is_stale: false,
            shown: vec![ABSENT; layout.leaves()],
            version: 1,
            numbers: vec![ABSENT; layout.positions()],
            open: Queue::new(layout.inner()),
            word_log: Vec::new(),
            number_log: Vec::new(),
            rest: Vec::new(),
            rest_words: Vec::new(),
            moment: None,
            is_torn: false,
            is_whole: false,
            changes: vec![0; layout.slots()],
            forms: Forms::default(),
            keys: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// The words by slot, which must be up to date, and the numbers by position.
    #[inline]
    pub fn contents(&self) -> (&[u64], &[u32]) {
        debug_assert!(!self.row_is_stale, "effects are about the state of the row");
        (&self.words, &self.numbers)
    }

    /// Whether the state has components that do not fit the layout.
    pub fn has_rest(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Moves to the state of an encoding, and follows the encoding from then on. Returns the root pair.
    pub fn follow(
        &mut self,
        layout: &TreeLayout,
        pairs: &mut impl Numbers,
        encoding: &mut Encoding,
    ) -> Result<u64, Full> {
        self.update(layout, pairs, encoding)?;
        self.observe(encoding);
        Ok(self.root(layout))
    }

    /// Whether the last update compared the encoding as a whole.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether the tree represents the state of an encoding that has not changed since.
    #[inline]
    pub fn is_up_to_date(&self, encoding: &Encoding) -> bool {
        self.moment == Some(encoding.now())
    }

    /// The state that the tree represents is the one that effects are about from now on.
    pub fn begin_effects(&mut self, layout: &TreeLayout) {
        self.clear_log();
        self.bring_row_up_to_date(layout);
    }

    /// Follows an encoding of the state that the tree represents.
    pub fn observe(&mut self, encoding: &mut Encoding) {
        self.moment = Some(encoding.now());
    }

    /// Follows the encoding that another cursor follows. Both must represent the same state.
    pub fn observe_with(&mut self, other: &Self) {
        self.moment = other.moment;
    }

    /// The root pair of the state after some changes; `None` if only an encoding can determine it. The tree
    /// does not change.
    #[inline(never)]
    pub fn predict(
        &mut self,
        layout: &TreeLayout,
        pairs: &mut impl Numbers,
        writes: &[Write],
    ) -> Option<u64> {
        let root = self.change(layout, pairs, writes);
        self.take_back();
        root
    }

    #[inline]
    fn root(&self, layout: &TreeLayout) -> u64 {
        if layout.inner() == 0 {
            return join(self.numbers[layout.rest()], ABSENT);
        }
        let [left, right] = layout.node(ROOT).children;
        join(self.numbers[left as usize], self.numbers[right as usize])
    }

    /// Moves to the state of an encoding. If that fails, the next call continues where this one ended.
    fn update(
        &mut self,
        layout: &TreeLayout,
        pairs: &mut impl Numbers,
        encoding: &Encoding,
    ) -> Result<(), Full> {
        let touched = self.moment.take().and_then(|moment| encoding.touched(moment));
        let touched = touched.filter(|keys| !whole::is_most(layout, keys.len()));
        self.is_whole = touched.is_none();
        let mut rest_changed = std::mem::replace(&mut self.is_torn, true);
        if let Some(keys) = touched {
            self.bring_row_up_to_date(layout);
            self.version += 1;
            self.go_back(layout, encoding, keys);
            for &key in keys {
                rest_changed |= self.update_component(layout, key, encoding);
            }
            for at in 0..self.keys.len() {
                rest_changed |= self.update_component(layout, self.keys[at], encoding);
            }
        } else {
            rest_changed |= self.update_whole(layout, encoding);
        }
        if rest_changed {
            self.update_rest(layout, pairs, touched, encoding)?;
        }
        self.join_up(layout, pairs)?;
        if rest_changed {
            // Changes of the list of components in the rest cannot be undone.
            self.clear_log();
        }
        self.is_torn = false;
        Ok(())
    }

    /// Updates the numbers of the inner nodes that have a changed child.
    #[inline]
    fn join_up(&mut self, layout: &TreeLayout, pairs: &mut impl Numbers) -> Result<(), Full> {
        while let Some(inner) = self.open.pop() {
            let node = layout.node(inner);
            let [left, right] = node.children.map(|child| self.numbers[child as usize]);
            match pairs.number(join(left, right)) {
                Ok(number) => {
                    let position = layout.leaves() + inner as usize;
                    let old = std::mem::replace(&mut self.numbers[position], number);
                    if old != number {
                        self.number_log.push((position as u32, old));
                        self.open(node.above);
                    }
                }
                Err(full) => {
                    self.open.push(inner);
                    return Err(full);
                }
            }
        }
        Ok(())
    }

    /// Records that a child of the node has changed. The root has no number.
    #[inline]
    fn open(&mut self, inner: u32) {
        if inner != ROOT {
            self.open.push(inner);
        }
    }

    /// The root pair after some changes, which must then be undone.
    #[inline]
    fn change(&mut self, layout: &TreeLayout, pairs: &mut impl Numbers, writes: &[Write]) -> Option<u64> {
        debug_assert!(!self.row_is_stale, "effects are about the state of the row");
        for write in writes {
            let span = layout.span(write.key);
            let first = span.first as usize;
            if write.word == Write::LENGTH {
                if !span.has_room(write.bits) {
                    return None;
                }
                self.put(layout, first, write.bits);
                continue;
            }
            // The word must exist: the value of the length slot is the length of the component plus one.
            if self.words[first] < u64::from(write.word) + 2 {
                return None;
            }
            let slot = first + 1 + write.word as usize;
            self.put(layout, slot, write.apply(self.words[slot]));
        }
        self.join_up(layout, pairs).ok()?;
        Some(self.root(layout))
    }

    /// Undoes the changes since the log was last cleared.
    #[inline]
    fn take_back(&mut self) {
        for &(slot, word) in self.word_log.iter().rev() {
            self.words[slot as usize] = word;
        }
        for &(position, number) in self.number_log.iter().rev() {
            self.numbers[position as usize] = number;
        }
        self.word_log.clear();
        self.number_log.clear();
        // Nothing is open, unless memory ran out.
        while self.open.pop().is_some() {}
    }

    /// Clears the log: the changes so far cannot be undone any more.
    pub fn clear_log(&mut self) {
        self.word_log.clear();
        self.number_log.clear();
        self.keys.clear();
    }

    /// Undoes the last update if the encoding seems to be back at the state before it: a depth-first search
    /// undoes most steps at once. The components that are undone must be compared with the encoding, like
    /// those that were touched.
    #[inline]
    fn go_back(&mut self, layout: &TreeLayout, encoding: &Encoding, touched: &[Key]) {
        self.keys.clear();
        let is_back = self.word_log.first().is_some_and(|&(slot, old)| {
            let key = layout.key(slot as usize);
            let words = encoding.get(key);
            let word = match slot - layout.span(key).first {
                0 => words.map(|words| words.len() as u64 + 1),
                at => words.and_then(|words| words.get(at as usize - 1).copied()),
            };
            word.unwrap_or(0) == old
        });
        if is_back {
            for &(slot, _) in self.word_log.iter().rev() {
                let key = layout.key(slot as usize);
                if self.keys.last() != Some(&key) && !touched.contains(&key) {
                    self.keys.push(key);
                }
            }
            self.take_back();
        }
        self.word_log.clear();
        self.number_log.clear();
    }

    /// Sets the word of a slot. A bit that changes is one bit of one leaf.
    #[inline]
    fn put(&mut self, layout: &TreeLayout, slot: Slot, word: u64) {
        let old = std::mem::replace(&mut self.words[slot], word);
        let mut changes = old ^ word;
        if changes == 0 {
            return;
        }
        self.word_log.push((slot as u32, old));
        for field in layout.fields(slot) {
            if changes & field.mask != 0 {
                let number = &mut self.numbers[field.leaf as usize];
                self.number_log.push((field.leaf, *number));
                *number ^= field.place(changes);
                self.open(field.above);
                changes &= !field.mask;
                if changes == 0 {
                    return;
                }
            }
        }
    }

    /// Updates a component from an encoding. Returns whether the component is or was in the rest.
    #[inline]
    fn update_component(&mut self, layout: &TreeLayout, key: Key, encoding: &Encoding) -> bool {
        let span = layout.span(key);
        let words = encoding.get(key);
        let fits = words.is_none_or(|words| words.len() < span.count as usize);
        // A component that does not fit leaves its slots empty.
        let words = words.filter(|_| fits);
        let length = words.map_or(0, |words| words.len() as u64 + 1);
        let words = words.unwrap_or_default();
        let first = span.first as usize;
        for (slot, &word) in (first + 1..).zip(words) {
            self.put(layout, slot, word);
        }
        // As a rule its length has not changed.
        if self.words[first] != length {
            self.put(layout, first, length);
            for slot in first + 1 + words.len()..first + span.count as usize {
                self.put(layout, slot, 0);
            }
        }
        !fits || !self.rest.is_empty() && self.is_in_rest(key)
    }

    fn is_in_rest(&self, key: Key) -> bool {
        self.rest.binary_search_by_key(&key, |(other, _)| *other).is_ok()
    }

    /// Lists the components that have no slots, or not enough slots.
    #[cold]
    fn update_rest(
        &mut self,
        layout: &TreeLayout,
        pairs: &mut impl Numbers,
        touched: Option<&[Key]>,
        encoding: &Encoding,
    ) -> Result<(), Full> {
        let mut keys: Vec<Key> = match touched {
            Some(touched) => self.rest.iter().map(|(key, _)| *key).chain(touched.iter().copied()).collect(),
            None => encoding.components().map(|(key, _)| key).collect(),
        };
        keys.sort_unstable();
        keys.dedup();
        self.rest.clear();
        self.rest_words.clear();
        let mut list = ABSENT;
        for key in keys {
            let Some(words) = encoding.get(key) else { continue };
            if words.len() < layout.span(key).count as usize {
                continue;
            }
            let start = self.rest_words.len();
            self.rest_words.extend_from_slice(words);
            self.rest.push((key, start..self.rest_words.len()));
            let mut chain = ABSENT;
            for &word in words {
                let number = pairs.number(word)?;
                chain = pairs.number(join(chain, number))?;
            }
            let head = pairs.number(head(key, words.len()))?;
            let component = pairs.number(join(head, chain))?;
            list = pairs.number(join(list, component))?;
        }
        let rest = layout.rest();
        let old = std::mem::replace(&mut self.numbers[rest], list);
        if old != list {
            self.number_log.push((rest as u32, old));
            if layout.above_rest() != NOWHERE {
                self.open(layout.above_rest());
            }
        }
        Ok(())
    }

    /// Moves to the state of a root pair, and makes `into` describe it, but does not follow `into`.
    /// If `whole`, all components of `into` count as touched.
    pub fn unfold(
        &mut self,
        layout: &TreeLayout,
        pairs: &PairTable,
        root: u64,
        whole: bool,
        into: &mut Encoding,
    ) {
        // What a failed update left open does not matter any more.
        while self.open.pop().is_some() {}
        self.clear_log();
        let is_torn = std::mem::take(&mut self.is_torn);
        let touched = self.moment.take().and_then(|moment| into.touched(moment));
        let touched = touched.filter(|_| !is_torn && !whole);
        let by_component = touched.is_some();
        if by_component {
            self.bring_row_up_to_date(layout);
            self.version += 1;
        } else {
            self.leave_row_behind(layout);
        }
        self.keys.extend_from_slice(touched.unwrap_or_default());
        self.stack.clear();
        if layout.inner() == 0 {
            self.stack.push((layout.rest() as u32, split(root)[0]));
        } else {
            self.stack.extend(layout.node(ROOT).children.into_iter().zip(split(root)));
        }
        while let Some((position, number)) = self.stack.pop() {
            let old = std::mem::replace(&mut self.numbers[position as usize], number);
            if old == number && !is_torn {
                continue;
            }
            if let Some(inner) = position.checked_sub(layout.leaves() as u32) {
                self.stack.extend(layout.node(inner).children.into_iter().zip(pairs.halves(number)));
            } else if position as usize == layout.rest() {
                self.keys.extend(self.rest.iter().map(|(key, _)| *key));
                self.unfold_rest(pairs, number);
                self.keys.extend(self.rest.iter().map(|(key, _)| *key));
            } else if by_component {
                self.unfold_leaf(layout, position as usize, old ^ number);
            }
        }
        self.bring_row_up_to_date(layout);
        if by_component {
            for &key in &self.keys {
                self.show(layout, key, into);
            }
        } else {
            self.show_whole(layout, into);
        }
        self.keys.clear();
    }

    /// Prefetches the pairs with which [`TreeCursor::unfold`] begins.
    #[inline]
    pub fn prefetch(&self, layout: &TreeLayout, pairs: &PairTable, root: u64) {
        if layout.inner() > 0 {
            for (position, number) in layout.node(ROOT).children.into_iter().zip(split(root)) {
                if position as usize >= layout.leaves() && self.numbers[position as usize] != number {
                    pairs.prefetch(number);
                }
            }
        }
    }

    /// Updates the words from a leaf.
    #[inline]
    fn unfold_leaf(&mut self, layout: &TreeLayout, leaf: Position, changes: u32) {
        let mut left = changes;
        while left != 0 {
            let source = layout.source(leaf, left.trailing_zeros());
            left &= !source.mask;
            self.words[source.slot as usize] ^= source.place(changes);
            let key = layout.key(source.slot as usize);
            if self.keys.last() != Some(&key) {
                self.keys.push(key);
            }
        }
    }

    fn unfold_rest(&mut self, pairs: &PairTable, mut list: u32) {
        self.rest.clear();
        self.rest_words.clear();
        while list != ABSENT {
            let [before, component] = pairs.halves(list);
            list = before;
            let [head, mut chain] = pairs.halves(component);
            let (key, len) = key_and_len(pairs.word(head));
            let start = self.rest_words.len();
            for _ in 0..len {
                let [before, word] = pairs.halves(chain);
                chain = before;
                self.rest_words.push(pairs.word(word));
            }
            self.rest_words[start..].reverse();
            self.rest.push((key, start..self.rest_words.len()));
        }
        self.rest.reverse();
    }

    /// Updates a component of an encoding from the tree.
    fn show(&self, layout: &TreeLayout, key: Key, into: &mut Encoding) {
        if !self.rest.is_empty()
            && let Ok(at) = self.rest.binary_search_by_key(&key, |(other, _)| *other)
        {
            return into.set(key, &self.rest_words[self.rest[at].1.clone()]);
        }
        let first = layout.span(key).first as usize;
        match self.words[first] {
            0 => into.remove(key),
            length => into.set(key, &self.words[first + 1..first + length as usize]),
        }
    }
}

/// A word, never 0, with the key and the length of the component of the rest that follows.
fn head(key: Key, len: usize) -> u64 {
    (key.section as u64) << 62 | u64::from(key.index) << 30 | (len as u64 + 1)
}

fn key_and_len(head: u64) -> (Key, usize) {
    let section = Section::ALL[(head >> 62) as usize];
    (Key { section, index: (head >> 30) as u32 }, (head as usize & ((1 << 30) - 1)) - 1)
}
