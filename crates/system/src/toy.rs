//! Small systems for the tests of searches and stores: what a [`TransitionSystem`] needs at the least.

use crate::{Encoding, Fault, FaultKind, Fired, Key, Section, Step, Steps, TransitionSystem};

/// `n` counters that each count from 0 to `max` and stop: `(max + 1)^n` states, one of them final, and
/// `n * max * (max + 1)^(n - 1)` transitions. Optionally a sum that must not be reached.
pub struct Counters {
    pub n: usize,
    pub max: u64,
    pub forbidden_sum: Option<u64>,
    /// The final state counts as a deadlock.
    pub end_is_deadlock: bool,
}

pub struct CountersState {
    values: Vec<u64>,
    fired: Vec<usize>,
}

const ROOT: Key = Key { section: Section::Root, index: 0 };

impl TransitionSystem for Counters {
    type State = CountersState;

    fn initial(&self) -> CountersState {
        CountersState { values: vec![0; self.n], fired: Vec::new() }
    }

    fn steps(&self, state: &mut CountersState, out: &mut Steps) {
        out.clear();
        let open = (0..self.n).filter(|&i| state.values[i] < self.max);
        out.enabled.extend(open.map(|i| Step { thread: i as u32, transition: 0, choice: 0 }));
    }

    fn fire(&self, state: &mut CountersState, step: Step) -> Fired {
        state.values[step.thread as usize] += 1;
        state.fired.push(step.thread as usize);
        Fired::Moved
    }

    fn undo(&self, state: &mut CountersState) {
        if let Some(i) = state.fired.pop() {
            state.values[i] -= 1;
        }
    }

    fn check(&self, state: &mut CountersState) -> Option<Fault> {
        let bad = self.forbidden_sum == Some(state.values.iter().sum());
        bad.then_some(Fault { kind: FaultKind::Invariant, site: 0 })
    }

    fn ended(&self, _: &CountersState) -> bool {
        !self.end_is_deadlock
    }

    fn encode(&self, state: &mut CountersState, into: &mut Encoding) {
        into.set(ROOT, &state.values);
        into.changed_mut().clear();
        into.changed_mut().push(ROOT);
    }

    fn decode(&self, from: &Encoding, state: &mut CountersState) {
        state.values.clear();
        state.values.extend_from_slice(from.get(ROOT).unwrap_or_default());
        state.fired.clear();
    }
}
