//! Variables that only rise, or only fall, as long as a thread stays in some part of its control flow.
//!
//! A loop that counts does not return to an earlier state: `do :: i < N -> i++ :: else -> break od` needs no
//! sticky location. In general, a cycle of control flow is harmless if a local variable rises on it and is
//! not assigned other values there. So if a variable rises at some edges of a component of the control flow,
//! and is not changed at any other edge of it, all cycles of the component through these edges are harmless,
//! and these edges are removed when cycles are broken. In what remains of the component the same may hold for
//! other variables: the counter of an inner loop may be reset in the outer one. (The variables are a
//! lexicographic ranking of the loops; threads that change places under symmetry do not matter, since the sum
//! of their variables rises.)
//!
//! A variable rises where a positive constant is added to it and the result is in its range: because a guard
//! on the only path there ensures it, or because any other result is a fault.

use ir::{
    ActionKind, BinaryOp, Const, Exit, Expr, ExprKind, Guard, Id, IntType, Jump, LocalId, LocationId,
    LocationKind, PlaceKind, Program, Table, Transition, TransitionId, Type, TypeId, Width,
};
use rustc_hash::FxHashMap;

use crate::assured::{conjuncts, entries};
use crate::flow::{EdgeKind, Flow};

/// The greatest number of statements between the guard of a counter and the statement that counts.
const FARTHEST: usize = 64;

/// How a variable changes.
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
    /// Ignores other changes, for tests of the tests.
    is_blind: bool,
}

impl<'a> Ranks<'a> {
    pub fn new(program: &'a Program, flow: &'a Flow, is_blind: bool) -> Self {
        let entries = entries(program);
        // The transition into each location that is entered by exactly one.
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

    /// The edges of a component at which some variable rises, or falls, if that variable is not changed
    /// otherwise in the component.
    pub fn of_component(
        &self,
        nodes: &[usize],
        is_inside: &dyn Fn(usize, usize) -> bool,
    ) -> Vec<(usize, usize)> {
        let mut all = FxHashMap::<LocalId, Changes>::default();
        let mut counting = Vec::new();
        for &from in nodes {
            for (at, &kind) in
                self.flow.edge_kinds[from].iter().enumerate().filter(|&(at, _)| is_inside(from, at))
            {
                match kind {
                    EdgeKind::Transition(id) => {
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
                    EdgeKind::Resume => {
                        let location = &self.program.locations[LocationId::from_index(from)];
                        if let LocationKind::Resume { result: Some(place), .. } = &location.kind
                            && let Some(local) = local(&place.kind)
                        {
                            all.entry(local).or_default().add(Changes::OTHER);
                        }
                    }
                    EdgeKind::Handler => return Vec::new(),
                }
            }
        }
        // A variable that is not live somewhere gets another value there.
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

/// How a transition changes locals, each of which is listed once.
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
    /// The type into whose range the sum is brought before it is assigned, if any.
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

/// Whether the sum is in the range of the variable, or a fault.
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

/// The greatest value, or the least one, that a local may have if a condition holds.
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
