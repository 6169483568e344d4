//! Why the threads of a deadlock wait, and for whom.
//!
//! A lock has an owner. A condition over variables has none: there, the thread that wrote one of its
//! variables last is taken to have what the condition waits for; and if a channel is full, the one that sent
//! last to it. If threads wait for each other in a circle
//! by these rules, the circle is reported.

use std::collections::BTreeMap;

use ir::{Guard, TransitionId};
use naive::{Change, Obstacle, Part};

use super::Run;
use crate::dialect::{place_of, place_of_step, text_of_step};
use crate::trace::{Blocked, Wait};
use crate::values::Read;

/// The thread that wrote each variable, field and element last.
#[derive(Clone, Default)]
pub struct Writers {
    last: BTreeMap<String, String>,
}

impl Writers {
    /// Takes note of the changes that a thread made.
    pub fn note(&mut self, thread: &str, changes: &[Change]) {
        for change in changes {
            if let Change::Value { what, .. } = change {
                self.last.insert(what.clone(), thread.to_owned());
            }
        }
    }

    fn of(&self, part: &Part) -> Option<&str> {
        self.last.get(part.name.as_ref()?).map(String::as_str)
    }
}

/// The threads of a deadlock.
pub struct Waits {
    pub blocked: Vec<Blocked>,
    /// Threads that wait for each other: each for the next one.
    pub cycle: Vec<String>,
}

impl Run<'_> {
    /// Why the threads wait in the state that the run is in.
    pub(super) fn waits(&self) -> Waits {
        let unfinished = self.naive.unfinished(&self.state).into_iter();
        let blocked: Vec<Blocked> = unfinished.filter_map(|id| self.blocked(id)).collect();
        let cycle = cycle(&blocked);
        Waits { blocked, cycle }
    }

    /// Why a thread waits in the state that the run is in, unless the thread has ended.
    pub fn blocked(&self, id: u32) -> Option<Blocked> {
        let Self { model, naive, state, .. } = self;
        let location = &model.program.locations[state.threads.get(&id)?.frames.last()?.location];
        let thread = naive.thread_name(state, id);
        let mut waits: Vec<Wait> = Vec::new();
        for (transition, obstacle) in naive.obstacles(state, id) {
            let on = self.holder(&obstacle).filter(|holder| *holder != thread);
            let sender = match (&obstacle, &on) {
                (Obstacle::Channel { .. }, Some(on)) => format!(" (sent last by {on})"),
                _ => String::new(),
            };
            let wait = Wait {
                text: self.in_words(transition, &obstacle) + &sender,
                location: place_of_step(model, transition),
                reads: match &obstacle {
                    Obstacle::Condition { parts, .. } => {
                        parts.iter().map(|part| Read::new(model, part)).collect()
                    }
                    _ => Vec::new(),
                },
                on,
                what: match obstacle {
                    Obstacle::Condition { .. } => None,
                    Obstacle::Lock { lock: name, .. }
                    | Obstacle::Notification { lock: name, .. }
                    | Obstacle::Channel { channel: name, .. } => Some(name),
                },
            };
            // Both ways out of a test may wait for the same.
            if waits.iter().all(|other| other.text != wait.text) {
                waits.push(wait);
            }
        }
        Some(Blocked { thread, location: place_of(model, location.span), waits })
    }

    fn in_words(&self, transition: TransitionId, obstacle: &Obstacle) -> String {
        let name = |thread: u32| self.naive.thread_name(&self.state, thread);
        match obstacle {
            Obstacle::Condition { text, span, .. } => {
                let guard = &self.model.program.transitions[transition].guard;
                let is_guard = matches!(guard, Guard::When(condition) if condition.span == *span);
                // Where statements are conditions, an expression need not have its whole span.
                let written = if self.model.dialect().has_statements_in_lines {
                    is_guard.then(|| text_of_step(self.model, transition))
                } else {
                    self.model.written(*span)
                };
                format!("waits until `{}`", written.unwrap_or_else(|| text.clone()))
            }
            Obstacle::Lock { lock, owner } => format!("waits for {lock}, which {} holds", name(*owner)),
            Obstacle::Notification { lock, owner: None } => {
                format!("waits for a notification by {lock}, which no thread holds")
            }
            Obstacle::Notification { lock, owner: Some(owner) } => {
                format!("waits for a notification by {lock}, which {} holds", name(*owner))
            }
            Obstacle::Channel { channel, is_send: true, contents: None } => {
                format!("waits for a receiver at {channel}")
            }
            Obstacle::Channel { channel, is_send: false, contents: None } => {
                format!("waits for a sender at {channel}")
            }
            Obstacle::Channel { channel, is_send: true, contents: Some(contents) } => {
                format!("waits for room in {channel}, which is full: {contents}")
            }
            Obstacle::Channel { channel, is_send: false, contents: Some(contents) } => {
                match contents.to_string().as_str() {
                    "[]" => format!("waits for a message in {channel}, which is empty"),
                    contents => format!("waits for another message in {channel}, which holds {contents}"),
                }
            }
        }
    }

    /// The thread that has what an obstacle is about.
    fn holder(&self, obstacle: &Obstacle) -> Option<String> {
        let known = obstacle.thread().map(|thread| self.naive.thread_name(&self.state, thread));
        known.or_else(|| match obstacle {
            Obstacle::Condition { parts, .. } => {
                parts.iter().find_map(|part| self.writers.of(part)).map(str::to_owned)
            }
            // The thread that filled a channel is taken to be the one that empties it.
            Obstacle::Channel { channel, is_send: true, contents: Some(_) } => {
                self.writers.last.get(channel).cloned()
            }
            _ => None,
        })
    }
}

/// A circle of threads of which each waits for the next one only.
fn cycle(blocked: &[Blocked]) -> Vec<String> {
    let next = |thread: &str| {
        let waits = &blocked.iter().find(|blocked| blocked.thread == thread)?.waits;
        let mut on = waits.iter().map(|wait| wait.on.as_deref());
        let first = on.next()??;
        on.all(|other| other == Some(first)).then_some(first)
    };
    for Blocked { thread: start, .. } in blocked {
        let mut path = vec![start.as_str()];
        while let Some(at) = path.last().and_then(|last| next(last)) {
            if at == start {
                return path.into_iter().map(str::to_owned).collect();
            }
            if path.contains(&at) {
                break;
            }
            path.push(at);
        }
    }
    Vec::new()
}
