//! Suites as texts: JSON for other tools, tests in Rust, and back.

use std::fmt::Write as _;

use quotient_model::{Model, Program, Reached, Remark, Shape, Term};

use crate::suite::{NoSuite, Step, Suite, Test};

/// The version of the form of JSON.
const VERSION: u32 = 1;

impl<M: Model> Suite<M> {
    /// The suite as JSON: an object with `version`, `coverage`, `claim`, and `tests`, each with `steps` of an
    /// `action` and its
    /// `answers`, as [`Term::json`] has them.
    pub fn json(&self) -> String {
        let mut out = format!("{{\"version\":{VERSION},\"coverage\":");
        out += &Term::Text(self.coverage.clone()).json();
        out += ",\"claim\":";
        out += &Term::Text(self.claim.clone()).json();
        out += ",\"tests\":[";
        for (number, test) in self.tests.iter().enumerate() {
            out += if number > 0 { ",{\"steps\":[" } else { "{\"steps\":[" };
            for (number, step) in test.steps.iter().enumerate() {
                let before = if number > 0 { "," } else { "" };
                let answers: Vec<String> = step.answers.iter().map(Term::json).collect();
                let action = step.action.term().json();
                _ = write!(out, "{before}{{\"action\":{action},\"answers\":[{}]}}", answers.join(","));
            }
            out += "]}";
        }
        out += "]}";
        out
    }

    /// The suite as tests in Rust, each of which calls the function `check` with its actions as texts. That
    /// function is to give them to [`Suite::of_texts`], and to run what it returns.
    pub fn rust(&self, check: &str) -> String {
        let mut out = String::new();
        for (number, test) in self.tests.iter().enumerate() {
            _ = writeln!(out, "#[test]\nfn case_{}() {{\n    {check}(&[", number + 1);
            for step in &test.steps {
                _ = writeln!(out, "        {:?},", step.action.term().to_string());
            }
            out += "    ]);\n}\n\n";
        }
        out.truncate(out.trim_end().len() + usize::from(!out.is_empty()));
        out
    }

    /// A suite of one test: the actions that are called so, from an initial state on. What they must answer,
    /// the model says.
    ///
    /// # Errors
    ///
    /// If an action is not possible when it is its turn, or can lead to several states.
    pub fn of_texts(program: &Program<M>, actions: &[&str]) -> Result<Self, NoSuite> {
        let mut state = crate::suite::only_initial(program)?;
        let mut steps = Vec::new();
        for (number, wanted) in actions.iter().enumerate() {
            let all = program
                .successors(&state)
                .map_err(|failure| NoSuite(format!("the model panics: {}", failure.message)))?;
            let mut fits = all.into_iter().filter(|successor| successor.action.term().to_string() == *wanted);
            let place = format!("step {}, `{wanted}`,", number + 1);
            let Some(step) = fits.next() else { return Err(NoSuite(format!("{place} is not possible"))) };
            if fits.next().is_some() {
                return Err(NoSuite(format!("{place} can lead to several states")));
            }
            let Reached::State(next) = step.result else {
                return Err(NoSuite(format!("{place} leads to no state of the model")));
            };
            state = next;
            let answers = step.remarks.into_iter().filter_map(|remark| match remark {
                Remark::Output(term) => Some(term),
                _ => None,
            });
            steps.push(Step { action: step.action, answers: answers.collect() });
        }
        let claim = "in this run, the implementation answers what the model does".to_owned();
        Ok(Self::new_of(vec![Test { steps }], None, claim))
    }
}
