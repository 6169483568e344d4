//! A memory limit for the whole process.
//!
//! The user's limit is on what the operating system reports: the resident set. Stores and stacks are most of
//! it but not all (undo logs, caches of the model, the allocator's overhead), so a limit on the sum that the
//! stores count would be exceeded unnoticed. On the other hand, a query of the system takes about a
//! microsecond. So a budget works with the last reading plus everything granted since, and reads again as
//! soon as this sum reaches the limit or a 64th of the limit was granted. Memory that was granted but not
//! touched yet is not in a reading; growth by chunks keeps this difference small.
//!
//! Where the system offers no reading, the limit applies to what was granted: the stores and the stacks.
//!
//! The address space can be exhausted before the limit is. A component that asks the budget can handle a
//! refusal; the rest of the process does not ask and would abort. So a budget of the process refuses requests
//! that would leave less than [`HEADROOM`] to the rest.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::zeroed::is_available;

/// The memory reserved for the parts of the process that do not ask: bounded tables of the engine, samples of
/// a trie, the report.
const HEADROOM: usize = 16 << 20;

/// A limit on the process is divided by this: such a part of it is kept for what follows a search.
const KEPT: usize = 32;

/// A limit that stores and searches ask before they grow. Clones share one account.
#[derive(Clone, Default, Debug)]
pub struct Budget(Option<Arc<Account>>);

/// A limit, and the memory that counts towards it.
#[derive(Debug)]
struct Account {
    limit: usize,
    /// The bytes that the process used at the last reading. Without a source of readings: all that was
    /// granted.
    used: AtomicUsize,
    /// The bytes granted since the last reading.
    granted: AtomicUsize,
    source: Option<Statm>,
}

impl Budget {
    /// A budget that allows everything.
    pub fn unlimited() -> Self {
        Self(None)
    }

    /// A limit on the resident set of the process. A part of it is kept for what follows a search: samples
    /// for estimates, the replay of a violation, the report, and code that runs for the first time.
    pub fn of_process(limit: usize) -> Self {
        Self::new(limit - limit / KEPT, Statm::open())
    }

    /// A limit on the sum of what is granted, independent of what the process uses.
    pub fn counted(limit: usize) -> Self {
        Self::new(limit, None)
    }

    fn new(limit: usize, source: Option<Statm>) -> Self {
        let account = Account { limit, used: AtomicUsize::new(0), granted: AtomicUsize::new(0), source };
        account.read();
        Self(Some(Arc::new(account)))
    }

    pub fn limit(&self) -> Option<usize> {
        self.0.as_ref().map(|account| account.limit)
    }

    /// Whether `extra` more bytes may be used. If so, they count as used.
    pub fn allows(&self, extra: usize) -> bool {
        self.0.as_ref().is_none_or(|account| account.grant(extra))
    }

    /// Whether the process is over its limit, after a fresh reading, or out of headroom: memory can grow
    /// without asking.
    pub fn exceeded(&self) -> bool {
        self.0.as_ref().is_some_and(|account| {
            account.read();
            account.used.load(Relaxed) > account.limit || !account.has_headroom(0)
        })
    }
}

impl Account {
    // Relaxed is sufficient: the numbers order nothing. No grant is lost if several threads ask at once; a race
    // only delays or repeats a reading.
    fn grant(&self, extra: usize) -> bool {
        if !self.has_headroom(extra) {
            return false;
        }
        let fits = |granted: &usize| self.used.load(Relaxed).saturating_add(*granted) <= self.limit;
        let add = |granted: usize| granted.checked_add(extra).filter(fits);
        let add_a_little = |granted| add(granted).filter(|&granted| granted <= self.limit / 64);
        if self.granted.fetch_update(Relaxed, Relaxed, add_a_little).is_ok() {
            return true;
        }
        self.read();
        self.granted.fetch_update(Relaxed, Relaxed, add).is_ok()
    }

    /// Whether the system would provide `extra` bytes and the headroom. Always true for a budget that only
    /// counts.
    fn has_headroom(&self, extra: usize) -> bool {
        self.source.is_none() || is_available(extra.saturating_add(HEADROOM))
    }

    fn read(&self) {
        let granted = self.granted.swap(0, Relaxed);
        match self.source.as_ref().and_then(Statm::read) {
            Some(resident) => self.used.store(resident, Relaxed),
            None => {
                self.used.fetch_add(granted, Relaxed);
            }
        }
    }
}

/// The kernel's page counts of this process. The file is kept open.
#[derive(Debug)]
struct Statm {
    file: Mutex<File>,
    page: usize,
}

impl Statm {
    fn open() -> Option<Self> {
        let statm = Self { file: Mutex::new(File::open("/proc/self/statm").ok()?), page: page_size()? };
        statm.read().map(|_| statm)
    }

    fn read(&self) -> Option<usize> {
        let mut file = self.file.lock().ok()?;
        let mut text = [0; 128];
        file.rewind().ok()?;
        let len = file.read(&mut text).ok()?;
        let pages = std::str::from_utf8(&text[..len]).ok()?.split_ascii_whitespace().nth(1)?;
        Some(pages.parse::<usize>().ok()? * self.page)
    }
}

/// The page size, from the vector of (type, value) pairs that the kernel passes to every process.
fn page_size() -> Option<usize> {
    const AT_PAGESZ: usize = 6;
    let words = fs::read("/proc/self/auxv").ok()?;
    let words: Vec<usize> =
        words.chunks_exact(size_of::<usize>()).map(|b| usize::from_ne_bytes(b.try_into().unwrap())).collect();
    words.chunks_exact(2).find(|pair| pair[0] == AT_PAGESZ).map(|pair| pair[1])
}

/// The resident set of this process in bytes, if the system reports it.
pub fn resident() -> Option<usize> {
    Statm::open()?.read()
}

/// The greatest resident set of this process so far, if the system reports it.
pub fn peak_resident() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_allows_everything() {
        assert!(Budget::unlimited().allows(usize::MAX));
        assert!(!Budget::unlimited().exceeded());
        assert_eq!(Budget::default().limit(), None);
    }

    #[test]
    fn a_counted_budget_ends_exactly_at_its_limit_and_refusals_cost_nothing() {
        let budget = Budget::counted(1000);
        let other_handle = budget.clone();
        assert!(budget.allows(600));
        assert!(!other_handle.allows(401));
        assert!(other_handle.allows(400));
        assert!(!budget.allows(1));
        assert!(budget.allows(0));
        assert!(!budget.exceeded());
    }

    #[test]
    fn many_small_grants_add_up() {
        let budget = Budget::counted(64 * 100);
        assert_eq!((0..10_000).filter(|_| budget.allows(7)).count(), 64 * 100 / 7);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_budget_sees_memory_that_was_not_granted() {
        let before = resident().expect("the kernel tells the resident set");
        let budget = Budget::of_process(before + (64 << 20));
        assert!(budget.allows(1 << 20) && !budget.exceeded());
        let touched = std::hint::black_box(vec![1_u8; 128 << 20]);
        assert!(budget.exceeded());
        assert!(!budget.allows(1));
        assert!(peak_resident().is_some_and(|peak| peak >= touched.len()));
    }
}
