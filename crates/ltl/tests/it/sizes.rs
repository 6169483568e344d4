//! The sizes of the automata of the usual formulas, as `cargo xtask automata` printed them last, beside
//! SPIN's. After an improvement, renew the table: `cargo xtask automata > crates/ltl/tests/it/sizes.txt`.

use quotient_ltl::parse::{Names, parse};
use quotient_ltl::smallest::{buchi, generalized};
use quotient_ltl::{Automaton, Limits};

/// A name, and sizes as `states/transitions`: of the generalized automaton, of the Büchi automaton, and of
/// SPIN's or why SPIN has none.
fn table() -> impl Iterator<Item = [&'static str; 4]> {
    let lines = include_str!("sizes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.try_into().expect("a name and three sizes")
    })
}

#[test]
fn sizes_are_those_of_the_table() {
    let formulas =
        include_str!("formulas.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut rows = table();
    for line in formulas {
        let (name, text) = line.split_once(' ').unwrap();
        let formula = parse(text, &mut Names::default()).unwrap();
        for (name, formula) in [(name.to_owned(), formula.clone()), (format!("!{name}"), formula.negated())] {
            let size =
                |automaton: Automaton| format!("{}/{}", automaton.edges.len(), automaton.transitions());
            let general = size(generalized(&formula, Limits::default()).unwrap());
            let flat = size(buchi(&formula, Limits::default()).unwrap());
            let row = rows.next().expect("the table has all formulas");
            assert_eq!(row[..3], [&name, &general, &flat]);
        }
    }
    assert_eq!(rows.next(), None);
}

#[test]
fn sums_are_below_those_of_spin() {
    let size = |text: &str| -> Option<[u32; 2]> {
        let (states, transitions) = text.split_once('/')?;
        Some([states.parse().unwrap(), transitions.parse().unwrap()])
    };
    let (mut ours, mut theirs, mut rows) = ([0, 0], [0, 0], 0);
    for [_, _, flat, spin] in table() {
        let Some(spin) = size(spin) else { continue };
        let flat = size(flat).expect("a size");
        rows += 1;
        for i in 0..2 {
            ours[i] += flat[i];
            theirs[i] += spin[i];
        }
    }
    assert!(rows > 80, "{rows} formulas are compared");
    assert!(ours[0] < theirs[0] && ours[1] < theirs[1], "{ours:?} and {theirs:?}");
}
