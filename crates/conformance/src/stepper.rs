//! Implementations that take the steps of tests, and what came of it.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use quotient_model::{Model, Shape, Term};

use crate::suite::{Suite, Test};

/// An implementation under test.
pub trait Stepper<M: Model> {
    /// Brings the implementation to where runs begin.
    fn reset(&mut self);

    /// Does what an action says, and gives back what the implementation answered, as the [term](Shape::term)
    /// of what the model answers; `None` for an action without an answer. A panic is a failure of the
    /// implementation.
    fn act(&mut self, action: &M::Action) -> Option<Term>;

    /// The next [output](quotient_model::Role::Output) of the implementation, as an action of the model, if one comes
    /// within this time. For [`Online`](crate::Online) runs only.
    fn observe(&mut self, _patience: Duration) -> Option<M::Action> {
        None
    }
}

/// What a suite found out about an implementation.
#[derive(Clone, Debug)]
#[must_use = "the result is to be looked at: `assert_conforms`"]
pub struct Conformance<A> {
    /// The number of tests that were run, the failing one included.
    pub tests: usize,
    /// The number of steps that were taken.
    pub steps: usize,
    /// The first difference.
    pub divergence: Option<Divergence<A>>,
    /// What it means that all tests passed.
    pub claim: String,
}

/// A difference between an implementation and its model.
#[derive(Clone, Debug)]
pub struct Divergence<A> {
    /// The number of the test.
    pub test: usize,
    /// The actions up to the one that was answered wrongly.
    pub actions: Vec<A>,
    /// What the model answers to it.
    pub expected: Vec<Term>,
    /// What the implementation did instead: its answer, or the message of its panic.
    pub found: Result<Option<Term>, String>,
}

impl<A: Shape> fmt::Display for Divergence<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "test {} differs from the model at step {}:", self.test + 1, self.actions.len())?;
        for (number, action) in self.actions.iter().enumerate() {
            writeln!(f, "  {}. {}", number + 1, action.term())?;
        }
        write!(f, "the model answers {}, ", shown(&self.expected))?;
        match &self.found {
            Ok(answer) => write!(f, "the implementation {}", shown(answer.as_slice())),
            Err(message) => write!(f, "the implementation panics: {message}"),
        }
    }
}

pub(crate) fn shown(answers: &[Term]) -> String {
    match answers {
        [] => "nothing".to_owned(),
        all => all.iter().map(|answer| format!("`{answer}`")).collect::<Vec<_>>().join(", "),
    }
}

impl<A: Shape> Conformance<A> {
    /// Whether all answers were those of the model.
    pub const fn conforms(&self) -> bool {
        self.divergence.is_none()
    }

    /// Fails if an answer was not that of the model.
    #[track_caller]
    pub fn assert_conforms(&self) {
        if let Some(divergence) = &self.divergence {
            panic!("the implementation should conform to the model:\n{divergence}");
        }
    }

    /// Fails if all answers were those of the model. Returns the difference.
    #[track_caller]
    pub fn assert_diverges(&self) -> &Divergence<A> {
        self.divergence
            .as_ref()
            .unwrap_or_else(|| panic!("the implementation should not conform: {}", self.claim))
    }
}

impl<M: Model> Suite<M> {
    /// Runs the tests, up to the first difference.
    pub fn run(&self, stepper: &mut impl Stepper<M>) -> Conformance<M::Action> {
        let mut conformance = Conformance { tests: 0, steps: 0, divergence: None, claim: self.claim.clone() };
        for (number, test) in self.tests.iter().enumerate() {
            conformance.tests += 1;
            if let Some(divergence) = one(number, test, stepper, &mut conformance.steps) {
                conformance.divergence = Some(divergence);
                break;
            }
        }
        conformance
    }
}

fn one<M: Model>(
    number: usize,
    test: &Test<M::Action>,
    stepper: &mut impl Stepper<M>,
    steps: &mut usize,
) -> Option<Divergence<M::Action>> {
    let until = |count: usize| test.steps[..count].iter().map(|step| step.action.clone()).collect();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| stepper.reset())) {
        let found = Err(format!("{} (when it is reset)", message(&*panic)));
        return Some(Divergence { test: number, actions: Vec::new(), expected: Vec::new(), found });
    }
    for (at, step) in test.steps.iter().enumerate() {
        *steps += 1;
        let found = catch_unwind(AssertUnwindSafe(|| stepper.act(&step.action)));
        let found = found.map_err(|panic| message(&*panic));
        if found.as_ref().is_ok_and(|answer| answer.as_slice() == step.answers) {
            continue;
        }
        let (actions, expected) = (until(at + 1), step.answers.clone());
        return Some(Divergence { test: number, actions, expected, found });
    }
    None
}

pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
}
