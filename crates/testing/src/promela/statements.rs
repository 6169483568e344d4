//! Random statements. Loops only compute with few values, and start no processes, so all programs are finite.

use super::generate::Generator;
use super::scope::{Chan, Type};
use super::tree::{Block, Expr, Place, Stmt};

/// The context of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    pub in_loop: bool,
    /// Directly in a `do`, so that `break` makes sense.
    pub in_do: bool,
    /// Where loops must end: the verifier does not notice that a state recurs.
    pub in_atomic: bool,
    /// How much deeper statements may be nested.
    pub depth: usize,
    /// Not in an inline, where jumps and declarations are not allowed.
    pub plain: bool,
}

impl Context {
    const fn atomic(self) -> Self {
        Self { in_atomic: true, ..self }
    }

    const fn deeper(self) -> Self {
        Self { depth: self.depth - 1, ..self }
    }
}

impl Generator {
    pub fn block(&mut self, context: Context, least: i64, most: i64) -> Block {
        (0..self.rng.between(least, most)).map(|_| self.statement(context)).collect()
    }

    pub fn statement(&mut self, context: Context) -> Stmt {
        #[derive(Clone, Copy)]
        enum Choice {
            Assign,
            Step,
            Condition,
            Send,
            Receive,
            ReceiveChannel,
            SendChannel,
            Record,
            Assert,
            Print,
            Skip,
            Goto,
            Break,
            Macro,
            Inline,
            Run,
            Select,
            Priority,
            If,
            Do,
            For,
            Atomic,
            DStep,
            Unless,
            Group,
        }
        use Choice::*;
        let nested = usize::from(context.depth > 0);
        let plain = usize::from(context.plain);
        let choice = self.rng.weighted(&[
            (22, Assign),
            (6, Step),
            (4, Condition),
            (16, Send),
            (16, Receive),
            (3, ReceiveChannel),
            (4, SendChannel),
            (6 * usize::from(self.record_chan.is_some()), Record),
            (4, Assert),
            (2, Print),
            (1, Skip),
            (6 * plain * usize::from(!self.labels.is_empty()), Goto),
            (3 * usize::from(context.in_do), Break),
            (2, Macro),
            (5 * plain, Inline),
            (6 * plain * usize::from(!context.in_loop), Run),
            (2 * plain, Select),
            (3 * usize::from(self.features.priorities), Priority),
            (9 * nested, If),
            (6 * nested, Do),
            (3 * nested * plain, For),
            (6 * nested, Atomic),
            (5 * nested, DStep),
            (4 * nested * plain, Unless),
            (nested, Group),
        ]);
        match choice {
            Assign => self.assignment(context),
            Step => self.increment(context),
            Condition => Stmt::Expr(if self.rng.chance(70) { self.claim() } else { self.boolean(1) }),
            Send => self.send(context),
            Receive => self.receive(),
            ReceiveChannel => self.receive_channel(context),
            SendChannel => self.send_channel().unwrap_or_else(|| self.send(context)),
            Record => self.record_message().unwrap_or(Stmt::Skip),
            Assert => Stmt::Assert(self.claim()),
            Print => Stmt::Text(format!("printf(\"%d\\n\", {})", self.expr(1).0)),
            Skip => Stmt::Skip,
            Goto => match self.rng.choose(&self.labels) {
                Some(label) => Stmt::Goto(label.clone()),
                None => Stmt::Skip,
            },
            Break => Stmt::Break,
            Macro => match self.some_var(true) {
                Some(var) if !var.ty.is_symbolic() => Stmt::Text(format!("BUMP({})", self.var_place(&var))),
                _ => self.assignment(context),
            },
            Inline => self.call(context),
            Run => self.run_statement().unwrap_or_else(|| self.assignment(context)),
            Select => {
                let name = self.new_counter(3);
                Stmt::Select(name, self.rng.between(-1, 0), self.rng.between(1, 2))
            }
            // They are not set: SPIN's verifiers leave most bits of priorities out when they compare states.
            Priority => Stmt::Text(format!("(get_priority(_pid) < {})", self.rng.between(1, 5))),
            If => self.selection(context.deeper()),
            Do => self.repetition(context.deeper()),
            For => self.for_loop(context.deeper()),
            Atomic => Stmt::Atomic(self.block(context.deeper().atomic(), 1, 3)),
            DStep => self.d_step(context),
            Unless => {
                let main = self.block(context.deeper(), 1, 3);
                let mut escape = vec![self.guard(context, true)];
                escape.extend(self.block(context.deeper(), 0, 2));
                Stmt::Unless(main, escape)
            }
            Group => Stmt::Group(self.block(context.deeper(), 1, 2)),
        }
    }

    pub fn assignment(&mut self, context: Context) -> Stmt {
        let Some(var) = self.some_var(true) else { return Stmt::Skip };
        let place = self.var_place(&var);
        Stmt::Assign(place, self.value(var.value_type(), context.in_loop))
    }

    fn increment(&mut self, context: Context) -> Stmt {
        let Some(var) = self.some_var(true) else { return Stmt::Skip };
        if var.ty.is_symbolic() || context.in_loop && !var.value_type().is_small() && self.rng.chance(95) {
            return self.assignment(context);
        }
        Stmt::Step(self.var_place(&var), if self.rng.chance(70) { "++" } else { "--" })
    }

    /// A condition that is often, not always, true.
    fn claim(&mut self) -> Expr {
        let condition = self.boolean(1);
        match self.some_var(false) {
            Some(var) if self.rng.chance(70) => {
                let place = Expr::Place(self.var_place(&var));
                let unlikely = Expr::Binary("!=", place.into(), Expr::Lit(self.rng.between(2, 4)).into());
                Expr::Binary("||", unlikely.into(), condition.into())
            }
            _ => condition,
        }
    }

    pub fn send(&mut self, context: Context) -> Stmt {
        let Some(chan) = self.some_chan(false) else { return self.assignment(context) };
        // In a trace SPIN examines the last message, wherever the sent one was inserted.
        let operator = if self.rng.chance(15) && !self.features.trace { "!!" } else { "!" };
        self.send_to(&chan, operator, context)
    }

    fn send_to(&mut self, chan: &Chan, operator: &'static str, context: Context) -> Stmt {
        let place = self.chan_place(chan);
        let fields = chan.fields.clone();
        // In atomic steps and inlines as well: a message is compared with what others receive.
        let values = fields.iter().map(|ty| match ty {
            Some(ty) if self.rng.chance(50) && !ty.is_symbolic() => Expr::Lit(self.rng.between(0, 2)),
            Some(ty) => self.value(*ty, context.in_loop),
            None => Expr::Lit(0),
        });
        let values = values.collect();
        Stmt::Send { chan: place, operator, values }
    }

    /// With constant indices only: when the verifier undoes a receive, it computes them anew, with the
    /// received values, and goes wrong if they have changed.
    pub fn receive(&mut self) -> Stmt {
        let Some(chan) = self.some_chan(false) else { return Stmt::Skip };
        let mut place = self.chan_place(&chan);
        place.index = self.constant_index(chan.length);
        let copies = chan.buffered;
        let (operator, close) = match self.rng.below(10) {
            0 | 1 => ("??", ""),
            2 if copies => ("?<", ">"),
            3 if copies => ("??<", ">"),
            _ => ("?", ""),
        };
        let fields = chan.fields.clone();
        let mut values: Vec<Expr> = Vec::new();
        let mut used: Vec<String> = Vec::new();
        for ty in fields {
            let target = if self.rng.chance(80) { self.some_var(true) } else { None };
            values.push(match target {
                // When SPIN undoes a receive, it restores the message from the variables: they must not
                // truncate it. Bits are whole bytes in some channels.
                Some(var)
                    if (Some(var.ty) == ty && !matches!(var.ty, Type::Bit | Type::Bool)
                        || var.ty == Type::Int && !ty.is_some_and(Type::is_symbolic))
                        && !used.contains(&var.name) =>
                {
                    used.push(var.name.clone());
                    let index = self.constant_index(var.length);
                    Expr::Place(Place { index, ..var.place(None) })
                }
                _ => self.pattern(ty),
            });
        }
        // When SPIN undoes a receive, it evaluates `eval` after the variables were set.
        if values.iter().any(|value| matches!(value, Expr::Place(_))) {
            for value in &mut values {
                if matches!(value, Expr::Text(text) if text.starts_with("eval")) {
                    *value = Expr::Text("_".into());
                }
            }
        }
        Stmt::Receive { chan: place, operator, close, values }
    }

    /// Sends or receives a record as a whole.
    fn record_message(&mut self) -> Option<Stmt> {
        let chan = Place::name(self.record_chan.clone()?);
        let record = self.scope.vars.iter().find(|var| var.name == "pair")?.clone();
        let index = self.constant_index(record.length);
        let values = vec![Expr::Place(Place { name: record.name, index, field: None })];
        let sends = self.rng.chance(55);
        Some(if sends {
            Stmt::Send { chan, operator: "!", values }
        } else {
            Stmt::Receive { chan, operator: "?", close: "", values }
        })
    }

    fn constant_index(&mut self, length: Option<i64>) -> Option<Box<Expr>> {
        length.map(|length| Expr::Lit(self.rng.between(0, length - 1)).into())
    }

    /// Receives any message.
    pub fn receive_any(&mut self) -> Stmt {
        let mut receive = self.receive();
        if let Stmt::Receive { operator, close, values, .. } = &mut receive {
            (*operator, *close) = ("?", "");
            for value in values.iter_mut().filter(|value| !matches!(value, Expr::Place(_))) {
                *value = Expr::Text("_".into());
            }
        }
        receive
    }

    /// Sends a channel whose owner, if any, will never end: the channel would end with it.
    fn send_channel(&mut self) -> Option<Stmt> {
        let bus = self.bus.clone()?;
        let lasting: Vec<&Chan> = self.scope.chans.iter().filter(|chan| chan.global || chan.owned).collect();
        let chan = (*self.rng.choose(&lasting)?).clone();
        self.lends |= chan.owned;
        let value = Expr::Place(self.chan_place(&chan));
        Some(Stmt::Send { chan: Place::name(bus), operator: "!", values: vec![value] })
    }

    /// Receives a channel and uses it, without a step of others in between.
    fn receive_channel(&mut self, context: Context) -> Stmt {
        let (Some(bus), Some(name)) = (self.bus.clone(), self.scope.chan_var.clone()) else {
            return self.receive();
        };
        let values = vec![Expr::Place(Place::name(name.clone()))];
        let get = Stmt::Receive { chan: Place::name(bus), operator: "?", close: "", values };
        let received = Chan { name, fields: self.message(), ..Chan::default() };
        let use_it = self.send_to(&received, "!", context);
        let body = vec![get, use_it];
        if self.rng.chance(50) { Stmt::Atomic(body) } else { Stmt::Group(body) }
    }

    /// The first statement of an option. Next to an `else` there may be no input or output.
    fn guard(&mut self, context: Context, io: bool) -> Stmt {
        if !io {
            let sure = self.rng.chance(20);
            return if sure { self.assignment(context) } else { Stmt::Expr(self.comparison(1)) };
        }
        match self.rng.below(20) {
            0..=6 => self.receive(),
            7..=9 => self.send(context),
            10 | 11 => self.assignment(context),
            12 => Stmt::Expr(Expr::Text("timeout".into())),
            13 if context.depth > 0 => Stmt::Atomic(self.block(context.deeper().atomic(), 1, 2)),
            14 if context.depth > 0 && context.plain => self.d_step(context),
            _ => Stmt::Expr(self.boolean(1)),
        }
    }

    fn option(&mut self, context: Context, io: bool) -> Block {
        let mut option = vec![self.guard(context, io)];
        option.extend(self.block(context, 0, 2));
        option
    }

    pub fn selection(&mut self, context: Context) -> Stmt {
        let with_else = self.rng.chance(45);
        let count = self.rng.between(1, 3);
        let mut options: Vec<Block> = (0..count).map(|_| self.option(context, !with_else)).collect();
        if with_else {
            options.push(self.else_option(context));
        }
        Stmt::If(options)
    }

    fn else_option(&mut self, context: Context) -> Block {
        let mut option = vec![Stmt::Else];
        option.extend(self.block(context, 0, 1));
        option
    }

    /// A loop that counts, or that continues until something happens.
    fn repetition(&mut self, context: Context) -> Stmt {
        let inside = Context { in_loop: true, in_do: true, ..context };
        if context.in_atomic && !context.plain {
            return self.selection(context);
        }
        if context.in_atomic || self.rng.chance(40) && context.plain {
            let name = self.new_counter(3);
            let counter = || Expr::Place(Place::name(name.clone()));
            let limit = self.rng.between(1, 3);
            let mut body = vec![Stmt::Expr(Expr::Binary("<", counter().into(), Expr::Lit(limit).into()))];
            body.extend(self.block(inside, 1, 2));
            body.push(Stmt::Step(Place::name(name.clone()), "++"));
            let mut exit = vec![Stmt::Expr(Expr::Binary(">=", counter().into(), Expr::Lit(limit).into()))];
            exit.push(Stmt::Break);
            if self.rng.chance(50) {
                exit[0] = Stmt::Else;
            }
            return Stmt::Do(vec![body, exit]);
        }
        let with_else = self.rng.chance(25);
        let mut options: Vec<Block> =
            (0..self.rng.between(1, 3)).map(|_| self.option(inside, !with_else)).collect();
        if with_else {
            options.push(vec![Stmt::Else, Stmt::Break]);
        } else if self.rng.chance(85) {
            options.push(vec![self.guard(inside, true), Stmt::Break]);
        }
        Stmt::Do(options)
    }

    fn for_loop(&mut self, context: Context) -> Stmt {
        let name = self.new_counter(4);
        let arrays: Vec<String> = self
            .scope
            .vars
            .iter()
            .filter(|var| var.length.is_some() && var.field.is_none())
            .map(|var| var.name.clone())
            .collect();
        let range = match self.rng.choose(&arrays) {
            Some(array) if self.rng.chance(30) => format!("{name} in {array}"),
            _ => format!("{name} : {} .. {}", self.rng.between(0, 1), self.rng.between(1, 2)),
        };
        let inside = Context { in_loop: true, in_do: false, ..context };
        Stmt::For(range, self.block(inside, 1, 2))
    }

    /// A sequence that blocks at its first statement, if anywhere, and is deterministic.
    fn d_step(&mut self, context: Context) -> Stmt {
        // SPIN has no remote references there.
        let remote = std::mem::replace(&mut self.features.remote, false);
        let body = self.d_step_body(context);
        self.features.remote = remote;
        Stmt::DStep(body)
    }

    fn d_step_body(&mut self, context: Context) -> Block {
        let mut body = Vec::new();
        match (self.rng.below(5), self.some_chan(true)) {
            (0, Some(chan)) => {
                let place = self.chan_place(&chan);
                body.push(Stmt::Expr(Expr::Text(format!("nfull({place})"))));
                let mut send = self.send_to(&chan, "!", context);
                if let Stmt::Send { chan, .. } = &mut send {
                    *chan = place;
                }
                body.push(send);
            }
            (1, _) => body.push(Stmt::Expr(self.boolean(1))),
            (2, Some(chan)) if self.features.fatal => body.push(self.send_to(&chan, "!", context)),
            // SPIN takes one that begins otherwise even in the middle of a rendezvous.
            _ => body.push(self.assignment(context)),
        }
        for _ in 0..self.rng.between(1, 3) {
            body.push(self.d_step_statement(context));
        }
        if self.features.hidden && self.rng.chance(40) {
            body.push(Stmt::Assign(Place::name("scratch"), self.value(Type::Byte, true)));
            if let Some(var) = self.some_var(true) {
                let value = Expr::Wrap("%", Expr::Place(Place::name("scratch")).into(), 2);
                body.push(Stmt::Assign(self.var_place(&var), value));
            }
        }
        body
    }

    fn d_step_statement(&mut self, context: Context) -> Stmt {
        match self.rng.below(10) {
            0..=4 => self.assignment(context),
            5 => self.increment(context),
            6 => Stmt::Assert(self.claim()),
            7 if context.plain => {
                let name = self.new_counter(4);
                let body = vec![self.assignment(Context { in_loop: true, ..context })];
                Stmt::For(format!("{name} : 0 .. 2"), body)
            }
            _ => {
                let condition = Stmt::Expr(self.condition(1));
                let then = vec![condition, self.assignment(context)];
                let mut otherwise = vec![Stmt::Else];
                if self.rng.chance(50) {
                    otherwise.push(self.assignment(context));
                }
                Stmt::If(vec![then, otherwise])
            }
        }
    }

    fn call(&mut self, context: Context) -> Stmt {
        let Some(name) = self.rng.choose(&self.inlines).cloned() else { return self.assignment(context) };
        let Some(var) = self.some_var(true).filter(|var| !var.ty.is_symbolic()) else {
            return Stmt::Skip;
        };
        let place = Expr::Place(self.var_place(&var));
        Stmt::Call(name, vec![place, Expr::Lit(self.rng.between(0, 2))])
    }

    pub fn run_statement(&mut self) -> Option<Stmt> {
        let run = self.run_expr()?;
        let target = self.some_var(true).filter(|var| matches!(var.ty, Type::Byte | Type::Pid | Type::Int));
        Some(match target {
            Some(var) if self.rng.chance(30) => Stmt::Assign(self.var_place(&var), run),
            _ => Stmt::Expr(run),
        })
    }
}
