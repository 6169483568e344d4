//! Chains that are repaired step by step are those of the state, after every step and every undo.

use std::collections::HashMap;

use engine::{Engine, EngineState};
use quotient_symmetry::{Chains, Level, Namer, Naming, SymmetryConfig};
use state::{Entity, Layout, Names, NodeRef, ObjectId, State, ThreadId};
use system::{Encoding, Fired, Steps, TransitionSystem};
use testing::{SplitMix64, effort, random_program};

use crate::engine;
use crate::forms::{Form, NAMINGS, compact, config, encode_as, flat, form};
use crate::random::{edit, end_somebody, mutate, random_state, running, shapes, write_somewhere};

/// A way from the roots: whether it starts at a thread, its length, the thread or first place, the other
/// places.
type Way = (bool, usize, Vec<u64>);

/// The least way to each unit that can be reached, from scratch: ways are improved until none gets better.
fn least_ways(layout: &Layout, state: &State) -> HashMap<NodeRef, Way> {
    let mut ways = HashMap::from([(NodeRef::Root, (false, 0, Vec::new()))]);
    for id in running(state) {
        ways.insert(NodeRef::Thread(id), (true, 1, vec![id.0.into()]));
    }
    loop {
        let mut better = Vec::new();
        for (&source, (of_thread, length, places)) in &ways {
            state.edges(layout, source, &mut |edge| {
                if let Some(target) = edge.target.node() {
                    let mut places = places.clone();
                    places.push(edge.label);
                    better.push((target, (*of_thread, length + 1, places)));
                }
            });
        }
        let mut changed = false;
        for (target, way) in better {
            if ways.get(&target).is_none_or(|known| way < *known) {
                ways.insert(target, way);
                changed = true;
            }
        }
        if !changed {
            return ways;
        }
    }
}

/// Where a way starts: 0 for the globals, one more than its id for a thread.
fn origin((of_thread, _, places): &Way) -> u32 {
    if *of_thread { places[0] as u32 + 1 } else { 0 }
}

fn all_units(state: &State) -> Vec<NodeRef> {
    let threads = (0..state.thread_limit()).map(|id| NodeRef::Thread(ThreadId(id)));
    let objects = (0..state.object_limit()).map(|id| NodeRef::Object(ObjectId(id)));
    std::iter::once(NodeRef::Root).chain(threads).chain(objects).collect()
}

/// What chains say about a state.
#[derive(Clone, PartialEq, Debug)]
struct Said {
    /// Chains by their origins and their hashes: their numbers make no difference.
    chains: Vec<(NodeRef, u32, u128)>,
    lists: Vec<Vec<ObjectId>>,
    sums: Vec<u128>,
    hash: u128,
    crossing: bool,
}

impl Said {
    /// Tables may have grown since this was said, without anything in them.
    fn widened_to(mut self, now: &Self) -> Self {
        self.lists.resize(now.lists.len(), Vec::new());
        self.sums.resize(now.sums.len(), 0);
        self
    }
}

fn said(chains: &mut Chains, layout: &Layout, state: &State) -> Said {
    let origins = 0..=state.thread_limit();
    let hash = chains.hash(layout, state);
    chains.arrange();
    let named = all_units(state).into_iter().map(|unit| (unit, chains.chain(unit)));
    let table = &chains.table;
    let named = named
        .filter(|(_, chain)| chain.exists())
        .map(|(unit, chain)| (unit, table.origin(chain), table.hash(chain)))
        .collect();
    Said {
        chains: named,
        lists: origins.clone().map(|origin| chains.objects_from(origin).collect()).collect(),
        sums: origins.map(|origin| chains.sum(origin)).collect(),
        hash,
        crossing: chains.has_crossing(),
    }
}

/// Chains that follow a state, and what they said so far.
struct Followed<'l> {
    layout: &'l Layout,
    chains: Chains,
    fresh: Chains,
    /// By version.
    versions: HashMap<u64, Vec<(NodeRef, u32, u128)>>,
    /// What was said before each step that can be taken back.
    past: Vec<(Said, u64)>,
    /// Under the names of the least ways, and the threads that are roots.
    by_hash: HashMap<u128, (Form, Vec<ThreadId>)>,
    by_form: HashMap<(Form, Vec<ThreadId>), u128>,
    checked: u64,
    /// The number of chains that were dropped.
    dropped: usize,
}

impl<'l> Followed<'l> {
    fn new(layout: &'l Layout, state: &mut State) -> Self {
        state.record_graph();
        let mut chains = Chains::default();
        chains.reset(layout, state);
        let mut followed = Self {
            layout,
            chains,
            fresh: Chains::default(),
            versions: HashMap::new(),
            past: Vec::new(),
            by_hash: HashMap::new(),
            by_form: HashMap::new(),
            checked: 0,
            dropped: 0,
        };
        followed.check(state);
        followed
    }

    /// The state is about to take a step. Now and then the chains that are not in use are dropped before.
    fn before(&mut self, state: &State) {
        let now = said(&mut self.chains, self.layout, state);
        if self.checked.is_multiple_of(7) {
            let before = self.chains.table.len();
            self.chains.compact();
            self.dropped += before - self.chains.table.len();
            assert_eq!(said(&mut self.chains, self.layout, state), now);
        }
        self.past.push((now, self.chains.version()));
    }

    /// The state took a step.
    fn step(&mut self, state: &mut State) {
        self.chains.step(self.layout, state);
        self.check(state);
    }

    /// Takes a step back, of which `undo` does the part of the state.
    fn undo<S>(&mut self, of: &mut S, view: impl Fn(&S) -> &State, undo: impl FnOnce(&mut S)) {
        self.chains.undo(view(of));
        undo(of);
        let (before, version) = self.past.pop().expect("a step to take back");
        let now = said(&mut self.chains, self.layout, view(of));
        assert_eq!(now, before.widened_to(&now));
        assert_eq!(self.chains.version(), version);
        self.check(view(of));
    }

    /// The state was decoded.
    fn decoded(&mut self, state: &mut State, anew: bool) {
        if anew {
            self.chains.reset(self.layout, state);
        } else {
            self.chains.decoded(self.layout, state);
        }
        self.past.clear();
        self.check(state);
    }

    fn check(&mut self, state: &State) {
        let layout = self.layout;
        let now = said(&mut self.chains, layout, state);
        let ways = least_ways(layout, state);
        // What exists is what can be reached.
        for unit in all_units(state) {
            assert_eq!(state.exists(unit), ways.contains_key(&unit), "{unit:?}");
            assert_eq!(self.chains.chain(unit).exists(), ways.contains_key(&unit), "{unit:?}");
            if let Some(way) = ways.get(&unit) {
                assert_eq!(self.chains.table.origin(self.chains.chain(unit)), origin(way), "{unit:?}");
                assert_eq!(self.chains.is_anchored(unit), origin(way) == 0, "{unit:?}");
            }
        }
        // The lists are in the order of the least ways.
        let mut listed: Vec<(u32, &Way, ObjectId)> = Vec::new();
        for (unit, way) in &ways {
            if let &NodeRef::Object(id) = unit {
                listed.push((origin(way), way, id));
            }
        }
        listed.sort_unstable();
        for (origin, list) in (0..).zip(&now.lists) {
            let expected = listed.iter().filter(|entry| entry.0 == origin).map(|entry| entry.2);
            assert!(expected.eq(list.iter().copied()), "from {origin}: {list:?} in {listed:?}");
        }
        // An edge crosses if it leads from one origin to a thread or its region, and is not of that region.
        let mut crossing = false;
        for (&source, way) in &ways {
            state.edges(layout, source, &mut |edge| {
                if let Some(target) = edge.target.node() {
                    let target = origin(&ways[&target]);
                    crossing |= target != 0 && target != origin(way);
                }
            });
        }
        assert_eq!(now.crossing, crossing);
        self.fresh.reset(layout, state);
        let from_scratch = said(&mut self.fresh, layout, state);
        assert_eq!(now, from_scratch);
        let named = self.versions.entry(self.chains.version()).or_insert_with(|| now.chains.clone());
        assert_eq!(*named, now.chains, "equal versions, equal names");
        self.check_hash(state, &ways, now.hash);
        self.checked += 1;
    }

    /// Equal hashes mean the same state but for the names of what has a chain from elsewhere than itself: all
    /// but the threads that no global leads to, which keep their ids. The converse holds unless there are
    /// collections or abstract ids: these are hashed as they stand.
    fn check_hash(&mut self, state: &State, ways: &HashMap<NodeRef, Way>, hash: u128) {
        let mut names = Names {
            threads: vec![u32::MAX; state.thread_limit() as usize],
            objects: vec![u32::MAX; state.object_limit() as usize],
            abstracts: self.layout.abstracts.iter().map(|&count| (0..count).collect()).collect(),
        };
        let mut by_way: Vec<(&Way, NodeRef)> = ways.iter().map(|(&unit, way)| (way, unit)).collect();
        by_way.sort_unstable();
        let (mut threads, mut objects) = (0.., 0..);
        for &(_, unit) in &by_way {
            match unit {
                NodeRef::Root => {}
                NodeRef::Thread(id) => names.threads[id.0 as usize] = threads.next().expect("endless"),
                NodeRef::Object(id) => names.objects[id.0 as usize] = objects.next().expect("endless"),
            }
        }
        let mut roots = running(state);
        roots.retain(|&id| origin(&ways[&NodeRef::Thread(id)]) != 0);
        let key = (flat(&encode_as(self.layout, state, &names)), roots);
        assert_eq!(*self.by_hash.entry(hash).or_insert_with(|| key.clone()), key, "equal hashes");
        if !self.layout.has_relations() {
            assert_eq!(*self.by_form.entry(key).or_insert(hash), hash, "equal states");
        }
    }
}

/// A random step of a program. Says whether there was one.
fn step(engine: &Engine, state: &mut EngineState, rng: &mut SplitMix64) -> bool {
    let mut steps = Steps::default();
    engine.steps(state, &mut steps);
    !steps.enabled.is_empty() && engine.fire_only(state, *rng.pick(&steps.enabled)) == Fired::Moved
}

#[test]
fn chains_follow_the_steps_of_programs() {
    let mut checked = 0;
    for seed in 0..effort(300) {
        let rng = &mut SplitMix64::new(seed);
        let program = random_program(seed);
        let engine = engine(&program);
        let layout = engine.layout();
        let mut state = engine.initial();
        let mut followed = Followed::new(layout, &mut state.state);
        for round in 0..120 {
            // There are times to go on and times to go back.
            let onwards = if round / 20 % 2 == 0 { 80 } else { 40 };
            if rng.chance(onwards) || followed.past.is_empty() {
                followed.before(&state.state);
                if step(&engine, &mut state, rng) {
                    followed.step(&mut state.state);
                } else {
                    followed.past.pop();
                }
            } else {
                followed.undo(&mut state, |state| &state.state, |state| engine.undo(state));
            }
        }
        checked += followed.checked;
    }
    assert!(checked > effort(300) * 80);
}

#[test]
fn chains_follow_edits() {
    for seed in 0..effort(400) {
        let rng = &mut SplitMix64::new(seed);
        let program = shapes(rng, seed % 4 == 0);
        let layout = &Layout::new(&program, crate::BOUNDS);
        let mut state = State::new(layout);
        let mut followed = Followed::new(layout, &mut state);
        for round in 0..150 {
            let onwards = if round / 25 % 2 == 0 { 80 } else { 40 };
            if rng.chance(5) {
                // The state becomes another, which may differ from it by little.
                let mut other = random_state(layout, rng.below(20), rng);
                if rng.chance(70) {
                    other = state.clone();
                    mutate(layout, &mut other, rng);
                }
                let encoding = encode_as(layout, &other, &compact(layout, &other));
                state.decode(layout, &encoding);
                followed.decoded(&mut state, rng.chance(20));
            } else if rng.chance(onwards) || followed.past.is_empty() {
                followed.before(&state);
                state.mark();
                if rng.chance(10) {
                    end_somebody(layout, &mut state, rng);
                }
                for _ in 0..=rng.below(4) {
                    edit(layout, &mut state, rng);
                }
                followed.step(&mut state);
            } else {
                followed.undo(&mut state, |state| state, State::undo);
            }
        }
    }
}

/// However many chains there are over time, the table keeps those that are in use and not many more.
#[test]
fn the_table_of_chains_does_not_grow_for_ever() {
    // What is put in front of a list renames all of it.
    let program = testing::program(
        "program lists;
        record Node { Node a; Node b; }
        global Node top;
        thread T() {
          local Node n;
          loc begin: when true do { n := new Node; n.a := top; top := n; n := null; } goto begin;
            when true do { n := new Node; n.b := top; top := n; n := null; } goto begin;
        }
        active T;",
    );
    let engine = Engine::new(&program, state::Bounds { objects: 32, ..crate::BOUNDS }, false);
    let layout = engine.layout();
    let rng = &mut SplitMix64::new(1);
    let mut state = engine.initial();
    state.state.record_graph();
    let mut chains = Chains::default();
    chains.reset(layout, &state.state);
    let (mut made, mut before, mut depth) = (0, chains.table.len(), 0);
    while made < 1 << 15 {
        // Lists are of all lengths that there is room for.
        if depth < rng.below(64) && step(&engine, &mut state, rng) {
            chains.step(layout, &mut state.state);
            depth += 1;
        } else if depth > 0 {
            chains.undo(&state.state);
            engine.undo(&mut state);
            depth -= 1;
        }
        made += chains.table.len() - before;
        assert!(chains.has_room());
        before = chains.table.len();
        assert!(before < 1 << 13, "{before} of {made} chains are there");
    }
    let mut fresh = Chains::default();
    fresh.reset(layout, &state.state);
    assert_eq!(said(&mut chains, layout, &state.state), said(&mut fresh, layout, &state.state));
}

/// What is one state at the level `heap`, with the same ids of threads, has one hash. The converse holds
/// where all threads are roots: others have chains, which do not contain their ids.
#[test]
fn the_hash_is_that_of_the_level_heap() {
    let mut classes = 0;
    for seed in 0..effort(200) {
        let rng = &mut SplitMix64::new(seed);
        let program = random_program(seed);
        let engine = engine(&program);
        let layout = engine.layout();
        if layout.has_relations() {
            continue;
        }
        let mut state = engine.initial();
        state.state.record_graph();
        let mut chains = Chains::default();
        chains.reset(layout, &state.state);
        let mut forms: [HashMap<u128, (Form, Vec<ThreadId>)>; 2] = Default::default();
        let mut hashes: [HashMap<(Form, Vec<ThreadId>), u128>; 2] = Default::default();
        for _ in 0..120 {
            if !step(&engine, &mut state, rng) {
                // A new life.
                state = engine.initial();
                state.state.record_graph();
                chains.reset(layout, &state.state);
                continue;
            }
            chains.step(layout, &mut state.state);
            let threads = (0..state.state.thread_limit()).map(ThreadId);
            let threads: Vec<ThreadId> = threads.filter(|&id| state.state.thread_exists(id)).collect();
            let are_roots = threads
                .iter()
                .all(|&id| state.state.is_running(id) && !chains.is_anchored(NodeRef::Thread(id)));
            let hash = chains.hash(layout, &state.state);
            for ((naming, forms), hashes) in NAMINGS.into_iter().zip(&mut forms).zip(&mut hashes) {
                let form = form(config(Level::Heap, naming), layout, &state.state);
                let key = (form, threads.clone());
                if are_roots {
                    assert_eq!(*forms.entry(hash).or_insert_with(|| key.clone()), key);
                }
                assert_eq!(*hashes.entry(key).or_insert(hash), hash);
            }
        }
        classes += forms[0].len() as u64;
    }
    assert!(classes > effort(200) * 3);
}

const LEVELS: [Level; 5] = [Level::Heap, Level::Pc, Level::Bots(1), Level::Bots(u32::MAX), Level::Full];

/// The encoding that a namer keeps up to date is the one that a new namer writes, whenever it is asked for.
#[test]
fn namers_follow_the_steps_of_programs() {
    for seed in 0..effort(100) {
        let program = random_program(seed);
        let engine = engine(&program);
        let moves = Moves {
            layout: engine.layout(),
            view: |state: &mut EngineState| &mut state.state,
            step: &|state, rng| step(&engine, state, rng),
            undo: &|state| engine.undo(state),
        };
        for (number, level) in LEVELS.into_iter().enumerate() {
            for naming in NAMINGS {
                let rng = &mut SplitMix64::new(seed << 3 | number as u64);
                moves.follow(&mut engine.initial(), config(level, naming), 60, rng);
            }
        }
    }
}

#[test]
fn namers_follow_edits() {
    for seed in 0..effort(200) {
        let rng = &mut SplitMix64::new(seed);
        let program = shapes(rng, seed % 4 == 0);
        let layout = &Layout::new(&program, crate::BOUNDS);
        let moves = Moves {
            layout,
            view: |state: &mut State| state,
            step: &|state: &mut State, rng| {
                state.mark();
                if rng.chance(10) {
                    end_somebody(layout, state, rng);
                }
                // Mostly one edit: then most of the state stays as it is.
                for _ in 0..=rng.below(5) / 4 {
                    edit(layout, state, rng);
                }
                true
            },
            undo: &|state: &mut State| state.undo(),
        };
        for level in LEVELS {
            for naming in NAMINGS {
                let mut state = random_state(layout, 20, rng);
                moves.follow(&mut state, config(level, naming), 100, rng);
            }
        }
    }
}

/// At the level `heap`, most steps keep the names. Writes without new units are the steps that it has to judge.
#[test]
fn names_of_the_level_heap_follow_writes() {
    for seed in 0..effort(1500) {
        let rng = &mut SplitMix64::new(seed);
        let program = shapes(rng, seed % 4 == 0);
        let layout = &Layout::new(&program, crate::BOUNDS);
        let moves = Moves {
            layout,
            view: |state: &mut State| state,
            step: &|state: &mut State, rng| {
                state.mark();
                write_somewhere(layout, state, rng);
                true
            },
            undo: &|state: &mut State| state.undo(),
        };
        let mut state = random_state(layout, 20, rng);
        moves.follow(&mut state, config(Level::Heap, Naming::Auto), 150, rng);
    }
}

/// What there is to do with a state.
struct Moves<'m, S> {
    layout: &'m Layout,
    view: fn(&mut S) -> &mut State,
    /// Takes a random step, if there is one.
    step: &'m dyn Fn(&mut S, &mut SplitMix64) -> bool,
    undo: &'m dyn Fn(&mut S),
}

impl<S> Moves<'_, S> {
    fn follow(&self, whole: &mut S, config: SymmetryConfig, moves: usize, rng: &mut SplitMix64) {
        let Self { layout, view, .. } = *self;
        let mut namer = Namer::new(config, layout, view(whole));
        let mut mirror = Encoding::new();
        let mut stored = Vec::new();
        let mut depth = 0;
        for _ in 0..moves {
            if depth == 0 || rng.chance(65) {
                namer.before_step(layout, view(whole));
                if (self.step)(whole, rng) {
                    namer.step(layout, view(whole));
                    depth += 1;
                }
            } else if stored.is_empty() || rng.chance(80) {
                namer.undo(layout, view(whole));
                (self.undo)(whole);
                depth -= 1;
            } else {
                mirror.clone_from(rng.pick(&stored));
                view(whole).decode(layout, &mirror);
                namer.decoded(layout, view(whole));
                depth = 0;
            }
            let state = view(whole);
            if rng.chance(50) {
                namer.encode(layout, state, &mut mirror);
                assert_eq!(flat(&mirror), form(config, layout, state), "{config:?}");
                stored.push(mirror.clone());
            }
            if rng.chance(20) {
                let names = namer.names(layout, state).clone();
                match config.level {
                    Level::Heap => assert_threads_keep_their_ids(state, &names),
                    _ => assert_bijective(layout, state, &names),
                }
            }
        }
    }
}

fn assert_threads_keep_their_ids(state: &State, names: &Names) {
    for (id, &name) in (0..).zip(&names.threads) {
        assert_eq!(name, if state.thread_exists(ThreadId(id)) { id } else { u32::MAX });
    }
}

/// Every unit that exists has a name, no two have the same, and there are no gaps.
pub fn assert_bijective(layout: &Layout, state: &State, names: &Names) {
    let dense = |mut names: Vec<u32>| {
        names.sort_unstable();
        assert!(names.iter().copied().eq(0..names.len() as u32), "{names:?}");
    };
    let of = |whom: Entity| names.of(whom);
    let threads = (0..state.thread_limit()).map(ThreadId).filter(|&id| state.thread_exists(id));
    dense(threads.map(|id| of(Entity::Thread(id))).collect());
    let objects = (0..state.object_limit()).map(ObjectId).filter(|&id| state.exists(NodeRef::Object(id)));
    dense(objects.map(|id| of(Entity::Object(id))).collect());
    for (kind, &count) in (0..).zip(&layout.abstracts) {
        dense((0..count).map(|id| of(Entity::Abstract(kind, id))).collect());
    }
    for &(kind, id) in &layout.named_constants {
        assert_eq!(of(Entity::Abstract(kind, id)), id);
    }
}
