//! Statement merging: which statements may be taken together with the one before them, as one step.
//!
//! A statement that only concerns its own process and cannot block commutes with all steps of other
//! processes. So nothing is lost if it is taken at once, together with the statement before it. SPIN does so
//! when it generates a verifier, and this module chooses the same statements. A *chain* is
//!
//! - a statement that may block (a condition, a receive, or a send if no channel of the model is a
//!   rendezvous) or one that may be merged itself,
//! - followed by statements that may be merged: assignments, assertions, `printf`, jumps, without labels and
//!   without alternatives.
//!
//! All of them are either part of an `atomic` or refer to nothing but variables of their process, constants,
//! `_pid`, and channels that `xr` and `xs` claim; none is covered by an `unless`. No other process refers to
//! a location in the middle: that would take a label. But one may refer to the location where a chain begins
//! or ends, and then the first or last statement is not local.
//!
//! Where SPIN takes a statement for local that is not (it ignores indices of arrays, and the effects of `run`
//! in an assignment), a chain has at most *one* such statement: the statements before it can be moved behind
//! the steps of others, the statements behind it before them. An `atomic` counts as one statement. With
//! priorities there are no such statements, since then others may have to come first. And `run` is not merged
//! with an assertion before it: if there are too many processes, the step is not taken, and this must not
//! suppress a violation.
//!
//! Arriving at or leaving a rendezvous receive is noticed by senders that do something else if no process
//! waits for their message (`else`, `unless`, the middle of an `atomic`). Where a model has such senders,
//! arriving and leaving count as statements that are not local, too; SPIN ignores this as well.
//!
//! # Properties of runs
//!
//! A property that cannot count states does not distinguish a merged step from its statements as long as at
//! most one of them is visible to the property. This statement must be the one that is not local, if there is
//! one: otherwise others could notice something before, or after, the property does. So what is visible to a
//! property counts as not local, and [`unseen`] cuts chains where two such statements would come together.
//! The middle of an `atomic` is not observed.
//!
//! Nothing is merged where a model can observe more than that: if it reads variables of other processes,
//! `_last`, `enabled` or `pc_value`, or if it has `provided` clauses. SPIN does merge with `_last`, `enabled`
//! and `pc_value`.

use std::collections::BTreeMap;

use ir::{ExprKind, LocationId, Program, TransitionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Lowering;
use crate::ast::Probe;
use crate::automaton::{Automaton, Edge};
use crate::elements::{ATOMIC, Element, ElementId, LAST, Node};
use crate::tree::{Arg, Basic, Ex, ExKind, Ref, SymbolId, Target};

/// Chains by their first transition.
pub type Chains = BTreeMap<TransitionId, Chain>;

/// Statements that are taken as one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chain {
    /// Whether others can notice the first statement, or influence it.
    pub shared: bool,
    /// The statements behind it; at least one.
    pub rest: Vec<Link>,
}

/// A statement that is taken together with the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    pub transition: TransitionId,
    /// Whether others can notice it, or influence it.
    pub shared: bool,
    /// No other process steps between it and the one before.
    pub held: bool,
}

/// The parts of chains that remain for properties of runs to which these transitions are visible.
pub fn unseen(chains: &Chains, is_seen: impl Fn(TransitionId) -> bool) -> Chains {
    let cut = |(&first, chain): (&TransitionId, &Chain)| {
        let mut shared = chain.shared || is_seen(first);
        let goes_on = |link: &&Link| {
            let counts = link.shared || is_seen(link.transition);
            let goes_on = !counts || !shared || link.held;
            shared |= counts;
            goes_on
        };
        let rest: Vec<Link> = chain.rest.iter().take_while(goes_on).copied().collect();
        (!rest.is_empty()).then_some((first, Chain { shared: chain.shared, rest }))
    };
    chains.iter().filter_map(cut).collect()
}

/// The program in which each chain is a step. Locations and transitions keep their numbers.
pub fn merge(program: &Program, chains: &Chains) -> Program {
    let mut merged = program.clone();
    for (&first, chain) in chains {
        for link in &chain.rest {
            let next = &program.transitions[link.transition];
            let whole = &mut merged.transitions[first];
            whole.body.extend(next.body.iter().cloned());
            whole.exit.clone_from(&next.exit);
            whole.exclusive = next.exclusive;
        }
    }
    merged
}

/// For each channel and direction, the process that claims it; `None` if several do.
type Claims = FxHashMap<(SymbolId, bool), Option<usize>>;

struct Merger<'l, 'b, 'a> {
    lowering: &'l Lowering<'b, 'a>,
    claims: Claims,
    has_rendezvous: bool,
    /// Some sender does something else if no process waits for its rendezvous message.
    senses: bool,
    /// The locations that occur in remote references.
    asked: FxHashSet<LocationId>,
}

impl Lowering<'_, '_> {
    pub(super) fn chains(&self) -> Chains {
        let builder = &self.builder;
        // A property that asks for the last process is checked without merging.
        let observed =
            builder.has_remote_variables || builder.last_is_in_process || builder.observes_scheduling;
        if observed || builder.processes.iter().any(|process| process.provided.is_some()) {
            return Chains::new();
        }
        let mut claims = Claims::default();
        for (at, process) in builder.processes.iter().enumerate() {
            for claim in &process.claims {
                if let Some(channel) = channel(&claim.channel) {
                    let claimant = claims.entry((channel, claim.receive)).or_insert(Some(at));
                    *claimant = claimant.filter(|&known| known == at);
                }
            }
        }
        let leaves = builder
            .symbols
            .iter()
            .flat_map(|symbol| (0..symbol.leaves.len()).map(move |leaf| (symbol, leaf)));
        let has_rendezvous =
            leaves.filter_map(|(symbol, leaf)| symbol.channel(leaf)).any(|channel| channel.capacity == 0);
        let mut asked = FxHashSet::default();
        self.program.each_expr(&mut |expr| {
            if let ExprKind::ThreadAt { locations, .. } = &expr.kind {
                asked.extend(locations);
            }
        });
        let mut merger = Merger { lowering: self, claims, has_rendezvous, senses: false, asked };
        merger.senses =
            has_rendezvous && self.automata.iter().flatten().any(|automaton| merger.is_sensing(automaton));
        let mut chains = Chains::new();
        for (at, automaton) in self.automata.iter().enumerate() {
            let Some(automaton) = automaton.as_ref().filter(|_| self.procedures[at].is_some()) else {
                continue;
            };
            let edges = automaton.states.iter().flat_map(|state| &state.edges);
            let held: FxHashSet<u32> = edges.filter(|edge| edge.atomic).map(|edge| edge.target).collect();
            for (&(number, _), &location) in &self.locations[at] {
                let edges = &automaton.states[number as usize].edges;
                let is_held = held.contains(&number);
                // The transitions of a location are its edges, in order.
                for (edge, &id) in edges.iter().zip(&self.program.locations[location].transitions) {
                    if let Some(chain) = merger.chain(at, automaton, (number, is_held), edge) {
                        chains.insert(id, chain);
                    }
                }
            }
        }
        chains
    }
}

impl Merger<'_, '_, '_> {
    /// The statements that are merged with the statement of an edge out of a state. If no other process steps
    /// between it and the one before, that one counts as well, whatever it is: a chain that leaves an atomic
    /// block continues with a shared statement only if nothing in the block was shared.
    fn chain(
        &self,
        process: usize,
        automaton: &Automaton,
        (source, is_held): (u32, bool),
        edge: &Edge,
    ) -> Option<Chain> {
        if !self.may_follow(edge.element) && !self.may_begin(process, edge.element) {
            return None;
        }
        let is_shared =
            |edge: &Edge| !self.is_local(edge.element) || self.is_noticed(process, automaton, edge.target);
        let mut before = edge;
        let first = is_held || is_shared(edge) || self.is_noticed(process, automaton, source);
        let mut shared = first;
        let mut flawed = self.may_soft_fault(edge.element);
        let mut rest: Vec<Link> = Vec::new();
        loop {
            let state = &automaton.states[before.target as usize];
            let ([next], Some(element)) = (&state.edges[..], state.element) else { break };
            let Some(&location) = self.lowering.locations[process].get(&(before.target, false)) else {
                break;
            };
            let transition = self.lowering.program.locations[location].transitions[0];
            let link = Link { transition, shared: is_shared(next), held: before.atomic };
            let goes_on = if self.lowering.builder.has_priorities {
                !link.shared && !shared
            } else {
                !link.shared || !shared || link.held
            };
            let known = rest.iter().any(|known| known.transition == transition);
            let ends = next.element != element || known || (flawed && self.starts(element));
            if !goes_on || ends || !self.may_follow(element) {
                break;
            }
            shared |= link.shared;
            flawed |= self.may_soft_fault(element);
            rest.push(link);
            before = next;
        }
        (!rest.is_empty()).then_some(Chain { shared: first, rest })
    }

    /// Whether a sender does something else if no process waits for its message.
    fn is_sensing(&self, automaton: &Automaton) -> bool {
        automaton.states.iter().any(|state| {
            let is_else = |edge: &Edge| matches!(self.element(edge.element).node, Node::Else);
            let has_else = state.edges.iter().any(is_else);
            state.edges.iter().any(|edge| {
                let element = self.element(edge.element);
                let has_others =
                    has_else || edge.escape != 0 || !element.escapes.is_empty() || is_atomic(element);
                matches!(element.node, Node::Basic(Basic::Send { .. })) && has_others
            })
        })
    }

    /// Whether others notice that a process is at a state of an automaton.
    fn is_noticed(&self, process: usize, automaton: &Automaton, state: u32) -> bool {
        let location = self.lowering.locations[process].get(&(state, false));
        location.is_some_and(|location| self.asked.contains(location)) || self.takes_by_hand(automaton, state)
    }

    /// Whether a process may receive by rendezvous at a state of an automaton, and there are senders that
    /// notice.
    fn takes_by_hand(&self, automaton: &Automaton, state: u32) -> bool {
        // A `d_step` may begin with a receive.
        let receives = |edge: &Edge| {
            matches!(self.element(edge.element).node, Node::Basic(Basic::Receive { .. }) | Node::DStep(_))
        };
        self.senses && automaton.states[state as usize].edges.iter().any(receives)
    }

    fn element(&self, id: ElementId) -> &Element {
        self.lowering.builder.elements.el(id)
    }

    /// Whether a statement cannot block, and may be merged with those around it.
    fn may_follow(&self, id: ElementId) -> bool {
        let element = self.element(id);
        let kind = matches!(
            &element.node,
            Node::Basic(Basic::Assign(..) | Basic::Nothing | Basic::Assert(_) | Basic::Print { .. })
                | Node::Join
                | Node::Exit
                | Node::Goto(_)
        );
        kind && element.escapes.is_empty()
            && !self.lowering.builder.elements.labelled(id)
            && (is_atomic(element) || self.seems_local(id))
    }

    /// Whether a statement that may block can have others merged with it.
    fn may_begin(&self, process: usize, id: ElementId) -> bool {
        let element = self.element(id);
        let kind = match &element.node {
            Node::Basic(Basic::Condition(ex)) => !ex.any(|kind| matches!(kind, ExKind::Run(_))),
            Node::Basic(Basic::Receive { .. }) => true,
            Node::Basic(Basic::Send { .. }) => !self.has_rendezvous,
            _ => false,
        };
        kind && element.escapes.is_empty()
            && !self.lowering.builder.is_asked_for(process, id)
            && (is_atomic(element) || self.seems_local(id))
    }

    /// Whether it can have a soft fault.
    fn may_soft_fault(&self, id: ElementId) -> bool {
        matches!(
            self.element(id).node,
            Node::Basic(Basic::Assert(_) | Basic::Send { .. } | Basic::Receive { .. })
        )
    }

    fn starts(&self, id: ElementId) -> bool {
        let Node::Basic(basic) = &self.element(id).node else { return false };
        let mut found = false;
        basic.walk(&mut |ex| found |= matches!(ex.kind, ExKind::Run(_)));
        found
    }

    /// Whether a statement refers to nothing that other processes can see or change.
    fn is_local(&self, id: ElementId) -> bool {
        let Node::Basic(basic) = &self.element(id).node else { return true };
        let mut local = match basic {
            Basic::Condition(_)
            | Basic::Nothing
            | Basic::Assert(_)
            | Basic::Print { .. }
            | Basic::Assign(Target::Nothing, _) => true,
            Basic::Assign(Target::Var(place), _) => !self.is_global(place),
            Basic::Assign(Target::Priority | Target::Through(_), _)
            | Basic::SetPriority(..)
            | Basic::Dynamic(_)
            | Basic::Send { .. }
            | Basic::Receive { .. }
            | Basic::Event { .. } => false,
        };
        basic.walk(&mut |ex| {
            local &= match &ex.kind {
                ExKind::Int(_) | ExKind::Pid | ExKind::Unary(..) | ExKind::Binary(..) | ExKind::Cond(_) => {
                    true
                }
                ExKind::Var(place) => !self.is_global(place),
                _ => false,
            };
        });
        local
    }

    fn is_global(&self, place: &Ref) -> bool {
        self.lowering.builder.symbols[place.symbol.index()].owner.is_none()
    }

    /// Whether SPIN takes a statement for local: it ignores indices and `run`, and trusts claims.
    fn seems_local(&self, id: ElementId) -> bool {
        let Node::Basic(basic) = &self.element(id).node else { return true };
        match basic {
            Basic::Nothing => true,
            Basic::Condition(ex) | Basic::Assert(ex) | Basic::Assign(Target::Nothing, ex) => {
                self.reads_local(ex)
            }
            Basic::Assign(Target::Var(place), value) => !self.is_global(place) && self.reads_local(value),
            Basic::Print { args, .. } => args.iter().all(|arg| self.reads_local(arg)),
            Basic::Send { channel, args, .. } => {
                self.claimed(channel, false) && args.iter().all(|arg| self.reads_local(arg))
            }
            Basic::Receive { channel, args, .. } => {
                self.claimed(channel, true) && args.iter().all(|arg| self.matches_local(arg))
            }
            Basic::Assign(Target::Priority | Target::Through(_), _)
            | Basic::SetPriority(..)
            | Basic::Event { .. }
            | Basic::Dynamic(_) => false,
        }
    }

    fn matches_local(&self, arg: &Arg) -> bool {
        match arg {
            Arg::Store(place) => !self.is_global(place),
            Arg::Match(value) => self.reads_local(value),
            Arg::Any => true,
            Arg::StoreThrough(_) => false,
        }
    }

    fn reads_local(&self, ex: &Ex) -> bool {
        match &ex.kind {
            ExKind::Int(_) | ExKind::Pid => true,
            ExKind::Run(run) => !self.has_channels(&run.process.text),
            ExKind::Var(place) => !self.is_global(place),
            ExKind::Unary(_, a) => self.reads_local(a),
            ExKind::Binary(_, a, b) => self.reads_local(a) && self.reads_local(b),
            ExKind::Cond(parts) => parts.iter().all(|part| self.reads_local(part)),
            ExKind::Probe(Probe::Nempty | Probe::Full, channel) => self.claimed(channel, true),
            ExKind::Probe(Probe::Nfull | Probe::Empty, channel) => self.claimed(channel, false),
            ExKind::Len(channel) => self.claimed(channel, true) && self.claimed(channel, false),
            ExKind::Poll { channel, args, .. } => {
                self.claimed(channel, true)
                    && self.claimed(channel, false)
                    && args.iter().all(|arg| self.matches_local(arg))
            }
            ExKind::Count
            | ExKind::Last
            | ExKind::Priority
            | ExKind::Enabled(_)
            | ExKind::PcValue(_)
            | ExKind::GetPriority(_)
            | ExKind::Timeout
            | ExKind::Nonprogress
            | ExKind::RemoteLabel { .. }
            | ExKind::RemoteVar { .. }
            | ExKind::Dynamic(_) => false,
        }
    }

    fn has_channels(&self, process: &str) -> bool {
        let program = &self.lowering.program;
        program.procedures.values().any(|known| known.name == process && !known.channels.is_empty())
    }

    fn claimed(&self, ex: &Ex, receive: bool) -> bool {
        channel(ex).is_some_and(|channel| matches!(self.claims.get(&(channel, receive)), Some(Some(_))))
    }
}

fn is_atomic(element: &Element) -> bool {
    element.marks & (ATOMIC | LAST) != 0
}

fn channel(ex: &Ex) -> Option<SymbolId> {
    match &ex.kind {
        ExKind::Var(place) => Some(place.symbol),
        _ => None,
    }
}
