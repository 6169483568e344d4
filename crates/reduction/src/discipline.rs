//! Assumptions about how a program uses its heap, which are checked in every state.
//!
//! - A field is *constant* if it is written only in the step that creates its object, or while there is no
//!   other thread.
//! - A field is *guarded* by a lock that its object has in a constant field if every thread that reads or
//!   writes the field held that lock before the step, unless its step created the object, or there is no
//!   other thread.
//!
//! Which fields are assumed to be constant or guarded is guessed from the program: constant are the fields
//! that are written only through variables to which new objects are assigned nearby; guarded are the fields
//! of records with exactly one lock. The assumptions are checked in every state that the search reaches, for
//! all steps that threads try, whether they are enabled or not. After a [breach](Breach) the search is void,
//! and starts again without the assumption.
//!
//! *The search notices every breach.* Take the shortest path, among those from any state that the search
//! reaches, to a state where some thread `q` tries something that breaches an assumption. No step of the path
//! is a breach, so ample steps commute as assumed. If the path begins at a state where all steps are offered,
//! the path from its next state is shorter. Otherwise the steps of some thread `p` are ample. If `p` moves on
//! the path, that step can be put first, and the rest of the path is shorter, or breaches sooner. If `p` does
//! not move and `q` is `p`, it tries the same at the beginning of the path already. If `q` is another thread,
//! an ample step of `p` leads to a state from which there is the same path, of the same length, and `q` tries
//! the same at its end: `p` cannot have given it a lock, `p` still exists, and no object is created by a step
//! by which it was not created before. This continues until all steps are offered, since no cycle consists of
//! ample steps only. ∎
//!
//! This is why the definitions do not depend on which other threads can reach the object: a thread that drops
//! its reference must not hide the breach of another thread.

use ir::{
    Action, ActionKind, Exit, Expr, ExprKind, FieldId, GlobalId, Guard, Id, Jump, LocalId, LocationId,
    LocationKind, Place, PlaceKind, ProcedureId, Program, Type,
};
use rustc_hash::FxHashSet;

use crate::analysis::Observed;
use crate::bits::Bits;
use crate::footprint::{may_meet, sensing};

/// The assumptions about a program.
#[derive(Clone, Debug)]
pub struct Discipline {
    /// The constant fields.
    constant: Bits,
    /// By field: the field with the lock that guards it.
    guards: Vec<Option<FieldId>>,
    /// By location: whether steps from there may access fields about which something is assumed.
    checked: Vec<bool>,
    /// Other threads can notice the release of a lock only by taking it.
    pub releases: bool,
    pub in_states: ObservedHeap,
    pub in_runs: ObservedHeap,
}

/// An assumption that does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Breach {
    /// The field is written when other threads may know its object.
    Constant(FieldId),
    /// The field is used without its lock.
    Guard(FieldId),
}

/// The parts of objects that properties read.
#[derive(Clone, Debug, Default)]
pub struct ObservedHeap {
    fields: Bits,
    pub elements: bool,
    /// They read what variables of threads lead to, and not only what globals lead to.
    pub frames: bool,
}

impl ObservedHeap {
    fn new(program: &Program, exprs: &[&Expr]) -> Self {
        let mut seen = Self::default();
        let mut calls = false;
        for expr in exprs {
            expr.each(&mut |expr| {
                calls |= matches!(expr.kind, ExprKind::Call(..) | ExprKind::Quantified { .. });
            });
        }
        let called = program.funs.values().map(|fun| &fun.body).filter(|_| calls);
        for expr in exprs.iter().copied().chain(called) {
            expr.each(&mut |expr| match expr.kind {
                ExprKind::Field(_, field) => seen.fields.insert(field.index()),
                ExprKind::Index(..)
                | ExprKind::ChannelLength(_)
                | ExprKind::ChannelFull(_)
                | ExprKind::ChannelHas { .. } => seen.elements = true,
                // A pointer may lead to any field.
                ExprKind::Load(_) => {
                    seen.elements = true;
                    program.fields.ids().for_each(|field| seen.fields.insert(field.index()));
                }
                ExprKind::ThreadLocal { .. } => seen.frames = true,
                _ => {}
            });
        }
        seen
    }

    pub fn field(&self, field: FieldId) -> bool {
        self.fields.contains(field.index())
    }
}

impl Discipline {
    pub fn new(program: &Program, observed: &Observed<'_>) -> Self {
        let constant = constant(program);
        let mut discipline = Self {
            guards: program.fields.ids().map(|field| guard(program, &constant, field)).collect(),
            constant,
            checked: Vec::new(),
            releases: !locks_are_sensed(program, observed),
            in_states: ObservedHeap::new(program, &observed.in_states),
            in_runs: ObservedHeap::new(program, &observed.in_runs),
        };
        discipline.find_checks(program);
        discipline
    }

    pub fn is_constant(&self, field: FieldId) -> bool {
        self.constant.contains(field.index())
    }

    pub fn guard(&self, field: FieldId) -> Option<FieldId> {
        self.guards[field.index()]
    }

    pub fn must_check(&self, location: LocationId) -> bool {
        self.checked[location.index()]
    }

    /// Drops an assumption. Returns a description of the breach.
    pub fn drop_assumption(&mut self, program: &Program, breach: Breach) -> String {
        let name = |field: FieldId| {
            let field = &program.fields[field];
            format!("{}.{}", program.records[field.owner].name, field.name)
        };
        let message = match breach {
            Breach::Constant(field) => {
                self.constant.remove(field.index());
                for guard in &mut self.guards {
                    guard.take_if(|lock| *lock == field);
                }
                format!("{} is written when others may know of it", name(field))
            }
            Breach::Guard(field) => match self.guards[field.index()].take() {
                Some(lock) => format!("{} is used without {}", name(field), name(lock)),
                None => format!("{} is used without a lock", name(field)),
            },
        };
        self.find_checks(program);
        message
    }

    /// Computes the locations at which something has to be checked.
    fn find_checks(&mut self, program: &Program) {
        let in_funs = program.funs.values().any(|fun| self.reads_assumed(&fun.body, false));
        let reads = |expr: &Expr| self.reads_assumed(expr, in_funs);
        let returns = |location: &ir::Location| match &location.kind {
            LocationKind::Plain => false,
            LocationKind::Resume { result, then, .. } => {
                location.atomic
                    || result
                        .as_ref()
                        .is_some_and(|place| self.writes(place) || place.operands().into_iter().any(reads))
                    || match then {
                        Jump::Goto(target) => {
                            program.locations[*target].atomic || program.locations[*target].fused
                        }
                        Jump::Return(value) => value.as_ref().is_some_and(reads),
                    }
            }
        };
        // A step that leads there goes on.
        let goes_on = |id: LocationId| program.locations[id].atomic || program.locations[id].fused;
        let some_return = program.locations.values().any(returns);
        let has_atomic = program.locations.values().any(|location| location.atomic);
        let mut checked: Vec<bool> = program
            .locations
            .values()
            .map(|location| {
                location.transitions.iter().any(|&id| {
                    let transition = &program.transitions[id];
                    matches!(&transition.guard, Guard::When(guard) if reads(guard))
                        || transition.body.iter().flat_map(|action| done_by(program, action)).any(|action| {
                            matches!(action.kind, ActionKind::Throw(_)) && has_atomic
                                // Who hands a message over stores it where the receiver wants it.
                                || matches!(action.kind, ActionKind::Send { .. }) && may_meet(program, &action.kind)
                                // What ends an object writes all of it.
                                || matches!(action.kind, ActionKind::Delete(_) | ActionKind::Kill(_))
                                || action.places().into_iter().any(|place| self.writes(place))
                                || action.operands().into_iter().any(reads)
                        })
                        || match &transition.exit {
                            Exit::Jump(Jump::Goto(_)) => false,
                            Exit::Jump(Jump::Return(value)) => {
                                some_return || value.as_ref().is_some_and(reads)
                            }
                            Exit::Call { callee, args, resume } => {
                                // A procedure that is called inside a step is a part of the step.
                                let mut entries =
                                    program.callees(*callee).map(|callee| program.procedures[callee].entry);
                                location.atomic
                                    || program.locations[*resume].atomic
                                    || entries.any(goes_on)
                                    || args.iter().any(reads)
                            }
                        }
                })
            })
            .collect();
        // A step that continues into an atomic block, or at a fused location, performs what is done there.
        let mut before = vec![Vec::new(); checked.len()];
        for transition in program.transitions.values() {
            if let Exit::Jump(Jump::Goto(target)) = transition.exit
                && goes_on(target)
            {
                before[target.index()].push(transition.source.index());
            }
        }
        let mut open: Vec<usize> = (0..checked.len()).filter(|&at| checked[at]).collect();
        while let Some(at) = open.pop() {
            open.extend(before[at].iter().filter(|&&from| !std::mem::replace(&mut checked[from], true)));
        }
        self.checked = checked;
    }

    fn reads_assumed(&self, expr: &Expr, in_funs: bool) -> bool {
        let mut found = false;
        expr.each(&mut |expr| match expr.kind {
            ExprKind::Field(_, field) => found |= self.guard(field).is_some(),
            // That may be any field.
            ExprKind::Load(_) => found |= self.guards.iter().any(Option::is_some),
            ExprKind::Call(..) | ExprKind::Quantified { .. } => found |= in_funs,
            _ => {}
        });
        found
    }

    fn writes(&self, place: &Place) -> bool {
        matches!(place.kind, PlaceKind::Field(_, field) if self.guard(field).is_some() || self.is_constant(field))
    }
}

/// An action, and what a thread that it starts does at once.
fn done_by<'p>(program: &'p Program, action: &'p Action) -> impl Iterator<Item = &'p Action> {
    let started = match action.kind {
        ActionKind::Start { procedure, .. } => Some(procedure),
        _ => None,
    };
    let prologue = started.into_iter().flat_map(|procedure| &program.procedures[procedure].prologue);
    std::iter::once(action).chain(prologue)
}

/// The fields that are assumed to be constant.
fn constant(program: &Program) -> Bits {
    let actions = || {
        let bodies = program.transitions.values().flat_map(|transition| {
            let procedure = program.locations[transition.source].procedure;
            transition.body.iter().map(move |action| (procedure, action))
        });
        let prologues = program
            .procedures
            .iter()
            .flat_map(|(procedure, of)| of.prologue.iter().map(move |action| (procedure, action)));
        bodies.chain(prologues)
    };
    let mut locals = FxHashSet::<(ProcedureId, LocalId)>::default();
    let mut globals = FxHashSet::<(ProcedureId, GlobalId)>::default();
    for (procedure, action) in actions() {
        match &action.kind {
            ActionKind::New(Place { kind: PlaceKind::Local(id), .. }, _) => {
                locals.insert((procedure, *id));
            }
            ActionKind::New(Place { kind: PlaceKind::Global(id), .. }, _) => {
                globals.insert((procedure, *id));
            }
            _ => {}
        }
    }
    let mut constant = Bits::default();
    program.fields.ids().for_each(|field| constant.insert(field.index()));
    let results = program.locations.values().filter_map(|location| match &location.kind {
        LocationKind::Resume { result: Some(place), .. } => Some((location.procedure, place)),
        _ => None,
    });
    let places = actions()
        .flat_map(|(procedure, action)| action.places().into_iter().map(move |place| (procedure, place)));
    for (procedure, place) in places.chain(results) {
        if let PlaceKind::Through(_) = place.kind {
            // That may be any field.
            return Bits::default();
        }
        let PlaceKind::Field(base, field) = &place.kind else { continue };
        let is_new = match base.kind {
            ExprKind::Local(id) => locals.contains(&(procedure, id)),
            ExprKind::Global(id) => globals.contains(&(procedure, id)),
            _ => false,
        };
        if !is_new {
            constant.remove(field.index());
        }
    }
    constant
}

/// The lock that may guard a field: the only one that its objects have. For a constant field a guard is only
/// useful if the field leads to other objects.
fn guard(program: &Program, constant: &Bits, field: FieldId) -> Option<FieldId> {
    let of = &program.fields[field];
    let is_lock = |id: FieldId| program.types[program.fields[id].ty] == Type::Lock;
    let succeeds = match program.types[of.ty] {
        Type::Record(_) | Type::Array(_) => true,
        ty => ty.is_collection(),
    };
    if is_lock(field) || constant.contains(field.index()) && !succeeds {
        return None;
    }
    let owner = &program.records[of.owner];
    let mut locks = owner.fields.iter().copied().filter(|&id| is_lock(id));
    let lock = locks.next().filter(|lock| constant.contains(lock.index()))?;
    locks.next().is_none().then_some(lock)
}

/// Whether a thread may notice the release of a lock other than by waiting for it.
///
/// A thread that is inside an atomic block and cannot take a lock lets other threads run; a thread at a lock
/// for which there is an alternative takes the alternative.
fn locks_are_sensed(program: &Program, observed: &Observed<'_>) -> bool {
    let mut sensed = false;
    let mut look = |expr: &Expr| {
        sensed |=
            matches!(expr.kind, ExprKind::LockAvailable(_) | ExprKind::HasLock(_) | ExprKind::WasNotified(_));
    };
    program.each_expr(&mut look);
    observed.all().for_each(|expr| expr.each(&mut look));
    let within = called_within_atomic_blocks(program);
    let sensing = sensing(program);
    sensed
        || program.locations.iter().any(|(id, location)| {
            let mut actions = location.transitions.iter().flat_map(|&id| &program.transitions[id].body);
            actions.any(|action| matches!(action.kind, ActionKind::Lock(_) | ActionKind::Unwait(_)))
                && (location.atomic || within.contains(location.procedure.index()) || sensing[id.index()])
        })
}

/// The procedures that are called inside steps.
fn called_within_atomic_blocks(program: &Program) -> Bits {
    let mut within = Bits::default();
    let mut calls = vec![Vec::new(); program.procedures.len()];
    let mut open = Vec::new();
    for transition in program.transitions.values() {
        let Exit::Call { callee, resume, .. } = &transition.exit else { continue };
        let source = &program.locations[transition.source];
        let callees = program.callees(*callee).map(Id::index);
        if source.atomic || program.locations[*resume].atomic {
            open.extend(callees);
        } else {
            calls[source.procedure.index()].extend(callees);
        }
    }
    while let Some(procedure) = open.pop() {
        if !within.contains(procedure) {
            within.insert(procedure);
            open.append(&mut calls[procedure]);
        }
    }
    within
}
