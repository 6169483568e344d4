//! A concrete state for each node of a graph: the graph again, on the plain interpreter.
//!
//! A search keeps encodings, and steps through transient states only by their last one. So the plain
//! interpreter takes all steps of the graph once more, in the order in which the search found the states. The
//! edges must be the same, and edges to one node must lead to equal states: otherwise there is no graph, but
//! an internal error.

use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use naive::{Naive, NaiveFault, State, Stopped};
use store::{Budget, StateId};
use system::Step;

use crate::pipeline::CheckError;

/// A state of the graph, as the plain interpreter sees it.
pub struct Witness {
    pub state: Rc<State>,
    /// The number of the state from which the search reached it first, and the steps from there. The initial
    /// state has none.
    pub parent: Option<(usize, Rc<[Step]>)>,
    pub is_deadlock: bool,
    /// The run may end here.
    pub is_end: bool,
    /// The state has steps that the graph leaves out, since it is at the depth limit.
    pub is_cut: bool,
    /// What is wrong with the state, or with a step from it.
    pub faults: Vec<(Option<Step>, NaiveFault)>,
}

/// A successor: the steps to it, and the state.
struct Successor {
    steps: Rc<[Step]>,
    state: Rc<State>,
}

/// A block has at most this many steps in all its branches, or there is no witness.
const MOST_STEPS: usize = 1 << 16;

/// What limits the effort.
pub struct Effort<'a> {
    pub budget: &'a Budget,
    pub interrupt: &'a AtomicBool,
}

impl Effort<'_> {
    /// Says whether to go on.
    pub fn check(&self) -> Result<(), CheckError> {
        if self.interrupt.load(Relaxed) {
            return Err(CheckError::Interrupted);
        }
        if self.budget.exceeded() {
            let reason = "there is not enough memory for the contents of the graph; --depth makes it smaller";
            return Err(CheckError::Refused(reason.to_owned()));
        }
        Ok(())
    }
}

/// The states of a graph. `depths` are those of its states, in order; `edges` are in the order of their
/// sources.
pub fn witnesses(
    naive: &Naive<'_>,
    depths: impl ExactSizeIterator<Item = u32>,
    edges: &[(StateId, Step, StateId)],
    max_depth: Option<u32>,
    effort: &Effort<'_>,
) -> Result<Vec<Witness>, CheckError> {
    let otherwise = |at: usize, reason: &str| {
        CheckError::Internal(format!("the plain interpreter has another graph: state {at}: {reason}"))
    };
    let mut found: Vec<Option<Found>> = Vec::new();
    found.resize_with(depths.len(), || None);
    let initial = Rc::new(naive.initial());
    found[0] = Some((initial, None));
    let mut witnesses: Vec<Witness> = Vec::with_capacity(depths.len());
    let mut rest = edges;
    for (at, depth) in depths.enumerate() {
        effort.check()?;
        let Some((state, parent)) = found[at].clone() else {
            return Err(otherwise(at, "no step leads to it"));
        };
        let mut witness = examine(naive, state, parent);
        let is_last = max_depth.is_some_and(|max| depth >= max);
        if is_last {
            let (enabled, faults) = naive.steps(&witness.state);
            witness.is_cut = !enabled.is_empty() || !faults.is_empty();
            witnesses.push(witness);
            continue;
        }
        let mut successors = successors(naive, &mut witness)?;
        let count = rest.iter().take_while(|(source, _, _)| source.index() == at).count();
        let (own, later) = rest.split_at(count);
        rest = later;
        for &(_, step, target) in own {
            let known = found[target.index()].as_ref().map(|(state, _)| Rc::clone(state));
            let fits = |next: &Successor| {
                next.steps.last() == Some(&step) && known.as_ref().is_none_or(|known| *known == next.state)
            };
            let Some(position) = successors.iter().position(fits) else {
                return Err(otherwise(at, &format!("it has no step to state {}", target.0)));
            };
            let Successor { steps, state } = successors.remove(position);
            found[target.index()].get_or_insert((state, Some((at, steps))));
        }
        if !successors.is_empty() {
            return Err(otherwise(at, "it has further steps"));
        }
        witnesses.push(witness);
    }
    Ok(witnesses)
}

type Found = (Rc<State>, Option<(usize, Rc<[Step]>)>);

/// Looks at a state without its steps.
fn examine(naive: &Naive<'_>, state: Rc<State>, parent: Option<(usize, Rc<[Step]>)>) -> Witness {
    let (enabled, guards) = naive.steps(&state);
    let is_stuck = enabled.is_empty() && guards.is_empty();
    let ended = naive.ended(&state);
    let mut faults: Vec<(Option<Step>, NaiveFault)> = Vec::new();
    if parent.is_none() {
        faults.extend(state.soft_fault().map(|fault| (None, fault.clone())));
    }
    if let Err(Stopped::Fault(fault)) = naive.check(&state) {
        faults.push((None, fault));
    }
    let (is_deadlock, is_end) = (is_stuck && !ended, is_stuck && ended);
    Witness { state, parent, is_deadlock, is_end, is_cut: false, faults }
}

/// The successors of a state, through transient states, in the order of steps. Faults go to the witness.
fn successors(naive: &Naive<'_>, witness: &mut Witness) -> Result<Vec<Successor>, CheckError> {
    let mut successors: Vec<Successor> = Vec::new();
    // The steps that lead to the last state of `open`, and the states with the steps that are left.
    let mut path: Vec<Step> = Vec::new();
    let mut open: Vec<(Rc<State>, std::vec::IntoIter<Step>)> = Vec::new();
    let enter = |state: Rc<State>, open: &mut Vec<_>, faults: &mut Vec<(Option<Step>, NaiveFault)>| {
        let (enabled, guards) = naive.steps(&state);
        faults.extend(guards.into_iter().map(|(step, fault)| (Some(step), fault)));
        open.push((state, enabled.into_iter()));
    };
    enter(Rc::clone(&witness.state), &mut open, &mut witness.faults);
    let mut fired = 0;
    while let Some((state, steps)) = open.last_mut() {
        let Some(step) = steps.next() else {
            open.pop();
            path.pop();
            continue;
        };
        fired += 1;
        if fired > MOST_STEPS {
            let reason =
                format!("a block has more than {MOST_STEPS} steps: its graph has no contents or marks");
            return Err(CheckError::Refused(reason));
        }
        match naive.fire(state, step) {
            Err(Stopped::Fault(fault)) => witness.faults.push((Some(step), fault)),
            Err(_) => {}
            Ok(next) => {
                witness.faults.extend(next.soft_fault().map(|fault| (Some(step), fault.clone())));
                let next = Rc::new(next);
                path.push(step);
                if naive.is_transient(&next) {
                    enter(next, &mut open, &mut witness.faults);
                } else {
                    successors.push(Successor { steps: path.as_slice().into(), state: next });
                    path.pop();
                }
            }
        }
    }
    Ok(successors)
}
