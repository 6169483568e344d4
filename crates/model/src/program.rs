//! A model program as a transition system.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use system::{
    Bound, Encoding, Fault, FaultKind, Fired, Halt, NoCache, Section, Step, Steps, TransitionSystem,
};

use crate::equivariance::{Broken, Sampling};
use crate::mentions::collect_garbage;
use crate::naming::Namer;
use crate::panics::{Panicked, caught};
use crate::sorts::Size;
use crate::words::{Reader, Writer};
use crate::{Cx, Doing, Individual, Model, Properties, Shape, Sorts};

/// A model with the sizes of its sorts: what is checked.
///
/// As a [`TransitionSystem`] it can be given to every search of `quotient_search` over every store of
/// `quotient_store`. States are stored under canonical names, so that states that differ in interchangeable
/// individuals only are one. [`Program::check`] does that, and confirms what is found.
pub struct Program<M: Model> {
    pub(crate) model: M,
    pub(crate) sorts: Sorts,
    pub(crate) properties: Properties<M::State>,
    pub(crate) notes: RefCell<Notes>,
    pub(crate) sampling: RefCell<Sampling>,
    /// Set to end a search that has become pointless.
    pub(crate) interrupt: Arc<AtomicBool>,
    namer: RefCell<Namer>,
}

/// What was noted during a search.
#[derive(Default, Debug)]
pub(crate) struct Notes {
    /// The places of faults; a fault's site is its index.
    pub sites: Vec<String>,
    /// By site: the message of the last fault.
    pub messages: Vec<String>,
    /// By number: whether a state that should be reachable was reached.
    pub reached: Vec<bool>,
    /// An individual that the model treats in a special way.
    pub broken: Option<Broken>,
    /// The model answered differently when it was asked again.
    pub unrepeatable: Option<String>,
}

/// A run of a model: its states so far.
pub struct Live<S, A> {
    levels: Vec<Level<S, A>>,
}

/// A state on a run. Without a value: before the first of several initial states was chosen.
struct Level<S, A> {
    value: Option<S>,
    actions: Option<Offered<A>>,
}

/// The actions of a state.
#[derive(Clone)]
pub(crate) struct Offered<A> {
    pub actions: Vec<A>,
    /// Some are missing since there was no individual left.
    pub is_full: bool,
}

/// In place of the number of an action: steps are missing.
const FULL: u32 = u32::MAX;
/// In place of the number of an action: finding the actions panicked.
const UNKNOWN: u32 = u32::MAX - 1;

/// The result of an action.
pub(crate) enum Applied<S> {
    Moved(S),
    /// There was nothing to choose from.
    Impossible,
    Outside,
    Fault(Fault),
}

impl<M: Model> Program<M> {
    /// A program for a model. The sizes of its sorts are given by [`Program::sort`].
    pub fn new(model: M) -> Self {
        let (mut sorts, mut properties) = (Sorts::default(), Properties::default());
        M::State::sorts(&mut sorts);
        M::Action::sorts(&mut sorts);
        model.properties(&mut properties);
        Self {
            model,
            sorts,
            properties,
            notes: RefCell::default(),
            sampling: RefCell::default(),
            interrupt: Arc::default(),
            namer: RefCell::default(),
        }
    }

    /// Gives a sort its size: the number of individuals, or for a dynamic sort the greatest number at a time.
    pub fn sort<I: Individual>(mut self, count: u32) -> Self {
        self.sorts.add::<I>();
        let number = self.sorts.number(std::any::TypeId::of::<I>());
        self.sorts.all[number].size = Size::Given(count);
        self.sorts.all[number].classes.clear();
        self
    }

    /// Gives a sort classes of these sizes. Individuals are interchangeable with others of their class only, so
    /// those that are alone in their class are told apart.
    pub fn sort_in_classes<I: Individual>(self, sizes: &[u32]) -> Self {
        assert!(!I::DYNAMIC, "{} is dynamic: its individuals have no classes", I::NAME);
        let mut program = self.sort::<I>(sizes.iter().sum());
        let number = program.sorts.number(std::any::TypeId::of::<I>());
        let classes = &mut program.sorts.all[number].classes;
        for &size in sizes {
            classes.extend(std::iter::repeat_n(classes.len() as u32, size as usize));
        }
        program
    }

    /// Makes the individuals of a sort distinguishable, or interchangeable again.
    pub(crate) fn set_symmetric(&mut self, sort: usize, symmetric: bool) {
        let sort = &mut self.sorts.all[sort];
        sort.symmetric = symmetric && sort.has_exchanges();
    }

    /// A sort whose size is not known.
    pub(crate) fn unsized_sort(&self) -> Option<&str> {
        self.sorts.all.iter().find(|sort| sort.size == Size::Unknown).map(|sort| sort.name.as_str())
    }

    /// The number of states whose names are not canonical.
    pub(crate) fn broken_off(&self) -> u64 {
        self.namer.borrow().broken_off
    }

    pub(crate) fn forget(&self) {
        *self.notes.borrow_mut() =
            Notes { reached: vec![false; self.properties.reachable.len()], ..Notes::default() };
        self.namer.borrow_mut().broken_off = 0;
        self.interrupt.store(false, Relaxed);
    }

    fn fault(&self, kind: FaultKind, place: &str, message: &str) -> Fault {
        let mut notes = self.notes.borrow_mut();
        let site = notes.sites.iter().position(|site| site == place).unwrap_or_else(|| {
            notes.sites.push(place.to_owned());
            notes.messages.push(String::new());
            notes.sites.len() - 1
        });
        message.clone_into(&mut notes.messages[site]);
        Fault { kind, site: site as u32 }
    }

    fn panicked(&self, panicked: &Panicked) -> Fault {
        self.fault(FaultKind::UncaughtException, &panicked.location, &panicked.message)
    }

    /// The initial states, or why they cannot be made.
    pub(crate) fn initial_values(&self) -> Result<Vec<M::State>, String> {
        let (cx, mut values) = (Cx::new(&self.sorts), Vec::new());
        caught(|| self.model.initial(&cx, &mut values))
            .map_err(|panicked| format!("{} ({})", panicked.message, panicked.location))?;
        if cx.is_full.get() {
            return Err("they need more individuals of a dynamic sort than there are".to_owned());
        }
        for value in &mut values {
            collect_garbage(&self.sorts, value);
        }
        Ok(values)
    }

    pub(crate) fn offered(&self, value: &M::State) -> Result<Offered<M::Action>, Fault> {
        let cx = Cx::new(&self.sorts);
        let mut actions = Vec::new();
        let done = caught(|| self.model.actions(&cx, value, &mut actions));
        done.map_err(|panicked| self.panicked(&panicked))?;
        Ok(Offered { actions, is_full: cx.is_full.get() })
    }

    /// Takes an action. Also returns the number of its alternatives.
    pub(crate) fn applied(
        &self,
        value: &M::State,
        action: &M::Action,
        choice: u32,
    ) -> (Applied<M::State>, u64) {
        let cx = Cx::new(&self.sorts);
        let mut value = value.clone();
        let mut doing = Doing {
            cx: &cx,
            choice,
            alternatives: 1,
            failure: None,
            is_impossible: false,
            remarks: None,
            covered: Vec::new(),
        };
        let done = caught(|| self.model.apply(&mut doing, &mut value, action));
        let Doing { alternatives, failure, is_impossible, .. } = doing;
        let applied = if is_impossible {
            Applied::Impossible
        } else if let Err(panicked) = done {
            Applied::Fault(self.panicked(&panicked))
        } else if let Some((location, message)) = failure {
            Applied::Fault(self.fault(FaultKind::Assertion, &location.to_string(), &message))
        } else if cx.is_full.get() {
            Applied::Outside
        } else {
            collect_garbage(&self.sorts, &mut value);
            match caught(|| self.model.within(&cx, &value)) {
                Ok(true) => Applied::Moved(value),
                Ok(false) => Applied::Outside,
                Err(panicked) => Applied::Fault(self.panicked(&panicked)),
            }
        };
        (applied, alternatives)
    }

    /// The first violated invariant.
    pub(crate) fn violated(&self, value: &M::State) -> Option<Fault> {
        let cx = Cx::new(&self.sorts);
        for (number, (_, holds)) in self.properties.reachable.iter().enumerate() {
            if !self.notes.borrow().reached.get(number).is_none_or(|reached| *reached)
                && caught(|| holds(&cx, value)) == Ok(true)
            {
                self.notes.borrow_mut().reached[number] = true;
            }
        }
        self.properties.invariants.iter().find_map(|(name, holds)| match caught(|| holds(&cx, value)) {
            Ok(true) => None,
            Ok(false) => Some(self.fault(FaultKind::Invariant, name, "it is false")),
            Err(panicked) => Some(self.panicked(&panicked)),
        })
    }

    /// Whether a run may end here. A panic counts as no, and is told as a deadlock's cause.
    pub(crate) fn accepts(&self, value: &M::State) -> bool {
        caught(|| self.model.accepting(&Cx::new(&self.sorts), value)).unwrap_or(false)
    }

    fn write(&self, value: &M::State, into: &mut Encoding) {
        let mut namer = self.namer.borrow_mut();
        let is_named = M::State::SORTED && self.sorts.all.iter().any(|sort| sort.symmetric);
        let names = is_named.then(|| namer.names(&self.sorts, value));
        let mut writer = Writer::new(&self.sorts, names);
        value.walk(&mut writer);
        writer.store(into);
    }
}

impl<S, A> Live<S, A> {
    pub(crate) fn at(value: Option<S>) -> Self {
        Self { levels: vec![Level { value, actions: None }] }
    }

    fn top(&self) -> &Level<S, A> {
        &self.levels[self.levels.len() - 1]
    }

    fn top_mut(&mut self) -> &mut Level<S, A> {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// The value of the state; `None` before one of several initial states was chosen.
    pub fn value(&self) -> Option<&S> {
        self.top().value.as_ref()
    }

    /// The action of a step of this state.
    pub(crate) fn action(&self, step: Step) -> Option<&A> {
        self.top().actions.as_ref()?.actions.get(step.transition as usize)
    }
}

impl<M: Model> TransitionSystem for Program<M> {
    type State = Live<M::State, M::Action>;
    type Cache = NoCache;

    /// With several initial states, a state before them from which a step leads to each.
    fn initial(&self) -> Self::State {
        let mut values = self.initial_values().unwrap_or_default();
        Live::at(if values.len() == 1 { values.pop() } else { None })
    }

    fn steps(&self, live: &mut Self::State, out: &mut Steps) {
        out.clear();
        let step = |transition, choice| Step { thread: 0, transition, choice };
        let level = live.top_mut();
        let Some(value) = &level.value else {
            let count = self.initial_values().unwrap_or_default().len();
            return out.enabled.extend((0..count as u32).map(|number| step(number, 0)));
        };
        let offered = match &level.actions {
            Some(offered) => offered,
            None => match self.offered(value) {
                Ok(offered) => level.actions.insert(offered),
                Err(fault) => return out.faults.push((step(UNKNOWN, 0), fault)),
            },
        };
        for (number, action) in (0..).zip(&offered.actions) {
            // The number of alternatives is known when they were all tried: later ones depend on earlier ones.
            let (mut choice, mut end) = (0, 1);
            while choice < end {
                let (applied, alternatives) = self.applied(value, action, choice as u32);
                end = end.max(alternatives);
                if choice < alternatives && !matches!(applied, Applied::Impossible) {
                    out.enabled.push(step(number, choice as u32));
                }
                choice += 1;
            }
        }
        if offered.is_full {
            out.enabled.push(step(FULL, 0));
        }
        self.sample(value, offered);
    }

    fn fire(&self, live: &mut Self::State, step: Step) -> Fired {
        if step.transition == FULL {
            return Fired::Truncated(Bound::Objects);
        }
        let level = live.top_mut();
        let next = match &level.value {
            None => {
                let values = self.initial_values().unwrap_or_default();
                match values.into_iter().nth(step.transition as usize) {
                    Some(value) => Applied::Moved(value),
                    None => Applied::Outside,
                }
            }
            Some(value) => {
                let offered = match &level.actions {
                    Some(offered) => offered,
                    None => match self.offered(value) {
                        Ok(offered) => level.actions.insert(offered),
                        Err(fault) => return Fired::Fault(fault),
                    },
                };
                self.applied(value, &offered.actions[step.transition as usize], step.choice).0
            }
        };
        match next {
            Applied::Moved(value) => {
                live.levels.push(Level { value: Some(value), actions: None });
                Fired::Moved
            }
            Applied::Impossible | Applied::Outside => Fired::Truncated(Bound::Objects),
            Applied::Fault(fault) => Fired::Fault(fault),
        }
    }

    fn undo(&self, live: &mut Self::State) {
        live.levels.pop();
    }

    fn check(&self, live: &mut Self::State) -> Result<(), Halt> {
        let fault = live.value().and_then(|value| self.violated(value));
        fault.map_or(Ok(()), |fault| Err(Halt::Fault(fault)))
    }

    fn ended(&self, live: &Self::State) -> bool {
        live.value().is_none_or(|value| self.accepts(value))
    }

    fn encode(&self, live: &mut Self::State, into: &mut Encoding) {
        match live.value() {
            Some(value) => self.write(value, into),
            None => into.clear(),
        }
    }

    fn decode(&self, from: &Encoding, live: &mut Self::State) {
        let words: Vec<u64> = from.components().flat_map(|(_, words)| words.iter().copied()).collect();
        let is_before = from.width(Section::Root) == 0;
        let value = (!is_before).then(|| M::State::read(&mut Reader::new(&self.sorts, &words)));
        live.levels.clear();
        live.levels.push(Level { value, actions: None });
    }

    /// Follows the chain from the initial state on, each time by a step to a state that is stored as the next
    /// one. If names were not canonical there may be none: then the run ends early, and is not confirmed.
    fn retrace(&self, chain: &[(Encoding, u32)], _: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        let (mut live, mut encoding, mut taken) = (self.initial(), Encoding::new(), Vec::new());
        let mut offered = Steps::default();
        for (target, _) in &chain[1..] {
            self.steps(&mut live, &mut offered);
            let found = offered.enabled.iter().copied().find(|&step| {
                if self.fire(&mut live, step) != Fired::Moved {
                    return false;
                }
                self.encode(&mut live, &mut encoding);
                let is_target = encoding.same(target);
                if !is_target {
                    self.undo(&mut live);
                }
                is_target
            });
            let Some(step) = found else { return taken };
            taken.push(step);
        }
        if let Some((step, fault)) = last {
            let found = system::step_to_fault(self, &mut live, fault, |other| other == step);
            taken.extend(found.or_else(|| system::step_to_fault(self, &mut live, fault, |_| true)));
        }
        taken
    }
}
