//! What never changes: parameters, and the channels in globals.

use ir::{
    Action, ActionKind, Array, Const, Expr, ExprKind, GlobalId, LocalId, Meaning, Place, PlaceKind,
    ProcedureId, Program, Table,
};

/// By procedure: the locals that never change after the start, other than channels.
pub fn parameters(program: &Program) -> Table<ProcedureId, Vec<LocalId>> {
    let mut all: Table<ProcedureId, Vec<LocalId>> = program
        .procedures
        .values()
        .map(|procedure| {
            let locals = procedure.locals.iter();
            let numbers =
                locals.filter(|(_, local)| local.meaning != Meaning::Channel && local.dims.is_empty());
            numbers.map(|(id, _)| id).collect()
        })
        .collect();
    for transition in program.transitions.values() {
        let procedure = program.locations[transition.source].procedure;
        for place in transition.body.iter().flat_map(Action::places) {
            if let PlaceKind::Local(changed) = place.kind {
                all[procedure].retain(|&local| local != changed);
            }
        }
    }
    all
}

/// The channels of globals that never change.
pub fn constants(program: &Program) -> Table<GlobalId, Option<Vec<i64>>> {
    let mut constants: Table<GlobalId, Option<Vec<i64>>> = program
        .globals
        .values()
        .map(|global| {
            let init = match global.init {
                Some(Const::Int(value)) => value,
                _ => 0,
            };
            (global.meaning == Meaning::Channel && global.dims.len() <= 1)
                .then(|| vec![init; global.size().max(1)])
        })
        .collect();
    for action in &program.prologue {
        if let ActionKind::Assign(Place { kind, .. }, value) = &action.kind {
            let (id, at) = match kind {
                PlaceKind::Global(id) => (*id, Some(0)),
                PlaceKind::Element(Array::Global(id), indices) => match &indices[..] {
                    [Expr { kind: ExprKind::Const(Const::Int(at)), .. }] => (*id, usize::try_from(*at).ok()),
                    _ => (*id, None),
                },
                _ => continue,
            };
            let element = at.and_then(|at| constants[id].as_mut().and_then(|channels| channels.get_mut(at)));
            match (element, &value.kind) {
                (Some(element), ExprKind::Const(Const::Int(value))) => *element = *value,
                _ => constants[id] = None,
            }
        }
    }
    let mut store = |place: &Place| {
        if let PlaceKind::Global(id) | PlaceKind::Element(Array::Global(id), _) = place.kind {
            constants[id] = None;
        }
    };
    let bodies = program.transitions.values().flat_map(|transition| &transition.body);
    let prologues = program.procedures.values().flat_map(|procedure| &procedure.prologue);
    bodies.chain(prologues).flat_map(Action::places).for_each(&mut store);
    constants
}
