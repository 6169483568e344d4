//! The effects of the bytecode: bodies of transitions and how they leave their location, on a state that logs
//! its changes.
//!
//! With `eval` this is the module boundary that a compiler to machine code would take over: everything outside
//! hands it a position to run from and gets back how it ended.

use ir::{FieldId, Id, LocationId, ProcedureId, RecordId};
use state::{LOCK_COUNT_BITS, NodeRef, ObjectId, ObjectKind, Slot, SlotKind, ThreadId, mask};
use system::{Bound, Fault, FaultKind};

use crate::code::{ANY, Op, Pc};
use crate::eval::fault;
use crate::{Engine, EngineState};

/// Why a run did not get to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// An obstacle: the step is not enabled.
    Blocked,
    Fault(Fault),
    Truncated(Bound),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Run to the end.
    Whole,
    /// Stop before the transition leaves its location: only choices and obstacles are of interest.
    Trial,
}

impl Engine {
    /// Runs the body at `pc` for `thread`, with its choice points resolved by `choice`.
    pub(crate) fn run(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        pc: Pc,
        choice: u32,
        mode: Mode,
    ) -> Result<(), Stop> {
        let code = &self.code;
        let layout = &self.layout;
        let me = NodeRef::Thread(thread);
        let EngineState { state, stack: operands, radices, frame: scratch, .. } = es;
        let mut frame = state.frame(thread);
        let mut pc = pc as usize;
        let mut choice = choice;
        let mut result = 0;
        operands.clear();

        macro_rules! pop {
            () => {
                operands.values.pop().expect("the compiler balances the stack")
            };
        }
        macro_rules! stop {
            ($kind:ident) => {
                return Err(fault(FaultKind::$kind, pc))
            };
        }
        macro_rules! object {
            () => {
                match ObjectId::from_raw(pop!()) {
                    Some(id) => id,
                    None => stop!(NullDereference),
                }
            };
        }
        macro_rules! checked {
            ($value:expr) => {
                match $value {
                    Some(value) => value,
                    None => stop!(Range),
                }
            };
        }
        macro_rules! admit {
            ($value:expr, $admit:expr) => {
                if $admit == ANY { $value } else { checked!(code.admits[$admit as usize].admit($value)) }
            };
        }
        macro_rules! exceeds {
            ($bound:ident) => {
                return Err(self.exceeds(Bound::$bound, pc))
            };
        }
        // A thread arrives at a location: its name, and what does not live there is forgotten.
        macro_rules! arrive {
            ($node:expr, $frame:expr, $location:expr) => {{
                let location: u32 = $location;
                state.write($node, $frame, layout.location, location.into());
                self.reach(location);
                for &(slot, value) in &self.clears[location as usize] {
                    state.write($node, $frame, slot, value);
                }
            }};
        }
        // A frame of `procedure` in `scratch`, with the arguments that are on top of the operands.values.
        macro_rules! fill_frame {
            ($procedure:expr) => {{
                let shape = &layout.frames[$procedure];
                let admits = &self.params[$procedure.index()];
                scratch.clear();
                scratch.extend_from_slice(&shape.template);
                let base = operands.values.len() - admits.len();
                for (index, &by) in admits.iter().enumerate() {
                    let value = admit!(operands.values[base + index], by);
                    let slot = shape.slots[index + 1];
                    let word = &mut scratch[slot.word as usize];
                    *word = *word & !(slot.mask() << slot.shift) | slot.raw(value);
                }
                operands.values.truncate(base);
                let entry = self.entries[$procedure.index()];
                self.reach(entry);
                for &(slot, value) in &self.clears[entry as usize] {
                    let word = &mut scratch[slot.word as usize];
                    *word = *word & !(slot.mask() << slot.shift) | slot.raw(value);
                }
            }};
        }
        macro_rules! call {
            ($procedure:expr, $resume:expr) => {{
                let procedure = $procedure;
                if state.frames(layout, thread).count() >= layout.bounds.frames as usize {
                    exceeds!(Frames);
                }
                fill_frame!(procedure);
                // Not an arrival: the live set of the location after the call is applied by its jump.
                state.write(me, frame, layout.location, $resume.into());
                state.push_frame(thread, scratch);
                return Ok(());
            }};
        }

        loop {
            pc = self.eval(state, operands, thread, frame, pc, result)?;
            match code.ops[pc] {
                Op::StoreLocal { slot, admit } => {
                    let value = admit!(pop!(), admit);
                    state.write(me, frame, code.slots[slot as usize], value);
                }
                Op::StoreGlobal { slot, admit } => {
                    let value = admit!(pop!(), admit);
                    state.write(NodeRef::Root, 0, code.slots[slot as usize], value);
                }
                Op::StoreField { slot, admit } => {
                    let value = pop!();
                    let id = object!();
                    let value = admit!(value, admit);
                    state.write(NodeRef::Object(id), state.object(id), code.slots[slot as usize], value);
                }
                Op::StoreFieldOf { field, admit } => {
                    let value = pop!();
                    let id = object!();
                    let value = admit!(value, admit);
                    let base = state.object(id);
                    let slot = self.slot_of(state.read(base, layout.tag), FieldId(field));
                    state.write(NodeRef::Object(id), base, slot, value);
                }
                Op::StoreElement { array, admit } => {
                    let value = pop!();
                    let index = pop!();
                    let id = object!();
                    let base = state.object(id);
                    if !(0..state.read(base, layout.array_length)).contains(&index) {
                        stop!(Index);
                    }
                    let value = admit!(value, admit);
                    let slot = layout.arrays[array as usize].slot(index as u32);
                    state.write(NodeRef::Object(id), base, slot, value);
                }
                Op::NewRecord(record) => {
                    let template = &layout.records[RecordId(record)].template;
                    match state.new_object(template, template.len(), 0, layout.bounds.objects) {
                        Some(id) => operands.values.push(id.raw()),
                        None => exceeds!(Objects),
                    }
                }
                Op::NewLock => {
                    let template = &layout.lock.template;
                    match state.new_object(template, template.len(), 0, layout.bounds.objects) {
                        Some(id) => operands.values.push(id.raw()),
                        None => exceeds!(Objects),
                    }
                }
                Op::NewArray(array) => {
                    let length = pop!();
                    if length < 0 {
                        stop!(Index);
                    }
                    if length > ir::MAX_ARRAY_LENGTH {
                        exceeds!(Objects);
                    }
                    let shape = layout.arrays[array as usize];
                    let first = u64::from(shape.tag) | (length as u64) << layout.array_length.shift;
                    let element = mask(1 << shape.log_bits) & shape.default;
                    let fill =
                        (0..64 >> shape.log_bits).fold(0, |fill, i| fill | element << (i << shape.log_bits));
                    let words = shape.words(length as u32);
                    match state.new_object(&[first], words, fill, layout.bounds.objects) {
                        Some(id) => operands.values.push(id.raw()),
                        None => exceeds!(Objects),
                    }
                }
                Op::Assert => {
                    if pop!() == 0 {
                        stop!(Assertion);
                    }
                }
                Op::Assume => {
                    if pop!() == 0 {
                        return Err(Stop::Blocked);
                    }
                }
                Op::Lock => {
                    let id = object!();
                    let base = state.object(id);
                    let owner = state.read(base, layout.lock_owner());
                    if owner != 0 && owner != thread.raw() {
                        return Err(Stop::Blocked);
                    }
                    let count = state.read(base, layout.lock_count()) + 1;
                    if count as u64 > mask(LOCK_COUNT_BITS) {
                        stop!(Range);
                    }
                    state.write(NodeRef::Object(id), base, layout.lock_count(), count);
                    state.write(NodeRef::Object(id), base, self.owner, thread.raw());
                }
                Op::Unlock => {
                    let id = object!();
                    let base = state.object(id);
                    if state.read(base, layout.lock_owner()) != thread.raw() {
                        stop!(Unlock);
                    }
                    let count = state.read(base, layout.lock_count()) - 1;
                    state.write(NodeRef::Object(id), base, layout.lock_count(), count);
                    if count == 0 {
                        state.write(NodeRef::Object(id), base, self.owner, 0);
                    }
                }
                Op::Wait => {
                    let id = object!();
                    let base = state.object(id);
                    let wait = layout.wait.expect("the program waits");
                    let waiter = state.thread(thread);
                    if state.read(base, layout.lock_owner()) != thread.raw()
                        || state.read(waiter, wait.lock) != 0
                    {
                        stop!(Wait);
                    }
                    let count = state.read(base, layout.lock_count());
                    state.write(me, waiter, wait.lock, id.raw());
                    state.write(me, waiter, wait.count, count);
                    state.write(NodeRef::Object(id), base, layout.lock_count(), 0);
                    state.write(NodeRef::Object(id), base, self.owner, 0);
                }
                Op::Unwait => {
                    let id = object!();
                    let base = state.object(id);
                    let waiter = state.thread(thread);
                    let Some(wait) = layout.wait.filter(|wait| state.read(waiter, wait.lock) == id.raw())
                    else {
                        stop!(Wait)
                    };
                    if state.read(waiter, wait.notified) == 0 || state.read(base, layout.lock_owner()) != 0 {
                        return Err(Stop::Blocked);
                    }
                    let count = state.read(waiter, wait.count);
                    state.write(NodeRef::Object(id), base, layout.lock_count(), count);
                    state.write(NodeRef::Object(id), base, self.owner, thread.raw());
                    state.write(me, waiter, wait.lock, 0);
                    state.write(me, waiter, wait.count, 0);
                    state.write(me, waiter, wait.notified, 0);
                }
                Op::Notify | Op::NotifyAll => {
                    let id = object!();
                    if state.read(state.object(id), layout.lock_owner()) != thread.raw() {
                        stop!(Notify);
                    }
                    if let Some(wait) = layout.wait {
                        let waits = |state: &state::State, other: ThreadId| {
                            state.is_running(other) && {
                                let base = state.thread(other);
                                state.read(base, wait.lock) == id.raw()
                                    && state.read(base, wait.notified) == 0
                            }
                        };
                        let all = || (0..state.thread_limit()).map(ThreadId);
                        let (skip, take) = if matches!(code.ops[pc], Op::NotifyAll) {
                            (0, usize::MAX)
                        } else {
                            let waiting = all().filter(|&other| waits(state, other)).count() as u32;
                            if waiting == 0 {
                                (0, 0)
                            } else {
                                radices.push(waiting);
                                let digit = choice % waiting;
                                choice /= waiting;
                                (digit as usize, 1)
                            }
                        };
                        let mut skip = skip;
                        let mut take = take;
                        for other in all() {
                            if take > 0 && waits(state, other) {
                                if skip > 0 {
                                    skip -= 1;
                                } else {
                                    take -= 1;
                                    let base = state.thread(other);
                                    state.write(NodeRef::Thread(other), base, wait.notified, 1);
                                }
                            }
                        }
                    }
                }
                Op::Throw => {
                    let exception = object!();
                    if mode == Mode::Trial {
                        return Ok(());
                    }
                    let tag = state.read(state.object(exception), layout.tag);
                    loop {
                        let frame = state.frame(thread);
                        let location = state.read(frame, layout.location) as usize;
                        let catch =
                            self.catches[location].iter().find(|catch| self.descends(tag, catch.record));
                        if let Some(catch) = catch {
                            state.write(me, frame, catch.variable, exception.raw());
                            arrive!(me, frame, catch.handler);
                            return Ok(());
                        }
                        state.pop_frame(layout, thread);
                        if !state.is_running(thread) {
                            stop!(UncaughtException);
                        }
                    }
                }
                Op::Start(procedure) => {
                    let procedure = ProcedureId(procedure);
                    fill_frame!(procedure);
                    match state.start_thread(&layout.thread.template, scratch, layout.bounds.threads) {
                        Some(id) => operands.values.push(id.raw()),
                        None => exceeds!(Threads),
                    }
                }
                Op::Exit => {
                    if mode == Mode::Whole {
                        state.end_thread(thread);
                    }
                    return Ok(());
                }

                Op::BodyDone => {
                    if mode == Mode::Trial {
                        return Ok(());
                    }
                }
                Op::Goto(location) => {
                    arrive!(me, frame, location);
                    return Ok(());
                }
                Op::Return { value } => {
                    if value {
                        result = pop!();
                    }
                    state.pop_frame(layout, thread);
                    if !state.is_running(thread) {
                        return Ok(());
                    }
                    frame = state.frame(thread);
                    let location = state.read(frame, layout.location);
                    pc = code.resumes[location as usize].expect("callers stand at resume locations") as usize;
                    continue;
                }
                Op::Call { procedure, resume } => call!(ProcedureId(procedure), resume),
                Op::CallVirtual { table, resume } => {
                    let table = &self.virtuals[table as usize];
                    let receiver = operands.values[operands.values.len() - table.args];
                    let Some(id) = ObjectId::from_raw(receiver) else { stop!(NullDereference) };
                    let ObjectKind::Record(record) = layout.kind(state.read(state.object(id), layout.tag))
                    else {
                        stop!(BadCast)
                    };
                    match table.targets[record.index()] {
                        Some(procedure) => call!(procedure, resume),
                        None => stop!(BadCast),
                    }
                }
                op => unreachable!("{op:?} is pure, or ends an expression"),
            }
            pc += 1;
        }
    }
}

/// The same bits, but writing them makes no garbage.
pub fn without_garbage(slot: Slot) -> Slot {
    Slot { kind: SlotKind::Data, ..slot }
}

/// For the tables of [`Engine`]: what to look up by location when an exception comes by.
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
