//! A part of a model: some of its actions, some of its states.

use quotient_model::{Cx, Doing, Model, Obstacle, Process, Properties, Role};

type OfAction<M> = Box<dyn Fn(&<M as Model>::State, &<M as Model>::Action) -> bool>;
type OfState<M> = Box<dyn Fn(&<M as Model>::State) -> bool>;

/// A model of which some actions are not taken, and some states not entered.
///
/// Actions that [`Slice::only`] excludes are not possible: what is left is a model of its own, which may have
/// deadlocks that the whole has not. Steps to states that [`Slice::within`] excludes are cut off, as by
/// [`Model::within`]: what holds in the rest holds up to that.
pub struct Slice<M: Model> {
    model: M,
    only: Vec<OfAction<M>>,
    within: Vec<OfState<M>>,
}

impl<M: Model> Slice<M> {
    /// All of a model.
    pub const fn new(model: M) -> Self {
        Self { model, only: Vec::new(), within: Vec::new() }
    }

    /// Leaves out the actions that do not satisfy a condition.
    pub fn only(mut self, takes: impl Fn(&M::State, &M::Action) -> bool + 'static) -> Self {
        self.only.push(Box::new(takes));
        self
    }

    /// Leaves out the states that do not satisfy a condition.
    pub fn within(mut self, enters: impl Fn(&M::State) -> bool + 'static) -> Self {
        self.within.push(Box::new(enters));
        self
    }
}

impl<M: Model> Model for Slice<M> {
    type State = M::State;
    type Action = M::Action;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<M::State>) {
        self.model.initial(cx, out);
    }

    fn actions(&self, cx: &Cx<'_>, state: &M::State, out: &mut Vec<M::Action>) {
        self.model.actions(cx, state, out);
        out.retain(|action| self.only.iter().all(|takes| takes(state, action)));
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut M::State, action: &M::Action) {
        self.model.apply(doing, state, action);
    }

    fn properties(&self, to: &mut Properties<M::State>) {
        self.model.properties(to);
    }

    fn accepting(&self, cx: &Cx<'_>, state: &M::State) -> bool {
        self.model.accepting(cx, state)
    }

    fn within(&self, cx: &Cx<'_>, state: &M::State) -> bool {
        self.within.iter().all(|enters| enters(state)) && self.model.within(cx, state)
    }

    fn process(&self, cx: &Cx<'_>, action: &M::Action) -> Process {
        self.model.process(cx, action)
    }

    fn role(&self, action: &M::Action) -> Role {
        self.model.role(action)
    }

    fn obstacles(&self, cx: &Cx<'_>, state: &M::State, out: &mut Vec<Obstacle>) {
        self.model.obstacles(cx, state, out);
        let mut all = Vec::new();
        self.model.actions(cx, state, &mut all);
        all.retain(|action| !self.only.iter().all(|takes| takes(state, action)));
        out.extend(all.iter().map(|action| Obstacle {
            action: format!("{action:?}"),
            condition: "the slice takes it".to_owned(),
            place: String::new(),
        }));
    }
}
