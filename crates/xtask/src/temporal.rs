//! Temporal properties: the verdicts of both tools on one question after the other.
//!
//! Questions are the model's `ltl` and `never` claims, whether there are acceptance cycles (`accept` labels
//! of processes) and whether there are non-progress cycles, each for all runs and for the weakly fair ones.
//! Verdicts must be equal. Numbers of states are not compared, since the automata differ. With fairness,
//! SPIN's verifiers miss finite runs that violate a claim: where we show such a run, they may consider the
//! claim true. They also report finite runs that do not exist: a claim that no run violates is not violated
//! by a fair one either. Together with priorities and `provided` they miss more: there fairness is not
//! compared.
//!
//! Runs that end in an error other than a deadlock do not count for temporal properties here, but continue in
//! SPIN's verifiers: SPIN is not asked about models with such errors. In SPIN `accept` labels of processes
//! count even together with a claim: the claims of models that have both are not compared.
//!
//! With reductions, our verdicts must be the same.

use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;

use crate::compare::{Difference, Status};
use crate::model::Model;
use crate::ours::{self, Quotient, Reductions};
use crate::process::{End, Run};
use crate::spin::{self, Effort, Spin, TOO_DEEP};

/// With fairness, SPIN's verifiers support a few processes only.
const PROCESSES: &str = "-DNFAIR=6";

/// The subject of a question about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    Claim(String),
    Acceptance,
    Progress,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub subject: Subject,
    /// About the weakly fair runs only.
    pub is_fair: bool,
}

/// One tool's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum Answer {
    #[serde(rename = "holds")]
    Holds,
    #[serde(rename = "violated")]
    Violated,
    /// Violated by a finite run.
    #[serde(rename = "violated by a finite run")]
    Ends,
    /// There is no answer, for this reason.
    #[serde(rename = "none")]
    None(String),
}

/// A question and all answers.
#[derive(Clone, Debug, Serialize)]
pub struct Answers {
    pub question: String,
    pub is_fair: bool,
    pub spin: Answer,
    /// With SPIN's default reductions: partial order reduction and merged statements. `None` if it was not
    /// asked.
    pub spin_reduced: Option<Answer>,
    pub ours: Answer,
    /// In the order of the reductions that were asked for.
    pub reduced: Vec<Answer>,
}

/// The tools that are asked.
pub struct Asked<'a> {
    /// `None`: ours alone.
    pub spin: Option<&'a Spin>,
    /// Whether SPIN is asked with its reductions as well.
    pub spin_reduced: bool,
    /// Without reductions.
    pub quotient: &'a Quotient,
    /// Reductions with which ours is asked again.
    pub reductions: &'a [Reductions],
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

    /// Asks the verifier in the folder.
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

/// An error counts at any depth; its absence needs a complete search.
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

/// Asks all questions.
pub fn compare(asked: &Asked<'_>, model: &Model) -> Result<Comparison> {
    let folder = tempfile::tempdir().context("can't make a temporary folder")?;
    let folder = folder.path();
    let quotient = asked.quotient;
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
    let mut verifiers = Verifiers::prepare(asked, model, folder)?;
    if let (Err(why), []) = (&verifiers.sides[0], asked.reductions) {
        return Ok(Comparison::skipped(why.clone()));
    }
    let fairness: &[bool] = if model.restricts_processes() { &[false] } else { &[false, true] };
    let mut answers = Vec::new();
    for subject in subjects {
        verifiers.compile(&subject)?;
        for &is_fair in fairness {
            let question = Question { subject: subject.clone(), is_fair };
            let [mut spin, spin_reduced] = verifiers.ask(&question)?;
            let of_all_runs = answers.last().filter(|_| is_fair).map(|of_all: &Answers| &of_all.spin);
            if let (Some(Answer::Holds), Answer::Violated) = (of_all_runs, &spin) {
                spin = Answer::None("SPIN contradicts itself".to_owned());
            }
            let again = |&reductions| question.ask_quotient(&quotient.with(reductions), model, folder);
            let is_quick = asked.spin.is_some_and(|spin| spin.effort == Effort::Tiny);
            let is_large = matches!(&spin, Answer::None(why) if why.starts_with("takes too long"));
            let (ours, reduced) = if is_quick && is_large {
                (Answer::None("not asked".to_owned()), Vec::new())
            } else {
                let reduced = asked.reductions.iter().map(again).collect::<Result<_>>()?;
                (question.ask_quotient(quotient, model, folder)?, reduced)
            };
            answers.push(Answers {
                question: subject.to_string(),
                is_fair,
                spin,
                spin_reduced: asked.spin_reduced.then_some(spin_reduced),
                ours,
                reduced,
            });
        }
    }
    Ok(Comparison { status: status(&answers), answers })
}

/// The verifiers of a model: without reductions, and with them.
struct Verifiers<'a> {
    sides: [Result<Verifier<'a>, String>; 2],
}

struct Verifier<'a> {
    spin: Cow<'a, Spin>,
    folder: PathBuf,
    reduces: bool,
    /// The definitions of the last compilation.
    defines: &'static [&'static str],
}

impl<'a> Verifiers<'a> {
    /// Generates them, or returns why SPIN is not asked.
    fn prepare(asked: &Asked<'a>, model: &Model, folder: &Path) -> Result<Self> {
        let nobody = |why: &str| Ok(Self { sides: [Err(why.to_owned()), Err(why.to_owned())] });
        let Some(spin) = asked.spin else { return nobody("SPIN is not asked") };
        // SPIN would not be asked about models that take longer.
        let brief = Quotient { limit: spin.verifier_limit, ..asked.quotient.clone() };
        match brief.check(model, folder, ["--safety".to_owned(), "--continue".to_owned()])? {
            ours::Outcome::Checked(report)
                if matches!(report.verdict(), "holds" | "violated")
                    && report.kinds().iter().all(|kind| kind == "deadlock") => {}
            ours::Outcome::Checked(_) => return nobody("errors end runs"),
            ours::Outcome::Refused(_) => return nobody("refused"),
            ours::Outcome::Failed(why) => return nobody(&why),
        }
        let full = Verifier::generate(Cow::Borrowed(spin), model, folder.join("full"), false)?;
        let reduced = if asked.spin_reduced {
            Verifier::generate(Cow::Owned(spin.merging()), model, folder.join("reduced"), true)?
        } else {
            Err("SPIN is not asked".to_owned())
        };
        Ok(Self { sides: [full, reduced] })
    }

    fn compile(&mut self, subject: &Subject) -> Result<()> {
        for side in &mut self.sides {
            if let Ok(verifier) = side
                && let Err(why) = verifier.compile(subject)?
            {
                *side = Err(why);
            }
        }
        Ok(())
    }

    fn ask(&self, question: &Question) -> Result<[Answer; 2]> {
        let ask = |side: &Result<Verifier<'_>, String>| match side {
            Ok(verifier) => question.ask_spin(&verifier.spin, &verifier.folder),
            Err(why) => Ok(Answer::None(why.clone())),
        };
        Ok([ask(&self.sides[0])?, ask(&self.sides[1])?])
    }
}

impl<'a> Verifier<'a> {
    fn generate(
        spin: Cow<'a, Spin>,
        model: &Model,
        folder: PathBuf,
        reduces: bool,
    ) -> Result<Result<Self, String>> {
        fs::create_dir(&folder).context("can't make a temporary folder")?;
        Ok(match spin.generate(model, &folder)? {
            Ok(()) => Ok(Self { spin, folder, reduces, defines: &[] }),
            Err(outcome) => Err(why(outcome)),
        })
    }

    fn compile(&mut self, subject: &Subject) -> Result<Result<(), String>> {
        let defines: &[&str] = match subject {
            Subject::Claim(_) => &[PROCESSES],
            Subject::Acceptance => &["-DNOCLAIM", PROCESSES],
            Subject::Progress => &["-DNP", PROCESSES],
        };
        if self.defines == defines {
            return Ok(Ok(()));
        }
        self.defines = defines;
        let reduce: &[&str] = if self.reduces { &[] } else { &["-DNOREDUCE"] };
        Ok(self.spin.compile_as(&self.folder, &[reduce, defines].concat())?.map_err(why))
    }
}

/// Why there is no verifier to ask.
fn why(outcome: spin::Outcome) -> String {
    match outcome {
        spin::Outcome::Refused(why) => format!("SPIN refuses it: {why}"),
        spin::Outcome::Unusable(why) => why,
        spin::Outcome::Explored(_) => String::new(),
    }
}

fn status(answers: &[Answers]) -> Status {
    let differences: Vec<Difference> =
        answers.iter().flat_map(|answers| answers.difference().into_iter().chain(answers.lost())).collect();
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
    /// Questions that SPIN does not answer are not compared.
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
        let detail = format!("{self}: SPIN: {}, ours: {}", self.spin, self.ours);
        Some(Difference { what, detail })
    }

    /// The difference that reductions make. They may answer where a search without them takes too long, and
    /// show other runs.
    fn lost(&self) -> Option<Difference> {
        let is_changed = |reduced: &&Answer| match (&self.ours, reduced) {
            (Answer::None(_), _) => false,
            (ours, reduced) => ours.is_violated() != reduced.is_violated(),
        };
        let reduced = self.reduced.iter().find(is_changed)?;
        let detail = format!("{self}: without reductions: {}, with: {reduced}", self.ours);
        Some(Difference { what: "reduction", detail })
    }
}

impl Answer {
    /// `None` if there is no answer.
    pub const fn is_violated(&self) -> Option<bool> {
        match self {
            Self::Holds => Some(false),
            Self::Violated | Self::Ends => Some(true),
            Self::None(_) => None,
        }
    }
}

impl fmt::Display for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.question, if self.is_fair { " (fair)" } else { "" })
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

    fn unasked(is_fair: bool) -> Answers {
        let none = || Answer::None("not asked".into());
        let question = "p".to_owned();
        Answers { question, is_fair, spin: none(), spin_reduced: None, ours: none(), reduced: Vec::new() }
    }

    #[test]
    fn reductions_must_not_change_answers() {
        let is_lost = |ours: Answer, reduced: Answer| {
            Answers { ours, reduced: vec![reduced], ..unasked(false) }.lost().is_some()
        };
        let none = || Answer::None("takes too long".into());
        assert!(is_lost(Answer::Violated, Answer::Holds) && is_lost(Answer::Holds, Answer::Ends));
        assert!(is_lost(Answer::Holds, none()));
        assert!(!is_lost(Answer::Violated, Answer::Ends) && !is_lost(none(), Answer::Holds));
    }

    #[test]
    fn verdicts_must_be_equal_where_spin_has_one() {
        let words = |spin: Answer, ours: Answer, is_fair: bool| {
            let answers = Answers { spin, ours, ..unasked(is_fair) };
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
