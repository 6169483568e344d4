//! SPIN's side: generate the verifier, compile it, run it without reductions, read what it prints.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::kinds::{self, Kinds};
use crate::model::Model;
use crate::process::{self, End, Run};

/// SPIN, the C compiler, and how to use them.
#[derive(Clone, Debug)]
pub struct Spin {
    pub program: PathBuf,
    pub cc: PathBuf,
    /// The time limit of `spin -a` and of the C compiler.
    pub limit: Duration,
    /// The time limit of the verifier.
    pub verifier_limit: Duration,
    /// The memory limit of the verifier, in megabytes.
    pub memory: u32,
    pub effort: Effort,
    /// Whether it merges statements.
    pub merge: bool,
}

/// The size of models that the verifier is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Models of any size.
    Large,
    /// Models so small that compiling them takes longer than running them.
    Tiny,
}

/// SPIN's result for a model.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It refuses the model, for this reason.
    Refused(String),
    /// Nothing to compare with: it takes too long, is too deep, the verifier can't be compiled, ...
    Unusable(String),
    Explored(Exploration),
}

/// What the verifier found.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Exploration {
    pub kinds: Kinds,
    pub states: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic_steps: u64,
    pub depth: u64,
    /// Bytes of the largest state.
    pub vector: u64,
    pub errors: u64,
    /// The verifier gave up at an error.
    pub broken_off: bool,
    /// The model has a never claim or an LTL formula, which was left out.
    pub claim: bool,
    /// The time of the verifier alone.
    pub seconds: f64,
}

impl Exploration {
    /// The verdict with the kinds of errors.
    pub fn verdict(&self) -> String {
        if self.kinds.is_empty() {
            "holds".into()
        } else {
            format!("violated {}", kinds::describe(&self.kinds))
        }
    }
}

impl Spin {
    /// Finds the programs; the error says which one is missing.
    pub fn find(limit: Duration, effort: Effort) -> Result<Self> {
        let program = process::find(&["spin"]).context(
            "SPIN is not installed: there is no `spin` on the search path (Debian: apt install spin)",
        )?;
        let cc = process::find(&["cc", "gcc", "clang"])
            .context("there is no C compiler on the search path (cc, gcc or clang), SPIN needs one")?;
        Ok(Self { program, cc, limit, verifier_limit: limit, memory: 4000, effort, merge: false })
    }

    /// Explores a model without reductions, in a folder that must be empty.
    pub fn explore(&self, model: &Model, folder: &Path) -> Result<Outcome> {
        self.explore_with(model, folder, &["-DSAFETY", "-DNOCLAIM", "-DNOREDUCE"])
    }

    /// Explores a model as SPIN does by default: with partial order reduction and merged statements.
    pub fn explore_reduced(&self, model: &Model, folder: &Path) -> Result<Outcome> {
        self.merging().explore_with(model, folder, &["-DSAFETY", "-DNOCLAIM"])
    }

    /// The same tool, merging statements.
    pub fn merging(&self) -> Self {
        Self { merge: true, ..self.clone() }
    }

    fn explore_with(&self, model: &Model, folder: &Path, defines: &[&str]) -> Result<Outcome> {
        if let Err(outcome) = self.generate(model, folder)? {
            return Ok(outcome);
        }
        if let Err(outcome) = self.compile_as(folder, defines)? {
            return Ok(outcome);
        }
        let mut run = self.verify(folder, &["-c0"])?;
        if run.text().contains(VECTOR_TOO_SMALL) {
            if let Err(outcome) = self.compile_as(folder, &[defines, &["-DVECTORSZ=32000"]].concat())? {
                return Ok(outcome);
            }
            run = self.verify(folder, &["-c0"])?;
        }
        if run.text().contains(TOO_DEEP) && self.effort == Effort::Large {
            run = self.verify(folder, &["-c0", "-m10000000"])?;
        }
        Ok(match read_verifier(&run) {
            Outcome::Explored(found) if found.states + found.matched >= ROUNDED => {
                Outcome::Unusable("SPIN rounds numbers as large".to_owned())
            }
            outcome => outcome,
        })
    }

    /// `spin -a`
    pub fn generate(&self, model: &Model, folder: &Path) -> Result<Result<(), Outcome>> {
        let options = ["-a".to_owned()].into_iter().chain((!self.merge).then(|| "-o3".to_owned()));
        let path = model.path.display().to_string();
        let options = options.chain(model.define_options()).chain([path]);
        let run = process::run(process::command(&self.program, folder, options), self.limit)?;
        if run.end == End::TimedOut {
            return Ok(Err(Outcome::Unusable("spin -a takes too long".to_owned())));
        }
        let text = run.text();
        let line = |sign: &str| text.lines().find(|line| line.contains(sign));
        if !run.succeeded() || line("Error:").is_some() || !folder.join("pan.c").is_file() {
            let message = line("Error:").or_else(|| line("error:")).or_else(|| text.trim().lines().last());
            return Ok(Err(Outcome::Refused(message.unwrap_or("no message").to_owned())));
        }
        Ok(Ok(()))
    }

    /// Compiles `pan` from `pan.c`, without reductions and for safety alone.
    pub fn compile(&self, folder: &Path, more: &[&str]) -> Result<Result<(), Outcome>> {
        self.compile_with(folder, &[&["-DSAFETY"], more].concat())
    }

    /// Compiles `pan` from `pan.c`, without reductions.
    pub fn compile_with(&self, folder: &Path, more: &[&str]) -> Result<Result<(), Outcome>> {
        self.compile_as(folder, &[&["-DNOREDUCE"], more].concat())
    }

    /// Compiles `pan` from `pan.c`, with partial order reduction unless one of these options excludes it.
    pub fn compile_as(&self, folder: &Path, more: &[&str]) -> Result<Result<(), Outcome>> {
        let optimise = match self.effort {
            Effort::Large => "-O2",
            Effort::Tiny => "-O0",
        };
        let memory = format!("-DMEMLIM={}", self.memory);
        let options = [optimise, "-w", &memory, "-o", "pan", "pan.c"];
        let run = process::run(process::command(&self.cc, folder, options.iter().chain(more)), self.limit)?;
        Ok(match run.end {
            End::Code(0) => Ok(()),
            End::TimedOut => Err(Outcome::Unusable("the C compiler takes too long".to_owned())),
            _ => {
                let line =
                    run.text().lines().find(|line| line.contains("error")).unwrap_or_default().to_owned();
                Err(Outcome::Unusable(format!("the C compiler refuses the verifier: {line}")))
            }
        })
    }

    /// Runs `pan`.
    pub fn verify(&self, folder: &Path, more: &[&str]) -> Result<Run> {
        // The verifier allocates stack and hash table beforehand, which takes longer than small models do.
        let sizes: &[&str] = match self.effort {
            Effort::Large => &["-m100000"],
            Effort::Tiny => &["-m100000", "-w18"],
        };
        process::run(
            process::command(folder.join("pan"), folder, sizes.iter().chain(more)),
            self.verifier_limit,
        )
    }

    /// Seconds for everything from the source to the verdict.
    pub fn explore_timed(&self, model: &Model, folder: &Path) -> Result<(Outcome, f64)> {
        let start = Instant::now();
        let outcome = self.explore(model, folder)?;
        Ok((outcome, start.elapsed().as_secs_f64()))
    }
}

pub const TOO_DEEP: &str = "max search depth too small";
const VECTOR_TOO_SMALL: &str = "VECTORSZ is too small";
const SIGFPE: i32 = 8;
/// From here on the verifier prints no more than the first eight digits of a number.
const ROUNDED: u64 = 100_000_000;

/// Whether one of our numbers equals one of SPIN's, as far as the verifier prints it.
pub fn same_number(ours: u64, spins: u64) -> bool {
    let digits = |number: u64| format!("{:.7e}", number as f64);
    if spins < ROUNDED { ours == spins } else { digits(ours) == digits(spins) }
}

/// The result in the verifier's output. With `-c0` it explores everything and prints a line `pan:N: MESSAGE`
/// whenever the message differs from that of the last error: so every kind shows up at least once.
pub fn read_verifier(run: &Run) -> Outcome {
    let text = run.text();
    let unusable = |why: &str| Outcome::Unusable(why.to_owned());
    for (sign, why) in [
        (TOO_DEEP, "too deep for SPIN"),
        ("reached -DMEMLIM bound", "out of memory in SPIN"),
        ("out of memory", "out of memory in SPIN"),
        ("has unconditional self-loop", "SPIN can't verify unconditional self-loops"),
        (VECTOR_TOO_SMALL, "state vector too large for SPIN"),
    ] {
        if text.contains(sign) {
            return unusable(why);
        }
    }
    let mut found = Exploration {
        kinds: text.lines().filter_map(error_message).map(kinds::from_spin).collect(),
        broken_off: text.contains("Search not completed"),
        claim: text.contains("unreached in claim"),
        seconds: run.seconds,
        ..Exploration::default()
    };
    match run.end {
        End::TimedOut => return unusable("takes too long in SPIN"),
        End::Signal(SIGFPE) => {
            found.kinds.insert("division-by-zero".to_owned());
            found.broken_off = true;
            return Outcome::Explored(found);
        }
        End::Signal(signal) => return unusable(&format!("SPIN's verifier crashes (signal {signal})")),
        End::Code(_) => {}
    }
    match read_counts(&text, &mut found) {
        Some(()) => Outcome::Explored(found),
        None => unusable("SPIN's verifier gives no statistics"),
    }
}

/// The message of a line `pan:3: MESSAGE (at depth 17)`.
pub fn error_message(line: &str) -> Option<&str> {
    let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
    number.parse::<u64>().ok()?;
    Some(message.rsplit_once(" (at depth").map_or(message, |(message, _)| message))
}

fn read_counts(text: &str, found: &mut Exploration) -> Option<()> {
    let count = |label: &str| {
        let number = |line: &str| line.trim().strip_suffix(label)?.trim().parse::<f64>().ok();
        text.lines().find_map(number).map(|number| number as u64)
    };
    found.states = count("states, stored")?;
    found.matched = count("states, matched")?;
    found.transitions = count("transitions (= stored+matched)")?;
    found.atomic_steps = count("atomic steps")?;
    let after = |label: &str| {
        let rest = &text[text.find(label)? + label.len()..];
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    found.depth = after("depth reached ")?;
    found.vector = after("State-vector ")?;
    found.errors = after("errors: ")?;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Usage;

    const OUTPUT: &str = "\
pan:1: assertion violated (i!=2) (at depth 5)
pan:2: invalid end state (at depth 7)

State-vector 44 byte, depth reached 15, errors: 12
       16 states, stored
        4 states, matched
       20 transitions (= stored+matched)
        3 atomic steps
";

    fn ended(end: End, stdout: &str) -> Outcome {
        read_verifier(&Run {
            end,
            stdout: stdout.to_owned(),
            stderr: String::new(),
            seconds: 0.0,
            usage: Usage::default(),
        })
    }

    #[test]
    fn reads_counts_and_kinds() {
        let Outcome::Explored(found) = ended(End::Code(0), OUTPUT) else { panic!("explored") };
        assert_eq!(kinds::describe(&found.kinds), "assertion, deadlock");
        assert_eq!((found.states, found.matched, found.transitions), (16, 4, 20));
        assert_eq!((found.atomic_steps, found.depth, found.vector, found.errors), (3, 15, 44, 12));
        assert!(!found.broken_off && !found.claim);
    }

    #[test]
    fn large_numbers_are_rounded() {
        let text = OUTPUT.replace("       20 trans", "1.235584e+08 trans");
        let Outcome::Explored(found) = ended(End::Code(0), &text) else { panic!("explored") };
        assert!(same_number(123_558_401, found.transitions));
        assert!(!same_number(123_558_411, found.transitions));
        assert!(same_number(99_999_999, 99_999_999) && !same_number(99_999_998, 99_999_999));
    }

    #[test]
    fn a_fatal_error_breaks_the_search_off() {
        let text = OUTPUT.replace("\n\n", "\nWarning: Search not completed\n");
        let Outcome::Explored(found) = ended(End::Code(0), &text) else { panic!("explored") };
        assert!(found.broken_off);
    }

    #[test]
    fn a_division_by_zero_kills_the_verifier() {
        let Outcome::Explored(found) = ended(End::Signal(SIGFPE), "") else { panic!("explored") };
        assert_eq!(kinds::describe(&found.kinds), "division-by-zero");
        assert!(found.broken_off);
    }

    #[test]
    fn shallow_searches_are_no_oracle() {
        let text = format!("error: max search depth too small\n{OUTPUT}");
        assert!(matches!(ended(End::Code(0), &text), Outcome::Unusable(_)));
        assert!(matches!(ended(End::Code(0), ""), Outcome::Unusable(_)));
        assert!(matches!(ended(End::TimedOut, OUTPUT), Outcome::Unusable(_)));
    }
}
