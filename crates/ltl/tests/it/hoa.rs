//! The Hanoi Omega-Automata format: what is read, and what is refused.

use quotient_ltl::hoa::read;
use quotient_ltl::parse::{Names, parse};

use crate::support::Random;

/// Reads an automaton and compares it with a formula on words over `a` and `b`.
fn check(text: &str, formula: &str) {
    let hoa = read(text).unwrap_or_else(|error| panic!("{error} at {:?} of {text}", error.at));
    assert_eq!(hoa.props, ["a", "b"]);
    let formula = parse(formula, &mut Names::from_iter(["a", "b"])).unwrap();
    let mut random = Random::new(20);
    for _ in 0..200 {
        let lasso = random.lasso(2);
        assert_eq!(hoa.automaton.accepts(&lasso), lasso.satisfies(&formula), "{formula} on {lasso:?}");
    }
}

#[test]
fn all_kinds_of_labels_and_acceptance() {
    // Two sets on edges, an alias, a nested comment, informative headers.
    check(
        "HOA: v1 name: \"both\" States: 1 Start: 0 AP: 2 \"a\" \"b\"
         Alias: @x 0 Alias: @y !@x | f
         acc-name: generalized-Buchi 2 Acceptance: 2 Inf(0)&(Inf(1))
         tool: \"some\" \"1.0\" properties: trans-labels complete
         --BODY-- /* one /* state */ */
         State: 0 \"q\"
         [@x & 1] 0 {0 1}  [@x&!1] 0 {0}  [@y & 1] 0 {1}  [!(@x | 1)] 0
         --END--",
        "[] <> a && [] <> b",
    );
    // Acceptance on states, labels on states, two initial states.
    check(
        "HOA: v1 States: 3 Start: 0 Start: 1 AP: 2 \"a\" \"b\" acc-name: Buchi Acceptance: 1 Inf(0)
         --BODY--
         State: [0] 0 {0} 0
         State: [1] 1 2
         State: [1] 2 {0} 2
         --END--",
        "[] a || [] b",
    );
    // One edge for each valuation, and no number of states.
    check(
        "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0)
         --BODY--
         State: 0 2 0 1 1
         State: 1 {0} 1 1 1 1
         --END--",
        "a U b",
    );
}

#[test]
fn conditions_that_are_constants() {
    let automaton = |start: &str, acceptance: &str| {
        format!("HOA: v1 {start} AP: 2 \"a\" \"b\" Acceptance: {acceptance} --BODY-- State: 0 [0] 0 --END--")
    };
    check(&automaton("Start: 0", "0 t"), "[] a");
    check(&automaton("Start: 0", "0 f"), "false");
    check(&automaton("Start: 0", "1 t"), "[] a");
    check(&automaton("Start: 0", "1 Inf(0)"), "false");
    check(&automaton("Start: 0", "2 Inf(1)&Inf(1)").replace("[0] 0", "[0] 0 {1}"), "[] a");
    check(&automaton("", "0 t"), "false");
    check(&automaton("Start: 1", "0 t"), "false");
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    let with =
        |head: &str, body: &str| format!("HOA: v1 Start: 0 AP: 1 \"a\" {head} --BODY-- {body} --END--");
    let buchi = "Acceptance: 1 Inf(0)";
    let condition = "only Büchi and generalized Büchi acceptance are supported";
    for (text, message) in [
        (with("Acceptance: 2 Fin(0) & Inf(1)", ""), condition),
        (with("Acceptance: 2 Inf(0) | Inf(1)", ""), condition),
        (with("Acceptance: 1 Inf(!0)", ""), condition),
        (with("Acceptance: 2 Inf(2)", ""), "there is no acceptance set 2"),
        (with("Acceptance: 2 (Inf(0)", ""), "expected `)`, found `--BODY--`"),
        (with("Acceptance: 65 t", ""), "there may be no more than 64 acceptance sets"),
        (with("", ""), "there is no `Acceptance:`"),
        (with("Start: 0 & 1 Acceptance: 0 t", ""), "alternating automata are not supported"),
        (with(buchi, "State: 0 [0] 0 & 1"), "alternating automata are not supported"),
        (with("Magic: 3", ""), "`Magic:` is not supported"),
        (with(buchi, "State: 0 [1] 0"), "there is no proposition 1"),
        (with(buchi, "State: 0 [@b] 0"), "there is no alias `@b`"),
        (with(buchi, "State: 0 [0] 0 {1}"), "there is no acceptance set 1"),
        (with(buchi, "State: 0 State: 0"), "state 0 is described twice"),
        (with(buchi, "State: 0 0 0 0"), "state 0 has 3 edges without labels"),
        (with(buchi, "State: [0] 0 [0] 0"), "the state has a label already"),
        (with(&format!("States: 2 {buchi}"), "State: 2"), "there is no state 2"),
        (with(buchi, "State: 4000000000"), "there is no state 4000000000"),
        (with(buchi, "State: 99999999999"), "this number is too large"),
        (with(buchi, "State: 0 [0"), "expected `]`, found `--END--`"),
        (with(buchi, "State: 0 [0 &] 0"), "expected a label, found `]`"),
        (with(buchi, &format!("State: 0 [{}0] 0", "!".repeat(100_000))), "this label is nested too deeply"),
        (with(buchi, "/* State: 0"), "this comment has no end"),
        (with(buchi, "State: 0 \"q"), "this string has no end"),
        (with(buchi, "State: 0 --ABORT--"), "the automaton was aborted by the tool that wrote it"),
        (with(buchi, "") + "HOA:", "there is more text after `--END--`"),
        ("HOA: v2".to_owned(), "an automaton begins with `HOA: v1`"),
        ("HOA: v1 AP: 99".to_owned(), "there may be no more than 64 propositions"),
        ("HOA: v1 $".to_owned(), "`$` has no meaning here"),
        (String::new(), "an automaton begins with `HOA: v1`"),
    ] {
        let error = read(&text).expect_err(&text);
        assert!(error.message.starts_with(message), "{} instead of {message}: {text}", error.message);
        assert!(text.get(error.at.clone()).is_some(), "{:?} is a place in {text}", error.at);
    }
}

#[test]
fn aliases_that_double_end() {
    let mut text = "HOA: v1 Start: 0 AP: 1 \"a\" Acceptance: 0 t Alias: @x0 0".to_owned();
    for (i, j) in (1..100).zip(0..) {
        text.extend([format!(" Alias: @x{i} @x{j} & !@x{j} | @x{j}")]);
    }
    text += " --BODY-- State: 0 [@x99] 0 --END--";
    assert_eq!(read(&text).expect_err("it is too large").message, "this label is too large");
}

#[test]
fn no_text_panics() {
    let whole = "HOA: v1 name: \"é\" States: 2 Start: 0 AP: 2 \"a\" \"b\" Alias: @x !0 Acceptance: 2 Inf(0)&Inf(1) --BODY-- \
                 State: 0 {0} [@x | 1&0] 1 {1} [t] 0 State: 1 [0] 0 0 --END--";
    let pieces: Vec<&str> = whole.split_inclusive(' ').collect();
    let mut random = Random::new(21);
    let mut read_ones = 0;
    for _ in 0..20_000 {
        let mut some = pieces.clone();
        for _ in 0..=random.below(3) {
            let (i, j) =
                (random.below(some.len() as u64) as usize, random.below(pieces.len() as u64) as usize);
            match random.below(3) {
                0 => _ = some.remove(i),
                1 => some[i] = pieces[j],
                _ => some.insert(i, pieces[j]),
            }
        }
        read_ones += u32::from(read(&some.concat()).is_ok());
    }
    assert!(read_ones > 0);
}
