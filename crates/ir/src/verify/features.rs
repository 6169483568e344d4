//! The rules for the features of programs: observable ids of threads, channels, prologues, fused locations,
//! priorities, monitors. One function for each rule.

use super::{MAX_ARRAY_SIZE, MAX_CHANNEL_CAPACITY, MAX_MESSAGE_FIELDS, Verifier};
use crate::*;

impl Verifier<'_> {
    pub(super) fn features(&mut self) {
        self.arrays();
        self.observable_ids();
        self.unobservable_ids();
        self.untracked_variables();
        self.channel_numbers();
        self.functions();
        self.functions_and_questions();
        self.blocks();
        self.questions_about_steps();
        self.channels();
        self.prologues();
        self.conditions_and_claims();
        self.priorities();
        self.fused_locations();
        self.openings();
        self.monitor();
    }

    /// Where ids of threads are observable, nothing refers to threads by other means.
    fn observable_ids(&mut self) {
        let program = self.program;
        if !program.features.thread_ids_observable {
            return;
        }
        self.context = "program with observable ids of threads".into();
        let refers = |ty: Type| matches!(ty, Type::Tid | Type::Lock | Type::Abstract(_));
        let refers = program.types.iter().any(|(_, ty)| refers(ty));
        self.demand(!refers, "has types of threads, locks or elements of abstract enums");
    }

    /// Where ids of threads are not observable, nothing distinguishes threads of one procedure. Expressions
    /// and actions are checked where they occur.
    fn unobservable_ids(&mut self) {
        let program = self.program;
        if program.features.thread_ids_observable {
            return;
        }
        self.context = "program without observable ids of threads".into();
        self.demand(!program.features.remembers_last, "remembers the last thread");
        let untracked = program.globals.values().any(|global| global.untracked);
        self.demand(!untracked, "has untracked variables");
        self.demand(!program.has_exclusive_transitions(), "has exclusive transitions");
        let own = program.procedures.values().any(|procedure| !procedure.channels.is_empty());
        self.demand(!own, "has channels of threads");
        self.demand(!program.has_priorities(), "has priorities");
    }

    /// Untracked variables hold plain data, and do not occur together with collections: their values are kept
    /// apart from states.
    fn untracked_variables(&mut self) {
        let program = self.program;
        let plain =
            |ty: Option<Type>| ty.is_none_or(|ty| matches!(ty, Type::Bool | Type::Int(_) | Type::Enum(_)));
        let has_collections = program.has_collections();
        for global in program.globals.values().filter(|global| global.untracked) {
            self.context = format!("global {}", global.name);
            self.demand(plain(program.types.get(global.ty)), "is untracked, and no plain data");
            self.demand(!has_collections, "is untracked beside collections");
        }
    }

    /// Only in flat programs channels have numbers; in others, they are objects.
    fn channel_numbers(&mut self) {
        let program = self.program;
        if self.has_channel_numbers {
            return;
        }
        self.context = "program with objects, functions or atomic locations".into();
        let own = program.procedures.values().any(|procedure| !procedure.channels.is_empty());
        self.demand(!own, "has channels of threads");
        self.demand(program.first_channels.is_empty(), "has channels with numbers");
        self.demand(program.monitor.is_none(), "has a monitor");
    }

    /// Where there are functions, a thread may be in several procedures, so nothing reads the state of other
    /// threads.
    fn functions_and_questions(&mut self) {
        let program = self.program;
        if !program.has_functions() {
            return;
        }
        self.context = "program with functions".into();
        let claims = program.procedures.values().any(|procedure| !procedure.claims.is_empty());
        self.demand(!claims, "has functions and claims");
        let looks = |kind: &ExprKind| {
            matches!(
                kind,
                ExprKind::FirstThread(_)
                    | ExprKind::ThreadAt { .. }
                    | ExprKind::ThreadLocal { .. }
                    | ExprKind::ThreadEnabled(_)
                    | ExprKind::ThreadLocation(_)
            )
        };
        self.demand(!program.asks(looks), "has functions, and asks where threads are or what they can do");
    }

    /// Atomic locations and exclusive transitions are two ways to exclude other threads, and a program has
    /// one of them. There are no timeouts together with atomic locations.
    fn blocks(&mut self) {
        let program = self.program;
        if program.has_atomic_locations() {
            self.context = "program with atomic locations".into();
            self.demand(!program.has_exclusive_transitions(), "has exclusive transitions too");
            let has_timeouts = program.asks(|kind| *kind == ExprKind::Timeout);
            self.demand(!has_timeouts, "asks for timeouts");
        }
    }

    /// Whether another thread can step must be known without a dry run: where that is asked, no body chooses
    /// or waits.
    fn questions_about_steps(&mut self) {
        let program = self.program;
        if program.asks(|kind| matches!(kind, ExprKind::ThreadEnabled(_))) {
            self.context = "program".into();
            let tried_out = program.actions().any(|action| chooses_or_waits(&action.kind));
            self.demand(!tried_out, "asks whether threads can step, where bodies choose or wait");
        }
    }

    /// The channel of a message, or of a question about one.
    pub(super) fn channel_operand(&mut self, ty: Option<Type>) {
        let fits = match ty {
            Some(Type::Int(_)) => self.has_channel_numbers,
            Some(Type::Channel | Type::Null) => !self.has_channel_numbers,
            Some(_) => false,
            None => true,
        };
        self.demand(fits, "an operand is no channel");
    }

    /// What is put into a message, compared with a field of one, or stored from one.
    pub(super) fn message_field(&mut self, ty: Option<Type>) {
        let fits = ty.is_none_or(|ty| match ty {
            Type::Int(_) => true,
            ty => !self.has_channel_numbers && (is_field(ty) || ty == Type::Null),
        });
        self.demand(fits, "an operand is no field of a message");
    }

    /// Functions have none of the things that belong to threads.
    fn functions(&mut self) {
        for procedure in self.program.procedures.values() {
            if procedure.kind == ProcedureKind::Function {
                self.context = format!("procedure {}", procedure.name);
                let bare = procedure.channels.is_empty()
                    && procedure.prologue.is_empty()
                    && procedure.provided.is_none()
                    && procedure.claims.is_empty()
                    && procedure.priority == 1;
                self.demand(bare, "only threads have channels, prologues, conditions, claims and priorities");
            }
        }
    }

    /// Prologues of the program and of its threads.
    fn prologues(&mut self) {
        let program = self.program;
        for (id, procedure) in program.procedures.iter() {
            self.context = format!("prologue of {}", procedure.name);
            self.prologue(&procedure.prologue, Scope::Procedure(id));
        }
        self.context = "prologue".into();
        self.prologue(&program.prologue, Scope::Program);
    }

    /// The conditions under which threads can step, and the channels that they claim.
    fn conditions_and_claims(&mut self) {
        for (id, procedure) in self.program.procedures.iter() {
            self.context = format!("procedure {}", procedure.name);
            if let Some(provided) = &procedure.provided {
                self.boolean(provided, Scope::Procedure(id), "what it is provided");
            }
            for claim in &procedure.claims {
                let channel = self.expr(&claim.channel, Scope::Procedure(id));
                self.channel_operand(channel);
            }
        }
    }

    /// Priorities are not 0; those of starts are checked where they occur.
    fn priorities(&mut self) {
        for procedure in self.program.procedures.values() {
            self.context = format!("procedure {}", procedure.name);
            self.demand(procedure.priority > 0, "has no priority");
        }
    }

    /// Fused locations have transitions, and no thread starts at one.
    fn fused_locations(&mut self) {
        let program = self.program;
        for (id, location) in program.locations.iter() {
            self.context = format!("location {} ({id})", location.name);
            if location.fused {
                self.demand(location.kind == LocationKind::Plain, "a fused location is not plain");
                self.demand(!location.transitions.is_empty(), "a fused location has no transitions");
            }
        }
        for procedure in program.procedures.values() {
            self.context = format!("procedure {}", procedure.name);
            let fused = program.locations.get(procedure.entry).is_some_and(|entry| entry.fused);
            let is_thread = procedure.kind == ProcedureKind::Thread;
            self.demand(!(fused && is_thread), "its threads start at a fused location");
        }
    }

    /// Messages are sent and received by the first actions of transitions.
    fn openings(&mut self) {
        for (id, transition) in self.program.transitions.iter() {
            self.context = format!("{id}");
            self.opening(transition);
        }
    }

    fn arrays(&mut self) {
        let program = self.program;
        for global in program.globals.values() {
            self.context = format!("global {}", global.name);
            self.array(global);
        }
        for procedure in program.procedures.values() {
            self.context = format!("procedure {}", procedure.name);
            for (id, local) in procedure.locals.iter() {
                self.array(local);
                let scalar = local.dims.is_empty() || id.index() >= procedure.params;
                self.demand(scalar, format_args!("parameter {} is an array", local.name));
                self.demand(!local.untracked, format_args!("{} is untracked and no global", local.name));
            }
        }
    }

    fn array(&mut self, variable: &Variable) {
        let name = &variable.name;
        let size = variable.dims.iter().try_fold(1_u64, |size, &len| size.checked_mul(len.into()));
        let fits = size.is_some_and(|size| (1..MAX_ARRAY_SIZE as u64).contains(&size));
        self.demand(fits, format_args!("{name} has no elements, or more than {}", MAX_ARRAY_SIZE - 1));
        let ty = self.program.types.get(variable.ty);
        if !variable.dims.is_empty() {
            let plain =
                ty.is_none_or(|ty| matches!(ty, Type::Bool | Type::Int(_) | Type::Enum(_)) || is_field(ty));
            self.demand(plain, format_args!("{name} is an array of collections or strings"));
        }
        if variable.meaning != Meaning::Number {
            let integer = ty.is_none_or(|ty| matches!(ty, Type::Int(_)));
            self.demand(integer, format_args!("{name} is no integer, and means one"));
        }
        self.meaning(variable.meaning);
    }

    fn meaning(&mut self, meaning: Meaning) {
        if let Meaning::Symbol(id) = meaning {
            self.demand(self.program.enums.get(id).is_some(), format_args!("{id} does not exist"));
        }
    }

    fn channels(&mut self) {
        let program = self.program;
        for channel in program.channels.values() {
            self.context = format!("channel {}", channel.name);
            let fields = channel.fields.len();
            let fits = (1..=MAX_MESSAGE_FIELDS).contains(&fields);
            self.demand(fits, format_args!("messages have no field, or more than {MAX_MESSAGE_FIELDS}"));
            let fits = channel.capacity <= MAX_CHANNEL_CAPACITY;
            self.demand(fits, format_args!("its capacity is more than {MAX_CHANNEL_CAPACITY}"));
            for field in &channel.fields {
                let fits = match self.ty(field.ty) {
                    Some(Type::Int(int)) => int.wrap,
                    Some(ty) => is_field(ty) && !self.has_channel_numbers,
                    None => true,
                };
                self.demand(fits, "a field is no integer that wraps, and no reference");
                self.meaning(field.meaning);
            }
        }
        self.context = "first channels".into();
        self.channel_ids(&program.first_channels);
        for procedure in program.procedures.values() {
            self.context = format!("procedure {}", procedure.name);
            self.channel_ids(&procedure.channels);
        }
    }

    fn channel_ids(&mut self, ids: &[ChannelId]) {
        for (at, id) in ids.iter().enumerate() {
            self.demand(self.program.channels.get(*id).is_some(), format_args!("{id} does not exist"));
            self.demand(!ids[..at].contains(id), format_args!("{id} comes twice"));
        }
    }

    fn prologue(&mut self, actions: &[Action], scope: Scope) {
        for action in actions {
            let fits = matches!(action.kind, ActionKind::Assign(..) | ActionKind::New(..));
            self.demand(fits, "a prologue does something else than to assign and to make objects");
            self.action(action, scope);
        }
    }

    /// Where in a body messages may be sent or received.
    fn opening(&mut self, transition: &Transition) {
        let message =
            |action: &Action| matches!(action.kind, ActionKind::Send { .. } | ActionKind::Receive { .. });
        let open = matches!(transition.guard, Guard::Always | Guard::When(_));
        let body = &transition.body[usize::from(open).min(transition.body.len())..];
        self.demand(!body.iter().any(message), "a message is sent or received in the middle");
        let opens = transition.body.first().is_some_and(message);
        let fused = self.program.locations.get(transition.source).is_some_and(|source| source.fused);
        if opens || fused {
            let tried_out = transition.body.iter().any(|action| chooses_or_waits(&action.kind));
            self.demand(!tried_out, "chooses or waits after a message, or at a fused location");
        }
    }

    fn monitor(&mut self) {
        let Some(monitor) = &self.program.monitor else { return };
        self.context = "monitor".into();
        self.demand(!monitor.states.is_empty(), "has no states");
        let open = monitor.negated && monitor.states.last().is_some_and(|last| !last.events.is_empty());
        self.demand(!open, "is negated, and its last state has events");
        for event in monitor.states.iter().flat_map(|state| &state.events) {
            let exists = (event.target as usize) < monitor.states.len();
            self.demand(exists, format_args!("state {} does not exist", event.target));
            for expr in std::iter::once(&event.channel).chain(event.pattern.iter().flatten()) {
                self.integer(expr, Scope::Program);
                self.demand(!super::code::asks_thread(expr, &[]), "asks about the thread that evaluates it");
            }
        }
    }

    /// The location of a [`Guard::Ready`] of a transition from `source`.
    pub(super) fn ready(&mut self, location: LocationId, source: &Location) {
        self.plain(location, source.procedure, "fused location");
        let fused = self.program.locations.get(location).is_some_and(|location| location.fused);
        self.demand(fused, format_args!("{location} is not a fused location"));
        self.demand(!source.fused, "a fused location asks whether another is ready");
    }

    /// The requirements of an action beyond its operands.
    pub(super) fn needs_of_action(&mut self, kind: &ActionKind) {
        let observable = self.program.features.thread_ids_observable;
        if matches!(kind, ActionKind::SetPriority(..)) {
            self.demand(observable, "sets a priority, where ids of threads are not observable");
        }
        if let ActionKind::Start { priority: Some(0), .. } = kind {
            self.error("a thread starts without a priority");
        }
    }

    /// The requirements of an expression beyond its operands.
    pub(super) fn needs_of_expr(&mut self, kind: &ExprKind) {
        let Features { thread_ids_observable, remembers_last } = self.program.features;
        let fits = thread_ids_observable || !asks_thread_ids(kind);
        self.demand(fits, "asks for ids of threads, which are not observable");
        let remembered = !thread_ids_observable || remembers_last || *kind != ExprKind::LastThread;
        self.demand(remembered, "asks for the last thread, which is not remembered");
    }

    /// Whether a variable is named without the indices that it needs.
    pub(super) fn is_array(&self, array: Array, scope: Scope) -> bool {
        let variable = match (array, scope) {
            (Array::Global(id), _) => self.program.globals.get(id),
            (Array::Local(id), Scope::Procedure(procedure)) => {
                self.program.procedures.get(procedure).and_then(|procedure| procedure.locals.get(id))
            }
            (Array::Local(_), Scope::Program | Scope::Fun(_)) => None,
        };
        variable.is_some_and(|variable| !variable.dims.is_empty())
    }
}

/// Whether values of a type other than integers can be fields of messages: those that refer to entities.
fn is_field(ty: Type) -> bool {
    ty.is_reference() || matches!(ty, Type::Tid | Type::Abstract(_))
}

/// Whether an expression distinguishes threads, or considers all of them.
fn asks_thread_ids(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::ThreadNumber
            | ExprKind::ThreadCount
            | ExprKind::LastThread
            | ExprKind::IsYoungest
            | ExprKind::Timeout
            | ExprKind::FirstThread(_)
            | ExprKind::ThreadAt { .. }
            | ExprKind::ThreadLocal { .. }
            | ExprKind::ThreadEnabled(_)
            | ExprKind::ThreadLocation(_)
            | ExprKind::ThreadPriority(_)
    )
}

/// Whether an action has several outcomes, or may have to wait, other than for a message.
fn chooses_or_waits(kind: &ActionKind) -> bool {
    matches!(
        kind,
        ActionKind::Assume(_)
            | ActionKind::Lock(_)
            | ActionKind::Unwait(_)
            | ActionKind::Notify(_)
            | ActionKind::Choose(..)
    )
}
