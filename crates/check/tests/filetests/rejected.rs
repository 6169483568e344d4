//! Models that are refused, each for the reasons that stand on its lines.

use testing::ModelFile;

use crate::common::load;
use crate::header::{self, Options, leading_comment};

const MARK: &str = "// error:";

/// What a diagnostic has to say, and on which line.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Expected {
    /// None for errors that are not about a place.
    line: Option<usize>,
    /// A part of `error[CODE]: message`.
    text: String,
}

/// A diagnostic, as it was printed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    line: Option<usize>,
    /// `error[CODE]: message`
    title: String,
}

pub fn is_rejected(file: &ModelFile) -> bool {
    file.text.contains(MARK)
}

pub fn check(file: &ModelFile) -> Result<(), String> {
    if header::value(&file.text, "verdict")?.is_some() {
        return Err("a model with a verdict has no errors".to_owned());
    }
    let options: Options = header::value(&file.text, "options")?.unwrap_or_default().parse()?;
    match load(&file.name, file.text.as_bytes(), &options.defines) {
        Ok(_) => Err("the model is accepted".to_owned()),
        Err(rejected) => compare(expected(&file.text), found(&rejected.to_string()))
            .map_err(|reason| reason + "\n" + &rejected.to_string()),
    }
}

fn expected(text: &str) -> Vec<Expected> {
    let header = leading_comment(text).count();
    let mut all = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = (index >= header).then_some(index + 1);
        all.extend(
            line.split(MARK).skip(1).map(|text| Expected { line: place, text: text.trim().to_owned() }),
        );
    }
    all
}

fn found(text: &str) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for line in text.lines() {
        if line.starts_with("error") {
            all.push(Found { line: None, title: line.to_owned() });
        } else if let Some(place) = line.trim_start().strip_prefix("--> ")
            && let Some(last @ Found { line: None, .. }) = all.last_mut()
        {
            last.line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
        }
    }
    all
}

/// Each expectation has its diagnostic, and the other way round.
fn compare(expected: Vec<Expected>, mut found: Vec<Found>) -> Result<(), String> {
    for Expected { line, text } in expected {
        let fits = |found: &Found| found.line == line && found.title.contains(&text);
        match found.iter().position(fits) {
            Some(index) => drop(found.remove(index)),
            None => return Err(format!("no error `{text}` on line {line:?}")),
        }
    }
    if found.is_empty() { Ok(()) } else { Err(format!("not expected: {found:#?}")) }
}

pub mod tests {
    use super::*;

    pub fn all() {
        let text = "// error: E3\nsystem S {\n  a; // error: E1 // error: bad b\n}\n";
        let expectations = expected(text);
        let expect = |line, text: &str| Expected { line, text: text.to_owned() };
        assert_eq!(expectations, [expect(None, "E3"), expect(Some(3), "E1"), expect(Some(3), "bad b")]);

        let printed = "error[E3]: no place\n\nerror[E1]: first\n --> s.bir:3:3\n  |\n3 |   a;\n\n\
                       error[E2]: bad b\n  --> s.bir:3:9\n  ::: s.bir:1:1\n";
        let diagnostics = found(printed);
        let titles: Vec<_> = diagnostics.iter().map(|found| (found.line, found.title.as_str())).collect();
        assert_eq!(
            titles,
            [(None, "error[E3]: no place"), (Some(3), "error[E1]: first"), (Some(3), "error[E2]: bad b")]
        );

        compare(expectations.clone(), diagnostics.clone()).unwrap();
        compare(expectations[1..].to_vec(), diagnostics.clone()).unwrap_err();
        compare(expectations.clone(), diagnostics[1..].to_vec()).unwrap_err();
        let mut elsewhere = diagnostics;
        elsewhere[1].line = Some(4);
        compare(expectations, elsewhere).unwrap_err();
    }
}
