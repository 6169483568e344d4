//! The pure half of the interpreter: expressions, which read a state and leave it alone.
//!
//! The top of the stack is kept in a variable. Below the first value there is one without meaning, so that
//! the empty stack is no special case.

use std::mem::take;

use ir::{FieldId, Id, RecordId, TypeId};
use state::{End, NodeRef, ObjectId, ObjectKind, Slot, State, ThreadId, WaitSlots, mask};
use system::{Bound, Fault, FaultKind, Fuel};

use crate::Engine;
use crate::code::{ANY, Op, Pc, Test, Tests};
use crate::collections::Scratch;
use crate::machine::Stop;

/// The greatest nesting of quantifiers on the first native stack, and on each fresh one.
const FIRST_NESTED: u32 = 100;
const NESTED: u32 = 2000;
const FRESH_STACK: usize = 32 << 20;

/// The values of an expression, and the pure functions that are active.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    pub values: Vec<i64>,
    /// Collections that are results.
    pub scratch: Scratch,
    /// The nesting of the quantifiers that are being evaluated.
    nesting: u32,
    pub context: EvalContext,
    /// The number of operations before the alarm is checked.
    pub fuel: Fuel,
    /// The system had no memory for another native stack: bounds that were reported since then may not be
    /// exceeded.
    pub is_starved: bool,
    /// A message under construction.
    pub message: Vec<i64>,
    /// The first check that failed in this step.
    pub soft_fault: Option<Fault>,
    /// The number of steps in a row that were taken from fused locations.
    pub fused_steps: usize,
    /// By call: the return address, the function, and the start of the caller's parameters.
    calls: Vec<(u32, u32, u32)>,
}

/// The context of an evaluation, besides the state.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalContext {
    /// The value of `timeout`: no thread can step otherwise.
    pub timeout: bool,
    /// The evaluation is part of a test whether a thread is enabled. Such a test inside is false.
    pub asked: bool,
}

impl Stack {
    /// An empty stack, for an expression of its own.
    pub fn with_context(context: EvalContext) -> Self {
        Self { context, ..Self::default() }
    }

    /// Notes a soft fault. The first one counts, and claims count only if there is no other.
    pub fn note(&mut self, soft_fault: Option<Fault>) {
        let is_claim = |soft_fault: &Fault| soft_fault.kind == FaultKind::ExclusiveChannel;
        self.soft_fault = match self.soft_fault {
            Some(first) if is_claim(&first) => {
                soft_fault.filter(|soft_fault| !is_claim(soft_fault)).or(Some(first))
            }
            first => first.or(soft_fault),
        };
    }

    /// Counts a step from a fused location.
    #[inline]
    pub fn count_fused_step(&mut self) -> Result<(), Stop> {
        if self.fused_steps == ir::MAX_FUSED_STEPS {
            return Err(Stop::Truncated(Bound::Frames));
        }
        self.fused_steps += 1;
        burn(&mut self.fuel)
    }

    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
        self.calls.clear();
        self.scratch.clear();
    }
}

/// Counts an operation.
#[inline]
pub fn burn(fuel: &mut Fuel) -> Result<(), Stop> {
    if fuel.burn() { Ok(()) } else { Err(Stop::Abandoned) }
}

#[inline]
pub fn fault(kind: FaultKind, pc: usize) -> Stop {
    Stop::Fault(Fault { kind, site: pc as u32 })
}

#[inline]
fn bits(state: &State, at: usize, shift: u8, bits: u8, lo: i64) -> i64 {
    (state.bits(at, shift, mask(bits)) as i64).wrapping_add(lo)
}

impl Engine {
    /// The value of the expression at `pc`, for a thread and its top frame.
    #[inline]
    pub(crate) fn value(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        pc: Pc,
    ) -> Result<i64, Stop> {
        stack.clear();
        self.eval(state, stack, thread, frame, pc as usize, 0)?;
        Ok(stack.values.pop().expect("an expression has a value"))
    }

    /// Whether all of some tests hold; `None` where there are none, or evaluating one of them faults.
    #[inline]
    pub(crate) fn decide(&self, state: &State, thread: ThreadId, frame: usize, tests: Tests) -> Option<bool> {
        let tests = &self.code.tests[tests.first as usize..][..tests.count as usize];
        for test in tests {
            if !self.holds(state, thread, frame, test)? {
                return Some(false);
            }
        }
        (!tests.is_empty()).then_some(true)
    }

    #[inline]
    fn holds(&self, state: &State, thread: ThreadId, frame: usize, test: &Test) -> Option<bool> {
        let value = match test.load {
            Op::Local { shift, bits: n, word, lo } => bits(state, frame + word as usize, shift, n, lo),
            Op::Global { shift, bits: n, word, lo } => bits(state, word as usize, shift, n, lo),
            Op::LocalField { at_shift, shift, bits: n, at, word, lo } => {
                let raw = bits(state, frame + at as usize, at_shift, self.layout.object_bits, 0);
                let base = state.object(ObjectId::from_raw(raw)?);
                if self.end_of(state, base).is_some() {
                    return None;
                }
                bits(state, base + word as usize, shift, n, lo.into())
            }
            Op::OwnElement { array, offset } => {
                state.read(0, self.code.arrays[array as usize].own_slot(thread, offset)?)
            }
            _ => return None,
        };
        Some((test.lo <= value && value <= test.hi) != test.outside)
    }

    /// The value that an operation loads, if it loads a variable.
    #[inline]
    pub(crate) fn load(state: &State, frame: usize, load: Op) -> i64 {
        match load {
            Op::Local { shift, bits: n, word, lo } => bits(state, frame + word as usize, shift, n, lo),
            Op::Global { shift, bits: n, word, lo } => bits(state, word as usize, shift, n, lo),
            op => unreachable!("{op:?} loads no variable"),
        }
    }

    /// Runs from `pc` up to the first operation that is not pure. Returns its position. `result` is the
    /// result of the function for which a resume location waited.
    pub(crate) fn eval(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        pc: usize,
        result: i64,
    ) -> Result<usize, Stop> {
        self.eval_from(state, stack, thread, frame, pc, result, 0)
    }

    /// Runs like this in the middle of a pure function, whose parameters start at `params` on the stack.
    #[expect(clippy::too_many_arguments)]
    #[inline]
    fn eval_from(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        mut pc: usize,
        result: i64,
        mut params: usize,
    ) -> Result<usize, Stop> {
        let code = &self.code;
        let layout = &self.layout;
        let Stack { values, calls, scratch, nesting, context, fuel, is_starved, .. } = stack;
        let mut top = values.pop().unwrap_or(0);

        macro_rules! push {
            ($value:expr) => {{
                let value = $value;
                values.push(top);
                top = value;
            }};
        }
        macro_rules! pop {
            () => {
                std::mem::replace(&mut top, values.pop().expect("the compiler balances the stack"))
            };
        }
        macro_rules! drop {
            () => {
                top = values.pop().expect("the compiler balances the stack")
            };
        }
        macro_rules! stop {
            ($kind:ident) => {
                return Err(fault(FaultKind::$kind, pc))
            };
        }
        macro_rules! object {
            ($raw:expr) => {
                match self.object(state, $raw) {
                    Ok(base) => base,
                    Err(kind) => return Err(fault(kind, pc)),
                }
            };
        }
        // Replaces the two values on top by one.
        macro_rules! binary {
            ($a:ident, $b:ident => $value:expr) => {{
                let $b = top;
                let $a = values.pop().expect("the compiler balances the stack");
                top = $value;
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

        loop {
            match code.ops[pc] {
                Op::Const(value) => push!(value),
                Op::Local { shift, bits: n, word, lo } => {
                    push!(bits(state, frame + word as usize, shift, n, lo));
                }
                Op::Global { shift, bits: n, word, lo } => {
                    push!(bits(state, word as usize, shift, n, lo));
                }
                Op::Field { shift, bits: n, word, lo } => {
                    let base = object!(top);
                    top = bits(state, base + word as usize, shift, n, lo);
                }
                Op::LocalField { at_shift, shift, bits: n, at, word, lo } => {
                    let raw = bits(state, frame + at as usize, at_shift, layout.object_bits, 0);
                    let base = object!(raw);
                    push!(bits(state, base + word as usize, shift, n, lo.into()));
                }
                Op::Element(array) => {
                    let index = pop!();
                    top = self.element(state, pc, array, top, index)?;
                }
                Op::Param(index) => push!(values[params + index as usize]),
                Op::Result => push!(result),
                Op::Pop => {
                    drop!();
                }

                Op::Not => top ^= 1,
                Op::Neg => top = checked!(top.checked_neg()),
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
                Op::Admit(by) => top = admit!(top, by),
                Op::Offset => {
                    let distance = pop!();
                    top = self.offset(state, pc, top, distance)?;
                }
                Op::Within(bound) => {
                    if !(0..i64::from(bound)).contains(&top) {
                        stop!(Index);
                    }
                }
                op @ (Op::FieldOf(_)
                | Op::Address(_)
                | Op::Load(_)
                | Op::Whole
                | Op::Length
                | Op::Cast(_)
                | Op::InstanceOf(_)
                | Op::LockAvailable
                | Op::HasLock
                | Op::WasNotified
                | Op::CanUnwait
                | Op::ThreadTerminated) => top = self.look(state, thread, pc, op, top)?,

                Op::ArrayElement(array) => {
                    values.push(top);
                    let array = &code.arrays[array as usize];
                    let base = values.len() - array.dims.len();
                    let slot = array.slot(&values[base..]).ok_or(fault(FaultKind::Index, pc))?;
                    values.truncate(base);
                    top = state.read(if array.procedure.is_some() { frame } else { 0 }, slot);
                }
                Op::OwnElement { array, offset } => {
                    let slot = code.arrays[array as usize].own_slot(thread, offset);
                    push!(state.read(0, slot.ok_or(fault(FaultKind::Index, pc))?));
                }
                Op::ThreadNumber => push!(thread.0.into()),
                op @ (Op::ThreadCount
                | Op::LastThread
                | Op::IsYoungest
                | Op::FirstThread(_)
                | Op::ThreadsAt(_)
                | Op::OwnChannel(_)) => push!(self.ask(state, thread, op)),
                Op::Timeout => push!(context.timeout.into()),
                Op::ThreadElement(array) => {
                    values.push(top);
                    let array = &code.arrays[array as usize];
                    let base = values.len() - array.dims.len();
                    let slot = array.slot(&values[base..]).ok_or(fault(FaultKind::Index, pc))?;
                    values.truncate(base);
                    drop!();
                    let procedure = array.procedure.expect("threads have locals");
                    top = self.frame_of(state, top, procedure).map_or(0, |frame| state.read(frame, slot));
                }
                op @ (Op::ThreadAt(_)
                | Op::ThreadLocal { .. }
                | Op::ThreadEnabled
                | Op::ThreadLocation
                | Op::ThreadPriority
                | Op::ChannelLength
                | Op::ChannelFull) => top = self.look_up(state, *context, pc, op, top)?,
                Op::ChannelHas(pattern) => {
                    push!(self.channel_has(state, *context, thread, frame, pc, pattern)?);
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
                    if top == 0 {
                        pc = to as usize;
                        continue;
                    }
                    drop!();
                }
                Op::OrElse(to) => {
                    if top == 1 {
                        pc = to as usize;
                        continue;
                    }
                    drop!();
                }
                Op::CallFun { fun, params: count } => {
                    values.push(top);
                    let callee = &code.funs[fun as usize];
                    let base = values.len() - count as usize;
                    for (value, &by) in values[base..].iter_mut().zip(&callee.params) {
                        *value = admit!(*value, by);
                    }
                    if calls.len() >= layout.bounds.frames as usize {
                        return Err(self.exceeds(Bound::Frames, pc));
                    }
                    burn(fuel)?;
                    calls.push((pc as u32, fun, params as u32));
                    params = base;
                    pc = callee.entry as usize;
                    continue;
                }
                Op::EndFun => {
                    let (back, fun, outer) = calls.pop().expect("functions are called");
                    top = admit!(top, code.funs[fun as usize].result);
                    values.truncate(params);
                    (pc, params) = (back as usize, outer as usize);
                }
                Op::EqTerm(ty) => binary!(a, b => self.same(state, scratch, ty, a, b).into()),
                Op::NeTerm(ty) => binary!(a, b => (!self.same(state, scratch, ty, a, b)).into()),
                Op::All { count, first } => push!(scratch.all(first, count)),
                Op::Own(ty) => top = scratch.own(self, state, ty, top),
                Op::Collection { op, operands, ty } => {
                    values.push(top);
                    let base = values.len() - operands as usize;
                    top = self.collection(state, scratch, fuel, pc, op, ty, &values[base..])?;
                    values.truncate(base);
                }
                Op::Has(ty) => {
                    binary!(a, b => self.value_for(state, scratch, fuel, ty, a, b)?.is_some().into());
                }
                Op::ValueOf(ty) => {
                    binary!(a, b => match self.value_for(state, scratch, fuel, ty, a, b)? {
                        Some(value) => value,
                        None => stop!(MissingKey),
                    });
                }
                Op::Entries(ty) => top = self.entries(state, scratch, ty, top),
                op @ Op::Quantify { .. } => {
                    values.push(top);
                    // The functions run on the same stack.
                    let (outer, calls, scratch, fuel) =
                        (&mut *values, &mut *calls, &mut *scratch, &mut *fuel);
                    let mut inner = Stack {
                        values: take(outer),
                        calls: take(calls),
                        scratch: take(scratch),
                        fuel: take(fuel),
                        nesting: *nesting,
                        is_starved: *is_starved,
                        ..Stack::default()
                    };
                    let end = self.quantify(state, &mut inner, thread, frame, pc, op);
                    *is_starved = inner.is_starved;
                    Stack { values: *outer, calls: *calls, scratch: *scratch, fuel: *fuel, .. } = inner;
                    top = end?;
                }
                _ => {
                    values.push(top);
                    return Ok(pc);
                }
            }
            pc += 1;
        }
    }

    /// Whether a function holds for the elements of a collection, which is on the stack below the captures.
    ///
    /// Functions that quantify call each other natively. The bound on frames may be more than the native
    /// stack holds, so now and then evaluation goes on in a fresh native thread.
    #[inline(never)]
    fn quantify(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        pc: usize,
        op: Op,
    ) -> Result<i64, Stop> {
        stack.nesting += 1;
        let end = if stack.nesting == FIRST_NESTED || stack.nesting.is_multiple_of(NESTED) {
            let end =
                bits::on_fresh_stack(FRESH_STACK, || self.quantify_here(state, stack, thread, frame, pc, op));
            end.unwrap_or_else(|| {
                stack.is_starved = true;
                Err(Stop::Truncated(Bound::Frames))
            })
        } else {
            self.quantify_here(state, stack, thread, frame, pc, op)
        };
        stack.nesting -= 1;
        end
    }

    fn quantify_here(
        &self,
        state: &State,
        stack: &mut Stack,
        thread: ThreadId,
        frame: usize,
        pc: usize,
        op: Op,
    ) -> Result<i64, Stop> {
        let Op::Quantify { all, captures, fun, ty } = op else { unreachable!("{op:?} quantifies nothing") };
        let callee = &self.code.funs[fun as usize];
        let first = stack.values.len() - usize::from(captures);
        let mut elements = self.elements(state, &mut stack.scratch, ty, stack.values[first - 1]);
        let (base, calls, mark) = (stack.values.len(), stack.calls.len(), stack.scratch.mark());
        let mut outcome = Ok(all);
        while let Some(element) = self.next_element(&mut stack.scratch, &mut elements) {
            stack.values.push(element);
            stack.values.extend_from_within(first..base);
            let mut params = stack.values[base..].iter_mut().zip(&callee.params);
            let admitted = params.try_for_each(|(value, &by)| {
                if by != ANY {
                    *value =
                        self.code.admits[by as usize].admit(*value).ok_or(fault(FaultKind::Range, pc))?;
                }
                Ok(())
            });
            // The value without meaning below the first one: see the module.
            stack.values.push(0);
            let holds = burn(&mut stack.fuel).and(admitted).and_then(|()| {
                if calls >= self.layout.bounds.frames as usize {
                    return Err(self.exceeds(Bound::Frames, pc));
                }
                stack.calls.push((self.code.halt - 1, fun, 0));
                self.eval_from(state, stack, thread, frame, callee.entry as usize, 0, base)?;
                Ok(stack.values.pop() == Some(1))
            });
            outcome = match (outcome, holds) {
                (_, Err(Stop::Abandoned)) => Err(Stop::Abandoned),
                (Ok(so_far), Ok(holds)) => Ok(if all { so_far && holds } else { so_far || holds }),
                (Err(a), Err(b)) => Err(if self.precedence(b) < self.precedence(a) { b } else { a }),
                (Err(stop), Ok(_)) | (Ok(_), Err(stop)) => Err(stop),
            };
            stack.values.truncate(base);
            stack.calls.truncate(calls);
            stack.scratch.release(mark);
            // No stop that other elements lead to counts more.
            if let Err(Stop::Truncated(Bound::Frames) | Stop::Abandoned) = outcome {
                break;
            }
            if let Err(Stop::Fault(Fault { kind: kind @ FaultKind::Bound(Bound::Frames), .. })) = outcome {
                outcome = Err(fault(kind, pc));
                break;
            }
        }
        stack.values.truncate(first - 1);
        outcome.map(i64::from)
    }

    /// The stop that counts, independently of the order of elements: a bound, or else the least fault.
    fn precedence(&self, stop: Stop) -> impl Ord + use<> {
        let fault = match stop {
            Stop::Fault(fault) => fault,
            Stop::Truncated(bound) => Fault { kind: FaultKind::Bound(bound), site: 0 },
            Stop::Blocked | Stop::Abandoned => unreachable!("{stop:?} does not wait for other elements"),
        };
        let span = self.code.spans[fault.site as usize];
        let is_bound = matches!(fault.kind, FaultKind::Bound(_));
        (!is_bound, fault.kind, span.start, span.end, fault.site)
    }

    /// Where the object starts that a reference with these bits refers to, or why its contents cannot be used.
    #[inline]
    pub(crate) fn object(&self, state: &State, raw: i64) -> Result<usize, FaultKind> {
        let Some(id) = ObjectId::from_raw(raw) else { return Err(FaultKind::NullDereference) };
        let base = state.object(id);
        match self.end_of(state, base) {
            None => Ok(base),
            Some(End::Deleted) => Err(FaultKind::UseAfterFree),
            Some(End::OutOfScope) => Err(FaultKind::DanglingLocal),
        }
    }

    /// How the object that starts at `base` has ended, if it is a tombstone.
    #[inline]
    pub(crate) fn end_of(&self, state: &State, base: usize) -> Option<End> {
        let first = self.layout.first_tombstone?;
        match state.read(base, self.layout.tag) - first {
            ..0 => None,
            0 => Some(End::Deleted),
            _ => Some(End::OutOfScope),
        }
    }

    /// Reads an element of an array. Called, not inlined, like [`Engine::look`].
    #[inline(never)]
    fn element(&self, state: &State, pc: usize, number: u32, array: i64, index: i64) -> Result<i64, Stop> {
        let base = self.object(state, array).map_err(|kind| fault(kind, pc))?;
        if !(0..state.read(base, self.layout.array_length)).contains(&index) {
            return Err(fault(FaultKind::Index, pc));
        }
        Ok(state.read(base, self.layout.arrays[number as usize].slot(index as u32)))
    }

    /// The slot of what a pointer leads to, in the object that starts at the position, and its type.
    pub(crate) fn leaf(&self, state: &State, pointer: i64) -> Result<(usize, Slot, TypeId), FaultKind> {
        let (raw, leaf) = self.layout.target(pointer);
        let base = self.object(state, raw)?;
        let kind = self.layout.kind(state.read(base, self.layout.tag));
        let words = ObjectId::from_raw(raw).and_then(|id| state.words_of(NodeRef::Object(id)));
        let (slot, ty) =
            self.layout.leaf(kind, words.map_or(0, <[u64]>::len), leaf).ok_or(FaultKind::Index)?;
        Ok((base, slot, ty))
    }

    /// Moves a pointer.
    #[inline(never)]
    fn offset(&self, state: &State, pc: usize, pointer: i64, distance: i64) -> Result<i64, Stop> {
        let (raw, leaf) = self.layout.target(pointer);
        self.object(state, raw).map_err(|kind| fault(kind, pc))?;
        let leaf = leaf.saturating_add(distance);
        if !(0..ir::MAX_BLOCK_LEAVES).contains(&leaf) {
            return Err(fault(FaultKind::Index, pc));
        }
        let moved = self.layout.pointer(raw, leaf);
        self.leaf(state, moved).map_err(|kind| fault(kind, pc))?;
        Ok(moved)
    }

    /// The operations that look an object or thread up. What they need of the layout would otherwise be
    /// prepared for every expression, whether it is used or not.
    #[inline(never)]
    fn look(&self, state: &State, thread: ThreadId, pc: usize, op: Op, operand: i64) -> Result<i64, Stop> {
        let layout = &self.layout;
        let null = fault(FaultKind::NullDereference, pc);
        if let Op::Load(class) = op {
            let (base, slot, ty) = self.leaf(state, operand).map_err(|kind| fault(kind, pc))?;
            let fits = self.code.classes[ty.index()] == class;
            return if fits { Ok(state.read(base, slot)) } else { Err(fault(FaultKind::BadCast, pc)) };
        }
        if let Op::Whole = op {
            let (raw, leaf) = layout.target(operand);
            return if leaf == 0 { Ok(raw) } else { Err(fault(FaultKind::BadDelete, pc)) };
        }
        if let Op::ThreadTerminated = op {
            let id = ThreadId::from_raw(operand).ok_or(null)?;
            return Ok((!state.is_running(id)).into());
        }
        let Some(id) = ObjectId::from_raw(operand) else {
            return match op {
                Op::Cast(_) | Op::InstanceOf(_) => Ok(0),
                _ => Err(null),
            };
        };
        let base = self.object(state, id.raw()).map_err(|kind| fault(kind, pc))?;
        let waits = |wait: WaitSlots| state.read(state.thread(thread), wait.lock) == id.raw();
        let notified = |wait: WaitSlots| state.read(state.thread(thread), wait.notified) == 1;
        let owner = || state.read(base, layout.lock_owner());
        let holds = match op {
            Op::FieldOf(field) => {
                return Ok(state.read(base, self.slot_of(state.read(base, layout.tag), FieldId(field))));
            }
            Op::Length => return Ok(state.read(base, layout.array_length)),
            Op::Address(field) => {
                let ObjectKind::Record(record) = layout.kind(state.read(base, layout.tag)) else {
                    unreachable!("fields are of records")
                };
                let leaf = self.field_leaves[field as usize][record.index()];
                return Ok(layout.pointer(operand, leaf.into()));
            }
            Op::Cast(record) => {
                let descends = self.descends(state.read(base, layout.tag), RecordId(record));
                return if descends { Ok(operand) } else { Err(fault(FaultKind::BadCast, pc)) };
            }
            Op::InstanceOf(record) => self.descends(state.read(base, layout.tag), RecordId(record)),
            Op::LockAvailable => owner() == 0 || owner() == thread.raw(),
            Op::HasLock => owner() == thread.raw(),
            Op::WasNotified => layout.wait.is_some_and(|wait| waits(wait) && notified(wait)),
            Op::CanUnwait => layout.wait.is_none_or(|wait| !waits(wait) || notified(wait) && owner() == 0),
            op => unreachable!("{op:?} looks nothing up"),
        };
        Ok(holds.into())
    }

    pub(crate) fn exceeds(&self, bound: Bound, pc: usize) -> Stop {
        if self.bounds_are_errors { fault(FaultKind::Bound(bound), pc) } else { Stop::Truncated(bound) }
    }

    pub(crate) fn descends(&self, tag: i64, ancestor: RecordId) -> bool {
        let ObjectKind::Record(record) = self.layout.kind(tag) else { return false };
        self.descents[record.index()][ancestor.index()]
    }

    pub(crate) fn slot_of(&self, tag: i64, field: FieldId) -> Slot {
        let ObjectKind::Record(record) = self.layout.kind(tag) else { unreachable!("fields are of records") };
        self.layout.field_slots[field][record.index()].expect("the type checker saw the field")
    }
}
