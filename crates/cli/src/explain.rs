//! `quotient explain`: what the book says about the codes of diagnostics.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Args;

use crate::commands::{Failure, usage};
use crate::markdown;

/// The pages about codes, each with its language.
const PAGES: [(&str, &str); 2] = [
    ("BIR", include_str!("../../../book/src/diagnostics.md")),
    ("Promela", include_str!("../../../book/src/promela/diagnostics.md")),
];

/// How many codes an error about an unknown code suggests.
const SUGGESTED: usize = 5;
/// How many codes the last line of a run names.
const NAMED: usize = 8;

#[derive(Args)]
pub struct ExplainArgs {
    /// Codes of errors and warnings, such as E0201 [default: list all codes]
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
}

/// The section of a page about one code.
struct Section {
    language: &'static str,
    code: &'static str,
    title: &'static str,
    /// The heading of the part of the page that the section is in.
    part: &'static str,
    text: &'static str,
}

/// All sections, in the order of the pages.
fn sections() -> Vec<Section> {
    let mut all = Vec::new();
    for (language, page) in PAGES {
        let mut part = "";
        let mut rest = page;
        while let Some(start) = heading(rest) {
            let (line, body) = rest[start..].split_once('\n').unwrap_or((&rest[start..], ""));
            let end = heading(body).unwrap_or(body.len());
            rest = &body[end..];
            match line.strip_prefix("### ").and_then(|title| title.split_once(": ")) {
                Some((code, title)) if is_code(code) => {
                    all.push(Section { language, code, title, part, text: body[..end].trim() });
                }
                _ => part = line.trim_start_matches('#').trim(),
            }
        }
    }
    all
}

/// Where the next heading starts, outside of code.
fn heading(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut in_code = false;
    for line in text.split_inclusive('\n') {
        in_code ^= line.starts_with("```");
        if !in_code && (line.starts_with("## ") || line.starts_with("### ")) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with(['E', 'W']) && number(text).is_some()
}

/// The number of a code, with or without its letter.
fn number(code: &str) -> Option<u32> {
    let digits = code.trim_start_matches(['E', 'W', 'e', 'w']);
    (digits.len() == 4).then(|| digits.parse().ok())?
}

pub fn explain(args: &ExplainArgs) -> Result<ExitCode, Failure> {
    let sections = sections();
    let mut out = String::new();
    if args.codes.is_empty() {
        out = list(&sections);
    }
    for wanted in &args.codes {
        let is_meant =
            |section: &&Section| section.code.eq_ignore_ascii_case(wanted) || section.code[1..] == **wanted;
        let found: Vec<&Section> = sections.iter().filter(is_meant).collect();
        if found.is_empty() {
            return Err(unknown(wanted, &sections));
        }
        for section in found {
            if !out.is_empty() {
                out.push('\n');
            }
            let _ = writeln!(out, "{}: {} ({})\n", section.code, section.title, section.language);
            out += &markdown::plain(section.text, width());
        }
    }
    io::stdout().write_all(out.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// All codes with their titles, part by part.
fn list(sections: &[Section]) -> String {
    let mut out = String::new();
    let mut last = ("", "");
    for section in sections {
        let here = (section.language, section.part);
        if here != last {
            let gap = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{gap}{}, {}:", section.language, section.part.to_lowercase());
            last = here;
        }
        let _ = writeln!(out, "  {}  {}", section.code, markdown::inline(section.title));
    }
    out
}

fn unknown(wanted: &str, sections: &[Section]) -> Failure {
    let mut near: Vec<&Section> = sections.iter().collect();
    match number(wanted) {
        Some(number_of_wanted) => near.sort_by_key(|section| {
            let distance = number(section.code).map_or(u32::MAX, |known| known.abs_diff(number_of_wanted));
            (distance, section.code)
        }),
        None => near.clear(),
    }
    near.truncate(SUGGESTED);
    near.sort_by_key(|section| section.code);
    let mut text = format!("there is no code `{wanted}`");
    if near.is_empty() {
        text += ": a code is a letter and four digits, such as E0201; `quotient explain` lists all";
    } else {
        text += "; near it are";
        for section in near {
            let _ = write!(text, "\n  {}  {}", section.code, markdown::inline(section.title));
        }
    }
    usage(text)
}

/// How wide text is.
fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    terminal.unwrap_or(80).clamp(40, 100)
}

/// The codes of all diagnostics that this run has shown.
static SHOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Remembers diagnostics that are shown, for the last line of the run.
pub fn remember(codes: impl IntoIterator<Item = &'static str>) {
    if let Ok(mut shown) = SHOWN.lock() {
        shown.extend(codes);
    }
}

/// The last line of a run that has shown diagnostics: how to read more about them.
pub fn hint() -> Option<String> {
    let shown = SHOWN.lock().ok()?;
    let known: BTreeSet<&str> = sections().iter().map(|section| section.code).collect();
    let codes: Vec<&str> = shown.iter().copied().filter(|code| known.contains(code)).take(NAMED).collect();
    let is_error = codes.iter().any(|code| code.starts_with('E'));
    let what = match (codes.len(), is_error) {
        (0, _) => return None,
        (1, true) => "this error",
        (1, false) => "this warning",
        (_, true) => "these errors",
        (_, false) => "these warnings",
    };
    Some(format!("For more about {what}: `quotient explain {}`", codes.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_section() {
        let sections = sections();
        let codes: BTreeSet<&str> = sections.iter().map(|section| section.code).collect();
        assert_eq!(codes.len(), sections.len(), "no code is explained twice");
        assert!(codes.contains("E0201") && codes.contains("E1201") && codes.contains("W1342"));
        for section in &sections {
            assert!(!section.title.is_empty() && !section.part.is_empty(), "{}", section.code);
            assert!(!section.text.is_empty(), "{} is not explained", section.code);
            for width in [40, 80, 100] {
                let text = markdown::plain(section.text, width);
                assert!(!text.contains("```"), "{}: {text}", section.code);
            }
        }
    }

    #[test]
    fn headings_in_code_are_code() {
        assert_eq!(heading("a\n```c\n## b\n```\n## c\n"), Some(16));
        assert_eq!(heading("a\n"), None);
    }
}
