//! Every model file is its own test: its comments say what is to be found out about it.
//!
//! The leading comment of a model has these lines:
//!
//! ```text
//! // options: --on-bound error --max-objects 4      as on the command line; may be left out
//! // verdict: holds                                or `holds up to bounds`, or `violated KIND, …`
//! // states: 36                                    without symmetry and reduction
//! // orbits: 14                                    with all symmetry; may be left out
//! // cells: few                                     each check takes long; may be left out
//! // property NAME: violated                       for each temporal property of the model, or `holds`
//! // property NAME under weak fairness: holds      or `strong`; may be left out
//! ```
//!
//! Such a model is checked in every cell of a [lattice] of options, walked [forth and back](walks), and
//! compared with what the brute force of the plain interpreter finds. Its temporal [properties] are checked
//! with all exact stores and all levels of symmetry that they admit.
//!
//! A model that is to be refused has no verdict. Instead each line that is at fault ends in
//! `// error: CODE or text`, one for each diagnostic there; an error without a line stands in a comment on a
//! line of its own, in the leading comment. There must be no errors beyond those.
//!
//! The models of `benches/symmetric` are such models, too.
//!
//! `BLESS=1 cargo test -p quotient-check --test filetests` writes the numbers of states into the models. It does
//! not touch the file of a model whose verdict is not the one that the file has.

#[path = "../it/common/mod.rs"]
mod common;

mod bless;
mod header;
mod lattice;
mod oracle;
mod rejected;
mod walks;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use quotient_check::config::{Config, SearchKind, StoreKind, Switch};
use testing::{ModelFile, files_below, models, root};

use common::properties;
use header::Header;
use lattice::Cell;
use oracle::Case;

/// The models of `xtask bench --symmetric`, from the root.
const SYMMETRIC: &str = "benches/symmetric";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut files = files_below(&models(), "bir");
    let rejected = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected");
    for (prefix, folder) in [("rejected", rejected), (SYMMETRIC, root().join(SYMMETRIC))] {
        files.extend(files_below(&folder, "bir").into_iter().map(|file| {
            let name = format!("{prefix}/{}", file.name);
            ModelFile { name, ..file }
        }));
    }
    assert!(files.iter().any(rejected::is_rejected), "there are models to refuse");
    let bless = std::env::var_os("BLESS").is_some_and(|value| !value.is_empty() && value != "0");
    let wanted = |name: &str| arguments.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()));

    let mut trials = sanity();
    for mut file in files {
        if bless
            && wanted(&file.name)
            && let Err(reason) = bless::bless(&mut file)
        {
            let name = format!("{}: bless", file.name);
            trials.push(Trial::test(name, move || Err(Failed::from(reason))));
        }
        trials.extend(trials_of(file));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials_of(file: ModelFile) -> Vec<Trial> {
    let name = file.name.clone();
    if rejected::is_rejected(&file) {
        return vec![Trial::test(name, move || rejected::check(&file).map_err(Failed::from))];
    }
    let header = match Header::parse(&file.text) {
        Ok(header) => header,
        Err(reason) => return vec![Trial::test(name, move || Err(Failed::from(reason)))],
    };
    let case = Arc::new(Case::new(file, header));
    let trial = |what: &str, run: fn(&Case) -> Result<(), String>| {
        let case = Arc::clone(&case);
        Trial::test(format!("{name}: {what}"), move || run(&case).map_err(Failed::from))
    };
    let mut trials = vec![
        trial("brute force", oracle::agrees_with_the_header),
        trial("there and back", walks::there_and_back),
        trial("properties", |case| {
            let plain = Config { safety: false, ..case.header.options.config() };
            let reduced = Config { por: Switch::Auto, ..plain.clone() };
            [plain, reduced]
                .iter()
                .try_for_each(|config| properties::check(&case.model()?, &case.file.text, config).map(drop))
        }),
    ];
    let states = if case.header.is_slow { u64::MAX } else { case.header.states };
    trials.extend(lattice::cells(states).into_iter().map(|cell| {
        let case = Arc::clone(&case);
        Trial::test(format!("{name}: {cell}"), move || lattice::check(&case, &cell).map_err(Failed::from))
    }));
    trials
}

/// Tests of these tests: a suite that finds nothing to do must not pass.
fn sanity() -> Vec<Trial> {
    let test = |name: &str, run: fn()| {
        Trial::test(format!("filetests: {name}"), move || {
            run();
            Ok(())
        })
    };
    vec![
        test("the models are found", || {
            let names: Vec<String> =
                files_below(&models(), "bir").into_iter().map(|file| file.name).collect();
            assert!(names.len() >= 50, "{names:?}");
            assert!(names.iter().any(|name| name == "faults/assertion_fault.bir"), "{names:?}");
            assert!(files_below(&root().join(SYMMETRIC), "bir").len() >= 9);
        }),
        test("the lattice has its corners", || {
            let names = |states| lattice::cells(states).iter().map(Cell::to_string).collect::<Vec<String>>();
            let (few, names) = (names(u64::MAX), names(0));
            assert!(few.len() < names.len() && few.iter().all(|name| names.contains(name)), "{few:#?}");
            let default = StoreKind::default();
            for &store in StoreKind::ALL {
                for (ending, once) in [("", store == default), (" --continue", true)] {
                    for search in SearchKind::ALL {
                        let name = format!("--search {search} --store {store} --symmetry none{ending}");
                        let there = once && (*search == SearchKind::Dfs || store.rebuilds());
                        assert_eq!(names.contains(&name), there, "{name}: {names:#?}");
                        let slow = ["automaton", "collapse+automaton", "gzip"].contains(&store.as_str());
                        assert_eq!(few.contains(&name), there && !slow, "{name}: {few:#?}");
                    }
                }
            }
            for search in ["bfs", "dfs"] {
                for level in ["heap", "pc", "bots=0", "bots=1", "bots", "full"] {
                    for naming in ["dfs", "chain"] {
                        let name = format!(
                            "--search {search} --store {default} --symmetry {level} --naming {naming} --continue"
                        );
                        assert!(names.contains(&name), "{name}: {names:#?}");
                    }
                }
            }
        }),
        test("headers", header::tests::all),
        test("lines about properties", properties::tests::all),
        test("some models have temporal properties", || {
            let models = files_below(&models(), "bir");
            let lines = models.iter().map(|file| properties::lines(&file.text).unwrap().len());
            assert!(lines.sum::<usize>() >= 10);
        }),
        test("expected errors", rejected::tests::all),
        test("blessing", bless::tests::all),
    ]
}
