//! The command `simulate`: one run, at random or step by step.

use std::io::{BufRead, stdin};
use std::sync::atomic::Ordering::Relaxed;

use bits::SplitMix64;
use clap::ArgMatches;
use quotient_model::{Model, Reached, Shape, Successor, Taken};
use terminal::interrupt;

use crate::options::{count, text};
use crate::replay::{repeat, words};
use crate::show::{self, Writing};
use crate::trail::{self, Claimed, Recorded, Trail};
use crate::{Command, Failure, Streams};

pub fn simulate<M: Model>(
    command: Command<M>,
    name: &str,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let before = text(matches, "from-trail").map(Trail::read).transpose()?;
    let recorded = before.as_ref().map_or(&[][..], |trail| &trail.sizes);
    let (program, sizes) = command.sized(matches, recorded);
    let interrupted = interrupt::flag(|| {});
    let mut random = SplitMix64::new(count(matches, "seed").unwrap_or(0));
    let is_interactive = matches.get_flag("interactive");
    let limit = count(matches, "steps").unwrap_or(100);
    let (initial, mut run) = if let Some(trail) = &before {
        let repeated = repeat(&program, trail)?;
        if let Some((kind, message)) = repeated.failed {
            return Err(Failure::new(format!(
                "the trail ends in a violation ({kind}: {message}): nothing comes after it"
            )));
        }
        (repeated.initial, repeated.run)
    } else {
        let mut initial = program.initial_states().map_err(Failure::new)?;
        if initial.is_empty() {
            return Err(Failure::new("the model has no initial state"));
        }
        let chosen = random.below(initial.len());
        (initial.swap_remove(chosen), Vec::new())
    };
    let mut writing = Writing::new(&program, run.iter().map(|taken: &Taken<_, _>| taken.process));
    write!(streams.out, "{}", writing.beginning(&initial))?;
    let mut state = initial.clone();
    for taken in &run {
        write!(streams.out, "{}", writing.step(&state, taken))?;
        state = taken.state.clone().unwrap_or(state);
    }
    let mut code = 0;
    let mut violation = None;
    let mut steps = 0;
    loop {
        if let Some(failure) = program.failure_of(&state) {
            let message = words(failure.kind, &failure.place, &failure.message);
            writeln!(streams.out, "  {}: {message}", failure.kind)?;
            for obstacle in
                program.obstacles(&state).iter().filter(|_| failure.kind == quotient_model::Kind::Deadlock)
            {
                writeln!(streams.out, "       {}", show::obstacle(obstacle))?;
            }
            violation = Some(Claimed { kind: failure.kind.to_string(), message, property: None });
            code = 1;
            break;
        }
        if steps == limit && !is_interactive {
            writeln!(streams.out, "Stopped after {limit} steps (use --steps for more).")?;
            break;
        }
        if interrupted.load(Relaxed) {
            writeln!(streams.out, "Interrupted after {steps} steps.")?;
            code = interrupt::EXIT_CODE;
            break;
        }
        let mut offered = program.successors(&state).map_err(|failure| Failure::new(failure.message))?;
        if offered.is_empty() {
            writeln!(streams.out, "The run ends here: no action is possible.")?;
            break;
        }
        let chosen = if is_interactive {
            let Some(chosen) = choose(&program, &offered, streams)? else { break };
            chosen
        } else {
            random.below(offered.len())
        };
        let Successor { action, process, choice, remarks, result } = offered.swap_remove(chosen);
        let mut taken = Taken { action, process, choice, remarks, state: None };
        match result {
            Reached::State(next) => {
                taken.state = Some(next.clone());
                write!(streams.out, "{}", writing.step(&state, &taken))?;
                state = next;
                run.push(taken);
            }
            Reached::Failed(failure) => {
                write!(streams.out, "{}", writing.step(&state, &taken))?;
                run.push(taken);
                let message = words(failure.kind, &failure.place, &failure.message);
                writeln!(streams.out, "  {}: {message}", failure.kind)?;
                violation = Some(Claimed { kind: failure.kind.to_string(), message, property: None });
                code = 1;
                break;
            }
            Reached::Outside | Reached::Crowded => {
                let why = if matches!(result, Reached::Outside) {
                    "leaves the part of the model that is explored"
                } else {
                    "needs more individuals than there are"
                };
                writeln!(streams.out, "The run ends here: {} {why}.", taken.action.term())?;
                break;
            }
        }
        steps += 1;
    }
    if let Some(file) = text(matches, "trail") {
        let recorded = |taken: &Taken<M::State, M::Action>| Recorded {
            action: taken.action.term().to_string(),
            choice: taken.choice,
        };
        let trail = Trail {
            model: name.to_owned(),
            sizes,
            initial: initial.term().to_string(),
            steps: run.iter().map(recorded).collect(),
            violation,
        };
        trail::write(file, &trail, streams.out)?;
    }
    Ok(code)
}

/// Asks which step to take. `None` ends the run.
fn choose<M: Model>(
    program: &quotient_model::Program<M>,
    offered: &[Successor<M::State, M::Action>],
    streams: &mut Streams<'_>,
) -> Result<Option<usize>, Failure> {
    for (number, successor) in offered.iter().enumerate() {
        let process = program.process_name(successor.process);
        let choice =
            if successor.choice == 0 { String::new() } else { format!("  (choice {})", successor.choice) };
        writeln!(streams.out, "  [{}] {process}  {}{choice}", number + 1, successor.action.term())?;
    }
    loop {
        write!(streams.out, "step, or q to end: ")?;
        streams.out.flush()?;
        let mut line = String::new();
        let length = stdin().lock().read_line(&mut line).map_err(|error| Failure::new(error.to_string()))?;
        let word = line.trim();
        if length == 0 || word == "q" || word == "quit" {
            return Ok(None);
        }
        match word.parse::<usize>() {
            Ok(number) if (1..=offered.len()).contains(&number) => return Ok(Some(number - 1)),
            _ => writeln!(streams.out, "expected a number from 1 to {}", offered.len())?,
        }
    }
}
