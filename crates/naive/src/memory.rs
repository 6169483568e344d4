//! Explicit memory: objects that are deleted, and objects that are lost.

use ir::{Expr, Id, Leaks, Memory, TransitionId};
use source::Span;
use system::{FaultKind, Step};

use crate::fault::Stop;
use crate::machine::Machine;
use crate::state::{History, Occurrence, Untracked};
use crate::{ChannelView, Datum, MemoryFault, Naive, NaiveFault, Object, ObjectKind, State, Thread, Value};

/// More objects that a step has lost are only counted.
const MOST_LOST: usize = 8;

impl Machine<'_> {
    /// Something that the thread does now.
    pub fn occurrence(&self, span: Span) -> Occurrence {
        let thread = self.naive.thread_name(&self.state, self.thread);
        Occurrence { span, step: self.state.serials.0.steps + 1, thread }
    }

    /// Deletes the object that the value of `operand` refers to.
    pub fn delete(&mut self, operand: &Expr, span: Span) -> Result<(), Stop> {
        let (id, leaf) = match self.eval(operand)? {
            Value::Ref(id) => (id, 0),
            Value::Pointer(id, leaf) => (id, leaf),
            _ => return Err(self.evaluator().null(operand, span)),
        };
        let naive = self.naive;
        let name = naive.object_name(&self.state, id);
        let bad = |message: String| {
            let fault = NaiveFault::new(FaultKind::BadDelete, span, message);
            Err(naive.memory_fault(&self.state, id, fault))
        };
        if leaf > 0 {
            let place = naive.leaf_name(&self.state, id, leaf);
            return bad(format!("`{}` leads into {name}, to `{place}`", self.evaluator().text(operand)));
        }
        match &self.state.objects[&id].kind {
            ObjectKind::Tombstone { out_of_scope: false, .. } => {
                let fault =
                    NaiveFault::new(FaultKind::DoubleDelete, span, format!("{name} was deleted before"));
                return Err(naive.memory_fault(&self.state, id, fault));
            }
            ObjectKind::Tombstone { out_of_scope: true, .. } => {
                return bad(format!("{name} was a variable, whose scope was left"));
            }
            ObjectKind::Record(record, _) | ObjectKind::Block(record, _)
                if self.program().records[*record].scoped =>
            {
                return bad(format!("{name} is a variable"));
            }
            ObjectKind::Lock { owner: Some(owner), .. } => {
                return bad(format!("{name} is held by {}", naive.thread_name(&self.state, *owner)));
            }
            ObjectKind::Lock { owner: None, .. } => {
                let waits = |thread: &Thread| thread.waiting.is_some_and(|waiting| waiting.lock == id);
                if let Some((&thread, _)) = self.state.threads.iter().find(|(_, thread)| waits(thread)) {
                    return bad(format!("{} waits for {name}", naive.thread_name(&self.state, thread)));
                }
            }
            ObjectKind::Channel(channel) if self.program().channels[channel.declared].scoped => {
                return bad(format!("{name} was declared, and not made by `new`"));
            }
            ObjectKind::Record(..)
            | ObjectKind::Block(..)
            | ObjectKind::Array(..)
            | ObjectKind::Channel(_) => {}
        }
        if let Memory::Explicit(_) = self.program().memory {
            self.end_object(id, false, span);
        }
        Ok(())
    }

    /// Ends the object of a variable whose scope is left.
    pub fn kill(&mut self, operand: &Expr, span: Span) -> Result<(), Stop> {
        if let Value::Ref(id) | Value::Pointer(id, _) = self.eval(operand)?
            && !matches!(self.state.objects[&id].kind, ObjectKind::Tombstone { .. })
        {
            self.end_object(id, true, span);
        }
        Ok(())
    }

    fn end_object(&mut self, id: u32, out_of_scope: bool, span: Span) {
        let ended = Some(self.occurrence(span));
        let object = self.state.objects.get_mut(&id).expect("references are to objects");
        object.kind = object.kind.ended(out_of_scope);
        object.history.0.ended = ended;
    }

    /// The history of an object that is made now.
    pub fn history(&self, span: Span) -> Untracked<History> {
        Untracked(History { made: self.occurrence(span), ended: None })
    }
}

impl Naive<'_> {
    /// A fault that is about an object of the state.
    pub(crate) fn memory_fault(&self, state: &State, id: u32, mut fault: NaiveFault) -> Stop {
        fault.memory.push(self.about(state, id, &state.objects[&id]));
        Stop::Fault(fault)
    }

    /// What there is to say about an object that is, or was, in the state.
    fn about(&self, state: &State, id: u32, object: &Object) -> MemoryFault {
        let name = self.object_name(state, id);
        let ended = matches!(object.kind, ObjectKind::Tombstone { .. });
        let view = self.view(state);
        let refers = |value: &Datum| match value {
            Datum::Object(other) | Datum::Channel(other) | Datum::Pointer { object: other, .. } => {
                *other == name
            }
            _ => false,
        };
        let places = view.places().into_iter().filter(|(_, value)| refers(value)).map(|(place, _)| place);
        let mentions =
            |channel: &&ChannelView| channel.messages.iter().any(|message| message.fields.iter().any(refers));
        let channels = view.channels.iter().filter(mentions);
        let messages = channels.map(|channel| format!("a message in {}", channel.name));
        MemoryFault {
            referrers: places.chain(messages).collect(),
            contents: (!ended).then(|| self.contents(state, object)),
            history: object.history.0.clone(),
            object: name,
        }
    }

    /// The leak of a step that led from `before` to `whole`, which became `after` without its garbage.
    pub(crate) fn leak(
        &self,
        step: Step,
        whole: &State,
        after: &State,
        lost: impl Iterator<Item = u32>,
    ) -> Option<NaiveFault> {
        let leaks = self.program.memory.leaks();
        if leaks == Leaks::Off {
            return None;
        }
        let is_leak = |id: &u32| match &whole.objects[id].kind {
            ObjectKind::Record(record, _) | ObjectKind::Block(record, _) => {
                !self.program.records[*record].scoped
            }
            ObjectKind::Channel(channel) => !self.program.channels[channel.declared].scoped,
            ObjectKind::Lock { .. } | ObjectKind::Array(..) => true,
            ObjectKind::Tombstone { .. } => false,
        };
        let mut lost: Vec<u32> = lost.filter(is_leak).collect();
        let is_over = after.threads.values().all(Thread::ended);
        let ending = leaks == Leaks::End && lost.is_empty() && is_over;
        if ending {
            lost = after.objects.keys().copied().filter(is_leak).collect();
        }
        let (&first, others) = lost.split_first()?;
        let name = self.object_name(whole, first);
        let others = match others.len() {
            0 => String::new(),
            1 => " and 1 other object".to_owned(),
            more => format!(" and {more} other objects"),
        };
        let message = if ending {
            format!("all threads have ended, and {name}{others} was not deleted")
        } else {
            format!("nothing leads to {name}{others} any more, which was not deleted")
        };
        let span = self.program.transitions[TransitionId::from_index(step.transition as usize)].span;
        let mut fault = NaiveFault::new(FaultKind::Leak, span, message);
        let about = lost.iter().take(MOST_LOST).map(|&id| self.about(whole, id, &whole.objects[&id]));
        fault.memory = about.collect();
        Some(fault)
    }
}
