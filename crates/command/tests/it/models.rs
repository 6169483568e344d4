//! Small models, and how their command lines are run.

use std::ffi::OsString;
use std::path::PathBuf;

use quotient_command::{Command, FromArgs};
use quotient_model::{Cx, Doing, Map, Shape, model, sort};
use serde_json::Value;

sort! {
    pub struct Side;
    pub struct Colour;
    pub struct Client;
}

#[derive(Clone, Debug, Default, Shape)]
pub struct Triangle {
    colours: Map<Side, Colour>,
}

#[model]
impl Triangle {
    #[initial]
    fn uncoloured() -> Self {
        Self::default()
    }

    #[action(when = !self.colours.contains_key(&side))]
    fn assign(&mut self, side: Side, colour: Colour) {
        self.colours.insert(side, colour);
    }
}

/// Each client takes two tokens of two, one after the other.
#[derive(Clone, Debug, Shape)]
pub struct Tokens {
    free: u8,
    held: Map<Client, u8>,
}

#[model]
impl Tokens {
    #[initial]
    fn nobody(cx: &Cx<'_>) -> Self {
        Self { free: 2, held: cx.all().map(|client| (client, 0)).collect() }
    }

    #[action(when = self.free > 0 && self.held[client] < 2, process = client)]
    fn take(&mut self, client: Client, doing: &mut Doing<'_>) {
        self.free -= 1;
        self.held[client] += 1;
        doing.note("taken");
        doing.covers("R1");
    }

    #[action(when = self.held[client] == 2, process = client)]
    fn put_back(&mut self, client: Client) -> u8 {
        self.free += std::mem::take(&mut self.held[client]);
        self.free
    }

    #[accepting]
    fn never(&self) -> bool {
        false
    }

    #[proposition]
    fn idle(&self) -> bool {
        self.free == 2
    }

    #[proposition]
    fn served(&self, client: Client) -> bool {
        self.held[client] == 2
    }

    #[ltl("[] (idle -> <> !idle)")]
    const BEGINS: () = ();

    #[ltl("[] <> served", each = Client)]
    const SERVED: () = ();

    #[view]
    fn number_of_holders(&self) -> impl std::fmt::Debug {
        self.held.values().filter(|held| **held > 0).count()
    }
}

/// Counts, and fails in several ways.
#[derive(Clone, Debug, Default, Shape)]
pub struct Counter {
    count: u8,
}

#[model]
impl Counter {
    #[initial]
    fn zero() -> Self {
        Self::default()
    }

    #[action(when = self.count < 4)]
    fn add(&mut self, #[from(1..3)] number: u8) {
        self.count += number;
    }

    #[action(when = self.count == 3)]
    fn fail(&mut self, doing: &mut Doing<'_>) {
        doing.fail("three is too many");
    }

    #[invariant]
    fn is_small(&self) -> bool {
        self.count < 5
    }
}

/// What a command line printed, and its exit code.
pub struct Ran {
    pub code: u8,
    pub out: String,
    pub err: String,
}

impl Ran {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}:\n{}{}", self.out, self.err))
    }

    #[track_caller]
    pub fn expect(&self, code: u8) -> &Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        self
    }
}

fn run<M: quotient_model::Model>(command: Command<M>, line: &str) -> Ran {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = line.split_whitespace().map(|word| OsString::from(word.replace('~', " ")));
    let code = command.run(words, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).expect("it prints text");
    Ran { code, out: text(out), err: text(err) }
}

/// Runs a command line. A `~` in it is a space that does not separate words.
pub fn triangle(line: &str) -> Ran {
    let program =
        Triangle::program().sort_from_args::<Side>("sides", 3).sort_from_args::<Colour>("colours", 2);
    run(program.named("triangle"), line)
}

pub fn tokens(line: &str) -> Ran {
    run(Tokens::program().sort_from_args::<Client>("clients", 2).named("tokens"), line)
}

pub fn counter(line: &str) -> Ran {
    run(Counter::program().named("counter"), line)
}

/// A file for a trail, which does not exist.
pub fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("quotient-command-{}-{name}", std::process::id()));
    drop(std::fs::remove_file(&path));
    path
}
