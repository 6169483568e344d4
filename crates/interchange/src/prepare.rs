//! The program that is searched in place of another one, so that more of it is interchangeable.
//!
//! - A process that arrives at its end *has ended* there: it has no step of its own that removes it. Such steps come
//!   youngest first, so that the numbers of processes matter; they cannot be observed otherwise, and commute with all
//!   other steps.
//! - A local variable that is dead is set to a number that stands for nobody, where it was set to 0, which may
//!   stand for process 0.
//! - Variables that no step depends on are set to 0 and not printed: what counts for the user only, such as
//!   `served++`, is no part of states.
//!
//! Runs of the new program are runs of the old one but for the steps by which processes are removed.

use ir::{
    ActionKind, Const, Exit, Expr, ExprKind, Guard, Id, Jump, LocalId, Location, LocationId, PlaceKind,
    ProcedureId, Program, Sort, Table, Transition, TransitionId, Type, Variable,
};

use crate::walk::Walk;

/// Why processes that have ended cannot stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MustVanish(pub &'static str);

/// Whether a transition removes a process that has ended.
pub fn is_end(transition: &Transition) -> bool {
    let is_youngest = matches!(&transition.guard, Guard::When(guard) if guard.kind == ExprKind::IsYoungest);
    is_youngest && matches!(transition.exit, Exit::Jump(Jump::Return(_)))
}

/// Whether a process at a location has ended and stays.
pub fn has_ended(program: &Program, location: &Location) -> bool {
    let never = ExprKind::Const(Const::Bool(false));
    let is_never = |id: &TransitionId| {
        let transition = &program.transitions[*id];
        let returns = matches!(transition.exit, Exit::Jump(Jump::Return(_)));
        returns && matches!(&transition.guard, Guard::When(guard) if guard.kind == never)
    };
    location.end && !location.transitions.is_empty() && location.transitions.iter().all(is_never)
}

/// The program to search, and whether in it processes that have ended stay: if not, why. They do not if `counted`
/// says that steps are counted.
pub fn prepare(program: &Program, counted: bool) -> (Program, Result<(), MustVanish>) {
    let mut prepared = program.clone();
    let counting = counted.then_some(MustVanish("the property counts steps"));
    let vanishing = counting.or_else(|| vanishing(program));
    if vanishing.is_none() {
        for transition in prepared.transitions.ids() {
            if is_end(&program.transitions[transition])
                && let Guard::When(guard) = &mut prepared.transitions[transition].guard
            {
                guard.kind = ExprKind::Const(Const::Bool(false));
            }
        }
    }
    // That processes vanish in an order makes numbers of them: sorts are those of the program in which they stay.
    let staying = prepared.clone();
    reset_to_nobody(program, &staying, &mut prepared);
    forget_inert(program, &mut prepared);
    (prepared, vanishing.map_or(Ok(()), Err))
}

/// Why processes that have ended cannot stay, if something can tell.
fn vanishing(program: &Program) -> Option<MustVanish> {
    let ends = |procedure: ProcedureId| {
        program.transitions.values().any(|transition| {
            is_end(transition) && program.locations[transition.source].procedure == procedure
        })
    };
    let ending: Table<ProcedureId, bool> = program.procedures.ids().map(ends).collect();
    let ending_locations: Vec<LocationId> = program
        .transitions
        .values()
        .filter(|transition| is_end(transition))
        .map(|transition| transition.source)
        .collect();
    let asks = |is: &dyn Fn(&ExprKind) -> bool| program.asks(is);
    if program.features.remembers_last {
        return Some(MustVanish("`_last` sees processes vanish"));
    }
    if program.has_priorities() {
        return Some(MustVanish("priorities decide when processes vanish"));
    }
    if asks(&|kind| matches!(kind, ExprKind::ThreadCount)) {
        return Some(MustVanish("`_nr_pr` counts them"));
    }
    if asks(&|kind| matches!(kind, ExprKind::ThreadEnabled(_) | ExprKind::ThreadLocation(_))) {
        return Some(MustVanish("`enabled` or `pc_value` asks for them"));
    }
    if asks(&|kind| match kind {
        ExprKind::ThreadLocal { procedure, .. } | ExprKind::FirstThread(procedure) => ending[*procedure],
        ExprKind::ThreadAt { locations, .. } | ExprKind::ThreadsAt { locations, .. } => {
            locations.iter().any(|location| ending_locations.contains(location))
        }
        ExprKind::IndividualAt { .. } => true,
        _ => false,
    }) {
        return Some(MustVanish("a remote reference asks for them"));
    }
    let has_channels =
        |procedure: ProcedureId| ending[procedure] && !program.procedures[procedure].channels.is_empty();
    if program.procedures.ids().any(has_channels) {
        return Some(MustVanish("channels vanish with them"));
    }
    let has_claims =
        |procedure: ProcedureId| ending[procedure] && !program.procedures[procedure].claims.is_empty();
    if program.procedures.ids().any(has_claims) {
        return Some(MustVanish("claims to channels end with them"));
    }
    if starts_late(program) {
        return Some(MustVanish("their numbers are given to processes that are started later"));
    }
    None
}

/// Whether a process may be started after another one may have ended.
fn starts_late(program: &Program) -> bool {
    let starts = |transition: &Transition| {
        transition.body.iter().any(|action| matches!(action.kind, ActionKind::Start { .. }))
    };
    if !program.transitions.values().any(starts) {
        return false;
    }
    let [first] = program.active[..] else { return true };
    if program.procedures[first].provided.is_some() {
        return true;
    }
    if program.actions().any(|action| action.starts(first)) {
        return true;
    }
    let is_other = |id: TransitionId| program.locations[program.transitions[id].source].procedure != first;
    if program.transitions.iter().any(|(id, transition)| starts(transition) && is_other(id)) {
        return true;
    }
    // From its beginning on, the first process must not let others step until it has started everybody.
    let mut alone = vec![false; program.locations.len()];
    let mut shared = Vec::new();
    let mut pending = vec![program.procedures[first].entry];
    while let Some(at) = pending.pop() {
        if std::mem::replace(&mut alone[at.index()], true) {
            continue;
        }
        let transitions = || program.locations[at].transitions.iter().map(|&id| &program.transitions[id]);
        let never_waits = transitions().any(|transition| match transition.guard {
            Guard::Always => !transition.body.iter().any(may_wait),
            Guard::Else => true,
            Guard::When(_) | Guard::Ready(_) => false,
        });
        if !never_waits {
            shared.push(at);
        }
        for transition in transitions() {
            if let Exit::Jump(Jump::Goto(to)) = transition.exit {
                let stays_alone = transition.exclusive || program.locations[to].fused;
                if stays_alone { pending.push(to) } else { shared.push(to) }
            }
        }
    }
    let mut later = vec![false; program.locations.len()];
    while let Some(at) = shared.pop() {
        if !std::mem::replace(&mut later[at.index()], true) {
            let exits = program.locations[at].transitions.iter().map(|&id| &program.transitions[id].exit);
            shared.extend(exits.filter_map(|exit| match exit {
                Exit::Jump(Jump::Goto(to)) => Some(*to),
                _ => None,
            }));
        }
    }
    program.transitions.values().any(|transition| starts(transition) && later[transition.source.index()])
}

fn may_wait(action: &ir::Action) -> bool {
    matches!(action.kind, ActionKind::Send { .. } | ActionKind::Receive { .. } | ActionKind::Assume(_))
}

/// Sets inert variables to 0 wherever they are set, and does not print them.
fn forget_inert(program: &Program, prepared: &mut Program) {
    let inert = ir::inert(program, &[]);
    if !inert.values().any(|&is_inert| is_inert) {
        return;
    }
    for transition in prepared.transitions.values_mut() {
        transition.body.retain(|action| !matches!(action.kind, ActionKind::Print { .. }));
        for action in &mut transition.body {
            let ActionKind::Assign(place, value) = &mut action.kind else { continue };
            if let Type::Int(int) = program.types[place.ty]
                && ir::sets_inert(program, &inert, place, value)
            {
                value.kind = ExprKind::Const(Const::Int(0.clamp(int.lo, int.hi)));
                value.ty = place.ty;
            }
        }
    }
}

// Dead variables.

/// By procedure and local variable: a number that stands for nobody, if the variable has a sort of processes.
fn all_nobody(program: &Program) -> Table<ProcedureId, Vec<Option<i64>>> {
    let mut walk = Walk::new(program);
    walk.walk_all();
    let of = |(id, procedure): (ProcedureId, &ir::Procedure)| {
        let sort = |local: LocalId| walk.unifier.sort(walk.locals[id][local].value);
        let locals = procedure.locals.iter();
        locals.map(|(local, variable)| nobody(program, variable, sort(local))).collect()
    };
    program.procedures.iter().map(of).collect()
}

/// Where a dead local variable of a sort of processes is set to a constant, or is dead from the start, sets it to a
/// number that stands for nobody. One that is a sort of processes only because processes stay is left as it starts, unless
/// it is set later: otherwise there would be one more value that it has while it is dead.
fn reset_to_nobody(original: &Program, program: &Program, prepared: &mut Program) {
    let (before, nobody) = (all_nobody(original), all_nobody(program));
    let mut remote: Vec<(ProcedureId, LocalId)> = Vec::new();
    program.each_expr(&mut |expr| {
        if let ExprKind::ThreadLocal { procedure, local, .. } = expr.kind {
            remote.push((procedure, local));
        }
    });
    let live = live(program);
    let is_dead = |procedure: ProcedureId, local: LocalId, at: LocationId| {
        !live[at.index()].contains(&local) && !remote.contains(&(procedure, local))
    };
    let mut reset: Vec<(ProcedureId, LocalId)> = Vec::new();
    for (id, transition) in program.transitions.iter() {
        let Exit::Jump(Jump::Goto(to)) = transition.exit else { continue };
        let procedure = program.locations[transition.source].procedure;
        for (at, action) in transition.body.iter().enumerate() {
            let ActionKind::Assign(place, value) = &action.kind else { continue };
            let (PlaceKind::Local(local), ExprKind::Const(Const::Int(_))) = (&place.kind, &value.kind) else {
                continue;
            };
            let is_read_later = transition.body[at + 1..].iter().any(|action| reads(action, *local));
            if !is_read_later
                && is_dead(procedure, *local, to)
                && let Some(nobody) = nobody[procedure][local.index()]
                && let ActionKind::Assign(_, value) = &mut prepared.transitions[id].body[at].kind
            {
                value.kind = ExprKind::Const(Const::Int(nobody));
                reset.push((procedure, *local));
            }
        }
    }
    for (id, procedure) in program.procedures.iter() {
        for local in procedure.locals.ids().skip(procedure.params) {
            let is_read = procedure.prologue.iter().any(|action| reads(action, local));
            let is_set = before[id][local.index()].is_some() || reset.contains(&(id, local));
            let is_dead = is_set && !is_read && is_dead(id, local, procedure.entry);
            if let Some(nobody) = nobody[id][local.index()].filter(|_| is_dead) {
                prepared.procedures[id].locals[local].init = Some(Const::Int(nobody));
            }
        }
    }
}

/// For a variable of a sort of processes: a number that stands for none. The initial value is best, if it does.
fn nobody(program: &Program, variable: &Variable, sort: Sort) -> Option<i64> {
    let Sort::Thread { shift } = sort else { return None };
    let Type::Int(int) = program.types[variable.ty] else { return None };
    let initial = match variable.init {
        Some(Const::Int(initial)) => initial,
        _ => 0,
    };
    let stands_for_none = |number: &i64| is_nobody(program, number.saturating_add(shift));
    [initial, int.hi].into_iter().filter(|_| variable.dims.is_empty()).find(stands_for_none)
}

/// Whether no process ever has this number.
fn is_nobody(program: &Program, number: i64) -> bool {
    let starts = program.actions().any(|action| matches!(action.kind, ActionKind::Start { .. }));
    !(0..255).contains(&number) || !starts && number >= program.active.len() as i64
}

fn uses(expr: &Expr, local: LocalId) -> bool {
    let mut found = false;
    expr.each(&mut |part| {
        found |= match part.kind {
            ExprKind::Local(id) | ExprKind::Element(ir::Array::Local(id), _) => id == local,
            _ => false,
        };
    });
    found
}

fn reads(action: &ir::Action, local: LocalId) -> bool {
    action.operands().iter().any(|expr| uses(expr, local))
}

/// By location: the locals that may be read before they are written.
fn live(program: &Program) -> Vec<Vec<LocalId>> {
    let mut live: Vec<Vec<LocalId>> = vec![Vec::new(); program.locations.len()];
    let read_by = |procedure: ProcedureId, read: &mut Vec<LocalId>, written: &[LocalId], expr: &Expr| {
        for local in program.procedures[procedure].locals.ids() {
            if uses(expr, local) && !written.contains(&local) && !read.contains(&local) {
                read.push(local);
            }
        }
    };
    loop {
        let mut has_changed = false;
        for (id, location) in program.locations.iter() {
            let mut all = std::mem::take(&mut live[id.index()]);
            let before = all.len();
            if let Some(provided) = &program.procedures[location.procedure].provided {
                read_by(location.procedure, &mut all, &[], provided);
            }
            for claim in &program.procedures[location.procedure].claims {
                read_by(location.procedure, &mut all, &[], &claim.channel);
            }
            for &transition in &location.transitions {
                let transition = &program.transitions[transition];
                let mut written: Vec<LocalId> = Vec::new();
                if let Guard::When(guard) = &transition.guard {
                    read_by(location.procedure, &mut all, &[], guard);
                }
                for action in &transition.body {
                    for expr in action.operands() {
                        read_by(location.procedure, &mut all, &written, expr);
                    }
                    for place in action.places() {
                        if let PlaceKind::Local(local) = place.kind {
                            written.push(local);
                        }
                    }
                }
                if let Exit::Jump(Jump::Goto(to)) = transition.exit {
                    for &local in &live[to.index()] {
                        if !written.contains(&local) && !all.contains(&local) {
                            all.push(local);
                        }
                    }
                }
                if let Guard::Ready(first) = transition.guard {
                    for &local in &live[first.index()] {
                        if !all.contains(&local) {
                            all.push(local);
                        }
                    }
                }
            }
            has_changed |= all.len() > before;
            live[id.index()] = all;
        }
        if !has_changed {
            return live;
        }
    }
}
