//! Messages inside an atomic block that never block, because the guard of the block tested for them.
//!
//! In `atomic { nempty(c) && nfull(d) -> c?x; d!x }` both messages are possible when the block is entered,
//! and no other thread moves before they are completed. So the thread is never interrupted there, whatever
//! other threads send to `c` or receive from `d`.

use ir::{
    Action, ActionKind, BinaryOp, Const, Exit, Expr, ExprKind, Guard, Id, Jump, LocationId, LocationKind,
    Pattern, Program, Transition, UnaryOp,
};

use crate::bits::Bits;
use crate::footprint::{Question, Resources, UseKind};

/// Visits the conjuncts of a guard, from left to right.
pub fn conjuncts<'e>(guard: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    match &guard.kind {
        ExprKind::Binary(BinaryOp::And, left, right) => {
            conjuncts(left, visit);
            conjuncts(right, visit);
        }
        _ => visit(guard),
    }
}

/// If a conjunct of a guard is monotonic in the number of messages of a channel: this use of the channel, and
/// the channel.
pub fn awaited(part: &Expr) -> Option<(UseKind, &Expr)> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    use Question::{Empty, Full, Other};
    let is_zero = |expr: &Expr| expr.kind == ExprKind::Const(Const::Int(0));
    let (more, question, channel) = match &part.kind {
        ExprKind::ChannelFull(channel) => (true, Full, channel),
        ExprKind::Unary(UnaryOp::Not, asked) => match &asked.kind {
            ExprKind::ChannelFull(channel) => (false, Full, channel),
            _ => return None,
        },
        ExprKind::Binary(op, left, right) => match (&left.kind, op) {
            (ExprKind::ChannelHas { channel, .. }, Ne) if is_zero(right) => (true, Other, channel),
            (ExprKind::ChannelLength(channel), Gt | Ne) if is_zero(right) => (true, Empty, channel),
            (ExprKind::ChannelLength(channel), Gt | Ge) => (true, Other, channel),
            (ExprKind::ChannelLength(channel), Eq) if is_zero(right) => (false, Empty, channel),
            (ExprKind::ChannelLength(channel), Lt | Le) => (false, Other, channel),
            _ => return None,
        },
        _ => return None,
    };
    Some((UseKind::Await { more, question }, channel))
}

/// Whether an expression names the same channel as long as its thread does not end.
pub fn is_steady(channel: &Expr, assigned: &Bits) -> bool {
    match channel.kind {
        ExprKind::Channel(_) => true,
        ExprKind::Local(id) => !assigned.contains(id.index()),
        _ => false,
    }
}

/// The message of a transition that begins with it and has no other, if the message only needs room, or only
/// needs some message: whether it is a send, and its channel.
pub fn plain_message(transition: &Transition) -> Option<(bool, &Expr)> {
    let is_message =
        |action: &Action| matches!(action.kind, ActionKind::Send { .. } | ActionKind::Receive { .. });
    let (first, rest) = transition.body.split_first()?;
    if transition.guard != Guard::Always || rest.iter().any(is_message) {
        return None;
    }
    match &first.kind {
        ActionKind::Send { channel, sorted: false, .. } => Some((true, channel)),
        ActionKind::Receive { channel, anywhere: false, keep: false, pattern } => {
            let takes_any = pattern.iter().all(|field| !matches!(field, Pattern::Match(_)));
            takes_any.then_some((false, channel))
        }
        _ => None,
    }
}

/// By location: whether the message there is assured.
pub fn assured(resources: &Resources<'_>, assigned: &[Bits]) -> Vec<bool> {
    let program = resources.program;
    let entries = entries(program);
    let mut assured = vec![false; program.locations.len()];
    for first in program.transitions.values() {
        let Guard::When(guard) = &first.guard else { continue };
        let assigned = &assigned[program.locations[first.source].procedure.index()];
        // Pairs of whether it is room that is known, and the channel.
        let mut known = Vec::new();
        conjuncts(guard, &mut |part| {
            let Some((kind, channel)) = awaited(part) else { return };
            let is_room = match kind {
                UseKind::Await { more: true, question: Question::Empty } => false,
                UseKind::Await { more: false, question: Question::Full } => true,
                _ => return,
            };
            let channel = resources.channel(channel);
            if is_steady(&channel, assigned) && !resources.may_be_rendezvous(&channel) {
                known.push((is_room, channel));
            }
        });
        let mut transition = first;
        while let Exit::Jump(Jump::Goto(target)) = transition.exit
            && transition.exclusive
        {
            // A message may use any channel.
            known.retain(|(is_room, _)| {
                !transition.body.iter().any(|action| match action.kind {
                    ActionKind::Send { .. } => *is_room,
                    ActionKind::Receive { .. } => !*is_room,
                    _ => false,
                })
            });
            let location = &program.locations[target];
            let [next] = location.transitions[..] else { break };
            if known.is_empty() || entries[target.index()] != 1 || assured[target.index()] {
                break;
            }
            transition = &program.transitions[next];
            if let Some((sends, channel)) = plain_message(transition) {
                let channel = resources.channel(channel).kind;
                let mut known = known.iter();
                assured[target.index()] = known.any(|(is_room, of)| *is_room == sends && of.kind == channel);
            }
        }
    }
    assured
}

/// By location: the number of ways to enter it.
pub fn entries(program: &Program) -> Vec<usize> {
    let mut entries = vec![0; program.locations.len()];
    let mut enter = |location: LocationId| entries[location.index()] += 1;
    for transition in program.transitions.values() {
        if let Guard::Ready(inner) = transition.guard {
            enter(inner);
        }
        match transition.exit {
            Exit::Jump(Jump::Goto(target)) => enter(target),
            Exit::Call { resume, .. } => enter(resume),
            Exit::Jump(Jump::Return(_)) => {}
        }
    }
    for location in program.locations.values() {
        if let LocationKind::Resume { then: Jump::Goto(target), .. } = location.kind {
            enter(target);
        }
    }
    for procedure in program.procedures.values() {
        enter(procedure.entry);
        procedure.catches.iter().for_each(|catch| enter(catch.handler));
    }
    entries
}
