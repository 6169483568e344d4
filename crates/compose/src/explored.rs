//! The graph of a small program, up to symmetry: for tests, pictures and dead ends.
//!
//! | of the graph | of the program                                                                              |
//! |--------------|---------------------------------------------------------------------------------------------|
//! | a vertex     | an orbit of states; the first state that was met stands for it                              |
//! | an edge      | an orbit of pairs of a state and a step: renamings of one step from one state are one edge  |
//!
//! Vertices are met breadth first, and each but the initial ones by a step from the state that stands for
//! another one. So the way from vertex to vertex along [`Vertex::parent`] is a run as it is, and a shortest
//! one.

use std::fmt;

use quotient_model::{Broken, Failure, Model, Program, Reached, Remark, Symmetry, Term};
use rustc_hash::FxHashMap;

/// A state that stands for its orbit.
#[derive(Clone, Debug)]
pub struct Vertex<S> {
    /// The state.
    pub state: S,
    /// The edge by which it was met; `None` for an initial state.
    pub parent: Option<usize>,
    /// The number of steps from an initial state.
    pub depth: u32,
    /// A run may end here.
    pub is_accepting: bool,
    /// The edges that begin here.
    pub edges: Vec<usize>,
}

/// A step that stands for its renamings.
#[derive(Clone, Debug)]
pub struct Edge<A> {
    /// The vertex at which it begins.
    pub from: usize,
    /// The vertex to which it leads. If it leads from the state of its vertex to another state than that of
    /// this vertex, they differ in interchangeable individuals.
    pub to: usize,
    /// The action.
    pub action: A,
    /// How its choices are made.
    pub choice: u32,
    /// What it [answers](quotient_model::Doing::output).
    pub answers: Vec<Term>,
}

/// The graph of a program.
pub struct Explored<M: Model> {
    /// The vertices, breadth first: initial states come first.
    pub vertices: Vec<Vertex<M::State>>,
    /// The edges.
    pub edges: Vec<Edge<M::Action>>,
    /// Steps that violate a rule, by vertex: they lead nowhere.
    pub failures: Vec<(usize, M::Action, Failure)>,
    /// The number of steps that were cut off: out of [`Model::within`], or for want of individuals.
    pub cut_off: usize,
    /// The sorts that were found not to be interchangeable. Their individuals are told apart.
    pub broken: Vec<Broken>,
    orbits: FxHashMap<Vec<u64>, usize>,
}

/// A program has more states than were asked for, or cannot be explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge(String);

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TooLarge {}

/// A state from which no run leads to one in which it may end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadEnd {
    /// The vertex.
    pub vertex: usize,
    /// The edges of a shortest run to it.
    pub run: Vec<usize>,
}

/// The states in which the claim that individuals are interchangeable is tested.
const TESTED: usize = 1000;

impl<M: Model> Explored<M> {
    /// Explores a program. With [`Symmetry::Full`], states that differ in interchangeable individuals are one
    /// vertex; that they are interchangeable is tested in the first thousand states.
    ///
    /// # Errors
    ///
    /// If there are more than `most` vertices, or if the initial states or the actions of a state cannot be found.
    pub fn new(program: &mut Program<M>, symmetry: Symmetry, most: usize) -> Result<Self, TooLarge> {
        let mut broken: Vec<Broken> = Vec::new();
        loop {
            program.set_symmetry(symmetry, &broken);
            match Self::explore(program, most)? {
                Ok(graph) => return Ok(Self { broken, ..graph }),
                Err(more) => broken.push(more),
            }
        }
    }

    fn explore(program: &Program<M>, most: usize) -> Result<Result<Self, Broken>, TooLarge> {
        let mut graph = Self {
            vertices: Vec::new(),
            edges: Vec::new(),
            failures: Vec::new(),
            cut_off: 0,
            broken: Vec::new(),
            orbits: FxHashMap::default(),
        };
        for state in program.initial_states().map_err(TooLarge)? {
            graph.add(program, state, None, most)?;
        }
        let mut from = 0;
        while from < graph.vertices.len() {
            let state = graph.vertices[from].state.clone();
            if from < TESTED
                && let Some(broken) = program.asymmetry(&state)
            {
                return Ok(Err(broken));
            }
            let steps = program.successors(&state).map_err(|failure| {
                TooLarge(format!("the actions of a state cannot be found: {}", failure.message))
            })?;
            let mut met = Vec::new();
            for step in steps {
                let class = (program.orbit_of_step(&state, &step.action), step.choice);
                if met.contains(&class) {
                    continue;
                }
                met.push(class);
                let next = match step.result {
                    Reached::State(next) => next,
                    Reached::Failed(failure) => {
                        graph.failures.push((from, step.action, failure));
                        continue;
                    }
                    Reached::Outside | Reached::Crowded => {
                        graph.cut_off += 1;
                        continue;
                    }
                };
                let number = graph.edges.len();
                let to = graph.add(program, next, Some((number, from)), most)?;
                let answers = step.remarks.into_iter().filter_map(|remark| match remark {
                    Remark::Output(term) => Some(term),
                    _ => None,
                });
                let (action, choice, answers) = (step.action, step.choice, answers.collect());
                graph.edges.push(Edge { from, to, action, choice, answers });
                graph.vertices[from].edges.push(number);
            }
            from += 1;
        }
        Ok(Ok(graph))
    }

    fn add(
        &mut self,
        program: &Program<M>,
        state: M::State,
        by: Option<(usize, usize)>,
        most: usize,
    ) -> Result<usize, TooLarge> {
        let orbit = program.orbit(&state);
        if let Some(&vertex) = self.orbits.get(&orbit) {
            return Ok(vertex);
        }
        if self.vertices.len() == most {
            return Err(TooLarge(format!("the program has more than {most} states")));
        }
        let vertex = self.vertices.len();
        self.orbits.insert(orbit, vertex);
        let depth = by.map_or(0, |(_, from)| self.vertices[from].depth + 1);
        let is_accepting = program.is_accepting(&state);
        let parent = by.map(|(edge, _)| edge);
        self.vertices.push(Vertex { state, parent, depth, is_accepting, edges: Vec::new() });
        Ok(vertex)
    }

    /// The vertex of a state. `program` must be the one that was explored.
    pub fn vertex_of(&self, program: &Program<M>, state: &M::State) -> Option<usize> {
        self.orbits.get(&program.orbit(state)).copied()
    }

    /// The edges of a shortest run to a vertex.
    pub fn run_to(&self, vertex: usize) -> Vec<usize> {
        let mut run = Vec::new();
        let mut at = vertex;
        while let Some(edge) = self.vertices[at].parent {
            run.push(edge);
            at = self.edges[edge].from;
        }
        run.reverse();
        run
    }

    /// By vertex: whether some run leads from it to a vertex for which `is_goal` holds.
    pub fn can_reach(&self, is_goal: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.vertices.len()];
        for edge in &self.edges {
            before[edge.to].push(edge.from);
        }
        let mut left: Vec<usize> = (0..self.vertices.len()).filter(|&vertex| is_goal(vertex)).collect();
        let mut can = vec![false; self.vertices.len()];
        for &vertex in &left {
            can[vertex] = true;
        }
        while let Some(vertex) = left.pop() {
            for &other in &before[vertex] {
                if !std::mem::replace(&mut can[other], true) {
                    left.push(other);
                }
            }
        }
        can
    }

    /// The dead ends at which runs can go astray: states from which no run leads to one in which it may end,
    /// and that are initial or follow a state that is not such. Nearest first.
    ///
    /// Steps that were [cut off](Self::cut_off) count as if they led nowhere.
    pub fn dead_ends(&self) -> Vec<DeadEnd> {
        let lives = self.can_reach(|vertex| self.vertices[vertex].is_accepting);
        let mut goes_astray = vec![false; self.vertices.len()];
        for edge in self.edges.iter().filter(|edge| lives[edge.from]) {
            goes_astray[edge.to] = true;
        }
        // Vertices are in order of their distance.
        (0..self.vertices.len())
            .filter(|&vertex| !lives[vertex])
            .filter(|&vertex| goes_astray[vertex] || self.vertices[vertex].parent.is_none())
            .map(|vertex| DeadEnd { vertex, run: self.run_to(vertex) })
            .collect()
    }
}
