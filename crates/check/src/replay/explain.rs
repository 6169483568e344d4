//! Runs in words: steps, messages, states, and what is wrong at the end.

use std::collections::{BTreeMap, BTreeSet};

use ir::TransitionId;
use naive::{
    Change, ChannelIdentity, Datum, Events, MemoryFault, NaiveFault, Part, State, Stopped, Transfer,
    Transferred,
};
use source::Span;
use system::{FaultKind, Step};

use super::Run;
use super::waiting::Waits;
use crate::dialect::{is_jump, place_of, place_of_step};
use crate::model::Model;
use crate::report::Place;
use crate::trace::{
    Direction, Ending, FaultyObject, Message, Occurrence, Partner, Process, Statement, Trace, TraceStep,
};
use crate::values::{Effect, Read, StateValues, Stored, list};

impl Run<'_> {
    /// The trace of a run without steps from here on, without what is wrong at its end.
    pub fn beginning(&self) -> Trace {
        Trace {
            initial: self.lines(),
            initial_state: self.values(),
            steps: Vec::new(),
            cycle: None,
            individual: None,
            ends_in: None,
            last: self.lines(),
            last_state: self.values(),
            processes: self.processes(&self.state),
        }
    }

    /// The state that the run is in, line by line.
    pub fn lines(&self) -> Vec<String> {
        self.naive.describe_state(&self.state).lines().map(str::to_owned).collect()
    }

    /// The state that the run is in, as values.
    pub fn values(&self) -> StateValues {
        StateValues::new(self.model, &self.naive.view(&self.state))
    }

    /// The trace of a run that ends in the state that the run is in.
    pub fn ended(&self, trace: Trace) -> Trace {
        Trace { last: self.lines(), last_state: self.values(), ..trace }
    }

    /// A step from the state that the run is in to `next`, if there is one, in words.
    pub(super) fn explain(&mut self, step: Step, events: Events, next: Option<&State>) -> TraceStep {
        let in_transit = &mut self.in_transit;
        let messages = events.messages.into_iter().map(|message| in_transit.describe(message)).collect();
        let Self { model, naive, state, .. } = &*self;
        let transition = TransitionId(step.transition);
        let changes = next.map(|next| naive.describe_changes(state, next)).unwrap_or_default();
        let written: BTreeSet<&str> = changes.iter().filter_map(written).collect();
        let before = self.processes(state);
        let after = next.map_or_else(|| before.clone(), |next| self.processes(next));
        let statements_of = |taken: &naive::Statement| {
            let thread = naive.thread_name(state, taken.thread);
            let first = Statement {
                thread: thread.clone(),
                location: place_of_step(model, taken.transition),
                test: model.test_outcome(taken.transition),
                reads: taken.parts.iter().map(|part| Read::new(model, part)).collect(),
            };
            let further = further_statements(model, taken.transition).into_iter().map(move |location| {
                Statement { thread: thread.clone(), location, test: None, reads: Vec::new() }
            });
            std::iter::once(first).chain(further)
        };
        // The second statement of a rendezvous is the partner's.
        let own = events.statements.iter().filter(|taken| taken.thread == step.thread);
        let statements: Vec<Statement> = own.clone().flat_map(statements_of).collect();
        let parts = own.clone().next().map_or(&[][..], |first| &first.parts);
        let reads =
            parts.iter().filter(|part| is_news(part, &written)).map(|part| Read::new(model, part)).collect();
        let is_continued = next.is_some_and(|next| next.exclusive == Some(step.thread));
        let unchanged = next.map(|next| self.unchanged(&events.stored, &written, next)).unwrap_or_default();
        let words = TraceStep {
            thread: naive.thread_name(state, step.thread),
            thread_id: step.thread,
            transition: step.transition,
            choice: step.choice,
            location: place_of_step(model, transition),
            test: model.test_outcome(transition),
            reads,
            changes: changes.iter().map(ToString::to_string).collect(),
            effects: changes.iter().map(Effect::from).collect(),
            unchanged,
            statements: if statements.len() > 1 { statements } else { Vec::new() },
            notes: events.notes,
            further_statements: events.further_statements,
            is_continued,
            is_jump: is_jump(model, transition) && changes.is_empty(),
            state: None,
            messages,
            partner: events.partner.map(|(thread, transition)| Partner {
                thread: naive.thread_name(state, thread),
                thread_id: thread,
                transition: transition.0,
                location: place_of_step(model, transition),
            }),
            printed: Some(events.printed).filter(|text| !text.is_empty()),
            ended: before.iter().filter(|old| !after.contains(old)).map(|process| process.id).collect(),
            differences: Vec::new(),
            started: after.into_iter().filter(|new| !before.contains(new)).collect(),
            lines: Vec::new(),
        };
        self.writers.note(&words.thread, &changes);
        TraceStep { differences: changes, ..words }
    }

    /// What was stored, but is not among the changes: the same value as before, or one that the state does
    /// not keep. What came or went in the step is left out.
    fn unchanged(
        &self,
        stored: &BTreeMap<String, Datum>,
        written: &BTreeSet<&str>,
        next: &State,
    ) -> Vec<Stored> {
        if stored.keys().all(|what| written.contains(&**what)) {
            return Vec::new();
        }
        let (before, after) = (self.naive.view(&self.state).places(), self.naive.view(next).places());
        let rest = stored.iter().filter(|(what, _)| !written.contains(&***what));
        let kept = rest.filter(|(what, _)| before.contains_key(*what) && after.contains_key(*what));
        let stored = kept.map(|(what, value)| Stored {
            what: what.clone(),
            value: value.into(),
            shown: value.to_string(),
            is_forgotten: after[what] != *value,
        });
        stored.collect()
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
            return Some(Ending { is_of_step: false, ..ending(model, fault) });
        }
        (deadlock_is_meant || naive.deadlocked(state)).then(|| {
            let Waits { blocked, cycle } = self.waits();
            Ending {
                kind: FaultKind::Deadlock,
                message: model.deadlock().to_owned(),
                location: None,
                is_of_step: false,
                reads: Vec::new(),
                objects: Vec::new(),
                blocked,
                waiting_cycle: cycle,
            }
        })
    }
}

/// The end of a run in the fault of a step.
pub fn ending(model: &Model, fault: &NaiveFault) -> Ending {
    Ending {
        kind: fault.kind,
        message: fault.message.clone(),
        location: Some(place_of(model, fault.span)),
        is_of_step: true,
        reads: fault.parts.iter().map(|part| Read::new(model, part)).collect(),
        objects: fault.memory.iter().map(|memory| faulty(model, memory)).collect(),
        blocked: Vec::new(),
        waiting_cycle: Vec::new(),
    }
}

fn faulty(model: &Model, memory: &MemoryFault) -> FaultyObject {
    let MemoryFault { object, history, contents, referrers } = memory;
    let occurrence = |naive::Occurrence { span, step, thread }: &naive::Occurrence| Occurrence {
        step: *step,
        thread: thread.clone(),
        location: place_of(model, *span),
    };
    FaultyObject {
        object: object.clone(),
        made: occurrence(&history.made),
        ended: history.ended.as_ref().map(occurrence),
        contents: contents.as_ref().map(Into::into),
        shown: contents.as_ref().map(Datum::bare).unwrap_or_default(),
        referrers: referrers.clone(),
    }
}

/// The statements of a transition after the first one. A front end may put statements of an atomic block
/// into one transition, which has the place of the first one.
fn further_statements(model: &Model, id: TransitionId) -> Vec<Place> {
    let transition = &model.program.transitions[id];
    let contains = |outer: Span, inner: Span| {
        outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
    };
    let mut spans: Vec<Span> = vec![transition.span];
    for action in &transition.body {
        let is_known = |&known: &Span| contains(known, action.span) || contains(action.span, known);
        if action.span != Span::default() && !spans.iter().any(is_known) {
            spans.push(action.span);
        }
    }
    spans[1..].iter().map(|&span| place_of(model, span)).collect()
}

/// The variable, field, element or channel that a change is about.
fn written(change: &Change) -> Option<&str> {
    match change {
        Change::Value { what, .. } => Some(what),
        _ => None,
    }
}

/// Whether a part of a condition says more than the changes do.
fn is_news(part: &Part, written: &BTreeSet<&str>) -> bool {
    part.name.as_ref().is_none_or(|name| !written.contains(&**name))
}

/// The messages that wait in channels: their numbers and their senders, in the order in which each channel
/// has them.
#[derive(Clone, Default)]
pub struct InTransit {
    channels: BTreeMap<ChannelIdentity, Vec<(u64, String)>>,
    sent: u64,
}

impl InTransit {
    /// A message of a step, with its number.
    fn describe(&mut self, message: Transferred) -> Message {
        let Transferred { transfer, channel, channel_name, thread, message } = message;
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
        Message {
            channel: channel_name,
            direction,
            text: message.to_string(),
            fields: message.fields.iter().map(ToString::to_string).collect(),
            values: list(&message.fields),
            sender,
            receiver,
            number,
        }
    }

    /// Forgets the messages of channels that do not exist any more.
    pub(super) fn keep(&mut self, state: &State) {
        let there = state.identities();
        self.channels.retain(|channel, _| there.contains(channel));
    }
}
