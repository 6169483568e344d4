//! The forms that namers give to states, and states under other names.

use quotient_symmetry::{Level, Namer, Naming, Options, SymmetryConfig};
use state::{Layout, Names, State};
use system::Encoding;
use testing::SplitMix64;

/// An encoding as one vector: different states have different ones.
pub type Form = Vec<u64>;

pub const NAMINGS: [Naming; 3] = [Naming::Dfs, Naming::Chain, Naming::Auto];

/// A budget that no state in these tests uses up.
const ENOUGH: Options = Options { budget: 1_000_000, hash_bits: 64 };

pub fn config(level: Level, naming: Naming) -> SymmetryConfig {
    SymmetryConfig { level, naming, options: ENOUGH }
}

pub fn full(naming: Naming) -> SymmetryConfig {
    config(Level::Full, naming)
}

pub fn flat(encoding: &Encoding) -> Form {
    let mut flat = Vec::new();
    encoding.flatten(&mut flat);
    flat
}

/// The encoding of a state by a namer that has never seen another one.
pub fn encode(config: SymmetryConfig, layout: &Layout, state: &State) -> Encoding {
    let mut state = state.clone();
    let mut encoding = Encoding::new();
    Namer::new(config, layout, &mut state).encode(layout, &mut state, &mut encoding);
    encoding
}

pub fn form(config: SymmetryConfig, layout: &Layout, state: &State) -> Form {
    flat(&encode(config, layout, state))
}

pub fn decode(layout: &Layout, encoding: &Encoding) -> State {
    let mut state = State::new(layout);
    state.decode(layout, encoding);
    state
}

/// The encoding of a state under the given names.
pub fn encode_as(layout: &Layout, state: &State, names: &Names) -> Encoding {
    let mut encoding = Encoding::new();
    state.clone().encode_all(layout, names, &mut encoding);
    encoding
}

/// The state in which everybody has the name for an id.
pub fn renamed(layout: &Layout, state: &State, names: &Names) -> State {
    decode(layout, &encode_as(layout, state, names))
}

/// Names in the order of ids, without gaps.
pub fn compact(layout: &Layout, state: &State) -> Names {
    let dense = |exists: &dyn Fn(u32) -> bool, limit: u32| {
        let mut next = 0..;
        (0..limit).map(|id| if exists(id) { next.next().expect("endless") } else { u32::MAX }).collect()
    };
    Names {
        threads: dense(&|id| state.thread_exists(state::ThreadId(id)), state.thread_limit()),
        objects: dense(&|id| state.exists(state::NodeRef::Object(state::ObjectId(id))), state.object_limit()),
        abstracts: layout.abstracts.iter().map(|&count| (0..count).collect()).collect(),
    }
}

/// Random names for everybody; elements of abstract enums that are pinned keep theirs.
pub fn random_names(layout: &Layout, state: &State, rng: &mut SplitMix64) -> Names {
    let mut names = compact(layout, state);
    let mut shuffle = |names: &mut [u32], may: &dyn Fn(u32) -> bool| {
        let movable: Vec<usize> = (0..names.len()).filter(|&at| may(names[at])).collect();
        for last in (1..movable.len()).rev() {
            names.swap(movable[last], movable[rng.below(last + 1)]);
        }
    };
    shuffle(&mut names.threads, &|name| name != u32::MAX);
    shuffle(&mut names.objects, &|name| name != u32::MAX);
    for (of, names) in (0..).zip(&mut names.abstracts) {
        shuffle(names, &|id| !layout.named_constants.contains(&(of, id)));
    }
    names
}

/// A state that differs from `state` in names only, which are random.
pub fn shuffled(layout: &Layout, state: &State, rng: &mut SplitMix64) -> State {
    renamed(layout, state, &random_names(layout, state, rng))
}
