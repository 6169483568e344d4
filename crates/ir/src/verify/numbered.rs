//! What only numbered programs have, and what they have not.

use super::{MAX_ARRAY_SIZE, MAX_CHANNEL_CAPACITY, MAX_MESSAGE_FIELDS, Verifier};
use crate::*;

impl Verifier<'_> {
    pub(super) fn numbered(&mut self) {
        let program = self.program;
        self.arrays();
        if !program.numbered {
            self.not_numbered();
            return;
        }
        self.context = "numbered program".into();
        let plain = |ty: Type| matches!(ty, Type::Bool | Type::Int(_) | Type::Enum(_));
        self.demand(
            program.types.iter().all(|(_, ty)| plain(ty)),
            "has other types than integers, booleans and enums",
        );
        self.demand(program.records.is_empty(), "has records");
        self.demand(program.virtuals.is_empty(), "has virtual tables");
        for (id, location) in program.locations.iter() {
            self.context = format!("location {} ({id})", location.name);
            self.demand(!location.atomic, "an atomic location in a numbered program");
            if location.inner {
                self.demand(location.kind == LocationKind::Plain, "an inner location is not plain");
                self.demand(!location.transitions.is_empty(), "an inner location has no transitions");
            }
        }
        for (id, procedure) in program.procedures.iter() {
            self.context = format!("procedure {}", procedure.name);
            self.demand(procedure.kind == ProcedureKind::Thread, "a function in a numbered program");
            self.demand(procedure.catches.is_empty(), "catches in a numbered program");
            self.demand(procedure.priority > 0, "has no priority");
            let inner = program.locations.get(procedure.entry).is_some_and(|entry| entry.inner);
            self.demand(!inner, "its entry is an inner location");
            self.channel_ids(&procedure.channels);
            self.prologue(&procedure.prologue, Scope::Procedure(id));
            if let Some(provided) = &procedure.provided {
                self.boolean(provided, Scope::Procedure(id), "what it is provided");
            }
            for claim in &procedure.claims {
                self.integer(&claim.channel, Scope::Procedure(id));
            }
        }
        for (id, transition) in program.transitions.iter() {
            self.context = format!("{id}");
            self.opening(transition);
        }
        self.channels();
        self.context = "prologue".into();
        self.prologue(&program.prologue, Scope::Program);
        if let Some(monitor) = &program.monitor {
            self.monitor(monitor);
        }
    }

    /// Nothing of numbered programs in another one; expressions and actions are checked where they stand.
    fn not_numbered(&mut self) {
        let program = self.program;
        self.context = "program".into();
        let bare = program.channels.is_empty()
            && program.first_channels.is_empty()
            && program.prologue.is_empty()
            && program.monitor.is_none();
        self.demand(bare, "only numbered programs have channels, prologues and monitors");
        let transparent = program.globals.values().any(|global| global.transparent);
        self.demand(!transparent, "only numbered programs have transparent variables");
        for procedure in program.procedures.values() {
            self.context = format!("procedure {}", procedure.name);
            let bare = procedure.channels.is_empty()
                && procedure.prologue.is_empty()
                && procedure.provided.is_none()
                && procedure.claims.is_empty()
                && procedure.priority == 1;
            self.demand(
                bare,
                "only threads of numbered programs have channels, prologues, conditions, claims and priorities",
            );
        }
        for location in program.locations.values() {
            self.context = format!("location {}", location.name);
            let bare = !location.inner && location.number == 0;
            self.demand(bare, "only numbered programs have inner locations and numbers of locations");
        }
        for (id, transition) in program.transitions.iter() {
            self.context = format!("{id}");
            let bare = transition.rank == 0 && !transition.exclusive && transition.number == 0;
            self.demand(
                bare,
                "only transitions of numbered programs have ranks and numbers or are exclusive",
            );
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
                self.demand(!local.transparent, format_args!("{} is transparent and no global", local.name));
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
            let plain = ty.is_none_or(|ty| matches!(ty, Type::Bool | Type::Int(_) | Type::Enum(_)));
            self.demand(plain, format_args!("{name} is an array of what has names"));
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
                let wraps = matches!(self.ty(field.ty), Some(Type::Int(int)) if int.wrap);
                self.demand(wraps, "a field is no integer that wraps");
                self.meaning(field.meaning);
            }
        }
        self.context = "first channels".into();
        self.channel_ids(&program.first_channels);
    }

    fn channel_ids(&mut self, ids: &[ChannelId]) {
        for (at, id) in ids.iter().enumerate() {
            self.demand(self.program.channels.get(*id).is_some(), format_args!("{id} does not exist"));
            self.demand(!ids[..at].contains(id), format_args!("{id} comes twice"));
        }
    }

    fn prologue(&mut self, actions: &[Action], scope: Scope) {
        for action in actions {
            let assigns = matches!(action.kind, ActionKind::Assign(..));
            self.demand(assigns, "a prologue does something else than to assign");
            self.action(action, scope);
        }
    }

    /// Where a body may have messages.
    fn opening(&mut self, transition: &Transition) {
        let message =
            |action: &Action| matches!(action.kind, ActionKind::Send { .. } | ActionKind::Receive { .. });
        let open = matches!(transition.guard, Guard::Always | Guard::When(_));
        let body = &transition.body[usize::from(open).min(transition.body.len())..];
        self.demand(!body.iter().any(message), "a message is sent or received in the middle");
        let assumes = transition.body.iter().any(|action| matches!(action.kind, ActionKind::Assume(_)));
        self.demand(!assumes, "a numbered program assumes something");
    }

    fn monitor(&mut self, monitor: &Monitor) {
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
        self.plain(location, source.procedure, "inner location");
        let inner = self.program.locations.get(location).is_some_and(|location| location.inner);
        self.demand(inner, format_args!("{location} is no inner location"));
        self.demand(!source.inner, "an inner location asks whether another is ready");
    }

    /// An action that only numbered programs have.
    pub(super) fn only_numbered(&mut self, kind: &ActionKind) {
        let numbered = matches!(
            kind,
            ActionKind::Check(_)
                | ActionKind::Send { .. }
                | ActionKind::Receive { .. }
                | ActionKind::SetPriority(..)
                | ActionKind::Print { .. }
                | ActionKind::Start { priority: Some(_), .. }
        );
        let fits = self.program.numbered || !numbered;
        self.demand(fits, "only numbered programs have channels, priorities and checks");
        if let ActionKind::Start { priority: Some(0), .. } = kind {
            self.error("a thread starts without a priority");
        }
    }

    /// An expression that only numbered programs have.
    pub(super) fn asks_numbers(kind: &ExprKind) -> bool {
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
                | ExprKind::Channel(_)
                | ExprKind::ChannelLength(_)
                | ExprKind::ChannelFull(_)
                | ExprKind::ChannelHas { .. }
        )
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
