//! The effects of the bytecode: bodies of transitions and how they leave their location, on a state that
//! journals its changes.
//!
//! With `eval` this is the module boundary that a compiler to machine code would take over: its callers give
//! a position to run from and get back how the run ended.
//!
//! The loop itself knows the few operations that most steps consist of. The others are functions of their
//! own, called and not inlined: what they need would otherwise be prepared for every run, whether it is used
//! or not.

use ir::{FieldId, Id, LocationId, ProcedureId, RecordId, TypeId};
use state::{End, Entity, NodeRef, ObjectId, ObjectKind, Slot, SlotKind, State, ThreadId, mask};
use system::{Bound, Fault, FaultKind};

use crate::choices::{Alternatives, Choices};
use crate::code::{ANY, Op, PatternCode, Pc, ReceiveCode};
use crate::eval::Stack;
use crate::{Engine, EngineState};

/// The reason why a run did not reach its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An obstacle: the step is not enabled.
    Blocked,
    Fault(Fault),
    Truncated(Bound),
    /// The alarm rang.
    Abandoned,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Run to the end.
    Whole,
    /// Stop before the transition leaves its location: only choices and obstacles are of interest.
    Trial,
}

/// A step to a state with more words than this (64 MiB) is not taken, even if exceeding a bound is a fault
/// otherwise.
pub const MAX_STATE_WORDS: usize = 1 << 23;

/// Memory limits are checked between steps; no single step may exhaust the memory. If the system has none
/// left, the state remembers that, and the search ends incomplete.
fn make_room(state: &mut State, words: usize) -> Result<(), Stop> {
    let fits = state.size() + words <= MAX_STATE_WORDS && state.has_room_for(words);
    if fits { Ok(()) } else { Err(Stop::Truncated(Bound::Objects)) }
}

/// What to do after an operation.
enum Flow {
    Next,
    /// The operation at this position.
    At(Pc),
    Done,
}

/// A run of a body.
pub struct Run<'e> {
    engine: &'e Engine,
    state: &'e mut State,
    operands: &'e mut Stack,
    choices: &'e mut Choices,
    /// A frame under construction.
    scratch: &'e mut Vec<u64>,
    thread: ThreadId,
    /// Where the top frame of the thread is.
    frame: usize,
    pc: usize,
    /// The choices that are still to be made.
    choice: u32,
    /// The result of the last function.
    result: i64,
    mode: Mode,
    /// The last transition, if the run went on to another one.
    passed: Option<u32>,
}

impl Engine {
    /// Runs the body at `pc` for `thread`, with its choice points resolved by `choice`. Returns the last
    /// transition, if the run went on to another one.
    pub(crate) fn run(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        pc: Pc,
        choice: u32,
        mode: Mode,
    ) -> Result<Option<u32>, Stop> {
        let EngineState { state, stack: operands, choices, frame: scratch, .. } = es;
        operands.clear();
        // The value below the first one, see `eval`.
        operands.values.push(0);
        let frame = state.frame(thread);
        let pc = pc as usize;
        let mut run = Run {
            engine: self,
            state,
            operands,
            choices,
            scratch,
            thread,
            frame,
            pc,
            choice,
            result: 0,
            mode,
            passed: None,
        };
        run.go()?;
        Ok(run.passed)
    }

    /// Runs a prologue, of a thread or of the program.
    pub(crate) fn run_prologue(
        &self,
        es: &mut EngineState,
        thread: Option<ThreadId>,
        pc: Pc,
    ) -> Result<(), Stop> {
        let EngineState { state, stack: operands, choices, frame: scratch, .. } = es;
        operands.clear();
        operands.values.push(0);
        let frame = thread.map_or(0, |thread| state.frame(thread));
        let thread = thread.unwrap_or(ThreadId(u32::MAX));
        let (pc, mode) = (pc as usize, Mode::Trial);
        Run {
            engine: self,
            state,
            operands,
            choices,
            scratch,
            thread,
            frame,
            pc,
            choice: 0,
            result: 0,
            mode,
            passed: None,
        }
        .go()
    }
}

impl Engine {
    /// Acts for a thread, in the middle of a step.
    pub(crate) fn with_run<T>(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        act: impl FnOnce(&mut Run<'_>) -> T,
    ) -> T {
        let EngineState { state, stack: operands, choices, frame: scratch, .. } = es;
        operands.clear();
        operands.values.push(0);
        let frame = state.frame(thread);
        act(&mut Run {
            engine: self,
            state,
            operands,
            choices,
            scratch,
            thread,
            frame,
            pc: 0,
            choice: 0,
            result: 0,
            mode: Mode::Trial,
            passed: None,
        })
    }
}

impl Run<'_> {
    #[inline]
    fn go(&mut self) -> Result<(), Stop> {
        let engine = self.engine;
        loop {
            match engine.code.ops[self.pc] {
                Op::StoreLocal { slot, admit } => {
                    let value = self.pop();
                    let value = self.admit(value, admit)?;
                    self.write_local(engine.code.slots[slot as usize], value)?;
                }
                Op::StoreGlobal { slot, admit } => {
                    let value = self.pop();
                    let value = self.admit(value, admit)?;
                    self.write(NodeRef::Root, 0, engine.code.slots[slot as usize], value)?;
                }
                Op::StoreField { slot, admit } => {
                    let value = self.pop();
                    let id = self.object()?;
                    let value = self.admit(value, admit)?;
                    self.write_object(id, engine.code.slots[slot as usize], value)?;
                }
                Op::StoreLocalField { at_shift, at, slot, admit } => {
                    let value = self.pop();
                    let word = self.state.word(self.frame + at as usize);
                    let raw = (word >> at_shift & mask(engine.layout.object_bits)) as i64;
                    let id = self.object_of(raw)?;
                    let value = self.admit(value, admit)?;
                    self.write_object(id, engine.code.slots[slot as usize], value)?;
                }
                Op::Const(value) => self.operands.values.push(value),
                Op::Assert => {
                    if self.pop() == 0 {
                        return Err(self.fault(FaultKind::Assertion));
                    }
                }
                Op::Assume => {
                    if self.pop() == 0 {
                        return Err(Stop::Blocked);
                    }
                }
                Op::BodyDone => {
                    if self.mode == Mode::Trial {
                        return Ok(());
                    }
                }
                Op::Goto(location) => {
                    let Some((body, transition)) = engine.jumps.through(location) else {
                        self.arrive(location);
                        return Ok(());
                    };
                    engine.reach(location);
                    engine.taken.insert(transition);
                    self.clear(location);
                    self.operands.count_fused_step()?;
                    self.passed = Some(transition);
                    self.pc = body as usize;
                    continue;
                }
                op if op.is_effect() => match self.effect(op)? {
                    Flow::Next => {}
                    Flow::At(pc) => {
                        self.pc = pc as usize;
                        continue;
                    }
                    Flow::Done => return Ok(()),
                },
                _ => {
                    let Run { state, operands, thread, frame, pc, result, .. } = self;
                    *pc = engine.eval(state, operands, *thread, *frame, *pc, *result)?;
                    continue;
                }
            }
            self.pc += 1;
        }
    }
}

impl Run<'_> {
    /// Operations that are rare or expensive.
    #[inline(never)]
    fn effect(&mut self, op: Op) -> Result<Flow, Stop> {
        match op {
            Op::StoreFieldOf { field, admit } => {
                let value = self.pop();
                let id = self.object()?;
                let value = self.admit(value, admit)?;
                let tag = self.tag(id);
                self.write_object(id, self.engine.slot_of(tag, FieldId(field)), value)?;
            }
            Op::StoreElement { array, admit } => {
                let value = self.pop();
                let index = self.pop();
                let id = self.object()?;
                let length = self.state.read(self.state.object(id), self.engine.layout.array_length);
                if !(0..length).contains(&index) {
                    return Err(self.fault(FaultKind::Index));
                }
                let value = self.admit(value, admit)?;
                self.write_object(id, self.engine.layout.arrays[array as usize].slot(index as u32), value)?;
            }
            Op::NewRecord(record) => {
                let template = &self.engine.layout.records[RecordId(record)].template;
                self.allocate(template, template.len(), 0)?;
            }
            Op::NewLock => {
                let template = &self.engine.layout.lock.template;
                self.allocate(template, template.len(), 0)?;
            }
            Op::NewArray(array) => self.new_array(array)?,
            Op::NewBlock(block) => self.new_block(block)?,
            Op::StoreThrough(class) => self.store_through(class)?,
            Op::NewChannel(channel) => {
                let template = &self.engine.layout.channels[ir::ChannelId(channel)].unit.template;
                self.allocate(template, template.len(), 0)?;
            }
            Op::BadCall => return Err(self.fault(FaultKind::BadCall)),
            Op::Choose(ty) => self.choose(ty)?,
            Op::Lock => self.lock()?,
            Op::Unlock => self.unlock()?,
            Op::Wait => self.wait()?,
            Op::Unwait => self.unwait()?,
            Op::Notify => self.notify(false)?,
            Op::NotifyAll => self.notify(true)?,
            Op::Throw => {
                let exception = self.object()?;
                if self.mode == Mode::Whole {
                    self.throw(exception)?;
                }
                return Ok(Flow::Done);
            }
            Op::Delete => self.delete()?,
            Op::Kill => self.kill(),
            Op::Start { procedure, priority } => self.start(ProcedureId(procedure), priority)?,
            Op::StoreArrayElement { array, admit } => {
                let value = self.pop();
                let array = &self.engine.code.arrays[array as usize];
                let base = self.operands.values.len() - array.dims.len();
                let slot = array.slot(&self.operands.values[base..]).ok_or(self.fault(FaultKind::Index))?;
                self.operands.values.truncate(base);
                let value = self.admit(value, admit)?;
                match array.procedure {
                    Some(_) => self.write_local(slot, value)?,
                    None => self.write(NodeRef::Root, 0, slot, value)?,
                }
            }
            Op::StoreOwnElement { array, offset, admit } => {
                let value = self.pop();
                let slot = self.engine.code.arrays[array as usize].own_slot(self.thread, offset);
                let slot = slot.ok_or(self.fault(FaultKind::Index))?;
                let value = self.admit(value, admit)?;
                self.write(NodeRef::Root, 0, slot, value)?;
            }
            Op::Check => {
                if self.pop() == 0 {
                    let site = self.pc as u32;
                    self.operands.note(Some(Fault { kind: FaultKind::Assertion, site }));
                }
            }
            Op::SetPriority => {
                let priority = self.pop();
                let number = self.pop();
                if !(1..=255).contains(&priority) {
                    return Err(self.fault(FaultKind::Range));
                }
                let slot = self.engine.layout.priority.expect("priorities are set");
                if let Ok(id) = u32::try_from(number)
                    && self.state.is_running(ThreadId(id))
                {
                    self.write_header(ThreadId(id), slot, priority);
                }
            }
            Op::Exit => {
                if self.mode == Mode::Whole {
                    if self.engine.layout.thread_ids_observable {
                        self.engine.end_observed(self.state, self.thread);
                    } else {
                        self.state.end_thread(&self.engine.layout, self.thread);
                    }
                }
                return Ok(Flow::Done);
            }
            Op::Return { value } => {
                if value {
                    self.result = self.pop();
                }
                let layout = &self.engine.layout;
                if layout.thread_ids_observable && self.state.has_one_frame(layout, self.thread) {
                    self.engine.end_observed(self.state, self.thread);
                    return Ok(Flow::Done);
                }
                self.state.pop_frame(layout, self.thread);
                if !self.state.is_running(self.thread) {
                    return Ok(Flow::Done);
                }
                self.frame = self.state.frame(self.thread);
                let resume = self.engine.code.resumes[self.location()];
                return Ok(Flow::At(resume.expect("callers stand at resume locations")));
            }
            Op::Call { procedure, resume } => {
                self.call(ProcedureId(procedure), resume)?;
                return Ok(Flow::Done);
            }
            Op::CallVirtual { table, resume } => {
                let table = &self.engine.virtuals[table as usize];
                let receiver = self.operands.values[self.operands.values.len() - table.args];
                let id = self.object_of(receiver)?;
                let target = match self.engine.layout.kind(self.tag(id)) {
                    ObjectKind::Record(record) => table.targets[record.index()],
                    ObjectKind::Lock
                    | ObjectKind::Array(_)
                    | ObjectKind::Block(_)
                    | ObjectKind::Channel(_)
                    | ObjectKind::Tombstone(_) => None,
                };
                self.call(target.ok_or(self.fault(FaultKind::BadCast))?, resume)?;
                return Ok(Flow::Done);
            }
            op => unreachable!("{op:?} is no effect"),
        }
        Ok(Flow::Next)
    }

    /// Starts a thread with the arguments on top of the stack, and replaces them by a reference to it: its
    /// number, if that is observable.
    fn start(&mut self, procedure: ProcedureId, priority: u8) -> Result<(), Stop> {
        let engine = self.engine;
        self.fill_frame(procedure)?;
        let bound = engine.layout.bounds.threads;
        let Some(id) = self.state.start_thread(&engine.layout, self.scratch, bound) else {
            return Err(self.exceeds(Bound::Threads));
        };
        if let Some(slot) = engine.layout.priority {
            self.write_header(id, slot, priority.into());
        }
        if !engine.make_channels(self.state, &engine.channels_of[procedure.index()]) {
            return Err(self.exceeds(Bound::Objects));
        }
        self.run_prologue_of(id, engine.code.prologues[procedure.index()])?;
        self.operands.values.push(if engine.layout.thread_ids_observable { id.0.into() } else { id.raw() });
        Ok(())
    }

    /// Runs the prologue of a thread that was just started, in the middle of a step.
    fn run_prologue_of(&mut self, id: ThreadId, pc: Pc) -> Result<(), Stop> {
        let engine = self.engine;
        if matches!(engine.code.ops[pc as usize], Op::BodyDone) {
            return Ok(());
        }
        let mut prologue = Run {
            engine,
            frame: self.state.frame(id),
            state: &mut *self.state,
            operands: &mut *self.operands,
            choices: &mut *self.choices,
            scratch: &mut *self.scratch,
            thread: id,
            pc: pc as usize,
            choice: 0,
            result: 0,
            mode: Mode::Trial,
            passed: None,
        };
        prologue.go()?;
        // The block of the thread that runs may have moved.
        self.frame = self.state.frame(self.thread);
        Ok(())
    }

    /// Stores the fields of a message by the pattern.
    pub(crate) fn store_message(&mut self, receive: &ReceiveCode, message: &[i64]) -> Result<(), Stop> {
        for (&value, field) in message.iter().zip(&receive.pattern) {
            match *field {
                PatternCode::Global { slot, admit } => {
                    let value = self.admit(value, admit)?;
                    self.write(NodeRef::Root, 0, slot, value)?;
                }
                PatternCode::Local { slot, admit } => {
                    let value = self.admit(value, admit)?;
                    self.write_local(slot, value)?;
                }
                PatternCode::Place(pc) => {
                    let (back, mode, result) = (self.pc, self.mode, self.result);
                    (self.pc, self.mode, self.result) = (pc as usize, Mode::Trial, value);
                    self.go()?;
                    (self.pc, self.mode, self.result) = (back, mode, result);
                }
                PatternCode::Match(_) | PatternCode::Any => {}
            }
        }
        Ok(())
    }

    // Operands.

    fn fault(&self, kind: FaultKind) -> Stop {
        Stop::Fault(Fault { kind, site: self.pc as u32 })
    }

    fn exceeds(&self, bound: Bound) -> Stop {
        self.engine.exceeds(bound, self.pc)
    }

    #[inline]
    fn pop(&mut self) -> i64 {
        self.operands.values.pop().expect("the compiler balances the stack")
    }

    #[inline]
    fn object(&mut self) -> Result<ObjectId, Stop> {
        let raw = self.pop();
        self.object_of(raw)
    }

    /// The object that a reference with these bits refers to, whose contents are about to be used.
    #[inline]
    fn object_of(&self, raw: i64) -> Result<ObjectId, Stop> {
        match (self.engine.object(self.state, raw), ObjectId::from_raw(raw)) {
            (Ok(_), Some(id)) => Ok(id),
            (Err(kind), _) => Err(self.fault(kind)),
            (Ok(_), None) => unreachable!("there is no object behind `null`"),
        }
    }

    #[inline]
    fn admit(&self, value: i64, by: u32) -> Result<i64, Stop> {
        if by == ANY {
            return Ok(value);
        }
        self.engine.code.admits[by as usize].admit(value).ok_or(self.fault(FaultKind::Range))
    }

    fn tag(&self, id: ObjectId) -> i64 {
        self.state.read(self.state.object(id), self.engine.layout.tag)
    }

    fn location(&self) -> usize {
        self.state.read(self.frame, self.engine.layout.location) as usize
    }

    // Writing.

    #[inline]
    fn write(&mut self, node: NodeRef, base: usize, slot: Slot, value: i64) -> Result<(), Stop> {
        if let SlotKind::Value(ty) = slot.kind {
            return self.write_value(node, base, slot, ty, value);
        }
        self.state.write(node, base, slot, value);
        Ok(())
    }

    #[inline]
    fn write_local(&mut self, slot: Slot, value: i64) -> Result<(), Stop> {
        self.write(NodeRef::Thread(self.thread), self.frame, slot, value)
    }

    #[inline]
    fn write_object(&mut self, id: ObjectId, slot: Slot, value: i64) -> Result<(), Stop> {
        self.write(NodeRef::Object(id), self.state.object(id), slot, value)
    }

    /// Stores the collection with this handle.
    #[inline(never)]
    fn write_value(
        &mut self,
        node: NodeRef,
        base: usize,
        slot: Slot,
        ty: TypeId,
        handle: i64,
    ) -> Result<(), Stop> {
        let handle = self.operands.scratch.own(self.engine, self.state, ty, handle);
        let words = if handle == 0 {
            self.engine.layout.terms.empty(ty)
        } else {
            self.operands.scratch.owned(handle)
        };
        make_room(self.state, words.len())?;
        self.state.write_value(&self.engine.layout, node, base, slot, words);
        Ok(())
    }

    /// Where the header of the thread is, before its frames.
    fn write_header(&mut self, thread: ThreadId, slot: Slot, value: i64) {
        self.state.write(NodeRef::Thread(thread), self.state.thread(thread), slot, value);
    }

    /// The thread arrives at a location: locals that are not live there are cleared.
    #[inline]
    fn arrive(&mut self, location: u32) {
        let engine = self.engine;
        let node = NodeRef::Thread(self.thread);
        self.state.write(node, self.frame, engine.layout.location, location.into());
        engine.reach(location);
        self.clear(location);
    }

    /// Clears the locals that are not live at a location.
    #[inline]
    pub(crate) fn clear(&mut self, location: u32) {
        let engine = self.engine;
        let node = NodeRef::Thread(self.thread);
        for &(slot, value) in &engine.locations[location as usize].clears {
            match slot.kind {
                SlotKind::Value(ty) => {
                    let empty = engine.layout.terms.empty(ty);
                    self.state.write_value(&engine.layout, node, self.frame, slot, empty);
                }
                _ => self.state.write(node, self.frame, slot, value),
            }
        }
    }

    fn allocate(&mut self, template: &[u64], len: usize, fill: u64) -> Result<(), Stop> {
        make_room(self.state, len)?;
        let bound = self.engine.layout.bounds.objects;
        let id = self.state.new_object(template, len, fill, bound).ok_or(self.exceeds(Bound::Objects))?;
        self.operands.values.push(id.raw());
        Ok(())
    }

    fn new_array(&mut self, array: u32) -> Result<(), Stop> {
        let length = self.pop();
        if length < 0 {
            return Err(self.fault(FaultKind::Index));
        }
        if length > ir::MAX_ARRAY_LENGTH {
            return Err(self.exceeds(Bound::Objects));
        }
        let shape = self.engine.layout.arrays[array as usize];
        let first = u64::from(shape.tag) | (length as u64) << self.engine.layout.array_length.shift;
        let element = mask(1 << shape.log_bits) & shape.default;
        let fill = (0..64 >> shape.log_bits).fold(0, |fill, i| fill | element << (i << shape.log_bits));
        self.allocate(&[first], shape.words(length as u32), fill)
    }

    fn new_block(&mut self, block: u32) -> Result<(), Stop> {
        let length = self.pop();
        if length < 0 {
            return Err(self.fault(FaultKind::Index));
        }
        let shape = &self.engine.layout.blocks[block as usize];
        let leaves = self.engine.layout.records[shape.record].slots.len() as i64 - 1;
        if length.saturating_mul(leaves) > ir::MAX_BLOCK_LEAVES {
            return Err(self.exceeds(Bound::Objects));
        }
        let mut words = std::mem::take(self.scratch);
        words.clear();
        words.push(self.engine.layout.tag.raw(shape.tag.into()));
        for _ in 0..length {
            words.extend_from_slice(&shape.element.template);
        }
        let made = self.allocate(&words, words.len(), 0);
        *self.scratch = words;
        made
    }

    fn store_through(&mut self, class: TypeId) -> Result<(), Stop> {
        let engine = self.engine;
        let value = self.pop();
        let pointer = self.pop();
        let (_, slot, ty) = engine.leaf(self.state, pointer).map_err(|kind| self.fault(kind))?;
        if engine.code.classes[ty.index()] != class {
            return Err(self.fault(FaultKind::BadCast));
        }
        let value = self.admit(value, engine.code.admit_of[ty.index()])?;
        let id = self.object_of(engine.layout.target(pointer).0)?;
        self.write_object(id, slot, value)
    }

    /// Deletes an object. The faults are those of explicit memory, whether it is or not.
    fn delete(&mut self) -> Result<(), Stop> {
        let engine = self.engine;
        let raw = self.pop();
        let id = ObjectId::from_raw(raw).ok_or(self.fault(FaultKind::NullDereference))?;
        let tag = self.tag(id);
        let is_bad = match engine.layout.kind(tag) {
            ObjectKind::Tombstone(End::Deleted) => return Err(self.fault(FaultKind::DoubleDelete)),
            ObjectKind::Tombstone(End::OutOfScope) => true,
            ObjectKind::Record(record) => engine.scoped[record.index()],
            ObjectKind::Block(block) => engine.scoped[engine.layout.blocks[block as usize].record.index()],
            ObjectKind::Lock => self.owner(id) != 0 || self.is_waited_for(id),
            ObjectKind::Channel(channel) => engine.scoped_channels[channel.index()],
            ObjectKind::Array(_) => false,
        };
        if is_bad {
            return Err(self.fault(FaultKind::BadDelete));
        }
        if engine.deletes {
            self.state.end_object(&engine.layout, id, End::Deleted);
        }
        Ok(())
    }

    /// Ends the object of a variable whose scope is left.
    fn kill(&mut self) {
        if let Some(id) = ObjectId::from_raw(self.pop())
            && !matches!(self.engine.layout.kind(self.tag(id)), ObjectKind::Tombstone(_))
        {
            self.state.end_object(&self.engine.layout, id, End::OutOfScope);
        }
    }

    fn is_waited_for(&self, lock: ObjectId) -> bool {
        let Some(wait) = self.engine.layout.wait else { return false };
        let mut threads = (0..self.state.thread_limit()).map(ThreadId);
        threads.any(|thread| {
            self.state.is_running(thread)
                && self.state.read(self.state.thread(thread), wait.lock) == lock.raw()
        })
    }

    // Monitors.

    fn owner(&self, lock: ObjectId) -> i64 {
        self.state.read(self.state.object(lock), self.engine.layout.lock_owner())
    }

    fn count(&self, lock: ObjectId) -> i64 {
        self.state.read(self.state.object(lock), self.engine.layout.lock_count())
    }

    fn hold(&mut self, lock: ObjectId, owner: i64, count: i64) {
        let base = self.state.object(lock);
        // The owner runs: a lock with another owner makes no garbage.
        self.state.write_kept(NodeRef::Object(lock), base, self.engine.layout.lock_owner(), owner);
        self.state.write(NodeRef::Object(lock), base, self.engine.layout.lock_count(), count);
    }

    fn lock(&mut self) -> Result<(), Stop> {
        let lock = self.object()?;
        let owner = self.owner(lock);
        if owner != 0 && owner != self.thread.raw() {
            return Err(Stop::Blocked);
        }
        let count = self.count(lock) + 1;
        if count > i64::from(ir::MAX_LOCK_COUNT) {
            return Err(self.fault(FaultKind::Range));
        }
        self.hold(lock, self.thread.raw(), count);
        Ok(())
    }

    fn unlock(&mut self) -> Result<(), Stop> {
        let lock = self.object()?;
        if self.owner(lock) != self.thread.raw() {
            return Err(self.fault(FaultKind::Unlock));
        }
        let count = self.count(lock) - 1;
        self.hold(lock, if count == 0 { 0 } else { self.thread.raw() }, count);
        Ok(())
    }

    fn wait(&mut self) -> Result<(), Stop> {
        let lock = self.object()?;
        let wait = self.engine.layout.wait.expect("the program waits");
        let waits = self.state.read(self.state.thread(self.thread), wait.lock) != 0;
        if waits || self.owner(lock) != self.thread.raw() {
            return Err(self.fault(FaultKind::Wait));
        }
        self.write_header(self.thread, wait.lock, lock.raw());
        self.write_header(self.thread, wait.count, self.count(lock));
        self.hold(lock, 0, 0);
        Ok(())
    }

    fn unwait(&mut self) -> Result<(), Stop> {
        let lock = self.object()?;
        let base = self.state.thread(self.thread);
        let wait = self.engine.layout.wait.filter(|wait| self.state.read(base, wait.lock) == lock.raw());
        let wait = wait.ok_or(self.fault(FaultKind::Wait))?;
        if self.state.read(base, wait.notified) == 0 || self.owner(lock) != 0 {
            return Err(Stop::Blocked);
        }
        self.hold(lock, self.thread.raw(), self.state.read(base, wait.count));
        self.write_header(self.thread, wait.lock, 0);
        self.write_header(self.thread, wait.count, 0);
        self.write_header(self.thread, wait.notified, 0);
        Ok(())
    }

    fn notify(&mut self, all: bool) -> Result<(), Stop> {
        let lock = self.object()?;
        if self.owner(lock) != self.thread.raw() {
            return Err(self.fault(FaultKind::Notify));
        }
        let Some(wait) = self.engine.layout.wait else { return Ok(()) };
        let waits = |state: &State, thread: ThreadId| {
            state.is_running(thread)
                && state.read(state.thread(thread), wait.lock) == lock.raw()
                && state.read(state.thread(thread), wait.notified) == 0
        };
        let threads = || (0..self.state.thread_limit()).map(ThreadId);
        if all {
            for thread in threads() {
                if waits(self.state, thread) {
                    self.write_header(thread, wait.notified, 1);
                }
            }
            return Ok(());
        }
        let waiting = || threads().filter(|&thread| waits(self.state, thread));
        let ways = waiting().count() as u32;
        if ways > 0 {
            let chosen = self.choice % ways;
            self.choice /= ways;
            let notified = waiting().nth(chosen as usize).expect("one of those counted");
            if self.choices.folds() {
                self.choices.entities.clear();
                self.choices.entities.extend(waiting().map(|thread| Some(Entity::Thread(thread))));
                self.choices.add_folded(self.thread, ways, chosen, Alternatives::Entities);
            } else {
                self.choices.add(ways, chosen);
            }
            self.write_header(notified, wait.notified, 1);
        }
        Ok(())
    }

    /// Replaces the collection on the stack by one of its elements.
    fn choose(&mut self, ty: TypeId) -> Result<(), Stop> {
        let from = self.pop();
        let scratch = &mut self.operands.scratch;
        let first = self.engine.elements(self.state, scratch, ty, from);
        let ways = first.left as u32;
        if ways == 0 {
            return Err(self.fault(FaultKind::Empty));
        }
        let chosen = self.choice % ways;
        self.choice /= ways;
        let mut elements = first;
        let mut element = None;
        for _ in 0..=chosen {
            element = self.engine.next_element(scratch, &mut elements);
        }
        if self.choices.folds() {
            let terms = &self.engine.layout.terms;
            let of = terms.element(ty);
            let mut elements = first;
            let alternatives = if !terms.has_names(of) {
                Alternatives::Data
            } else if terms.is_atom(of) {
                self.choices.entities.clear();
                while let Some(element) = self.engine.next_element(scratch, &mut elements) {
                    self.choices.entities.push(Entity::of_term(terms.kind(of), element));
                }
                Alternatives::Entities
            } else {
                Alternatives::Mixed
            };
            self.choices.add_folded(self.thread, ways, chosen, alternatives);
        } else {
            self.choices.add(ways, chosen);
        }
        self.operands.values.push(element.expect("one of those counted"));
        Ok(())
    }

    // Frames.

    fn throw(&mut self, exception: ObjectId) -> Result<(), Stop> {
        let tag = self.tag(exception);
        loop {
            self.frame = self.state.frame(self.thread);
            let catches = &self.engine.catches[self.location()];
            if let Some(catch) = catches.iter().find(|catch| self.engine.descends(tag, catch.record)) {
                self.write_local(catch.variable, exception.raw())?;
                self.arrive(catch.handler);
                return Ok(());
            }
            self.state.pop_frame(&self.engine.layout, self.thread);
            if !self.state.is_running(self.thread) {
                return Err(self.fault(FaultKind::UncaughtException));
            }
        }
    }

    /// A frame of `procedure` in the scratch space, with the arguments that are on top of the stack.
    fn fill_frame(&mut self, procedure: ProcedureId) -> Result<(), Stop> {
        let engine = self.engine;
        let shape = &engine.layout.frames[procedure];
        let admits = &engine.params[procedure.index()];
        self.scratch.clear();
        self.scratch.extend_from_slice(&shape.template);
        let base = self.operands.values.len() - admits.len();
        let entry = engine.entries[procedure.index()];
        for (index, &by) in admits.iter().enumerate() {
            let slot = shape.slots[index + 1];
            let mut value = self.admit(self.operands.values[base + index], by)?;
            if let SlotKind::Value(ty) = slot.kind {
                // A copy for the frame, unless it is cleared at once.
                let kept =
                    !engine.locations[entry as usize].clears.iter().any(|&(cleared, _)| cleared == slot);
                let handle = self.operands.scratch.own(engine, self.state, ty, value);
                value = if kept && handle != 0 {
                    let words = self.operands.scratch.owned(handle);
                    make_room(self.state, words.len())?;
                    self.state.new_value(&engine.layout, ty, words)
                } else {
                    0
                };
            }
            slot.put(self.scratch, value);
        }
        self.operands.values.truncate(base);
        engine.reach(entry);
        for &(slot, value) in &engine.locations[entry as usize].clears {
            slot.put(self.scratch, value);
        }
        Ok(())
    }

    fn call(&mut self, procedure: ProcedureId, resume: u32) -> Result<(), Stop> {
        let layout = &self.engine.layout;
        self.fill_frame(procedure)?;
        if self.state.frames(layout, self.thread).count() >= layout.bounds.frames as usize {
            return Err(self.exceeds(Bound::Frames));
        }
        // Not an arrival: the live set of the location after the call is applied by its jump.
        self.write_local(layout.location, resume.into())?;
        self.state.push_frame(layout, self.thread, self.scratch);
        Ok(())
    }
}

/// The table of [`Engine`] of the handlers of exceptions, by location.
pub fn catches(program: &ir::Program, layout: &state::Layout) -> Vec<Vec<CatchCode>> {
    let mut table = Vec::new();
    for (id, location) in program.locations.iter() {
        let origin: LocationId = location.origin(id);
        let procedure = &program.procedures[location.procedure];
        let covering = procedure.catches.iter().filter(|catch| catch.covers.contains(&origin));
        table.push(
            covering
                .map(|catch| CatchCode {
                    record: catch.record,
                    variable: layout.local(location.procedure, catch.variable),
                    handler: catch.handler.0,
                })
                .collect(),
        );
    }
    table
}

#[derive(Clone, Copy, Debug)]
pub struct CatchCode {
    pub record: RecordId,
    pub variable: Slot,
    pub handler: u32,
}
