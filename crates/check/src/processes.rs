//! Interchangeable processes: whether a program has any, and the program that is searched if it has.

use std::borrow::Cow;
use std::sync::atomic::Ordering::Relaxed;

use engine::Engine;
use interchange::{Interchanging, Plan};
use ir::{Expr, Program, Property};
use system::{Fired, Steps, TransitionSystem};

use crate::config::Symmetry;
use crate::pipeline::{Check, CheckError, engine_of};
use crate::reducing::counts_states;
use crate::report::{Interchangeable, InterchangeableKind};

/// What is interchangeable in a program, and what is searched.
pub struct Processes<'p> {
    /// The program to search.
    pub program: Cow<'p, Program>,
    /// Whether states that permutations map to each other are one.
    pub is_used: bool,
    /// Whether processes that have ended stay in states.
    pub stay: bool,
    pub groups: Vec<Interchangeable>,
    /// Why nothing, or not everything, is interchangeable.
    pub reasons: Vec<String>,
}

/// The states from the initial one on that have one successor each are passed, up to this many: processes are
/// started there.
const PRELUDE: usize = 1 << 12;

impl<'p> Processes<'p> {
    fn unused(program: &'p Program, reasons: Vec<String>) -> Self {
        Self { program: Cow::Borrowed(program), is_used: false, stay: false, groups: Vec::new(), reasons }
    }

    pub fn new(
        check: &Check<'_>,
        program: &'p Program,
        property: Option<&Property>,
    ) -> Result<Self, CheckError> {
        let Check { model, config, .. } = *check;
        if !program.features.thread_ids_observable || config.symmetry != Symmetry::Full {
            return Ok(Self::unused(program, Vec::new()));
        }
        if let Some(obstacle) = interchange::obstacle(program) {
            return Ok(Self::unused(program, vec![obstacle.to_owned()]));
        }
        if property.is_some_and(|property| property.each.is_some()) {
            let reason = "the property is about one process at a time";
            return Ok(Self::unused(program, vec![reason.to_owned()]));
        }
        let counted = property.is_some_and(|property| counts_states(property).is_some());
        let counted = counted || config.limits.depth.is_some();
        let (prepared, stay) = interchange::prepare(program, counted);
        let engine = engine_of(model, &prepared, config.bounds)?;
        let observed = observed(&prepared, property);
        let plan = settled(&engine, &prepared, &observed);
        let mut reasons: Vec<String> = plan
            .reasons
            .iter()
            .filter(|(procedure, _)| {
                plan.population.threads.iter().filter(|other| *other == procedure).count() > 1
            })
            .map(|(procedure, reason)| {
                let (name, line) = (&program.procedures[*procedure].name, model.place(reason.span).line);
                match model.written(reason.span) {
                    Some(text) => format!("{name}: `{text}` at line {line} {}", reason.what),
                    None => format!("{name}: line {line} {}", reason.what),
                }
            })
            .collect();
        if let Err(interchange::MustVanish(why)) = stay
            && !reasons.is_empty()
        {
            reasons.push(format!("processes that have ended vanish: {why}"));
        }
        let groups = groups(&prepared, &plan);
        if !groups.iter().any(|group| group.kind == InterchangeableKind::Thread) {
            return Ok(Self::unused(program, reasons));
        }
        if !is_worthwhile(check, &engine, &prepared, &observed) {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
            reasons.push(format!(
                "{}: no two states are alike, among those near the initial one",
                names.join(", ")
            ));
            return Ok(Self::unused(program, reasons));
        }
        drop(observed);
        let stay = stay.is_ok() && program.transitions.values().any(interchange::is_end);
        Ok(Self { program: Cow::Owned(prepared), is_used: true, stay, groups, reasons })
    }
}

/// The expressions that a property asks for.
pub fn observed<'p>(program: &'p Program, property: Option<&Property>) -> Vec<&'p Expr> {
    let properties =
        program.properties.iter().filter(|other| property.is_some_and(|own| own.name == other.name));
    properties.flat_map(|property| &property.props).map(|prop| &prop.expr).collect()
}

/// The plan for the first state in which there is a choice.
fn settled(engine: &Engine, program: &Program, observed: &[&Expr]) -> Plan {
    let system = Interchanging::new(engine, program, observed.to_vec());
    let mut state = system.initial();
    let mut steps = Steps::default();
    for _ in 0..PRELUDE {
        system.steps(&mut state, &mut steps);
        let &[step] = &steps.enabled[..] else { break };
        if !steps.faults.is_empty() || system.fire(&mut state, step) != Fired::Moved {
            break;
        }
    }
    system.plan(&state)
}

/// The number of states that are looked at to see whether any are alike.
const SAMPLE: usize = 1 << 11;

/// Whether a plan makes fewer states of those near the initial one.
fn is_worthwhile(check: &Check<'_>, engine: &Engine, program: &Program, observed: &[&Expr]) -> bool {
    let system = Interchanging::new(engine, program, observed.to_vec());
    let is_over = || {
        let is_interrupted = check.options.interrupt.is_some_and(|flag| flag.load(Relaxed));
        is_interrupted || check.time_left().is_some_and(|left| left.is_zero())
    };
    let (states, orbits) = system.gain(SAMPLE, &is_over);
    // A tenth less is worth the effort.
    orbits * 10 <= states * 9
}

/// The groups of processes and channels that a plan permutes.
fn groups(program: &Program, plan: &Plan) -> Vec<Interchangeable> {
    let threads = plan.population.threads.len();
    let individuals = threads + plan.population.channels.len();
    let classes = plan.classes.iter().filter(|class| (class[0] as usize) < individuals);
    classes
        .map(|class| {
            let first = class[0] as usize;
            let (kind, name) = match plan.population.threads.get(first) {
                Some(&procedure) => (InterchangeableKind::Thread, program.procedures[procedure].name.clone()),
                None => {
                    let (declared, _) = plan.population.channels[first - threads];
                    (InterchangeableKind::Channel, program.channels[declared].name.clone())
                }
            };
            Interchangeable { kind, name, count: class.len() as u32, group: Some(plan.group(class)) }
        })
        .collect()
}
