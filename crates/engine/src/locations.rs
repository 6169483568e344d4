//! The table of locations.

use ir::{Guard, Id, Location, LocationId, Program, TransitionId, Type};
use state::{Layout, Slot};

use crate::code::{Code, Opening};

/// A location, as compiled.
#[derive(Clone, Debug)]
pub struct LocationCode {
    /// The transitions by rank, least rank first.
    pub groups: Box<[Group]>,
    /// The transitions in the order of the location, regardless of ranks, without `else`.
    pub transitions: Box<[u32]>,
    /// The first `else` transition.
    pub otherwise: Option<u32>,
    /// The first transition, which stands for all if the condition of the procedure faults.
    pub first: Option<u32>,
    /// The locals that are not live here, and the value that each gets on arrival.
    pub clears: Box<[(Slot, i64)]>,
    /// The number of the location for programs that read it.
    pub number: u32,
    /// Other threads do not interleave here while this thread can move.
    pub is_atomic: bool,
    /// The location is in the middle of a step: the first transition that is enabled is taken at once.
    pub is_fused: bool,
    /// A thread may stay here for good.
    pub is_end: bool,
    /// Some transition begins with a receive, so that a rendezvous may find its partner here.
    pub receives: bool,
    /// Some transition may have choice points.
    pub may_choose: bool,
}

/// The transitions of a location that have the same rank.
#[derive(Clone, Debug)]
pub struct Group {
    /// The transitions other than `else`.
    pub transitions: Box<[u32]>,
    pub otherwise: Option<u32>,
}

/// The table of all locations.
pub fn locations(program: &Program, layout: &Layout, code: &Code) -> Box<[LocationCode]> {
    program.locations.ids().map(|id| location(program, layout, code, id)).collect()
}

fn location(program: &Program, layout: &Layout, code: &Code, id: LocationId) -> LocationCode {
    let location = &program.locations[id];
    let Group { transitions, otherwise } = group(program, &location.transitions);
    let receives = |id: &TransitionId| matches!(code.transitions[id.index()].opening, Opening::Receive(_));
    LocationCode {
        groups: groups(program, location),
        transitions,
        otherwise,
        first: location.transitions.first().map(|id| id.0),
        clears: clears(program, layout, location),
        number: location.number,
        is_atomic: location.atomic,
        is_fused: location.fused,
        is_end: location.end,
        receives: location.transitions.iter().any(receives),
        may_choose: location.transitions.iter().any(|id| code.transitions[id.index()].trial),
    }
}

fn groups(program: &Program, location: &Location) -> Box<[Group]> {
    let rank = |id: TransitionId| program.transitions[id].rank;
    let mut ids = location.transitions.clone();
    ids.sort_by_key(|&id| rank(id));
    ids.chunk_by(|&a, &b| rank(a) == rank(b)).map(|ids| group(program, ids)).collect()
}

fn group(program: &Program, ids: &[TransitionId]) -> Group {
    let is_else = |id: &&TransitionId| program.transitions[**id].guard == Guard::Else;
    Group {
        transitions: ids.iter().filter(|id| !is_else(id)).map(|id| id.0).collect(),
        otherwise: ids.iter().find(is_else).map(|id| id.0),
    }
}

fn clears(program: &Program, layout: &Layout, location: &Location) -> Box<[(Slot, i64)]> {
    let shape = &layout.frames[location.procedure];
    let locals = &program.procedures[location.procedure].locals;
    let dead = |id| location.live.as_ref().is_some_and(|live| !live.contains(&id));
    let cleared = locals.iter().filter(|&(id, _)| dead(id)).flat_map(|(id, local)| {
        let default = match program.types[local.ty] {
            Type::Int(int) => int.default_value(),
            _ => 0,
        };
        let array = layout.frame_arrays[location.procedure][id.index()];
        let slots: Vec<Slot> = match array {
            Some(array) => (0..local.size() as u32).map(|at| array.slot(at)).collect(),
            None => vec![shape.slots[id.index() + 1]],
        };
        slots.into_iter().map(move |slot| (slot, default))
    });
    cleared.collect()
}
