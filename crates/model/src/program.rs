//! A model with the sizes of its sorts, and what it answers when it is asked.
//!
//! Everything that a model says is asked here: panics become faults, objects that nothing refers to are
//! removed, and individuals that are missing are noted. `live` makes a transition system of it, `plain` an
//! interpreter for runs that are shown.

use std::any::TypeId;
use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use system::{Encoding, Fault, FaultKind, Write};

use crate::base::Base;
use crate::equivariance::{Broken, Sampling};
use crate::formula::{Focus, Formulas};
use crate::known::Dictionary;
use crate::mentions::{Mentions, collect_garbage};
use crate::model::Done;
use crate::naming::Namer;
use crate::panics::{Panicked, caught};
use crate::processes::Processes;
use crate::sorts::{Labels, Size};
use crate::{Cx, Doing, Individual, Model, Properties, Remark, Shape, Sorts, Symmetry};

/// A model with the sizes of its sorts: what is checked.
///
/// As a [`TransitionSystem`](system::TransitionSystem) it can be given to every search of `quotient_search`
/// over every store of `quotient_store`. States are stored under canonical names, so that states that differ
/// in interchangeable individuals only are one. [`Program::check`] does that, and confirms what is found.
///
/// ```
/// use quotient_model::{Cx, Doing, Model, Program, Symmetry, sort};
/// sort! { struct Player; }
/// /// One player after the other wins a round.
/// struct Rounds;
/// impl Model for Rounds {
///     type State = Option<Player>;
///     type Action = Player;
///     fn initial(&self, _: &Cx<'_>, out: &mut Vec<Self::State>) { out.push(None); }
///     fn actions(&self, cx: &Cx<'_>, _: &Self::State, out: &mut Vec<Player>) { out.extend(cx.all::<Player>()); }
///     fn apply(&self, _: &mut Doing<'_>, winner: &mut Self::State, player: &Player) { *winner = Some(*player); }
/// }
/// let mut all_alike = Program::new(Rounds).sort::<Player>(4);
/// assert_eq!(all_alike.check().assert_holds().states, 2);
/// // Of the four, the first is told apart.
/// let mut one_apart = Program::new(Rounds).sort_in_classes::<Player>(&[1, 3]);
/// assert_eq!(one_apart.check().assert_holds().states, 3);
/// let named = all_alike.label::<Player>(vec![("Ann".to_owned(), 1), ("Bob".to_owned(), 1)]);
/// let winner = named.successors(&None).expect("it does not fail")[1].action;
/// assert_eq!(named.labels().show(|| format!("{winner:?}")), "Bob1");
/// ```
pub struct Program<M: Model> {
    pub(crate) model: M,
    pub(crate) sorts: Sorts,
    pub(crate) properties: Properties<M::State>,
    pub(crate) formulas: Formulas,
    /// The formula that is being checked.
    pub(crate) focus: Focus,
    pub(crate) processes: RefCell<Processes>,
    pub(crate) notes: RefCell<Notes>,
    pub(crate) sampling: RefCell<Sampling>,
    /// Set to end a search that has become pointless.
    pub(crate) interrupt: Arc<AtomicBool>,
    /// Set by the user to end a search.
    pub(crate) asked_to_stop: Option<Arc<AtomicBool>>,
    pub(crate) namer: RefCell<Namer>,
    base: RefCell<Base<M::State>>,
    known: RefCell<Dictionary>,
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
    /// The steps that leave the bounds of [`Model::within`].
    pub outside: u64,
    /// The steps for which there were too few individuals.
    pub crowded: u64,
    /// There are more objects that act than fairness can tell apart.
    pub too_many_objects: bool,
    /// The requirements that were covered.
    pub covered: Vec<&'static str>,
    /// An individual that the model treats in a special way.
    pub broken: Option<Broken>,
    /// The model answered differently when it was asked again.
    pub unrepeatable: Option<String>,
}

/// The result of an action.
pub(crate) enum Applied<S> {
    Moved(S),
    /// There was nothing to choose from.
    Impossible,
    /// It leaves the bounds of [`Model::within`].
    Outside,
    /// There was no individual left.
    Crowded,
    Fault(Fault),
}

/// What an action did.
pub(crate) struct Outcome<S> {
    pub applied: Applied<S>,
    /// The number of its alternatives, as far as they were met.
    pub alternatives: u64,
    pub remarks: Vec<Remark>,
}

/// The actions of a state.
pub(crate) struct Offers<A> {
    pub actions: Vec<A>,
    /// Some are missing since there was no individual left.
    pub is_full: bool,
}

impl<M: Model> Program<M> {
    /// A program for a model. The sizes of its sorts are given by [`Program::sort`].
    pub fn new(model: M) -> Self {
        let (mut sorts, mut properties) = (Sorts::default(), Properties::default());
        M::State::sorts(&mut sorts);
        M::Action::sorts(&mut sorts);
        model.properties(&mut properties);
        let formulas = Formulas::new(&properties, &sorts, M::Action::VARIANTS);
        Self {
            model,
            sorts,
            properties,
            formulas,
            focus: Focus::default(),
            processes: RefCell::default(),
            notes: RefCell::default(),
            sampling: RefCell::default(),
            interrupt: Arc::default(),
            asked_to_stop: None,
            namer: RefCell::default(),
            base: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Gives a sort its size: the number of individuals, or for a dynamic sort the greatest number at a time.
    pub fn sort<I: Individual>(mut self, count: u32) -> Self {
        self.sorts.add::<I>();
        let number = self.sorts.number(TypeId::of::<I>());
        self.sorts.all[number].size = Size::Given(count);
        self.sorts.all[number].classes.clear();
        // What was written with other sizes means something else now.
        (self.base, self.known) = Default::default();
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

    /// Says what the individuals of a sort are called in runs that are shown, by number: a name, and a number
    /// after it.
    pub fn label<I: Individual>(mut self, labels: Vec<(String, u32)>) -> Self {
        self.sorts.add::<I>();
        let number = self.sorts.number(TypeId::of::<I>());
        self.sorts.all[number].labels = labels;
        self
    }

    /// What individuals are called in runs that are shown.
    pub fn labels(&self) -> Labels {
        self.sorts.labels()
    }

    /// A program for a model that is made of this one. Sorts keep their sizes and labels.
    ///
    /// ```
    /// # use quotient_model::{Shape, model, sort};
    /// # sort! { pub struct Client; }
    /// # #[derive(Clone, Debug, Default, Shape)]
    /// # pub struct Lock { holder: Option<Client> }
    /// # #[model]
    /// # impl Lock {
    /// #     #[initial]
    /// #     fn free() -> Self { Self::default() }
    /// #     #[action(when = self.holder.is_none(), process = client)]
    /// #     fn acquire(&mut self, client: Client) { self.holder = Some(client); }
    /// #     #[action(when = self.holder == Some(client), process = client)]
    /// #     fn release(&mut self, client: Client) { self.holder = None; }
    /// #     #[proposition]
    /// #     fn is_held(&self) -> bool { self.holder.is_some() }
    /// #     #[ltl("[] <> is_held")]
    /// #     const HELD_AGAIN: () = ();
    /// #     #[view]
    /// #     fn holders(&self) -> usize { usize::from(self.holder.is_some()) }
    /// # }
    /// use quotient_model::{Cx, Doing, Model, Properties};
    /// /// A model, and a count of its steps up to 2.
    /// struct Counted<M>(M);
    /// impl<M: Model + 'static> Model for Counted<M> {
    ///     type State = (M::State, u8);
    ///     type Action = M::Action;
    ///     fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
    ///         let mut inner = Vec::new();
    ///         self.0.initial(cx, &mut inner);
    ///         out.extend(inner.into_iter().map(|state| (state, 0)));
    ///     }
    ///     fn actions(&self, cx: &Cx<'_>, (state, count): &Self::State, out: &mut Vec<M::Action>) {
    ///         cx.beside(count, |cx| self.0.actions(cx, state, out));
    ///     }
    ///     fn apply(&self, doing: &mut Doing<'_>, (state, count): &mut Self::State, action: &M::Action) {
    ///         let before = state.clone();
    ///         doing.inside(&before, |doing| self.0.apply(doing, state, action));
    ///         *count = (*count + 1).min(2);
    ///     }
    ///     fn properties(&self, to: &mut Properties<Self::State>) {
    ///         let mut part = Properties::default();
    ///         self.0.properties(&mut part);
    ///         to.of_part("", part, |state: &(M::State, u8)| &state.0);
    ///     }
    /// }
    /// let mut counted = Lock::program().sort::<Client>(3).wrapped(Counted);
    /// assert_eq!(counted.check().assert_holds().states, 4);
    /// ```
    pub fn wrapped<N: Model>(self, wrap: impl FnOnce(M) -> N) -> Program<N> {
        let mut program = Program::new(wrap(self.model));
        for sort in self.sorts.all {
            if let Some(other) = program.sorts.all.iter_mut().find(|other| other.id == sort.id) {
                *other = sort;
            }
        }
        program
    }

    /// Whether isomorphic states are one for [`Program::orbit`]. The individuals of sorts that were found to be
    /// [`Broken`] are told apart. Checks set it anew.
    pub fn set_symmetry(&mut self, symmetry: Symmetry, broken: &[Broken]) {
        for sort in 0..self.sorts.all.len() {
            let is_broken = broken.iter().any(|broken| broken.number == sort);
            self.set_symmetric(sort, symmetry == Symmetry::Full && !is_broken);
        }
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

    /// Forgets what earlier searches noted.
    pub(crate) fn forget(&self) {
        let covered = std::mem::take(&mut self.notes.borrow_mut().covered);
        let reached = vec![false; self.properties.reachable.len()];
        *self.notes.borrow_mut() = Notes { reached, covered, ..Notes::default() };
        self.namer.borrow_mut().broken_off = 0;
        self.interrupt.store(false, Relaxed);
    }

    pub(crate) fn fault(&self, kind: FaultKind, place: &str, message: &str) -> Fault {
        let mut notes = self.notes.borrow_mut();
        let site = notes.sites.iter().position(|site| site == place).unwrap_or_else(|| {
            notes.sites.push(place.to_owned());
            notes.messages.push(String::new());
            notes.sites.len() - 1
        });
        message.clone_into(&mut notes.messages[site]);
        Fault { kind, site: site as u32 }
    }

    pub(crate) fn panicked(&self, panicked: &Panicked) -> Fault {
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
            match caught(|| self.model.within(&cx, value)) {
                Ok(true) => {}
                Ok(false) => return Err("an initial state is outside of `within`".to_owned()),
                Err(panicked) => return Err(format!("{} ({})", panicked.message, panicked.location)),
            }
        }
        Ok(values)
    }

    /// The actions of a state, in `actions`. Returns whether some are missing since there was no individual
    /// left.
    pub(crate) fn list_actions(&self, value: &M::State, actions: &mut Vec<M::Action>) -> Result<bool, Fault> {
        let cx = Cx::new(&self.sorts);
        let done = caught(|| self.model.actions(&cx, value, actions));
        done.map_err(|panicked| self.panicked(&panicked))?;
        Ok(cx.is_full.get())
    }

    pub(crate) fn offered(&self, value: &M::State) -> Result<Offers<M::Action>, Fault> {
        let mut actions = Vec::new();
        let is_full = self.list_actions(value, &mut actions)?;
        Ok(Offers { actions, is_full })
    }

    /// Takes an action of `before`. `choice` says how its choices are made. The memory of `spare` is used.
    pub(crate) fn applied(
        &self,
        before: &M::State,
        action: &M::Action,
        choice: u32,
        spare: Option<M::State>,
        shown: bool,
    ) -> Outcome<M::State> {
        let mut value = match spare {
            Some(mut spare) => {
                spare.assign(before);
                spare
            }
            None => before.clone(),
        };
        let mentions = OnceCell::new();
        let taken = |sort, index| mentions.get_or_init(|| Mentions::of(&self.sorts, before)).has(sort, index);
        let cx = Cx { taken: Some(&taken), ..Cx::new(&self.sorts) };
        let mut done = Done::new(choice, shown);
        let is_within = caught(|| {
            self.model.apply(&mut Doing::new(&cx, &mut done), &mut value, action);
            if done.is_impossible || done.failure.is_some() || cx.is_full.get() {
                return true;
            }
            collect_garbage(&self.sorts, &mut value);
            self.model.within(&cx, &value)
        });
        let Done { alternatives, failure, is_impossible, remarks, covered, .. } = done;
        for requirement in covered {
            let mut notes = self.notes.borrow_mut();
            if !notes.covered.contains(&requirement) {
                notes.covered.push(requirement);
            }
        }
        let applied = if is_impossible {
            Applied::Impossible
        } else if let Err(panicked) = is_within {
            Applied::Fault(self.panicked(&panicked))
        } else if let Some((location, message)) = failure {
            Applied::Fault(self.fault(FaultKind::Assertion, &location.to_string(), &message))
        } else if cx.is_full.get() {
            Applied::Crowded
        } else if is_within == Ok(false) {
            Applied::Outside
        } else {
            Applied::Moved(value)
        };
        Outcome { applied, alternatives, remarks: remarks.unwrap_or_default() }
    }

    /// The first violated invariant.
    pub(crate) fn violated(&self, value: &M::State) -> Option<Fault> {
        let cx = Cx::new(&self.sorts);
        let Properties { reachable, invariants, .. } = &self.properties;
        let mut notes = self.notes.borrow_mut();
        for ((_, holds), reached) in reachable.iter().zip(&mut notes.reached) {
            *reached = *reached || caught(|| holds(&cx, value)) == Ok(true);
        }
        drop(notes);
        let violated = caught(|| invariants.iter().find(|(_, holds)| !holds(&cx, value)));
        match violated {
            Err(panicked) => Some(self.panicked(&panicked)),
            Ok(violated) => violated.map(|(name, _)| self.fault(FaultKind::Invariant, name, "it is false")),
        }
    }

    /// Whether a run may end here. A panic counts as no, and is told as a deadlock's cause.
    pub(crate) fn accepts(&self, value: &M::State) -> bool {
        caught(|| self.model.accepting(&Cx::new(&self.sorts), value)).unwrap_or(false)
    }

    /// Whether states get canonical names.
    pub(crate) fn is_named(&self) -> bool {
        M::State::SORTED && self.sorts.all.iter().any(|sort| sort.symmetric)
    }

    /// Writes a state under its names.
    pub(crate) fn write(&self, value: &M::State, into: &mut Encoding) {
        let (mut base, mut known) = (self.base.borrow_mut(), self.known.borrow_mut());
        if self.is_named() {
            let mut namer = self.namer.borrow_mut();
            let names = namer.names(&self.sorts, value);
            base.write_named(&self.sorts, names, &mut known, value, into);
        } else {
            base.write(&self.sorts, &mut known, value, into);
        }
    }

    /// Reads the state that was written, over another one if there is one.
    pub(crate) fn read(&self, from: &Encoding, over: &mut Option<M::State>) {
        let mut base = self.base.borrow_mut();
        let value = base.read(&self.sorts, &self.known.borrow(), from);
        match over {
            Some(over) => over.assign(value),
            None => *over = Some(value.clone()),
        }
    }

    /// Shows what an encoding of the state that was written or read last changes on the way to another one, where names
    /// are numbers.
    pub(crate) fn with_changes<T>(&self, value: &M::State, show: impl FnOnce(&[Write]) -> T) -> T {
        let (mut base, mut known) = (self.base.borrow_mut(), self.known.borrow_mut());
        show(base.changes(&self.sorts, &mut known, value))
    }
}
