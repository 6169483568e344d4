//! The interpreter of the bytecode: one loop over operations, on a state that logs its changes.
//!
//! This is the module boundary that a compiler to machine code would take over: everything outside hands it
//! a position to run from and gets back how it ended.

use ir::{FieldId, Id, LocationId, ProcedureId, RecordId};
use state::{LOCK_COUNT_BITS, NodeRef, ObjectId, ObjectKind, Slot, SlotKind, ThreadId, mask};
use system::{Bound, Fault, FaultKind};

use crate::code::{ANY, Op, Pc};
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

/// The thread on whose behalf invariants are evaluated: none.
pub const NOBODY: ThreadId = ThreadId(u32::MAX);

#[inline]
fn fault(kind: FaultKind, pc: usize) -> Stop {
    Stop::Fault(Fault { kind, site: pc as u32 })
}

#[inline]
fn bits(word: u64, shift: u8, bits: u8, lo: i64) -> i64 {
    ((word >> shift & mask(bits)) as i64).wrapping_add(lo)
}

impl Engine {
    /// Runs the code at `pc` for `thread`. Gives the value of an expression, or 0.
    pub(crate) fn run(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        pc: Pc,
        choice: u32,
        mode: Mode,
    ) -> Result<i64, Stop> {
        let code = &self.code;
        let layout = &self.layout;
        let me = NodeRef::Thread(thread);
        let EngineState { state, stack, calls, radices, frame: scratch, .. } = es;
        let mut frame = if thread == NOBODY { 0 } else { state.frame(thread) };
        let mut pc = pc as usize;
        let mut choice = choice;
        // Where the parameters of the pure function that runs are on the stack.
        let mut params = 0;
        let mut result = 0;
        stack.clear();
        calls.clear();

        macro_rules! pop {
            () => {
                stack.pop().expect("the compiler balances the stack")
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
        macro_rules! binary {
            ($a:ident, $b:ident => $value:expr) => {{
                let $b = pop!();
                let $a = pop!();
                stack.push($value)
            }};
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
        // A frame of `procedure` in `scratch`, with the arguments that are on top of the stack.
        macro_rules! fill_frame {
            ($procedure:expr) => {{
                let shape = &layout.frames[$procedure];
                let admits = &self.params[$procedure.index()];
                scratch.clear();
                scratch.extend_from_slice(&shape.template);
                let base = stack.len() - admits.len();
                for (index, &by) in admits.iter().enumerate() {
                    let value = admit!(stack[base + index], by);
                    let slot = shape.slots[index + 1];
                    let word = &mut scratch[slot.word as usize];
                    *word = *word & !(slot.mask() << slot.shift) | slot.raw(value);
                }
                stack.truncate(base);
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
                return Ok(0);
            }};
        }

        loop {
            match code.ops[pc] {
                Op::Const(value) => stack.push(value),
                Op::Local { shift, bits: n, word, lo } => {
                    stack.push(bits(state.word(frame + word as usize), shift, n, lo));
                }
                Op::Global { shift, bits: n, word, lo } => {
                    stack.push(bits(state.word(word as usize), shift, n, lo));
                }
                Op::Field { shift, bits: n, word, lo } => {
                    let base = state.object(object!());
                    stack.push(bits(state.word(base + word as usize), shift, n, lo));
                }
                Op::LocalField { at_shift, shift, bits: n, at, word, lo } => {
                    let raw = bits(state.word(frame + at as usize), at_shift, layout.object_bits, 0);
                    let Some(id) = ObjectId::from_raw(raw) else { stop!(NullDereference) };
                    let base = state.object(id);
                    stack.push(bits(state.word(base + word as usize), shift, n, lo.into()));
                }
                Op::FieldOf(field) => {
                    let base = state.object(object!());
                    let slot = self.slot_of(state.read(base, layout.tag), FieldId(field));
                    stack.push(state.read(base, slot));
                }
                Op::Element(array) => {
                    let index = pop!();
                    let base = state.object(object!());
                    let length = state.read(base, layout.array_length);
                    if !(0..length).contains(&index) {
                        stop!(Index);
                    }
                    stack.push(state.read(base, layout.arrays[array as usize].slot(index as u32)));
                }
                Op::Length => {
                    let base = state.object(object!());
                    stack.push(state.read(base, layout.array_length));
                }
                Op::Param(index) => stack.push(stack[params + index as usize]),
                Op::Result => stack.push(result),
                Op::Pop => {
                    pop!();
                }

                Op::Not => {
                    let a = pop!();
                    stack.push(a ^ 1);
                }
                Op::Neg => {
                    let a = pop!();
                    stack.push(checked!(a.checked_neg()));
                }
                Op::Add => binary!(a, b => checked!(a.checked_add(b))),
                Op::Sub => binary!(a, b => checked!(a.checked_sub(b))),
                Op::Mul => binary!(a, b => checked!(a.checked_mul(b))),
                Op::Div => binary!(a, b => {
                    if b == 0 {
                        stop!(DivisionByZero);
                    }
                    checked!(a.checked_div(b))
                }),
                Op::Rem => binary!(a, b => {
                    if b == 0 {
                        stop!(DivisionByZero);
                    }
                    a.wrapping_rem(b)
                }),
                Op::Shl(width) => binary!(a, b => {
                    if !(0..i64::from(width)).contains(&b) {
                        stop!(Range);
                    }
                    checked!(i64::try_from(i128::from(a) << b).ok())
                }),
                Op::Shr(width) => binary!(a, b => {
                    if !(0..i64::from(width)).contains(&b) {
                        stop!(Range);
                    }
                    a >> b
                }),
                Op::Ushr(width) => binary!(a, b => {
                    if !(0..i64::from(width)).contains(&b) {
                        stop!(Range);
                    }
                    if width == 32 { i64::from((a as u32 >> b) as i32) } else { (a as u64 >> b) as i64 }
                }),
                Op::Eq => binary!(a, b => (a == b).into()),
                Op::Ne => binary!(a, b => (a != b).into()),
                Op::Lt => binary!(a, b => (a < b).into()),
                Op::Le => binary!(a, b => (a <= b).into()),
                Op::Gt => binary!(a, b => (a > b).into()),
                Op::Ge => binary!(a, b => (a >= b).into()),
                Op::BitAnd => binary!(a, b => a & b),
                Op::BitOr => binary!(a, b => a | b),
                Op::BitXor => binary!(a, b => a ^ b),
                Op::Admit(by) => {
                    let value = pop!();
                    stack.push(admit!(value, by));
                }
                Op::Cast(record) => {
                    let raw = *stack.last().expect("the compiler balances the stack");
                    if let Some(id) = ObjectId::from_raw(raw) {
                        let tag = state.read(state.object(id), layout.tag);
                        if !self.descends(tag, RecordId(record)) {
                            stop!(BadCast);
                        }
                    }
                }
                Op::InstanceOf(record) => {
                    let is = ObjectId::from_raw(pop!()).is_some_and(|id| {
                        self.descends(state.read(state.object(id), layout.tag), RecordId(record))
                    });
                    stack.push(is.into());
                }
                Op::LockAvailable => {
                    let owner = state.read(state.object(object!()), layout.lock_owner());
                    stack.push((owner == 0 || owner == thread.raw()).into());
                }
                Op::HasLock => {
                    let owner = state.read(state.object(object!()), layout.lock_owner());
                    stack.push((owner == thread.raw()).into());
                }
                Op::WasNotified => {
                    let lock = object!();
                    let was = layout.wait.is_some_and(|wait| {
                        let base = state.thread(thread);
                        state.read(base, wait.lock) == lock.raw() && state.read(base, wait.notified) == 1
                    });
                    stack.push(was.into());
                }
                Op::CanUnwait => {
                    let lock = object!();
                    let can = layout.wait.is_none_or(|wait| {
                        let base = state.thread(thread);
                        state.read(base, wait.lock) != lock.raw()
                            || state.read(base, wait.notified) == 1
                                && state.read(state.object(lock), layout.lock_owner()) == 0
                    });
                    stack.push(can.into());
                }
                Op::ThreadTerminated => {
                    let Some(id) = ThreadId::from_raw(pop!()) else { stop!(NullDereference) };
                    stack.push((!state.is_running(id)).into());
                }

                Op::Jump(to) => {
                    pc = to as usize;
                    continue;
                }
                Op::JumpIfFalse(to) => {
                    if pop!() == 0 {
                        pc = to as usize;
                        continue;
                    }
                }
                Op::AndThen(to) => {
                    if *stack.last().expect("the compiler balances the stack") == 0 {
                        pc = to as usize;
                        continue;
                    }
                    pop!();
                }
                Op::OrElse(to) => {
                    if *stack.last().expect("the compiler balances the stack") == 1 {
                        pc = to as usize;
                        continue;
                    }
                    pop!();
                }
                Op::CallFun { fun, params: count } => {
                    if calls.len() >= layout.bounds.frames as usize {
                        exceeds!(Frames);
                    }
                    let callee = &code.funs[fun as usize];
                    let base = stack.len() - count as usize;
                    for (index, &by) in callee.params.iter().enumerate() {
                        stack[base + index] = admit!(stack[base + index], by);
                    }
                    calls.push((pc as u32, fun, params as u32));
                    params = base;
                    pc = callee.entry as usize;
                    continue;
                }
                Op::EndFun => {
                    let (back, fun, outer) = calls.pop().expect("functions are called");
                    let value = admit!(pop!(), code.funs[fun as usize].result);
                    stack.truncate(params);
                    stack.push(value);
                    (pc, params) = (back as usize, outer as usize);
                }

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
                        Some(id) => stack.push(id.raw()),
                        None => exceeds!(Objects),
                    }
                }
                Op::NewLock => {
                    let template = &layout.lock.template;
                    match state.new_object(template, template.len(), 0, layout.bounds.objects) {
                        Some(id) => stack.push(id.raw()),
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
                        Some(id) => stack.push(id.raw()),
                        None => exceeds!(Objects),
                    }
                }
                Op::Assert => {
                    if pop!() == 0 {
                        stop!(Assertion);
                    }
                }
                Op::Invariant => {
                    if pop!() == 0 {
                        stop!(Invariant);
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
                        return Ok(0);
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
                            return Ok(0);
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
                        Some(id) => stack.push(id.raw()),
                        None => exceeds!(Threads),
                    }
                }
                Op::Exit => {
                    if mode == Mode::Whole {
                        state.end_thread(thread);
                    }
                    return Ok(0);
                }

                Op::BodyDone => {
                    if mode == Mode::Trial {
                        return Ok(0);
                    }
                }
                Op::Goto(location) => {
                    arrive!(me, frame, location);
                    return Ok(0);
                }
                Op::Return { value } => {
                    if value {
                        result = pop!();
                    }
                    state.pop_frame(layout, thread);
                    if !state.is_running(thread) {
                        return Ok(0);
                    }
                    frame = state.frame(thread);
                    let location = state.read(frame, layout.location);
                    pc = code.resumes[location as usize].expect("callers stand at resume locations") as usize;
                    continue;
                }
                Op::Call { procedure, resume } => call!(ProcedureId(procedure), resume),
                Op::CallVirtual { table, resume } => {
                    let table = &self.virtuals[table as usize];
                    let receiver = stack[stack.len() - table.args];
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
                Op::Halt => return Ok(pop!()),
            }
            pc += 1;
        }
    }

    fn exceeds(&self, bound: Bound, pc: usize) -> Stop {
        if self.bounds_are_errors { fault(FaultKind::Bound(bound), pc) } else { Stop::Truncated(bound) }
    }

    fn descends(&self, tag: i64, ancestor: RecordId) -> bool {
        let ObjectKind::Record(record) = self.layout.kind(tag) else { return false };
        self.descents[record.index()][ancestor.index()]
    }

    fn slot_of(&self, tag: i64, field: FieldId) -> Slot {
        let ObjectKind::Record(record) = self.layout.kind(tag) else { unreachable!("fields are of records") };
        self.layout.field_slots[field][record.index()].expect("the type checker saw the field")
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
