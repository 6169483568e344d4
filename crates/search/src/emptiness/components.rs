//! Strongly connected components with all marks: Couvreur's algorithm (1999), with Gabow's stack of roots (2000).
//!
//! One depth-first search, and it ends as soon as the edges that it has seen close a component with all marks. A node has a number
//! while it is *live*: its place on the stack of live nodes. A root is the first node of a component, as far as is known; an edge to a
//! live node joins all components above it. When the walk leaves a root, its component is complete, and dead.

use std::ops::ControlFlow::{self, Break, Continue};

use store::{Budget, Chunked, StateStore};
use system::TransitionSystem;

use super::marks::Sets;
use super::product::{Event, Node, Walk};
use crate::explore::or_stop;
use crate::observer::Observer;
use crate::outcome::StopReason;

/// A component with all marks.
pub struct Component {
    numbers: Numbers,
    /// The number of its first node, from which on all live nodes belong to it.
    root: u32,
    /// Its first node.
    pub head: Node,
}

impl Component {
    /// Whether it has the node of this index.
    pub fn has(&self, index: usize) -> bool {
        let number = self.numbers.get(index);
        number != DEAD && number >= self.root
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
}

/// Searches the product for a component with `all` marks.
pub fn search<S, T, O, const N: usize>(
    walk: &mut Walk<'_, S, T, O, N>,
    all: Sets<N>,
    budget: &Budget,
) -> ControlFlow<StopReason, Option<Component>>
where
    S: TransitionSystem,
    T: StateStore + ?Sized,
    O: Observer,
{
    let automaton = walk.automaton;
    let mut numbers = Numbers(Chunked::new(budget));
    let mut live: Chunked<Node> = Chunked::new(budget);
    let mut roots: Chunked<Root<N>> = Chunked::new(budget);
    let mut discovered = Some((walk.start()?, Sets::NONE));
    loop {
        if let Some((node, entry)) = discovered.take() {
            let number = live.len() + 1;
            if number >= DEAD as usize {
                return Break(StopReason::Ids);
            }
            or_stop(live.push(node))?;
            or_stop(numbers.set(node.index(automaton), number as u32))?;
            or_stop(roots.push(Root { number: number as u32, inner: Sets::NONE, entry }))?;
            walk.nodes += 1;
            walk.enter(node, entry)?;
        }
        match walk.next()? {
            Event::End => return Continue(None),
            Event::Edge(node, marks) => match numbers.get(node.index(automaton)) {
                UNSEEN => discovered = Some((node, marks)),
                DEAD => {}
                number => {
                    let joined = join(&mut roots, number, marks);
                    if joined.inner.contains(all) {
                        let head = live[joined.number as usize - 1];
                        return Continue(Some(Component { numbers, root: joined.number, head }));
                    }
                }
            },
            Event::Leave(node) => {
                let number = numbers.get(node.index(automaton));
                if roots.last().is_some_and(|root| root.number == number) {
                    roots.pop();
                    while live.len() >= number as usize {
                        if let Some(node) = live.pop() {
                            or_stop(numbers.set(node.index(automaton), DEAD))?;
                        }
                    }
                }
                walk.leave();
            }
        }
    }
}

/// Joins the components above a node that is live, over an edge from the top to that node.
fn join<const N: usize>(roots: &mut Chunked<Root<N>>, number: u32, marks: Sets<N>) -> Root<N> {
    let mut marks = marks;
    loop {
        let top = roots.last_mut().expect("a live node is in some component");
        if top.number <= number {
            top.inner = top.inner.with(marks);
            return *top;
        }
        marks = marks.with(top.inner).with(top.entry);
        roots.pop();
    }
}
