//! `xtask bench --dynamic`: the stores against each other, on models with objects and threads.
//!
//! Full symmetry is used, as by default. Memory is that of the store alone, as it reports it, since stores
//! are compared here: the memory of the search and of the names is the same with all of them.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::contest::{Contestant, DEFAULT, Figures, Store};
use super::report::{Clock, NONE, list, megabytes, ratio};
use super::{BenchArgs, medians};
use crate::model::Model;
use crate::ours::Quotient;
use crate::page::{self, machine};
use crate::process;
use crate::table::{Table, grouped};

const COMMAND: &str = "cargo xtask bench --dynamic";

/// The store that the others are compared with.
const BASELINE: &str = "exact";

/// With an array that is neither much too large for these models nor too small.
const BITSTATE: &Store = &Store {
    name: "bitstate",
    kind: "bitstate",
    options: &["--arena", "2^23"],
    lossy: true,
    queues: false,
    against: DEFAULT,
};

pub fn run(args: &BenchArgs) -> Result<()> {
    let limit = Duration::from_secs(args.timeout());
    let quotient = Quotient::find(args.quotient.clone(), "dist", limit)?;
    let stores = args.stores()?.into_iter();
    let stores: Vec<_> =
        stores.map(|store| if store.name == BITSTATE.name { BITSTATE } else { store }).collect();
    let version = process::version(&quotient.path, "--version", limit)?;
    let conditions = [
        format!(
            "{version}: `quotient check MODEL --symmetry full{} --store STORE`, `bitstate` with `{}`",
            args.search.option(),
            BITSTATE.options.join(" ")
        ),
        format!("on {}", machine()),
        medians(args),
    ];
    let mut table = Table::new(HEADINGS);
    let mut notes = Vec::new();
    let markdown = |table: &Table, notes: &[String]| {
        let notes = (!notes.is_empty()).then(|| list(notes));
        [list(&conditions), table.markdown()].into_iter().chain(notes).collect::<Vec<_>>().join("\n")
    };
    for selected in args.selected()? {
        let folder = tempfile::tempdir().context("can't make a temporary folder")?;
        let model = selected.open(args, folder.path())?;
        let measured = measure(args, &model, &quotient, &stores, folder.path(), limit)?;
        agree(&model.name, &measured)?;
        rows(&model.name, &measured, args.clock, &mut table, &mut notes);
        if let Some(path) = &args.out {
            page::write(path, COMMAND, &markdown(&table, &notes))?;
        }
    }
    if args.out.is_none() {
        print!("{}", markdown(&table, &notes));
    }
    Ok(())
}

/// A store, and its figures or why there are none.
type Measured = (&'static Store, Result<Figures, String>);

fn measure(
    args: &BenchArgs,
    model: &Model,
    quotient: &Quotient,
    stores: &[&'static Store],
    folder: &Path,
    limit: Duration,
) -> Result<Vec<Measured>> {
    let mut contestants: Vec<_> = stores
        .iter()
        .map(|&store| (store, Contestant::quotient(store, quotient, model, args.search.of(store), "full")))
        .collect();
    for repetition in 1..=args.repetitions() {
        for (_, contestant) in &mut contestants {
            let Some(how) = contestant.run(folder, limit)? else { continue };
            eprintln!("{}: {}, run {repetition}: {how}", model.name, contestant.tool.name());
        }
    }
    Ok(contestants.into_iter().map(|(store, contestant)| (store, contestant.figures())).collect())
}

/// Fails if exact stores have different counts.
fn agree(model: &str, measured: &[Measured]) -> Result<()> {
    let exact = measured.iter().filter(|(store, _)| !store.lossy);
    let counts: Vec<_> = exact
        .filter_map(|(store, figures)| Some((store.name, figures.as_ref().ok()?)))
        .map(|(name, figures)| (name, (figures.states, figures.transitions)))
        .collect();
    for pair in counts.windows(2) {
        let [(one, first), (other, second)] = [pair[0], pair[1]];
        if first != second {
            bail!("{model}: {one} has {first:?} states and transitions, {other} has {second:?}");
        }
    }
    Ok(())
}

const HEADINGS: &[&str] = &[
    "model",
    "store",
    ">states",
    ">transitions",
    ">seconds",
    ">transitions/s",
    ">store (MB)",
    ">bytes/state",
    ">store / exact",
];

/// One row per store; notes say what is missing and why.
fn rows(model: &str, measured: &[Measured], clock: Clock, table: &mut Table, notes: &mut Vec<String>) {
    let bytes = |figures: &Result<Figures, String>| Some(figures.as_ref().ok()?.store? as f64);
    let baseline = measured.iter().find(|(store, _)| store.name == BASELINE);
    let baseline = baseline.and_then(|(_, figures)| bytes(figures));
    for (store, figures) in measured {
        let name = if store.lossy { format!("{} (lossy)", store.name) } else { store.name.to_owned() };
        let mut cells = vec![model.to_owned(), name];
        match figures {
            Ok(figures) => {
                let bytes = figures.store.unwrap_or_default() as f64;
                cells.extend([
                    grouped(figures.states),
                    grouped(figures.transitions),
                    format!("{:.2}", figures.seconds),
                    grouped(clock.speed(figures) as u64),
                    megabytes(bytes),
                    format!("{:.1}", bytes / figures.states as f64),
                    ratio(baseline.map(|baseline| bytes / baseline)),
                ]);
            }
            Err(why) => {
                notes.push(format!("{model}, {}: {why}", store.name));
                cells.resize(HEADINGS.len(), NONE.to_owned());
            }
        }
        table.push(cells);
    }
}

#[cfg(test)]
mod tests {
    use super::super::contest::STORES;
    use super::*;

    fn measured(states: u64, lossy_states: u64) -> Vec<Measured> {
        let figures = |states, store| Figures {
            states,
            transitions: 30,
            seconds: 1.0,
            cpu_seconds: 1.0,
            peak: 0.0,
            start_up: 0.0,
            store: Some(store),
        };
        let store = |name| STORES.iter().find(|store| store.name == name).unwrap();
        vec![
            (store("exact"), Ok(figures(10, 2_000_000))),
            (store("collapse"), Ok(figures(states, 500_000))),
            (store("gzip"), Err("more than 300 s".to_owned())),
            (BITSTATE, Ok(figures(lossy_states, 1_000_000))),
        ]
    }

    #[test]
    fn exact_stores_must_agree_and_lossy_ones_need_not() {
        assert!(agree("m", &measured(10, 9)).is_ok());
        assert!(agree("m", &measured(11, 10)).unwrap_err().to_string().contains("collapse"));
    }

    #[test]
    fn rows_compare_with_exact() {
        let (mut table, mut notes) = (Table::new(HEADINGS), Vec::new());
        rows("m", &measured(10, 10), Clock::Wall, &mut table, &mut notes);
        let text = table.markdown();
        let cells = |name: &str| -> Vec<&str> {
            let line = text.lines().find(|line| line.contains(name)).unwrap();
            line.split('|').map(str::trim).collect()
        };
        assert_eq!(cells("collapse")[7..10], ["0.5", "50000.0", "0.25"]);
        assert_eq!(cells("gzip")[3], NONE);
        assert_eq!(cells("bitstate (lossy)")[9], "0.50");
        assert_eq!(notes, ["m, gzip: more than 300 s"]);
    }
}
