//! The file system, for whoever is not allowed to touch it.

use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::path::Path;

use quotient::Provider;

/// No model is longer: what is, was named by mistake.
const LONGEST: u64 = 64 << 20;

pub struct Disk;

impl Provider for Disk {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let other = |text: &str| io::Error::other(text.to_owned());
        if fs::metadata(path)?.is_dir() {
            return Err(other("it is a directory"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LONGEST {
            return Err(other("it is longer than 64 MiB, which no model is"));
        }
        Ok(bytes)
    }
}

/// Writes a file as a whole or not at all: a full disk must not leave half a trail that looks like one.
pub fn write_whole(path: &Path, text: &str) -> io::Result<()> {
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
