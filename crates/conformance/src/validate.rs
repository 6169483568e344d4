//! Logs of an implementation, compared with a model afterwards.
//!
//! A log is a text with an event per line, as JSON:
//!
//! ```text
//! {"event": "prepare", "args": {"rm": "node-3"}}
//! {"event": "commit", "args": {"rm": "node-3"}, "answer": true, "state": {"prepared": "2"}}
//! ```
//!
//! | key      | what it says                                                                                  |
//! |----------|-----------------------------------------------------------------------------------------------|
//! | `event`  | the action, in any spelling of its words: `two_words`, `TwoWords`                             |
//! | `args`   | its arguments, as an object by their names or as an array; those that are missing may be any  |
//! | `answer` | what it answered                                                                              |
//! | `state`  | views of the state afterwards, by their names                                                 |
//!
//! All but `event` may be missing, and other keys say nothing. Where the model has individuals, a log has names of its own.
//! Each name is one individual, and each individual has one name; which, is found out.
//! Individuals of a sort are interchangeable, so of those that nothing mentions yet only one is tried for a new name.
//!
//! A log is accepted if some run of the model has these events, with [hidden](quotient_model::Role::Hidden) actions in
//! between. All such runs are followed at the same time, as sets of states.

use std::collections::BTreeSet;
use std::fmt;

use quotient_model::{Model, Obstacle, Program, Role, Shape, Term};
use serde_json::{Map, Value};

use crate::possible::{Lost, Possible};

/// The events of a log.
#[derive(Clone, Debug)]
pub struct Log {
    events: Vec<Logged>,
}

#[derive(Clone, Debug)]
struct Logged {
    line: usize,
    text: String,
    name: String,
    args: Value,
    answer: Option<Value>,
    state: Map<String, Value>,
}

/// A line of a log that says no event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoEvent {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for NoEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for NoEvent {}

impl Log {
    /// Reads a log. Empty lines are left out.
    ///
    /// # Errors
    ///
    /// The first line that is no event.
    pub fn parse(text: &str) -> Result<Self, NoEvent> {
        let lines = text.lines().zip(1..).filter(|(text, _)| !text.trim().is_empty());
        let events =
            lines.map(|(text, line)| Logged::parse(line, text).map_err(|message| NoEvent { line, message }));
        Ok(Self { events: events.collect::<Result<_, _>>()? })
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }
}

impl Logged {
    fn parse(line: usize, text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Object(mut event) = value else { return Err("it is not an object".to_owned()) };
        let Some(Value::String(name)) = event.remove("event") else {
            return Err("it has no text `event`".to_owned());
        };
        let args = event.remove("args").unwrap_or(Value::Object(Map::new()));
        if !(args.is_object() || args.is_array()) {
            return Err("`args` is neither an object nor an array".to_owned());
        }
        let state = match event.remove("state") {
            None => Map::new(),
            Some(Value::Object(state)) => state,
            Some(_) => return Err("`state` is not an object".to_owned()),
        };
        Ok(Self { line, text: text.trim().to_owned(), name, args, answer: event.remove("answer"), state })
    }
}

/// What became of a log.
#[derive(Clone, Debug)]
#[must_use = "the result is to be looked at: `assert_accepted`"]
pub struct Validation {
    /// The number of events that some run of the model has.
    pub accepted: usize,
    /// The greatest number of states that were possible at a time.
    pub most_possible: usize,
    /// The first event that no run has.
    pub rejected: Option<Rejected>,
}

/// An event that no run of a model has after those before it.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The number of its line, from 1.
    pub line: usize,
    /// The event as it is in the log.
    pub event: String,
    /// The states in which the model may be then.
    pub states: Vec<Term>,
    /// Why steps of these states are not this event.
    pub reasons: Vec<String>,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "line {} is not what the model does: {}", self.line, self.event)?;
        for reason in &self.reasons {
            writeln!(f, "  {reason}")?;
        }
        write!(f, "the model may be in")?;
        for state in self.states.iter().take(SHOWN) {
            write!(f, "\n  {state}")?;
        }
        match self.states.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}

/// The number of states and reasons that are shown.
const SHOWN: usize = 8;

impl Validation {
    /// Whether some run of the model has all events.
    pub const fn is_accepted(&self) -> bool {
        self.rejected.is_none()
    }

    /// Fails if no run of the model has all events.
    #[track_caller]
    pub fn assert_accepted(&self) {
        if let Some(rejected) = &self.rejected {
            panic!("the log should be one of the model:\n{rejected}");
        }
    }

    /// Fails if some run of the model has all events. Returns the first one that no run has.
    #[track_caller]
    pub fn assert_rejected(&self) -> &Rejected {
        self.rejected.as_ref().unwrap_or_else(|| {
            panic!("the log should not be one of the model, which accepts {} events", self.accepted)
        })
    }
}

/// Which name of the log an individual has: its sort and number, and the name.
type Names = Vec<((String, u32), String)>;

/// Compares a log with a program. At most `most` states may be possible at a time.
///
/// # Errors
///
/// If more are possible, or if the model breaks a rule of its own.
pub fn validate<M: Model>(program: &Program<M>, log: &Log, most: usize) -> Result<Validation, Lost> {
    let possible = Possible::new(program, most)?;
    let mut now: Vec<(M::State, Names)> =
        possible.states().iter().map(|state| (state.clone(), Names::new())).collect();
    let mut validation = Validation { accepted: 0, most_possible: now.len(), rejected: None };
    for event in &log.events {
        let mut next: Vec<(M::State, Names)> = Vec::new();
        let mut reasons = BTreeSet::new();
        for (state, names) in &now {
            let known = Known::of(state, names);
            let mut is_there = false;
            for step in possible.moves(state)? {
                if program.model().role(&step.action) == Role::Hidden || !event.is(&step.action) {
                    continue;
                }
                is_there = true;
                let action = step.action.term();
                let mut ways = known.arguments(&action, &event.args, names.clone());
                if ways.is_empty() {
                    continue;
                }
                if let Some(answer) = &event.answer {
                    let [wanted] = &step.answers[..] else {
                        reasons.insert(format!("{action} answers nothing"));
                        continue;
                    };
                    ways = ways.into_iter().flat_map(|names| known.is(wanted, answer, names)).collect();
                    if ways.is_empty() {
                        reasons.insert(format!("{action} answers `{wanted}`"));
                        continue;
                    }
                }
                if let Some(reason) = other_view(program, &step.to, &event.state) {
                    reasons.insert(format!("after {action}, {reason}"));
                    continue;
                }
                for names in ways {
                    for to in possible.hidden_from(step.to.clone())? {
                        if !next.iter().any(|(state, others)| *others == names && state.order(&to).is_eq()) {
                            next.push((to, names.clone()));
                        }
                    }
                }
            }
            if !is_there {
                for Obstacle { action, condition, place } in program.obstacles(state) {
                    if event.is_named(action.split('(').next().unwrap_or_default()) {
                        reasons.insert(format!("{action}: `{condition}` is false, at {place}"));
                    }
                }
            }
        }
        if next.is_empty() {
            if reasons.is_empty() {
                reasons.insert(event.no_such(&possible, &now)?);
            }
            validation.rejected = Some(Rejected {
                line: event.line,
                event: event.text.clone(),
                states: now.iter().map(|(state, _)| state.term()).collect(),
                reasons: reasons.into_iter().take(SHOWN).collect(),
            });
            return Ok(validation);
        }
        if next.len() > most {
            return Err(Lost::TooMany(most));
        }
        validation.accepted += 1;
        validation.most_possible = validation.most_possible.max(next.len());
        now = next;
    }
    Ok(validation)
}

/// Why a state is not one of which these views are known, if it is not.
fn other_view<M: Model>(
    program: &Program<M>,
    state: &M::State,
    wanted: &Map<String, Value>,
) -> Option<String> {
    if wanted.is_empty() {
        return None;
    }
    let views = program.views(state);
    wanted.iter().find_map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match views.iter().find(|(other, _)| other == name) {
            Some((_, shown)) if *shown == text => None,
            Some((_, shown)) => Some(format!("{name} is `{shown}`")),
            None => Some(format!("the model has no view {name}")),
        }
    })
}

/// A name without what differs between spellings.
fn spelled(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Logged {
    fn is_named(&self, name: &str) -> bool {
        spelled(&self.name) == spelled(name)
    }

    fn is<A: Shape>(&self, action: &A) -> bool {
        A::VARIANTS.get(action.variant()).is_some_and(|name| self.is_named(name))
    }

    /// What to say of an event that no step was near to.
    fn no_such<M: Model>(
        &self,
        possible: &Possible<'_, M>,
        now: &[(M::State, Names)],
    ) -> Result<String, Lost> {
        if !M::Action::VARIANTS.iter().any(|name| self.is_named(name)) {
            return Ok(format!(
                "the model has no action {}: it has {}",
                self.name,
                M::Action::VARIANTS.join(", ")
            ));
        }
        let mut steps = BTreeSet::new();
        for (state, _) in now {
            steps.extend(possible.moves(state)?.into_iter().map(|step| step.action.term().to_string()));
        }
        let steps: Vec<String> = steps.into_iter().take(SHOWN).collect();
        Ok(match &steps[..] {
            [] => "nothing is possible any more".to_owned(),
            steps => format!("possible are {}", steps.join(", ")),
        })
    }
}

/// The individuals of a state: those that neither the state mentions nor a name was found for are all alike, so only the
/// first of them gets a new name.
struct Known {
    /// The individuals that the state mentions.
    mentioned: BTreeSet<(String, u32)>,
}

impl Known {
    fn of(state: &impl Shape, names: &Names) -> Self {
        let mut mentioned: BTreeSet<_> = names.iter().map(|(individual, _)| individual.clone()).collect();
        mention(&state.term(), &mut mentioned);
        Self { mentioned }
    }

    fn named(&self, sort: &str, number: u32, name: String, mut names: Names) -> Option<Names> {
        let has_name = |other: &((String, u32), String)| other.0.0 == sort && other.1 == name;
        match names.iter().find(|(individual, _)| individual.0 == sort && individual.1 == number) {
            Some((_, known)) => (*known == name).then_some(names),
            None if names.iter().any(has_name) => None,
            None => {
                let individual = (sort.to_owned(), number);
                let is_taken = |number| {
                    let other = (sort.to_owned(), number);
                    self.mentioned.contains(&other) || names.iter().any(|(known, _)| *known == other)
                };
                if !self.mentioned.contains(&individual) && !(0..number).all(is_taken) {
                    return None;
                }
                names.push((individual, name));
                names.sort();
                Some(names)
            }
        }
    }

    /// The ways in which an action has these arguments.
    fn arguments(&self, action: &Term, args: &Value, names: Names) -> Vec<Names> {
        match (action, args) {
            (Term::Record { fields, .. }, Value::Object(args)) => self.fields(fields, args, names),
            (Term::Record { fields, .. }, Value::Array(args)) => {
                self.each(fields.iter().map(|(_, field)| field), args, names)
            }
            (Term::Tuple { fields, .. }, Value::Array(args)) => self.each(fields.iter(), args, names),
            (_, Value::Object(args)) if args.is_empty() => vec![names],
            (_, Value::Array(args)) if args.is_empty() => vec![names],
            _ => Vec::new(),
        }
    }

    fn fields(
        &self,
        fields: &[(&'static str, Term)],
        values: &Map<String, Value>,
        names: Names,
    ) -> Vec<Names> {
        values.iter().fold(vec![names], |ways, (name, value)| {
            let field = fields.iter().find(|(field, _)| spelled(field) == spelled(name));
            let Some((_, field)) = field else { return Vec::new() };
            ways.into_iter().flat_map(|names| self.is(field, value, names)).collect()
        })
    }

    fn each<'t>(
        &self,
        terms: impl ExactSizeIterator<Item = &'t Term>,
        values: &[Value],
        names: Names,
    ) -> Vec<Names> {
        if terms.len() != values.len() {
            return Vec::new();
        }
        terms.zip(values).fold(vec![names], |ways, (term, value)| {
            ways.into_iter().flat_map(|names| self.is(term, value, names)).collect()
        })
    }

    /// The ways in which a term is a value, under names that extend these.
    fn is(&self, term: &Term, value: &Value, names: Names) -> Vec<Names> {
        let only_if = |holds: bool, names: Names| if holds { vec![names] } else { Vec::new() };
        match (term, value) {
            (Term::Bool(term), Value::Bool(value)) => only_if(term == value, names),
            (Term::Number(term), Value::Number(value)) => only_if(
                value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)) == Some(*term),
                names,
            ),
            (Term::Number(term), Value::String(value)) => only_if(term.to_string() == *value, names),
            (Term::Char(term), Value::String(value)) => only_if(term.to_string() == *value, names),
            (Term::Text(term), Value::String(value)) => only_if(term == value, names),
            (Term::Individual { sort, number }, Value::String(name)) => {
                self.named(sort, *number, name.clone(), names).into_iter().collect()
            }
            (Term::Individual { sort, number }, Value::Number(name)) => {
                self.named(sort, *number, name.to_string(), names).into_iter().collect()
            }
            (Term::Tuple { name: "None", fields, is_variant: true }, value) if fields.is_empty() => {
                only_if(value.is_null() || *value == "None", names)
            }
            (Term::Tuple { name, fields, is_variant: true }, Value::String(value)) if fields.is_empty() => {
                only_if(spelled(name) == spelled(value), names)
            }
            (Term::Tuple { name, fields, is_variant: true }, Value::Object(value))
                if value.len() == 1 && value.contains_key(*name) =>
            {
                match (&fields[..], &value[*name]) {
                    ([field], value) => self.is(field, value, names),
                    (fields, Value::Array(values)) => self.each(fields.iter(), values, names),
                    _ => Vec::new(),
                }
            }
            // `Some(x)` may be written as `x`, and so may a type with one field.
            (Term::Tuple { name, fields, is_variant }, value)
                if fields.len() == 1 && (!is_variant || *name == "Some") =>
            {
                self.is(&fields[0], value, names)
            }
            (Term::Tuple { fields, is_variant: false, .. }, Value::Array(values)) => {
                self.each(fields.iter(), values, names)
            }
            (Term::Record { name, is_variant: true, fields }, Value::Object(value)) => match value.get(*name)
            {
                Some(Value::Object(values)) => self.fields(fields, values, names),
                _ => Vec::new(),
            },
            (Term::Record { is_variant: false, fields, .. }, Value::Object(values)) => {
                self.fields(fields, values, names)
            }
            (Term::Sequence(terms), Value::Array(values)) => self.each(terms.iter(), values, names),
            (Term::Set(terms), Value::Array(values)) => {
                self.in_any_order(&terms.iter().collect::<Vec<_>>(), values, names)
            }
            (Term::Bag(entries), Value::Array(values)) => {
                let terms: Vec<&Term> = entries
                    .iter()
                    .flat_map(|(term, count)| std::iter::repeat_n(term, *count as usize))
                    .collect();
                self.in_any_order(&terms, values, names)
            }
            (Term::Map(entries), value) => self.entries(entries, value, names),
            _ => Vec::new(),
        }
    }

    /// The ways in which values are these terms, each of them one.
    fn in_any_order(&self, terms: &[&Term], values: &[Value], names: Names) -> Vec<Names> {
        if terms.len() != values.len() {
            return Vec::new();
        }
        let Some((first, others)) = terms.split_first() else { return vec![names] };
        let mut all = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let rest = [&values[..at], &values[at + 1..]].concat();
            for names in self.is(first, value, names.clone()) {
                all.extend(self.in_any_order(others, &rest, names));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    fn entries(&self, entries: &[(Term, Term)], value: &Value, names: Names) -> Vec<Names> {
        let pairs: Vec<Value> = match value {
            Value::Object(values) => {
                let pair =
                    |(key, value): (&String, &Value)| Value::Array(vec![key.as_str().into(), value.clone()]);
                values.iter().map(pair).collect()
            }
            Value::Array(values) => values.clone(),
            _ => return Vec::new(),
        };
        let terms: Vec<Term> = entries
            .iter()
            .map(|(key, value)| Term::Tuple {
                name: "",
                is_variant: false,
                fields: vec![key.clone(), value.clone()],
            })
            .collect();
        self.in_any_order(&terms.iter().collect::<Vec<_>>(), &pairs, names)
    }
}

/// Adds the individuals of a term to a set.
fn mention(term: &Term, to: &mut BTreeSet<(String, u32)>) {
    match term {
        Term::Bool(_) | Term::Number(_) | Term::Char(_) | Term::Text(_) => {}
        Term::Individual { sort, number } => {
            to.insert((sort.clone(), *number));
        }
        Term::Tuple { fields, .. } | Term::Sequence(fields) | Term::Set(fields) => {
            for field in fields {
                mention(field, to);
            }
        }
        Term::Record { fields, .. } => fields.iter().for_each(|(_, field)| mention(field, to)),
        Term::Bag(entries) => entries.iter().for_each(|(entry, _)| mention(entry, to)),
        Term::Map(entries) => entries.iter().for_each(|(key, value)| {
            mention(key, to);
            mention(value, to);
        }),
    }
}
