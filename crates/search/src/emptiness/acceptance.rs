//! Acceptance sets: those of the automaton and, under weak fairness, one per thread.
//!
//! An edge is in the set of a thread if the thread moves on it, be it as the partner of another thread, or if
//! the thread has no enabled step in the source of the edge. A run meets each of these sets infinitely often
//! if and only if it is weakly fair. Since the automaton may have several acceptance sets, neither copies of
//! the product are needed (as they are where only one set is allowed), nor counters.

use ltl::Marks;
use system::{Step, Steps, Temporal};

/// The number of words for the sets of the automaton alone.
pub const PLAIN: usize = 1;
/// The number of words for the sets of the automaton and of 256 threads.
pub const FAIR: usize = 1 + THREADS as usize / 64;

/// The number of threads that weak fairness can distinguish.
pub const THREADS: u32 = 256;

/// A subset of the acceptance sets, as bits. The first word is for the sets of the automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sets<const N: usize>([u64; N]);

impl<const N: usize> Sets<N> {
    pub const NONE: Self = Self([0; N]);

    /// All sets, for an automaton with this number of sets.
    pub fn all(sets: u32) -> Self {
        let mut all = [u64::MAX; N];
        all[0] = Marks::all(sets).0;
        Self(all)
    }

    pub fn of(marks: Marks) -> Self {
        let mut words = [0; N];
        words[0] = marks.0;
        Self(words)
    }

    pub fn with(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub fn without(self, other: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    pub fn contains(self, other: Self) -> bool {
        other.without(self) == Self::NONE
    }

    pub fn meets(self, other: Self) -> bool {
        (0..N).any(|at| self.0[at] & other.0[at] != 0)
    }

    /// Whether it contains the set of this thread.
    pub fn has_thread(self, thread: u32) -> bool {
        self.0[1..].get(thread as usize / 64).is_some_and(|word| word >> (thread % 64) & 1 != 0)
    }

    /// The automaton's sets among them.
    pub const fn marks(self) -> Marks {
        Marks(self.0[0])
    }

    /// The sets of the threads that move in an enabled step of `state`; empty where threads have no sets.
    /// `None` if there are too many threads.
    pub fn movers<S: Temporal>(system: &S, state: &mut S::State, step: Step) -> Option<Self> {
        let mut words = [0; N];
        if N > PLAIN {
            for thread in [Some(step.thread), system.partner(state, step)].into_iter().flatten() {
                *words[1..].get_mut(thread as usize / 64)? |= 1 << (thread % 64);
            }
        }
        Some(Self(words))
    }

    /// The sets of the threads that are disabled in `state`, where `steps` are the steps offered; empty where
    /// threads have no sets. `None` if there are too many threads.
    pub fn idle<S: Temporal>(system: &S, state: &mut S::State, steps: &Steps) -> Option<Self> {
        let mut words = [0; N];
        if N > PLAIN {
            let mut all = Steps::default();
            let steps = if system.all_steps(state, &mut all) { &all } else { steps };
            words[1..].fill(u64::MAX);
            for step in &steps.enabled {
                *words[1..].get_mut(step.thread as usize / 64)? &= !(1 << (step.thread % 64));
            }
        }
        Some(Self(words))
    }
}

#[cfg(test)]
mod tests {
    use system::TransitionSystem;

    use super::*;
    use system::toy::Counters;

    #[test]
    fn threads_that_move_or_cannot() {
        let step = |thread| Step { thread, transition: 0, choice: 0 };
        let steps = |threads: &[u32]| Steps {
            enabled: threads.iter().map(|&thread| step(thread)).collect(),
            ..Steps::default()
        };
        let system = Counters { n: 300, max: 1, forbidden_sum: None, end_is_deadlock: false };
        let movers = |thread| Sets::<FAIR>::movers(&system, &mut system.initial(), step(thread));
        let mut initial = system.initial();
        let idle = Sets::<FAIR>::idle(&system, &mut initial, &steps(&[0, 64, 255])).unwrap();
        for thread in 0..THREADS {
            assert_eq!(idle.contains(movers(thread).unwrap()), ![0, 64, 255].contains(&thread));
            assert_eq!(idle.has_thread(thread), ![0, 64, 255].contains(&thread));
        }
        let moved = [0, 64, 255].iter().fold(idle, |all, &thread| all.with(movers(thread).unwrap()));
        assert_eq!(moved, Sets::all(0));
        assert_eq!(movers(256), None);
        assert_eq!(Sets::<FAIR>::idle(&system, &mut initial, &steps(&[256])), None);
        assert_eq!(Sets::<PLAIN>::idle(&system, &mut initial, &steps(&[256])), Some(Sets::NONE));
    }
}
