//! The collapsed store: components of states are stored once and numbered, and a state is a vector of
//! numbers.
//!
//! The idea is Holzmann's (State compression in SPIN: recursive indexing and compression training runs, SPIN
//! workshop 1997). The structure is that of Robby, Dwyer, Hatcliff and Iosif (Space-reduction strategies for
//! model checking dynamic software, 2003, section 4): the components of a state, its globals, objects and
//! threads, are interned in pools; the heap is the vector of the numbers of its objects, and is interned in
//! turn; finally the state is.
//!
//! ```text
//!   components   words of a component ── number    a pool each for threads, objects, parts of globals
//!   heaps        ⟨number of threads, object, object, …⟩ ── number
//!   states       ⟨heap, thread, thread, …, globals⟩ ── number = id + 1
//! ```
//!
//! Differences from the paper:
//! - *Threads* are in the vector of the state, where the paper has the number of an interned vector of
//!   threads. Models have hundreds of heaps but nearly as many vectors of threads as states (30 % to 100 % of
//!   them), so a separate entry, with its slot, takes more than it saves.
//! - *Types and locations* are parts of the words of a component. The paper has them beside the number, so
//!   that equal words of different types share an entry; but entries are few and vectors many.
//! - *Globals* are divided into parts ([`components`]).
//! - *Several pools*, which the paper allows: the numbers of each are small, and mostly take a byte
//!   ([`crate::varint`]). Numbers of threads have codes by index, most of which take a byte as well
//!   ([`codes`]).

mod codes;
mod components;
mod pool;

use system::{Encoding, Section};

use crate::varint::{put, take};
use crate::{Budget, Figure, Full, Insert, StateId, StateStore};

use codes::Codes;
pub use components::{ABSENT, Components};
use pool::{Number, Pool};

/// A store of vectors of numbers, under which pools have the components of states.
#[derive(Debug)]
pub struct Collapse {
    components: Components,
    heaps: Pool,
    states: Pool,
    /// The codes of threads, by index of the thread.
    codes: Vec<Codes>,
    /// The number of the heap of the last state, if it was interned, and the number of threads it was
    /// interned with.
    heap: Option<(Number, usize)>,
    vector: Vec<u8>,
}

impl Collapse {
    pub fn new(budget: &Budget) -> Self {
        Self {
            components: Components::new(budget),
            heaps: Pool::new(budget, 16),
            states: Pool::new(budget, 16),
            codes: Vec::new(),
            heap: None,
            vector: Vec::new(),
        }
    }
}

fn write(numbers: &[Number], vector: &mut Vec<u8>) {
    for &number in numbers {
        put(number.into(), vector);
    }
}

/// The numbers that were put into a vector.
fn read(mut vector: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || (!vector.is_empty()).then(|| take(&mut vector)))
}

/// The numbers of a vector, as numbers of pools.
fn read_numbers(vector: &[u8]) -> impl Iterator<Item = Number> {
    read(vector).map(|number| number as Number)
}

impl StateStore for Collapse {
    fn kind(&self) -> &'static str {
        "collapse"
    }

    fn insert(&mut self, encoding: &mut Encoding, limit: usize) -> Result<Insert, Full> {
        let last = self.heap.take();
        let other_objects = self.components.update(encoding)?;
        let threads = self.components.numbers(Section::Threads);
        let heap = if let Some((heap, _)) = last.filter(|last| !other_objects && last.1 == threads.len()) {
            heap
        } else {
            self.vector.clear();
            put(threads.len() as u64, &mut self.vector);
            write(self.components.numbers(Section::Objects), &mut self.vector);
            self.heaps.intern(&self.vector)?
        };
        self.heap = Some((heap, threads.len()));

        self.vector.clear();
        put(heap.into(), &mut self.vector);
        if self.codes.len() < threads.len() {
            self.codes.resize_with(threads.len(), Codes::default);
        }
        for (&thread, codes) in threads.iter().zip(&mut self.codes) {
            put(codes.encode(thread)?, &mut self.vector);
        }
        write(self.components.numbers(Section::Root), &mut self.vector);
        let (number, is_new) = self.states.insert(&self.vector, limit)?;
        let id = StateId((number - 1).into());
        Ok(if is_new { Insert::New(id) } else { Insert::Seen(Some(id)) })
    }

    fn decode(&mut self, id: StateId, into: &mut Encoding) {
        let mut vector = read(self.states.get(id.0 as u32 + 1));
        let heap = vector.next().expect("the heap is first") as Number;
        let mut objects = read_numbers(self.heaps.get(heap));
        let threads = objects.next().expect("the number of threads is first") as usize;
        let codes = self.codes[..threads].iter().map(Some).chain(std::iter::repeat(None));
        let numbers =
            vector.zip(codes).map(|(code, codes)| codes.map_or(code as Number, |codes| codes.decode(code)));
        self.components.rebuild(objects, threads, numbers, into);
        self.heap = Some((heap, threads));
    }

    fn len(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        let codes: usize = self.codes.iter().map(Codes::bytes).sum();
        self.components.bytes() + self.heaps.bytes() + self.states.bytes() + codes
    }

    fn figures(&self) -> Vec<Figure> {
        let figure = |name, value: usize| Figure { name, value: value as f64 };
        vec![
            figure("globals", self.components.count(Section::Root)),
            figure("threads", self.components.count(Section::Threads)),
            figure("objects", self.components.count(Section::Objects)),
            figure("heaps", self.heaps.len()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Display;

    use super::*;

    /// One pool for everything, as in the figures of the paper. Types, locations and values are written as
    /// letters.
    struct OnePool(Pool);

    impl OnePool {
        fn number(&mut self, vector: &[&dyn Display]) -> Number {
            let text: Vec<String> = vector.iter().map(ToString::to_string).collect();
            self.0.intern(text.join(" ").as_bytes()).unwrap()
        }

        /// The numbers that the parts of a state of philosophers and forks get, in the order of the figures.
        fn collapse(&mut self, forks: [bool; 3], threads: [(&str, [u32; 2]); 3]) -> Vec<Number> {
            let globals = self.number(&[]);
            let forks = forks.map(|held| self.number(&[&held]));
            let heap = self.number(&[&"Fork", &forks[0], &"Fork", &forks[1], &"Fork", &forks[2]]);
            let mut numbers = vec![globals, forks[0], forks[1], forks[2], heap];
            let threads = threads.map(|(location, [left, right])| {
                let store = self.number(&[&left, &right]);
                let thread = self.number(&[&location, &store]);
                numbers.extend([store, thread]);
                thread
            });
            let threads = self.number(&[&threads[0], &threads[1], &threads[2]]);
            let state = self.number(&[&globals, &heap, &threads]);
            numbers.extend([threads, state]);
            numbers
        }
    }

    /// Figures 5 and 6. As printed, P2 in figure 6 has its forks the other way round: its store is ⟨3, 1⟩,
    /// which has the number 9 already.
    #[test]
    fn numbers_as_in_the_paper() {
        let mut pool = OnePool(Pool::new(&Budget::unlimited(), 16));
        let first =
            pool.collapse([false, false, true], [("loc0", [1, 2]), ("loc0", [2, 3]), ("loc1", [3, 1])]);
        assert_eq!(first, [1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let second =
            pool.collapse([false, true, true], [("loc0", [1, 2]), ("loc0", [3, 1]), ("loc2", [2, 3])]);
        assert_eq!(second, [1, 2, 3, 3, 13, 5, 6, 9, 14, 7, 15, 16, 17]);
    }
}
