//! The console examples of the book and of the README are transcripts of real sessions.
//!
//! A page is one session. Its blocks that have a name (`bir,file=NAME`) are files, each from where it stands
//! on; `models/` is there. In a block marked `console` a line that starts with `$ ` is a command, and what
//! follows is its output, errors first. A line `…` stands for any number of lines. Times and memory may
//! differ. A command without any output below it is only run.
//!
//! `BLESS=1` writes what the commands print into blocks that have no `…`, and refuses to change a verdict.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testing::book::{Block, Page, pages};
use testing::root;

const QUOTIENT: &str = env!("CARGO_BIN_EXE_quotient");
/// How people run it from a checkout.
const CARGO_RUN: &str = "cargo run --release -p quotient-cli --";

/// A command and the lines that are shown below it.
struct Shown<'b> {
    command: &'b str,
    output: Vec<&'b str>,
}

fn transcript(block: &Block) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    for line in block.text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            shown.push(Shown { command, output: Vec::new() });
        } else {
            let last = shown.last_mut().unwrap_or_else(|| panic!("{}: output before a command", block.place));
            last.output.push(line);
        }
    }
    shown
}

/// A folder in which the commands of a page run.
struct Session {
    folder: PathBuf,
    /// The exit code of the last command, for `echo $?`.
    code: i32,
}

impl Session {
    /// `test` keeps tests that run at the same time apart.
    fn new(page: &Page, test: &str) -> Self {
        let name = page.name.replace(['/', '.'], "-");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(test).join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a folder for the session");
        std::os::unix::fs::symlink(root().join("models"), folder.join("models")).expect("the models");
        Self { folder, code: 0 }
    }

    /// Standard error, then standard output.
    fn run(&mut self, command: &str) -> String {
        let bin = Path::new(QUOTIENT).parent().expect("a program is in a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let script = format!("(exit {}); {}", self.code, command.replace(CARGO_RUN, "quotient"));
        let output = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", bin.display()))
            .output()
            .expect("a shell");
        self.code = output.status.code().unwrap_or(-1);
        String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout)
    }
}

/// A line without what differs from run to run.
fn normal(line: &str) -> String {
    let line = line.trim_end();
    if line.contains(" transitions/s") {
        return "(times)".to_owned();
    }
    if line.starts_with("store ") && line.contains("peak process memory") {
        return line.split(':').next().unwrap_or_default().to_owned();
    }
    let measured = ["bytes", "bytes_per_state", "peak_memory_bytes", "memory_limit_bytes", "seconds"];
    let measured =
        measured.iter().chain(&["states_per_second", "transitions_per_second", "minimise_seconds"]);
    for key in measured {
        if line.trim_start().starts_with(&format!("\"{key}\": ")) {
            return format!("(measured {key})");
        }
    }
    without_times(line)
}

/// A row of the table about several models, the line about a swarm, and an element of XML, without their times.
fn without_times(line: &str) -> String {
    if let Some((start, rest)) = line.split_once(" time=\"") {
        return format!("{start} {}", rest.split_once('"').map_or("", |(_, rest)| rest));
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_row = line.starts_with("  ") && words[0].contains('.') || line.starts_with("swarm: ");
    let is_time =
        |pair: &[&str]| pair[0].parse::<f64>().is_ok() && matches!(pair[1], "ms" | "s" | "min" | "h");
    match words.windows(2).position(is_time) {
        Some(at) if is_row => [&words[..at], &["(time)"], &words[at + 2..]].concat().join(" "),
        _ => line.to_owned(),
    }
}

/// Whether output is what is shown, where `…` is any number of lines.
fn matches(shown: &[String], found: &[String]) -> bool {
    match shown {
        [] => found.is_empty(),
        [gap, rest @ ..] if gap.trim() == "…" => {
            (0..=found.len()).any(|skip| matches(rest, &found[skip..]))
        }
        [line, rest @ ..] => found.first() == Some(line) && matches(rest, &found[1..]),
    }
}

/// `model: verdict`, where there is one.
fn verdict<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let verdicts = [": holds", ": holds up to bounds", ": violated", ": no error found", ": inconclusive"];
    lines.into_iter().find(|line| verdicts.iter().any(|verdict| line.ends_with(verdict)))
}

#[test]
fn console_examples_are_transcripts() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut failures = Vec::new();
    let mut commands = 0;
    for page in pages() {
        let mut session = Session::new(&page, "console");
        let mut lines: Vec<String> = page.text.lines().map(str::to_owned).collect();
        // From the end, so that line numbers stay true.
        let mut changes = Vec::new();
        for block in &page.blocks {
            if let Some(name) = block.get("file") {
                fs::write(session.folder.join(name), &block.text).expect("a file of the session");
            }
            if block.language != "console" {
                continue;
            }
            let mut replaced = Vec::new();
            let mut differs = false;
            for shown in transcript(block) {
                commands += 1;
                let output = session.run(shown.command);
                let found: Vec<String> = output.lines().map(normal).collect();
                let expected: Vec<String> = shown.output.iter().map(|line| normal(line)).collect();
                let same = shown.output.is_empty() || matches(&expected, &found);
                let refused = shown.output.is_empty() && session.code == 2;
                replaced.push(format!("$ {}", shown.command));
                if same && !refused {
                    replaced.extend(shown.output.iter().map(|line| (*line).to_owned()));
                    continue;
                }
                let elided = expected.iter().any(|line| line.trim() == "…");
                let same_verdict = verdict(shown.output.iter().copied()) == verdict(output.lines());
                if bless && !elided && same_verdict && !refused {
                    // What may differ is left as it is.
                    let kept = |line: &str| {
                        shown
                            .output
                            .iter()
                            .find(|old| normal(old) == normal(line))
                            .map_or(line, |old| *old)
                            .to_owned()
                    };
                    replaced.extend(output.lines().map(kept));
                    differs = true;
                } else {
                    failures.push(format!("{}: $ {}\n{output}", block.place, shown.command));
                }
            }
            if differs {
                changes.push((block.line, block.text.lines().count(), replaced));
            }
        }
        if !changes.is_empty() {
            for (start, count, replaced) in changes.into_iter().rev() {
                lines.splice(start..start + count, replaced);
            }
            fs::write(&page.path, lines.join("\n") + "\n").expect("a page can be written");
        }
    }
    assert!(
        failures.is_empty(),
        "{} commands print something else:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
    assert!(commands > 20, "only {commands} commands were found: is the book there?");
}

#[test]
fn commands_for_a_checkout_are_accepted() {
    let mut found = 0;
    for page in pages() {
        let mut session = Session::new(&page, "checkout");
        for block in page.blocks.iter().filter(|block| block.language == "sh") {
            for command in block.text.lines().filter(|line| line.starts_with(CARGO_RUN)) {
                found += 1;
                let output = session.run(command);
                assert!(session.code != 2, "{}: {command}\n{output}", block.place);
            }
        }
    }
    assert!(found > 0, "the README shows how to run it");
}

/// The long options in a text, as `--name`.
fn options(text: &str) -> BTreeSet<String> {
    let parts = text.split("--").skip(1);
    let names = parts.map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        rest[..end].trim_end_matches('-')
    });
    names.filter(|name| !name.is_empty()).map(|name| format!("--{name}")).collect()
}

#[test]
fn every_option_is_explained_and_exists() {
    let pages = pages();
    let page = pages.iter().find(|page| page.name == "book/src/checking/options.md").expect("the options");
    let mut real = BTreeSet::from(["--version".to_owned()]);
    for command in ["check", "resume", "replay", "simulate", "print", "graph", "explore"] {
        let output = Command::new(QUOTIENT).args([command, "--help"]).output().expect("quotient runs");
        let help = String::from_utf8_lossy(&output.stdout).into_owned();
        let names = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        for line in names {
            real.extend(options(line.split("  ").next().unwrap_or_default()));
        }
    }
    // The first column of the tables.
    let rows = page.text.lines().filter_map(|line| line.strip_prefix("| `"));
    let explained: BTreeSet<String> =
        rows.flat_map(|row| options(row.split('|').next().unwrap_or_default())).collect();
    assert_eq!(explained, real);
}
