//! What a successor changes: looked up without moving, it must be what moving and writing gives.

use std::collections::BTreeMap;

use bits::SplitMix64;
use quotient_model::{
    Bag, Cx, Doing, Heap, Live, Map, Model, Order, Program, Ref, Set, Shape, Symmetry, sort,
};
use system::{Encoding, Key, Section, Steps, SuccessorCache, TransitionSystem, Write};

sort! {
    struct Worker;
    struct Alone;
}

#[derive(Clone, Debug, Default, Shape)]
struct Inner {
    numbers: Set<u16>,
    line: Vec<u8>,
    nothing: (),
}

/// A state with a field of every kind.
#[derive(Clone, Debug, Default, Shape)]
struct Rich {
    /// Rows one by one.
    logs: Map<Worker, Vec<u8>>,
    /// A table.
    flags: Map<Worker, bool>,
    nothing: (),
    inner: Inner,
    line: Vec<Option<Worker>>,
    few: Set<Worker>,
    many: Set<(u16, Worker)>,
    mail: Bag<u16>,
    names: BTreeMap<u8, String>,
    pairs: Map<u16, Set<u8>>,
    heap: Heap<Option<Worker>>,
    root: Option<Ref<Option<Worker>>>,
    only: Map<Alone, ()>,
    total: u64,
}

/// Changes some of the fields, by a number.
struct Changing;

const ACTIONS: u32 = 40;

impl Model for Changing {
    type State = Rich;
    type Action = u32;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Rich>) {
        out.push(Rich::default());
    }

    fn actions(&self, _: &Cx<'_>, _: &Rich, out: &mut Vec<u32>) {
        out.extend(0..ACTIONS);
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Rich, action: &u32) {
        let mut random = SplitMix64::new(state.total << 8 | u64::from(*action));
        let workers: Vec<Worker> = doing.cx().all().collect();
        for _ in 0..random.below(4) {
            let (number, worker) = (random.below(5) as u16, workers[random.below(workers.len())]);
            let (byte, may) = (number as u8, random.below(2) == 0);
            match random.below(16) {
                0 if may => _ = state.logs.remove(&worker),
                0 => state.logs.entry_or_default(worker).push(byte),
                1 if may => _ = state.flags.insert(worker, byte > 2),
                1 => _ = state.flags.remove(&worker),
                2 if may => _ = state.inner.numbers.remove(&number),
                2 => _ = state.inner.numbers.insert(number),
                3 if may => state.inner.line.clear(),
                3 => state.inner.line.push(byte),
                4 if may => _ = state.line.pop(),
                4 => state.line.push((byte > 1).then_some(worker)),
                5 if may => _ = state.few.remove(&worker),
                5 => _ = state.few.insert(worker),
                6 if may => state.many.clear(),
                6 => _ = state.many.insert((number * 50 + random.below(50) as u16, worker)),
                7 if may => _ = state.mail.remove(&number),
                7 => state.mail.insert(number),
                8 if may => _ = state.names.remove(&byte),
                8 => _ = state.names.insert(byte, "x".repeat(usize::from(byte) * 3)),
                9 if may => _ = state.pairs.remove(&number),
                9 => _ = state.pairs.entry_or_default(number).insert(byte),
                10 if may => state.root = None,
                10 => state.root = Some(state.heap.add(Some(worker))),
                11 => {
                    state.only =
                        doing.cx().all().take(usize::from(byte) % 2).map(|alone| (alone, ())).collect();
                }
                12 => state.total = u64::MAX - u64::from(number),
                13 => *state = Rich::default(),
                // The same value again.
                14 => state.logs = state.logs.iter().map(|(worker, log)| (*worker, log.clone())).collect(),
                _ => state.total = state.total.wrapping_add(1),
            }
        }
    }
}

fn rich() -> Program<Changing> {
    let mut program = Program::new(Changing).sort::<Worker>(3).sort::<Alone>(1);
    program.set_symmetry(Symmetry::None, &[]);
    program
}

/// The components of an encoding, by index.
type Components = Vec<Option<Vec<u64>>>;

fn components(encoding: &Encoding) -> Components {
    encoding.section(Section::Root).map(|words| words.map(<[u64]>::to_vec)).collect()
}

/// Writes as their definition says.
fn written(components: &Components, writes: &[Write]) -> Components {
    let mut all = components.clone();
    for write in writes {
        let Key { section: Section::Root, index } = write.key else { panic!("{write:?}") };
        let at = index as usize;
        all.resize(all.len().max(at + 1), None);
        if write.word == Write::LENGTH {
            match write.bits.checked_sub(1) {
                None => assert!(all[at].take().is_some_and(|words| words.iter().all(|word| *word == 0))),
                Some(length) => all[at].get_or_insert_default().resize(length as usize, 0),
            }
        } else {
            let words = all[at].as_mut().expect("a component is made before it is written");
            words[write.word as usize] = write.apply(words[write.word as usize]);
        }
    }
    while all.last().is_some_and(Option::is_none) {
        all.pop();
    }
    all
}

type RichLive = Live<Rich, u32>;

/// Compares each successor that is looked up with the one to which a step moves. Returns how many are as before, and how
/// many move components.
fn compare(program: &Program<Changing>, live: &mut RichLive, encoding: &mut Encoding) -> [usize; 2] {
    program.encode(live, encoding);
    let before = components(encoding);
    let mut looked_up = Vec::new();
    let is_all = SuccessorCache::successors(program, live, 0, |step, effect| {
        looked_up.push((step, written(&before, effect.writes)));
    });
    let mut steps = Steps::default();
    program.steps(live, &mut steps);
    assert!(is_all && looked_up.iter().map(|(step, _)| step).eq(&steps.enabled));
    let mut counts = [0, 0];
    for (step, found) in looked_up {
        let mut fresh = Encoding::new();
        assert_eq!(program.fire(live, step), system::Fired::Moved);
        program.encode(live, &mut fresh);
        let moved = components(&fresh);
        assert_eq!(found, moved, "{:?}", live.value());
        counts[0] += usize::from(moved == before);
        counts[1] += usize::from(moved.len() != before.len());
        // What was written can be read, over whatever was read or written before.
        let mut read = program.initial();
        program.decode(&fresh, &mut read);
        assert_eq!(format!("{:?}", read.value()), format!("{:?}", live.value()));
        program.undo(live);
    }
    counts
}

#[test]
fn what_changes_is_what_moving_changes() {
    let (program, mut random) = (rich(), SplitMix64::new(3));
    let mut counts = [0, 0];
    for _ in 0..testing::effort(4) {
        let (mut live, mut encoding) = (program.initial(), Encoding::new());
        for _ in 0..60 {
            let found = compare(&program, &mut live, &mut encoding);
            counts = [counts[0] + found[0], counts[1] + found[1]];
            // The encoding still holds the state: written after others, it is the same.
            program.encode(&mut live, &mut encoding);
            let mut steps = Steps::default();
            program.steps(&mut live, &mut steps);
            let step = steps.enabled[random.below(steps.enabled.len())];
            assert_eq!(program.fire(&mut live, step), system::Fired::Moved);
            if random.below(4) == 0 {
                program.encode(&mut live, &mut encoding);
                program.decode(&encoding, &mut live);
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[derive(Clone, Debug, Default, Shape)]
struct Members {
    all: Set<(Worker, u16)>,
}

struct Joining;

/// What members come with: as words, those of some are those of others where workers take more bits.
const VALUES: [u16; 4] = [1, 2, 4, 8];

impl Model for Joining {
    type State = Members;
    type Action = (Worker, u16);

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Members>) {
        out.push(Members::default());
    }

    fn actions(&self, cx: &Cx<'_>, _: &Members, out: &mut Vec<(Worker, u16)>) {
        out.extend(cx.all::<Worker>().flat_map(|worker| VALUES.map(|value| (worker, value))));
    }

    fn apply(&self, _: &mut Doing<'_>, state: &mut Members, action: &(Worker, u16)) {
        state.all.insert(*action);
    }
}

/// What was written for sorts of other sizes means something else: nothing of it may be left.
#[test]
fn sorts_can_get_another_size() {
    for symmetry in [Symmetry::None, Symmetry::Full] {
        let mut program = Program::new(Joining).sort::<Worker>(2);
        // Each worker has one of 16 sets of values; up to symmetry, multisets of them.
        for (workers, plain, orbits) in [(2, 256, 136), (3, 4096, 816), (1, 16, 16), (2, 256, 136)] {
            program = program.sort::<Worker>(workers);
            for order in [Order::BreadthFirst, Order::DepthFirst] {
                let states = if symmetry == Symmetry::None { plain } else { orbits };
                let report = Program::check(&mut program).symmetry(symmetry).order(order).assert_holds();
                assert_eq!(report.states, states, "{workers} {order:?} {symmetry:?}");
            }
        }
    }
}
