//! Which states of a path have the same names, at the level `heap`.
//!
//! Names depend on mentions of objects and abstract ids: on those at steady places if everything is reached by
//! them, otherwise on those at all places if everything is reached by them (see [`crate::reach`]), and otherwise
//! on everything. Most steps leave the mentions as they are on which names depend, which the journal shows. And a
//! state that was decoded has its ids as names.

use state::{Change, Layout, MentionsChanged, NodeRef, State};

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
    /// How everything is reached in states of a version, and which one. By it, steps from such states are judged.
    table: Reached,
    version_of_table: Option<u64>,
    /// Whether steps since the last decoding, and before it, would be judged by a table.
    is_wanted: bool,
    was_wanted: bool,
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
        self.was_wanted = std::mem::take(&mut self.is_wanted);
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

    /// The state is about to take a step.
    #[inline]
    pub fn before_step(&mut self, layout: &Layout, state: &State) {
        if (self.is_wanted || self.was_wanted)
            && self.version_of_table != Some(self.now.number)
            && self.now.is_steady != Some(true)
        {
            self.make_table(layout, state);
        }
    }

    fn make_table(&mut self, layout: &Layout, state: &State) {
        self.find(layout, state);
        std::mem::swap(&mut self.reached, &mut self.table);
        self.reach = None;
        self.version_of_table = Some(self.now.number);
    }

    /// Whether names stay, if all mentions stay. What is not reached by places is told apart by data: by its own,
    /// and not by that of what is reached.
    fn tells_apart_as_before(&mut self, layout: &Layout, state: &State) -> bool {
        let units = state.last_step().iter().filter_map(Change::unit).map(NodeRef::from_index);
        let mut objects = units.filter_map(|unit| match unit {
            NodeRef::Object(id) => Some(id),
            NodeRef::Root | NodeRef::Thread(_) => None,
        });
        if objects.clone().next().is_none() || self.now.is_partly == Some(false) {
            return true;
        }
        // Everything is reached as before the step.
        if self.version_of_table != Some(self.now.number) {
            self.make_table(layout, state);
        }
        objects.all(|id| self.table.has_reached(id))
    }

    /// Whether names stay although mentions changed, but not at steady places.
    fn stay(&mut self, layout: &Layout, state: &State) -> bool {
        if self.now.is_steady.is_none() {
            // What is reached by steady places is the same as before the step.
            let reach = *self.reach.insert(self.reached.find(layout, state));
            self.now.is_steady = Some(reach == Reach::BySteady);
        }
        if self.now.is_steady == Some(true) {
            return true;
        }
        // Where there are collections of entities or abstract ids, the journal does not tell all.
        if layout.has_relations() {
            return false;
        }
        self.is_wanted = true;
        self.version_of_table == Some(self.now.number)
            && self.now.is_partly == Some(false)
            && self.table.is_kept_by(state.last_step())
    }

    /// The state took a step.
    pub fn step(&mut self, layout: &Layout, state: &State) {
        self.reach = None;
        let keeps_names = match state.mentions_changed() {
            MentionsChanged::None => !layout.has_relations() || self.tells_apart_as_before(layout, state),
            MentionsChanged::Unsteady => self.stay(layout, state),
            MentionsChanged::Steady => false,
        };
        self.before.push(self.now);
        if !keeps_names {
            self.renew();
        }
    }

    /// The state took a step, and is large: its names are not followed.
    pub fn step_of_large(&mut self) {
        self.reach = None;
        self.before.push(self.now);
        self.renew();
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
