//! Concrete runs from chains of representatives.
//!
//! A search fires steps of decoded representatives. The concrete run beside it is always a permutation away: its
//! state, permuted, is the decoded one. So it is found by following: of the steps of the corresponding thread, one
//! leads to the corresponding state.

use std::rc::Rc;

use engine::{EngineState, OverEngine};
use ir::{Permutation, Recoded, Recoding};
use system::{Encoding, Fault, Fired, Step, Steps, TransitionSystem, Waypoint};

use crate::cells::Cells;
use crate::interchanging::{Interchanging, Permuted};

/// The permutations, one after the other, that lead from a concrete state to a decoded one. Each belongs to the plan
/// that allowed it, which says where names are.
struct Way {
    legs: Vec<(Rc<Cells>, Permutation)>,
}

impl Way {
    /// The thread of the decoded state that corresponds to one of the concrete state.
    fn thread(&self, thread: u32) -> u32 {
        self.legs
            .iter()
            .fold(thread, |thread, (_, leg)| leg.threads.get(thread as usize).copied().unwrap_or(thread))
    }

    /// The state that corresponds to a concrete one, encoded.
    fn encode(&self, system: &Interchanging<'_>, concrete: &EngineState, into: &mut Encoding) {
        let layout = system.engine().layout();
        let mut state = concrete.clone();
        for (cells, leg) in &self.legs {
            cells.encode(layout, &state.state, leg, into);
            system.engine().decode(into, &mut state);
        }
    }

    fn add(&mut self, cells: Rc<Cells>, permutation: Permutation) {
        if let Some((last, leg)) = self.legs.last_mut()
            && Rc::ptr_eq(last, &cells)
            && leg.threads.len() == permutation.threads.len()
            && leg.channels.len() == permutation.channels.len()
        {
            *leg = composed(leg, &permutation);
        } else if self.legs.is_empty() || !permutation.is_identity() {
            self.legs.push((cells, permutation));
        }
    }
}

/// First one, then the other.
pub fn composed(first: &Permutation, then: &Permutation) -> Permutation {
    let through = |first: &[u32], then: &[u32]| first.iter().map(|&at| then[at as usize]).collect();
    let mut locations = then.locations.clone();
    for (&from, &to) in &first.locations {
        locations.insert(from, then.location(to));
    }
    locations.retain(|from, to| from != to);
    let mut coded = then.coded.clone();
    for (&variable, first) in &first.coded {
        let Some(then) = then.coded.get(&variable) else {
            coded.insert(variable, first.clone());
            continue;
        };
        let through = |first: &Recoded| {
            let then = &then.elements[first.to as usize];
            let values = first.values.iter().map(|&(from, to)| (from, then.apply(to))).collect();
            Recoded { to: then.to, values }
        };
        coded.insert(variable, Recoding { elements: first.elements.iter().map(through).collect() });
    }
    Permutation {
        threads: through(&first.threads, &then.threads),
        channels: through(&first.channels, &then.channels),
        locations,
        coded,
    }
}

pub fn retrace(
    system: &Interchanging<'_>,
    chain: &[Waypoint],
    passing: &[Step],
    last: Option<(Step, Fault)>,
) -> Vec<Step> {
    let engine = system.engine();
    let mut concrete = engine.initial();
    let mut decoded = system.initial();
    let mut way = Way { legs: Vec::new() };
    let (cells, permutation) = system.names(&mut decoded);
    way.add(cells, permutation);
    let mut taken = Vec::new();
    for pair in chain.windows(2) {
        let [from, to] = pair else { unreachable!("windows have this length") };
        system.decode(&from.encoding, &mut decoded);
        for &step in &to.steps {
            taken.push(follow(system, &mut concrete, &way, &mut decoded, step));
        }
        let (cells, permutation) = system.names(&mut decoded);
        way.add(cells, permutation);
    }
    if let Some(end) = chain.last() {
        system.decode(&end.encoding, &mut decoded);
    }
    for &step in passing {
        taken.push(follow(system, &mut concrete, &way, &mut decoded, step));
    }
    if let Some((step, fault)) = last {
        taken.push(follow_to_fault(system, &mut concrete, &way, step, fault));
    }
    taken
}

/// The step of the corresponding thread that ends in the corresponding fault: at the same place, or at one of a text
/// that the permutation maps to it.
fn follow_to_fault(
    system: &Interchanging<'_>,
    concrete: &mut EngineState,
    way: &Way,
    step: Step,
    fault: Fault,
) -> Step {
    let engine = system.engine();
    let mut offered = Steps::default();
    engine.steps(concrete, &mut offered);
    let mut found: Vec<(Step, Fault)> = offered.faults;
    for candidate in offered.enabled {
        match engine.fire(concrete, candidate) {
            Fired::Fault(fault) => found.push((candidate, fault)),
            Fired::MovedWithFault(fault) => {
                engine.undo(concrete);
                found.push((candidate, fault));
            }
            Fired::Moved => engine.undo(concrete),
            Fired::Truncated(_) | Fired::Abandoned => {}
        }
    }
    let corresponds = |&&(candidate, other): &&(Step, Fault)| {
        way.thread(candidate.thread) == step.thread && other.kind == fault.kind
    };
    let exact = found.iter().filter(corresponds).find(|(_, other)| other.site == fault.site);
    let found = exact.or_else(|| found.iter().find(corresponds));
    found.expect("a state that corresponds has a step with a fault of the same kind").0
}

/// Takes a step of the decoded state, and the step of the corresponding thread of the concrete one that leads to the
/// corresponding state.
fn follow(
    system: &Interchanging<'_>,
    concrete: &mut EngineState,
    way: &Way,
    decoded: &mut Permuted,
    step: Step,
) -> Step {
    system.fire(decoded, step);
    let mut wanted = Encoding::new();
    system.raw(decoded, &mut wanted);
    let thread = step.thread;
    let engine = system.engine();
    let mut offered = Steps::default();
    engine.steps(concrete, &mut offered);
    let mut encoding = Encoding::new();
    for step in offered.enabled {
        if way.thread(step.thread) != thread {
            continue;
        }
        if !matches!(engine.fire(concrete, step), Fired::Moved | Fired::MovedWithFault(_)) {
            continue;
        }
        way.encode(system, concrete, &mut encoding);
        if encoding.same(&wanted) {
            return step;
        }
        engine.undo(concrete);
    }
    panic!("no step of the concrete state corresponds to that of its representative");
}
