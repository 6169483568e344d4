//! Which level of symmetry `--symmetry auto` stands for.
//!
//! With names, a step takes about twice the time. So a program in which nobody can observe names is searched without
//! if names would make states no fewer: if no two states are [alike](crate::alike), and there are hardly any ample
//! steps, which need names as well. Both are asked of some states near the initial one and of some at the ends of
//! random runs. If they do not tell, the level is `full`: it may be twice as slow as it could be, where the other may
//! be slower without limit.
//!
//! States that are alike may be far from each other, and behind all that was looked at. So this is not the default.
//!
//! What is looked at depends on the program alone, so a check is still a function of its model and options.

use std::sync::Arc;

use reduction::{Analysis, Reduced};
use symmetry::Symmetric;
use system::{Alarm, Limits, Steps, TransitionSystem};

use crate::alike::{self, Alike, Sample};
use crate::config::{Config, Switch, Symmetry};
use crate::model::Model;
use crate::pipeline::{CheckError, engine_of, without_properties};
use crate::reducing::ReductionPlan;

/// A level, and why it was chosen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    pub level: Symmetry,
    pub reason: String,
}

/// The states of a random run that are asked for ample steps. One in `WORTH` must have some.
const LONGEST_RUN: usize = 1 << 8;
const WORTH: u64 = 4;

/// How often an interpreter may ask its alarm meanwhile.
const LOOKS: u32 = 1 << 14;

impl Choice {
    /// What `auto` is for a model. Programs in which threads have numbers have no names to choose.
    pub fn new(model: &Model, config: &Config) -> Result<Option<Self>, CheckError> {
        let has_names = !model.program.features.thread_ids_observable;
        let Some(names) = config.ladder().filter(|_| has_names && config.symmetry == Symmetry::Auto) else {
            return Ok(None);
        };
        let full = |reason: String| Ok(Some(Self { level: Symmetry::Full, reason }));
        if config.naming.is_some() {
            return full("--naming asks for names".to_owned());
        }
        if config.por == Switch::On {
            return full("--por on needs names".to_owned());
        }
        let program = without_properties(&model.program);
        let engine = engine_of(model, &program, config.bounds)?;
        let (system, alarm) = (Symmetric::new(&engine, names), Arc::new(Alarm::after(LOOKS)));
        let sample = Sample { system: &system, plain: Symmetric::write_plain, alarm: &alarm };
        let Some(alike) = sample.at_places() else {
            return full("the states that were looked at do not tell more".to_owned());
        };
        let Alike { states, orbits } = alike;
        if orbits < states {
            return full(format!("{states} states that were looked at are {orbits} up to names"));
        }
        let plan = ReductionPlan::new(model, &program, config, None);
        if let Some(analysis) = &plan.analysis {
            match ample(&system, analysis, &alarm) {
                None => return full("the steps that were looked at do not tell more".to_owned()),
                Some((ample, all)) if ample * WORTH >= all => {
                    return full(format!(
                        "steps can be left out in {ample} of {all} states that were looked at"
                    ));
                }
                Some(_) => {}
            }
        }
        let reason = format!("no two of {states} states that were looked at are alike up to names");
        Ok(Some(Self { level: Symmetry::None, reason }))
    }
}

/// Of the states of a random run, how many have ample steps, and how many there are. `None` if it takes too long.
fn ample(names: &Symmetric<'_>, analysis: &Analysis, alarm: &Arc<Alarm>) -> Option<(u64, u64)> {
    let reduced = Reduced::new(names, analysis);
    let mut state = alike::initial(names, alarm);
    let mut steps = Steps::default();
    let (mut ample, mut all) = (0, 0);
    alike::run(names, &reduced, &mut state, LONGEST_RUN, |state| {
        let before = reduced.counts().ample;
        reduced.steps(state, &mut steps);
        ample += reduced.counts().ample - before;
        all += 1;
    });
    (!names.is_abandoned(&state)).then_some((ample, all))
}
