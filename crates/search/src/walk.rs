//! Random walks: one path through the state space, determined by a seed.

use bits::SplitMix64;
use system::{Bound, Encoding, Fault, Fired, Halt, Step, Steps, TransitionSystem};

use crate::trail::{DEADLOCK, Trail, is_deadlock};

/// A random walk that has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The steps taken. A step that faults or exceeds a bound is the last one.
    pub trail: Trail,
    pub end: WalkEnd,
}

/// How a random walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WalkEnd {
    /// A proper end of the model.
    Ended,
    /// The last step or the last state has a fault, or the last state is a deadlock.
    Fault(Fault),
    /// The last step exceeds a bound.
    Truncated(Bound),
    /// A state property of the last state was not evaluated because that exceeds a bound.
    Unevaluated(Bound),
    /// The requested number of steps was taken.
    Steps,
}

/// Takes up to `max_steps` steps from the initial state, as a [`Walker`] does.
pub fn walk<S: TransitionSystem>(system: &S, seed: u64, max_steps: usize) -> Walk {
    let mut walker = Walker::new(system, seed, max_steps as u64);
    let mut taken: Vec<Step> = Vec::new();
    loop {
        let Walked { step, end } = walker.walk();
        taken.extend(step);
        if let Some(end) = end {
            return Walk { trail: taken.into(), end };
        }
    }
}

/// A random walk in progress. It keeps the current state, but not the steps that led there.
///
/// Each step is chosen uniformly among the enabled ones. A guard that cannot be evaluated is an error of the
/// state, so it ends the walk there. The states of the system must decode to themselves, which they do unless
/// the system renames them.
pub struct Walker<'s, S: TransitionSystem> {
    system: &'s S,
    state: S::State,
    encoding: Encoding,
    offered: Steps,
    random: SplitMix64,
    /// The number of steps that may still be taken.
    left: u64,
    /// The number of steps that could be undone.
    undoable: u32,
}

/// What one call of [`Walker::walk`] did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walked {
    /// The step that was taken; `None` if the walk ended before it.
    pub step: Option<Step>,
    /// How the walk ended; `None` if it continues.
    pub end: Option<WalkEnd>,
}

/// A walk never undoes a step: after this many steps, the undo log is dropped.
const FORGET_EVERY: u32 = 256;

impl<'s, S: TransitionSystem> Walker<'s, S> {
    /// Starts at the initial state.
    pub fn new(system: &'s S, seed: u64, max_steps: u64) -> Self {
        Self {
            system,
            state: system.initial(),
            encoding: Encoding::new(),
            offered: Steps::default(),
            random: SplitMix64::new(seed),
            left: max_steps,
            undoable: 0,
        }
    }

    /// Takes the next step, if the walk has not ended.
    pub fn walk(&mut self) -> Walked {
        let Self { system, state, offered, .. } = self;
        let ended = |end| Walked { step: None, end: Some(end) };
        match system.check(state) {
            Ok(()) => {}
            Err(Halt::Fault(fault)) => return ended(WalkEnd::Fault(fault)),
            Err(Halt::Truncated(bound)) => return ended(WalkEnd::Unevaluated(bound)),
            Err(Halt::Abandoned) => unreachable!("the state heeds no alarm"),
        }
        system.steps(state, offered);
        if is_deadlock(*system, state, offered) {
            return ended(WalkEnd::Fault(DEADLOCK));
        }
        if offered.is_empty() {
            return ended(WalkEnd::Ended);
        }
        if self.left == 0 {
            return ended(WalkEnd::Steps);
        }
        self.left -= 1;
        if let Some(&(step, fault)) = offered.faults.first() {
            return Walked { step: Some(step), end: Some(WalkEnd::Fault(fault)) };
        }
        let step = offered.enabled[below(&mut self.random, offered.enabled.len())];
        let end = self.follow(step);
        Walked { step: Some(step), end }
    }

    /// Takes a given step, which must be enabled. It is not one of the steps that the walk may take. Returns
    /// how the walk ends with it, if it does.
    pub fn follow(&mut self, step: Step) -> Option<WalkEnd> {
        let end = match self.system.fire(&mut self.state, step) {
            Fired::Moved => None,
            Fired::MovedWithFault(fault) | Fired::Fault(fault) => Some(WalkEnd::Fault(fault)),
            Fired::Truncated(bound) => Some(WalkEnd::Truncated(bound)),
            Fired::Abandoned => unreachable!("the state heeds no alarm"),
        };
        self.undoable += 1;
        if self.undoable >= FORGET_EVERY && end.is_none() {
            self.forget();
        }
        end
    }

    /// Replaces the state by an equal one without an undo log.
    fn forget(&mut self) {
        let Self { system, state, encoding, .. } = self;
        let hidden = system::save_hidden(*system, state);
        system.encode(state, encoding);
        system.decode(encoding, state);
        system::restore_hidden(*system, hidden, state);
        self.undoable = 0;
    }
}

/// A number below `n`, uniform up to a bias of `n` in 2^64.
fn below(random: &mut SplitMix64, n: usize) -> usize {
    ((u128::from(random.next_u64()) * n as u128) >> 64) as usize
}
