//! What statements read and write, apart from the variables of their own thread.
//!
//! Shared things are *resources*, small numbers. Some of them are no variables:
//!
//! | resource     | written by                                        | read by                                  |
//! |--------------|---------------------------------------------------|------------------------------------------|
//! | `STARTED`    | starting a thread                                 | ending one: only the youngest may        |
//! | `COUNT`      | starting and ending threads                       | questions about threads and their ends   |
//! | `RENDEZVOUS` | arriving where a message can be taken by hand     | sends by hand with an alternative        |
//! | `HEAP`       | all that makes, changes or locks objects          | all that looks at what may change there  |
//! | of a local   | its thread                                        | others that ask for it                   |
//! | of locations | coming to or leaving those that somebody asks for | who asks                                 |
//!
//! What happens to channels is told apart from that, as *uses*, since which channel it is depends on the thread.

use ir::{
    Action, ActionKind, Array, Exit, Expr, ExprKind, Guard, Id, Jump, LocalId, LocationId, LocationKind,
    Pattern, Place, PlaceKind, ProcedureId, ProcedureKind, Program, Transition,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits::Bits;

pub const STARTED: usize = 0;
pub const COUNT: usize = 1;
pub const RENDEZVOUS: usize = 2;
pub const HEAP: usize = 3;
const GLOBALS: usize = 4;

/// What is done to a channel, or asked about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UseKind {
    /// `sensed` if the thread does something else where there is no room.
    Send { sorted: bool, sensed: bool },
    /// `sensed` if the thread does something else where there is no message for it.
    Receive { anywhere: bool, keep: bool, sensed: bool },
    /// A question about its contents.
    Poll,
    /// Nobody else may send.
    ClaimSend,
    /// Nobody else may receive.
    ClaimReceive,
}

/// A use of the channel that an expression of a procedure names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    pub kind: UseKind,
    pub procedure: ProcedureId,
    /// Any, if there is none.
    pub channel: Option<Expr>,
}

/// What something may do.
#[derive(Clone, Default, Debug)]
pub struct Footprint {
    pub reads: Bits,
    pub writes: Bits,
    pub uses: Vec<Use>,
    /// It can't be told what it is good for to move it: threads are started, exceptions thrown, and the like.
    pub immovable: bool,
    /// The thread ends.
    pub ends: bool,
    /// A function returns, to wherever it was called.
    pub returns: bool,
}

impl Footprint {
    pub fn extend(&mut self, other: &Self) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.uses.extend(other.uses.iter().cloned());
        self.immovable |= other.immovable;
        self.ends |= other.ends;
        self.returns |= other.returns;
    }
}

/// What there is to share in a program, and who looks at what.
pub struct Resources<'p> {
    program: &'p Program,
    /// Variables of threads that others ask for.
    remote: FxHashMap<(ProcedureId, LocalId), usize>,
    /// Procedures with locations that somebody asks for, and the sets that are asked for.
    watched: FxHashMap<ProcedureId, (usize, Vec<FxHashSet<LocationId>>)>,
    /// What pure functions read, all together.
    funs: Bits,
    has_rendezvous: bool,
    /// Locations at which a thread that can't go on does not just wait.
    sensing: Vec<bool>,
}

impl<'p> Resources<'p> {
    pub fn new<'e>(program: &'p Program, observed: impl Iterator<Item = &'e Expr>) -> Self {
        let mut resources = Self {
            program,
            remote: FxHashMap::default(),
            watched: FxHashMap::default(),
            funs: Bits::default(),
            has_rendezvous: program.channels.values().any(|channel| channel.capacity == 0),
            sensing: program.locations.ids().map(|id| senses(program, id)).collect(),
        };
        let mut next = GLOBALS + program.globals.len();
        let mut number = || {
            next += 1;
            next - 1
        };
        let mut look = |expr: &Expr| match &expr.kind {
            ExprKind::ThreadLocal { procedure, local, .. } => {
                resources.remote.entry((*procedure, *local)).or_insert_with(&mut number);
            }
            ExprKind::ThreadAt { procedure, locations, .. }
            | ExprKind::ThreadsAt { procedure, locations }
            | ExprKind::IndividualAt { procedure, locations } => {
                let (_, sets) = resources.watched.entry(*procedure).or_insert_with(|| (number(), Vec::new()));
                sets.push(locations.iter().copied().collect());
            }
            _ => {}
        };
        program.each_expr(&mut look);
        observed.for_each(|expr| expr.each(&mut look));
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

    /// Adds what an expression reads. Whether a thread is the youngest is for [`Resources::transition`] to say.
    fn expr(&self, expr: &Expr, out: &mut Footprint) {
        expr.each(&mut |expr| match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                out.reads.insert(GLOBALS + id.index());
            }
            ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::LockAvailable(_)
            | ExprKind::HasLock(_)
            | ExprKind::WasNotified(_) => out.reads.insert(HEAP),
            ExprKind::Call(..) | ExprKind::Quantified { .. } => {
                out.reads.extend(&self.funs);
            }
            ExprKind::ThreadCount | ExprKind::FirstThread(_) | ExprKind::ThreadTerminated(_) => {
                out.reads.insert(COUNT);
            }
            ExprKind::ThreadAt { procedure, .. }
            | ExprKind::ThreadsAt { procedure, .. }
            | ExprKind::IndividualAt { procedure, .. } => {
                out.reads.insert(COUNT);
                out.reads.insert(self.watched[procedure].0);
            }
            ExprKind::ThreadLocal { procedure, local, .. } => {
                out.reads.insert(COUNT);
                out.reads.insert(self.remote[&(*procedure, *local)]);
            }
            ExprKind::ChannelLength(channel)
            | ExprKind::ChannelFull(channel)
            | ExprKind::ChannelHas { channel, .. } => {
                // Whose expression it is, the caller says.
                let channel = Some((**channel).clone());
                out.uses.push(Use { kind: UseKind::Poll, procedure: ProcedureId(0), channel });
            }
            // A reduction is not used where these are asked, except for the first.
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
            // How long an array is and what a record is never changes.
            | ExprKind::Length(_)
            | ExprKind::Cast(..)
            | ExprKind::InstanceOf(..)
            | ExprKind::Wrap(_)
            | ExprKind::Number(_)
            | ExprKind::ThreadNumber
            | ExprKind::IsYoungest
            | ExprKind::Channel(_) => {}
        });
    }

    fn place(&self, place: &Place, procedure: ProcedureId, out: &mut Footprint) {
        match place.kind {
            PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) => {
                out.writes.insert(GLOBALS + id.index());
            }
            PlaceKind::Local(id) | PlaceKind::Element(Array::Local(id), _) => {
                if let Some(&resource) = self.remote.get(&(procedure, id)) {
                    out.writes.insert(resource);
                }
                // What a thread claims then is another channel.
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
            PlaceKind::Field(..) | PlaceKind::Index(..) => out.writes.insert(HEAP),
        }
    }

    fn action(&self, action: &Action, location: LocationId, procedure: ProcedureId, out: &mut Footprint) {
        if !matches!(action.kind, ActionKind::Print { .. }) {
            action.operands().into_iter().for_each(|expr| self.expr(expr, out));
        }
        let sensed = self.is_sensing(location);
        match &action.kind {
            ActionKind::Assign(place, _) | ActionKind::Choose(place, _) => self.place(place, procedure, out),
            ActionKind::New(place, _) => {
                self.place(place, procedure, out);
                out.writes.insert(HEAP);
            }
            ActionKind::Assert(_)
            | ActionKind::Assume(_)
            | ActionKind::Check(_)
            | ActionKind::Print { .. } => {}
            ActionKind::Lock(_)
            | ActionKind::Unlock(_)
            | ActionKind::Wait(_)
            | ActionKind::Unwait(_)
            | ActionKind::Notify(_)
            | ActionKind::NotifyAll(_) => out.writes.insert(HEAP),
            ActionKind::Throw(_) | ActionKind::SetPriority(..) => out.immovable = true,
            ActionKind::Start { result, procedure: started, .. } => {
                out.immovable = true;
                out.writes.insert(STARTED);
                out.writes.insert(COUNT);
                if let Some(place) = result {
                    self.place(place, procedure, out);
                }
                for action in &self.program.procedures[*started].prologue {
                    action.operands().into_iter().for_each(|expr| self.expr(expr, out));
                }
            }
            ActionKind::Exit => self.end(procedure, out),
            ActionKind::Send { channel, sorted, .. } => {
                let kind = UseKind::Send { sorted: *sorted, sensed };
                out.uses.push(Use { kind, procedure, channel: Some(channel.clone()) });
                if sensed && self.may_be_rendezvous(channel) {
                    out.reads.insert(RENDEZVOUS);
                }
            }
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                let kind = UseKind::Receive { anywhere: *anywhere, keep: *keep, sensed };
                out.uses.push(Use { kind, procedure, channel: Some(channel.clone()) });
                for field in pattern {
                    if let Pattern::Store(place) = field {
                        self.place(place, procedure, out);
                    }
                }
            }
        }
    }

    /// The last frame goes.
    fn end(&self, procedure: ProcedureId, out: &mut Footprint) {
        out.ends = true;
        out.reads.insert(STARTED);
        out.writes.insert(COUNT);
        if !self.program.numbered {
            out.writes.insert(HEAP);
            out.immovable = true;
        }
        if !self.program.procedures[procedure].channels.is_empty() {
            // They are gone then, for everybody.
            out.immovable = true;
            let kind = UseKind::Send { sorted: true, sensed: true };
            out.uses.push(Use { kind, procedure, channel: None });
            let kind = UseKind::Receive { anywhere: true, keep: false, sensed: true };
            out.uses.push(Use { kind, procedure, channel: None });
        }
    }

    fn may_be_rendezvous(&self, channel: &Expr) -> bool {
        match channel.kind {
            ExprKind::Channel(id) => self.program.channels[id].capacity == 0,
            _ => self.has_rendezvous,
        }
    }

    /// Whether a thread that comes to a location can take a message by hand there.
    fn takes_by_hand(&self, location: LocationId) -> bool {
        let transitions = &self.program.locations[location].transitions;
        transitions.iter().any(|&id| {
            match self.program.transitions[id].body.first().map(|action| &action.kind) {
                Some(ActionKind::Receive { channel, .. }) => self.may_be_rendezvous(channel),
                _ => false,
            }
        })
    }

    /// Where a thread is for those who ask: during a call, where it was made.
    fn origin(&self, location: LocationId) -> LocationId {
        self.program.locations[location].origin(location)
    }

    fn arrival(&self, source: LocationId, target: LocationId, procedure: ProcedureId, out: &mut Footprint) {
        if let Some((resource, sets)) = self.watched.get(&procedure)
            && sets.iter().any(|set| set.contains(&self.origin(source)) != set.contains(&self.origin(target)))
        {
            out.writes.insert(*resource);
        }
        if self.takes_by_hand(target) {
            out.writes.insert(RENDEZVOUS);
        }
    }

    /// What a transition may do, of the inner locations that it leads to only what it arrives at.
    pub fn transition(&self, transition: &Transition) -> Footprint {
        let mut out = Footprint::default();
        let procedure = self.program.locations[transition.source].procedure;
        let thread = self.program.procedures[procedure].kind == ProcedureKind::Thread;
        if let Guard::When(guard) = &transition.guard {
            self.expr(guard, &mut out);
            guard.each(&mut |expr| {
                if expr.kind == ExprKind::IsYoungest {
                    out.reads.insert(STARTED);
                    // Others make it the youngest when they end. As long as all that it does about it is to wait for
                    // that, it is nothing that they change for it: they enable it.
                    if self.is_sensing(transition.source) || guard.kind != ExprKind::IsYoungest {
                        out.reads.insert(COUNT);
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
                        out.reads.insert(COUNT);
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
            Exit::Call { args, .. } => args.iter().for_each(|arg| self.expr(arg, &mut out)),
        }
        for found in &mut out.uses {
            found.procedure = procedure;
        }
        out
    }

    /// What is done on the way through a resume location.
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

    /// The resource that a global is.
    pub const fn global(index: usize) -> usize {
        GLOBALS + index
    }
}

/// Whether a thread at a location does anything but wait while a transition there is not enabled.
///
/// It does so where there is an `else`, or a transition of another rank; inside of a step, where it is a fault; and in the
/// middle of an atomic block, where others get their turn. An inner location that is only entered if it is ready is as good
/// as the location before.
pub fn senses(program: &Program, id: LocationId) -> bool {
    let location = &program.locations[id];
    let of = |id: &ir::TransitionId| &program.transitions[*id];
    let alternatives = |location: &ir::Location| {
        let mut transitions = location.transitions.iter().map(of);
        let first = transitions.next().map(|transition| (transition.rank, transition.guard == Guard::Else));
        first.is_some_and(|(rank, is_else)| {
            is_else || transitions.any(|other| other.rank != rank || other.guard == Guard::Else)
        })
    };
    let entering = || {
        program.transitions.values().filter(move |transition| transition.exit == Exit::Jump(Jump::Goto(id)))
    };
    if alternatives(location) || entering().any(|transition| transition.exclusive) {
        return true;
    }
    location.inner
        && entering().any(|transition| {
            transition.guard != Guard::Ready(id)
                || !transition.body.is_empty()
                || program.locations[transition.source].inner
                || senses(program, transition.source)
        })
}
