//! Runs that are taken apart and put together again, on the plain interpreter.
//!
//! A step of a trail names its thread by an id that was free, and its choice by a number among what was
//! possible. Both change when other steps are left out or come later. So a step is kept as an [`Act`]: the
//! thread is an [`Actor`], named by the thread that started it, and the receiver of a rendezvous is one too.

use std::cell::RefCell;
use std::collections::BTreeMap;

use ir::TransitionId;
use naive::{Naive, NaiveFault, State, Stopped};
use system::Step;

use super::effort::Effort;

/// A thread: the first, second, … that its parent starts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Actor(u32);

impl Actor {
    /// In place of a parent, for the threads of the initial state.
    const NONE: Self = Self(u32::MAX);
}

/// A step, whatever ids its threads have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Act {
    pub actor: Actor,
    transition: u32,
    choice: u32,
    /// The receiver of a rendezvous, and the transition by which it receives.
    partner: Option<(Actor, TransitionId)>,
}

/// A state of a run, and who is who in it.
#[derive(Clone, Debug)]
pub struct Position {
    pub state: State,
    cast: Vec<Role>,
    /// How many threads each actor has started.
    started: BTreeMap<Actor, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Role {
    id: u32,
    age: u32,
    actor: Actor,
}

/// What came of an act.
#[derive(Debug)]
pub enum Performed {
    Moved(Step, Box<Position>),
    Fault(Step, NaiveFault),
    /// It cannot be done here, or there is no effort left for it.
    Impossible,
}

/// Where runs are tried.
pub struct Stage<'a> {
    pub naive: Naive<'a>,
    pub effort: &'a Effort<'a>,
    actors: RefCell<BTreeMap<(Actor, u32), Actor>>,
}

impl<'a> Stage<'a> {
    pub fn new(naive: Naive<'a>, effort: &'a Effort<'a>) -> Self {
        Self { naive: Naive { alarm: Some(effort.alarm), ..naive }, effort, actors: RefCell::default() }
    }

    pub fn initial(&self) -> Position {
        let state = self.naive.initial();
        let nothing = Position { state: state.clone(), cast: Vec::new(), started: BTreeMap::new() };
        self.arrive(&nothing, Actor::NONE, state)
    }

    /// The position that a step of an actor leads to.
    fn arrive(&self, from: &Position, actor: Actor, state: State) -> Position {
        let mut started = from.started.clone();
        let mut cast = Vec::with_capacity(state.threads.len());
        let mut new = Vec::new();
        for &id in state.threads.keys() {
            let Some(age) = state.age(id) else { continue };
            match from.cast.iter().find(|role| (role.id, role.age) == (id, age)) {
                Some(&role) => cast.push(role),
                None => new.push((age, id)),
            }
        }
        new.sort_unstable();
        for (age, id) in new {
            let number = started.entry(actor).or_default();
            *number += 1;
            let mut actors = self.actors.borrow_mut();
            let next = Actor(actors.len() as u32);
            let actor = *actors.entry((actor, *number)).or_insert(next);
            cast.push(Role { id, age, actor });
        }
        Position { state, cast, started }
    }

    /// Takes a step as it is, and describes it. There is none if it cannot be taken.
    pub fn record(&self, from: &Position, step: Step) -> Option<(Act, Performed)> {
        if !self.effort.spend(1) {
            return None;
        }
        let actor = from.actor(step.thread)?;
        let fired = self.naive.fire_recorded(&from.state, step);
        let partner = match fired.events.partner {
            Some((thread, transition)) => Some((from.actor(thread)?, transition)),
            None => None,
        };
        let act = Act { actor, transition: step.transition, choice: step.choice, partner };
        match fired.next {
            Ok(next) => Some((act, Performed::Moved(step, Box::new(self.arrive(from, actor, next))))),
            Err(Stopped::Fault(fault)) => Some((act, Performed::Fault(step, fault))),
            Err(_) => None,
        }
    }

    /// Does an act.
    pub fn perform(&self, from: &Position, act: &Act) -> Performed {
        let Some(thread) = from.thread(act.actor) else { return Performed::Impossible };
        // Most acts that are tried cannot be done since their thread is elsewhere.
        let frame = from.state.threads.get(&thread).and_then(|thread| thread.frames.last());
        let source = self.naive.program.transitions[TransitionId(act.transition)].source;
        let is_there = frame.is_some_and(|frame| frame.location == source);
        let is_allowed = from.state.exclusive.is_none_or(|exclusive| exclusive == thread);
        if !is_there || !is_allowed || !self.effort.spend(1) {
            return Performed::Impossible;
        }
        let step = Step { thread, transition: act.transition, choice: act.choice };
        let Some(partner) = act.partner else {
            return match self.naive.fire(&from.state, step) {
                Ok(next) => Performed::Moved(step, Box::new(self.arrive(from, act.actor, next))),
                Err(Stopped::Fault(fault)) => Performed::Fault(step, fault),
                Err(_) => Performed::Impossible,
            };
        };
        // Which receiver a choice stands for depends on who else is ready.
        let Some(receiver) = from.thread(partner.0) else { return Performed::Impossible };
        let receives = |performed: &(Act, Performed)| performed.0.partner == Some(partner);
        if let Some((_, performed)) = self.record(from, step).filter(receives) {
            return performed;
        }
        if !from.state.threads.contains_key(&receiver) || !self.effort.spend(4) {
            return Performed::Impossible;
        }
        let others = self.naive.steps(&from.state).0.into_iter().filter(|other| {
            (other.thread, other.transition) == (step.thread, step.transition) && other.choice != step.choice
        });
        let found = others.filter_map(|other| self.record(from, other)).find(receives);
        found.map_or(Performed::Impossible, |(_, performed)| performed)
    }

    /// The steps of acts that are a run.
    pub fn steps_of(&self, acts: &[Act]) -> Option<Vec<Step>> {
        let mut position = self.initial();
        let mut steps = Vec::with_capacity(acts.len());
        for act in acts {
            match self.perform(&position, act) {
                Performed::Moved(step, next) => {
                    steps.push(step);
                    position = *next;
                }
                Performed::Fault(step, _) => steps.push(step),
                Performed::Impossible => return None,
            }
        }
        Some(steps)
    }

    /// Takes all steps as they are. There is no result if one of them cannot be taken, or faults although it
    /// is not the last.
    pub fn record_all(&self, steps: &[Step]) -> Option<Recorded> {
        let mut last = self.initial();
        let mut acts = Vec::with_capacity(steps.len());
        let mut fault = None;
        for (at, &step) in steps.iter().enumerate() {
            let (act, performed) = self.record(&last, step)?;
            acts.push(act);
            match performed {
                Performed::Moved(_, next) => last = *next,
                Performed::Fault(_, found) if at + 1 == steps.len() => fault = Some(found),
                _ => return None,
            }
        }
        Some(Recorded { acts, last, fault })
    }
}

/// A run, taken apart.
pub struct Recorded {
    pub acts: Vec<Act>,
    /// Where it ends, or where the step begins that faults.
    pub last: Position,
    /// The fault of the last step, if it has one.
    pub fault: Option<NaiveFault>,
}

impl Position {
    pub fn actor(&self, thread: u32) -> Option<Actor> {
        self.cast.iter().find(|role| role.id == thread).map(|role| role.actor)
    }

    fn thread(&self, actor: Actor) -> Option<u32> {
        self.cast.iter().find(|role| role.actor == actor).map(|role| role.id)
    }
}
