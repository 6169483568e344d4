//! Features, channels, monitors, and questions about threads and channels by number. Their words are not
//! keywords: where they occur no name can, or a parenthesis follows.

use super::*;

const FACTS: &[(&str, ExprKind)] = &[
    ("thread", ExprKind::ThreadNumber),
    ("threads", ExprKind::ThreadCount),
    ("last", ExprKind::LastThread),
    ("youngest", ExprKind::IsYoungest),
    ("timeout", ExprKind::Timeout),
];

impl Parser {
    /// Whether the next token is this word, followed by a parenthesis.
    pub(super) fn is_called(&self, word: &str) -> bool {
        let called =
            matches!(self.lexemes.get(self.next + 1), Some(Lexeme { token: Token::Symbol("("), .. }));
        called && self.is(word)
    }

    pub(super) fn take_called(&mut self, word: &str) -> bool {
        let called = self.is_called(word);
        self.next += 2 * usize::from(called);
        called
    }

    /// Reads an item, if it is one of these.
    pub(super) fn process_item(&mut self, start: u32, program: &mut ProgramTree) -> Parsed<bool> {
        if self.take("features") {
            let Features { thread_ids_observable, remembers_last } = &mut program.features;
            for word in self.list(";", Self::name)? {
                match word.text.as_str() {
                    "thread_ids" => *thread_ids_observable = true,
                    "last" => *remembers_last = true,
                    other => return Err(Error::new(word.at, format!("there is no feature `{other}`"))),
                }
            }
        } else if self.take("memory") {
            self.expect("explicit")?;
            self.expect("leaks")?;
            let word = self.name()?;
            program.memory = Memory::Explicit(match word.text.as_str() {
                "off" => Leaks::Off,
                "unreachable" => Leaks::Unreachable,
                "end" => Leaks::End,
                other => return Err(Error::new(word.at, format!("leaks cannot be `{other}`"))),
            });
            self.expect(";")?;
        } else if self.take("channel") {
            let name = self.name()?;
            self.expect("[")?;
            let capacity = self.index()?;
            self.expect("]")?;
            self.expect("{")?;
            let fields = self.list("}", |parser| Ok((parser.ty()?, parser.meaning()?)))?;
            let scoped = self.take("scoped");
            self.expect(";")?;
            program.channels.push(ChannelTree { name, capacity, fields, scoped, span: self.span(start) });
        } else if self.take("channels") {
            program.first_channels.extend(self.list(";", Self::name)?);
        } else if self.take("prologue") {
            program.prologue.extend(self.actions()?);
        } else if self.take("monitor") {
            program.monitor = Some(self.monitor(start)?);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn claim(&mut self, start: u32) -> Parsed<ClaimTree> {
        let receive = self.take("receive");
        if !receive {
            self.expect("send")?;
        }
        let channel = self.expr()?;
        self.expect(";")?;
        Ok(ClaimTree { receive, channel, span: self.span(start) })
    }

    fn monitor(&mut self, start: u32) -> Parsed<MonitorTree> {
        let negated = self.take("negated");
        self.expect("{")?;
        let mut states = Vec::new();
        while !self.take("}") {
            self.expect("state")?;
            let end = self.take("end");
            self.expect("{")?;
            let mut events = Vec::new();
            while !self.take("}") {
                let start = self.at();
                let send = self.take("send");
                if !send {
                    self.expect("receive")?;
                }
                self.expect("(")?;
                let channel = self.expr()?;
                let pattern = self.rest_of(Self::wanted)?;
                self.expect("goto")?;
                let target = self.index()?;
                self.expect(";")?;
                events.push(MonitorEventTree { send, channel, pattern, target, span: self.span(start) });
            }
            states.push(MonitorStateTree { end, events });
        }
        Ok(MonitorTree { negated, states, span: self.span(start) })
    }

    /// The dimensions of an array variable.
    pub(super) fn dims(&mut self) -> Parsed<Vec<u32>> {
        let mut dims = Vec::new();
        while self.take("[") {
            dims.push(self.index()?);
            self.expect("]")?;
        }
        Ok(dims)
    }

    pub(super) fn meaning(&mut self) -> Parsed<MeaningTree> {
        Ok(if !self.take("means") {
            MeaningTree::Number
        } else if self.take("channel") {
            MeaningTree::Channel
        } else {
            self.expect("enum")?;
            MeaningTree::Symbol(self.name()?)
        })
    }

    pub(super) fn priority(&mut self) -> Parsed<Option<u8>> {
        match self.marked_index("priority")?.map(u8::try_from) {
            None => Ok(None),
            Some(Ok(priority)) => Ok(Some(priority)),
            Some(Err(_)) => self.fail("a lesser priority"),
        }
    }

    /// The items after the first operand, up to and including the parenthesis.
    fn rest_of<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while self.take(",") {
            items.push(item(self)?);
        }
        self.expect(")")?;
        Ok(items)
    }

    /// The value that a field must have; `*` for any.
    fn wanted(&mut self) -> Parsed<Option<Tree>> {
        if self.take("*") { Ok(None) } else { self.expr().map(Some) }
    }

    fn pattern(&mut self) -> Parsed<PatternTree> {
        Ok(match self.wanted()? {
            None => PatternTree::Any,
            Some(place) if self.take(":=") => PatternTree::Store(place),
            Some(value) => PatternTree::Match(value),
        })
    }

    /// An action, if it is one of these.
    pub(super) fn process_action(&mut self) -> Parsed<Option<ActionTreeKind>> {
        for (word, sorted) in [("send", false), ("insert", true)] {
            if self.take_called(word) {
                let channel = self.expr()?;
                return Ok(Some(ActionTreeKind::Send {
                    sorted,
                    channel,
                    message: self.rest_of(Self::expr)?,
                }));
            }
        }
        for (word, anywhere, keep) in
            [("receive", false, false), ("extract", true, false), ("peek", false, true), ("find", true, true)]
        {
            if self.take_called(word) {
                let channel = self.expr()?;
                let pattern = self.rest_of(Self::pattern)?;
                return Ok(Some(ActionTreeKind::Receive { anywhere, keep, channel, pattern }));
            }
        }
        Ok(if self.take_called("check") {
            let condition = self.expr()?;
            self.expect(")")?;
            Some(ActionTreeKind::Do(ActionKind::Check, condition))
        } else if self.take_called("priority") {
            let thread = self.expr()?;
            self.expect(",")?;
            let priority = self.expr()?;
            self.expect(")")?;
            Some(ActionTreeKind::SetPriority(thread, priority))
        } else if self.take_called("print") {
            let format = self.string()?;
            Some(ActionTreeKind::Print(format, self.rest_of(Self::expr)?))
        } else {
            None
        })
    }

    /// An expression, if it is one of these; those with one operand are among the questions.
    pub(super) fn process_primary(&mut self) -> Parsed<Option<Tree>> {
        let start = self.at();
        let kind = if let Some((_, fact)) = FACTS.iter().find(|(word, _)| self.is_called(word)) {
            self.next += 2;
            self.expect(")")?;
            TreeKind::Fact(fact.clone())
        } else if self.take_called("first") {
            let procedure = self.name()?;
            self.expect(")")?;
            TreeKind::FirstThread(procedure)
        } else if self.take_called("threadsAt") {
            let procedure = self.name()?;
            TreeKind::ThreadsAt { individual: false, procedure, locations: self.rest_of(Self::name)? }
        } else if self.take_called("individualAt") {
            let procedure = self.name()?;
            TreeKind::ThreadsAt { individual: true, procedure, locations: self.rest_of(Self::name)? }
        } else if self.take_called("channel") {
            let channel = self.name()?;
            self.expect(")")?;
            TreeKind::Channel(channel)
        } else if self.take_called("at") {
            let thread = Box::new(self.expr()?);
            self.expect(",")?;
            let procedure = self.name()?;
            TreeKind::ThreadAt { thread, procedure, locations: self.rest_of(Self::name)? }
        } else if self.take_called("of") {
            let thread = Box::new(self.expr()?);
            self.expect(",")?;
            let procedure = self.name()?;
            self.expect(",")?;
            let local = self.name()?;
            let mut indices = Vec::new();
            while self.take("[") {
                indices.push(self.expr()?);
                self.expect("]")?;
            }
            self.expect(")")?;
            TreeKind::ThreadLocal { thread, procedure, local, indices }
        } else if self.is_called("has") || self.is_called("heads") {
            let anywhere = self.is("has");
            self.next += 2;
            let channel = Box::new(self.expr()?);
            TreeKind::ChannelHas { anywhere, channel, pattern: self.rest_of(Self::wanted)? }
        } else {
            return Ok(None);
        };
        self.tree(start, kind).map(Some)
    }
}
