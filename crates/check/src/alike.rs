//! How many of some states are alike: the same up to names, or up to a permutation of processes.
//!
//! States are explored without names for a while, and each is put into canonical form. As long as few of them share a
//! form, canonical forms would make steps dearer and states no fewer. Several places are looked at, since threads may
//! differ at first and not later.
//!
//! What is looked at depends on the program alone, unless an alarm says otherwise.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use bits::SplitMix64;
use system::{Alarm, Encoding, Fired, Steps, TransitionSystem, is_abandoned};

/// The number of states, and of their canonical forms.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Alike {
    pub states: usize,
    pub orbits: usize,
}

impl Alike {
    /// A tenth less is worth the effort.
    pub const fn is_worthwhile(self) -> bool {
        self.orbits * 10 <= self.states * 9
    }
}

/// Why looking at states has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// There are no more.
    All,
    /// So many were wanted.
    Enough,
    /// It took too long.
    Early,
}

/// The most words of states that are kept at a time.
const MOST_WORDS: usize = 1 << 20;

/// The steps with no alternative that are taken first: the model is set up there.
const PRELUDE: usize = 1 << 12;

/// The places: the random steps to each, and the number of states that are looked at there.
const PLACES: [(usize, usize); 5] =
    [(0, 1 << 12), (1 << 6, 1 << 9), (1 << 7, 1 << 9), (1 << 8, 1 << 9), (1 << 9, 1 << 9)];

/// So many states may tell already, if a quarter of them is alike.
const FEW: usize = 1 << 7;

/// Looks at states of a system whose encodings are canonical forms.
pub struct Sample<'s, S, P> {
    pub system: &'s S,
    /// Writes a state as it is, in a form from which it can be decoded.
    pub plain: P,
    pub alarm: &'s Arc<Alarm>,
}

impl<S: TransitionSystem, P: Fn(&S, &S::State, &mut Encoding)> Sample<'_, S, P> {
    /// The first states, up to this number.
    pub fn first(&self, most: usize) -> Alike {
        let (mut state, shown) = self.initial();
        self.explore(&mut state, shown, most).0
    }

    /// The states of the first place at which it is worthwhile; otherwise those of all places. `None` if there are too few
    /// for an answer, or it takes too long.
    pub fn at_places(&self) -> Option<Alike> {
        let mut all = Alike::default();
        for (length, most) in PLACES {
            let (mut state, shown) = self.initial();
            run(self.system, self.system, &mut state, length, |_| {});
            let (seen, end) = self.explore(&mut state, shown, most);
            if seen.is_worthwhile() {
                return Some(seen);
            }
            let is_whole = length == 0 && end == End::All;
            if is_whole || end == End::Early || is_abandoned(self.system, &state) {
                return None;
            }
            all.states += seen.states;
            all.orbits += seen.orbits;
        }
        Some(all)
    }

    /// The initial state, and what shows it.
    fn initial(&self) -> (S::State, Encoding) {
        let mut state = initial(self.system, self.alarm);
        let mut shown = Encoding::new();
        self.system.encode(&mut state, &mut shown);
        (state, shown)
    }

    /// Explores states breadth first, from the one at hand on. `shown` shows the state as it was when it was last
    /// encoded.
    fn explore(&self, state: &mut S::State, mut shown: Encoding, most: usize) -> (Alike, End) {
        let Self { system, plain, alarm } = self;
        let (mut states, mut orbits) = (HashSet::new(), HashSet::new());
        let (mut queue, mut steps) = (VecDeque::new(), Steps::default());
        let mut count = 0;
        let mut words_left = MOST_WORDS;
        let mut form = Encoding::new();
        // Adds the state at hand.
        let mut meet = |state: &mut S::State, shown: &mut Encoding, queue: &mut VecDeque<Encoding>| {
            plain(system, state, &mut form);
            if states.insert(digest(&form)) {
                words_left = words_left.saturating_sub(form.components().map(|(_, words)| words.len()).sum());
                queue.push_back(form.clone());
                if !system.is_transient(state) {
                    system.encode(state, shown);
                    orbits.insert(digest(shown));
                    count += 1;
                }
            }
            let tells = count >= FEW && count.is_power_of_two() && orbits.len() * 4 <= count * 3;
            let is_enough = tells || count >= most || states.len() >= 2 * most;
            let end = if words_left == 0 { Some(End::Early) } else { is_enough.then_some(End::Enough) };
            (Alike { states: count, orbits: orbits.len() }, end)
        };
        let mut last = meet(state, &mut shown, &mut queue);
        while let Some(mut shown) = queue.pop_front() {
            if alarm.is_due() {
                return (last.0, End::Early);
            }
            system.decode(&shown, state);
            system.steps(state, &mut steps);
            for &step in &steps.enabled {
                if moves(system.fire(state, step)) {
                    last = meet(state, &mut shown, &mut queue);
                    system.undo(state);
                    if let (seen, Some(end)) = last {
                        return (seen, end);
                    }
                }
            }
        }
        (last.0, End::All)
    }
}

/// The initial state, in which computations heed an alarm.
pub fn initial<S: TransitionSystem>(system: &S, alarm: &Arc<Alarm>) -> S::State {
    let mut state = system.initial();
    if let Some(limits) = system.limits() {
        limits.heed(&mut state, alarm);
    }
    state
}

/// Takes `length` random steps, after those without alternative that come first. Visits the states before them. `all` offers
/// all steps, of which `system` may know only some.
pub fn run<S: TransitionSystem>(
    all: &S,
    system: &impl TransitionSystem<State = S::State>,
    state: &mut S::State,
    length: usize,
    mut visit: impl FnMut(&mut S::State),
) {
    let mut random = SplitMix64::new(0);
    let mut steps = Steps::default();
    let (mut set_up, mut taken) = (0, 0);
    while taken < length || set_up < PRELUDE {
        all.steps(state, &mut steps);
        let is_set_up = steps.enabled.len() != 1 || set_up == PRELUDE;
        if is_set_up && taken == length {
            break;
        }
        if is_set_up {
            visit(state);
            taken += 1;
        } else {
            set_up += 1;
        }
        let Some(&step) = random.choose(&steps.enabled) else { break };
        if !moves(system.fire(state, step)) {
            break;
        }
    }
}

const fn moves(fired: Fired) -> bool {
    matches!(fired, Fired::Moved | Fired::MovedWithFault(_))
}

/// A hash of everything in an encoding. Where two are equal by chance, an estimate is off by one.
fn digest(encoding: &Encoding) -> u64 {
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    encoding.components().fold(0, |hash, (key, words)| {
        let key = (key.section as u64) << 32 | u64::from(key.index);
        let hash = mix(mix(hash, key), words.len() as u64);
        words.iter().fold(hash, |hash, &word| mix(hash, word))
    })
}
