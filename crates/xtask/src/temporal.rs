//! Temporal properties: the verdicts of both tools on one question after the other.
//!
//! Questions are the model's `ltl` and `never` claims, whether there are acceptance cycles (`accept` labels of processes)
//! and whether there are non-progress cycles, each of all runs and of the weakly fair ones. Verdicts must be equal.
//! How many states it takes is not compared: the automata are others. With fairness, SPIN's verifiers miss runs that
//! end and violate a claim: where we show such a run, they may hold the claim to be true. Together with priorities
//! and `provided` they miss others too: there fairness is not compared.
//!
//! Runs that end in an error other than a deadlock are no runs for temporal properties here, and go on in SPIN's verifiers:
//! models with such errors are skipped. In SPIN `accept` labels of processes count even together with a claim: the claims of
//! models that have both are not compared.

use std::fmt;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::compare::{Difference, Status};
use crate::model::Model;
use crate::ours::{self, Quotient};
use crate::process::{End, Run};
use crate::spin::{self, Spin, TOO_DEEP};

/// With fairness, SPIN's verifiers have room for a few processes only.
const PROCESSES: &str = "-DNFAIR=6";

/// What is asked about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Claim(String),
    Acceptance,
    Progress,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub subject: Subject,
    /// Of the weakly fair runs only.
    pub is_fair: bool,
}

/// One tool's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum Answer {
    #[serde(rename = "holds")]
    Holds,
    #[serde(rename = "violated")]
    Violated,
    /// By a run that ends.
    #[serde(rename = "violated by a finite run")]
    Ends,
    /// For this reason there is none.
    #[serde(rename = "none")]
    None(String),
}

/// A question and both answers.
#[derive(Clone, Debug, Serialize)]
pub struct Answers {
    pub question: String,
    pub is_fair: bool,
    pub spin: Answer,
    pub ours: Answer,
}

/// Everything about one model.
pub struct Comparison {
    pub answers: Vec<Answers>,
    pub status: Status,
}

impl Comparison {
    fn skipped(why: impl Into<String>) -> Self {
        Self { answers: Vec::new(), status: Status::Skipped(why.into()) }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim(name) => f.write_str(name),
            Self::Acceptance => f.write_str("acceptance"),
            Self::Progress => f.write_str("progress"),
        }
    }
}

impl Question {
    fn ask_quotient(&self, quotient: &Quotient, model: &Model, folder: &Path) -> Result<Answer> {
        let mut options = match &self.subject {
            Subject::Claim(name) => vec!["--property".to_owned(), name.clone()],
            Subject::Acceptance => vec!["--acceptance".to_owned()],
            Subject::Progress => vec!["--non-progress".to_owned()],
        };
        if self.is_fair {
            options.extend(["--fairness", "weak"].map(str::to_owned));
        }
        Ok(match quotient.check(model, folder, options)? {
            ours::Outcome::Checked(report) => match report.verdict() {
                "holds" => Answer::Holds,
                "violated" if report.stutters() => Answer::Ends,
                "violated" => Answer::Violated,
                other => Answer::None(other.to_owned()),
            },
            ours::Outcome::Refused(why) => Answer::None(format!("refused: {why}")),
            ours::Outcome::Failed(why) => Answer::None(why),
        })
    }

    /// By the verifier that is in the folder.
    fn ask_spin(&self, spin: &Spin, folder: &Path) -> Result<Answer> {
        let mut options = match &self.subject {
            Subject::Claim(name) => vec!["-E", "-a", "-N", name],
            Subject::Acceptance => vec!["-E", "-a"],
            Subject::Progress => vec!["-E", "-l"],
        };
        if self.is_fair {
            options.push("-f");
        }
        Ok(read_verifier(&spin.verify(folder, &options)?))
    }
}

/// An error is one at any depth; that there is none takes a search of everything.
fn read_verifier(run: &Run) -> Answer {
    // The assertions are those that SPIN puts into claims. A run that ends at an `accept` label stutters.
    const ERRORS: &[&str] = &[
        "acceptance cycle",
        "accept stutter",
        "non-progress cycle",
        "assertion violated",
        "end state in claim reached",
    ];
    let text = run.text();
    let none = |why: &str| Answer::None(why.to_owned());
    let messages: Vec<&str> = text.lines().filter_map(spin::error_message).collect();
    if messages.iter().any(|message| ERRORS.iter().any(|error| message.starts_with(error))) {
        return Answer::Violated;
    }
    match run.end {
        End::TimedOut => none("takes too long in SPIN"),
        _ if text.contains(TOO_DEEP) => none("too deep for SPIN"),
        End::Code(0) if messages.is_empty() && text.contains("errors: 0") => Answer::Holds,
        _ => Answer::None(
            messages.first().or(text.lines().next().as_ref()).copied().unwrap_or_default().into(),
        ),
    }
}

/// Asks both tools everything that there is to ask.
pub fn compare(spin: &Spin, quotient: &Quotient, model: &Model) -> Result<Comparison> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let folder = folder.path();
    let mut subjects = match quotient.properties(model, folder)? {
        Ok(names) if names.iter().any(|name| name == "accept") => vec![Subject::Acceptance],
        Ok(names) => names.into_iter().map(Subject::Claim).collect(),
        Err(why) => return Ok(Comparison::skipped(why)),
    };
    if model.has_progress_labels() {
        subjects.push(Subject::Progress);
    }
    if subjects.is_empty() {
        return Ok(Comparison::skipped("no temporal properties"));
    }
    // What takes longer is nothing that SPIN would be asked about.
    let brief = Quotient { limit: spin.verifier_limit, ..quotient.clone() };
    let safety = match brief.check(model, folder, ["--safety".to_owned(), "--continue".to_owned()])? {
        ours::Outcome::Checked(report) => report,
        ours::Outcome::Refused(_) => return Ok(Comparison::skipped("refused")),
        ours::Outcome::Failed(why) => return Ok(Comparison::skipped(why)),
    };
    if !matches!(safety.verdict(), "holds" | "violated")
        || safety.kinds().iter().any(|kind| kind != "deadlock")
    {
        return Ok(Comparison::skipped("errors end runs"));
    }
    if let Err(outcome) = spin.generate(model, folder)? {
        let why = if let spin::Outcome::Refused(why) = outcome { why } else { "unusable".to_owned() };
        return Ok(Comparison::skipped(format!("SPIN refuses it: {why}")));
    }
    let fairness: &[bool] = if model.restricts_processes() { &[false] } else { &[false, true] };
    let mut answers = Vec::new();
    let mut compiled = None;
    for subject in subjects {
        let defines: &[&str] = match subject {
            Subject::Claim(_) => &[PROCESSES],
            Subject::Acceptance => &["-DNOCLAIM", PROCESSES],
            Subject::Progress => &["-DNP", PROCESSES],
        };
        if compiled != Some(defines) {
            if let Err(outcome) = spin.compile_with(folder, defines)? {
                let why = if let spin::Outcome::Unusable(why) = outcome { why } else { String::new() };
                return Ok(Comparison::skipped(why));
            }
            compiled = Some(defines);
        }
        for &is_fair in fairness {
            let question = Question { subject: subject.clone(), is_fair };
            answers.push(Answers {
                question: subject.to_string(),
                is_fair,
                spin: question.ask_spin(spin, folder)?,
                ours: question.ask_quotient(quotient, model, folder)?,
            });
        }
    }
    Ok(Comparison { status: status(&answers), answers })
}

fn status(answers: &[Answers]) -> Status {
    let differences: Vec<Difference> = answers.iter().filter_map(Answers::difference).collect();
    let unanswered = answers.iter().find_map(|answers| match &answers.spin {
        Answer::None(why) => Some(why.clone()),
        Answer::Holds | Answer::Violated | Answer::Ends => None,
    });
    let all = answers.iter().all(|answers| matches!(answers.spin, Answer::None(_)));
    match unanswered {
        _ if !differences.is_empty() => Status::Differs(differences),
        Some(why) if all => Status::Skipped(why),
        Some(_) => Status::Same(Some("as far as SPIN answers")),
        None => Status::Same(None),
    }
}

impl Answers {
    /// What SPIN does not answer is not compared.
    fn difference(&self) -> Option<Difference> {
        let what = match (&self.spin, &self.ours, self.is_fair) {
            (Answer::None(_), _, _) => return None,
            (spin, ours, _) if spin == ours => return None,
            (Answer::Violated, Answer::Ends, _) | (Answer::Holds, Answer::Ends, true) => return None,
            (_, Answer::None(_), _) => "failure",
            (Answer::Violated | Answer::Ends, _, false) => "missed",
            (Answer::Violated | Answer::Ends, _, true) => "missed-fair",
            (Answer::Holds, _, false) => "invented",
            (Answer::Holds, _, true) => "invented-fair",
        };
        let fair = if self.is_fair { " (fair)" } else { "" };
        let detail = format!("{}{fair}: SPIN: {}, ours: {}", self.question, self.spin, self.ours);
        Some(Difference { what, detail })
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Violated => f.write_str("violated"),
            Self::Ends => f.write_str("violated by a finite run"),
            Self::None(why) => write!(f, "no answer ({why})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Usage;

    fn read(end: End, stdout: &str) -> Answer {
        let (stdout, stderr) = (stdout.to_owned(), String::new());
        read_verifier(&Run { end, stdout, stderr, seconds: 0.0, usage: Usage::default() })
    }

    #[test]
    fn an_error_counts_even_if_the_search_was_not_deep_enough() {
        let cycle = "error: max search depth too small\npan:1: acceptance cycle (at depth 4)\nerrors: 1\n";
        assert_eq!(read(End::Code(0), cycle), Answer::Violated);
        assert_eq!(read(End::Code(0), "pan: ltl formula p\nerrors: 0\n"), Answer::Holds);
        let shallow = "error: max search depth too small\nerrors: 0\n";
        assert_eq!(read(End::Code(0), shallow), Answer::None("too deep for SPIN".into()));
        let unknown = "pan: error: cannot find claim 'q'\n";
        assert!(matches!(read(End::Code(1), unknown), Answer::None(_)));
    }

    #[test]
    fn verdicts_must_be_equal_where_spin_has_one() {
        let words = |spin: Answer, ours: Answer, is_fair: bool| {
            let answers = Answers { question: "p".into(), is_fair, spin, ours };
            answers.difference().map(|difference| difference.what)
        };
        let none = || Answer::None("too deep".into());
        assert_eq!(words(Answer::Violated, Answer::Violated, false), None);
        assert_eq!(words(Answer::Violated, Answer::Holds, false), Some("missed"));
        assert_eq!(words(Answer::Holds, Answer::Violated, true), Some("invented-fair"));
        assert_eq!(words(Answer::Holds, Answer::Ends, true), None);
        assert_eq!(words(Answer::Holds, Answer::Ends, false), Some("invented"));
        assert_eq!(words(Answer::Holds, none(), false), Some("failure"));
        assert_eq!(words(none(), Answer::Violated, false), None);
    }
}
