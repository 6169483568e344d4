//! Steady places, and what steps do to them.
//!
//! A place that holds a reference or an abstract id is *steady* if the program stores to it rarely, as far as one
//! can tell from the program alone:
//! - a global, a field or the elements of an array, if all that is ever stored there is new objects;
//! - a local of a thread that nothing is stored to after the thread has started.
//!
//! Names that depend on steady places alone change rarely. That a place is steady is a guess: a step may well
//! change it, and [`State::mentions_changed`] says so.

use ir::{Action, ActionKind, Array, LocationKind, Place, PlaceKind, ProcedureKind, Program, Type, TypeId};

use crate::edges::label;
use crate::{Entity, Form, Layout, NodeRef, Shape, Slot, SlotKind, State};

/// What a step did to mentions of objects and abstract ids; the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MentionsChanged {
    /// Nothing. Mentions of threads may be others.
    None,
    /// Some are others, but none at a steady place.
    Unsteady,
    /// Some at steady places are others, or threads or objects came or went, or threads ended.
    Steady,
}

impl Layout {
    /// Marks the steady places.
    pub(crate) fn find_steady(&mut self, program: &Program) {
        let stores = Stores::of(program);
        let mark = |slot: &mut Slot, is_steady: bool| {
            slot.is_steady = is_steady && slot.kind.is_name() && slot.kind != SlotKind::Thread;
        };
        for (slot, &only_new) in self.root.slots.iter_mut().zip(&stores.globals) {
            mark(slot, only_new);
        }
        self.root.copy_steady();
        for (frame, stored) in self.frames.values_mut().zip(&stores.locals) {
            for (slot, &is_stored) in frame.slots.iter_mut().skip(1).zip(stored) {
                mark(slot, !is_stored);
            }
            frame.copy_steady();
        }
        for (slots, &only_new) in self.field_slots.values_mut().zip(&stores.fields) {
            slots.iter_mut().flatten().for_each(|slot| mark(slot, only_new));
        }
        for (record, id) in self.records.values_mut().zip(0..) {
            for slot in &mut record.slots {
                let is_same = |field: &Slot| (field.word, field.shift) == (slot.word, slot.shift);
                let fields = self.field_slots.values().filter_map(|slots: &Vec<_>| slots[id]);
                slot.is_steady = fields.filter(is_same).any(|field| field.is_steady);
            }
            record.copy_steady();
        }
        self.thread.copy_steady();
        self.lock.copy_steady();
        self.blocks.iter_mut().for_each(|block| block.element.copy_steady());
        for channel in self.channels.values_mut() {
            channel.unit.copy_steady();
        }
        for array in &mut self.arrays {
            let is_steady = !stores.elements.contains(&array.element);
            array.is_steady = is_steady && array.kind.is_name() && array.kind != SlotKind::Thread;
        }
    }
}

impl Shape {
    /// Copies the marks of steady places from its slots, and puts places in the order of their labels.
    fn copy_steady(&mut self) {
        let steady: Vec<(u32, u8)> =
            self.slots.iter().filter(|slot| slot.is_steady).map(|slot| (slot.word, slot.shift)).collect();
        for slot in &mut self.edges {
            slot.is_steady = steady.contains(&(slot.word, slot.shift));
        }
        self.edges.sort_by_key(|slot| (slot.word, slot.shift));
        let to_others = self.edges.iter().copied().filter(|slot| slot.kind != SlotKind::Thread);
        (self.steady, self.unsteady) = to_others.partition(|slot| slot.is_steady);
    }
}

/// What a program stores where.
struct Stores {
    /// By global and by field: whether all that is stored there is new objects.
    globals: Vec<bool>,
    fields: Vec<bool>,
    /// The types of elements of arrays in which anything else is stored.
    elements: Vec<TypeId>,
    /// By procedure and local: whether anything is stored there, or the procedure is no thread.
    locals: Vec<Vec<bool>>,
}

impl Stores {
    fn of(program: &Program) -> Self {
        let mut stores = Self {
            // Elements of array variables are never steady.
            globals: program.globals.values().map(|global| global.dims.is_empty()).collect(),
            fields: vec![true; program.fields.len()],
            elements: Vec::new(),
            locals: program
                .procedures
                .values()
                .map(|procedure| {
                    let is_function = procedure.kind != ProcedureKind::Thread;
                    procedure.locals.values().map(|local| is_function || !local.dims.is_empty()).collect()
                })
                .collect(),
        };
        for action in program.actions() {
            stores.act(program, action);
        }
        for transition in program.transitions.values() {
            let procedure = program.locations[transition.source].procedure.0 as usize;
            let places = transition.body.iter().flat_map(Action::places);
            places.for_each(|place| stores.store_local(procedure, place));
        }
        for location in program.locations.values() {
            if let LocationKind::Resume { result: Some(place), .. } = &location.kind {
                stores.store(program, place);
                stores.store_local(location.procedure.0 as usize, place);
            }
        }
        for (procedure, stored) in program.procedures.values().zip(&mut stores.locals) {
            procedure.catches.iter().for_each(|catch| stored[catch.variable.0 as usize] = true);
        }
        stores
    }

    fn act(&mut self, program: &Program, action: &Action) {
        if !matches!(action.kind, ActionKind::New(..)) {
            action.places().into_iter().for_each(|place| self.store(program, place));
        }
    }

    /// Something is stored that is not a new object.
    fn store(&mut self, program: &Program, place: &Place) {
        match &place.kind {
            PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) => {
                self.globals[id.0 as usize] = false;
            }
            PlaceKind::Field(_, id) => self.fields[id.0 as usize] = false,
            // That may be any field.
            PlaceKind::Through(_) => self.fields.fill(false),
            PlaceKind::Index(array, _) => {
                if let Type::Array(element) = program.types[array.ty] {
                    self.elements.push(element);
                }
            }
            PlaceKind::Local(_) | PlaceKind::Element(Array::Local(_), _) => {}
        }
    }

    fn store_local(&mut self, procedure: usize, place: &Place) {
        if let PlaceKind::Local(id) | PlaceKind::Element(Array::Local(id), _) = place.kind {
            self.locals[procedure][id.0 as usize] = true;
        }
    }
}

/// Some places of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Places {
    Steady,
    Unsteady,
    All,
}

impl Places {
    #[inline]
    fn of(self, shape: &Shape) -> &[Slot] {
        match self {
            Self::Steady => &shape.steady,
            Self::Unsteady => &shape.unsteady,
            Self::All => &shape.edges,
        }
    }
}

impl State {
    /// Visits what a unit mentions at some of its places: the label of each place and what is there, in the order
    /// of places within each frame. Entries of collections that have a place of their own follow, with the label
    /// of the collection; no collection is a steady place. Only [`Places::All`] can include threads.
    #[inline]
    pub fn mentions_at(
        &self,
        layout: &Layout,
        unit: NodeRef,
        places: Places,
        visit: &mut impl FnMut(u64, Entity),
    ) {
        let Some(words) = self.words_of(unit) else { return };
        match unit {
            NodeRef::Root => self.mentions_of(layout, words, 0, &layout.root, places, visit),
            NodeRef::Thread(_) => {
                let header = layout.thread.len();
                if words.len() <= header {
                    return;
                }
                if header > 0 {
                    self.mentions_of(layout, words, 0, &layout.thread, places, visit);
                }
                let mut inset = header;
                while inset < words.len() {
                    let frame = &words[inset..];
                    let location = ir::LocationId(layout.location.get(frame) as u32);
                    let shape = &layout.frames[layout.procedure_of[location]];
                    self.mentions_of(layout, frame, inset, shape, places, visit);
                    // Functions have no steady locals, so only the lowest frame can have any.
                    if places == Places::Steady {
                        return;
                    }
                    inset += shape.len();
                }
            }
            NodeRef::Object(_) => match layout.form(layout.tag.get(words)) {
                Form::Single(shape) => self.mentions_of(layout, words, 0, shape, places, visit),
                Form::Block(block) => {
                    for index in 0..block.length(words.len()) {
                        let inset = block.start(index);
                        self.mentions_of(layout, &words[inset..], inset, &block.element, places, visit);
                    }
                }
                Form::Array(array) => {
                    let is_wanted = match places {
                        Places::Steady => array.is_steady,
                        Places::Unsteady => !array.is_steady && array.kind != SlotKind::Thread,
                        Places::All => true,
                    };
                    if array.kind != SlotKind::Data && is_wanted {
                        for index in 0..layout.array_length.get(words) as u32 {
                            self.mentions_of_slot(layout, words, 0, array.slot(index), visit);
                        }
                    }
                }
            },
        }
    }

    #[inline]
    fn mentions_of(
        &self,
        layout: &Layout,
        words: &[u64],
        inset: usize,
        shape: &Shape,
        places: Places,
        visit: &mut impl FnMut(u64, Entity),
    ) {
        for &slot in places.of(shape) {
            let bits = words[slot.word as usize] >> slot.shift & slot.mask();
            if let Some(entity) = Entity::of_slot(slot.kind, bits as i64) {
                visit(label(inset, slot), entity);
            }
        }
        if places != Places::Steady {
            for &slot in &shape.values {
                self.mentions_of_slot(layout, words, inset, slot, visit);
            }
        }
    }

    fn mentions_of_slot(
        &self,
        layout: &Layout,
        words: &[u64],
        inset: usize,
        slot: Slot,
        visit: &mut impl FnMut(u64, Entity),
    ) {
        let bits = (words[slot.word as usize] >> slot.shift & slot.mask()) as i64;
        let SlotKind::Value(ty) = slot.kind else {
            if let Some(entity) = Entity::of_slot(slot.kind, bits) {
                visit(label(inset, slot), entity);
            }
            return;
        };
        if bits != 0 && layout.terms.has_names(ty) {
            let label = label(inset, slot);
            let value = self.value(layout, ty, bits);
            layout.terms.visit_places(ty, value, 0, &mut |entity| visit(label, entity));
        }
    }

    /// What the last step did to mentions.
    pub const fn mentions_changed(&self) -> MentionsChanged {
        self.mentions_changed
    }

    /// The content of a slot for mentions is another one.
    #[inline]
    pub(crate) fn note_mention(&mut self, slot: Slot) {
        if slot.kind != SlotKind::Thread {
            let changed = if slot.is_steady { MentionsChanged::Steady } else { MentionsChanged::Unsteady };
            self.mentions_changed = self.mentions_changed.max(changed);
        }
    }

    /// A frame of this shape at `base` came, or is about to go.
    pub(crate) fn note_mentions(&mut self, base: usize, shape: &Shape) {
        for &slot in shape.edges.iter().chain(&shape.values) {
            if self.read_untraced(base, slot) != 0 {
                self.note_mention(slot);
            }
        }
    }
}
