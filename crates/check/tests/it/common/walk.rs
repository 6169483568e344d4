//! Steps that are taken and taken back leave a state as it was, to the bit.
//!
//! On a random walk through a model every step is tried and undone, and now and then several at once are.
//! Encodings are held against the states all the while: what changed must have been noticed, and decoding
//! gives the same state again.

use engine::Engine;
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::SplitMix64;

/// Walks once. Gives the number of steps that were tried.
pub fn walk(engine: &Engine, seed: u64, steps: usize) -> usize {
    let mut random = SplitMix64::new(seed);
    let mut state = engine.initial();
    let mut encoding = Encoding::new();
    engine.encode(&mut state, &mut encoding);
    let mut way = vec![encoding.clone()];
    let mut offered = Steps::default();
    let mut tried = 0;
    for _ in 0..steps {
        engine.steps(&mut state, &mut offered);
        tried += offered.enabled.len();
        for &step in &offered.enabled {
            let before = state.state.snapshot();
            if moved(engine.fire(&mut state, step)) {
                engine.encode(&mut state, &mut encoding);
                decodes(engine, &mut state, &encoding);
                engine.undo(&mut state);
            }
            assert_eq!(before, state.state.snapshot(), "{step:?} was not undone");
        }
        engine.encode(&mut state, &mut encoding);
        assert!(encoding.same(&way[way.len() - 1]), "the encoding was not undone");
        if offered.enabled.is_empty() || random.chance(25) {
            for _ in 0..random.below(way.len()) {
                engine.undo(&mut state);
                way.pop();
            }
            engine.encode(&mut state, &mut encoding);
            assert!(encoding.same(&way[way.len() - 1]), "several steps were not undone");
            continue;
        }
        let step = *random.pick(&offered.enabled);
        let before = encoding.now();
        if moved(engine.fire(&mut state, step)) {
            engine.encode(&mut state, &mut encoding);
            let parent = &way[way.len() - 1];
            let keys = encoding.components().chain(parent.components()).map(|(key, _)| key);
            for key in keys.filter(|&key| encoding.get(key) != parent.get(key)) {
                assert!(
                    encoding.touched(before).is_some_and(|touched| touched.contains(&key)),
                    "{key:?} changed unnoticed by {step:?}"
                );
            }
            way.push(encoding.clone());
        }
    }
    tried
}

fn moved(fired: Fired) -> bool {
    matches!(fired, Fired::Moved | Fired::MovedWithFault(_))
}

/// Decoding gives the state: the same encoding again, and the same steps.
fn decodes(engine: &Engine, state: &mut engine::EngineState, encoding: &Encoding) {
    let mut decoded = engine.initial();
    engine.decode(encoding, &mut decoded);
    let mut again = Encoding::new();
    decoded.state.mark_all_unencoded();
    engine.encode(&mut decoded, &mut again);
    assert!(again.same(encoding), "decoding loses something");
    let (mut ours, mut theirs) = (Steps::default(), Steps::default());
    engine.steps(state, &mut ours);
    engine.steps(&mut decoded, &mut theirs);
    assert_eq!(ours.enabled, theirs.enabled);
}
