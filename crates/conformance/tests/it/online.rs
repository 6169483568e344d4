//! Runs beside a model: what they find, and what is shown of it.

use std::collections::BTreeSet;

use bits::SplitMix64;
use quotient_conformance::{Event, Mismatch, Online, Stepper, Strategy};
use quotient_model::{Doing, Program, Shape, Term, model};
use testing::effort;

use crate::cache::{Cache, FAULTS, Recent, RecentAction};
use crate::suites::{Input, Runs, Table};

/// With more keys than a suite could cover.
#[test]
fn faults_of_a_cache_are_found() {
    for strategy in [Strategy::Coverage, Strategy::Random, Strategy::Swarm] {
        let online = Online::new(Recent::program().sort::<crate::cache::Key>(12)).strategy(strategy);
        let trial = online.run(&mut Cache::new(None));
        trial.assert_conforms();
        assert_eq!((trial.runs, trial.inputs > 2000, trial.outputs), (100, true, 0), "{strategy:?}");
        for fault in FAULTS {
            let trial = online.run(&mut Cache::new(Some(fault)));
            let failure = trial.assert_diverges();
            assert!(
                matches!(failure.mismatch, Mismatch::Answer { .. }) && failure.rate == (10, 10),
                "{failure}"
            );
            // No fault needs more than to fill the cache, to do the wrong thing, and to look.
            assert!(failure.events.len() <= 6, "{fault:?}: {failure}");
            // As a regression.
            assert!(!online.replay(&mut Cache::new(Some(fault)), &failure.events).conforms());
            online.replay(&mut Cache::new(None), &failure.events).assert_conforms();
        }
    }
}

#[test]
fn panics_are_shown() {
    struct Panics(Cache);
    impl Stepper<quotient_model::Rules<Recent>> for Panics {
        fn reset(&mut self) {
            self.0.reset();
        }
        fn act(&mut self, action: &RecentAction) -> Option<Term> {
            assert!(!matches!(action, RecentAction::PopLru), "not written yet");
            self.0.act(action)
        }
    }
    let online = Online::new(Recent::program().sort::<crate::cache::Key>(4));
    let trial = online.run(&mut Panics(Cache::new(None)));
    let failure = trial.assert_diverges();
    assert!(matches!(failure.events[..], [Event::Input { action: RecentAction::PopLru, answer: None }]));
    assert!(failure.to_string().ends_with("the implementation panics: not written yet"), "{failure}");
}

/// The length of a shortest run of the model that a machine answers otherwise.
fn shortest(model: &Table, faulty: &Table) -> usize {
    let (mut level, mut seen) = (vec![(0, 0)], BTreeSet::from([(0, 0)]));
    for length in 1.. {
        let mut next = Vec::new();
        for (mine, theirs) in level {
            for input in model.inputs() {
                let Some(wanted) = model.step(theirs, input) else { continue };
                match faulty.step(mine, input) {
                    Some(found) if found.0 == wanted.0 => {
                        if seen.insert((found.1, wanted.1)) {
                            next.push((found.1, wanted.1));
                        }
                    }
                    _ => return length,
                }
            }
        }
        assert!(!next.is_empty(), "they differ");
        level = next;
    }
    unreachable!()
}

/// Random machines with a random fault: a machine that answers like the model is never blamed; what is blamed is a run
/// of the model up to its last answer, and not much longer than it has to be.
#[test]
fn failures_of_random_machines_are_runs_of_the_model() {
    let mut random = SplitMix64::new(7);
    let (mut failures, mut missed, mut equal) = (0, 0, 0);
    for _ in 0..effort(300) {
        let (states, inputs) = (2 + random.below(7), 1 + random.below(4));
        let model = Table::random(&mut random, states, inputs, 2, false);
        let mut faulty = model.clone();
        let at = random.below(faulty.steps.len());
        faulty.steps[at] = Some((random.below(2) as u8, random.below(states) as u8));
        let online = Online::new(Program::new(model.clone())).runs(40, 25).seed(random.next_u64());
        let trial = online.run(&mut Runs { table: faulty.clone(), at: 0 });
        let Some(failure) = &trial.failure else {
            if faulty.answers_like(&model) {
                equal += 1;
            } else {
                missed += 1;
            }
            continue;
        };
        failures += 1;
        let (mut mine, mut theirs) = (0, 0);
        for (number, event) in failure.events.iter().enumerate() {
            let Event::Input { action, answer } = event else { panic!("there are no outputs") };
            let (wanted, next) = model.step(theirs, *action).expect("the model allows it");
            let found = faulty.step(mine, *action);
            let is_last = number + 1 == failure.events.len();
            assert_eq!(found.map(|(answer, _)| answer) == Some(wanted), !is_last, "{failure}");
            assert_eq!(answer.clone(), found.map(|(answer, _)| quotient_model::Shape::term(&answer)));
            theirs = next;
            mine = found.map_or(0, |(_, next)| next);
        }
        assert!(failure.events.len() <= 2 * shortest(&model, &faulty), "{failure}\n{model:?}\n{faulty:?}");
    }
    assert!(failures > 20 && equal > 20 && missed * 20 < failures, "{failures} {missed} {equal}");
}

/// A door that is locked or not when it was closed, which nobody can see.
#[derive(Clone, Copy, PartialEq, Debug, Default, Shape)]
enum Door {
    #[default]
    Open,
    Closed {
        is_locked: bool,
    },
}

#[model]
impl Door {
    #[initial]
    fn open() -> Self {
        Self::default()
    }

    #[action(when = *self == Self::Open)]
    fn close(&mut self, doing: &mut Doing<'_>) {
        if let Some(is_locked) = doing.choose([false, true]) {
            *self = Self::Closed { is_locked };
        }
    }

    #[action(when = *self == (Self::Closed { is_locked: false }))]
    fn push(&mut self) {
        *self = Self::Open;
    }

    /// Whether it opened.
    #[action(when = *self != Self::Open)]
    fn knock(&mut self) -> bool {
        let opens = *self == Self::Closed { is_locked: false };
        if opens {
            *self = Self::Open;
        }
        opens
    }
}

struct Locks(Door, SplitMix64);

impl Stepper<quotient_model::Rules<Door>> for Locks {
    fn reset(&mut self) {
        self.0 = Door::Open;
    }
    fn act(&mut self, action: &DoorAction) -> Option<Term> {
        match action {
            DoorAction::Close => {
                self.0 = Door::Closed { is_locked: self.1.chance(50) };
                None
            }
            DoorAction::Push => panic!("it may be locked"),
            DoorAction::Knock => {
                let opens = self.0 == Door::Closed { is_locked: false };
                self.0 = if opens { Door::Open } else { self.0 };
                Some(opens.term())
            }
        }
    }
}

/// An input is given only if it is possible whatever the implementation has decided.
#[test]
fn inputs_that_may_be_impossible_are_not_given() {
    let trial = Online::new(Door::program()).run(&mut Locks(Door::Open, SplitMix64::new(1)));
    trial.assert_conforms();
    assert!(trial.inputs > 2000, "{}", trial.inputs);
}

/// A machine that answers wrongly now and then.
struct Moody {
    right: Runs,
    random: SplitMix64,
}

impl Stepper<Table> for Moody {
    fn reset(&mut self) {
        self.right.reset();
    }
    fn act(&mut self, input: &Input) -> Option<Term> {
        let answer = self.right.act(input);
        if self.random.chance(5) { None } else { answer }
    }
}

#[test]
fn what_fails_now_and_then_says_so() {
    let model = Table::random(&mut SplitMix64::new(3), 4, 2, 0, false);
    let right = Runs { table: model.clone(), at: 0 };
    let trial = Online::new(Program::new(model)).run(&mut Moody { right, random: SplitMix64::new(5) });
    let failure = trial.assert_diverges();
    assert!(failure.rate.0 < failure.rate.1, "{failure}");
    assert!(failure.to_string().contains(" of 10 repetitions"), "{failure}");
}
