//! What a model has to show, found out by brute force on the plain interpreter.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use naive::{Naive, OnBound, Summary};
use quotient::Model;
use quotient::config;
use quotient::report::{Place, Verdict};
use testing::ModelFile;

use crate::common::load;
use crate::header::{Expected, Header};
use crate::lattice::count_orbits;

/// More states than any bundled model has: a model that never ends has to fail, not to hang.
const MOST_STATES: usize = 500_000;

/// A model with its expectations.
pub struct Case {
    pub file: ModelFile,
    pub header: Header,
    truth: OnceLock<Result<Truth, String>>,
    orbits: OnceLock<Result<Option<u64>, String>>,
}

/// All there is to find in a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    pub expected: Expected,
    pub states: u64,
    pub matched: u64,
    pub transitions: u64,
    pub violations: BTreeMap<Violation, u64>,
    /// By objects, threads and frames.
    pub truncations: [u64; 3],
}

/// A kind, and the line and column where there is one.
pub type Violation = (String, Option<(u32, u32)>);

pub fn violation(kind: &str, place: Option<&Place>) -> Violation {
    (kind.to_owned(), place.map(|place| (place.line, place.column)))
}

impl Case {
    pub fn new(file: ModelFile, header: Header) -> Self {
        Self { file, header, truth: OnceLock::new(), orbits: OnceLock::new() }
    }

    pub fn model(&self) -> Result<Model, String> {
        let Self { file, header, .. } = self;
        load(&file.name, file.text.as_bytes(), &header.options.defines).map_err(|rejected| rejected.text)
    }

    /// Explores the model once, whoever asks first.
    pub fn truth(&self) -> Result<&Truth, String> {
        let explored = self.truth.get_or_init(|| explore(&self.model()?, self.header.options.bounds));
        explored.as_ref().map_err(Clone::clone)
    }

    /// Counts the states up to renaming once, with the default options, where it can be done.
    pub fn orbits(&self) -> Result<Option<u64>, String> {
        self.orbits.get_or_init(|| count_orbits(self)).clone()
    }
}

/// The plain interpreter's findings.
fn explore(model: &Model, bounds: config::Bounds) -> Result<Truth, String> {
    let sizes = bounds.sizes;
    let naive = Naive {
        program: &model.program,
        bounds: naive::Bounds { threads: sizes.threads, frames: sizes.frames, objects: sizes.objects },
        on_bound: match bounds.on_bound {
            config::OnBound::Truncate => OnBound::Truncate,
            config::OnBound::Error => OnBound::Fault,
        },
        alarm: None,
    };
    let Summary { states, transitions, matched, deadlocks, faults, truncations, unevaluated, complete } =
        naive::explore(&naive, MOST_STATES);
    if !complete {
        return Err(format!("the model has more than {MOST_STATES} states"));
    }
    let mut violations = BTreeMap::new();
    for ((kind, span), count) in faults {
        *violations.entry(violation(kind.as_str(), Some(&model.place(span)))).or_default() += count as u64;
    }
    if deadlocks > 0 {
        violations.insert(violation("deadlock", None), deadlocks as u64);
    }
    let verdict = match (violations.is_empty(), truncations.is_empty() && unevaluated.is_empty()) {
        (false, _) => Verdict::Violated,
        (true, false) => Verdict::HoldsUpToBounds,
        (true, true) => Verdict::Holds,
    };
    let kinds = violations.keys().map(|(kind, _)| kind.clone()).collect();
    let bounds = [system::Bound::Objects, system::Bound::Threads, system::Bound::Frames];
    Ok(Truth {
        expected: Expected { verdict: verdict.as_str(), kinds },
        states: states as u64,
        matched: matched as u64,
        transitions: transitions as u64,
        violations,
        truncations: bounds.map(|bound| truncations.get(&bound).map_or(0, |&count| count as u64)),
    })
}

/// The header tells the truth.
pub fn agrees_with_the_header(case: &Case) -> Result<(), String> {
    let Header { options: _, expected, states, orbits } = &case.header;
    let truth = case.truth()?;
    if truth.expected != *expected {
        return Err(format!("the verdict is `{}`, but the header has `{expected}`", truth.expected));
    }
    if truth.states != *states {
        return Err(format!("there are {} states, but the header has {states}", truth.states));
    }
    if orbits.is_some() && *orbits != case.orbits()? {
        return Err(format!("the orbits are {:?}, but the header has {orbits:?}", case.orbits()?));
    }
    Ok(())
}
