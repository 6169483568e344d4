//! The test on which the symmetry of processes rests: a permuted state has permuted successors.
//!
//! Random runs of the plain interpreter are followed, also through states in the middle of atomic blocks. In some of
//! their states, threads and channels are permuted as a plan allows: then the successors of the permuted state must be
//! the permuted successors. Each plan is held against the rules of the verifier as well, which infers nothing.

use std::collections::HashMap;

use bits::SplitMix64;
use interchange::{ChannelFlow, Locations, Plan, Population, Reach};
use ir::{Expr, LocalId, Permutation, ProcedureId, Program, Refuted};
use naive::{Moves, Naive, State, Stopped, Value};
use system::Alarm;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The number of states that were permuted.
    pub samples: u64,
    /// The first difference, in words.
    pub difference: Option<String>,
    /// Why the verifier refutes a plan, if it does.
    pub refuted: Option<Refuted>,
}

/// Steps of each run.
const LENGTH: usize = 80;

/// Follows random runs of a program until `samples` states were permuted, or `runs` runs were followed, or the alarm
/// is due.
pub fn audit(
    program: &Program,
    observed: &[&Expr],
    (samples, runs): (u64, u64),
    seed: u64,
    alarm: Option<&Alarm>,
) -> Audit {
    let mut found = Audit::default();
    if interchange::obstacle(program).is_some() {
        return found;
    }
    let naive = Naive { alarm, ..Naive::new(program) };
    let (reach, flow) = (Reach::new(program), ChannelFlow::new(program));
    let mut random = SplitMix64::new(seed);
    let mut plans: HashMap<(Vec<ProcedureId>, Locations), Plan> = HashMap::new();
    for _ in 0..runs {
        let mut state = naive.initial();
        for _ in 0..LENGTH {
            let is_over = alarm.is_some_and(|alarm| alarm.is_due() || alarm.has_rung());
            if found.samples == samples || found.difference.is_some() || is_over {
                return found;
            }
            let procedure = |thread: &naive::Thread| program.locations[thread.frames[0].location].procedure;
            let threads: Vec<ProcedureId> = state.threads.values().map(procedure).collect();
            let mut text = reach.nothing();
            for thread in state.threads.values() {
                text.add(reach.from(thread.frames[0].location));
            }
            let plan = plans.entry((threads.clone(), text.clone())).or_insert_with(|| {
                let population = Population::of(program, threads);
                let parameter = |thread: u32, id: LocalId| match state.threads[&thread].frames[0].local(id) {
                    Value::Int(value) => Some(*value),
                    _ => None,
                };
                let plan = Plan::new(program, &flow, &population, &text, observed, &parameter);
                found.refuted = found.refuted.or(plan.verify(program, &text.ids(), observed).err());
                plan
            });
            let moves = naive.moves(&state);
            if !plan.classes.is_empty() && random.next_u64().is_multiple_of(2) {
                let permutation = plan.some_permutation(&mut |below| random.next_u64() % below);
                let difference = difference(&naive, plan, &permutation, &state, &moves);
                // What the interpreter says after the alarm is void.
                if alarm.is_some_and(Alarm::has_rung) {
                    return found;
                }
                found.samples += 1;
                found.difference = difference;
            }
            if moves.enabled.is_empty() || !moves.faults.is_empty() {
                break;
            }
            let at = (random.next_u64() % moves.enabled.len() as u64) as usize;
            let Ok(next) = naive.fire_move(&moves, at) else { break };
            state = next;
        }
    }
    found
}

/// How the successors of a permuted state differ from the permuted successors.
fn difference(
    naive: &Naive<'_>,
    plan: &Plan,
    permutation: &Permutation,
    state: &State,
    moves: &Moves<'_>,
) -> Option<String> {
    let program = naive.program;
    let moved = naive::permute(program, &plan.sorts, permutation, state);
    let (expected, faults) = successors(naive, moves);
    let (found, other_faults) = successors(naive, &naive.moves(&moved));
    let mut expected: Vec<State> = expected
        .iter()
        .map(|next| {
            // Threads and channels that are new stay.
            let mut longer = permutation.clone();
            longer.threads.extend(longer.threads.len() as u32..next.threads.len() as u32);
            longer.channels.extend(longer.channels.len() as u32..=next.channels.len() as u32);
            naive::permute(program, &plan.sorts, &longer, next)
        })
        .collect();
    expected.sort();
    (expected != found || faults != other_faults).then(|| {
        format!(
            "{permutation:?}: {} successors and {faults:?} before, {} and {other_faults:?} after, in {state:?}",
            expected.len(),
            found.len()
        )
    })
}

/// The successors of a state, in order, and the kinds of faults of its steps.
fn successors(naive: &Naive<'_>, moves: &Moves<'_>) -> (Vec<State>, Vec<String>) {
    let mut kinds: Vec<String> = moves.faults.iter().map(|(_, fault)| fault.kind.to_string()).collect();
    let mut next = Vec::new();
    for at in 0..moves.enabled.len() {
        match naive.fire_move(moves, at) {
            Ok(state) => {
                kinds.extend(state.soft_fault().map(|fault| fault.kind.to_string()));
                next.push(state);
            }
            Err(Stopped::Fault(fault)) => kinds.push(fault.kind.to_string()),
            Err(Stopped::Abandoned) => break,
            Err(_) => kinds.push("stopped".to_owned()),
        }
    }
    kinds.sort();
    next.sort();
    (next, kinds)
}
