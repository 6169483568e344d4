//! Why a thread cannot move.

use ir::{Expr, Guard, LocationId, TransitionId};
use source::Span;

use crate::eval::Eval;
use crate::fault::Stop;
use crate::machine::{Machine, Wanted};
use crate::steps::{EvalContext, location};
use crate::{Datum, Naive, ObjectKind, Part, State, Value};

/// What a transition of a thread waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// A condition is false.
    Condition { text: String, span: Span, parts: Vec<Part> },
    /// Another thread holds a lock.
    Lock { lock: String, owner: u32 },
    /// The thread waits for a notification, and perhaps for the lock as well.
    Notification { lock: String, owner: Option<u32> },
    /// A channel is full, or has no message that fits. A channel without capacity has no contents, and the
    /// thread waits for a partner.
    Channel { channel: String, is_send: bool, contents: Option<Datum> },
}

impl Obstacle {
    pub(crate) fn condition(eval: &Eval<'_>, condition: &Expr) -> Self {
        Self::Condition { text: eval.text(condition), span: condition.span, parts: eval.parts(condition) }
    }

    /// The thread that it is known to wait for.
    pub fn thread(&self) -> Option<u32> {
        match self {
            Self::Condition { parts, .. } => parts.iter().find_map(|part| part.thread),
            Self::Lock { owner, .. } => Some(*owner),
            Self::Notification { owner, .. } => *owner,
            Self::Channel { .. } => None,
        }
    }
}

impl Naive<'_> {
    /// For a thread that cannot move: what each of its transitions waits for. A transition that is not
    /// enabled for another reason, such as a priority, is left out.
    pub fn obstacles(&self, state: &State, thread: u32) -> Vec<(TransitionId, Obstacle)> {
        let Some(here) = location(state, thread) else { return Vec::new() };
        let procedure = self.program.locations[here].procedure;
        let context = EvalContext::default();
        if let Some(provided) = &self.program.procedures[procedure].provided {
            let eval = self.evaluator(state, thread, context);
            if matches!(eval.bool(provided), Ok(false)) {
                let first = self.program.locations[here].transitions.first();
                return first.map(|&id| (id, Obstacle::condition(&eval, provided))).into_iter().collect();
            }
        }
        let all = self.program.locations[here].transitions.iter().copied();
        all.filter_map(|id| Some((id, self.obstacle(state, thread, id)?))).collect()
    }

    fn obstacle(&self, state: &State, thread: u32, id: TransitionId) -> Option<Obstacle> {
        let mut machine = Machine::new(self, state.clone(), thread, EvalContext::default());
        machine.obstacle = Wanted::Yes(None);
        match &self.program.transitions[id].guard {
            Guard::When(condition) if matches!(machine.evaluator().bool(condition), Ok(false)) => {
                return Some(Obstacle::condition(&machine.evaluator(), condition));
            }
            Guard::Ready(inner) => return self.first_obstacle(state, thread, *inner),
            Guard::Else => return None,
            Guard::When(_) | Guard::Always => {}
        }
        match (machine.run(id, &mut |_| 0), machine.obstacle) {
            (Err(Stop::Blocked), Wanted::Yes(obstacle)) => obstacle,
            _ => None,
        }
    }

    /// What the first transition of the location inside of a step waits for.
    fn first_obstacle(&self, state: &State, thread: u32, inner: LocationId) -> Option<Obstacle> {
        let transitions = &self.program.locations[inner].transitions;
        transitions.iter().find_map(|&id| self.obstacle(state, thread, id))
    }
}

impl Machine<'_> {
    /// Stops at an obstacle, and records it if it is wanted.
    pub fn blocked<T>(&mut self, obstacle: impl FnOnce(&Self) -> Obstacle) -> Result<T, Stop> {
        if let Wanted::Yes(_) = self.obstacle {
            self.obstacle = Wanted::Yes(Some(obstacle(self)));
        }
        Err(Stop::Blocked)
    }

    /// A lock that the thread does not get. `notified` is there if it waits for a notification as well.
    pub fn lock_obstacle(&self, id: u32, notified: Option<bool>) -> Obstacle {
        let lock = self.naive.object_name(&self.state, id);
        let owner = match self.state.objects.get(&id).map(|object| &object.kind) {
            Some(ObjectKind::Lock { owner, .. }) => *owner,
            _ => None,
        };
        match (owner, notified) {
            (Some(owner), None | Some(true)) => Obstacle::Lock { lock, owner },
            (owner, _) => Obstacle::Notification { lock, owner },
        }
    }

    /// A channel that the thread cannot send to or receive from.
    pub fn channel_obstacle(&self, value: &Value, is_send: bool) -> Obstacle {
        let channel = self.channel(value);
        let has_capacity = self.program().channels[channel.declared].capacity > 0;
        Obstacle::Channel {
            channel: self.naive.channel_name(&self.state, value),
            is_send,
            contents: has_capacity.then(|| self.naive.messages(&self.state, channel)),
        }
    }
}
