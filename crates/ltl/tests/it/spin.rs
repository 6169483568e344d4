//! The same formulas in SPIN. These tests do nothing if `spin` is not installed, and say so.

use std::process::Command;

use crate::support::{self, Random};
use quotient_ltl::parse::{Dialect, Names, parse, parse_as};
use quotient_ltl::smallest::buchi;
use quotient_ltl::{Automaton, Formula, Limits};

const NAMES: [&str; 3] = ["a", "b", "c"];

fn names() -> Names {
    Names::from_iter(NAMES)
}

/// What SPIN prints.
fn spin(arguments: &[&str]) -> Option<String> {
    let Ok(output) = Command::new("spin").args(arguments).output() else {
        eprintln!("spin is not installed: nothing was compared");
        return None;
    };
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a claim and a formula are about the same words.
fn same(claim: &Automaton, formula: &Formula) -> bool {
    let automaton = |formula: &Formula| buchi(formula, Limits::default()).unwrap();
    // The claim accepts no word outside the formula, and random words of the formula are accepted by the
    // claim.
    let mut random = Random::new(9);
    let inside = (0..60).all(|_| {
        let lasso = random.lasso(3);
        claim.accepts(&lasso) == lasso.satisfies(formula)
    });
    inside && claim.product(&automaton(&formula.negated())).is_empty()
}

/// A formula without parentheses, over operators that `spin -f` has.
fn chain(random: &mut Random) -> String {
    let mut text = String::new();
    for place in 0..3 {
        if place > 0 {
            text += [" && ", " || ", " -> ", " <-> ", " U ", " V "][random.below(6) as usize];
        }
        text += ["", "", "!", "[] ", "<> "][random.below(5) as usize];
        text += NAMES[random.below(3) as usize];
    }
    text
}

#[test]
fn the_command_line_binds_as_in_spin() {
    let mut random = Random::new(10);
    let mut told_apart = 0;
    for _ in 0..150 {
        let text = chain(&mut random);
        let Some(claim) = spin(&["-f", &text]) else { return };
        let claim = support::claim(&claim, &NAMES);
        let formula = parse_as(Dialect::Command, &text, &mut names()).unwrap();
        assert!(same(&claim, &formula), "{text} is not {formula}");
        told_apart += u32::from(!same(&claim, &parse(&text, &mut names()).unwrap()));
    }
    assert!(told_apart > 5, "the dialects differ in {told_apart} formulas only");
}

#[test]
fn claims_of_spin_accept_what_the_formula_says() {
    let mut random = Random::new(11);
    let mut compared = 0;
    while compared < 150 {
        let size = 1 + random.below(4);
        let formula = random.formula(size, 3);
        let known = |formula: &Formula| !matches!(formula, Formula::WeakUntil(..) | Formula::Next(_));
        if !everywhere(&formula, &known) {
            continue;
        }
        let text = formula.display(|prop| NAMES[prop.0 as usize]).to_string();
        let Some(claim) = spin(&["-f", &text]) else { return };
        assert!(same(&support::claim(&claim, &NAMES), &formula), "{text}");
        compared += 1;
    }
}

fn everywhere(formula: &Formula, test: &impl Fn(&Formula) -> bool) -> bool {
    test(formula) && formula.operands().all(|operand| everywhere(operand, test))
}

/// SPIN prints how it parsed the `ltl` blocks of a model, with all parentheses.
#[test]
fn blocks_bind_as_in_spin() {
    let mut random = Random::new(12);
    let words =
        [" U ", " until ", " stronguntil ", " W ", " weakuntil ", " V ", " release ", " && ", " || ", " -> "];
    let words = [&words[..], &[" implies ", " <-> ", " equivalent "]].concat();
    let before = ["", "", "!", "[] ", "always ", "<> ", "eventually "];
    let mut formulas = Vec::new();
    for _ in 0..150 {
        let mut text = String::new();
        for place in 0..4 {
            if place > 0 {
                text += words[random.below(words.len() as u64) as usize];
            }
            text += before[random.below(before.len() as u64) as usize];
            text += NAMES[random.below(3) as usize];
        }
        formulas.push(text);
    }
    let blocks: Vec<_> =
        formulas.iter().enumerate().map(|(i, text)| format!("ltl f{i} {{ {text} }}")).collect();
    let folder = std::env::temp_dir().join(format!("quotient-ltl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("model.pml");
    std::fs::write(&model, format!("bool a, b, c;\n{}\ninit {{ skip }}\n", blocks.join("\n"))).unwrap();
    // The name of the model is the only argument: SPIN parses it, prints what it read, and simulates a run.
    let printed = spin(&[&model.to_string_lossy()]);
    std::fs::remove_dir_all(&folder).unwrap();
    let Some(printed) = printed else { return };
    let mut compared = 0;
    for line in printed.lines() {
        let Some((number, theirs)) = line.strip_prefix("ltl f").and_then(|rest| rest.split_once(": ")) else {
            continue;
        };
        let text = &formulas[number.parse::<usize>().unwrap()];
        let ours = parse(text, &mut names()).unwrap();
        let theirs = parse(theirs, &mut names()).unwrap();
        let difference = Formula::Equivalent(Box::new(ours.clone()), Box::new(theirs)).negated();
        assert!(buchi(&difference, Limits::default()).unwrap().is_empty(), "{text} is not {ours}");
        compared += 1;
    }
    assert_eq!(compared, formulas.len());
}
