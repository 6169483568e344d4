//! What a state looks like to a store: words, grouped into components, each under a key.
//!
//! A component is what tends to change as a whole (the globals, one thread, one object), so states share
//! most of their components with their neighbours. Keys are dense small numbers within a section, so that a
//! component is found, replaced, added and dropped in constant time, whatever the size of the state.
//!
//! An encoding is a *mirror*: the system that owns the state writes what changed since the last time.

/// Sections keep kinds of components with index spaces of their own apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Section {
    Root = 0,
    Threads = 1,
    Objects = 2,
}

impl Section {
    pub const ALL: [Self; 3] = [Self::Root, Self::Threads, Self::Objects];
}

/// Where a component stands: sections in order, then by index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key {
    pub section: Section,
    pub index: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Slot {
    offset: u32,
    len: u32,
    capacity: u32,
}

const ABSENT: u32 = u32::MAX;

/// The components of one state. Two states are the same exactly when [`Encoding::same`] says so: the same
/// keys, with the same words under each.
#[derive(Clone, Default, Debug)]
pub struct Encoding {
    words: Vec<u64>,
    sections: [Vec<Slot>; 3],
    changed: Vec<Key>,
    /// Words of `words` that no slot uses any more.
    dead: usize,
}

impl Encoding {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn clear(&mut self) {
        self.words.clear();
        self.sections.iter_mut().for_each(Vec::clear);
        self.changed.clear();
        self.dead = 0;
    }

    /// The words under `key`, or `None` where there is no such component.
    pub fn get(&self, key: Key) -> Option<&[u64]> {
        let slot = self.sections[key.section as usize].get(key.index as usize)?;
        (slot.len != ABSENT).then(|| &self.words[slot.offset as usize..][..slot.len as usize])
    }

    /// One more than the greatest index that is in use in `section`.
    pub fn width(&self, section: Section) -> u32 {
        self.sections[section as usize].len() as u32
    }

    /// All components, in order of their keys.
    pub fn components(&self) -> impl Iterator<Item = (Key, &[u64])> {
        Section::ALL.into_iter().flat_map(move |section| {
            (0..self.width(section)).filter_map(move |index| {
                let key = Key { section, index };
                self.get(key).map(|words| (key, words))
            })
        })
    }

    /// Puts `words` under `key`.
    pub fn set(&mut self, key: Key, words: &[u64]) {
        let slots = &mut self.sections[key.section as usize];
        let index = key.index as usize;
        if index >= slots.len() {
            slots.resize(index + 1, Slot { offset: 0, len: ABSENT, capacity: 0 });
        }
        let slot = &mut slots[index];
        if slot.capacity as usize >= words.len() {
            slot.len = words.len() as u32;
            self.words[slot.offset as usize..][..words.len()].copy_from_slice(words);
            return;
        }
        self.dead += slot.capacity as usize;
        *slot =
            Slot { offset: self.words.len() as u32, len: words.len() as u32, capacity: words.len() as u32 };
        self.words.extend_from_slice(words);
        if self.dead > 1024 && self.dead * 2 > self.words.len() {
            self.compact();
        }
    }

    /// Takes the component under `key` away, if there is one.
    pub fn remove(&mut self, key: Key) {
        let slots = &mut self.sections[key.section as usize];
        if let Some(slot) = slots.get_mut(key.index as usize) {
            slot.len = ABSENT;
        }
        while slots.last().is_some_and(|slot| slot.len == ABSENT) {
            self.dead += slots.pop().map_or(0, |slot| slot.capacity as usize);
        }
    }

    /// The components that the last step added, dropped or wrote, as its system reported them. A key may
    /// come twice, and the words under it may be the same as before.
    pub fn changed(&self) -> &[Key] {
        &self.changed
    }

    /// For systems, while they encode: what [`Encoding::changed`] is to say.
    pub fn changed_mut(&mut self) -> &mut Vec<Key> {
        &mut self.changed
    }

    /// Whether both describe one state.
    pub fn same(&self, other: &Self) -> bool {
        self.components().eq(other.components())
    }

    /// Appends a vector from which [`Encoding::unflatten`] rebuilds the encoding: the widths of the sections,
    /// a byte per index with the number of words (escaped where it does not fit), then the words. Different
    /// states have different vectors.
    pub fn flatten(&self, out: &mut Vec<u64>) {
        let [root, threads, objects] = Section::ALL.map(|section| self.width(section));
        debug_assert!(root < 1 << 16);
        if threads < 1 << 16 && objects < 1 << 31 {
            out.push(u64::from(root) << 48 | u64::from(threads) << 32 | u64::from(objects));
        } else {
            out.extend([1 << 31 | u64::from(root), u64::from(threads) << 32 | u64::from(objects)]);
        }
        let mut lengths = 0;
        let mut filled = 0;
        for slot in self.sections.iter().flatten() {
            // 0: absent; 1..=254: one more than the number of words; 255: the number is in a word of its own.
            let short = if slot.len == ABSENT { 0 } else { u64::from(slot.len.min(254)) + 1 };
            lengths |= short << filled;
            filled += 8;
            if filled == 64 {
                out.push(lengths);
                (lengths, filled) = (0, 0);
            }
        }
        if filled > 0 {
            out.push(lengths);
        }
        for slot in self.sections.iter().flatten() {
            match slot.len {
                ABSENT => {}
                1 => out.push(self.words[slot.offset as usize]),
                len => {
                    if len >= 254 {
                        out.push(u64::from(len));
                    }
                    out.extend_from_slice(&self.words[slot.offset as usize..][..len as usize]);
                }
            }
        }
    }

    /// The inverse of [`Encoding::flatten`], in place.
    pub fn unflatten(&mut self, flat: &[u64]) {
        self.clear();
        let (widths, mut at) = if flat[0] & 1 << 31 == 0 {
            ([flat[0] >> 48, flat[0] >> 32 & 0xffff, flat[0] & 0x7fff_ffff], 1)
        } else {
            ([flat[0] & 0xffff, flat[1] >> 32, flat[1] & 0xffff_ffff], 2)
        };
        let slots = widths.iter().sum::<u64>() as usize;
        let mut words = at + slots.div_ceil(8);
        let mut shift = 0;
        for section in Section::ALL {
            for index in 0..widths[section as usize] as u32 {
                let short = flat[at] >> shift & 0xff;
                shift += 8;
                if shift == 64 {
                    (at, shift) = (at + 1, 0);
                }
                let len = match short {
                    0 => {
                        self.sections[section as usize].push(Slot { offset: 0, len: ABSENT, capacity: 0 });
                        continue;
                    }
                    255 => {
                        words += 1;
                        flat[words - 1] as usize
                    }
                    short => short as usize - 1,
                };
                self.set(Key { section, index }, &flat[words..words + len]);
                words += len;
            }
        }
    }

    fn compact(&mut self) {
        let old = std::mem::take(&mut self.words);
        for slot in self.sections.iter_mut().flatten() {
            let len = if slot.len == ABSENT { 0 } else { slot.len };
            let offset = self.words.len() as u32;
            self.words.extend_from_slice(&old[slot.offset as usize..][..len as usize]);
            (slot.offset, slot.capacity) = (offset, len);
        }
        self.dead = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(section: Section, index: u32) -> Key {
        Key { section, index }
    }

    #[test]
    fn flat_vectors_round_trip_with_gaps_and_long_components() {
        let mut encoding = Encoding::new();
        encoding.set(key(Section::Root, 0), &[]);
        encoding.set(key(Section::Threads, 2), &[1, 2]);
        encoding.set(key(Section::Objects, 9), &vec![7; 300]);
        encoding.set(key(Section::Objects, 1), &vec![8; 253]);
        encoding.set(key(Section::Objects, 0), &vec![9; 254]);
        let mut flat = Vec::new();
        encoding.flatten(&mut flat);
        let mut back = Encoding::new();
        back.unflatten(&flat);
        assert!(encoding.same(&back));
        let mut again = Vec::new();
        back.flatten(&mut again);
        assert_eq!(flat, again);
    }

    #[test]
    fn an_empty_component_is_not_an_absent_one() {
        let (mut a, mut b) = (Encoding::new(), Encoding::new());
        a.set(key(Section::Objects, 0), &[]);
        a.set(key(Section::Objects, 1), &[5]);
        b.set(key(Section::Objects, 1), &[5]);
        assert!(!a.same(&b));
        let (mut x, mut y) = (Vec::new(), Vec::new());
        a.flatten(&mut x);
        b.flatten(&mut y);
        assert_ne!(x, y);
    }

    #[test]
    fn removing_the_last_components_narrows_the_section() {
        let mut encoding = Encoding::new();
        for index in 0..5 {
            encoding.set(key(Section::Threads, index), &[index.into()]);
        }
        encoding.remove(key(Section::Threads, 3));
        assert_eq!(encoding.width(Section::Threads), 5);
        encoding.remove(key(Section::Threads, 4));
        assert_eq!(encoding.width(Section::Threads), 3);
        assert_eq!(encoding.get(key(Section::Threads, 3)), None);
    }

    #[test]
    fn growing_components_over_and_over_does_not_leak_words() {
        let mut encoding = Encoding::new();
        for round in 0..1000_usize {
            let words = vec![round as u64; round % 50];
            encoding.set(key(Section::Objects, (round % 7) as u32), &words);
            assert_eq!(encoding.get(key(Section::Objects, (round % 7) as u32)), Some(&words[..]));
            if round % 3 == 0 {
                encoding.remove(key(Section::Objects, (round % 5) as u32));
            }
        }
        assert!(encoding.words.len() < 4096);
    }
}
