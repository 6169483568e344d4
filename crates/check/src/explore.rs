//! States that a person walks through: a part of the state graph that grows where it is looked at.
//!
//! States are those of the plain interpreter, without symmetry and reduction: what is shown is what the model says. Two
//! ways to one state lead to one node; objects are called as on the first way. A step that violates a check and goes on
//! leads to a node of its own.

use std::collections::{BTreeMap, HashMap};

use naive::State;
use store::{Budget, Exact, Insert, StateStore as _};
use symmetry::Symmetric;
use system::{Encoding, Fired, Step, TransitionSystem as _};

use crate::config::{Bounds, Config, Symmetry};
use crate::model::Model;
use crate::pipeline::{CheckError, engine, ladder};
use crate::replay::{Missed, Run, Taken, interpreter};
use crate::simulate::{Choice, Mobility};
use crate::trace::{Blocked, Ending, Trace, TraceStep};
use crate::values::StateValues;

/// A part of the state graph.
pub struct Space<'m> {
    bounds: Bounds,
    model: &'m Model,
    nodes: Vec<Node<'m>>,
    /// Nodes by their states, and by what the step to them violated: a failed assertion is not part of a state.
    numbers: HashMap<Key, usize>,
    /// The steps that were taken, by the nodes that they connect: the first of several.
    edges: BTreeMap<(usize, usize), TraceStep>,
}

type Key = (State, Option<String>);

fn key(run: &Run<'_>) -> Key {
    (run.state.clone(), run.state.soft_fault().map(ToString::to_string))
}

struct Node<'m> {
    run: Run<'m>,
    /// The node from which it was reached first, and the step from there.
    parent: Option<(usize, Step)>,
    depth: u32,
}

/// A run through the nodes.
#[derive(Clone, Debug)]
pub struct Path {
    pub nodes: Vec<usize>,
    /// Why its last step is not taken, if it faults.
    pub fault: Option<String>,
}

/// At most so many nodes are kept.
const MOST_NODES: usize = 200_000;

impl<'m> Space<'m> {
    /// The initial state, as node 0.
    pub fn new(model: &'m Model, bounds: Bounds) -> Result<Self, CheckError> {
        engine(model, bounds)?;
        let run = Run::new(model, interpreter(model, bounds));
        let numbers = HashMap::from([(key(&run), 0)]);
        let nodes = vec![Node { run, parent: None, depth: 0 }];
        Ok(Self { bounds, model, nodes, numbers, edges: BTreeMap::new() })
    }

    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// The number of nodes, which are the numbers below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn depth(&self, node: usize) -> u32 {
        self.nodes[node].depth
    }

    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes[node].parent.map(|(parent, _)| parent)
    }

    /// Takes a step, and says where it leads, or why it is not taken.
    pub fn take(&mut self, node: usize, step: Step) -> Result<usize, String> {
        let mut run = self.nodes[node].run.clone();
        let words = match run.take(step) {
            Ok(Taken { fault: Some(fault), .. }) => return Err(fault.to_string()),
            Ok(Taken { step: words, fault: None }) => words,
            Err(Missed::Truncated(bound)) => return Err(format!("exceeds the bound on {}", bound.as_str())),
            Err(missed @ (Missed::NotEnabled | Missed::Abandoned)) => return Err(missed.to_string()),
        };
        let key = key(&run);
        let known = self.numbers.get(&key).copied();
        if known.is_none() && self.nodes.len() >= MOST_NODES {
            return Err(format!("there are {MOST_NODES} states already"));
        }
        let target = known.unwrap_or_else(|| {
            let (number, depth) = (self.nodes.len(), self.nodes[node].depth + 1);
            self.numbers.insert(key, number);
            self.nodes.push(Node { run, parent: Some((node, step)), depth });
            number
        });
        self.edges.entry((node, target)).or_insert(words);
        Ok(target)
    }

    /// Follows steps from a node.
    pub fn follow(&mut self, node: usize, steps: &[Step]) -> Result<Path, String> {
        let mut nodes = vec![node];
        let mut at = node;
        for (index, &step) in steps.iter().enumerate() {
            match self.take(at, step) {
                Ok(next) => {
                    at = next;
                    nodes.push(next);
                }
                Err(reason) if index + 1 == steps.len() => return Ok(Path { nodes, fault: Some(reason) }),
                Err(reason) => return Err(format!("step {}: {reason}", index + 1)),
            }
        }
        Ok(Path { nodes, fault: None })
    }

    /// The first way to a node.
    pub fn path_to(&self, node: usize) -> (Vec<usize>, Vec<Step>) {
        let (mut nodes, mut steps) = (vec![node], Vec::new());
        let mut at = node;
        while let Some((parent, step)) = self.nodes[at].parent {
            nodes.push(parent);
            steps.push(step);
            at = parent;
        }
        nodes.reverse();
        steps.reverse();
        (nodes, steps)
    }

    /// The step between two nodes in words, if one was taken.
    pub fn edge(&self, from: usize, to: usize) -> Option<&TraceStep> {
        self.edges.get(&(from, to))
    }

    /// All steps that were taken.
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize, &TraceStep)> {
        self.edges.iter().map(|(&(from, to), step)| (from, to, step))
    }

    pub fn choices(&self, node: usize) -> Vec<Choice> {
        self.nodes[node].run.choices()
    }

    pub fn values(&self, node: usize) -> StateValues {
        self.nodes[node].run.values()
    }

    pub fn wrong(&self, node: usize) -> Option<String> {
        self.nodes[node].run.wrong()
    }

    /// What is wrong with the state: for a deadlock, who waits for what.
    pub fn ending(&self, node: usize) -> Option<Ending> {
        self.nodes[node].run.ending(None)
    }

    /// Why each thread moves or not.
    pub fn mobilities(&self, node: usize) -> Vec<(String, Mobility)> {
        let run = &self.nodes[node].run;
        run.threads().iter().filter_map(|name| run.mobility(name)).collect()
    }

    /// The threads that wait, and for what.
    pub fn blocked(&self, node: usize) -> Vec<Blocked> {
        let blocked = |mobility| match mobility {
            Mobility::Waits { blocked, .. } => Some(blocked),
            Mobility::Ended | Mobility::Moves(_) | Mobility::Excluded { .. } => None,
        };
        self.mobilities(node).into_iter().filter_map(|(_, mobility)| blocked(mobility)).collect()
    }

    /// What is different between two states, in words.
    pub fn differences(&self, from: usize, to: usize) -> Vec<String> {
        let (from, to) = (&self.nodes[from].run, &self.nodes[to].run);
        to.naive.describe_changes(&from.state, &to.state).iter().map(ToString::to_string).collect()
    }

    /// Which of some nodes differ only in names: the classes, in order.
    pub fn orbits(&self, nodes: &[usize]) -> Result<Vec<Vec<usize>>, CheckError> {
        let config = Config { symmetry: Symmetry::Full, ..Config::default() };
        let Some(ladder) = ladder(self.model, &config) else {
            return Ok(nodes.iter().map(|&node| vec![node]).collect());
        };
        let engine = engine(self.model, self.bounds)?;
        let system = Symmetric::new(&engine, ladder);
        let mut store = Exact::new(&Budget::unlimited());
        let mut classes: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut encoding = Encoding::new();
        for &node in nodes {
            let mut state = system.initial();
            for step in self.path_to(node).1 {
                if !matches!(system.fire(&mut state, step), Fired::Moved | Fired::MovedWithFault(_)) {
                    return Err(CheckError::Internal(format!("state {node} cannot be reached again")));
                }
            }
            system.encode(&mut state, &mut encoding);
            match store.insert(&mut encoding, usize::MAX) {
                Ok(Insert::New(id) | Insert::Seen(Some(id))) => {
                    classes.entry(id.index()).or_default().push(node);
                }
                Ok(Insert::Seen(None)) | Err(_) => {
                    return Err(CheckError::Internal("the store does not number states".to_owned()));
                }
            }
        }
        Ok(classes.into_values().collect())
    }

    /// A run through nodes as a trace, as far as its steps were taken.
    pub fn trace(&self, nodes: &[usize]) -> Trace {
        let first = nodes.first().copied().unwrap_or(0);
        let last = nodes.last().copied().unwrap_or(0);
        let pairs = nodes.windows(2);
        let steps = pairs.filter_map(|pair| self.edge(pair[0], pair[1]).cloned()).collect();
        let trace = self.nodes[first].run.beginning();
        Trace { steps, ends_in: self.ending(last), ..self.nodes[last].run.ended(trace) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn model(name: &str, text: &str) -> Model {
        let files = BTreeMap::from([(name.to_owned(), text.into())]);
        Model::load(&files, name, &[]).expect("a model")
    }

    const COUNTERS: &str = "system S { int (0, 2) x; int (0, 2) y;
        active thread X() { loc a: when x < 2 do { x := x + 1; } goto a; }
        active thread Y() { loc a: when y < 2 do { y := y + 1; } goto a; } }";

    /// The state behind a failed assertion is the one before it, and yet something is wrong there.
    #[test]
    fn a_failed_assertion_has_a_node_of_its_own() {
        let model = model("m.pml", "byte x; active proctype P() { do :: assert(x == 1) od }");
        let mut space = Space::new(&model, Bounds::default()).expect("a space");
        let step = space.choices(0)[0].step;
        let after = space.take(0, step).expect("a step");
        assert_eq!((after, space.wrong(0)), (1, None));
        assert!(space.wrong(after).is_some_and(|text| text.contains("assertion")));
        assert_eq!(space.take(after, step), Ok(after));
    }

    #[test]
    fn two_ways_to_a_state_lead_to_one_node() {
        let model = model("m.bir", COUNTERS);
        let mut space = Space::new(&model, Bounds::default()).expect("a space");
        let mut open = vec![0];
        let mut seen = vec![0];
        while let Some(node) = open.pop() {
            for choice in space.choices(node) {
                let next = space.take(node, choice.step).expect("a step");
                if !seen.contains(&next) {
                    seen.push(next);
                    open.push(next);
                }
            }
        }
        // Three values of each of two counters; each step of one of them is an edge.
        assert_eq!((space.len(), space.edges().count()), (9, 12));
        let stuck: Vec<usize> = (0..9).filter(|&node| space.wrong(node).is_some()).collect();
        assert_eq!(stuck.len(), 1);
        assert_eq!(space.blocked(stuck[0]).len(), 2);
        for node in 0..9 {
            let (nodes, steps) = space.path_to(node);
            assert_eq!((nodes[0], nodes.len()), (0, steps.len() + 1));
            assert_eq!(space.follow(0, &steps).expect("a run").nodes, nodes);
        }
    }
}
