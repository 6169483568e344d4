//! Which threads and channels are interchangeable, in states with a given population and text.
//!
//! The *movers* are permuted within their classes; everything else stays, or follows a mover: a piece of text that
//! names nobody else that moves, the channels that came with it or that an array leads to from it. What hangs
//! together with several threads at once, such as the text of a ring, are movers too, and *links* between movers are
//! what a permutation must leave as it is. Where there are no links, all permutations are allowed.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use ir::{
    Expr, GlobalId, Id, LocalId, LocationId, Permutation, ProcedureId, Program, Recoded, Recoding, Sort,
    Sorts, Table, TransitionId, VariableSort,
};
use rustc_hash::FxHashMap;

use crate::coded::coded;
use crate::group::Group;
use crate::lift::composed;
use crate::population::{Locations, Population};
use crate::refine::Colours;
use crate::seeded::{Seeded, is_seeded};
use crate::terms::Term;
use crate::text::{Builder, Edge, Point, Text};
use crate::unify::Reason;
use crate::walk::{ChannelFlow, VariableVars, Walk};

/// What moves along with a mover. Those of two movers of one class correspond, one by one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Train {
    /// Channels: the number of threads plus their own minus 1.
    pub channels: Vec<u32>,
    pub locations: Vec<LocationId>,
    /// Points of coded variables: their nodes.
    pub points: Vec<u32>,
}

/// What is interchangeable.
#[derive(Clone, Debug)]
pub struct Plan {
    pub sorts: Sorts,
    pub population: Population,
    /// The classes of movers, each with at least two: threads by number, channels by the number of threads plus their
    /// own minus 1, and pieces of text by numbers that follow these.
    pub classes: Vec<Vec<u32>>,
    /// By mover: what moves along. Empty for what is no mover.
    pub trains: Vec<Train>,
    /// The links between movers.
    pub links: Vec<Edge>,
    /// The points of coded variables, by node.
    pub points: BTreeMap<u32, Point>,
    /// The numbers of elements of the variables that have points.
    pub sizes: BTreeMap<GlobalId, u32>,
    /// The group of the permutations that are allowed, once it was asked for.
    pub known_group: OnceCell<Group>,
    /// Why the threads of procedures are no movers.
    pub reasons: Vec<(ProcedureId, Reason)>,
}

/// A state's locals, as far as the plan asks for them: the value of a local of a thread that is no array.
pub type Parameters<'a> = &'a dyn Fn(u32, LocalId) -> Option<i64>;

impl Plan {
    /// For states with this population whose threads can get to this text, where properties ask for `observed`.
    pub fn new(
        program: &Program,
        flow: &ChannelFlow,
        population: &Population,
        text: &Locations,
        observed: &[&Expr],
        parameters: Parameters<'_>,
    ) -> Self {
        let with =
            |guess, coded| Self::with(program, flow, population, text, observed, parameters, (guess, coded));
        let plain = with(false, None);
        let bold = with(true, None);
        let guess = bold.movers() > plain.movers();
        let best = if guess { bold } else { plain };
        let Some(coded) = coded(program, population, &text.ids(), observed, &best.sorts) else { return best };
        let coded = with(guess, Some(coded));
        if coded.movers() > best.movers() { coded } else { best }
    }

    /// Allows nothing but what changes nothing.
    pub fn forbid(&mut self) {
        self.classes.clear();
        self.trains.clear();
        self.links.clear();
        self.points.clear();
        self.known_group = OnceCell::new();
    }

    /// The number of threads and channels that can be permuted.
    pub fn movers(&self) -> usize {
        let individuals = (self.population.threads.len() + self.population.channels.len()) as u32;
        let of_trains = self.trains.iter().map(|train| train.channels.len());
        self.classes.iter().flatten().filter(|&&mover| mover < individuals).count() + of_trains.sum::<usize>()
    }

    fn with(
        program: &Program,
        flow: &ChannelFlow,
        population: &Population,
        locations: &Locations,
        observed: &[&Expr],
        parameters: Parameters<'_>,
        (guess, coded): (bool, Option<Table<GlobalId, bool>>),
    ) -> Self {
        let mut walk = Walk::new(program);
        walk.present.clone_from(&population.threads);
        walk.coded = coded.unwrap_or(walk.coded);
        walk.join_channels(flow);
        let locations: Vec<LocationId> =
            program.locations.ids().filter(|&id| locations.contains(id)).collect();
        let mut terms: FxHashMap<TransitionId, Vec<Term>> = FxHashMap::default();
        for &id in &locations {
            let location = &program.locations[id];
            for &transition in &location.transitions {
                terms.insert(
                    transition,
                    walk.transition(location.procedure, &program.transitions[transition]),
                );
            }
        }
        let mut standing: Vec<(u64, usize, Term)> = Vec::new();
        for procedure in program.procedures.ids() {
            let declared = walk.declarations(procedure);
            standing.extend(
                declared
                    .into_iter()
                    .map(|term| (procedure.index() as u64 + 1, term))
                    .enumerate()
                    .map(|(at, (kind, term))| (kind, at, term)),
            );
        }
        for (number, expr) in observed.iter().enumerate().filter(|_| !is_seeded(Seeded::NoProperties)) {
            standing.push((0, number, walk.property(expr)));
        }
        walk.finish();
        if guess {
            guess_sorts(&mut walk, population, parameters);
            walk.finish();
        }
        let individuals = population.threads.len() + population.channels.len();
        let mut pinned = vec![false; individuals];
        loop {
            let mut builder = Builder::new(&mut walk, population, parameters, &pinned);
            builder.add_locations(&locations, &terms);
            for (kind, number, term) in &standing {
                builder.add_term(*kind, *number, term);
            }
            let text = builder.text;
            let colours = Colours::new(&text);
            let pieces = Pieces::new(&text, &colours);
            if pieces.stuck.is_empty() {
                return Self::of(&walk, population.clone(), parameters, &text, &colours, &pieces);
            }
            for &mover in &pieces.stuck {
                pinned[mover as usize] = true;
            }
        }
    }

    fn of(
        walk: &Walk<'_>,
        population: Population,
        parameters: Parameters<'_>,
        text: &Text,
        colours: &Colours,
        pieces: &Pieces,
    ) -> Self {
        let mut classes: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &mover in &pieces.movers {
            classes.entry(colours.of(mover)).or_default().push(mover);
        }
        let mut classes: Vec<Vec<u32>> = classes.into_values().filter(|class| class.len() > 1).collect();
        for class in &mut classes {
            class.sort_unstable();
        }
        classes.sort();
        let of_locations: FxHashMap<u32, LocationId> =
            text.locations.iter().map(|(&location, &node)| (node, location)).collect();
        let mut following: Vec<(u32, u32)> = pieces.of.iter().map(|(&node, &mover)| (node, mover)).collect();
        // In an order that is the same for all movers of a class.
        following.sort_by_key(|&(node, _)| colours.of(node));
        let mut trains: FxHashMap<u32, Train> =
            classes.iter().flatten().map(|&mover| (mover, Train::default())).collect();
        for (node, mover) in following {
            let Some(train) = trains.get_mut(&mover) else { continue };
            if text.is_individual(node) {
                if !is_seeded(Seeded::FixedChannels) {
                    train.channels.push(node);
                }
            } else if let Some(&location) = of_locations.get(&node)
                && !is_seeded(Seeded::FixedLocations)
            {
                train.locations.push(location);
            } else if text.points.contains_key(&node) {
                train.points.push(node);
            }
        }
        for (&mover, train) in &mut trains {
            // A piece of text that is a mover may be a location or a point itself.
            train.locations.extend(of_locations.get(&mover));
            train.points.extend(text.points.contains_key(&mover).then_some(mover));
        }
        let is_mover = |node: u32| trains.contains_key(&node);
        let links = text
            .edges
            .iter()
            .copied()
            .filter(|edge| is_mover(edge.source) && is_mover(edge.target))
            .collect();
        let mut reasons: Vec<(ProcedureId, Reason)> = walk
            .threads
            .iter()
            .filter_map(|(id, &var)| Some((id, walk.unifier.number_reason(var)?)))
            .collect();
        let threads_of = |procedure: ProcedureId| {
            let threads = population.threads.iter().zip(0_u32..);
            threads.filter(move |&(&other, _)| other == procedure).map(|(_, thread)| thread)
        };
        // How many threads a thread can be exchanged with, itself among them.
        let freedom = |thread: u32| classes.iter().find(|class| class.contains(&thread)).map_or(1, Vec::len);
        let is_whole = |procedure: ProcedureId| {
            threads_of(procedure).all(|thread| freedom(thread) == threads_of(procedure).count())
        };
        for function in walk.functions.iter().filter(|function| !is_whole(function.procedure)) {
            if reasons.iter().all(|(procedure, _)| *procedure != function.procedure) {
                let reason = Reason { what: "tells its processes apart", span: function.expr.span };
                reasons.push((function.procedure, reason));
            }
        }
        for procedure in walk.program.procedures.ids().filter(|&procedure| !is_whole(procedure)) {
            let mentions = threads_of(procedure).filter_map(|thread| Some((thread, walk.mention(thread)?)));
            let mention = mentions.min_by_key(|&(thread, _)| freedom(thread));
            if let Some((_, span)) = mention
                && reasons.iter().all(|&(other, _)| other != procedure)
            {
                reasons.push((procedure, Reason { what: "names one of its processes", span }));
            }
        }
        for (procedure, constant) in walk.parameters.iter() {
            for &local in constant {
                let is_number = walk.unifier.sort(walk.locals[procedure][local].value) == Sort::Number;
                let mut values = threads_of(procedure).map(|thread| parameters(thread, local));
                let first = values.next();
                if is_number && values.any(|value| Some(value) != first) {
                    let span = walk.program.procedures[procedure].locals[local].span;
                    reasons.push((
                        procedure,
                        Reason { what: "is a number, and differs between the processes", span },
                    ));
                }
            }
        }
        let last = trains.keys().max().map_or(0, |&last| last + 1);
        let trains = (0..last).map(|mover| trains.remove(&mover).unwrap_or_default()).collect();
        let points = text.points.clone();
        let size = |point: &Point| (point.variable, walk.program.globals[point.variable].size() as u32);
        let sizes = points.values().map(size).collect();
        let (sorts, known_group) = (sorts(walk), OnceCell::new());
        Self { sorts, population, classes, trains, links, points, sizes, known_group, reasons }
    }

    /// Some permutation that the plan allows: a product of generators. `below` chooses a number below another one.
    pub fn some_permutation(&self, below: &mut dyn FnMut(u64) -> u64) -> Permutation {
        let generators = self.generators();
        let mut some = self.permutation(|mover| mover);
        for _ in 0..4 * generators.len() {
            let one = &generators[below(generators.len() as u64) as usize];
            if below(2) == 0 {
                some = composed(&some, one);
            }
        }
        some
    }

    /// The permutation that moves movers like this: by mover, where it goes. Everything that follows a mover goes
    /// along.
    pub fn permutation(&self, moved: impl Fn(u32) -> u32) -> Permutation {
        let mut permutation = Permutation::default();
        self.permute(moved, &mut permutation);
        permutation
    }

    /// Makes a permutation that one, without allocating where it has been one of as many individuals.
    pub fn permute(&self, moved: impl Fn(u32) -> u32, permutation: &mut Permutation) {
        let (threads, channels) = (self.population.threads.len(), self.population.channels.len());
        permutation.reset(threads, channels);
        let mut put = |from: u32, to: u32| {
            let (from, to) = (from as usize, to as usize);
            match from.checked_sub(threads) {
                None => permutation.threads[from] = to as u32,
                Some(channel) if channel < channels => {
                    permutation.channels[channel + 1] = (to - threads + 1) as u32;
                }
                // A piece of text.
                Some(_) => {}
            }
        };
        for &mover in self.classes.iter().flatten() {
            let to = moved(mover);
            put(mover, to);
            let (train, of_image) = (&self.trains[mover as usize], &self.trains[to as usize]);
            for (&from, &to) in train.channels.iter().zip(&of_image.channels) {
                put(from, to);
            }
        }
        for &mover in self.classes.iter().flatten() {
            let (train, of_image) = (&self.trains[mover as usize], &self.trains[moved(mover) as usize]);
            let pairs = train.locations.iter().zip(&of_image.locations);
            permutation.locations.extend(pairs.filter(|(from, to)| from != to));
        }
        if !self.points.is_empty() {
            self.recode(moved, permutation);
        }
    }

    /// Adds what becomes of coded variables.
    fn recode(&self, moved: impl Fn(u32) -> u32, permutation: &mut Permutation) {
        let last = self.points.keys().next_back().map_or(0, |&last| last + 1);
        let mut images: Vec<u32> = (0..last).collect();
        let mut is_moved = false;
        for &mover in self.classes.iter().flatten() {
            let (train, of_image) = (&self.trains[mover as usize], &self.trains[moved(mover) as usize]);
            for (&from, &to) in train.points.iter().zip(&of_image.points) {
                images[from as usize] = to;
                is_moved |= from != to;
            }
        }
        if !is_moved || is_seeded(Seeded::FixedPoints) {
            return;
        }
        let image = |node: &u32| self.points[&images[*node as usize]];
        for (node, point) in &self.points {
            let recoding = permutation.coded.entry(point.variable).or_insert_with(|| {
                let size = self.sizes[&point.variable];
                let stays = |to| Recoded { to, values: Vec::new() };
                Recoding { elements: (0..size).map(stays).collect() }
            });
            let (element, to) = (&mut recoding.elements[point.element as usize], image(node));
            match (point.value, to.value) {
                (Some(value), Some(to)) => element.values.push((value, to)),
                _ => element.to = to.element,
            }
        }
        for element in permutation.coded.values_mut().flat_map(|recoding| &mut recoding.elements) {
            element.values.sort_unstable();
        }
    }
}

/// What moves with what.
struct Pieces {
    movers: Vec<u32>,
    /// Nodes that follow a mover.
    of: FxHashMap<u32, u32>,
    /// Individuals that cannot be permuted after all.
    stuck: Vec<u32>,
}

impl Pieces {
    fn new(text: &Text, colours: &Colours) -> Self {
        let count = text.labels.len() as u32;
        let moves = |node: u32| colours.is_shared(node);
        // Threads move by themselves; what hangs together without them is a component.
        let hangs = |node: u32| moves(node) && !text.is_thread(node);
        let mut components = Components { of: (0..count).collect() };
        for &Edge { source, target, .. } in &text.edges {
            if hangs(source) && hangs(target) {
                components.join(source, target);
            }
        }
        // By component: its nodes, and the threads that it is linked to.
        let mut members: FxHashMap<u32, (Vec<u32>, Vec<u32>)> = FxHashMap::default();
        for node in (0..count).filter(|&node| hangs(node)) {
            members.entry(components.find(node)).or_default().0.push(node);
        }
        for &Edge { source, target, .. } in &text.edges {
            for (node, other) in [(source, target), (target, source)] {
                if hangs(node) && text.is_thread(other) && moves(other) {
                    let threads = &mut members.entry(components.find(node)).or_default().1;
                    if !threads.contains(&other) {
                        threads.push(other);
                    }
                }
            }
        }
        let mut pieces = Self { movers: Vec::new(), of: FxHashMap::default(), stuck: Vec::new() };
        pieces.movers.extend((0..text.threads as u32).filter(|&thread| moves(thread)));
        for (nodes, threads) in members.into_values() {
            let channels: Vec<u32> = nodes.iter().copied().filter(|&node| text.is_individual(node)).collect();
            let mover = match (&threads[..], &channels[..]) {
                (&[thread], _) => thread,
                (&[], &[channel]) => {
                    pieces.movers.push(channel);
                    channel
                }
                // Text that nothing that moves is linked to stays.
                (&[], &[]) => continue,
                _ => {
                    pieces.movers.extend(nodes);
                    continue;
                }
            };
            for node in nodes.into_iter().filter(|&node| node != mover) {
                pieces.of.insert(node, mover);
            }
        }
        pieces.check(text, colours);
        pieces
    }

    /// Finds the movers whose followers cannot be mapped to those of others of their class, node by node.
    fn check(&mut self, text: &Text, colours: &Colours) {
        let mut owned: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (&node, &mover) in &self.of {
            owned.entry(mover).or_default().push(node);
        }
        let mut is_mover = vec![false; text.labels.len()];
        self.movers.iter().for_each(|&mover| is_mover[mover as usize] = true);
        let mut links: Vec<Vec<(bool, u32, u32)>> = vec![Vec::new(); text.labels.len()];
        for &Edge { source, label, target } in &text.edges {
            links[source as usize].push((false, label, target));
            links[target as usize].push((true, label, source));
        }
        // What a node is for a mover: itself, a follower, or something that stays.
        let place = |node: u32, mover: u32| match self.of.get(&node) {
            Some(&of) if of == mover => (1, colours.of(node)),
            _ if node == mover => (2, 0),
            _ => (0, node),
        };
        let shape = |mover: u32| {
            let mut nodes = owned.get(&mover).cloned().unwrap_or_default();
            nodes.push(mover);
            let mut shape: Vec<_> = nodes
                .iter()
                .map(|&node| {
                    // Links between movers are kept as such.
                    let others = links[node as usize]
                        .iter()
                        .filter(|&&(_, _, other)| !(is_mover[node as usize] && is_mover[other as usize]));
                    let mut row: Vec<_> =
                        others.map(|&(enters, label, other)| (enters, label, place(other, mover))).collect();
                    row.sort_unstable();
                    (place(node, mover), row)
                })
                .collect();
            shape.sort_unstable();
            // Followers of one colour could not be told apart.
            let is_exact = shape.windows(2).all(|pair| pair[0].0 != pair[1].0);
            is_exact.then_some(shape)
        };
        let mut shapes: FxHashMap<u32, Option<Vec<_>>> = FxHashMap::default();
        let mut broken = Vec::new();
        for &mover in &self.movers {
            let own = shape(mover);
            let first = shapes.entry(colours.of(mover)).or_insert_with(|| own.clone());
            if own.is_none() || *first != own {
                broken.push(colours.of(mover));
            }
        }
        // All of a class move, or none does; text stays where the individuals that it names stay.
        let is_stuck = |mover: u32| broken.contains(&colours.of(mover));
        let stuck: Vec<u32> = self.movers.iter().copied().filter(|&mover| is_stuck(mover)).collect();
        if stuck.iter().any(|&mover| !text.is_individual(mover)) {
            self.stuck.extend(self.movers.iter().filter(|&&mover| text.is_individual(mover)));
        } else {
            self.stuck = stuck;
        }
    }
}

/// Sets of nodes that hang together.
struct Components {
    of: Vec<u32>,
}

impl Components {
    fn find(&mut self, mut node: u32) -> u32 {
        while self.of[node as usize] != node {
            self.of[node as usize] = self.of[self.of[node as usize] as usize];
            node = self.of[node as usize];
        }
        node
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.of[a as usize] = b;
    }
}

fn sorts(walk: &Walk<'_>) -> Sorts {
    let sort = |vars: &VariableVars| VariableSort {
        value: walk.unifier.sort(vars.value),
        indices: vars.indices.iter().map(|&index| walk.unifier.sort(index)).collect(),
    };
    Sorts {
        globals: walk.globals.values().map(sort).collect(),
        constants: walk.constants.values().map(Option::is_some).collect(),
        coded: walk.coded.clone(),
        locals: walk.locals.values().map(|locals| locals.values().map(sort).collect()).collect(),
        fields: walk
            .program
            .channels
            .iter()
            .map(|(id, channel)| {
                let field = |at| {
                    let var = walk.unifier.known_field(walk.channels[id], at);
                    var.map_or(Sort::Number, |var| walk.unifier.sort(var))
                };
                (0..channel.fields.len()).map(field).collect()
            })
            .collect(),
    }
}

/// Guesses that indices and locals of which nothing is known stand for threads: where there are as many threads as
/// elements, or where each thread has another value. Whether that helps shows later; it is never wrong.
fn guess_sorts(walk: &mut Walk<'_>, population: &Population, parameters: Parameters<'_>) {
    let program = walk.program;
    let classes: Table<ProcedureId, Vec<u32>> = program
        .procedures
        .ids()
        .map(|procedure| {
            let threads = population.threads.iter().zip(0..);
            threads.filter(|&(&other, _)| other == procedure).map(|(_, thread)| thread).collect()
        })
        .collect();
    let reason = |span| Reason { what: "uses a process as a number", span };
    for (procedure, class) in classes.iter().filter(|(_, class)| class.len() > 1) {
        let locals = program.procedures[procedure].locals.iter().filter(|(_, local)| local.dims.is_empty());
        for (id, local) in locals {
            let var = walk.locals[procedure][id].value;
            let value = |thread: u32| parameters(thread, id);
            let Some(first) = value(class[0]).filter(|_| walk.unifier.is_free(var)) else { continue };
            let by = first - i64::from(class[0]);
            if class.iter().all(|&thread| value(thread) == Some(i64::from(thread) + by)) {
                walk.unifier.join(var, walk.threads[procedure], by, reason(local.span));
            }
        }
    }
    for (id, global) in program.globals.iter() {
        for (at, &len) in global.dims.iter().enumerate() {
            let index = walk.globals[id].indices[at];
            let fits = |class: &Vec<u32>| class.len() > 1 && class.len() == len as usize;
            let is_dense = |class: &Vec<u32>| class.windows(2).all(|pair| pair[0] + 1 == pair[1]);
            let found = classes.iter().find(|(_, class)| fits(class) && is_dense(class));
            if let Some((procedure, class)) = found.filter(|_| walk.unifier.is_free(index)) {
                walk.unifier.join(index, walk.threads[procedure], -i64::from(class[0]), reason(global.span));
            }
        }
    }
}
