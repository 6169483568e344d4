//! Conditions that end a run.
//!
//! A condition is an expression over the variables of a model, written as in a temporal formula. The front
//! end compiles it as one more property of the model. That can change what a state holds (a variable that
//! only the condition reads, or which thread moved last), so the condition is evaluated on states of its own,
//! which take the same steps.

use ir::PropertyKind;
use ltl::Formula;
use ltl::lasso::Lasso;
use naive::{Naive, State, Stopped};
use source::SourceFile;
use system::Step;

use crate::config::Bounds;
use crate::model::Model;
use crate::replay::interpreter;

/// The name of a property that is the condition of a run.
pub const UNTIL: &str = "--until";

/// A condition over the variables of a model.
pub struct Condition {
    /// The model with the condition as a property.
    model: Model,
    at: usize,
    /// As the user wrote it.
    pub text: String,
}

impl Condition {
    /// The condition that a model was compiled with as its property [`UNTIL`]. `plain` is the model without
    /// it.
    pub fn new(model: Model, plain: &Model, text: &str) -> Result<Self, String> {
        let at = model.property_number(Some(UNTIL))?;
        let property = &model.program.properties[at];
        if property.each.is_some() {
            return Err("a condition is about one state: `forall` is for properties".to_owned());
        }
        match &property.kind {
            PropertyKind::Formula(formula) if is_propositional(formula) => {}
            PropertyKind::Formula(_) => {
                return Err(
                    "a condition is about one state: temporal operators are for properties".to_owned()
                );
            }
            PropertyKind::Claim(_) => return Err("a condition is an expression, not an automaton".to_owned()),
        }
        let text_of = |name: &str| model.map.files().find(|file| file.name() == name).map(SourceFile::text);
        if plain.map.files().any(|file| text_of(file.name()) != Some(file.text())) {
            return Err(format!("`{}` is not the file any more that the run began with", plain.name));
        }
        Ok(Self { model, at, text: text.trim().to_owned() })
    }

    /// Looks at a run from its beginning on.
    pub fn watch(&self, bounds: Bounds) -> Watch<'_> {
        let naive = interpreter(&self.model, bounds);
        Watch { condition: self, naive, state: naive.initial() }
    }
}

/// Whether a formula is about the first state only.
fn is_propositional(formula: &Formula) -> bool {
    match formula {
        Formula::True | Formula::False | Formula::Prop(_) => true,
        Formula::Not(_)
        | Formula::And(..)
        | Formula::Or(..)
        | Formula::Implies(..)
        | Formula::Equivalent(..) => formula.operands().all(is_propositional),
        Formula::Next(_)
        | Formula::Always(_)
        | Formula::Eventually(_)
        | Formula::Until(..)
        | Formula::WeakUntil(..)
        | Formula::Release(..) => false,
    }
}

/// A condition along a run.
#[derive(Clone)]
pub struct Watch<'c> {
    condition: &'c Condition,
    naive: Naive<'c>,
    state: State,
}

impl Watch<'_> {
    /// Takes a step that the run has taken. Returns false if it is not possible here.
    pub fn take(&mut self, step: Step) -> bool {
        let next = self.naive.fire(&self.state, step);
        next.map(|next| self.state = next).is_ok()
    }

    /// The state, of the model with the condition.
    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// The steps from the state that do not fault at once.
    pub(super) fn steps(&self) -> Vec<Step> {
        self.naive.steps(&self.state).0
    }

    /// Whether the condition holds. In the middle of an atomic block it is not looked at, and does not.
    pub fn holds(&self) -> Result<bool, String> {
        if self.state.exclusive.is_some() {
            return Ok(false);
        }
        let property = &self.condition.model.program.properties[self.condition.at];
        let PropertyKind::Formula(formula) = &property.kind else { return Ok(false) };
        match self.naive.valuation(&self.state, property) {
            Ok(valuation) => Ok(Lasso::new(&[], &[valuation]).is_some_and(|word| word.satisfies(formula))),
            Err(Stopped::Fault(fault)) => Err(fault.message),
            Err(Stopped::Truncated(bound)) => Err(format!("it exceeds the bound on {}", bound.as_str())),
            Err(Stopped::NotEnabled | Stopped::Abandoned) => Err("it takes too long".to_owned()),
        }
    }
}
