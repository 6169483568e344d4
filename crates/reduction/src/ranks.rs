//! Variables that only rise, or only fall, as long as a thread stays in some part of its control flow.
//!
//! A loop that counts does not come back to a state that it has been in:
//! `do :: i < N -> i++ :: else -> break od` needs no sticky location. In general, a cycle of control flow is
//! harmless if a local variable rises on it and is given no other values there. So a component of the control
//! flow in which a variable rises at some edges, and is changed at no other edge, has only harmless cycles
//! through these edges, and they are left out when cycles are broken. In what is left of the component the
//! same holds for other variables: the counter of an inner loop may start anew in the outer one. (The
//! variables are a lexicographic ranking of the loops; threads that change places under symmetry do not
//! matter, since the sum of their variables rises.)
//!
//! A variable rises where a positive constant is added to it, and the result is in its range: because a guard
//! on the only way there has made sure of it, or because everything else is a fault.

use ir::{
    ActionKind, BinaryOp, Const, Exit, Expr, ExprKind, Guard, Id, IntType, Jump, LocalId, LocationId,
    LocationKind, PlaceKind, Program, Table, Transition, TransitionId, Type, TypeId, Width,
};
use rustc_hash::FxHashMap;

use crate::assured::{conjuncts, entries};
use crate::flow::{Flow, Way};

/// The greatest number of statements between the guard of a counter and the statement that counts.
const FARTHEST: usize = 64;

/// What happens to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Changes {
    up: bool,
    down: bool,
    other: bool,
}

impl Changes {
    const OTHER: Self = Self { up: false, down: false, other: true };

    fn add(&mut self, more: Self) {
        self.up |= more.up;
        self.down |= more.down;
        self.other |= more.other;
    }

    fn is_one_way(self) -> bool {
        !self.other && self.up != self.down
    }
}

/// How locals change along the control flow of a program.
pub struct Ranks<'a> {
    program: &'a Program,
    flow: &'a Flow,
    changes: Table<TransitionId, Vec<(LocalId, Changes)>>,
    /// Other changes are overlooked, for tests of tests.
    is_blind: bool,
}

impl<'a> Ranks<'a> {
    pub fn new(program: &'a Program, flow: &'a Flow, is_blind: bool) -> Self {
        let entries = entries(program);
        // The transition into each location that is entered by one only.
        let mut before: Table<LocationId, Option<TransitionId>> =
            program.locations.ids().map(|_| None).collect();
        for (id, transition) in program.transitions.iter() {
            if let Exit::Jump(Jump::Goto(target)) = transition.exit
                && entries[target.index()] == 1
            {
                before[target] = Some(id);
            }
        }
        let changes = (program.transitions.values()).map(|transition| changes(program, &before, transition));
        let changes = changes.collect();
        Self { program, flow, changes, is_blind }
    }

    /// The edges of a component at which one variable rises, or falls, if some variable does nothing else in
    /// the component.
    pub fn of_component(
        &self,
        nodes: &[usize],
        is_inside: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut all = FxHashMap::<LocalId, Changes>::default();
        let mut counting = Vec::new();
        for &from in nodes {
            for (at, &way) in self.flow.ways[from].iter().enumerate().filter(|&(at, _)| is_inside(from, at)) {
                match way {
                    Way::Transition(id) => {
                        let seen = |changes: Changes| !self.is_blind || changes.is_one_way();
                        for &(local, changes) in
                            self.changes[id].iter().filter(|&&(_, changes)| seen(changes))
                        {
                            all.entry(local).or_default().add(changes);
                            if changes.is_one_way() {
                                counting.push((from, at, local));
                            }
                        }
                    }
                    Way::Resume => {
                        let location = &self.program.locations[LocationId::from_index(from)];
                        if let LocationKind::Resume { result: Some(place), .. } = &location.kind
                            && let Some(local) = local(&place.kind)
                        {
                            all.entry(local).or_default().add(Changes::OTHER);
                        }
                    }
                    Way::Handler => return Vec::new(),
                }
            }
        }
        // What is forgotten somewhere is given another value there.
        for &node in nodes {
            if let Some(live) = &self.program.locations[LocationId::from_index(node)].live {
                all.retain(|local, _| live.contains(local));
            }
        }
        let best = all.iter().filter(|(_, changes)| changes.is_one_way()).map(|(&local, _)| local).min();
        counting.retain(|&(_, _, local)| Some(local) == best);
        counting.into_iter().map(|(from, at, _)| (from, at)).collect()
    }
}

fn local(place: &PlaceKind) -> Option<LocalId> {
    match place {
        PlaceKind::Local(id) | PlaceKind::Element(ir::Array::Local(id), _) => Some(*id),
        _ => None,
    }
}

/// What a transition does to locals, each once.
fn changes(
    program: &Program,
    before: &Table<LocationId, Option<TransitionId>>,
    transition: &Transition,
) -> Vec<(LocalId, Changes)> {
    let mut all = Vec::<(LocalId, Changes)>::new();
    let mut add = |local: LocalId, changes: Changes| match all.iter_mut().find(|(known, _)| *known == local) {
        // A local that is assigned twice may get any value.
        Some((_, known)) => known.add(Changes::OTHER),
        None => all.push((local, changes)),
    };
    for action in &transition.body {
        for place in action.places() {
            let Some(id) = local(&place.kind) else { continue };
            let by = match (&action.kind, &place.kind) {
                (ActionKind::Assign(_, value), PlaceKind::Local(_)) => sum(id, value),
                _ => None,
            };
            let by = by.filter(|sum| stays_inside(program, before, transition, id, sum)).map(|sum| sum.by);
            add(id, by.map_or(Changes::OTHER, |by| Changes { up: by > 0, down: by < 0, other: false }));
        }
    }
    all
}

/// The sum of a local and a constant.
struct Sum {
    /// The constant, which is not 0.
    by: i64,
    /// The type that the sum is brought into the range of before it is assigned, if it is.
    wrapped: Option<TypeId>,
}

/// A value as the sum of a local and a constant.
fn sum(local: LocalId, value: &Expr) -> Option<Sum> {
    let (wrapped, value) = match &value.kind {
        ExprKind::Wrap(inner) => (Some(value.ty), &**inner),
        _ => (None, value),
    };
    let ExprKind::Binary(op, left, right) = &value.kind else { return None };
    let (ExprKind::Local(id), ExprKind::Const(Const::Int(number))) = (&left.kind, &right.kind) else {
        return None;
    };
    let by = match op {
        BinaryOp::Add => *number,
        BinaryOp::Sub => number.checked_neg()?,
        _ => return None,
    };
    (*id == local && by != 0 && by.unsigned_abs() < 1 << 32).then_some(Sum { by, wrapped })
}

/// Whether the sum is one that the variable can hold, or a fault.
fn stays_inside(
    program: &Program,
    before: &Table<LocationId, Option<TransitionId>>,
    transition: &Transition,
    local: LocalId,
    &Sum { by, wrapped }: &Sum,
) -> bool {
    let procedure = program.locations[transition.source].procedure;
    let Type::Int(int) = program.types[program.procedures[procedure].locals[local].ty] else { return false };
    let all = match int.width {
        Width::Int => IntType::INT,
        Width::Long => IntType::LONG,
    };
    let is_within = |range: IntType, bound: i64| {
        bound.checked_add(by).is_some_and(|sum| (range.lo..=range.hi).contains(&sum))
    };
    if let Some(ty) = wrapped
        && !matches!(program.types[ty], Type::Int(range) if range.lo <= int.lo && int.hi <= range.hi)
    {
        return false;
    }
    // A sum that is brought into a range is never a fault.
    if !int.wrap && wrapped.is_none() && is_within(all, if by > 0 { int.hi } else { int.lo }) {
        return true;
    }
    // The guards on the only path to the assignment, the nearest one first.
    let mut at = transition;
    for _ in 0..FARTHEST {
        let mut is_known = false;
        if let Guard::When(guard) = &at.guard {
            conjuncts(guard, &mut |part| {
                is_known |= bound(local, by > 0, part).is_some_and(|bound| is_within(int, bound));
            });
        }
        if is_known {
            return true;
        }
        let Some(id) = before[at.source] else { return false };
        at = &program.transitions[id];
        let mut places = at.body.iter().flat_map(ir::Action::places);
        if places.any(|place| self::local(&place.kind) == Some(local)) {
            return false;
        }
    }
    false
}

/// The greatest value that a local may have if a condition holds, or the least one.
fn bound(local: LocalId, greatest: bool, condition: &Expr) -> Option<i64> {
    let ExprKind::Binary(op, left, right) = &condition.kind else { return None };
    let (op, limit) = match (&left.kind, &right.kind) {
        (ExprKind::Local(id), ExprKind::Const(Const::Int(limit))) if *id == local => (*op, *limit),
        (ExprKind::Const(Const::Int(limit)), ExprKind::Local(id)) if *id == local => (mirrored(*op)?, *limit),
        _ => return None,
    };
    match (op, greatest) {
        (BinaryOp::Lt, true) => limit.checked_sub(1),
        (BinaryOp::Gt, false) => limit.checked_add(1),
        (BinaryOp::Le, true) | (BinaryOp::Ge, false) | (BinaryOp::Eq, _) => Some(limit),
        _ => None,
    }
}

fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Lt => Some(BinaryOp::Gt),
        BinaryOp::Le => Some(BinaryOp::Ge),
        BinaryOp::Gt => Some(BinaryOp::Lt),
        BinaryOp::Ge => Some(BinaryOp::Le),
        BinaryOp::Eq => Some(BinaryOp::Eq),
        _ => None,
    }
}
