//! The control flow graph: where threads may go from a location.

use ir::{ActionKind, Exit, Guard, Id, Jump, LocationKind, Program, TransitionId};

/// The control flow of a program, by location.
#[derive(Clone)]
pub struct Flow {
    /// The locations to which a thread may go in the same procedure.
    pub successors: Vec<Vec<usize>>,
    /// The kind of each of these edges.
    pub edge_kinds: Vec<Vec<EdgeKind>>,
    /// The locations to which a thread may go otherwise: the procedures that it calls there, and inner
    /// locations.
    pub inward: Vec<Vec<usize>>,
    /// The entries of the threads that are started there.
    pub starts: Vec<Vec<usize>>,
    /// The locations at which a step continues without resting.
    pub passages: Vec<Vec<usize>>,
}

/// How a thread goes from one location to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeKind {
    /// By a transition. If it is a call, the edge leads to where the thread returns from it.
    Transition(TransitionId),
    /// From a location to which the thread returned from a call.
    Resume,
    /// By an exception.
    Handler,
}

impl Flow {
    pub fn new(program: &Program) -> Self {
        let count = program.locations.len();
        let mut handlers = vec![Vec::new(); count];
        for catch in program.procedures.values().flat_map(|procedure| &procedure.catches) {
            catch.covers.iter().for_each(|covered| handlers[covered.index()].push(catch.handler.index()));
        }
        let none = || vec![Vec::new(); count];
        let mut flow = Self {
            successors: none(),
            edge_kinds: vec![Vec::new(); count],
            inward: none(),
            starts: none(),
            passages: none(),
        };
        for (id, location) in program.locations.iter() {
            let at = id.index();
            for &way in &location.transitions {
                let transition = &program.transitions[way];
                if !matches!(transition.exit, Exit::Jump(Jump::Return(_))) {
                    flow.edge_kinds[at].push(EdgeKind::Transition(way));
                }
                if let Guard::Ready(inner) = transition.guard {
                    flow.inward[at].push(inner.index());
                    flow.passages[at].push(inner.index());
                }
                for action in &transition.body {
                    if let ActionKind::Start { procedure, .. } = action.kind {
                        flow.starts[at].push(program.procedures[procedure].entry.index());
                    }
                }
                match &transition.exit {
                    Exit::Jump(Jump::Goto(target)) => {
                        flow.successors[at].push(target.index());
                        let target_of = &program.locations[*target];
                        if transition.exclusive || target_of.fused || target_of.atomic {
                            flow.passages[at].push(target.index());
                        }
                    }
                    Exit::Jump(Jump::Return(_)) => {}
                    Exit::Call { callee, resume, .. } => {
                        flow.successors[at].push(resume.index());
                        let callees = program.callees(*callee);
                        flow.inward[at]
                            .extend(callees.map(|callee| program.procedures[callee].entry.index()));
                    }
                }
            }
            if let LocationKind::Resume { then: Jump::Goto(target), .. } = location.kind {
                flow.successors[at].push(target.index());
                flow.edge_kinds[at].push(EdgeKind::Resume);
            }
            flow.successors[at].extend_from_slice(&handlers[location.origin(id).index()]);
            let known = flow.successors[at].len();
            flow.edge_kinds[at].resize(known, EdgeKind::Handler);
        }
        flow
    }
}
