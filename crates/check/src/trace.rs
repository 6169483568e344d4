//! Counterexamples in words, as reports have them.

use naive::Change;
use serde::Serialize;
use system::FaultKind;

use crate::replay::Cycle;
use crate::report::{Place, as_text};
use crate::values::{Effect, Read, StateValues, Stored, Value};

/// A run, step by step, in words.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trace {
    /// The initial state, one line each.
    pub initial: Vec<String>,
    /// The initial state as values.
    pub initial_state: StateValues,
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
    /// That state as values.
    pub last_state: StateValues,
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

#[derive(Clone, Debug, Default, Serialize)]
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
    /// What decided that the step could be taken, and is not among the changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
    /// What is different afterwards.
    pub changes: Vec<String>,
    /// The same as values.
    pub effects: Vec<Effect>,
    /// What was stored and changed nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<Stored>,
    /// What happened and left no mark in the state, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The statements of the step, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    /// The number of further statements, of a step that has very many.
    #[serde(skip_serializing_if = "is_zero")]
    pub further_statements: u64,
    /// The thread is inside of an atomic block afterwards: the next step goes on with it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_continued: bool,
    /// The step only goes on to another place, like `goto`, `fi` or `od`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_jump: bool,
    /// The state after the step, where whole states are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<StateValues>,
    /// What goes through channels. Several messages only where a step has several statements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<Message>,
    /// The thread that takes the step together with it: the receiver of a rendezvous.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<Partner>,
    /// What the model prints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// The changes, for people.
    #[serde(skip)]
    pub differences: Vec<Change>,
    #[serde(skip)]
    pub started: Vec<Process>,
    #[serde(skip)]
    pub ended: Vec<u32>,
    /// The state after the step in words, where whole states are asked for.
    #[serde(skip)]
    pub lines: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// One of several statements of a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Statement {
    pub thread: String,
    pub location: Place,
    /// For the test of an `if` or `while`: which way it went.
    pub test: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
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
    /// The fields as values.
    pub values: Vec<Value>,
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
    /// The last step faults, so that it leads to no state.
    #[serde(skip)]
    pub is_of_step: bool,
    /// For a failed assertion or a broken invariant: what makes it false.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
    /// For a fault of memory: the objects that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<FaultyObject>,
    /// For a deadlock: the threads that are stuck, and where.
    pub blocked: Vec<Blocked>,
    /// Threads that wait for each other: each for the next one, and the last one for the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waiting_cycle: Vec<String>,
}

/// An object that is used, deleted or lost where it must not be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FaultyObject {
    /// Its name: `Node#2`.
    pub object: String,
    pub made: Occurrence,
    /// Where it was deleted, or its scope was left, if that has happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<Occurrence>,
    /// What it holds, unless it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<Value>,
    #[serde(skip)]
    pub shown: String,
    /// The variables, fields and elements that refer to it.
    pub referrers: Vec<String>,
}

/// Something that a thread did in a step of the run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Occurrence {
    /// The number of the step, from 1.
    pub step: u32,
    pub thread: String,
    pub location: Place,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Blocked {
    pub thread: String,
    pub location: Place,
    /// What the thread waits for: one entry for each statement that it could take next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
}

/// What a statement waits for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wait {
    /// In words.
    pub text: String,
    pub location: Place,
    /// The parts of a condition that is false.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<Read>,
    /// The thread that has what it waits for: the owner of a lock, or the last one that wrote a variable of
    /// the condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The lock or channel that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}
