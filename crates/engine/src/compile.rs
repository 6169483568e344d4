//! From the IR to bytecode.

use ir::{
    Action, ActionKind, Array, BinaryOp, Callee, ChannelId, CollectionOp, Const, Exit, Expr, ExprKind,
    FieldId, Guard, Id, IntType, Jump, Location, LocationId, LocationKind, New, Pattern, Place, PlaceKind,
    ProcedureId, Program, Type, TypeId, UnaryOp, Width,
};
use source::Span;
use state::{Layout, Slot, TermKind};

use crate::code::{
    ANY, ArrayCode, ClaimCode, Code, EventCode, Fits, FunCode, GuardCode, MonitorCode, Op, Opening, Operand,
    PatternCode, Pc, ReceiveCode, SendCode, Test, Tests, TransitionCode,
};

pub fn compile(program: &Program, layout: &Layout) -> Code {
    let mut compiler =
        Compiler { program, layout, code: Code::default(), procedure: None, is_flat: program.is_flat() };
    compiler.program();
    compiler.code
}

struct Compiler<'p> {
    program: &'p Program,
    layout: &'p Layout,
    code: Code,
    /// The procedure whose locals are meant.
    procedure: Option<ProcedureId>,
    is_flat: bool,
}

impl Compiler<'_> {
    fn program(&mut self) {
        let program = self.program;
        self.code.admit_of = program.types.iter().map(|(id, _)| self.admit(id, None)).collect();
        let is_int = |ty: TypeId| matches!(program.types[ty], Type::Int(_));
        let int = program.types.iter().map(|(id, _)| id).find(|&id| is_int(id));
        let class = |id: TypeId| int.filter(|_| is_int(id)).unwrap_or(id);
        self.code.classes = program.types.iter().map(|(id, _)| class(id)).collect();
        // A function that no call in the code called returns here: to the operation after the first.
        let start = Span::default();
        self.emit(Op::Halt, start);
        self.code.halt = self.emit(Op::Halt, start) as Pc;
        // Calls refer to functions by number, so that they can be recursive.
        for fun in program.funs.values() {
            let params = fun.params.iter().map(|&(_, ty)| self.admit(ty, None)).collect();
            let result = self.admit(fun.result, Some(&fun.body));
            let entry = self.here();
            self.expr(&fun.body);
            self.emit(Op::EndFun, fun.body.span);
            self.code.funs.push(FunCode { entry, params, result });
        }
        for transition in program.transitions.values() {
            self.procedure = Some(program.locations[transition.source].procedure);
            let guard = match &transition.guard {
                Guard::Always => GuardCode::Always,
                Guard::When(expr) => {
                    let start = self.expression(expr);
                    let tests = Test::all_of(&self.code.ops, start as usize).unwrap_or_default();
                    let (first, count) = (self.code.tests.len() as u32, tests.len() as u32);
                    self.code.tests.extend(tests);
                    GuardCode::When(start, Tests { first, count })
                }
                Guard::Else => GuardCode::Else,
                Guard::Ready(location) => GuardCode::Ready(location.0),
            };
            let obstacle = transition.body.first().and_then(|action| self.obstacle(action));
            let (opening, rest) = self.opening(&transition.body);
            let body = self.here();
            for action in rest {
                self.action(action);
            }
            self.emit(Op::BodyDone, transition.span);
            self.exit(&transition.exit, transition.span);
            let trial = transition.body.iter().enumerate().any(|(index, action)| match action.kind {
                ActionKind::Lock(_) | ActionKind::Assume(_) | ActionKind::Unwait(_) => index > 0,
                ActionKind::Notify(_) | ActionKind::Choose(..) => true,
                _ => false,
            });
            let guard_can_truncate = matches!(&transition.guard, Guard::When(_)) && !program.funs.is_empty();
            self.code.transitions.push(TransitionCode {
                guard,
                obstacle,
                body,
                trial,
                guard_can_truncate,
                opening,
                exclusive: transition.exclusive,
            });
        }
        self.processes();
        for location in program.locations.values() {
            self.procedure = Some(location.procedure);
            let resume = match &location.kind {
                LocationKind::Plain => None,
                LocationKind::Resume { result, then, .. } => {
                    let start = self.here();
                    if let Some(place) = result {
                        self.place(place);
                        self.emit(Op::Result, place.span);
                        self.store(place, None);
                    }
                    self.jump(then, location.span);
                    Some(start)
                }
            };
            self.code.resumes.push(resume);
        }
        self.procedure = None;
        for invariant in &program.invariants {
            let start = self.here();
            self.expr(&invariant.expr);
            self.emit(Op::Halt, invariant.span);
            self.code.invariants.push(start);
        }
        for property in &program.properties {
            let mut starts = Vec::new();
            // Entities can be told apart only if they are marked: see `Program::mark_thread`.
            let known = if property.each.is_none() { &property.props[..] } else { &[] };
            for prop in known {
                starts.push(self.here());
                self.expr(&prop.expr);
                self.emit(Op::Halt, prop.span);
            }
            self.code.propositions.push(starts);
        }
    }

    /// Conditions, prologues, claims and the monitor.
    fn processes(&mut self) {
        let program = self.program;
        for (id, procedure) in program.procedures.iter() {
            self.procedure = Some(id);
            let provided = procedure.provided.as_ref().map(|expr| self.operand(expr));
            self.code.provided.push(provided);
            let prologue = self.prologue(&procedure.prologue, procedure.span);
            self.code.prologues.push(prologue);
        }
        self.claims();
        self.procedure = None;
        self.code.prologue = self.prologue(&program.prologue, Span::default());
        self.code.monitor = program.monitor.as_ref().map(|monitor| {
            let site = self.emit(Op::Halt, monitor.span) as Pc;
            let states = monitor.states.iter().map(|state| {
                let events = state.events.iter().map(|event| EventCode {
                    send: event.send,
                    channel: self.operand(&event.channel),
                    pattern: event
                        .pattern
                        .iter()
                        .map(|field| field.as_ref().map(|field| self.operand(field)))
                        .collect(),
                    target: event.target,
                });
                events.collect()
            });
            let states = states.collect();
            let ends = monitor.states.iter().map(|state| state.end).collect();
            MonitorCode { states, ends, negated: monitor.negated, site }
        });
    }

    fn claims(&mut self) {
        let program = self.program;
        if program.procedures.values().all(|procedure| procedure.claims.is_empty()) {
            return;
        }
        for (id, procedure) in program.procedures.iter() {
            self.procedure = Some(id);
            let claims = procedure.claims.iter();
            let claims =
                claims.map(|claim| ClaimCode { send: !claim.receive, channel: self.operand(&claim.channel) });
            let claims = claims.collect();
            self.code.claims.push(claims);
        }
    }

    fn prologue(&mut self, actions: &[Action], span: Span) -> Pc {
        let start = self.here();
        for action in actions {
            self.action(action);
        }
        self.emit(Op::BodyDone, span);
        start
    }

    /// The opening of a body, and the actions after it.
    fn opening<'a>(&mut self, body: &'a [Action]) -> (Opening, &'a [Action]) {
        let Some((first, rest)) = body.split_first() else { return (Opening::Other, body) };
        match &first.kind {
            ActionKind::Send { .. } => (Opening::Send(self.send(first)), rest),
            ActionKind::Receive { .. } => (Opening::Receive(self.receive(first)), rest),
            _ => (Opening::Other, body),
        }
    }

    fn send(&mut self, action: &Action) -> u32 {
        let ActionKind::Send { channel, sorted, message } = &action.kind else { unreachable!("not a send") };
        let send = SendCode {
            channel: self.operand(channel),
            message: message.iter().map(|field| self.operand(field)).collect(),
            sorted: *sorted,
            fits: self.fits(|program, id| program.fits_message(id, message)),
        };
        self.code.sends.push(send);
        self.code.sends.len() as u32 - 1
    }

    fn receive(&mut self, action: &Action) -> u32 {
        let ActionKind::Receive { channel, anywhere, keep, pattern } = &action.kind else {
            unreachable!("not a receive")
        };
        let channel = self.operand(channel);
        let code = pattern.iter().map(|field| match field {
            Pattern::Any => PatternCode::Any,
            Pattern::Match(value) => PatternCode::Match(self.operand(value)),
            Pattern::Store(place) => match place.kind {
                PlaceKind::Global(id) => PatternCode::Global {
                    slot: self.layout.root.slots[id.index()],
                    admit: self.admit(place.ty, None),
                },
                PlaceKind::Local(id) => {
                    PatternCode::Local { slot: self.local(id), admit: self.admit(place.ty, None) }
                }
                _ => {
                    let start = self.here();
                    self.place(place);
                    self.emit(Op::Result, place.span);
                    self.store(place, None);
                    self.emit(Op::BodyDone, place.span);
                    PatternCode::Place(start)
                }
            },
        });
        let code = code.collect();
        let fits = self.fits(|program, id| program.fits_pattern(id, pattern, *keep));
        self.code.receives.push(ReceiveCode {
            channel,
            anywhere: *anywhere,
            keep: *keep,
            pattern: code,
            fits,
        });
        self.code.receives.len() as u32 - 1
    }

    /// Which channels something fits.
    fn fits(&self, fits: impl Fn(&Program, ChannelId) -> bool) -> Fits {
        if self.is_flat {
            return Fits::default();
        }
        Fits(self.program.channels.ids().map(|id| fits(self.program, id)).collect())
    }

    fn operand(&mut self, expr: &Expr) -> Operand {
        let pc = self.expression(expr);
        let load = match self.code.ops[pc as usize..] {
            [load @ (Op::Const(_) | Op::Local { .. } | Op::Global { .. }), Op::Halt] => Some(load),
            _ => None,
        };
        Operand { pc, load }
    }

    /// How an element of an array variable is found.
    fn element(&mut self, array: Array, indices: &[Expr]) -> Element {
        let number = self.array_variable(array);
        let code = &self.code.arrays[number as usize];
        let constants: Option<Vec<i64>> = indices.iter().map(constant).collect();
        if let Some(slot) = constants.and_then(|indices| code.slot(&indices)) {
            return Element::Fixed(slot);
        }
        match (array, indices) {
            (Array::Global(_), [index]) if let Some(offset) = own_offset(index) => {
                Element::Own(number, offset)
            }
            _ => Element::Any(number),
        }
    }

    fn array_variable(&mut self, array: Array) -> u32 {
        let (variable, dims, procedure) = match array {
            Array::Global(id) => (self.layout.root_arrays[id.index()], &self.program.globals[id].dims, None),
            Array::Local(id) => {
                let procedure = self.procedure.expect("locals occur in procedures");
                let variable = self.layout.frame_arrays[procedure][id.index()];
                (variable, &self.program.procedures[procedure].locals[id].dims, Some(procedure))
            }
        };
        let variable = variable.expect("an array is laid out as one");
        self.code.arrays.push(ArrayCode { variable, dims: dims.clone(), procedure });
        self.code.arrays.len() as u32 - 1
    }

    fn here(&self) -> Pc {
        self.code.ops.len() as Pc
    }

    fn emit(&mut self, op: Op, span: Span) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(span);
        self.code.ops.len() - 1
    }

    /// Makes a jump that was emitted with any target land here.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.ops[jump] {
            Op::Jump(to) | Op::JumpIfFalse(to) | Op::AndThen(to) | Op::OrElse(to) => *to = here,
            op => unreachable!("{op:?} does not jump"),
        }
    }

    fn slot(&mut self, slot: Slot) -> u32 {
        let known = self.code.slots.iter().position(|&other| other == slot);
        known.unwrap_or_else(|| {
            self.code.slots.push(slot);
            self.code.slots.len() - 1
        }) as u32
    }

    /// How a value is admitted to a place of type `ty`. `value` is the expression that computes it.
    fn admit(&mut self, ty: TypeId, value: Option<&Expr>) -> u32 {
        let Type::Int(int) = self.program.types[ty] else { return ANY };
        let known = value.and_then(|value| match (&value.kind, self.program.types[value.ty]) {
            (&ExprKind::Const(Const::Int(value)), _) => Some((value, value)),
            (ExprKind::Number(_), _) => Some((0, 1)),
            // A value that was loaded is in the range of its type; one that was computed need not be.
            (
                ExprKind::Global(_)
                | ExprKind::Local(_)
                | ExprKind::Param(_)
                | ExprKind::Field(..)
                | ExprKind::Index(..)
                | ExprKind::Element(..)
                | ExprKind::Wrap(_)
                | ExprKind::ThreadLocal { .. }
                | ExprKind::Call(..),
                Type::Int(from),
            ) => Some((from.lo, from.hi)),
            _ => None,
        });
        let full = int.lo == i64::MIN && int.hi == i64::MAX;
        if full || known.is_some_and(|(lo, hi)| int.lo <= lo && hi <= int.hi) {
            return ANY;
        }
        let known = self.code.admits.iter().position(|&other| other == int);
        known.unwrap_or_else(|| {
            self.code.admits.push(int);
            self.code.admits.len() - 1
        }) as u32
    }

    /// The one place of a field, if it is the same in all records that have it.
    fn field_slot(&self, field: FieldId) -> Option<Slot> {
        let mut slots = self.layout.field_slots[field].iter().flatten();
        let first = *slots.next()?;
        slots.all(|&slot| slot == first).then_some(first)
    }

    fn array_number(&self, array: TypeId) -> u32 {
        let Type::Array(element) = self.program.types[array] else { unreachable!("not an array") };
        self.element_number(element)
    }

    fn element_number(&self, element: TypeId) -> u32 {
        let arrays = self.layout.arrays.iter();
        arrays.clone().position(|array| array.element == element).expect("laid out with its type") as u32
    }

    fn local(&self, local: ir::LocalId) -> Slot {
        self.layout.local(self.procedure.expect("locals occur in procedures"), local)
    }

    fn is_collection(&self, ty: TypeId) -> bool {
        self.program.types[ty].is_collection()
    }

    fn is_long(&self, expr: &Expr) -> bool {
        matches!(self.program.types[expr.ty], Type::Int(IntType { width: Width::Long, .. }))
    }

    /// An expression by itself, with its end.
    fn expression(&mut self, expr: &Expr) -> Pc {
        let start = self.here();
        self.expr(expr);
        self.emit(Op::Halt, expr.span);
        start
    }

    /// Whether an action that comes first would block, as an expression.
    fn obstacle(&mut self, action: &Action) -> Option<Pc> {
        let start = self.here();
        match &action.kind {
            ActionKind::Assume(condition) => self.expr(condition),
            ActionKind::Lock(lock) => {
                self.expr(lock);
                self.emit(Op::LockAvailable, action.span);
            }
            ActionKind::Unwait(lock) => {
                self.expr(lock);
                self.emit(Op::CanUnwait, action.span);
            }
            _ => return None,
        }
        self.emit(Op::Halt, action.span);
        Some(start)
    }

    fn expr(&mut self, expr: &Expr) {
        let span = expr.span;
        let op = match &expr.kind {
            ExprKind::Const(value) => Op::Const(match *value {
                Const::Bool(value) => value.into(),
                Const::Int(value) => value,
                Const::Enum(id, element) => {
                    i64::from(element) + i64::from(self.program.enums[id].is_abstract)
                }
                Const::Null => 0,
                Const::String(id) => i64::from(id.0) + 1,
            }),
            ExprKind::Global(global) => {
                let Slot { word, shift, bits, lo, .. } = self.layout.root.slots[global.index()];
                Op::Global { shift, bits, word, lo }
            }
            ExprKind::Local(local) => {
                let Slot { word, shift, bits, lo, .. } = self.local(*local);
                Op::Local { shift, bits, word, lo }
            }
            ExprKind::Param(index) => Op::Param(*index),
            ExprKind::Field(record, field) => match self.field_slot(*field) {
                None => {
                    self.expr(record);
                    Op::FieldOf(field.0)
                }
                Some(Slot { word, shift, bits, lo, .. }) => {
                    if let ExprKind::Local(local) = record.kind
                        && let at = self.local(local)
                        && let (Ok(at_word), Ok(word), Ok(lo)) =
                            (u16::try_from(at.word), u16::try_from(word), i32::try_from(lo))
                    {
                        Op::LocalField { at_shift: at.shift, shift, bits, at: at_word, word, lo }
                    } else {
                        self.expr(record);
                        Op::Field { shift, bits, word, lo }
                    }
                }
            },
            ExprKind::Index(array, index) => {
                self.expr(array);
                self.expr(index);
                Op::Element(self.array_number(array.ty))
            }
            ExprKind::Length(array) => {
                self.expr(array);
                Op::Length
            }
            ExprKind::Address(record, field) => {
                self.expr(record);
                Op::Address(field.0)
            }
            ExprKind::Offset(pointer, distance) => {
                self.expr(pointer);
                self.expr(distance);
                Op::Offset
            }
            ExprKind::Load(pointer) => {
                self.expr(pointer);
                Op::Load(self.code.classes[expr.ty.index()])
            }
            ExprKind::Within(index, bound) => {
                self.expr(index);
                Op::Within(*bound)
            }
            ExprKind::Unary(op, operand) => {
                self.expr(operand);
                match op {
                    UnaryOp::Not => Op::Not,
                    UnaryOp::Neg => Op::Neg,
                }
            }
            ExprKind::Binary(op, left, right) => {
                if let BinaryOp::And | BinaryOp::Or | BinaryOp::Implies = op {
                    self.expr(left);
                    let done = match op {
                        BinaryOp::And => self.emit(Op::AndThen(0), span),
                        BinaryOp::Or => self.emit(Op::OrElse(0), span),
                        _ => {
                            self.emit(Op::Not, span);
                            self.emit(Op::OrElse(0), span)
                        }
                    };
                    self.expr(right);
                    self.land(done);
                    return;
                }
                self.expr(left);
                self.expr(right);
                let bits = if self.is_long(left) { Width::Long.bits() } else { Width::Int.bits() };
                match op {
                    BinaryOp::Add => Op::Add,
                    BinaryOp::Sub => Op::Sub,
                    BinaryOp::Mul => Op::Mul,
                    BinaryOp::Div => Op::Div,
                    BinaryOp::Rem => Op::Rem,
                    BinaryOp::Shl => Op::Shl(bits),
                    BinaryOp::Shr => Op::Shr(bits),
                    BinaryOp::Ushr => Op::Ushr(bits),
                    BinaryOp::Eq if self.is_collection(left.ty) => Op::EqTerm(left.ty),
                    BinaryOp::Ne if self.is_collection(left.ty) => Op::NeTerm(left.ty),
                    BinaryOp::Eq => Op::Eq,
                    BinaryOp::Ne => Op::Ne,
                    BinaryOp::Lt => Op::Lt,
                    BinaryOp::Le => Op::Le,
                    BinaryOp::Gt => Op::Gt,
                    BinaryOp::Ge => Op::Ge,
                    BinaryOp::BitAnd => Op::BitAnd,
                    BinaryOp::BitOr => Op::BitOr,
                    BinaryOp::BitXor => Op::BitXor,
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("done above"),
                }
            }
            ExprKind::Cond(condition, then, otherwise) => {
                self.expr(condition);
                let no = self.emit(Op::JumpIfFalse(0), span);
                self.expr(then);
                let end = self.emit(Op::Jump(0), span);
                self.land(no);
                self.expr(otherwise);
                self.land(end);
                return;
            }
            ExprKind::Cast(record, operand) => {
                self.expr(operand);
                Op::Cast(record.0)
            }
            ExprKind::InstanceOf(operand, record) => {
                self.expr(operand);
                Op::InstanceOf(record.0)
            }
            ExprKind::LockAvailable(lock) => {
                self.expr(lock);
                Op::LockAvailable
            }
            ExprKind::HasLock(lock) => {
                self.expr(lock);
                Op::HasLock
            }
            ExprKind::WasNotified(lock) => {
                self.expr(lock);
                Op::WasNotified
            }
            ExprKind::ThreadTerminated(thread) => {
                self.expr(thread);
                Op::ThreadTerminated
            }
            ExprKind::Call(fun, args) => {
                for arg in args {
                    self.expr(arg);
                }
                Op::CallFun { fun: fun.0, params: args.len() as u32 }
            }
            ExprKind::All(id) => {
                let of = &self.program.enums[*id];
                // Slots and words hold elements of abstract enums plus one, since they can be none.
                Op::All { count: of.elements.len() as u32, first: of.is_abstract.into() }
            }
            ExprKind::Collection(op, operands) => {
                for operand in operands {
                    self.expr(operand);
                }
                let ty = if *op == CollectionOp::Create { expr.ty } else { operands[0].ty };
                let (terms, is_table) = (&self.layout.terms, self.layout.terms.is_table(ty));
                match (*op, terms.kind(ty)) {
                    (CollectionOp::Contains, _) if is_table => Op::Has(ty),
                    (CollectionOp::Get, TermKind::Map(..)) if is_table => Op::ValueOf(ty),
                    (CollectionOp::Size, kind) if !matches!(kind, TermKind::Bag(_)) => Op::Entries(ty),
                    _ => Op::Collection { op: *op, operands: operands.len() as u32, ty },
                }
            }
            ExprKind::Quantified { all, over, fun, captures } => {
                self.expr(over);
                for capture in captures {
                    self.expr(capture);
                }
                let count = u16::try_from(captures.len()).expect("the verifier bounds the parameters");
                Op::Quantify { all: *all, captures: count, fun: fun.0, ty: over.ty }
            }
            ExprKind::Element(array, indices) => match self.element(*array, indices) {
                Element::Fixed(Slot { word, shift, bits, lo, .. }) => match array {
                    Array::Global(_) => Op::Global { shift, bits, word, lo },
                    Array::Local(_) => Op::Local { shift, bits, word, lo },
                },
                Element::Own(array, offset) => Op::OwnElement { array, offset },
                Element::Any(array) => {
                    for index in indices {
                        self.expr(index);
                    }
                    Op::ArrayElement(array)
                }
            },
            ExprKind::Wrap(operand) => {
                self.expr(operand);
                let admit = self.admit(expr.ty, Some(operand));
                if admit == ANY {
                    return;
                }
                Op::Admit(admit)
            }
            // Booleans are numbers already.
            ExprKind::Number(operand) => return self.expr(operand),
            ExprKind::ThreadNumber => Op::ThreadNumber,
            ExprKind::ThreadCount => Op::ThreadCount,
            ExprKind::LastThread => Op::LastThread,
            ExprKind::IsYoungest => Op::IsYoungest,
            ExprKind::Timeout => Op::Timeout,
            ExprKind::FirstThread(procedure) => Op::FirstThread(procedure.0),
            ExprKind::ThreadsAt { procedure, locations } => {
                let of = |(id, location): (LocationId, &Location)| {
                    let counts = location.procedure == *procedure && locations.contains(&location.origin(id));
                    counts.then_some(id.0)
                };
                let sites = self.program.locations.iter().filter_map(of).collect();
                self.code.sites.push((*procedure, sites));
                Op::ThreadsAt(self.code.sites.len() as u32 - 1)
            }
            ExprKind::ThreadAt { thread, procedure, locations } => {
                self.expr(thread);
                let mut sites: Vec<u32> = locations.iter().map(|location| location.0).collect();
                sites.sort_unstable();
                self.code.sites.push((*procedure, sites));
                Op::ThreadAt(self.code.sites.len() as u32 - 1)
            }
            ExprKind::IndividualAt { .. } => unreachable!("properties about individuals are not compiled"),
            ExprKind::ThreadLocal { thread, procedure, local, indices } => {
                self.expr(thread);
                for index in indices {
                    self.expr(index);
                }
                if indices.is_empty() {
                    let slot = self.slot(self.layout.local(*procedure, *local));
                    Op::ThreadLocal { procedure: procedure.0, slot }
                } else {
                    let own = self.procedure.replace(*procedure);
                    let array = self.array_variable(Array::Local(*local));
                    self.procedure = own;
                    Op::ThreadElement(array)
                }
            }
            ExprKind::ThreadEnabled(thread) => {
                self.expr(thread);
                Op::ThreadEnabled
            }
            ExprKind::ThreadLocation(thread) => {
                self.expr(thread);
                Op::ThreadLocation
            }
            ExprKind::ThreadPriority(thread) => {
                self.expr(thread);
                Op::ThreadPriority
            }
            ExprKind::Channel(id) => {
                if let Some(at) = self.program.first_channels.iter().position(|first| first == id) {
                    Op::Const(at as i64 + 1)
                } else {
                    let procedure = self.procedure.expect("channels come with threads");
                    let own = &self.program.procedures[procedure].channels;
                    let at = own.iter().position(|own| own == id).expect("it is one of its own");
                    Op::OwnChannel(at as u32)
                }
            }
            ExprKind::ChannelLength(channel) => {
                self.expr(channel);
                Op::ChannelLength
            }
            ExprKind::ChannelFull(channel) => {
                self.expr(channel);
                Op::ChannelFull
            }
            ExprKind::ChannelHas { channel, anywhere, pattern } => {
                // Its code stands before that of the expression around it, which jumps over it.
                let over = self.emit(Op::Jump(0), span);
                let channel = self.operand(channel);
                let fits = self.fits(|program, id| program.fits_question(id, pattern));
                let pattern = pattern.iter().map(|field| match field {
                    Some(value) => PatternCode::Match(self.operand(value)),
                    None => PatternCode::Any,
                });
                let pattern = pattern.collect();
                self.land(over);
                self.code.receives.push(ReceiveCode {
                    channel,
                    anywhere: *anywhere,
                    keep: true,
                    pattern,
                    fits,
                });
                Op::ChannelHas(self.code.receives.len() as u32 - 1)
            }
        };
        self.emit(op, span);
    }

    /// The operands of a place.
    fn place(&mut self, place: &Place) {
        match &place.kind {
            PlaceKind::Global(_) | PlaceKind::Local(_) => {}
            PlaceKind::Field(record, field) => {
                if self.local_field(record, *field).is_none() {
                    self.expr(record);
                }
            }
            PlaceKind::Index(array, index) => {
                self.expr(array);
                self.expr(index);
            }
            PlaceKind::Through(pointer) => self.expr(pointer),
            PlaceKind::Element(array, indices) => {
                if let Element::Any(_) = self.element(*array, indices) {
                    for index in indices {
                        self.expr(index);
                    }
                }
            }
        }
    }

    /// The slots of the reference and of the field, for a field of the object to which a local refers.
    /// Reading a local has no effect and cannot fail, so the store itself can do it, last.
    fn local_field(&self, record: &Expr, field: FieldId) -> Option<(u8, u16, Slot)> {
        let ExprKind::Local(local) = record.kind else { return None };
        let at = self.local(local);
        Some((at.shift, u16::try_from(at.word).ok()?, self.field_slot(field)?))
    }

    /// Stores the value on top of the stack, above the operands of the place.
    fn store(&mut self, place: &Place, value: Option<&Expr>) {
        let admit = self.admit(place.ty, value);
        let op = match &place.kind {
            PlaceKind::Global(global) => {
                Op::StoreGlobal { slot: self.slot(self.layout.root.slots[global.index()]), admit }
            }
            PlaceKind::Local(local) => Op::StoreLocal { slot: self.slot(self.local(*local)), admit },
            PlaceKind::Field(record, field) => match self.field_slot(*field) {
                Some(_) if let Some((at_shift, at, slot)) = self.local_field(record, *field) => {
                    Op::StoreLocalField { at_shift, at, slot: self.slot(slot), admit }
                }
                Some(slot) => Op::StoreField { slot: self.slot(slot), admit },
                None => Op::StoreFieldOf { field: field.0, admit },
            },
            PlaceKind::Index(array, _) => Op::StoreElement { array: self.array_number(array.ty), admit },
            PlaceKind::Through(_) => Op::StoreThrough(self.code.classes[place.ty.index()]),
            PlaceKind::Element(array, indices) => match self.element(*array, indices) {
                Element::Fixed(slot) => {
                    let slot = self.slot(slot);
                    match array {
                        Array::Global(_) => Op::StoreGlobal { slot, admit },
                        Array::Local(_) => Op::StoreLocal { slot, admit },
                    }
                }
                Element::Own(array, offset) => Op::StoreOwnElement { array, offset, admit },
                Element::Any(array) => Op::StoreArrayElement { array, admit },
            },
        };
        self.emit(op, place.span);
    }

    fn action(&mut self, action: &Action) {
        let span = action.span;
        let (operand, op) = match &action.kind {
            ActionKind::Assign(place, value) => {
                self.place(place);
                self.expr(value);
                return self.store(place, Some(value));
            }
            ActionKind::New(place, new) => {
                self.place(place);
                let op = match new {
                    New::Record(record) => Op::NewRecord(record.0),
                    New::Lock => Op::NewLock,
                    New::Block { record, length } => {
                        self.expr(length);
                        let blocks = &self.layout.blocks;
                        let block = blocks.iter().position(|block| block.record == *record);
                        Op::NewBlock(block.expect("it is laid out") as u32)
                    }
                    New::Channel(channel) => Op::NewChannel(channel.0),
                    New::Array { element, length } => {
                        self.expr(length);
                        Op::NewArray(self.element_number(*element))
                    }
                };
                self.emit(op, span);
                return self.store(place, None);
            }
            ActionKind::Choose(place, from) => {
                self.place(place);
                self.expr(from);
                self.emit(Op::Choose(from.ty), span);
                return self.store(place, None);
            }
            ActionKind::Start { result, procedure, args, priority } => {
                if let Some(place) = result {
                    self.place(place);
                }
                for arg in args {
                    self.expr(arg);
                }
                let own = self.program.procedures[*procedure].priority;
                self.emit(Op::Start { procedure: procedure.0, priority: priority.unwrap_or(own) }, span);
                match result {
                    Some(place) => self.store(place, None),
                    None => {
                        self.emit(Op::Pop, span);
                    }
                }
                return;
            }
            ActionKind::Exit => {
                self.emit(Op::Exit, span);
                return;
            }
            ActionKind::BadCall(_) => {
                self.emit(Op::BadCall, span);
                return;
            }
            ActionKind::Send { .. } | ActionKind::Receive { .. } => {
                unreachable!("messages are sent and received by first actions")
            }
            ActionKind::SetPriority(thread, priority) => {
                self.expr(thread);
                self.expr(priority);
                self.emit(Op::SetPriority, span);
                return;
            }
            ActionKind::Print { .. } => return,
            ActionKind::Check(condition) => (condition, Op::Check),
            ActionKind::Assert(condition, _) => (condition, Op::Assert),
            ActionKind::Assume(condition) => (condition, Op::Assume),
            ActionKind::Lock(lock) => (lock, Op::Lock),
            ActionKind::Unlock(lock) => (lock, Op::Unlock),
            ActionKind::Wait(lock) => (lock, Op::Wait),
            ActionKind::Unwait(lock) => (lock, Op::Unwait),
            ActionKind::Notify(lock) => (lock, Op::Notify),
            ActionKind::NotifyAll(lock) => (lock, Op::NotifyAll),
            ActionKind::Throw(exception) => (exception, Op::Throw),
            ActionKind::Delete(object) => (object, Op::Delete),
            ActionKind::Kill(object) => (object, Op::Kill),
        };
        self.expr(operand);
        if self.program.types[operand.ty] == Type::Pointer {
            self.emit(Op::Whole, span);
        }
        self.emit(op, span);
    }

    fn jump(&mut self, jump: &Jump, span: Span) {
        match jump {
            Jump::Goto(location) => {
                self.emit(Op::Goto(location.0), span);
            }
            Jump::Return(value) => {
                if let Some(value) = value {
                    self.expr(value);
                    let result = self.procedure.and_then(|id| self.program.procedures[id].result);
                    let admit = result.map_or(ANY, |ty| self.admit(ty, Some(value)));
                    if admit != ANY {
                        self.emit(Op::Admit(admit), value.span);
                    }
                    if self.is_collection(value.ty) {
                        self.emit(Op::Own(value.ty), value.span);
                    }
                }
                self.emit(Op::Return { value: value.is_some() }, span);
            }
        }
    }

    fn exit(&mut self, exit: &Exit, span: Span) {
        match exit {
            Exit::Jump(jump) => self.jump(jump, span),
            Exit::Call { callee, args, resume } => {
                for arg in args {
                    self.expr(arg);
                }
                let op = match callee {
                    Callee::Static(procedure) => Op::Call { procedure: procedure.0, resume: resume.0 },
                    Callee::Virtual(table) => Op::CallVirtual { table: table.0, resume: resume.0 },
                };
                self.emit(op, span);
            }
        }
    }
}

/// How an element of an array variable is found.
enum Element {
    /// The indices are constants: the element is a variable like others.
    Fixed(Slot),
    /// The index is the number of the thread plus a constant.
    Own(u32, i32),
    /// By indices on the stack.
    Any(u32),
}

fn constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Const(Const::Int(value)) => Some(*value),
        ExprKind::Const(Const::Bool(value)) => Some((*value).into()),
        ExprKind::Number(operand) => constant(operand),
        _ => None,
    }
}

/// The constant that is added to the number of the thread, if the expression is such a sum. Its type is never
/// so narrow that the sum wraps around.
fn own_offset(expr: &Expr) -> Option<i32> {
    const SMALL: i64 = 1 << 14;
    match &expr.kind {
        ExprKind::ThreadNumber => Some(0),
        ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), number, offset) => {
            let ExprKind::ThreadNumber = number.kind else { return None };
            let offset = constant(offset).filter(|offset| (-SMALL..SMALL).contains(offset))? as i32;
            Some(if *op == BinaryOp::Add { offset } else { -offset })
        }
        _ => None,
    }
}
