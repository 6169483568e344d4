//! Interchangeable processes: whether a program has any, and the program that is searched if it has.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use engine::{Engine, OverEngine};
use interchange::{Interchanging, Permuted, Plan};
use ir::{ActionKind, Expr, ProcedureId, Program, Property, Refuted, Sort, Variable, VariableSort};
use system::{Alarm, Fired, Limits, Steps, TransitionSystem};

use crate::alike::{Alike, Sample};
use crate::audit::audit;
use crate::config::{Bounds, Symmetry};
use crate::deadline::Deadline;
use crate::model::Model;
use crate::names::REFUTED;
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
    /// The number of states that were permuted to see whether their successors are permuted as well.
    pub audited: u64,
    /// Why nothing, or not everything, is interchangeable.
    pub reasons: Vec<String>,
}

/// The states from the initial one on that have one successor each are passed, up to this many: processes are
/// started there.
const PRELUDE: usize = 1 << 12;

/// The steps without a new process after which none is expected.
const PAUSE: usize = 64;

/// The least number of runs that an audit follows.
const RUNS: u64 = 100;

/// The states that are permuted if no audit is asked for, and the runs that are followed at most.
const BRIEFLY: (u64, u64) = (100, 10);

impl<'p> Processes<'p> {
    fn unused(program: &'p Program, reasons: Vec<String>) -> Self {
        Self {
            program: Cow::Borrowed(program),
            is_used: false,
            stay: false,
            groups: Vec::new(),
            audited: 0,
            reasons,
        }
    }

    pub fn new(
        check: &Check<'_>,
        program: &'p Program,
        property: Option<&Property>,
    ) -> Result<Self, CheckError> {
        let Check { model, config, .. } = *check;
        if !program.features.thread_ids_observable
            || !matches!(config.symmetry, Symmetry::Auto | Symmetry::Full)
        {
            return Ok(Self::unused(program, Vec::new()));
        }
        if let Some(obstacle) = interchange::obstacle(program) {
            let are_several = has_several(program);
            return Ok(Self::unused(program, are_several.then(|| obstacle.to_owned()).into_iter().collect()));
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
        let alarm = Arc::new(alarm(check));
        let (plan, is_refuted) = settled(&engine, &prepared, &observed, Some(&alarm));
        let mut reasons = reasons(model, program, &plan);
        reasons.extend(is_refuted.then(|| REFUTED.to_owned()));
        if let Err(interchange::MustVanish(why)) = stay
            && !reasons.is_empty()
        {
            reasons.push(format!("processes that have ended vanish: {why}"));
        }
        let groups = groups(&prepared, &plan);
        if groups.is_empty() && alarm.is_due() {
            reasons.push("there was no time to find out".to_owned());
        }
        if !groups.iter().any(|group| group.kind == InterchangeableKind::Thread) {
            return Ok(Self::unused(program, reasons));
        }
        let alike = alike(&engine, &prepared, &observed, &alarm);
        if !is_worthwhile(&plan, alike) {
            let names: Vec<&str> = groups.iter().map(|group| group.name.as_str()).collect();
            let how_many = if alike.orbits == alike.states { "no two" } else { "few" };
            reasons.push(format!(
                "{}: {how_many} states are alike, among those near the initial one",
                names.join(", ")
            ));
            return Ok(Self::unused(program, reasons));
        }
        // Soundness rests on one law, so every model is held against it, if only briefly.
        let effort = config.audit_symmetry.map_or(BRIEFLY, |samples| (samples, samples.max(RUNS)));
        let found = audit(&prepared, &observed, effort, 0, Some(&alarm));
        let refuted = found.refuted.map(|refuted| refutation(model, refuted));
        let difference =
            found.difference.map(|found| format!("a permuted state has other successors: {found}"));
        if let Some(error) = difference.or(refuted) {
            if config.audit_symmetry.is_some() {
                return Err(CheckError::Internal(error));
            }
            reasons.push(
                "a test of the symmetry failed, which is an error of this program: please report it"
                    .to_owned(),
            );
            return Ok(Self::unused(program, reasons));
        }
        let audited = found.samples;
        drop(observed);
        let stay = stay.is_ok() && program.transitions.values().any(interchange::is_end);
        Ok(Self { program: Cow::Owned(prepared), is_used: true, stay, groups, audited, reasons })
    }
}

/// Describes which numbers of a Promela model stand for processes and channels, which of these are interchangeable, and
/// why others are not.
pub fn describe_symmetry(model: &Model, bounds: Bounds) -> Result<String, CheckError> {
    let program = &model.program;
    if !program.features.thread_ids_observable {
        return Err(CheckError::Refused(
            "--symmetry is for Promela models: in BIR, all names of threads and objects are interchangeable"
                .to_owned(),
        ));
    }
    if let Some(obstacle) = interchange::obstacle(program) {
        return Ok(format!("nothing is interchangeable: {obstacle}\n"));
    }
    let (prepared, stay) = interchange::prepare(program, false);
    let engine = engine_of(model, &prepared, bounds)?;
    let (plan, is_refuted) = settled(&engine, &prepared, &[], None);
    let mut out = String::new();
    for group in groups(&prepared, &plan) {
        let what = if group.kind == InterchangeableKind::Thread { "processes" } else { "channels like" };
        let permutations = group.group.unwrap_or_default();
        let _ = writeln!(out, "interchangeable: {} {what} {} ({permutations})", group.count, group.name);
    }
    for reason in reasons(model, program, &plan) {
        let _ = writeln!(out, "not interchangeable: {reason}");
    }
    if is_refuted {
        let _ = writeln!(out, "not interchangeable: {REFUTED}");
    }
    match stay {
        Ok(()) => {}
        Err(interchange::MustVanish(why)) => {
            let _ = writeln!(out, "processes that have ended vanish: {why}");
        }
    }
    let mut list = |name: String, variable: &Variable, sorts: &VariableSort| {
        let index = |sort: &Sort| format!("[{}]", sort_name(*sort));
        let indices: String = sorts.indices.iter().map(index).collect();
        if sorts.value != Sort::Number || sorts.indices.iter().any(|&sort| sort != Sort::Number) {
            let _ = writeln!(out, "  {name}{}{indices}: {}", variable.name, sort_name(sorts.value));
        }
    };
    for (id, variable) in program.globals.iter() {
        list(String::new(), variable, &plan.sorts.globals[id]);
    }
    for (id, procedure) in program.procedures.iter() {
        for (local, variable) in procedure.locals.iter() {
            list(format!("{}.", procedure.name), variable, &plan.sorts.locals[id][local]);
        }
    }
    for (id, channel) in program.channels.iter() {
        let fields = &plan.sorts.fields[id];
        if fields.iter().any(|&sort| sort != Sort::Number) {
            let fields: Vec<String> = fields.iter().map(|&sort| sort_name(sort)).collect();
            let _ = writeln!(out, "  messages of {}: {}", channel.name, fields.join(", "));
        }
    }
    Ok(out)
}

fn sort_name(sort: Sort) -> String {
    match sort {
        Sort::Number => "number".to_owned(),
        Sort::Thread { shift: 0 } => "process".to_owned(),
        Sort::Thread { shift } if shift < 0 => format!("process + {}", -shift),
        Sort::Thread { shift } => format!("process - {shift}"),
        Sort::Channel => "channel".to_owned(),
    }
}

/// Why processes of which there are several are not interchangeable.
fn reasons(model: &Model, program: &Program, plan: &Plan) -> Vec<String> {
    let count =
        |procedure: ProcedureId| plan.population.threads.iter().filter(|&&other| other == procedure).count();
    let several = plan.reasons.iter().filter(|(procedure, _)| count(*procedure) > 1);
    several
        .map(|(procedure, reason)| {
            let (name, line) = (&program.procedures[*procedure].name, model.place(reason.span).line);
            match model.written(reason.span) {
                Some(text) => format!("{name}: `{text}` at line {line} {}", reason.what),
                None => format!("{name}: line {line} {}", reason.what),
            }
        })
        .collect()
}

/// Whether there may be several processes of one kind.
fn has_several(program: &Program) -> bool {
    let mut active = program.active.clone();
    active.sort_unstable();
    let starts = program.actions().any(|action| matches!(action.kind, ActionKind::Start { .. }));
    starts || active.windows(2).any(|pair| pair[0] == pair[1])
}

/// When to stop looking at a program before it is searched: at the end of the check's time, and soon unless an audit
/// is asked for.
fn alarm(check: &Check<'_>) -> Alarm {
    let soon = check.config.audit_symmetry.is_none().then_some(SOON);
    let limit = check.time_left().into_iter().chain(soon).min();
    Alarm::new(Deadline::after(limit).0, check.options.interrupt.cloned())
}

const SOON: Duration = Duration::from_secs(2);

/// The expressions that a property asks for.
pub fn observed<'p>(program: &'p Program, property: Option<&Property>) -> Vec<&'p Expr> {
    let properties =
        program.properties.iter().filter(|other| property.is_some_and(|own| own.name == other.name));
    properties.flat_map(|property| &property.props).map(|prop| &prop.expr).collect()
}

/// What the verifier objects to, for a report of the mistake.
fn refutation(model: &Model, refuted: Refuted) -> String {
    format!(
        "the verifier refutes what seemed interchangeable: {}, line {}",
        refuted.what,
        model.place(refuted.span).line
    )
}

/// The plan for the first state in which there is a choice, or for one in which more processes were started, if it
/// allows more; and whether the verifier refuted a plan.
fn settled(
    engine: &Engine,
    program: &Program,
    observed: &[&Expr],
    alarm: Option<&Arc<Alarm>>,
) -> (Plan, bool) {
    let system = Interchanging::new(engine, program, observed.to_vec());
    let mut state = system.initial();
    if let Some(alarm) = alarm {
        system.heed(&mut state, alarm);
    }
    let mut steps = Steps::default();
    let is_single = |steps: &Steps| steps.enabled.len() == 1;
    go_on(&system, &mut state, &mut steps, PRELUDE, is_single);
    let first = system.plan(&state);
    if !program.actions().any(|action| matches!(action.kind, ActionKind::Start { .. })) {
        return (first, system.stats().refuted > 0);
    }
    // Who is there from the start goes on alone, as long as it starts others.
    let of_first = |steps: &Steps| steps.enabled.first().is_some_and(|step| step.thread == 0);
    loop {
        let before = system.concrete(&state).thread_count();
        go_on(&system, &mut state, &mut steps, PAUSE, of_first);
        if system.concrete(&state).thread_count() <= before {
            break;
        }
    }
    let last = system.plan(&state);
    let best = if last.movers() > first.movers() { last } else { first };
    (best, system.stats().refuted > 0)
}

/// Takes the first step of each state as long as steps are as they should be.
fn go_on(
    system: &Interchanging<'_>,
    state: &mut Permuted,
    steps: &mut Steps,
    most: usize,
    goes_on: impl Fn(&Steps) -> bool,
) {
    for _ in 0..most {
        system.steps(state, steps);
        if !goes_on(steps) || !steps.faults.is_empty() || system.fire(state, steps.enabled[0]) != Fired::Moved
        {
            break;
        }
    }
}

/// The number of states that are looked at to see whether any are alike.
const SAMPLE: usize = 1 << 9;

/// How many of the states near the initial one are alike.
fn alike(engine: &Engine, program: &Program, observed: &[&Expr], alarm: &Arc<Alarm>) -> Alike {
    let system = Interchanging::new(engine, program, observed.to_vec());
    Sample { system: &system, plain: Interchanging::raw, alarm }.first(SAMPLE)
}

/// Whether a plan is worth its effort.
///
/// If two states are alike, so are all states that follow them. So where the initial state tells processes apart, few are
/// alike at first, and many later: a few suffice. A single exchange saves half of the states at most, which is what it
/// costs, and so must save many.
fn is_worthwhile(plan: &Plan, alike: Alike) -> bool {
    match plan.exchange() {
        Some(_) => alike.is_worthwhile(),
        None => alike.orbits * 64 <= alike.states * 63,
    }
}

/// The groups of processes and channels that a plan permutes.
fn groups(program: &Program, plan: &Plan) -> Vec<Interchangeable> {
    let threads = plan.population.threads.len();
    let individuals = threads + plan.population.channels.len();
    let classes = plan.classes.iter().filter(|class| (class[0] as usize) < individuals);
    classes
        .map(|class| {
            let first = class[0] as usize;
            let (kind, name) = if let Some(&procedure) = plan.population.threads.get(first) {
                (InterchangeableKind::Thread, &program.procedures[procedure].name)
            } else {
                let (declared, _) = plan.population.channels[first - threads];
                (InterchangeableKind::Channel, &program.channels[declared].name)
            };
            let name = name.clone();
            Interchangeable { kind, name, count: class.len() as u32, group: Some(plan.group(class)) }
        })
        .collect()
}
