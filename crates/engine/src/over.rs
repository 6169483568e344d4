//! Systems that run the engine and add something to it, such as names.

use state::{Layout, NodeRef, ObjectId, State, ThreadId};
use system::TransitionSystem;

use crate::{Engine, EngineState};

/// A system whose states are states of the engine, perhaps encoded under other names.
pub trait OverEngine: TransitionSystem {
    fn engine(&self) -> &Engine;

    fn engine_state<'s>(&self, state: &'s Self::State) -> &'s EngineState;

    fn engine_state_mut<'s>(&self, state: &'s mut Self::State) -> &'s mut EngineState;

    fn layout(&self) -> &Layout {
        self.engine().layout()
    }

    fn concrete<'s>(&self, state: &'s Self::State) -> &'s State {
        &self.engine_state(state).state
    }

    /// Whether states are encoded under names other than ids.
    fn renames(&self) -> bool {
        false
    }

    /// Visits the edges that lead to an object: the unit and the label of each. Returns false if they are not
    /// known.
    fn mentions(&self, _: &Self::State, _: ObjectId, _: &mut dyn FnMut(NodeRef, u64)) -> bool {
        false
    }

    /// Puts threads into an order that is a function of the state's encoding.
    fn order(&self, _: &mut Self::State, _: &mut [ThreadId]) {}
}

impl OverEngine for Engine {
    fn engine(&self) -> &Engine {
        self
    }

    fn engine_state<'s>(&self, state: &'s EngineState) -> &'s EngineState {
        state
    }

    fn engine_state_mut<'s>(&self, state: &'s mut EngineState) -> &'s mut EngineState {
        state
    }
}
