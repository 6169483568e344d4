//! What happens in a step besides the change of the state: messages, rendezvous, printed text.
//!
//! The states before and after a step do not show what went through a channel without capacity, nor what was
//! sent and received in the middle of the step. A machine records it in the state in which it happens, where
//! all names are known.

use ir::{Array, Expr, ExprKind, Meaning, StringId, TransitionId};
use system::Step;

use crate::machine::Machine;
use crate::{Naive, State, Stopped, Value, printf};

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
    pub messages: Vec<Message>,
    pub printed: String,
}

/// A message that goes into a channel, out of it, or through it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    pub transfer: Transfer,
    /// The number of the channel.
    pub channel: u32,
    pub channel_name: String,
    /// The name of the thread that sends or, with [`Transfer::Receive`], receives.
    pub thread: String,
    pub fields: Vec<String>,
    /// The message on one line: `ack(1)`.
    pub text: String,
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
    pub fn record_message(&mut self, transfer: Transfer, number: u32, message: &[Value]) {
        if self.events.is_none() {
            return;
        }
        let Self { naive, state, thread, .. } = self;
        let declared = &naive.program.channels[state.channels[&number].declared];
        let (fields, text) = naive.show_message(state, declared, message);
        let (channel_name, thread) = (naive.channel_name(state, number), naive.thread_name(state, *thread));
        let message = Message { transfer, channel: number, channel_name, thread, fields, text };
        if let Some(events) = &mut self.events {
            events.messages.push(message);
        }
    }

    /// Records what the thread prints. Arguments that cannot be evaluated are no fault.
    pub fn record_print(&mut self, format: StringId, args: &[Expr]) {
        if self.events.is_none() {
            return;
        }
        let args: Vec<_> = args.iter().map(|arg| (self.number(arg), self.meaning(arg))).collect();
        let text = printf::format(self.program(), &self.program().strings[format], &args);
        if let Some(events) = &mut self.events {
            events.printed += &text;
        }
    }

    /// The value of an expression as an integer, if it has one.
    fn number(&self, expr: &Expr) -> Option<i64> {
        match self.eval(expr).ok()? {
            Value::Int(value) => Some(value),
            Value::Bool(value) => Some(value.into()),
            _ => None,
        }
    }

    /// What the integers of an expression stand for, where it is a variable.
    fn meaning(&self, expr: &Expr) -> Meaning {
        let program = self.program();
        match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => program.globals[*id].meaning,
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => {
                program.procedures[self.procedure()].locals[*id].meaning
            }
            ExprKind::Wrap(inner) | ExprKind::Number(inner) => self.meaning(inner),
            _ => Meaning::Number,
        }
    }
}
