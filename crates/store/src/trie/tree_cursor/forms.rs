//! Forms: where the words of encodings with certain lengths of components go in the tree.
//!
//! Most states have components of the same lengths as states before them. For these it is computed once which
//! bits of which word make up each leaf. After that the numbers of leaves are computed from the words of an
//! encoding at once, without a look at components; and a state is written by copying its words.
//!
//! Bits that are not likely to change are only compared with those of the state before.

use system::{Encoding, KeptOutline, Key, Lengths, Outline, Section};

use crate::trie::layout::{Field, Slot, TreeLayout};

/// The number of forms that are kept.
const FORMS: usize = 1 << 10;
/// The number of outlines whose forms are remembered.
const OUTLINES: usize = 1 << 8;
/// A form is made for lengths that are met without one this number of times.
const OFTEN: u8 = 6;
/// Layouts with more slots have no forms, which would take too much memory.
const MOST_SLOTS: usize = 1 << 10;

/// The states whose components have certain lengths, and all fit the layout.
#[derive(Debug)]
pub struct Form {
    lengths: Lengths,
    /// By slot: its word if it is a length, otherwise 0.
    template: Vec<u64>,
    /// The slots of lengths.
    length_slots: Vec<u32>,
    /// By word of an encoding, in order: its slot.
    slots: Vec<u32>,
    /// By word: the bits that are not likely to change, and what they are.
    still: Vec<(u64, u64)>,
    /// Other slots that have such bits, and which.
    others: Vec<(u32, u64)>,
    /// The version of these bits in the state that they were last compared with, 0 if there is none.
    pub version: u64,
    /// The leaves that are likely to change, and the bits of words that each consists of, one after the other.
    leaves: Vec<FormLeaf>,
    moves: Vec<Move>,
}

/// A leaf of the states of a form.
#[derive(Clone, Copy, Debug)]
pub struct FormLeaf {
    pub leaf: u32,
    /// The inner node above the leaf.
    pub above: u32,
    /// The bits that are the same in all states of the form.
    base: u32,
    /// The number of moves.
    moves: u32,
}

/// From some bits of a word to their place in a leaf.
#[derive(Clone, Copy, Debug)]
struct Move {
    word: u32,
    rotation: u32,
    mask: u32,
}

/// The forms of the states that were met last, at places that depend on their lengths.
#[derive(Debug)]
pub struct Forms {
    /// None at all as long as there are no forms.
    places: Vec<Place>,
    /// By a part of the number of an outline: the outline, and the place of its form.
    outlines: [Option<(Outline, u32)>; OUTLINES],
}

#[derive(Default, Debug)]
struct Place {
    form: Option<Box<Form>>,
    /// Of the form here, or of one that was here before.
    outline: Option<KeptOutline>,
    /// Whether it is of the form here.
    is_kept: bool,
    /// The hint of lengths that were met without a form, and how many times more often than others lately.
    missed: u64,
    times: u8,
    /// The hint of lengths that do not fit the layout.
    unfit: u64,
}

impl Default for Forms {
    fn default() -> Self {
        Self { places: Vec::new(), outlines: [None; OUTLINES] }
    }
}

impl Forms {
    /// The form of an encoding and its words, if it is known.
    #[inline]
    pub fn meet<'e>(
        &mut self,
        layout: &TreeLayout,
        encoding: &'e Encoding,
    ) -> Option<(&mut Form, &'e [u64])> {
        let (outline, words) = encoding.outlined()?;
        let number = outline.number() as usize % OUTLINES;
        let at = match self.outlines[number] {
            Some((last, at)) if last == outline => at as usize,
            _ => {
                let at = self.find(layout, encoding)?;
                self.outlines[number] = Some((outline, at as u32));
                at
            }
        };
        let form = self.places[at].form.as_mut()?;
        Some((form, words))
    }

    /// The place of the form of an encoding.
    fn find(&mut self, layout: &TreeLayout, encoding: &Encoding) -> Option<usize> {
        if self.places.is_empty() {
            self.places.resize_with(FORMS, Place::default);
        }
        let hint = encoding.lengths_hint();
        let at = place(hint);
        let place = &mut self.places[at];
        if place.form.as_ref().is_some_and(|form| encoding.words_in(&form.lengths).is_some()) {
            return Some(at);
        }
        if place.miss(layout, encoding, hint) {
            self.outlines = [None; OUTLINES];
        }
        None
    }

    /// Writes a row of words into an encoding, if its form is known. Returns whether it is.
    #[inline]
    pub fn write(&mut self, layout: &TreeLayout, row: &[u64], into: &mut Encoding) -> bool {
        let Some(place) = self.places.get_mut(place(lengths_hint(layout, row))) else { return false };
        let Some(form) = place.form.as_ref().filter(|form| form.has_lengths(row)) else { return false };
        let write = |words: &mut [u64]| {
            for (&slot, word) in form.slots.iter().zip(words) {
                *word = row[slot as Slot];
            }
            true
        };
        if place.is_kept && place.outline.is_some_and(|outline| into.rewrite(outline, write)) {
            return true;
        }
        place.is_kept = false;
        false
    }

    /// Keeps the outline of an encoding that was filled from a row of words, if its form is known, for the next time.
    pub fn keep(&mut self, layout: &TreeLayout, row: &[u64], into: &mut Encoding) {
        let Some(place) = self.places.get_mut(place(lengths_hint(layout, row))) else { return };
        if place.form.as_ref().is_some_and(|form| into.words_in(&form.lengths).is_some()) {
            place.outline = into.keep_outline(place.outline);
            place.is_kept = place.outline.is_some();
        }
    }
}

#[inline]
fn place(hint: u64) -> usize {
    (hint >> 32) as usize % FORMS
}

/// The [hint](Encoding::lengths_hint) of the encoding for a row of words.
fn lengths_hint(layout: &TreeLayout, row: &[u64]) -> u64 {
    let mut offset = 0_u32;
    let mut ends = [(0, 0); 3];
    for (section, (width, sum)) in Section::ALL.into_iter().zip(&mut ends) {
        for (span, index) in layout.spans(section).iter().zip(1..) {
            let length = row[span.first as Slot] as u32;
            if length > 0 {
                *width = index;
                *sum = offset.wrapping_add(*sum);
                offset = offset.wrapping_add(length - 1);
            }
        }
    }
    Encoding::hint_of(offset as usize, ends)
}

impl Place {
    /// Records that an encoding was met whose form is not here. Returns whether there is another form now.
    #[cold]
    fn miss(&mut self, layout: &TreeLayout, encoding: &Encoding, hint: u64) -> bool {
        if self.unfit == hint || layout.slots() > MOST_SLOTS {
            return false;
        }
        // To make a form takes as long as this number of states without a form.
        if self.missed == hint {
            self.times += 1;
        } else if self.times > 1 {
            self.times -= 1;
        } else {
            (self.missed, self.times) = (hint, 1);
        }
        if self.missed != hint || self.times < OFTEN {
            return false;
        }
        self.times = 0;
        let Some(lengths) = encoding.lengths() else { return false };
        let form = Form::new(layout, encoding, lengths).map(Box::new);
        let is_new = form.is_some();
        if is_new {
            (self.form, self.is_kept) = (form, false);
        } else {
            self.unfit = hint;
        }
        is_new
    }
}

impl Form {
    /// The form of an encoding with these lengths; `None` if a component does not fit.
    fn new(layout: &TreeLayout, encoding: &Encoding, lengths: Lengths) -> Option<Self> {
        let mut template = vec![0; layout.slots()];
        let mut slots = Vec::new();
        for (key, words) in encoding.components() {
            let span = layout.span(key);
            if words.len() >= span.count as usize {
                return None;
            }
            template[span.first as usize] = words.len() as u64 + 1;
            slots.extend(span.first + 1..=span.first + words.len() as u32);
        }
        let length_slots = layout.components().map(|key: Key| layout.span(key).first).collect();
        let mut form = Self {
            lengths,
            template,
            length_slots,
            still: slots.iter().map(|&slot| (layout.still()[slot as Slot], 0)).collect(),
            slots,
            others: Vec::new(),
            version: 0,
            leaves: Vec::new(),
            moves: Vec::new(),
        };
        form.compile(layout);
        Some(form)
    }

    fn compile(&mut self, layout: &TreeLayout) {
        let mut words = vec![None; layout.slots()];
        for (&slot, word) in self.slots.iter().zip(0..) {
            words[slot as Slot] = Some(word);
        }
        let others = (0..).zip(layout.still().iter().zip(&words));
        self.others = others
            .filter(|&(_, (&mask, word))| mask != 0 && word.is_none())
            .map(|(slot, (&mask, _))| (slot, mask))
            .collect();
        for lively in layout.lively() {
            let first = self.moves.len();
            let mut base = 0;
            for source in layout.sources(lively.leaf as usize) {
                let Some(word) = words[source.slot as Slot] else {
                    base |= source.take(self.template[source.slot as Slot]);
                    continue;
                };
                // Bits of one word that keep their distance are moved at once.
                let is_same = |other: &&mut Move| other.word == word && other.rotation == source.rotation();
                match self.moves[first..].iter_mut().find(is_same) {
                    Some(other) => other.mask |= source.mask,
                    None => {
                        self.moves.push(Move { word, rotation: source.rotation(), mask: source.mask });
                    }
                }
            }
            let moves = (self.moves.len() - first) as u32;
            self.leaves.push(FormLeaf { leaf: lively.leaf, above: lively.above, base, moves });
        }
    }

    /// Whether the bits that are not likely to change are those of the state before, which have this version. If not,
    /// they must be [settled](Form::settle).
    #[inline]
    pub fn is_still(&self, words: &[u64], version: u64) -> bool {
        let changes = self.still.iter().zip(words);
        self.version == version
            && changes.fold(0, |changes, (&(mask, bits), word)| changes | word & mask ^ bits) == 0
    }

    /// Writes the bits that are not likely to change into a row of words, and visits the changes of leaves. Returns
    /// whether there are any.
    #[inline(never)]
    pub fn settle(
        &mut self,
        layout: &TreeLayout,
        words: &[u64],
        row: &mut [u64],
        mut visit: impl FnMut(&Field, u32),
    ) -> bool {
        let Self { template, others, slots, still, .. } = self;
        let mut has_changed = false;
        let mut put = |slot: u32, mask: u64, word: u64| {
            let old = &mut row[slot as Slot];
            let changes = (*old ^ word) & mask;
            if changes != 0 {
                has_changed = true;
                *old ^= changes;
                for field in layout.fields(slot as Slot).iter().filter(|field| changes & field.mask != 0) {
                    visit(field, field.place(changes));
                }
            }
        };
        for &(slot, mask) in &*others {
            put(slot, mask, template[slot as Slot]);
        }
        for ((&slot, (mask, bits)), word) in slots.iter().zip(still).zip(words) {
            *bits = word & *mask;
            put(slot, *mask, *word);
        }
        has_changed
    }

    /// Visits the numbers of the leaves that are likely to change.
    #[inline]
    pub fn leaves(&self, words: &[u64], mut visit: impl FnMut(FormLeaf, u32)) {
        let mut moves = &self.moves[..];
        for &leaf in &self.leaves {
            let (own, rest) = moves.split_at(leaf.moves as usize);
            moves = rest;
            let number = own.iter().fold(leaf.base, |number, one| {
                number | words[one.word as usize].rotate_right(one.rotation) as u32 & one.mask
            });
            visit(leaf, number);
        }
    }

    /// Writes the words of an encoding of this form into a row of words.
    pub fn read(&self, words: &[u64], row: &mut [u64]) {
        row.copy_from_slice(&self.template);
        for (&slot, &word) in self.slots.iter().zip(words) {
            row[slot as Slot] = word;
        }
    }

    /// Whether a row of words has this form.
    #[inline]
    fn has_lengths(&self, row: &[u64]) -> bool {
        self.length_slots.iter().all(|&slot| row[slot as Slot] == self.template[slot as Slot])
    }
}
