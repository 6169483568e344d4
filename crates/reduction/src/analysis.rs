//! What is known about a program before it runs: which locations are candidates, and what may come after each.

use ir::{
    Action, ActionKind, Array, Callee, Exit, Expr, ExprKind, Guard, Id, Jump, LocalId, LocationId,
    LocationKind, Pattern, Place, PlaceKind, ProcedureId, ProcedureKind, Program, Table, TransitionId, Type,
};

use crate::bits::Bits;
use crate::cycles::break_cycles;
use crate::footprint::{COUNT, Footprint, RENDEZVOUS, Resources, Use, UseKind};

/// The tables of a program.
pub struct Analysis {
    pub(crate) program: Program,
    pub(crate) candidates: Table<LocationId, Option<Candidate>>,
    pub(crate) futures: Table<LocationId, Future>,
    /// All uses of channels, of which futures have numbers.
    pub(crate) uses: Vec<Use>,
    pub(crate) written: Bits,
    /// By procedure: the locals that get other values than they start with.
    pub(crate) assigned: Vec<Bits>,
    /// The same, except for 0, which is no channel.
    pub(crate) assigned_channels: Vec<Bits>,
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

    fn all(&self) -> impl Iterator<Item = &'p Expr> {
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
                "the model reads hidden variables"
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
        let steps = Steps { program, transitions: &transitions, in_states: &in_states, in_runs: &in_runs };
        let sticky = if proviso { steps.sticky(&resources) } else { vec![false; program.locations.len()] };
        let candidates: Table<LocationId, Option<Candidate>> =
            program.locations.ids().map(|id| steps.candidate(id, Some(&sticky))).collect();
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
        Self {
            program: program.clone(),
            candidates,
            futures,
            uses,
            written,
            assigned: assigned(program, false),
            assigned_channels: assigned(program, true),
        }
    }

    /// Whether a global never changes once the program runs.
    pub(crate) fn is_fixed(&self, global: usize) -> bool {
        !self.written.contains(Resources::global(global))
    }

    /// How many locations may have ample steps.
    pub fn candidates(&self) -> usize {
        self.candidates.values().filter(|candidate| candidate.is_some()).count()
    }
}

struct Steps<'a> {
    program: &'a Program,
    transitions: &'a Table<TransitionId, Footprint>,
    in_states: &'a Footprint,
    in_runs: &'a Footprint,
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
        let has_atomic = program.locations.values().any(|location| location.atomic);
        let in_function = program.procedures[here.procedure].kind == ProcedureKind::Function;
        if here.transitions.is_empty() || here.inner || here.atomic || has_atomic && in_function {
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
                        if target_of.atomic {
                            return None;
                        }
                        if transition.exclusive || target_of.inner {
                            go(*target, false);
                        }
                    }
                    Exit::Jump(Jump::Return(_)) => {}
                    Exit::Call { callee: Callee::Static(callee), .. } => {
                        if program.locations[program.procedures[*callee].entry].atomic {
                            return None;
                        }
                    }
                    Exit::Call { callee: Callee::Virtual(_), .. } => return None,
                }
            }
        }
        let passes_sticky =
            sticky.is_some_and(|sticky| seen[1..].iter().any(|passed| sticky[passed.index()]));
        if comes_back && (candidate.sticky || !candidate.operations.is_empty()) {
            return None;
        }
        candidate.settled = candidate.reads.clone();
        candidate
            .writes
            .iter()
            .filter(|&resource| resource != COUNT)
            .for_each(|resource| candidate.settled.insert(resource));
        let messages = !candidate.operations.is_empty();
        candidate.visible = shows(self.in_states, &candidate.writes, messages);
        let is_visible = shows(self.in_runs, &candidate.writes, messages);
        (!passes_sticky && !is_visible).then_some(candidate)
    }

    /// By location: whether cycles of its procedure are broken there.
    fn sticky(&self, resources: &Resources<'_>) -> Vec<bool> {
        let program = self.program;
        let contested = self.contested();
        let mut successors = vec![Vec::new(); program.locations.len()];
        let mut costs = Vec::new();
        for (id, location) in program.locations.iter() {
            let to = &mut successors[id.index()];
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
            costs.push(match self.candidate(id, None) {
                // Nobody rests at these.
                _ if location.inner || !matches!(location.kind, LocationKind::Plain) => 4,
                None => 0,
                Some(step) if step.reads.intersects(&contested) || step.writes.intersects(&contested) => 1,
                _ if resources.is_sensing(id) => 3,
                Some(step) if step.operations.len() == location.transitions.len() => 2,
                Some(_) => 3,
            });
        }
        break_cycles(&successors, &costs)
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
                    match callee {
                        Callee::Static(callee) => goes.push(program.procedures[*callee].entry),
                        Callee::Virtual(table) => {
                            let targets = &program.virtuals[*table].targets;
                            goes.extend(targets.iter().map(|&(_, callee)| program.procedures[callee].entry));
                        }
                    }
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
