//! The file system, for the library, which does not touch it.
//!
//! What a command reads is remembered ([`Disk`]), and none of it is ever written to ([`Output::new`]). A file
//! is written under another name in the same folder first, and gets its name when it is complete:
//!
//! | the path names                        | what is written                                               |
//! |---------------------------------------|---------------------------------------------------------------|
//! | nothing, or a regular file            | a temporary file, which replaces it and keeps its permissions |
//! | the same, in a folder that takes none | the file itself, if it may be written                         |
//! | a file that may not be written        | nothing: that is an error                                     |
//! | `-`, `/dev/stdout`, `/dev/stderr`     | standard output, standard error                               |
//! | a device, a pipe, `/dev/fd/3`         | that                                                          |

use std::cell::RefCell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use check::Provider;

/// No model is longer: what is, was named by mistake.
const LONGEST_MODEL: u64 = 64 << 20;
/// Depth first, a trail can have millions of steps.
const LONGEST_TRAIL: u64 = 1 << 30;

/// The file system, and what was read from it so far.
#[derive(Default)]
pub struct Disk {
    inputs: RefCell<Vec<Input>>,
}

struct Input {
    name: String,
    identity: Option<Identity>,
}

/// Which file it is, however it is called.
#[derive(PartialEq, Eq)]
struct Identity {
    /// Without links and dots.
    path: Option<PathBuf>,
    /// Device and number on it, where there are such numbers.
    node: Option<(u64, u64)>,
}

impl Identity {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self { path: fs::canonicalize(path).ok(), node: node(&metadata) })
    }

    fn is(&self, other: &Self) -> bool {
        let same_path = self.path.is_some() && self.path == other.path;
        let same_node = self.node.is_some() && self.node == other.node;
        same_path || same_node
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have no such numbers")]
fn node(metadata: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn node(_: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

impl Provider for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let bytes = read(Path::new(path), LONGEST_MODEL, "which no model is")?;
        self.remember(path);
        Ok(bytes)
    }

    fn include(&self, path: &str) -> io::Result<Vec<u8>> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        self.read(path)
    }
}

/// The file system, for a server: nothing is remembered, and threads share it.
pub struct SharedDisk;

impl Provider for SharedDisk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        read(Path::new(path), LONGEST_MODEL, "which no model is")
    }

    fn include(&self, path: &str) -> io::Result<Vec<u8>> {
        Disk::default().include(path)
    }
}

impl Disk {
    fn remember(&self, path: &str) {
        let identity = Identity::of(Path::new(path));
        self.inputs.borrow_mut().push(Input { name: path.to_owned(), identity });
    }

    /// A property, as text.
    pub fn read_text(&self, path: &str) -> io::Result<String> {
        let bytes = read(Path::new(path), LONGEST_MODEL, "which no property is")?;
        self.remember(path);
        String::from_utf8(bytes).map_err(|_| io::Error::other("it is not valid UTF-8"))
    }
}

/// A trail, to be read piece by piece.
pub fn open_trail(path: &Path) -> io::Result<BufReader<Limited>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if metadata.is_file() && metadata.len() > LONGEST_TRAIL {
        return Err(too_long(LONGEST_TRAIL, "which no trail is"));
    }
    Ok(BufReader::new(Limited { left: LONGEST_TRAIL, file: File::open(path)? }))
}

/// A file up to a length: a pipe does not say how long it is.
pub struct Limited {
    left: u64,
    file: File,
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.left = self
            .left
            .checked_sub(count as u64)
            .ok_or_else(|| too_long(LONGEST_TRAIL, "which no trail is"))?;
        Ok(count)
    }
}

fn too_long(longest: u64, remark: &str) -> io::Error {
    io::Error::other(format!("it is longer than {} MiB, {remark}", longest >> 20))
}

fn read(path: &Path, longest: u64, remark: &str) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(too_long(longest, remark));
    }
    Ok(bytes)
}

/// A file that a command is to write, in the end.
pub struct Output {
    path: PathBuf,
    target: Target,
}

enum Target {
    /// Standard output or standard error.
    Stream(Stream),
    /// What is no regular file, and is written into as it is.
    Direct,
    File,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Output {
    /// Says why the path cannot be written to, if that is known beforehand: because the command has read it,
    /// or because its output goes there.
    pub fn new(path: &Path, disk: &Disk) -> Result<Self, String> {
        let output = |target| Ok(Self { path: path.to_owned(), target });
        if path == Path::new("-") {
            return output(Target::Stream(Stream::Stdout));
        }
        let (Some(identity), Ok(metadata)) = (Identity::of(path), fs::metadata(path)) else {
            return output(Target::File);
        };
        let name = path.display();
        let is_input = |input: &&Input| input.identity.as_ref().is_some_and(|input| input.is(&identity));
        // What goes into a device or a pipe replaces nothing.
        if let Some(input) = disk.inputs.borrow().iter().find(is_input).filter(|_| metadata.is_file()) {
            let same = if path == Path::new(&input.name) {
                String::new()
            } else {
                format!(", which is the same file as `{}`", input.name)
            };
            return Err(format!("would replace `{name}`{same}, which this command reads"));
        }
        let is_descriptor = is_descriptor(path);
        for (stream, file, what) in [
            (Stream::Stdout, own(std::io::stdout()), "standard output"),
            (Stream::Stderr, own(std::io::stderr()), "standard error"),
        ] {
            let node = file.and_then(|file| file.metadata().ok()).and_then(|metadata| node(&metadata));
            if node.is_none() || node != identity.node {
                continue;
            }
            if is_descriptor {
                return output(Target::Stream(stream));
            }
            if metadata.is_file() {
                return Err(format!("would replace `{name}`, where {what} goes"));
            }
        }
        let is_file_or_folder = metadata.is_file() || metadata.is_dir();
        output(if is_descriptor || !is_file_or_folder { Target::Direct } else { Target::File })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether what is written can be read again.
    pub fn is_file(&self) -> bool {
        matches!(self.target, Target::File)
    }

    /// Whether it is written to standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self.target, Target::Stream(Stream::Stdout))
    }

    /// Begins to write.
    pub fn begin(self) -> io::Result<Writing> {
        match self.target {
            Target::Stream(stream) => Ok(Writing::Stream(stream, Vec::new())),
            Target::Direct => {
                // What others wrote to the same place stays there.
                let file = OpenOptions::new().append(true).open(&self.path)?;
                Ok(Writing::Direct(BufWriter::new(file)))
            }
            Target::File => begin_file(&self.path),
        }
    }

    /// Writes a whole text.
    pub fn write_whole(self, text: &str) -> io::Result<()> {
        let mut writing = self.begin()?;
        writing.write_all(text.as_bytes())?;
        writing.finish()
    }
}

/// Whether a path means something that the process has open, whatever file that is.
fn is_descriptor(path: &Path) -> bool {
    let names = ["/dev/stdout", "/dev/stderr", "/dev/stdin"];
    let is_in = |folder: &str| path.parent().is_some_and(|parent| parent == Path::new(folder));
    let of_process =
        || path.starts_with("/proc") && path.parent().is_some_and(|parent| parent.ends_with("fd"));
    names.iter().any(|name| path == Path::new(name)) || is_in("/dev/fd") || of_process()
}

/// A stream as a file that can be asked which one it is.
#[cfg(unix)]
fn own(stream: impl std::os::fd::AsFd) -> Option<File> {
    stream.as_fd().try_clone_to_owned().ok().map(File::from)
}

#[cfg(not(unix))]
fn own<T>(_: T) -> Option<File> {
    None
}

/// The temporary file that there is now, for an end without warning.
static TEMPORARY: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the temporary file, if there is one.
pub fn remove_temporary() {
    let temporary = TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(path) = temporary {
        // If that fails, there is nowhere left to report it.
        drop(fs::remove_file(path));
    }
}

/// Output that is being written. Unless it is finished, nothing is replaced.
pub enum Writing {
    /// Kept until the end: other output goes to the stream meanwhile.
    Stream(Stream, Vec<u8>),
    Direct(BufWriter<File>),
    Replacing {
        file: BufWriter<File>,
        temporary: PathBuf,
        path: PathBuf,
    },
}

fn begin_file(path: &Path) -> io::Result<Writing> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) && !path.exists() {
        // What the link leads to is made, and the link stays one.
        return OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .map(BufWriter::new)
            .map(Writing::Direct);
    }
    // A link is followed, to what it leads to.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = match OpenOptions::new().write(true).open(&path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let (file, temporary) = match (create_beside(&path), existing) {
        (Ok(created), None) => created,
        (Ok((file, temporary)), Some(existing)) => {
            let permissions = existing.metadata().map(|metadata| metadata.permissions());
            if let Err(error) = permissions.and_then(|permissions| file.set_permissions(permissions)) {
                remove_temporary();
                return Err(error);
            }
            (file, temporary)
        }
        // There can be no other file in the folder, but this one can be written.
        (Err(error), Some(existing))
            if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            existing.set_len(0)?;
            return Ok(Writing::Direct(BufWriter::new(existing)));
        }
        (Err(error), _) => return Err(error),
    };
    Ok(Writing::Replacing { file: BufWriter::new(file), temporary, path })
}

/// A new file in the folder of another one.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let mut number = 0;
    loop {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.{number}.tmp", std::process::id()));
        let temporary = path.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
            Ok(file) => {
                *TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner) = Some(temporary.clone());
                return Ok((file, temporary));
            }
        }
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream(_, kept) => {
                kept.try_reserve(bytes.len()).map_err(|_| ErrorKind::OutOfMemory)?;
                kept.write(bytes)
            }
            Self::Direct(file) | Self::Replacing { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stream(..) => Ok(()),
            Self::Direct(file) | Self::Replacing { file, .. } => file.flush(),
        }
    }
}

impl Writing {
    /// Everything was written: the file gets its name.
    pub fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match &mut self {
            Self::Stream(Stream::Stdout, kept) => {
                let mut out = io::stdout().lock();
                out.write_all(kept)?;
                out.flush()
            }
            Self::Stream(Stream::Stderr, kept) => io::stderr().lock().write_all(kept),
            Self::Direct(_) => Ok(()),
            Self::Replacing { file, temporary, path } => {
                file.get_ref().sync_all()?;
                fs::rename(temporary, path)?;
                TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).take();
                Ok(())
            }
        }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Self::Replacing { .. } = self {
            remove_temporary();
        }
    }
}

/// Lets the peak of the memory of the process be counted from now on, where the system can do that.
pub fn reset_peak_memory() {
    // If it cannot, the peak is that of the process so far.
    drop(fs::write("/proc/self/clear_refs", "5"));
}

/// Nine tenths of the memory that is free for this process, where the system says how much that is.
pub fn free_memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some((kilobytes * 1024).min(group) / 10 * 9)
}
