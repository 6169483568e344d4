//! The static analysis of a program: which locations are candidates, and the future of each location.

use ir::{
    ActionKind, Array, ChannelId, Exit, Expr, ExprKind, Guard, Id, Jump, LocalId, LocationId, LocationKind,
    Place, PlaceKind, ProcedureId, ProcedureKind, Program, Table, Transition, TransitionId, Type, inert,
};

use crate::assured::{is_steady, plain_message};
use crate::bits::Bits;
use crate::conflicts::Conflicts;
use crate::cycle_cut;
use crate::cycles::{break_cycles_but, components_without};
use crate::discipline::{Breach, Discipline};
use crate::flow::Flow;
use crate::footprint::{Footprint, GLOBALS, HEAP, RENDEZVOUS, Resources, Use, UseKind};
use crate::futures::{Done, Futures, close};
use crate::ranks::Ranks;
use crate::sets::{SetId, Sets};

/// The greatest number of statements that are examined to find the message of a step that does not begin with
/// it.
const LONGEST_WALK: usize = 64;

/// The results of the analysis of a program.
pub struct Analysis {
    pub(crate) program: Program,
    pub(crate) candidates: Table<LocationId, Option<Candidate>>,
    pub(crate) futures: Futures,
    /// The sets of candidates and futures.
    pub(crate) sets: Sets,
    pub(crate) flow: Flow,
    /// By channel: its number, if it exists from the start.
    pub(crate) first_numbers: Table<ChannelId, Option<i64>>,
    /// All uses of channels. Futures refer to them by number.
    pub(crate) uses: Vec<Use>,
    /// The uses that name their channel by variables of their thread.
    pub(crate) named: SetId,
    /// Which futures conflict with which candidates.
    pub(crate) conflicts: Conflicts,
    pub(crate) written: Bits,
    /// By procedure: the locals that are assigned other values than their initial ones.
    pub(crate) assigned: Vec<Bits>,
    /// By procedure: the locals that are assigned other values than their initial ones, 0 excepted, which is
    /// not a channel.
    pub(crate) assigned_channels: Vec<Bits>,
    pub(crate) classes: Classes,
    /// The assumptions about how the heap is used.
    pub(crate) discipline: Discipline,
    pub(crate) blind: Blind,
}

/// What the analysis ignores on purpose, for tests of the tests.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Blind {
    /// That steps may be postponed for ever.
    pub proviso: bool,
    /// That a variable that rises in a loop may also decrease there.
    pub falls: bool,
    /// Where the transitions out of sticky locations lead.
    pub detours: bool,
    /// Messages in the middle of a step.
    pub later_messages: bool,
    /// That a thread may have to wait in the middle of an atomic block.
    pub atomic_waits: bool,
    /// That variables of other threads, globals, and collections lead to an object.
    pub frames: bool,
    pub globals: bool,
    pub values: bool,
    /// What the evaluation of guards reads.
    pub guards: bool,
    /// That objects may be deleted.
    pub deletions: bool,
    /// Who drops the last reference to an object.
    pub losses: bool,
    /// That other threads may use a channel that is an object.
    pub channels: bool,
    /// That a thread that receives by hand is moved by others.
    pub hands: bool,
    /// Breaches of assumptions.
    pub breaches: bool,
}

/// Which steps may be ample in addition to those that only access what their thread has to itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Classes {
    /// Messages, and ends of threads: they may enable other threads.
    pub messages: bool,
    /// Objects that only the thread can reach, including those that it creates.
    pub heap: bool,
    /// Objects whose lock the thread holds, fields that keep their values, and the release of locks, which
    /// may enable other threads.
    pub locks: bool,
}

impl Classes {
    pub const ALL: Self = Self { messages: true, heap: true, locks: true };
    /// Steps that do not change what other threads can do.
    pub const SILENT: Self = Self { messages: false, heap: true, locks: false };

    /// Whether a candidate is of a class that may be ample.
    pub(crate) fn permit(self, candidate: &Candidate) -> bool {
        let Self { messages, heap, .. } = self;
        (heap || !candidate.heap) && (messages || candidate.operations.is_empty() && !candidate.ends)
    }
}

/// The expressions that properties read.
#[derive(Clone, Default, Debug)]
pub struct Observed<'p> {
    /// The expressions of properties of states.
    pub in_states: Vec<&'p Expr>,
    /// The expressions of properties of runs.
    pub in_runs: Vec<&'p Expr>,
}

impl<'p> Observed<'p> {
    /// The expressions of the invariants of a program.
    pub fn invariants(program: &'p Program) -> Self {
        let in_states = program.invariants.iter().map(|invariant| &invariant.expr).collect();
        Self { in_states, in_runs: Vec::new() }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &'p Expr> {
        self.in_states.iter().chain(&self.in_runs).copied()
    }
}

/// What a thread does in a step, from a location at which its steps may be ample.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    pub reads: SetId,
    pub writes: SetId,
    /// The resources that no other thread may write: all that are read, and the globals that are written. The
    /// other written resources belong to the thread itself: its location, and its variables that other
    /// threads read. Other threads that write the same resource write their own part of it, so the order does
    /// not matter; and other threads may end as well, one after the other.
    pub settled: SetId,
    /// The uses of channels, before anything else.
    pub operations: Vec<Operation>,
    /// The thread ends, which releases its claims on channels.
    pub ends: bool,
    /// The channels that are removed with the thread.
    pub ended: Vec<Expr>,
    /// Objects are accessed. Which ones depends on the state.
    pub heap: bool,
    /// A function returns. What happens next depends on the frame below.
    pub returns: bool,
    /// It may change what properties of states read.
    pub visible: bool,
    /// There is a cycle through this location, on which all steps must be offered in some state. If all
    /// transitions are messages from or to other threads, that may happen at one of these threads.
    pub sticky: bool,
    /// The transitions out of a sticky location that lead back there only through a location at which the
    /// thread itself makes all steps be offered.
    pub detours: Vec<TransitionId>,
}

/// An operation on a channel at the beginning of a step.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The transition that begins with the operation; `None` if it is a transition of a fused location.
    pub transition: Option<TransitionId>,
    pub kind: UseKind,
    pub channel: Expr,
}

/// Why a program cannot be reduced; `None` if it can.
pub fn obstacle(program: &Program) -> Option<&'static str> {
    if program.features.thread_ids_observable && !program.is_flat() {
        return Some("the model uses numbers of processes together with objects or functions");
    }
    if !program.is_flat() && program.procedures.values().any(|procedure| !procedure.claims.is_empty()) {
        return Some("the model claims channels that are objects");
    }
    let mut found = None;
    let inert = inert(program, &[]);
    program.each_expr(&mut |expr| {
        let reason = match expr.kind {
            ExprKind::LastThread => "the model reads `_last`",
            ExprKind::ThreadEnabled(_) => "the model uses `enabled()`",
            ExprKind::ThreadLocation(_) => "the model uses `pc_value()`",
            ExprKind::ThreadPriority(_) => "the model has priorities",
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _)
                if program.globals[id].untracked && !inert[id] =>
            {
                "what the model does depends on hidden variables"
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
    if has_priorities {
        Some("the model has priorities")
    } else if program.features.remembers_last {
        Some("the model reads `_last`")
    } else if program.procedures.values().any(|procedure| procedure.provided.is_some()) {
        Some("the model has `provided` clauses")
    } else {
        found
    }
}

/// By transition: whether it may change the values of these expressions.
pub fn visible(program: &Program, observed: &[&Expr]) -> Table<TransitionId, bool> {
    let resources = Resources::new(program, &assigned(program, true), observed.iter().copied());
    let seen = ObservedResources::new(&resources, observed);
    let is_visible = |transition| {
        let footprint = resources.transition(transition);
        seen.shows(&footprint.writes, footprint.uses.iter().any(is_message))
    };
    program.transitions.values().map(is_visible).collect()
}

/// The resources that properties read.
struct ObservedResources {
    resources: Bits,
    /// They inspect channels.
    channels: bool,
    /// It is unknown what they read.
    everything: bool,
}

impl ObservedResources {
    fn new(resources: &Resources<'_>, exprs: &[&Expr]) -> Self {
        let mut seen = Self { resources: Bits::default(), channels: false, everything: false };
        for expr in exprs {
            let read = resources.observed(expr);
            read.reads.iter().for_each(|&resource| seen.resources.insert(resource));
            seen.channels |= !read.uses.is_empty();
            seen.everything |= read.immovable;
        }
        seen
    }

    /// Whether properties notice that these resources are written, or that messages are sent and received.
    fn shows(&self, writes: &[usize], messages: bool) -> bool {
        self.everything
            || writes.iter().any(|&resource| self.resources.contains(resource))
            || messages && self.channels
    }
}

fn is_message(found: &Use) -> bool {
    matches!(found.kind, UseKind::Send { .. } | UseKind::Receive { .. } | UseKind::End)
}

impl Analysis {
    /// Analyses a program, where properties read the `observed` expressions.
    pub fn new(program: &Program, observed: &Observed<'_>) -> Self {
        Self::build(program, observed, Blind::default())
    }

    /// Removes ample steps that change whether other threads can move, for runs that are to be fair:
    /// messages, ends, and arrivals where a thread waits for one. What the remaining ample steps write is not
    /// read by any other thread in the states that are left out, so it makes no guard true or false.
    #[must_use]
    pub fn for_fair_runs(mut self) -> Self {
        for candidate in self.candidates.values_mut() {
            candidate.take_if(|candidate| self.sets.contains(candidate.writes, RENDEZVOUS));
        }
        self.permit(Classes::SILENT)
    }

    pub(crate) fn build(program: &Program, observed: &Observed<'_>, blind: Blind) -> Self {
        let assigned_channels = assigned(program, true);
        let mut resources = Resources::new(program, &assigned_channels, observed.all());
        if blind.atomic_waits {
            resources.assured.fill(true);
        }
        resources.knows_hands = !blind.hands;
        let in_states = ObservedResources::new(&resources, &observed.in_states);
        let in_runs = ObservedResources::new(&resources, &observed.in_runs);
        let transitions: Table<TransitionId, Footprint> =
            program.transitions.values().map(|transition| resources.transition(transition)).collect();
        let resumes: Table<LocationId, Footprint> =
            program.locations.ids().map(|id| resources.resume(id)).collect();
        let flow = Flow::new(program);
        let mut sets = Sets::default();
        let steps = Steps::new(
            program,
            &flow,
            &transitions,
            &assigned_channels,
            &resumes,
            [&in_states, &in_runs],
            &mut sets,
        );
        let steps = Steps { blind, ..steps };
        let free = vec![false; program.locations.len()];
        let candidates = steps.candidates(&free, &mut sets);
        let (futures, uses) =
            Futures::new(&resources, &flow, &transitions, &resumes, &steps.done, &candidates, &mut sets);
        let mut written = Bits::default();
        for footprint in transitions.values().chain(resumes.values()) {
            footprint.writes.iter().for_each(|&resource| written.insert(resource));
        }
        let mut first_numbers: Table<ChannelId, Option<i64>> = program.channels.ids().map(|_| None).collect();
        for (at, &id) in program.first_channels.iter().enumerate() {
            first_numbers[id].get_or_insert(at as i64 + 1);
        }
        let done = steps.done.clone();
        let mut analysis = Self {
            program: program.clone(),
            candidates,
            futures,
            sets,
            flow: flow.clone(),
            first_numbers,
            uses,
            named: SetId::EMPTY,
            conflicts: Conflicts::default(),
            written,
            assigned: assigned(program, false),
            assigned_channels: assigned_channels.clone(),
            classes: Classes::ALL,
            discipline: Discipline::new(program, observed),
            blind,
        };
        analysis.tabulate();
        if !blind.proviso {
            let costs =
                steps.costs(&resources, &analysis.candidates, &analysis.conflicts, &mut analysis.sets);
            let ranks = Ranks::new(program, &flow, blind.falls);
            let sticky = break_cycles_but(&flow.successors, &costs, |nodes, is_inside| {
                ranks.of_component(nodes, is_inside)
            });
            if sticky.contains(&true) {
                let mut candidates = steps.candidates(&sticky, &mut analysis.sets);
                let firm: Vec<bool> = (program.locations.ids().zip(&sticky))
                    .map(|(id, &sticky)| sticky && (candidates[id].is_none() || !analysis.conflicts.have(id)))
                    .map(|is_firm| is_firm || blind.detours)
                    .collect();
                steps.find_detours(&mut candidates, &firm);
                analysis.candidates = candidates;
                let Self { candidates, sets, .. } = &mut analysis;
                let found = Futures::new(&resources, &flow, &transitions, &resumes, &done, candidates, sets);
                (analysis.futures, analysis.uses) = found;
                analysis.tabulate();
            }
        }
        let Self { uses, sets, .. } = &mut analysis;
        let is_named = |at: &usize| cycle_cut::is_named(&uses[*at], &assigned_channels);
        analysis.named = sets.of((0..uses.len()).filter(is_named));
        analysis
    }

    /// Compares candidates and futures.
    pub(crate) fn tabulate(&mut self) {
        self.conflicts = Conflicts::new(self);
    }

    /// Restricts the analysis to these classes.
    #[must_use]
    pub fn permit(mut self, classes: Classes) -> Self {
        self.classes = classes;
        self.tabulate();
        self
    }

    /// Drops assumptions about the use of locks and fields that do not hold. Returns descriptions of the
    /// breaches.
    pub fn drop_assumptions(&mut self, breaches: &[Breach]) -> Vec<String> {
        breaches.iter().map(|&breach| self.discipline.drop_assumption(&self.program, breach)).collect()
    }

    /// Whether a global never changes once the program runs.
    pub(crate) fn is_fixed(&self, global: usize) -> bool {
        !self.written.contains(Resources::global(global))
    }

    /// The number of locations that may have ample steps.
    pub fn candidates(&self) -> usize {
        self.conflicts.candidates(&self.program)
    }
}

/// What a step, or a part of one, does.
#[derive(Clone, Copy, Default)]
struct Part {
    reads: SetId,
    writes: SetId,
    /// It cannot be ample.
    immovable: bool,
    /// It cannot come after another part: it uses channels, or ends the thread.
    must_begin: bool,
    returns: bool,
    /// Whether properties of states, and of runs, may notice it.
    visible_to: [bool; 2],
}

impl Part {
    fn add(&mut self, other: &Self, sets: &mut Sets) {
        self.reads = sets.union(self.reads, other.reads);
        self.writes = sets.union(self.writes, other.writes);
        self.immovable |= other.immovable;
        self.must_begin |= other.must_begin;
        self.returns |= other.returns;
        for (visible_to, &other) in self.visible_to.iter_mut().zip(&other.visible_to) {
            *visible_to |= other;
        }
    }
}

/// The parts of all steps of a program, from which candidates are made.
struct Steps<'a> {
    program: &'a Program,
    flow: &'a Flow,
    footprints: &'a Table<TransitionId, Footprint>,
    transitions: Table<TransitionId, Part>,
    resumes: Table<LocationId, Part>,
    /// By location: everything that a step passing through it does from there on.
    passages: Vec<Part>,
    /// By location: what is done there.
    done: Vec<Done>,
    assigned_channels: &'a [Bits],
    blind: Blind,
}

impl<'a> Steps<'a> {
    fn new(
        program: &'a Program,
        flow: &'a Flow,
        footprints: &'a Table<TransitionId, Footprint>,
        assigned_channels: &'a [Bits],
        resumes: &Table<LocationId, Footprint>,
        [in_states, in_runs]: [&ObservedResources; 2],
        sets: &mut Sets,
    ) -> Self {
        // Resources that only one thread uses need no comparison.
        let of_transitions = of_procedures(program, footprints);
        let of_resumes = resumes.iter().map(|(id, footprint)| (program.locations[id].procedure, footprint));
        let shared = contested(program, of_transitions.chain(of_resumes));
        let set = |resources: &[usize], sets: &mut Sets| {
            let is_kept = |resource: usize| resource < GLOBALS || shared.contains(resource);
            sets.of(resources.iter().copied().filter(|&resource| is_kept(resource)))
        };
        let part = |footprint: &Footprint, sets: &mut Sets| {
            // Which objects are accessed depends on the state.
            let writes: Vec<usize> = footprint.writes.iter().copied().filter(|&one| one != HEAP).collect();
            let visible_to = [in_states, in_runs].map(|seen| seen.shows(&writes, !footprint.uses.is_empty()));
            Part {
                reads: set(&footprint.reads, sets),
                writes: set(&footprint.writes, sets),
                immovable: footprint.immovable,
                must_begin: footprint.ends || !footprint.uses.is_empty(),
                returns: footprint.returns,
                visible_to,
            }
        };
        let mut transitions: Table<TransitionId, Part> =
            footprints.values().map(|footprint| part(footprint, sets)).collect();
        let resume_parts: Table<LocationId, Part> =
            resumes.values().map(|footprint| part(footprint, sets)).collect();
        let mut done = Vec::new();
        for (id, location) in program.locations.iter() {
            let mut all = Done::default();
            let here = location.transitions.iter().map(|&id| (&footprints[id], &transitions[id]));
            for (footprint, part) in here.chain([(&resumes[id], &resume_parts[id])]) {
                all.reads = sets.union(all.reads, part.reads);
                all.writes = sets.union(all.writes, part.writes);
                all.visible |= in_states.shows(&footprint.writes, footprint.uses.iter().any(is_message));
            }
            done.push(all);
        }
        // A procedure that is called inside a step is a part of the step.
        let is_atomic = |id: LocationId| program.locations[id].atomic;
        for (id, transition) in program.transitions.iter() {
            if let Exit::Call { callee, resume, .. } = &transition.exit {
                let mut entries = program.callees(*callee).map(|callee| program.procedures[callee].entry);
                transitions[id].immovable |=
                    is_atomic(transition.source) || is_atomic(*resume) || entries.any(is_atomic);
            }
        }
        let mut passages = Vec::new();
        for location in program.locations.values() {
            let mut all = Part::default();
            location.transitions.iter().for_each(|&id| all.add(&transitions[id], sets));
            passages.push(all);
        }
        close(&flow.passages, &mut passages, |all, next| all.add(next, sets));
        Self {
            program,
            flow,
            footprints,
            transitions,
            resumes: resume_parts,
            passages,
            done,
            assigned_channels,
            blind: Blind::default(),
        }
    }

    /// The candidates of all locations, where `sticky` says which are sticky.
    fn candidates(&self, sticky: &[bool], sets: &mut Sets) -> Table<LocationId, Option<Candidate>> {
        let passes_sticky = self.passing(sticky);
        let ids = self.program.locations.ids();
        ids.map(|id| self.candidate(id, sticky, &passes_sticky, sets).or_else(|| self.resume(id, sets)))
            .collect()
    }

    /// What may happen in a step of a thread that rests at a location, up to where it rests again. All
    /// statements that the step can reach count, whether it reaches them or not. `sticky` are the sticky
    /// locations, and `passes_sticky` those from which a step passes a sticky one.
    fn candidate(
        &self,
        location: LocationId,
        sticky: &[bool],
        passes_sticky: &[bool],
        sets: &mut Sets,
    ) -> Option<Candidate> {
        let program = self.program;
        let here = &program.locations[location];
        if here.transitions.is_empty() || here.fused || here.atomic {
            return None;
        }
        let is_sticky = |at: LocationId| sticky[at.index()];
        let passes_sticky = |at: LocationId| passes_sticky[at.index()];
        let mut candidate = Candidate { sticky: is_sticky(location), ..Candidate::default() };
        let mut all = Part::default();
        // Where the step begins: here, and at fused locations before which only their readiness is tested.
        let mut begins = vec![location];
        let mut next = 0;
        while let Some(&at) = begins.get(next) {
            next += 1;
            for &id in &program.locations[at].transitions {
                let transition = &program.transitions[id];
                let footprint = &self.footprints[id];
                all.add(&self.transitions[id], sets);
                if footprint.ends {
                    // The thread must not wait for anything but its end there: other threads can make the end
                    // possible.
                    if at != location || here.transitions.len() > 1 {
                        return None;
                    }
                    candidate.ends = true;
                }
                for found in &footprint.uses {
                    let transition = (at == location).then_some(id);
                    let channel = found.channel.clone()?;
                    if found.kind == UseKind::End {
                        candidate.ended.push(channel);
                        continue;
                    }
                    candidate.operations.push(Operation { transition, kind: found.kind, channel });
                }
                let mut pass = |to: LocationId| {
                    let passage = &self.passages[to.index()];
                    if passage.must_begin {
                        // Later in the step, the expression may name another channel, and the channel has
                        // changed.
                        let (kind, channel) = self.later_message(id, to)?;
                        let transition = (at == location).then_some(id);
                        if !self.blind.later_messages {
                            candidate.operations.push(Operation { transition, kind, channel });
                        }
                    }
                    all.add(passage, sets);
                    (!passes_sticky(to)).then_some(())
                };
                let target = match transition.exit {
                    Exit::Jump(Jump::Goto(target)) => Some(target),
                    _ => None,
                };
                let at_once = at == location && transition.body.is_empty();
                match transition.guard {
                    Guard::Ready(inner) if at_once && target == Some(inner) => {
                        begins.push(inner);
                        continue;
                    }
                    Guard::Ready(inner) => pass(inner)?,
                    _ => {}
                }
                if let Some(target) = target
                    && self.goes_on(transition, target)
                {
                    pass(target)?;
                }
            }
        }
        let passes_sticky = begins[1..].iter().any(|&at| is_sticky(at));
        // If a step can begin at several locations, one of its transitions may lead back to where another one
        // begins.
        if begins.len() > 1 && (candidate.sticky || !candidate.operations.is_empty()) {
            return None;
        }
        (!passes_sticky && self.settle(&mut candidate, &all, sets)).then_some(candidate)
    }

    /// The message of a step that uses channels only after it has left its first location, if it is the only
    /// one and cannot be avoided. It must be possible in the middle of the step if it is possible at the
    /// beginning.
    fn later_message(&self, first: TransitionId, target: LocationId) -> Option<(UseKind, Expr)> {
        let is_message = |found: &Use| !matches!(found.kind, UseKind::Poll | UseKind::Await { .. });
        let assigned = &self.assigned_channels[self.program.locations[target].procedure.index()];
        let mut found = None;
        let mut at = target;
        if self.footprints[first].uses.iter().any(is_message) {
            return None;
        }
        for _ in 0..LONGEST_WALK {
            let [next] = self.program.locations[at].transitions[..] else { return None };
            let (transition, footprint) = (&self.program.transitions[next], &self.footprints[next]);
            if transition.guard != Guard::Always || footprint.ends {
                return None;
            }
            match &footprint.uses[..] {
                [] => {}
                [message] if found.is_none() => {
                    plain_message(transition)?;
                    let channel = message.channel.as_ref().filter(|channel| is_steady(channel, assigned))?;
                    found = Some((message.kind, channel.clone()));
                }
                _ => return None,
            }
            match transition.exit {
                Exit::Jump(Jump::Goto(target)) if self.goes_on(transition, target) => at = target,
                _ => return found,
            }
        }
        None
    }

    /// Whether a step continues at the target of a transition.
    fn goes_on(&self, transition: &Transition, target: LocationId) -> bool {
        let target = &self.program.locations[target];
        transition.exclusive || target.fused || target.atomic
    }

    /// What happens at a resume location.
    fn resume(&self, location: LocationId, sets: &mut Sets) -> Option<Candidate> {
        let LocationKind::Resume { then, .. } = &self.program.locations[location].kind else { return None };
        let goes_on = matches!(then, Jump::Goto(target) if self.program.locations[*target].atomic);
        let part = &self.resumes[location];
        let mut candidate = Candidate::default();
        (!part.must_begin && !goes_on && self.settle(&mut candidate, part, sets)).then_some(candidate)
    }

    /// Computes what no other thread may write, and which properties can notice the step. Returns whether the
    /// step may be ample: it is invisible to properties of runs, and its effects are known.
    fn settle(&self, candidate: &mut Candidate, all: &Part, sets: &mut Sets) -> bool {
        candidate.heap = [all.reads, all.writes].iter().any(|&set| sets.contains(set, HEAP));
        let [reads, writes] = [all.reads, all.writes]
            .map(|set| if candidate.heap { sets.filter(set, |resource| resource != HEAP) } else { set });
        let settled = sets.filter(writes, |resource| self.is_variable(resource));
        (candidate.reads, candidate.writes) = (reads, writes);
        candidate.settled = sets.union(reads, settled);
        candidate.returns = all.returns;
        let [in_states, in_runs] = all.visible_to;
        candidate.visible = in_states;
        !in_runs && !all.immovable
    }

    /// Whether a resource is a global, which all threads share.
    fn is_variable(&self, resource: usize) -> bool {
        (GLOBALS..GLOBALS + self.program.globals.len()).contains(&resource)
    }

    /// By location: whether a step that passes it passes a sticky location.
    fn passing(&self, sticky: &[bool]) -> Vec<bool> {
        let mut passing = sticky.to_vec();
        close(&self.flow.passages, &mut passing, |all, next| *all |= next);
        passing
    }

    /// Computes the detours of sticky locations, where `firm` are the locations that no thread ever leaves by
    /// ample steps.
    fn find_detours(&self, candidates: &mut Table<LocationId, Option<Candidate>>, firm: &[bool]) {
        let parts = components_without(&self.flow.successors, firm);
        for (id, location) in self.program.locations.iter() {
            let Some(candidate) = candidates[id].as_mut().filter(|candidate| candidate.sticky) else {
                continue;
            };
            let leads_back = |to: LocationId| parts.of[to.index()] == parts.of[id.index()];
            let is_detour = |transition: &TransitionId| match self.program.transitions[*transition].exit {
                Exit::Jump(Jump::Goto(target)) => firm[target.index()] || !leads_back(target),
                _ => false,
            };
            candidate.detours = location.transitions.iter().copied().filter(is_detour).collect();
        }
    }

    /// By location: the cost of breaking cycles of its procedure there.
    fn costs(
        &self,
        resources: &Resources<'_>,
        candidates: &Table<LocationId, Option<Candidate>>,
        conflicts: &Conflicts,
        sets: &mut Sets,
    ) -> Vec<u32> {
        let program = self.program;
        let contested = contested(program, of_procedures(program, self.footprints));
        let contested = sets.of(contested.iter().filter(|&resource| resource != RENDEZVOUS));
        let mut costs = Vec::new();
        for (id, location) in program.locations.iter() {
            costs.push(match &candidates[id] {
                // They come after calls, and every cycle through one also contains its call.
                _ if !matches!(location.kind, LocationKind::Plain) => 5,
                // Threads do not rest at these.
                _ if location.fused || location.atomic => 4,
                None => 0,
                Some(_) if !conflicts.have(id) => 0,
                Some(step)
                    if sets.intersects(step.reads, contested) || sets.intersects(step.writes, contested) =>
                {
                    1
                }
                _ if self.acquires(id) => 1,
                _ if resources.is_sensing(id) => 3,
                Some(step) if step.operations.len() == location.transitions.len() => 2,
                Some(_) => 3,
            });
        }
        costs
    }

    /// Whether locks are taken at a location.
    fn acquires(&self, location: LocationId) -> bool {
        let transitions = self.program.locations[location].transitions.iter();
        let mut actions = transitions.flat_map(|&id| &self.program.transitions[id].body);
        actions.any(|action| matches!(action.kind, ActionKind::Lock(_) | ActionKind::Unwait(_)))
    }
}

/// The footprints, with the procedures to which they belong.
fn of_procedures<'a>(
    program: &'a Program,
    footprints: &'a Table<TransitionId, Footprint>,
) -> impl Iterator<Item = (ProcedureId, &'a Footprint)> {
    let procedure = |transition: &Transition| program.locations[transition.source].procedure;
    program.transitions.values().map(procedure).zip(footprints.values())
}

/// The resources that are written, and not used by one thread only.
fn contested<'a>(program: &Program, footprints: impl Iterator<Item = (ProcedureId, &'a Footprint)>) -> Bits {
    let mut instances = vec![0; program.procedures.len()];
    program.active.iter().for_each(|procedure| instances[procedure.index()] += 1);
    for action in program.transitions.values().flat_map(|transition| &transition.body) {
        if let ActionKind::Start { procedure, .. } = action.kind {
            instances[procedure.index()] += 2;
        }
    }
    // By resource: the first procedure that uses it.
    let mut users = Vec::<Option<ProcedureId>>::new();
    let (mut written, mut shared) = (Bits::default(), Bits::default());
    for (procedure, footprint) in footprints {
        let is_one_thread = instances[procedure.index()] <= 1
            && program.procedures[procedure].kind != ProcedureKind::Function;
        footprint.writes.iter().for_each(|&resource| written.insert(resource));
        for &resource in footprint.reads.iter().chain(&footprint.writes) {
            if users.len() <= resource {
                users.resize(resource + 1, None);
            }
            if *users[resource].get_or_insert(procedure) != procedure || !is_one_thread {
                shared.insert(resource);
            }
        }
    }
    let mut contested = Bits::default();
    shared.iter().filter(|&resource| written.contains(resource)).for_each(|one| contested.insert(one));
    contested
}

/// By procedure: the locals that are assigned while threads run; with `but_zero`, assignments of 0 do not
/// count.
fn assigned(program: &Program, but_zero: bool) -> Vec<Bits> {
    let mut assigned = vec![Bits::default(); program.procedures.len()];
    let mut assign = |procedure: ProcedureId, place: &Place| {
        if let PlaceKind::Local(LocalId(id)) | PlaceKind::Element(Array::Local(LocalId(id)), _) = place.kind {
            assigned[procedure.index()].insert(id as usize);
        }
    };
    for transition in program.transitions.values() {
        let procedure = program.locations[transition.source].procedure;
        for action in &transition.body {
            // Dead variables are set to 0, which is not a channel.
            let is_zero = |value: &Expr| value.kind == ExprKind::Const(ir::Const::Int(0));
            if !(but_zero && matches!(&action.kind, ActionKind::Assign(_, value) if is_zero(value))) {
                action.places().into_iter().for_each(|place| assign(procedure, place));
            }
        }
    }
    for location in program.locations.values() {
        if let LocationKind::Resume { result: Some(place), .. } = &location.kind {
            assign(location.procedure, place);
        }
    }
    let forgotten = program.locations.values().any(|location| location.live.is_some());
    for (id, procedure) in program.procedures.iter() {
        for catch in &procedure.catches {
            assigned[id.index()].insert(catch.variable.index());
        }
        // A variable that is no longer live gets the default of its type, which is 0 if 0 is in range.
        for (local, variable) in procedure.locals.iter() {
            let zero = matches!(program.types[variable.ty], Type::Int(int) if int.default_value() == 0);
            if forgotten && !(but_zero && zero) {
                assigned[id.index()].insert(local.index());
            }
        }
    }
    assigned
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// Two threads that write the same variables one after the other, repeatedly.
    fn line(statements: usize) -> Program {
        let mut text = "program line; features thread_ids;\n".to_owned();
        (0..50).for_each(|at| writeln!(text, "global int wrap (0, 3) x{at};").expect("it is a string"));
        for name in ["A", "B"] {
            write!(text, "thread {name}() {{").expect("it is a string");
            for at in 0..statements {
                write!(text, "loc l{at}: do {{ x{} := 1; }} goto l{};", at % 50, at + 1)
                    .expect("it is a string");
            }
            write!(text, "loc l{statements} end: }}").expect("it is a string");
        }
        testing::program(&(text + "active A, B;"))
    }

    /// The size of the results does not grow faster than the program.
    #[test]
    fn long_programs_have_as_many_futures_as_short_ones() {
        let sizes = [200, 10_000].map(|statements| {
            let analysis = Analysis::new(&line(statements), &Observed::default());
            (analysis.futures.classes().len(), analysis.sets.size())
        });
        assert_eq!(sizes[0], sizes[1]);
        // One per variable that is the last one, and the end.
        assert_eq!(sizes[0].0, 51);
    }
}
