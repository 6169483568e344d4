//! Suites: runs of a model that cover it.

use std::fmt::{self, Write as _};

use compose::Explored;
use quotient_model::{Model, Program, Role, Shape, Symmetry, Term};
use rustc_hash::FxHashSet;

use crate::machine::Machine;
use crate::separation::{Family, without_beginnings};
use crate::tour::Graph;

/// What the tests of a suite take together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Each state.
    States,
    /// Each step, in tests of least cost: a step costs 1, and `reset` says what a test costs beside its steps.
    Transitions {
        /// What a test costs beside its steps.
        reset: u32,
    },
    /// Each step as the first one, and each step after each that it can follow.
    Pairs {
        /// What a test costs beside its steps.
        reset: u32,
    },
    /// Each step, and after it words that tell where it led to from everywhere else. The claim is about implementations
    /// with at most as many states as the model has states that answers tell apart, and `extra_states` more.
    Probed {
        /// The number of states that the implementation may have beyond those. Suites grow with each.
        extra_states: u32,
    },
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States => f.write_str("states"),
            Self::Transitions { .. } => f.write_str("transitions"),
            Self::Pairs { .. } => f.write_str("pairs"),
            Self::Probed { extra_states: 0 } => f.write_str("probed"),
            Self::Probed { extra_states } => write!(f, "probed, {extra_states} extra states"),
        }
    }
}

/// A step of a test.
#[derive(Clone, Debug)]
pub struct Step<A> {
    /// What is done.
    pub action: A,
    /// What the model answers.
    pub answers: Vec<Term>,
}

/// A test: a run of the model from its initial state.
#[derive(Clone, Debug)]
pub struct Test<A> {
    /// Its steps.
    pub steps: Vec<Step<A>>,
}

/// Tests of an implementation.
pub struct Suite<M: Model> {
    /// The tests.
    pub tests: Vec<Test<M::Action>>,
    /// What they cover: `transitions`. Of single runs, `runs`.
    pub coverage: String,
    /// What it means if an implementation passes, and what that rests on.
    pub claim: String,
    /// The number of states, up to symmetry, from which no run leads to one in which it may end. Only
    /// [probed](Coverage::Probed) suites enter them.
    pub dead: usize,
}

/// Why there is no suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoSuite(pub(crate) String);

impl fmt::Display for NoSuite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoSuite {}

type Tests<M> = Vec<Test<<M as Model>::Action>>;

/// The only initial state.
pub(crate) fn only_initial<M: Model>(program: &Program<M>) -> Result<M::State, NoSuite> {
    let mut all = program.initial_states().map_err(NoSuite)?;
    match (all.pop(), all.is_empty()) {
        (Some(state), true) => Ok(state),
        (None, _) => Err(NoSuite("the model has no initial state".to_owned())),
        _ => Err(NoSuite(
            "the model has several initial states: a test could not know in which one it is".to_owned(),
        )),
    }
}

/// The most pairs of states that are told apart, and the most entries of the table of a machine.
const MOST: usize = 20_000_000;

impl<M: Model> Suite<M> {
    /// A suite for a program of at most `most` states. With [`Symmetry::Full`], states and steps that differ
    /// in interchangeable individuals are one, and the claim rests on the implementation's treating
    /// individuals alike.
    ///
    /// # Errors
    ///
    /// If the program has more states, several initial ones, a violation, an action that can lead to several states,
    /// actions that the implementation decides on, or no run that may end.
    pub fn new(
        program: &mut Program<M>,
        coverage: Coverage,
        symmetry: Symmetry,
        most: usize,
    ) -> Result<Self, NoSuite> {
        only_initial(program)?;
        let graph = explored(program, symmetry, most)?;
        let lives = graph.can_reach(|vertex| graph.vertices[vertex].is_accepting);
        if !lives[0] {
            return Err(NoSuite(
                "from the initial state, no run leads to a state in which it may end".to_owned(),
            ));
        }
        let dead = lives.iter().filter(|lives| !**lives).count();
        let tests = match coverage {
            Coverage::States => lifted(program, &graph, &visits(&graph, &lives)),
            Coverage::Transitions { reset } => lifted(program, &graph, &tours(&graph, &lives, reset)),
            Coverage::Pairs { reset } => lifted(program, &graph, &pairs(&graph, &lives, reset)),
            Coverage::Probed { extra_states } => {
                let concrete = explored(program, Symmetry::None, most)?;
                program.set_symmetry(symmetry, &graph.broken);
                let (tests, classes) = probed(program, &concrete, extra_states)?;
                let claim = claim(coverage, symmetry, &graph, classes);
                return Ok(Self { tests, coverage: coverage.to_string(), claim, dead });
            }
        };
        let claim = claim(coverage, symmetry, &graph, 0);
        Ok(Self { tests, coverage: coverage.to_string(), claim, dead })
    }

    pub(crate) fn new_of(tests: Vec<Test<M::Action>>, coverage: Option<Coverage>, claim: String) -> Self {
        let coverage = coverage.map_or_else(|| "runs".to_owned(), |coverage| coverage.to_string());
        Self { tests, coverage, claim, dead: 0 }
    }

    /// The number of steps of all tests.
    pub fn steps(&self) -> usize {
        self.tests.iter().map(|test| test.steps.len()).sum()
    }
}

/// The graph of a program of which tests can be made.
fn explored<M: Model>(
    program: &mut Program<M>,
    symmetry: Symmetry,
    most: usize,
) -> Result<Explored<M>, NoSuite> {
    let graph = Explored::new(program, symmetry, most).map_err(|error| NoSuite(error.to_string()))?;
    if let Some((_, action, failure)) = graph.failures.first() {
        return Err(NoSuite(format!("`{}` violates the model: {}", action.term(), failure.message)));
    }
    for vertex in &graph.vertices {
        let mut met: Vec<&M::Action> = Vec::new();
        for &edge in &vertex.edges {
            let action = &graph.edges[edge].action;
            if met.iter().any(|other| other.order(action).is_eq()) {
                return Err(NoSuite(format!(
                    "`{}` can lead to several states: which one, a test cannot know",
                    action.term()
                )));
            }
            met.push(action);
            if matches!(program.model().role(action), Role::Output | Role::Hidden) {
                let name = action.term();
                return Err(NoSuite(format!(
                    "`{name}` is taken by the implementation: a test cannot ask for it"
                )));
            }
        }
    }
    Ok(graph)
}

/// A graph of live vertices, and its edges by their numbers.
fn live<M: Model>(graph: &Explored<M>, lives: &[bool]) -> Vec<usize> {
    (0..graph.edges.len())
        .filter(|&edge| lives[graph.edges[edge].to] && lives[graph.edges[edge].from])
        .collect()
}

/// Tests that take all live edges.
fn tours<M: Model>(graph: &Explored<M>, lives: &[bool], reset: u32) -> Vec<Vec<usize>> {
    let edges = live(graph, lives);
    let (mut vertices, mut number) = (0, vec![0; lives.len()]);
    for (vertex, _) in lives.iter().enumerate().filter(|(_, lives)| **lives) {
        number[vertex] = vertices;
        vertices += 1;
    }
    let of_live = |ends: &dyn Fn(usize) -> bool| -> Vec<bool> {
        (0..lives.len()).filter(|&vertex| lives[vertex]).map(ends).collect()
    };
    let tour = Graph {
        vertices,
        edges: edges
            .iter()
            .map(|&edge| (number[graph.edges[edge].from], number[graph.edges[edge].to]))
            .collect(),
        start: number[0],
        ends: of_live(&|vertex| graph.vertices[vertex].is_accepting),
        reset: reset.into(),
    };
    tour.tour().into_iter().map(|test| test.into_iter().map(|edge| edges[edge]).collect()).collect()
}

/// Tests that take each live edge first or after each that it can follow: a tour of the graph whose vertices are the
/// edges, and the start.
fn pairs<M: Model>(graph: &Explored<M>, lives: &[bool], reset: u32) -> Vec<Vec<usize>> {
    let edges = live(graph, lives);
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); lives.len()];
    for (number, &edge) in edges.iter().enumerate() {
        leaving[graph.edges[edge].from].push(number);
    }
    let mut follows: Vec<(usize, usize)> = leaving[0].iter().map(|&first| (0, first + 1)).collect();
    for (number, &edge) in edges.iter().enumerate() {
        follows.extend(leaving[graph.edges[edge].to].iter().map(|&next| (number + 1, next + 1)));
    }
    let ends = std::iter::once(0).chain(edges.iter().map(|&edge| graph.edges[edge].to));
    let tour = Graph {
        vertices: edges.len() + 1,
        start: 0,
        ends: ends.map(|vertex| graph.vertices[vertex].is_accepting).collect(),
        reset: reset.into(),
        edges: follows,
    };
    let follows = &tour.edges;
    tour.tour().iter().map(|test| test.iter().map(|&pair| edges[follows[pair].1 - 1]).collect()).collect()
}

/// Tests that visit all live vertices: always on to the nearest one that was not visited, or from the start if that is
/// nearer.
fn visits<M: Model>(graph: &Explored<M>, lives: &[bool]) -> Vec<Vec<usize>> {
    let mut visited = vec![false; lives.len()];
    let (mut tests, mut test, mut at) = (Vec::new(), Vec::new(), 0);
    visited[0] = true;
    loop {
        let on = nearest(graph, lives, at, |vertex| !visited[vertex]);
        let new = nearest(graph, lives, 0, |vertex| !visited[vertex]);
        let Some(new) = new else { break };
        let way = match on {
            Some(on) if on.len() <= new.len() => on,
            _ => {
                let home = nearest(graph, lives, at, |vertex| graph.vertices[vertex].is_accepting);
                test.extend(home.expect("the vertex is live"));
                tests.push(std::mem::take(&mut test));
                new
            }
        };
        for &edge in &way {
            at = graph.edges[edge].to;
            visited[at] = true;
        }
        test.extend(way);
    }
    let home = nearest(graph, lives, at, |vertex| graph.vertices[vertex].is_accepting);
    test.extend(home.expect("the vertex is live"));
    tests.push(test);
    tests
}

/// The edges of a shortest way to a live vertex.
fn nearest<M: Model>(
    graph: &Explored<M>,
    lives: &[bool],
    from: usize,
    is_goal: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let mut by = vec![None; lives.len()];
    let (mut queue, mut next) = (vec![from], 0);
    while let Some(&at) = queue.get(next) {
        next += 1;
        if is_goal(at) {
            let (mut way, mut at) = (Vec::new(), at);
            while at != from {
                let edge: usize = by[at].expect("it was met");
                way.push(edge);
                at = graph.edges[edge].from;
            }
            way.reverse();
            return Some(way);
        }
        for &edge in &graph.vertices[at].edges {
            let to = graph.edges[edge].to;
            if lives[to] && to != from && by[to].is_none() {
                by[to] = Some(edge);
                queue.push(to);
            }
        }
    }
    None
}

/// Runs of the program along edges of its graph. Each step is one of the orbit that its edge is.
fn lifted<M: Model>(program: &Program<M>, graph: &Explored<M>, tests: &[Vec<usize>]) -> Vec<Test<M::Action>> {
    let initial = &graph.vertices[0].state;
    let along = |test: &Vec<usize>| {
        let (mut state, mut steps) = (initial.clone(), Vec::new());
        for &edge in test {
            let edge = &graph.edges[edge];
            let wanted = program.orbit_of_step(&graph.vertices[edge.from].state, &edge.action);
            let all = program.successors(&state).unwrap_or_default();
            let step = all.into_iter().find(|step| program.orbit_of_step(&state, &step.action) == wanted);
            let step = step.expect("states of one orbit have steps of the same orbits");
            let quotient_model::Reached::State(next) = step.result else { panic!("it leads to a state") };
            let answers = step.remarks.into_iter().filter_map(|remark| match remark {
                quotient_model::Remark::Output(term) => Some(term),
                _ => None,
            });
            steps.push(Step { action: step.action, answers: answers.collect() });
            state = next;
        }
        Test { steps }
    };
    tests.iter().map(along).collect()
}

/// Tests that take one step of each orbit, and then words that separate its target from all other states.
/// Also the number of states that are told apart.
fn probed<M: Model>(
    program: &Program<M>,
    graph: &Explored<M>,
    extra_states: u32,
) -> Result<(Tests<M>, usize), NoSuite> {
    let (machine, actions) = Machine::of(graph);
    let (states, inputs) = (machine.states(), machine.inputs());
    if states * states / 2 > MOST || states * inputs > MOST {
        return Err(NoSuite(format!(
            "a machine of {states} states and {inputs} inputs is too large to be probed"
        )));
    }
    let input_of: Vec<usize> = {
        let terms: rustc_hash::FxHashMap<Term, usize> =
            actions.iter().enumerate().map(|(input, action)| (action.term(), input)).collect();
        graph.edges.iter().map(|edge| terms[&edge.action.term()]).collect()
    };
    let family = Family::new(&machine);
    let mut words: Vec<Vec<usize>> = family.words[0].clone();
    let mut met: FxHashSet<Vec<u64>> = FxHashSet::default();
    for (edge, step) in graph.edges.iter().enumerate() {
        if !met.insert(program.orbit_of_step(&graph.vertices[step.from].state, &step.action)) {
            continue;
        }
        let mut word: Vec<usize> = graph.run_to(step.from).into_iter().map(|edge| input_of[edge]).collect();
        word.push(input_of[edge]);
        probe(&machine, &family, step.to, extra_states, &mut word, &mut words);
    }
    without_beginnings(&mut words);
    let everywhere = vec![true; graph.vertices.len()];
    let test = |word: &Vec<usize>| {
        let (mut at, mut steps) = (0, Vec::new());
        for &input in word {
            let edges = graph.vertices[at].edges.iter().map(|&edge| &graph.edges[edge]);
            let mut fits = edges.filter(|edge| edge.action.order(&actions[input]).is_eq());
            let edge = fits.next().expect("the word is possible");
            steps.push(Step { action: edge.action.clone(), answers: edge.answers.clone() });
            at = edge.to;
        }
        // On to where a run may end, if there is such a state.
        for edge in
            nearest(graph, &everywhere, at, |vertex| graph.vertices[vertex].is_accepting).unwrap_or_default()
        {
            let edge = &graph.edges[edge];
            steps.push(Step { action: edge.action.clone(), answers: edge.answers.clone() });
        }
        Test { steps }
    };
    Ok((words.iter().map(test).collect(), family.classes))
}

/// Adds the words that identify a state, and those after up to so many more steps.
fn probe(
    machine: &Machine,
    family: &Family,
    state: usize,
    more: u32,
    word: &mut Vec<usize>,
    words: &mut Vec<Vec<usize>>,
) {
    words.extend(family.words[state].iter().map(|end| word.iter().chain(end).copied().collect()));
    if family.words[state].is_empty() {
        words.push(word.clone());
    }
    if more == 0 {
        return;
    }
    for input in 0..machine.inputs() {
        if let Some((_, next)) = machine.step(state, input) {
            word.push(input);
            probe(machine, family, next, more - 1, word, words);
            word.pop();
        }
    }
}

/// What it means if an implementation passes.
fn claim<M: Model>(coverage: Coverage, symmetry: Symmetry, graph: &Explored<M>, classes: usize) -> String {
    let mut claim = match coverage {
        Coverage::States => "every state was visited".to_owned(),
        Coverage::Transitions { .. } => "every step was taken, and answered as in the model".to_owned(),
        Coverage::Pairs { .. } => {
            "every step was taken first and after each that it can follow, and answered as in the model"
                .to_owned()
        }
        Coverage::Probed { extra_states } => format!(
            "the implementation answers every run of the model as the model does, if it is deterministic, is reset \
             completely, and has at most {} states",
            classes + extra_states as usize
        ),
    };
    if symmetry == Symmetry::Full && program_has_symmetry::<M>() {
        claim += "; it treats interchangeable individuals alike, which is assumed";
    }
    for broken in &graph.broken {
        _ = write!(claim, "; individuals of {} are told apart by the model", broken.sort);
    }
    if graph.cut_off > 0 {
        _ = write!(claim, "; {} steps out of the bounds of the model are not tested", graph.cut_off);
    }
    claim
}

const fn program_has_symmetry<M: Model>() -> bool {
    <M::State as Shape>::SORTED
}
