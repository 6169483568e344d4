//! The full graph of a small system, and the requirements on a reduction of it.

use std::collections::{BTreeMap, BTreeSet};

use system::{Bound, Encoding, Fault, FaultKind, Fired, Halt, Step, Steps, SuccessorCache, Temporal};

/// The label of a step up to a stored state: the thread, and the transitions taken one after the other.
pub type Label = (u32, Vec<u32>);

/// Longer atomic blocks may go on for ever.
const LONGEST_PASSAGE: usize = 100;

/// Atomic blocks that branch more take too long.
const MOST_PASSED: usize = 100_000;

/// A fault: its kind and its site.
pub type Flaw = (FaultKind, u32);

const fn soft_fault(fault: Fault) -> Flaw {
    (fault.kind, fault.site)
}

#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Node {
    pub edges: BTreeSet<(Label, usize)>,
    /// The faults of the state, and of its steps.
    pub faults: BTreeSet<Flaw>,
    pub is_deadlock: bool,
    /// The number of its steps and faulting guards.
    pub offers: usize,
}

/// The reachable states, in the order in which they are found.
pub struct Graph {
    pub nodes: Vec<Node>,
    pub names: Vec<Vec<u64>>,
    pub numbers: BTreeMap<Vec<u64>, usize>,
    pub truncated: BTreeSet<Bound>,
}

struct Builder<'a, S: Temporal> {
    system: &'a S,
    state: S::State,
    encoding: Encoding,
    graph: Graph,
    node: Node,
    /// Maps the number of a thread in a state to a number that is the same in all states.
    who: &'a dyn Fn(&S::State, u32) -> u32,
    most: usize,
    /// The number of states that were passed or stored.
    passed: usize,
}

/// The graph of a system, if it has at most `most` states. `who` maps the number of a thread in a state to a
/// number that is the same in all states.
pub fn graph<S: Temporal>(system: &S, most: usize, who: &dyn Fn(&S::State, u32) -> u32) -> Option<Graph> {
    let graph =
        Graph { nodes: Vec::new(), names: Vec::new(), numbers: BTreeMap::new(), truncated: BTreeSet::new() };
    let state = system.initial();
    let mut builder = Builder {
        system,
        state,
        encoding: Encoding::new(),
        graph,
        node: Node::default(),
        who,
        most,
        passed: 0,
    };
    builder.number()?;
    while let Some(name) = builder.graph.names.get(builder.graph.nodes.len()).cloned() {
        builder.encoding.unflatten(&name);
        system.decode(&builder.encoding, &mut builder.state);
        builder.node = Node::default();
        if let Err(Halt::Fault(fault)) = system.check(&mut builder.state) {
            builder.node.faults.insert(soft_fault(fault));
        }
        let mut steps = Steps::default();
        system.steps(&mut builder.state, &mut steps);
        let cached = one_by_one(system, &mut builder.state);
        assert!(cached.is_empty() || (&steps.enabled, &steps.faults) == (&cached.enabled, &cached.faults));
        builder.node.is_deadlock = steps.is_empty() && !system.ended(&builder.state);
        builder.node.offers = steps.enabled.len() + steps.faults.len();
        builder.follow(&steps, &mut Vec::new(), None)?;
        let node = std::mem::take(&mut builder.node);
        builder.graph.nodes.push(node);
    }
    Some(builder.graph)
}

/// The steps of a state according to its successor cache, thread by thread, if there is one. Steps that are
/// enabled because no other thread has any (a timeout) are not among them.
fn one_by_one<S: Temporal>(system: &S, state: &mut S::State) -> Steps {
    let mut steps = Steps::default();
    let Some(cache) = system.successor_cache() else { return steps };
    for thread in cache.threads(state) {
        let before = steps.enabled.len();
        if !cache.successors(state, thread, |step, _| steps.enabled.push(step)) {
            steps.enabled.truncate(before);
            cache.thread_steps(state, thread, &mut steps);
        }
    }
    steps.enabled.dedup();
    steps
}

impl<S: Temporal> Builder<'_, S> {
    fn number(&mut self) -> Option<usize> {
        self.system.encode(&mut self.state, &mut self.encoding);
        let mut name = Vec::new();
        self.encoding.flatten(&mut name);
        let next = self.graph.names.len();
        let number = *self.graph.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.graph.names.push(name);
        }
        (next < self.most).then_some(number)
    }

    fn follow(&mut self, steps: &Steps, path: &mut Vec<Step>, who: Option<u32>) -> Option<()> {
        self.passed += 1;
        if path.len() > LONGEST_PASSAGE || self.passed > MOST_PASSED {
            return None;
        }
        self.node.faults.extend(steps.faults.iter().map(|&(_, fault)| soft_fault(fault)));
        for &step in &steps.enabled {
            let who = who.unwrap_or_else(|| (self.who)(&self.state, step.thread));
            match self.system.fire(&mut self.state, step) {
                Fired::Fault(fault) => {
                    self.node.faults.insert(soft_fault(fault));
                    continue;
                }
                Fired::Truncated(bound) => {
                    self.graph.truncated.insert(bound);
                    continue;
                }
                Fired::MovedWithFault(fault) => {
                    self.node.faults.insert(soft_fault(fault));
                }
                Fired::Moved => {}
                Fired::Abandoned => unreachable!("the state heeds no alarm"),
            }
            path.push(step);
            // States inside an atomic block are not observed, and other threads do not continue there.
            if self.system.is_transient(&self.state) || !self.system.is_observed(&self.state) {
                let mut more = Steps::default();
                self.system.steps(&mut self.state, &mut more);
                self.follow(&more, path, Some(who))?;
            } else {
                let target = self.number()?;
                let label = (who, path.iter().map(|step| step.transition).collect());
                self.node.edges.insert((label, target));
            }
            path.pop();
            self.system.undo(&mut self.state);
        }
        Some(())
    }
}

impl Graph {
    pub fn deadlocks(&self) -> BTreeSet<&Vec<u64>> {
        let nodes = self.nodes.iter().zip(&self.names);
        nodes.filter(|(node, _)| node.is_deadlock).map(|(_, name)| name).collect()
    }

    pub fn faults(&self) -> BTreeSet<Flaw> {
        self.nodes.iter().flat_map(|node| &node.faults).copied().collect()
    }

    fn of_thread(&self, node: usize, thread: u32) -> BTreeSet<&Label> {
        let edges = self.nodes[node].edges.iter().map(|(label, _)| label);
        edges.filter(|label| label.0 == thread).collect()
    }

    fn after<'g>(&'g self, node: usize, label: &'g Label) -> impl Iterator<Item = usize> + 'g {
        self.nodes[node].edges.iter().filter(move |(other, _)| other == label).map(|&(_, target)| target)
    }
}

/// Why a reduction violates its definition, where the whole system is known; `None` if it does not.
pub fn complaint(full: &Graph, reduced: &Graph) -> Option<String> {
    let mut ample_nodes = vec![Vec::new(); reduced.nodes.len()];
    for (at, (node, name)) in reduced.nodes.iter().zip(&reduced.names).enumerate() {
        let Some(&whole) = full.numbers.get(name) else { return Some(format!("state {at} is not there")) };
        let all = &full.nodes[whole];
        if node.offers == all.offers {
            continue;
        }
        // C0.
        let Some(((thread, _), _)) = node.edges.first() else {
            return Some(format!("C0: state {at} has no ample step"));
        };
        let others = node.edges.iter().find(|((other, _), _)| other != thread);
        if let Some(other) = others {
            return Some(format!("ample steps of state {at} are of thread {thread} and {other:?}"));
        }
        ample_nodes[at] = node.edges.iter().map(|&(_, target)| target).collect();
        if let Some(complaint) = dependence(full, whole, *thread) {
            return Some(format!("C1 at state {at}, thread {thread}: {complaint}"));
        }
    }
    cycle(&ample_nodes).then(|| "C3: a cycle without a state that is fully expanded".to_owned())
}

/// Follows all paths on which the thread does not move. Its steps must stay the same, and commute with the
/// steps of other threads.
fn dependence(full: &Graph, from: usize, thread: u32) -> Option<String> {
    let ample = full.of_thread(from, thread);
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if full.of_thread(at, thread) != ample {
            return Some(format!("it can do other things at {at}"));
        }
        for (other, next) in full.nodes[at].edges.iter().filter(|((other, _), _)| *other != thread) {
            for label in &ample {
                let first = full.after(at, label).flat_map(|to| full.after(to, other));
                let then: BTreeSet<usize> = full.after(*next, label).collect();
                if !then.is_subset(&first.collect()) {
                    return Some(format!("{label:?} and {other:?} do not commute at {at}"));
                }
            }
            if seen.insert(*next) {
                open.push(*next);
            }
        }
    }
    None
}

fn cycle(successors: &[Vec<usize>]) -> bool {
    // Nodes without predecessors are removed, one after the other.
    let mut incoming = vec![0; successors.len()];
    successors.iter().flatten().for_each(|&to| incoming[to] += 1);
    let mut free: Vec<usize> = (0..successors.len()).filter(|&node| incoming[node] == 0).collect();
    let mut gone = 0;
    while let Some(node) = free.pop() {
        gone += 1;
        for &to in &successors[node] {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                free.push(to);
            }
        }
    }
    gone < successors.len()
}

/// Why a reduced system differs from the full one in what they must have in common.
pub fn difference(full: &Graph, reduced: &Graph) -> Option<String> {
    if full.deadlocks() != reduced.deadlocks() {
        return Some(format!("{} deadlocks, not {}", reduced.deadlocks().len(), full.deadlocks().len()));
    }
    if full.faults() != reduced.faults() {
        return Some(format!("faults {:?}, not {:?}", reduced.faults(), full.faults()));
    }
    if full.truncated != reduced.truncated {
        return Some(format!("bounds {:?}, not {:?}", reduced.truncated, full.truncated));
    }
    None
}
