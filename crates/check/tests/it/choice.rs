//! `--symmetry auto`: which level it stands for, against what the levels do to the number of states.

use std::collections::BTreeMap;
use std::sync::Arc;

use quotient_check::config::{Config, Limits, Naming, Switch, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{Model, Quiet};
use testing::{ModelFile, files_below, models};

use crate::common::load;

fn check(model: &Model, config: &Config) -> Report {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report
}

fn model_of(file: &ModelFile, defines: &[(&str, &str)]) -> Model {
    let defines: Vec<_> = defines.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    load(&file.name, file.text.as_bytes(), &defines).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn named(name: &str, defines: &[(&str, &str)]) -> Model {
    let text = std::fs::read_to_string(models().join(name)).expect("the model is there");
    model_of(&ModelFile { name: name.to_owned(), text }, defines)
}

fn model(text: &str) -> Model {
    let files = BTreeMap::from([("m.bir".to_owned(), text.into())]);
    Model::load(&files, "m.bir", &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn auto() -> Config {
    Config { symmetry: Symmetry::Auto, ..Config::default() }
}

fn unreduced() -> Config {
    Config { symmetry: Symmetry::Auto, ..Config::unreduced() }
}

/// The level, and the reason for it.
fn chosen(model: &Model, config: &Config) -> (Symmetry, String) {
    let report = check(model, config);
    (report.symmetry.level, report.symmetry.chosen.expect("there was a choice"))
}

/// Four threads that are told apart by a number for ever, and take turns in all orders.
fn numbered(steps: u32) -> String {
    format!(
        "system Numbered {{
            int[] count;
            thread T(int me) {{
                int step;
                loc a: when step < {steps} do {{ step := step + 1; count[me] := count[me] + step * (me + 1); }} goto a;
                       when step == {steps} do {{}} return;
            }}
            main thread MAIN() {{
                loc a: do {{ count := new int[4]; start T(0); start T(1); start T(2); start T(3); }} return;
            }}
        }}"
    )
}

/// What the levels `none` and `full` make of the models is what `auto` expects: where it is `none`, there are not so few
/// states with names that they would be faster, at twice the price of a step.
#[test]
fn no_model_loses_much() {
    let mut plain = 0;
    for file in files_below(&models(), "bir") {
        let model = model_of(&file, &[]);
        let searched = |symmetry, most| {
            let limits = Limits { states: Some(most), ..Limits::default() };
            check(&model, &Config { symmetry, keep_going: true, safety: true, limits, ..Config::default() })
        };
        let report = searched(Symmetry::Auto, 1);
        let Some(reason) = &report.symmetry.chosen else { continue };
        assert!(!reason.is_empty());
        match report.symmetry.level {
            Symmetry::None => {
                plain += 1;
                assert!(report.symmetry.not_interchangeable.contains(reason));
                let [none, full] =
                    [Symmetry::None, Symmetry::Full].map(|level| searched(level, 30_000).states);
                assert!(full * 2 >= none, "{}: {full} of {none}", file.name);
            }
            level => assert_eq!(level, Symmetry::Full),
        }
    }
    assert!(plain > 0);
}

#[test]
fn threads_that_differ_for_ever_have_no_names() {
    let peterson = named("peterson.bir", &[("N", "4")]);
    let limits = Limits { states: Some(5_000), ..Limits::default() };
    let (level, reason) = chosen(&peterson, &Config { limits, ..auto() });
    assert_eq!(level, Symmetry::None);
    assert!(reason.starts_with("no two of "), "{reason}");

    let numbered = model(&numbered(9));
    let auto = check(&numbered, &unreduced());
    assert_eq!((auto.verdict, auto.symmetry.level), (Verdict::Holds, Symmetry::None));
    let [none, full] = [Symmetry::None, Symmetry::Full]
        .map(|symmetry| check(&numbered, &Config { symmetry, ..Config::unreduced() }));
    assert_eq!(auto.states, none.states);
    assert!(none.states >= full.states && full.symmetry.chosen.is_none() && none.symmetry.chosen.is_none());
}

#[test]
fn names_that_are_asked_for_are_given() {
    let numbered = model(&numbered(9));
    let naming = Config { naming: Some(Naming::Chain), ..auto() };
    assert_eq!(chosen(&numbered, &naming), (Symmetry::Full, "--naming asks for names".to_owned()));
    let reduced = Config { por: Switch::On, ..auto() };
    assert_eq!(chosen(&numbered, &reduced), (Symmetry::Full, "--por on needs names".to_owned()));
}

/// Alike are only states that come late: behind a long set-up of one thread, and behind steps of threads that differ.
#[test]
fn states_that_come_late_are_seen() {
    let late = |before: &str, threads: &str| {
        model(&format!(
            "system Late {{
                int i; int j; int k;
                thread Worker() {{ int n; loc a: when n < 60 do {{ n := n + 1; }} goto a; when n == 60 do {{}} return; }}
                {threads}
                main thread MAIN() {{
                    loc a: {before} goto a;
                           when i == 900 do {{ start Worker(); start Worker(); start Worker(); start Worker(); }} return;
                }}
            }}"
        ))
    };
    let limits = Limits { states: Some(5_000), ..Limits::default() };
    let config = Config { limits, ..unreduced() };
    let alone = late("when i < 900 do { i := i + 1; }", "");
    assert_eq!(chosen(&alone, &config).0, Symmetry::Full);
    let differ = late(
        "when i < 900 do { i := i + 20; }",
        "active thread P() { loc a: when j < 100 do { j := j + 1; } goto a; when j == 100 do {} return; }
         active thread Q() { loc a: when k < 100 do { k := k + 1; } goto a; when k == 100 do {} return; }",
    );
    assert_eq!(chosen(&differ, &config).0, Symmetry::Full);
}

/// A model of which hardly anything was seen is searched with names.
#[test]
fn small_models_have_names() {
    let small = model(
        "system Small { int (0, 9) x; active thread T() { loc a: when x < 9 do { x := x + 1; } goto a; } }",
    );
    let (level, reason) = chosen(&small, &auto());
    assert_eq!((level, &*reason), (Symmetry::Full, "the states that were looked at do not tell more"));
}

/// Where steps can be left out, which takes names, the level is `full` although nothing is alike.
#[test]
fn reduction_counts_as_well() {
    let step = |at| format!("loc l{at}: do {{ n := n + me; }} goto l{};", at + 1);
    let steps = (0..9).map(step).collect::<Vec<_>>().concat();
    let text = format!(
        "system Own {{
            int done;
            thread T(int me) {{
                int n;
                {steps}
                loc l9: do {{ done := done + n; }} return;
            }}
            main thread MAIN() {{
                loc a: do {{ start T(1); start T(2); start T(3); start T(4); }} return;
            }}
        }}"
    );
    let own = model(&text);
    let (level, reason) = chosen(&own, &auto());
    assert_eq!(level, Symmetry::Full);
    assert!(reason.starts_with("steps can be left out in "), "{reason}");
    assert_eq!(check(&own, &unreduced()).symmetry.level, Symmetry::None);
}

#[test]
fn processes_with_numbers_are_no_matter_of_choice() {
    let forks = named("bench/forks.pml", &[]);
    let limits = Limits { states: Some(1_000), ..Limits::default() };
    let report = check(&forks, &Config { limits, ..auto() });
    assert_eq!((report.symmetry.level, report.symmetry.chosen), (Symmetry::Full, None));
}
