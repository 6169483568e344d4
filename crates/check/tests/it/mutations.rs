//! Broken models: the bundled ones with something deleted, doubled, exchanged, cut off or thrown in.
//!
//! A mutant is either refused, with a reason and a place, or it is a model like any other: then it is
//! checked, and whatever it violates has to be confirmed by the plain interpreter, which also has to find as
//! much in it. Nothing may panic. The mutants are the same in every run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::common::load;
use crate::common::oracle::interpreter;
use naive::Summary;
use quotient_check::config::Sizes;
use quotient_check::config::{Bounds, Config, Limits, OnBound, SearchKind, Symmetry};
use quotient_check::report::{Report, Verdict};
use quotient_check::{CheckError, Model, Quiet};
use testing::{ModelFile, SplitMix64, effort, files_below, models};

const MOST_STATES: usize = 2000;

/// Small enough that brute force is not slow, and that some mutants exceed them.
fn bounds(model: &Model) -> Bounds {
    let threads = Sizes { threads: 12, ..Sizes::default() };
    let has_others = model.dialect().has_objects_and_frames;
    let sizes = if has_others { Sizes { frames: 24, objects: 40, ..threads } } else { threads };
    Bounds { sizes, on_bound: OnBound::Truncate }
}

/// How many mutants a suite had, by what became of them.
#[derive(Default, Debug)]
struct Tally {
    refused: usize,
    hold: usize,
    violated: usize,
    unfinished: usize,
}

/// Makes some mutants of each model and looks at all.
fn survive(ending: &str, per_model: u64, mutate: fn(&ModelFile, &mut SplitMix64) -> Vec<u8>) -> Tally {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for (index, file) in files_below(&models(), ending).iter().enumerate() {
        for number in 0..effort(per_model) {
            let mut random = SplitMix64::new(1_000_000 * index as u64 + number);
            let mutant = mutate(file, &mut random);
            let result = catch_unwind(AssertUnwindSafe(|| examine(ending, &mutant, number, &mut tally)));
            let reason = match result {
                Ok(Ok(())) => continue,
                Ok(Err(reason)) => reason,
                Err(_) => "a panic".to_owned(),
            };
            failures.push(format!(
                "mutant {number} of {}: {reason}\n{}",
                file.name,
                String::from_utf8_lossy(&mutant)
            ));
        }
    }
    assert!(failures.is_empty(), "{} mutants fail, the first is {}", failures.len(), failures[0]);
    tally
}

fn examine(ending: &str, mutant: &[u8], number: u64, tally: &mut Tally) -> Result<(), String> {
    let name = format!("mutant.{ending}");
    let model = match load(&name, mutant, &[]) {
        Ok(model) => model,
        Err(rejected) => {
            tally.refused += 1;
            let lines = mutant.split(|&byte| byte == b'\n').count();
            return explains(&rejected.to_string(), &name, lines)
                .map_err(|reason| format!("{reason}:\n{rejected}"));
        }
    };
    let plain = if number.is_multiple_of(3) {
        // What is counted is compared with an interpreter that knows no symmetry and leaves nothing out.
        Config { symmetry: Symmetry::None, ..Config::unreduced() }
    } else {
        Config::default()
    };
    let config = Config {
        search: Some(if number.is_multiple_of(2) { SearchKind::Bfs } else { SearchKind::Dfs }),
        keep_going: number.is_multiple_of(3),
        // It knows no temporal properties either.
        safety: number.is_multiple_of(3),
        limits: Limits { states: Some(MOST_STATES as u64), memory: Some(4 << 30), ..Limits::default() },
        bounds: bounds(&model),
        ..plain
    };
    match quotient_check::check(&model, &config, 0, &Arc::default(), &mut Quiet) {
        Ok(checked) => {
            match checked.report.verdict {
                Verdict::Holds => tally.hold += 1,
                Verdict::Violated => tally.violated += 1,
                Verdict::HoldsUpToBounds | Verdict::NoErrorFound | Verdict::Inconclusive => {
                    tally.unfinished += 1;
                }
            }
            // The plain interpreter takes minutes for a `d_step` that does not end.
            let is_endless = ending == "pml" && checked.report.truncations.frames > 0;
            if config.keep_going && !is_endless { brute_force(&model, &checked.report) } else { Ok(()) }
        }
        Err(CheckError::Refused(_)) => {
            tally.refused += 1;
            Ok(())
        }
        Err(other) => Err(format!("{other:?}")),
    }
}

/// The plain interpreter finds the same in a model that is not too large. In others it must not come to an
/// end either, of which the beginning is enough: it is slow.
fn brute_force(model: &Model, report: &Report) -> Result<(), String> {
    let limit = if report.states < MOST_STATES as u64 { MOST_STATES } else { MOST_STATES / 10 };
    let Summary { states, transitions, matched, deadlocks, faults, truncations, unevaluated, complete } =
        naive::explore(&interpreter(&model.program, bounds(model)), limit);
    if !complete {
        return if report.exhaustive { Err("not exhaustive".to_owned()) } else { Ok(()) };
    }
    let violations = deadlocks + faults.values().sum::<usize>();
    let truncated = truncations.values().chain(unevaluated.values()).sum();
    let plain = [states, transitions, matched, violations, truncated].map(|count| count as u64);
    let violations = report.violations.iter().map(|violation| violation.count).sum();
    let truncated = report.truncations.total();
    let ours = [report.states, report.transitions, report.matched, violations, truncated];
    if ours == plain { Ok(()) } else { Err(format!("{ours:?}, but the plain interpreter finds {plain:?}")) }
}

/// Every refusal has a code and a place in the file, and no warnings in between.
fn explains(text: &str, name: &str, lines: usize) -> Result<(), String> {
    let place_of = format!("--> {name}:");
    let errors = text.lines().filter(|line| line.starts_with("error")).count();
    let coded = text.lines().filter(|line| {
        let code = line.strip_prefix("error[E").and_then(|rest| rest.split_once("]: "));
        code.is_some_and(|(code, message)| {
            code.len() == 4 && code.bytes().all(|byte| byte.is_ascii_digit()) && !message.trim().is_empty()
        })
    });
    if errors == 0 || errors != coded.count() {
        return Err("errors need a code and a message".to_owned());
    }
    let places = text.lines().filter_map(|line| {
        let place = line.trim_start();
        let in_file = place.strip_prefix(place_of.as_str()).and_then(|place| place.split(':').next());
        in_file.or_else(|| place.strip_prefix("= note: line ").and_then(|note| note.split(' ').next()))
    });
    let places: Vec<Option<usize>> = places.map(|line| line.parse().ok()).collect();
    let inside = |line: &Option<usize>| line.is_some_and(|line| (1..=lines).contains(&line));
    if places.len() < errors || !places.iter().all(inside) {
        return Err("errors need a line of the file".to_owned());
    }
    Ok(())
}

/// Words, numbers, runs of spaces, and single other characters. Comments are words like others.
fn tokens(text: &str) -> Vec<String> {
    let class = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 3,
    };
    let mut tokens: Vec<String> = Vec::new();
    let mut last = 3;
    for c in text.chars() {
        match tokens.last_mut() {
            Some(token) if class(c) == last && last != 3 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = class(c);
    }
    tokens
}

/// What a token is replaced by, besides by others of the same file.
const STRANGERS: [&str; 24] = [
    "0",
    "1",
    "7",
    "-1",
    "2147483647",
    "2147483648",
    "99999999999999999999",
    "null",
    "true",
    "end",
    "do",
    "atomic",
    "while",
    "int",
    "new",
    "lock",
    "return",
    "/*",
    "\"",
    "@",
    "{",
    "}",
    ";",
    "boolean",
];

/// What comes first are comments, which are of no interest here.
fn without_header(file: &ModelFile) -> &str {
    let lines = file.text.lines().take_while(|line| line.starts_with("//"));
    &file.text[lines.map(|line| line.len() + 1).sum::<usize>().min(file.text.len())..]
}

fn change_tokens(file: &ModelFile, random: &mut SplitMix64) -> Vec<u8> {
    let mut tokens = tokens(without_header(file));
    for _ in 0..=random.below(3) {
        let visible: Vec<usize> = (0..tokens.len()).filter(|&at| !tokens[at].trim().is_empty()).collect();
        let place = random.below(visible.len());
        let (at, other) = (visible[place], *random.pick(&visible));
        match random.below(6) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[at].clone()),
            2 => tokens.swap(at, other),
            // Near tokens are more often of one kind.
            3 => tokens.swap(at, visible[(place + 2) % visible.len()]),
            4 => tokens[at] = tokens[other].as_str().into(),
            _ => tokens[at] = String::from(*random.pick(&STRANGERS)),
        }
    }
    tokens.concat().into_bytes()
}

/// Exchanges a word or a number by another one of the file: such mutants often compile.
fn change_words(file: &ModelFile, random: &mut SplitMix64) -> Vec<u8> {
    let mut tokens = tokens(without_header(file));
    let is_number = |token: &String| token.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |token: &String| token.starts_with(|c: char| c.is_ascii_lowercase()) && token.len() > 1;
    let signs = ["<", ">", "+", "-", "*", "/", "%", "&", "|", "!"];
    let is_sign = |token: &String| signs.contains(&token.as_str());
    let kinds: [&dyn Fn(&String) -> bool; 3] = [&is_number, &is_name, &is_sign];
    for _ in 0..=random.below(2) {
        let kind = random.pick(&kinds);
        let alike: Vec<usize> = (0..tokens.len()).filter(|&at| kind(&tokens[at])).collect();
        if !alike.is_empty() {
            let (at, other) = (*random.pick(&alike), *random.pick(&alike));
            tokens[at] = tokens[other].as_str().into();
        }
    }
    tokens.concat().into_bytes()
}

fn truncate(file: &ModelFile, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = file.text.clone().into_bytes();
    bytes.truncate(random.below(bytes.len()));
    bytes
}

fn throw_in_junk(file: &ModelFile, random: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = file.text.clone().into_bytes();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes[at] = random.next_u64() as u8,
            1 => bytes.insert(at, random.next_u64() as u8),
            2 => drop(bytes.splice(at..at, random.next_u64().to_le_bytes())),
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    bytes
}

#[test]
fn changed_tokens() {
    let tally = survive("bir", 20, change_tokens);
    assert!(tally.refused > 900 && tally.hold > 5 && tally.violated > 5, "{tally:?}");
}

#[test]
fn changed_words() {
    let tally = survive("bir", 20, change_words);
    assert!(tally.refused > 200 && tally.hold > 100 && tally.violated > 100, "{tally:?}");
}

#[test]
fn cut_off() {
    let tally = survive("bir", 2, truncate);
    assert!(tally.refused > 90, "{tally:?}");
}

#[test]
fn junk() {
    let tally = survive("bir", 4, throw_in_junk);
    assert!(tally.refused > 100, "{tally:?}");
}

#[test]
fn promela_tokens() {
    let tally = survive("pml", 8, change_tokens);
    assert!(tally.refused > 300 && tally.hold + tally.unfinished > 5 && tally.violated > 5, "{tally:?}");
}

#[test]
fn promela_words() {
    let tally = survive("pml", 8, change_words);
    assert!(tally.refused > 50 && tally.hold + tally.unfinished > 50 && tally.violated > 50, "{tally:?}");
}

#[test]
fn promela_cut_off_and_junk() {
    assert!(survive("pml", 1, truncate).refused > 50);
    assert!(survive("pml", 2, throw_in_junk).refused > 50);
}
