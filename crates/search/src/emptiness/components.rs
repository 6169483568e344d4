//! Strongly connected components with all marks: Couvreur's algorithm (1999), with Gabow's stack of roots
//! (2000).
//!
//! One depth-first search, and it ends as soon as the edges that it has seen close a component with all
//! marks. A node has a number while it is *live*: its place on the stack of live nodes. A root is the first
//! node of a component, as far as is known; an edge to a live node joins all components above it. When the
//! walk leaves a root, its component is complete, and dead.
//!
//! Where threads are renamed, fairness is no matter of marks: then a component with all marks is looked at
//! when it is complete, and each time that it has doubled ([`super::threads`]).

use std::ops::ControlFlow::{self, Break, Continue};

use store::{Budget, Chunked, StateStore};
use system::Temporal;

use super::marks::Sets;
use super::product::{Event, Node, Walk};
use super::threads::Threads;
use crate::outcome::StopReason;
use crate::sink::or_stop;

/// A component with all marks.
pub struct Component {
    numbers: Numbers,
    live: Chunked<Node>,
    /// The number of its first node, from which on all live nodes belong to it.
    root: u32,
    /// Its first node.
    pub head: Node,
}

impl Component {
    fn new(numbers: Numbers, live: Chunked<Node>, root: u32) -> Self {
        Self { numbers, root, head: live[root as usize - 1], live }
    }

    /// Whether it has the node of this index.
    pub fn has(&self, index: usize) -> bool {
        self.place(index).is_some()
    }

    /// Its nodes, by their places.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> {
        (self.root as usize - 1..self.live.len()).map(|at| self.live[at])
    }

    /// The place among its nodes of the one of this index.
    pub fn place(&self, index: usize) -> Option<usize> {
        let number = self.numbers.get(index);
        (number != DEAD && number >= self.root).then(|| (number - self.root) as usize)
    }
}

const UNSEEN: u32 = 0;
const DEAD: u32 = u32::MAX;

/// The numbers of nodes: from 1 on.
struct Numbers(Chunked<u32>);

impl Numbers {
    fn get(&self, index: usize) -> u32 {
        if index < self.0.len() { self.0[index] } else { UNSEEN }
    }

    fn set(&mut self, index: usize, number: u32) -> Result<(), store::Full> {
        while self.0.len() <= index {
            self.0.push(UNSEEN)?;
        }
        self.0[index] = number;
        Ok(())
    }
}

#[derive(Clone, Copy)]
struct Root<const N: usize> {
    number: u32,
    /// The marks on the edges within the component.
    inner: Sets<N>,
    /// The marks on the edge to its root.
    entry: Sets<N>,
    /// How many edges were known to [`Threads`] before that edge, and after it.
    edges: [usize; 2],
    /// How many edges it had when it was last looked at whether it is fair.
    looked_at: usize,
}

/// Searches the product for a component with `all` marks that is fair, if `threads` are to be.
pub fn search<S, T, const N: usize>(
    walk: &mut Walk<'_, S, T, N>,
    all: Sets<N>,
    mut threads: Option<Threads>,
    budget: &Budget,
) -> ControlFlow<StopReason, Option<Component>>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let automaton = walk.automaton;
    if automaton.edges.len() > Node::MOST_STATES {
        return Break(StopReason::Ids);
    }
    let mut numbers = Numbers(Chunked::new(budget));
    let mut live: Chunked<Node> = Chunked::new(budget);
    let mut roots: Chunked<Root<N>> = Chunked::new(budget);
    let mut discovered = Some((walk.start()?, Sets::NONE, 0));
    loop {
        if let Some((node, entry, before)) = discovered.take() {
            let number = live.len() + 1;
            if number >= DEAD as usize {
                return Break(StopReason::Ids);
            }
            or_stop(live.push(node))?;
            or_stop(numbers.set(node.index(automaton), number as u32))?;
            let edges = [before, threads.as_ref().map_or(0, Threads::len)];
            let number = number as u32;
            or_stop(roots.push(Root { number, inner: Sets::NONE, entry, edges, looked_at: 0 }))?;
            if let Some(threads) = &mut threads {
                threads.enter(
                    walk.explorer.expander.system,
                    &mut walk.explorer.expander.state,
                    node.state(),
                    number,
                )?;
            }
            walk.nodes += 1;
            walk.enter(node, entry)?;
        }
        match walk.next()? {
            Event::End => return Continue(None),
            Event::Edge(node, marks) => {
                let number = match numbers.get(node.index(automaton)) {
                    DEAD => continue,
                    UNSEEN => live.len() as u32 + 1,
                    number => number,
                };
                let before = threads.as_ref().map_or(0, Threads::len);
                if let Some(threads) = &mut threads {
                    let explorer = &mut walk.explorer;
                    threads.add(
                        explorer.expander.system,
                        &mut explorer.expander.state,
                        node.state(),
                        number,
                        marks,
                    )?;
                }
                if number as usize > live.len() {
                    discovered = Some((node, marks, before));
                    continue;
                }
                let joined = join(&mut roots, number, marks);
                if !joined.inner.contains(all) {
                    continue;
                }
                if let Some(threads) = &threads {
                    let edges = threads.len() - joined.edges[1];
                    if edges < 2 * joined.looked_at {
                        continue;
                    }
                    if let Some(root) = roots.last_mut() {
                        root.looked_at = edges;
                    }
                    if !is_fair(threads, &joined, live.len())? {
                        continue;
                    }
                }
                return Continue(Some(Component::new(numbers, live, joined.number)));
            }
            Event::Leave(node) => {
                let number = numbers.get(node.index(automaton));
                if let Some(root) = roots.last().filter(|root| root.number == number) {
                    if let Some(threads) = &mut threads {
                        // A node without an edge back to it has none at all by now.
                        let has_grown = threads.len() - root.edges[1] > root.looked_at;
                        if has_grown && root.inner.contains(all) && is_fair(threads, &root, live.len())? {
                            return Continue(Some(Component::new(numbers, live, number)));
                        }
                        threads.truncate(root.edges[0]);
                    }
                    roots.pop();
                    while live.len() >= number as usize {
                        if let Some(node) = live.pop() {
                            or_stop(numbers.set(node.index(automaton), DEAD))?;
                        }
                    }
                }
                if let Some(threads) = &mut threads {
                    threads.leave();
                }
                walk.leave();
            }
        }
    }
}

/// Whether the topmost component has a fair run.
fn is_fair<const N: usize>(threads: &Threads, root: &Root<N>, live: usize) -> ControlFlow<StopReason, bool> {
    threads.is_fair(root.edges[1], root.number, live + 1 - root.number as usize)
}

/// Joins the components above a node that is live, over an edge from the top to that node.
fn join<const N: usize>(roots: &mut Chunked<Root<N>>, number: u32, marks: Sets<N>) -> Root<N> {
    let (mut marks, mut looked_at) = (marks, 0);
    loop {
        let top = roots.last_mut().expect("a live node is in some component");
        if top.number <= number {
            top.inner = top.inner.with(marks);
            top.looked_at = top.looked_at.max(looked_at);
            return *top;
        }
        marks = marks.with(top.inner).with(top.entry);
        looked_at = looked_at.max(top.looked_at);
        roots.pop();
    }
}
