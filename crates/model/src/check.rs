//! Checking a program: options, goals, one search for each of them.
//!
//! A search may learn what it should have known from its beginning, and starts again: that individuals of a
//! sort are not interchangeable, or, where fairness matters, that there is another process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use search::emptiness::{Claim, EmptinessResult, Fairness, emptiness};
use search::{Completeness, Consequence, Observer, Options, Outcome, Progress, StopReason};
use store::{
    Automaton, Bitstate, Budget, Collapse, CollapseAutomaton, Compact, Exact, Gzip, Hashes, IndexedTrie,
    StateStore, Trie,
};

use crate::equivariance::{Broken, Sampling, SymmetryCheck};
use crate::formula::{Compiled, Focus};
use crate::panics::caught;
use crate::properties::Written;
use crate::report::{GoalReport, Kind, Naming, Report, StoreReport, Verdict, Violation};
use crate::sorts::Size;
use crate::{Individual, Model, Program};

/// Whether isomorphic states are one.
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
/// use quotient_model::Symmetry;
/// let mut lock = Lock::program().sort::<Client>(3);
/// lock.check().symmetry(Symmetry::None).assert_counts(4, 6);
/// lock.check().symmetry(Symmetry::Full).assert_counts(2, 4);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Symmetry {
    /// All individuals are told apart.
    None,
    /// Individuals of every sort, and objects, are interchangeable.
    #[default]
    Full,
}

/// The order of a search for states. A search for cycles is depth first.
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
/// use quotient_model::{Kind, Order};
/// let mut counter = Counter::program();
/// // A shortest run, and one that was made shorter.
/// for order in [Order::BreadthFirst, Order::DepthFirst] {
///     assert_eq!(counter.check().order(order).assert_violates(Kind::Invariant).run.len(), 3);
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Order {
    /// By distance from the initial state: the first run to a violation is a shortest one.
    #[default]
    BreadthFirst,
    /// New states first.
    DepthFirst,
}

/// The representation of the states that were visited.
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
/// use quotient_model::{Goals, Order, StoreKind, Verdict};
/// let mut lock = Lock::program().sort::<Client>(3);
/// for store in [StoreKind::Trie, StoreKind::Exact, StoreKind::Collapse] {
///     assert_eq!(lock.check().store(store).assert_holds().states, 2, "{}", store.as_str());
/// }
/// // A store that may lose states proves nothing.
/// let check = lock.check().order(Order::DepthFirst).goals(Goals::Safety);
/// assert!(matches!(check.store(StoreKind::Compact(5)).run().verdict, Verdict::HoldsUpTo(_)));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum StoreKind {
    /// A tree of pairs: exact, fast, a few bytes for each state.
    #[default]
    Trie,
    /// Packed words: exact.
    Exact,
    /// Vectors of numbers of components: exact.
    Collapse,
    /// Packed words, each state deflated by itself: exact, slow.
    Gzip,
    /// The minimal automaton of all states: exact, slow, depth first only.
    Automaton,
    /// The minimal automaton of collapsed states: exact, slow, depth first only.
    CollapseAutomaton,
    /// This many bytes of a hash of each state, from 4 to 8: lossy, depth first only.
    Compact(u32),
    /// Some bits for each state in an array of two to this power bits: lossy, depth first only.
    Bitstate(u32),
}

impl StoreKind {
    /// The name in options and reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trie => "trie",
            Self::Exact => "exact",
            Self::Collapse => "collapse",
            Self::Gzip => "gzip",
            Self::Automaton => "automaton",
            Self::CollapseAutomaton => "collapse-automaton",
            Self::Compact(_) => "compact",
            Self::Bitstate(_) => "bitstate",
        }
    }

    /// Whether states are found again by their numbers, which a search for cycles needs.
    const fn rebuilds(self) -> bool {
        matches!(self, Self::Trie | Self::Exact | Self::Collapse | Self::Gzip)
    }

    fn refusal(self, order: Order, has_formulas: bool) -> Option<String> {
        let name = self.as_str();
        match self {
            Self::Compact(bytes) if !(4..=8).contains(&bytes) => {
                return Some(format!("the store {name} keeps from 4 to 8 bytes of a hash, not {bytes}"));
            }
            Self::Bitstate(bits) if !(10..=46).contains(&bits) => {
                return Some(format!("the store {name} has from 2^10 to 2^46 bits, not 2^{bits}"));
            }
            _ => {}
        }
        if !self.rebuilds() && order == Order::BreadthFirst {
            return Some(format!(
                "the store {name} does not give states back, which a breadth-first search needs: use \
                 `Order::DepthFirst`"
            ));
        }
        (!self.rebuilds() && has_formulas).then(|| {
            format!(
                "the store {name} does not find states again by number, which formulas need; trie, exact, \
                 collapse and gzip do. To check everything else: `.goals(Goals::Safety)`"
            )
        })
    }
}

/// What a check is about.
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
/// use quotient_model::Goals;
/// let mut lock = Lock::program().sort::<Client>(2);
/// assert_eq!(lock.check().goals(Goals::All).assert_holds().goals.len(), 2);
/// assert_eq!(lock.check().goals(Goals::Safety).assert_holds().goals[0].name, "safety");
/// lock.check().goals(Goals::Formula("HELD_AGAIN".to_owned())).assert_holds();
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Goals {
    /// Safety, and every formula.
    #[default]
    All,
    /// Invariants, deadlocks, failures, panics, and what should be reachable.
    Safety,
    /// The formula of this name.
    Formula(String),
}

/// A check of a program, with its options.
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
/// use std::sync::{Arc, atomic::AtomicBool};
/// use std::time::Duration;
/// use quotient_model::{Fairness, Goals, SymmetryCheck, Verdict};
///
/// let mut lock = Lock::program().sort::<Client>(3);
/// let stop = Arc::new(AtomicBool::new(false));
/// let report = lock
///     .check()
///     .goals(Goals::Safety)
///     .symmetric_only::<Client>()
///     .symmetry_check(SymmetryCheck::All)
///     .keep_going()
///     .minimise(false)
///     .max_states(1_000)
///     .max_depth(50)
///     .time(Duration::from_secs(600))
///     .memory(64 << 30)
///     .interrupt(&stop)
///     .progress(|progress| println!("{} states", progress.states))
///     .run();
/// assert!(matches!(report.verdict, Verdict::Holds));
/// lock.check().fairness(Fairness::Weak).formula("[] <> !is_held").assert_holds();
/// ```
pub struct Check<'p, M: Model> {
    program: &'p mut Program<M>,
    symmetry: Symmetry,
    symmetric: Option<Vec<usize>>,
    tested: SymmetryCheck,
    order: Order,
    store: StoreKind,
    fairness: Fairness,
    goals: Goals,
    max_states: Option<usize>,
    max_depth: Option<u32>,
    time: Option<Duration>,
    memory: Option<usize>,
    keep_going: bool,
    minimise: bool,
    progress: Option<ShowProgress<'p>>,
    /// What is wrong with the options.
    errors: Vec<String>,
}

/// What shows progress.
type ShowProgress<'p> = Box<dyn FnMut(&Progress) + 'p>;

/// Shows progress.
struct Watcher<'a, 'p>(Option<&'a mut (dyn FnMut(&Progress) + 'p)>);

impl Observer for Watcher<'_, '_> {
    fn progress(&mut self, progress: &Progress) {
        if let Some(show) = &mut self.0 {
            show(progress);
        }
    }
}

/// A search that has ended.
struct Searched {
    outcome: Outcome,
    store: StoreReport,
    /// For a formula: the rest of the result.
    cycle: Option<EmptinessResult>,
}

/// A goal of one search.
#[derive(Clone, Copy)]
enum Goal {
    Safety,
    /// The formula of this number; the individual that it is about.
    Formula(usize, Option<(usize, u32)>),
}

impl<M: Model> Program<M> {
    /// A check with the usual options: breadth first, full symmetry, and a test of the symmetry on samples.
    pub fn check(&mut self) -> Check<'_, M> {
        self.asked_to_stop = None;
        Check {
            program: self,
            symmetry: Symmetry::default(),
            symmetric: None,
            tested: SymmetryCheck::default(),
            order: Order::default(),
            store: StoreKind::default(),
            fairness: Fairness::None,
            goals: Goals::default(),
            max_states: None,
            max_depth: None,
            time: None,
            memory: None,
            keep_going: false,
            minimise: true,
            progress: None,
            errors: Vec::new(),
        }
    }
}

impl<'p, M: Model> Check<'p, M> {
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

    /// Sets the store.
    pub fn store(mut self, store: StoreKind) -> Self {
        self.store = store;
        self
    }

    /// Only runs that are fair to all processes violate formulas. Without it, only what the model says is
    /// fair counts ([`Properties::weakly_fair`](crate::Properties::weakly_fair)).
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.fairness = fairness;
        self
    }

    /// Sets what is checked.
    pub fn goals(mut self, goals: Goals) -> Self {
        self.goals = goals;
        self
    }

    /// Checks one more formula over the propositions of the model, and nothing else.
    pub fn formula(mut self, text: &str) -> Self {
        let written =
            Written { name: text.to_owned(), text: text.to_owned(), scope: String::new(), each: None };
        match Compiled::new(&self.program.properties, &written) {
            Ok(compiled) => {
                let all = &mut self.program.formulas.all;
                if !all.iter().any(|other| other.name == text) {
                    all.push(Compiled { extra: true, ..compiled });
                }
                self.goals = Goals::Formula(text.to_owned());
            }
            Err(error) => self.errors.push(error),
        }
        self
    }

    /// Ends the search when this many states are stored.
    pub fn max_states(mut self, states: usize) -> Self {
        self.max_states = Some(states);
        self
    }

    /// States at this distance from the initial one are not expanded.
    pub fn max_depth(mut self, depth: u32) -> Self {
        self.max_depth = Some(depth);
        self
    }

    /// Ends the check after this time.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Ends the check when the process uses this many bytes.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Ends the check when this is set.
    pub fn interrupt(self, interrupt: &Arc<AtomicBool>) -> Self {
        self.program.asked_to_stop = Some(Arc::clone(interrupt));
        self
    }

    /// Goes on after a violation of safety, and reports all.
    pub fn keep_going(mut self) -> Self {
        self.keep_going = true;
        self
    }

    /// Whether the run to a violation of safety is made shorter, if a search that goes deep found it. It is, if
    /// this is not said.
    pub fn minimise(mut self, minimise: bool) -> Self {
        self.minimise = minimise;
        self
    }

    /// Shows the progress of searches.
    pub fn progress(mut self, show: impl FnMut(&Progress) + 'p) -> Self {
        self.progress = Some(Box::new(show));
        self
    }

    /// What keeps the check from being made.
    fn refusal(&self) -> Option<String> {
        let program = &*self.program;
        if let Some(error) = self.errors.first().or(program.formulas.errors.first()) {
            return Some(error.clone());
        }
        let has_formulas = match &self.goals {
            Goals::All => program.formulas.all.iter().any(|compiled| !compiled.extra),
            Goals::Safety => false,
            Goals::Formula(name) => {
                if !program.formulas.all.iter().any(|compiled| compiled.name == *name) {
                    return Some(format!("the model has no formula `{name}`"));
                }
                true
            }
        };
        if let Some(obstacle) = program.properties.obstacles.first().filter(|_| has_formulas) {
            return Some(format!("{obstacle}. To check everything else: `.goals(Goals::Safety)`"));
        }
        if self.fairness != Fairness::None && !has_formulas {
            return Some("fairness matters to formulas only, and none is checked".to_owned());
        }
        if let Some(refusal) = self.store.refusal(self.order, has_formulas) {
            return Some(refusal);
        }
        match program.initial_states() {
            Err(message) => Some(format!("the initial states cannot be made: {message}")),
            Ok(values) if values.is_empty() => Some("the model has no initial state".to_owned()),
            Ok(_) => None,
        }
    }

    /// Runs the check.
    pub fn run(mut self) -> Report<M::State, M::Action> {
        let mut report = Report {
            verdict: Verdict::Holds,
            goals: Vec::new(),
            violations: Vec::new(),
            states: 0,
            transitions: 0,
            covered: Vec::new(),
            broken: Vec::new(),
            not_canonical: 0,
            naming: Naming::default(),
        };
        if let Some(reason) = self.refusal() {
            report.verdict = Verdict::Refused(reason);
            return report;
        }
        self.program.notes.borrow_mut().covered.clear();
        self.program.namer.borrow_mut().stats = Naming::default();
        let start = Instant::now();
        // The claim of symmetry is tested by the first search, and by that again if it was wrong.
        let mut tested = self.tested;
        for goal in self.list_goals() {
            match goal {
                Goal::Safety => self.pursue(goal, &mut tested, start, &mut report),
                Goal::Formula(number, _) => {
                    for individual in self.individuals(number, &report.broken) {
                        self.pursue(Goal::Formula(number, individual), &mut tested, start, &mut report);
                    }
                }
            }
        }
        self.program.focus = Focus::default();
        self.program.formulas.all.retain(|compiled| !compiled.extra);
        if let Some(first) = report.goals.first() {
            (report.states, report.transitions) = (first.states, first.transitions);
        }
        let mut reasons = Vec::new();
        for goal in &report.goals {
            if let Verdict::HoldsUpTo(because) = &goal.verdict {
                let of_goal = if report.goals.len() > 1 { format!("{}: ", goal.name) } else { String::new() };
                reasons.extend(because.iter().map(|reason| format!("{of_goal}{reason}")));
            }
            if goal.verdict.weight() > report.verdict.weight() {
                report.verdict = goal.verdict.clone();
            }
        }
        if let Verdict::HoldsUpTo(all) = &mut report.verdict {
            *all = reasons;
        }
        report.covered.clone_from(&self.program.notes.borrow().covered);
        report
    }

    fn list_goals(&self) -> Vec<Goal> {
        let formulas = self.program.formulas.all.iter().enumerate();
        match &self.goals {
            Goals::Safety => vec![Goal::Safety],
            Goals::All => {
                let formulas = formulas.filter(|(_, compiled)| !compiled.extra);
                std::iter::once(Goal::Safety)
                    .chain(formulas.map(|(number, _)| Goal::Formula(number, None)))
                    .collect()
            }
            Goals::Formula(name) => formulas
                .filter(|(_, compiled)| compiled.name == *name)
                .map(|(number, _)| Goal::Formula(number, None))
                .collect(),
        }
    }

    /// The individuals for which a formula is checked; `None` if it is about none.
    fn individuals(&mut self, number: usize, broken: &[Broken]) -> Vec<Option<(usize, u32)>> {
        let Some(each) = self.program.formulas.all[number].each else { return vec![None] };
        let Some(sort) = self.program.sorts.find(each) else { return Vec::new() };
        let Size::Given(count) = self.program.sorts.all[sort].size else { return Vec::new() };
        self.set_symmetry(broken);
        let all = self.program.representatives(sort, count);
        all.unwrap_or_else(|_| (0..count).collect()).into_iter().map(|index| Some((sort, index))).collect()
    }

    fn set_symmetry(&mut self, broken: &[Broken]) {
        for sort in 0..self.program.sorts.all.len() {
            let is_meant = self.symmetric.as_ref().is_none_or(|symmetric| symmetric.contains(&sort));
            let is_broken = broken.iter().any(|broken| broken.number == sort);
            self.program.set_symmetric(sort, self.symmetry == Symmetry::Full && is_meant && !is_broken);
        }
    }

    /// Makes the search for a goal, and adds what it found.
    fn pursue(
        &mut self,
        goal: Goal,
        tested: &mut SymmetryCheck,
        start: Instant,
        report: &mut Report<M::State, M::Action>,
    ) {
        let mut name = "safety".to_owned();
        let mut formula = String::new();
        self.program.focus = Focus::default();
        let mut claimed = None;
        if let Goal::Formula(number, pinned) = goal {
            let compiled = self.program.formulas.all[number].clone();
            name.clone_from(&compiled.name);
            formula.clone_from(&compiled.text);
            if let Some((sort, index)) = pinned {
                name = format!("{name} [{}{index}]", self.program.sorts.all[sort].name);
            }
            let formulas = &self.program.formulas;
            let is_fair = self.fairness != Fairness::None
                || !formulas.weakly.is_empty()
                || !formulas.strongly.is_empty();
            self.program.focus = Focus { propositions: compiled.propositions.clone(), pinned, is_fair };
            claimed = Some(compiled.violations().map(|automaton| (compiled, automaton)));
        }
        self.program.namer.borrow_mut().pinned = self.program.focus.pinned;
        let nothing = StoreReport { kind: self.store.as_str(), bytes: 0, omissions: None };
        let mut found = GoalReport {
            name,
            formula,
            verdict: Verdict::Holds,
            states: 0,
            transitions: 0,
            matched: 0,
            depth: 0,
            product: None,
            store: nothing,
            elapsed: Duration::ZERO,
            stopped: None,
        };
        let claimed = match claimed.transpose() {
            Ok(claimed) => claimed,
            Err(message) => {
                found.verdict = Verdict::Refused(message);
                return report.goals.push(found);
            }
        };
        loop {
            self.set_symmetry(&report.broken);
            self.program.forget();
            *self.program.sampling.borrow_mut() = Sampling::new(*tested);
            let processes = self.program.processes.borrow().count();
            let automaton = claimed.as_ref().map(|(_, automaton)| automaton);
            let left = self.time.map(|time| time.saturating_sub(start.elapsed()));
            let searched = caught(|| self.search(automaton, left));
            *self.program.sampling.borrow_mut() = Sampling::default();
            let broken = self.program.notes.borrow_mut().broken.take();
            if let Some(broken) = broken {
                report.broken.push(broken);
                continue;
            }
            let is_new = self.program.processes.borrow().count() > processes;
            if is_new && self.program.focus.is_fair {
                continue;
            }
            *tested = SymmetryCheck::Off;
            match searched {
                Ok(Ok(searched)) => {
                    found.verdict = self.conclude(&searched, claimed.as_ref().map(|(compiled, _)| compiled));
                    self.count(&searched, &mut found);
                    if goal.is_safety() && self.keep_going {
                        report.violations = self.all_violations(&searched.outcome);
                    } else if let (Goal::Safety, Verdict::Violated(violation)) = (goal, &found.verdict) {
                        report.violations = vec![(**violation).clone()];
                    }
                }
                Ok(Err(refusal)) => found.verdict = Verdict::Refused(refusal),
                Err(panicked) => {
                    let message = format!("the search cannot go back the way it came: {}", panicked.message);
                    found.verdict = Verdict::NotAFunction(message);
                }
            }
            report.not_canonical = report.not_canonical.max(self.program.broken_off());
            report.naming = self.program.namer.borrow().stats;
            self.program.namer.borrow_mut().pinned = None;
            return report.goals.push(found);
        }
    }

    fn count(&self, searched: &Searched, found: &mut GoalReport<M::State, M::Action>) {
        let Searched { outcome, store, cycle } = searched;
        let initial = self.program.initial_values().map_or(1, |values| values.len());
        // The state before several initial ones is not a state of the model, nor are the steps from it.
        let extra = usize::from(initial > 1);
        let stats = &outcome.stats;
        found.states = stats.states - extra.min(stats.states);
        found.transitions = stats.transitions.saturating_sub((extra * initial) as u64);
        found.matched = stats.matched;
        found.depth = stats.depth.saturating_sub(extra as u32);
        found.product = cycle.as_ref().map(|result| (result.nodes, result.entered.len()));
        found.store = store.clone();
        found.elapsed = outcome.elapsed;
        found.stopped = match outcome.completeness {
            Completeness::Stopped(reason) if reason != StopReason::FirstViolation => Some(reason),
            _ => None,
        };
    }

    fn search(
        &mut self,
        automaton: Option<&ltl::Automaton>,
        time: Option<Duration>,
    ) -> Result<Searched, String> {
        let program = &*self.program;
        let budget = self.memory.map_or_else(Budget::unlimited, Budget::of_process);
        let options = Options {
            max_states: self.max_states,
            max_depth: self.max_depth,
            time,
            budget: budget.clone(),
            interrupt: Some(&program.interrupt),
            keep_going: self.keep_going,
            // Actions are taken once: the store must be able to look up what they change.
            lookahead: self.store == StoreKind::Trie && self.max_depth.is_none() && !program.is_named(),
            ..Options::default()
        };
        let mut watcher = Watcher(self.progress.as_deref_mut());
        let by_depth = self.order == Order::DepthFirst;
        if let Some(automaton) = automaton {
            let formulas = &program.formulas;
            let claim = Claim {
                fairness: self.fairness,
                fair_transitions: &formulas.strongly,
                weakly_fair_transitions: &formulas.weakly,
                passes_by: true,
                ..Claim::new(automaton)
            };
            let mut store: Box<dyn StateStore> = match self.store {
                StoreKind::Trie => Box::new(IndexedTrie::indexed(&budget)),
                other => boxed(other, &budget),
            };
            let result = emptiness(program, &mut *store, &claim, &options, &mut watcher)
                .map_err(|refusal| refusal.to_string())?;
            let store = described(&*store);
            return Ok(Searched { outcome: result.outcome.clone(), store, cycle: Some(result) });
        }
        // Compiled for the usual store, and once for all others.
        let (outcome, store) = if self.store == StoreKind::Trie {
            let mut store = Trie::new(&budget, !by_depth);
            let outcome = if by_depth {
                search::dfs(program, &mut store, &options, &mut watcher)
            } else {
                search::bfs(program, &mut store, &options, &mut watcher)
            };
            (outcome, described(&store))
        } else {
            let mut store = boxed(self.store, &budget);
            let outcome = if by_depth {
                search::dfs(program, &mut *store, &options, &mut watcher)
            } else {
                search::bfs(program, &mut *store, &options, &mut watcher)
            };
            (outcome, described(&*store))
        };
        Ok(Searched { outcome, store, cycle: None })
    }

    fn conclude(&self, searched: &Searched, compiled: Option<&Compiled>) -> Verdict<M::State, M::Action> {
        let program = &*self.program;
        if let Some(difference) = program.notes.borrow_mut().unrepeatable.take() {
            return Verdict::NotAFunction(difference);
        }
        let violations = &searched.outcome.violations;
        let Some(compiled) = compiled else {
            return violations
                .first()
                .map_or_else(|| self.absent(searched, true), |violation| self.confirmed(violation));
        };
        let mut reasons = Vec::new();
        for violation in violations {
            let failure = program.failure(violation.fault);
            match violation.consequence {
                Consequence::OfProperty if failure.kind == Kind::Property => {
                    let cycle = searched.cycle.as_ref();
                    if !cycle.is_some_and(|result| result.cycle_not_reproduced) {
                        let lasso = cycle.and_then(|result| result.lasso.as_ref());
                        return program.confirm_run(compiled, &violation.trail, lasso);
                    }
                    reasons.push("a cycle that violates it was found, but no run along it".to_owned());
                }
                Consequence::OfProperty => {
                    return Verdict::Refused(format!(
                        "a proposition panics: {} ({})",
                        failure.message, failure.place
                    ));
                }
                Consequence::EndsRuns => {
                    reasons.push(format!("runs end in a violation ({})", failure.kind));
                }
                Consequence::GoesOn => {}
            }
        }
        match (self.absent(searched, false), reasons.is_empty()) {
            (verdict, true) => verdict,
            (Verdict::HoldsUpTo(others), false) => {
                reasons.extend(others);
                Verdict::HoldsUpTo(reasons)
            }
            (_, false) => Verdict::HoldsUpTo(reasons),
        }
    }

    /// A violation of safety, confirmed, with a run that is not longer than it must be.
    fn confirmed(&self, violation: &search::Violation) -> Verdict<M::State, M::Action> {
        let failure = self.program.failure(violation.fault);
        let mut verdict = self.program.confirm(&violation.trail, &failure);
        if self.minimise
            && self.order == Order::DepthFirst
            && let Verdict::Violated(violation) = &mut verdict
        {
            self.program.minimise(violation);
        }
        verdict
    }

    /// All violations of a search, each confirmed.
    fn all_violations(&self, outcome: &Outcome) -> Vec<Violation<M::State, M::Action>> {
        let confirmed = outcome.violations.iter().map(|violation| self.confirmed(violation));
        confirmed
            .filter_map(|verdict| match verdict {
                Verdict::Violated(violation) => Some(*violation),
                _ => None,
            })
            .collect()
    }

    /// The verdict of a search without violations.
    fn absent(&self, searched: &Searched, is_safety: bool) -> Verdict<M::State, M::Action> {
        let Searched { outcome, store, .. } = searched;
        let mut reasons = Vec::new();
        let notes = self.program.notes.borrow();
        if notes.too_many_objects {
            reasons.push("there are more objects that act than fairness can tell apart".to_owned());
        }
        if let Completeness::Stopped(reason) = outcome.completeness
            && reason != StopReason::FirstViolation
        {
            reasons.push(reason.to_string());
        }
        if notes.outside > 0 {
            reasons.push(format!("{} steps leave `within`", notes.outside));
        }
        if notes.crowded > 0 {
            reasons.push(format!("{} steps need more individuals than there are", notes.crowded));
        }
        if outcome.is_truncated() && notes.outside + notes.crowded == 0 {
            reasons.push("some steps were not followed".to_owned());
        }
        if let Some(lost) = store.omissions {
            reasons.push(format!("the store {} is lossy: {lost:.3} states lost, as expected", store.kind));
        }
        let missing = notes.reached.iter().position(|reached| !reached).filter(|_| is_safety);
        match missing {
            Some(number) if reasons.is_empty() => {
                let place = self.program.properties.reachable[number].0.clone();
                Verdict::Violated(Box::new(Violation {
                    kind: Kind::Unreachable,
                    message: format!("no state satisfies `{place}`"),
                    place,
                    initial: None,
                    run: Vec::new(),
                    cycle: None,
                    is_closed: false,
                    obstacles: Vec::new(),
                    minimised: None,
                    labels: self.program.sorts.labels(),
                }))
            }
            Some(number) => {
                let name = &self.program.properties.reachable[number].0;
                reasons.push(format!("no state was found that satisfies `{name}`"));
                Verdict::HoldsUpTo(reasons)
            }
            None if reasons.is_empty() => Verdict::Holds,
            None => Verdict::HoldsUpTo(reasons),
        }
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

impl Goal {
    const fn is_safety(self) -> bool {
        matches!(self, Self::Safety)
    }
}

/// A store behind a pointer.
fn boxed(kind: StoreKind, budget: &Budget) -> Box<dyn StateStore> {
    match kind {
        StoreKind::Trie => Box::new(Trie::new(budget, true)),
        StoreKind::Exact => Box::new(Exact::new(budget)),
        StoreKind::Collapse => Box::new(Collapse::new(budget)),
        StoreKind::Gzip => Box::new(Gzip::new(budget)),
        StoreKind::Automaton => Box::new(Automaton::new(budget)),
        StoreKind::CollapseAutomaton => Box::new(CollapseAutomaton::new(budget)),
        StoreKind::Compact(bytes) => Box::new(Compact::new(budget, bytes)),
        StoreKind::Bitstate(bits) => Box::new(Bitstate::new(budget, bits, Hashes::Usual)),
    }
}

fn described<T: StateStore + ?Sized>(store: &T) -> StoreReport {
    StoreReport { kind: store.kind(), bytes: store.bytes(), omissions: store.omissions() }
}
