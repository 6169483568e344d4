//! Which steps are ample is a function of what the store sees.
//!
//! So a state offers the same steps whatever the names in it, and all searches store the same
//! states. The fault that this is about is an old one: to take the first thread that will do, in the order in
//! which threads happen to be stored. No verdict shows it but once in a blue moon.

use std::collections::BTreeSet;

use engine::{Engine, EngineState, OverEngine};
use quotient_check::config::{Bounds, Naming, SearchKind, Symmetry};
use reduction::{Analysis, Observed, Reduced, obstacle};
use state::{NodeRef, ObjectId, ThreadId};
use symmetry::{Named, Symmetric};
use system::{Encoding, Fault, Fired, Halt, Step, Steps, TransitionSystem, Waypoint};
use testing::SplitMix64;

use super::levels::FEW_STATES;
use super::orbits::{Flat, decoded, flat, ladder, shuffled, stored};
use super::{ALIKE, ANY, Source, load, models, survives};

/// Among this number of models there is one that shows what is wrong.
const MANY: u64 = 1000;

/// The fault: threads are looked at in the order in which they are stored.
struct ByIndex<'a>(&'a Symmetric<'a>);

impl OverEngine for ByIndex<'_> {
    fn engine(&self) -> &Engine {
        self.0.engine()
    }

    fn engine_state<'s>(&self, named: &'s Named) -> &'s EngineState {
        self.0.engine_state(named)
    }

    fn engine_state_mut<'s>(&self, named: &'s mut Named) -> &'s mut EngineState {
        self.0.engine_state_mut(named)
    }

    fn renames(&self) -> bool {
        self.0.renames()
    }

    fn mentions(&self, named: &Named, object: ObjectId, visit: &mut dyn FnMut(NodeRef, u64)) -> bool {
        self.0.mentions(named, object, visit)
    }

    fn order(&self, _: &mut Named, _: &mut [ThreadId]) {}
}

impl TransitionSystem for ByIndex<'_> {
    type State = Named;
    type Cache = system::NoCache;

    fn initial(&self) -> Named {
        self.0.initial()
    }

    fn steps(&self, named: &mut Named, out: &mut Steps) {
        self.0.steps(named, out);
    }

    fn fire(&self, named: &mut Named, step: Step) -> Fired {
        self.0.fire(named, step)
    }

    fn undo(&self, named: &mut Named) {
        self.0.undo(named);
    }

    fn check(&self, named: &mut Named) -> Result<(), Halt> {
        self.0.check(named)
    }

    fn ended(&self, named: &Named) -> bool {
        self.0.ended(named)
    }

    fn encode(&self, named: &mut Named, into: &mut Encoding) {
        self.0.encode(named, into);
    }

    fn decode(&self, from: &Encoding, named: &mut Named) {
        self.0.decode(from, named);
    }

    fn retrace(&self, chain: &[Waypoint], passing: &[Step], last: Option<(Step, Fault)>) -> Vec<Step> {
        self.0.retrace(chain, passing, last)
    }
}

/// Where the steps that a system offers lead to, as it is called in the store.
fn targets(system: &impl TransitionSystem<State = Named>, from: &Encoding) -> BTreeSet<Flat> {
    let mut named = system.initial();
    let mut encoding = from.clone();
    system.decode(&encoding, &mut named);
    let mut steps = Steps::default();
    system.steps(&mut named, &mut steps);
    let mut targets = BTreeSet::new();
    for step in steps.enabled {
        if matches!(system.fire(&mut named, step), Fired::Moved | Fired::MovedWithFault(_)) {
            system.encode(&mut named, &mut encoding);
            targets.insert(flat(&encoding));
            system.undo(&mut named);
        }
    }
    targets
}

/// What was found in a model.
#[derive(Clone, Copy, Default)]
struct Found {
    states: u64,
    /// Those with ample steps.
    ample: u64,
}

/// Whether a system makes a difference between names, or between searches.
fn look<S: OverEngine<State = Named>>(
    engine: &Engine,
    system: &S,
    analysis: &Analysis,
    seed: u64,
) -> Result<Found, String> {
    let reduced = Reduced::new(system, analysis);
    let mut random = SplitMix64::new(seed);
    let Some(states) = stored(system, SearchKind::Bfs, FEW_STATES) else { return Ok(Found::default()) };
    let ample = reduced.counts().ample;
    for encoding in &states {
        let mut state = decoded(engine, encoding).state;
        let names = shuffled(engine, &state, &mut random);
        let mut renamed = Encoding::new();
        state.encode_all(engine.layout(), &names, &mut renamed);
        if targets(&reduced, encoding) != targets(&reduced, &renamed) {
            return Err(format!("other steps under other names: {names:?}"));
        }
    }
    let found = Found { states: states.len() as u64, ample: reduced.counts().ample - ample };
    let (all, some) = (stored_states(system)?, stored_states(&reduced));
    if system::is_void(&reduced) {
        // A check starts again, without reduction.
        return Ok(found);
    }
    let some = some?;
    if some.is_empty() || !some.is_subset(&all) {
        return Err(format!("{} states with reduction, {} without", some.len(), all.len()));
    }
    Ok(found)
}

/// The states of a system in all orders of search, which must be the same.
fn stored_states(system: &impl TransitionSystem) -> Result<BTreeSet<Flat>, String> {
    let [bfs, dfs] = [SearchKind::Bfs, SearchKind::Dfs].map(|search| {
        let states = stored(system, search, FEW_STATES).unwrap_or_default();
        states.iter().map(flat).collect::<BTreeSet<Flat>>()
    });
    if bfs == dfs { Ok(bfs) } else { Err(format!("bfs stores {} states, dfs {}", bfs.len(), dfs.len())) }
}

/// Looks at a model, if it can be reduced.
fn examine(text: &str, bounds: Bounds, seed: u64, by_index: bool) -> Result<Found, String> {
    let model = load(text)?;
    if obstacle(&model.program).is_some() {
        return Ok(Found::default());
    }
    let engine = quotient_check::engine(&model, bounds).map_err(|error| format!("{error:?}"))?;
    let analysis = Analysis::new(&model.program, &Observed::invariants(&model.program));
    let naming = *SplitMix64::new(seed).pick(Naming::ALL);
    let system = Symmetric::new(&engine, ladder(Symmetry::Full, naming));
    if by_index {
        look(&engine, &ByIndex(&system), &analysis, seed)
    } else {
        look(&engine, &system, &analysis, seed)
    }
}

#[test]
fn ample_steps_do_not_depend_on_names_or_searches() {
    let all = models() / 8;
    for source in [ANY, ALIKE] {
        let (mut states, mut ample) = (0, 0);
        for seed in 0..all {
            let found = survives(seed, source, |text, bounds| examine(text, bounds, seed, false));
            states += found.states;
            ample += found.ample;
        }
        eprintln!("{all} models, {states} states, ample steps {ample} times");
        assert!(states > 10 * all && ample > 5 * all, "{states} and {ample} in {all}");
    }
}

/// The same, of programs with channels that are objects and memory that is explicit.
#[test]
fn ample_steps_of_dynamic_programs_do_not_depend_on_names_or_searches() {
    let all = models() / 4;
    let (mut states, mut ample) = (0, 0);
    for seed in 0..all {
        let text = testing::promela::dynamic(seed);
        let files = std::collections::BTreeMap::from([("random.pml".to_owned(), text.as_bytes().to_vec())]);
        let model = quotient_check::Model::load(&files, "random.pml", &[]);
        let model = model.unwrap_or_else(|rejected| panic!("{seed}: {rejected}\n{text}"));
        assert_eq!(obstacle(&model.program), None, "{text}");
        let sizes = quotient_check::config::Sizes { threads: 5, frames: 5, objects: 40 };
        let bounds = Bounds { sizes, on_bound: quotient_check::config::OnBound::Truncate };
        let engine = quotient_check::engine(&model, bounds).expect("a small program");
        let analysis = Analysis::new(&model.program, &Observed::invariants(&model.program));
        let naming = *SplitMix64::new(seed).pick(Naming::ALL);
        let system = Symmetric::new(&engine, ladder(Symmetry::Full, naming));
        let found = look(&engine, &system, &analysis, seed);
        let found = found.unwrap_or_else(|why| panic!("{seed}, {naming}: {why}\n{text}"));
        states += found.states;
        ample += found.ample;
    }
    eprintln!("{all} programs, {states} states, ample steps {ample} times");
    assert!(states > 10 * all && ample > 2 * all, "{states} and {ample} in {all}");
}

#[test]
fn searches_of_numbered_programs_store_the_same_states() {
    let (all, mut less) = (models() / 2, 0);
    for seed in 0..all {
        let text = testing::channels::text(seed);
        let program = testing::program(&text);
        let engine = Engine::new(&program, state::Bounds { threads: 5, frames: 255, objects: 255 }, false);
        let analysis = Analysis::new(&program, &Observed::invariants(&program));
        if obstacle(&program).is_none() && stored(&engine, SearchKind::Bfs, FEW_STATES).is_some() {
            let states = [stored_states(&engine), stored_states(&Reduced::new(&engine, &analysis))];
            let [full, reduced] =
                states.map(|states| states.unwrap_or_else(|why| panic!("program {seed}: {why}\n{text}")));
            assert!(reduced.is_subset(&full), "program {seed}\n{text}");
            less += u64::from(reduced.len() < full.len());
        }
    }
    assert!(less > all / 8, "{less} of {all} have fewer states");
}

#[test]
fn an_order_by_index_is_noticed() {
    for Source { model, bounds } in [ANY, ALIKE] {
        let caught = (0..MANY).any(|seed| examine(&model(seed), bounds(seed), seed, true).is_err());
        assert!(caught, "ample threads may be chosen by where they are stored");
    }
}
