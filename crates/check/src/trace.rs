//! Counterexamples in words, as reports have them.

use serde::Serialize;
use system::FaultKind;

use crate::replay::Cycle;
use crate::report::{Place, as_text};

/// A run, step by step, in words.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The initial state, one line each.
    pub initial: Vec<String>,
    pub steps: Vec<TraceStep>,
    /// How the run goes on for ever, if that is what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle: Option<Cycle>,
    /// The violating thread, for a property of each thread of a procedure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub individual: Option<Individual>,
    /// What is wrong with the last step or state, if the run shows a violation.
    pub ends_in: Option<Ending>,
    /// The state that the run ends in (before the last step, if that one faults).
    pub last: Vec<String>,
    /// The threads of the initial state.
    #[serde(skip)]
    pub processes: Vec<Process>,
}

/// A thread that a variable of a property stands for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Individual {
    pub variable: String,
    /// `Philosopher#2`.
    pub thread: String,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceStep {
    /// The thread that moved: `Philosopher#1`.
    pub thread: String,
    pub thread_id: u32,
    pub transition: u32,
    pub choice: u32,
    pub location: Place,
    /// For the test of an `if` or `while`: which way it went.
    pub test: Option<bool>,
    /// What is different afterwards.
    pub changes: Vec<String>,
    /// What goes through channels. Several messages only where a step has several statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The thread that takes the step together with it: the receiver of a rendezvous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// What the model prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    #[serde(skip)]
    pub started: Vec<Process>,
    #[serde(skip)]
    pub ended: Vec<u32>,
}

/// A message that is sent, received, or both.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Message {
    pub channel: String,
    pub direction: Direction,
    /// The message on one line: `ack(1)`.
    pub text: String,
    pub fields: Vec<String>,
    pub sender: Option<String>,
    pub receiver: Option<String>,
    /// For messages that wait in a channel: their number from 1, the same where they are sent and where they
    /// are received.
    pub number: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Send,
    Receive,
    Rendezvous,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Partner {
    pub thread: String,
    pub thread_id: u32,
    pub transition: u32,
    pub location: Place,
}

/// A thread, by its number and its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Process {
    pub id: u32,
    pub name: String,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Ending {
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::fault_kind"))]
    pub kind: FaultKind,
    pub message: String,
    pub location: Option<Place>,
    /// For a deadlock: the threads that are stuck, and where.
    pub blocked: Vec<Blocked>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Blocked {
    pub thread: String,
    pub location: Place,
}
