//! Checkpoints: files from which a search goes on that was interrupted, killed, or ran out of time or memory.
//!
//! A checkpoint is one file with everything: a search that goes on needs no other, and there is no moment at
//! which parts of different checkpoints are together. A new one is written beside the old one, and becomes the
//! checkpoint by a rename; the old one is kept in case the new one turns out to be damaged.
//!
//! ```text
//!   quotient checkpoint 1
//!   [ length | XXH3 | bytes ] …      blocks; the checksum also covers the number of the block
//!   [ 0      | XXH3 ]                the end
//! ```
//!
//! The bytes of the blocks are words of variable length. The first of them are the [`Head`], as JSON; then
//! come the places that were reached, and the point of the search ([`search::Keeper`]). A file is read as a
//! whole and compared with its checksums before anything in it is used.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::Engine;
use search::Keeper;
use serde::{Deserialize, Serialize};
use store::{Input, Output, damaged};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::report::{self, TOOL};

/// What a user wants of checkpoints.
#[derive(Clone, Debug)]
pub struct Checkpointing {
    /// Where they are.
    pub folder: PathBuf,
    /// The time from one to the next.
    pub every: Duration,
    /// Go on from the one that is there. Otherwise there must be none.
    pub resumes: bool,
    /// The command that is to be repeated to go on.
    pub command: Command,
}

/// How a check was started.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Command {
    /// The folder in which it was started.
    pub folder: String,
    pub words: Vec<String>,
}

/// The time between checkpoints where none is asked for.
pub const USUAL_INTERVAL: Duration = Duration::from_mins(10);

const FIRST_LINE: &[u8] = b"quotient checkpoint 1\n";
/// The size of a block, and the greatest one that is read.
const BLOCK: usize = 1 << 18;
/// A checkpoint may take this part of the time.
const SHARE: u32 = 50;
/// Expansions between two looks at the clock.
const LOOK_EVERY: u32 = 32;

const CURRENT: &str = "checkpoint";
const NEW: &str = "checkpoint.new";
const OLD: &str = "checkpoint.old";

/// What a checkpoint says about itself.
#[derive(Clone, Serialize, Deserialize)]
struct Head {
    tool: String,
    model: String,
    fingerprint: String,
    command: Command,
    states: u64,
    /// The search of the check, counted from 0: a search whose reduction turns out to be void is repeated.
    attempt: u32,
}

/// The command that started the check of which there is a checkpoint in a folder.
///
/// # Errors
///
/// Why there is nothing to go on from.
pub fn command_of(folder: &Path) -> Result<Command, String> {
    let (_, head) = newest(folder)?;
    if head.tool != TOOL {
        return Err(format!(
            "the checkpoint in `{}` was made by {}, and this is {TOOL}: only the version that made it can go on from it",
            folder.display(),
            head.tool
        ));
    }
    Ok(head.command)
}

/// The newest checkpoint that is not damaged.
fn newest(folder: &Path) -> Result<(PathBuf, Head), String> {
    let mut reason = None;
    for name in [CURRENT, NEW, OLD] {
        let path = folder.join(name);
        match examine(&path) {
            Ok(head) => return Ok((path, head)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => _ = reason.get_or_insert_with(|| format!("`{}`: {error}", path.display())),
        }
    }
    Err(reason.map_or_else(
        || format!("there is no checkpoint in `{}`", folder.display()),
        |reason| format!("there is no checkpoint to go on from; {reason}"),
    ))
}

/// Reads a whole file, so that it is known whether it is what was written.
fn examine(path: &Path) -> io::Result<Head> {
    let mut reader = Reader::open(path)?;
    let head = reader.head()?;
    while reader.next_block()? {}
    Ok(head)
}

/// Removes the checkpoints of a check that is over. To be done when its report is safe: who is killed before that
/// can go on and get the same report.
pub fn remove(folder: &Path) {
    for name in [CURRENT, NEW, OLD] {
        drop(fs::remove_file(folder.join(name)));
    }
    // It stays if there is something in it.
    drop(fs::remove_dir(folder));
}

/// The checkpoints of a check.
pub struct Checkpoints<'a> {
    wanted: &'a Checkpointing,
    head: Head,
    /// The checkpoint to go on from, and the number of its search.
    resumed: Option<(PathBuf, u32)>,
    /// The number of the next search.
    attempt: u32,
    /// When the next checkpoint is due.
    due: Instant,
    /// Expansions until the next look at the clock.
    until_look: u32,
    /// The states of the last one, if there is one.
    states: Option<u64>,
    /// Why the last one could not be written.
    trouble: Option<String>,
}

impl<'a> Checkpoints<'a> {
    /// # Errors
    ///
    /// Why there can be no checkpoints, or why the check can't go on from the one that is there.
    pub fn open(wanted: &'a Checkpointing, model: &str, fingerprint: String) -> Result<Self, String> {
        let folder = &wanted.folder;
        let command = wanted.command.clone();
        let head = Head {
            tool: TOOL.to_owned(),
            model: model.to_owned(),
            fingerprint,
            command,
            states: 0,
            attempt: 0,
        };
        let mut resumed = None;
        if wanted.resumes {
            let (path, found) = newest(folder)?;
            if found.fingerprint != head.fingerprint {
                return Err(format!(
                    "the checkpoint in `{}` is of another `{model}`: the model has changed since",
                    folder.display()
                ));
            }
            resumed = Some((path, found.attempt, found.states));
        } else {
            let is_there = |name: &&str| folder.join(name).exists();
            if [CURRENT, OLD].iter().any(is_there) {
                return Err(format!(
                    "there is a checkpoint of another check in `{0}`; go on with that check by `quotient resume {0}`, or \
                     remove the folder, or name another one",
                    folder.display()
                ));
            }
        }
        // Better now than in ten minutes.
        let tried = fs::create_dir_all(folder).and_then(|()| {
            let path = folder.join(".try");
            File::create(&path)?;
            fs::remove_file(path)
        });
        tried.map_err(|error| format!("no checkpoint can be written in `{}`: {error}", folder.display()))?;
        Ok(Self {
            wanted,
            head,
            states: resumed.as_ref().map(|&(_, _, states)| states),
            resumed: resumed.map(|(path, attempt, _)| (path, attempt)),
            attempt: 0,
            due: Instant::now() + wanted.every,
            until_look: 0,
            trouble: None,
        })
    }

    /// Begins the next search: where its points are kept, and the one from which it goes on.
    ///
    /// # Errors
    ///
    /// If the checkpoint can't be read.
    pub fn next_search<'s>(&'s mut self, engine: &'s Engine) -> io::Result<Search<'s, 'a>> {
        let attempt = self.attempt;
        self.attempt += 1;
        let resumed = self.resumed.as_ref().map(|&(ref path, attempt)| (path, attempt));
        let is_kept = resumed.is_none_or(|(_, resumed)| resumed <= attempt);
        let from = match resumed.filter(|&(_, resumed)| resumed == attempt) {
            Some((path, _)) => {
                let mut reader = Reader::open(path)?;
                reader.head()?;
                let mut words = || {
                    let count = (&mut reader as &mut dyn Input).number(1 << 24)?;
                    (0..count).map(|_| reader.take()).collect::<io::Result<Vec<u64>>>()
                };
                engine.cover(&[words()?, words()?]);
                Some(reader)
            }
            None => None,
        };
        self.head.attempt = attempt;
        Ok(Search { keeping: is_kept.then_some(Keeping { checkpoints: self, engine }), from })
    }

    /// Ends the check. What the report says about the checkpoint: nothing if the search `is_over`, since then
    /// there is nothing to go on with.
    pub fn finish(self, is_over: bool) -> Option<report::Checkpoint> {
        let Self { wanted, states, trouble, .. } = self;
        let states = states.filter(|_| !is_over);
        let folder = wanted.folder.display().to_string();
        (states.is_some() || trouble.is_some()).then_some(report::Checkpoint { folder, states, trouble })
    }

    fn write(
        &mut self,
        engine: &Engine,
        states: usize,
        write: &mut dyn FnMut(&mut dyn Output) -> io::Result<()>,
    ) -> io::Result<()> {
        let folder = &self.wanted.folder;
        let [current, new, old] = [CURRENT, NEW, OLD].map(|name| folder.join(name));
        self.head.states = states as u64;
        let mut writer = Writer::create(&new, &self.head)?;
        for words in engine.coverage() {
            writer.put(words.len() as u64)?;
            words.into_iter().try_for_each(|word| writer.put(word))?;
        }
        write(&mut writer)?;
        writer.finish()?;
        match fs::rename(&current, old) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::rename(new, current)?;
        // Where folders can't be synced, renames reach the disk in their time.
        if let Ok(folder) = File::open(folder) {
            drop(folder.sync_all());
        }
        Ok(())
    }
}

/// What one search has to do with checkpoints.
pub struct Search<'s, 'a> {
    keeping: Option<Keeping<'s, 'a>>,
    from: Option<Reader>,
}

impl Search<'_, '_> {
    pub fn parts(&mut self) -> search::Checkpoints<'_> {
        search::Checkpoints {
            keeper: self.keeping.as_mut().map(|keeping| -> &mut dyn Keeper { keeping }),
            from: self.from.as_mut().map(|reader| -> &mut dyn Input { reader }),
        }
    }
}

struct Keeping<'s, 'a> {
    checkpoints: &'s mut Checkpoints<'a>,
    engine: &'s Engine,
}

impl Keeper for Keeping<'_, '_> {
    #[inline]
    fn is_due(&mut self) -> bool {
        let Checkpoints { until_look, due, wanted, .. } = &mut *self.checkpoints;
        if *until_look > 0 && !wanted.every.is_zero() {
            *until_look -= 1;
            return false;
        }
        *until_look = LOOK_EVERY;
        Instant::now() >= *due
    }

    fn keep(&mut self, states: usize, write: &mut dyn FnMut(&mut dyn Output) -> io::Result<()>) {
        let begun = Instant::now();
        let Self { checkpoints, engine } = self;
        match checkpoints.write(engine, states, write) {
            Ok(()) => {
                checkpoints.states = Some(states as u64);
                checkpoints.trouble = None;
            }
            // The one before is still there.
            Err(error) => {
                drop(fs::remove_file(checkpoints.wanted.folder.join(NEW)));
                checkpoints.trouble = Some(error.to_string());
            }
        }
        checkpoints.due = Instant::now() + checkpoints.wanted.every.max(begun.elapsed() * SHARE);
    }
}

/// Writes a checkpoint.
struct Writer {
    file: File,
    block: Vec<u8>,
    number: u64,
}

impl Writer {
    fn create(path: &Path, head: &Head) -> io::Result<Self> {
        let mut file = File::create(path)?;
        file.write_all(FIRST_LINE)?;
        let mut writer = Self { file, block: Vec::with_capacity(BLOCK + 16), number: 0 };
        let head = serde_json::to_string(head)?;
        writer.put(head.len() as u64)?;
        head.bytes().try_for_each(|byte| writer.put(byte.into()))?;
        Ok(writer)
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.file.write_all(&xxh3_64_with_seed(&self.block, self.number).to_le_bytes())?;
        self.file.write_all(&self.block)?;
        self.block.clear();
        self.number += 1;
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        // The end.
        self.flush()?;
        self.file.sync_all()
    }
}

impl Output for Writer {
    #[inline]
    fn put(&mut self, mut word: u64) -> io::Result<()> {
        while word >= 0x80 {
            self.block.push(word as u8 | 0x80);
            word >>= 7;
        }
        self.block.push(word as u8);
        if self.block.len() >= BLOCK { self.flush() } else { Ok(()) }
    }
}

/// Reads a checkpoint.
struct Reader {
    file: BufReader<File>,
    block: Vec<u8>,
    at: usize,
    number: u64,
    is_at_end: bool,
}

impl Reader {
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(BLOCK, File::open(path)?);
        let mut line = [0; FIRST_LINE.len()];
        complete(file.read_exact(&mut line))?;
        if line != FIRST_LINE {
            return Err(damaged());
        }
        Ok(Self { file, block: Vec::new(), at: 0, number: 0, is_at_end: false })
    }

    fn head(&mut self) -> io::Result<Head> {
        let length = (self as &mut dyn Input).number(1 << 24)?;
        let mut text = Vec::new();
        for _ in 0..length {
            text.push((self as &mut dyn Input).number(u8::MAX.into())? as u8);
        }
        serde_json::from_slice(&text).map_err(|_| damaged())
    }

    /// Reads the next block. Returns false at the end.
    fn next_block(&mut self) -> io::Result<bool> {
        if self.is_at_end {
            return Ok(false);
        }
        let (mut length, mut checksum) = ([0; 4], [0; 8]);
        complete(self.file.read_exact(&mut length))?;
        complete(self.file.read_exact(&mut checksum))?;
        let length = u32::from_le_bytes(length) as usize;
        if length > BLOCK + 16 {
            return Err(damaged());
        }
        self.block.resize(length, 0);
        complete(self.file.read_exact(&mut self.block))?;
        if xxh3_64_with_seed(&self.block, self.number) != u64::from_le_bytes(checksum) {
            return Err(damaged());
        }
        self.at = 0;
        self.number += 1;
        self.is_at_end = length == 0;
        // There is nothing behind the end.
        if self.is_at_end && self.file.read(&mut [0])? > 0 {
            return Err(damaged());
        }
        Ok(!self.is_at_end)
    }
}

/// A file that is too short is damaged.
fn complete<T>(read: io::Result<T>) -> io::Result<T> {
    read.map_err(|error| if error.kind() == io::ErrorKind::UnexpectedEof { damaged() } else { error })
}

impl Input for Reader {
    #[inline]
    fn take(&mut self) -> io::Result<u64> {
        let mut word = 0;
        for shift in (0..).step_by(7) {
            if self.at == self.block.len() && !self.next_block()? {
                return Err(damaged());
            }
            let byte = self.block[self.at];
            self.at += 1;
            if shift > 63 {
                return Err(damaged());
            }
            word |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head() -> Head {
        Head {
            tool: TOOL.to_owned(),
            model: "m".to_owned(),
            fingerprint: String::new(),
            command: Command::default(),
            states: 0,
            attempt: 0,
        }
    }

    fn written(name: &str, words: impl Iterator<Item = u64>) -> PathBuf {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let mut writer = Writer::create(&path, &head()).unwrap();
        words.for_each(|word| writer.put(word).unwrap());
        writer.finish().unwrap();
        path
    }

    #[test]
    fn words_are_read_as_they_were_written() {
        let word = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (at % 64);
        let words = || (0..200_000).map(word).chain([0, u64::MAX]);
        let path = written("words", words());
        examine(&path).unwrap();
        let mut reader = Reader::open(&path).unwrap();
        reader.head().unwrap();
        for word in words() {
            assert_eq!(reader.take().unwrap(), word);
        }
        assert!(reader.take().is_err(), "there are no more");
        fs::remove_file(path).unwrap();
    }

    /// Every byte, changed in several ways, and every shorter file.
    #[test]
    fn damage_is_noticed() {
        let path = written("damage", 0..2000);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            for change in [1, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= change;
                fs::write(&path, &bytes).unwrap();
                assert!(examine(&path).is_err(), "byte {at} changed by {change}");
            }
            fs::write(&path, &whole[..at]).unwrap();
            assert!(examine(&path).is_err(), "{at} bytes only");
        }
        let longer = [&whole[..], &[0]].concat();
        fs::write(&path, longer).unwrap();
        assert!(examine(&path).is_err(), "there is something behind the end");
        fs::write(&path, whole).unwrap();
        assert!(examine(&path).is_ok());
        fs::remove_file(path).unwrap();
    }
}
