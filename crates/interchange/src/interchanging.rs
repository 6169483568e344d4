//! The engine with interchangeable threads and channels: the same steps, but states are encoded as the
//! representatives of their orbits.
//!
//! A representative is a state of the program: it is decoded as it is, and searched from.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use engine::{Engine, EngineState, OverEngine};
use ir::{Array, Expr, ExprKind, LocalId, LocationId, Permutation, ProcedureId, Program};
use rustc_hash::FxHashMap;
use state::{Layout, State, ThreadId};
use system::{
    Alarm, Effect, Encoding, Fault, Fired, Halt, HiddenData, Limits, Step, Steps, SuccessorCache, Temporal,
    TransitionSystem, Waypoint,
};

use crate::canonical::Order;
use crate::cells::Cells;
use crate::plan::Plan;
use crate::population::{Locations, Population, Reach};
use crate::walk::ChannelFlow;

/// When there are this many plans, states for which there is none yet stay as they are.
const MOST_PLANS: usize = 64;

/// When there are this many, others are looked for anew each time.
const MOST_NUMBERS: usize = 1 << 12;

/// Counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// States that were put in order, those for which ties had to be searched, and those whose search ran out of
    /// budget.
    pub named: u64,
    pub searched: u64,
    pub exhausted: u64,
    /// Plans that the verifier refuted: their states stay as they are.
    pub refuted: u64,
}

/// The plans of a program, made as they are needed.
struct Plans<'p> {
    program: &'p Program,
    observed: Vec<&'p Expr>,
    flow: ChannelFlow,
    reach: Reach,
    known: Vec<(Vec<ProcedureId>, Locations, Rc<Cells>)>,
    /// By what each thread runs and can still get to, as far as that was asked for: the number of the plan.
    numbers: FxHashMap<Vec<u32>, usize>,
    /// What was asked for last, and the number of its plan.
    asked: Vec<u32>,
    last: Option<usize>,
    threads: Vec<ProcedureId>,
    text: Locations,
    /// How many the verifier refuted.
    refuted: u64,
    alarm: Option<Arc<Alarm>>,
}

impl Plans<'_> {
    /// The plan for a state, unless there are too many.
    fn of(&mut self, layout: &Layout, state: &State) -> Option<Rc<Cells>> {
        let mut is_it = self.last.is_some() && self.asked.len() == state.thread_count() as usize;
        self.asked.resize(state.thread_count() as usize, u32::MAX);
        for (thread, asked) in (0..).map(ThreadId).zip(&mut self.asked) {
            let number = self.reach.number(location(layout, state, thread));
            is_it &= std::mem::replace(asked, number) == number;
        }
        if !is_it {
            self.last = self.numbers.get(&self.asked).copied().or_else(|| self.find(layout, state));
        }
        self.last.map(|at| Rc::clone(&self.known[at].2))
    }

    /// The number of the plan for a state, by who is there and which text they can get to.
    #[cold]
    fn find(&mut self, layout: &Layout, state: &State) -> Option<usize> {
        self.look(layout, state);
        let is_it = |(threads, text, _): &(Vec<ProcedureId>, Locations, _)| {
            *threads == self.threads && *text == self.text
        };
        let at = match self.known.iter().position(is_it) {
            Some(at) => at,
            None if self.known.len() == MOST_PLANS => return None,
            None => {
                let made = self.make(layout, state);
                self.known.push(made);
                self.known.len() - 1
            }
        };
        if self.numbers.len() < MOST_NUMBERS {
            self.numbers.insert(self.asked.clone(), at);
        }
        Some(at)
    }

    /// Some plan. Any will do to change nothing.
    fn any(&mut self, layout: &Layout, state: &State) -> Rc<Cells> {
        if self.known.is_empty() {
            let made = self.make(layout, state);
            self.known.push(made);
        }
        Rc::clone(&self.known[0].2)
    }

    /// Makes a plan for a state.
    fn make(&mut self, layout: &Layout, state: &State) -> (Vec<ProcedureId>, Locations, Rc<Cells>) {
        self.look(layout, state);
        let population = Population::of(self.program, self.threads.clone());
        let parameter = |thread: u32, id: LocalId| {
            let procedure = population.threads[thread as usize];
            let is_array = !self.program.procedures[procedure].locals[id].dims.is_empty();
            let frame = state.frame(ThreadId(thread));
            (!is_array).then(|| state.read_untraced(frame, layout.local(procedure, id)))
        };
        let mut plan =
            Plan::new(self.program, &self.flow, &population, &self.text, &self.observed, &parameter);
        let text = self.text.ids();
        let is_over = || self.alarm.as_ref().is_some_and(|alarm| alarm.is_due());
        if !plan.generate(&is_over) {
            plan.forbid();
        } else if plan.verify(self.program, &text, &self.observed).is_err() {
            self.refuted += 1;
            plan.forbid();
        }
        let cells = Rc::new(Cells::new(self.program, layout, plan));
        (self.threads.clone(), self.text.clone(), cells)
    }

    /// Finds out who is there, and which text they can get to.
    fn look(&mut self, layout: &Layout, state: &State) {
        self.threads.clear();
        self.text.clear();
        for thread in (0..state.thread_count()).map(ThreadId) {
            let location = location(layout, state, thread);
            self.threads.push(layout.procedure_of[location]);
            self.text.add(self.reach.from(location));
        }
    }
}

fn location(layout: &Layout, state: &State, thread: ThreadId) -> LocationId {
    LocationId(state.read_untraced(state.frame(thread), layout.location) as u32)
}

/// The system.
pub struct Interchanging<'e> {
    engine: &'e Engine,
    plans: RefCell<Plans<'e>>,
    stats: Rc<Cell<Stats>>,
}

/// A state, and which permutation leads to its representative.
pub struct Permuted {
    state: EngineState,
    order: Order,
    /// The plan of the state, if it is known, and then the permutation.
    known: Option<Rc<Cells>>,
    permutation: Permutation,
    /// If the plan allows one exchange only: whether it is the permutation.
    is_exchanged: Option<bool>,
    /// The state was decoded: it is a representative.
    is_decoded: bool,
    /// The steps to cached successors with the numbers of their effects, and the steps behind them.
    cached: Vec<(Step, u64)>,
    later: Vec<Step>,
}

impl Permuted {
    fn has_changed(&mut self) {
        (self.known, self.is_decoded) = (None, false);
    }
}

/// What a program must be for its threads to be interchangeable: why this one is not.
pub fn obstacle(program: &Program) -> Option<&'static str> {
    if !program.is_flat() {
        Some("it has objects, functions or collections")
    } else if program.monitor.is_some() {
        Some("a trace assertion watches channels by their numbers")
    } else {
        let inert = ir::inert(program, &[]);
        let reads_hidden = program.asks(|kind| match kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => {
                program.globals[*id].untracked && !inert[*id]
            }
            _ => false,
        });
        reads_hidden.then_some("what the model does depends on a hidden variable")
    }
}

impl<'e> Interchanging<'e> {
    /// `program` is the one that the engine runs, and must have no [`obstacle`]. Properties ask for `observed`.
    pub fn new(engine: &'e Engine, program: &'e Program, observed: Vec<&'e Expr>) -> Self {
        let reach = Reach::new(program);
        let text = reach.nothing();
        let plans = Plans {
            program,
            observed,
            flow: ChannelFlow::new(program),
            reach,
            known: Vec::new(),
            numbers: FxHashMap::default(),
            asked: Vec::new(),
            last: None,
            threads: Vec::new(),
            text,
            refuted: 0,
            alarm: None,
        };
        Self { engine, plans: RefCell::new(plans), stats: Rc::default() }
    }

    pub fn stats(&self) -> Stats {
        Stats { refuted: self.plans.borrow().refuted, ..self.stats.get() }
    }

    /// The plan for a state.
    pub fn plan(&self, permuted: &Permuted) -> Plan {
        let (_, _, cells) = self.plans.borrow_mut().make(self.engine.layout(), &permuted.state.state);
        cells.plan.clone()
    }

    /// The state, its plan, and the permutation that leads to its representative.
    fn known<'s>(&self, permuted: &'s mut Permuted) -> (&'s EngineState, &'s Rc<Cells>, &'s Permutation) {
        let Permuted { state, order, known, permutation, is_decoded, is_exchanged, .. } = permuted;
        let cells = known.get_or_insert_with(|| {
            *is_exchanged = None;
            let layout = self.engine.layout();
            let state = &state.state;
            let mut plans = self.plans.borrow_mut();
            if *is_decoded {
                permutation.reset(state.thread_count() as usize, state.channel_count() as usize);
                return plans.any(layout, state);
            }
            let plan = plans.of(layout, state).filter(|cells| !cells.plan.classes.is_empty());
            let Some(cells) = plan else {
                permutation.reset(state.thread_count() as usize, state.channel_count() as usize);
                return plans.any(layout, state);
            };
            let mut stats = self.stats.get();
            stats.named += 1;
            if let Some(exchange) = &cells.exchange {
                *is_exchanged = Some(cells.is_less(layout, state, exchange));
                self.stats.set(stats);
                return cells;
            }
            order.permute(layout, state, &cells, permutation);
            stats.searched += u64::from(order.searched);
            stats.exhausted += u64::from(!order.is_canonical);
            self.stats.set(stats);
            cells
        });
        match (&cells.exchange, *is_exchanged) {
            (Some(exchange), Some(is_exchanged)) => {
                (state, cells, &exchange.permutations[usize::from(is_exchanged)])
            }
            _ => (state, cells, permutation),
        }
    }
}

impl OverEngine for Interchanging<'_> {
    fn engine(&self) -> &Engine {
        self.engine
    }

    fn engine_state<'s>(&self, permuted: &'s Permuted) -> &'s EngineState {
        &permuted.state
    }

    fn engine_state_mut<'s>(&self, permuted: &'s mut Permuted) -> &'s mut EngineState {
        &mut permuted.state
    }

    fn renames(&self) -> bool {
        true
    }

    /// In the order that they have in the representative.
    fn order(&self, permuted: &mut Permuted, threads: &mut [ThreadId]) {
        let (_, _, permutation) = self.known(permuted);
        threads.sort_by_key(|thread| permutation.threads[thread.0 as usize]);
    }
}

impl TransitionSystem for Interchanging<'_> {
    type State = Permuted;
    type Cache = Self;

    fn initial(&self) -> Permuted {
        Permuted {
            state: self.engine.initial(),
            order: Order::default(),
            known: None,
            permutation: Permutation::default(),
            is_exchanged: None,
            is_decoded: false,
            cached: Vec::new(),
            later: Vec::new(),
        }
    }

    fn steps(&self, permuted: &mut Permuted, out: &mut Steps) {
        self.engine.steps(&mut permuted.state, out);
    }

    fn fire(&self, permuted: &mut Permuted, step: Step) -> Fired {
        permuted.has_changed();
        self.engine.fire(&mut permuted.state, step)
    }

    fn undo(&self, permuted: &mut Permuted) {
        permuted.has_changed();
        self.engine.undo(&mut permuted.state);
    }

    fn check(&self, permuted: &mut Permuted) -> Result<(), Halt> {
        self.engine.check(&mut permuted.state)
    }

    fn ended(&self, permuted: &Permuted) -> bool {
        self.engine.ended(&permuted.state)
    }

    fn is_transient(&self, permuted: &Permuted) -> bool {
        self.engine.is_transient(&permuted.state)
    }

    fn encode(&self, permuted: &mut Permuted, into: &mut Encoding) {
        let (state, cells, permutation) = self.known(permuted);
        cells.encode(self.engine.layout(), &state.state, permutation, into);
    }

    fn decode(&self, from: &Encoding, permuted: &mut Permuted) {
        permuted.has_changed();
        permuted.is_decoded = true;
        self.engine.decode(from, &mut permuted.state);
    }

    fn retrace(&self, chain: &[Waypoint], passing: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        crate::lift::retrace(self, chain, passing, last)
    }

    fn limits(&self) -> Option<&dyn Limits<Permuted>> {
        Some(self)
    }

    fn hidden_data(&self) -> Option<&dyn HiddenData<Permuted>> {
        None
    }

    fn successor_cache(&self) -> Option<&Self> {
        Some(self)
    }
}

/// The successors that the engine has cached, under other names.
impl SuccessorCache<Permuted> for Interchanging<'_> {
    fn renames(&self) -> bool {
        true
    }

    fn threads(&self, permuted: &mut Permuted) -> Range<u32> {
        self.engine.threads(&mut permuted.state)
    }

    /// Encodings are renamed as a whole.
    fn successors(&self, _: &mut Permuted, _: u32, _: impl FnMut(Step, Effect<'_>)) -> bool {
        false
    }

    fn encoded_successors(
        &self,
        permuted: &mut Permuted,
        thread: u32,
        into: &mut Encoding,
        mut visit: impl FnMut(Step, &mut Encoding),
    ) -> bool {
        let (mut cached, mut later) =
            (std::mem::take(&mut permuted.cached), std::mem::take(&mut permuted.later));
        cached.clear();
        let mut is_all = self.engine.successors(&mut permuted.state, thread, |step, effect| {
            cached.push((step, effect.number));
        });
        if !is_all {
            cached.clear();
        }
        for &(step, effect) in &cached {
            later.clear();
            is_all = self.engine.apply_effect(&mut permuted.state, effect, &mut later);
            if !is_all {
                break;
            }
            permuted.has_changed();
            self.encode(permuted, into);
            visit(step, into);
            for _ in 0..=later.len() {
                self.engine.undo(&mut permuted.state);
            }
            permuted.has_changed();
        }
        (permuted.cached, permuted.later) = (cached, later);
        is_all
    }

    fn apply(&self, permuted: &mut Permuted, step: Step, number: usize, later: &mut Vec<Step>) -> bool {
        permuted.has_changed();
        self.engine.apply(&mut permuted.state, step, number, later)
    }

    fn thread_steps(&self, permuted: &mut Permuted, thread: u32, out: &mut Steps) {
        self.engine.thread_steps(&mut permuted.state, thread, out);
    }

    fn has_state_properties(&self) -> bool {
        self.engine.has_state_properties()
    }
}

impl Limits<Permuted> for Interchanging<'_> {
    fn has_room(&self, permuted: &mut Permuted) -> bool {
        self.engine.has_room(&mut permuted.state)
    }

    fn heed(&self, permuted: &mut Permuted, alarm: &Arc<Alarm>) {
        self.plans.borrow_mut().alarm = Some(Arc::clone(alarm));
        self.engine.heed(&mut permuted.state, alarm);
    }

    fn is_abandoned(&self, permuted: &Permuted) -> bool {
        self.engine.is_abandoned(&permuted.state)
    }
}

impl Temporal for Interchanging<'_> {
    fn valuation(&self, permuted: &mut Permuted) -> Result<u64, Halt> {
        self.engine.valuation(&mut permuted.state)
    }

    fn is_observed(&self, permuted: &Permuted) -> bool {
        self.engine.is_observed(&permuted.state)
    }

    fn partner(&self, permuted: &mut Permuted, step: Step) -> Option<u32> {
        self.engine.partner(&mut permuted.state, step)
    }

    fn thread_names(&self, permuted: &mut Permuted, out: &mut Vec<u32>) -> bool {
        let (_, _, permutation) = self.known(permuted);
        out.clone_from(&permutation.threads);
        true
    }

    fn identity(&self, permuted: &mut Permuted) -> Option<Vec<u64>> {
        let mut encoding = Encoding::new();
        self.raw(permuted, &mut encoding);
        let mut words = Vec::new();
        for (key, component) in encoding.components() {
            words.extend([(key.section as u64) << 32 | u64::from(key.index), component.len() as u64]);
            words.extend_from_slice(component);
        }
        Some(words)
    }
}

impl Interchanging<'_> {
    /// Writes the state as it is.
    pub fn raw(&self, permuted: &Permuted, into: &mut Encoding) {
        let state = &permuted.state.state;
        let cells = self.plans.borrow_mut().any(self.engine.layout(), state);
        cells.encode_plain(self.engine.layout(), state, into);
    }

    /// The plan and the permutation that lead to the representative.
    pub(crate) fn names(&self, permuted: &mut Permuted) -> (Rc<Cells>, Permutation) {
        let (_, cells, permutation) = self.known(permuted);
        (Rc::clone(cells), permutation.clone())
    }
}
