//! Programs are written as text; each test says what comes out.

mod atomic;
mod calls;
mod choose;
mod collections;
mod exceptions;
mod explain;
mod faults;
mod garbage;
mod locks;
mod order;
mod philosophers;
mod processes;
mod quantifiers;
mod random;
mod show;
mod steps;
mod values;

use ir::{GlobalId, Program};
use system::{Bound, FaultKind, Step};
use testing::program;

use quotient_naive::*;

/// Fires the first step until there is none.
fn run(naive: &Naive<'_>) -> Result<State, Stopped> {
    let mut state = naive.initial();
    while let Some(&step) = naive.steps(&state).0.first() {
        state = naive.fire(&state, step)?;
    }
    Ok(state)
}

/// Fires steps of these threads, the first one that each has.
fn schedule(naive: &Naive<'_>, threads: &[u32]) -> State {
    let mut state = naive.initial();
    for (at, &thread) in threads.iter().enumerate() {
        let steps = naive.steps(&state).0;
        let step = steps.iter().find(|step| step.thread == thread);
        let step = *step.unwrap_or_else(|| panic!("thread {thread} is blocked at {at}"));
        state = naive.fire(&state, step).unwrap_or_else(|stopped| panic!("{stopped:?} at {at}"));
    }
    state
}

/// Whether a thread has a step.
fn can_step(naive: &Naive<'_>, state: &State, thread: u32) -> bool {
    naive.steps(state).0.iter().any(|step| step.thread == thread)
}

/// A global by its name, as it is shown.
fn global(naive: &Naive<'_>, state: &State, name: &str) -> String {
    let found = naive.program.globals.iter().find(|(_, global)| global.name == name);
    let id: GlobalId = found.unwrap_or_else(|| panic!("no global {name}")).0;
    naive.show(state, state.global(id))
}

/// The text that a span of a parsed program stands for.
fn excerpt(text: &str, span: source::Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

fn changes(naive: &Naive<'_>, before: &State, after: &State) -> Vec<String> {
    naive.describe_changes(before, after).iter().map(Change::to_string).collect()
}
