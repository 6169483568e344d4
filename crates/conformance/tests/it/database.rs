//! A database that crashes: the crate `redb` over a disk of our own, which can be cut off between two writes.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use quotient_conformance::{Online, Stepper};
use quotient_model::{Doing, Map, Program, Rules, Shape, Term, model};
use redb::{Database, ReadableDatabase, StorageBackend, TableDefinition, TableError, WriteTransaction};

type Entries = Map<u8, u8>;

/// What was committed, and what a transaction has made of it.
#[derive(Clone, Debug, Default, Shape)]
struct Store {
    committed: Entries,
    open: Option<Entries>,
}

#[model]
impl Store {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action(when = self.open.is_none())]
    fn begin(&mut self) {
        self.open = Some(self.committed.clone());
    }

    #[action(when = self.open.is_some())]
    fn put(&mut self, #[from(0..3)] key: u8, #[from(0..3)] value: u8) -> Option<u8> {
        self.open.as_mut()?.insert(key, value)
    }

    #[action(when = self.open.is_some())]
    fn remove(&mut self, #[from(0..3)] key: u8) -> Option<u8> {
        self.open.as_mut()?.remove(&key)
    }

    #[action(when = self.open.is_some())]
    fn commit(&mut self) {
        self.committed = self.open.take().expect("it is open");
    }

    #[action(when = self.open.is_some())]
    fn abort(&mut self) {
        self.open = None;
    }

    #[action]
    fn get(&mut self, #[from(0..3)] key: u8) -> Option<u8> {
        self.committed.get(&key).copied()
    }

    /// What is committed stays, wherever the power goes.
    #[action]
    fn crash(&mut self, #[from(0..4)] at: u8) {
        _ = at;
        self.open = None;
    }

    /// The power goes in the middle of a commit, which has happened or has not.
    #[action(when = self.open.is_some())]
    fn crash_in_commit(&mut self, doing: &mut Doing<'_>, #[from(0..12)] at: u8) {
        _ = at;
        let open = self.open.take().expect("it is open");
        if doing.choose([false, true]) == Some(true) {
            self.committed = open;
        }
    }
}

/// What was done to a disk.
#[derive(Clone, Debug)]
enum Change {
    Length(u64),
    Write(u64, Vec<u8>),
}

/// A disk that keeps changes in a buffer until it is told to sync.
#[derive(Default, Debug)]
struct Disk {
    synced: Vec<u8>,
    buffer: Vec<Change>,
    /// The contents with the buffer.
    now: Vec<u8>,
    /// The number of changes and syncs after which the power goes.
    power_for: Option<usize>,
    /// Who has a greater number is cut off.
    crashes: u32,
    forgets_to_sync: bool,
}

fn apply(contents: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Length(length) => contents.resize(*length as usize, 0),
        Change::Write(at, bytes) => {
            let at = *at as usize;
            contents[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }
}

impl Disk {
    /// Whether there is power for one more change or sync.
    fn has_power(&mut self) -> bool {
        match &mut self.power_for {
            Some(0) => false,
            Some(left) => {
                *left -= 1;
                true
            }
            None => true,
        }
    }

    fn change(&mut self, change: Change) {
        if self.has_power() {
            apply(&mut self.now, &change);
            self.buffer.push(change);
        }
    }

    fn sync(&mut self) {
        if self.has_power() && !self.forgets_to_sync {
            self.synced.clone_from(&self.now);
            self.buffer.clear();
        }
    }

    /// The power goes. Of what is in the buffer, only the first changes were written.
    fn crash(&mut self, kept: usize) {
        let mut contents = std::mem::take(&mut self.synced);
        self.buffer.drain(..).take(kept).for_each(|change| apply(&mut contents, &change));
        (self.synced, self.now) = (contents.clone(), contents);
        self.crashes += 1;
        self.power_for = None;
    }
}

/// A disk as a database sees it, up to the next crash.
#[derive(Clone)]
struct Cable {
    disk: Arc<Mutex<Disk>>,
    crashes: u32,
}

impl fmt::Debug for Cable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a disk after {} crashes", self.crashes)
    }
}

impl Cable {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().expect("no panic")
    }

    /// Does something if it is not cut off.
    fn with(&self, act: impl FnOnce(&mut Disk)) {
        let mut disk = self.disk();
        if disk.crashes == self.crashes {
            act(&mut disk);
        }
    }
}

impl StorageBackend for Cable {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.disk().now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        let disk = self.disk();
        let bytes = disk.now.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.with(|disk| disk.change(Change::Length(len)));
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.with(Disk::sync);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.with(|disk| disk.change(Change::Write(offset, data.to_vec())));
        Ok(())
    }
}

const TABLE: TableDefinition<'_, u8, u8> = TableDefinition::new("entries");

/// The database, with what is open.
struct Tested {
    forgets_to_sync: bool,
    disk: Arc<Mutex<Disk>>,
    open: Option<WriteTransaction>,
    database: Option<Database>,
}

impl Tested {
    fn new(forgets_to_sync: bool) -> Self {
        Self { forgets_to_sync, disk: Arc::default(), open: None, database: None }
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().expect("no panic")
    }

    fn start(&mut self) {
        let cable = Cable { crashes: self.disk().crashes, disk: Arc::clone(&self.disk) };
        self.database = Some(Database::builder().create_with_backend(cable).expect("it opens"));
    }

    fn database(&self) -> &Database {
        self.database.as_ref().expect("it was started")
    }

    fn open(&mut self) -> &mut WriteTransaction {
        self.open.as_mut().expect("it was begun")
    }

    fn crash(&mut self, kept: usize) {
        self.disk().crash(kept);
        // What they do when they end does not reach the disk any more.
        self.open = None;
        self.database = None;
        self.start();
    }
}

impl Stepper<Rules<Store>> for Tested {
    fn reset(&mut self) {
        (self.open, self.database) = (None, None);
        self.disk = Arc::default();
        self.start();
        // From here on it is a disk that may forget.
        self.disk().forgets_to_sync = self.forgets_to_sync;
    }

    fn act(&mut self, action: &StoreAction) -> Option<Term> {
        match *action {
            StoreAction::Begin => {
                self.open = Some(self.database().begin_write().expect("none is open"));
                None
            }
            StoreAction::Put { key, value } => {
                let mut table = self.open().open_table(TABLE).expect("it opens");
                let old = table.insert(key, value).expect("there is room").map(|old| old.value());
                Some(old.term())
            }
            StoreAction::Remove { key } => {
                let mut table = self.open().open_table(TABLE).expect("it opens");
                let old = table.remove(key).expect("it can be read").map(|old| old.value());
                Some(old.term())
            }
            StoreAction::Commit => {
                self.open.take().expect("it was begun").commit().expect("it commits");
                None
            }
            StoreAction::Abort => {
                self.open.take().expect("it was begun").abort().expect("it aborts");
                None
            }
            StoreAction::Get { key } => {
                let read = self.database().begin_read().expect("it can be read");
                let value = match read.open_table(TABLE) {
                    Ok(table) => redb::ReadableTable::get(&table, key)
                        .expect("it can be read")
                        .map(|value| value.value()),
                    Err(TableError::TableDoesNotExist(_)) => None,
                    Err(error) => panic!("{error}"),
                };
                Some(value.term())
            }
            StoreAction::Crash { at } => {
                self.crash(usize::from(at));
                None
            }
            StoreAction::CrashInCommit { at } => {
                self.disk().power_for = Some(usize::from(at));
                let done = self.open.take().expect("it was begun").commit();
                drop(done);
                self.crash(usize::from(at % 3));
                None
            }
        }
    }
}

fn program() -> Program<Rules<Store>> {
    Store::program()
}

#[test]
fn a_database_survives_crashes() {
    let online = Online::new(program()).runs(40, 40);
    let trial = online.run(&mut Tested::new(false));
    trial.assert_conforms();
    assert!(trial.inputs > 1500, "{}", trial.inputs);
}

#[test]
fn a_disk_that_forgets_to_sync_is_noticed() {
    let online = Online::new(program()).runs(100, 40).shorten_for(std::time::Duration::from_secs(3));
    let trial = online.run(&mut Tested::new(true));
    let failure = trial.assert_diverges();
    assert!(failure.rate == (10, 10) && failure.events.len() <= 8, "{failure}");
}
