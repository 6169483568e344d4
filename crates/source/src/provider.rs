use std::collections::BTreeMap;
use std::io;

/// A source of files. Only the command line touches the file system; tests keep their files in a map.
pub trait Provider {
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;

    /// Reads a file that another file names. A file named by the user may be a pipe; a file named by a model
    /// must not make the checker wait.
    fn include(&self, path: &str) -> io::Result<Vec<u8>> {
        self.read(path)
    }
}

/// A path without the steps that lead nowhere: names of one file become equal.
pub fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

impl Provider for BTreeMap<String, Vec<u8>> {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.get(path).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}
