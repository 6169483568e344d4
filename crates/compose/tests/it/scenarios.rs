//! Scenarios against their meaning, on random expressions and all short words; what is wrong with texts; trails.

use bits::SplitMix64;
use quotient_compose::{Follow, Scenario};
use quotient_model::{Cx, Doing, Kind, Model, Program, Reached, Rules, Shape, Symmetry, Verdict};

#[path = "../../../model/examples/chat.rs"]
mod chat;
#[path = "../../../model/examples/client_server.rs"]
mod client_server;

/// Anything, at any time.
struct Free;

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum Letter {
    A,
    B,
    See { colour: Colour, number: i8 },
}

#[derive(Clone, Copy, PartialEq, Debug, Shape)]
enum Colour {
    Red,
    Mixed(u8, bool),
}

const LETTERS: [Letter; 4] = [
    Letter::A,
    Letter::B,
    Letter::See { colour: Colour::Red, number: -1 },
    Letter::See { colour: Colour::Mixed(2, true), number: 5 },
];

impl Model for Free {
    type State = ();
    type Action = Letter;
    fn initial(&self, _: &Cx<'_>, out: &mut Vec<()>) {
        out.push(());
    }
    fn actions(&self, _: &Cx<'_>, (): &(), out: &mut Vec<Letter>) {
        out.extend(LETTERS);
    }
    fn apply(&self, _: &mut Doing<'_>, (): &mut (), _: &Letter) {}
}

/// A scenario, and what it means.
#[derive(Clone, Debug)]
enum Meaning {
    /// A pattern, with the letters that are like it.
    One(&'static str, &'static [usize]),
    Then(Box<Meaning>, Box<Meaning>),
    Or(Box<Meaning>, Box<Meaning>),
    And(Box<Meaning>, Box<Meaning>),
    Times(Box<Meaning>, usize, Option<usize>),
    Anything,
}

const PATTERNS: [(&str, &[usize]); 10] = [
    ("a", &[0]),
    ("B", &[1]),
    ("see", &[2, 3]),
    ("_", &[0, 1, 2, 3]),
    ("!a", &[1, 2, 3]),
    ("!!b", &[1]),
    ("see(Red, _)", &[2]),
    ("see(number: 5)", &[3]),
    ("see(_, -1)", &[2]),
    ("see(colour: Mixed(2, true))", &[3]),
];

impl Meaning {
    fn random(random: &mut SplitMix64, size: usize) -> Self {
        if size <= 1 {
            let (text, letters) = *random.pick(&PATTERNS);
            return if random.below(12) == 0 { Self::Anything } else { Self::One(text, letters) };
        }
        let half = random.between(1, size as i64 - 1) as usize;
        let mut part = |size| Box::new(Self::random(random, size));
        let (one, other) = (part(half), part(size - half));
        match random.below(6) {
            0 | 1 => Self::Then(one, other),
            2 => Self::Or(one, other),
            3 => Self::And(one, other),
            _ => {
                let least = random.below(3);
                let most = (random.below(3) > 0).then(|| least + random.below(3));
                Self::Times(one, least, most)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::One(text, _) => (*text).to_owned(),
            Self::Then(one, other) => format!("({}; {})", one.text(), other.text()),
            Self::Or(one, other) => format!("({} | {})", one.text(), other.text()),
            Self::And(one, other) => format!("({} & {})", one.text(), other.text()),
            Self::Times(one, 0, None) => format!("({})*", one.text()),
            Self::Times(one, 1, None) => format!("({})+", one.text()),
            Self::Times(one, 0, Some(1)) => format!("({})?", one.text()),
            Self::Times(one, least, None) => format!("({}){{{least},}}", one.text()),
            Self::Times(one, least, Some(most)) if least == most => format!("({}){{{least}}}", one.text()),
            Self::Times(one, least, Some(most)) => format!("({}){{{least},{most}}}", one.text()),
            Self::Anything => "...".to_owned(),
        }
    }

    /// Whether a word is one of those that are meant, by trying all ways to divide it.
    fn means(&self, word: &[usize]) -> bool {
        match self {
            Self::One(_, letters) => matches!(word, [letter] if letters.contains(letter)),
            Self::Then(one, other) => {
                (0..=word.len()).any(|at| one.means(&word[..at]) && other.means(&word[at..]))
            }
            Self::Or(one, other) => one.means(word) || other.means(word),
            Self::And(one, other) => (0..1_u32 << word.len()).any(|chosen| {
                let part = |wanted: bool| -> Vec<usize> {
                    let places = (0..word.len()).filter(|at| (chosen >> at & 1 == 1) == wanted);
                    places.map(|at| word[at]).collect()
                };
                one.means(&part(true)) && other.means(&part(false))
            }),
            Self::Times(_, 0, _) if word.is_empty() => true,
            Self::Times(_, 0, Some(0)) => false,
            Self::Times(one, 0, most) => {
                // Empty repetitions add nothing.
                let rest = Self::Times(one.clone(), 0, most.map(|most| most - 1));
                (1..=word.len()).any(|at| one.means(&word[..at]) && rest.means(&word[at..]))
            }
            Self::Times(one, least, most) => {
                let rest = Self::Times(one.clone(), least - 1, most.map(|most| most - 1));
                (0..=word.len()).any(|at| one.means(&word[..at]) && rest.means(&word[at..]))
            }
            Self::Anything => true,
        }
    }
}

/// Whether a run by these letters is possible, and may end.
fn accepts(program: &Program<Scenario<Free>>, word: &[usize]) -> bool {
    let mut state = program.initial_states().expect("there is one").remove(0);
    for &letter in word {
        let all = program.successors(&state).expect("no panic");
        let next = all.into_iter().find(|successor| successor.action == LETTERS[letter]);
        match next.map(|next| next.result) {
            None => return false,
            Some(Reached::State(next)) => state = next,
            Some(other) => panic!("{other:?}"),
        }
    }
    program.is_accepting(&state)
}

fn words(longest: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    let mut first = 0;
    for _ in 0..longest {
        let end = all.len();
        for at in first..end {
            for letter in 0..LETTERS.len() {
                let mut word: Vec<usize> = all[at].clone();
                word.push(letter);
                all.push(word);
            }
        }
        first = end;
    }
    all
}

#[test]
fn random_scenarios_and_all_short_words() {
    let (mut random, words) = (SplitMix64::new(13), words(4));
    let mut counts = [0; 2];
    for _ in 0..testing::effort(120) {
        let size = random.between(1, 5) as usize;
        let meaning = Meaning::random(&mut random, size);
        let text = meaning.text();
        let scenario = Scenario::new(Free, &text).unwrap_or_else(|error| panic!("{error}"));
        let program = Program::new(scenario);
        for word in &words {
            let is_meant = meaning.means(word);
            assert_eq!(accepts(&program, word), is_meant, "{text}: {word:?}");
            counts[usize::from(is_meant)] += 1;
        }
    }
    assert!(counts.iter().all(|count| *count > 2000), "{counts:?}");
}

#[test]
fn precedence() {
    for (text, as_read) in [
        ("a; b | a", "(a; b) | a"),
        ("a | b & a", "(a | b) & a"),
        ("a; b*", "a; (b*)"),
        ("a & b; b | a", "a & ((b; b) | a)"),
        ("!a*", "(!a)*"),
        ("a{2}+", "(a{2})+"),
    ] {
        let read =
            |text: &str| Program::new(Scenario::new(Free, text).unwrap_or_else(|error| panic!("{error}")));
        let (one, other) = (read(text), read(as_read));
        for word in words(4) {
            assert_eq!(accepts(&one, &word), accepts(&other, &word), "{text}: {word:?}");
        }
    }
}

#[test]
fn mistakes_in_texts_are_told() {
    for (text, marked, message) in [
        ("a; c", "c", "there is no action `c`; there are A, B, See"),
        ("a; ", "", "expected an action, `_`, `...`, `!` or `(`"),
        ("a b", "b", "expected `;`, `|`, `&` or the end"),
        ("(a; b", "", "expected `)`"),
        ("a{3,1}", "3,1", "the second number is less than the first one"),
        ("a{9999}", "9999", "at most 1000 repetitions can be counted"),
        ("a{}", "}", "expected a number"),
        ("see(Red, number: 3)", "number", "arguments are given either all by name or all in order"),
        ("see(Red", "", "expected `,`"),
        ("see(;)", ";", "expected a value, or `_` for any"),
        ("see(\"x)", "\"x)", "the text has no end"),
        ("a @ b", "@", "`@` means nothing in a scenario"),
        (
            "a; 99999999999999999999999999999999999999999999",
            "99999999999999999999999999999999999999999999",
            "the number is too large",
        ),
        ("((a{1000}){1000}){1000}", "1000", "the scenario has more than 10000 states"),
        ("a{900} & b{900}", "a{900} & b{900}", "the scenario has more than 10000 states"),
        ("é", "é", "there is no action `é`; there are A, B, See"),
    ] {
        let Err(error) = Scenario::new(Free, text) else { panic!("{text} should not be read") };
        assert_eq!((&text[error.at.clone()], error.message.as_str()), (marked, message), "{text}");
        assert!(error.to_string().contains('^'));
    }
    let deep = "(".repeat(5000) + "a" + &")".repeat(5000);
    assert!(Scenario::new(Free, &deep).is_err_and(|error| error.message.contains("nested too deeply")));
}

/// Arguments that an action has not would forbid silently what the text is to allow.
#[test]
fn arguments_that_do_not_exist_are_violations() {
    for text in ["a(1)", "see(Red)", "see(size: 3)"] {
        let violation = Program::new(Scenario::new(Free, text).expect("it can be read"))
            .check()
            .assert_violates(Kind::Panic);
        assert!(violation.message.contains("the scenario"), "{violation}");
    }
}

/// The scenario of the sample: nine steps, ten states.
#[test]
fn a_client_and_a_server_by_a_scenario() {
    use client_server::ClientServer;
    let nine = "server_socket; server_bind; server_listen; client_socket; client_connect; server_accept; client_send;
                server_receive; server_send(1000)";
    let mut program = Program::new(Scenario::new(ClientServer, nine).expect("it can be read"));
    program.check().assert_violates(Kind::Unreachable);
    assert_eq!(program.check().run().goals[0].states, 10);
    // To the end, with the client's half interleaved. All that must hold of the model holds of this part.
    let whole = "(server_socket; server_bind; server_listen; server_accept; ServerReceive; ServerSend; _{2})
                 & (client_socket; client_connect; client_send; client_receive; client_close)";
    let mut program = Program::new(Scenario::new(ClientServer, whole).expect("it can be read"));
    let report = program.check().run();
    assert!(report.states > 20, "{} {}", report.states, report.verdict);
    // Not more often than once, and everything else at any time.
    let all = Program::new(ClientServer).check().assert_holds().states;
    let once = Scenario::restricting(ClientServer, "client_send{0,1}").expect("it can be read");
    let once = Program::new(once).check().run().states;
    assert!(once > all, "{once} {all}");
}

/// Symmetry is as it was: clients are interchangeable in a scenario, and cannot be named.
#[test]
fn scenarios_and_symmetry() {
    let scenario = |text| Scenario::new(Rules::<chat::Chat>::new(), text).expect("it can be read");
    let mut program = Program::new(scenario("join{3}; (send | receive)*")).sort::<chat::Client>(3);
    let plain = program.check().symmetry(Symmetry::None).assert_holds().states;
    let report = program.check().assert_holds();
    // 0, 1 and 2 online; then three, and of six arrows any set, up to permutations the 16 directed graphs.
    assert_eq!((plain, report.states), (3 + 64, 3 + 16));
    assert!(report.broken.is_empty());
    let mut named = Program::new(scenario("join; join; send(Client0, _)")).sort::<chat::Client>(3);
    let violation = named.check().assert_violates(Kind::Panic);
    assert!(violation.message.contains("individuals have no names, write `_`"), "{violation}");
}

#[test]
fn tables_are_scenarios() {
    let rows = [(0, "a", 1), (1, "!a", 1), (1, "a", 0)];
    let program = Program::new(Scenario::table(Free, 0, &rows, &[0]).expect("they can be read"));
    // Each other `a` closes what one opens; others come between them only.
    for word in words(4) {
        let mut is_open = false;
        let is_meant = word.iter().all(|&letter| {
            is_open ^= letter == 0;
            letter == 0 || is_open
        });
        assert_eq!(accepts(&program, &word), is_meant && !is_open, "{word:?}");
    }
    assert!(Scenario::table(Free, 0, &[(0, "a; b", 1)], &[]).is_err());
}

/// What a check found is a scenario: one run, which ends in the same violation.
#[test]
fn a_trail_is_followed() {
    use client_server::ClientServer;
    let trail: Vec<_> = {
        let mut never =
            Program::new(Scenario::restricting(ClientServer, "client_close{0}").expect("it can be read"));
        let violation = never.check().assert_violates(Kind::Unreachable);
        assert!(violation.run.is_empty());
        // A shortest run to a state in which nothing can happen any more.
        let text = "server_socket; server_close; client_socket; _";
        let mut stuck = Program::new(Scenario::new(ClientServer, text).expect("it can be read"));
        let report = stuck.check().run();
        let Verdict::Violated(_) = report.verdict else { panic!("{}", report.verdict) };
        vec![
            client_server::Act::ServerSocket,
            client_server::Act::ServerClose,
            client_server::Act::ClientSocket,
        ]
    };
    let mut follow = Program::new(Follow::new(ClientServer, trail));
    assert_eq!(follow.check().run().goals[0].states, 4);

    // Individuals of a trail are part of the state, so that exchanges of them are noticed.
    let join = |program: &Program<Rules<chat::Chat>>, count: usize| {
        let mut state = program.initial_states().expect("there is one").remove(0);
        let mut actions = Vec::new();
        for _ in 0..count {
            let next = program.successors(&state).expect("no panic").remove(0);
            actions.push(next.action);
            let Reached::State(reached) = next.result else { panic!("enough clients") };
            state = reached;
        }
        actions
    };
    let program = chat::Chat::program().sort::<chat::Client>(3);
    let actions = join(&program, 6);
    let mut follow = program.wrapped(|model| Follow::new(model, actions));
    let report = follow.check().assert_holds();
    assert_eq!(report.states, 7);
}
