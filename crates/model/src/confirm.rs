//! Violations are run twice on plain values, without names and stores, before they are shown.
//!
//! There is no second interpreter for a model in Rust. So what is shown is what the model itself says when it
//! is asked again: that each action is offered, where it leads, what is violated. For a formula, the run is
//! also judged by an evaluator of formulas that shares nothing with the automaton.

use ltl::lasso::Lasso as Word;
use search::Trail;
use search::emptiness::Lasso;
use system::Encoding;

use crate::formula::{Compiled, Focus};
use crate::plain::{Failure, Reached};
use crate::report::{Kind, Taken, Verdict, Violation};
use crate::{Model, Program, Shape};

/// What happened when a run was repeated on plain values.
struct Repeated<S, A> {
    initial: S,
    run: Vec<Taken<S, A>>,
    /// The failure at the end.
    failure: Option<Failure>,
}

type Result<M, T> = std::result::Result<T, Verdict<<M as Model>::State, <M as Model>::Action>>;

impl<M: Model> Program<M> {
    /// Runs a violation twice. `expected` is what the search met.
    pub(crate) fn confirm(&self, trail: &Trail, expected: &Failure) -> Verdict<M::State, M::Action> {
        let repeated = match self.repeat_twice(trail) {
            Ok(repeated) => repeated,
            Err(verdict) => return verdict,
        };
        let Repeated { initial, run, failure } = repeated;
        let same = |failure: &Failure| (failure.kind, &failure.place) == (expected.kind, &expected.place);
        let Some(failure) = failure.filter(same) else {
            return self.lost(&format!("the search met a violation ({}), its run does not", expected.kind));
        };
        let Failure { kind, place, message } = failure;
        let message = match kind {
            Kind::Invariant => format!("`{place}` is false"),
            Kind::Deadlock => "no action is possible, and no run may end here".to_owned(),
            _ => format!("{message} ({place})"),
        };
        let last = run.last().map_or(Some(&initial), |taken| taken.state.as_ref());
        let obstacles =
            last.filter(|_| kind == Kind::Deadlock).map_or_else(Vec::new, |state| self.obstacles(state));
        let initial = Some(initial);
        let (cycle, is_closed) = (None, false);
        Verdict::Violated(Box::new(Violation {
            kind,
            place,
            message,
            initial,
            run,
            cycle,
            is_closed,
            obstacles,
            minimised: None,
            labels: self.sorts.labels(),
        }))
    }

    /// Runs a run that violates a formula twice, and evaluates the formula on it. Without a lasso, the run
    /// leads to a state from which every continuation violates the formula.
    pub(crate) fn confirm_run(
        &self,
        compiled: &Compiled,
        trail: &Trail,
        lasso: Option<&Lasso>,
    ) -> Verdict<M::State, M::Action> {
        self.judge(compiled, trail, lasso).unwrap_or_else(|verdict| verdict)
    }

    fn judge(
        &self,
        compiled: &Compiled,
        trail: &Trail,
        lasso: Option<&Lasso>,
    ) -> Result<M, Verdict<M::State, M::Action>> {
        let Repeated { initial, run, .. } = self.repeat_twice(trail)?;
        let focus = Focus { propositions: compiled.propositions.clone(), ..self.focus.clone() };
        let states: Vec<&M::State> =
            std::iter::once(&initial).chain(run.iter().filter_map(|taken| taken.state.as_ref())).collect();
        let mut word = Vec::new();
        for state in &states {
            let valuation = self.valuation_of(state, &focus);
            word.push(
                valuation
                    .map_err(|_| self.lost("a proposition cannot be evaluated when it is asked again"))?,
            );
        }
        // The step from the state before several initial ones is no step of the model.
        let starts = usize::from(trail.steps.len() > run.len());
        let start = lasso.map_or(run.len(), |lasso| lasso.cycle_start().saturating_sub(starts));
        let is_closed = start >= run.len() || states[start].order(states[run.len()]).is_eq();
        if !is_closed {
            let [mut before, mut after] = [Encoding::new(), Encoding::new()];
            self.write(states[start], &mut before);
            self.write(states[run.len()], &mut after);
            if !before.same(&after) {
                return Err(self.lost("the run does not return to where its cycle begins"));
            }
        }
        // A run that ends stays in its last state.
        let (stem, cycle) =
            if start < run.len() { (&word[..start], &word[start..run.len()]) } else { word.split_at(start) };
        if Word::new(stem, cycle).is_none_or(|word| word.satisfies(&compiled.formula)) {
            return Err(self.lost("the run that was found does not violate the formula"));
        }
        if lasso.is_some_and(Lasso::stutters) {
            let is_end = self.successors(states[run.len()]).is_ok_and(|successors| successors.is_empty());
            if !is_end {
                return Err(self.lost("the run goes on when it is repeated"));
            }
        }
        Ok(Verdict::Violated(Box::new(Violation {
            kind: Kind::Property,
            place: compiled.name.clone(),
            message: format!("`{}` is violated: {}", compiled.name, compiled.text),
            initial: Some(initial),
            run,
            cycle: lasso.map(|_| start),
            is_closed,
            obstacles: Vec::new(),
            minimised: None,
            labels: self.sorts.labels(),
        })))
    }

    /// What is said of a violation that cannot be repeated.
    fn lost(&self, what: &str) -> Verdict<M::State, M::Action> {
        // Where names are not canonical, a run of stored states need not be one of values.
        if self.broken_off() > 0 {
            return Verdict::HoldsUpTo(vec![format!(
                "{what}: the search for canonical names was broken off; try `Symmetry::None`"
            )]);
        }
        Verdict::NotAFunction(what.to_owned())
    }

    fn repeat_twice(&self, trail: &Trail) -> Result<M, Repeated<M::State, M::Action>> {
        let first = self.repeat(trail).map_err(|what| self.lost(&what))?;
        let second = self.repeat(trail).map_err(|what| self.lost(&what))?;
        different(&first, &second).map_or(Ok(first), |difference| Err(Verdict::NotAFunction(difference)))
    }

    /// Follows a trail.
    fn repeat(&self, trail: &Trail) -> std::result::Result<Repeated<M::State, M::Action>, String> {
        let mut values = self.initial_values()?;
        let mut steps = trail.steps.as_slice();
        let start = match (values.len(), steps) {
            (1, _) => 0,
            (_, [first, rest @ ..]) => {
                steps = rest;
                first.choice as usize
            }
            (_, []) => return Err("the run does not begin".to_owned()),
        };
        if start >= values.len() {
            return Err(format!("there are {} initial states when they are asked for again", values.len()));
        }
        let initial = values.swap_remove(start);
        let mut repeated = Repeated { initial, run: Vec::new(), failure: None };
        for (number, step) in steps.iter().enumerate() {
            let state = repeated.run.last().map_or(Some(&repeated.initial), |taken| taken.state.as_ref());
            let state = state.ok_or_else(|| "the run goes on after a violation".to_owned())?;
            let mut successors = match self.successors(state) {
                Ok(successors) => successors,
                Err(failure) => {
                    repeated.failure = Some(failure);
                    return Ok(repeated);
                }
            };
            if step.choice as usize >= successors.len() {
                return Err(format!("step {} of the run is not possible when it is repeated", number + 1));
            }
            let next = successors.swap_remove(step.choice as usize);
            let (state, failure) = match next.result {
                Reached::State(state) => (Some(state), None),
                Reached::Failed(failure) => (None, Some(failure)),
                Reached::Outside | Reached::Crowded => {
                    return Err(format!(
                        "step {} of the run leaves the bounds when it is repeated",
                        number + 1
                    ));
                }
            };
            let (action, process, choice, remarks) = (next.action, next.process, next.choice, next.remarks);
            repeated.run.push(Taken { action, process, choice, remarks, state });
            repeated.failure = failure;
        }
        if repeated.failure.is_none() {
            let last = repeated.run.last().map_or(Some(&repeated.initial), |taken| taken.state.as_ref());
            repeated.failure = last.and_then(|state| self.failure_of(state));
        }
        Ok(repeated)
    }
}

/// What differs between two runs of the same trail.
fn different<S: Shape, A: Shape>(first: &Repeated<S, A>, second: &Repeated<S, A>) -> Option<String> {
    if first.initial.order(&second.initial).is_ne() {
        let difference = differences(&first.initial, &second.initial);
        return Some(format!("a run begins differently when it is repeated: {difference}"));
    }
    for (number, (a, b)) in first.run.iter().zip(&second.run).enumerate() {
        if a.action.order(&b.action).is_ne() {
            let number = number + 1;
            return Some(format!("step {number} of a run is {:?}, and then {:?}", a.action, b.action));
        }
        if a.state.order(&b.state).is_ne() {
            let difference = match (&a.state, &b.state) {
                (Some(a), Some(b)) => differences(a, b),
                _ => "it fails only once".to_owned(),
            };
            return Some(format!("{:?} leads elsewhere when it is repeated: {difference}", a.action));
        }
    }
    let places =
        |failure: &Option<Failure>| failure.as_ref().map(|failure| (failure.kind, failure.place.clone()));
    (first.run.len() != second.run.len() || places(&first.failure) != places(&second.failure))
        .then(|| format!("a run ends with {:?}, and then with {:?}", first.failure, second.failure))
}

/// In which parts two values differ.
fn differences<S: Shape>(a: &S, b: &S) -> String {
    let (a, b) = (a.term(), b.term());
    let side = |side: Option<&crate::Term>| side.map_or_else(|| "nothing".to_owned(), ToString::to_string);
    let differences = a.differences(&b);
    let shown: Vec<String> = differences
        .iter()
        .take(5)
        .map(|(path, a, b)| {
            format!("{} is {}, and then {}", path.trim_start_matches('.'), side(*a), side(*b))
        })
        .collect();
    shown.join("; ")
}
