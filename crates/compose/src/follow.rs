//! A model along given actions, such as those of a trail.
//!
//! The actions that are left are a part of the state. So they mention individuals as the rest of the state does, and
//! symmetry needs no exception: two states are one if they are isomorphic together with what is left to be done.

use quotient_model::{Cx, Doing, Model, Obstacle, Process, Properties, Role, Shape};

/// A model that takes given actions one after the other, and no others.
///
/// A run may end when all actions are taken and the model accepts. An action that is not possible when it is
/// its turn is a deadlock. Where actions make choices of their own, all of them are followed.
pub struct Follow<M: Model> {
    model: M,
    actions: Vec<M::Action>,
}

/// A state of [`Follow`].
#[derive(Clone, Debug, Shape)]
pub struct Followed<S, A> {
    /// The state of the model.
    pub state: S,
    /// What is left to be done.
    pub left: Vec<A>,
}

impl<M: Model> Follow<M> {
    /// Follows `actions`, such as those of a [violation](quotient_model::Violation::run).
    pub const fn new(model: M, actions: Vec<M::Action>) -> Self {
        Self { model, actions }
    }
}

impl<M: Model> Model for Follow<M> {
    type State = Followed<M::State, M::Action>;
    type Action = M::Action;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Self::State>) {
        let mut states = Vec::new();
        self.model.initial(cx, &mut states);
        out.extend(states.into_iter().map(|state| Followed { state, left: self.actions.clone() }));
    }

    fn actions(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<M::Action>) {
        let Some(next) = state.left.first() else { return };
        self.model.actions(cx, &state.state, out);
        out.retain(|action| action.order(next).is_eq());
    }

    /// Individuals that are new to the model may be those that what is left mentions: it has names for them already.
    fn apply(&self, doing: &mut Doing<'_>, state: &mut Self::State, action: &M::Action) {
        let Followed { state, left } = state;
        left.remove(0);
        let before = state.clone();
        doing.inside(&before, |doing| self.model.apply(doing, state, action));
    }

    fn properties(&self, to: &mut Properties<Self::State>) {
        let mut all = Properties::default();
        self.model.properties(&mut all);
        to.of_part("", all, |state| &state.state);
    }

    fn accepting(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        state.left.is_empty() && self.model.accepting(cx, &state.state)
    }

    fn within(&self, cx: &Cx<'_>, state: &Self::State) -> bool {
        self.model.within(cx, &state.state)
    }

    fn process(&self, cx: &Cx<'_>, action: &M::Action) -> Process {
        self.model.process(cx, action)
    }

    fn role(&self, action: &M::Action) -> Role {
        self.model.role(action)
    }

    fn obstacles(&self, cx: &Cx<'_>, state: &Self::State, out: &mut Vec<Obstacle>) {
        self.model.obstacles(cx, &state.state, out);
    }
}
