//! The command `replay`: a recorded run, on plain values.

use clap::ArgMatches;
use quotient_model::{Kind, Model, Program, Reached, Shape, Successor, Taken};

use crate::json::Json;
use crate::options::{is_json, text};
use crate::picture::{Run, scene};
use crate::show::{self, Writing};
use crate::trail::{Recorded, Trail};
use crate::{Command, Failure, Streams};

/// A run that was repeated.
pub struct Repeated<M: Model> {
    pub initial: M::State,
    pub run: Vec<Taken<M::State, M::Action>>,
    /// What the last step violates.
    pub failed: Option<(Kind, String)>,
}

impl<M: Model> Repeated<M> {
    /// The last state of the run.
    pub fn last(&self) -> &M::State {
        self.run.iter().rev().find_map(|taken| taken.state.as_ref()).unwrap_or(&self.initial)
    }

    /// What the run ends in.
    pub fn ending(&self, program: &Program<M>) -> Option<(Kind, String)> {
        self.failed.clone().or_else(|| {
            let failure = program.failure_of(self.last())?;
            Some((failure.kind, words(failure.kind, &failure.place, &failure.message)))
        })
    }
}

/// A violation in words.
pub fn words(kind: Kind, place: &str, message: &str) -> String {
    match kind {
        Kind::Invariant => format!("`{place}` is false"),
        Kind::Deadlock => "no action is possible, and no run may end here".to_owned(),
        _ if place.is_empty() => message.to_owned(),
        _ => format!("{message} ({place})"),
    }
}

/// Follows a trail. What does not fit is told with its likely cause.
pub fn repeat<M: Model>(program: &Program<M>, trail: &Trail) -> Result<Repeated<M>, Failure> {
    let initial = program.initial_states().map_err(Failure::new)?;
    let found = initial.into_iter().find(|state| state.term().to_string() == trail.initial);
    let initial = found.ok_or_else(|| {
        Failure::new(format!(
            "the model has no initial state {}\n  The model, or the sizes of its sorts, are not those of the trail.",
            trail.initial
        ))
    })?;
    let mut repeated = Repeated { initial, run: Vec::new(), failed: None };
    for (number, Recorded { action, choice }) in (1..).zip(&trail.steps) {
        if repeated.failed.is_some() {
            return Err(Failure::new(format!("step {number}, {action}, comes after the end of the run")));
        }
        let offered = program.successors(repeated.last()).map_err(|failure| {
            Failure::new(format!(
                "before step {number} the model panics: {} ({})",
                failure.message, failure.place
            ))
        })?;
        let is_meant = |successor: &Successor<M::State, M::Action>| {
            successor.choice == *choice && successor.action.term().to_string() == *action
        };
        let Some(successor) = offered.into_iter().find(is_meant) else {
            return Err(impossible(program, repeated.last(), number, action));
        };
        let Successor { action, process, choice, remarks, result } = successor;
        let state = match result {
            Reached::State(state) => Some(state),
            Reached::Failed(failure) => {
                repeated.failed = Some((failure.kind, words(failure.kind, &failure.place, &failure.message)));
                None
            }
            Reached::Outside | Reached::Crowded => {
                return Err(Failure::new(format!(
                    "step {number} leaves the part of the model that is explored"
                )));
            }
        };
        repeated.run.push(Taken { action, process, choice, remarks, state });
    }
    Ok(repeated)
}

/// Why a step of a trail is not possible.
fn impossible<M: Model>(program: &Program<M>, state: &M::State, number: usize, action: &str) -> Failure {
    let name = |action: &str| action.split([' ', '(', '{']).next().unwrap_or_default().to_owned();
    let why: Vec<String> = program
        .obstacles(state)
        .iter()
        .filter(|obstacle| name(&obstacle.action) == name(action))
        .map(|obstacle| format!("\n  {}", show::obstacle(obstacle)))
        .collect();
    let why = if why.is_empty() {
        "\n  The model, or the sizes of its sorts, are not those of the trail.".to_owned()
    } else {
        why.concat()
    };
    Failure::new(format!("step {number}, {action}, is not possible when it is replayed{why}"))
}

/// Makes sure that a run that is repeated for ever violates a property.
fn check_cycle<M: Model>(
    program: &Program<M>,
    repeated: &Repeated<M>,
    property: &str,
    start: Option<usize>,
) -> Result<(), Failure> {
    let mut states = vec![repeated.initial.clone()];
    states.extend(repeated.run.iter().filter_map(|taken| taken.state.clone()));
    let last = states.len() - 1;
    let fails = |reason: String| {
        Failure::new(format!("the trail says that its run violates `{property}`, and it does not: {reason}"))
    };
    if start == Some(last) && !program.successors(&states[last]).is_ok_and(|successors| successors.is_empty())
    {
        return Err(fails("the run goes on".to_owned()));
    }
    match program.run_violates(property, &states, start.unwrap_or(last)) {
        Ok(true) => Ok(()),
        Ok(false) => Err(fails("the run satisfies it".to_owned())),
        Err(reason) => Err(fails(reason)),
    }
}

pub fn replay<M: Model>(
    command: Command<M>,
    name: &str,
    matches: &ArgMatches,
    streams: &mut Streams<'_>,
) -> Result<u8, Failure> {
    let file = matches.get_one::<String>("file").map(String::as_str).unwrap_or_default();
    let trail = Trail::read(file)?;
    let (program, _) = command.sized(matches, &trail.sizes);
    let repeated = repeat(&program, &trail)?;
    let ending = repeated.ending(&program);
    let claimed = trail.violation.as_ref();
    let cycle = claimed.and_then(|claimed| claimed.property.as_ref());
    if let (Some(claimed), None) = (claimed, cycle)
        && ending.as_ref().is_none_or(|(kind, _)| kind.as_str() != claimed.kind)
    {
        return Err(Failure::new(format!(
            "the trail says that {} ends in a violation ({}: {}), and its run does not",
            trail.model, claimed.kind, claimed.message
        )));
    }
    if let Some((property, start)) = cycle {
        check_cycle(&program, &repeated, property, *start)?;
    }
    if text(matches, "format") == Some("svg") {
        let ending = ending.as_ref().map(|(kind, message)| format!("{kind}: {message}"));
        let start = cycle.and_then(|(_, start)| *start);
        let (initial, steps) = (&repeated.initial, &repeated.run[..]);
        let run = Run { program: &program, initial, steps, cycle: start, ending };
        let title = format!("A run of {name}");
        let picture = if text(matches, "view") == Some("states") {
            let (before, last) = run.last_states();
            scene(&format!("{title}: its last state"), before.as_ref(), &last).diagram().svg()
        } else {
            run.chart(&title).svg()
        };
        write!(streams.out, "{}", picture.as_str())?;
    } else if is_json(matches) {
        let start = cycle.and_then(|(_, start)| *start);
        let trace = crate::report::trace(&program, &repeated.initial, &repeated.run, start, ending.as_ref());
        let trace = Json::Object(vec![("model", Json::text(name)), ("trace", trace)]);
        writeln!(streams.out, "{trace}")?;
    } else {
        let mut writing = Writing::new(&program, repeated.run.iter().map(|taken| taken.process));
        write!(streams.out, "{}", writing.beginning(&repeated.initial))?;
        let mut before = &repeated.initial;
        for (number, taken) in repeated.run.iter().enumerate() {
            if let Some((property, Some(start))) = cycle
                && *start == number
            {
                writeln!(streams.out, "  from here on, the rest is repeated for ever ({property})")?;
            }
            write!(streams.out, "{}", writing.step(before, taken))?;
            before = taken.state.as_ref().unwrap_or(before);
        }
        if let Some((property, Some(start))) = cycle
            && *start == repeated.run.len()
        {
            writeln!(streams.out, "  the run ends here ({property})")?;
        }
        if let Some((kind, message)) = &ending {
            writeln!(streams.out, "  {kind}: {message}")?;
        }
        if ending.as_ref().is_some_and(|(kind, _)| *kind == Kind::Deadlock) {
            for obstacle in program.obstacles(before) {
                writeln!(streams.out, "       {}", show::obstacle(&obstacle))?;
            }
        }
        write!(streams.out, "{}", show::lines("  the last state", &show::state(&program, before)))?;
    }
    Ok(u8::from(ending.is_some() || cycle.is_some()))
}
