//! Numbers of orbits that are known: by counting the states of each, and by closed forms.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use engine::Engine;
use ir::Program;
use quotient_symmetry::{Level, Namer, Naming, Stats, SymmetryConfig};
use state::{Layout, Names, State, ThreadId};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{effort, philosophers, program, random_program};

use crate::forms::{Form, NAMINGS, compact, config, decode, encode, flat, form, full, renamed};

/// Large enough for seven philosophers and for eight threads.
const BOUNDS: state::Bounds = state::Bounds { threads: 9, frames: 1, objects: 9 };

pub fn engine(program: &Program) -> Engine {
    Engine::new(program, BOUNDS, false)
}

/// All states under the names of a level, by form, and what naming took.
pub fn explore(engine: &Engine, config: SymmetryConfig) -> (BTreeMap<Form, Encoding>, Stats) {
    explore_up_to(usize::MAX, engine, config).expect("no limit")
}

/// [`explore`], unless there are more than `most` states.
pub fn explore_up_to(
    most: usize,
    engine: &Engine,
    config: SymmetryConfig,
) -> Option<(BTreeMap<Form, Encoding>, Stats)> {
    let layout = engine.layout();
    let mut state = engine.initial();
    let mut namer = Namer::new(config, layout, &mut state.state);
    let mut mirror = Encoding::new();
    namer.encode(layout, &mut state.state, &mut mirror);
    let mut seen = BTreeMap::from([(flat(&mirror), mirror.clone())]);
    let mut open = VecDeque::from([mirror]);
    // Breadth first: states come from a store, and are expanded there.
    while let Some(encoding) = open.pop_front() {
        engine.decode(&encoding, &mut state);
        namer.decoded(layout, &mut state.state);
        let mut mirror = encoding;
        let mut steps = Steps::default();
        engine.steps(&mut state, &mut steps);
        for step in steps.enabled {
            if matches!(engine.fire_only(&mut state, step), Fired::Moved | Fired::MovedWithFault(_)) {
                namer.step(layout, &mut state.state);
                namer.encode(layout, &mut state.state, &mut mirror);
                if seen.insert(flat(&mirror), mirror.clone()).is_none() {
                    open.push_back(mirror.clone());
                }
                if seen.len() > most {
                    return None;
                }
                namer.undo(engine.layout(), &mut state.state);
                engine.undo(&mut state);
            }
        }
    }
    Some((seen, namer.take_stats()))
}

/// The state with everybody one seat further.
fn rotated(layout: &Layout, state: &State, by: u32) -> State {
    let Names { mut threads, objects, abstracts } = compact(layout, state);
    // Who has ended leaves a gap, which stays where it is.
    let ids = (0..state.thread_limit()).filter(|&id| state.thread_exists(ThreadId(id)));
    let ids: Vec<u32> = ids.collect();
    for (&id, at) in ids.iter().zip(by as usize..) {
        threads[id as usize] = ids[at % ids.len()];
    }
    renamed(layout, state, &Names { threads, objects, abstracts })
}

/// a(n) = 3 a(n - 1) + a(n - 2): the states of n philosophers.
fn states_of_philosophers(n: usize) -> usize {
    (1..n).fold((2, 3), |(before, now), _| (now, 3 * now + before)).1
}

/// Burnside: the mean number of states that a rotation leaves as they are.
fn necklaces(n: usize) -> usize {
    fn common(a: usize, b: usize) -> usize {
        if b == 0 { a } else { common(b, a % b) }
    }
    (1..=n).map(|turn| states_of_philosophers(common(turn, n))).sum::<usize>() / n
}

/// Around the table: the states at the level `full` are the orbits of rotations, and each orbit has as many
/// states at the level `heap` as there are rotations for each that leaves it as it is.
#[test]
fn philosophers_turn_around_their_table() {
    for (n, classes) in [(3, 14), (4, 34), (5, 81), (6, 227), (7, 615)] {
        let program = philosophers(n);
        let engine = engine(&program);
        let layout = engine.layout();
        for naming in NAMINGS {
            let heap = config(Level::Heap, naming);
            let labelled = explore(&engine, heap).0;
            assert_eq!(labelled.len(), states_of_philosophers(n));
            let representatives = explore(&engine, full(naming)).0;
            assert_eq!(representatives.len(), classes);
            assert_eq!(representatives.len(), necklaces(n));
            let turns = |encoding: &Encoding| -> Vec<Form> {
                let state = decode(layout, encoding);
                let turned = (0..n as u32).map(|by| rotated(layout, &state, by));
                turned.map(|state| form(heap, layout, &state)).collect()
            };
            let mut orbits: BTreeMap<Form, BTreeSet<Form>> = BTreeMap::new();
            let mut total = 0;
            for (labels, encoding) in &labelled {
                let class = form(full(naming), layout, &decode(layout, encoding));
                assert!(representatives.contains_key(&class));
                let turned = turns(encoding);
                let orbit: BTreeSet<Form> = turned.iter().cloned().collect();
                assert!(
                    orbit.iter().all(|turned| labelled.contains_key(turned)),
                    "turns of states are states"
                );
                if let Some(known) = orbits.get(&class) {
                    assert_eq!(*known, orbit, "classes are orbits");
                    continue;
                }
                let fixed = turned.iter().filter(|turned| *turned == labels).count();
                assert_eq!(orbit.len(), n / fixed);
                total += n / fixed;
                orbits.insert(class, orbit);
            }
            assert_eq!(orbits.len(), representatives.len());
            assert_eq!(total, labelled.len());
        }
    }
}

fn choose(n: usize, k: usize) -> usize {
    (1..=k).fold(1, |product, i| product * (n - k + i) / i)
}

/// Threads that share nothing are a multiset: of all their states none needs a search.
#[test]
fn independent_threads_are_a_multiset() {
    for (threads, locals) in [(1, 4_usize), (2, 3), (3, 3), (4, 4), (6, 2), (8, 3)] {
        let active = vec!["T"; threads].join(", ");
        let locations: Vec<String> =
            (0..locals).map(|at| format!("loc l{at}: goto l{};", (at + 1) % locals)).collect();
        let locations = locations.join(" ");
        let last = locals - 1;
        let at_locations = format!("program p; thread T() {{ {locations} }} active {active};");
        let at_private_objects = format!(
            "program p;
            record Node {{ int (0, {last}) value; Node next; }}
            thread T() {{
              local Node own;
              loc begin: when own == null do {{ own := new Node; own.next := new Node; }} goto begin;
                when own != null && own.next.value < {last} do {{ own.next.value := own.next.value + 1; }} goto begin;
                when own != null && own.next.value == {last} do {{ own.next.value := 0; }} goto begin;
            }}
            active {active};"
        );
        // A thread without its objects is one state more.
        for (text, locals) in [(at_locations, locals), (at_private_objects, locals + 1)] {
            let program = program(&text);
            let engine = Engine::new(&program, state::Bounds { objects: 16, ..BOUNDS }, false);
            if locals.pow(threads as u32) <= 3000 {
                let labelled = explore(&engine, config(Level::Heap, Naming::Chain)).0;
                assert_eq!(labelled.len(), locals.pow(threads as u32));
            }
            for naming in NAMINGS {
                let (classes, stats) = explore(&engine, full(naming));
                assert_eq!(classes.len(), choose(threads + locals - 1, locals - 1), "{text}");
                assert_eq!((stats.searched, stats.exhausted), (0, 0), "{naming:?}: {text}");
            }
        }
    }
}

/// The triangles of a model program: three sides with two colours or none, of which sides, colours or both
/// are interchangeable.
#[test]
fn triangles() {
    for (sides, colours, classes) in
        [("", "", 27), ("abstract", "", 10), ("", "abstract", 14), ("abstract", "abstract", 6)]
    {
        let program = program(&format!(
            "program triangle;
            {sides} enum Side {{ a, b, c }}
            {colours} enum Colour {{ red, blue }}
            global Map<Side, Colour> painted;
            thread Painter() {{
              local Side side;
              local Colour colour;
              loc begin live {{}}: when painted.size() < 3 do {{
                side := choose (all Side).difference(painted.keys());
                colour := choose all Colour;
                painted := painted.put(side, colour);
              }} goto begin;
            }}
            active Painter;"
        ));
        let engine = engine(&program);
        for naming in NAMINGS {
            let found = explore(&engine, full(naming)).0;
            assert_eq!(found.len(), classes, "sides {sides}, colours {colours}, {naming:?}");
            // Nothing is lost on the way: all states of the plain model have one of these forms.
            for encoding in explore(&engine, config(Level::Heap, naming)).0.values() {
                let again = flat(&encode(full(naming), engine.layout(), &decode(engine.layout(), encoding)));
                assert!(found.contains_key(&again));
            }
        }
    }
}

/// Breadth first, each orbit is found once, by both namings: as many as there are among all states.
fn orbits_are_found_once(engine: &Engine, most: usize) -> bool {
    let layout = engine.layout();
    let Some((labelled, _)) = explore_up_to(most, engine, config(Level::Heap, Naming::Chain)) else {
        return false;
    };
    for naming in NAMINGS {
        let expected: BTreeSet<Form> =
            labelled.values().map(|encoding| form(full(naming), layout, &decode(layout, encoding))).collect();
        let found: BTreeSet<Form> = explore(engine, full(naming)).0.into_keys().collect();
        assert_eq!(found.len(), expected.len(), "{naming:?}");
        assert!(found == expected, "{naming:?}");
    }
    true
}

/// Threads that keep in mind others that have ended.
#[test]
fn parents_outlive_their_children() {
    let program = program(
        "program family;
        thread Parent() {
          local tid older;
          local tid younger;
          loc none: do { older := start Child(); } goto one;
          loc one: do { younger := start Child(); } goto two;
          loc two: when threadTerminated(older) do { older := null; } goto last;
            when threadTerminated(younger) do { older := younger; } goto last;
          loc last: when threadTerminated(younger) do { younger := null; } goto none;
        }
        thread Child() { loc begin: goto end; loc end: return; }
        active Parent, Parent;",
    );
    let few = Engine::new(&program, state::Bounds { threads: 5, ..BOUNDS }, false);
    assert!(orbits_are_found_once(&few, usize::MAX));
}

#[test]
fn random_programs_have_each_orbit_once() {
    let mut checked = 0;
    for seed in 0..effort(150) {
        let program = random_program(seed);
        checked += u64::from(orbits_are_found_once(&crate::engine(&program), 600));
    }
    assert!(checked > effort(60), "{checked}");
}
