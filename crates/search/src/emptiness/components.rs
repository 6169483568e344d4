//! Strongly connected components with all marks: the algorithm of Couvreur (On-the-fly verification of linear
//! temporal logic, FM 1999), with the stack of roots of Gabow (Path-based depth-first search for strong and
//! biconnected components, Information Processing Letters, 2000).
//!
//! This is one depth-first search. It ends as soon as the edges seen so far close a component with all marks.
//! A node has a number while it is *live*: its position on the stack of live nodes. A root is the first node
//! of a component, as far as the component is known; an edge to a live node merges all components above that
//! node. When the walk leaves a root, its component is complete and becomes dead.
//!
//! Where threads are renamed, and under strong fairness, marks do not express fairness. Then a component with
//! all marks is examined when it is complete, and each time its number of edges has doubled
//! ([`super::threads`]).

use std::ops::ControlFlow::{self, Break, Continue};

use store::{Budget, Chunked, StateStore};
use system::Temporal;

use super::acceptance::Sets;
use super::product::{Event, Node, ProductWalk};
use super::streett::Examined;
use super::threads::Threads;
use crate::outcome::StopReason;
use crate::sink::or_stop;

/// A component with all marks.
pub struct Component {
    numbers: Numbers,
    live: Chunked<Node>,
    /// The number of the first node. All live nodes from this number on belong to the component.
    root: u32,
    /// The first node.
    pub head: Node,
}

impl Component {
    fn new(numbers: Numbers, live: Chunked<Node>, root: u32) -> Self {
        Self { numbers, root, head: live[root as usize - 1], live }
    }

    /// Whether the node with this index is in the component.
    pub fn has(&self, index: usize) -> bool {
        self.place(index).is_some()
    }

    /// The nodes of the component, in the order of their positions.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> {
        (self.root as usize - 1..self.live.len()).map(|at| self.live[at])
    }

    /// The position, among the nodes of the component, of the node with this index.
    pub fn place(&self, index: usize) -> Option<usize> {
        let number = self.numbers.get(index);
        (number != DEAD && number >= self.root).then(|| (number - self.root) as usize)
    }
}

const UNSEEN: u32 = 0;
const DEAD: u32 = u32::MAX;

/// The numbers of nodes, by index. Numbers start at 1.
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

/// The first node of a component, as far as the component is known.
#[derive(Clone, Copy)]
struct Root<const N: usize> {
    number: u32,
    /// The marks on the edges within the component.
    inner: Sets<N>,
    /// The marks on the edge to its root.
    entry: Sets<N>,
    /// The number of edges in [`Threads`] before that edge was added, and after it.
    edges: [usize; 2],
    /// The number of edges of the component when its fairness was last examined.
    examined: usize,
}

/// Searches the product for a component with `all` marks. If `threads` is given, the component also has a
/// fair run, with all marks, in some part.
pub fn search<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
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
            or_stop(roots.push(Root { number, inner: Sets::NONE, entry, edges, examined: 0 }))?;
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
                    if edges < 2 * joined.examined {
                        continue;
                    }
                    if let Some(root) = roots.last_mut() {
                        root.examined = edges;
                    }
                    if !is_fair(walk, threads, &joined, live.len())? {
                        continue;
                    }
                }
                return Continue(Some(Component::new(numbers, live, joined.number)));
            }
            Event::Leave(node) => {
                let number = numbers.get(node.index(automaton));
                if let Some(root) = roots.last().filter(|root| root.number == number) {
                    if let Some(threads) = &mut threads {
                        // If no edge leads back to the root, none of its edges is left by now.
                        let has_grown = threads.len() - root.edges[1] > root.examined;
                        if has_grown && root.inner.contains(all) && is_fair(walk, threads, &root, live.len())?
                        {
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
fn is_fair<S, T, const N: usize>(
    walk: &mut ProductWalk<'_, S, T, N>,
    threads: &Threads,
    root: &Root<N>,
    live: usize,
) -> ControlFlow<StopReason, bool>
where
    S: Temporal,
    T: StateStore + ?Sized,
{
    let mut parts = threads.parts(root.edges[1], root.number, live + 1 - root.number as usize)?;
    loop {
        match parts.examine() {
            Examined::Fair(_) => return Continue(true),
            Examined::Unfair => walk.explorer.tick(&walk.stack)?,
            Examined::End => return Continue(false),
        }
    }
}

/// Merges the components above a live node, because of an edge from the top to that node.
fn join<const N: usize>(roots: &mut Chunked<Root<N>>, number: u32, marks: Sets<N>) -> Root<N> {
    let (mut marks, mut examined) = (marks, 0);
    loop {
        let top = roots.last_mut().expect("a live node is in some component");
        if top.number <= number {
            top.inner = top.inner.with(marks);
            top.examined = top.examined.max(examined);
            return *top;
        }
        marks = marks.with(top.inner).with(top.entry);
        examined = examined.max(top.examined);
        roots.pop();
    }
}
