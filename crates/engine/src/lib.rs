//! Executes the IR over packed states: the fast interpreter, as a [`TransitionSystem`].
//!
//! The program is compiled once (`compile`) to a compact bytecode (`code`), which `machine` runs, and a table
//! of locations (`locations`). `steps` finds the steps of a state, `firing` takes them, and `messages` is
//! about channels in both. `successor_cache` answers most of that from memory.
//!
//! The meaning of programs is written down in the crate `ir`; the crate `naive` implements the same text in
//! the plainest way, and tests compare the two.

mod channels;
mod choices;
mod code;
mod collections;
mod compile;
mod coverage;
mod decision_tree;
mod eval;
mod firing;
mod jump_threading;
mod locations;
mod machine;
mod messages;
mod over;
mod recorder;
mod steps;
mod successor_cache;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ir::{ChannelId, ExprKind, Id, Leaks, LocationId, Memory, ProcedureId, Program, TransitionId, Type};
use rustc_hash::FxHashMap;
use source::Span;
use state::{Access, Bounds, Layout, ObjectId, State, ThreadId};
use system::{
    Alarm, Effect, Encoding, Fault, FaultKind, Fired, Fuel, Halt, HiddenData, Limits, Step, Steps,
    SuccessorCache, Temporal, TransitionSystem,
};

use choices::Choices;
use code::{ANY, Code, Op};
use coverage::Coverage;
use eval::{EvalContext, Stack};
use jump_threading::JumpThreading;
use locations::LocationCode;
use machine::{CatchCode, Stop};
use successor_cache::Cache;

pub use choices::Exchanges;
pub use over::OverEngine;

/// A compiled program.
pub struct Engine {
    layout: Layout,
    code: Code,
    locations: Box<[LocationCode]>,
    catches: Vec<Vec<CatchCode>>,
    /// By record.
    scoped: Vec<bool>,
    /// By field and record: the position of the field in the record.
    field_leaves: Vec<Vec<u32>>,
    scoped_channels: Vec<bool>,
    /// Whether deleted objects become tombstones.
    deletes: bool,
    leaks: Leaks,
    /// By procedure: its entry, and how its parameters are admitted.
    entries: Vec<u32>,
    params: Vec<Vec<u32>>,
    virtuals: Vec<VirtualCode>,
    /// `descents[record][ancestor]`
    descents: Vec<Vec<bool>>,
    active: Vec<ProcedureId>,
    bounds_are_errors: bool,
    first_channels: Vec<ChannelId>,
    /// By procedure.
    channels_of: Vec<Vec<ChannelId>>,
    priorities: Vec<u8>,
    /// The words of untracked variables, if the program ever reads any.
    hidden: Option<Mutex<HiddenWords>>,
    /// By transition: whether it leads to or leaves from a fused location.
    fused_transitions: Vec<bool>,
    jumps: JumpThreading,
    /// See the methods of [`Program`] with these names.
    has_fused: bool,
    has_conditions: bool,
    has_exclusive: bool,
    has_timeout: bool,
    /// Threads have one frame each and observable ids, and there are no objects and collections: everything
    /// that steps depend on has a fixed place.
    is_flat: bool,
    /// `timeout` is read elsewhere than in the guards of plain locations.
    bodies_ask_for_timeout: bool,
    /// The property whose propositions make up the valuation of a state.
    property: Option<usize>,
    /// The locations that any run ever reached.
    reached: Coverage,
    /// The transitions that any run ever took.
    taken: Coverage,
}

struct VirtualCode {
    args: usize,
    /// By record.
    targets: Vec<Option<ProcedureId>>,
}

/// The words of untracked variables, each combination once.
#[derive(Default)]
struct HiddenWords {
    words: Vec<Arc<[u64]>>,
    numbers: FxHashMap<Arc<[u64]>, u32>,
}

/// The number of new combinations for which there is room: more than a few hundred steps lead to.
const MEMOS: usize = 1 << 10;

impl HiddenWords {
    /// Makes sure that the next steps need no memory here, if there is any.
    fn has_room(&mut self) -> bool {
        state::make_room(&mut self.words, MEMOS) && self.numbers.try_reserve(MEMOS).is_ok()
    }
}

/// The reason why a condition of a state has no value.
fn halt(stop: Stop) -> Halt {
    match stop {
        Stop::Fault(fault) => Halt::Fault(fault),
        Stop::Truncated(bound) => Halt::Truncated(bound),
        Stop::Abandoned => Halt::Abandoned,
        Stop::Blocked => unreachable!("expressions do not block"),
    }
}

fn lock(hidden: &Mutex<HiddenWords>) -> MutexGuard<'_, HiddenWords> {
    hidden.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A state, and what running it needs.
#[derive(Clone, Debug)]
pub struct EngineState {
    pub state: State,
    stack: Stack,
    choices: Choices,
    /// A frame in the making.
    frame: Vec<u64>,
    /// Steps inside an atomic block.
    micro: Steps,
    /// The steps of the exclusive thread, if they are known.
    next: Steps,
    has_next: bool,
    /// A fault in the making of the initial state, as long as this is the initial state.
    start_fault: Option<Fault>,
    cache: Cache,
}

impl Engine {
    /// Compiles `program`, which must verify and start with no more threads than `bounds` admit. Exceeding
    /// one of `bounds` truncates the exploration, or is a fault if `bounds_are_errors`.
    pub fn new(program: &Program, bounds: Bounds, bounds_are_errors: bool) -> Self {
        debug_assert!(ir::verify(program).is_ok(), "the program does not verify: {:?}", ir::verify(program));
        assert!(program.active.len() <= bounds.threads as usize, "more active threads than the bound admits");
        let layout = Layout::new(program, bounds);
        let mut code = compile::compile(program, &layout);
        let mut params = Vec::new();
        for procedure in program.procedures.values() {
            let types = procedure.locals.values().take(procedure.params).map(|param| param.ty);
            let admits = types.map(|ty| match program.types[ty] {
                Type::Int(int) => {
                    code.admits.push(int);
                    code.admits.len() as u32 - 1
                }
                _ => ANY,
            });
            params.push(admits.collect());
        }
        let virtuals = program.virtuals.values().map(|table| {
            let mut targets = vec![None; program.records.len()];
            for &(record, procedure) in &table.targets {
                targets[record.index()] = Some(procedure);
            }
            let args = table.targets.first().map_or(0, |&(_, target)| program.procedures[target].params);
            VirtualCode { args, targets }
        });
        let descents = program
            .records
            .values()
            .map(|record| program.records.ids().map(|ancestor| record.descends_from(ancestor)).collect());
        let leaves = |field: ir::FieldId| {
            let leaf = |record: &ir::Record| record.fields.iter().position(|&other| other == field);
            program.records.values().map(|record| leaf(record).unwrap_or(0) as u32).collect()
        };
        let mut has_timeout = false;
        let mut looks_at_untracked = false;
        program.each_expr(&mut |expr| match expr.kind {
            ExprKind::Timeout => has_timeout = true,
            ExprKind::Global(id) | ExprKind::Element(ir::Array::Global(id), _) => {
                looks_at_untracked |= program.globals[id].untracked;
            }
            _ => {}
        });
        Self {
            locations: locations::locations(program, &layout, &code),
            first_channels: program.first_channels.clone(),
            channels_of: steps::channels_of(program),
            priorities: program.procedures.values().map(|procedure| procedure.priority).collect(),
            hidden: looks_at_untracked.then(Mutex::default),
            fused_transitions: steps::fused_transitions(program),
            jumps: JumpThreading::new(program, &code),
            has_fused: program.has_fused_locations(),
            has_conditions: program.has_conditions(),
            has_exclusive: program.has_exclusive_transitions(),
            is_flat: program.is_flat(),
            has_timeout,
            bodies_ask_for_timeout: steps::bodies_ask_for_timeout(program),
            field_leaves: program.fields.ids().map(leaves).collect(),
            scoped: program.records.values().map(|record| record.scoped).collect(),
            scoped_channels: program.channels.values().map(|channel| channel.scoped).collect(),
            deletes: matches!(program.memory, Memory::Explicit(_)),
            leaks: program.memory.leaks(),
            catches: machine::catches(program, &layout),
            entries: program.procedures.values().map(|procedure| procedure.entry.0).collect(),
            params,
            virtuals: virtuals.collect(),
            descents: descents.collect(),
            active: program.active.clone(),
            bounds_are_errors,
            property: None,
            reached: Coverage::none_of(program.locations.len()),
            taken: Coverage::none_of(program.transitions.len()),
            code,
            layout,
        }
    }

    /// With `Temporal::valuation` about the property of this number in
    /// [`Program::properties`](ir::Program::properties), which must exist.
    #[must_use]
    pub fn with_property(mut self, property: usize) -> Self {
        assert!(property < self.code.propositions.len(), "there is no property {property}");
        self.property = Some(property);
        self
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The place in the source of a fault that this engine reported.
    pub fn span(&self, fault: Fault) -> Option<Span> {
        match fault.kind {
            FaultKind::Deadlock => None,
            _ => self.code.spans.get(fault.site as usize).copied(),
        }
    }

    /// Whether any run ever reached a location.
    pub fn was_reached(&self, location: LocationId) -> bool {
        self.reached.contains(location.index())
    }

    /// Whether any run ever took a transition.
    pub fn was_taken(&self, transition: TransitionId) -> bool {
        self.taken.contains(transition.index())
    }

    /// Which locations any run ever reached, and which transitions any run ever took, as bits.
    pub fn coverage(&self) -> [Vec<u64>; 2] {
        [self.reached.words(), self.taken.words()]
    }

    /// Adds the coverage of an engine for the same program.
    pub fn cover(&self, [reached, taken]: &[Vec<u64>; 2]) {
        self.reached.add(reached);
        self.taken.add(taken);
    }

    #[inline]
    fn reach(&self, location: u32) {
        self.reached.insert(location);
    }

    /// The location of the frame that starts there.
    #[inline]
    fn location_at(&self, state: &State, frame: usize) -> &LocationCode {
        &self.locations[state.read(frame, self.layout.location) as usize]
    }
}

impl Engine {
    /// Fires a step like [`TransitionSystem::fire`], but leaves the garbage where it is.
    #[inline]
    pub fn fire_only(&self, es: &mut EngineState, step: Step) -> Fired {
        es.state.mark();
        es.stack.soft_fault = None;
        es.stack.fused_steps = 0;
        es.has_next = false;
        es.start_fault = None;
        let end = self.take(es, step);
        // However the step ended, what is evaluated next is not a part of it.
        es.stack.context = EvalContext::default();
        match end {
            Ok(()) => match es.stack.soft_fault.take() {
                Some(fault) => Fired::MovedWithFault(fault),
                None => Fired::Moved,
            },
            Err(stop) => {
                es.state.undo();
                match stop {
                    Stop::Fault(fault) => Fired::Fault(fault),
                    Stop::Truncated(bound) => Fired::Truncated(bound),
                    Stop::Abandoned => Fired::Abandoned,
                    Stop::Blocked => unreachable!("{step:?} was not enabled"),
                }
            }
        }
    }

    /// What came of a step that moved, after the garbage was dropped: whether it lost objects.
    #[inline]
    pub fn with_leaks(&self, es: &EngineState, step: Step, fired: Fired) -> Fired {
        if self.leaks == Leaks::Off || !self.has_leak(&es.state) {
            return fired;
        }
        let body = self.code.transitions[step.transition as usize].body as usize;
        let done = self.code.ops[body..].iter().position(|op| matches!(op, Op::BodyDone));
        let site = body + done.expect("bodies have an end");
        Fired::MovedWithFault(Fault { kind: FaultKind::Leak, site: site as u32 })
    }

    fn has_leak(&self, state: &State) -> bool {
        let is_over = || !(0..state.thread_limit()).any(|thread| state.is_running(ThreadId(thread)));
        state.has_lost_objects()
            || self.leaks == Leaks::End && is_over() && state.has_objects_to_delete(&self.layout)
    }

    /// Records every word that a thread reads or writes while its steps are found, fired and undone. Not for
    /// programs with observable ids of threads.
    pub fn dry_run(&self, es: &mut EngineState, thread: ThreadId, trial: &mut Trial) {
        let mut steps = Steps::default();
        es.state.trace_accesses();
        self.own_steps(es, thread, &mut steps);
        trial.guards = es.state.count_accesses();
        trial.succeeds = steps.faults.is_empty() && !steps.is_abandoned;
        let loses = self.leaks != Leaks::Off;
        let before = if loses && !es.state.journals_graph() && !steps.enabled.is_empty() {
            es.state.references(&self.layout)
        } else {
            Vec::new()
        };
        // Steps beside a fault count as well.
        for &step in &steps.enabled {
            let has_moved = matches!(self.fire_only(es, step), Fired::Moved | Fired::MovedWithFault(_));
            let is_over = self.layout.exclusive.is_none_or(|slot| es.state.read_untraced(0, slot) == 0);
            if has_moved && loses {
                es.state.dropped_references(&self.layout, &before, &mut trial.dropped);
            }
            if has_moved {
                es.state.undo();
            }
            trial.succeeds &= has_moved && is_over;
        }
        es.state.stop_tracing();
        es.state.take_accesses(&mut trial.accesses);
    }
}

/// The result of a [dry run](Engine::dry_run) of a thread.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    pub accesses: Vec<Access>,
    /// The number of those that were made while its steps were found.
    pub guards: usize,
    /// If leaks are reported: the objects that references were dropped to.
    pub dropped: Vec<ObjectId>,
    /// All its steps succeed, and it is not exclusive after any of them.
    pub succeeds: bool,
}

impl Engine {
    /// Adds the steps of one thread, if there is such a thread.
    pub fn steps_of(&self, es: &mut EngineState, thread: ThreadId, out: &mut Steps) {
        if es.state.is_running(thread) {
            self.own_steps(es, thread, out);
        }
    }

    /// Adds the steps of one thread, if there is such a thread. Where symmetries of the state map choices to
    /// each other, one of them stands for all: its step is listed as many times as there are such choices, in a
    /// row.
    pub fn folded_steps_of(
        &self,
        es: &mut EngineState,
        thread: ThreadId,
        symmetries: &mut Exchanges,
        out: &mut Steps,
    ) {
        std::mem::swap(&mut es.choices.exchanges, symmetries);
        self.steps_of(es, thread, out);
        std::mem::swap(&mut es.choices.exchanges, symmetries);
    }

    /// Whether some thread is at a location with a transition that may have choice points.
    pub fn may_choose(&self, state: &State) -> bool {
        (0..state.thread_limit())
            .map(ThreadId)
            .any(|thread| state.is_running(thread) && self.location_at(state, state.frame(thread)).may_choose)
    }
}

impl TransitionSystem for Engine {
    type State = EngineState;
    type Cache = Self;

    fn initial(&self) -> EngineState {
        let mut es = EngineState {
            state: State::new(&self.layout),
            stack: Stack::default(),
            choices: Choices::default(),
            frame: Vec::new(),
            micro: Steps::default(),
            next: Steps::default(),
            has_next: false,
            start_fault: None,
            cache: Cache::default(),
        };
        self.make_initial(&mut es);
        es
    }

    fn steps(&self, es: &mut EngineState, out: &mut Steps) {
        out.clear();
        self.state_steps(es, out);
    }

    fn fire(&self, es: &mut EngineState, step: Step) -> Fired {
        let fired = self.fire_only(es, step);
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) && self.layout.collects_garbage() {
            es.state.collect(&self.layout);
            return self.with_leaks(es, step, fired);
        }
        fired
    }

    #[inline]
    fn is_transient(&self, es: &EngineState) -> bool {
        self.has_exclusive && self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0)
    }

    fn undo(&self, es: &mut EngineState) {
        es.has_next = false;
        es.state.undo();
    }

    fn check(&self, es: &mut EngineState) -> Result<(), Halt> {
        if let Some(fault) = es.start_fault {
            return Err(Halt::Fault(fault));
        }
        // In the middle of an atomic block the state cannot be observed.
        if self.layout.exclusive.is_some_and(|slot| es.state.read(0, slot) != 0) {
            return Ok(());
        }
        let mut unevaluated = None;
        for &start in &self.code.invariants {
            es.stack.clear();
            // It is not evaluated for a thread: invariants are about globals.
            let end = self.eval(&es.state, &mut es.stack, ThreadId(u32::MAX), 0, start as usize, 0);
            match end {
                Ok(pc) if es.stack.values.pop() == Some(0) => {
                    return Err(Halt::Fault(Fault { kind: FaultKind::Invariant, site: pc as u32 }));
                }
                Ok(_) => {}
                Err(stop) => match halt(stop) {
                    // An invariant that comes later may be violated, and that counts more.
                    Halt::Truncated(_) => unevaluated = unevaluated.or(Some(halt(stop))),
                    halt => return Err(halt),
                },
            }
        }
        unevaluated.map_or(Ok(()), Err)
    }

    fn ended(&self, es: &EngineState) -> bool {
        self.has_ended(&es.state)
    }

    fn encode(&self, es: &mut EngineState, into: &mut Encoding) {
        es.state.encode(&self.layout, into);
    }

    fn decode(&self, from: &Encoding, es: &mut EngineState) {
        es.has_next = false;
        es.start_fault = None;
        es.state.decode(&self.layout, from);
    }

    fn limits(&self) -> Option<&dyn Limits<EngineState>> {
        Some(self)
    }

    fn hidden_data(&self) -> Option<&dyn HiddenData<EngineState>> {
        self.hidden.is_some().then_some(self)
    }

    fn successor_cache(&self) -> Option<&Self> {
        Some(self)
    }
}

impl Limits<EngineState> for Engine {
    fn has_room(&self, es: &mut EngineState) -> bool {
        !es.stack.is_starved
            && es.state.has_room()
            && self.hidden.as_ref().is_none_or(|hidden| lock(hidden).has_room())
    }

    fn heed(&self, es: &mut EngineState, alarm: &Arc<Alarm>) {
        es.stack.fuel = Fuel::new(alarm);
    }

    fn is_abandoned(&self, es: &EngineState) -> bool {
        es.stack.fuel.is_spent()
    }
}

/// Untracked variables are not encoded. A search that decodes states goes on with the values that they had
/// when the state was first met, as a search that does not decode states does anyway.
impl HiddenData<EngineState> for Engine {
    fn save(&self, es: &mut EngineState) -> u32 {
        let Some(hidden) = &self.hidden else { return 0 };
        let HiddenWords { words, numbers } = &mut *lock(hidden);
        let held = es.state.hidden_words(&self.layout);
        if let Some(&number) = numbers.get(held) {
            return number;
        }
        words.push(held.into());
        numbers.insert(held.into(), words.len() as u32 - 1);
        words.len() as u32 - 1
    }

    fn restore(&self, data: u32, es: &mut EngineState) {
        if let Some(hidden) = &self.hidden {
            es.state.set_hidden_words(&self.layout, &lock(hidden).words[data as usize]);
        }
    }
}

impl SuccessorCache<EngineState> for Engine {
    fn threads(&self, es: &mut EngineState) -> Range<u32> {
        if !self.is_cacheable(es) {
            return 0..0;
        }
        es.cache.follow_changes(&mut es.state);
        0..es.state.thread_limit()
    }

    fn successors(&self, es: &mut EngineState, thread: u32, visit: impl FnMut(Step, Effect<'_>)) -> bool {
        self.cached_successors(es, thread, visit)
    }

    fn apply(&self, es: &mut EngineState, step: Step, number: usize, later: &mut Vec<Step>) -> bool {
        self.apply_successor(es, step, number, later)
    }

    fn thread_steps(&self, es: &mut EngineState, thread: u32, out: &mut Steps) {
        self.steps_of(es, ThreadId(thread), out);
    }

    fn has_state_properties(&self) -> bool {
        !self.code.invariants.is_empty()
    }
}

impl Temporal for Engine {
    fn partner(&self, es: &mut EngineState, step: Step) -> Option<u32> {
        self.receiver(es, step)
    }

    fn thread_names(&self, es: &mut EngineState, out: &mut Vec<u32>) -> bool {
        let name = |id: u32| if es.state.is_running(ThreadId(id)) { id } else { u32::MAX };
        out.clear();
        out.extend((0..es.state.thread_limit()).map(name));
        false
    }

    fn is_observed(&self, es: &EngineState) -> bool {
        self.layout.exclusive.is_none_or(|slot| es.state.read(0, slot) == 0)
    }

    fn valuation(&self, es: &mut EngineState) -> Result<u64, Halt> {
        let mut valuation = 0;
        let propositions = self.property.map_or(&[][..], |property| &self.code.propositions[property]);
        for (bit, &pc) in propositions.iter().enumerate() {
            // It is not evaluated for a thread, like those of invariants.
            let value = self.value(&es.state, &mut es.stack, ThreadId(u32::MAX), 0, pc).map_err(halt)?;
            valuation |= u64::from(value != 0) << bit;
        }
        Ok(valuation)
    }
}
