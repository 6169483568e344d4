//! Every level of symmetry finds what there is to find without any: the same verdict, the same faults in the
//! same places, breadth first by ways of the same lengths. Only there are fewer of them: never more than
//! without symmetry.
//!
//! Each violation has been replayed on the plain interpreter by then.

use std::collections::{BTreeMap, BTreeSet};

use quotient_check::config::{Bounds, Config, Limits, Naming, SearchKind, StoreKind, Symmetry};
use quotient_check::report::Report;
use quotient_check::{Checked, TrailFile};

use super::{ALIKE, ANY, Source, check, checked, config, load, models, survives};

/// The levels below `full`.
pub const LOWER: [Symmetry; 5] =
    [Symmetry::Heap, Symmetry::Pc, Symmetry::Bots(Some(0)), Symmetry::Bots(Some(1)), Symmetry::Bots(None)];

/// Models with more states are left out: each is explored in many ways.
pub const FEW_STATES: u64 = 500;

/// What is found at every level.
#[derive(PartialEq, Eq, Debug)]
struct Found {
    verdict: &'static str,
    /// The length of the shortest way, by kind, line and column.
    violations: BTreeMap<(String, Option<(u32, u32)>), u64>,
    /// By objects, threads and frames.
    exceeded: [bool; 4],
    /// By procedure and line.
    dead: BTreeSet<(String, u32)>,
}

impl Found {
    fn of(report: &Report) -> Self {
        let mut violations = BTreeMap::new();
        for violation in &report.violations {
            let place = violation.location.as_ref().map(|place| (place.line, place.column));
            let steps = violations.entry((violation.kind.to_string(), place)).or_insert(violation.steps);
            // Depth first, ways are as long as it happens.
            *steps = if report.search == SearchKind::Bfs { violation.steps.min(*steps) } else { 0 };
        }
        let dead = report.dead_code.iter().map(|code| (code.procedure.clone(), code.location.line));
        let bounds = report.truncations;
        Self {
            verdict: report.verdict.as_str(),
            violations,
            exceeded: super::every(bounds).map(|count| count > 0),
            dead: dead.collect(),
        }
    }
}

/// What is counted where a class has one state: it is the same whatever the search.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Counted {
    states: u64,
    transitions: u64,
    matched: u64,
    violations: u64,
    truncations: u64,
}

impl Counted {
    fn of(report: &Report) -> Self {
        let bounds = report.truncations;
        Self {
            states: report.states,
            transitions: report.transitions,
            matched: report.matched,
            violations: count(report),
            truncations: bounds.objects + bounds.threads + bounds.frames,
        }
    }
}

/// How often something goes wrong.
fn count(report: &Report) -> u64 {
    report.violations.iter().map(|violation| violation.count).sum()
}

/// How many models were good for what.
#[derive(Clone, Copy, Default, Debug)]
struct Worth {
    compared: u64,
    violated: u64,
    /// There are fewer states than without symmetry.
    reduced: u64,
    /// Ties had to be searched.
    tied: u64,
    /// On a way that was found breadth first something is chosen, or a thread acts that was not there at
    /// first.
    chosen: u64,
    started: u64,
}

impl Worth {
    fn add(&mut self, other: Self) {
        let Self { compared, violated, reduced, tied, chosen, started } = other;
        self.compared += compared;
        self.violated += violated;
        self.reduced += reduced;
        self.tied += tied;
        self.chosen += chosen;
        self.started += started;
    }
}

/// Checks a model at all levels, unless it has too many states.
fn agreement(text: &str, bounds: Bounds) -> Result<Worth, String> {
    let model = load(text)?;
    let limits = Limits { states: Some(FEW_STATES), ..Limits::default() };
    let plain = Config { keep_going: true, limits, ..config(bounds, SearchKind::Bfs, StoreKind::Exact) };
    let without = SearchKind::ALL
        .iter()
        .map(|&search| check(&model, &Config { search: Some(search), ..plain.clone() }));
    let without = without.collect::<Result<Vec<Report>, String>>()?;
    if without[0].states == FEW_STATES {
        return Ok(Worth::default());
    }
    let (mut orbits, mut heap) = (None, None);
    let (mut reduced, mut tied, mut chosen, mut started) = (false, false, false, false);
    // At these two levels a class has one state, so there is nothing to choose.
    for symmetry in [Symmetry::Full].into_iter().chain(LOWER) {
        for &naming in Naming::ALL {
            for (&search, without) in SearchKind::ALL.iter().zip(&without) {
                let way = format!("--symmetry {symmetry} --naming {naming} --search {search}");
                let limits = Limits::default();
                let config =
                    Config { symmetry, naming: Some(naming), search: Some(search), limits, ..plain.clone() };
                let Checked { report, trail, .. } =
                    checked(&model, &config).map_err(|error| format!("{way}: {error}"))?;
                let (found, expected) = (Found::of(&report), Found::of(without));
                if found != expected {
                    return Err(format!("{way}: {found:#?}\nwithout symmetry: {expected:#?}"));
                }
                let counted = Counted::of(&report);
                let states = counted.states;
                match symmetry {
                    Symmetry::Full | Symmetry::Heap => {
                        let exact = if symmetry == Symmetry::Full { &mut orbits } else { &mut heap };
                        let exact = exact.get_or_insert(counted.clone());
                        if counted != *exact || !report.symmetry.canonical {
                            return Err(format!("{way}: {counted:?}, but there are {exact:?}"));
                        }
                    }
                    Symmetry::Pc | Symmetry::Bots(_) | Symmetry::None | Symmetry::Auto => {}
                }
                let least = orbits.as_ref().map_or(0, |orbits| orbits.states);
                let most = heap.as_ref().map_or(without.states, |heap| heap.states);
                if !(least..=most).contains(&states) || most > without.states {
                    return Err(format!(
                        "{way}: {states} states, {least} orbits, {most} with other objects, {} without symmetry",
                        without.states
                    ));
                }
                if count(&report) > count(without) {
                    return Err(format!("{way}: {} violations, {} without", count(&report), count(without)));
                }
                reduced |= states < without.states;
                tied |= report.symmetry.ties_searched > 0;
                if search == SearchKind::Bfs {
                    let steps = || trail.iter().flat_map(TrailFile::steps);
                    chosen |= steps().any(|step| step.choice > 0);
                    started |= steps().any(|step| step.thread as usize >= model.program.active.len());
                }
            }
        }
    }
    Ok(Worth {
        compared: 1,
        violated: u64::from(count(&without[0]) > 0),
        reduced: reduced.into(),
        tied: tied.into(),
        chosen: chosen.into(),
        started: started.into(),
    })
}

fn compare(all: u64, source: Source) -> Worth {
    let mut worth = Worth::default();
    for seed in 0..all {
        worth.add(survives(seed, source, agreement));
    }
    eprintln!("{worth:?}");
    worth
}

#[test]
fn every_level_finds_the_same() {
    let all = models() / 2;
    let worth = compare(all, ANY);
    assert!(worth.compared > all / 2, "{worth:?} of {all}");
    assert!(worth.violated > all / 10, "{worth:?} of {all}");
}

#[test]
fn every_level_finds_the_same_among_the_alike() {
    let all = models() / 2;
    let worth = compare(all, ALIKE);
    assert!(worth.compared > all / 2, "{worth:?} of {all}");
    assert!(
        worth.violated > all / 4 && worth.reduced > all / 3 && worth.tied > all / 50,
        "{worth:?} of {all}"
    );
    assert!(worth.chosen > all / 100 && worth.started > all / 5, "{worth:?} of {all}");
}

/// What an object or a thread is called depends on the state, and not on how the search came there.
#[test]
fn names_do_not_depend_on_the_past() {
    // Members of a set have no places to be named by. Those that globals mention as well do, for a while.
    let members = "system Members {
      top record Object {}
      record Node extends Object { int (0, 3) v; }
      record Box extends Object { Set.type<Node> nodes; }
      Box box;
      Node g;
      Node h;
      main thread Main() {
        Node p;
        int (0, 3) i;
        atomic
          box := new Box;
          while i < 3 do
            i := i + 1;
            p := new Node;
            p.v := i;
            Set.add(box.nodes, p);
          end
          p := new Node;
          Set.add(box.nodes, p);
          p := null;
        end
        while true do
          choose
            when <true> do g := Set.choose(box.nodes);
            when <true> do g := null;
            when <true> do h := Set.choose(box.nodes);
            when <true> do h := null;
          end
        end
      }
    }";
    // The id of a thread that ended is free for the next one.
    let threads = "system Threads {
      thread Last() { skip; }
      thread First() { start Last(); skip; }
      main thread Main() { start First(); skip; start First(); }
    }";
    for text in [members, threads] {
        let worth = agreement(text, super::wide_bounds(1)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(worth.compared, 1, "{text}");
    }
}
