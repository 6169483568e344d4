//! Where the names of a state are: a plan, for the words of states.

use std::cell::RefCell;

use ir::{
    ChannelId, GlobalId, Id, LocationId, Permutation, ProcedureId, Program, Sort, Table, Variable,
    VariableSort,
};
use state::{ArrayVariable, Layout, NodeRef, ObjectId, Slot, State, ThreadId};
use system::{Encoding, Section};

use crate::plan::Plan;
use crate::population::Population;
use crate::prepare::has_ended;
use crate::text::Edge;

/// Mixes two words.
pub const fn mix(a: u64, b: u64) -> u64 {
    let product = (a ^ 0x9e37_79b9_7f4a_7c15) as u128 * (b ^ 0xd6e8_feb8_6659_fd93) as u128;
    product as u64 ^ (product >> 64) as u64 ^ a.rotate_left(32) ^ b
}

/// What kind of unit a place is in.
#[derive(Clone, Copy)]
enum Unit {
    Root = 1,
    Frame = 2,
    Channel = 3,
}

/// A place for one name.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub slot: Slot,
    pub sort: Sort,
    /// A hash of the place: the kind of its unit, and where it is there.
    pub place: u64,
    /// In a channel, the message: its place means something if there are more.
    pub message: u32,
}

/// An array of names, or one that is indexed by names.
#[derive(Clone, Debug)]
pub struct ArrayCells {
    pub array: ArrayVariable,
    pub dims: Vec<u32>,
    pub sorts: VariableSort,
    place: u64,
    pub elements: Vec<Element>,
    /// The nodes of the movers that indices stand for, of all elements.
    involved: Vec<u32>,
}

/// An element of such an array.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    pub slot: Slot,
    /// A hash of the place: that of the array, with the indices that stand for no movers.
    pub place: u64,
    involved: (u32, u32),
}

impl ArrayCells {
    /// The nodes of the movers that the indices of an element stand for.
    pub fn involved(&self, element: &Element) -> &[u32] {
        &self.involved[element.involved.0 as usize..element.involved.1 as usize]
    }

    /// Lists the elements, once it is known what moves.
    fn list(&mut self, node: impl Fn(Sort, i64) -> Option<u32>) {
        let size: usize = self.dims.iter().map(|&len| len as usize).product();
        for at in 0..size {
            let (mut rest, mut place, first) = (at, self.place, self.involved.len() as u32);
            for (&len, &sort) in self.dims.iter().zip(&self.sorts.indices).rev() {
                let index = (rest % len as usize) as i64;
                rest /= len as usize;
                match node(sort, index) {
                    Some(node) => self.involved.push(node),
                    None => place = mix(place, index as u64 + 1),
                }
            }
            let involved = (first, self.involved.len() as u32);
            self.elements.push(Element { slot: self.array.slot(at as u32), place, involved });
        }
    }
}

/// The names in a unit.
#[derive(Clone, Debug, Default)]
pub struct UnitCells {
    pub cells: Vec<Cell>,
    pub arrays: Vec<ArrayCells>,
    /// By word: the bits that are no names, nor the location of a thread, nor what kind of channel it is.
    pub data: Vec<u64>,
}

impl UnitCells {
    fn new(len: usize) -> Self {
        Self { data: vec![u64::MAX; len], ..Self::default() }
    }

    fn hide(&mut self, slot: Slot) {
        self.data[slot.word as usize] &= !(slot.mask() << slot.shift);
    }

    fn add(
        &mut self,
        variable: &Variable,
        sorts: &VariableSort,
        slot: Slot,
        array: Option<ArrayVariable>,
        place: u64,
    ) {
        match array {
            None if sorts.value != Sort::Number => {
                self.hide(slot);
                self.cells.push(Cell { slot, sort: sorts.value, place, message: 0 });
            }
            Some(array)
                if sorts.value != Sort::Number || sorts.indices.iter().any(|&sort| sort != Sort::Number) =>
            {
                for index in 0..variable.size() as u32 {
                    self.hide(array.slot(index));
                }
                let (dims, sorts) = (variable.dims.clone(), sorts.clone());
                let (elements, involved) = (Vec::new(), Vec::new());
                self.arrays.push(ArrayCells { array, dims, sorts, place, elements, involved });
            }
            _ => {}
        }
    }

    /// Permutes the names in the words of a unit.
    fn permute(&self, permutation: &Permutation, old: &[u64], words: &mut [u64]) {
        for cell in &self.cells {
            cell.slot.put(words, permutation.apply(cell.sort, cell.slot.get(old)));
        }
        for ArrayCells { array, dims, sorts, elements, .. } in &self.arrays {
            if let (&[len], &[sort]) = (&dims[..], &sorts.indices[..]) {
                for (element, from) in elements.iter().zip(0_i64..) {
                    let to = permutation.apply(sort, from);
                    let to = if (0..i64::from(len)).contains(&to) { to } else { from };
                    let value = permutation.apply(sorts.value, element.slot.get(old));
                    elements[to as usize].slot.put(words, value);
                }
                continue;
            }
            permutation.each_element(sorts, dims, |from, to| {
                let value = array.slot(from as u32).get(old);
                array.slot(to as u32).put(words, permutation.apply(sorts.value, value));
            });
        }
    }
}

/// Where a coded variable is, and its points.
#[derive(Clone, Debug)]
pub struct CodedCells {
    pub variable: GlobalId,
    pub slots: Vec<Slot>,
    /// By slot.
    pub points: Vec<Points>,
}

/// What threads name in an element of a coded variable.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// The node of the element.
    pub element: Option<u32>,
    /// Values, with their nodes.
    pub values: Vec<(i64, u32)>,
}

/// A plan, and where its names are.
#[derive(Clone, Debug)]
pub struct Cells {
    pub plan: Plan,
    pub root: UnitCells,
    pub coded: Vec<CodedCells>,
    pub frames: Table<ProcedureId, UnitCells>,
    /// By channel, as declared.
    pub channels: Table<ChannelId, UnitCells>,
    /// By individual, and by piece of text that is a mover: its node, or `STAYS`. What moves has a node.
    pub nodes: Vec<u32>,
    /// By node: what is known of it in all states.
    pub labels: Vec<u64>,
    /// What follows a mover in its train: the node of the mover, that of the follower, and a hash of its position.
    pub followers: Vec<(u32, u32, u64)>,
    /// The links between movers, as nodes with a hash of the label.
    pub links: Vec<(u32, u64, u32)>,
    /// By location that moves along with a mover: the node of the mover, and the position in its train.
    pub located: Vec<Option<(u32, u32)>>,
    /// By location: whether a thread there has ended, so that its variables do not matter.
    pub ended: Vec<bool>,
    /// If the plan allows one permutation besides the identity.
    pub exchange: Option<Exchange>,
    scratch: RefCell<Scratch>,
}

/// Lists that are made anew for each state, in memory that is kept.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// By place: the thread, and the channel, that goes there.
    threads: Vec<u32>,
    channels: Vec<u32>,
    /// The words of a unit as it is, and of the one in its place after an exchange.
    plain: Vec<u64>,
    exchanged: Vec<u64>,
}

impl Scratch {
    /// Makes a list of what goes where: `to` says for the first ones, with numbers from `first` on, where they go.
    fn invert(list: &mut Vec<u32>, count: u32, to: &[u32], first: u32) {
        list.clear();
        list.extend(0..count);
        for (&to, from) in to.iter().zip(0..count) {
            list[(to - first) as usize] = from;
        }
    }
}

/// The node of what does not move.
pub const STAYS: u32 = u32::MAX;

/// Hashes of what edges are for.
const FOLLOWS: u64 = 4;
const LINK: u64 = 8;

/// The individual that a number stands for.
fn individual(population: &Population, sort: Sort, value: i64) -> Option<usize> {
    match sort {
        Sort::Number => None,
        Sort::Thread { shift } => usize::try_from(value.wrapping_add(shift))
            .ok()
            .filter(|&thread| thread < population.threads.len()),
        Sort::Channel => {
            let position = usize::try_from(value.checked_sub(1)?).ok()?;
            (position < population.channels.len()).then(|| population.threads.len() + position)
        }
    }
}

/// A permutation that is its own inverse, and the only one besides the identity.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The identity, and the permutation.
    pub permutations: [Permutation; 2],
    /// All threads, those first that are exchanged.
    threads: Vec<u32>,
}

impl Exchange {
    /// The one that a plan allows, if there is no other.
    fn of(plan: &Plan) -> Option<Self> {
        let permutation = plan.exchange()?;
        let mut threads: Vec<u32> = (0..plan.population.threads.len() as u32).collect();
        threads.sort_by_key(|&thread| permutation.threads[thread as usize] == thread);
        let identity = Permutation::identity(threads.len(), plan.population.channels.len());
        Some(Self { permutations: [identity, permutation.clone()], threads })
    }
}

impl Cells {
    pub fn new(program: &Program, layout: &Layout, plan: Plan) -> Self {
        let sorts = &plan.sorts;
        let mut root = UnitCells::new(layout.root.len());
        let mut coded = Vec::new();
        for (id, variable) in program.globals.iter() {
            if sorts.coded[id] {
                let (slot, array) = (layout.root.slots[id.index()], layout.root_arrays[id.index()]);
                let slots: Vec<Slot> = match array {
                    Some(array) => (0..variable.size() as u32).map(|at| array.slot(at)).collect(),
                    None => vec![slot],
                };
                let mut points = vec![Points::default(); slots.len()];
                for (&node, point) in plan.points.iter().filter(|(_, point)| point.variable == id) {
                    let of_element = &mut points[point.element as usize];
                    match point.value {
                        Some(value) => of_element.values.push((value, node)),
                        None => of_element.element = Some(node),
                    }
                }
                for &slot in &slots {
                    root.hide(slot);
                }
                coded.push(CodedCells { variable: id, slots, points });
            } else if !sorts.constants[id] && !variable.untracked {
                let (slot, array) = (layout.root.slots[id.index()], layout.root_arrays[id.index()]);
                root.add(
                    variable,
                    &sorts.globals[id],
                    slot,
                    array,
                    mix(Unit::Root as u64, id.index() as u64),
                );
            }
        }
        let mut frames: Table<ProcedureId, UnitCells> = program
            .procedures
            .iter()
            .map(|(procedure, declared)| {
                let mut cells = UnitCells::new(layout.frames[procedure].len());
                cells.hide(layout.location);
                for (id, variable) in declared.locals.iter() {
                    let (slot, array) =
                        (layout.local(procedure, id), layout.frame_arrays[procedure][id.index()]);
                    let place = mix(Unit::Frame as u64, id.index() as u64);
                    cells.add(variable, &sorts.locals[procedure][id], slot, array, place);
                }
                cells
            })
            .collect();
        let channels = program
            .channels
            .ids()
            .map(|id| {
                let shape = &layout.channels[id];
                let mut cells = UnitCells::new(shape.unit.len());
                cells.hide(layout.tag);
                for message in 0..shape.capacity {
                    for (field, &sort) in sorts.fields[id].iter().enumerate() {
                        if sort != Sort::Number {
                            let slot = shape.field(message, field);
                            cells.hide(slot);
                            let place = mix(Unit::Channel as u64, u64::from(message) << 16 | field as u64);
                            cells.cells.push(Cell { slot, sort, place, message });
                        }
                    }
                }
                cells
            })
            .collect();
        let ended = program.locations.values().map(|location| has_ended(program, location)).collect();
        let individuals = plan.population.threads.len() + plan.population.channels.len();
        let moving = plan.classes.iter().flatten().chain(plan.trains.iter().flat_map(|train| &train.points));
        let last = moving.max().map_or(0, |&last| last as usize + 1);
        let mut nodes = vec![STAYS; individuals.max(last)];
        let (mut labels, mut followers) = (Vec::new(), Vec::new());
        let mut located = vec![None; program.locations.len()];
        for (class, number) in plan.classes.iter().zip(1..) {
            for &mover in class {
                let mut add = |individual: u32, label: u64| {
                    nodes[individual as usize] = labels.len() as u32;
                    labels.push(label);
                    labels.len() as u32 - 1
                };
                let train = &plan.trains[mover as usize];
                let own = add(mover, number);
                let points = train.points.iter().filter(|&&point| point != mover);
                for (&follower, at) in train.channels.iter().chain(points).zip(1..) {
                    followers.push((own, add(follower, mix(number, at)), mix(FOLLOWS, at)));
                }
                for (location, at) in train.locations.iter().zip(0..) {
                    located[location.index()] = Some((own, at));
                }
            }
        }
        let link = |link: &Edge| {
            let (source, target) = (nodes[link.source as usize], nodes[link.target as usize]);
            (source, mix(LINK, link.label.into()), target)
        };
        let links = plan.links.iter().map(link).collect();
        let list = |cells: &mut UnitCells| {
            for array in &mut cells.arrays {
                array.list(|sort, index| {
                    let individual = individual(&plan.population, sort, index)?;
                    nodes.get(individual).copied().filter(|&node| node != STAYS)
                });
            }
        };
        list(&mut root);
        frames.values_mut().for_each(list);
        Self {
            root,
            coded,
            frames,
            channels,
            nodes,
            labels,
            followers,
            links,
            located,
            ended,
            exchange: Exchange::of(&plan),
            scratch: RefCell::default(),
            plan,
        }
    }

    pub fn thread_count(&self) -> usize {
        self.plan.population.threads.len()
    }

    /// The node of an individual, if it moves.
    pub fn node(&self, individual: u32) -> Option<u32> {
        self.nodes.get(individual as usize).copied().filter(|&node| node != STAYS)
    }

    /// The node of the individual that a number stands for, if it moves.
    pub fn named(&self, sort: Sort, value: i64) -> Option<u32> {
        let individual = individual(&self.plan.population, sort, value)?;
        self.nodes.get(individual).copied().filter(|&node| node != STAYS)
    }

    /// Writes the state as it is.
    pub fn encode_plain(&self, layout: &Layout, state: &State, into: &mut Encoding) {
        let units = Units { cells: self, layout, state, permutation: None };
        into.refill(|into| {
            into.component(Section::Root, |out| units.root(out));
            for id in 0..state.thread_count() {
                into.component(Section::Threads, |out| units.thread(id, out));
            }
            for id in 0..state.channel_count() {
                into.component(Section::Objects, |out| units.channel(id, id, out));
            }
        });
    }

    /// Writes the state, permuted. The permutation may be of fewer individuals than the state
    /// has, which stay, or of more, if threads have vanished since: those stayed.
    pub fn encode(&self, layout: &Layout, state: &State, permutation: &Permutation, into: &mut Encoding) {
        if permutation.is_identity() {
            return self.encode_plain(layout, state, into);
        }
        let Scratch { threads: sources, channels: queues, .. } = &mut *self.scratch.borrow_mut();
        Scratch::invert(sources, state.thread_count(), &permutation.threads, 0);
        Scratch::invert(queues, state.channel_count(), &permutation.channels[1..], 1);
        let units = Units { cells: self, layout, state, permutation: Some(permutation) };
        into.refill(|into| {
            into.component(Section::Root, |out| units.root(out));
            for &id in &*sources {
                into.component(Section::Threads, |out| units.thread(id, out));
            }
            for (&id, to) in queues.iter().zip(0..) {
                into.component(Section::Objects, |out| units.channel(id, to, out));
            }
        });
    }

    /// Whether the state with two individuals and their trains exchanged is less than the state as it is. Any order of
    /// states will do: units are compared one after the other, those of threads that are exchanged first, up to the first
    /// difference.
    pub fn is_less(&self, layout: &Layout, state: &State, exchange: &Exchange) -> bool {
        let Scratch { plain, exchanged, .. } = &mut *self.scratch.borrow_mut();
        let [_, permutation] = &exchange.permutations;
        let as_it_is = Units { cells: self, layout, state, permutation: None };
        let other = Units { permutation: Some(permutation), ..as_it_is };
        let mut compare = |write: &dyn Fn(Units<'_>, bool, &mut Vec<u64>)| {
            plain.clear();
            exchanged.clear();
            write(as_it_is, false, plain);
            write(other, true, exchanged);
            exchanged.cmp(&plain)
        };
        // The permutation is its own inverse.
        for &thread in &exchange.threads {
            let image = permutation.threads[thread as usize];
            let (here, there) = (as_it_is.location(thread), other.location(image));
            if here != there {
                return there < here;
            }
            let order =
                compare(&|units, is_other, out| units.thread(if is_other { image } else { thread }, out));
            if order.is_ne() {
                return order.is_lt();
            }
        }
        let mut order = compare(&|units, _, out| units.root(out));
        for channel in 0..self.plan.population.channels.len() as u32 {
            if order.is_ne() {
                break;
            }
            let image = permutation.channels[channel as usize + 1] - 1;
            order = compare(&|units, is_other, out| {
                units.channel(if is_other { image } else { channel }, channel, out);
            });
        }
        order.is_lt()
    }
}

fn location(layout: &Layout, frame: &[u64]) -> LocationId {
    LocationId(layout.location.get(frame) as u32)
}

/// The units of a state, under a permutation if there is one.
#[derive(Clone, Copy)]
struct Units<'s> {
    cells: &'s Cells,
    layout: &'s Layout,
    state: &'s State,
    permutation: Option<&'s Permutation>,
}

impl Units<'_> {
    fn root(&self, out: &mut Vec<u64>) {
        let Self { cells, layout, state, permutation } = *self;
        let words = state.words_of(NodeRef::Root).unwrap_or_default();
        let start = out.len();
        out.extend_from_slice(&words[..layout.root_shown]);
        let Some(permutation) = permutation else { return };
        let shown = &mut out[start..];
        cells.root.permute(permutation, words, shown);
        for CodedCells { variable, slots, .. } in &cells.coded {
            let Some(recoding) = permutation.coded.get(variable) else { continue };
            for (slot, element) in slots.iter().zip(&recoding.elements) {
                slots[element.to as usize].put(shown, element.apply(slot.get(words)));
            }
        }
        if let Some(slot) = layout.exclusive {
            slot.put(shown, permutation.apply(Sort::Thread { shift: -1 }, slot.get(words)));
        }
        if let Some(slot) = layout.last {
            slot.put(shown, permutation.apply(Sort::Thread { shift: 0 }, slot.get(words)));
        }
    }

    /// Where a thread is in the state that is written.
    fn location(&self, id: u32) -> LocationId {
        let words = self.state.words_of(NodeRef::Thread(ThreadId(id))).unwrap_or_default();
        let location = location(self.layout, &words[self.layout.thread.len()..]);
        self.permutation.map_or(location, |permutation| permutation.location(location))
    }

    fn thread(&self, id: u32, out: &mut Vec<u64>) {
        let Self { cells, layout, state, permutation } = *self;
        let words = state.words_of(NodeRef::Thread(ThreadId(id))).unwrap_or_default();
        let header = layout.thread.len();
        let start = out.len() + header;
        out.extend_from_slice(words);
        let frame = &words[header..];
        let location = location(layout, frame);
        let has_ended = cells.ended[location.index()];
        if has_ended {
            out[start..].fill(0);
        } else if let Some(permutation) = permutation {
            cells.frames[layout.procedure_of[location]].permute(permutation, frame, &mut out[start..]);
        }
        let to = permutation.map_or(location, |permutation| permutation.location(location));
        if has_ended || to != location {
            layout.location.put(&mut out[start..], to.0.into());
        }
    }

    /// A channel, as the one with the number `to`, from 0 on.
    fn channel(&self, id: u32, to: u32, out: &mut Vec<u64>) {
        let Self { cells, layout, state, permutation } = *self;
        let of = |id: u32| state.words_of(NodeRef::Object(ObjectId(id))).unwrap_or_default();
        let words = of(id);
        let start = out.len();
        out.extend_from_slice(words);
        let Some(permutation) = permutation else { return };
        let tag = layout.tag.get(words);
        if let state::ObjectKind::Channel(declared) = layout.kind(tag) {
            cells.channels[declared].permute(permutation, words, &mut out[start..]);
            // Where there is no message, all bits are 0.
            let length = layout.channels[declared].length.get(words) as u32;
            self.clear_absent(declared, length, &mut out[start..]);
        }
        // A channel stays what it was declared as.
        layout.tag.put(&mut out[start..], layout.tag.get(of(to)));
    }

    fn clear_absent(&self, declared: ChannelId, length: u32, words: &mut [u64]) {
        let shape = &self.layout.channels[declared];
        for message in length..shape.capacity {
            for (field, &sort) in self.cells.plan.sorts.fields[declared].iter().enumerate() {
                if sort != Sort::Number {
                    let slot = shape.field(message, field);
                    words[slot.word as usize] &= !(slot.mask() << slot.shift);
                }
            }
        }
    }
}
