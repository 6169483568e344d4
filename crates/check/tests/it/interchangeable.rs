//! What reports say about what was interchangeable, and what was not.

use std::sync::Arc;

use quotient_check::config::{Config, Symmetry};
use quotient_check::report::{self, InterchangeableKind};
use quotient_check::{Model, Quiet};

fn model(text: &str) -> Model {
    crate::common::load("m.bir", text.as_bytes(), &[]).unwrap_or_else(|rejected| panic!("{rejected}"))
}

fn check(model: &Model, config: &Config) -> report::Symmetry {
    let checked = quotient_check::check(model, config, 0, &Arc::default(), &mut Quiet);
    checked.unwrap_or_else(|error| panic!("{error:?}")).report.symmetry
}

fn groups(symmetry: &report::Symmetry) -> Vec<(InterchangeableKind, &str, u32)> {
    symmetry.interchangeable.iter().map(|of| (of.kind, &of.name[..], of.count)).collect()
}

/// Four workers at a time, each with a cell; the cells are gone when the locks are made.
const MODEL: &str = "system S {
    abstract enum Key { A, B, C, D }
    record Cell { int v; }
    Key last;
    int (0, 4) running;
    lock one;
    lock two;
    invariant Named = last == Key.A => running >= 0;
    ltl Chosen = <> (last == Key.A || last == Key.B);
    ltl Ends = forall Worker w: <> !w@busy;
    thread Worker() {
        Cell mine;
        loc busy: do { mine := new Cell; } goto done;
        loc done: do { running := running - 1; } return;
    }
    main thread Main() {
        int (0, 4) started;
        loc begin:
            when started < 4 do { started := started + 1; running := running + 1; start Worker(); } goto begin;
            when started == 4 do { last := Set.choose(Key.all); } goto rest;
        loc rest: when running == 0 do { assert last != Key.B || true; one := new lock; two := new lock; } return;
    }
}";

#[test]
fn kinds_of_which_there_are_several() {
    use InterchangeableKind::{Element, Object, Thread};
    let model = model(MODEL);
    let safety = Config { safety: true, ..Config::unreduced() };
    let full = check(&model, &safety);
    assert_eq!(groups(&full), [(Thread, "Worker", 4), (Object, "Cell", 4), (Element, "Key", 2)]);
    let heap = check(&model, &Config { symmetry: Symmetry::Heap, ..safety.clone() });
    assert_eq!(groups(&heap), [(Object, "Cell", 4), (Element, "Key", 2)]);
    let none = check(&model, &Config { symmetry: Symmetry::None, ..safety });
    assert!(groups(&none).is_empty());
}

#[test]
fn what_names_the_pinned() {
    let model = model(MODEL);
    let all = check(&model, &Config { keep_going: true, ..Config::default() });
    let names: Vec<&str> = all.pinned_by.iter().map(|pinned| &pinned.name[..]).collect();
    assert_eq!(names, all.pinned);
    assert_eq!(names, ["Key.A", "Key.B", "Worker w"]);
    assert_eq!(all.pinned_by[0].by, ["invariant `Named`", "property `Chosen`"]);
    assert_eq!(all.pinned_by[1].by[0], "property `Chosen`");
    assert!(all.pinned_by[1].by[1].starts_with("assertion at m.bir:21:"), "{:?}", all.pinned_by[1]);
    assert_eq!(all.pinned_by[2].by, ["property `Ends`"]);
}
