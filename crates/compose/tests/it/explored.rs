//! Graphs of programs against tables, and dead ends against a search from each state.

use std::collections::BTreeSet;

use bits::SplitMix64;
use quotient_compose::{Explored, Slice};
use quotient_model::{Program, Rules, Set, Shape, Symmetry, model, sort};

use crate::tables::{Act, Table};

/// The states that can be reached from a state, itself included.
fn reachable(table: &Table, from: u8) -> BTreeSet<u8> {
    let (mut seen, mut left) = (BTreeSet::from([from]), vec![from]);
    while let Some(state) = left.pop() {
        left.extend(table.from(state).map(|(_, to)| to).filter(|to| seen.insert(*to)));
    }
    seen
}

#[test]
fn graphs_and_dead_ends_of_random_tables() {
    let mut random = SplitMix64::new(11);
    let mut ends_found = 0;
    for _ in 0..testing::effort(300) {
        let states = random.between(1, 9) as usize;
        let table = Table::random(&mut random, states, states * 2, 3);
        let mut program = Program::new(table.clone());
        let graph = Explored::new(&mut program, Symmetry::Full, 100).expect("it is small");
        let all = reachable(&table, 0);
        assert_eq!(graph.vertices.iter().map(|vertex| vertex.state).collect::<BTreeSet<_>>(), all);
        let edges: BTreeSet<(u8, Act, u8)> = graph
            .edges
            .iter()
            .map(|edge| (graph.vertices[edge.from].state, edge.action, graph.vertices[edge.to].state))
            .collect();
        assert_eq!(edges.len(), graph.edges.len());
        assert_eq!(edges, table.rows.iter().copied().filter(|row| all.contains(&row.0)).collect());

        let is_dead = |state: u8| reachable(&table, state).is_disjoint(&table.ends);
        let astray: BTreeSet<u8> = all
            .iter()
            .copied()
            .filter(|&state| is_dead(state))
            .filter(|&state| state == 0 || edges.iter().any(|&(from, _, to)| to == state && !is_dead(from)))
            .collect();
        let dead_ends = graph.dead_ends();
        ends_found += dead_ends.len();
        let found: BTreeSet<u8> = dead_ends.iter().map(|end| graph.vertices[end.vertex].state).collect();
        assert_eq!(found, astray, "{table:?}");
        for end in &dead_ends {
            let mut at = 0;
            for &edge in &end.run {
                assert_eq!(graph.vertices[graph.edges[edge].from].state, at);
                at = graph.vertices[graph.edges[edge].to].state;
            }
            assert_eq!((at, end.run.len() as u32), {
                let vertex = &graph.vertices[end.vertex];
                (vertex.state, vertex.depth)
            });
        }
    }
    assert!(ends_found > 50, "{ends_found}");
}

sort! { struct Runner; }

/// Runners who enter a room, and of whom the last one leaves the door open.
#[derive(Clone, Debug, Default, Shape)]
struct Room {
    inside: Set<Runner>,
    is_open: bool,
}

#[model]
impl Room {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action(when = !self.inside.contains(&runner) && !self.is_open)]
    fn enter(&mut self, runner: Runner) {
        self.inside.insert(runner);
    }

    #[action(when = self.inside.contains(&runner) && self.inside.len() > 1)]
    fn leave(&mut self, runner: Runner) {
        self.inside.remove(&runner);
    }

    #[action(when = self.inside.len() == cx.count::<Runner>())]
    fn open(&mut self) {
        self.is_open = true;
    }

    #[accepting]
    fn is_closed(&self) -> bool {
        !self.is_open
    }
}

/// 0, 1, 2, 3 inside with the door closed, and 3, 2, 1 with it open. Three ways to enter or to leave are one edge.
#[test]
fn vertices_and_edges_are_orbits() {
    let mut program = Room::program().sort::<Runner>(3);
    let graph = Explored::new(&mut program, Symmetry::Full, 100).expect("it is small");
    assert_eq!((graph.vertices.len(), graph.edges.len()), (7, 3 + 2 + 1 + 1 + 2));
    assert!(graph.broken.is_empty() && graph.failures.is_empty() && graph.cut_off == 0);
    let [end] = &graph.dead_ends()[..] else { panic!("one way goes astray") };
    assert_eq!(end.run.len(), 4);
    let plain = Explored::new(&mut program, Symmetry::None, 100).expect("it is small");
    assert_eq!(plain.vertices.len(), 8 + 7);
    assert!(Explored::new(&mut program, Symmetry::None, 14).is_err());

    // Without the action that leads astray there is no dead end.
    let careful = Slice::new(Rules::<Room>::new()).only(|_, action| !matches!(action, RoomAction::Open));
    let mut careful = Program::new(careful).sort::<Runner>(3);
    let graph = Explored::new(&mut careful, Symmetry::Full, 100).expect("it is small");
    assert_eq!((graph.vertices.len(), graph.dead_ends().len()), (4, 0));
    // Nor if the door is not to be open; that cuts a step off, and the verdict says so.
    let mut closed =
        Program::new(Slice::new(Rules::<Room>::new()).within(|room| !room.is_open)).sort::<Runner>(3);
    let graph = Explored::new(&mut closed, Symmetry::Full, 100).expect("it is small");
    assert_eq!((graph.vertices.len(), graph.cut_off), (4, 1));
    let verdict = closed.check().run().verdict.to_string();
    assert_eq!(verdict, "holds as far as it was explored: 1 steps leave `within`");
}

sort! { struct Pupil; }

/// Only the pupil with the least number may go.
#[derive(Clone, Debug, Default, Shape)]
struct Unfair {
    gone: Set<Pupil>,
}

#[model]
impl Unfair {
    #[initial]
    fn nobody() -> Self {
        Self::default()
    }

    #[action(when = format!("{pupil:?}") == "Pupil0")]
    fn go(&mut self, pupil: Pupil) {
        self.gone.insert(pupil);
    }
}

#[test]
fn broken_symmetry_is_noticed() {
    let mut program = Unfair::program().sort::<Pupil>(2);
    let graph = Explored::new(&mut program, Symmetry::Full, 100).expect("it is small");
    assert_eq!((graph.broken.len(), graph.vertices.len()), (1, 2));
    program.check().assert_holds();
}
