//! Forms: where the words of encodings with certain lengths of components go in the row of words.
//!
//! Most states that follow each other have components of the same lengths. For these it is computed once
//! which slot each word of an encoding belongs to. After that a state is read by copying its words to their
//! slots, and written by copying them back, without a look at components.

use system::{Encoding, Key, Lengths};

use crate::trie::layout::{Slot, TreeLayout};

/// The number of forms that are kept.
const FORMS: usize = 1 << 8;
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
}

/// The forms of the states that were met last, at places that depend on their lengths.
#[derive(Debug)]
pub struct Forms(Vec<Place>);

#[derive(Default, Debug)]
struct Place {
    form: Option<Form>,
    /// The hint of the lengths that were met last without a form. A form is made for lengths that are met
    /// twice.
    missed: u64,
    /// The hint of lengths that do not fit the layout.
    unfit: u64,
}

impl Default for Forms {
    fn default() -> Self {
        Self(std::iter::repeat_with(Place::default).take(FORMS).collect())
    }
}

impl Forms {
    /// Writes the words of an encoding into a row of words, if the form of the encoding is known. Returns
    /// whether it is.
    #[inline]
    pub fn read(&mut self, layout: &TreeLayout, encoding: &Encoding, row: &mut [u64]) -> bool {
        let hint = encoding.lengths_hint();
        let place = &mut self.0[place(hint)];
        place.form.as_ref().is_some_and(|form| form.read(encoding, row)) || {
            place.miss(layout, encoding, hint);
            false
        }
    }

    /// Writes a row of words into an encoding, if the form of the encoding is known and is that of the row.
    /// Returns whether it is.
    #[inline]
    pub fn write(&self, row: &[u64], into: &mut Encoding) -> bool {
        let form = self.0[place(into.lengths_hint())].form.as_ref();
        form.is_some_and(|form| form.write(row, into))
    }
}

#[inline]
fn place(hint: u64) -> usize {
    (hint >> 32) as usize % FORMS
}

impl Place {
    /// Records that an encoding was met whose form is not here.
    #[cold]
    fn miss(&mut self, layout: &TreeLayout, encoding: &Encoding, hint: u64) {
        if self.unfit == hint || layout.slots() > MOST_SLOTS {
            return;
        }
        if std::mem::replace(&mut self.missed, hint) != hint {
            return;
        }
        if let Some(lengths) = encoding.lengths() {
            match Form::new(layout, encoding, lengths) {
                Some(form) => self.form = Some(form),
                None => self.unfit = hint,
            }
        }
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
        Some(Self { lengths, template, length_slots, slots })
    }

    /// Writes the words of an encoding into a row of words, if the encoding has this form. Returns whether it
    /// has.
    #[inline]
    fn read(&self, encoding: &Encoding, row: &mut [u64]) -> bool {
        let Some(words) = encoding.words_in(&self.lengths) else { return false };
        row.copy_from_slice(&self.template);
        for (&slot, &word) in self.slots.iter().zip(words) {
            row[slot as Slot] = word;
        }
        true
    }

    /// Writes a row of words into an encoding, if both have this form. Returns whether they have.
    #[inline]
    fn write(&self, row: &[u64], into: &mut Encoding) -> bool {
        let is_length = |&slot: &u32| row[slot as Slot] == self.template[slot as Slot];
        self.length_slots.iter().all(is_length)
            && into.overwrite(&self.lengths, |words| {
                for (&slot, word) in self.slots.iter().zip(words) {
                    *word = row[slot as Slot];
                }
            })
    }
}
