//! Whether a run violates a temporal property.
//!
//! A search for cycles says: these steps, of which the last ones are repeated for ever. Nothing of that is
//! taken for granted. The plain interpreter takes the steps; what it sees on the way is a word, of which the
//! evaluator of formulas on lassos, or the claim itself, says whether it violates the property. That the
//! cycle closes, and that it is fair, is checked as well.

use std::collections::BTreeSet;

use ir::{Id, Property, PropertyKind};
use ltl::lasso::Lasso;
use naive::{Naive, State, Stopped};
use serde::Serialize;
use system::Step;

use super::{End, Point};
use crate::config::Fairness;

/// How a run goes on for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cycle {
    /// The number of steps before those that are repeated. If these are all, the run ends: nothing can
    /// move any more.
    pub start: usize,
    /// It leads back to the state where it begins. Otherwise it does so up to the names of what is created on
    /// it.
    pub closed: bool,
}

/// What a run is said to be.
#[derive(Clone, Copy, Debug)]
pub struct Claimed<'a> {
    pub property: &'a Property,
    /// The cycle, in steps of the search. There is none if the property is violated already, whatever comes
    /// next.
    pub cycle: Option<Cycle>,
    pub fairness: Fairness,
    /// For a property of each thread of a procedure: the number of the violating thread, if it is known
    /// before the run.
    pub individual: Option<u32>,
}

/// What was seen of a run that is said to violate a property.
pub struct Word<'a> {
    naive: Naive<'a>,
    claimed: Claimed<'a>,
    /// The valuations of observed states.
    letters: Vec<u64>,
    head: Option<Head>,
    had_individual: bool,
    individual: Option<u32>,
    /// The number of steps of the search so far.
    searched: usize,
}

/// Where the cycle begins, or where the run ends if there is none.
struct Head {
    at: usize,
    state: State,
    /// The number of letters before it.
    letters: usize,
    waiting: Waiting,
}

impl<'a> Word<'a> {
    pub fn new(naive: Naive<'a>, claimed: Claimed<'a>) -> Self {
        let (letters, head, individual) = (Vec::new(), None, claimed.individual);
        let had_individual = claimed.property.each.is_none();
        Self { naive, claimed, letters, head, had_individual, individual, searched: 0 }
    }

    /// For a property of each thread of a procedure: the number of the thread.
    pub const fn individual(&self) -> Option<u32> {
        self.individual
    }

    /// The cycle in steps of the run.
    pub fn cycle(&self) -> Option<Cycle> {
        let start = self.head.as_ref()?.at;
        self.claimed.cycle.map(|cycle| Cycle { start, ..cycle })
    }

    /// The thread that the property is about, in a state.
    pub fn thread(&self, state: &State) -> Option<u32> {
        let each = self.claimed.property.each.as_ref()?;
        state.individual(each.procedure, self.individual?)
    }

    /// The propositions that hold in a state.
    pub fn valuation(&self, state: &State) -> Result<u64, Stopped> {
        self.naive.valuation_about(state, self.claimed.property, self.thread(state))
    }

    /// Reads a point of the run.
    pub fn read(&mut self, point: &Point<'_>) -> Result<(), String> {
        let Point { at, state, next, individual } = *point;
        self.individual = self.individual.or(individual);
        let starts = |cycle: Cycle| match next {
            Some(next) => cycle.start < next.ends,
            None => cycle.start == self.searched,
        };
        if self.head.is_none() && self.claimed.cycle.map_or(next.is_none(), starts) {
            let (letters, waiting) =
                (self.letters.len(), Waiting::new(&self.naive, state, self.claimed.fairness));
            self.head = Some(Head { at, state: state.clone(), letters, waiting });
        }
        let is_stem = self.head.as_ref().is_none_or(|head| head.at == at);
        self.had_individual |= is_stem && self.thread(state).is_some();
        // The last state of a cycle is its first one.
        if next.is_some() || is_stem {
            if state.exclusive.is_none() {
                self.letters.push(self.valuation(state).map_err(|stopped| match stopped {
                    Stopped::Fault(fault) => fault.message,
                    _ => format!("the property is not evaluated within bounds after step {at}"),
                })?);
            }
            if let Some(head) = &mut self.head {
                head.waiting.look(&self.naive, state);
            }
        }
        if let Some(next) = next {
            self.searched = next.ends;
            if let Some(head) = &mut self.head {
                let partner = next.fired.events.partner.map(|(thread, _)| thread);
                head.waiting.moved(next.step, partner);
            }
        }
        Ok(())
    }

    /// Why the run, which ends in `state` after `steps` steps, is not what it is said to be, if it is not.
    pub fn refute(&self, end: &End, steps: usize, state: &State) -> Result<(), String> {
        if let End::Fault(fault) = end {
            return Err(format!("step {steps}: {}", fault.message));
        }
        let Claimed { property, cycle, .. } = self.claimed;
        let Some(head) = &self.head else { return Err("the cycle begins nowhere".to_owned()) };
        if !self.had_individual {
            return Err("there is no such individual before the cycle".to_owned());
        }
        if let Some(cycle) = cycle {
            if self.thread(state) != self.thread(&head.state) {
                return Err("the individual ends on the cycle".to_owned());
            }
            let (enabled, faults) = self.naive.steps(state);
            if head.at == steps && !(enabled.is_empty() && faults.is_empty()) {
                return Err("the run is said to end, and goes on".to_owned());
            }
            if cycle.closed && *state != head.state {
                return Err("the cycle does not lead back to where it begins".to_owned());
            }
            let is_observed = self.letters.len() > head.letters;
            if let Some(reason) = head.waiting.unfairness(is_observed, state) {
                return Err(reason);
            }
        }
        let (stem, mut repeated) = self.letters.split_at(head.letters);
        if repeated.is_empty() {
            // The cycle is inside of an atomic block: the last letter counts for ever.
            repeated = &self.letters[head.letters.saturating_sub(1)..];
        }
        let lasso = Lasso::new(stem, repeated).ok_or("no state of the run is observed")?;
        let is_violated = match &property.kind {
            PropertyKind::Formula(formula) => !lasso.satisfies(formula),
            PropertyKind::Claim(claim) => claim.accepts(&lasso),
        };
        if is_violated { Ok(()) } else { Err("the run satisfies the property".to_owned()) }
    }
}

/// What waits on the cycle so far: threads that were there when it began, and their fair transitions.
struct Waiting {
    fairness: Fairness,
    fair: BTreeSet<u32>,
    /// The threads that were there when the cycle began, as long as they are.
    there: BTreeSet<u32>,
    /// The threads that did not move.
    unmoved: BTreeSet<u32>,
    /// Those of them that could move in all states that are observed.
    always: BTreeSet<u32>,
    /// Those of them that could move in all states that are not observed. That others have no steps in the
    /// middle of an atomic block counts only if the whole cycle is there.
    always_unobserved: BTreeSet<u32>,
    /// The threads that could move in some state that is observed, also as the partner of another thread.
    sometimes: BTreeSet<u32>,
    /// The threads with fair transitions that they could take in some state that is observed, and those that
    /// they took.
    enabled: BTreeSet<(u32, u32)>,
    taken: BTreeSet<(u32, u32)>,
}

impl Waiting {
    fn new(naive: &Naive<'_>, state: &State, fairness: Fairness) -> Self {
        let there: BTreeSet<u32> =
            state.threads.iter().filter(|(_, thread)| !thread.ended()).map(|(&id, _)| id).collect();
        Self {
            fairness,
            fair: naive.program.fair_transitions().map(|id| id.index() as u32).collect(),
            unmoved: there.clone(),
            always: there.clone(),
            always_unobserved: there.clone(),
            there,
            sometimes: BTreeSet::new(),
            enabled: BTreeSet::new(),
            taken: BTreeSet::new(),
        }
    }

    fn look(&mut self, naive: &Naive<'_>, state: &State) {
        self.there.retain(|id| state.threads.get(id).is_some_and(|thread| !thread.ended()));
        if self.fairness == Fairness::None && self.fair.is_empty() {
            return;
        }
        let steps = naive.steps(state).0;
        let enabled: BTreeSet<u32> = steps.iter().map(|step| step.thread).collect();
        let is_observed = state.exclusive.is_none();
        let always = if is_observed { &mut self.always } else { &mut self.always_unobserved };
        always.retain(|thread| enabled.contains(thread));
        if !is_observed {
            return;
        }
        let is_fair =
            |step: &&Step| self.there.contains(&step.thread) && self.fair.contains(&step.transition);
        self.enabled.extend(steps.iter().filter(is_fair).map(|step| (step.thread, step.transition)));
        if self.fairness == Fairness::Strong {
            self.sometimes.extend(&enabled);
            if !naive.program.channels.is_empty() {
                let partner = |&step| naive.fire_recorded(state, step).events.partner;
                self.sometimes.extend(steps.iter().filter_map(partner).map(|(thread, _)| thread));
            }
        }
    }

    fn moved(&mut self, step: Step, partner: Option<u32>) {
        self.taken.insert((step.thread, step.transition));
        for thread in [Some(step.thread), partner].iter().flatten() {
            for waiting in [&mut self.unmoved, &mut self.always, &mut self.always_unobserved] {
                waiting.remove(thread);
            }
        }
    }

    /// Why the cycle, which ends in `state`, is not fair, if it is not.
    fn unfairness(&self, is_observed: bool, state: &State) -> Option<String> {
        let is_there = |thread: u32| {
            self.there.contains(&thread) && state.threads.get(&thread).is_some_and(|thread| !thread.ended())
        };
        let untaken = |&&(thread, transition): &&(u32, u32)| {
            is_there(thread) && !self.taken.contains(&(thread, transition))
        };
        // A cycle that is not observed has no states in which fair transitions are enabled.
        if let Some((thread, transition)) = self.enabled.iter().find(untaken) {
            return Some(format!(
                "the fair transition {transition} of thread {thread} is enabled on the cycle, and never taken"
            ));
        }
        let always = if is_observed { &self.always } else { &self.always_unobserved };
        let (thread, how) = match self.fairness {
            Fairness::None => return None,
            // What can always move can move again and again.
            Fairness::Strong if is_observed => {
                (self.sometimes.intersection(&self.unmoved).next(), "move again and again")
            }
            Fairness::Weak | Fairness::Strong => (always.first(), "always move"),
        };
        Some(format!("thread {} can {how} on the cycle, and never does", thread?))
    }
}
