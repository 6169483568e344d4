//! What a search leaves out: whether statements of a program are merged, whether orders of steps are reduced,
//! and if not, why.
//!
//! Both change no answer where they are used, so they are, unless a check is about what they change. Then
//! they give way, and the report says so; it says it louder where they were asked for by name.

use std::borrow::Cow;

use ir::{ExprKind, Program, Property, PropertyKind, Type};
use ltl::{Limits, stutter};
use promela::Chains;
use reduction::{Analysis, Observed};

use crate::config::{Config, Fairness, OnBound, Switch, Symmetry};
use crate::model::Model;
use crate::report::Reduction;
use crate::stack::LayerStats;

/// How a program is searched.
pub struct ReductionPlan<'p> {
    /// The program whose steps are searched: that of the model, or a merged one.
    pub program: Cow<'p, Program>,
    /// What is merged: nothing, if there are none.
    pub chains: Chains,
    /// What is known about independent steps, if some may be left out.
    pub analysis: Option<Analysis>,
    merging: Decision,
    reduction: Decision,
    /// What was assumed about the program, and is not so.
    dropped: Vec<String>,
}

/// Whether something is used; if it could be asked for and is not, why.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Decision {
    Used,
    NotWanted,
    NotPossible(String),
}

impl Decision {
    /// In spite of an obstacle, nothing is used.
    fn new(switch: Switch, obstacle: impl FnOnce() -> Option<String>) -> Self {
        if switch == Switch::Off {
            return Self::NotWanted;
        }
        obstacle().map_or(Self::Used, Self::NotPossible)
    }

    fn switch(&self) -> Switch {
        if *self == Self::Used { Switch::On } else { Switch::Off }
    }

    fn notice(&self) -> Option<String> {
        match self {
            Self::Used | Self::NotWanted => None,
            Self::NotPossible(why) => Some(why.clone()),
        }
    }
}

impl<'p> ReductionPlan<'p> {
    /// For the search of a model's program for deadlocks and faults, or for runs that violate a property.
    pub fn new(model: &Model, program: &'p Program, config: &Config, property: Option<&Property>) -> Self {
        let counting = property.and_then(counts_states);
        let chains = chains(model, program, property);
        let merging = Decision::new(config.merge, || {
            no_merging(program, &chains, config, property).or_else(|| counting.clone())
        });
        let (program, chains) = if merging == Decision::Used {
            (Cow::Owned(promela::merge(program, &chains)), chains)
        } else {
            (Cow::Borrowed(program), Chains::new())
        };
        let reduction = Decision::new(config.por, || {
            no_reduction(&program, config, property).or_else(|| counting.clone())
        });
        let analysis = (reduction == Decision::Used).then(|| {
            let mut observed = Observed::invariants(&program);
            let props = property.iter().flat_map(|property| &property.props);
            observed.in_runs.extend(props.map(|prop| &prop.expr));
            let analysis = Analysis::new(&program, &observed);
            match config.fairness {
                Fairness::Weak if property.is_some() => analysis.for_fair_runs(),
                // Runs to which strong fairness matters are not reduced.
                Fairness::Weak | Fairness::Strong | Fairness::None => analysis,
            }
        });
        // Where no step is ever ample, there is no need to look.
        let analysis = analysis.filter(|analysis| analysis.candidates() > 0);
        Self { program, chains, analysis, merging, reduction, dropped: Vec::new() }
    }

    /// Searches, and again as long as what was assumed for the reduction turns out not to hold.
    pub fn search<T, E>(
        &mut self,
        mut search: impl FnMut(Option<&Analysis>) -> Result<(T, LayerStats), E>,
    ) -> Result<(T, LayerStats), E> {
        loop {
            let (found, layers) = search(self.analysis.as_ref())?;
            let Some(analysis) = self.analysis.as_mut().filter(|_| !layers.doubts.is_empty()) else {
                return Ok((found, layers));
            };
            if layers.doubts.is_bounded {
                self.give_up(BOUNDED);
            } else {
                self.dropped.extend(analysis.drop_assumptions(&layers.doubts.breaches));
            }
        }
    }

    /// Nothing is reduced any more, since nothing is renamed.
    pub fn give_up_names(&mut self) {
        self.give_up(NAMES);
    }

    fn give_up(&mut self, why: &str) {
        self.analysis = None;
        if self.reduction == Decision::Used {
            self.reduction = Decision::NotPossible(why.to_owned());
        }
    }

    pub fn report(&self, layers: &LayerStats) -> Reduction {
        Reduction {
            por: self.reduction.switch(),
            merge: self.merging.switch(),
            notice: self.reduction.notice(),
            merge_notice: self.merging.notice(),
            dropped: self.dropped.clone(),
            ample: layers.reduction.ample,
            full: layers.reduction.full,
        }
    }
}

/// What may be merged, as far as a property does not see it.
fn chains(model: &Model, program: &Program, property: Option<&Property>) -> Chains {
    let Some(property) = property.filter(|_| !model.chains.is_empty()) else { return model.chains.clone() };
    let props: Vec<_> = property.props.iter().map(|prop| &prop.expr).collect();
    let visible = reduction::visible(program, &props);
    promela::unseen(&model.chains, |transition| visible[transition])
}

/// Why no statements are merged.
fn no_merging(
    program: &Program,
    chains: &Chains,
    config: &Config,
    property: Option<&Property>,
) -> Option<String> {
    if chains.is_empty() {
        Some("no statement can be merged with the one before it".to_owned())
    } else if property.is_some() && config.fairness != Fairness::None {
        // Also in those between merged statements: there, a process waits for no message.
        let fairness = config.fairness;
        Some(format!("{fairness} fairness depends on which processes can move in the omitted states"))
    } else if property.is_some()
        && let Some(reason) = reduction::obstacle(program)
    {
        Some(reason.to_owned())
    } else if config.merge == Switch::Auto && config.limits.depth.is_some() {
        Some("--max-depth counts statements one by one".to_owned())
    } else {
        None
    }
}

/// Objects and threads may be gone before others are made, or after that.
const BOUNDED: &str =
    "a bound was exceeded, and the number of objects and threads at a time depends on the interleaving";

/// Two orders of the same steps lead to states that differ in names.
const NAMES: &str = "without symmetry, the names of objects depend on the interleaving";

/// Of two orders of independent steps, a third thread may be able to move in the middle of one only: one run
/// may be strongly fair and the other not.
const STRONG: &str = "under strong fairness, runs that differ only in the order of independent steps may differ in \
                      which threads can move again and again";

/// The same holds for what one thread can do.
const FAIR: &str = "runs that differ only in the order of independent steps may differ in which `fair` \
                    transitions are enabled again and again";

/// Why orders of steps are not reduced.
fn no_reduction(program: &Program, config: &Config, property: Option<&Property>) -> Option<String> {
    if let Some(reason) = reduction::obstacle(program) {
        return Some(reason.to_owned());
    }
    if config.limits.depth.is_some() {
        let reason =
            "the interleaving that is explored may be longer than --max-depth where an equivalent one is not";
        return Some(reason.to_owned());
    }
    let is_name = |ty: Type| ty.is_reference() || ty == Type::Tid;
    let has_heap = !program.features.thread_ids_observable && program.types.iter().any(|(_, ty)| is_name(ty));
    if has_heap && config.symmetry == Symmetry::None {
        return Some(NAMES.to_owned());
    }
    if has_heap && config.bounds.on_bound == OnBound::Error {
        let reason =
            "the number of objects at a time depends on the interleaving, and too many are a violation";
        return Some(reason.to_owned());
    }
    match config.fairness {
        _ if property.is_none() => None,
        _ if program.fair_transitions().next().is_some() => Some(FAIR.to_owned()),
        Fairness::None => None,
        Fairness::Weak => has_timeouts(program)
            .then(|| "with weak fairness, a `timeout` depends on all processes".to_owned()),
        Fairness::Strong => Some(STRONG.to_owned()),
    }
}

fn has_timeouts(program: &Program) -> bool {
    let mut found = false;
    program.each_expr(&mut |expr| found |= expr.kind == ExprKind::Timeout);
    found
}

/// Why states that are left out may be missed by a property.
pub fn counts_states(property: &Property) -> Option<String> {
    let name = &property.name;
    match &property.kind {
        PropertyKind::Claim(_) => {
            Some(format!("it is not known whether the claim `{name}` counts states, as `X` does"))
        }
        PropertyKind::Formula(formula) => match stutter::is_invariant(formula, Limits::default()) {
            Some(true) => None,
            Some(false) => Some(format!("the property `{name}` counts states, as `X` does")),
            None => {
                Some(format!("it takes too long to find out whether `{name}` counts states, as `X` does"))
            }
        },
    }
}
