//! Which states of a path have the same graph of references.
//!
//! At the level `heap`, names depend on the graph alone. Most steps leave it as it is, which the journal shows.
//! And a state that was decoded has its ids as names.

use state::{Change, State};

/// The versions of the graph along the path to a state. States of one version have the same graph.
#[derive(Default, Debug)]
pub struct Versions {
    /// The version of the graph now, and of the state that was decoded.
    now: u64,
    decoded: Option<u64>,
    /// By step: the version before it.
    before: Vec<u64>,
    last: u64,
}

impl Versions {
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Whether the graph is that of the state that was decoded, whose ids are its names.
    pub fn are_ids(&self) -> bool {
        self.decoded == Some(self.now)
    }

    /// The state was decoded, and is not on the path of before.
    pub fn decoded(&mut self) {
        self.before.clear();
        self.last += 1;
        self.now = self.last;
        self.decoded = Some(self.now);
    }

    /// The state took a step.
    pub fn step(&mut self, state: &State) {
        self.before.push(self.now);
        let changes_graph = |change: &Change| {
            matches!(change, Change::Added(_) | Change::Removed(_) | Change::Created(_) | Change::Ended(_))
        };
        if state.last_step().iter().any(changes_graph) {
            self.last += 1;
            self.now = self.last;
        }
    }

    /// The state is about to take its last step back.
    pub fn undo(&mut self) {
        self.now = self.before.pop().expect("every undo has its step");
    }
}
