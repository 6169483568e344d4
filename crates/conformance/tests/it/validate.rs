//! Logs: those of runs are accepted, under any names; others are rejected at the right line, with the reason.

use bits::SplitMix64;
use quotient_conformance::{Log, validate};
use quotient_model::{Program, Reached, Seq, Shape, Term, model, sort};
use testing::effort;

use crate::chat::{Client, Room};

#[path = "../../../model/examples/commit.rs"]
mod commit;

use commit::{Act, Manager, TwoPhase};

const MANAGERS: usize = 3;
const NAMES: [&str; MANAGERS] = ["east", "north", "west"];

fn two_phase() -> Program<TwoPhase> {
    Program::new(TwoPhase { hurries: false }).sort::<Manager>(MANAGERS as u32)
}

/// An event of a log: the name of an action, and of its manager, if that is known.
type Event = (&'static str, Option<usize>);

fn event(act: &Act) -> Event {
    let name = Act::VARIANTS[act.variant()];
    let manager = match act.term() {
        Term::Tuple { fields, .. } => fields.first().map(|field| match field {
            Term::Individual { number, .. } => *number as usize,
            other => panic!("{other} is a manager"),
        }),
        other => panic!("{other} has its arguments in order"),
    };
    (name, manager)
}

fn log(events: &[Event], names: &[usize]) -> String {
    let line = |(name, manager): &Event| match manager {
        Some(manager) => format!(r#"{{"event": "{name}", "args": ["{}"]}}"#, NAMES[names[*manager]]),
        None => format!(r#"{{"event": "{name}"}}"#),
    };
    events.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The greatest number of events that a run begins with, where the managers may be any.
fn by_all_names(program: &Program<TwoPhase>, events: &[Event]) -> usize {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let follow = |order: [usize; MANAGERS]| {
        let mut states = program.initial_states().expect("there are some");
        for (count, &(name, manager)) in events.iter().enumerate() {
            let wanted = manager.map(|manager| order[manager]);
            let mut next: Vec<_> = Vec::new();
            for state in &states {
                for step in program.successors(state).expect("they can be found") {
                    let (other, manager) = event(&step.action);
                    let Reached::State(to) = step.result else { panic!("all steps lead somewhere") };
                    if other == name && (wanted.is_none() || manager == wanted) {
                        next.push(to);
                    }
                }
            }
            if next.is_empty() {
                return count;
            }
            states = next;
        }
        events.len()
    };
    orders.into_iter().map(follow).max().expect("there are some")
}

/// Random runs under random names, some with an event that was changed, some without the names of managers.
#[test]
fn logs_of_two_phase_commit() {
    let (program, mut random) = (two_phase(), SplitMix64::new(3));
    let (mut accepted, mut rejected) = (0, 0);
    for _ in 0..effort(150) {
        let mut state = program.initial_states().expect("there is one").remove(0);
        let mut events = Vec::new();
        for _ in 0..=random.below(9) {
            let mut steps = program.successors(&state).expect("they can be found");
            if steps.is_empty() {
                break;
            }
            let step = steps.swap_remove(random.below(steps.len()));
            events.push(event(&step.action));
            let Reached::State(next) = step.result else { panic!("all steps lead somewhere") };
            state = next;
        }
        let is_changed = random.chance(60);
        if is_changed {
            let at = random.below(events.len());
            let name = *random.pick(Act::VARIANTS);
            let manager = !matches!(name, "Commit" | "Abort");
            events[at] = (name, manager.then(|| random.below(MANAGERS)));
        }
        for event in &mut events {
            if random.chance(10) {
                event.1 = None;
            }
        }
        let names: Vec<usize> = random.permutation(MANAGERS).into_iter().map(|name| name as usize).collect();
        let log = Log::parse(&log(&events, &names)).expect("it is a log");
        let found = validate(&program, &log, 10_000).expect("it can be followed");
        let wanted = by_all_names(&program, &events);
        assert_eq!(found.accepted, wanted, "{events:?}");
        assert_eq!(found.is_accepted(), wanted == events.len());
        match &found.rejected {
            Some(failure) => {
                assert_eq!((failure.line, failure.states.is_empty()), (wanted + 1, false));
                rejected += 1;
            }
            None => accepted += 1,
        }
        assert!(is_changed || found.is_accepted(), "{events:?}");
    }
    assert!(accepted > 20 && rejected > 20, "{accepted} {rejected}");
}

/// The log of a chat, with names of its own, and with two messages in the wrong order.
#[test]
fn logs_of_a_chat() {
    let lines = [
        r#"{"event": "join", "args": {"client": "ann"}}"#,
        r#"{"event": "join", "args": {"client": "bob"}}"#,
        r#"{"event": "say", "args": {"from": "ann", "text": 1}, "time": 17}"#,
        "",
        r#"{"event": "say", "args": {"from": "ann", "text": 2}}"#,
        r#"{"event": "hear", "args": {"to": "bob", "from": "ann", "text": 1}}"#,
        r#"{"event": "hear", "args": {"to": "bob", "text": 2}}"#,
        r#"{"event": "leave", "args": {"client": "ann"}}"#,
    ];
    let program = Room::program().sort::<Client>(3);
    let found = validate(&program, &Log::parse(&lines.join("\n")).expect("it is a log"), 100)
        .expect("it can be followed");
    found.assert_accepted();
    // Clients that nobody has mentioned are all alike.
    assert_eq!((found.accepted, found.most_possible), (7, 1));
    let mut swapped = lines;
    swapped.swap(5, 6);
    let found = validate(&program, &Log::parse(&swapped.join("\n")).expect("it is a log"), 100)
        .expect("it can be followed");
    let rejected = found.assert_rejected();
    assert_eq!((rejected.line, found.accepted), (6, 4));
    let text = rejected.to_string();
    assert!(text.contains("line 6 is not what the model does: {\"event\": \"hear\""), "{text}");
    assert!(text.contains("possible are") && text.contains("text: 1"), "{text}");
    let somebody_else = r#"{"event": "leave", "args": {"client": "eve"}}"#;
    let found = validate(&program, &Log::parse(somebody_else).expect("it is a log"), 100)
        .expect("it can be followed");
    let text = found.assert_rejected().to_string();
    assert!(text.contains("possible are Join { client: Client0 }"), "{text}");
    let unknown = r#"{"event": "shout"}"#;
    let found =
        validate(&program, &Log::parse(unknown).expect("it is a log"), 100).expect("it can be followed");
    let text = found.assert_rejected().to_string();
    assert!(text.contains("the model has no action shout: it has Join, Say, Hear, Leave"), "{text}");
}

sort! { struct Job; }

/// Jobs that are taken from a queue out of sight.
#[derive(Clone, Debug, Default, Shape)]
struct Work {
    waiting: Seq<Job>,
    taken: Seq<Job>,
}

#[model]
impl Work {
    #[initial]
    fn none() -> Self {
        Self::default()
    }

    #[action(when = !self.waiting.contains(&job) && !self.taken.contains(&job))]
    fn submit(&mut self, job: Job) -> u8 {
        self.waiting.push(job);
        self.waiting.len() as u8
    }

    #[action(kind = hidden, when = !self.waiting.is_empty())]
    fn take(&mut self) {
        self.taken.push(self.waiting.remove(0));
    }

    #[action(when = self.taken.contains(&job))]
    fn finish(&mut self, job: Job) -> Option<Job> {
        let at = self.taken.iter().position(|other| *other == job).expect("it was taken");
        self.taken.remove(at);
        self.taken.first().copied()
    }

    #[action(when = !self.taken.is_empty())]
    fn pause(&mut self) {}

    #[view]
    fn busy(&self) -> usize {
        self.taken.len()
    }
}

/// Hidden actions happen in between; answers and views of states say whether they have.
#[test]
fn what_is_hidden_is_found_out() {
    let accepts = |lines: &[&str]| {
        let program = Work::program().sort::<Job>(3);
        let log = Log::parse(&lines.join("\n")).expect("it is a log");
        validate(&program, &log, 1000).expect("it can be followed")
    };
    let (a, b) = (r#"{"event": "submit", "args": ["a"]}"#, r#"{"event": "submit", "args": ["b"]}"#);
    accepts(&[a, b, r#"{"event": "finish", "args": ["a"]}"#]).assert_accepted();
    accepts(&[a, b, r#"{"event": "finish", "args": ["b"], "answer": "a"}"#]).assert_accepted();
    let found = accepts(&[a, b, r#"{"event": "finish", "args": ["b"], "answer": null}"#]);
    let text = found.assert_rejected().to_string();
    assert!(text.contains("answers `Some("), "{text}");
    let busy =
        |count: usize| format!(r#"{{"event": "finish", "args": ["a"], "state": {{"busy": {count}}}}}"#);
    accepts(&[a, b, &busy(0)]).assert_accepted();
    accepts(&[a, b, &busy(1)]).assert_accepted();
    let text = accepts(&[a, b, &busy(2)]).assert_rejected().to_string();
    assert!(text.contains("busy is `0`") && text.contains("busy is `1`"), "{text}");
    let text = accepts(&[r#"{"event": "pause"}"#]).assert_rejected().to_string();
    assert!(text.contains("`!self.taken.is_empty()` is false, at "), "{text}");
    accepts(&[a, r#"{"event": "pause"}"#]).assert_accepted();
    // Nobody sees it, so a log that has it is of another system.
    assert!(!accepts(&[a, r#"{"event": "take"}"#]).is_accepted());
    // The second answer says that the first job was taken before.
    accepts(&[a, r#"{"event": "submit", "args": ["b"], "answer": 1}"#]).assert_accepted();
    assert!(!accepts(&[r#"{"event": "submit", "args": ["b"], "answer": 2}"#]).is_accepted());
}

#[test]
fn texts_that_are_no_logs() {
    for (text, line, message) in [
        ("{\"event\": \"a\"}\n{", 2, "it is not JSON"),
        ("[]", 1, "it is not an object"),
        ("{\"event\": 3}", 1, "it has no text `event`"),
        ("{\"event\": \"a\", \"args\": 3}", 1, "`args` is neither"),
        ("{\"event\": \"a\", \"state\": []}", 1, "`state` is not an object"),
    ] {
        let error = Log::parse(text).expect_err("it is none");
        assert!(error.line == line && error.message.starts_with(message), "{error}");
    }
    assert!(Log::parse("\n \n").is_ok_and(|log| log.is_empty()));
}
