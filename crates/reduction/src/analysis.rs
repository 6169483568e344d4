//! What is known about a program before it runs: which locations are candidates, and what may come after each.

use ir::{
    Action, ActionKind, Array, Exit, Expr, ExprKind, Guard, Id, Jump, LocalId, LocationId, LocationKind,
    Pattern, Place, PlaceKind, ProcedureId, ProcedureKind, Program, Table, TransitionId, Type,
};

use crate::bits::Bits;
use crate::conflicts::Conflicts;
use crate::cycles::break_cycles;
use crate::discipline::{Breach, Discipline};
use crate::footprint::{COUNT, Footprint, HEAP, RENDEZVOUS, Resources, Use, UseKind};

/// The tables of a program.
pub struct Analysis {
    pub(crate) program: Program,
    pub(crate) candidates: Table<LocationId, Option<Candidate>>,
    pub(crate) futures: Table<LocationId, Future>,
    /// All uses of channels, of which futures have numbers.
    pub(crate) uses: Vec<Use>,
    /// Which futures are in the way of which candidates.
    pub(crate) conflicts: Conflicts,
    pub(crate) written: Bits,
    /// By procedure: the locals that get other values than they start with.
    pub(crate) assigned: Vec<Bits>,
    /// The same, except for 0, which is no channel.
    pub(crate) assigned_channels: Vec<Bits>,
    pub(crate) classes: Classes,
    /// How the heap is used, as far as that is assumed.
    pub(crate) discipline: Discipline,
    pub(crate) blind: Blind,
}

/// What is overlooked on purpose, for tests of tests.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Blind {
    /// That others' variables, globals, and collections lead to an object.
    pub frames: bool,
    pub globals: bool,
    pub values: bool,
    /// What finding out what can be done reads.
    pub guards: bool,
    /// Breaches of what is assumed.
    pub breaches: bool,
}

/// What steps may be ample beside those that touch nothing but what their thread has to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes {
    /// Messages, and ends of threads: they may enable others.
    pub messages: bool,
    /// Objects that the thread alone can reach, those that it makes included.
    pub heap: bool,
    /// Objects whose lock the thread holds, fields that keep their values, and the release of locks, which may enable others.
    pub locks: bool,
}

impl Classes {
    pub const ALL: Self = Self { messages: true, heap: true, locks: true };
    /// Nobody else can do more or less after such a step than before it.
    pub const SILENT: Self = Self { messages: false, heap: true, locks: false };
}

/// The expressions that properties read.
#[derive(Clone, Default, Debug)]
pub struct Observed<'p> {
    /// Of what must hold in every state.
    pub in_states: Vec<&'p Expr>,
    /// Of what must hold of runs.
    pub in_runs: Vec<&'p Expr>,
}

impl<'p> Observed<'p> {
    /// What the invariants of a program read.
    pub fn invariants(program: &'p Program) -> Self {
        let in_states = program.invariants.iter().map(|invariant| &invariant.expr).collect();
        Self { in_states, in_runs: Vec::new() }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &'p Expr> {
        self.in_states.iter().chain(&self.in_runs).copied()
    }
}

/// What a thread does in a step from a location that may be ample.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    pub reads: Bits,
    pub writes: Bits,
    /// What nobody else may write: all of it, except that other threads may end as well, one after the other.
    pub settled: Bits,
    /// What is done to channels, before anything else.
    pub operations: Vec<Operation>,
    /// The thread ends: what it claims of channels is free then.
    pub ends: bool,
    /// Objects are touched: which, the state tells.
    pub heap: bool,
    /// A function returns: what happens next, the frame below tells.
    pub returns: bool,
    /// It may change what properties of states read.
    pub visible: bool,
    /// There is a cycle through this location, on which somebody has to let all others in. If all ways out are messages
    /// from or to others, that may be one of these.
    pub sticky: bool,
}

#[derive(Clone, Debug)]
pub struct Operation {
    /// The transition that begins with it, unless it is one of an inner location.
    pub transition: Option<TransitionId>,
    pub kind: UseKind,
    pub channel: Expr,
}

/// What a thread may still do.
#[derive(Clone, Debug, Default)]
pub struct Future {
    pub reads: Bits,
    pub writes: Bits,
    /// Uses of channels by the thread itself, and by those that it starts.
    pub own: Bits,
    pub started: Bits,
    /// Those of its own that are the only ways out of sticky locations.
    pub sticky: Bits,
    /// It may change what properties of states read.
    pub visible: bool,
}

/// Why a program can't be reduced, if so.
pub fn obstacle(program: &Program) -> Option<&'static str> {
    let mut found = None;
    program.each_expr(&mut |expr| {
        let reason = match expr.kind {
            ExprKind::LastThread => "the model asks who took the last step",
            ExprKind::ThreadEnabled(_) => "the model asks whether others are enabled",
            ExprKind::ThreadLocation(_) => "the model asks for the numbers of locations",
            ExprKind::ThreadPriority(_) => "the model has priorities",
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _)
                if program.globals[id].transparent =>
            {
                "the model reads hidden variables, or updates some that nothing else reads"
            }
            _ => return,
        };
        found = found.or(Some(reason));
    });
    let actions = || program.transitions.values().flat_map(|transition| &transition.body);
    let has_priorities = program.procedures.values().any(|procedure| procedure.priority != 1)
        || actions().any(|action| match action.kind {
            ActionKind::SetPriority(..) => true,
            ActionKind::Start { priority, .. } => priority.is_some_and(|priority| priority != 1),
            _ => false,
        });
    if has_priorities && program.numbered {
        Some("the model has priorities")
    } else if program.remembers_last {
        Some("the model asks who took the last step")
    } else if program.procedures.values().any(|procedure| procedure.provided.is_some()) {
        Some("processes are provided for by conditions")
    } else {
        found
    }
}

/// By transition: whether it may change what these expressions say.
pub fn visible(program: &Program, observed: &[&Expr]) -> Table<TransitionId, bool> {
    let resources = Resources::new(program, observed.iter().copied());
    let mut read = Footprint::default();
    for expr in observed {
        read.extend(&resources.observed(expr));
    }
    let is_visible = |transition| {
        let footprint = resources.transition(transition);
        let is_message = |found: &Use| matches!(found.kind, UseKind::Send { .. } | UseKind::Receive { .. });
        shows(&read, &footprint.writes, footprint.uses.iter().any(is_message))
    };
    program.transitions.values().map(is_visible).collect()
}

impl Analysis {
    /// Analyses a program, of which some expressions are observed.
    pub fn new(program: &Program, observed: &Observed<'_>) -> Self {
        Self::build(program, observed, true)
    }

    /// Without ample steps that change whether others can move, for runs that are to be fair: messages, ends, and arrivals where one is
    /// waited for. What other steps write, nobody else reads in the states that are left out, so it makes no guard true or false.
    #[must_use]
    pub fn for_fair_runs(mut self) -> Self {
        for candidate in self.candidates.values_mut() {
            candidate.take_if(|candidate| candidate.writes.contains(RENDEZVOUS));
        }
        self.permit(Classes::SILENT)
    }

    /// Without proviso, steps may be put off for ever: that is for tests.
    pub(crate) fn build(program: &Program, observed: &Observed<'_>, proviso: bool) -> Self {
        let resources = Resources::new(program, observed.all());
        let read = |exprs: &[&Expr]| {
            let mut read = Footprint::default();
            for expr in exprs {
                read.extend(&resources.observed(expr));
            }
            read
        };
        let (in_states, in_runs) = (read(&observed.in_states), read(&observed.in_runs));
        let transitions: Table<TransitionId, Footprint> =
            program.transitions.values().map(|transition| resources.transition(transition)).collect();
        let resumes: Table<LocationId, Footprint> =
            program.locations.ids().map(|id| resources.resume(id)).collect();
        let steps = Steps {
            program,
            transitions: &transitions,
            resumes: &resumes,
            in_states: &in_states,
            in_runs: &in_runs,
        };
        let sticky = if proviso { steps.sticky(&resources) } else { vec![false; program.locations.len()] };
        let candidates: Table<LocationId, Option<Candidate>> = program
            .locations
            .ids()
            .map(|id| steps.candidate(id, Some(&sticky)).or_else(|| steps.resume(id)))
            .collect();
        let (mut futures, uses) = futures(program, &transitions, &resumes, &candidates);
        for id in program.locations.ids() {
            let future = &mut futures[id];
            let mut used = future.own.iter().chain(future.started.iter()).map(|at| uses[at].kind);
            let messages = used.any(|kind| matches!(kind, UseKind::Send { .. } | UseKind::Receive { .. }));
            future.visible = shows(&in_states, &future.writes, messages);
        }
        let mut written = Bits::default();
        transitions.values().chain(resumes.values()).for_each(|footprint| {
            written.extend(&footprint.writes);
        });
        let mut analysis = Self {
            program: program.clone(),
            candidates,
            futures,
            uses,
            conflicts: Conflicts::default(),
            written,
            assigned: assigned(program, false),
            assigned_channels: assigned(program, true),
            classes: Classes::ALL,
            discipline: Discipline::new(program, observed),
            blind: Blind::default(),
        };
        analysis.tabulate();
        analysis
    }

    /// Compares candidates and futures.
    pub(crate) fn tabulate(&mut self) {
        self.conflicts = Conflicts::new(self);
    }

    /// Leaves it at these classes.
    #[must_use]
    pub fn permit(mut self, classes: Classes) -> Self {
        self.classes = classes;
        self.tabulate();
        self
    }

    /// Whether a candidate is of a class that may be ample.
    pub(crate) fn permits(&self, candidate: &Candidate) -> bool {
        let Classes { messages, heap, .. } = self.classes;
        (heap || !candidate.heap) && (messages || candidate.operations.is_empty() && !candidate.ends)
    }

    /// What was assumed about the use of locks and fields does not hold: from now on it is not relied on. Tells in words
    /// what that is.
    pub fn forget(&mut self, breaches: &[Breach]) -> Vec<String> {
        breaches.iter().map(|&breach| self.discipline.forget(&self.program, breach)).collect()
    }

    /// Whether a global never changes once the program runs.
    pub(crate) fn is_fixed(&self, global: usize) -> bool {
        !self.written.contains(Resources::global(global))
    }

    /// How many locations may have ample steps.
    pub fn candidates(&self) -> usize {
        self.conflicts.candidates(&self.program)
    }
}

struct Steps<'a> {
    program: &'a Program,
    transitions: &'a Table<TransitionId, Footprint>,
    resumes: &'a Table<LocationId, Footprint>,
    in_states: &'a Footprint,
    in_runs: &'a Footprint,
}

/// Where a thread may go from a location of a procedure in the same procedure.
pub fn successors(program: &Program, id: LocationId) -> Vec<usize> {
    let location = &program.locations[id];
    let mut to = Vec::new();
    for &transition in &location.transitions {
        match &program.transitions[transition].exit {
            Exit::Jump(Jump::Goto(target)) => to.push(target.index()),
            Exit::Jump(Jump::Return(_)) => {}
            Exit::Call { resume, .. } => to.push(resume.index()),
        }
    }
    if let LocationKind::Resume { then: Jump::Goto(target), .. } = location.kind {
        to.push(target.index());
    }
    for catch in &program.procedures[location.procedure].catches {
        if catch.covers.contains(&location.origin(id)) {
            to.push(catch.handler.index());
        }
    }
    to
}

/// Whether who reads this notices these writes, or that messages are sent and received.
fn shows(observed: &Footprint, writes: &Bits, messages: bool) -> bool {
    observed.immovable || observed.reads.intersects(writes) || messages && !observed.uses.is_empty()
}

impl Steps<'_> {
    /// What may happen in a step of a thread that rests at a location, up to where it rests again. All statements that the
    /// step can get to count, whether it does or not.
    fn candidate(&self, location: LocationId, sticky: Option<&[bool]>) -> Option<Candidate> {
        let program = self.program;
        let here = &program.locations[location];
        if here.transitions.is_empty() || here.inner || here.atomic {
            return None;
        }
        let mut candidate = Candidate {
            sticky: sticky.is_some_and(|sticky| sticky[location.index()]),
            ..Candidate::default()
        };
        let mut seen = vec![location];
        // Where the step begins, and whether it may come back there and go on.
        let mut begins = vec![location];
        let mut comes_back = false;
        // Locations, and whether the step begins there.
        let mut open = vec![(location, true)];
        while let Some((at, first)) = open.pop() {
            for &id in &program.locations[at].transitions {
                let transition = &program.transitions[id];
                let footprint = &self.transitions[id];
                if footprint.immovable {
                    return None;
                }
                candidate.reads.extend(&footprint.reads);
                candidate.writes.extend(&footprint.writes);
                if footprint.ends {
                    // Nothing but the end may be waited for there: others can make it possible.
                    if at != location || here.transitions.len() > 1 {
                        return None;
                    }
                    candidate.ends = true;
                }
                candidate.returns |= footprint.returns;
                for found in &footprint.uses {
                    // Later on, the channel may be another one, and its state is another one.
                    if !first {
                        return None;
                    }
                    let transition = (at == location).then_some(id);
                    let channel = found.channel.clone()?;
                    candidate.operations.push(Operation { transition, kind: found.kind, channel });
                }
                let mut go = |to: LocationId, first: bool| {
                    comes_back |= !first && begins.contains(&to);
                    if !seen.contains(&to) {
                        seen.push(to);
                        open.push((to, first));
                        begins.extend(first.then_some(to));
                    } else if first && !begins.contains(&to) {
                        comes_back = true;
                    }
                };
                if let Guard::Ready(inner) = transition.guard {
                    let at_once = at == location && transition.body.is_empty();
                    go(inner, at_once && transition.exit == Exit::Jump(Jump::Goto(inner)));
                }
                match &transition.exit {
                    Exit::Jump(Jump::Goto(target)) => {
                        let target_of = &program.locations[*target];
                        if transition.exclusive || target_of.inner || target_of.atomic {
                            go(*target, false);
                        }
                    }
                    Exit::Jump(Jump::Return(_)) => {}
                    Exit::Call { callee, resume, .. } => {
                        let is_atomic = |id: LocationId| program.locations[id].atomic;
                        let mut entries =
                            program.callees(*callee).map(|callee| program.procedures[callee].entry);
                        // What is called in the middle of a step is a part of it.
                        if is_atomic(at) || is_atomic(*resume) || entries.any(is_atomic) {
                            return None;
                        }
                    }
                }
            }
        }
        let passes_sticky =
            sticky.is_some_and(|sticky| seen[1..].iter().any(|passed| sticky[passed.index()]));
        if comes_back && (candidate.sticky || !candidate.operations.is_empty()) {
            return None;
        }
        (!passes_sticky && self.settle(&mut candidate)).then_some(candidate)
    }

    /// What happens on the way through a resume location.
    fn resume(&self, location: LocationId) -> Option<Candidate> {
        let LocationKind::Resume { then, .. } = &self.program.locations[location].kind else { return None };
        let goes_on = matches!(then, Jump::Goto(target) if self.program.locations[*target].atomic);
        let footprint = &self.resumes[location];
        let mut candidate = Candidate {
            reads: footprint.reads.clone(),
            writes: footprint.writes.clone(),
            returns: footprint.returns,
            ..Candidate::default()
        };
        let is_movable = !footprint.immovable && !footprint.ends && footprint.uses.is_empty() && !goes_on;
        (is_movable && self.settle(&mut candidate)).then_some(candidate)
    }

    /// Finds out what nobody else may write, and who can see it. Says whether it is invisible to properties of runs.
    fn settle(&self, candidate: &mut Candidate) -> bool {
        candidate.heap =
            [&mut candidate.reads, &mut candidate.writes].map(|bits| bits.remove(HEAP)).contains(&true);
        candidate.settled = candidate.reads.clone();
        candidate
            .writes
            .iter()
            .filter(|&resource| resource != COUNT)
            .for_each(|resource| candidate.settled.insert(resource));
        let messages = !candidate.operations.is_empty();
        candidate.visible = shows(self.in_states, &candidate.writes, messages);
        !shows(self.in_runs, &candidate.writes, messages)
    }

    /// By location: whether cycles of its procedure are broken there.
    fn sticky(&self, resources: &Resources<'_>) -> Vec<bool> {
        let program = self.program;
        let contested = self.contested();
        let successors: Vec<Vec<usize>> = program.locations.ids().map(|id| successors(program, id)).collect();
        let mut costs = Vec::new();
        for (id, location) in program.locations.iter() {
            costs.push(match self.candidate(id, None) {
                // They come after calls, and who is on a cycle with one is on a cycle with its call.
                _ if !matches!(location.kind, LocationKind::Plain) => 5,
                // Nobody rests at these.
                _ if location.inner || location.atomic => 4,
                None => 0,
                Some(step) if step.reads.intersects(&contested) || step.writes.intersects(&contested) => 1,
                _ if self.acquires(id) => 1,
                _ if resources.is_sensing(id) => 3,
                Some(step) if step.operations.len() == location.transitions.len() => 2,
                Some(_) => 3,
            });
        }
        break_cycles(&successors, &costs)
    }

    /// Whether locks are taken at a location.
    fn acquires(&self, location: LocationId) -> bool {
        let transitions = self.program.locations[location].transitions.iter();
        let mut actions = transitions.flat_map(|&id| &self.program.transitions[id].body);
        actions.any(|action| matches!(action.kind, ActionKind::Lock(_) | ActionKind::Unwait(_)))
    }

    /// What is written, and not by one thread alone.
    fn contested(&self) -> Bits {
        let program = self.program;
        let mut instances = vec![0; program.procedures.len()];
        program.active.iter().for_each(|procedure| instances[procedure.index()] += 1);
        for action in program.transitions.values().flat_map(|transition| &transition.body) {
            if let ActionKind::Start { procedure, .. } = action.kind {
                instances[procedure.index()] += 2;
            }
        }
        let mut users = Vec::<Vec<ProcedureId>>::new();
        let mut written = Bits::default();
        for (id, transition) in program.transitions.iter() {
            let procedure = program.locations[transition.source].procedure;
            let footprint = &self.transitions[id];
            written.extend(&footprint.writes);
            for resource in footprint.reads.iter().chain(footprint.writes.iter()) {
                if users.len() <= resource {
                    users.resize(resource + 1, Vec::new());
                }
                users[resource].push(procedure);
            }
        }
        let mut contested = Bits::default();
        for (resource, procedures) in users.iter().enumerate() {
            let shared = procedures.iter().any(|&other| {
                other != procedures[0]
                    || instances[other.index()] > 1
                    || program.procedures[other].kind == ProcedureKind::Function
            });
            if shared && written.contains(resource) && resource != RENDEZVOUS {
                contested.insert(resource);
            }
        }
        contested
    }
}

/// What may come after each location, the location included.
fn futures(
    program: &Program,
    transitions: &Table<TransitionId, Footprint>,
    resumes: &Table<LocationId, Footprint>,
    candidates: &Table<LocationId, Option<Candidate>>,
) -> (Table<LocationId, Future>, Vec<Use>) {
    let mut uses = Vec::<Use>::new();
    let mut number = |found: &Use| {
        uses.iter().position(|known| known == found).unwrap_or_else(|| {
            uses.push(found.clone());
            uses.len() - 1
        })
    };
    let mut futures = Table::<LocationId, Future>::new();
    // Where a thread goes from there, and whom it starts.
    let mut edges = Vec::new();
    for (id, location) in program.locations.iter() {
        let mut future = Future::default();
        let (mut goes, mut starts) = (Vec::new(), Vec::new());
        let footprints = location.transitions.iter().map(|&transition| &transitions[transition]);
        for footprint in footprints.chain([&resumes[id]]) {
            future.reads.extend(&footprint.reads);
            future.writes.extend(&footprint.writes);
            footprint.uses.iter().for_each(|found| future.own.insert(number(found)));
        }
        if candidates[id].as_ref().is_some_and(|candidate| candidate.sticky) {
            future.sticky = future.own.clone();
        }
        let procedure = &program.procedures[location.procedure];
        for claim in &procedure.claims {
            let kind = if claim.receive { UseKind::ClaimReceive } else { UseKind::ClaimSend };
            let channel = Some(claim.channel.clone());
            future.own.insert(number(&Use { kind, procedure: location.procedure, channel }));
        }
        for &transition in &location.transitions {
            let transition = &program.transitions[transition];
            if let Guard::Ready(inner) = transition.guard {
                goes.push(inner);
            }
            for action in &transition.body {
                if let ActionKind::Start { procedure, .. } = action.kind {
                    starts.push(program.procedures[procedure].entry);
                }
            }
            match &transition.exit {
                Exit::Jump(Jump::Goto(target)) => goes.push(*target),
                Exit::Jump(Jump::Return(_)) => {}
                Exit::Call { callee, resume, .. } => {
                    goes.push(*resume);
                    goes.extend(program.callees(*callee).map(|callee| program.procedures[callee].entry));
                }
            }
        }
        if let LocationKind::Resume { then: Jump::Goto(target), .. } = location.kind {
            goes.push(target);
        }
        goes.extend(
            procedure
                .catches
                .iter()
                .filter(|catch| catch.covers.contains(&location.origin(id)))
                .map(|catch| catch.handler),
        );
        futures.push(future);
        edges.push((goes, starts));
    }
    loop {
        let mut changed = false;
        for id in program.locations.ids().rev() {
            let mut future = std::mem::take(&mut futures[id]);
            let (goes, starts) = &edges[id.index()];
            for &to in goes.iter().filter(|&&to| to != id) {
                let next = &futures[to];
                changed |= future.reads.extend(&next.reads);
                changed |= future.writes.extend(&next.writes);
                changed |= future.own.extend(&next.own);
                changed |= future.sticky.extend(&next.sticky);
                changed |= future.started.extend(&next.started);
            }
            for &entry in starts {
                let next = if entry == id { future.clone() } else { futures[entry].clone() };
                changed |= future.reads.extend(&next.reads);
                changed |= future.writes.extend(&next.writes);
                changed |= future.started.extend(&next.own);
                changed |= future.started.extend(&next.started);
            }
            futures[id] = future;
        }
        if !changed {
            return (futures, uses);
        }
    }
}

/// By procedure: the locals that threads give values while they run, or values other than 0.
fn assigned(program: &Program, but_zero: bool) -> Vec<Bits> {
    let mut assigned = vec![Bits::default(); program.procedures.len()];
    let mut assign = |procedure: ProcedureId, place: &Place| {
        if let PlaceKind::Local(LocalId(id)) | PlaceKind::Element(Array::Local(LocalId(id)), _) = place.kind {
            assigned[procedure.index()].insert(id as usize);
        }
    };
    for transition in program.transitions.values() {
        let procedure = program.locations[transition.source].procedure;
        for Action { kind, .. } in &transition.body {
            match kind {
                // What is dead gets 0, which is no channel.
                ActionKind::Assign(_, value)
                    if but_zero && value.kind == ExprKind::Const(ir::Const::Int(0)) => {}
                ActionKind::Assign(place, _) | ActionKind::Choose(place, _) | ActionKind::New(place, _) => {
                    assign(procedure, place);
                }
                ActionKind::Start { result: Some(place), .. } => assign(procedure, place),
                ActionKind::Receive { pattern, .. } => {
                    for field in pattern {
                        if let Pattern::Store(place) = field {
                            assign(procedure, place);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    for location in program.locations.values() {
        if let LocationKind::Resume { result: Some(place), .. } = &location.kind {
            assign(location.procedure, place);
        }
    }
    for (id, procedure) in program.procedures.iter() {
        for catch in &procedure.catches {
            assigned[id.index()].insert(catch.variable.index());
        }
        // A variable that is forgotten gets the default of its type, which is 0 where that is in range.
        for (local, variable) in procedure.locals.iter() {
            let forgotten = program.locations.values().any(|location| location.live.is_some());
            let zero = matches!(program.types[variable.ty], Type::Int(int) if int.default_value() == 0);
            if forgotten && !(but_zero && zero) {
                assigned[id.index()].insert(local.index());
            }
        }
    }
    assigned
}
