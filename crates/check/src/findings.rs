//! What a search amounts to: the verdict, why it is no better, and what it rests on.

use std::collections::BTreeSet;

use search::{Completeness, Consequence, Outcome, StopReason, Violation};
use store::Compact;
use system::Bound;

use crate::config::{self, Config, Fairness, OnBound, SearchKind, StoreKind, Switch};
use crate::dialect::BoundNames;
use crate::model::Model;
use crate::pipeline::Check;
use crate::processes::Processes;
use crate::refine::Ended;
use crate::report::{self, Reduction, Store, Truncations, Verdict};
use crate::temporal::{Goal, PropertySearch, violations};

/// Truncated means: a step was not taken, or a condition was not evaluated, because that exceeds a bound.
///
/// | violations | exhausted | store | truncated | depth limit, breadth first | verdict            |
/// |------------|-----------|-------|-----------|----------------------------|--------------------|
/// | some       |           |       |           |                            | violated           |
/// | none       | yes       | exact | no        |                            | holds              |
/// | none       | yes       | exact | yes       |                            | holds up to bounds |
/// | none       | yes       | lossy |           |                            | no error found     |
/// | none       | no        | exact |           | yes                        | holds up to bounds |
/// | none       | no        |       |           | no                         | inconclusive       |
///
/// Depth first, a depth limit also hides states within the limit, so it bounds nothing.
///
/// A search for cycles is depth first. It is about a property: other violations count for nothing, except
/// that a run that ends in a fault neither satisfies the property nor violates it. Then the verdict is
/// inconclusive.
pub fn verdict(config: &Config, outcome: &Outcome, property: Option<&PropertySearch<'_>>) -> Verdict {
    let is_for_cycles = property.is_some();
    let counts = |found: &Violation| !is_for_cycles || found.consequence == Consequence::OfProperty;
    if outcome.violations.iter().any(counts) {
        return Verdict::Violated;
    }
    match outcome.completeness {
        Completeness::Exhausted if property.is_some_and(|property| property.faults().next().is_some()) => {
            Verdict::Inconclusive
        }
        Completeness::Exhausted if config.store.is_lossy() => Verdict::NoErrorFound,
        Completeness::Exhausted if !outcome.is_truncated() => Verdict::Holds,
        Completeness::Exhausted => Verdict::HoldsUpToBounds,
        Completeness::Stopped(StopReason::Depth)
            if config.search() == SearchKind::Bfs && !config.store.is_lossy() && !is_for_cycles =>
        {
            Verdict::HoldsUpToBounds
        }
        Completeness::Stopped(_) => Verdict::Inconclusive,
    }
}

pub fn incomplete(
    model: &Model,
    config: &Config,
    outcome: &Outcome,
    truncations: Truncations,
    store: &Store,
    ended: Ended,
    property: Option<&PropertySearch<'_>>,
) -> Option<String> {
    let is_for_cycles = property.is_some();
    let mut reasons = Vec::new();
    match outcome.completeness {
        Completeness::Exhausted => {}
        Completeness::Stopped(StopReason::Depth) => {
            let depth = config.limits.depth.unwrap_or_default();
            reasons.push(match config.search() {
                _ if is_for_cycles => format!("paths of more than {depth} steps were cut off"),
                SearchKind::Bfs => format!("states more than {depth} steps away were not explored"),
                SearchKind::Dfs => {
                    format!("paths of more than {depth} steps were cut off, depth first; --search bfs is complete to the limit")
                }
            });
        }
        Completeness::Stopped(reason) => reasons.push(
            match reason {
                StopReason::Depth => "the depth limit was reached",
                StopReason::States => "the limit on states was reached",
                StopReason::Time => "the time limit was reached",
                StopReason::Memory => "the memory limit was reached",
                StopReason::Ids => "the store ran out of state numbers",
                StopReason::Interrupted => "interrupted",
                StopReason::Unshown => {
                    "there seems to be a run that violates a property, but it could not be followed step by step"
                }
                StopReason::Void => "the search relied on what does not hold",
                StopReason::Threads => "there are too many threads for weak fairness",
                StopReason::FirstViolation => "the search stopped at the first violation (use --continue to go on)",
            }
            .to_owned(),
        ),
    }
    if let Some(omissions) = store.expected_omissions {
        reasons.push(format!("the store may have lost states ({} expected)", amount(omissions)));
    }
    if ended == Ended::Memory {
        reasons.push("a larger arena would exceed the memory limit".to_owned());
    }
    let sizes = config.bounds.sizes;
    let threads = format!("--max-threads {}", sizes.threads);
    let BoundNames { objects, frames, .. } = (model.dialect().bounds)(sizes);
    let bounds = [
        (Bound::Objects, truncations.objects, objects),
        (Bound::Threads, truncations.threads, threads),
        (Bound::Frames, truncations.frames, frames),
    ];
    for (bound, steps, name) in bounds {
        match steps {
            0 => {}
            1 => reasons.push(format!("1 step was not taken because it exceeds {name}")),
            _ => reasons.push(format!("{steps} steps were not taken because they exceed {name}")),
        }
        let what = if is_for_cycles { "the property" } else { "an invariant" };
        match outcome.unevaluated.get(&bound) {
            None => {}
            Some(1) => reasons.push(format!("{what} was not evaluated in 1 state because it exceeds {name}")),
            Some(states) => {
                reasons
                    .push(format!("{what} was not evaluated in {states} states because it exceeds {name}"));
            }
        }
    }
    if let Some(property) = property {
        let kinds: BTreeSet<&str> = property.faults().map(|found| found.fault.kind.as_str()).collect();
        if !kinds.is_empty() {
            let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
            reasons.push(format!(
                "some runs end in a fault ({kinds}), about which `{}` says nothing (use --safety to see the fault)",
                property.property().name
            ));
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// A small number or a large one.
fn amount(number: f64) -> String {
    match number {
        0.0 => "0".to_owned(),
        10.0.. => format!("{number:.0}"),
        0.01.. => format!("{number:.2}"),
        _ => format!("{number:.1e}"),
    }
}

/// What can be relied on of what a store says.
fn guarantee(config: &Config, store: &Store) -> String {
    let Some(omissions) = store.expected_omissions else {
        return "every state is kept in full".to_owned();
    };
    let kept = match config.store {
        StoreKind::Compact => {
            let bytes = config.store_options.hash_bytes.unwrap_or(Compact::DEFAULT_WIDTH);
            format!("of each state {bytes} bytes of a hash are kept")
        }
        _ => "of each state a few bits in an array are kept".to_owned(),
    };
    let complete = match (store.probability_complete, omissions) {
        (None, _) => "so far",
        (Some(_), 1.0..) => "so some were probably missed",
        (Some(bound), 0.001..) => &format!("Pr[complete] ≥ {bound:.3}"),
        _ => &format!("Pr[complete] ≥ 1 − {}", amount(omissions)),
    };
    format!("{kept}; {} states are expected to have been lost, {complete}", amount(omissions))
}

/// What the verdict rests on.
pub fn assumptions(
    check: &Check<'_>,
    level: config::Symmetry,
    processes: &Processes<'_>,
    truncations: Truncations,
    store: &Store,
    reduction: &Reduction,
    property: Option<&PropertySearch<'_>>,
) -> Vec<String> {
    let Check { model, config, .. } = *check;
    let mut list = vec![
        format!("store {}: {}", config.store, guarantee(config, store)),
        symmetry_assumption(model, level, processes),
    ];
    list.extend((processes.audited > 0).then(|| {
        format!(
            "symmetry audit: {} states of random runs were permuted, and had permuted successors",
            processes.audited
        )
    }));
    list.extend((level == config::Symmetry::None && level != config.symmetry).then(|| {
        format!(
            "--symmetry {} was not used: its names do not follow the cycle that was found",
            config.symmetry
        )
    }));
    let is_fair = property.is_some() && config.fairness == Fairness::Weak;
    list.extend(merging(model, config.merge, reduction));
    list.push(order(config.por, reduction, is_fair));
    if reduction.notice.is_none() && !reduction.dropped.is_empty() {
        let dropped = reduction.dropped.join(", ");
        list.push(format!("the search was restarted with less reduction, because {dropped}"));
    }
    if let Some(property) = property {
        let schedules = match config.fairness {
            Fairness::None => "all schedules count, including unfair ones",
            Fairness::Weak => {
                "only weakly fair schedules count: no thread that can always move waits forever"
            }
            Fairness::Strong => {
                "only strongly fair schedules count: no thread that can move again and again waits forever"
            }
        };
        let name = &property.property().name;
        list.push(format!("property {name}: {schedules}"));
        let fair = model.program.fair_transitions().count();
        if fair > 0 {
            list.push(format!(
                "property {name}: a transformation marked `fair` that a thread can take again and again is taken again and \
                 again ({fair} in the model)"
            ));
        }
        if let Some(each) = &property.property().each {
            let variable = &each.variable;
            list.push(format!(
                "property {name}: `{variable}@…` is false before {variable} is started and after it has ended"
            ));
        }
        if !property.goals.list.contains(&Goal::Safety) {
            list.push(format!(
                "property {name}: {} were not checked (use --safety)",
                model.dialect().unchecked
            ));
        }
        list.push(match property.goals.progress {
            Some(_) => "finite runs are not cycles".to_owned(),
            None => "a run that ends stays in its last state forever".to_owned(),
        });
    }
    let sizes = config.bounds.sizes;
    let BoundNames { all: bounds, .. } = (model.dialect().bounds)(sizes);
    list.push(match (config.bounds.on_bound, truncations.steps()) {
        (OnBound::Error, _) => format!("{bounds}; exceeding that is a violation"),
        (OnBound::Truncate, 0) => format!("{bounds}; no step exceeded that"),
        (OnBound::Truncate, 1) => format!("{bounds}; 1 step exceeds that and was not taken"),
        (OnBound::Truncate, n) => format!("{bounds}; {n} steps exceed that and were not taken"),
    });
    list.extend(match truncations.conditions {
        0 => None,
        1 => Some("in 1 state, a condition exceeds these bounds and was not evaluated".to_owned()),
        n => Some(format!("in {n} states, a condition exceeds these bounds and was not evaluated")),
    });
    let hidden = looked_at(model);
    if !hidden.is_empty() {
        list.push(format!(
            "hidden variables ({}): states that differ only in them count as one, as the model requests",
            hidden.join(", ")
        ));
    }
    list
}

/// Which statements are taken together. Where there are none, it goes without saying.
fn merging(model: &Model, asked: Switch, reduction: &Reduction) -> Option<String> {
    match (&reduction.merge_notice, asked) {
        (None, Switch::Auto | Switch::On) => Some(
            "statement merging: statements that concern only their own process are executed together with the statement before them".to_owned(),
        ),
        (Some(why), Switch::On) => Some(format!("no statement merging despite --merge on: {why}")),
        (Some(why), Switch::Auto) if !model.chains.is_empty() => Some(format!("no statement merging: {why}")),
        (None, Switch::Off) | (Some(_), Switch::Auto | Switch::Off) => None,
    }
}

/// Which orders of steps are explored.
fn order(asked: Switch, reduction: &Reduction, is_fair: bool) -> String {
    let steps = if reduction.is_merged() { "of what is merged" } else { "of the model's steps" };
    let all = format!("every interleaving {steps} is explored");
    match (&reduction.notice, asked) {
        (None, Switch::Off) => format!("no partial order reduction: {all}"),
        (None, Switch::Auto | Switch::On) if reduction.ample == 0 => {
            format!("partial order reduction: nothing was left out, {all}")
        }
        (None, Switch::Auto | Switch::On) if is_fair => {
            "partial order reduction for fair runs: only one of several equivalent interleavings is explored, for steps that neither enable nor block other threads"
                .to_owned()
        }
        (None, Switch::Auto | Switch::On) => {
            "partial order reduction: only one of several equivalent interleavings is explored".to_owned()
        }
        (Some(why), Switch::On) => format!("no partial order reduction despite --por on: {why}"),
        (Some(why), Switch::Auto | Switch::Off) => format!("no partial order reduction: {why}"),
    }
}

/// What a warning says about a property that holds for want of a reason not to.
pub fn vacuity(property: &report::Property) -> Option<String> {
    let conditions = property.vacuous.iter().map(|condition| format!("`{condition}`")).collect::<Vec<_>>();
    (!conditions.is_empty()).then(|| {
        format!("the property `{}` holds vacuously: {} never holds", property.name, conditions.join(" and "))
    })
}

/// What a warning says about a property that no run of any model violates.
pub fn tautology(property: &report::Property, known: &ir::Property) -> Option<String> {
    // What accepts nothing is small. A formula is translated once more here.
    let is_small = property.automaton_states <= 1 || matches!(known.kind, ir::PropertyKind::Claim(_));
    let says_nothing = is_small && violations(known).is_ok_and(|automaton| automaton.is_empty());
    says_nothing.then(|| {
        format!(
            "the property `{}` says nothing about the model: no run of any model violates it",
            property.name
        )
    })
}

/// The variables that the model declares `hidden`, so that they are not part of the state, and reads all the
/// same. A variable that is only written is not part of the state either, but nothing depends on it.
fn looked_at(model: &Model) -> Vec<&str> {
    let program = &model.program;
    let mut read = BTreeSet::new();
    program.each_expr(&mut |expr| {
        if let ir::ExprKind::Global(id) | ir::ExprKind::Element(ir::Array::Global(id), _) = expr.kind {
            read.insert(id);
        }
    });
    let hidden = read.into_iter().filter(|id| model.hidden.contains(id)).map(|id| &program.globals[id]);
    hidden.map(|global| global.name.as_str()).collect()
}

fn symmetry_assumption(model: &Model, level: config::Symmetry, processes: &Processes<'_>) -> String {
    if let (Some((span, why)), true) = (model.numbered, level != config::Symmetry::None) {
        let line = model.place(span).line;
        return format!(
            "symmetry {level}: {why} (line {line}), so that processes have numbers, and only states that differ in addresses of objects count as one"
        );
    }
    let what = match level {
        config::Symmetry::None => "states that differ in any name count as different",
        _ if processes.is_used => {
            "states that permutations of interchangeable processes and channels map to each other count as one"
        }
        _ if model.program.features.thread_ids_observable => {
            "the model can observe the numbers of processes and channels, so no two states are equivalent"
        }
        config::Symmetry::Heap => "states that differ in addresses of objects count as one",
        config::Symmetry::Pc | config::Symmetry::Bots(_) => {
            "states that differ in addresses of objects count as one, and many that differ in identities of threads"
        }
        config::Symmetry::Full | config::Symmetry::Auto => {
            "states that differ in addresses, identities of threads or abstract ids count as one"
        }
    };
    format!("symmetry {level}: {what}")
}
