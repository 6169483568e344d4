//! The file system, for whoever is not allowed to touch it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::path::Path;

use quotient::Provider;

/// No model is longer: what is, was named by mistake.
const LONGEST_MODEL: u64 = 64 << 20;
/// Depth first, a trail can have millions of steps.
const LONGEST_TRAIL: u64 = 1 << 30;

pub struct Disk;

impl Provider for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        read(Path::new(path), LONGEST_MODEL, "which no model is")
    }

    fn include(&self, path: &str) -> io::Result<Vec<u8>> {
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        self.read(path)
    }
}

/// A trail, as text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read(path, LONGEST_TRAIL, "which no trail is")?;
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not valid UTF-8"))
}

fn read(path: &Path, longest: u64, remark: &str) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(longest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {} MiB, {remark}", longest >> 20)));
    }
    Ok(bytes)
}

/// Writes a file as a whole or not at all: a full disk must not leave half a trail that looks like one.
///
/// A link is followed, and what is no regular file (a device, a pipe) is written into, never replaced.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(text.as_bytes());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let written = File::create(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let done = written.and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        // The error that matters is the first one.
        drop(fs::remove_file(&temporary));
    }
    done
}

/// Nine tenths of the memory that is free for this process, where the system tells.
pub fn free_memory() -> Option<u64> {
    let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    Some((kilobytes * 1024).min(group) / 10 * 9)
}
