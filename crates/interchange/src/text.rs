//! The text of a program and its individuals as one graph.
//!
//! Nodes are the individuals (threads and channels), locations, transitions, and pieces of text that name
//! individuals; the rest of the text is in labels, which are compared exactly. A permutation of the individuals
//! leaves the program as it is if it is part of an automorphism of this graph. Transitions of a location have no
//! order, nor have operands of operators that commute; everything else does.

use std::collections::BTreeMap;

use ir::{Exit, GlobalId, Guard, Id, Jump, LocationId, ProcedureId, Program, Sort};
use rustc_hash::FxHashMap;

use crate::plan::Parameters;
use crate::population::Population;
use crate::seeded::{Seeded, is_seeded};
use crate::terms::{Key, Term};
use crate::unify::Var;
use crate::walk::Walk;

/// The graph.
#[derive(Debug, Default)]
pub struct Text {
    /// By node: everything about it that is not an edge.
    pub labels: Vec<Key>,
    pub edges: Vec<Edge>,
    /// The number of threads and of channels: threads have the first nodes, then channels.
    pub threads: usize,
    pub channels: usize,
    pub locations: FxHashMap<LocationId, u32>,
    /// The points, by node.
    pub points: BTreeMap<u32, Point>,
}

/// Something that threads name in a coded variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Point {
    pub variable: GlobalId,
    pub element: u32,
    /// A value of the element; `None` for the element itself.
    pub value: Option<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    pub source: u32,
    pub label: Key,
    pub target: u32,
}

/// What a term becomes: part of the label of what contains it, or a node.
enum Part {
    Label(Key),
    Node(u32),
}

/// Stands for a node, in a label.
const HOLE: u64 = u64::MAX;

impl Text {
    /// The node of a channel, by its number from 1.
    pub fn channel(&self, number: usize) -> u32 {
        (self.threads + number - 1) as u32
    }

    pub fn is_individual(&self, node: u32) -> bool {
        (node as usize) < self.threads + self.channels
    }

    pub fn is_thread(&self, node: u32) -> bool {
        (node as usize) < self.threads
    }

    fn add(&mut self, label: Key) -> u32 {
        self.labels.push(label);
        self.labels.len() as u32 - 1
    }

    fn link(&mut self, source: u32, label: Key, target: u32) {
        self.edges.push(Edge { source, label, target });
    }
}

/// Makes the graph.
pub struct Builder<'w, 'p> {
    pub walk: &'w mut Walk<'p>,
    pub population: &'w Population,
    parameters: Parameters<'w>,
    pub text: Text,
}

impl<'w, 'p> Builder<'w, 'p> {
    pub fn new(
        walk: &'w mut Walk<'p>,
        population: &'w Population,
        parameters: Parameters<'w>,
        pinned: &[bool],
    ) -> Self {
        let text = Text {
            threads: population.threads.len(),
            channels: population.channels.len(),
            ..Text::default()
        };
        let mut builder = Self { walk, population, parameters, text };
        builder.add_individuals(pinned);
        builder
    }

    fn key(&mut self, parts: Vec<u64>) -> Key {
        self.walk.keys.intern(parts)
    }

    fn program(&self) -> &'p Program {
        self.walk.program
    }

    // Individuals.

    fn add_individuals(&mut self, pinned: &[bool]) {
        for (thread, &procedure) in self.population.threads.iter().enumerate() {
            let is_fixed =
                pinned[thread] || self.walk.unifier.sort(self.walk.threads[procedure]) == Sort::Number;
            let mut parts = vec![90, procedure.index() as u64, if is_fixed { thread as u64 + 1 } else { 0 }];
            self.add_ranges(thread as i64, true, &mut parts);
            self.add_results(thread as i64, procedure, &mut parts);
            self.add_parameters(thread as u32, procedure, &mut parts);
            let key = self.key(parts);
            self.text.add(key);
        }
        for number in 1..=self.text.channels {
            let (declared, owner) = self.population.channels[number - 1];
            let is_fixed = pinned[self.text.threads + number - 1]
                || self.walk.unifier.sort(self.walk.channels[declared]) != Sort::Channel;
            let mut parts = vec![if is_fixed { number as u64 + 1000 } else { 91 }];
            if owner.is_some() {
                parts.extend([1, declared.index() as u64]);
            } else {
                let channel = &self.program().channels[declared];
                parts.extend([0, channel.capacity.into()]);
                for (at, field) in channel.fields.iter().enumerate() {
                    let var = self.walk.unifier.field(self.walk.channels[declared], at);
                    parts.push(field.ty.index() as u64);
                    parts.extend(match self.walk.unifier.sort(var) {
                        Sort::Number => [0, 0],
                        Sort::Thread { shift } => [1, shift as u64],
                        Sort::Channel => [2, 0],
                    });
                }
            }
            self.add_ranges(number as i64, false, &mut parts);
            let key = self.key(parts);
            self.text.add(key);
        }
        for number in 1..=self.text.channels {
            if let (declared, Some(owner)) = self.population.channels[number - 1] {
                let label = self.key(vec![93, declared.index() as u64]);
                self.text.link(owner, label, self.text.channel(number));
            }
        }
        self.add_constants();
        self.add_functions();
        self.add_points();
    }

    /// Adds the points that threads name in coded variables, and edges from the threads.
    fn add_points(&mut self) {
        let mut nodes: BTreeMap<Point, u32> = BTreeMap::new();
        for (access, at) in self.walk.accesses.clone().iter().zip(0..) {
            for (thread, &procedure) in self.population.threads.iter().enumerate() {
                if procedure == access.procedure
                    && let Some((element, value)) = access.point(self.program(), thread as i64)
                {
                    let of_element = self.point(&mut nodes, access.variable, element, None);
                    let of_value = self.point(&mut nodes, access.variable, element, Some(value));
                    let label = self.key(vec![97, at]);
                    self.text.link(thread as u32, label, of_value);
                    if nodes.len() > self.text.points.len() {
                        let label = self.key(vec![98]);
                        self.text.link(of_value, label, of_element);
                        self.text.points.extend(nodes.iter().map(|(&point, &node)| (node, point)));
                    }
                }
            }
        }
    }

    fn point(
        &mut self,
        nodes: &mut BTreeMap<Point, u32>,
        variable: GlobalId,
        element: u32,
        value: Option<i64>,
    ) -> u32 {
        let label = self.key(vec![99, variable.index() as u64, value.is_some().into()]);
        *nodes.entry(Point { variable, element, value }).or_insert_with(|| self.text.add(label))
    }

    /// The individual that a number stands for.
    fn individual(&self, sort: Sort, value: i64) -> Option<u32> {
        match sort {
            Sort::Number => None,
            Sort::Thread { shift } => usize::try_from(value.wrapping_add(shift))
                .ok()
                .filter(|&thread| thread < self.text.threads)
                .map(|thread| thread as u32),
            Sort::Channel => usize::try_from(value)
                .ok()
                .filter(|&number| (1..=self.text.channels).contains(&number))
                .map(|number| self.text.channel(number)),
        }
    }

    /// Adds to the label of a thread the parameters that are numbers and never change.
    fn add_parameters(&self, thread: u32, procedure: ProcedureId, parts: &mut Vec<u64>) {
        for &local in &self.walk.parameters[procedure] {
            if self.walk.unifier.sort(self.walk.locals[procedure][local].value) == Sort::Number {
                parts.push((self.parameters)(thread, local).unwrap_or_default() as u64);
            }
        }
    }

    /// Adds to the label of a thread what functions of its number yield that is no name.
    fn add_results(&self, thread: i64, procedure: ProcedureId, parts: &mut Vec<u64>) {
        for function in self.walk.functions.iter().filter(|function| function.procedure == procedure) {
            let result = function.apply(self.program(), thread);
            let sort = self.walk.unifier.sort(function.var);
            match result {
                None => parts.extend([2, thread as u64]),
                Some(value) if self.individual(sort, value).is_none() => parts.extend([1, value as u64]),
                Some(_) => parts.push(0),
            }
        }
    }

    /// Adds edges from threads to the individuals that functions of their numbers yield.
    fn add_functions(&mut self) {
        for at in 0..self.walk.functions.len() {
            let function = self.walk.functions[at].clone();
            let sort = self.walk.unifier.sort(function.var);
            for thread in 0..self.text.threads {
                if self.population.threads[thread] == function.procedure
                    && let Some(value) = function.apply(self.program(), thread as i64)
                    && let Some(target) = self.individual(sort, value)
                {
                    let label = self.key(vec![96, at as u64]);
                    self.text.link(thread as u32, label, target);
                }
            }
        }
    }

    /// Adds to the label of an individual which places can hold its number, and which arrays have an element for it.
    /// An individual whose number would be brought into the range of a place stays.
    fn add_ranges(&self, number: i64, is_thread: bool, parts: &mut Vec<u64>) {
        let program = self.program();
        let Walk { unifier, globals, locals, channels, ranges, .. } = &*self.walk;
        let mut note = |var: Var, lo: i64, hi: i64, out_of_range: u64| {
            if is_seeded(Seeded::NoRanges) {
                return;
            }
            let shift = match unifier.sort(var) {
                Sort::Thread { shift } if is_thread => shift,
                Sort::Channel if !is_thread => 0,
                _ => return,
            };
            let fits = (lo..=hi).contains(&number.wrapping_sub(shift));
            parts.push(if fits { 0 } else { out_of_range });
        };
        let stays = number as u64 + 2;
        let range = |ty| match program.types[ty] {
            ir::Type::Int(int) => (int.lo, int.hi),
            _ => (0, 0),
        };
        let of_globals = program.globals.values().zip(globals.values());
        let of_locals = program
            .procedures
            .values()
            .zip(locals.values())
            .flat_map(|(procedure, vars)| procedure.locals.values().zip(vars.values()));
        for (variable, vars) in of_globals.chain(of_locals) {
            let (lo, hi) = range(variable.ty);
            note(vars.value, lo, hi, stays);
            for (&index, &len) in vars.indices.iter().zip(&variable.dims) {
                note(index, 0, i64::from(len) - 1, 1);
            }
        }
        for (id, channel) in program.channels.iter() {
            for (at, field) in channel.fields.iter().enumerate() {
                let (lo, hi) = range(field.ty);
                if let Some(var) = unifier.known_field(channels[id], at) {
                    note(var, lo, hi, stays);
                }
            }
        }
        for &(var, lo, hi) in ranges {
            note(var, lo, hi, stays);
        }
    }

    /// Adds which channels an array of channels leads to, if the array never changes.
    fn add_constants(&mut self) {
        for id in self.program().globals.ids() {
            let Some(channels) = self.walk.constants[id].clone().filter(|_| self.walk.indexed[id]) else {
                continue;
            };
            let sort = self.walk.unifier.sort(self.walk.globals[id].indices[0]);
            for (at, &number) in channels.iter().enumerate() {
                if !(1..=self.text.channels as i64).contains(&number) {
                    continue;
                }
                let channel = self.text.channel(number as usize);
                let thread = match sort {
                    Sort::Thread { shift } => usize::try_from(at as i64 + shift).ok(),
                    _ => None,
                };
                if let Some(thread) = thread.filter(|&thread| thread < self.text.threads) {
                    let label = self.key(vec![94, id.index() as u64]);
                    self.text.link(thread as u32, label, channel);
                } else {
                    let label = self.key(vec![95, id.index() as u64, at as u64]);
                    let node = self.text.add(label);
                    self.text.link(node, label, channel);
                }
            }
        }
    }

    // Text.

    /// Adds a node for each of these locations, and then their transitions with the terms that the walk made.
    pub fn add_locations(
        &mut self,
        locations: &[LocationId],
        terms: &FxHashMap<ir::TransitionId, Vec<Term>>,
    ) {
        let program = self.program();
        for &id in locations {
            let location = &program.locations[id];
            let number = if self.walk.asks_locations { location.number } else { 0 };
            let flags = [location.atomic, location.fused, location.end, location.accept, location.progress];
            let mut parts = vec![80, location.procedure.index() as u64, number.into()];
            parts.extend(flags.map(u64::from));
            let label = self.key(parts);
            let node = self.text.add(label);
            self.text.locations.insert(id, node);
        }
        let goes = self.key(vec![83]);
        let readies = self.key(vec![84]);
        for &id in locations {
            let location = &program.locations[id];
            for (at, &transition_id) in location.transitions.iter().enumerate() {
                let transition = &program.transitions[transition_id];
                let terms = &terms[&transition_id];
                let exit = match transition.exit {
                    Exit::Jump(Jump::Goto(_)) => 0,
                    Exit::Jump(Jump::Return(_)) | Exit::Call { .. } => 1,
                };
                let mut parts = vec![
                    81,
                    transition.rank.into(),
                    transition.exclusive.into(),
                    transition.invisible.into(),
                    transition.fair.into(),
                    exit,
                ];
                let parts_of_terms: Vec<Part> = terms.iter().map(|term| self.part(term)).collect();
                parts.extend(parts_of_terms.iter().map(|part| match part {
                    Part::Label(key) => u64::from(*key),
                    Part::Node(_) => HOLE,
                }));
                let label = self.key(parts);
                let node = self.text.add(label);
                for (position, part) in parts_of_terms.iter().enumerate() {
                    if let Part::Node(target) = *part {
                        let label = self.key(vec![82, position as u64]);
                        self.text.link(node, label, target);
                    }
                }
                if let Exit::Jump(Jump::Goto(to)) = transition.exit {
                    self.text.link(node, goes, self.text.locations[&to]);
                }
                if let Guard::Ready(first) = transition.guard {
                    self.text.link(node, readies, self.text.locations[&first]);
                }
                // Of a fused location, the first enabled transition is taken.
                let is_ordered = location.fused && !is_seeded(Seeded::NoOrder);
                let order = if is_ordered { at as u64 + 1 } else { 0 };
                let label = self.key(vec![85, order]);
                self.text.link(self.text.locations[&id], label, node);
            }
        }
    }

    /// Adds text that stands alone, such as a property.
    pub fn add_term(&mut self, kind: u64, number: usize, term: &Term) {
        if let Part::Node(target) = self.part(term) {
            let label = self.key(vec![86, kind, number as u64]);
            let node = self.text.add(label);
            self.text.link(node, label, target);
        }
    }

    fn part(&mut self, term: &Term) -> Part {
        match term {
            Term::Leaf(key) => Part::Label(*key),
            &Term::Literal { var, value } => {
                let individual = self.individual(self.walk.unifier.sort(var), value);
                match individual {
                    Some(node) => Part::Node(node),
                    None => Part::Label(self.key(vec![70, value as u64])),
                }
            }
            Term::Location(id) => match self.text.locations.get(id) {
                Some(&node) => Part::Node(node),
                None => Part::Label(self.key(vec![75, id.index() as u64])),
            },
            Term::Node { key, is_ordered, children } => {
                let parts: Vec<Part> = children.iter().map(|child| self.part(child)).collect();
                let mut labels: Vec<u64> = parts
                    .iter()
                    .map(|part| match part {
                        Part::Label(key) => u64::from(*key),
                        Part::Node(_) => HOLE,
                    })
                    .collect();
                if !is_ordered {
                    labels.sort_unstable();
                }
                labels.splice(0..0, [72, u64::from(*key), u64::from(*is_ordered)]);
                let label = self.key(labels);
                if parts.iter().all(|part| matches!(part, Part::Label(_))) {
                    return Part::Label(label);
                }
                let node = self.text.add(label);
                for (position, part) in parts.iter().enumerate() {
                    if let Part::Node(target) = *part {
                        let label = self.key(vec![73, if *is_ordered { position as u64 + 1 } else { 0 }]);
                        self.text.link(node, label, target);
                    }
                }
                Part::Node(node)
            }
        }
    }
}
