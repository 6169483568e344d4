//! A stack without locks: Treiber, "Systems programming: coping with parallelism" (1986). Push and pop read the top,
//! prepare, and replace it if it is still what they read.
//!
//! Nodes are objects that nothing tells apart, threads too, and the nodes that can be used again are an unordered
//! set. If nodes are used again while others may still hold them, the top can be the same node as before though
//! the stack is another one (the ABA problem). A monitor judges what threads observe.

use quotient_actors::monitor::{Linearizability, Stack, StackOp, StackRet};
use quotient_model::{
    Cx, Doing, Heap, Map, Model, Process, Program, Properties, Ref, Seq, Set, Shape, Symmetry, sort,
};

sort! { pub struct Thread; }

#[derive(Clone, Debug, Shape)]
pub struct Node {
    value: u8,
    next: Option<Ref<Node>>,
}

/// What a thread is doing.
#[derive(Clone, Copy, PartialEq, Debug, Shape)]
pub enum Does {
    Nothing,
    Push { node: Ref<Node> },
    Pop { seen: Ref<Node>, next: Option<Ref<Node>> },
}

#[derive(Clone, Debug, Shape)]
pub struct Memory {
    nodes: Heap<Node>,
    top: Option<Ref<Node>>,
    free: Set<Ref<Node>>,
    threads: Map<Thread, Does>,
    /// The operations that can still begin.
    left: u8,
    monitor: Linearizability<Thread, Stack<u8>>,
}

#[derive(Clone, Debug, Shape)]
pub enum Act {
    Push(Thread, u8),
    Pop(Thread),
    /// Replaces the top, or starts again.
    Swap(Thread),
}

/// The model: how many operations there are, and whether nodes are used again.
pub struct Treiber {
    pub operations: u8,
    pub reuses: bool,
}

impl Treiber {
    /// Reads the top to take it off.
    fn read_top(state: &mut Memory, thread: Thread) {
        state.threads[thread] = if let Some(seen) = state.top {
            Does::Pop { seen, next: state.nodes[seen].next }
        } else {
            state.monitor.returns(thread, &StackRet::Popped(None));
            Does::Nothing
        };
    }
}

impl Model for Treiber {
    type State = Memory;
    type Action = Act;

    fn initial(&self, cx: &Cx<'_>, out: &mut Vec<Memory>) {
        out.push(Memory {
            nodes: Heap::new(),
            top: None,
            free: Set::new(),
            threads: cx.all::<Thread>().map(|thread| (thread, Does::Nothing)).collect(),
            left: self.operations,
            monitor: Linearizability::new(Stack(Seq::new())),
        });
    }

    fn actions(&self, _: &Cx<'_>, state: &Memory, out: &mut Vec<Act>) {
        for (&thread, does) in state.threads.iter() {
            if *does != Does::Nothing {
                out.push(Act::Swap(thread));
            } else if state.left > 0 {
                out.extend([Act::Push(thread, 0), Act::Push(thread, 1), Act::Pop(thread)]);
            }
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Memory, action: &Act) {
        match *action {
            Act::Push(thread, value) => {
                state.left -= 1;
                state.monitor.invoke(thread, StackOp::Push(value));
                let new = Node { value, next: state.top };
                // A node that can be used again, if there is one, is used again or not.
                let again = if state.free.is_empty() {
                    None
                } else {
                    doing.choose(state.free.iter().copied().map(Some).chain([None])).flatten()
                };
                let node = match again {
                    Some(node) => {
                        state.free.remove(&node);
                        state.nodes[node] = new;
                        node
                    }
                    None => state.nodes.add(new),
                };
                state.threads[thread] = Does::Push { node };
            }
            Act::Pop(thread) => {
                state.left -= 1;
                state.monitor.invoke(thread, StackOp::Pop);
                Self::read_top(state, thread);
            }
            Act::Swap(thread) => match state.threads[thread] {
                Does::Nothing => {}
                Does::Push { node } if state.top == state.nodes[node].next => {
                    state.top = Some(node);
                    state.threads[thread] = Does::Nothing;
                    state.monitor.returns(thread, &StackRet::Pushed);
                }
                Does::Push { node } => state.nodes[node].next = state.top,
                Does::Pop { seen, next } if state.top == Some(seen) => {
                    state.top = next;
                    state.threads[thread] = Does::Nothing;
                    let value = state.nodes[seen].value;
                    state.monitor.returns(thread, &StackRet::Popped(Some(value)));
                    if self.reuses {
                        state.free.insert(seen);
                    }
                }
                Does::Pop { .. } => Self::read_top(state, thread),
            },
        }
    }

    fn properties(&self, to: &mut Properties<Memory>) {
        to.invariant("linearizable", |_, state| state.monitor.is_consistent());
        to.reachable("two are on the stack", |_, state| {
            state.top.is_some_and(|top| state.nodes[top].next.is_some())
        });
    }

    fn process(&self, _: &Cx<'_>, action: &Act) -> Process {
        match *action {
            Act::Push(thread, _) | Act::Pop(thread) | Act::Swap(thread) => Process::of(thread),
        }
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let [threads, operations] = numbers[..] else { panic!("two numbers: threads and operations") };
    for reuses in [false, true] {
        let mut program =
            Program::new(Treiber { operations: operations as u8, reuses }).sort::<Thread>(threads);
        let plain = program.check().symmetry(Symmetry::None).run().states;
        let report = program.check().run();
        println!("{plain} states, {} with symmetry: {}", report.states, report.verdict);
    }
}
