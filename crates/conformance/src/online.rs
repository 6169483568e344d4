//! Tests that are made while they run.
//!
//! The test gives an input that every [possible state](crate::possible) allows, and compares what it is answered with
//! what some of them answer. Outputs are observed as they come. That none comes is an observation as well, once the
//! test has waited for a while: then no state remains that owes one (Tretmans, 2008: *quiescence*). So a run never does
//! what the model forbids, and an implementation that passes does what the model allows it to, as far as it was tried.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use bits::SplitMix64;
use quotient_model::{Model, Obstacle, Program, Role, Shape, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::possible::{Lost, Possible};
use crate::stepper::{Stepper, message, shown};

/// How inputs are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Strategy {
    /// One of those that were taken least so far. Inputs that differ in interchangeable individuals only, in states that
    /// do as well, count as one.
    #[default]
    Coverage,
    /// Any.
    Random,
    /// Any, where each run does without about half of the kinds of actions.
    Swarm,
}

/// Runs of an implementation beside its model, with inputs that are chosen on the way.
pub struct Online<M: Model> {
    program: Program<M>,
    strategy: Strategy,
    runs: usize,
    inputs: usize,
    seed: u64,
    patience: Duration,
    shorten: Duration,
    most: usize,
}

/// What online runs found out.
#[derive(Clone, Debug)]
#[must_use = "the result is to be looked at: `assert_conforms`"]
pub struct Trial<A> {
    /// The number of runs, the failing one included.
    pub runs: usize,
    /// The number of inputs.
    pub inputs: usize,
    /// The number of outputs that were observed.
    pub outputs: usize,
    /// The number of classes of steps that were taken: inputs in states, up to interchangeable individuals.
    pub classes: usize,
    /// The first run that failed.
    pub failure: Option<Deviation<A>>,
}

/// A run that the model does not allow, made as short as was possible.
#[derive(Clone, Debug)]
pub struct Deviation<A> {
    /// What happened.
    pub events: Vec<Event<A>>,
    /// What is wrong with the last of it.
    pub mismatch: Mismatch<A>,
    /// The number of inputs before the run was made shorter.
    pub inputs_at_first: usize,
    /// How many of how many repetitions failed. Less than all is a flaw that depends on more than inputs, such as time.
    pub rate: (usize, usize),
}

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum Event<A> {
    /// The test gave an input.
    Input {
        /// The input.
        action: A,
        /// What the implementation answered, unless it panicked.
        answer: Option<Term>,
    },
    /// An output of the implementation.
    Output(A),
    /// No output came while the test waited.
    Silence,
}

/// How a run differs from all runs of the model.
#[derive(Clone, Debug)]
pub enum Mismatch<A> {
    /// The answer to an input.
    Answer {
        /// The answers of the model, with several values where it gives several.
        allowed: Vec<Vec<Term>>,
    },
    /// An output that the model does not have there.
    Output {
        /// Those that it has.
        allowed: Vec<A>,
        /// Why it does not have this one, as far as it says that.
        obstacles: Vec<Obstacle>,
    },
    /// There should have been one of these outputs.
    Silence {
        /// The outputs of the model.
        allowed: Vec<A>,
    },
    /// The implementation panicked.
    Panic {
        /// The message.
        message: String,
    },
    /// No inputs are left that lead to a state in which a run may end.
    NoEnd,
    /// The run could not be followed by the model, so nothing is known.
    Lost(Lost),
}

/// What a run does next.
enum Next<A> {
    Input(A),
    Wait,
    End,
}

type Run<A> = (Vec<Event<A>>, Option<Mismatch<A>>);

impl<M: Model> Online<M> {
    /// At first: 100 runs of 50 inputs, chosen by [`Strategy::Coverage`].
    pub const fn new(program: Program<M>) -> Self {
        Self {
            program,
            strategy: Strategy::Coverage,
            runs: 100,
            inputs: 50,
            seed: 1,
            patience: Duration::from_millis(50),
            shorten: Duration::from_secs(10),
            most: 4096,
        }
    }

    /// How inputs are chosen.
    #[must_use]
    pub fn strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// The number of runs, and of inputs in each, without those that lead to its end.
    #[must_use]
    pub fn runs(self, runs: usize, inputs: usize) -> Self {
        Self { runs, inputs, ..self }
    }

    /// What random choices follow from.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// How long outputs are waited for. If none comes, the model must allow that.
    #[must_use]
    pub fn patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// How long a run that failed may be made shorter.
    #[must_use]
    pub fn shorten_for(self, shorten: Duration) -> Self {
        Self { shorten, ..self }
    }

    /// The greatest number of states of the model that may be possible at a time.
    #[must_use]
    pub fn most_possible(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Runs the implementation, up to the first run that the model does not allow, which is made shorter.
    pub fn run(&self, stepper: &mut impl Stepper<M>) -> Trial<M::Action> {
        let mut trial = Trial { runs: 0, inputs: 0, outputs: 0, classes: 0, failure: None };
        let mut taken: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        for number in 0..self.runs {
            let mut random = SplitMix64::stream(self.seed, number as u64);
            let left_out = self.left_out(&mut random);
            let mut left = self.inputs;
            let (events, mismatch) = self.attempt(stepper, |possible| {
                let outputs = possible.any(Role::Output)?;
                if !outputs.is_empty() && random.chance(50) {
                    return Ok(Next::Wait);
                }
                let mut inputs = possible.common(Role::Input)?;
                inputs.retain(|action| left_out >> (action.variant() % 64) & 1 == 0);
                if left == 0 || inputs.is_empty() {
                    return Ok(if outputs.is_empty() || left == 0 { Next::End } else { Next::Wait });
                }
                left -= 1;
                let class = |action: &M::Action| self.program.orbit_of_step(&possible.states()[0], action);
                let mut classes: Vec<(Vec<u64>, M::Action)> =
                    inputs.into_iter().map(|action| (class(&action), action)).collect();
                if self.strategy == Strategy::Coverage {
                    let times = |class: &Vec<u64>| taken.get(class).copied().unwrap_or_default();
                    let least = classes.iter().map(|(class, _)| times(class)).min();
                    classes.retain(|(class, _)| Some(times(class)) == least);
                }
                let at = random.below(classes.len());
                let (class, action) = classes.swap_remove(at);
                *taken.entry(class).or_default() += 1;
                Ok(Next::Input(action))
            });
            trial.count(&events);
            if let Some(mismatch) = mismatch {
                trial.failure = Some(self.shorter(stepper, events, mismatch));
                break;
            }
        }
        trial.classes = taken.len();
        trial
    }

    /// Runs the implementation as in a run that failed: gives the inputs, and waits where something was observed or awaited.
    /// Inputs that the model does not allow are left out.
    pub fn replay(&self, stepper: &mut impl Stepper<M>, events: &[Event<M::Action>]) -> Trial<M::Action> {
        let mut trial = Trial { runs: 0, inputs: 0, outputs: 0, classes: 0, failure: None };
        let (events, mismatch) = self.repeat(stepper, &acts_of(events));
        trial.count(&events);
        let inputs_at_first = inputs(&events);
        trial.failure =
            mismatch.map(|mismatch| Deviation { events, mismatch, inputs_at_first, rate: (1, 1) });
        trial
    }

    /// The kinds of actions that a run does without, as bits.
    fn left_out(&self, random: &mut SplitMix64) -> u64 {
        if self.strategy == Strategy::Swarm {
            random.next_u64() & random.next_u64().rotate_left(7)
        } else {
            0
        }
    }

    fn repeat(&self, stepper: &mut impl Stepper<M>, acts: &[Act<M::Action>]) -> Run<M::Action> {
        let mut left = acts.iter();
        self.attempt(stepper, |possible| {
            let is_owed = !possible.any(Role::Output)?.is_empty();
            let mut allowed = possible.common(Role::Input)?;
            allowed.extend(possible.common(Role::Cleanup)?);
            let next = left.find(|act| match act {
                Act::Input(action) => allowed.iter().any(|other| other.order(action).is_eq()),
                Act::Wait => is_owed,
            });
            Ok(match next {
                Some(Act::Input(action)) => Next::Input(action.clone()),
                Some(Act::Wait) => Next::Wait,
                None => Next::End,
            })
        })
    }

    /// One run: what happened, and what was wrong with it.
    fn attempt(
        &self,
        stepper: &mut impl Stepper<M>,
        mut next: impl FnMut(&Possible<'_, M>) -> Result<Next<M::Action>, Lost>,
    ) -> Run<M::Action> {
        let mut run = Attempt { online: self, stepper, events: Vec::new(), has_outputs: false };
        let end = run.go(&mut next);
        let mismatch = end.err().map(|stop| match stop {
            Stop::Mismatch(mismatch) => mismatch,
            Stop::Lost(lost) => Mismatch::Lost(lost),
        });
        (run.events, mismatch)
    }

    /// Makes a run that fails shorter. Every run that is tried is one that the model allows, since its inputs are given
    /// only where the model allows them, and answers are compared with those of the model.
    fn shorter(
        &self,
        stepper: &mut impl Stepper<M>,
        events: Vec<Event<M::Action>>,
        mismatch: Mismatch<M::Action>,
    ) -> Deviation<M::Action> {
        let inputs_at_first = inputs(&events);
        let mut best: Run<M::Action> = (events, Some(mismatch));
        if matches!(best.1, Some(Mismatch::Lost(_))) {
            let (events, mismatch) = best;
            let mismatch = mismatch.expect("it failed");
            return Deviation { events, mismatch, inputs_at_first, rate: (1, 1) };
        }
        let acts = acts_of(&best.0);
        let failures = (0..REPETITIONS).filter(|_| fails(&self.repeat(stepper, &acts))).count();
        // What fails now and then is tried more often.
        let tries = if failures == REPETITIONS { 1 } else { MORE_TRIES };
        let end = Instant::now() + self.shorten;
        let mut fail = |acts: &[Act<M::Action>]| {
            let tries = if failures > 0 && Instant::now() < end { tries } else { 0 };
            (0..tries).map(|_| self.repeat(&mut *stepper, acts)).find(fails)
        };
        if let Some(run) = self.shortest(&best.0).and_then(|acts| fail(&acts))
            && run.0.len() < best.0.len()
        {
            best = run;
        }
        let mut size = best.0.len().div_ceil(2);
        while size > 0 {
            let acts = acts_of(&best.0);
            let shorter = (0..acts.len()).step_by(size).find_map(|start| {
                let end = (start + size).min(acts.len());
                let run = fail(&[&acts[..start], &acts[end..]].concat())?;
                (run.0.len() < acts.len()).then_some(run)
            });
            match shorter {
                Some(run) => best = run,
                None => size /= 2,
            }
            size = size.min(best.0.len());
        }
        // A run that is more than twice as long as another one is not short. All runs of half the length are tried, if they are
        // not too many.
        let mut left = if tries == 1 { MOST_TRIED } else { 0 };
        while let Some(run) = self.among_all(&mut fail, best.0.len().saturating_sub(1) / 2, &mut left) {
            best = run;
        }
        let acts = acts_of(&best.0);
        let failed = (0..REPETITIONS).filter(|_| fails(&self.repeat(stepper, &acts))).count();
        let (events, mismatch) = best;
        let mismatch = mismatch.expect("it fails");
        Deviation { events, mismatch, inputs_at_first, rate: (failed, REPETITIONS) }
    }

    /// A run that fails among all of some length, for which at most `left` runs are tried.
    fn among_all(
        &self,
        fail: &mut impl FnMut(&[Act<M::Action>]) -> Option<Run<M::Action>>,
        len: usize,
        left: &mut usize,
    ) -> Option<Run<M::Action>> {
        let possible = Possible::new(&self.program, self.most).ok()?;
        let first = possible.states().first()?.clone();
        let mut open = vec![(Vec::new(), first)];
        while let Some((inputs, state)) = open.pop() {
            if inputs.len() == len {
                *left = left.checked_sub(1)?;
                if let Some(run) = fail(&inputs) {
                    return Some(run);
                }
                continue;
            }
            let before = open.len();
            let mut classes = Vec::new();
            for step in possible.moves(&state).ok()? {
                let class = self.program.orbit_of_step(&state, &step.action);
                let is_input = self.program.model().role(&step.action) == Role::Input;
                if is_input && !classes.contains(&class) {
                    classes.push(class);
                    open.push(([&inputs[..], &[Act::Input(step.action)]].concat(), step.to));
                }
            }
            // What goes no further was a part of others.
            if open.len() == before || open.len() > MOST_TRIED {
                *left = left.checked_sub(1)?;
            }
        }
        None
    }

    /// The shortest inputs of the model to the state before the last input of a run, and that input.
    fn shortest(&self, events: &[Event<M::Action>]) -> Option<Vec<Act<M::Action>>> {
        let (last, before) = events.split_last()?;
        let Event::Input { action: last, .. } = last else { return None };
        let mut possible = Possible::new(&self.program, self.most).ok()?;
        for event in before {
            let Event::Input { action, answer } = event else { return None };
            possible.observe(action, Some(answer.as_slice())).ok().filter(|&agrees| agrees)?;
        }
        let goal = possible.states().first()?;
        let mut met = Possible::new(&self.program, self.most).ok()?.states().to_vec();
        let mut ways: Vec<Option<(usize, M::Action)>> = met.iter().map(|_| None).collect();
        let mut known: FxHashSet<Term> = met.iter().map(Shape::term).collect();
        let mut at = 0;
        while at < met.len() && met.len() < MOST_SEARCHED {
            if met[at].order(goal).is_eq() {
                let mut inputs = vec![Act::Input(last.clone())];
                while let Some((from, action)) = &ways[at] {
                    inputs.push(Act::Input(action.clone()));
                    at = *from;
                }
                inputs.reverse();
                return Some(inputs);
            }
            for step in possible.moves(&met[at].clone()).ok()? {
                let is_input = self.program.model().role(&step.action) == Role::Input;
                if is_input && known.insert(step.to.term()) {
                    met.push(step.to);
                    ways.push(Some((at, step.action)));
                }
            }
            at += 1;
        }
        None
    }
}

/// How often a run that failed is repeated, to see whether it always fails.
const REPETITIONS: usize = 10;
/// How often each shorter run is tried where not all repetitions failed.
const MORE_TRIES: usize = 20;
/// The number of runs of half the length that are tried.
const MOST_TRIED: usize = 4000;
/// The number of states in which shortest runs are looked for.
const MOST_SEARCHED: usize = 20_000;
/// The number of inputs that may lead to the end of a run.
const MOST_CLEANUP: usize = 1000;

fn fails<A>((_, mismatch): &Run<A>) -> bool {
    mismatch.as_ref().is_some_and(|mismatch| !matches!(mismatch, Mismatch::Lost(_)))
}

fn inputs<A>(events: &[Event<A>]) -> usize {
    events.iter().filter(|event| matches!(event, Event::Input { .. })).count()
}

/// What a test does in a run.
#[derive(Clone)]
enum Act<A> {
    Input(A),
    /// It waits for an output.
    Wait,
}

fn acts_of<A: Clone>(events: &[Event<A>]) -> Vec<Act<A>> {
    let act = |event: &Event<A>| match event {
        Event::Input { action, .. } => Act::Input(action.clone()),
        Event::Output(_) | Event::Silence => Act::Wait,
    };
    events.iter().map(act).collect()
}

/// Why a run ends early.
enum Stop<A> {
    Mismatch(Mismatch<A>),
    Lost(Lost),
}

impl<A> From<Lost> for Stop<A> {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}

/// A run that goes on.
struct Attempt<'a, M: Model, S> {
    online: &'a Online<M>,
    stepper: &'a mut S,
    events: Vec<Event<M::Action>>,
    /// The model has had outputs in this run, so what comes is looked at.
    has_outputs: bool,
}

impl<M: Model, S: Stepper<M>> Attempt<'_, M, S> {
    fn go(
        &mut self,
        next: &mut impl FnMut(&Possible<'_, M>) -> Result<Next<M::Action>, Lost>,
    ) -> Result<(), Stop<M::Action>> {
        let mut possible = Possible::new(&self.online.program, self.online.most)?;
        self.guarded(Stepper::reset)?;
        loop {
            self.has_outputs |= !possible.any(Role::Output)?.is_empty();
            match next(&possible)? {
                Next::Input(action) => self.input(&mut possible, action)?,
                Next::Wait => {
                    self.wait(&mut possible)?;
                }
                Next::End => break,
            }
        }
        // What is still on its way, and what should not be.
        while !possible.any(Role::Output)?.is_empty() && self.wait(&mut possible)? {}
        self.clean_up(&mut possible)?;
        if self.has_outputs && !matches!(self.events.last(), Some(Event::Silence)) {
            self.wait(&mut possible)?;
        }
        Ok(())
    }

    fn input(&mut self, possible: &mut Possible<'_, M>, action: M::Action) -> Result<(), Stop<M::Action>> {
        let answer = match self.guarded(|stepper| stepper.act(&action)) {
            Ok(answer) => answer,
            Err(stop) => {
                self.events.push(Event::Input { action, answer: None });
                return Err(stop);
            }
        };
        let agrees = possible.observe(&action, Some(answer.as_slice()))?;
        let allowed = if agrees { Vec::new() } else { possible.answers(&action)? };
        self.events.push(Event::Input { action, answer });
        if agrees { Ok(()) } else { Err(Stop::Mismatch(Mismatch::Answer { allowed })) }
    }

    /// Waits for an output. Returns whether one came.
    fn wait(&mut self, possible: &mut Possible<'_, M>) -> Result<bool, Stop<M::Action>> {
        let patience = self.online.patience;
        let Some(output) = self.guarded(|stepper| stepper.observe(patience))? else {
            self.events.push(Event::Silence);
            if possible.observe_silence()? {
                return Ok(false);
            }
            return Err(Stop::Mismatch(Mismatch::Silence { allowed: possible.any(Role::Output)? }));
        };
        let agrees = possible.observe(&output, None)?;
        self.events.push(Event::Output(output.clone()));
        if agrees {
            return Ok(true);
        }
        let (allowed, obstacles) = (possible.any(Role::Output)?, possible.obstacles(&output));
        Err(Stop::Mismatch(Mismatch::Output { allowed, obstacles }))
    }

    /// Ends the run, by inputs that are there for it, in a state in which it may end.
    fn clean_up(&mut self, possible: &mut Possible<'_, M>) -> Result<(), Stop<M::Action>> {
        for _ in 0..MOST_CLEANUP {
            if possible.are_accepting() {
                return Ok(());
            }
            let Some(action) = possible.common(Role::Cleanup)?.into_iter().next() else { break };
            self.input(possible, action)?;
            while !possible.any(Role::Output)?.is_empty() && self.wait(possible)? {}
        }
        Err(Stop::Mismatch(Mismatch::NoEnd))
    }

    /// What the implementation does. A panic is a mismatch.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut S) -> T) -> Result<T, Stop<M::Action>> {
        let done = catch_unwind(AssertUnwindSafe(|| act(self.stepper)));
        done.map_err(|panic| Stop::Mismatch(Mismatch::Panic { message: message(&*panic) }))
    }
}

impl<A: Shape> fmt::Display for Deviation<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs = inputs(&self.events);
        write!(f, "a run of {inputs} inputs is not one of the model")?;
        if self.inputs_at_first > inputs {
            write!(f, " (made shorter from {})", self.inputs_at_first)?;
        }
        writeln!(f, ":")?;
        for (number, event) in self.events.iter().enumerate() {
            write!(f, "  {}. ", number + 1)?;
            match event {
                Event::Input { action, answer: None } => writeln!(f, "{}", action.term())?,
                Event::Input { action, answer: Some(answer) } => {
                    writeln!(f, "{} is answered `{answer}`", action.term())?;
                }
                Event::Output(action) => writeln!(f, "output {}", action.term())?,
                Event::Silence => writeln!(f, "no output")?,
            }
        }
        let list = |actions: &[A]| match actions {
            [] => "none".to_owned(),
            all => all.iter().map(|action| action.term().to_string()).collect::<Vec<_>>().join(", "),
        };
        match &self.mismatch {
            Mismatch::Answer { allowed } => {
                let allowed: Vec<_> = allowed.iter().map(|answers| shown(answers)).collect();
                write!(f, "the model answers {}", allowed.join(" or "))?;
            }
            Mismatch::Output { allowed, obstacles } => {
                write!(f, "the outputs of the model are: {}", list(allowed))?;
                for Obstacle { action, condition, place } in obstacles {
                    write!(f, "\n  {action}: `{condition}` is false, at {place}")?;
                }
            }
            Mismatch::Silence { allowed } => write!(f, "the model owes an output: {}", list(allowed))?,
            Mismatch::Panic { message } => write!(f, "the implementation panics: {message}")?,
            Mismatch::NoEnd => write!(f, "the run does not end in a state in which it may end")?,
            Mismatch::Lost(lost) => write!(f, "nothing is known: {lost}")?,
        }
        match self.rate {
            (failed, of) if failed < of => write!(f, "\nit failed in {failed} of {of} repetitions"),
            _ => Ok(()),
        }
    }
}

impl<A: Shape> Trial<A> {
    fn count(&mut self, events: &[Event<A>]) {
        self.runs += 1;
        self.inputs += inputs(events);
        self.outputs += events.iter().filter(|event| matches!(event, Event::Output(_))).count();
    }

    /// Whether all runs were runs of the model.
    pub const fn conforms(&self) -> bool {
        self.failure.is_none()
    }

    /// Fails if a run was not one of the model.
    #[track_caller]
    pub fn assert_conforms(&self) {
        if let Some(failure) = &self.failure {
            panic!("the implementation should conform to the model:\n{failure}");
        }
    }

    /// Fails if all runs were runs of the model. Returns the one that was not.
    #[track_caller]
    pub fn assert_diverges(&self) -> &Deviation<A> {
        self.failure.as_ref().unwrap_or_else(|| {
            panic!("the implementation should not conform: {} runs, {} inputs", self.runs, self.inputs)
        })
    }
}
