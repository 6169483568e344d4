//! What happens in a step besides the change of the state: statements, values that were read or stored,
//! messages, rendezvous, printed text.
//!
//! The states before and after a step do not show what went through a channel without capacity, nor what was
//! sent and received in the middle of the step, nor a value that was stored and is the old one. A machine
//! records it in the state in which it happens, where all names are known.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Array, Expr, StringId, TransitionId};
use system::Step;

use crate::machine::{Machine, Target};
use crate::show::indices;
use crate::{ChannelIdentity, Datum, Message, Naive, Part, State, Stopped, Value, printf};

/// A step that was fired.
#[derive(Clone, Debug)]
pub struct Fired {
    /// The state that it leads to, with its [soft fault](State::soft_fault), or why there is none.
    pub next: Result<State, Stopped>,
    /// What happened, also before a step that faults came to its fault.
    pub events: Events,
}

/// What happens in a step besides the change of the state.
#[derive(Clone, Default, Debug)]
pub struct Events {
    /// The receiver of the first rendezvous, and the transition by which it receives.
    pub partner: Option<(u32, TransitionId)>,
    pub messages: Vec<Transferred>,
    pub printed: String,
    /// The first statements of the step in their order: several inside of an atomic block.
    pub statements: Vec<Statement>,
    /// What happened and left no mark in the state.
    pub notes: Vec<String>,
    /// The number of statements that are not recorded, since the step has too many.
    pub further_statements: u64,
    /// What was stored last to each variable, field and element, whether it changed anything or not.
    pub stored: BTreeMap<String, Datum>,
    /// What the last statement has stored to.
    stored_now: BTreeSet<String>,
}

/// More statements of a step are only counted.
const MOST_STATEMENTS: usize = 1_000;

/// A transition that was taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    pub thread: u32,
    pub transition: TransitionId,
    /// What decided that it could be taken.
    pub parts: Vec<Part>,
}

/// A message that goes into a channel, out of it, or through it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transferred {
    pub transfer: Transfer,
    pub channel: ChannelIdentity,
    pub channel_name: String,
    /// The name of the thread that sends or, with [`Transfer::Receive`], receives.
    pub thread: String,
    pub message: Message,
}

/// Which way a message goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Transfer {
    /// It becomes the message at this position of the channel.
    Send { position: usize },
    /// It was the message at this position of the channel.
    Receive { position: usize },
    /// It goes through a channel without capacity to the thread of this name.
    Rendezvous { receiver: String },
}

impl Naive<'_> {
    /// Fires a step as [`fire`](Self::fire) does, and records what happens in it.
    pub fn fire_recorded(&self, state: &State, step: Step) -> Fired {
        let mut events = Some(Events::default());
        let next = self.fire_with(state, step, &mut events);
        Fired { next, events: events.unwrap_or_default() }
    }
}

impl Machine<'_> {
    /// Records a message that the thread sends or receives.
    pub fn record_message(&mut self, transfer: Transfer, channel: &Value, message: &[Value]) {
        if self.events.is_none() {
            return;
        }
        let Self { naive, state, thread, .. } = self;
        let Some(known) = state.channel(channel) else { return };
        let message = naive.message(state, &naive.program.channels[known.declared], message);
        let (channel_name, thread) = (naive.channel_name(state, channel), naive.thread_name(state, *thread));
        let message =
            Transferred { transfer, channel: state.identity(channel), channel_name, thread, message };
        if let Some(events) = &mut self.events {
            events.messages.push(message);
        }
    }

    /// Records what the thread prints. Arguments that cannot be evaluated are no fault.
    pub fn record_print(&mut self, format: StringId, args: &[Expr]) {
        if self.events.is_none() {
            return;
        }
        let args: Vec<_> = args.iter().map(|arg| (self.number(arg), self.evaluator().meaning(arg))).collect();
        let text = printf::format(self.program(), &self.program().strings[format], &args);
        if let Some(events) = &mut self.events {
            events.printed += &text;
        }
    }

    /// Records a transition that is about to be taken.
    pub fn record_statement(&mut self, transition: TransitionId) {
        match &mut self.events {
            None => return,
            Some(events) if events.statements.len() == MOST_STATEMENTS => {
                events.further_statements += 1;
                events.stored_now.clear();
                return;
            }
            Some(_) => {}
        }
        let statement = Statement { thread: self.thread, transition, parts: self.guard_parts(transition) };
        if let Some(events) = &mut self.events {
            events.statements.push(statement);
            events.stored_now.clear();
        }
    }

    /// Records the parts of a condition in the middle of a transition.
    pub fn record_condition(&mut self, condition: &Expr) {
        if self.events.is_none() {
            return;
        }
        let parts = self.evaluator().parts(condition);
        if let Some(statement) = self.events.as_mut().and_then(|events| events.statements.last_mut()) {
            statement.parts.extend(parts);
        }
    }

    /// Records a notification that no thread waits for.
    pub fn record_lost_notification(&mut self, lock: u32) {
        let note = format!(
            "no thread waits for {}: the notification is lost",
            self.naive.object_name(&self.state, lock)
        );
        if let Some(events) = &mut self.events {
            events.notes.push(note);
        }
    }

    /// Records a value that is stored.
    pub fn record_store(&mut self, target: &Target, value: &Value) {
        if self.events.is_none() {
            return;
        }
        let stored = self.stored(target, value);
        if let (Some(events), Some((name, value))) = (&mut self.events, stored) {
            events.stored_now.insert(name.clone());
            events.stored.insert(name, value);
        }
    }

    /// Whether a store only forgets a value that the same statement has stored: front ends of numbered
    /// threads set variables back that are not read again.
    pub fn forgets(&self, target: &Target, value: &Value) -> bool {
        let Some(events) = self.events.as_ref().filter(|_| self.program().features.thread_ids_observable)
        else {
            return false;
        };
        let is_zero = matches!(value, Value::Int(0) | Value::Bool(false));
        is_zero && self.stored(target, value).is_some_and(|(name, _)| events.stored_now.contains(&name))
    }

    /// What a target is called, and the value that is stored to it. What front ends add has no name.
    fn stored(&self, target: &Target, value: &Value) -> Option<(String, Datum)> {
        let Self { naive, state, thread, .. } = self;
        let program = self.program();
        let local = |id: ir::LocalId| {
            let variable = &program.procedures[self.procedure()].locals[id];
            let depth = state.threads[thread].frames.len() - 1;
            (!variable.synthetic).then(|| (naive.local_name(state, *thread, depth, variable), variable))
        };
        let global = |id: ir::GlobalId| {
            let variable = &program.globals[id];
            (!variable.synthetic).then(|| (variable.name.clone(), variable))
        };
        let object = |value: &Value| match value {
            Value::Ref(id) => Some(naive.object_name(state, *id)),
            _ => None,
        };
        let (name, variable) = match target {
            Target::Global(id) => global(*id)?,
            Target::Local(id) => local(*id)?,
            Target::Field(base, field) => {
                let name = format!("{}.{}", object(base)?, program.fields[*field].name);
                return Some((name, naive.datum(state, value)));
            }
            Target::Index(base, index) => {
                return Some((format!("{}[{index}]", object(base)?), naive.datum(state, value)));
            }
            Target::Through(pointer) => {
                let (id, leaf) = crate::eval::target(pointer)?;
                let name = format!("{}{}", naive.object_name(state, id), naive.leaf_name(state, id, leaf));
                return Some((name, naive.datum(state, value)));
            }
            Target::Element(array, at) => {
                let (name, variable) = match *array {
                    Array::Global(id) => global(id)?,
                    Array::Local(id) => local(id)?,
                };
                let position = crate::eval::element_position(variable, at, source::Span::default()).ok()?;
                (name + &indices(variable, position), variable)
            }
        };
        Some((name, naive.datum_as(state, value, variable.meaning)))
    }

    /// The value of an expression as an integer, if it has one.
    fn number(&self, expr: &Expr) -> Option<i64> {
        self.eval(expr).ok()?.as_int()
    }
}
