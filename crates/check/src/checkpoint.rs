//! Checkpoints: files from which a search goes on that was interrupted, killed, or ran out of time or memory.
//!
//! A checkpoint is one file, and the whole search is in it: parts of different checkpoints cannot get mixed. A new
//! file is written beside the last one and then renamed. The last one is kept under another name, in case the new
//! one turns out to be damaged.
//!
//! ```text
//!   quotient checkpoint 1
//!   [ length | XXH3 | bytes ] …      blocks; each checksum also depends on the one before
//!   [ 0      | XXH3 ]                the end
//! ```
//!
//! The bytes of the blocks are words of variable length: first the `Head`, as JSON, then the places that were
//! reached, then the point of the search ([`search::Keeper`]). Before anything but the head is used, the whole
//! file is compared with its checksums.
//!
//! What a state is encoded as may differ from one build of the program to the next. So only the executable that
//! wrote a checkpoint goes on from it.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use engine::Engine;
use search::Keeper;
use serde::{Deserialize, Serialize};
use store::{Input, Output, damaged};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::deadline::Deadline;
use crate::pipeline::CheckError;
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
/// Locked by the check that uses the folder.
const LOCK: &str = "lock";

/// What a checkpoint says about itself.
#[derive(Clone, Serialize, Deserialize)]
struct Head {
    tool: String,
    /// A hash of the executable.
    build: String,
    model: String,
    fingerprint: String,
    command: Command,
    states: u64,
    /// The search of the check, counted from 0: a search whose reduction turns out to be void is repeated.
    attempt: u32,
}

/// A hash of the executable that runs; empty if it can't be read.
fn build() -> &'static str {
    static BUILD: OnceLock<String> = OnceLock::new();
    BUILD.get_or_init(|| {
        let bytes = std::env::current_exe().and_then(fs::read);
        bytes.map_or(String::new(), |bytes| format!("{:016x}", xxh3_64(&bytes)))
    })
}

/// The command that started the check of which there is a checkpoint in a folder.
///
/// # Errors
///
/// Why there is nothing to go on from.
pub fn command_of(folder: &Path) -> Result<Command, String> {
    // All checkpoints of a folder are of one check.
    let (_, head) =
        newest(folder, |path| Reader::open(path, None)?.head()).map_err(|error| error.to_string())?;
    head.of_this_build(folder)?;
    Ok(head.command)
}

impl Head {
    fn of_this_build(&self, folder: &Path) -> Result<(), String> {
        if (&self.tool[..], &self.build[..]) == (TOOL, build()) {
            return Ok(());
        }
        Err(format!(
            "the checkpoint in `{}` was written by another build of {}: only the executable that wrote it can go on from it",
            folder.display(),
            self.tool
        ))
    }
}

/// The newest checkpoint that `read` can read.
fn newest(folder: &Path, read: impl Fn(&Path) -> io::Result<Head>) -> Result<(PathBuf, Head), CheckError> {
    let mut reason = None;
    for name in [CURRENT, NEW, OLD] {
        let path = folder.join(name);
        match read(&path) {
            Ok(head) => return Ok((path, head)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                reason.get_or_insert_with(|| format!("`{}`: {error}", path.display()));
            }
            Err(error) => return Err(cannot_go_on(&error)),
        }
    }
    Err(CheckError::Refused(reason.map_or_else(
        || format!("there is no checkpoint in `{}`", folder.display()),
        |reason| format!("no checkpoint is left to go on from; {reason}"),
    )))
}

/// Why a check can't go on from a checkpoint.
pub fn cannot_go_on(error: &io::Error) -> CheckError {
    match error.kind() {
        io::ErrorKind::Interrupted => CheckError::Interrupted,
        _ => CheckError::Refused(format!("the check can't go on from its checkpoint: {error}")),
    }
}

/// Reads a whole file, so that it is known whether it is what was written.
fn examine(path: &Path, interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Head> {
    let mut reader = Reader::open(path, interrupt)?;
    let head = reader.head()?;
    while reader.next_block()? {}
    Ok(head)
}

/// Removes the checkpoints of a check that is over. To be done when its report is out: a check that is killed
/// before that can be resumed, and gives the same report.
pub fn remove(folder: &Path) {
    for name in [CURRENT, NEW, OLD, LOCK] {
        drop(fs::remove_file(folder.join(name)));
    }
    // It stays if there is something else in it.
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
    interrupt: Option<Arc<AtomicBool>>,
    /// When the next checkpoint is due.
    due: Deadline,
    /// Expansions until the next look at the clock.
    until_look: u32,
    /// The states of the last one, if there is one.
    states: Option<u64>,
    /// Why the last one could not be written.
    trouble: Option<String>,
    _lock: File,
}

impl<'a> Checkpoints<'a> {
    /// Reading heeds interrupts, but no limit on time: the search that follows heeds it, and can be resumed again.
    ///
    /// # Errors
    ///
    /// Why there can be no checkpoints, or why the check can't go on from the one that is there.
    pub fn open(
        wanted: &'a Checkpointing,
        model: &str,
        fingerprint: String,
        interrupt: Option<&Arc<AtomicBool>>,
    ) -> Result<Self, CheckError> {
        let (folder, shown) = (&wanted.folder, wanted.folder.display());
        let refused = |reason: String| Err(CheckError::Refused(reason));
        let head = Head {
            tool: TOOL.to_owned(),
            build: build().to_owned(),
            model: model.to_owned(),
            fingerprint,
            command: wanted.command.clone(),
            states: 0,
            attempt: 0,
        };
        if head.build.is_empty() {
            return refused(
                "the executable can't be read, so a checkpoint could not say which one wrote it".to_owned(),
            );
        }
        let mut resumed = None;
        if wanted.resumes {
            let (path, found) = newest(folder, |path| examine(path, interrupt))?;
            found.of_this_build(folder).map_err(CheckError::Refused)?;
            if found.fingerprint != head.fingerprint {
                return refused(format!(
                    "the checkpoint in `{shown}` is of another `{model}`: the model has changed since"
                ));
            }
            resumed = Some((path, found.attempt, found.states));
        } else if [CURRENT, OLD].iter().any(|name| folder.join(name).exists()) {
            return refused(format!(
                "there is a checkpoint of another check in `{shown}`; go on with that check by `quotient resume {shown}`, or \
                 remove the folder, or name another one"
            ));
        }
        // Better now than in ten minutes.
        let opened = fs::create_dir_all(folder).and_then(|()| File::create(folder.join(LOCK)));
        let lock = match opened {
            Ok(lock) => lock,
            Err(error) => return refused(format!("no checkpoint can be written in `{shown}`: {error}")),
        };
        // Where there are no locks, it is up to the user.
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            return refused(format!("another check is running that keeps its checkpoints in `{shown}`"));
        }
        Ok(Self {
            wanted,
            head,
            states: resumed.as_ref().map(|&(_, _, states)| states),
            resumed: resumed.map(|(path, attempt, _)| (path, attempt)),
            interrupt: interrupt.cloned(),
            attempt: 0,
            due: Deadline::after(Some(wanted.every)),
            until_look: 0,
            trouble: None,
            _lock: lock,
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
                let mut reader = Reader::open(path, self.interrupt.as_ref())?;
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
        due.0.is_some_and(|due| Instant::now() >= due)
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
        let pause = checkpoints.wanted.every.max(begun.elapsed() * SHARE);
        checkpoints.due = Deadline::after(Some(pause));
    }
}

/// Writes a checkpoint.
struct Writer {
    file: File,
    block: Vec<u8>,
    /// The checksum of the last block.
    checksum: u64,
}

impl Writer {
    fn create(path: &Path, head: &Head) -> io::Result<Self> {
        let mut file = File::create(path)?;
        file.write_all(FIRST_LINE)?;
        let mut writer = Self { file, block: Vec::with_capacity(BLOCK + 16), checksum: 0 };
        let head = serde_json::to_string(head)?;
        writer.put(head.len() as u64)?;
        head.bytes().try_for_each(|byte| writer.put(byte.into()))?;
        Ok(writer)
    }

    #[cold]
    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&(self.block.len() as u32).to_le_bytes())?;
        self.checksum = xxh3_64_with_seed(&self.block, self.checksum);
        self.file.write_all(&self.checksum.to_le_bytes())?;
        self.file.write_all(&self.block)?;
        self.block.clear();
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
    /// The checksum of the last block.
    checksum: u64,
    is_at_end: bool,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Reader {
    fn open(path: &Path, interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(BLOCK, File::open(path)?);
        let mut line = [0; FIRST_LINE.len()];
        complete(file.read_exact(&mut line))?;
        if line != FIRST_LINE {
            return Err(damaged());
        }
        Ok(Self {
            file,
            block: Vec::new(),
            at: 0,
            checksum: 0,
            is_at_end: false,
            interrupt: interrupt.cloned(),
        })
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
        if self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Relaxed)) {
            return Err(io::ErrorKind::Interrupted.into());
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
        self.checksum = xxh3_64_with_seed(&self.block, self.checksum);
        if self.checksum != u64::from_le_bytes(checksum) {
            return Err(damaged());
        }
        self.at = 0;
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
            build: build().to_owned(),
            model: "m".to_owned(),
            fingerprint: String::new(),
            command: Command::default(),
            states: 0,
            attempt: 0,
        }
    }

    fn examined(path: &Path) -> io::Result<Head> {
        examine(path, None)
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
        examined(&path).unwrap();
        let mut reader = Reader::open(&path, None).unwrap();
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
                assert!(examined(&path).is_err(), "byte {at} changed by {change}");
            }
            fs::write(&path, &whole[..at]).unwrap();
            assert!(examined(&path).is_err(), "{at} bytes only");
        }
        // Of two files with blocks of the same lengths, no mixture is believed.
        let other = written("other", (0..2000).map(|word| word ^ 1));
        let large = |word: u64| (0..80_000).map(move |at| at << 7 | word);
        let [one, two] = [("one", 0), ("two", 1)].map(|(name, word)| {
            let path = written(name, large(word));
            let bytes = fs::read(&path).unwrap();
            fs::remove_file(path).unwrap();
            bytes
        });
        assert_eq!(one.len(), two.len());
        let halves = [&one[..one.len() / 2], &two[one.len() / 2..]].concat();
        for bytes in [halves, [&one[..BLOCK + 100], &two[BLOCK + 100..]].concat()] {
            fs::write(&other, bytes).unwrap();
            assert!(examined(&other).is_err(), "it is of two files");
        }
        fs::remove_file(other).unwrap();
        let longer = [&whole[..], &[0]].concat();
        fs::write(&path, longer).unwrap();
        assert!(examined(&path).is_err(), "there is something behind the end");
        fs::write(&path, whole).unwrap();
        assert!(examined(&path).is_ok());
        fs::remove_file(path).unwrap();
    }
}
