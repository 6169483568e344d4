//! The rules of the comparison with SPIN.
//!
//! | SPIN                         | ours must                                                     |
//! |------------------------------|---------------------------------------------------------------|
//! | refuses the model            | refuse it                                                     |
//! | accepts it, with embedded C  | refuse it, and name the reason                                |
//! | explores all of it           | agree in verdict, kinds of errors, states, transitions        |
//! | ... with a claim left out    | the same, but may call `inconclusive` what holds              |
//! | ... after undefined C        | find the same verdict and at least these kinds                |
//! | gives up at an error         | find at least the errors that SPIN found                      |
//! | can't tell (time, depth)     | nothing: the model is skipped                                 |
//!
//! In all cases depth first and breadth first search must have equal counts, and verdict and kinds must be
//! the same with reductions. Errors that only we search for are ignored.

use serde::Serialize;

use crate::kinds::{self, Kinds};
use crate::ours::{self, Report};
use crate::spin::{self, Exploration};

/// One difference.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// One word.
    pub what: &'static str,
    pub detail: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// With a remark if not everything was compared.
    Same(Option<&'static str>),
    Skipped(String),
    Differs(Vec<Difference>),
}

/// Our runs.
#[derive(Clone, Debug)]
pub struct Ours {
    pub depth_first: ours::Outcome,
    pub breadth_first: ours::Outcome,
    /// With reductions.
    pub reduced: Vec<ours::Outcome>,
}

pub fn compare(spin: &spin::Outcome, ours: &Ours, embedded_c: bool) -> Status {
    use crate::ours::Outcome::*;
    let found = match spin {
        spin::Outcome::Unusable(why) => return Status::Skipped(why.clone()),
        spin::Outcome::Refused(message) => {
            return match &ours.depth_first {
                Refused(_) => Status::Same(Some("refused")),
                Failed(why) => differs("failure", why.clone()),
                Checked(_) => differs("refusal", format!("SPIN refuses it: {message}")),
            };
        }
        spin::Outcome::Explored(found) => found,
    };
    match (&ours.depth_first, &ours.breadth_first) {
        (Failed(why), _) | (_, Failed(why)) => differs("failure", why.clone()),
        (Refused(message), _) if embedded_c && message.to_lowercase().contains("embedded c") => {
            Status::Same(Some("refused (embedded C)"))
        }
        (Refused(message), _) | (_, Refused(message)) => differs("refusal", message.clone()),
        (Checked(_), Checked(_)) if embedded_c => differs("refusal", "embedded C goes unnoticed".to_owned()),
        (Checked(depth), Checked(breadth)) => match ours.reduced.iter().find_map(|run| lost(depth, run)) {
            Some(difference) => Status::Differs(vec![difference]),
            None => compare_reports(found, depth, breadth),
        },
    }
}

/// The difference that a reduction makes.
pub fn lost(full: &Report, reduced: &ours::Outcome) -> Option<Difference> {
    let detail = match reduced {
        ours::Outcome::Checked(reduced) if reduced.essence() == full.essence() => return None,
        ours::Outcome::Checked(reduced) => format!("{:?}, not {:?}", reduced.essence(), full.essence()),
        ours::Outcome::Refused(why) | ours::Outcome::Failed(why) => why.clone(),
    };
    Some(Difference { what: "reduction", detail })
}

fn compare_reports(found: &Exploration, depth: &Report, breadth: &Report) -> Status {
    let mut differences = Vec::new();
    let mut require = |equal: bool, what, detail: String| {
        if !equal {
            differences.push(Difference { what, detail });
        }
    };
    let kinds = depth.kinds();
    let undefined = found.kinds.iter().any(|kind| kinds::UNDEFINED.contains(&kind.as_str()));
    let partial = found.broken_off || undefined;

    let verdict = if found.kinds.is_empty() { "holds" } else { "violated" };
    let excused = found.claim && verdict == "holds" && depth.verdict() == "inconclusive";
    require(
        verdict == depth.verdict() || excused,
        "verdict",
        format!(
            "SPIN: {verdict} {}, ours: {} {}",
            kinds::describe(&found.kinds),
            depth.verdict(),
            kinds::describe(&kinds)
        ),
    );
    let same_kinds = if partial { found.kinds.is_subset(&kinds) } else { found.kinds == kinds };
    require(
        same_kinds,
        "kinds",
        format!("SPIN: {}, ours: {}", kinds::describe(&found.kinds), kinds::describe(&kinds)),
    );
    if !partial {
        require(
            found.states == depth.states,
            "states",
            format!("SPIN: {}, ours: {}", found.states, depth.states),
        );
        let transitions = depth.stored_and_matched();
        require(
            found.transitions == transitions,
            "transitions",
            format!("SPIN: {}, ours: {transitions}", found.transitions),
        );
    }
    let counts = |report: &Report| -> (String, Kinds, u64, u64) {
        (report.verdict().to_owned(), report.kinds(), report.states, report.matched)
    };
    require(
        counts(depth) == counts(breadth),
        "searches",
        format!("dfs: {:?}, bfs: {:?}", counts(depth), counts(breadth)),
    );
    match (differences.is_empty(), found.broken_off, undefined) {
        (false, _, _) => Status::Differs(differences),
        (true, true, _) => Status::Same(Some("SPIN gave up")),
        (true, false, true) => Status::Same(Some("undefined in C")),
        (true, false, false) => Status::Same(None),
    }
}

fn differs(what: &'static str, detail: String) -> Status {
    Status::Differs(vec![Difference { what, detail }])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spin(kinds: &[&str]) -> Exploration {
        let kinds = kinds.iter().map(|&kind| kind.to_owned()).collect();
        Exploration { kinds, states: 10, matched: 5, transitions: 15, ..Exploration::default() }
    }

    fn report(verdict: &str, kinds: &[&str], states: u64, matched: u64) -> Report {
        let violations: Vec<_> = kinds.iter().map(|kind| serde_json::json!({ "kind": kind })).collect();
        serde_json::from_value(serde_json::json!({
            "verdict": verdict, "states": states, "matched": matched, "transitions": 0, "depth": 0,
            "seconds": 0.0, "store": {"bytes": 0}, "violations": violations,
        }))
        .unwrap()
    }

    fn words(spin: Exploration, ours: Report) -> Vec<&'static str> {
        let ours = Ours {
            depth_first: ours::Outcome::Checked(ours.clone()),
            breadth_first: ours::Outcome::Checked(ours),
            reduced: Vec::new(),
        };
        match compare(&spin::Outcome::Explored(spin), &ours, false) {
            Status::Differs(differences) => differences.iter().map(|difference| difference.what).collect(),
            Status::Same(_) | Status::Skipped(_) => Vec::new(),
        }
    }

    #[test]
    fn everything_counts() {
        assert!(words(spin(&[]), report("holds", &[], 10, 5)).is_empty());
        assert_eq!(words(spin(&[]), report("holds", &[], 11, 4)), ["states"]);
        assert_eq!(words(spin(&[]), report("holds", &[], 10, 6)), ["transitions"]);
        assert_eq!(words(spin(&["deadlock"]), report("holds", &[], 10, 5)), ["verdict", "kinds"]);
        assert_eq!(words(spin(&["deadlock"]), report("violated", &["assertion"], 10, 5)), ["kinds"]);
    }

    #[test]
    fn claims_excuse_an_open_verdict_only() {
        let claim = Exploration { claim: true, ..spin(&[]) };
        assert!(words(claim.clone(), report("inconclusive", &[], 10, 5)).is_empty());
        assert_eq!(words(claim, report("inconclusive", &[], 11, 4)), ["states"]);
        assert_eq!(words(spin(&[]), report("inconclusive", &[], 10, 5)), ["verdict"]);
    }

    #[test]
    fn what_only_we_look_for_does_not_count() {
        assert!(words(spin(&[]), report("violated", &["exclusive-channel"], 10, 5)).is_empty());
        let both = report("violated", &["exclusive-channel", "deadlock"], 10, 5);
        assert!(words(spin(&["deadlock"]), both.clone()).is_empty());
        assert_eq!(words(spin(&[]), both), ["verdict", "kinds"]);
        assert_eq!(words(spin(&[]), report("violated", &["exclusive-channel"], 11, 4)), ["states"]);
    }

    #[test]
    fn after_giving_up_errors_are_a_lower_bound() {
        let fatal = Exploration { broken_off: true, ..spin(&["d-step"]) };
        assert!(words(fatal.clone(), report("violated", &["d-step", "deadlock"], 99, 9)).is_empty());
        assert_eq!(words(fatal, report("violated", &["deadlock"], 10, 5)), ["kinds"]);
    }

    #[test]
    fn reductions_must_not_lose_errors() {
        let full = report("violated", &["deadlock", "assertion"], 10, 5);
        let is_lost = |reduced: Report| lost(&full, &ours::Outcome::Checked(reduced)).is_some();
        assert!(!is_lost(report("violated", &["assertion", "deadlock", "deadlock"], 7, 1)));
        assert!(is_lost(report("violated", &["deadlock"], 7, 1)));
        assert!(is_lost(report("holds", &[], 7, 1)));
        assert!(lost(&full, &ours::Outcome::Refused("why".into())).is_some());
    }

    #[test]
    fn searches_must_agree() {
        let ours = Ours {
            depth_first: ours::Outcome::Checked(report("holds", &[], 10, 5)),
            breadth_first: ours::Outcome::Checked(report("holds", &[], 10, 4)),
            reduced: Vec::new(),
        };
        let Status::Differs(differences) = compare(&spin::Outcome::Explored(spin(&[])), &ours, false) else {
            panic!("differs")
        };
        assert_eq!(differences[0].what, "searches");
    }
}
