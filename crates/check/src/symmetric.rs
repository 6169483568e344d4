//! The engine under symmetry: the same steps, but states are encoded under the names that the ladder gives them.
//!
//! Steps are those of the concrete state at hand, so trails are concrete executions, whatever states are called in
//! the store.

use std::cell::Cell;
use std::rc::Rc;

use engine::{Engine, EngineState};
use state::{Names, State};
use symmetry::{Ladder, Namer, Stats};
use system::{Encoding, Fault, Fired, Step, Steps, TransitionSystem};

use crate::lift::Lift;

pub struct Symmetric<'e> {
    engine: &'e Engine,
    ladder: Ladder,
    /// What naming took in the states that are gone.
    stats: Rc<Cell<Stats>>,
}

/// A state and its names.
pub struct Named {
    state: EngineState,
    namer: Namer,
    stats: Rc<Cell<Stats>>,
}

impl Drop for Named {
    fn drop(&mut self) {
        let mut stats = self.stats.get();
        stats.add(self.namer.take_stats());
        self.stats.set(stats);
    }
}

impl<'e> Symmetric<'e> {
    pub fn new(engine: &'e Engine, ladder: Ladder) -> Self {
        Self { engine, ladder, stats: Rc::default() }
    }

    pub fn engine(&self) -> &'e Engine {
        self.engine
    }

    /// What naming took, in all states that are gone by now.
    pub fn stats(&self) -> Stats {
        self.stats.get()
    }
}

impl Named {
    pub fn state(&self) -> &State {
        &self.state.state
    }

    /// What everything in the state is called.
    pub fn names(&mut self, engine: &Engine) -> &Names {
        self.namer.names(engine.layout(), &mut self.state.state)
    }
}

impl TransitionSystem for Symmetric<'_> {
    type State = Named;

    fn initial(&self) -> Named {
        let mut state = self.engine.initial();
        let namer = Namer::new(self.ladder, self.engine.layout(), &mut state.state);
        Named { state, namer, stats: Rc::clone(&self.stats) }
    }

    fn steps(&self, named: &mut Named, out: &mut Steps) {
        self.engine.steps(&mut named.state, out);
    }

    fn fire(&self, named: &mut Named, step: Step) -> Fired {
        let fired = self.engine.fire_only(&mut named.state, step);
        if fired == Fired::Moved {
            named.namer.step(self.engine.layout(), &mut named.state.state);
        }
        fired
    }

    fn undo(&self, named: &mut Named) {
        named.namer.undo(&named.state.state);
        self.engine.undo(&mut named.state);
    }

    fn check(&self, named: &mut Named) -> Option<Fault> {
        self.engine.check(&mut named.state)
    }

    fn ended(&self, named: &Named) -> bool {
        self.engine.ended(&named.state)
    }

    fn encode(&self, named: &mut Named, into: &mut Encoding) {
        named.namer.encode(self.engine.layout(), &mut named.state.state, into);
    }

    fn decode(&self, from: &Encoding, named: &mut Named) {
        self.engine.decode(from, &mut named.state);
        named.namer.decoded(self.engine.layout(), &mut named.state.state);
    }

    fn retrace(&self, chain: &[Encoding], last: Option<(Step, Fault)>) -> Vec<Step> {
        Lift::new(self).retrace(chain, last)
    }
}
