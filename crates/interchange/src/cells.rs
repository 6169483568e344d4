//! Where the names of a state are: a plan, for the words of states.

use std::cell::RefCell;

use ir::{
    ChannelId, GlobalId, Id, LocationId, Permutation, ProcedureId, Program, Sort, Table, Variable,
    VariableSort,
};
use rustc_hash::FxHashMap;
use state::{ArrayVariable, Layout, NodeRef, ObjectId, Slot, State, ThreadId};
use system::{Encoding, Section};

use crate::plan::Plan;
use crate::prepare::has_ended;

/// A place for one name.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    pub slot: Slot,
    pub sort: Sort,
    /// A number for the place, different from those of others in the same unit.
    pub place: u64,
}

/// An array of names, or one that is indexed by names.
#[derive(Clone, Debug)]
pub struct ArrayCells {
    pub array: ArrayVariable,
    pub dims: Vec<u32>,
    pub sorts: VariableSort,
    pub place: u64,
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
                self.cells.push(Cell { slot, sort: sorts.value, place });
            }
            Some(array)
                if sorts.value != Sort::Number || sorts.indices.iter().any(|&sort| sort != Sort::Number) =>
            {
                for index in 0..variable.size() as u32 {
                    self.hide(array.slot(index));
                }
                let (dims, sorts) = (variable.dims.clone(), sorts.clone());
                self.arrays.push(ArrayCells { array, dims, sorts, place });
            }
            _ => {}
        }
    }

    /// Permutes the names in the words of a unit.
    fn permute(&self, permutation: &Permutation, old: &[u64], words: &mut [u64]) {
        for cell in &self.cells {
            cell.slot.put(words, permutation.apply(cell.sort, cell.slot.get(old)));
        }
        for ArrayCells { array, dims, sorts, .. } in &self.arrays {
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
    /// By individual, and by piece of text that is a mover: whether it moves.
    pub moves: Vec<bool>,
    /// By location that moves along with a mover: the mover, and the position in its train.
    pub located: Vec<Option<(u32, u32)>>,
    /// By location: whether a thread there has ended, so that its variables do not matter.
    pub ended: Vec<bool>,
    /// For what assignments of movers made of the links: the inverse of the first one that did.
    firsts: RefCell<FxHashMap<Vec<[u32; 3]>, Vec<u32>>>,
    scratch: RefCell<Scratch>,
}

/// Lists that are made anew for each state, in memory that is kept.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// By place: the thread, and the channel, that goes there.
    threads: Vec<u32>,
    channels: Vec<u32>,
    links: Vec<[u32; 3]>,
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

/// When there are this many, states with others stay as they are.
const MOST_FIRSTS: usize = 1 << 16;

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
                root.add(variable, &sorts.globals[id], slot, array, id.index() as u64);
            }
        }
        let frames = program
            .procedures
            .iter()
            .map(|(procedure, declared)| {
                let mut cells = UnitCells::new(layout.frames[procedure].len());
                cells.hide(layout.location);
                for (id, variable) in declared.locals.iter() {
                    let (slot, array) =
                        (layout.local(procedure, id), layout.frame_arrays[procedure][id.index()]);
                    cells.add(variable, &sorts.locals[procedure][id], slot, array, id.index() as u64);
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
                            let place = u64::from(message) << 16 | field as u64;
                            cells.cells.push(Cell { slot, sort, place });
                        }
                    }
                }
                cells
            })
            .collect();
        let ended = program.locations.values().map(|location| has_ended(program, location)).collect();
        let individuals = plan.population.threads.len() + plan.population.channels.len();
        let nodes = plan.classes.iter().flatten().chain(plan.trains.iter().flat_map(|train| &train.points));
        let last = nodes.max().map_or(0, |&last| last as usize + 1);
        let mut moves = vec![false; individuals.max(last)];
        let mut located = vec![None; program.locations.len()];
        for &mover in plan.classes.iter().flatten() {
            let train = &plan.trains[mover as usize];
            moves[mover as usize] = true;
            train.channels.iter().chain(&train.points).for_each(|&node| moves[node as usize] = true);
            for (location, at) in train.locations.iter().zip(0..) {
                located[location.index()] = Some((mover, at));
            }
        }
        Self {
            root,
            coded,
            frames,
            channels,
            moves,
            located,
            ended,
            firsts: RefCell::default(),
            scratch: RefCell::default(),
            plan,
        }
    }

    pub fn thread_count(&self) -> usize {
        self.plan.population.threads.len()
    }

    /// The individual that a number stands for, if it moves.
    pub fn mover(&self, sort: Sort, value: i64) -> Option<u32> {
        let individual = match sort {
            Sort::Number => return None,
            Sort::Thread { shift } => usize::try_from(value.wrapping_add(shift))
                .ok()
                .filter(|&thread| thread < self.thread_count())?,
            Sort::Channel => {
                let channels = self.plan.population.channels.len();
                let position = usize::try_from(value.checked_sub(1)?).ok().filter(|&at| at < channels)?;
                self.thread_count() + position
            }
        };
        self.moves.get(individual)?.then_some(individual as u32)
    }

    /// Changes an assignment of movers to others of their classes into one that leaves the links as they are. Two
    /// assignments that differ by a permutation that leaves the links as they are have one result.
    ///
    /// What an assignment makes of the links is remembered, with the first assignment that did: what leads from a
    /// later one back to the first leaves the links as they are.
    pub fn straighten(&self, moved: &mut [u32]) {
        let links = &mut self.scratch.borrow_mut().links;
        links.clear();
        links.extend(
            self.plan
                .links
                .iter()
                .map(|link| [moved[link.source as usize], link.label, moved[link.target as usize]]),
        );
        links.sort_unstable();
        let mut firsts = self.firsts.borrow_mut();
        let movers = || self.plan.classes.iter().flatten().copied();
        if let Some(back) = firsts.get(links) {
            movers().for_each(|mover| moved[mover as usize] = back[moved[mover as usize] as usize]);
            return;
        }
        if firsts.len() < MOST_FIRSTS {
            let mut back = vec![u32::MAX; moved.len()];
            movers().for_each(|mover| back[moved[mover as usize] as usize] = mover);
            firsts.insert(links.clone(), back);
        }
        // The first one leads back to itself.
        movers().for_each(|mover| moved[mover as usize] = mover);
    }

    /// Writes the state, permuted. The permutation may be of fewer individuals than the state
    /// has, which stay, or of more, if threads have vanished since: those stayed.
    pub fn encode(&self, layout: &Layout, state: &State, permutation: &Permutation, into: &mut Encoding) {
        let Scratch { threads: sources, channels: queues, .. } = &mut *self.scratch.borrow_mut();
        Scratch::invert(sources, state.thread_count(), &permutation.threads, 0);
        Scratch::invert(queues, state.channel_count(), &permutation.channels[1..], 1);
        into.refill(|into| {
            into.component(Section::Root, |out| {
                let words = state.words_of(NodeRef::Root).unwrap_or_default();
                let start = out.len();
                out.extend_from_slice(&words[..layout.root_shown]);
                let shown = &mut out[start..];
                self.root.permute(permutation, words, shown);
                for CodedCells { variable, slots, .. } in &self.coded {
                    let Some(recoding) = permutation.coded.get(variable) else { continue };
                    for (slot, element) in slots.iter().zip(&recoding.elements) {
                        slots[element.to as usize].put(shown, element.apply(slot.get(words)));
                    }
                }
                if let Some(slot) = layout.exclusive {
                    let sort = Sort::Thread { shift: -1 };
                    slot.put(shown, permutation.apply(sort, slot.get(words)));
                }
                if let Some(slot) = layout.last {
                    slot.put(shown, permutation.apply(Sort::Thread { shift: 0 }, slot.get(words)));
                }
            });
            for &id in &*sources {
                into.component(Section::Threads, |out| {
                    let words = state.words_of(NodeRef::Thread(ThreadId(id))).unwrap_or_default();
                    let header = layout.thread.len();
                    let start = out.len() + header;
                    out.extend_from_slice(words);
                    let frame = &words[header..];
                    let location = LocationId(layout.location.get(frame) as u32);
                    if self.ended[location.index()] {
                        out[start..].fill(0);
                    } else {
                        let cells = &self.frames[layout.procedure_of[location]];
                        cells.permute(permutation, frame, &mut out[start..]);
                    }
                    let to = permutation.location(location);
                    layout.location.put(&mut out[start..], to.0.into());
                });
            }
            for (&id, to) in queues.iter().zip(0..) {
                into.component(Section::Objects, |out| {
                    let of = |id: u32| state.words_of(NodeRef::Object(ObjectId(id))).unwrap_or_default();
                    let words = of(id);
                    let start = out.len();
                    out.extend_from_slice(words);
                    let tag = layout.tag.get(words);
                    if let state::ObjectKind::Channel(declared) = layout.kind(tag) {
                        self.channels[declared].permute(permutation, words, &mut out[start..]);
                        // Where there is no message, all bits are 0.
                        let length = layout.channels[declared].length.get(words) as u32;
                        self.clear_absent(layout, declared, length, &mut out[start..]);
                    }
                    // A channel stays what it was declared as.
                    layout.tag.put(&mut out[start..], layout.tag.get(of(to)));
                });
            }
        });
    }

    fn clear_absent(&self, layout: &Layout, declared: ChannelId, length: u32, words: &mut [u64]) {
        let shape = &layout.channels[declared];
        for message in length..shape.capacity {
            for (field, &sort) in self.plan.sorts.fields[declared].iter().enumerate() {
                if sort != Sort::Number {
                    let slot = shape.field(message, field);
                    words[slot.word as usize] &= !(slot.mask() << slot.shift);
                }
            }
        }
    }
}
