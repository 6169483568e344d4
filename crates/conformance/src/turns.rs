//! Threads of which one runs at a time, so that what they do can be repeated.
//!
//! At each point at which others may go on ([`turn`]), a random number says who does. The same numbers give the same order.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use bits::SplitMix64;

/// Decides which of some threads goes on.
#[derive(Debug)]
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    random: SplitMix64,
    /// By thread: whether it has not ended.
    is_there: Vec<bool>,
    /// The thread that runs; `None` before all are there, and after all have ended.
    now: Option<usize>,
    waiting: usize,
}

thread_local! {
    /// The turns that this thread takes part in, and its number.
    static OWN: RefCell<Option<(Arc<Turns>, usize)>> = const { RefCell::new(None) };
}

/// A point at which another thread may go on, in an object that [`Concurrent`](crate::Concurrent) calls
/// [in turns](crate::Concurrent::in_turns). Everywhere else it does nothing.
///
/// Between two such points nothing else happens: put one before each access to something that threads share.
pub fn turn() {
    let own = OWN.with_borrow(Option::clone);
    if let Some((turns, number)) = own {
        turns.switch(number);
    }
}

impl Turns {
    pub fn new(threads: usize, random: SplitMix64) -> Arc<Self> {
        let state = State { random, is_there: vec![true; threads], now: None, waiting: 0 };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Does the work of a thread, when it is its turn.
    pub fn take_part<T>(self: &Arc<Self>, number: usize, work: impl FnOnce() -> T) -> T {
        OWN.set(Some((Arc::clone(self), number)));
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == state.is_there.len() {
            state.next();
            self.changed.notify_all();
        }
        drop(self.wait(state, number));
        let done = work();
        let mut state = self.lock();
        state.is_there[number] = false;
        state.next();
        drop(state);
        self.changed.notify_all();
        OWN.set(None);
        done
    }

    fn switch(&self, number: usize) {
        let mut state = self.lock();
        state.next();
        if state.now != Some(number) {
            self.changed.notify_all();
            drop(self.wait(state, number));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>, number: usize) -> MutexGuard<'s, State> {
        while state.now != Some(number) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

impl State {
    fn next(&mut self) {
        let there: Vec<usize> = (0..self.is_there.len()).filter(|&number| self.is_there[number]).collect();
        self.now = self.random.choose(&there).copied();
    }
}
