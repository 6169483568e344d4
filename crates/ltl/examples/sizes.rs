//! The sizes of the automata of the usual formulas beside SPIN's, if it is installed: `states/transitions`. SPIN as it is mostly
//! installed knows no `X`, and takes forever for some formulas, which then have no figures of SPIN. Times go to standard error.
//!
//! `cargo run --release -p quotient-ltl --example sizes`

use std::process::Command;
use std::time::Instant;

use quotient_ltl::best::{buchi, generalized};
use quotient_ltl::normal::Terms;
use quotient_ltl::parse::{Names, parse};
use quotient_ltl::{Formula, Limits};

fn main() {
    let formulas = include_str!("../tests/ltl/formulas.txt");
    println!("# {:10} {:>12} {:>8} {:>8}", "formula", "generalized", "buchi", "spin");
    let mut sums = [0; 4];
    for line in formulas.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, text) = line.split_once(' ').expect("a name and a formula");
        let mut names = Names::default();
        let formula = parse(text, &mut names).expect("a formula");
        for (name, formula) in [(name.to_owned(), formula.clone()), (format!("!{name}"), formula.negated())] {
            let start = Instant::now();
            let general = generalized(&formula, Limits::default()).expect("an automaton");
            let flat = buchi(&formula, Limits::default()).expect("an automaton");
            eprintln!("{name}: {} ms", start.elapsed().as_millis());
            let [general, ours] =
                [general, flat].map(|automaton| [automaton.edges.len(), automaton.transitions()]);
            let theirs = spin(&formula, &names);
            let text = |[states, transitions]: [usize; 2]| format!("{states}/{transitions}");
            let spin = theirs.map_or("-".to_owned(), text);
            println!("{name:12} {:>12} {:>8} {spin:>8}", text(general), text(ours));
            for (sum, size) in
                sums.iter_mut().zip(theirs.into_iter().flat_map(|theirs| [ours, theirs].concat()))
            {
                *sum += size;
            }
        }
    }
    let [states, transitions, spin_states, spin_transitions] = sums;
    println!("# Where SPIN has figures: {states}/{transitions}, SPIN {spin_states}/{spin_transitions}");
}

/// States and transitions of the claim that SPIN prints.
fn spin(formula: &Formula, names: &Names) -> Option<[usize; 2]> {
    let mut terms = Terms::default();
    let normal = terms.of(formula, false);
    let normal = terms.formula(normal);
    let text = formula.display(|prop| names.name(prop)).to_string();
    // SPIN's command line has no `W`.
    let text = if text.contains(" W ") { normal.display(|prop| names.name(prop)).to_string() } else { text };
    let output = Command::new("timeout").args(["5", "spin", "-f", &text]).output().ok()?;
    if !formula.is_next_free() || !output.status.success() {
        return None;
    }
    let claim = String::from_utf8(output.stdout).ok()?;
    let count = |start: &str| claim.lines().filter(|line| line.trim_start().starts_with(start)).count();
    // `skip` at the end is a state that stays where it is.
    Some([count("do") + count("skip"), count("::") + count("skip")])
}
