//! Runs of programs in which statements are merged, in steps of the model.
//!
//! A search may take chains of statements as one step each. What it finds becomes a run of the model as it
//! was written, statement by statement.

use std::collections::{BTreeSet, VecDeque};

use ir::{LocationId, Program, TransitionId};
use naive::{Naive, State};
use promela::Chains;
use system::{FaultKind, Step};

use super::{NextStep, StepSource};

/// The steps of a merged program. Where nothing is merged, they are those of the model.
pub struct MergedSteps<'a> {
    chains: Option<&'a Chains>,
    /// Whether the search left out the steps by which processes vanish that have ended.
    stay: bool,
    merged: &'a [Step],
    claimed: Option<FaultKind>,
    /// The number of merged steps that have begun.
    begun: usize,
    /// The rest of the last one.
    rest: VecDeque<Step>,
}

impl<'a> MergedSteps<'a> {
    /// The steps of a run that ends in a violation of a kind, be that in the middle of a chain. Where the
    /// model does not follow, the run ends as well, and shows no violation.
    pub fn new(chains: &'a Chains, stay: bool, merged: &'a [Step], claimed: FaultKind) -> Self {
        Self { chains: Some(chains), stay, claimed: Some(claimed), ..Self::of_model(merged) }
    }

    /// The steps of a run of the model.
    pub fn of_model(steps: &'a [Step]) -> Self {
        Self { chains: None, stay: false, merged: steps, claimed: None, begun: 0, rest: VecDeque::new() }
    }

    /// The steps behind the first one of a chain.
    fn behind(&self, thread: u32, first: TransitionId) -> impl Iterator<Item = Step> + use<'a> {
        let chain = self.chains.and_then(|chains| chains.get(&first));
        let rest = chain.map_or(&[][..], |chain| &chain.rest);
        rest.iter().map(move |link| Step { thread, transition: link.transition.0, choice: 0 })
    }
}

impl StepSource for MergedSteps<'_> {
    fn next(&mut self, naive: &Naive<'_>, state: &State) -> Option<NextStep> {
        let is_shown = state.soft_fault().is_some_and(|fault| Some(fault.kind) == self.claimed);
        if self.begun > 0 && self.left() == 0 && is_shown {
            return None;
        }
        if let Some(step) = self.rest.pop_front() {
            return Some(NextStep { step, fired: naive.fire_recorded(state, step), ends: self.begun });
        }
        if self.stay
            && let Some(step) = vanishing(naive, state)
        {
            return Some(NextStep { step, fired: naive.fire_recorded(state, step), ends: self.begun });
        }
        let &step = self.merged.get(self.begun)?;
        self.begun += 1;
        let fired = naive.fire_recorded(state, step);
        let sender = (step.thread, TransitionId(step.transition));
        for (thread, first) in std::iter::once(sender).chain(fired.events.partner) {
            let behind = self.behind(thread, first);
            self.rest.extend(behind);
        }
        Some(NextStep { step, fired, ends: self.begun })
    }

    fn left(&self) -> usize {
        self.merged.len() - self.begun
    }
}

/// The step by which a process vanishes that has ended, if there is one.
fn vanishing(naive: &Naive<'_>, state: &State) -> Option<Step> {
    let is_end = |step: &Step| interchange::is_end(&naive.program.transitions[TransitionId(step.transition)]);
    naive.steps(state).0.into_iter().find(is_end)
}

/// The locations inside of chains of which the first statement was taken.
pub fn passed(
    program: &Program,
    chains: &Chains,
    was_taken: impl Fn(TransitionId) -> bool,
) -> BTreeSet<LocationId> {
    let begun = chains.iter().filter(|(first, _)| was_taken(**first));
    begun.flat_map(|(_, chain)| &chain.rest).map(|link| program.transitions[link.transition].source).collect()
}
