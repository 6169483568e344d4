//! Rumur, a compiler for Murphi models: its verifier explores the same model, up to scalarsets.
//!
//! Its heuristic reduction is fast and does not always find that two states are the same up to names. The
//! exhaustive one does, by trying all permutations, and is used at a small size to compare the numbers of
//! states and steps.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::entries::{Murphi, repository};
use crate::process::{self, Run};

/// The programs.
#[derive(Clone, Debug)]
pub struct Rumur {
    pub program: PathBuf,
    pub cc: PathBuf,
    limit: Duration,
}

/// How rumur finds that two states are the same up to names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    Heuristic,
    Exhaustive,
}

impl Reduction {
    const fn option(self) -> &'static str {
        match self {
            Self::Heuristic => "heuristic",
            Self::Exhaustive => "exhaustive",
        }
    }
}

/// The options of rumur beside that of the reduction. One thread, as Quotient has; without what only serves
/// counterexamples.
pub const OPTIONS: &[&str] =
    &["--threads", "1", "--deadlock-detection", "stuck", "--scalarset-schedules", "off"];

/// The options of the C compiler.
pub const CC_OPTIONS: &[&str] = &["-std=c11", "-O3", "-march=native", "-mcx16"];

/// What a verifier prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    pub states: u64,
    pub rules: u64,
}

impl Rumur {
    /// Why there is none, if a program is missing.
    pub fn find(limit: Duration) -> Result<Self, String> {
        let program = process::find(&["rumur"]).ok_or("there is no `rumur` on the search path")?;
        let cc = process::find(&["gcc", "clang", "cc"]).ok_or("there is no C compiler on the search path")?;
        Ok(Self { program, cc, limit })
    }

    /// Makes the verifier of a model at a size, in a folder.
    pub fn build(
        &self,
        murphi: Murphi,
        defines: &[String],
        reduction: Reduction,
        folder: &Path,
    ) -> Result<PathBuf> {
        let name = reduction.option();
        let path = repository().join(murphi.path);
        let text = fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        let text = resized(&text, defines).with_context(|| format!("in {}", path.display()))?;
        fs::write(folder.join("model.m"), text)?;

        let mut options = vec!["--quiet", "--output-format", "machine-readable"];
        options.extend(OPTIONS);
        options.extend(["--symmetry-reduction", name, "--output", "model.c", "model.m"]);
        self.succeed(&self.program, &options, folder)?;
        let mut options = CC_OPTIONS.to_vec();
        options.extend(["model.c", "-o", name, "-lpthread"]);
        self.succeed(&self.cc, &options, folder)?;
        Ok(folder.join(name))
    }

    fn succeed(&self, program: &Path, options: &[&str], folder: &Path) -> Result<()> {
        let run = process::run(process::command(program, folder, options), self.limit)?;
        if !run.succeeded() {
            bail!("{} {}: {}", program.display(), options.join(" "), run.text().trim());
        }
        Ok(())
    }
}

/// The summary of a run of a verifier that found no error.
pub fn read(run: &Run) -> Result<Summary, String> {
    let summary = run.stdout.lines().find(|line| line.trim_start().starts_with("<summary "));
    let number = |key: &str| -> Option<u64> {
        let (_, rest) = summary?.split_once(&format!(" {key}=\""))?;
        rest.split_once('"')?.0.parse().ok()
    };
    match (number("states"), number("rules_fired"), number("errors")) {
        (Some(states), Some(rules), Some(0)) if run.succeeded() => Ok(Summary { states, rules }),
        (_, _, Some(errors)) if errors > 0 => Err("violated".to_owned()),
        _ => Err(format!("no summary: {}", run.text().trim())),
    }
}

/// The text with other values in its lines `NAME: VALUE;`.
pub fn resized(text: &str, defines: &[String]) -> Result<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for define in defines {
        let (name, value) = define.split_once('=').with_context(|| format!("no value: {define}"))?;
        let constant = |line: &&mut String| {
            let number = line.trim().strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
            number.and_then(|rest| rest.strip_suffix(';')).is_some_and(|old| old.parse::<u32>().is_ok())
        };
        match lines.iter_mut().find(constant) {
            Some(line) => *line = format!("  {name}: {value};"),
            None => bail!("no line `{name}: VALUE;`"),
        }
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{End, Usage};

    #[test]
    fn sizes_are_replaced() {
        let text = "const\n  N: 3;\n  NN: 1;\nvar\n  T: 0 .. 2;\n";
        let defines = |define: &str| vec![define.to_owned()];
        assert_eq!(resized(text, &defines("N=7")).unwrap(), text.replace("N: 3", "N: 7"));
        assert!(resized(text, &defines("T=7")).is_err());
    }

    #[test]
    fn summaries_of_runs_without_errors() {
        let run = |stdout: &str, code| Run {
            end: End::Code(code),
            stdout: stdout.to_owned(),
            stderr: String::new(),
            seconds: 0.1,
            usage: Usage::default(),
        };
        let text = "<rumur_run>\n<summary states=\"80\" rules_fired=\"317\" errors=\"0\"/>\n</rumur_run>";
        assert_eq!(read(&run(text, 0)), Ok(Summary { states: 80, rules: 317 }));
        let violated = text.replace("errors=\"0\"", "errors=\"1\"");
        assert_eq!(read(&run(&violated, 1)), Err("violated".to_owned()));
        assert!(read(&run("<rumur_run>", 0)).is_err());
        assert!(read(&run(text, 1)).is_err());
    }
}
