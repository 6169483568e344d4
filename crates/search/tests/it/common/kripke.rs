//! Graphs whose places say which propositions hold, a ring with indistinguishable places, and random graphs.

use ltl::{Automaton, Cube, Edge, Formula, Marks, Prop, State};
use system::{Bound, Encoding, Fired, Halt, Key, Section, Step, Steps, Temporal, TransitionSystem};
use testing::SplitMix64;

const ROOT: Key = Key { section: Section::Root, index: 0 };

/// A Kripke structure. Place 0 is the initial state.
#[derive(Clone, Default, Debug)]
pub struct Kripke {
    pub places: Vec<Place>,
}

#[derive(Clone, Default, Debug)]
pub struct Place {
    pub valuation: u64,
    pub edges: Vec<Way>,
    pub is_transient: bool,
    /// The place is stored although it is not observed.
    pub is_hidden: bool,
    /// The steps of the place exceed a bound.
    pub truncates: bool,
    /// Set if the propositions of the place cannot be evaluated.
    pub halt: Option<Halt>,
}

#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub thread: u32,
    /// The thread that moves as the partner, if any.
    pub partner: Option<u32>,
    pub to: usize,
}

impl Kripke {
    pub fn threads(&self) -> u32 {
        let ways = self.places.iter().flat_map(|place| &place.edges);
        ways.map(|way| 1 + way.thread.max(way.partner.unwrap_or(0))).max().unwrap_or(0)
    }
}

impl Place {
    pub fn is_observed(&self) -> bool {
        !self.is_transient && !self.is_hidden
    }
}

impl TransitionSystem for Kripke {
    type State = Vec<usize>;
    type Cache = system::NoCache;

    fn initial(&self) -> Vec<usize> {
        vec![0]
    }

    fn steps(&self, state: &mut Vec<usize>, out: &mut Steps) {
        out.clear();
        let edges = self.places[*state.last().unwrap()].edges.iter().enumerate();
        out.enabled.extend(edges.map(|(at, edge)| Step {
            thread: edge.thread,
            transition: at as u32,
            choice: 0,
        }));
    }

    fn fire(&self, state: &mut Vec<usize>, step: Step) -> Fired {
        let place = &self.places[*state.last().unwrap()];
        if place.truncates {
            return Fired::Truncated(Bound::Objects);
        }
        state.push(place.edges[step.transition as usize].to);
        Fired::Moved
    }

    fn is_transient(&self, state: &Vec<usize>) -> bool {
        self.places[*state.last().unwrap()].is_transient
    }

    fn undo(&self, state: &mut Vec<usize>) {
        state.pop();
    }

    fn check(&self, _: &mut Vec<usize>) -> Result<(), Halt> {
        Ok(())
    }

    fn ended(&self, _: &Vec<usize>) -> bool {
        false
    }

    fn encode(&self, state: &mut Vec<usize>, into: &mut Encoding) {
        into.set(ROOT, &[*state.last().unwrap() as u64]);
    }

    fn decode(&self, from: &Encoding, state: &mut Vec<usize>) {
        *state = vec![from.get(ROOT).unwrap()[0] as usize];
    }
}

impl Temporal for Kripke {
    fn is_observed(&self, state: &Vec<usize>) -> bool {
        self.places[*state.last().unwrap()].is_observed()
    }

    fn partner(&self, state: &mut Vec<usize>, step: Step) -> Option<u32> {
        self.places[*state.last().unwrap()].edges[step.transition as usize].partner
    }

    fn thread_names(&self, _: &mut Vec<usize>, out: &mut Vec<u32>) -> bool {
        *out = (0..self.threads()).collect();
        false
    }

    fn valuation(&self, state: &mut Vec<usize>) -> Result<u64, Halt> {
        let place = &self.places[*state.last().unwrap()];
        place.halt.map_or(Ok(place.valuation), Err)
    }
}

/// A token in a ring, which is picked up and then put down `by` places further on. Places are
/// indistinguishable: an encoding only says whether the token is up.
pub struct Ring {
    pub size: u64,
    pub by: u64,
    pub begin: u64,
    /// If set, every state differs from all before: it counts the calls of `identity`.
    pub never_same: Option<std::cell::Cell<u64>>,
}

impl TransitionSystem for Ring {
    /// The place of the token and whether it is up, and the history for undoing.
    type State = (u64, u64, Vec<(u64, u64)>);
    type Cache = system::NoCache;

    fn initial(&self) -> Self::State {
        (self.begin, 0, Vec::new())
    }

    fn steps(&self, state: &mut Self::State, out: &mut Steps) {
        out.clear();
        out.enabled.push(Step { thread: state.0 as u32, transition: state.1 as u32, choice: 0 });
    }

    fn fire(&self, state: &mut Self::State, step: Step) -> Fired {
        assert_eq!((u64::from(step.thread), u64::from(step.transition)), (state.0, state.1));
        state.2.push((state.0, state.1));
        (state.0, state.1) = ((state.0 + state.1 * self.by) % self.size, 1 - state.1);
        Fired::Moved
    }

    fn undo(&self, state: &mut Self::State) {
        (state.0, state.1) = state.2.pop().unwrap();
    }

    fn check(&self, _: &mut Self::State) -> Result<(), Halt> {
        Ok(())
    }

    fn ended(&self, _: &Self::State) -> bool {
        false
    }

    fn encode(&self, state: &mut Self::State, into: &mut Encoding) {
        into.set(ROOT, &[state.1]);
    }

    fn decode(&self, from: &Encoding, state: &mut Self::State) {
        *state = (0, from.get(ROOT).unwrap()[0], Vec::new());
    }
}

impl Temporal for Ring {
    fn thread_names(&self, _: &mut Self::State, out: &mut Vec<u32>) -> bool {
        *out = (0..self.size as u32).collect();
        false
    }

    fn valuation(&self, _: &mut Self::State) -> Result<u64, Halt> {
        Ok(1)
    }

    fn identity(&self, state: &mut Self::State) -> Option<Vec<u64>> {
        let count = self.never_same.as_ref().map(|count| count.replace(count.get() + 1));
        Some(vec![count.unwrap_or(state.0)])
    }
}

/// A source of random objects, the same in every run.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64() % bound
    }

    /// A formula with `size` operators, over the first `props` propositions.
    pub fn formula(&mut self, size: u64, props: u64) -> Formula {
        if size == 0 {
            return Formula::Prop(Prop(self.below(props) as u32));
        }
        let kind = self.below(10);
        if kind < 4 {
            let operand = Box::new(self.formula(size - 1, props));
            let build = [Formula::Not, Formula::Next, Formula::Always, Formula::Eventually];
            return build[kind as usize](operand);
        }
        let left = self.below(size);
        let (a, b) = (Box::new(self.formula(left, props)), Box::new(self.formula(size - 1 - left, props)));
        let build = [
            Formula::And,
            Formula::Or,
            Formula::Implies,
            Formula::Until,
            Formula::WeakUntil,
            Formula::Release,
        ];
        build[kind as usize - 4](a, b)
    }

    /// A random structure with up to `most` places, some of which have no edges. Unobserved places always
    /// have edges, and transient places alone do not form cycles.
    pub fn kripke(&mut self, most: u64, props: u64) -> Kripke {
        let (count, threads) = (1 + self.below(most), 1 + self.below(4));
        let places = (0..count).map(|at| {
            let is_transient = at > 0 && at + 1 < count && self.below(4) == 0;
            let degree = if self.below(6) == 0 { self.below(2) } else { 2 + self.below(3) };
            let is_hidden = at > 0 && !is_transient && self.below(4) == 0;
            let degree = degree.max(u64::from(is_transient || is_hidden));
            let first = if is_transient { at + 1 } else { 0 };
            let mut edge = || Way {
                thread: self.below(threads) as u32,
                partner: (self.below(5) == 0).then(|| self.below(threads) as u32),
                to: (first + self.below(count - first)) as usize,
            };
            let edges = (0..degree).map(|_| edge()).collect();
            Place { valuation: self.below(1 << props), edges, is_transient, is_hidden, ..Place::default() }
        });
        Kripke { places: places.collect() }
    }

    /// A random automaton with up to four states and this number of acceptance sets, which are sets of states
    /// if `by_state`.
    pub fn automaton(&mut self, props: u64, sets: u32, by_state: bool) -> Automaton {
        let states = 1 + self.below(4);
        let edges = (0..states).map(|_| {
            let own = Marks(self.below(1 << sets));
            (0..self.below(4))
                .map(|_| Edge {
                    to: State(self.below(states) as u32),
                    marks: if by_state { own } else { Marks(self.below(1 << sets)) },
                    cube: Cube::exactly(self.below(1 << props), self.below(1 << props)),
                })
                .collect()
        });
        Automaton { initial: State(0), edges: edges.collect(), sets }
    }
}
