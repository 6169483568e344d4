//! The features of a program: those that it declares, and those that follow from its parts.

use std::collections::BTreeSet;

use crate::{
    ActionKind, Channel, ChannelField, ChannelId, Expr, ExprKind, Memory, New, Pattern, ProcedureKind,
    Program, RecordId, Type,
};

/// The features that a program declares, since nothing else shows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Threads have numbers that the program can observe. A thread that ends is gone at once, and threads end
    /// youngest first. See the crate's documentation.
    pub thread_ids_observable: bool,
    /// The thread that took the last step is part of the state, whether the program reads it or not.
    pub remembers_last: bool,
}

impl Program {
    /// Whether there can be objects: records, arrays, locks, or channels to which variables refer.
    pub fn has_objects(&self) -> bool {
        !self.records.is_empty() || self.types.iter().any(|(_, ty)| ty.is_reference())
    }

    /// The records of which there can be blocks, in order.
    pub fn blocks(&self) -> Vec<RecordId> {
        let made = self.actions().filter_map(|action| match action.kind {
            ActionKind::New(_, New::Block { record, .. }) => Some(record),
            _ => None,
        });
        made.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether it deletes objects.
    pub fn deletes(&self) -> bool {
        self.actions().any(|action| matches!(action.kind, ActionKind::Delete(_)))
    }

    /// Whether something can be left of objects that have ended: some are deleted explicitly, or end with
    /// their scope.
    pub fn has_tombstones(&self) -> bool {
        self.actions().any(|action| match action.kind {
            ActionKind::Delete(_) => matches!(self.memory, Memory::Explicit(_)),
            ActionKind::Kill(_) => true,
            _ => false,
        })
    }

    /// Whether any value is a collection.
    pub fn has_collections(&self) -> bool {
        let is_collection =
            |ty| matches!(ty, Type::Set(_) | Type::Bag(_) | Type::Map(..) | Type::Seq(_) | Type::Queue(_));
        self.types.iter().any(|(_, ty)| is_collection(ty))
    }

    /// Whether threads may call functions, and so have more than one frame.
    pub fn has_functions(&self) -> bool {
        self.procedures.values().any(|procedure| procedure.kind == ProcedureKind::Function)
    }

    /// Whether some location is atomic.
    pub fn has_atomic_locations(&self) -> bool {
        self.locations.values().any(|location| location.atomic)
    }

    /// Whether some location is fused.
    pub fn has_fused_locations(&self) -> bool {
        self.locations.values().any(|location| location.fused)
    }

    /// Whether some transition makes its thread exclusive.
    pub fn has_exclusive_transitions(&self) -> bool {
        self.transitions.values().any(|transition| transition.exclusive)
    }

    /// Whether priorities matter: some are set or read, or not all are the same from the start.
    pub fn has_priorities(&self) -> bool {
        self.procedures.values().any(|procedure| procedure.priority != 1)
            || self.actions().any(|action| match action.kind {
                ActionKind::SetPriority(..) => true,
                ActionKind::Start { priority, .. } => priority.is_some_and(|priority| priority != 1),
                _ => false,
            })
            || self.asks(|kind| matches!(kind, ExprKind::ThreadPriority(_)))
    }

    /// Whether some procedure has a condition under which its threads can step.
    pub fn has_conditions(&self) -> bool {
        self.procedures.values().any(|procedure| procedure.provided.is_some())
    }

    /// Whether messages of a channel have fields other than integers, which refer to entities.
    pub fn carries_references(&self, channel: &Channel) -> bool {
        let is_integer = |field: &ChannelField| matches!(self.types.get(field.ty), Some(Type::Int(_)) | None);
        !channel.fields.iter().all(is_integer)
    }

    /// Whether a message of these values can be sent to a channel: it has as many fields, of types that admit them.
    pub fn fits_message(&self, channel: ChannelId, message: &[Expr]) -> bool {
        let fields = &self.channels[channel].fields;
        let fits =
            |(field, value): (&ChannelField, &Expr)| self.admits(self.types[field.ty], self.types[value.ty]);
        fields.len() == message.len() && fields.iter().zip(message).all(fits)
    }

    /// Whether messages of a channel can be received by a pattern: there is a field for each, whose place admits
    /// it, or whose value can be compared with it. Messages that are kept may have more fields.
    pub fn fits_pattern(&self, channel: ChannelId, pattern: &[Pattern], keep: bool) -> bool {
        let fields = &self.channels[channel].fields;
        let fits = |(field, wanted): (&ChannelField, &Pattern)| match wanted {
            Pattern::Store(place) => self.admits(self.types[place.ty], self.types[field.ty]),
            Pattern::Match(value) => self.is_comparable(field, value),
            Pattern::Any => true,
        };
        let has_fields = if keep { pattern.len() <= fields.len() } else { pattern.len() == fields.len() };
        has_fields && fields.iter().zip(pattern).all(fits)
    }

    /// Whether messages of a channel can be asked for these values.
    pub fn fits_question(&self, channel: ChannelId, pattern: &[Option<Expr>]) -> bool {
        let fields = &self.channels[channel].fields;
        let fits = |(field, wanted): (&ChannelField, &Option<Expr>)| {
            wanted.as_ref().is_none_or(|wanted| self.is_comparable(field, wanted))
        };
        pattern.len() <= fields.len() && fields.iter().zip(pattern).all(fits)
    }

    fn is_comparable(&self, field: &ChannelField, value: &Expr) -> bool {
        let (field, value) = (self.types[field.ty], self.types[value.ty]);
        self.admits(field, value) || self.admits(value, field)
    }

    /// Whether everything that steps depend on has a fixed place: threads have one frame each and observable
    /// ids, and there are no objects, collections or atomic locations. Then channels have numbers; in all other
    /// programs they are objects.
    pub fn is_flat(&self) -> bool {
        self.features.thread_ids_observable
            && !self.has_objects()
            && !self.has_collections()
            && !self.has_functions()
            && !self.has_atomic_locations()
    }

    /// Whether a program that is not [flat](Program::is_flat) has something that otherwise only Promela has:
    /// channels, fused locations, ranks, conditions.
    pub fn is_mixed(&self) -> bool {
        let has_ranks = || self.transitions.values().any(|transition| transition.rank != 0);
        let has_checks = || self.actions().any(|action| matches!(action.kind, ActionKind::Check(_)));
        let has_prologues = || {
            !self.prologue.is_empty()
                || self.procedures.values().any(|procedure| !procedure.prologue.is_empty())
        };
        !self.is_flat()
            && (self.features.thread_ids_observable
                || !self.channels.is_empty()
                || self.has_fused_locations()
                || self.has_conditions()
                || self.has_priorities()
                || has_ranks()
                || has_checks()
                || has_prologues())
    }

    /// Whether some expression satisfies `is`.
    pub fn asks(&self, is: impl Fn(&ExprKind) -> bool) -> bool {
        let mut found = false;
        self.each_expr(&mut |expr| found |= is(&expr.kind));
        found
    }
}
