//! Random formulas on random words: all translations and all transformations of automata have to agree with
//! the evaluator, which does not use automata.

use testing::effort;

use crate::support::{self, Random};
use quotient_ltl::alternating::Deferral;
use quotient_ltl::degeneralize::{Pace, degeneralize};
use quotient_ltl::hoa::{Hoa, read};
use quotient_ltl::lasso::Lasso;
use quotient_ltl::never::never;
use quotient_ltl::normal::Terms;
use quotient_ltl::parse::{Dialect, Names, parse_as};
use quotient_ltl::reduce::{Acceptance, reduce};
use quotient_ltl::rewrite::simplify;
use quotient_ltl::smallest::{buchi, generalized};
use quotient_ltl::strength::{Strength, Weakness};
use quotient_ltl::stutter::is_invariant;
use quotient_ltl::tableau::tableau;
use quotient_ltl::translate::translate;
use quotient_ltl::{Automaton, Formula, Limits, Marks, Prop, TooLarge};

const LIMITS: Limits = Limits { states: 400, edges: 40_000 };

/// The automata of a formula, with their names, except those that would be too large.
fn automata(formula: &Formula) -> Vec<(&'static str, Automaton)> {
    let mut terms = Terms::default();
    let plain = terms.of(formula, false);
    let simple = simplify(&mut terms, plain);
    let mut all = Vec::new();
    for (name, automaton) in [
        ("alternating", translate(&terms, plain, Deferral::Later, LIMITS)),
        ("alternating, split", translate(&terms, plain, Deferral::Now, LIMITS)),
        ("alternating, simplified", translate(&terms, simple, Deferral::Later, LIMITS)),
        ("tableau", tableau(&terms, plain, LIMITS)),
        ("tableau, simplified", tableau(&terms, simple, LIMITS)),
    ] {
        let Ok(automaton) = automaton else { continue };
        let order: Vec<_> = (0..automaton.sets).collect();
        let pace = if automaton.edges.len() % 2 == 0 { Pace::One } else { Pace::Many };
        let flat = degeneralize(&automaton, &order, pace);
        assert!(flat.accepting_states().is_some(), "{formula}: {name} degeneralized has accepting states");
        if flat.edges.len() < 40 {
            let reduced = reduce(&flat, Acceptance::States);
            assert!(reduced.accepting_states().is_some(), "{formula}: {name} reduced has accepting states");
            all.push(("degeneralized, reduced", reduced));
        }
        all.push(("degeneralized", flat));
        if automaton.edges.len() < 40 {
            all.push(("reduced", reduce(&automaton, Acceptance::Edges)));
        }
        all.push((name, automaton));
    }
    all.push(("generalized", generalized(formula, LIMITS).unwrap()));
    all.push(("buchi", buchi(formula, LIMITS).unwrap()));
    all
}

fn check(seed: u64, count: u64, props: u64, mut formula: impl FnMut(&mut Random) -> Formula) {
    let mut random = Random::new(seed);
    for _ in 0..effort(count) {
        let formula = formula(&mut random);
        let (yes, no) = (automata(&formula), automata(&formula.negated()));
        for _ in 0..6 {
            let lasso = random.lasso(props);
            let expected = lasso.satisfies(&formula);
            for (name, automaton) in &yes {
                assert_eq!(automaton.accepts(&lasso), expected, "{name} of {formula} on {lasso:?}");
            }
            for (name, automaton) in &no {
                assert_eq!(
                    automaton.accepts(&lasso),
                    !expected,
                    "{name} of the negation of {formula} on {lasso:?}"
                );
            }
        }
    }
}

#[test]
fn small_formulas() {
    check(1, 4000, 2, |random| {
        let size = 1 + random.below(5);
        random.formula(size, 2)
    });
}

#[test]
fn larger_formulas() {
    check(2, 1500, 3, |random| {
        let size = 1 + random.below(9);
        random.formula(size, 3)
    });
}

#[test]
fn conjunctions_of_recurrences() {
    check(14, 400, 2, |random| {
        let mut part = || {
            let size = random.below(4);
            let inner = Formula::Eventually(Box::new(random.formula(size, 2)));
            Box::new(Formula::Always(Box::new(inner)))
        };
        let (a, b) = (part(), part());
        let size = random.below(4);
        Formula::And(Box::new(Formula::And(a, b)), Box::new(random.formula(size, 2)))
    });
}

/// A weak automaton accepts if a run stays in an accepting component; a terminal one as soon as a run gets
/// there.
#[test]
fn strengths_say_what_a_search_may_skip() {
    let mut random = Random::new(15);
    let mut found = [0; 3];
    for _ in 0..1500 {
        let size = 1 + random.below(7);
        let formula = random.formula(size, 2);
        for automaton in [generalized(&formula, LIMITS).unwrap(), buchi(&formula, LIMITS).unwrap()] {
            let weakness = Weakness::of(&automaton);
            found[weakness.strength as usize] += 1;
            if weakness.strength == Strength::General {
                continue;
            }
            let mut staying = Automaton { sets: 1, ..automaton.clone() };
            for state in automaton.states() {
                let accepts = weakness.accepts(state);
                for edge in &mut staying.edges[state.index()] {
                    edge.marks =
                        if accepts && weakness.accepts(edge.to) { Marks::one(0) } else { Marks::NONE };
                }
            }
            let accepting = automaton.states().filter(|&state| weakness.accepts(state));
            let from = accepting.map(|initial| Automaton { initial, ..automaton.clone() });
            let from: Vec<_> = from.filter(|_| weakness.strength == Strength::Terminal).collect();
            for _ in 0..4 {
                let lasso = random.lasso(2);
                assert_eq!(staying.accepts(&lasso), lasso.satisfies(&formula), "{formula} on {lasso:?}");
                assert!(from.iter().all(|automaton| automaton.accepts(&lasso)), "{formula} on {lasso:?}");
            }
        }
    }
    assert!(found.iter().all(|&count| count > 100), "{found:?}");
}

/// Formulas under many fairness assumptions, on words on which these assumptions hold.
#[test]
fn many_recurrences() {
    let mut random = Random::new(13);
    let mut satisfied = 0;
    for count in [2, 3, 5, 12, 20] {
        let assumptions: Vec<_> =
            (2..2 + count).map(|prop| format!("[] <> (p{prop} || (p0 && p1))")).collect();
        let text = format!("{} && <> (p0 && X [] p1) && [] <> p0", assumptions.join(" && "));
        let props: Vec<_> = (0..2 + count).map(|prop| format!("p{prop}")).collect();
        let mut names: Names = props.iter().map(|name| &**name).collect();
        let formula = parse_as(Dialect::Model, &text, &mut names).unwrap();
        let automata =
            [buchi(&formula, Limits::default()).unwrap(), generalized(&formula, Limits::default()).unwrap()];
        assert!(automata[0].accepting_states().is_some());
        for _ in 0..2000 {
            let cycle: Vec<u64> = (0..=random.below(4)).map(|_| random.below(1 << (2 + count)) | 2).collect();
            let lasso = Lasso::new(&[random.below(4), 1, 3], &cycle).unwrap();
            let expected = lasso.satisfies(&formula);
            satisfied += u32::from(expected);
            for automaton in &automata {
                assert_eq!(automaton.accepts(&lasso), expected, "{text} on {lasso:?}");
            }
        }
    }
    assert!((500..9_500).contains(&satisfied), "{satisfied} words satisfy their formulas");
}

#[test]
fn a_formula_and_its_negation_have_no_word_in_common() {
    let mut random = Random::new(3);
    for _ in 0..effort(1500) {
        let size = 1 + random.below(8);
        let formula = random.formula(size, 3);
        let negation = formula.negated();
        let small = |formula| [generalized(formula, LIMITS).unwrap(), buchi(formula, LIMITS).unwrap()];
        for a in small(&formula) {
            for b in small(&negation) {
                assert!(a.product(&b).is_empty(), "{formula}");
            }
        }
        let mut terms = Terms::default();
        let (yes, no) = (terms.of(&formula, false), terms.of(&formula, true));
        let first = |term| translate(&terms, term, Deferral::Later, LIMITS);
        let second = |term| tableau(&terms, term, LIMITS);
        for (a, b) in [(first(yes), second(no)), (second(yes), first(no))] {
            if let (Ok(a), Ok(b)) = (a, b) {
                assert!(a.product(&b).is_empty(), "{formula}: one translation against the other");
            }
        }
    }
}

/// That the languages of a formula and its negation cover all words could be decided by complementing one of
/// them; this test checks all words of up to four letters.
#[test]
fn each_short_word_is_accepted_for_a_formula_or_its_negation() {
    let mut random = Random::new(4);
    let words: Vec<Lasso> = (1..5_u32)
        .flat_map(|length| (0..4_u64.pow(length)).map(move |number| (length, number)))
        .map(|(length, number)| (0..length).map(|place| number >> (2 * place) & 3).collect::<Vec<_>>())
        .flat_map(|word| {
            (0..word.len()).map(|start| Lasso::new(&word[..start], &word[start..])).collect::<Vec<_>>()
        })
        .map(|lasso| lasso.expect("the cycle is not empty"))
        .collect();
    assert_eq!(words.len(), 4 + 2 * 16 + 3 * 64 + 4 * 256);
    for _ in 0..effort(150) {
        let size = 1 + random.below(8);
        let formula = random.formula(size, 2);
        let (yes, no) = (buchi(&formula, LIMITS).unwrap(), buchi(&formula.negated(), LIMITS).unwrap());
        for lasso in &words {
            assert!(yes.accepts(lasso) != no.accepts(lasso), "{formula} on {lasso:?}");
        }
    }
}

#[test]
fn normal_forms_and_rewriting_keep_the_meaning() {
    let mut random = Random::new(5);
    let (mut before, mut after) = (0, 0);
    for _ in 0..effort(20_000) {
        let size = 1 + random.below(10);
        let formula = random.formula(size, 3);
        let mut terms = Terms::default();
        let plain = terms.of(&formula, false);
        let simple = simplify(&mut terms, plain);
        let negation = terms.of(&formula, true);
        let opposite = terms.negate(plain);
        let double = terms.negate(opposite);
        assert_eq!(double, plain, "{formula}");
        let forms = [plain, simple, negation, opposite].map(|term| terms.formula(term));
        before += forms[0].to_string().len();
        after += forms[1].to_string().len();
        for _ in 0..8 {
            let lasso = random.lasso(3);
            let truth = forms.each_ref().map(|form| lasso.satisfies(form));
            let expected = lasso.satisfies(&formula);
            assert_eq!(
                truth,
                [expected, expected, !expected, !expected],
                "{formula} as {forms:?} on {lasso:?}"
            );
        }
    }
    assert!(after * 3 < before * 2, "rewriting makes little smaller: {before} to {after}");
}

#[test]
fn what_is_printed_is_read_back() {
    let mut random = Random::new(6);
    let mut names = Names::from_iter(["p0", "p1", "p2"]);
    for _ in 0..effort(5000) {
        let size = random.below(12);
        let formula = random.formula(size, 3);
        for dialect in [Dialect::Model, Dialect::Command] {
            assert_eq!(parse_as(dialect, &formula.to_string(), &mut names), Ok(formula.clone()), "{formula}");
        }
    }
}

#[test]
fn automata_survive_their_text_forms() {
    let mut random = Random::new(7);
    let props = ["p0", "p1", "a \\ \"b\""].map(str::to_owned).to_vec();
    for _ in 0..effort(1000) {
        let size = 1 + random.below(8);
        let formula = random.formula(size, 3);
        for automaton in [generalized(&formula, LIMITS).unwrap(), buchi(&formula, LIMITS).unwrap()] {
            let mut automaton = automaton;
            automaton.edges.iter_mut().for_each(|edges| edges.sort_unstable());
            let hoa = Hoa { name: Some(formula.to_string()), props: props.clone(), automaton };
            assert_eq!(read(&hoa.write()), Ok(hoa.clone()), "{}", hoa.write());
        }
        let automaton = buchi(&formula, LIMITS).unwrap();
        let claim = never(&automaton, &formula.to_string(), |prop| prop).expect("it has accepting states");
        let again = support::claim(&claim, &["p0", "p1", "p2"]);
        for _ in 0..6 {
            let lasso = random.lasso(3);
            assert_eq!(again.accepts(&lasso), lasso.satisfies(&formula), "{formula} on {lasso:?}: {claim}");
        }
    }
}

#[test]
fn invariant_formulas_do_not_see_repetitions() {
    let mut random = Random::new(8);
    let (mut found, mut other) = (0, 0);
    for _ in 0..1500 {
        let size = 1 + random.below(6);
        let formula = random.formula(size, 2);
        let invariant = is_invariant(&formula, LIMITS).expect("the formula is small");
        found += u32::from(invariant && !formula.is_next_free());
        let mut differs = false;
        for _ in 0..20 {
            let lasso = random.lasso(2);
            differs |= lasso.satisfies(&formula) != random.repeating(&lasso).satisfies(&formula);
        }
        assert!(!(invariant && differs), "{formula}");
        other += u32::from(differs);
    }
    assert!(found > 20 && other > 20, "{found} formulas with `X` are invariant, {other} are seen not to be");
}

/// Formulas of maximal depth, or with automata of maximal size: all translations end.
#[test]
fn extreme_formulas_end() {
    let join = |count: usize, operator: &str, part: &dyn Fn(usize) -> String| {
        (0..count).map(part).collect::<Vec<_>>().join(operator)
    };
    let deep = |count: usize, wrap: &dyn Fn(String, usize) -> String| (0..count).fold("a".to_owned(), wrap);
    for (text, fits) in [
        (join(64, " && ", &|i| format!("<> [] p{i}")), true),
        (join(64, " || ", &|i| format!("[] <> p{i}")), true),
        (join(64, " && ", &|i| format!("[] <> p{i}")), true),
        (format!("!({} -> [] (p62 -> <> p63))", join(60, " && ", &|i| format!("[] <> p{i}"))), true),
        (join(64, " || ", &|i| format!("[] p{i}")), true),
        (format!("!({})", join(64, " && ", &|i| format!("[] (p{i} -> <> p{})", (i + 1) % 64))), true),
        (join(16, " && ", &|i| format!("<> X p{i}")), false),
        (join(64, " U ", &|i| format!("p{i}")), false),
        (join(64, " <-> ", &|i| format!("p{i}")), false),
        (join(64, " <-> ", &|i| format!("[] <> p{i}")), false),
        (join(16, " <-> ", &|i| format!("X p{i}")), false),
        (join(32, " && ", &|i| format!("(p{i} || p{})", i + 32)), false),
        (join(399, " <-> ", &|i| format!("X p{}", i % 3)), true),
        (join(400, " U ", &|i| format!("p{}", i % 3)), false),
        (deep(199, &|inner, _| format!("X <> {inner}")), true),
        (deep(399, &|inner, _| format!("!{inner}")), true),
        (deep(199, &|inner, i| format!("p{} U (p{} V {inner})", i % 3, (i + 1) % 3)), false),
        (deep(60, &|inner, i| format!("<> (p{} && X {inner})", i % 5)), true),
        (join(65, " && ", &|i| format!("p{i}")), false),
    ] {
        let formula = parse_as(Dialect::Model, &text, &mut Names::default()).unwrap();
        assert_eq!(buchi(&formula, Limits::default()).is_ok(), fits, "{text:.60}…");
    }
    assert_eq!(buchi(&Formula::Prop(Prop(64)), Limits::default()), Err(TooLarge::Propositions));
}
