//! Temporal properties: formulas over propositions, compiled when the program is made, and what a search for
//! cycles asks about states and threads.
//!
//! A formula about each individual is checked for one individual after the other. That one is *pinned*: it
//! keeps its number and is told apart from the others, which stay interchangeable. Two individuals for which
//! the initial states are isomorphic need only one check.

use std::any::TypeId;
use std::sync::atomic::Ordering::Relaxed;

use ltl::parse::Names;
use ltl::{Automaton, Formula, Limits, Prop, smallest};
use search::emptiness::Fairness;
use system::{Encoding, Halt, Temporal};

use crate::live::Live;
use crate::mentions::Mentions;
use crate::panics::caught;
use crate::processes::Thread;
use crate::properties::{Proposition, Written};
use crate::words::{Scratch, plain};
use crate::{Cx, Index, Model, Program, Properties, Sorts};

/// The formulas of a model.
#[derive(Default, Debug)]
pub(crate) struct Formulas {
    pub all: Vec<Compiled>,
    /// The variants of actions that are fair.
    pub weakly: Vec<u32>,
    pub strongly: Vec<u32>,
    /// What is wrong with properties.
    pub errors: Vec<String>,
}

/// A formula that can be checked.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub name: String,
    pub text: String,
    pub each: Option<TypeId>,
    pub formula: Formula,
    /// By proposition of the formula: its number among those of the model.
    pub propositions: Vec<usize>,
    /// It was asked for by one check only.
    pub extra: bool,
}

/// What a search for cycles is about.
#[derive(Clone, Default, Debug)]
pub(crate) struct Focus {
    /// By bit of a valuation: the number of a proposition.
    pub propositions: Vec<usize>,
    /// The individual that the formula is about: its sort and number.
    pub pinned: Option<(usize, u32)>,
    /// Only fair runs count.
    pub is_fair: bool,
}

impl Formulas {
    pub fn new<S>(properties: &Properties<S>, sorts: &Sorts, variants: &[&str]) -> Self {
        let mut formulas = Self::default();
        for written in &properties.formulas {
            match Compiled::new(properties, written) {
                Ok(compiled) => formulas.all.push(compiled),
                Err(error) => formulas.errors.push(error),
            }
            if let Some((each, name)) = written.each {
                let sort = sorts.find(each).map(|number| &sorts.all[number]);
                if sort.is_none_or(|sort| sort.dynamic) {
                    formulas.errors.push(format!(
                        "`{}` is about each {name}, but {name} is {}: this needs a sort whose individuals exist \
                         from the beginning",
                        written.name,
                        if sort.is_none() { "not mentioned by any value of the state" } else { "dynamic" },
                    ));
                }
            }
        }
        for (variant, fairness) in &properties.fair {
            let Some(number) = variants.iter().position(|other| other == variant) else {
                let all = variants.join(", ");
                formulas.errors.push(format!("there is no action `{variant}` to be fair; there are {all}"));
                continue;
            };
            let list =
                if *fairness == Fairness::Weak { &mut formulas.weakly } else { &mut formulas.strongly };
            list.push(number as u32);
        }
        let mut names: Vec<&str> = properties.formulas.iter().map(|written| written.name.as_str()).collect();
        names.sort_unstable();
        let pairs = names.iter().zip(names.iter().skip(1));
        for (name, _) in pairs.filter(|(one, other)| one == other) {
            formulas.errors.push(format!("two formulas are called `{name}`"));
        }
        formulas
    }
}

impl Compiled {
    pub fn new<S>(properties: &Properties<S>, written: &Written) -> Result<Self, String> {
        let Written { name, text, scope, each } = written;
        let mut names = Names::default();
        let formula = ltl::parse::parse(text, &mut names).map_err(|error| {
            let marks = " ".repeat(text[..error.at.start].chars().count()) + "^";
            let help = error.help.map_or_else(String::new, |help| format!("\n  help: {help}"));
            format!("the formula `{name}` cannot be read: {}\n  {text}\n  {marks}{help}", error.message)
        })?;
        let each = each.map(|(sort, _)| sort);
        let find = |wanted: &String| {
            let wanted = &if scope.is_empty() { wanted.clone() } else { format!("{scope}_{wanted}") };
            let number = properties.propositions.iter().position(|(other, _)| other == wanted);
            let Some(number) = number else {
                let all: Vec<&str> = properties.propositions.iter().map(|(name, _)| name.as_str()).collect();
                return Err(format!(
                    "the formula `{name}` names `{wanted}`, which is no proposition; there are {}",
                    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
                ));
            };
            match &properties.propositions[number].1 {
                Proposition::OfIndividual(sort, _) if each != Some(*sort) => Err(format!(
                    "the formula `{name}` names `{wanted}`, which is about individuals: use `forall`"
                )),
                _ => Ok(number),
            }
        };
        let propositions = names.all().iter().map(find).collect::<Result<Vec<usize>, String>>()?;
        if propositions.len() > Prop::LIMIT as usize {
            return Err(format!("the formula `{name}` has more than {} propositions", Prop::LIMIT));
        }
        Ok(Self { name: name.clone(), text: text.clone(), each, formula, propositions, extra: false })
    }

    /// The runs that violate the formula.
    pub fn violations(&self) -> Result<Automaton, String> {
        smallest::generalized(&self.formula.negated(), Limits::default())
            .map_err(|_| format!("the automaton of the formula `{}` is too large", self.name))
    }
}

impl<M: Model> Program<M> {
    /// Whether propositions hold in a state, by bit.
    pub(crate) fn valuation_of(&self, value: &M::State, focus: &Focus) -> Result<u64, Halt> {
        let cx = Cx::new(&self.sorts);
        let holds = |number: usize| match &self.properties.propositions[number].1 {
            Proposition::OfState(holds) => holds(&cx, value),
            Proposition::OfIndividual(_, holds) => {
                focus.pinned.is_some_and(|(_, individual)| holds(&cx, value, Index(individual)))
            }
        };
        let all = caught(|| {
            let bits = focus.propositions.iter().zip(0..);
            bits.fold(0, |all, (&number, bit)| all | u64::from(holds(number)) << bit)
        });
        all.map_err(|panicked| Halt::Fault(self.panicked(&panicked)))
    }

    /// The individuals of a sort for which a formula must be checked: one of those for which the initial
    /// states are isomorphic.
    pub(crate) fn representatives(&self, sort: usize, count: u32) -> Result<Vec<u32>, String> {
        if !self.sorts.all[sort].symmetric {
            return Ok((0..count).collect());
        }
        let values = self.initial_values()?;
        let mut seen: Vec<(u32, Vec<Vec<u64>>)> = Vec::new();
        let mut found = Vec::new();
        for individual in 0..count {
            let first = self.sorts.all[sort].class(individual);
            let mut encodings: Vec<Vec<u64>> = values
                .iter()
                .map(|value| {
                    let mut encoding = Encoding::new();
                    self.write_pinned(value, (first, individual), sort, &mut encoding);
                    let (head, words) = encoding.flat();
                    head.iter().chain(words).copied().collect()
                })
                .collect();
            encodings.sort();
            let form = (first, encodings);
            if !seen.contains(&form) {
                seen.push(form);
                found.push(individual);
            }
        }
        self.namer.borrow_mut().pinned = None;
        Ok(found)
    }

    /// The canonical form of a value with a pinned individual, as if that were the first one of its class.
    fn write_pinned(
        &self,
        value: &M::State,
        (first, individual): (u32, u32),
        sort: usize,
        into: &mut Encoding,
    ) {
        self.namer.borrow_mut().pinned = Some((sort, first));
        if individual == first {
            return self.write(value, into);
        }
        let mut names = vec![Vec::new(); self.sorts.all.len()];
        names[sort] = (0..=individual).collect();
        names[sort].swap(first as usize, individual as usize);
        let renamed = crate::words::renamed(&self.sorts, &names, value);
        self.write(&renamed, into);
    }
}

impl<M: Model> Temporal for Program<M> {
    fn valuation(&self, live: &mut Live<M::State, M::Action>) -> Result<u64, Halt> {
        live.value().map_or(Ok(0), |value| self.valuation_of(value, &self.focus))
    }

    /// Before one of several initial states was chosen, there is nothing to observe.
    fn is_observed(&self, live: &Live<M::State, M::Action>) -> bool {
        live.value().is_some()
    }

    fn thread_names(&self, live: &mut Live<M::State, M::Action>, out: &mut Vec<u32>) -> bool {
        out.clear();
        let processes = self.processes.borrow();
        let is_renamed = self.is_named() && processes.has_individuals();
        let mentions = live.value().map(|value| Mentions::of(&self.sorts, value));
        let mut namer = self.namer.borrow_mut();
        let names = live.value().filter(|_| is_renamed).map(|value| namer.names(&self.sorts, value));
        if processes.outgrown(&self.sorts, mentions.as_ref()) {
            self.notes.borrow_mut().too_many_objects = true;
            self.interrupt.store(true, Relaxed);
        }
        for (thread, number) in processes.threads().zip(0..) {
            out.push(match thread {
                Thread::One => number,
                Thread::Individual { sort, index, first } => {
                    let exists = !self.sorts.all[sort].dynamic
                        || mentions.as_ref().is_some_and(|mentions| mentions.has(sort, index));
                    let name = names.and_then(|names| names[sort].get(index as usize).copied());
                    if exists { first + name.unwrap_or(index) } else { u32::MAX }
                }
            });
        }
        is_renamed
    }

    fn identity(&self, live: &mut Live<M::State, M::Action>) -> Option<Vec<u64>> {
        let value = live.value().filter(|_| self.is_named());
        value.map(|value| plain(&self.sorts, value, &mut Scratch::default()).to_vec())
    }
}
