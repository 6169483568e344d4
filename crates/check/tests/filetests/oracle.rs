//! What a model has to show, found out by brute force on the plain interpreter.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use quotient_check::Model;
use quotient_check::config::Bounds;
use testing::ModelFile;

use crate::common::load;
use crate::common::oracle::{Found, Violation, by_brute_force};
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

impl Case {
    pub fn new(file: ModelFile, header: Header) -> Self {
        Self { file, header, truth: OnceLock::new(), orbits: OnceLock::new() }
    }

    pub fn model(&self) -> Result<Model, String> {
        let Self { file, header, .. } = self;
        load(&file.name, file.text.as_bytes(), &header.options.defines)
            .map_err(|rejected| rejected.to_string())
    }

    /// Explores the model when it is first asked for, and only once.
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
fn explore(model: &Model, bounds: Bounds) -> Result<Truth, String> {
    let Found { verdict, states, transitions, matched, violations, truncations } =
        by_brute_force(model, bounds, MOST_STATES)
            .ok_or_else(|| format!("the model has more than {MOST_STATES} states"))?;
    let kinds = violations.keys().map(|(kind, _)| kind.clone()).collect();
    let [objects, threads, frames, _] = truncations;
    let truncations = [objects, threads, frames];
    Ok(Truth { expected: Expected { verdict, kinds }, states, matched, transitions, violations, truncations })
}

/// What the header says is true.
pub fn agrees_with_the_header(case: &Case) -> Result<(), String> {
    let Header { expected, states, orbits, .. } = &case.header;
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
