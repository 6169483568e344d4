//! Standard output, for what may be long: in large pieces, and yet soon.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write, stdout};
use std::time::{Duration, Instant};

/// What was written is seen after this time at the latest, if anything follows it.
const LATEST: Duration = Duration::from_millis(100);

/// Standard output. Errors come back to the caller, who has files to clean up.
pub struct Out {
    inner: BufWriter<StdoutLock<'static>>,
    is_terminal: bool,
    flushed: Instant,
}

/// Where a run is shown.
pub trait Sink: Write {
    /// Writes a text of whole lines, and lets it be seen.
    fn lines(&mut self, text: &str) -> io::Result<()>;
}

impl Sink for Vec<u8> {
    fn lines(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())
    }
}

impl Sink for Out {
    fn lines(&mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())?;
        self.show()
    }
}

impl Out {
    pub fn new() -> Self {
        let lock = stdout().lock();
        let is_terminal = lock.is_terminal();
        Self { inner: BufWriter::with_capacity(1 << 16, lock), is_terminal, flushed: Instant::now() }
    }

    /// Lets what was written be seen, if it is time.
    pub fn show(&mut self) -> io::Result<()> {
        if self.is_terminal || self.flushed.elapsed() >= LATEST {
            self.inner.flush()?;
            self.flushed = Instant::now();
        }
        Ok(())
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
