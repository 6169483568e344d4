//! What statements read and write, apart from the variables of their own thread.
//!
//! Everything that is shared is a *resource*, a small number. Some resources are not variables:
//!
//! | resource     | written by                                    | read by                               |
//! |--------------|-----------------------------------------------|---------------------------------------|
//! | `STARTED`    | starting a thread                             | ending one: only the youngest may end |
//! | `COUNT`      | starting and ending threads                   | tests of threads and of their ends    |
//! | `RENDEZVOUS` | arriving where a rendezvous can be received   | rendezvous sends with an alternative  |
//! | `HEAP`       | creating, changing or locking objects         | reading what may change in objects    |
//! | of a local   | its thread                                    | other threads that read it            |
//! | of locations | entering or leaving locations that are tested | threads that test them                |
//!
//! Accesses to channels are recorded separately, as *uses*, because the channel depends on the thread. Channels that
//! are objects are accessed like other objects.

use ir::{
    Action, ActionKind, Array, Callee, ChannelId, Const, Exit, Expr, ExprKind, GlobalId, Guard, Id, Jump,
    Leaks, LocalId, LocationId, LocationKind, Pattern, Place, PlaceKind, ProcedureId, ProcedureKind, Program,
    Table, Transition, TypeId, inert,
};
use rustc_hash::{FxHashMap, FxHashSet};
use source::Span;

use crate::assured::{assured, awaited, conjuncts};
use crate::bits::Bits;

pub const STARTED: usize = 0;
pub const COUNT: usize = 1;
pub const RENDEZVOUS: usize = 2;
pub const HEAP: usize = 3;
pub const GLOBALS: usize = 4;

/// An operation on a channel, or a test of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UseKind {
    /// `sensed` if the thread does something else when there is no room.
    Send { sorted: bool, sensed: bool },
    /// `sensed` if the thread does something else when there is no message for it.
    Receive { anywhere: bool, keep: bool, sensed: bool },
    /// A test of its contents.
    Poll,
    /// A test in the guard of a thread that waits until it is true: it becomes true with `more` messages, or
    /// with fewer.
    Await { more: bool, question: Question },
    /// A claim that no other thread sends.
    ClaimSend,
    /// A claim that no other thread receives.
    ClaimReceive,
    /// The channel is removed with its thread, and with all messages in it.
    End,
}

/// What a waiting thread tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Whether the channel is empty, or whether it is not.
    Empty,
    Full,
    Other,
}

/// A use of the channel that an expression of a procedure names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    pub kind: UseKind,
    pub procedure: ProcedureId,
    /// The expression that names the channel; `None` if it may be any channel.
    pub channel: Option<Expr>,
}

impl Use {
    /// The use without its position in the source.
    pub fn anywhere(&self) -> Self {
        fn clear_span(expr: &mut Expr) {
            expr.span = Span::default();
            expr.operands_mut().into_iter().for_each(clear_span);
        }
        let mut found = self.clone();
        found.channel.iter_mut().for_each(clear_span);
        found
    }
}

/// What a statement may do.
#[derive(Clone, Default, Debug)]
pub struct Footprint {
    /// Resources, possibly with duplicates.
    pub reads: Vec<usize>,
    pub writes: Vec<usize>,
    pub uses: Vec<Use>,
    /// The statement must not be reordered: it starts a thread, throws an exception, and the like.
    pub immovable: bool,
    /// The thread ends.
    pub ends: bool,
    /// A function returns to its caller.
    pub returns: bool,
}

/// The resources of a program, and what reads them.
pub struct Resources<'p> {
    pub program: &'p Program,
    /// The variables of threads that other threads read.
    remote: FxHashMap<(ProcedureId, LocalId), usize>,
    /// The procedures with locations that are tested.
    watched: FxHashMap<ProcedureId, usize>,
    /// By location: the numbers of the tested sets of locations that contain it.
    asked: FxHashMap<LocationId, Vec<usize>>,
    /// The resources that pure functions read, all together.
    funs: Vec<usize>,
    has_rendezvous: bool,
    /// Channels are objects, and not numbers.
    has_channel_objects: bool,
    /// By hand, threads send and receive when both are ready. This says whether that is known.
    pub knows_hands: bool,
    /// Objects may be deleted, so that whatever looks at one depends on that.
    has_tombstones: bool,
    /// Any step may drop the last reference to an object, and whether that is a leak depends on others.
    has_leaks: bool,
    /// Globals on which nothing depends.
    inert: Table<GlobalId, bool>,
    /// By global: the channel that it always names, if that exists from the start and no other variable ever
    /// names it.
    channels: Vec<Option<ChannelId>>,
    /// Locations at which a thread that cannot continue does not just wait.
    sensing: Vec<bool>,
    /// Locations with a message for which the thread never waits.
    pub assured: Vec<bool>,
    /// Locations at which a thread can receive a rendezvous.
    takes_by_hand: Vec<bool>,
}

impl<'p> Resources<'p> {
    /// Collects the resources of a program. `assigned_channels` are, by procedure, the locals that are
    /// assigned while it runs, assignments of 0 excepted.
    pub fn new<'e>(
        program: &'p Program,
        assigned_channels: &[Bits],
        observed: impl Iterator<Item = &'e Expr>,
    ) -> Self {
        let observed: Vec<&Expr> = observed.collect();
        let mut resources = Self {
            program,
            remote: FxHashMap::default(),
            watched: FxHashMap::default(),
            asked: FxHashMap::default(),
            funs: Vec::new(),
            inert: inert(program, &observed),
            channels: fixed_channels(program),
            has_rendezvous: program.channels.values().any(|channel| channel.capacity == 0),
            has_channel_objects: !program.is_flat(),
            knows_hands: true,
            has_tombstones: program.has_tombstones(),
            has_leaks: program.memory.leaks() != Leaks::Off,
            sensing: sensing(program),
            assured: Vec::new(),
            takes_by_hand: Vec::new(),
        };
        resources.assured = assured(&resources, assigned_channels);
        resources.takes_by_hand = program.locations.ids().map(|id| resources.takes_by_hand(id)).collect();
        let mut next = GLOBALS + program.globals.len();
        let mut number = || {
            next += 1;
            next - 1
        };
        let mut sets = FxHashSet::default();
        let mut look = |expr: &Expr| match &expr.kind {
            ExprKind::ThreadLocal { procedure, local, .. } => {
                resources.remote.entry((*procedure, *local)).or_insert_with(&mut number);
            }
            ExprKind::ThreadAt { procedure, locations, .. }
            | ExprKind::ThreadsAt { procedure, locations }
            | ExprKind::IndividualAt { procedure, locations } => {
                resources.watched.entry(*procedure).or_insert_with(&mut number);
                if sets.insert(locations.clone()) {
                    for &location in locations {
                        let numbers = resources.asked.entry(location).or_default();
                        if numbers.last() != Some(&sets.len()) {
                            numbers.push(sets.len());
                        }
                    }
                }
            }
            _ => {}
        };
        program.each_expr(&mut look);
        for expr in &observed {
            expr.each(&mut look);
        }
        let mut funs = Footprint::default();
        for fun in program.funs.values() {
            resources.expr(&fun.body, &mut funs);
        }
        resources.funs = funs.reads;
        resources
    }

    pub fn is_sensing(&self, location: LocationId) -> bool {
        self.sensing[location.index()]
    }

    /// What an expression outside of all threads reads.
    pub fn observed(&self, expr: &Expr) -> Footprint {
        let mut out = Footprint::default();
        self.expr(expr, &mut out);
        out
    }

    /// Adds what an expression reads, except for whether a thread is the youngest, which
    /// [`Resources::transition`] handles.
    fn expr(&self, expr: &Expr, out: &mut Footprint) {
        expr.each(&mut |expr| match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                if !self.inert[*id] {
                    out.reads.push(GLOBALS + id.index());
                }
            }
            ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Load(_)
            | ExprKind::LockAvailable(_)
            | ExprKind::HasLock(_)
            | ExprKind::WasNotified(_) => out.reads.push(HEAP),
            ExprKind::Call(..) | ExprKind::Quantified { .. } => {
                out.reads.extend_from_slice(&self.funs);
            }
            ExprKind::ThreadCount | ExprKind::FirstThread(_) | ExprKind::ThreadTerminated(_) => {
                out.reads.push(COUNT);
            }
            ExprKind::ThreadAt { procedure, .. }
            | ExprKind::ThreadsAt { procedure, .. }
            | ExprKind::IndividualAt { procedure, .. } => {
                out.reads.push(COUNT);
                out.reads.push(self.watched[procedure]);
            }
            ExprKind::ThreadLocal { procedure, local, .. } => {
                out.reads.push(COUNT);
                out.reads.push(self.remote[&(*procedure, *local)]);
            }
            ExprKind::ChannelLength(channel)
            | ExprKind::ChannelFull(channel)
            | ExprKind::ChannelHas { channel, .. } => {
                if self.has_channel_objects {
                    return out.reads.push(HEAP);
                }
                // The caller sets the procedure of the expression.
                let channel = Some(self.channel(channel));
                out.uses.push(Use { kind: UseKind::Poll, procedure: ProcedureId(0), channel });
            }
            // The length of an array and the type of a record never change while they are there.
            ExprKind::Length(_)
            | ExprKind::Address(..)
            | ExprKind::Offset(..)
            | ExprKind::Cast(..)
            | ExprKind::InstanceOf(..) => {
                if self.has_tombstones {
                    out.reads.push(HEAP);
                }
            }
            // Programs with these expressions are not reduced, except for the first.
            ExprKind::Timeout
            | ExprKind::LastThread
            | ExprKind::ThreadEnabled(_)
            | ExprKind::ThreadLocation(_)
            | ExprKind::ThreadPriority(_) => out.immovable = true,
            ExprKind::Const(_)
            | ExprKind::Local(_)
            | ExprKind::Param(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Cond(..)
            | ExprKind::All(_)
            | ExprKind::Collection(..)
            | ExprKind::Element(Array::Local(_), _)
            | ExprKind::Wrap(_)
            | ExprKind::Within(..)
            | ExprKind::Number(_)
            | ExprKind::ThreadNumber
            | ExprKind::IsYoungest
            | ExprKind::Channel(_) => {}
        });
    }

    fn place(&self, place: &Place, procedure: ProcedureId, out: &mut Footprint) {
        match place.kind {
            PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) => {
                if !self.inert[id] {
                    out.writes.push(GLOBALS + id.index());
                }
            }
            PlaceKind::Local(id) | PlaceKind::Element(Array::Local(id), _) => {
                if let Some(&resource) = self.remote.get(&(procedure, id)) {
                    out.writes.push(resource);
                }
                // From then on, the thread claims another channel.
                let mut claims = self.program.procedures[procedure].claims.iter();
                out.immovable |= claims.any(|claim| {
                    let mut named = false;
                    claim.channel.each(&mut |expr| match expr.kind {
                        ExprKind::Local(other) | ExprKind::Element(Array::Local(other), _) => {
                            named |= other == id;
                        }
                        _ => {}
                    });
                    named
                });
            }
            PlaceKind::Field(..) | PlaceKind::Index(..) | PlaceKind::Through(_) => out.writes.push(HEAP),
        }
    }

    fn action(&self, action: &Action, location: LocationId, procedure: ProcedureId, out: &mut Footprint) {
        if !matches!(action.kind, ActionKind::Print { .. }) {
            action.operands().into_iter().for_each(|expr| self.expr(expr, out));
        }
        let sensed = self.is_sensing(location) && !self.assured[location.index()];
        match &action.kind {
            ActionKind::Assign(place, _) | ActionKind::Choose(place, _) => self.place(place, procedure, out),
            ActionKind::New(place, _) => {
                self.place(place, procedure, out);
                out.writes.push(HEAP);
            }
            ActionKind::Assert(..)
            | ActionKind::BadCall(_)
            | ActionKind::Assume(_)
            | ActionKind::Check(_)
            | ActionKind::Print { .. } => {}
            ActionKind::Lock(_)
            | ActionKind::Unlock(_)
            | ActionKind::Wait(_)
            | ActionKind::Unwait(_)
            | ActionKind::Notify(_)
            | ActionKind::NotifyAll(_)
            | ActionKind::Delete(_)
            | ActionKind::Kill(_) => out.writes.push(HEAP),
            ActionKind::Throw(_) | ActionKind::SetPriority(..) => out.immovable = true,
            ActionKind::Start { result, procedure: started, .. } => {
                out.immovable = true;
                out.writes.push(STARTED);
                out.writes.push(COUNT);
                if let Some(place) = result {
                    self.place(place, procedure, out);
                }
                for action in &self.program.procedures[*started].prologue {
                    action.operands().into_iter().for_each(|expr| self.expr(expr, out));
                }
            }
            ActionKind::Exit => self.end(procedure, out),
            ActionKind::Send { .. } | ActionKind::Receive { .. } if self.has_channel_objects => {
                out.writes.push(HEAP);
                // A thread that sends by hand depends on where others are.
                if self.knows_hands && may_meet(self.program, &action.kind) {
                    out.reads.push(RENDEZVOUS);
                    // A thread that receives by hand is moved by others.
                    out.immovable |= matches!(action.kind, ActionKind::Receive { .. });
                }
                for place in action.places() {
                    self.place(place, procedure, out);
                }
            }
            ActionKind::Send { channel, sorted, .. } => {
                let kind = UseKind::Send { sorted: *sorted, sensed };
                out.uses.push(Use { kind, procedure, channel: Some(self.channel(channel)) });
                if sensed && self.may_be_rendezvous(channel) {
                    out.reads.push(RENDEZVOUS);
                }
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                let kind = UseKind::Receive { anywhere: *anywhere, keep: *keep, sensed };
                out.uses.push(Use { kind, procedure, channel: Some(self.channel(channel)) });
                for field in pattern {
                    if let Pattern::Store(place) = field {
                        self.place(place, procedure, out);
                    }
                }
            }
        }
    }

    /// Adds what happens when the last frame is removed.
    fn end(&self, procedure: ProcedureId, out: &mut Footprint) {
        out.ends = true;
        out.reads.push(STARTED);
        out.writes.push(COUNT);
        if !self.program.features.thread_ids_observable {
            out.writes.push(HEAP);
            out.immovable = true;
        }
        for &id in &self.program.procedures[procedure].channels {
            let channel = Expr { kind: ExprKind::Channel(id), ty: TypeId(0), span: Span::default() };
            out.uses.push(Use { kind: UseKind::End, procedure, channel: Some(channel) });
        }
    }

    /// The channel itself in place of a variable that always names it.
    pub fn channel(&self, name: &Expr) -> Expr {
        let fixed = match name.kind {
            ExprKind::Global(id) => self.channels[id.index()],
            _ => None,
        };
        fixed.map_or_else(|| name.clone(), |id| Expr { kind: ExprKind::Channel(id), ..name.clone() })
    }

    pub fn may_be_rendezvous(&self, channel: &Expr) -> bool {
        match self.channel(channel).kind {
            ExprKind::Channel(id) => self.program.channels[id].capacity == 0,
            _ => self.has_rendezvous,
        }
    }

    /// Whether a thread that arrives at a location can receive a rendezvous there.
    fn takes_by_hand(&self, location: LocationId) -> bool {
        let transitions = &self.program.locations[location].transitions;
        transitions.iter().any(|&id| {
            match self.program.transitions[id].body.first().map(|action| &action.kind) {
                Some(received @ ActionKind::Receive { .. }) if self.has_channel_objects => {
                    may_meet(self.program, received)
                }
                Some(ActionKind::Receive { channel, .. }) => self.may_be_rendezvous(channel),
                _ => false,
            }
        })
    }

    /// The location of a thread as tests see it: during a call, the location of the call.
    fn origin(&self, location: LocationId) -> LocationId {
        self.program.locations[location].origin(location)
    }

    fn arrival(&self, source: LocationId, target: LocationId, procedure: ProcedureId, out: &mut Footprint) {
        let asked = |location| self.asked.get(&self.origin(location));
        if let Some(&resource) = self.watched.get(&procedure)
            && asked(source) != asked(target)
        {
            out.writes.push(resource);
        }
        if self.takes_by_hand[target.index()] {
            out.writes.push(RENDEZVOUS);
        }
    }

    /// What a transition may do. Of the fused locations to which it leads, only the arrival counts.
    pub fn transition(&self, transition: &Transition) -> Footprint {
        let mut out = Footprint::default();
        let procedure = self.program.locations[transition.source].procedure;
        let thread = self.program.procedures[procedure].kind == ProcedureKind::Thread;
        if let Guard::When(guard) = &transition.guard {
            conjuncts(guard, &mut |part| {
                let known = out.uses.len();
                self.expr(part, &mut out);
                if let ([found], Some((kind, _))) = (&mut out.uses[known..], awaited(part))
                    && !self.is_sensing(transition.source)
                {
                    found.kind = kind;
                }
            });
            guard.each(&mut |expr| {
                if expr.kind == ExprKind::IsYoungest {
                    out.reads.push(STARTED);
                    // The thread becomes the youngest when others end. If it only waits for that, the other
                    // threads change nothing else for it: they enable it.
                    if self.is_sensing(transition.source) || guard.kind != ExprKind::IsYoungest {
                        out.reads.push(COUNT);
                    }
                }
            });
        }
        for (at, action) in transition.body.iter().enumerate() {
            let known = out.uses.len();
            self.action(action, transition.source, procedure, &mut out);
            // By then, variables that name a channel may have other values, and channels other contents.
            for later in out.uses[known..].iter_mut().filter(|_| at > 0) {
                later.channel.take_if(|channel| {
                    later.kind != UseKind::Poll || !matches!(channel.kind, ExprKind::Channel(_))
                });
            }
            action.operands().iter().for_each(|expr| {
                expr.each(&mut |expr| {
                    if expr.kind == ExprKind::IsYoungest {
                        out.reads.push(COUNT);
                    }
                });
            });
        }
        match &transition.exit {
            Exit::Jump(Jump::Goto(target)) => self.arrival(transition.source, *target, procedure, &mut out),
            Exit::Jump(Jump::Return(value)) => {
                if let Some(value) = value {
                    self.expr(value, &mut out);
                }
                if thread {
                    self.end(procedure, &mut out);
                } else {
                    out.returns = true;
                }
            }
            Exit::Call { callee, args, .. } => {
                for arg in args {
                    self.expr(arg, &mut out);
                }
                let mut entries =
                    self.program.callees(*callee).map(|callee| self.program.procedures[callee].entry);
                if entries.any(|entry| self.takes_by_hand[entry.index()]) {
                    out.writes.push(RENDEZVOUS);
                }
                if self.has_tombstones && matches!(callee, Callee::Virtual(_)) {
                    out.reads.push(HEAP);
                }
            }
        }
        if self.has_leaks {
            out.writes.push(HEAP);
        }
        for found in &mut out.uses {
            found.procedure = procedure;
        }
        out
    }

    /// What is done at a resume location.
    pub fn resume(&self, location: LocationId) -> Footprint {
        let mut out = Footprint::default();
        let of = &self.program.locations[location];
        if let LocationKind::Resume { result, then, .. } = &of.kind {
            if let Some(place) = result {
                place.operands().into_iter().for_each(|expr| self.expr(expr, &mut out));
                self.place(place, of.procedure, &mut out);
            }
            match then {
                Jump::Return(value) => {
                    if let Some(value) = value {
                        self.expr(value, &mut out);
                    }
                    if self.program.procedures[of.procedure].kind == ProcedureKind::Thread {
                        self.end(of.procedure, &mut out);
                    } else {
                        out.returns = true;
                    }
                }
                Jump::Goto(target) => self.arrival(location, *target, of.procedure, &mut out),
            }
        }
        out
    }

    /// The resource of a global.
    pub const fn global(index: usize) -> usize {
        GLOBALS + index
    }
}

/// Whether a message may be handed over, where channels are objects.
pub fn may_meet(program: &Program, message: &ActionKind) -> bool {
    let mut hands = program.channels.iter().filter(|(_, channel)| channel.capacity == 0);
    hands.any(|(id, _)| match message {
        ActionKind::Send { message, .. } => program.fits_message(id, message),
        ActionKind::Receive { pattern, keep, .. } => program.fits_pattern(id, pattern, *keep),
        _ => false,
    })
}

/// By global: the channel with its initial number, if the global is never assigned. If several channels are
/// declared together, only the first of them can be distinguished.
fn fixed_channels(program: &Program) -> Vec<Option<ChannelId>> {
    let mut fixed: Vec<Option<ChannelId>> = (program.globals.values())
        .map(|global| {
            let Some(Const::Int(number)) = global.init else { return None };
            let at = usize::try_from(number).ok()?.checked_sub(1)?;
            let &id = program.first_channels.get(at)?;
            let is_first = program.first_channels.iter().position(|&other| other == id) == Some(at);
            (is_first && global.dims.is_empty()).then_some(id)
        })
        .collect();
    program.each_place(&mut |place| {
        if let PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) = place.kind {
            fixed[id.index()] = None;
        }
    });
    fixed
}

/// By location: whether a thread there does anything but wait while a transition is not enabled.
///
/// It does if there is an `else`, or a transition of another rank; inside a step, where that is a fault; and
/// inside an atomic block, where other threads get to run. An fused location that is only entered if it is
/// ready counts like the location before it.
pub fn sensing(program: &Program) -> Vec<bool> {
    let alternatives = |location: &ir::Location| {
        let mut transitions = location.transitions.iter().map(|&id| &program.transitions[id]);
        let first = transitions.next().map(|transition| (transition.rank, transition.guard == Guard::Else));
        first.is_some_and(|(rank, is_else)| {
            is_else || transitions.any(|other| other.rank != rank || other.guard == Guard::Else)
        })
    };
    let mut sensing: Vec<bool> = program.locations.values().map(alternatives).collect();
    let entering = || {
        program.transitions.values().filter_map(|transition| match transition.exit {
            Exit::Jump(Jump::Goto(target)) => Some((transition, target)),
            _ => None,
        })
    };
    for (_, target) in entering().filter(|(transition, _)| transition.exclusive) {
        sensing[target.index()] = true;
    }
    // The locations before are not fused ones: their results are known by now.
    for (transition, target) in entering().filter(|&(_, target)| program.locations[target].fused) {
        sensing[target.index()] |= transition.guard != Guard::Ready(target)
            || !transition.body.is_empty()
            || program.locations[transition.source].fused
            || sensing[transition.source.index()];
    }
    sensing
}
