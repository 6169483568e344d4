//! The engine under symmetry: the same steps, but states are encoded under the names that a [`Namer`] gives.
//!
//! Steps are those of the concrete state at hand, so trails are concrete executions.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use engine::{Engine, EngineState, OverEngine};
use state::{Names, NodeRef, ObjectId, State, ThreadId, UnitKind};
use system::{
    Alarm, Counted, Encoding, Fault, Fired, Halt, HiddenData, Limits, Statistics, Step, Steps, Temporal,
    TransitionSystem, Waypoint,
};

use crate::exchanges::Symmetries;
use crate::lift::Lift;
use crate::population::{self, Counts, Population};
use crate::{Level, Namer, Stats, SymmetryConfig};

pub struct Symmetric<'e> {
    engine: &'e Engine,
    config: SymmetryConfig,
    /// The counters of the states that are gone.
    stats: Rc<Cell<Stats>>,
    orders: RefCell<Orders>,
    population: Population,
}

/// Ids of threads in the order of their names, interned.
#[derive(Default)]
struct Orders {
    orders: Vec<Rc<[u32]>>,
    numbers: HashMap<Rc<[u32]>, u32>,
}

/// The number of new orders for which there is room: more than a few hundred steps lead to.
const MEMOS: usize = 1 << 10;

impl Orders {
    fn intern(&mut self, order: Vec<u32>) -> u32 {
        let order: Rc<[u32]> = order.into();
        *self.numbers.entry(order).or_insert_with_key(|order| {
            self.orders.push(Rc::clone(order));
            self.orders.len() as u32 - 1
        })
    }

    /// Makes sure that the next steps need no memory here, if there is any.
    fn has_room(&mut self) -> bool {
        state::make_room(&mut self.orders, MEMOS) && self.numbers.try_reserve(MEMOS).is_ok()
    }

    fn get(&self, number: u32) -> Rc<[u32]> {
        Rc::clone(&self.orders[number as usize])
    }
}

/// A state and its names.
pub struct Named {
    state: EngineState,
    namer: Namer,
    stats: Rc<Cell<Stats>>,
}

impl Drop for Named {
    fn drop(&mut self) {
        let mut stats = self.stats.get();
        stats.add(self.namer.take_stats());
        self.stats.set(stats);
    }
}

impl<'e> Symmetric<'e> {
    pub fn new(engine: &'e Engine, config: SymmetryConfig) -> Self {
        let (stats, orders, population) = (Rc::default(), RefCell::default(), Population::default());
        Self { engine, config, stats, orders, population }
    }

    /// For an encoding with this hidden data, by name: the id of the thread in the decoded state.
    pub fn thread_ids(&self, memo: u32) -> Option<Rc<[u32]>> {
        self.has_orders().then(|| self.orders.borrow().get(memo))
    }

    /// Whether names break ties by the ids of threads. Then an encoding does not determine the ids, nor which
    /// id is given next.
    fn has_orders(&self) -> bool {
        matches!(self.config.level, Level::Pc | Level::Bots(_))
    }

    /// The threads of the first encoded state with the most threads, and the objects of the first one with
    /// the most objects, by kind.
    pub fn population(&self) -> Vec<(UnitKind, u32)> {
        self.population.counts()
    }

    /// Writes a state under the ids that it has, in place of what `into` shows.
    pub fn write_plain(&self, named: &Named, into: &mut Encoding) {
        let (layout, state) = (self.engine.layout(), named.state());
        let mut words = Vec::new();
        into.clear();
        for unit in std::iter::once(NodeRef::Root).chain(state.units()) {
            words.clear();
            state.append(layout, unit, None, &mut words);
            into.set(unit.key(), &words);
        }
    }

    /// The sum of the counters of all states that are gone.
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }
}

impl Named {
    pub fn state(&self) -> &State {
        &self.state.state
    }

    /// The names of everything in the state.
    pub fn names(&mut self, engine: &Engine) -> &Names {
        self.namer.names(engine.layout(), &mut self.state.state)
    }
}

impl OverEngine for Symmetric<'_> {
    fn engine(&self) -> &Engine {
        self.engine
    }

    fn engine_state<'s>(&self, named: &'s Named) -> &'s EngineState {
        &named.state
    }

    fn engine_state_mut<'s>(&self, named: &'s mut Named) -> &'s mut EngineState {
        &mut named.state
    }

    fn mentions(&self, named: &Named, object: ObjectId, visit: &mut dyn FnMut(NodeRef, u64)) -> bool {
        let Some(chains) = named.namer.chains() else { return false };
        chains.mentions(NodeRef::Object(object)).for_each(|(source, label)| visit(source, label));
        true
    }

    fn renames(&self) -> bool {
        true
    }

    /// By their names: the order must not depend on ids, since states that are stored as one differ in them.
    fn order(&self, named: &mut Named, threads: &mut [ThreadId]) {
        let names = &named.namer.names(self.engine.layout(), &mut named.state.state).threads;
        threads.sort_by_key(|thread| names[thread.0 as usize]);
    }
}

impl TransitionSystem for Symmetric<'_> {
    type State = Named;
    type Cache = system::NoCache;

    fn initial(&self) -> Named {
        let mut state = self.engine.initial();
        let namer = Namer::new(self.config, self.engine.layout(), &mut state.state);
        Named { state, namer, stats: Rc::clone(&self.stats) }
    }

    fn steps(&self, named: &mut Named, out: &mut Steps) {
        self.engine.steps(&mut named.state, out);
    }

    /// If a symmetry of the state exchanges threads, the steps of the first one stand for those of the
    /// others. If it exchanges what a thread chooses from, one choice stands for the others.
    fn folded_steps(&self, named: &mut Named, out: &mut Steps) {
        let layout = self.engine.layout();
        let Named { state, namer, .. } = named;
        let is_alone =
            layout.exclusive.is_some_and(|slot| state.state.read_untraced(state.state.root(), slot) != 0);
        let choices = self.engine.may_choose(&state.state);
        let symmetries = if is_alone { None } else { namer.symmetries(layout, &mut state.state, choices) };
        let Some(Symmetries { counts, exchanges }) = symmetries else {
            return self.engine.steps(state, out);
        };
        out.clear();
        let mut own = Steps::default();
        for (&count, thread) in counts.iter().zip(0..).filter(|&(&count, _)| count > 0) {
            own.clear();
            self.engine.folded_steps_of(state, ThreadId(thread), exchanges, &mut own);
            let count = count as usize;
            out.enabled.extend(own.enabled.iter().flat_map(|&step| std::iter::repeat_n(step, count)));
            out.faults.extend(own.faults.iter().flat_map(|&fault| std::iter::repeat_n(fault, count)));
            out.is_abandoned |= own.is_abandoned;
        }
    }

    fn fire(&self, named: &mut Named, step: Step) -> Fired {
        named.namer.before_step(self.engine.layout(), &named.state.state);
        let fired = self.engine.fire_only(&mut named.state, step);
        if matches!(fired, Fired::Moved | Fired::MovedWithFault(_)) {
            named.namer.step(self.engine.layout(), &mut named.state.state);
            return self.engine.with_leaks(&named.state, step, fired);
        }
        fired
    }

    fn undo(&self, named: &mut Named) {
        named.namer.undo(self.engine.layout(), &mut named.state.state);
        self.engine.undo(&mut named.state);
    }

    fn check(&self, named: &mut Named) -> Result<(), Halt> {
        self.engine.check(&mut named.state)
    }

    fn ended(&self, named: &Named) -> bool {
        self.engine.ended(&named.state)
    }

    fn encode(&self, named: &mut Named, into: &mut Encoding) {
        named.namer.encode(self.engine.layout(), &mut named.state.state, into);
        self.population.meet(self.engine.layout(), &named.state.state, into);
    }

    fn decode(&self, from: &Encoding, named: &mut Named) {
        self.engine.decode(from, &mut named.state);
        named.namer.decoded(self.engine.layout(), &mut named.state.state);
    }

    fn retrace(&self, chain: &[Waypoint], passing: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        debug_assert!(passing.is_empty(), "programs with symmetry have no transient states");
        Lift::new(self).retrace(chain, last)
    }

    fn limits(&self) -> Option<&dyn Limits<Named>> {
        Some(self)
    }

    fn hidden_data(&self) -> Option<&dyn HiddenData<Named>> {
        self.has_orders().then_some(self)
    }

    fn statistics(&self) -> Option<&dyn Statistics<Named>> {
        Some(self)
    }
}

impl Statistics<Named> for Symmetric<'_> {
    fn take(&self, named: &mut Named) -> Counted {
        Box::new((named.namer.take_stats(), self.population.take()))
    }

    fn add(&self, counted: Counted) {
        let counted: Box<dyn Any> = counted;
        let counted = counted.downcast::<(Stats, Counts)>().expect("a system under symmetry has counted");
        let (stats, population) = *counted;
        let mut sum = self.stats.get();
        sum.add(stats);
        self.stats.set(sum);
        self.population.add(population);
    }

    fn write(&self, named: &Named, out: &mut Vec<u64>) -> bool {
        let mut stats = self.stats.get();
        stats.add(named.namer.stats());
        out.extend(stats.to_words());
        self.population.write(out);
        true
    }

    fn read(&self, words: &mut &[u64]) -> Option<Counted> {
        let stats = Stats::of_words(population::next(words)?);
        Some(Box::new((stats, Counts::read(words)?)))
    }
}

impl Limits<Named> for Symmetric<'_> {
    fn has_room(&self, named: &mut Named) -> bool {
        self.engine.has_room(&mut named.state)
            && named.namer.has_room()
            && (!self.has_orders() || self.orders.borrow_mut().has_room())
    }

    fn heed(&self, named: &mut Named, alarm: &Arc<Alarm>) {
        self.engine.heed(&mut named.state, alarm);
    }

    fn is_abandoned(&self, named: &Named) -> bool {
        self.engine.is_abandoned(&named.state)
    }
}

impl HiddenData<Named> for Symmetric<'_> {
    fn save(&self, named: &mut Named) -> u32 {
        let names = &named.namer.names(self.engine.layout(), &mut named.state.state).threads;
        let mut by_name = vec![0; names.iter().filter(|&&name| name != u32::MAX).count()];
        for (&name, id) in names.iter().zip(0..).filter(|&(&name, _)| name != u32::MAX) {
            by_name[name as usize] = id;
        }
        self.orders.borrow_mut().intern(by_name)
    }

    fn restore(&self, memo: u32, named: &mut Named) {
        let ids = self.orders.borrow().get(memo);
        if ids.iter().zip(0..).all(|(&id, name)| id == name) {
            return;
        }
        let layout = self.engine.layout();
        let state = &mut named.state.state;
        let identity = |count: u32| (0..count).collect();
        let names = Names {
            threads: ids.to_vec(),
            objects: identity(state.object_limit()),
            abstracts: layout.abstracts.iter().map(|&count| identity(count)).collect(),
        };
        let mut encoding = Encoding::new();
        state.encode_all(layout, &names, &mut encoding);
        self.engine.decode(&encoding, &mut named.state);
        named.namer.decoded(layout, &mut named.state.state);
        let mut shown = vec![u32::MAX; named.state.state.thread_limit() as usize];
        for (&id, name) in ids.iter().zip(0..) {
            shown[id as usize] = name;
        }
        named.namer.set_thread_names(shown);
    }
}

impl Temporal for Symmetric<'_> {
    fn partner(&self, named: &mut Named, step: Step) -> Option<u32> {
        self.engine.partner(&mut named.state, step)
    }

    fn thread_names(&self, named: &mut Named, out: &mut Vec<u32>) -> bool {
        out.clone_from(&named.names(self.engine).threads);
        true
    }

    fn identity(&self, named: &mut Named) -> Option<Vec<u64>> {
        let state = &named.state.state;
        let mut words = Vec::new();
        for node in std::iter::once(NodeRef::Root).chain(state.units()) {
            let key = node.key();
            words.push((key.section as u64) << 32 | u64::from(key.index));
            let start = words.len();
            words.push(0);
            state.append(self.engine.layout(), node, None, &mut words);
            words[start] = (words.len() - start) as u64;
        }
        Some(words)
    }

    fn is_observed(&self, named: &Named) -> bool {
        self.engine.is_observed(&named.state)
    }

    fn valuation(&self, named: &mut Named) -> Result<u64, Halt> {
        self.engine.valuation(&mut named.state)
    }
}
