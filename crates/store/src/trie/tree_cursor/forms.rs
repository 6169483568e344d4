//! Forms: where the words of encodings with certain lengths of components go in the row of words.
//!
//! Most states that follow each other have components of the same lengths. For these it is computed once
//! which slot each word of an encoding belongs to. After that a state is read by copying its words to their
//! slots, and written by copying them back, without a look at components.
//!
//! If the row of words has the form of the encoding already, then all other slots stay as they are, and only
//! the words are compared.

use system::{Encoding, Key, Lengths, Outline};

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
pub struct Forms {
    places: Vec<Place>,
    /// The outline of the encoding that was read last, and the place of its form.
    last: Option<(Outline, usize)>,
    /// The place of the form that the row of words has, if that is known.
    row: Option<usize>,
}

/// The form of an encoding.
pub struct Met<'f, 'e> {
    pub form: &'f Form,
    /// The words of the encoding.
    pub words: &'e [u64],
    /// The row of words has the same form.
    pub is_of_row: bool,
}

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
        let places = std::iter::repeat_with(Place::default).take(FORMS).collect();
        Self { places, last: None, row: None }
    }
}

impl Forms {
    /// The form of an encoding, if it is known. The encoding must then be written into the row of words.
    #[inline]
    pub fn meet<'e>(&mut self, layout: &TreeLayout, encoding: &'e Encoding) -> Option<Met<'_, 'e>> {
        let before = self.row.take();
        let (outline, words) = encoding.outlined()?;
        let at = match self.last {
            Some((last, at)) if last == outline => at,
            _ => self.find(layout, encoding)?,
        };
        self.last = Some((outline, at));
        self.row = Some(at);
        let form = self.places[at].form.as_ref()?;
        Some(Met { form, words, is_of_row: before == Some(at) })
    }

    /// The place of the form of an encoding.
    fn find(&mut self, layout: &TreeLayout, encoding: &Encoding) -> Option<usize> {
        let hint = encoding.lengths_hint();
        let at = place(hint);
        let place = &mut self.places[at];
        if place.form.as_ref().is_some_and(|form| encoding.words_in(&form.lengths).is_some()) {
            return Some(at);
        }
        place.miss(layout, encoding, hint);
        // The form at this place may be another one now.
        self.last = None;
        None
    }

    /// The row of words has changed in other ways.
    #[inline]
    pub fn forget_row(&mut self) {
        self.row = None;
    }

    /// Writes a row of words into an encoding, if the form of the encoding is known and is that of the row.
    /// Returns whether it is.
    #[inline]
    pub fn write(&mut self, row: &[u64], into: &mut Encoding) -> bool {
        let at = place(into.lengths_hint());
        let is_written = self.places[at].form.as_ref().is_some_and(|form| form.write(row, into));
        self.row = is_written.then_some(at);
        is_written
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

    /// Writes the words of an encoding of this form into a row of words.
    pub fn read(&self, words: &[u64], row: &mut [u64]) {
        row.copy_from_slice(&self.template);
        for (&slot, &word) in self.slots.iter().zip(words) {
            row[slot as Slot] = word;
        }
    }

    /// Writes the words of an encoding of this form into a row of words of this form, and their changes.
    /// Returns the changes of bits that are still.
    #[inline]
    pub fn compare(&self, words: &[u64], row: &mut [u64], changes: &mut [u64], still: &[u64]) -> u64 {
        let slots = row.len().min(changes.len()).min(still.len());
        let (row, changes, still) = (&mut row[..slots], &mut changes[..slots], &still[..slots]);
        let mut unexpected = 0;
        for (&slot, &word) in self.slots.iter().zip(words) {
            let change = row[slot as Slot] ^ word;
            row[slot as Slot] = word;
            changes[slot as Slot] = change;
            unexpected |= change & still[slot as Slot];
        }
        unexpected
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
