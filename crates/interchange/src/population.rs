//! Who is there: the threads and channels of a state, and which text they can still get to.

use ir::{ActionKind, ChannelId, Exit, Guard, Id, Jump, LocationId, ProcedureId, Program, Table};
use rustc_hash::FxHashMap;

/// The threads and channels of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Population {
    /// By number: what the thread runs.
    pub threads: Vec<ProcedureId>,
    /// By number, from 1 on: how the channel was declared, and the thread that it came with.
    pub channels: Vec<(ChannelId, Option<u32>)>,
}

impl Population {
    /// The population with these threads, if none has ended: channels are numbered in the order of threads.
    pub fn of(program: &Program, threads: Vec<ProcedureId>) -> Self {
        let mut channels: Vec<_> = program.first_channels.iter().map(|&channel| (channel, None)).collect();
        for (&procedure, thread) in threads.iter().zip(0..) {
            channels.extend(program.procedures[procedure].channels.iter().map(|&own| (own, Some(thread))));
        }
        Self { threads, channels }
    }
}

/// A set of locations.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Locations(Vec<u64>);

impl Locations {
    fn none(program: &Program) -> Self {
        Self(vec![0; program.locations.len().div_ceil(64)])
    }

    fn insert(&mut self, id: LocationId) -> bool {
        let (word, bit) = (&mut self.0[id.index() / 64], 1 << (id.index() % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    pub fn contains(&self, id: LocationId) -> bool {
        self.0[id.index() / 64] >> (id.index() % 64) & 1 == 1
    }

    pub fn ids(&self) -> Vec<LocationId> {
        let all = (0..self.0.len() * 64).map(|at| LocationId(at as u32));
        all.filter(|&id| self.contains(id)).collect()
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    pub fn add(&mut self, others: &Self) {
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            *word |= other;
        }
    }
}

/// Which text a thread can still get to, by its location: itself, or by threads that it starts. For threads that
/// are not the only ones of their procedure, that is taken to be everything.
#[derive(Clone, Debug)]
pub struct Reach {
    sets: Table<LocationId, Locations>,
    /// By location: a number for its procedure together with its set.
    numbers: Table<LocationId, u32>,
}

impl Reach {
    pub fn new(program: &Program) -> Self {
        let starts = |procedure: ProcedureId| {
            let actions = program.transitions.values().flat_map(|transition| &transition.body);
            actions.filter(|action| action.starts(procedure)).count()
        };
        let is_single = |procedure: ProcedureId| {
            program.active.iter().filter(|&&active| active == procedure).count() == 1
                && starts(procedure) == 0
        };
        let single: Table<ProcedureId, bool> = program.procedures.ids().map(is_single).collect();
        let set = |id: LocationId| {
            let procedure = program.locations[id].procedure;
            let from = if single[procedure] { id } else { program.procedures[procedure].entry };
            reach(program, from)
        };
        let sets: Table<LocationId, Locations> = program.locations.ids().map(set).collect();
        let mut known: FxHashMap<(ProcedureId, &Locations), u32> = FxHashMap::default();
        let mut numbers = Table::new();
        for (id, set) in sets.iter() {
            let next = known.len() as u32;
            numbers.push(*known.entry((program.locations[id].procedure, set)).or_insert(next));
        }
        Self { sets, numbers }
    }

    /// A number that says what a thread runs and which text it can still get to.
    pub fn number(&self, location: LocationId) -> u32 {
        self.numbers[location]
    }

    /// No text.
    pub fn nothing(&self) -> Locations {
        self.sets.values().next().map_or_else(Locations::default, |set| Locations(vec![0; set.0.len()]))
    }

    pub fn from(&self, location: LocationId) -> &Locations {
        &self.sets[location]
    }
}

fn reach(program: &Program, from: LocationId) -> Locations {
    let mut reached = Locations::none(program);
    let mut pending = vec![from];
    while let Some(id) = pending.pop() {
        if !reached.insert(id) {
            continue;
        }
        for &transition in &program.locations[id].transitions {
            let transition = &program.transitions[transition];
            if let Exit::Jump(Jump::Goto(to)) = transition.exit {
                pending.push(to);
            }
            if let Guard::Ready(first) = transition.guard {
                pending.push(first);
            }
            for action in &transition.body {
                if let ActionKind::Start { procedure, .. } = action.kind {
                    pending.push(program.procedures[procedure].entry);
                }
            }
        }
    }
    reached
}
