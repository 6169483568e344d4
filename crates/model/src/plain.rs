//! A model on plain values, without names, stores and searches: for runs that are shown, simulated and
//! repeated.

use system::{Fault, FaultKind};

use crate::panics::caught;
use crate::program::Applied;
use crate::report::Kind;
use crate::words::{Scratch, Writer};
use crate::{Cx, Model, Obstacle, Process, Program, Remark, Shape};

/// A step of a state, and where it leads.
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
/// use quotient_model::{Reached, Successor};
/// let lock = Lock::program().sort::<Client>(2);
/// let free = lock.initial_states().expect("it has one").remove(0);
/// let steps = lock.successors(&free).expect("it does not fail");
/// assert_eq!(steps.len(), 2);
/// assert_eq!(lock.successors_by(&free, &steps[1].action).expect("it does not fail").len(), 1);
/// let Successor { action, process, choice, remarks, result } = &steps[0];
/// assert!(matches!(action, LockAction::Acquire { .. }) && *choice == 0 && remarks.is_empty());
/// assert_eq!(lock.process_name(*process), "Client0");
/// let Reached::State(held) = result else { panic!("it leads to a state") };
/// assert_eq!(lock.views(held), [("holders", "1".to_owned())]);
/// assert!(lock.is_accepting(held) && lock.failure_of(held).is_none());
/// // What is possible, and what is not.
/// assert!(lock.obstacles(held).iter().all(|obstacle| obstacle.condition.contains("self.holder")));
/// // Two clients that did the same are the same.
/// let Reached::State(other) = &steps[1].result else { panic!("it leads to a state") };
/// assert_eq!(lock.orbit(held), lock.orbit(other));
/// assert_eq!(lock.orbit_of_step(&free, action), lock.orbit_of_step(&free, &steps[1].action));
/// ```
#[derive(Clone, Debug)]
pub struct Successor<S, A> {
    /// The action.
    pub action: A,
    /// Who takes it.
    pub process: Process,
    /// How its choices are made: 0 if it has none.
    pub choice: u32,
    /// What the action says about this step.
    pub remarks: Vec<Remark>,
    /// Where it leads.
    pub result: Reached<S>,
}

/// The steps of a state.
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
/// use quotient_model::{Rules, Successors};
/// let lock = Lock::program().sort::<Client>(3);
/// let free = lock.initial_states().expect("it has one").remove(0);
/// let steps: Successors<Rules<Lock>> = lock.successors(&free).expect("it does not fail");
/// assert_eq!(steps.len(), 3);
/// ```
pub type Successors<M> = Vec<Successor<<M as Model>::State, <M as Model>::Action>>;

/// Where a step leads.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Reached;
/// let counter = Counter::program();
/// let steps = counter.successors(&Counter { value: 2 }).expect("it does not fail");
/// let values = steps.iter().map(|step| match &step.result {
///     Reached::State(counter) => Some(counter.value),
///     Reached::Failed(_) | Reached::Outside | Reached::Crowded => None,
/// });
/// assert_eq!(values.collect::<Vec<_>>(), [Some(3), Some(1)]);
/// ```
#[derive(Clone, Debug)]
pub enum Reached<S> {
    /// To a state.
    State(S),
    /// It violates a rule.
    Failed(Failure),
    /// Out of the part that [`Model::within`] says is explored.
    Outside,
    /// Nowhere: there is no individual left for it.
    Crowded,
}

/// What is wrong with a state or a step.
///
/// ```
/// # use quotient_model::{Shape, model};
/// # #[derive(Clone, Debug, Default, Shape)]
/// # pub struct Counter { value: u8 }
/// # #[model]
/// # impl Counter {
/// #     #[initial]
/// #     fn zero() -> Self { Self::default() }
/// #     #[action(when = self.value < 9)]
/// #     fn up(&mut self) { self.value += 1; }
/// #     #[action(when = self.value > 0)]
/// #     fn down(&mut self) { self.value -= 1; }
/// #     #[invariant]
/// #     fn small(&self) -> bool { self.value < 3 }
/// # }
/// use quotient_model::Kind;
/// let counter = Counter::program();
/// let failure = counter.failure_of(&Counter { value: 5 }).expect("it is too large");
/// assert_eq!((failure.kind, failure.place.as_str()), (Kind::Invariant, "small"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// What kind of violation it is.
    pub kind: Kind,
    /// The name of the invariant, or where in the source it is.
    pub place: String,
    /// What happened.
    pub message: String,
}

impl<M: Model> Program<M> {
    pub(crate) fn failure(&self, fault: Fault) -> Failure {
        let kind = match fault.kind {
            FaultKind::Invariant => Kind::Invariant,
            FaultKind::Deadlock => Kind::Deadlock,
            FaultKind::Assertion => Kind::Failure,
            FaultKind::AcceptanceCycle => Kind::Property,
            _ => Kind::Panic,
        };
        if matches!(kind, Kind::Deadlock | Kind::Property) {
            return Failure { kind, place: String::new(), message: String::new() };
        }
        let notes = self.notes.borrow();
        let (place, message) = (&notes.sites[fault.site as usize], &notes.messages[fault.site as usize]);
        Failure { kind, place: place.clone(), message: message.clone() }
    }

    /// The states in which runs begin, or why they cannot be made.
    pub fn initial_states(&self) -> Result<Vec<M::State>, String> {
        if let Some(sort) = self.unsized_sort() {
            return Err(format!("the sort {sort} has no size: give it one with `.sort::<{sort}>(n)`"));
        }
        self.initial_values()
    }

    /// The steps of a state in the order in which the model offers them, each with every way to make its
    /// choices. The failure is one of finding them.
    pub fn successors(&self, state: &M::State) -> Result<Successors<M>, Failure> {
        let offers = self.offered(state).map_err(|fault| self.failure(fault))?;
        self.successors_by_all(state, offers.actions)
    }

    /// The steps of a state by one action, with every way to make its choices: none if the state does not offer it.
    ///
    /// # Errors
    ///
    /// The failure is one of finding them.
    pub fn successors_by(&self, state: &M::State, action: &M::Action) -> Result<Successors<M>, Failure> {
        let mut actions = self.offered(state).map_err(|fault| self.failure(fault))?.actions;
        actions.retain(|other| other.order(action).is_eq());
        actions.truncate(1);
        self.successors_by_all(state, actions)
    }

    fn successors_by_all(&self, state: &M::State, actions: Vec<M::Action>) -> Result<Successors<M>, Failure> {
        let cx = Cx::new(&self.sorts);
        let mut successors = Vec::new();
        for action in actions {
            let process = caught(|| self.model.process(&cx, &action))
                .map_err(|panicked| self.failure(self.panicked(&panicked)))?;
            let (mut choice, mut end) = (0, 1);
            while choice < end {
                let outcome = self.applied(state, &action, choice as u32, None, true);
                end = end.max(outcome.alternatives);
                choice += 1;
                let result = match outcome.applied {
                    _ if choice > outcome.alternatives => continue,
                    Applied::Impossible => continue,
                    Applied::Moved(next) => Reached::State(next),
                    Applied::Outside => Reached::Outside,
                    Applied::Crowded => Reached::Crowded,
                    Applied::Fault(fault) => Reached::Failed(self.failure(fault)),
                };
                let (action, remarks) = (action.clone(), outcome.remarks);
                successors.push(Successor { action, process, choice: choice as u32 - 1, remarks, result });
            }
        }
        Ok(successors)
    }

    /// What is wrong with a state: the first invariant that is false, or that it is a deadlock.
    pub fn failure_of(&self, state: &M::State) -> Option<Failure> {
        if let Some(fault) = self.violated(state) {
            return Some(self.failure(fault));
        }
        match self.offered(state) {
            Err(fault) => Some(self.failure(fault)),
            Ok(offers) if offers.is_full || self.accepts(state) => None,
            Ok(_) => {
                let is_stuck = self.successors(state).is_ok_and(|successors| successors.is_empty());
                is_stuck.then(|| Failure {
                    kind: Kind::Deadlock,
                    place: String::new(),
                    message: String::new(),
                })
            }
        }
    }

    /// The views of a state, with their names.
    pub fn views(&self, state: &M::State) -> Vec<(&str, String)> {
        let cx = Cx::new(&self.sorts);
        let shown = |view: &dyn Fn(&Cx<'_>, &M::State) -> String| {
            caught(|| view(&cx, state)).unwrap_or_else(|panicked| format!("(panics: {})", panicked.message))
        };
        self.properties.views.iter().map(|(name, view)| (name.as_str(), shown(view))).collect()
    }

    /// Why actions are not possible in a state, as far as the model says it.
    pub fn obstacles(&self, state: &M::State) -> Vec<Obstacle> {
        let (cx, mut obstacles) = (Cx::new(&self.sorts), Vec::new());
        let done = caught(|| self.model.obstacles(&cx, state, &mut obstacles));
        if done.is_err() {
            obstacles.clear();
        }
        obstacles
    }

    /// What a state is up to its interchangeable individuals and objects: equal for states that differ in these
    /// only. That they are interchangeable is claimed by types.
    pub fn orbit(&self, state: &M::State) -> Vec<u64> {
        self.orbit_of(state)
    }

    /// What an action of a state is up to interchangeable individuals and objects: equal if one permutation maps both
    /// the states and the actions to each other.
    pub fn orbit_of_step(&self, state: &M::State, action: &M::Action) -> Vec<u64> {
        self.orbit_of(&(state.clone(), action.clone()))
    }

    fn orbit_of<T: Shape>(&self, value: &T) -> Vec<u64> {
        let (mut namer, mut scratch) = (self.namer.borrow_mut(), Scratch::default());
        let names = if self.is_named() { Some(namer.names(&self.sorts, value)) } else { None };
        let mut writer = Writer::new(&self.sorts, names, &mut scratch);
        value.walk(&mut writer);
        writer.finish().to_vec()
    }

    /// Whether a run may end in a state.
    pub fn is_accepting(&self, state: &M::State) -> bool {
        self.accepts(state)
    }

    /// The model.
    pub const fn model(&self) -> &M {
        &self.model
    }

    /// What is called how: the invariants, the conditions that should be reachable, and the formulas with
    /// their texts.
    pub fn property_names(&self) -> PropertyNames<'_> {
        let names = |list: &'_ [(String, _)]| list.iter().map(|(name, _)| name.clone()).collect();
        PropertyNames {
            invariants: names(&self.properties.invariants),
            reachable: names(&self.properties.reachable),
            formulas: self
                .properties
                .formulas
                .iter()
                .map(|written| (written.name.as_str(), written.text.as_str()))
                .collect(),
        }
    }
}

/// See [`Program::property_names`].
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
/// let lock = Lock::program().sort::<Client>(3);
/// let names = lock.property_names();
/// assert_eq!(names.formulas, [("HELD_AGAIN", "[] <> is_held")]);
/// assert!(names.invariants.is_empty() && names.reachable.is_empty());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyNames<'a> {
    /// The names of the invariants.
    pub invariants: Vec<String>,
    /// The names of the conditions that should be reachable.
    pub reachable: Vec<String>,
    /// The names of the formulas, and how they are written.
    pub formulas: Vec<(&'a str, &'a str)>,
}
