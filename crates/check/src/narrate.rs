//! What steps of programs with channels say: which messages they send and receive, who takes them, what they print.
//!
//! The states before and after a step do not tell what went through a channel without capacity, nor what came and
//! went in the middle of a step. A [`Narrator`] runs a step once more, on a copy of the program that is cut finer: inner
//! locations are locations like others there, and one transition more assigns to one variable more whatever
//! expression somebody wants to know the value of. All of this is for words: what a step does is up to the program
//! itself, and where the copy cannot follow, there are fewer words.

use std::collections::BTreeMap;

use ir::{
    Action, ActionKind, Array, Exit, Expr, ExprKind, GlobalId, Guard, IntType, Jump, Location, LocationId,
    Meaning, Pattern, Place, PlaceKind, Program, Transition, TransitionId, Type, TypeId, Variable,
};
use naive::{Naive, State, Value};
use source::Span;
use system::Step;

use crate::printf;
use crate::trace::{Direction, Message};

/// In the middle of one step.
const MOST_PARTS: usize = 10_000;

/// What one step says.
#[derive(Clone, Debug, Default)]
pub struct Told {
    pub messages: Vec<Message>,
    /// Of a rendezvous: who receives, and by which transition.
    pub partner: Option<(u32, TransitionId)>,
    pub printed: String,
}

/// Follows a run, step by step.
pub struct Narrator<'m> {
    /// The interpreter of the program as it is.
    naive: Naive<'m>,
    finer: Program,
    variable: GlobalId,
    ty: TypeId,
    location: LocationId,
    transition: TransitionId,
    /// The messages in each channel, as the channels have them: their numbers, and who sent them.
    under_way: BTreeMap<u32, Vec<(u64, String)>>,
    sent: u64,
}

impl<'m> Narrator<'m> {
    /// Nobody, for programs whose steps say nothing.
    pub fn of(naive: Naive<'m>) -> Option<Self> {
        naive.program.features.thread_ids_observable.then(|| Self::new(naive))
    }

    fn new(naive: Naive<'m>) -> Self {
        let mut finer = naive.program.clone();
        for id in finer.locations.ids() {
            if std::mem::take(&mut finer.locations[id].fused) {
                for transition in finer.locations[id].transitions.clone() {
                    finer.transitions[transition].rank = 0;
                }
            }
        }
        let span = Span::default();
        let ty = finer.types.intern(Type::Int(IntType::LONG));
        let variable = finer.globals.push(Variable::new("", ty, None, span));
        let location = finer.locations.push(Location::new("", ir::ProcedureId(0), span));
        let exit = Exit::Jump(Jump::Goto(location));
        let transition =
            finer.transitions.push(Transition::new(location, Guard::Always, Vec::new(), exit, span));
        finer.locations[location].transitions.push(transition);
        Self { naive, finer, variable, ty, location, transition, under_way: BTreeMap::new(), sent: 0 }
    }

    /// What a step says that is taken in this state. To be asked about each step of a run, one after the other:
    /// messages are numbered.
    pub fn tell(&mut self, state: &State, step: Step) -> Told {
        let mut told = Told::default();
        let mut current = widened(state);
        let Some(mut next) = self.part(&current, step, &mut told) else { return told };
        let movers = std::iter::once(step.thread).chain(told.partner.map(|(thread, _)| thread));
        for mover in movers {
            for _ in 0..MOST_PARTS {
                if !self.is_inside(&next, mover) {
                    break;
                }
                current = next;
                current.exclusive = Some(mover);
                let steps = self.finer().steps(&current).0;
                let mut own = steps.into_iter().filter(|step| step.thread == mover);
                // Nobody meets in the middle of a step.
                let Some(step) = own.find(|&step| self.meeting(&current, step).is_none()) else {
                    return told;
                };
                match self.part(&current, step, &mut told) {
                    Some(state) => next = state,
                    None => return told,
                }
            }
        }
        told
    }

    /// Who receives what a step sends by rendezvous, and by which transition.
    pub fn partner(&mut self, state: &State, step: Step) -> Option<(u32, TransitionId)> {
        let state = widened(state);
        self.meeting(&state, step).map(|meeting| meeting.partner)
    }

    fn finer(&self) -> Naive<'_> {
        Naive { program: &self.finer, ..self.naive }
    }

    fn is_inside(&self, state: &State, thread: u32) -> bool {
        here(state, thread).is_some_and(|here| self.naive.program.locations[here].fused)
    }

    /// One transition: adds what it says, and gives the state that it leads to, if it does.
    fn part(&mut self, state: &State, step: Step, told: &mut Told) -> Option<State> {
        let transition = &self.naive.program.transitions[TransitionId(step.transition)];
        for action in &transition.body {
            if let ActionKind::Print { format, args } = &action.kind {
                let source = transition.source;
                let args: Vec<_> = args
                    .iter()
                    .map(|arg| (self.value(state, step.thread, arg), self.meaning(source, arg)))
                    .collect();
                told.printed +=
                    &printf::format(self.naive.program, &self.naive.program.strings[*format], &args);
            }
        }
        let meeting = self.meeting(state, step);
        if let Some(Meeting { channel, message, partner }) = &meeting {
            let names = [step.thread, partner.0].map(|thread| Some(self.naive.thread_name(state, thread)));
            let [sender, receiver] = names;
            let message: Vec<Value> = message.iter().map(|&value| Value::Int(value)).collect();
            let shown = self.shown(state, *channel, &message);
            told.messages.push(Message { direction: Direction::Rendezvous, sender, receiver, ..shown });
            told.partner = Some(*partner);
        }
        let next = self.finer().fire(state, step).ok()?;
        if meeting.is_none() {
            self.compare(state, &next, step.thread, &mut told.messages);
        }
        Some(next)
    }

    /// What was put into channels or taken out of them between two states.
    fn compare(&mut self, before: &State, after: &State, thread: u32, messages: &mut Vec<Message>) {
        self.under_way.retain(|number, _| after.channels.contains_key(number));
        let name = self.naive.thread_name(before, thread);
        for (&number, channel) in &after.channels {
            let new = &channel.messages;
            let old = match before.channels.get(&number) {
                Some(old) if old.declared == channel.declared => &old.messages[..],
                _ => &[],
            };
            let differs = || old.iter().zip(new).position(|(old, new)| old != new);
            let under_way = self.under_way.entry(number).or_default();
            if new.len() > old.len() {
                let at = differs().unwrap_or(old.len());
                self.sent += 1;
                under_way.insert(at.min(under_way.len()), (self.sent, name.clone()));
                let (direction, sender) = (Direction::Send, Some(name.clone()));
                let shown = self.shown(after, number, &new[at]);
                messages.push(Message { direction, sender, number: Some(self.sent), ..shown });
            } else if new.len() < old.len() {
                // Of equal messages, the one that came first.
                let at = if old[1..] == new[..] { 0 } else { differs().unwrap_or(new.len()) };
                let sent = (at < under_way.len()).then(|| under_way.remove(at));
                let (number_of, sender) = sent.unzip();
                let (direction, receiver) = (Direction::Receive, Some(name.clone()));
                let shown = self.shown(before, number, &old[at]);
                messages.push(Message { direction, sender, receiver, number: number_of, ..shown });
            }
        }
    }

    /// A message in words, whoever sends it.
    fn shown(&self, state: &State, number: u32, message: &[Value]) -> Message {
        let declared =
            state.channels.get(&number).map(|channel| &self.naive.program.channels[channel.declared]);
        let meaning =
            |at: usize| declared.and_then(|declared| declared.fields.get(at)).map(|field| field.meaning);
        let show =
            |(at, value): (usize, &Value)| self.naive.show_as(state, value, meaning(at).unwrap_or_default());
        let fields: Vec<String> = message.iter().enumerate().map(show).collect();
        // A symbol at the front is what the message is called.
        let text = match (&fields[..], meaning(0)) {
            ([one], _) => one.clone(),
            ([name, fields @ ..], Some(Meaning::Symbol(_))) => format!("{name}({})", fields.join(", ")),
            _ => format!("({})", fields.join(", ")),
        };
        Message {
            channel: self.naive.channel_name(state, number),
            direction: Direction::Send,
            text,
            fields,
            sender: None,
            receiver: None,
            number: None,
        }
    }

    /// What goes through a channel without capacity by this step, and to whom.
    fn meeting(&mut self, state: &State, step: Step) -> Option<Meeting> {
        let program = self.naive.program;
        let thread = step.thread;
        let transition = program.transitions.get(TransitionId(step.transition))?;
        let (channel, message) = transition.body.iter().find_map(|action| match &action.kind {
            ActionKind::Send { channel, message, .. } => Some((channel, message)),
            _ => None,
        })?;
        let channel = u32::try_from(self.value(state, thread, channel)?).ok()?;
        let declared = &program.channels[state.channels.get(&channel)?.declared];
        if declared.capacity > 0 {
            return None;
        }
        let mut values = Vec::new();
        for (field, value) in declared.fields.iter().zip(message) {
            let Type::Int(int) = program.types[field.ty] else { return None };
            values.push(int.admit(self.value(state, thread, value)?)?);
        }
        let mut partners = Vec::new();
        for &other in state.threads.keys().filter(|&&other| other != thread) {
            partners.extend(self.receivers(state, other, channel, &values));
        }
        let partner = *partners.get(step.choice as usize)?;
        Some(Meeting { channel, message: values, partner })
    }

    /// The transitions by which a thread can receive this message, those of the least rank.
    fn receivers(
        &mut self,
        state: &State,
        thread: u32,
        channel: u32,
        message: &[i64],
    ) -> Vec<(u32, TransitionId)> {
        let program = self.naive.program;
        let Some(here) = here(state, thread).map(|here| &program.locations[here]) else {
            return Vec::new();
        };
        if let Some(provided) = &program.procedures[here.procedure].provided
            && self.value(state, thread, provided) != Some(1)
        {
            return Vec::new();
        }
        let mut fitting = Vec::new();
        for &id in &here.transitions {
            let transition = &program.transitions[id];
            let Some(ActionKind::Receive { channel: from, keep: false, pattern, .. }) =
                transition.body.first().map(|action| &action.kind)
            else {
                continue;
            };
            let wants = |(field, &value): (&Pattern, &i64), narrator: &mut Self| match field {
                Pattern::Match(wanted) => narrator.value(state, thread, wanted) == Some(value),
                Pattern::Store(_) | Pattern::Any => true,
            };
            if transition.guard == Guard::Always
                && pattern.len() == message.len()
                && self.value(state, thread, from) == Some(channel.into())
                && pattern.iter().zip(message).all(|field| wants(field, self))
            {
                fitting.push((transition.rank, id));
            }
        }
        let least = fitting.iter().map(|&(rank, _)| rank).min();
        fitting.into_iter().filter(|&(rank, _)| Some(rank) == least).map(|(_, id)| (thread, id)).collect()
    }

    /// What an expression is for a thread, in a state of the copy: 0 or 1 for what is false or true, nothing for what
    /// cannot be evaluated.
    fn value(&mut self, state: &State, thread: u32, expr: &Expr) -> Option<i64> {
        let here = here(state, thread)?;
        let (ty, span) = (self.ty, expr.span);
        let number = match self.finer.types[expr.ty] {
            Type::Bool => Expr { kind: ExprKind::Number(Box::new(expr.clone())), ty, span },
            _ => expr.clone(),
        };
        let place = Place { kind: PlaceKind::Global(self.variable), ty, span };
        self.finer.locations[self.location].procedure = self.finer.locations[here].procedure;
        self.finer.transitions[self.transition].body =
            vec![Action { kind: ActionKind::Assign(place, number), span }];
        let mut asked = state.clone();
        asked.exclusive = Some(thread);
        let asker = asked.threads.get_mut(&thread)?;
        asker.priority = u8::MAX;
        asker.frames.last_mut()?.location = self.location;
        let step = Step { thread, transition: self.transition.0, choice: 0 };
        match self.finer().fire(&asked, step).ok()?.globals.last()? {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// What the numbers of an expression stand for, where it is a variable.
    fn meaning(&self, location: LocationId, expr: &Expr) -> Meaning {
        let program = self.naive.program;
        match &expr.kind {
            ExprKind::Global(id) | ExprKind::Element(Array::Global(id), _) => program.globals[*id].meaning,
            ExprKind::Local(id) | ExprKind::Element(Array::Local(id), _) => {
                program.procedures[program.locations[location].procedure].locals[*id].meaning
            }
            ExprKind::Wrap(inner) | ExprKind::Number(inner) => self.meaning(location, inner),
            _ => Meaning::Number,
        }
    }
}

/// A state of the program as one of the copy.
fn widened(state: &State) -> State {
    let mut state = state.clone();
    state.globals.push(Value::Int(0));
    state
}

fn here(state: &State, thread: u32) -> Option<LocationId> {
    state.threads.get(&thread)?.frames.last().map(|frame| frame.location)
}

struct Meeting {
    channel: u32,
    message: Vec<i64>,
    partner: (u32, TransitionId),
}
