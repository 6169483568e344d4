//! One transition of one thread, on a state of its own: actions, calls, returns, exceptions.

use ir::{
    Action, ActionKind, Array, Callee, ChannelId, Exit, Expr, FieldId, GlobalId, Id, Jump, LocalId,
    LocationId, LocationKind, MAX_ARRAY_LENGTH, MAX_BLOCK_LEAVES, MAX_LOCK_COUNT, New, Place, PlaceKind,
    ProcedureId, Program, RecordId, Scope, Transition, TransitionId, Type, text,
};
use source::Span;
use system::{Bound, FaultKind};

use crate::eval::{Eval, admit, as_int, element_position, in_all_elements, initial_value, position_of};
use crate::fault::{Stop, burn};
use crate::state::{Untracked, position};
use crate::steps::EvalContext;
use crate::value::default_value;
use crate::{
    Channel, Events, Frame, Naive, NaiveFault, Object, ObjectKind, Obstacle, State, Thread, Value, Waiting,
};

/// Resolves a choice point: chooses one of a number of alternatives.
pub(crate) type Choose<'c> = &'c mut dyn FnMut(u32) -> u32;

#[derive(Clone)]
pub(crate) struct Machine<'a> {
    pub naive: &'a Naive<'a>,
    pub state: State,
    pub thread: u32,
    pub context: EvalContext,
    /// Whether a `Send` may look for a partner.
    pub may_meet: bool,
    /// Who received what the thread sent, if that was a rendezvous, and by which transition.
    pub partner: Option<(u32, TransitionId)>,
    /// The transition that was taken last.
    pub last: Option<TransitionId>,
    /// What happened so far, if that is recorded.
    pub events: Option<Events>,
    /// The first check that failed.
    pub soft_fault: Option<NaiveFault>,
    /// Why the body cannot go on, if that is asked for.
    pub obstacle: Wanted<Obstacle>,
}

/// Something that is looked for only where it is wanted.
#[derive(Clone, Debug, Default)]
pub(crate) enum Wanted<T> {
    #[default]
    No,
    Yes(Option<T>),
}

/// Numbers of channels fit a byte.
const MAX_CHANNELS: usize = ir::MAX_CHANNELS as usize;

/// Whether the body of a transition goes on after an action.
pub(crate) enum Flow {
    Next,
    /// The thread is elsewhere already: it has thrown, or it has ended.
    Left,
}

/// A place whose operands are evaluated.
pub(crate) enum Target {
    Global(GlobalId),
    Local(LocalId),
    Field(Value, FieldId),
    Index(Value, i64),
    Through(Value),
    Element(Array, Vec<i64>),
}

impl<'a> Machine<'a> {
    pub fn new(naive: &'a Naive<'a>, state: State, thread: u32, context: EvalContext) -> Self {
        let (may_meet, partner, last, events, soft_fault) = (true, None, None, None, None);
        let obstacle = Wanted::No;
        Self { naive, state, thread, context, may_meet, partner, last, events, soft_fault, obstacle }
    }

    /// Records a soft fault of the step, which goes on.
    pub fn note(&mut self, fault: NaiveFault) {
        note(&mut self.soft_fault, fault);
    }

    /// A whole step, if it is of a transition whose guard holds.
    pub fn run(&mut self, id: TransitionId, choose: Choose<'_>) -> Result<(), Stop> {
        self.transition(id, 0, choose)?;
        self.pass_fused()?;
        if let Some((partner, transition)) = self.partner {
            let sender = std::mem::replace(&mut self.thread, partner);
            self.may_meet = false;
            // The first action is the receive, which is done.
            self.transition(transition, 1, choose)?;
            self.pass_fused()?;
            self.thread = sender;
        }
        Ok(())
    }

    /// The actions of a transition from this one on, and its exit.
    pub fn transition(&mut self, id: TransitionId, from: usize, choose: Choose<'_>) -> Result<(), Stop> {
        burn(self.naive.alarm)?;
        self.record_statement(id);
        self.last = Some(id);
        let transition = &self.program().transitions[id];
        for action in &transition.body[from..] {
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

    /// The fault of an assertion whose condition is false.
    fn failed(&self, condition: &Expr, span: Span) -> NaiveFault {
        let fault = NaiveFault::new(FaultKind::Assertion, span, "the asserted condition is false");
        NaiveFault { parts: self.evaluator().parts(condition), ..fault }
    }

    /// Where the thread is, unless it has ended.
    pub fn here(&self) -> Option<LocationId> {
        self.state.threads.get(&self.thread)?.frames.last().map(|frame| frame.location)
    }

    pub fn program(&self) -> &'a Program {
        self.naive.program
    }

    fn this(&mut self) -> &mut Thread {
        self.state.threads.get_mut(&self.thread).expect("the thread exists")
    }

    fn top(&mut self) -> &mut Frame {
        self.this().frames.last_mut().expect("the thread has not ended")
    }

    pub fn procedure(&self) -> ProcedureId {
        let here = self.here().expect("the thread has not ended");
        self.program().locations[here].procedure
    }

    pub fn evaluator(&self) -> Eval<'_> {
        self.naive.evaluator(&self.state, self.thread, self.context)
    }

    pub fn eval(&self, expr: &Expr) -> Result<Value, Stop> {
        self.evaluator().eval(expr)
    }

    pub fn evals(&self, exprs: &[Expr]) -> Result<Vec<Value>, Stop> {
        exprs.iter().map(|expr| self.eval(expr)).collect()
    }

    pub fn action(&mut self, action: &Action, choose: Choose<'_>) -> Result<Flow, Stop> {
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
                let is_pointer = self.program().types[place.ty] == Type::Pointer;
                let made = if is_pointer { Value::Pointer(id, 0) } else { Value::Ref(id) };
                self.store(place, &target, made)?;
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
            ActionKind::Assert(condition, message) => {
                if !self.evaluator().bool(condition)? {
                    let mut fault = self.failed(condition, span);
                    if let Some(message) = message {
                        fault.message = format!("{message} ({})", fault.message);
                    }
                    return Err(Stop::Fault(fault));
                }
            }
            ActionKind::Assume(condition) => {
                self.record_condition(condition);
                if !self.evaluator().bool(condition)? {
                    return self.blocked(|this| Obstacle::condition(&this.evaluator(), condition));
                }
            }
            ActionKind::Lock(operand) => {
                let (id, owner) = self.lock(operand, span)?;
                if owner.is_some_and(|owner| owner != self.thread) {
                    return self.blocked(|this| this.lock_obstacle(id, None));
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
                if waiting.is_empty() {
                    self.record_lost_notification(lock);
                } else {
                    let chosen = choose(waiting.len() as u32) as usize;
                    waiting[chosen].notified = true;
                }
            }
            ActionKind::NotifyAll(operand) => {
                let lock = self.own_lock(operand, span, FaultKind::Notify)?;
                if self.waiting(lock).is_empty() {
                    self.record_lost_notification(lock);
                }
                for waiting in self.waiting(lock) {
                    waiting.notified = true;
                }
            }
            ActionKind::Throw(operand) => {
                let exception = self.eval(operand)?;
                let Some(record) = self.evaluator().record_of(operand, &exception, span)? else {
                    return Err(self.evaluator().null(operand, span));
                };
                self.throw(&exception, record, span)?;
                return Ok(Flow::Left);
            }
            ActionKind::BadCall(message) => {
                return Err(Stop::fault(FaultKind::BadCall, span, message.clone()));
            }
            ActionKind::Delete(operand) => self.delete(operand, span)?,
            ActionKind::Kill(operand) => self.kill(operand, span)?,
            ActionKind::Start { result, procedure, args, priority } => {
                let target = result.as_ref().map(|place| self.target(place)).transpose()?;
                let values = self.evals(args)?;
                let frame = self.naive.frame(*procedure, values, args)?;
                let thread = free_id(self.state.threads.keys());
                if thread >= self.naive.bounds.threads {
                    return Err(Stop::Exceeded(Bound::Threads, span));
                }
                let priority = priority.unwrap_or(self.program().procedures[*procedure].priority);
                add_thread(self.program(), &mut self.state, thread, *procedure, priority, frame);
                if self.state.channels.len() > MAX_CHANNELS {
                    return Err(Stop::Exceeded(Bound::Objects, span));
                }
                let starter = std::mem::replace(&mut self.thread, thread);
                for action in &self.program().procedures[*procedure].prologue {
                    self.action(action, choose)?;
                }
                self.thread = starter;
                if let (Some(place), Some(target)) = (result, target) {
                    let number =
                        self.program().features.thread_ids_observable.then_some(Value::Int(thread.into()));
                    self.store(place, &target, number.unwrap_or(Value::Thread(thread)))?;
                }
            }
            ActionKind::Exit => {
                self.end();
                return Ok(Flow::Left);
            }
            ActionKind::Check(condition) => {
                if !self.evaluator().bool(condition)? {
                    let fault = self.failed(condition, span);
                    self.note(fault);
                }
            }
            ActionKind::Send { channel, sorted, message } => {
                self.send(channel, *sorted, message, span, choose)?;
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                self.receive(channel, *anywhere, *keep, pattern, span)?;
            }
            ActionKind::SetPriority(thread, priority) => {
                let (thread, value) = (as_int(&self.eval(thread)?), as_int(&self.eval(priority)?));
                let Some(priority) = u8::try_from(value).ok().filter(|&priority| priority > 0) else {
                    let message = format!("priority {value} outside of the range 1..255");
                    return Err(Stop::fault(FaultKind::Range, span, message));
                };
                let number = u32::try_from(thread).ok();
                if let Some(thread) = number.and_then(|number| self.state.threads.get_mut(&number)) {
                    thread.priority = priority;
                }
            }
            ActionKind::Print { format, args } => self.record_print(*format, args),
        }
        Ok(Flow::Next)
    }

    pub fn target(&self, place: &Place) -> Result<Target, Stop> {
        Ok(match &place.kind {
            PlaceKind::Global(id) => Target::Global(*id),
            PlaceKind::Local(id) => Target::Local(*id),
            PlaceKind::Field(base, field) => Target::Field(self.eval(base)?, *field),
            PlaceKind::Index(array, index) => {
                let array = self.eval(array)?;
                Target::Index(array, as_int(&self.eval(index)?))
            }
            PlaceKind::Through(pointer) => Target::Through(self.eval(pointer)?),
            PlaceKind::Element(array, indices) => {
                Target::Element(*array, self.evals(indices)?.iter().map(as_int).collect())
            }
        })
    }

    /// Looks the place up, then admits the value to its type.
    pub fn store(&mut self, place: &Place, target: &Target, value: Value) -> Result<(), Stop> {
        let program = self.program();
        let scope = self.evaluator().scope;
        if let (
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _),
            Target::Field(Value::Null, _) | Target::Index(Value::Null, _),
        ) = (&place.kind, target)
        {
            return Err(self.evaluator().null(base, place.span));
        }
        if let (
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _),
            Target::Field(Value::Ref(id), _) | Target::Index(Value::Ref(id), _),
        ) = (&place.kind, target)
            && let ObjectKind::Tombstone { .. } = self.state.objects[id].kind
        {
            return Err(self.evaluator().ended(base, *id, place.span));
        }
        let mut ty = place.ty;
        if let (PlaceKind::Through(pointer), Target::Through(value)) = (&place.kind, target) {
            let evaluator = self.evaluator();
            let Some((id, leaf)) = crate::eval::target(value) else {
                return Err(evaluator.null(pointer, place.span));
            };
            ty = evaluator.leaf_type(pointer, id, leaf, place.ty, place.span)?;
        }
        let slot = match target {
            Target::Global(id) => self.state.global_mut(*id),
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
            Target::Through(pointer) => {
                let (id, leaf) = crate::eval::target(pointer).expect("null was checked");
                match self.object(&Value::Ref(id)) {
                    ObjectKind::Record(_, leaves) | ObjectKind::Block(_, leaves) => {
                        &mut leaves[leaf as usize]
                    }
                    _ => unreachable!("pointers lead to leaves"),
                }
            }
            Target::Element(array, indices) => {
                let (variable, values) = match *array {
                    Array::Global(id) => (&program.globals[id], self.state.global_mut(id)),
                    Array::Local(id) => {
                        let locals = &program.procedures[self.procedure()].locals;
                        (&locals[id], &mut self.top().locals[id.index()])
                    }
                };
                let at = element_position(variable, indices, place.span)?;
                match values {
                    Value::Seq(elements) => &mut elements[at],
                    _ => unreachable!("the variable is an array"),
                }
            }
        };
        let value =
            admit(program, ty, value, place.span, || format!("`{}`", text::place(program, scope, place)))?;
        *slot = value.clone();
        if !self.forgets(target, &value) {
            self.record_store(target, &value);
        }
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
            New::Block { record, length } => {
                let length = as_int(&self.eval(length)?);
                if length < 0 {
                    let message = format!("negative number of elements {length}");
                    return Err(Stop::fault(FaultKind::Index, span, message));
                }
                let fields = &program.records[*record].fields;
                if length.saturating_mul(fields.len() as i64) > MAX_BLOCK_LEAVES {
                    return Err(Stop::Exceeded(Bound::Objects, span));
                }
                let values = fields.iter().map(|&field| default_value(program, program.fields[field].ty));
                ObjectKind::Block(*record, vec![values.collect::<Vec<_>>(); length as usize].concat())
            }
            New::Channel(declared) => {
                ObjectKind::Channel(Channel { declared: *declared, owner: None, messages: Vec::new() })
            }
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
        let (serial, age) = self.state.serials.0.of_object(self.naive.program, &kind);
        let history = self.history(span);
        self.state.objects.insert(id, Object { kind, serial, age, history });
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
            return self.blocked(|this| this.lock_obstacle(id, Some(waiting.notified)));
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
        if self.program().features.thread_ids_observable {
            self.state.threads.remove(&self.thread);
            self.state.channels.retain(|_, channel| channel.owner != Some(self.thread));
            return;
        }
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
            if self.this().frames.len() == 1 {
                self.end();
                return Ok(());
            }
            self.this().frames.pop();
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
                let record = self.evaluator().record_of(&args[0], &values[0], transition.span)?;
                let Some(record) = record else {
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

    fn throw(&mut self, exception: &Value, record: RecordId, span: Span) -> Result<(), Stop> {
        let program = self.program();
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
    /// The evaluator for a thread, or for no thread if it does not exist.
    pub(crate) fn evaluator<'a>(&'a self, state: &'a State, thread: u32, context: EvalContext) -> Eval<'a> {
        let (program, bounds) = (self.program, self.bounds);
        let nobody = Eval {
            program,
            bounds,
            state,
            thread: None,
            variables: &[],
            scope: Scope::Program,
            calls: 0,
            context,
            alarm: self.alarm,
        };
        match state.threads.get(&thread).and_then(|thread| thread.frames.last()) {
            None => nobody,
            Some(frame) => {
                let scope = Scope::Procedure(program.locations[frame.location].procedure);
                Eval { thread: Some(thread), variables: &frame.locals, scope, ..nobody }
            }
        }
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

/// Records a soft fault: the first one counts, but a broken claim only if there is no other.
pub(crate) fn note(soft_fault: &mut Option<NaiveFault>, fault: NaiveFault) {
    let claim = FaultKind::ExclusiveChannel;
    if soft_fault.as_ref().is_none_or(|first| first.kind == claim && fault.kind != claim) {
        *soft_fault = Some(fault);
    }
}

/// A new thread, with its channels.
pub(crate) fn add_thread(
    program: &Program,
    state: &mut State,
    id: u32,
    procedure: ProcedureId,
    priority: u8,
    frame: Frame,
) {
    let (serial, age) = state.serials.0.of_thread(procedure);
    let procedure = Untracked(procedure);
    let thread = Thread { frames: vec![frame], waiting: None, priority, procedure, serial, age };
    state.threads.insert(id, thread);
    add_channels(state, &program.procedures[procedure.0].channels, Some(id));
}

/// New channels, that come with a thread or exist from the start.
pub(crate) fn add_channels(state: &mut State, channels: &[ChannelId], owner: Option<u32>) {
    for &declared in channels {
        let numbers: Vec<u32> = state.channels.keys().map(|number| number - 1).collect();
        let number = free_id(numbers.iter()) + 1;
        state.channels.insert(number, Channel { declared, owner, messages: Vec::new() });
    }
}

/// Locals that are not in the live set of the frame's location get their default value.
fn forget(program: &Program, frame: &mut Frame) {
    let location = &program.locations[frame.location];
    let Some(live) = &location.live else { return };
    for (id, local) in program.procedures[location.procedure].locals.iter() {
        if !live.contains(&id) {
            frame.locals[id.index()] = in_all_elements(local, default_value(program, local.ty));
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
