//! Runs in words: steps, messages, states, and what is wrong at the end.

use std::collections::BTreeMap;

use ir::TransitionId;
use naive::{Events, NaiveFault, State, Stopped, Transfer};
use system::{FaultKind, Step};

use super::Run;
use crate::dialect::{place_of, place_of_step};
use crate::model::Model;
use crate::trace::{Blocked, Direction, Ending, Message, Partner, Process, Trace, TraceStep};

impl Run<'_> {
    /// The trace of a run without steps from here on, without what is wrong at its end.
    pub fn beginning(&self) -> Trace {
        Trace {
            initial: self.lines(),
            steps: Vec::new(),
            cycle: None,
            individual: None,
            ends_in: None,
            last: Vec::new(),
            processes: self.processes(&self.state),
        }
    }

    /// The state that the run is in, line by line.
    pub fn lines(&self) -> Vec<String> {
        self.naive.describe_state(&self.state).lines().map(str::to_owned).collect()
    }

    /// A step from the state that the run is in to `next`, if there is one, in words.
    pub(super) fn explain(&mut self, step: Step, events: Events, next: Option<&State>) -> TraceStep {
        let in_transit = &mut self.in_transit;
        let messages = events.messages.into_iter().map(|message| in_transit.describe(message)).collect();
        let Self { model, naive, state, .. } = &*self;
        let transition = TransitionId(step.transition);
        let changes = next.map(|next| naive.describe_changes(state, next)).unwrap_or_default();
        let before = self.processes(state);
        let after = next.map_or_else(|| before.clone(), |next| self.processes(next));
        TraceStep {
            thread: naive.thread_name(state, step.thread),
            thread_id: step.thread,
            transition: step.transition,
            choice: step.choice,
            location: place_of_step(model, transition),
            test: model.test_outcome(transition),
            changes: changes.iter().map(ToString::to_string).collect(),
            messages,
            partner: events.partner.map(|(thread, transition)| Partner {
                thread: naive.thread_name(state, thread),
                thread_id: thread,
                transition: transition.0,
                location: place_of_step(model, transition),
            }),
            printed: Some(events.printed).filter(|text| !text.is_empty()),
            ended: before.iter().filter(|old| !after.contains(old)).map(|process| process.id).collect(),
            started: after.into_iter().filter(|new| !before.contains(new)).collect(),
        }
    }

    /// The threads of a state that have not ended.
    fn processes(&self, state: &State) -> Vec<Process> {
        let threads = state.threads.iter().filter(|(_, thread)| !thread.ended());
        threads.map(|(&id, _)| Process { id, name: self.naive.thread_name(state, id) }).collect()
    }

    /// What is wrong with the state that the run is in, or with the step to it. Of several things it is the
    /// one that is `claimed`, if that is there.
    pub fn ending(&self, claimed: Option<&str>) -> Option<Ending> {
        let Self { model, naive, state, .. } = self;
        // The steps of other threads in the last state are computed only where they matter: the search may
        // not have had the time for them.
        let deadlock_is_meant = claimed == Some(FaultKind::Deadlock.as_str()) && naive.deadlocked(state);
        let violated = match naive.check(state) {
            Err(Stopped::Fault(fault)) => Some(fault),
            _ => None,
        };
        let faults: Vec<NaiveFault> = state.soft_fault().cloned().into_iter().chain(violated).collect();
        let meant = faults.iter().find(|fault| claimed == Some(fault.kind.as_str())).or(faults.first());
        if let Some(fault) = meant.filter(|_| !deadlock_is_meant) {
            return Some(ending(model, fault));
        }
        (deadlock_is_meant || naive.deadlocked(state)).then(|| {
            let blocked = naive.unfinished(state).into_iter().filter_map(|id| {
                let location = &model.program.locations[state.threads[&id].frames.last()?.location];
                let thread = naive.thread_name(state, id);
                Some(Blocked { thread, location: place_of(model, location.span) })
            });
            Ending {
                kind: FaultKind::Deadlock,
                message: model.deadlock().to_owned(),
                location: None,
                blocked: blocked.collect(),
            }
        })
    }
}

/// The end of a run in a fault.
pub fn ending(model: &Model, fault: &NaiveFault) -> Ending {
    Ending {
        kind: fault.kind,
        message: fault.message.clone(),
        location: Some(place_of(model, fault.span)),
        blocked: Vec::new(),
    }
}

/// The messages that wait in channels: their numbers and their senders, in the order in which each channel
/// has them.
#[derive(Default)]
pub struct InTransit {
    channels: BTreeMap<u32, Vec<(u64, String)>>,
    sent: u64,
}

impl InTransit {
    /// A message of a step, with its number.
    fn describe(&mut self, message: naive::Message) -> Message {
        let naive::Message { transfer, channel, channel_name, thread, fields, text } = message;
        let waiting = self.channels.entry(channel).or_default();
        let (direction, sender, receiver, number) = match transfer {
            Transfer::Send { position } => {
                self.sent += 1;
                waiting.insert(position.min(waiting.len()), (self.sent, thread.clone()));
                (Direction::Send, Some(thread), None, Some(self.sent))
            }
            Transfer::Receive { position } => {
                let (number, sender) = (position < waiting.len()).then(|| waiting.remove(position)).unzip();
                (Direction::Receive, sender, Some(thread), number)
            }
            Transfer::Rendezvous { receiver } => (Direction::Rendezvous, Some(thread), Some(receiver), None),
        };
        Message { channel: channel_name, direction, text, fields, sender, receiver, number }
    }

    /// Forgets the messages of channels that do not exist any more.
    pub(super) fn keep(&mut self, state: &State) {
        self.channels.retain(|number, _| state.channels.contains_key(number));
    }
}
