//! How programs use their heap, as far as it is assumed, and checked in every state.
//!
//! - A field is *constant* if it is written only in the step that makes its object, or while there is no
//!   other thread.
//! - A field is *guarded* by a lock that its object has, in a constant field, if whoever reads or writes it
//!   held that lock before the step, unless his step made the object, or there is no other thread.
//!
//! Which fields may be is guessed from the program: constant are those that are written to variables only
//! that are given new objects nearby, guarded are those of records with one lock. Whether it is so is looked
//! at in every state that the search comes to, for all steps that threads try, whether they are enabled or
//! not. After a [breach](Breach) the search is worth nothing, and starts again without what was assumed.
//!
//! *The search notices every breach.* Take the shortest path, among those from any state that the search
//! comes to, to a state where some thread `q` tries what it must not. Nothing on the way is a breach, so what
//! is ample commutes as assumed. If the path begins at a state where all steps are offered, the path from the
//! next state is shorter. Otherwise the steps of some thread `p` are ample. If `p` moves on the path, that
//! step can be put first, and the rest of the path is shorter, or breaches sooner. If not, and `q` is `p`, it
//! tries the same at the beginning of the path already. If it is another one, an ample step of `p` leads to a
//! state from which there is the same path, as long as it was, and `q` tries the same at its end: `p` can't
//! have given it a lock, `p` is still there, and no object is made by a step that it was not made by before.
//! This goes on until all steps are offered, since no cycle has ample steps only. ∎
//!
//! That is why it does not count who else can reach the object: a thread that forgets it must not make
//! another one's breach go away.

use ir::{
    ActionKind, Exit, Expr, ExprKind, FieldId, GlobalId, Guard, Id, Jump, LocalId, LocationId, LocationKind,
    Place, PlaceKind, ProcedureId, Program, Type,
};
use rustc_hash::FxHashSet;

use crate::analysis::Observed;
use crate::bits::Bits;
use crate::footprint::sensing;

/// What is assumed.
#[derive(Clone, Debug)]
pub struct Discipline {
    /// The fields that are constant.
    constant: Bits,
    /// By field: the field with the lock that guards it.
    guards: Vec<Option<FieldId>>,
    /// By location: whether steps from there may touch fields about which something is assumed.
    looks: Vec<bool>,
    /// Nobody can tell that somebody else has released a lock but by taking it.
    pub releases: bool,
    pub in_states: Seen,
    pub in_runs: Seen,
}

/// What is not as it was assumed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Breach {
    /// This field is written when others may know of it.
    Constant(FieldId),
    /// This field is used without its lock.
    Guard(FieldId),
}

/// What properties see of objects.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    fields: Bits,
    pub elements: bool,
    /// They see what variables of threads lead to, beside what globals lead to.
    pub frames: bool,
}

impl Seen {
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
                ExprKind::Index(..) => seen.elements = true,
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
            looks: Vec::new(),
            releases: !locks_are_sensed(program, observed),
            in_states: Seen::new(program, &observed.in_states),
            in_runs: Seen::new(program, &observed.in_runs),
        };
        discipline.look(program);
        discipline
    }

    pub fn is_constant(&self, field: FieldId) -> bool {
        self.constant.contains(field.index())
    }

    pub fn guard(&self, field: FieldId) -> Option<FieldId> {
        self.guards[field.index()]
    }

    pub fn looks(&self, location: LocationId) -> bool {
        self.looks[location.index()]
    }

    /// Assumes that no more. Tells what.
    pub fn forget(&mut self, program: &Program, breach: Breach) -> String {
        let name = |field: FieldId| {
            let field = &program.fields[field];
            format!("{}.{}", program.records[field.owner].name, field.name)
        };
        let told = match breach {
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
        self.look(program);
        told
    }

    /// Finds out where something has to be checked.
    fn look(&mut self, program: &Program) {
        let in_funs = program.funs.values().any(|fun| self.looks_at(&fun.body, false));
        let reads = |expr: &Expr| self.looks_at(expr, in_funs);
        let returns = |location: &ir::Location| match &location.kind {
            LocationKind::Plain => false,
            LocationKind::Resume { result, then, .. } => {
                location.atomic
                    || result
                        .as_ref()
                        .is_some_and(|place| self.writes(place) || place.operands().into_iter().any(reads))
                    || match then {
                        Jump::Goto(target) => program.locations[*target].atomic,
                        Jump::Return(value) => value.as_ref().is_some_and(reads),
                    }
            }
        };
        let some_return = program.locations.values().any(returns);
        let has_atomic = program.locations.values().any(|location| location.atomic);
        let mut looks: Vec<bool> = program
            .locations
            .values()
            .map(|location| {
                location.transitions.iter().any(|&id| {
                    let transition = &program.transitions[id];
                    matches!(&transition.guard, Guard::When(guard) if reads(guard))
                        || transition.body.iter().any(|action| {
                            matches!(action.kind, ActionKind::Throw(_)) && has_atomic
                                || written(&action.kind).is_some_and(|place| self.writes(place))
                                || action.operands().into_iter().any(reads)
                        })
                        || match &transition.exit {
                            Exit::Jump(Jump::Goto(_)) => false,
                            Exit::Jump(Jump::Return(value)) => {
                                some_return || value.as_ref().is_some_and(reads)
                            }
                            Exit::Call { callee, args, resume } => {
                                // What is called in the middle of a step is a part of it.
                                let mut entries =
                                    program.callees(*callee).map(|callee| program.procedures[callee].entry);
                                location.atomic
                                    || program.locations[*resume].atomic
                                    || entries.any(|entry| program.locations[entry].atomic)
                                    || args.iter().any(reads)
                            }
                        }
                })
            })
            .collect();
        // A step that goes on into an atomic block does what is done there.
        let mut before = vec![Vec::new(); looks.len()];
        for transition in program.transitions.values() {
            if let Exit::Jump(Jump::Goto(target)) = transition.exit
                && program.locations[target].atomic
            {
                before[target.index()].push(transition.source.index());
            }
        }
        let mut open: Vec<usize> = (0..looks.len()).filter(|&at| looks[at]).collect();
        while let Some(at) = open.pop() {
            open.extend(before[at].iter().filter(|&&from| !std::mem::replace(&mut looks[from], true)));
        }
        self.looks = looks;
    }

    fn looks_at(&self, expr: &Expr, in_funs: bool) -> bool {
        let mut found = false;
        expr.each(&mut |expr| match expr.kind {
            ExprKind::Field(_, field) => found |= self.guard(field).is_some(),
            ExprKind::Call(..) | ExprKind::Quantified { .. } => found |= in_funs,
            _ => {}
        });
        found
    }

    fn writes(&self, place: &Place) -> bool {
        matches!(place.kind, PlaceKind::Field(_, field) if self.guard(field).is_some() || self.is_constant(field))
    }
}

/// Where an action stores something.
fn written(action: &ActionKind) -> Option<&Place> {
    match action {
        ActionKind::Assign(place, _) | ActionKind::New(place, _) | ActionKind::Choose(place, _) => {
            Some(place)
        }
        ActionKind::Start { result, .. } => result.as_ref(),
        _ => None,
    }
}

/// The fields that look constant.
fn constant(program: &Program) -> Bits {
    let actions = || {
        program.transitions.values().flat_map(|transition| {
            let procedure = program.locations[transition.source].procedure;
            transition.body.iter().map(move |action| (procedure, &action.kind))
        })
    };
    let mut locals = FxHashSet::<(ProcedureId, LocalId)>::default();
    let mut globals = FxHashSet::<(ProcedureId, GlobalId)>::default();
    for (procedure, action) in actions() {
        match action {
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
    let places = actions().filter_map(|(procedure, action)| Some((procedure, written(action)?)));
    for (procedure, place) in places.chain(results) {
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

/// The lock that may guard a field: the only one that its objects have. Fields that are constant anyway are
/// worth it if they lead to other objects.
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

/// Whether somebody may notice that a lock is released, other than by waiting for it.
///
/// A thread that is in the middle of an atomic block and can't get a lock lets others in; one that comes to a
/// lock where there is an alternative takes that.
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

/// The procedures that are called in the middle of steps.
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
