//! Temporal properties: which ones a check is about, and the search for runs that violate one.

use ir::{Origin, Program, Property, PropertyKind};
use ltl::{Automaton, Formula, Limits, smallest};
use search::emptiness::{Claim, EmptinessResult};
use search::{Consequence, Observer, Options, Team};
use store::StateStore;
use symmetry::{Level, SymmetryConfig};
use system::{FaultKind, Temporal};

use crate::config::{Config, Fairness, StoreKind, Symmetry};
use crate::model::Model;
use crate::property::LTL;
use crate::report::{self, Store, Verdict};
use crate::stack::{LayerStats, OnSystem, Stack};
use crate::stores::{OnStore, describe, with_indexed_store};

/// What one search of a check is to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Deadlocks, assertions, invariants, faults.
    Safety,
    /// The property of this number; if it is about individuals, for those of one origin.
    Property(usize, Option<Origin>),
}

impl Goal {
    /// The goals of a property.
    fn of(program: &Program, number: usize) -> Vec<Self> {
        match &program.properties[number].each {
            None => vec![Self::Property(number, None)],
            Some(each) => {
                program.origins(each).into_iter().map(|from| Self::Property(number, Some(from))).collect()
            }
        }
    }

    /// Whether both are about one property.
    pub fn is_with(self, other: Self) -> bool {
        matches!((self, other), (Self::Property(one, _), Self::Property(another, _)) if one == another)
    }
}

/// What a check is to find out.
pub struct Goals {
    /// The model's program, with all properties that are goals.
    pub program: Program,
    pub list: Vec<Goal>,
    /// Which property is about progress labels.
    pub progress: Option<usize>,
    /// Properties that are not checked, since the store cannot be searched for cycles.
    pub skipped: Vec<String>,
}

impl Goals {
    /// The name of a goal.
    pub fn name(&self, goal: Goal) -> &str {
        match goal {
            Goal::Safety => "safety",
            Goal::Property(number, _) => &self.program.properties[number].name,
        }
    }
}

/// What a search for cycles was about, and found.
#[derive(Clone, Copy)]
pub struct PropertySearch<'a> {
    pub goals: &'a Goals,
    pub number: usize,
    /// For a property of each thread of a procedure: which of them the search was about.
    pub origin: Option<Origin>,
    pub found: &'a EmptinessResult,
    /// The program with a marked thread that was searched, if it was.
    pub marked: Option<&'a ir::MarkedProgram>,
    pub automaton_states: usize,
}

impl PropertySearch<'_> {
    pub const fn goal(&self) -> Goal {
        Goal::Property(self.number, self.origin)
    }

    pub fn property(&self) -> &ir::Property {
        &self.goals.program.properties[self.number]
    }

    /// Whether a violation is reported. A search for cycles passes by what violates something else; that is
    /// reported if the check is about safety too.
    pub fn reports(&self, found: &search::Violation) -> bool {
        self.goals.list.contains(&Goal::Safety)
            || found.consequence == Consequence::OfProperty
            || matches!(found.fault.kind, FaultKind::Bound(_))
    }

    /// The faults that end runs of which the property says nothing, therefore.
    pub fn faults(&self) -> impl Iterator<Item = &search::Violation> {
        self.found.outcome.violations.iter().filter(|found| found.consequence == Consequence::EndsRuns)
    }

    pub fn entry(&self, config: &Config, verdict: Verdict, reduction: report::Reduction) -> report::Property {
        let property = self.property();
        let stats = &self.found.outcome.stats;
        let seen = self.found.seen.as_deref().filter(|_| verdict == Verdict::Holds);
        report::Property {
            name: property.name.clone(),
            formula: self.goals.program.formula_text(property),
            verdict,
            automaton_states: self.automaton_states as u64,
            product_states: self.found.nodes as u64,
            states: stats.states as u64,
            transitions: stats.transitions,
            seconds: self.found.outcome.elapsed.as_secs_f64(),
            fairness: config.fairness,
            reduction,
            vacuous: seen.map(|seen| vacuous(&self.goals.program, property, seen)).unwrap_or_default(),
        }
    }
}

/// What the configuration asks for. Where it asks for nothing in particular, that is everything that the
/// model says: that nothing goes wrong, and all of its properties.
pub fn goals(model: &Model, config: &Config) -> Result<Goals, String> {
    let mut goals =
        Goals { program: model.program.clone(), list: Vec::new(), progress: None, skipped: Vec::new() };
    let program = &mut goals.program;
    if config.safety {
        goals.list.push(Goal::Safety);
    } else if let Some(name) = config.property.as_deref().or(config.ltl.as_ref().map(|_| LTL)) {
        goals.list = Goal::of(program, model.property_number(Some(name))?);
    } else if config.non_progress {
        let progress = program.progress_property();
        goals.progress = Some(program.properties.len());
        goals.list.push(Goal::Property(program.properties.len(), None));
        program.properties.push(progress);
    } else if config.acceptance {
        let accept = program.acceptance_property();
        goals.list.push(Goal::Property(program.properties.len(), None));
        program.properties.push(accept.ok_or("the model has no accept labels outside of claims")?);
    } else {
        let accept = program.acceptance_property();
        program.properties.extend(accept);
        goals.list.push(Goal::Safety);
        if unfit(config.store).is_some() {
            goals.skipped = program.properties.iter().map(|property| property.name.clone()).collect();
        } else {
            goals.list.extend((0..program.properties.len()).flat_map(|number| Goal::of(program, number)));
        }
        if let (Fairness::Weak | Fairness::Strong, [Goal::Safety]) = (config.fairness, &goals.list[..]) {
            let why = match (&goals.skipped[..], unfit(config.store)) {
                ([_, ..], Some(why)) => why,
                _ => format!("`{}` has none", model.name),
            };
            let fairness = config.fairness;
            return Err(format!("--fairness {fairness} matters to temporal properties only: {why}"));
        }
    }
    Ok(goals)
}

/// The runs that violate a property, for a search.
pub fn violations(property: &Property) -> Result<Automaton, String> {
    match &property.kind {
        PropertyKind::Formula(formula) => smallest::generalized(&formula.negated(), Limits::default())
            .map_err(|_| format!("the automaton of the property `{}` is too large", property.name)),
        PropertyKind::Claim(claim) => Ok(claim.clone()),
    }
}

/// How states are named where cycles are looked for. Names that depend on the age of threads do not lead
/// along a cycle.
pub fn ladder(ladder: Option<SymmetryConfig>) -> Option<SymmetryConfig> {
    ladder.map(|ladder| match ladder.level {
        Level::Full => ladder,
        _ => SymmetryConfig { level: Level::Heap, ..ladder },
    })
}

/// The level that a ladder is of. Where there is none since nothing can be renamed, it is the one that is
/// asked for.
pub fn level(ladder: Option<SymmetryConfig>, asked: Symmetry) -> Symmetry {
    match ladder.map(|ladder| ladder.level) {
        Some(Level::Heap) => Symmetry::Heap,
        _ => asked,
    }
}

/// Looks for a run that the claim accepts.
pub fn search(
    stack: &Stack<'_>,
    claim: &Claim<'_>,
    config: &Config,
    options: &Options<'_>,
    observer: &mut dyn Observer,
) -> Result<((EmptinessResult, Store), LayerStats), String> {
    if let Some(reason) = unfit(config.store) {
        return Err(reason);
    }
    let (found, stats) = stack.with_system(CycleSearch { claim, config, options, observer });
    found.map(|found| (found, stats))
}

/// A search for a run that a claim accepts.
struct CycleSearch<'a> {
    claim: &'a Claim<'a>,
    config: &'a Config,
    options: &'a Options<'a>,
    observer: &'a mut dyn Observer,
}

impl OnSystem for CycleSearch<'_> {
    type Output = Result<(EmptinessResult, Store), String>;

    fn run(self, system: &impl Temporal, _: &impl Team) -> Self::Output {
        let budget = self.options.budget.clone();
        with_indexed_store(self.config.store, &budget, CycleSearchOf { system, search: self })
    }
}

/// A search in a system.
struct CycleSearchOf<'a, 's, S> {
    system: &'s S,
    search: CycleSearch<'a>,
}

impl<S: Temporal> OnStore for CycleSearchOf<'_, '_, S> {
    type Output = Result<(EmptinessResult, Store), String>;

    fn run<T: StateStore + ?Sized>(self, store: &mut T) -> Self::Output {
        let CycleSearch { claim, config, options, observer } = self.search;
        let kind = config.store;
        let found = search::emptiness::emptiness(self.system, store, claim, options, observer);
        found.map(|found| (found, describe(kind, store))).map_err(|refusal| refusal.to_string())
    }
}

/// Why cycles cannot be looked for with a store.
pub fn unfit(store: StoreKind) -> Option<String> {
    if store.is_lossy() {
        Some(format!(
            "--store {store} may take a state for another one, and so an edge for the end of a cycle: temporal properties need \
             an exact store"
        ))
    } else if !store.rebuilds() {
        Some(format!(
            "--store {store} does not find states again by number, which temporal properties need; trie, exact, collapse and \
             gzip do"
        ))
    } else {
        None
    }
}

/// Conditions of the property that no state fulfils, in front of an implication: then it holds for want of a
/// reason not to.
pub fn vacuous(program: &Program, property: &Property, seen: &[u64]) -> Vec<String> {
    let PropertyKind::Formula(formula) = &property.kind else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(each) = &property.each
        && !program.has_any(each.procedure)
    {
        found.push(format!("there is a {} {}", program.procedures[each.procedure].name, each.variable));
    }
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        if let Formula::Implies(condition, _) = formula
            && let Some(holds) = condition_of(condition)
            && !seen.iter().any(|&valuation| holds(valuation))
        {
            found.push(condition.display(|prop| property.props[prop.0 as usize].text.clone()).to_string());
        }
        open.extend(formula.operands());
    }
    found.sort();
    found.dedup();
    found
}

/// A formula without temporal operators, as what it says about a state.
fn condition_of(formula: &Formula) -> Option<impl Fn(u64) -> bool + '_> {
    is_condition(formula).then_some(move |valuation| holds(formula, valuation))
}

fn is_condition(formula: &Formula) -> bool {
    let is_temporal = matches!(
        formula,
        Formula::Next(_)
            | Formula::Always(_)
            | Formula::Eventually(_)
            | Formula::Until(..)
            | Formula::WeakUntil(..)
            | Formula::Release(..)
    );
    !is_temporal && formula.operands().all(is_condition)
}

fn holds(formula: &Formula, valuation: u64) -> bool {
    let both = |a: &Formula, b: &Formula| (holds(a, valuation), holds(b, valuation));
    match formula {
        Formula::True => true,
        Formula::Prop(prop) => valuation >> prop.0 & 1 != 0,
        Formula::Not(a) => !holds(a, valuation),
        Formula::And(a, b) => both(a, b) == (true, true),
        Formula::Or(a, b) => both(a, b) != (false, false),
        Formula::Implies(a, b) => both(a, b) != (true, false),
        Formula::Equivalent(a, b) => holds(a, valuation) == holds(b, valuation),
        _ => false,
    }
}
