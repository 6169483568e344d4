//! The locations and transitions of one procedure, before they become part of the program.
//!
//! Until [`Graph::commit`] ids are those of this graph. Before that, graphs that come from statements are
//! transformed twice:
//!
//! **Merging.** Inside an atomic block, a location with only one way in and one way out is merged into the
//! transition before it. No other thread can run there, so this changes neither states nor faults, only the
//! number of steps it takes. It is kept if the way out can block or branch (a guard, `assume`, `lock`,
//! `unwait`, `notify`, `choose`), calls, or if other handlers cover it.
//!
//! **Pruning.** Unreachable locations, by merging or because they come after a `return`, are dropped. The
//! others are put into the order of the text; the entry is the first.

use std::fmt::Write as _;

use ir::{
    Action, ActionKind, Catch, Exit, Guard, Id, Jump, Location, LocationId, LocationKind, ProcedureId,
    Program, Table, Transition, TransitionId,
};
use rustc_hash::FxHashMap;
use source::{SourceMap, Span};

/// The target of a jump that is never taken: its transition ends in `throw` or `exit`.
pub const NOWHERE: LocationId = LocationId(u32::MAX);

#[derive(Default)]
pub struct Graph {
    pub locations: Table<LocationId, Location>,
    pub transitions: Table<TransitionId, Transition>,
    pub catches: Vec<Catch>,
}

impl Graph {
    pub fn location(&mut self, procedure: ProcedureId, atomic: bool, span: Span) -> LocationId {
        self.locations.push(Location { atomic, synthetic: true, ..Location::new("", procedure, span) })
    }

    pub fn transition(&mut self, transition: Transition) {
        let source = transition.source;
        let id = self.transitions.push(transition);
        self.locations[source].transitions.push(id);
    }

    /// Adds a transition without a guard.
    pub fn step(&mut self, source: LocationId, body: Vec<Action>, exit: Exit, span: Span) {
        self.transition(Transition::new(source, Guard::Always, body, exit, span));
    }

    /// Adds a transition that only jumps.
    pub fn branch(&mut self, source: LocationId, guard: Guard, jump: Jump, span: Span) {
        self.transition(Transition::new(source, guard, Vec::new(), Exit::Jump(jump), span));
    }

    /// Merges the straight parts of atomic blocks.
    pub fn merge(&mut self, entry: LocationId) {
        let ways_in = self.ways_in(entry);
        let covered = self.covered_by();
        let mut gone = vec![false; self.locations.len()];
        for id in self.transitions.ids() {
            let source = self.transitions[id].source;
            if gone[source.index()] {
                continue;
            }
            while let Exit::Jump(Jump::Goto(target)) = self.transitions[id].exit
                && target != NOWHERE
                && target != source
                && !gone[target.index()]
                && ways_in[target.index()] == 1
                && covered[target.index()] == covered[source.index()]
                && !self.transitions[id]
                    .body
                    .iter()
                    .any(|action| matches!(action.kind, ActionKind::Notify(_) | ActionKind::Choose(..)))
                && let Some(next) = self.straight(target)
            {
                gone[target.index()] = true;
                let Transition { body, exit, .. } = self.transitions[next].clone();
                let transition = &mut self.transitions[id];
                transition.body.extend(body);
                transition.exit = exit;
            }
        }
    }

    /// The only transition of an atomic location, if it neither waits nor branches nor calls.
    fn straight(&self, id: LocationId) -> Option<TransitionId> {
        let location = &self.locations[id];
        let [only] = location.transitions[..] else { return None };
        let transition = &self.transitions[only];
        let simple = transition.body.iter().all(|action| match action.kind {
            ActionKind::Assume(_)
            | ActionKind::Lock(_)
            | ActionKind::Unwait(_)
            | ActionKind::Notify(_)
            | ActionKind::Choose(..)
            | ActionKind::Send { .. }
            | ActionKind::Receive { .. } => false,
            ActionKind::Assign(..)
            | ActionKind::New(..)
            | ActionKind::Assert(..)
            | ActionKind::Unlock(_)
            | ActionKind::Wait(_)
            | ActionKind::NotifyAll(_)
            | ActionKind::Throw(_)
            | ActionKind::Delete(_)
            | ActionKind::Kill(_)
            | ActionKind::BadCall(_)
            | ActionKind::Start { .. }
            | ActionKind::Check(_)
            | ActionKind::SetPriority(..)
            | ActionKind::Print { .. }
            | ActionKind::Exit => true,
        });
        let plain = location.atomic
            && location.kind == LocationKind::Plain
            && transition.guard == Guard::Always
            && matches!(transition.exit, Exit::Jump(_));
        (plain && simple).then_some(only)
    }

    /// The number of jumps that lead to each location. Entry and handlers count as jumps from elsewhere.
    fn ways_in(&self, entry: LocationId) -> Vec<usize> {
        let mut ways = vec![0; self.locations.len()];
        ways[entry.index()] += 2;
        for catch in &self.catches {
            ways[catch.handler.index()] += 2;
        }
        let resumed = self.locations.values().filter_map(|location| match &location.kind {
            LocationKind::Plain => None,
            LocationKind::Resume { then, .. } => target(then),
        });
        // The target of a resume location is not merged into the call.
        resumed.for_each(|target| ways[target.index()] += 2);
        for transition in self.transitions.values() {
            if let Exit::Jump(jump) = &transition.exit
                && let Some(target) = target(jump)
            {
                ways[target.index()] += 1;
            }
        }
        ways
    }

    /// The catches that cover each location.
    fn covered_by(&self) -> Vec<Vec<usize>> {
        let mut covered = vec![Vec::new(); self.locations.len()];
        for (index, catch) in self.catches.iter().enumerate() {
            for location in &catch.covers {
                covered[location.index()].push(index);
            }
        }
        covered
    }

    /// The reachable locations. A handler is reachable if a location that it covers is.
    pub fn reachable(&self, entry: LocationId) -> Vec<bool> {
        let covered = self.covered_by();
        let mut reached = vec![false; self.locations.len()];
        let mut todo = vec![entry];
        while let Some(id) = todo.pop() {
            if id == NOWHERE || std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            todo.extend(covered[id.index()].iter().map(|&catch| self.catches[catch].handler));
            if let LocationKind::Resume { then, .. } = &self.locations[id].kind {
                todo.extend(target(then));
            }
            for &transition in &self.locations[id].transitions {
                match &self.transitions[transition].exit {
                    Exit::Jump(jump) => todo.extend(target(jump)),
                    Exit::Call { resume, .. } => todo.push(*resume),
                }
            }
        }
        reached
    }

    /// Drops unreachable locations, and orders the rest as in the text.
    pub fn prune(self, entry: LocationId) -> Self {
        let reached = self.reachable(entry);
        let mut order: Vec<_> = self.locations.ids().filter(|id| reached[id.index()]).collect();
        order.sort_by_key(|&id| self.locations[id].span.start);
        let mut pruned = Self::default();
        let mut renamed = vec![NOWHERE; self.locations.len()];
        for &id in &order {
            let location = self.locations[id].clone();
            renamed[id.index()] = pruned.locations.push(Location { transitions: Vec::new(), ..location });
            for &transition in &self.locations[id].transitions {
                pruned.transitions.push(self.transitions[transition].clone());
            }
        }
        pruned.catches = self.catches;
        for catch in &mut pruned.catches {
            catch.covers.retain(|location| reached[location.index()]);
        }
        pruned.catches.retain(|catch| !catch.covers.is_empty());
        pruned.rename(|id| if id == NOWHERE { id } else { renamed[id.index()] });
        for (id, transition) in pruned.transitions.iter() {
            pruned.locations[transition.source].transitions.push(id);
        }
        pruned
    }

    /// Replaces the ids of all locations.
    fn rename(&mut self, name: impl Fn(LocationId) -> LocationId) {
        let jump = |jump: &mut Jump| {
            if let Jump::Goto(target) = jump {
                *target = name(*target);
            }
        };
        for location in self.locations.values_mut() {
            if let LocationKind::Resume { origin, then, .. } = &mut location.kind {
                *origin = name(*origin);
                jump(then);
            }
        }
        for transition in self.transitions.values_mut() {
            transition.source = name(transition.source);
            match &mut transition.exit {
                Exit::Jump(exit) => jump(exit),
                Exit::Call { resume, .. } => *resume = name(*resume),
            }
        }
        for catch in &mut self.catches {
            catch.handler = name(catch.handler);
            catch.covers.iter_mut().for_each(|location| *location = name(*location));
        }
    }

    /// Names the synthetic locations after their lines.
    pub fn name_synthetic(&mut self, map: &SourceMap) {
        let mut taken: FxHashMap<String, u32> = FxHashMap::default();
        for location in self.locations.values().filter(|location| !location.synthetic) {
            taken.insert(location.name.clone(), 1);
        }
        for location in self.locations.values_mut().filter(|location| location.synthetic) {
            let stem = format!("line{}", map.line(location.span));
            let mut name = stem.clone();
            while let Some(count) = taken.get_mut(&name) {
                *count += 1;
                let count = *count;
                name.clone_from(&stem);
                let _ = write!(name, "_{count}");
            }
            taken.insert(name.clone(), 1);
            location.name = name;
        }
    }

    /// Moves everything into the program.
    pub fn commit(mut self, program: &mut Program) -> (LocationId, Vec<Catch>) {
        let (locations, transitions) = (program.locations.len(), program.transitions.len());
        for transition in self.transitions.values_mut() {
            if transition.exit == Exit::Jump(Jump::Goto(NOWHERE)) {
                transition.exit = Exit::Jump(Jump::Goto(transition.source));
            }
        }
        for location in self.locations.values_mut() {
            if let LocationKind::Resume { origin, then, .. } = &mut location.kind
                && *then == Jump::Goto(NOWHERE)
            {
                *then = Jump::Goto(*origin);
            }
        }
        self.rename(|id| LocationId::from_index(id.index() + locations));
        for location in self.locations.values_mut() {
            for id in &mut location.transitions {
                *id = TransitionId::from_index(id.index() + transitions);
            }
        }
        for location in self.locations.values() {
            program.locations.push(location.clone());
        }
        for transition in self.transitions.values() {
            program.transitions.push(transition.clone());
        }
        (LocationId::from_index(locations), self.catches)
    }
}

fn target(jump: &Jump) -> Option<LocationId> {
    match jump {
        Jump::Goto(target) => Some(*target).filter(|&target| target != NOWHERE),
        Jump::Return(_) => None,
    }
}
