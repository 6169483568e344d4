//! One transition of one thread, on a state of its own: actions, calls, returns, exceptions.

use ir::{
    Action, ActionKind, Callee, Exit, Expr, FieldId, GlobalId, Id, Jump, LocalId, LocationId, LocationKind,
    MAX_ARRAY_LENGTH, MAX_LOCK_COUNT, New, Place, PlaceKind, ProcedureId, Program, Scope, Transition,
    TransitionId, text,
};
use source::Span;
use system::{Bound, FaultKind};

use crate::eval::{Eval, admit, as_int, initial_value, position_of};
use crate::fault::Stop;
use crate::state::{Shown, position};
use crate::value::default_value;
use crate::{Frame, Naive, Object, ObjectKind, State, Thread, Value, Waiting};

/// Resolves a choice point: of so many alternatives, which?
pub(crate) type Choose<'c> = &'c mut dyn FnMut(u32) -> u32;

pub(crate) struct Machine<'a> {
    pub naive: &'a Naive<'a>,
    pub state: State,
    pub thread: u32,
}

/// Whether the body of a transition goes on after an action.
enum Flow {
    Next,
    /// The thread is elsewhere already: it has thrown, or it has ended.
    Left,
}

/// A place whose operands are evaluated.
enum Target {
    Global(GlobalId),
    Local(LocalId),
    Field(Value, FieldId),
    Index(Value, i64),
}

impl<'a> Machine<'a> {
    pub fn run(&mut self, id: TransitionId, choose: Choose<'_>) -> Result<(), Stop> {
        let transition = &self.program().transitions[id];
        for action in &transition.body {
            match self.action(action, choose)? {
                Flow::Next => {}
                Flow::Left => return Ok(()),
            }
        }
        match &transition.exit {
            Exit::Jump(jump) => self.jump(jump),
            Exit::Call { callee, args, resume } => self.call(transition, *callee, args, *resume),
        }
    }

    fn program(&self) -> &'a Program {
        self.naive.program
    }

    fn this(&mut self) -> &mut Thread {
        self.state.threads.get_mut(&self.thread).expect("the thread exists")
    }

    fn top(&mut self) -> &mut Frame {
        self.this().frames.last_mut().expect("the thread has not ended")
    }

    fn procedure(&self) -> ProcedureId {
        let frame = self.state.threads[&self.thread].frames.last().expect("the thread has not ended");
        self.program().locations[frame.location].procedure
    }

    fn evaluator(&self) -> Eval<'_> {
        self.naive.evaluator(&self.state, self.thread)
    }

    fn eval(&self, expr: &Expr) -> Result<Value, Stop> {
        self.evaluator().eval(expr)
    }

    fn evals(&self, exprs: &[Expr]) -> Result<Vec<Value>, Stop> {
        exprs.iter().map(|expr| self.eval(expr)).collect()
    }

    fn action(&mut self, action: &Action, choose: Choose<'_>) -> Result<Flow, Stop> {
        let span = action.span;
        match &action.kind {
            ActionKind::Assign(place, value) => {
                let target = self.target(place)?;
                let value = self.eval(value)?;
                self.store(place, &target, value)?;
            }
            ActionKind::New(place, new) => {
                let target = self.target(place)?;
                let kind = self.new_object(new, span)?;
                let id = self.allocate(kind, span)?;
                self.store(place, &target, Value::Ref(id))?;
            }
            ActionKind::Choose(place, over) => {
                let target = self.target(place)?;
                let collection = self.eval(over)?;
                let elements = collection.elements();
                if elements.is_empty() {
                    return Err(self.evaluator().empty(over, span));
                }
                let chosen = elements[choose(elements.len() as u32) as usize].clone();
                self.store(place, &target, chosen)?;
            }
            ActionKind::Assert(condition) => {
                if !self.evaluator().bool(condition)? {
                    return Err(Stop::fault(FaultKind::Assertion, span, "the asserted condition is false"));
                }
            }
            ActionKind::Assume(condition) => {
                if !self.evaluator().bool(condition)? {
                    return Err(Stop::Blocked);
                }
            }
            ActionKind::Lock(operand) => {
                let (id, owner) = self.lock(operand, span)?;
                if owner.is_some_and(|owner| owner != self.thread) {
                    return Err(Stop::Blocked);
                }
                let count = self.held(id);
                if *count == MAX_LOCK_COUNT {
                    let message = format!("lock held more than {MAX_LOCK_COUNT} times");
                    return Err(Stop::fault(FaultKind::Range, span, message));
                }
                *count += 1;
            }
            ActionKind::Unlock(operand) => {
                let id = self.own_lock(operand, span, FaultKind::Unlock)?;
                *self.held(id) -= 1;
                if *self.held(id) == 0 {
                    self.release(id);
                }
            }
            ActionKind::Wait(operand) => {
                let lock = self.own_lock(operand, span, FaultKind::Wait)?;
                if self.this().waiting.is_some() {
                    let message = format!("thread {} waits already", self.name());
                    return Err(Stop::fault(FaultKind::Wait, span, message));
                }
                let count = *self.held(lock);
                self.release(lock);
                self.this().waiting = Some(Waiting { lock, count, notified: false });
            }
            ActionKind::Unwait(operand) => self.unwait(operand, span)?,
            ActionKind::Notify(operand) => {
                let lock = self.own_lock(operand, span, FaultKind::Notify)?;
                let mut waiting = self.waiting(lock);
                if !waiting.is_empty() {
                    let chosen = choose(waiting.len() as u32) as usize;
                    waiting[chosen].notified = true;
                }
            }
            ActionKind::NotifyAll(operand) => {
                let lock = self.own_lock(operand, span, FaultKind::Notify)?;
                for waiting in self.waiting(lock) {
                    waiting.notified = true;
                }
            }
            ActionKind::Throw(operand) => {
                let exception = self.eval(operand)?;
                if exception == Value::Null {
                    return Err(self.evaluator().null(operand, span));
                }
                self.throw(&exception, span)?;
                return Ok(Flow::Left);
            }
            ActionKind::Start { result, procedure, args } => {
                let target = result.as_ref().map(|place| self.target(place)).transpose()?;
                let values = self.evals(args)?;
                let frame = self.naive.frame(*procedure, values, args)?;
                let thread = free_id(self.state.threads.keys());
                if thread >= self.naive.bounds.threads {
                    return Err(Stop::Exceeded(Bound::Threads, span));
                }
                add_thread(&mut self.state, thread, *procedure, frame);
                if let (Some(place), Some(target)) = (result, target) {
                    self.store(place, &target, Value::Thread(thread))?;
                }
            }
            ActionKind::Exit => {
                self.end();
                return Ok(Flow::Left);
            }
        }
        Ok(Flow::Next)
    }

    fn target(&self, place: &Place) -> Result<Target, Stop> {
        Ok(match &place.kind {
            PlaceKind::Global(id) => Target::Global(*id),
            PlaceKind::Local(id) => Target::Local(*id),
            PlaceKind::Field(base, field) => Target::Field(self.eval(base)?, *field),
            PlaceKind::Index(array, index) => {
                let array = self.eval(array)?;
                Target::Index(array, as_int(&self.eval(index)?))
            }
        })
    }

    /// Looks the place up, then admits the value to its type.
    fn store(&mut self, place: &Place, target: &Target, value: Value) -> Result<(), Stop> {
        let program = self.program();
        let scope = Scope::Procedure(self.procedure());
        if let (
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _),
            Target::Field(Value::Null, _) | Target::Index(Value::Null, _),
        ) = (&place.kind, target)
        {
            return Err(self.evaluator().null(base, place.span));
        }
        let slot = match target {
            Target::Global(id) => &mut self.state.globals[id.index()],
            Target::Local(id) => &mut self.top().locals[id.index()],
            Target::Field(base, field) => match self.object(base) {
                ObjectKind::Record(record, values) => {
                    &mut values[position(program, *record, *field).expect("fields are inherited")]
                }
                _ => unreachable!("records have fields"),
            },
            Target::Index(base, index) => match self.object(base) {
                ObjectKind::Array(_, values) => {
                    let at = position_of(*index, values, place.span, "an array")?;
                    &mut values[at]
                }
                _ => unreachable!("arrays have elements"),
            },
        };
        *slot = admit(program, place.ty, value, place.span, || {
            format!("`{}`", text::place(program, scope, place))
        })?;
        Ok(())
    }

    fn object(&mut self, reference: &Value) -> &mut ObjectKind {
        let Value::Ref(id) = reference else { unreachable!("null was checked") };
        &mut self.state.objects.get_mut(id).expect("references are to objects").kind
    }

    fn new_object(&self, new: &New, span: Span) -> Result<ObjectKind, Stop> {
        let program = self.program();
        Ok(match new {
            New::Record(record) => {
                let fields = program.records[*record].fields.iter();
                let values = fields.map(|&field| default_value(program, program.fields[field].ty));
                ObjectKind::Record(*record, values.collect())
            }
            New::Lock => ObjectKind::Lock { owner: None, count: 0 },
            New::Array { element, length } => {
                let length = as_int(&self.eval(length)?);
                if length < 0 {
                    let message = format!("negative array length {length}");
                    return Err(Stop::fault(FaultKind::Index, span, message));
                }
                if length > MAX_ARRAY_LENGTH {
                    return Err(Stop::Exceeded(Bound::Objects, span));
                }
                ObjectKind::Array(*element, vec![default_value(program, *element); length as usize])
            }
        })
    }

    fn allocate(&mut self, kind: ObjectKind, span: Span) -> Result<u32, Stop> {
        let id = free_id(self.state.objects.keys());
        if id >= self.naive.bounds.objects {
            return Err(Stop::Exceeded(Bound::Objects, span));
        }
        let serial = Shown(self.state.serials.0.of_object(self.naive.program, &kind));
        self.state.objects.insert(id, Object { kind, serial });
        Ok(id)
    }

    /// The lock that an operand refers to, and its owner.
    fn lock(&self, operand: &Expr, span: Span) -> Result<(u32, Option<u32>), Stop> {
        self.evaluator().lock(operand, &self.eval(operand)?, span)
    }

    fn own_lock(&self, operand: &Expr, span: Span, kind: FaultKind) -> Result<u32, Stop> {
        let (id, owner) = self.lock(operand, span)?;
        if owner == Some(self.thread) {
            return Ok(id);
        }
        let message = format!("thread {} does not hold the lock", self.name());
        Err(Stop::fault(kind, span, message))
    }

    /// How often this thread holds the lock, which is free or its own.
    fn held(&mut self, lock: u32) -> &mut u32 {
        let thread = self.thread;
        match self.object(&Value::Ref(lock)) {
            ObjectKind::Lock { owner, count } => {
                *owner = Some(thread);
                count
            }
            _ => unreachable!("only locks are held"),
        }
    }

    fn release(&mut self, lock: u32) {
        *self.object(&Value::Ref(lock)) = ObjectKind::Lock { owner: None, count: 0 };
    }

    fn unwait(&mut self, operand: &Expr, span: Span) -> Result<(), Stop> {
        let (id, owner) = self.lock(operand, span)?;
        let Some(waiting) = self.this().waiting.filter(|waiting| waiting.lock == id) else {
            let message = format!("thread {} does not wait for the lock", self.name());
            return Err(Stop::fault(FaultKind::Wait, span, message));
        };
        if !waiting.notified || owner.is_some() {
            return Err(Stop::Blocked);
        }
        *self.held(id) = waiting.count;
        self.this().waiting = None;
        Ok(())
    }

    /// The threads that wait for the lock and were not notified yet, by their ids.
    fn waiting(&mut self, lock: u32) -> Vec<&mut Waiting> {
        let waiting = self.state.threads.values_mut().filter_map(|thread| thread.waiting.as_mut());
        waiting.filter(|waiting| waiting.lock == lock && !waiting.notified).collect()
    }

    fn name(&self) -> String {
        self.naive.thread_name(&self.state, self.thread)
    }

    /// The thread moves to `location`, and forgets what is not live there.
    fn arrive(&mut self, location: LocationId) {
        let program = self.program();
        self.top().location = location;
        forget(program, self.top());
    }

    fn end(&mut self) {
        let this = self.this();
        this.frames.clear();
        this.waiting = None;
    }

    fn jump(&mut self, jump: &'a Jump) -> Result<(), Stop> {
        let program = self.program();
        let mut jump = jump;
        loop {
            let value = match jump {
                Jump::Goto(location) => {
                    self.arrive(*location);
                    return Ok(());
                }
                Jump::Return(value) => value,
            };
            let procedure = &program.procedures[self.procedure()];
            let value = match (value, procedure.result) {
                (Some(expr), Some(result)) => {
                    let value = self.eval(expr)?;
                    Some(admit(program, result, value, expr.span, || format!("`{}`", procedure.name))?)
                }
                _ => None,
            };
            self.this().frames.pop();
            if self.this().frames.is_empty() {
                self.end();
                return Ok(());
            }
            let LocationKind::Resume { result, then, .. } = &program.locations[self.top().location].kind
            else {
                unreachable!("a caller stands at a resume location")
            };
            if let (Some(place), Some(value)) = (result, value) {
                let target = self.target(place)?;
                self.store(place, &target, value)?;
            }
            jump = then;
        }
    }

    fn call(
        &mut self,
        transition: &Transition,
        callee: Callee,
        args: &[Expr],
        resume: LocationId,
    ) -> Result<(), Stop> {
        let program = self.program();
        let values = self.evals(args)?;
        let procedure = match callee {
            Callee::Static(procedure) => procedure,
            Callee::Virtual(id) => {
                let table = &program.virtuals[id];
                let Some(record) = self.evaluator().record_of(&values[0]) else {
                    return Err(self.evaluator().null(&args[0], transition.span));
                };
                let target = table.targets.iter().find(|&&(key, _)| key == record);
                let Some(&(_, procedure)) = target else {
                    let message =
                        format!("`{}` is not there for {}", table.name, program.records[record].name);
                    return Err(Stop::fault(FaultKind::BadCast, transition.span, message));
                };
                procedure
            }
        };
        let frame = self.naive.frame(procedure, values, args)?;
        if self.this().frames.len() >= self.naive.bounds.frames as usize {
            return Err(Stop::Exceeded(Bound::Frames, transition.span));
        }
        self.top().location = resume;
        self.this().frames.push(frame);
        Ok(())
    }

    fn throw(&mut self, exception: &Value, span: Span) -> Result<(), Stop> {
        let program = self.program();
        let record = self.evaluator().record_of(exception).expect("what is thrown is a record");
        let message = format!("uncaught exception {}", self.naive.show(&self.state, exception));
        while let Some(frame) = self.this().frames.last_mut() {
            let location = &program.locations[frame.location];
            let origin = location.origin(frame.location);
            let catch = program.procedures[location.procedure].catches.iter().find(|catch| {
                catch.covers.contains(&origin) && program.records[record].descends_from(catch.record)
            });
            if let Some(catch) = catch {
                frame.locals[catch.variable.index()] = exception.clone();
                self.arrive(catch.handler);
                return Ok(());
            }
            self.this().frames.pop();
        }
        Err(Stop::fault(FaultKind::UncaughtException, span, message))
    }
}

impl Naive<'_> {
    pub(crate) fn evaluator<'a>(&'a self, state: &'a State, thread: u32) -> Eval<'a> {
        let frame = state.threads[&thread].frames.last().expect("the thread has not ended");
        let scope = Scope::Procedure(self.program.locations[frame.location].procedure);
        let (program, bounds, variables) = (self.program, self.bounds, &frame.locals);
        Eval { program, bounds, state, thread: Some(thread), variables, scope, calls: 0 }
    }

    /// A frame at the entry of a procedure; `args` are what the values of its parameters come from.
    pub(crate) fn frame(
        &self,
        id: ProcedureId,
        mut values: Vec<Value>,
        args: &[Expr],
    ) -> Result<Frame, Stop> {
        let program = self.program;
        let procedure = &program.procedures[id];
        let mut locals = procedure.locals.values();
        for ((value, arg), param) in values.iter_mut().zip(args).zip(locals.by_ref()) {
            *value = admit(program, param.ty, value.clone(), arg.span, || format!("`{}`", param.name))?;
        }
        values.extend(locals.map(|local| initial_value(program, local)));
        let mut frame = Frame { location: procedure.entry, locals: values };
        forget(program, &mut frame);
        Ok(frame)
    }
}

pub(crate) fn add_thread(state: &mut State, id: u32, procedure: ProcedureId, frame: Frame) {
    let serial = Shown(state.serials.0.of_thread(procedure));
    let procedure = Shown(procedure);
    state.threads.insert(id, Thread { frames: vec![frame], waiting: None, procedure, serial });
}

/// Locals that are not in the live set of the frame's location get their default value.
fn forget(program: &Program, frame: &mut Frame) {
    let location = &program.locations[frame.location];
    let Some(live) = &location.live else { return };
    for (id, local) in program.procedures[location.procedure].locals.iter() {
        if !live.contains(&id) {
            frame.locals[id.index()] = default_value(program, local.ty);
        }
    }
}

/// The least id that is not in use. `used` ascends.
fn free_id<'k>(used: impl Iterator<Item = &'k u32>) -> u32 {
    let mut free = 0;
    for &id in used {
        if id > free {
            break;
        }
        free = id + 1;
    }
    free
}
