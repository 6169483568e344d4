//! Acceptance sets: those of the automaton and, under fairness, those of threads.
//!
//! Fairness demands something of each thread; each demand is a *slot* with a number. An edge may *serve* a
//! slot and may *require* it. A run is fair if it serves every slot infinitely often that it requires
//! infinitely often (a Streett condition):
//!
//! | slot of a thread          | an edge serves it if                      | requires it if, at its source |
//! |---------------------------|-------------------------------------------|-------------------------------|
//! | weak fairness             | the thread moves, or is disabled before   | (always)                      |
//! | strong fairness           | the thread moves                          | the thread is enabled         |
//! | one transition, if `fair` | the thread takes that transition          | that transition is enabled    |
//! | one that is weakly fair   | as above, or it is disabled before        | (always)                      |
//!
//! A thread moves on its own steps and as the partner of another thread. Under weak fairness, a thread is
//! enabled if it has a step of its own, as in SPIN; under strong fairness, also if it can be the partner in
//! a step of another thread. Only observed states count: in the middle of an atomic block, threads outside of
//! the block are neither enabled nor disabled.
//!
//! Under weak fairness alone, and where threads keep their ids, the slots are acceptance sets like those of
//! the automaton: since the automaton may have several, neither copies of the product are needed (as they are
//! where only one set is allowed), nor counters. Everything else is decided by [`super::threads`].

use ltl::Marks;
use system::{Step, Steps, Temporal};

use super::Fairness;

/// The number of words for the sets of the automaton alone.
pub const PLAIN: usize = 1;
/// The number of words for the sets of the automaton and the slots that an edge serves.
pub const FAIR: usize = 1 + SLOT_WORDS;
/// The number of words for the sets of the automaton, the slots that an edge serves, and those it requires.
pub const STRONG: usize = 1 + 2 * SLOT_WORDS;

/// The number of slots, and under weak or strong fairness alone the number of threads, that can be
/// distinguished.
pub const SLOTS: u32 = 256;
const SLOT_WORDS: usize = SLOTS as usize / 64;

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

    /// Whether the slot is served.
    pub fn serves(self, slot: u32) -> bool {
        slot < SLOTS && self.0[1..].get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
    }

    /// Whether the slot is required. Without words for that, every slot is.
    pub fn requires(self, slot: u32) -> bool {
        let words = self.0.get(FAIR..).filter(|words| !words.is_empty());
        words.is_none_or(|words| {
            words.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 != 0)
        })
    }

    /// The automaton's sets among them.
    pub const fn marks(self) -> Marks {
        Marks(self.0[0])
    }

    fn serve(&mut self, slot: u32) -> Option<()> {
        *self.0[1..].get_mut(slot as usize / 64).filter(|_| slot < SLOTS)? |= 1 << (slot % 64);
        Some(())
    }

    fn require(&mut self, slot: u32) -> Option<()> {
        *self.0[FAIR..].get_mut(slot as usize / 64)? |= 1 << (slot % 64);
        Some(())
    }
}

/// What fairness demands of each thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obligations {
    threads: Fairness,
    /// The transitions that are fair, in increasing order, and whether weakly so.
    transitions: Vec<(u32, bool)>,
    /// The slots that weak fairness requires always, as bits.
    weak: [u64; SLOT_WORDS],
}

impl Obligations {
    /// `strong` and `weak` are the transitions that are fair. One that is both is strongly fair.
    pub fn new(threads: Fairness, strong: &[u32], weak: &[u32]) -> Self {
        let mut transitions: Vec<(u32, bool)> =
            strong.iter().map(|&transition| (transition, false)).collect();
        transitions.extend(weak.iter().map(|&transition| (transition, true)));
        transitions.sort_unstable();
        transitions.dedup_by_key(|&mut (transition, _)| transition);
        let mut obligations = Self { threads, transitions, weak: [0; SLOT_WORDS] };
        let of_thread = (threads != Fairness::None).then_some(threads == Fairness::Weak);
        let of_transitions = obligations.transitions.iter().map(|&(_, is_weak)| is_weak);
        let slots: Vec<bool> = of_thread.into_iter().chain(of_transitions).collect();
        for slot in 0..SLOTS {
            if slots.get(slot as usize % slots.len().max(1)).is_some_and(|is_weak| *is_weak) {
                obligations.weak[slot as usize / 64] |= 1 << (slot % 64);
            }
        }
        obligations
    }

    /// Whether every run is fair.
    pub const fn is_empty(&self) -> bool {
        matches!(self.threads, Fairness::None) && self.transitions.is_empty()
    }

    /// Whether slots are acceptance sets: each of them is always required.
    pub fn is_weak(&self) -> bool {
        self.threads != Fairness::Strong && self.transitions.iter().all(|&(_, is_weak)| is_weak)
    }

    /// The number of slots of each thread. The slots of thread `t` are numbered from `t` times this number
    /// on.
    pub fn per_thread(&self) -> u32 {
        u32::from(self.threads != Fairness::None) + self.transitions.len() as u32
    }

    /// The slot of a thread as a whole.
    fn slot(&self, thread: u32) -> u32 {
        thread.saturating_mul(self.per_thread())
    }

    /// The slot of a step's transition, if the transition is fair, and whether weakly so.
    fn slot_of_step(&self, step: Step) -> Option<(u32, bool)> {
        let at =
            self.transitions.binary_search_by_key(&step.transition, |&(transition, _)| transition).ok()?;
        let slot =
            self.slot(step.thread).saturating_add(u32::from(self.threads != Fairness::None) + at as u32);
        Some((slot, self.transitions[at].1))
    }

    /// What an enabled step of `state` serves: the slots of the threads that move, and of its transition.
    /// `None` if there are too many threads.
    pub fn served<S: Temporal, const N: usize>(
        &self,
        system: &S,
        state: &mut S::State,
        step: Step,
    ) -> Option<Sets<N>> {
        let mut sets = Sets::NONE;
        if N == PLAIN {
            return Some(sets);
        }
        if self.threads != Fairness::None {
            for thread in [Some(step.thread), system.partner(state, step)].into_iter().flatten() {
                sets.serve(self.slot(thread))?;
            }
        }
        if let Some((slot, _)) = self.slot_of_step(step) {
            sets.serve(slot)?;
        }
        Some(sets)
    }

    /// What all edges from an observed `state` have in common, where `steps` are the steps offered: the slots
    /// that are required there and, under weak fairness, those of disabled threads, which are served. `None`
    /// if there are too many threads.
    pub fn common<S: Temporal, const N: usize>(
        &self,
        system: &S,
        state: &mut S::State,
        steps: &Steps,
    ) -> Option<Sets<N>> {
        let mut sets = Sets::NONE;
        if N == PLAIN {
            return Some(sets);
        }
        let mut all = Steps::default();
        let steps = if system.all_steps(state, &mut all) { &all } else { steps };
        sets.0[1..FAIR].copy_from_slice(&self.weak);
        if N == STRONG {
            sets.0[FAIR..].copy_from_slice(&self.weak);
        }
        for &step in &steps.enabled {
            let of_thread = (self.threads == Fairness::Weak).then(|| self.slot(step.thread));
            let of_step = self.slot_of_step(step).filter(|&(_, is_weak)| is_weak).map(|(slot, _)| slot);
            for slot in of_thread.into_iter().chain(of_step) {
                *sets.0[1..FAIR].get_mut(slot as usize / 64)? &= !(1 << (slot % 64));
            }
        }
        if N == STRONG {
            for &step in &steps.enabled {
                if self.threads == Fairness::Strong {
                    for thread in [Some(step.thread), system.partner(state, step)].into_iter().flatten() {
                        sets.require(self.slot(thread))?;
                    }
                }
                if let Some((slot, _)) = self.slot_of_step(step) {
                    sets.require(slot)?;
                }
            }
        }
        Some(sets)
    }
}

#[cfg(test)]
mod tests {
    use system::TransitionSystem;

    use super::*;
    use system::toy::Counters;

    const SYSTEM: Counters = Counters { n: 300, max: 1, forbidden_sum: None, end_is_deadlock: false };

    fn step(thread: u32, transition: u32) -> Step {
        Step { thread, transition, choice: 0 }
    }

    fn steps(enabled: &[(u32, u32)]) -> Steps {
        Steps {
            enabled: enabled.iter().map(|&(thread, transition)| step(thread, transition)).collect(),
            ..Steps::default()
        }
    }

    #[test]
    fn threads_that_move_or_cannot() {
        let weak = Obligations::new(Fairness::Weak, &[], &[]);
        let served = |thread| weak.served::<_, FAIR>(&SYSTEM, &mut SYSTEM.initial(), step(thread, 0));
        let mut initial = SYSTEM.initial();
        let enabled = steps(&[(0, 0), (64, 0), (255, 0)]);
        let idle: Sets<FAIR> = weak.common(&SYSTEM, &mut initial, &enabled).unwrap();
        for thread in 0..SLOTS {
            assert_eq!(idle.contains(served(thread).unwrap()), ![0, 64, 255].contains(&thread));
            assert_eq!(idle.serves(thread), ![0, 64, 255].contains(&thread));
            assert!(idle.requires(thread));
        }
        let moved = [0, 64, 255].iter().fold(idle, |all, &thread| all.with(served(thread).unwrap()));
        assert_eq!(moved, Sets::all(0));
        assert_eq!(served(256), None);
        assert_eq!(weak.common::<_, FAIR>(&SYSTEM, &mut initial, &steps(&[(256, 0)])), None);
        assert_eq!(weak.common::<_, PLAIN>(&SYSTEM, &mut initial, &steps(&[(256, 0)])), Some(Sets::NONE));
    }

    #[test]
    fn slots_that_are_required() {
        let mut initial = SYSTEM.initial();
        let enabled = steps(&[(1, 5), (1, 8), (3, 9)]);
        let mut slots = |fairness, transitions: &[u32]| {
            let obligations = Obligations::new(fairness, transitions, &[]);
            let common: Sets<STRONG> = obligations.common(&SYSTEM, &mut initial, &enabled).unwrap();
            let served: Sets<STRONG> = obligations.served(&SYSTEM, &mut initial, step(1, 8)).unwrap();
            let list = |is_in: &dyn Fn(u32) -> bool| (0..12).filter(|&slot| is_in(slot)).collect::<Vec<_>>();
            (
                list(&|slot| common.requires(slot)),
                list(&|slot| common.serves(slot)),
                list(&|slot| served.serves(slot)),
            )
        };
        assert_eq!(slots(Fairness::Strong, &[]), (vec![1, 3], vec![], vec![1]));
        // Each thread has a slot for itself and two for its transitions.
        assert_eq!(slots(Fairness::Strong, &[9, 8]), (vec![3, 4, 9, 11], vec![], vec![3, 4]));
        let weak = (vec![0, 3, 4, 6, 9, 11], vec![0, 6], vec![3, 4]);
        assert_eq!(slots(Fairness::Weak, &[8, 9]), weak);
        assert_eq!(slots(Fairness::None, &[8]), (vec![1], vec![], vec![1]));
        // Transition 8 is strongly fair and 9 weakly: a thread has one slot for each.
        let obligations = Obligations::new(Fairness::None, &[8], &[8, 9]);
        let common: Sets<STRONG> = obligations.common(&SYSTEM, &mut initial, &enabled).unwrap();
        let list = |is_in: &dyn Fn(u32) -> bool| (0..8).filter(|&slot| is_in(slot)).collect::<Vec<_>>();
        assert_eq!(list(&|slot| common.requires(slot)), [1, 2, 3, 5, 7]);
        assert_eq!(list(&|slot| common.serves(slot)), [1, 3, 5]);
        assert!(!obligations.is_weak() && Obligations::new(Fairness::Weak, &[], &[9]).is_weak());
        let many = Obligations::new(Fairness::Strong, &[8], &[]);
        let common =
            |thread, initial: &mut _| many.common::<_, STRONG>(&SYSTEM, initial, &steps(&[(thread, 8)]));
        assert!(common(127, &mut initial).is_some() && common(128, &mut initial).is_none());
    }
}
