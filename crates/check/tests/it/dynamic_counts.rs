//! Programs whose states were counted by another interpreter: without symmetry, up to addresses, and up to addresses
//! and processes. Where processes have ended, it numbered those that are left without gaps at the middle level, where
//! this one keeps their numbers.

use std::collections::BTreeSet;

use quotient_check::config::{Config, Symmetry};

use crate::common::load;

/// Each process puts a value into an ordered list, under one lock.
const INSERT: &str = "
#ifndef A
#define A 1
#define B 2
#define C 3
#endif
typedef Link { byte value; Link& rest };
Link& anchor;
bit taken;

proctype Putter(byte value) {
  Link& mine; Link& left; Link& right;
  mine = new Link;
  mine.value = value;
  atomic { !taken -> taken = 1 };
  left = anchor;
  right = left.rest;
  do
  :: right != null && right.value < value -> left = right; right = right.rest
  :: else -> break
  od;
  mine.rest = right;
  left.rest = mine;
  taken = 0
}

init {
  anchor = new Link;
  atomic { run Putter(A); run Putter(B); run Putter(C) }
}
";

/// A queue in the order of ranks, as a function with a loop.
const DISPATCH: &str = "
#ifndef A
#define A 1
#define B 2
#endif
typedef Letter { byte rank; Letter& later };
Letter& newest; Letter& oldest;
bit guarded;

function post(Letter& letter) {
  Letter& here; Letter& passed;
  atomic { !guarded -> guarded = 1 };
  here = oldest; passed = oldest;
  do
  :: here != null && here.rank < letter.rank -> passed = here; here = here.later
  :: else -> break
  od;
  if
  :: here == null -> newest = letter
  :: else
  fi;
  passed.later = letter;
  letter.later = here;
  guarded = 0
}

proctype Sender(byte rank) {
  Letter& letter;
  letter = new Letter;
  letter.rank = rank;
  post(letter)
}

init {
  atomic { newest = new Letter; oldest = newest; run Sender(A); run Sender(B) }
}
";

/// A list is walked while one of its objects is deleted.
const UNLINK: &str = "
typedef Item { byte weight; Item& after };
Item& start;

proctype Weigher() {
  Item& item; byte total;
  item = start;
  do
  :: item != null -> total = total + item.weight; item = item.after
  :: else -> break
  od
}

proctype Remover() {
  Item& gone;
  gone = start.after;
  start.after = gone.after;
  delete gone
}

init {
  atomic {
    Item& second;
    start = new Item;
    start.weight = 1;
    second = new Item;
    second.weight = 2;
    start.after = second;
    second = null;
    run Weigher();
    run Remover()
  }
}
";

/// The address of a local variable is used after its function has returned.
const PUBLISH: &str = "
byte& shown;
byte read;

function reveal(byte number) {
  byte own;
  own = number;
  shown = &own;
  read = read + 1
}

proctype Shower() { reveal(7) }

proctype Looker() { shown != null -> read = *shown }

init { atomic { run Shower(); run Looker() } }
";

/// Functions in a table, one of which replaces itself.
const TABLE: &str = "
ftype slot[2];
byte calls;

function rest() { skip }
function work() { calls = calls + 1; slot[1] = rest }

proctype Caller() {
  byte at; ftype chosen; byte round;
  do
  :: round < 2 ->
     if
     :: at = 0
     :: at = 1
     fi;
     chosen = slot[at];
     chosen();
     round++
  :: else -> break
  od
}

init { atomic { slot[0] = rest; slot[1] = work; run Caller(); run Caller() } }
";

/// The states at each level, and the kinds of violations.
#[track_caller]
fn counts(text: &str, values: &[&str], states: [u64; 3], kinds: &[&str]) {
    let defines: Vec<(String, String)> = ["A", "B", "C"]
        .iter()
        .zip(values)
        .map(|(&name, &value)| (name.to_owned(), value.to_owned()))
        .collect();
    let model =
        load("counted.pml", text.as_bytes(), &defines).unwrap_or_else(|rejected| panic!("{rejected}"));
    for (symmetry, expected) in [Symmetry::None, Symmetry::Heap, Symmetry::Full].into_iter().zip(states) {
        let config = Config { symmetry, keep_going: true, safety: true, ..Config::unreduced() };
        let interrupt = std::sync::Arc::default();
        let checked = quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet);
        let report = checked.unwrap_or_else(|error| panic!("{error:?}")).report;
        let found: BTreeSet<_> =
            report.violations.iter().map(|violation| violation.kind.to_string()).collect();
        assert_eq!(report.states, expected, "{symmetry}");
        assert_eq!(found, kinds.iter().map(|&kind| kind.to_owned()).collect(), "{symmetry}");
    }
}

#[test]
fn programs_have_the_counted_states() {
    counts(INSERT, &[], [1614, 390, 390], &[]);
    counts(INSERT, &["1", "1", "1"], [1434, 354, 82], &[]);
    counts(DISPATCH, &[], [244, 138, 138], &[]);
    counts(DISPATCH, &["1", "1"], [236, 134, 70], &[]);
    counts(UNLINK, &[], [39, 39, 39], &["use-after-free"]);
    counts(PUBLISH, &[], [10, 10, 10], &["dangling-local"]);
    counts(TABLE, &[], [1652, 1652, 850], &[]);
}

/// Each fault of channels and functions, and a program beside it that has none.
#[test]
fn faults_of_channels_and_functions() {
    let check = |text: &str, expected: &[&str]| {
        let model =
            load("fault.pml", text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
        for symmetry in [Symmetry::None, Symmetry::Full] {
            let config = Config { symmetry, keep_going: true, safety: true, ..Config::unreduced() };
            let interrupt = std::sync::Arc::default();
            let checked = quotient_check::check(&model, &config, 0, &interrupt, &mut quotient_check::Quiet);
            let report = checked.unwrap_or_else(|error| panic!("{error:?}")).report;
            let found: BTreeSet<_> =
                report.violations.iter().map(|violation| violation.kind.to_string()).collect();
            assert_eq!(found, expected.iter().map(|&kind| kind.to_owned()).collect(), "{symmetry}\n{text}");
        }
    };
    let owner = |ending: &str| {
        format!(
            "byte& unused; chan where; proctype Owner() {{ chan own = [1] of {{ byte }}; byte x; where = own; own!1; {ending} }}
             proctype User() {{ byte x; where != null -> where?x }}
             init {{ atomic {{ run Owner(); run User() }} }}"
        )
    };
    check(&owner("x = 2"), &["dangling-local"]);
    check(&owner("len(own) == 0; where = null"), &[]);
    check(&owner("where = new chan(1) of { byte }; where!2; if :: own?x :: len(own) == 0 fi"), &[]);
    check(&owner("where = null; own = new chan(1) of { byte }; own!x; where = own"), &["null-dereference"]);
    check(&owner("delete own"), &["bad-delete"]);
    // The last statement is a rendezvous, and variables end with it.
    check(
        "byte& p; chan c = [0] of { byte }; active proctype Q() { byte x; c?x; assert(x == 1) }
         active proctype P() { byte v; chan own = [1] of { byte }; p = &v; p = null; len(own) == 0; c!1 }",
        &[],
    );
    let init = |body: &str| {
        format!(
            "typedef N {{ byte k }}; chan c; chan d; N& n; ftype f; byte x;
             function one(byte a) {{ x = a }} function two(byte a; byte b) : byte {{ return a + b }}
             init {{ {body} }}"
        )
    };
    let cases: [(&str, &[&str]); 16] = [
        ("c!1", &["null-dereference"]),
        ("c = new chan(1) of { byte }; (len(c) == 0 && empty(c) && nfull(c)); c!1; c?x; delete c", &[]),
        ("c = new chan(1) of { byte }; delete c; c!1", &["use-after-free"]),
        ("c = new chan(1) of { byte }; delete c; delete c", &["double-delete"]),
        ("c = new chan(1) of { byte }; delete c; (len(c) == 0)", &["use-after-free"]),
        ("c = new chan(1) of { byte }; d = c; delete d; (c == d && c != null); c = null; d = null", &[]),
        ("c = new chan(1) of { byte }; c = null; delete n", &["leak", "null-dereference"]),
        ("c = new chan(1) of { N& }; n = new N; c!n; n = null; delete c", &["leak"]),
        ("c = new chan(1) of { N& }; n = new N; c!n; n = null; c?n; delete n; delete c", &[]),
        ("c = new chan(1) of { N&, byte }; c!1; d = new chan(1) of { byte }", &["channel"]),
        ("c = new chan(2) of { ftype }; c!one; c!null; c?f; f(3); assert(x == 3); c?f; f(1)", &["bad-call"]),
        ("f = one; f(1); f = two; x = f(1, 2); assert(x == 3)", &[]),
        ("f = one; if :: f = two :: skip fi; f(1)", &["bad-call"]),
        ("c = new chan(2) of { byte, N& }; c!!2,n; c!!1,n; c?1,_; c??2,_; assert(empty(c))", &[]),
        // Messages with equal numbers stay in order, whichever object is older.
        (
            "N& a; N& b; a = new N; b = new N; c = new chan(2) of { byte, N& }; c!!1,a; c!!1,b; c?_,n; assert(n == a)",
            &[],
        ),
        (
            "N& a; N& b; a = new N; b = new N; c = new chan(2) of { byte, N& }; c!!1,b; c!!1,a; c?_,n; assert(n == b)",
            &[],
        ),
    ];
    for (body, expected) in cases {
        check(&init(body), expected);
    }
}
