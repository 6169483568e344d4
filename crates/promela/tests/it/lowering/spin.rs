//! The automata of processes against those of SPIN's verifier, state by state, for all available models and
//! for some odd cases. Without SPIN and a C compiler there is nothing to compare.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ir::{Exit, Jump, Program};

use super::{compile_file, compile_merged, models};

/// An edge: its target, the number of its statement, whether it is atomic, whether its state is an end state.
/// A `d_step` is always atomic in SPIN's table.
type Edge = (u32, u32, bool, bool);
type Automata = BTreeMap<(String, u32), Vec<Edge>>;

const CORNERS: &str = include_str!("corners.pml");
const MERGING: &str = include_str!("merging.pml");

#[test]
fn corners_are_those_of_spin() {
    let scratch = scratch("corners");
    let corners = scratch.join("corners.pml");
    fs::write(&corners, CORNERS).expect("scratch is writable");
    if is_installed() {
        assert!(agree(&corners, &scratch), "SPIN does not take the model");
    }
    fs::remove_dir_all(&scratch).expect("scratch can be removed");
}

#[test]
fn merged_statements_are_those_of_spin() {
    let scratch = scratch("merging");
    let path = scratch.join("merging.pml");
    fs::write(&path, MERGING).expect("scratch is writable");
    let program = compile_merged(&path).expect("a model");
    if is_installed() {
        let theirs = spins(&path, &scratch, &[]).expect("SPIN takes the model");
        let reachable = reachable(&program);
        let mut ours = ours(&program);
        ours.retain(|state, _| reachable.contains(state));
        for (state, edges) in &ours {
            assert_eq!(Some(edges), theirs.get(state), "{} state {}", state.0, state.1);
        }
        assert!(ours.len() < self::ours(&program).len(), "nothing is merged");
    }
    fs::remove_dir_all(&scratch).expect("scratch can be removed");
}

/// The states that are left when statements are merged.
fn reachable(program: &Program) -> BTreeSet<(String, u32)> {
    let mut open: Vec<_> = program.procedures.values().map(|procedure| procedure.entry).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            for &transition in &program.locations[id].transitions {
                if let Exit::Jump(Jump::Goto(to)) = program.transitions[transition].exit {
                    open.push(to);
                }
            }
        }
    }
    let name = |location: &ir::Location| spins_name(&program.procedures[location.procedure].name);
    let locations = seen.into_iter().map(|id| &program.locations[id]);
    locations.map(|location| (name(location), location.number)).collect()
}

fn spins_name(name: &str) -> String {
    if name == "init" { ":init:".to_owned() } else { name.to_owned() }
}

#[test]
fn some_models_are_those_of_spin() {
    let some: Vec<_> = models().into_iter().step_by(8).collect();
    compare("some", &some);
}

#[test]
#[ignore = "compiles a verifier for each model: a minute or two"]
fn models_are_those_of_spin() {
    compare("models", &models());
}

fn compare(name: &str, models: &[PathBuf]) {
    if !is_installed() {
        return;
    }
    let scratch = scratch(name);
    let compared = models.iter().filter(|path| agree(path, &scratch)).count();
    assert!(compared > models.len() / 2, "{compared} of {} models were compared", models.len());
    fs::remove_dir_all(&scratch).expect("scratch can be removed");
}

fn is_installed() -> bool {
    let installed = ["spin", "gcc"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok());
    if !installed {
        eprintln!("skipped: SPIN or a C compiler is not installed");
    }
    installed
}

/// Compares a model, unless SPIN or Quotient refuses it.
fn agree(path: &Path, scratch: &Path) -> bool {
    let (Ok(program), _) = compile_file(path) else { return false };
    let Some(theirs) = spins(path, scratch, &["-o3"]) else { return false };
    for (state, edges) in &ours(&program) {
        assert_eq!(Some(edges), theirs.get(state), "{}: {} state {}", path.display(), state.0, state.1);
    }
    true
}

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("quotient-promela-{name}-{}", std::process::id()));
    fs::create_dir_all(&dir).expect("a directory for temporary files");
    dir
}

fn ours(program: &Program) -> Automata {
    let mut automata = Automata::new();
    for transition in program.transitions.values() {
        let source = &program.locations[transition.source];
        if source.fused {
            continue;
        }
        let mut target = 0;
        let mut dstep = false;
        let mut exit = &transition.exit;
        while let Exit::Jump(Jump::Goto(to)) = exit {
            let location = &program.locations[*to];
            if !location.fused {
                target = location.number;
                break;
            }
            // Loops in a `d_step` leave by their last option, in all models here.
            dstep = true;
            let last = location.transitions.last().expect("fused locations have transitions");
            exit = &program.transitions[*last].exit;
        }
        let name = spins_name(&program.procedures[source.procedure].name);
        let edge = (target, transition.number, transition.exclusive && !dstep, source.end);
        automata.entry((name, source.number)).or_default().push(edge);
    }
    automata
}

/// The table that the verifier prints, or `None` if SPIN refuses the model.
fn spins(path: &Path, scratch: &Path, options: &[&str]) -> Option<Automata> {
    let dir = path.parent()?;
    for name in ["pan", "pan.c"] {
        let _ = fs::remove_file(scratch.join(name));
    }
    let absolute = fs::canonicalize(path).ok()?;
    for entry in fs::read_dir(dir).ok()?.filter_map(Result::ok) {
        let to = scratch.join(entry.file_name());
        if entry.path().is_file() && !to.exists() {
            fs::copy(entry.path(), to).ok()?;
        }
    }
    let file = absolute.file_name()?;
    if dir != scratch {
        fs::copy(&absolute, scratch.join(file)).ok()?;
    }
    Command::new("spin").arg("-a").args(options).arg(file).current_dir(scratch).output().ok()?;
    let built = Command::new("gcc")
        .args(["-w", "-O0", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c"])
        .current_dir(scratch)
        .output()
        .ok()?;
    if !built.status.success() {
        return None;
    }
    let table = Command::new("./pan").arg("-d").current_dir(scratch).output().ok()?;
    Some(parse(&String::from_utf8_lossy(&table.stdout)))
}

fn parse(table: &str) -> Automata {
    let mut automata = Automata::new();
    let mut process = None;
    for line in table.lines() {
        let Some(line) = line.strip_prefix('\t') else {
            process = line.strip_prefix("proctype ").map(|name| name.trim().to_owned());
            if line.starts_with("init") {
                process = Some(":init:".to_owned());
            }
            continue;
        };
        let Some(process) = &process else { continue };
        // state 1 -(tr 3)-> state 2  [id 0 tp 2] [A---G] file:line => text
        let numbers: Vec<u32> = line
            .split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .filter_map(|part| part.parse().ok())
            .take(4)
            .collect();
        let (&[from, _, to, id], Some(flags)) = (numbers.as_slice(), line.split('[').nth(2)) else {
            continue;
        };
        let atomic = flags.starts_with('A') && !line.contains("=> D_STEP");
        let end = flags.as_bytes().get(2) == Some(&b'e');
        automata.entry((process.clone(), from)).or_default().push((to, id, atomic, end));
    }
    automata
}
