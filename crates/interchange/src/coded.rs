//! Coded variables: threads get at them by functions of their own numbers only, as in `turn[_pid / 2] = _pid % 2`, where
//! neither `_pid / 2` nor `_pid % 2` is a process.
//!
//! What a thread can name are *points*: the elements of such a variable, and in each element the values that are stored
//! there or compared with it. Points are nodes of the text, linked to the threads that name them. So the permutations
//! of threads that are allowed are those that go with a permutation of the points, and what becomes of the variable
//! follows. The tree of a tournament is found like that, and no arithmetic is understood.

use ir::{
    Action, ActionKind, Array, BinaryOp, Const, Expr, ExprKind, GlobalId, Guard, LocationId, Meaning, Place,
    PlaceKind, ProcedureId, Program, Sort, Sorts, Table, Type,
};

use crate::functions::{evaluate, is_function};
use crate::population::Population;

/// A use of a coded variable: what is stored there, or compared with it.
#[derive(Clone, Debug)]
pub struct Access {
    pub procedure: ProcedureId,
    pub variable: GlobalId,
    /// `None` if it is no array.
    pub index: Option<Expr>,
    pub value: Expr,
}

impl Access {
    /// The element and the value that a thread names.
    pub fn point(&self, program: &Program, thread: i64) -> Option<(u32, i64)> {
        let variable = &program.globals[self.variable];
        let element = match &self.index {
            Some(index) => u32::try_from(evaluate(program, index, thread)?).ok()?,
            None => 0,
        };
        let value = evaluate(program, &self.value, thread)?;
        let Type::Int(int) = program.types[variable.ty] else { return None };
        let is_there = (element as usize) < variable.size() && (int.lo..=int.hi).contains(&value);
        is_there.then_some((element, value))
    }
}

/// The global variable that an expression reads, and the index.
pub fn read(expr: &Expr) -> Option<(GlobalId, Option<&Expr>)> {
    match &expr.kind {
        ExprKind::Global(id) => Some((*id, None)),
        ExprKind::Element(Array::Global(id), indices) => Some((*id, indices.first())),
        _ => None,
    }
}

/// The global variable that a place is, and the index.
pub fn stored(place: &Place) -> Option<(GlobalId, Option<&Expr>)> {
    match &place.kind {
        PlaceKind::Global(id) => Some((*id, None)),
        PlaceKind::Element(Array::Global(id), indices) => Some((*id, indices.first())),
        _ => None,
    }
}

/// Whether an expression is about nothing but the number of its thread.
fn is_closed(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::ThreadNumber | ExprKind::Const(Const::Int(_))) || is_function(expr) || {
        let mut is_closed = true;
        expr.each(&mut |part| {
            is_closed &= matches!(
                part.kind,
                ExprKind::ThreadNumber
                    | ExprKind::Const(Const::Int(_) | Const::Bool(_))
                    | ExprKind::Unary(..)
                    | ExprKind::Binary(..)
                    | ExprKind::Cond(..)
                    | ExprKind::Wrap(_)
                    | ExprKind::Number(_)
            );
        });
        is_closed
    }
}

/// Finds out which variables could be coded.
struct Finder<'p> {
    program: &'p Program,
    /// By variable: the uses, unless one is of another kind.
    accesses: Table<GlobalId, Option<Vec<Access>>>,
}

/// The variables that can be coded, and would be numbers or indexed by numbers otherwise.
pub fn coded(
    program: &Program,
    population: &Population,
    text: &[LocationId],
    observed: &[&Expr],
    plain: &Sorts,
) -> Option<Table<GlobalId, bool>> {
    let accesses = program
        .globals
        .values()
        .map(|variable| {
            let is_simple = variable.dims.len() <= 1
                && !variable.untracked
                && variable.meaning == Meaning::Number
                && matches!(program.types[variable.ty], Type::Int(_));
            is_simple.then(Vec::new)
        })
        .collect();
    let mut finder = Finder { program, accesses };
    for &id in text {
        let location = &program.locations[id];
        for &transition in &location.transitions {
            let transition = &program.transitions[transition];
            if let Guard::When(guard) = &transition.guard {
                finder.expr(Some(location.procedure), guard);
            }
            for action in &transition.body {
                finder.action(location.procedure, action);
            }
        }
    }
    for (id, procedure) in program.procedures.iter() {
        let claimed = procedure.claims.iter().map(|claim| &claim.channel);
        procedure.provided.iter().chain(claimed).for_each(|expr| finder.expr(Some(id), expr));
        procedure.prologue.iter().for_each(|action| finder.action(id, action));
    }
    for expr in observed {
        finder.expr(None, expr);
    }
    let starts = |procedure: ProcedureId| {
        let transitions = text.iter().flat_map(|&id| &program.locations[id].transitions);
        let mut actions = transitions.flat_map(|&id| &program.transitions[id].body);
        actions.any(|action| action.starts(procedure))
    };
    let started: Table<ProcedureId, bool> = program.procedures.ids().map(starts).collect();
    let is_coded = |(id, accesses): (GlobalId, &Option<Vec<Access>>)| {
        let Some(accesses) = accesses else { return false };
        let sorts = &plain.globals[id];
        let is_odd = |access: &Access| {
            let by_index = access.index.as_ref().is_some_and(is_function) && sorts.indices[0] == Sort::Number;
            by_index || is_function(&access.value) && sorts.value == Sort::Number
        };
        let is_known = |access: &Access| {
            let mut threads = population.threads.iter().zip(0..);
            !started[access.procedure]
                && threads
                    .all(|(&run, thread)| run != access.procedure || access.point(program, thread).is_some())
        };
        accesses.iter().any(is_odd) && accesses.iter().all(is_known)
    };
    let coded: Table<GlobalId, bool> = finder.accesses.iter().map(is_coded).collect();
    coded.values().any(|&is_coded| is_coded).then_some(coded)
}

impl Finder<'_> {
    /// Notes a use of a variable, if it is of the right kind.
    fn note(
        &mut self,
        procedure: Option<ProcedureId>,
        (variable, index): (GlobalId, Option<&Expr>),
        value: &Expr,
    ) -> bool {
        let Some(procedure) = procedure else { return false };
        let is_right = index.is_none_or(is_closed)
            && is_closed(value)
            && index.is_some() != self.program.globals[variable].dims.is_empty();
        if is_right && let Some(accesses) = &mut self.accesses[variable] {
            let (index, value) = (index.cloned(), value.clone());
            accesses.push(Access { procedure, variable, index, value });
        }
        is_right
    }

    fn expr(&mut self, procedure: Option<ProcedureId>, expr: &Expr) {
        if let ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, right) = &expr.kind {
            for (read, value) in [(read(left), right), (read(right), left)] {
                if let Some(read) = read
                    && self.note(procedure, read, value)
                {
                    return;
                }
            }
        }
        if let Some((variable, _)) = read(expr) {
            self.accesses[variable] = None;
        }
        for operand in expr.operands() {
            self.expr(procedure, operand);
        }
    }

    fn action(&mut self, procedure: ProcedureId, action: &Action) {
        if let ActionKind::Assign(place, value) = &action.kind
            && let Some(stored) = stored(place)
            && self.note(Some(procedure), stored, value)
        {
            return;
        }
        for (variable, _) in action.places().into_iter().filter_map(stored) {
            self.accesses[variable] = None;
        }
        for operand in action.operands() {
            self.expr(Some(procedure), operand);
        }
    }
}
