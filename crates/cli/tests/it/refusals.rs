//! Options that are not available yet are refused by their names, never ignored.

use check::Language;
use check::config::{Config, Fairness, Naming, StoreKind, Switch, Symmetry};

use crate::support::Sandbox;

/// Every option with a value that may not be available, as it is typed and as the library knows it.
fn candidates() -> Vec<(String, Config)> {
    let config = Config::default;
    let symmetries = [
        Symmetry::None,
        Symmetry::Heap,
        Symmetry::Pc,
        Symmetry::Bots(None),
        Symmetry::Bots(Some(0)),
        Symmetry::Bots(Some(u32::MAX)),
        Symmetry::Full,
    ];
    let mut all: Vec<(String, Config)> = Vec::new();
    all.extend(
        symmetries.map(|symmetry| (format!("--symmetry {symmetry}"), Config { symmetry, ..config() })),
    );
    all.extend(
        Naming::ALL
            .iter()
            .map(|&naming| (format!("--naming {naming}"), Config { naming: Some(naming), ..config() })),
    );
    all.push(("--por on".to_owned(), Config { por: Switch::On, ..config() }));
    all.push(("--merge on".to_owned(), Config { merge: Switch::On, ..config() }));
    all.push(("--threads 0".to_owned(), Config { threads: Some(0), ..config() }));
    all.push(("--threads 2".to_owned(), Config { threads: Some(2), ..config() }));
    all.push(("--threads 4294967295".to_owned(), Config { threads: Some(u32::MAX), ..config() }));
    all.push(("--ltl []true".to_owned(), Config { ltl: Some("[]true".to_owned()), ..config() }));
    let (fairness, non_progress) = (Fairness::Weak, true);
    all.push(("--fairness weak --non-progress".to_owned(), Config { fairness, non_progress, ..config() }));
    all.push(("--non-progress".to_owned(), Config { non_progress: true, ..config() }));
    all.push(("--safety".to_owned(), Config { safety: true, ..config() }));
    all
}

#[test]
fn what_is_not_available_is_refused_by_name() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let mut refused = 0;
    for (option, config) in candidates() {
        let run = sandbox.run(&format!("check philosophers_ordered.bir {option}"));
        match config.refusal(Language::Bir.dialect()) {
            Some(reason) => {
                refused += 1;
                let name = option.split(' ').next().expect("an option has a name");
                run.refused(&[&format!("error: {reason}\n"), name]);
            }
            // A model without progress labels makes no progress.
            None => drop(run.expect(i32::from(config.non_progress))),
        }
    }
    assert!(refused > 0, "when everything is available, this test has done its work");
}

/// Refusals do not wait for the model to be read.
#[test]
fn options_are_looked_at_before_the_model() {
    let run = Sandbox::new().run("check missing.bir --ltl p --safety");
    run.refused(&["--ltl and --safety ask for one thing only each"]);
    assert!(!run.stderr.contains("missing.bir"), "{}", run.stderr);
}

/// What a check for cycles cannot do, and what there is not.
#[test]
fn temporal_properties_are_refused_by_name() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (options, text) in [
        ("--ltl []true --store compact", "--store compact may take a state for another one"),
        ("--non-progress --store bitstate", "--store bitstate may take a state for another one"),
        ("--ltl []true --symmetry pc", "with --ltl use --symmetry full, heap or none"),
        ("--acceptance --symmetry bots=2", "with --acceptance use --symmetry full, heap or none"),
        ("--safety --fairness weak", "--fairness weak matters to temporal properties"),
        ("--ltl p --property P", "--ltl and --property ask for one thing only each"),
        ("--acceptance --non-progress", "--non-progress and --acceptance ask for one thing only each"),
        ("--acceptance", "the model has no accept labels"),
        ("--property P", "has no temporal properties"),
        ("--ltl []p", "`p`"),
        ("--ltl [](", "error["),
    ] {
        sandbox.run(&format!("check philosophers.bir {options}")).refused(&[text]);
    }
}

#[test]
fn automata_are_those_of_properties() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.run("print --automaton philosophers.bir").refused(&["has no temporal properties"]);
    sandbox.run("print --ir philosophers.bir --ltl p").refused(&["--ltl", "--ir"]);
    sandbox.run("print --automaton philosophers.bir --ltl p --property q").refused(&["--property"]);
}

#[test]
fn defaults_can_be_written_out() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    let store = StoreKind::default();
    let defaults = format!(
        "--search bfs --store {store} --symmetry full --naming auto --por auto --merge auto \
         --threads 1 --fairness none --on-bound truncate --seed 0"
    );
    let (run, written) = sandbox.json(&format!("check philosophers_ordered.bir {defaults}"));
    run.expect(0);
    let (_, silent) = sandbox.json("check philosophers_ordered.bir");
    for key in ["search", "symmetry", "reduction", "bounds", "states", "matched", "assumptions", "seed"] {
        assert_eq!(written[key], silent[key], "{key}");
    }
    assert_eq!(written["store"]["kind"], silent["store"]["kind"]);
    sandbox.run(&format!("check philosophers_ordered.bir {defaults} --format human")).expect(0);
}

/// All levels are available, with both ways to name objects.
#[test]
fn no_level_of_symmetry_is_refused() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    for level in ["heap", "pc", "bots", "bots=0", "bots=4294967295", "full"] {
        for naming in ["dfs", "chain"] {
            sandbox
                .run(&format!("check philosophers_ordered.bir --symmetry {level} --naming {naming}"))
                .expect(0);
        }
    }
    sandbox.run("check philosophers_ordered.bir --symmetry none").expect(0);
}

/// Without symmetry nothing is named.
#[test]
fn names_need_symmetry() {
    let sandbox = Sandbox::with("philosophers_ordered.bir");
    for naming in ["dfs", "chain"] {
        let run = sandbox.run(&format!("check philosophers_ordered.bir --symmetry none --naming {naming}"));
        run.refused(&[
            &format!("--naming {naming} has no meaning with --symmetry none"),
            "which renames nothing",
        ]);
    }
}

/// Options that would have no effect beside others are refused as well.
#[test]
fn options_that_would_be_ignored_are_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    for line in [
        "simulate philosophers.bir --interactive --until true",
        "simulate philosophers.bir --interactive --steps 1",
        "print philosophers.bir --ir --max-objects 4",
        "print philosophers.bir --ir --layout",
        "print philosophers.bir --layout --on-bound error",
        "replay philosophers.bir x.trail.json --max-objects 4",
    ] {
        let run = sandbox.run(line);
        run.refused(&["--"]);
    }
}

/// What only models of one language have cannot be asked for in the other.
#[test]
fn options_of_the_other_language_are_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    sandbox.write("m.pml", "active proctype P() { skip }");
    for (line, text) in [
        ("check m.pml --max-objects 4", "--max-objects 4 has no meaning for Promela models"),
        ("check m.pml --max-frames 4", "--max-frames 4 has no meaning for Promela models"),
        ("check m.pml --naming dfs", "--naming dfs has no meaning for Promela models"),
        ("simulate m.pml --max-frames 4", "--max-frames 4 has no meaning"),
        ("graph m.pml --format aut --max-objects 4", "--max-objects 4 has no meaning"),
        ("print m.pml --layout --max-objects 4", "--max-objects 4 has no meaning"),
        ("check philosophers.bir --trail-format spin", "--trail-format spin is for Promela models"),
    ] {
        sandbox.run(line).refused(&[text]);
    }
    sandbox.run("check m.pml --max-threads 4").expect(0);
}

#[test]
fn values_that_make_no_sense_are_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    for (option, text) in [
        ("--search sideways", "expected one of bfs, dfs"),
        ("--store attic", "expected one of trie, exact,"),
        ("--symmetry perfect", "expected one of none, heap, pc, bots, bots=K, full, auto"),
        ("--symmetry bots=x", "the K of bots=K must be a number that is not negative, not `x`"),
        ("--symmetry bots=-1", "the K of bots=K must be a number that is not negative, not `-1`"),
        ("--symmetry bots=4294967296", "the K of bots=K must be a number"),
        ("--symmetry bots=", "the K of bots=K must be a number"),
        ("--symmetry Full", "expected one of none, heap, pc, bots, bots=K, full, auto"),
        ("--naming alphabetical", "expected one of dfs, chain"),
        ("--por maybe", "expected one of auto, off, on"),
        ("--max-states 0", "--max-states"),
        ("--max-states many", "--max-states"),
        ("--max-depth=-1", "--max-depth"),
        ("--max-objects 0", "expected a number from 1 to 2147483647"),
        ("--max-threads 2147483648", "expected a number from 1 to 2147483647"),
        ("--memory 0", "a size must be at least one byte"),
        ("--memory 99999999999999G", "the size is too large"),
        ("--time 99999999999999999999d", "the duration is too large"),
        ("--store bitstate --arena 2^64", "the number of bits is too large"),
        ("--max-states 99999999999999999999", "the number is too large"),
        ("--max-depth 99999999999999999999", "the number is too large"),
        ("--memory 12parsecs", "unknown unit `parsecs`"),
        ("--time soon", "unknown unit `soon`"),
        ("--on-bound explode", "expected one of truncate, error"),
        ("--format xml", "[possible values: human, json, junit, sarif]"),
        ("-D N", "expected NAME=VALUE"),
        ("-D =3", "expected NAME=VALUE"),
        ("--frobnicate", "unexpected argument '--frobnicate'"),
    ] {
        sandbox.run(&format!("check philosophers.bir {option}")).refused(&[text]);
    }
    let nothing = sandbox.run("");
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.stdout.is_empty() && nothing.stderr.contains("Usage: quotient <COMMAND>"), "{nothing:?}");
    sandbox.run("check").refused(&["<MODEL>"]);
    sandbox.run("conjure philosophers.bir").refused(&["unrecognized subcommand 'conjure'"]);
    sandbox.run("print philosophers.bir").refused(&["--ir"]);
    sandbox.run("graph philosophers.bir").refused(&["--format"]);
}
