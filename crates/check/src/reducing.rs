//! Whether a program is reduced, and by what is known about it.

use ir::{ExprKind, PropertyKind, Type};
use ltl::{Limits, stutter};
use reduction::{Analysis, Observed};

use crate::config::{Config, Fairness, OnBound, Switch, Symmetry};
use crate::report::Reduction;
use crate::stack::Told;

/// How a program is reduced.
pub struct Plan {
    pub analysis: Option<Analysis>,
    /// Why it is not, although it was asked for.
    notice: Option<String>,
    /// What was assumed about the program, and is not so.
    dropped: Vec<String>,
}

impl Plan {
    /// For the search for deadlocks and faults, or for runs that violate a property.
    pub fn new(program: &ir::Program, config: &Config, property: Option<&ir::Property>) -> Self {
        if config.por == Switch::Off {
            return Self { analysis: None, notice: None, dropped: Vec::new() };
        }
        let without = |notice: String| Self { analysis: None, notice: Some(notice), dropped: Vec::new() };
        if let Some(notice) = obstacle(program, config, property) {
            return without(notice);
        }
        let mut observed = Observed::invariants(program);
        let props = property.iter().flat_map(|property| &property.props);
        observed.in_runs.extend(props.map(|prop| &prop.expr));
        let analysis = Analysis::new(program, &observed);
        let analysis = match config.fairness {
            Fairness::Weak if property.is_some() => analysis.for_fair_runs(),
            Fairness::Weak | Fairness::None => analysis,
        };
        if analysis.candidates() == 0 {
            return without("there is no location from which all steps are independent of others".to_owned());
        }
        Self { analysis: Some(analysis), notice: None, dropped: Vec::new() }
    }

    /// Searches, and again as long as what was assumed for the reduction turns out not to hold.
    pub fn search<T, E>(
        &mut self,
        mut search: impl FnMut(Option<&Analysis>) -> Result<(T, Told), E>,
    ) -> Result<(T, Told), E> {
        loop {
            let (found, told) = search(self.analysis.as_ref())?;
            let Some(analysis) = self.analysis.as_mut().filter(|_| !told.doubts.is_empty()) else {
                return Ok((found, told));
            };
            if told.doubts.is_bounded {
                self.analysis = None;
                self.notice = Some(BOUNDED.to_owned());
            } else {
                self.dropped.extend(analysis.forget(&told.doubts.breaches));
            }
        }
    }

    /// What was found in the end was found without.
    pub fn give_up(&mut self, notice: &str) {
        if self.analysis.take().is_some() {
            self.notice = Some(notice.to_owned());
        }
    }

    pub fn report(self, config: &Config, told: &Told) -> Reduction {
        Reduction {
            por: config.por.to_string(),
            merge: config.merge.to_string(),
            notice: self.notice,
            dropped: self.dropped,
            ample: told.reduction.ample,
            full: told.reduction.full,
        }
    }
}

/// Why bounds are not for reduced searches.
const BOUNDED: &str = "a bound was exceeded, and how many objects and threads there are at a time depends on the order of steps";

/// Why a program is not reduced in spite of `--por on`.
fn obstacle(program: &ir::Program, config: &Config, property: Option<&ir::Property>) -> Option<String> {
    if let Some(reason) = reduction::obstacle(program) {
        return Some(reason.to_owned());
    }
    let is_name = |ty| matches!(ty, Type::Record(_) | Type::Array(_) | Type::Lock | Type::Tid);
    let has_heap = !program.numbered && program.types.iter().any(|(_, ty)| is_name(ty));
    // Two orders of the same steps lead to states that differ in names.
    if has_heap && config.symmetry == Symmetry::None {
        let reason = "without symmetry, the order in which objects are made and dropped shows in their names";
        return Some(reason.to_owned());
    }
    // An object may be dropped before another is made, or after that.
    if has_heap && config.bounds.on_bound == OnBound::Error {
        let reason = "an exceeded bound is a violation, and how many objects there are at a time depends on the order of steps";
        return Some(reason.to_owned());
    }
    let property = property?;
    let name = &property.name;
    if config.fairness != Fairness::None && has_timeouts(program) {
        let reason =
            "under fairness it matters who can move, and with a `timeout` that depends on everybody else";
        return Some(reason.to_owned());
    }
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

fn has_timeouts(program: &ir::Program) -> bool {
    let mut found = false;
    program.each_expr(&mut |expr| found |= expr.kind == ExprKind::Timeout);
    found
}
