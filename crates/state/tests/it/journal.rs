//! The readers of the journal miss nothing, whenever they look: after any steps, undos and decodings.

use quotient_state::{Layout, NodeRef, State};
use system::Encoding;
use testing::{SplitMix64, effort};

use crate::garbage::{edit, layout};

/// The reader of changed positions, and what it knows of the words.
struct Watcher {
    unit_layout: u64,
    words: Vec<u64>,
}

impl Watcher {
    fn new(state: &mut State) -> Self {
        state.take_changed_places();
        Self { unit_layout: state.unit_layout(), words: state.all_words().to_vec() }
    }

    /// Every word of a unit that is not what it was must be among the changed ones.
    fn look(&mut self, state: &mut State) -> bool {
        let changed = state.take_changed_places();
        let mut has_changed = false;
        if state.unit_layout() == self.unit_layout {
            for unit in state.units().chain([NodeRef::Root]) {
                let start = state.start_of(unit);
                for (at, &word) in (start..).zip(state.words_of(unit).expect("it exists")) {
                    let differs = word != self.words[at];
                    assert!(!differs || changed >> (at % 64) & 1 == 1, "{unit:?} changed unnoticed at {at}");
                    has_changed |= differs;
                }
            }
        }
        *self = Self { unit_layout: state.unit_layout(), words: state.all_words().to_vec() };
        has_changed
    }
}

fn whole(layout: &Layout, state: &State) -> Encoding {
    let mut encoding = Encoding::new();
    let mut state = state.clone();
    state.mark_all_unencoded();
    state.encode(layout, &mut encoding);
    encoding
}

fn check(layout: &Layout, seed: u64) -> (usize, usize) {
    let rng = &mut SplitMix64::new(seed);
    let mut state = State::new(layout);
    let mut mirror = Encoding::new();
    let mut stored = Vec::new();
    let mut watcher = Watcher::new(&mut state);
    let (mut depth, mut encoded, mut changed) = (0, 0, 0);
    for _ in 0..300 {
        match rng.below(100) {
            0..=2 => {
                state.forget();
                depth = 0;
            }
            3..=8 if !stored.is_empty() => {
                mirror.clone_from(rng.pick(&stored));
                state.decode(layout, &mirror);
                depth = 0;
            }
            9..=45 if depth > 0 => {
                state.undo();
                depth -= 1;
            }
            _ => {
                state.mark();
                depth += 1;
                for _ in 0..=rng.below(2) {
                    edit(layout, &mut state, rng);
                }
                if rng.chance(70) {
                    state.collect(layout);
                }
            }
        }
        if rng.chance(30) {
            // Looking at what is not encoded yet does not count as encoding it.
            if rng.chance(30) {
                state.unencoded().for_each(drop);
            }
            state.encode(layout, &mut mirror);
            assert!(mirror.same(&whole(layout, &state)), "seed {seed}: the encoding misses something");
            stored.push(mirror.clone());
            encoded += 1;
        }
        if rng.chance(40) {
            changed += usize::from(watcher.look(&mut state));
        }
    }
    (encoded, changed)
}

#[test]
fn readers_miss_nothing() {
    for collection in ["", "Set<Node> friends;"] {
        let layout = layout(collection);
        let (mut encoded, mut changed) = (0, 0);
        for seed in 0..effort(100) {
            let (more_encoded, more_changed) = check(&layout, seed);
            encoded += more_encoded as u64;
            changed += more_changed as u64;
        }
        assert!(encoded > effort(5000) && changed > effort(1000), "{encoded}, {changed}");
    }
}
