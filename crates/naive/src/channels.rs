//! Channels, and threads by their numbers: messages, rendezvous, what can be asked about them, and monitors.

use ir::{Action, ActionKind, Expr, ExprKind, Guard, Pattern, ProcedureId, Scope, TransitionId, Type};
use source::Span;
use system::FaultKind;

use crate::eval::{Eval, as_int};
use crate::fault::Stop;
use crate::machine::{Choose, Machine};
use crate::state::short_name;
use crate::steps::EvalContext;
use crate::{Channel, Naive, NaiveFault, Thread, Transfer, Value};

/// Whether the fields of a message have the values that are wanted, as far as it has fields.
fn fits(message: &[Value], wanted: &[Option<Value>]) -> bool {
    let fits =
        |(value, wanted): (&Value, &Option<Value>)| wanted.as_ref().is_none_or(|wanted| wanted == value);
    message.iter().zip(wanted).all(fits)
}

impl Eval<'_> {
    /// The channel that the value of `operand` is the number of, or refers to.
    pub fn channel(&self, operand: &Expr, value: &Value, span: Span) -> Result<&Channel, Stop> {
        match (self.state.channel(value), value) {
            (Some(channel), _) => Ok(channel),
            (None, Value::Null) => Err(self.null(operand, span)),
            (None, Value::Ref(id)) => Err(self.ended(operand, *id, span)),
            (None, number) => {
                let message = format!("there is no channel of number {}", as_int(number));
                Err(Stop::fault(FaultKind::Channel, span, message))
            }
        }
    }

    /// The fault of a message or pattern whose types are not those of a channel.
    pub fn misfit(&self, channel: &Channel, span: Span) -> Stop {
        let declared = &self.program.channels[channel.declared];
        let fields: Vec<String> =
            declared.fields.iter().map(|field| short_name(self.program, field.ty)).collect();
        let message = format!("messages of `{}` are of the types {{{}}}", declared.name, fields.join(", "));
        Stop::fault(FaultKind::Channel, span, message)
    }

    /// The first message with the wanted values, which are evaluated as far as that takes. To ask for the
    /// value of a field that the message does not have is a fault.
    pub fn find(
        &self,
        channel: &Channel,
        wanted: &[Option<&Expr>],
        anywhere: bool,
        span: Span,
    ) -> Result<Option<usize>, Stop> {
        let wanted_fields = wanted.len();
        let among = if anywhere { channel.messages.len() } else { channel.messages.len().min(1) };
        'messages: for (at, message) in channel.messages[..among].iter().enumerate() {
            for (field, wanted) in wanted.iter().enumerate() {
                let Some(expr) = wanted else { continue };
                let Some(value) = message.get(field) else {
                    return Err(self.wrong_fields(channel, wanted_fields, span));
                };
                if self.eval(expr)? != *value {
                    continue 'messages;
                }
            }
            return Ok(Some(at));
        }
        Ok(None)
    }

    /// The fault of a message or a pattern with this number of fields, which the messages of a channel do not
    /// have.
    fn wrong_fields(&self, channel: &Channel, fields: usize, span: Span) -> Stop {
        let declared = &self.program.channels[channel.declared];
        let plural = if declared.fields.len() == 1 { "" } else { "s" };
        let message = format!(
            "messages of `{}` have {} field{plural}, not {fields}",
            declared.name,
            declared.fields.len()
        );
        Stop::fault(FaultKind::Channel, span, message)
    }

    /// A message of a channel must have this number of fields.
    fn same_fields(&self, channel: &Channel, fields: usize, span: Span) -> Result<(), Stop> {
        if self.program.channels[channel.declared].fields.len() == fields {
            return Ok(());
        }
        Err(self.wrong_fields(channel, fields, span))
    }

    /// What is known without operands.
    pub fn number(&self, kind: &ExprKind) -> Value {
        let state = self.state;
        match *kind {
            ExprKind::ThreadsAt { procedure, ref locations } => {
                let first = |thread: &Thread| thread.frames.first().map(|frame| frame.location);
                let here = state.threads.values().filter(|thread| thread.procedure.0 == procedure);
                let origins = here.filter_map(first).map(|at| self.program.locations[at].origin(at));
                Value::Int(origins.filter(|origin| locations.contains(origin)).count() as i64)
            }
            ExprKind::IndividualAt { ref locations, .. } => {
                let thread = self.thread.and_then(|id| state.threads.get(&id));
                let at = thread.and_then(|thread| thread.frames.first()).map(|frame| frame.location);
                Value::Bool(at.is_some_and(|at| locations.contains(&self.program.locations[at].origin(at))))
            }
            ExprKind::ThreadNumber => Value::Int(self.thread.unwrap_or(0).into()),
            ExprKind::ThreadCount => Value::Int(state.threads.len() as i64),
            ExprKind::LastThread => Value::Int(state.last.unwrap_or(0).into()),
            ExprKind::IsYoungest => Value::Bool(self.thread == state.threads.keys().next_back().copied()),
            ExprKind::Timeout => Value::Bool(self.context.timeout),
            ExprKind::FirstThread(procedure) => {
                let mut threads = state.threads.iter();
                let first = threads.find(|(_, thread)| thread.procedure.0 == procedure);
                Value::Int(first.map_or(-1, |(&number, _)| number.into()))
            }
            ExprKind::Channel(id) => {
                let of = |owner: Option<u32>| {
                    let mut channels = state.channels.iter();
                    channels.find(move |(_, channel)| channel.declared == id && channel.owner == owner)
                };
                let own = self.thread.and_then(|thread| of(Some(thread)));
                Value::Int(own.or_else(|| of(None)).map_or(0, |(&number, _)| number.into()))
            }
            _ => unreachable!("all others have operands"),
        }
    }

    fn thread_numbered(&self, number: i64) -> Option<(u32, &Thread)> {
        let number = u32::try_from(number).ok()?;
        self.state.threads.get(&number).map(|thread| (number, thread))
    }

    /// The thread of this number, if it runs this procedure.
    pub fn thread_of(&self, number: i64, procedure: ProcedureId) -> Option<&Thread> {
        let (_, thread) = self.thread_numbered(number)?;
        Some(thread).filter(|thread| thread.procedure.0 == procedure)
    }

    /// What is asked about the thread of a number.
    pub fn thread_question(&self, kind: &ExprKind, number: i64) -> Value {
        let thread = self.thread_numbered(number);
        let location = thread.and_then(|(_, thread)| thread.frames.last()).map(|frame| frame.location);
        match kind {
            ExprKind::ThreadAt { procedure, locations, .. } => {
                let there = self.thread_of(number, *procedure).is_some();
                Value::Bool(there && location.is_some_and(|location| locations.contains(&location)))
            }
            ExprKind::ThreadLocation(_) => {
                Value::Int(location.map_or(0, |location| self.program.locations[location].number.into()))
            }
            ExprKind::ThreadPriority(_) => Value::Int(thread.map_or(0, |(_, thread)| thread.priority.into())),
            ExprKind::ThreadEnabled(_) => match thread {
                // Threads that ask for each other would ask forever.
                Some((number, _)) if !self.context.asked => {
                    let naive = Naive { bounds: self.bounds, ..Naive::new(self.program) };
                    // A thread whose step would fault is not blocked.
                    let steps =
                        naive.steps_at(self.state, number, EvalContext { asked: true, ..self.context });
                    Value::Bool(!steps.0.is_empty() || !steps.1.is_empty())
                }
                _ => Value::Bool(false),
            },
            _ => unreachable!("all others are not about a thread"),
        }
    }
}

impl Machine<'_> {
    pub fn send(
        &mut self,
        channel: &Expr,
        sorted: bool,
        message: &[Expr],
        span: Span,
        choose: Choose<'_>,
    ) -> Result<(), Stop> {
        let (place, values) = self.outgoing(channel, message, span)?;
        let message = self.admitted(&place, &values);
        let channel = self.channel(&place);
        let declared = &self.program().channels[channel.declared];
        if declared.capacity == 0 {
            return self.meet(&place, &message, span, choose);
        }
        if channel.messages.len() >= declared.capacity as usize {
            return self.blocked(|this| this.channel_obstacle(&place, true));
        }
        self.claimed(true, &place, span);
        let channel = self.channel(&place);
        // References have no order: they, and what is behind them, are not compared.
        let types = &self.program().types;
        let is_integer = |field: &&ir::ChannelField| matches!(types[field.ty], Type::Int(_));
        let integers = declared.fields.iter().take_while(is_integer).count();
        let greater = |other: &Vec<Value>| sorted && other[..integers] > values[..integers];
        let at = channel.messages.iter().position(greater).unwrap_or(channel.messages.len());
        self.messages(&place).insert(at, message.clone());
        self.record_message(Transfer::Send { position: at }, &place, &message);
        self.event(true, &place, &message, span)
    }

    /// A channel that was looked up before.
    pub fn channel(&self, value: &Value) -> &Channel {
        self.state.channel(value).expect("the channel was looked up before")
    }

    pub fn receive(
        &mut self,
        channel: &Expr,
        anywhere: bool,
        keep: bool,
        pattern: &[Pattern],
        span: Span,
    ) -> Result<(), Stop> {
        let (place, at) = self.incoming(channel, anywhere, keep, pattern, span)?;
        let Some(at) = at else { return self.blocked(|this| this.channel_obstacle(&place, false)) };
        self.claimed(false, &place, span);
        let message = self.messages(&place)[at].clone();
        if !keep {
            self.messages(&place).remove(at);
            self.record_message(Transfer::Receive { position: at }, &place, &message);
            self.event(false, &place, &message, span)?;
        }
        self.store_fields(pattern, &message)
    }

    /// Evaluates what a body begins with, if that is a message: faults there are those of a guard.
    pub fn opening(&self, body: &[Action]) -> Result<(), Stop> {
        let Some(Action { kind, span }) = body.first() else { return Ok(()) };
        match kind {
            ActionKind::Send { channel, message, .. } => self.outgoing(channel, message, *span).map(|_| ()),
            ActionKind::Receive { channel, anywhere, keep, pattern } => {
                self.incoming(channel, *anywhere, *keep, pattern, *span).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// The channel that a message goes to, and the message as it was evaluated. Where it could be sent, it must
    /// have as many fields as the channel; if channels are objects, it must fit the channel in any case.
    fn outgoing(&self, operand: &Expr, message: &[Expr], span: Span) -> Result<(Value, Vec<Value>), Stop> {
        let program = self.program();
        let value = self.eval(operand)?;
        let values = self.evals(message)?;
        let evaluator = self.evaluator();
        let channel = evaluator.channel(operand, &value, span)?;
        if matches!(value, Value::Ref(_)) && !program.fits_message(channel.declared, message) {
            return Err(evaluator.misfit(channel, span));
        }
        let capacity = program.channels[channel.declared].capacity as usize;
        let is_full = capacity > 0 && channel.messages.len() >= capacity;
        if !is_full {
            evaluator.same_fields(channel, message.len(), span)?;
        }
        Ok((value, values))
    }

    /// A message as it is in a channel.
    fn admitted(&self, channel: &Value, message: &[Value]) -> Vec<Value> {
        let program = self.program();
        let fields = &program.channels[self.channel(channel).declared].fields;
        let admit = |(value, field): (&Value, &ir::ChannelField)| match program.types[field.ty] {
            Type::Int(int) => Value::Int(
                int.admit(as_int(value)).unwrap_or_else(|| unreachable!("integers of messages wrap")),
            ),
            _ => value.clone(),
        };
        message.iter().zip(fields).map(admit).collect()
    }

    /// The channel that a message comes from, and which message it is, if any fits.
    fn incoming(
        &self,
        operand: &Expr,
        anywhere: bool,
        keep: bool,
        pattern: &[Pattern],
        span: Span,
    ) -> Result<(Value, Option<usize>), Stop> {
        let program = self.program();
        let value = self.eval(operand)?;
        let evaluator = self.evaluator();
        let channel = evaluator.channel(operand, &value, span)?;
        if matches!(value, Value::Ref(_)) && !program.fits_pattern(channel.declared, pattern, keep) {
            return Err(evaluator.misfit(channel, span));
        }
        let declared = &program.channels[channel.declared];
        if keep && declared.capacity == 0 {
            let message = format!("`{}` holds no messages that could be kept", declared.name);
            return Err(Stop::fault(FaultKind::Channel, span, message));
        }
        let wanted: Vec<Option<&Expr>> = pattern
            .iter()
            .map(|field| match field {
                Pattern::Match(value) => Some(value),
                Pattern::Store(_) | Pattern::Any => None,
            })
            .collect();
        let found = evaluator.find(channel, &wanted, anywhere, span)?;
        // A message that is taken out must have as many fields as the pattern, and one that is kept at least
        // as many.
        let fields = declared.fields.len();
        let names_fields = if keep { pattern.len() <= fields } else { pattern.len() == fields };
        if found.is_some() && !names_fields {
            return Err(evaluator.wrong_fields(channel, pattern.len(), span));
        }
        Ok((value, found))
    }

    fn messages(&mut self, channel: &Value) -> &mut Vec<Vec<Value>> {
        let channel = self.state.channel_mut(channel);
        &mut channel.expect("the channel was looked up before").messages
    }

    /// The values that a pattern demands.
    fn wanted(&self, pattern: &[Pattern]) -> Result<Vec<Option<Value>>, Stop> {
        let wanted = pattern.iter().map(|field| match field {
            Pattern::Match(value) => self.eval(value).map(Some),
            Pattern::Store(_) | Pattern::Any => Ok(None),
        });
        wanted.collect()
    }

    fn store_fields(&mut self, pattern: &[Pattern], message: &[Value]) -> Result<(), Stop> {
        for (field, value) in pattern.iter().zip(message) {
            if let Pattern::Store(place) = field {
                let target = self.target(place)?;
                self.store(place, &target, value.clone())?;
            }
        }
        Ok(())
    }

    /// Sends a message through a channel without capacity.
    fn meet(
        &mut self,
        channel: &Value,
        message: &[Value],
        span: Span,
        choose: Choose<'_>,
    ) -> Result<(), Stop> {
        let leads_inside = self.last.is_some_and(|id| match self.program().transitions[id].exit {
            ir::Exit::Jump(ir::Jump::Goto(target)) => self.program().locations[target].fused,
            _ => false,
        });
        if !self.may_meet || leads_inside {
            let message = "nobody can be met in the middle of a step";
            return Err(Stop::fault(FaultKind::InnerBlock, span, message));
        }
        let partners = self.partners(channel, message);
        if partners.is_empty() {
            return self.blocked(|this| this.channel_obstacle(channel, true));
        }
        let (partner, transition) = partners[choose(partners.len() as u32) as usize];
        self.may_meet = false;
        self.partner = Some((partner, transition));
        let receiver = self.naive.thread_name(&self.state, partner);
        self.record_message(Transfer::Rendezvous { receiver }, channel, message);
        self.claimed(true, channel, span);
        self.event(true, channel, message, span)?;
        let action = &self.program().transitions[transition].body[0];
        let ActionKind::Receive { pattern, .. } = &action.kind else { unreachable!("partners receive") };
        let evaluator = self.evaluator();
        evaluator.same_fields(self.channel(channel), pattern.len(), action.span)?;
        let sender = std::mem::replace(&mut self.thread, partner);
        self.claimed(false, channel, action.span);
        self.event(false, channel, message, action.span)?;
        self.store_fields(pattern, message)?;
        self.thread = sender;
        Ok(())
    }

    /// The threads that can receive a message right now, and by which transition. A thread that cannot
    /// evaluate what it would receive is not among them.
    fn partners(&self, to: &Value, message: &[Value]) -> Vec<(u32, TransitionId)> {
        let program = self.program();
        let declared = self.channel(to).declared;
        let has_numbers = matches!(to, Value::Int(_));
        let mut partners = Vec::new();
        for (&thread, Thread { frames, .. }) in &self.state.threads {
            let Some(frame) = frames.last() else { continue };
            if thread == self.thread
                || !self.naive.is_provided(&self.state, thread, self.context).unwrap_or(false)
            {
                continue;
            }
            let other = Machine { thread, ..self.clone() };
            let receives = |id: TransitionId| {
                let transition = &program.transitions[id];
                let Some(ActionKind::Receive { channel, keep: false, pattern, .. }) =
                    transition.body.first().map(|action| &action.kind)
                else {
                    return false;
                };
                transition.guard == Guard::Always
                    && other.eval(channel).is_ok_and(|channel| channel == *to)
                    && (has_numbers || program.fits_pattern(declared, pattern, false))
                    && other.wanted(pattern).is_ok_and(|wanted| fits(message, &wanted))
            };
            let here = program.locations[frame.location].transitions.iter().copied();
            let fitting: Vec<TransitionId> = here.filter(|&id| receives(id)).collect();
            let rank = |id: TransitionId| program.transitions[id].rank;
            let least = fitting.iter().map(|&id| rank(id)).min();
            let first = fitting.into_iter().filter(|&id| Some(rank(id)) == least);
            partners.extend(first.map(|id| (thread, id)));
        }
        partners
    }

    /// Takes note if the thread sends to a channel, or receives from it, that another one claims.
    fn claimed(&mut self, send: bool, used: &Value, span: Span) {
        let program = self.program();
        let claims = |&(&other, thread): &(&u32, &Thread)| {
            let eval = self.naive.evaluator(&self.state, other, EvalContext::default());
            let claims = &program.procedures[thread.procedure.0].claims;
            other != self.thread
                && claims.iter().any(|claim| {
                    let channel = eval.eval(&claim.channel);
                    claim.receive != send && channel.is_ok_and(|channel| channel == *used)
                })
        };
        let Some((&other, _)) = self.state.threads.iter().find(claims) else { return };
        let name = |thread| self.naive.thread_name(&self.state, thread);
        let message = format!(
            "{} {} `{}`, which {} claims to do alone",
            name(self.thread),
            if send { "sends to" } else { "receives from" },
            self.naive.channel_name(&self.state, used),
            name(other),
        );
        self.note(NaiveFault::new(FaultKind::ExclusiveChannel, span, message));
    }

    /// Moves the monitor by a message that was sent or received.
    fn event(&mut self, send: bool, channel: &Value, message: &[Value], span: Span) -> Result<(), Stop> {
        let Some(monitor) = &self.program().monitor else { return Ok(()) };
        let globals = Eval {
            thread: None,
            variables: &[],
            scope: Scope::Program,
            context: EvalContext::default(),
            ..self.evaluator()
        };
        let mut named = false;
        for event in monitor.states.iter().flat_map(|state| &state.events) {
            named |= event.send == send && globals.eval(&event.channel)? == *channel;
        }
        if !named {
            return Ok(());
        }
        let mut target = None;
        for event in &monitor.states[self.state.monitor as usize].events {
            if event.send != send || globals.eval(&event.channel)? != *channel {
                continue;
            }
            let mut wanted = Vec::new();
            for field in &event.pattern {
                wanted.push(field.as_ref().map(|value| globals.eval(value)).transpose()?);
            }
            let beyond = wanted.iter().skip(message.len());
            if fits(message, &wanted) && beyond.flatten().next().is_none() {
                target = Some(event.target);
                break;
            }
        }
        let last = monitor.states.len() as u32 - 1;
        let wrong = match (target, monitor.negated) {
            (None, false) => Some("is not what has to happen next"),
            (Some(target), true) if target == last => Some("completes what must not happen"),
            _ => None,
        };
        if let Some(what) = wrong {
            self.note(out_of_order(span, what));
        }
        if target.is_some() || monitor.negated {
            self.state.monitor = target.unwrap_or(last);
        }
        Ok(())
    }
}

fn out_of_order(span: Span, what: &str) -> NaiveFault {
    let message = format!("this message {what}");
    NaiveFault::new(FaultKind::Monitor, span, message)
}
