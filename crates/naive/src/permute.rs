//! What a permutation of threads and channels does to a state.

use ir::{Permutation, Program, Recoding, Sort, Sorts, Variable, VariableSort};

use crate::{Channel, Frame, State, Thread, Value};

/// The state with its threads and channels permuted. Wherever the sorts say that a number stands for a thread or
/// channel, it becomes that of the one that this one is moved to.
pub fn permute(program: &Program, sorts: &Sorts, permutation: &Permutation, state: &State) -> State {
    let mut permuted = state.clone();
    let variables = program.globals.iter().zip(permuted.globals.iter_mut());
    for ((id, variable), value) in variables {
        if let Some(recoding) = permutation.coded.get(&id) {
            *value = recode(recoding, value);
        } else if !sorts.constants[id] && !variable.untracked {
            *value = permute_variable(permutation, &sorts.globals[id], variable, value);
        }
    }
    let thread_of = |id: u32| permutation.threads.get(id as usize).copied().unwrap_or(id);
    permuted.threads = state
        .threads
        .iter()
        .map(|(&id, thread)| {
            let frames = thread.frames.iter().map(|frame| {
                let procedure = program.locations[frame.location].procedure;
                let variables = program.procedures[procedure].locals.values().zip(&frame.locals);
                let locals = variables
                    .zip(sorts.locals[procedure].values())
                    .map(|((variable, value), sorts)| permute_variable(permutation, sorts, variable, value))
                    .collect();
                Frame { location: permutation.location(frame.location), locals }
            });
            (thread_of(id), Thread { frames: frames.collect(), ..thread.clone() })
        })
        .collect();
    for (&number, channel) in &state.channels {
        let to = permutation.apply(Sort::Channel, number.into()) as u32;
        let fields = &sorts.fields[channel.declared];
        let messages = channel.messages.iter().map(|message| {
            let values = message.iter().zip(fields);
            values.map(|(value, &sort)| permute_value(permutation, sort, value)).collect()
        });
        // A channel keeps its own declaration and owner: only messages move.
        let place = &state.channels[&to];
        permuted.channels.insert(to, Channel { messages: messages.collect(), ..place.clone() });
    }
    permuted.exclusive = state.exclusive.map(thread_of);
    permuted.last = state.last.map(thread_of);
    permuted
}

/// A coded variable, permuted.
fn recode(recoding: &Recoding, value: &Value) -> Value {
    let image = |at: usize, value: &Value| match value {
        Value::Int(number) => Value::Int(recoding.elements[at].apply(*number)),
        other => other.clone(),
    };
    let Value::Seq(elements) = value else { return image(0, value) };
    let mut moved = elements.clone();
    for (at, (element, recoded)) in elements.iter().zip(&recoding.elements).enumerate() {
        moved[recoded.to as usize] = image(at, element);
    }
    Value::Seq(moved)
}

fn permute_value(permutation: &Permutation, sort: Sort, value: &Value) -> Value {
    match value {
        Value::Int(number) => Value::Int(permutation.apply(sort, *number)),
        _ => value.clone(),
    }
}

fn permute_variable(
    permutation: &Permutation,
    sorts: &VariableSort,
    variable: &Variable,
    value: &Value,
) -> Value {
    let Value::Seq(elements) = value else { return permute_value(permutation, sorts.value, value) };
    let mut moved = elements.clone();
    permutation.each_element(sorts, &variable.dims, |from, to| {
        moved[to] = permute_value(permutation, sorts.value, &elements[from]);
    });
    Value::Seq(moved)
}
