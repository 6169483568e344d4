//! Numbered programs: threads and channels that have numbers.

mod channels;
mod monitors;
mod priorities;
mod ranks;
mod rendezvous;
mod show;
mod threads;
mod variables;

use super::*;

/// A program of processes, with an integer type that most variables have; it remembers the last thread if it
/// asks for it.
fn processes(text: &str) -> Program {
    let last = if text.contains("last()") { ", last" } else { "" };
    program(&format!("program p; features thread_ids{last}; {}", text.replace("byte", "int wrap (0, 255)")))
}

/// Threads, transitions and choices of the steps of a state.
fn steps(naive: &Naive<'_>, state: &State) -> Vec<(u32, u32, u32)> {
    let (enabled, faults) = naive.steps(state);
    assert_eq!(faults, []);
    enabled.iter().map(|step| (step.thread, step.transition, step.choice)).collect()
}

#[track_caller]
fn fire(naive: &Naive<'_>, state: &State, (thread, transition, choice): (u32, u32, u32)) -> State {
    naive.fire(state, Step { thread, transition, choice }).unwrap_or_else(|stopped| panic!("{stopped:?}"))
}

/// The fault that a step of the initial state comes to.
#[track_caller]
fn fault(naive: &Naive<'_>, state: &State, (thread, transition, choice): (u32, u32, u32)) -> FaultKind {
    match naive.fire(state, Step { thread, transition, choice }) {
        Err(Stopped::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    }
}

/// The messages of a channel.
fn messages(state: &State, number: u32) -> Vec<Vec<i64>> {
    let number_of = |value: &Value| match value {
        Value::Int(number) => *number,
        other => panic!("{other:?} is no number"),
    };
    let messages = state.channels[&number].messages.iter();
    messages.map(|message| message.iter().map(number_of).collect()).collect()
}

/// The location of a thread, by its name.
fn at<'p>(naive: &Naive<'p>, state: &State, thread: u32) -> &'p str {
    &naive.program.locations[state.threads[&thread].frames[0].location].name
}
