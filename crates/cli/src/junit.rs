//! The XML of `JUnit`, as CI systems read it: a test suite for each model, a test case for each goal of its
//! check.
//!
//! | what is known                                              | test case                          |
//! |------------------------------------------------------------|------------------------------------|
//! | the goal holds                                             | passed                             |
//! | the goal is violated                                       | `failure`, with the counterexample |
//! | less than a proof: inconclusive, up to bounds, lossy store | `skipped`, with the reason         |
//! | the goal was not checked                                   | `skipped`                          |
//! | there is no report                                         | `error` in a case `model`          |
//!
//! There is no standard. The elements and attributes are those that the readers of Jenkins, GitLab and the
//! common actions of GitHub share.

use std::fmt::Write as _;
use std::path::{Component, Path};

use check::Style;
use check::report::{Diagnostic, Place, Report, Severity, Verdict, ViolationCount};

use crate::render::{self, Paint};
use crate::result::{
    Finding, Finished, INTERNAL, ModelResult, diagnostic_text, first_error, main_place, position,
};
use crate::trace;
use crate::units;

/// A document that grows by one suite for each model.
#[derive(Default)]
pub struct Junit {
    total: Tally,
    suites: String,
}

/// How many test cases came out how, and the time they took.
#[derive(Clone, Copy, Default)]
struct Tally {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
    seconds: f64,
}

struct Case<'a> {
    name: &'a str,
    seconds: f64,
    place: Option<&'a Place>,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    Failure(Problem),
    Error(Problem),
    /// Not decided, and why.
    Skipped(String),
}

struct Problem {
    kind: String,
    message: String,
    text: String,
}

/// The name of the case that says that there is no report.
const MODEL: &str = "model";
const SAFETY: &str = "safety";
/// The name of the suite of a command that names no model.
const COMMAND: &str = "quotient";

impl Junit {
    pub fn add(&mut self, result: &ModelResult) {
        let name = if result.model.is_empty() { COMMAND } else { &result.model };
        let without_report = |outcome| vec![Case { name: MODEL, seconds: 0.0, place: None, outcome }];
        let (cases, properties, remarks) = match &result.finding {
            Finding::Checked(finished) => {
                (cases(finished), properties(&finished.report), remarks(&finished.report.diagnostics))
            }
            Finding::Failed { diagnostics, exit_code } => {
                let error = first_error(diagnostics);
                let kind = match error.and_then(|error| error.code.clone()) {
                    Some(code) => code,
                    None if *exit_code == INTERNAL => "internal".to_owned(),
                    None => "usage".to_owned(),
                };
                let message = error.map_or(String::new(), |error| error.message.clone());
                let text: Vec<String> = diagnostics.iter().map(diagnostic_text).collect();
                let mut cases =
                    without_report(Outcome::Error(Problem { kind, message, text: text.join("\n\n") }));
                let place = error.and_then(|error| error.location.as_ref());
                cases[0].place = place.map(|extent| &extent.start);
                (cases, String::new(), String::new())
            }
            Finding::NotChecked => {
                let why = "not checked: interrupted".to_owned();
                (without_report(Outcome::Skipped(why)), String::new(), String::new())
            }
        };
        let mut tally = Tally::default();
        for case in &cases {
            tally.add(case);
        }
        let _ = writeln!(self.suites, "  <testsuite{}{tally}>", attribute("name", name));
        self.suites += &properties;
        for case in &cases {
            self.suites += &case.element(name);
        }
        if !remarks.is_empty() {
            let _ = writeln!(self.suites, "    <system-err>{}</system-err>", text(&remarks));
        }
        self.suites += "  </testsuite>\n";
        self.total.add_all(tally);
    }

    /// The whole document.
    pub fn finish(self) -> String {
        let Self { total, suites } = self;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"quotient\"{total}>\n{suites}\
             </testsuites>\n"
        )
    }
}

impl Tally {
    fn add(&mut self, case: &Case<'_>) {
        self.tests += 1;
        self.seconds += case.seconds;
        match case.outcome {
            Outcome::Passed => {}
            Outcome::Failure(_) => self.failures += 1,
            Outcome::Error(_) => self.errors += 1,
            Outcome::Skipped(_) => self.skipped += 1,
        }
    }

    fn add_all(&mut self, other: Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
        self.seconds += other.seconds;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tests, failures, errors, skipped, seconds } = self;
        write!(f, " tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")?;
        write!(f, " time=\"{seconds:.3}\"")
    }
}

impl Case<'_> {
    fn element(&self, suite: &str) -> String {
        let mut out = format!(
            "    <testcase{}{}",
            attribute("name", self.name),
            attribute("classname", &class_name(suite))
        );
        let file = self.place.map_or(suite, |place| &place.file);
        if suite != COMMAND {
            out += &attribute("file", file);
        }
        if let Some(place) = self.place {
            out += &attribute("line", &place.line.to_string());
        }
        let _ = write!(out, " time=\"{:.3}\"", self.seconds);
        let (tag, problem) = match &self.outcome {
            Outcome::Passed => return out + "/>\n",
            Outcome::Skipped(why) => {
                let _ = write!(out, ">\n      <skipped{}/>\n    </testcase>\n", attribute("message", why));
                return out;
            }
            Outcome::Failure(problem) => ("failure", problem),
            Outcome::Error(problem) => ("error", problem),
        };
        let _ = write!(
            out,
            ">\n      <{tag}{}{}>{}</{tag}>\n    </testcase>\n",
            attribute("type", &problem.kind),
            attribute("message", &problem.message),
            text(&problem.text)
        );
        out
    }
}

/// A test case for each goal of a check.
fn cases(finished: &Finished) -> Vec<Case<'_>> {
    let report = &finished.report;
    let mut cases = Vec::new();
    let of_properties: f64 = report.properties.iter().map(|property| property.seconds).sum();
    let is_unsafe = report.violations.iter().any(|violation| violation.property.is_none());
    // A bound that is exceeded is a violation of no property, even if only properties are checked.
    let safety = if is_unsafe { Some(Verdict::Violated) } else { report.safety_verdict };
    if let Some(verdict) = safety {
        let seconds = (report.seconds - of_properties).max(0.0);
        cases.push(case(finished, SAFETY, None, verdict, seconds));
    }
    for property in &report.properties {
        cases.push(case(finished, &property.name, Some(&property.name), property.verdict, property.seconds));
    }
    for name in &report.unchecked {
        let outcome = Outcome::Skipped("not checked".to_owned());
        cases.push(Case { name, seconds: 0.0, place: None, outcome });
    }
    cases
}

/// The test case of safety, or of a property.
fn case<'a>(
    finished: &'a Finished,
    name: &'a str,
    property: Option<&str>,
    verdict: Verdict,
    seconds: f64,
) -> Case<'a> {
    let report = &finished.report;
    let (mut place, outcome) = (
        None,
        match verdict {
            Verdict::Holds => Outcome::Passed,
            Verdict::Violated => Outcome::Failure(problem(finished, property)),
            Verdict::HoldsUpToBounds | Verdict::NoErrorFound | Verdict::Inconclusive => {
                let why = report.incomplete.as_ref().map_or(String::new(), |why| format!(": {why}"));
                Outcome::Skipped(format!("{}{why}", verdict.as_str()))
            }
        },
    );
    if verdict == Verdict::Violated {
        let first = report.violation.as_ref().filter(|first| first.property.as_deref() == property);
        let other = || violations_of(report, property).find_map(|violation| violation.location.as_ref());
        place = first.and_then(main_place).or_else(other);
    }
    Case { name, seconds, place, outcome }
}

/// The violations of safety, or of a property.
fn violations_of<'a>(report: &'a Report, property: Option<&str>) -> impl Iterator<Item = &'a ViolationCount> {
    report.violations.iter().filter(move |violation| violation.property.as_deref() == property)
}

/// What is wrong with a goal: its first violation with the counterexample, if that is the one of the report,
/// and the others.
fn problem(finished: &Finished, property: Option<&str>) -> Problem {
    let Finished { report, replay, .. } = finished;
    let mut all = violations_of(report, property);
    let mut out = String::new();
    let (kind, message) = match (&report.violation, all.next()) {
        (Some(first), _) if first.property.as_deref() == property => {
            let _ = writeln!(out, "{}", render::what(first.kind, &first.message));
            if let Some(place) = &first.location {
                let _ = writeln!(out, "  at {}  {}", position(place), place.text);
            }
            let steps = render::plural(first.steps, "step");
            let _ = writeln!(out, "\nCounterexample, {steps}:\n");
            out += &trace::counterexample(&first.trace, Paint::new(Style::Plain));
            if let Some(command) = replay {
                let _ = writeln!(out, "\nTo replay it:\n  {command}");
            }
            (first.kind.to_string(), first.message.clone())
        }
        (_, Some(other)) => {
            let _ = writeln!(out, "{}", counted(other));
            (other.kind.to_string(), other.message.clone())
        }
        (_, None) => (Verdict::Violated.as_str().to_owned(), "a violation was found".to_owned()),
    };
    let others: Vec<String> = all.map(counted).collect();
    if !others.is_empty() {
        let _ = writeln!(out, "\nOther violations:\n{}", others.join("\n"));
    }
    Problem { kind, message, text: out }
}

fn counted(violation: &ViolationCount) -> String {
    let place = violation.location.as_ref().map_or(String::new(), |place| format!(" at {}", position(place)));
    format!(
        "  {}× {}{place} (first after {})",
        units::count(violation.count),
        render::what(violation.kind, &violation.message),
        render::plural(violation.steps, "step")
    )
}

/// What is known of the check as a whole.
fn properties(report: &Report) -> String {
    let mut list = vec![
        ("tool", report.tool.clone()),
        ("verdict", report.verdict.as_str().to_owned()),
        ("exhaustive", report.exhaustive.to_string()),
        ("states", report.states.to_string()),
        ("transitions", report.transitions.to_string()),
        ("depth", report.depth.to_string()),
        ("search", report.search.to_string()),
        ("store", report.store.kind.to_string()),
        ("symmetry", report.symmetry.level.to_string()),
        ("por", report.reduction.por.to_string()),
        ("peak_memory_bytes", report.peak_memory_bytes.to_string()),
    ];
    list.extend(report.incomplete.clone().map(|why| ("incomplete", why)));
    list.extend(report.assumptions.iter().map(|text| ("assumption", text.clone())));
    let mut out = "    <properties>\n".to_owned();
    for (name, value) in list {
        let _ = writeln!(out, "      <property{}{}/>", attribute("name", name), attribute("value", &value));
    }
    out + "    </properties>\n"
}

/// The warnings of a check.
fn remarks(diagnostics: &[Diagnostic]) -> String {
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning);
    warnings.map(diagnostic_text).collect::<Vec<_>>().join("\n\n")
}

/// The name of a class for a model. Readers take what is in front of the last dot for a package: folders
/// become packages, and the dot of a file name is none of them.
fn class_name(model: &str) -> String {
    let parts = Path::new(model).components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_string_lossy().replace('.', "_")),
        _ => None,
    });
    parts.collect::<Vec<_>>().join(".")
}

fn attribute(name: &str, value: &str) -> String {
    format!(" {name}=\"{}\"", escaped(value, true))
}

fn text(text: &str) -> String {
    escaped(text, false)
}

/// As XML 1.0 has it. Readers would make a blank of a line end in an attribute, and one line end of `\r\n`,
/// unless they are written as numbers. XML has no way at all to write most control characters: their pictures
/// stand for them.
fn escaped(text: &str, is_attribute: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            // After `]]` in a text it must not stand as it is.
            '>' => out += "&gt;",
            '"' if is_attribute => out += "&quot;",
            '\r' => out += "&#13;",
            '\n' | '\t' if is_attribute => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            '\n' | '\t' => out.push(c),
            '\0'..='\x1f' => out.push(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
            '\x7f' => out.push('\u{2421}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_take() {
        assert_eq!(text("a < b && c > \"d\" ]]> 'e'"), "a &lt; b &amp;&amp; c &gt; \"d\" ]]&gt; 'e'");
        assert_eq!(attribute("a", "\"x\"\n\t<y>\r"), " a=\"&quot;x&quot;&#10;&#9;&lt;y&gt;&#13;\"");
        assert_eq!(text("a\n\tb\r\n"), "a\n\tb&#13;\n");
        assert_eq!(text("\0\x1b[1m\x7f\u{fffe}\u{ffff}é𝄞"), "␀␛[1m␡\u{fffd}\u{fffd}é𝄞");
    }

    #[test]
    fn packages_are_folders() {
        assert_eq!(class_name("models/a.b/c.bir"), "models.a_b.c_bir");
        assert_eq!(class_name("../x.pml"), "x_pml");
        assert_eq!(class_name("/tmp/x.pml"), "tmp.x_pml");
    }
}
