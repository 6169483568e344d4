//! Checking a program: a search, what it found, and its confirmation.

use std::fmt;

use search::{Completeness, Outcome, StopReason, Trail};
use store::{Budget, Trie};
use system::{FaultKind, Fired, Steps, TransitionSystem};

use crate::equivariance::{Broken, Sampling, SymmetryCheck};
use crate::panics::caught;
use crate::{Individual, Live, Model, Program, Shape};

/// Whether isomorphic states are one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Symmetry {
    /// All individuals are told apart.
    None,
    /// Individuals of every sort, and objects, are interchangeable.
    #[default]
    Full,
}

/// The order of a search.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    /// By distance from the initial state: the first run to a violation is a shortest one.
    #[default]
    BreadthFirst,
    /// New states first.
    DepthFirst,
}

/// The kinds of violations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// An invariant is false.
    Invariant,
    /// A state without actions is not accepting.
    Deadlock,
    /// An action called [`Doing::fail`](crate::Doing::fail).
    Failure,
    /// The model panicked.
    Panic,
    /// No state satisfies a condition that some state should.
    Unreachable,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invariant => "invariant",
            Self::Deadlock => "deadlock",
            Self::Failure => "failure",
            Self::Panic => "panic",
            Self::Unreachable => "unreachable",
        })
    }
}

/// A violation, with a run to it.
#[derive(Clone, Debug)]
pub struct Violation<S, A> {
    /// What kind of violation it is.
    pub kind: Kind,
    /// What was violated, and how.
    pub message: String,
    /// The initial state of the run. `None` if no run shows the violation.
    pub initial: Option<S>,
    /// The actions of the run, each with the state it leads to. An action that faults is the last one, and
    /// leads to none.
    pub run: Vec<(A, Option<S>)>,
}

impl<S: Shape, A: Shape> fmt::Display for Violation<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        if let Some(initial) = &self.initial {
            write!(f, "\n  0. {initial:?}")?;
        }
        for (number, (action, state)) in self.run.iter().enumerate() {
            write!(f, "\n  {}. {action:?}", number + 1)?;
            if let Some(state) = state {
                write!(f, "\n     {state:?}")?;
            }
        }
        Ok(())
    }
}

/// What a check found out.
#[derive(Clone, Debug)]
pub enum Verdict<S, A> {
    /// Everything was explored, and nothing is violated.
    Holds,
    /// Nothing is violated as far as the search went. The reasons say how far.
    HoldsUpTo(Vec<String>),
    /// A violation, confirmed by running it twice on plain values.
    Violated(Box<Violation<S, A>>),
    /// The model answers differently when it is asked again: nothing can be said about it.
    NotAFunction(String),
    /// The check cannot be made.
    Refused(String),
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Report<S, A> {
    /// What was found out.
    pub verdict: Verdict<S, A>,
    /// The number of states that were stored.
    pub states: usize,
    /// The number of steps that were taken.
    pub transitions: u64,
    /// The sorts whose individuals were found not to be interchangeable. They are told apart.
    pub broken: Vec<Broken>,
    /// The number of states that may have been stored more than once, since the search for their canonical
    /// names was broken off.
    pub not_canonical: u64,
}

/// A check of a program, with its options.
pub struct Check<'p, M: Model> {
    program: &'p mut Program<M>,
    symmetry: Symmetry,
    symmetric: Option<Vec<usize>>,
    tested: SymmetryCheck,
    order: Order,
    max_states: Option<usize>,
}

impl<M: Model> Program<M> {
    /// A check with the usual options: breadth first, full symmetry, and a test of the symmetry on samples.
    pub fn check(&mut self) -> Check<'_, M> {
        Check {
            program: self,
            symmetry: Symmetry::default(),
            symmetric: None,
            tested: SymmetryCheck::default(),
            order: Order::default(),
            max_states: None,
        }
    }
}

/// What happened when a run was repeated on plain values.
struct Repeated<S, A> {
    initial: Option<S>,
    run: Vec<(A, Option<S>)>,
    /// The faults at the end: kind, place, message.
    faults: Vec<(FaultKind, String, String)>,
}

impl<M: Model> Check<'_, M> {
    /// Sets the symmetry.
    pub fn symmetry(mut self, symmetry: Symmetry) -> Self {
        self.symmetry = symmetry;
        self
    }

    /// Only the individuals of this sort are interchangeable, and of those that were named before.
    pub fn symmetric_only<I: Individual>(mut self) -> Self {
        let number = self.program.sorts.find(std::any::TypeId::of::<I>());
        self.symmetric.get_or_insert_default().extend(number);
        self
    }

    /// Sets which states are tested for the symmetry that types claim.
    pub fn symmetry_check(mut self, mode: SymmetryCheck) -> Self {
        self.tested = mode;
        self
    }

    /// Sets the order of the search.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Ends the search when this many states are stored.
    pub fn max_states(mut self, states: usize) -> Self {
        self.max_states = Some(states);
        self
    }

    /// Runs the check.
    pub fn run(self) -> Report<M::State, M::Action> {
        let (mut broken, mut unsound): (Vec<Broken>, Vec<usize>) = (Vec::new(), Vec::new());
        let refused = |reason| Report {
            verdict: Verdict::Refused(reason),
            states: 0,
            transitions: 0,
            broken: Vec::new(),
            not_canonical: 0,
        };
        if let Some(sort) = self.program.unsized_sort() {
            return refused(format!("the sort {sort} has no size: give it one with `.sort::<{sort}>(n)`"));
        }
        if let Some(written) = self.program.properties.formulas.first() {
            return refused(format!("formulas are not checked yet: `{}`", written.name));
        }
        match self.program.initial_values() {
            Err(message) => return refused(format!("the initial states cannot be made: {message}")),
            Ok(values) if values.is_empty() => return refused("the model has no initial state".to_owned()),
            Ok(_) => {}
        }
        loop {
            for sort in 0..self.program.sorts.all.len() {
                let is_meant = self.symmetric.as_ref().is_none_or(|symmetric| symmetric.contains(&sort));
                let symmetric = self.symmetry == Symmetry::Full && is_meant && !unsound.contains(&sort);
                self.program.set_symmetric(sort, symmetric);
            }
            self.program.forget();
            *self.program.sampling.borrow_mut() = Sampling::new(self.tested);
            let outcome = caught(|| self.search());
            *self.program.sampling.borrow_mut() = Sampling::default();
            let found = self.program.notes.borrow_mut().broken.take();
            if let Some(found) = found {
                unsound.push(found.number);
                broken.push(found);
                continue;
            }
            let mut report = match outcome {
                Ok(outcome) => self.conclude(&outcome),
                Err(panicked) => {
                    let message = format!("the search cannot go back the way it came: {}", panicked.message);
                    let report = refused(String::new());
                    Report { verdict: Verdict::NotAFunction(message), ..report }
                }
            };
            report.broken = broken;
            return report;
        }
    }

    fn search(&self) -> Outcome {
        let options = search::Options {
            max_states: self.max_states,
            interrupt: Some(&self.program.interrupt),
            lookahead: false,
            ..search::Options::default()
        };
        let mut trie = Trie::new(&Budget::unlimited(), self.order == Order::BreadthFirst);
        match self.order {
            Order::BreadthFirst => search::bfs(&*self.program, &mut trie, &options, &mut search::Quiet),
            Order::DepthFirst => search::dfs(&*self.program, &mut trie, &options, &mut search::Quiet),
        }
    }

    fn conclude(&self, outcome: &Outcome) -> Report<M::State, M::Action> {
        let program = &*self.program;
        let initial = program.initial_values().map_or(1, |values| values.len());
        // The state before several initial ones is not a state of the model.
        let (extra, starts) = if initial > 1 { (1, initial as u64) } else { (0, 0) };
        let unrepeatable = program.notes.borrow_mut().unrepeatable.take();
        let verdict = if let Some(difference) = unrepeatable {
            Verdict::NotAFunction(difference)
        } else if let Some(violation) = outcome.violations.first() {
            let place = (violation.fault.kind, self.place(violation.fault));
            self.confirm(&violation.trail, &place)
        } else {
            self.absent(outcome)
        };
        Report {
            verdict,
            states: outcome.stats.states - extra.min(outcome.stats.states),
            transitions: outcome.stats.transitions.saturating_sub(starts),
            broken: Vec::new(),
            not_canonical: program.broken_off(),
        }
    }

    /// The verdict of a search without violations.
    fn absent(&self, outcome: &Outcome) -> Verdict<M::State, M::Action> {
        let mut reasons = Vec::new();
        if let Completeness::Stopped(reason) = outcome.completeness
            && reason != StopReason::FirstViolation
        {
            reasons.push(reason.to_string());
        }
        let left: u64 = outcome.truncations.values().sum();
        if left > 0 {
            reasons.push(format!("{left} steps leave `within`, or need more individuals than there are"));
        }
        let notes = self.program.notes.borrow();
        let missing = notes.reached.iter().position(|reached| !reached);
        match missing {
            Some(number) if reasons.is_empty() => Verdict::Violated(Box::new(Violation {
                kind: Kind::Unreachable,
                message: format!("no state satisfies `{}`", self.program.properties.reachable[number].0),
                initial: None,
                run: Vec::new(),
            })),
            Some(number) => {
                let name = &self.program.properties.reachable[number].0;
                reasons.push(format!("no state was found that satisfies `{name}`"));
                Verdict::HoldsUpTo(reasons)
            }
            None if reasons.is_empty() => Verdict::Holds,
            None => Verdict::HoldsUpTo(reasons),
        }
    }

    fn place(&self, fault: system::Fault) -> String {
        if fault.kind == FaultKind::Deadlock {
            return String::new();
        }
        self.program.notes.borrow().sites[fault.site as usize].clone()
    }

    /// Runs a violation twice on plain values.
    fn confirm(&self, trail: &Trail, place: &(FaultKind, String)) -> Verdict<M::State, M::Action> {
        let (first, second) = match (self.repeat(trail), self.repeat(trail)) {
            (Ok(first), Ok(second)) => (first, second),
            (Err(difference), _) | (_, Err(difference)) => return Verdict::NotAFunction(difference),
        };
        if let Some(difference) = different(&first, &second) {
            return Verdict::NotAFunction(difference);
        }
        let Some((kind, what, message)) =
            first.faults.iter().find(|(kind, what, _)| (*kind, what) == (place.0, &place.1))
        else {
            let kind = place.0;
            return Verdict::NotAFunction(format!("the search met a violation ({kind}), its run does not"));
        };
        let (kind, message) = match kind {
            FaultKind::Invariant => (Kind::Invariant, format!("`{what}` is false")),
            FaultKind::Deadlock => {
                (Kind::Deadlock, "no action is possible, and no run may end here".to_owned())
            }
            FaultKind::Assertion => (Kind::Failure, format!("{message} ({what})")),
            _ => (Kind::Panic, format!("{message} ({what})")),
        };
        let Repeated { initial, run, .. } = first;
        Verdict::Violated(Box::new(Violation { kind, message, initial, run }))
    }

    /// Follows a trail on plain values, without names and stores.
    fn repeat(&self, trail: &Trail) -> Result<Repeated<M::State, M::Action>, String> {
        let program = &*self.program;
        let mut live: Live<M::State, M::Action> = program.initial();
        let mut repeated = Repeated { initial: live.value().cloned(), run: Vec::new(), faults: Vec::new() };
        let mut offered = Steps::default();
        let told = |fault: system::Fault| {
            let message = program.notes.borrow().messages[fault.site as usize].clone();
            (fault.kind, self.place(fault), message)
        };
        for (number, &step) in trail.steps.iter().enumerate() {
            program.steps(&mut live, &mut offered);
            if let Some(&(_, fault)) = offered.faults.iter().find(|(other, _)| *other == step) {
                repeated.faults.push(told(fault));
                return Ok(repeated);
            }
            if !offered.enabled.contains(&step) {
                return Err(format!("step {} of the run is not possible when it is repeated", number + 1));
            }
            let action = live.action(step).cloned();
            match program.fire(&mut live, step) {
                Fired::Moved => match action {
                    Some(action) => repeated.run.push((action, live.value().cloned())),
                    None => repeated.initial = live.value().cloned(),
                },
                Fired::Fault(fault) | Fired::MovedWithFault(fault) => {
                    repeated.run.extend(action.map(|action| (action, None)));
                    repeated.faults.push(told(fault));
                    return Ok(repeated);
                }
                Fired::Truncated(_) | Fired::Abandoned => {
                    return Err(format!(
                        "step {} of the run leaves the bounds when it is repeated",
                        number + 1
                    ));
                }
            }
        }
        repeated.faults.extend(live.value().and_then(|value| program.violated(value)).map(told));
        program.steps(&mut live, &mut offered);
        if offered.is_empty() && !program.ended(&live) {
            repeated.faults.push((FaultKind::Deadlock, String::new(), String::new()));
        }
        repeated.faults.extend(offered.faults.iter().map(|&(_, fault)| told(fault)));
        Ok(repeated)
    }

    /// Fails unless everything was explored and holds. Returns the report.
    #[track_caller]
    pub fn assert_holds(self) -> Report<M::State, M::Action> {
        let report = self.run();
        match &report.verdict {
            Verdict::Holds => report,
            other => panic!("the model should hold:\n{other}"),
        }
    }

    /// Fails unless the search is complete and stores this many states by this many steps. The model may have
    /// no violation.
    #[track_caller]
    pub fn assert_counts(self, states: usize, transitions: u64) -> Report<M::State, M::Action> {
        let report = self.assert_holds();
        let found = (report.states, report.transitions);
        assert!(
            found == (states, transitions),
            "expected {states} states and {transitions} transitions, found {} and {}",
            found.0,
            found.1
        );
        report
    }

    /// Fails unless there is a violation of this kind. Returns the violation.
    #[track_caller]
    pub fn assert_violates(self, kind: Kind) -> Violation<M::State, M::Action> {
        match self.run().verdict {
            Verdict::Violated(violation) if violation.kind == kind => *violation,
            other => panic!("the model should have a violation ({kind}):\n{other}"),
        }
    }
}

impl<S: Shape, A: Shape> fmt::Display for Verdict<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::HoldsUpTo(reasons) => write!(f, "holds as far as it was explored: {}", reasons.join("; ")),
            Self::Violated(violation) => violation.fmt(f),
            Self::NotAFunction(difference) => {
                write!(f, "this model is not a function of its state: {difference}")
            }
            Self::Refused(reason) => write!(f, "not checked: {reason}"),
        }
    }
}

/// What differs between two runs of the same trail.
fn different<S: Shape, A: Shape>(first: &Repeated<S, A>, second: &Repeated<S, A>) -> Option<String> {
    let differs = |a: &Option<S>, b: &Option<S>| a.order(b).is_ne();
    if differs(&first.initial, &second.initial) {
        return Some(format!("it begins with {:?}, and then with {:?}", first.initial, second.initial));
    }
    for (a, b) in first.run.iter().zip(&second.run) {
        if a.0.order(&b.0).is_ne() {
            return Some(format!("the same step is {:?}, and then {:?}", a.0, b.0));
        }
        if differs(&a.1, &b.1) {
            return Some(format!("{:?} leads to {:?}, and then to {:?}", a.0, a.1, b.1));
        }
    }
    (first.run.len() != second.run.len() || first.faults != second.faults)
        .then(|| format!("a run ends with {:?}, and then with {:?}", first.faults, second.faults))
}
