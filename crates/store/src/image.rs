//! Images of stores: what is kept of a store, so that another process can go on with it.
//!
//! An image is a sequence of words. It is written between two expansions of a breadth-first search, or later,
//! as of such a moment ([`Extent`]). Who writes and reads it ([`Output`], [`Input`]) makes sure that what is
//! read is what was written.

use std::collections::{HashSet, VecDeque};
use std::io;

use system::Encoding;

use crate::{Full, Insert, StateId, StateStore};

/// Where words are written to.
pub trait Output {
    /// # Errors
    ///
    /// If the word can't be written. Then nothing else needs to be.
    fn put(&mut self, word: u64) -> io::Result<()>;
}

/// Where words are read from, in the order in which they were written.
pub trait Input {
    /// # Errors
    ///
    /// If there are no more words, or if they are not those that were written.
    fn take(&mut self) -> io::Result<u64>;
}

/// Which of the states that a store has belong to its image: those that it had at some moment of a search.
#[derive(Clone, Copy, Debug)]
pub struct Extent<'a> {
    /// The states that were stored by then.
    pub states: usize,
    /// The states that were asked for by then.
    pub asked: usize,
    /// The keys of later states that were added to a [shared store](crate::SharedStore), and were not numbered.
    pub void: &'a [u64],
}

/// An image in memory.
impl Output for VecDeque<u64> {
    fn put(&mut self, word: u64) -> io::Result<()> {
        self.push_back(word);
        Ok(())
    }
}

impl Input for VecDeque<u64> {
    fn take(&mut self) -> io::Result<u64> {
        self.pop_front().ok_or_else(damaged)
    }
}

/// The words do not make an image.
pub fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is damaged")
}

/// There is no memory, or no number, for what an image describes.
impl From<Full> for io::Error {
    fn from(full: Full) -> Self {
        Self::new(io::ErrorKind::OutOfMemory, full.to_string())
    }
}

impl dyn Input + '_ {
    /// Reads a number, which must be within a limit.
    ///
    /// # Errors
    ///
    /// If it is not, or if it can't be read.
    pub fn number(&mut self, limit: usize) -> io::Result<usize> {
        usize::try_from(self.take()?).ok().filter(|&number| number <= limit).ok_or_else(damaged)
    }
}

/// Writes the states of a store that finds them by number.
pub fn save_by_id<T: StateStore + ?Sized>(
    store: &mut T,
    states: usize,
    out: &mut dyn Output,
) -> io::Result<()> {
    let (mut encoding, mut flat) = (Encoding::new(), Vec::new());
    out.put(states as u64)?;
    for id in 0..states as u64 {
        store.decode(StateId(id), &mut encoding);
        flat.clear();
        encoding.flatten(&mut flat);
        out.put(flat.len() as u64)?;
        flat.iter().try_for_each(|&word| out.put(word))?;
    }
    Ok(())
}

/// Reads what [`save_by_id`] has written into an empty store.
pub fn load_by_id<T: StateStore + ?Sized>(store: &mut T, input: &mut dyn Input) -> io::Result<()> {
    let (mut encoding, mut flat) = (Encoding::new(), Vec::new());
    for id in 0..input.number(StateId::LIMIT)? as u64 {
        flat.clear();
        for _ in 0..input.number(u32::MAX as usize)? {
            flat.push(input.take()?);
        }
        encoding.unflatten(&flat);
        if store.insert(&mut encoding, usize::MAX)? != Insert::New(StateId(id)) {
            return Err(damaged());
        }
    }
    Ok(())
}

/// The words that are not in an image.
pub type Void = HashSet<u64, rustc_hash::FxBuildHasher>;
