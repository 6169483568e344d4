//! Which states of a path have the same names, at the level `heap`.
//!
//! Names depend on mentions of objects and abstract ids: on those at steady places if everything is reached by
//! them, otherwise on those at all places if everything is reached by them (see [`crate::reach`]), and otherwise
//! on everything. Most steps leave the mentions as they are on which names depend, which the journal shows. And a
//! state that was decoded has its ids as names.

use state::{Layout, MentionsChanged, State};

use crate::reach::{Reach, Reached};

/// Names of a state, and what all states with these names have in common.
#[derive(Clone, Copy, Default, Debug)]
struct Version {
    number: u64,
    /// Whether everything is reached by steady places, if that is known.
    is_steady: Option<bool>,
    /// Whether something is not reached by places, if that is known.
    is_partly: Option<bool>,
}

impl Version {
    fn note(&mut self, reach: Reach) {
        self.is_steady = Some(reach == Reach::BySteady);
        self.is_partly = Some(reach == Reach::Partly);
    }
}

/// The versions of names along the path to a state. States of one version have the same names.
#[derive(Default, Debug)]
pub struct Versions {
    now: Version,
    /// The version of the state that was decoded.
    decoded: Option<u64>,
    /// By step: the version before it.
    before: Vec<Version>,
    last: u64,
    /// How everything is reached in the present state, if that was found out.
    reach: Option<Reach>,
    reached: Reached,
}

impl Versions {
    pub const fn now(&self) -> u64 {
        self.now.number
    }

    /// Whether names are those of the state that was decoded, which are its ids.
    pub fn are_ids(&self) -> bool {
        self.decoded == Some(self.now.number)
    }

    /// The state was decoded, and is not on the path of before.
    pub fn decoded(&mut self) {
        self.before.clear();
        self.reach = None;
        self.renew();
        self.decoded = Some(self.now.number);
    }

    /// Finds out how everything is reached in the present state.
    pub fn find(&mut self, layout: &Layout, state: &State) -> (Reach, &Reached) {
        let Self { reach, reached, now, .. } = self;
        let reach = *reach.get_or_insert_with(|| reached.find(layout, state));
        now.note(reach);
        (reach, reached)
    }

    /// The state took a step.
    pub fn step(&mut self, layout: &Layout, state: &State) {
        self.reach = None;
        let mut before = self.now;
        let keeps_names = match state.mentions_changed() {
            MentionsChanged::None if !layout.has_relations() => true,
            // The step makes no difference to how everything is reached.
            MentionsChanged::None => !before.is_partly.unwrap_or_else(|| {
                before.note(self.find(layout, state).0);
                before.is_partly == Some(true)
            }),
            // The step makes no difference to what is reached by steady places.
            MentionsChanged::Unsteady => {
                *before.is_steady.get_or_insert_with(|| self.find(layout, state).0 == Reach::BySteady)
            }
            MentionsChanged::Steady => false,
        };
        self.before.push(before);
        self.now = before;
        if !keeps_names {
            self.renew();
        }
    }

    /// The state has other names from now on.
    fn renew(&mut self) {
        self.last += 1;
        self.now = Version { number: self.last, ..Version::default() };
        if let Some(reach) = self.reach {
            self.now.note(reach);
        }
    }

    /// The state is about to take its last step back.
    pub fn undo(&mut self) {
        self.reach = None;
        self.now = self.before.pop().expect("every undo has its step");
    }
}
