//! Concrete runs from chains of stored states.
//!
//! A breadth-first search under symmetry fires steps of decoded states, in which the ids are the names in the
//! store. Two states that differ in names only take corresponding steps to states that differ in names only:
//! entities that were there before correspond as before, and new ones in the order in which they were made,
//! which is the order of ids. So a concrete run is found by following the decoded one, whether names were
//! canonical or not: nothing is searched.

use engine::{Engine, EngineState, OverEngine};
use state::{Names, NodeRef, State};
use system::{Encoding, Fault, Fired, Step, Steps, TransitionSystem, Waypoint};

use crate::symmetric::{Named, Symmetric};

/// A concrete run beside one through decoded states.
pub struct Lift<'a> {
    system: &'a Symmetric<'a>,
    engine: &'a Engine,
    concrete: EngineState,
    decoded: Named,
    /// The names of threads, objects and abstract ids of the concrete state in the decoded one.
    names: Names,
    taken: Vec<Step>,
}

impl<'a> Lift<'a> {
    pub fn new(system: &'a Symmetric<'a>) -> Self {
        let engine = system.engine();
        let mut decoded = system.initial();
        let names = decoded.names(engine).clone();
        Self { system, engine, concrete: engine.initial(), decoded, names, taken: Vec::new() }
    }

    /// See [`TransitionSystem::retrace`].
    pub fn retrace(mut self, chain: &[Waypoint], last: Option<(Step, Fault)>) -> Vec<Step> {
        for (at, Waypoint { encoding, hidden, .. }) in chain.iter().enumerate() {
            if let Some(ids) = self.system.thread_ids(*hidden) {
                for name in self.names.threads.iter_mut().filter(|name| **name != u32::MAX) {
                    *name = ids[*name as usize];
                }
            }
            if let Some(next) = chain.get(at + 1) {
                self.system.decode(encoding, &mut self.decoded);
                system::restore_hidden(self.system, *hidden, &mut self.decoded);
                // Programs with symmetry have no transient states.
                self.advance(encoding.clone(), next.steps[0], &next.encoding);
            }
        }
        if let Some((step, fault)) = last {
            let mut concrete = self.concrete.clone();
            let corresponds = |candidate| self.corresponds(candidate, step);
            let found = system::step_to_fault(self.engine, &mut concrete, fault, corresponds);
            self.taken.push(found.expect("the same step has the same fault"));
        }
        self.taken
    }

    /// Whether a concrete step is of the same thread and the same transition.
    fn corresponds(&self, concrete: Step, decoded: Step) -> bool {
        self.names.threads[concrete.thread as usize] == decoded.thread
            && concrete.transition == decoded.transition
    }

    /// Takes a step of the decoded state, which `encoding` shows, to `target`, and the corresponding concrete one.
    fn advance(&mut self, mut encoding: Encoding, step: Step, target: &Encoding) {
        let before = Population::of(self.decoded.state());
        self.system.fire(&mut self.decoded, step);
        self.system.encode(&mut self.decoded, &mut encoding);
        debug_assert!(encoding.same(target), "the step leads to the next state");
        let made = Population::of(self.decoded.state()).without(&before);
        let renamed = self.decoded.names(self.engine).clone();

        let before = Population::of(&self.concrete.state);
        let mut offered = Steps::default();
        self.engine.steps(&mut self.concrete, &mut offered);
        // The order of choices depends on names: any of them may correspond.
        for candidate in offered.enabled {
            if !self.corresponds(candidate, step) {
                continue;
            }
            let fired = self.engine.fire(&mut self.concrete, candidate);
            if !matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
                continue;
            }
            let after = Population::of(&self.concrete.state);
            if let Some(names) = self.names_after(&after, &after.without(&before), &made, &renamed) {
                self.concrete.state.encode_all(self.engine.layout(), &names, &mut encoding);
                if encoding.same(target) {
                    self.names = names;
                    return self.taken.push(candidate);
                }
            }
            self.engine.undo(&mut self.concrete);
        }
        panic!("no step of the concrete state corresponds to {step:?} of the stored one");
    }

    /// The names after a step that made the concrete entities in `new` and the decoded ones in `made`.
    /// `renamed` are the names of the decoded ones.
    fn names_after(
        &self,
        all: &Population,
        new: &Population,
        made: &Population,
        renamed: &Names,
    ) -> Option<Names> {
        let follow = |all: &[u32], new: &[u32], made: &[u32], names: &[u32], renamed: &[u32]| {
            let mut after = vec![u32::MAX; all.last().map_or(0, |&last| last as usize + 1)];
            for &id in all {
                let decoded = match new.binary_search(&id) {
                    Ok(at) => *made.get(at)?,
                    Err(_) => *names.get(id as usize)?,
                };
                after[id as usize] = *renamed.get(decoded as usize).filter(|&&name| name != u32::MAX)?;
            }
            Some(after)
        };
        let abstracts = self.names.abstracts.iter().zip(&renamed.abstracts);
        Some(Names {
            threads: follow(
                &all.threads,
                &new.threads,
                &made.threads,
                &self.names.threads,
                &renamed.threads,
            )?,
            objects: follow(
                &all.objects,
                &new.objects,
                &made.objects,
                &self.names.objects,
                &renamed.objects,
            )?,
            abstracts: abstracts
                .map(|(names, renamed)| names.iter().map(|&decoded| renamed[decoded as usize]).collect())
                .collect(),
        })
    }
}

/// The ids that exist in a state, in ascending order.
struct Population {
    threads: Vec<u32>,
    objects: Vec<u32>,
}

impl Population {
    fn of(state: &State) -> Self {
        let (mut threads, mut objects) = (Vec::new(), Vec::new());
        for node in state.units() {
            match node {
                NodeRef::Root => {}
                NodeRef::Thread(id) => threads.push(id.0),
                NodeRef::Object(id) => objects.push(id.0),
            }
        }
        Self { threads, objects }
    }

    fn without(&self, others: &Self) -> Self {
        let rest = |ids: &[u32], others: &[u32]| {
            ids.iter().copied().filter(|id| others.binary_search(id).is_err()).collect()
        };
        Self { threads: rest(&self.threads, &others.threads), objects: rest(&self.objects, &others.objects) }
    }
}
