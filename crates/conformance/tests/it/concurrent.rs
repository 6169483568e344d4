//! Objects that threads share: crates that are right, and objects of our own that are not.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::SeqCst};

use concurrent_queue::ConcurrentQueue;
use crossbeam_queue::{ArrayQueue, SegQueue};
use dashmap::DashMap;
use quotient_conformance::{Call, Concurrent, Shared, turn};
use quotient_model::{Map, Model, Program, Rules, Seq, Shape, Term, model};
use testing::effort;

/// Models of queues with room for some items.
macro_rules! queues {
    ($($name:ident, $action:ident: $room:literal;)*) => {$(
        #[derive(Clone, Debug, Default, Shape)]
        struct $name {
            items: Seq<u8>,
        }

        #[model]
        impl $name {
            #[initial]
            fn empty() -> Self {
                Self::default()
            }

            #[action]
            fn push(&mut self, #[from(1..4)] item: u8) -> bool {
                let fits = self.items.len() < $room;
                if fits {
                    self.items.push(item);
                }
                fits
            }

            #[action]
            fn pop(&mut self) -> Option<u8> {
                if self.items.is_empty() { None } else { Some(self.items.remove(0)) }
            }
        }

        impl<Q: Queue> Shared<Rules<$name>> for Of<Q> {
            fn call(&self, action: &$action) -> Option<Term> {
                Some(match *action {
                    $action::Push { item } => self.0.push(item).term(),
                    $action::Pop => self.0.pop().term(),
                })
            }
        }
    )*};
}

queues! {
    Narrow, NarrowAction: 2;
    Wide, WideAction: 64;
}

/// A queue of values under test: `push` and `pop`.
trait Queue: Sync {
    fn push(&self, item: u8) -> bool;
    fn pop(&self) -> Option<u8>;
}

struct Of<Q>(Q);

impl Queue for ArrayQueue<u8> {
    fn push(&self, item: u8) -> bool {
        Self::push(self, item).is_ok()
    }
    fn pop(&self) -> Option<u8> {
        Self::pop(self)
    }
}

impl Queue for SegQueue<u8> {
    fn push(&self, item: u8) -> bool {
        Self::push(self, item);
        true
    }
    fn pop(&self) -> Option<u8> {
        Self::pop(self)
    }
}

impl Queue for ConcurrentQueue<u8> {
    fn push(&self, item: u8) -> bool {
        Self::push(self, item).is_ok()
    }
    fn pop(&self) -> Option<u8> {
        Self::pop(self).ok()
    }
}

/// A ring of places. Who gets a place writes to it afterwards, and who reads does not look whether that has happened.
#[derive(Default)]
struct Ring {
    places: [AtomicU8; 4],
    first: AtomicU64,
    end: AtomicU64,
}

impl Queue for Ring {
    fn push(&self, item: u8) -> bool {
        loop {
            let end = self.end.load(SeqCst);
            if end - self.first.load(SeqCst) >= 2 {
                return false;
            }
            if self.end.compare_exchange(end, end + 1, SeqCst, SeqCst).is_ok() {
                turn();
                self.places[end as usize % 4].store(item, SeqCst);
                return true;
            }
        }
    }
    fn pop(&self) -> Option<u8> {
        loop {
            let first = self.first.load(SeqCst);
            if first >= self.end.load(SeqCst) {
                return None;
            }
            let item = self.places[first as usize % 4].load(SeqCst);
            if self.first.compare_exchange(first, first + 1, SeqCst, SeqCst).is_ok() {
                return Some(item);
            }
        }
    }
}

/// An object that is linearizable, by threads that run at the same time and by threads in turns.
fn conforms<M: Model, S: Shared<M> + Send>(program: impl Fn() -> Program<M>, make: impl Fn() -> S)
where
    M::Action: Send + Sync,
{
    let histories = effort(300) as usize;
    let run = |concurrent: Concurrent<M>| {
        let found = concurrent.threads(3, 3, 2).histories(histories).run(&make);
        let found = found.expect("the model is asked only what it allows");
        found.assert_linearizable();
        assert_eq!((found.histories, found.calls), (histories, 11 * histories));
        found.overlapping
    };
    run(Concurrent::new(program()));
    assert!(run(Concurrent::new(program()).in_turns()) > histories * 9 / 10);
}

/// An object that is not, which the same seed shows again.
fn is_not<M: Model, S: Shared<M> + Send>(program: impl Fn() -> Program<M>, make: impl Fn() -> S) -> String
where
    M::Action: Send + Sync,
{
    let run = || {
        let concurrent = Concurrent::new(program()).threads(2, 4, 2).histories(10_000).in_turns();
        concurrent.run(&make).expect("the model is asked only what it allows")
    };
    let (found, again) = (run(), run());
    let failure = found.assert_not_linearizable();
    assert!(failure.lost.is_none() && failure.explained < failure.calls.len(), "{failure}");
    assert_eq!(failure.to_string(), again.assert_not_linearizable().to_string());
    failure.to_string()
}

#[test]
fn queues_of_crates_are_linearizable() {
    conforms(Narrow::program, || Of(ArrayQueue::new(2)));
    conforms(Wide::program, || Of(SegQueue::new()));
    conforms(Narrow::program, || Of(ConcurrentQueue::bounded(2)));
    conforms(Wide::program, || Of(ConcurrentQueue::unbounded()));
}

#[test]
fn a_ring_that_does_not_look_whether_a_place_is_written_is_not() {
    let text = is_not(Narrow::program, || Of(Ring::default()));
    assert!(text.starts_with("no order of 10 calls gives these answers"), "{text}");
}

/// A stack.
#[derive(Clone, Debug, Default, Shape)]
struct Lifo {
    items: Seq<u8>,
}

#[model]
impl Lifo {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action]
    fn push(&mut self, #[from(1..4)] item: u8) {
        self.items.push(item);
    }

    #[action]
    fn pop(&mut self) -> Option<u8> {
        self.items.pop()
    }
}

const PLACES: usize = 16;

/// Treiber's stack over places that are used again, the one first that was freed last. Its head is the number of
/// a place, with how often it was changed if `COUNTS`.
struct Treiber<const COUNTS: bool> {
    items: [AtomicU8; PLACES],
    next: [AtomicU8; PLACES],
    head: AtomicU64,
    free: AtomicU64,
}

impl<const COUNTS: bool> Treiber<COUNTS> {
    fn new() -> Self {
        let next = std::array::from_fn(|place| AtomicU8::new((place + 1) as u8 % PLACES as u8));
        Self { items: Default::default(), next, head: AtomicU64::new(0), free: AtomicU64::new(1) }
    }

    fn changed(from: u64, to: u8) -> u64 {
        u64::from(to) | if COUNTS { (from & !0xff) + 0x100 } else { 0 }
    }

    fn take(&self, list: &AtomicU64) -> Option<u8> {
        loop {
            let head = list.load(SeqCst);
            let place = head as u8;
            if place == 0 {
                return None;
            }
            turn();
            let next = self.next[usize::from(place)].load(SeqCst);
            turn();
            if list.compare_exchange(head, Self::changed(head, next), SeqCst, SeqCst).is_ok() {
                return Some(place);
            }
        }
    }

    fn put(&self, list: &AtomicU64, place: u8) {
        loop {
            turn();
            let head = list.load(SeqCst);
            self.next[usize::from(place)].store(head as u8, SeqCst);
            if list.compare_exchange(head, Self::changed(head, place), SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

impl<const COUNTS: bool> Shared<Rules<Lifo>> for Treiber<COUNTS> {
    fn call(&self, action: &LifoAction) -> Option<Term> {
        match *action {
            LifoAction::Push { item } => {
                let place = self.take(&self.free).expect("there are more places than calls");
                self.items[usize::from(place)].store(item, SeqCst);
                self.put(&self.head, place);
                None
            }
            LifoAction::Pop => {
                let place = self.take(&self.head);
                let item = place.map(|place| (place, self.items[usize::from(place)].load(SeqCst)));
                let item = item.map(|(place, item)| {
                    self.put(&self.free, place);
                    item
                });
                Some(item.term())
            }
        }
    }
}

/// A place can be popped, pushed again and be the head again while somebody still knows what was below it before.
#[test]
fn a_stack_whose_places_are_used_again_is_not_linearizable() {
    is_not(Lifo::program, Treiber::<false>::new);
    conforms(Lifo::program, Treiber::<true>::new);
}

/// A map.
#[derive(Clone, Debug, Default, Shape)]
struct Table {
    entries: Map<u8, u8>,
}

#[model]
impl Table {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    /// Puts a value where none is. Returns the value that is there.
    #[action]
    fn get_or_put(&mut self, #[from(0..2)] key: u8, #[from(0..3)] value: u8) -> u8 {
        let there = self.entries.get(&key).copied().unwrap_or(value);
        self.entries.insert(key, there);
        there
    }

    #[action]
    fn put(&mut self, #[from(0..2)] key: u8, #[from(0..3)] value: u8) -> Option<u8> {
        self.entries.insert(key, value)
    }

    #[action]
    fn remove(&mut self, #[from(0..2)] key: u8) -> Option<u8> {
        self.entries.remove(&key)
    }
}

#[derive(Default)]
struct Dash(DashMap<u8, u8>);

impl Shared<Rules<Table>> for Dash {
    fn call(&self, action: &TableAction) -> Option<Term> {
        Some(match *action {
            TableAction::GetOrPut { key, value } => self.0.entry(key).or_insert(value).term(),
            TableAction::Put { key, value } => self.0.insert(key, value).term(),
            TableAction::Remove { key } => self.0.remove(&key).map(|(_, value)| value).term(),
        })
    }
}

/// A map under a lock, which looks first and locks again to put.
#[derive(Default)]
struct LooksFirst(Mutex<BTreeMap<u8, u8>>);

impl Shared<Rules<Table>> for LooksFirst {
    fn call(&self, action: &TableAction) -> Option<Term> {
        let entries = || self.0.lock().expect("no panic");
        Some(match *action {
            TableAction::GetOrPut { key, value } => {
                let there = entries().get(&key).copied();
                turn();
                if there.is_none() {
                    entries().insert(key, value);
                }
                there.unwrap_or(value).term()
            }
            TableAction::Put { key, value } => entries().insert(key, value).term(),
            TableAction::Remove { key } => entries().remove(&key).term(),
        })
    }
}

#[test]
fn maps() {
    conforms(Table::program, Dash::default);
    is_not(Table::program, LooksFirst::default);
}

/// An object that does one call after the other is linearizable; one whose answers are somebody else's is not, and
/// threads that panic are seen.
#[test]
fn answers_are_compared() {
    struct Locked(Mutex<Vec<u8>>, bool);
    impl Shared<Rules<Lifo>> for Locked {
        fn call(&self, action: &LifoAction) -> Option<Term> {
            let mut items = self.0.lock().expect("no panic");
            let is_full = self.1 && items.len() == 3;
            match *action {
                LifoAction::Push { .. } if is_full => {
                    drop(items);
                    panic!("it is full")
                }
                LifoAction::Push { item } => {
                    items.push(item);
                    None
                }
                LifoAction::Pop => Some(items.pop().term()),
            }
        }
    }
    let stack = || Concurrent::new(Lifo::program()).threads(2, 3, 2).histories(300);
    stack().run(|| Locked(Mutex::default(), false)).expect("it allows all calls").assert_linearizable();
    let found = stack().run(|| Locked(Mutex::default(), true)).expect("it allows all calls");
    let failure = found.assert_not_linearizable();
    let panics = |call: &Call<LifoAction>| call.answer == Err("it is full".to_owned());
    assert!(
        failure.calls.iter().any(panics) && failure.to_string().contains("a panic: it is full"),
        "{failure}"
    );
}
