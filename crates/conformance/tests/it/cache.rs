//! The crate `lru` against a model of it, and nine variants with a fault each.

use std::num::NonZeroUsize;

use lru::LruCache;
use quotient_conformance::{Bindings, Coverage, Stepper, Suite};
use quotient_model::{Program, Rules, Seq, Shape, Symmetry, Term, model, sort};

sort! { pub struct Key; }

pub(crate) const CAPACITY: usize = 2;

/// The entries of a cache, the one that was used last first.
#[derive(Clone, Debug, Default, Shape)]
pub(crate) struct Recent {
    entries: Seq<(Key, u8)>,
}

#[model]
impl Recent {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action]
    fn put(&mut self, key: Key, #[from(0..2)] value: u8) -> Option<u8> {
        let old = self.take(key);
        self.entries.insert(0, (key, value));
        self.entries.truncate(CAPACITY);
        old
    }

    #[action]
    fn get(&mut self, key: Key) -> Option<u8> {
        let value = self.take(key)?;
        self.entries.insert(0, (key, value));
        Some(value)
    }

    #[action]
    fn peek(&mut self, key: Key) -> Option<u8> {
        self.entries.iter().find(|entry| entry.0 == key).map(|entry| entry.1)
    }

    #[action]
    fn pop(&mut self, key: Key) -> Option<u8> {
        self.take(key)
    }

    #[action]
    fn pop_lru(&mut self) -> Option<u8> {
        self.entries.pop().map(|entry| entry.1)
    }

    fn take(&mut self, key: Key) -> Option<u8> {
        let at = self.entries.iter().position(|entry| entry.0 == key)?;
        Some(self.entries.remove(at).1)
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Fault {
    GetDoesNotPromote,
    PeekPromotes,
    PutOfOldDoesNotPromote,
    PutOfOldKeepsTheValue,
    PutAnswersTheNewValue,
    PopLeavesTheEntry,
    PopsTheNewest,
    OneMoreFits,
    EvictsTheSecondOldest,
}

pub(crate) const FAULTS: [Fault; 9] = {
    use Fault::*;
    [
        GetDoesNotPromote,
        PeekPromotes,
        PutOfOldDoesNotPromote,
        PutOfOldKeepsTheValue,
        PutAnswersTheNewValue,
        PopLeavesTheEntry,
        PopsTheNewest,
        OneMoreFits,
        EvictsTheSecondOldest,
    ]
};

/// The cache, or one with a fault.
pub(crate) struct Cache {
    entries: LruCache<String, u8>,
    names: Bindings<Key, String>,
    fault: Option<Fault>,
}

impl Cache {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        let room = CAPACITY + usize::from(fault == Some(Fault::OneMoreFits));
        let entries = LruCache::new(NonZeroUsize::new(room).expect("it is not 0"));
        Self { entries, names: Bindings::new(), fault }
    }

    fn put(&mut self, key: String, value: u8) -> Option<u8> {
        let is_there = self.entries.contains(&key);
        match self.fault {
            Some(Fault::PutOfOldDoesNotPromote) if is_there => {
                self.entries.peek_mut(&key).map(|old| std::mem::replace(old, value))
            }
            Some(Fault::PutOfOldKeepsTheValue) if is_there => self.entries.get(&key).copied(),
            Some(Fault::PutAnswersTheNewValue) => self.entries.put(key, value).map(|_| value),
            Some(Fault::EvictsTheSecondOldest) if !is_there && self.entries.len() == CAPACITY => {
                let oldest = self.entries.pop_lru().expect("it is full");
                self.entries.pop_lru();
                self.entries.put(oldest.0, oldest.1);
                self.entries.put(key, value)
            }
            _ => self.entries.put(key, value),
        }
    }
}

impl Stepper<Rules<Recent>> for Cache {
    fn reset(&mut self) {
        *self = Self::new(self.fault);
    }

    fn act(&mut self, action: &RecentAction) -> Option<Term> {
        let mut name = |key: Key| self.names.handle_or(key, |number| format!("key {number}")).clone();
        let answer = match *action {
            RecentAction::Put { key, value } => {
                let name = name(key);
                self.put(name, value)
            }
            RecentAction::Get { key } if self.fault == Some(Fault::GetDoesNotPromote) => {
                self.entries.peek(&name(key)).copied()
            }
            RecentAction::Peek { key } if self.fault != Some(Fault::PeekPromotes) => {
                self.entries.peek(&name(key)).copied()
            }
            RecentAction::Get { key } | RecentAction::Peek { key } => self.entries.get(&name(key)).copied(),
            RecentAction::Pop { key } if self.fault == Some(Fault::PopLeavesTheEntry) => {
                self.entries.peek(&name(key)).copied()
            }
            RecentAction::Pop { key } => self.entries.pop(&name(key)),
            RecentAction::PopLru if self.fault == Some(Fault::PopsTheNewest) => {
                let newest = self.entries.iter().next().map(|(key, _)| key.clone());
                newest.and_then(|key| self.entries.pop(&key))
            }
            RecentAction::PopLru => self.entries.pop_lru().map(|(_, value)| value),
        };
        Some(answer.term())
    }
}

fn program() -> Program<Rules<Recent>> {
    Recent::program().sort::<Key>(4)
}

fn suite(coverage: Coverage, symmetry: Symmetry) -> Suite<Rules<Recent>> {
    Suite::new(&mut program(), coverage, symmetry, 1000).expect("there is one")
}

/// The faults that a suite finds.
fn found(suite: &Suite<Rules<Recent>>) -> Vec<Fault> {
    suite.run(&mut Cache::new(None)).assert_conforms();
    FAULTS.into_iter().filter(|&fault| !suite.run(&mut Cache::new(Some(fault))).conforms()).collect()
}

#[test]
fn states_and_steps_of_the_model() {
    let report = program().check().symmetry(Symmetry::None).assert_holds();
    assert_eq!((report.states, report.transitions), (57, 57 * 21));
    assert_eq!(program().check().assert_holds().states, 7);
}

/// A tour of all transitions takes each of 1,197, and finds a fault only if nothing hides it before it shows.
#[test]
fn tours() {
    let plain = suite(Coverage::Transitions { reset: 10 }, Symmetry::None);
    assert!(plain.tests.len() == 1 && plain.steps() >= 1197, "{}", plain.steps());
    let found = found(&plain);
    assert!(found.len() >= 7, "{found:?}");
    let classes = suite(Coverage::Transitions { reset: 10 }, Symmetry::Full);
    assert!(classes.steps() >= 92 && classes.steps() < 140, "{}", classes.steps());
}

/// With words that separate states after each step, all faults are found.
#[test]
fn probed_suites_find_all_faults() {
    let plain = suite(Coverage::Probed { extra_states: 0 }, Symmetry::None);
    let classes = suite(Coverage::Probed { extra_states: 0 }, Symmetry::Full);
    assert_eq!(found(&plain), FAULTS);
    assert_eq!(found(&classes), FAULTS);
    let sizes = [plain.tests.len(), plain.steps(), classes.tests.len(), classes.steps()];
    // With four interchangeable keys, a fifteenth.
    assert!(sizes[2] <= 312 && sizes[3] <= 1200 && sizes[0] > 10 * sizes[2], "{sizes:?}");
    assert!(classes.claim.contains("has at most 57 states; it treats interchangeable individuals alike"));
}

#[test]
fn a_failure_says_what_was_done() {
    let classes = suite(Coverage::Probed { extra_states: 0 }, Symmetry::Full);
    let conformance = classes.run(&mut Cache::new(Some(Fault::PutAnswersTheNewValue)));
    let divergence = conformance.assert_diverges();
    let last = divergence.actions.last().expect("an action");
    assert!(matches!(last, RecentAction::Put { .. }), "{divergence}");
    let text = divergence.to_string();
    assert!(
        text.contains("the model answers `Some(") && text.contains(", the implementation `Some("),
        "{text}"
    );
    // As a regression: the same actions by their texts, with answers from the model again.
    let texts: Vec<String> = divergence.actions.iter().map(|action| action.term().to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let again = Suite::of_texts(&program(), &texts).expect("it is a run");
    again.run(&mut Cache::new(None)).assert_conforms();
    assert!(!again.run(&mut Cache::new(Some(Fault::PutAnswersTheNewValue))).conforms());
    assert!(Suite::of_texts(&program(), &["Get { key: Key9 }"]).is_err());
}

/// Panics of an implementation are failures of it.
#[test]
fn panics_are_differences() {
    struct Panics(Cache);
    impl Stepper<Rules<Recent>> for Panics {
        fn reset(&mut self) {
            self.0.reset();
        }
        fn act(&mut self, action: &RecentAction) -> Option<Term> {
            assert!(!matches!(action, RecentAction::PopLru) || !self.0.entries.is_empty(), "nothing is left");
            self.0.act(action)
        }
    }
    let classes = suite(Coverage::Transitions { reset: 1 }, Symmetry::Full);
    let conformance = classes.run(&mut Panics(Cache::new(None)));
    let divergence = conformance.assert_diverges();
    assert_eq!(divergence.found, Err("nothing is left".to_owned()));
    assert!(
        divergence
            .to_string()
            .ends_with("the model answers `None`, the implementation panics: nothing is left")
    );
}

#[test]
fn suites_as_texts() {
    let suite = suite(Coverage::Transitions { reset: 10 }, Symmetry::Full);
    let json: serde_json::Value = serde_json::from_str(&suite.json()).expect("it is JSON");
    assert_eq!((&json["version"], &json["coverage"]), (&1.into(), &"transitions".into()));
    let steps = json["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| test["steps"].as_array().expect("steps").len());
    assert_eq!(steps.sum::<usize>(), suite.steps());
    let first = &json["tests"][0]["steps"][0];
    assert!(first["action"].is_object() || first["action"].is_string(), "{first}");
    assert_eq!(first["answers"], serde_json::json!([null]));
    let rust = suite.rust("conforms");
    assert_eq!(rust.matches("#[test]\nfn case_").count(), suite.tests.len());
    assert_eq!(rust.matches("\",\n").count(), suite.steps());
    assert!(rust.contains("conforms(&[\n        \"") && rust.ends_with("]);\n}\n"), "{rust}");
}
