//! Procedures: locations and transitions.

use super::*;

impl Parser {
    pub(super) fn procedure(&mut self, start: u32, kind: ProcedureKind) -> Parsed<ProcedureTree> {
        let name = self.name()?;
        self.expect("(")?;
        let params = self.list(")", |parser| {
            let start = parser.at();
            let flags = Flags { synthetic: parser.take("synthetic"), untracked: false };
            let ty = parser.ty()?;
            let name = parser.name()?;
            let (dims, meaning) = (parser.dims()?, parser.meaning()?);
            Ok(VariableTree { name, ty, dims, meaning, init: None, flags, span: parser.span(start) })
        })?;
        let result = if self.take("returns") { Some(self.ty()?) } else { None };
        let entry = if self.take("entry") { Some(self.name()?) } else { None };
        let priority = self.priority()?.unwrap_or(1);
        let provided = if self.take("provided") { Some(self.expr()?) } else { None };
        let span = self.span(start);
        self.expect("{")?;
        let (mut locals, mut catches, mut locations) = (Vec::new(), Vec::new(), Vec::new());
        let (mut channels, mut claims, mut prologue) = (Vec::new(), Vec::new(), Vec::new());
        while !self.take("}") {
            let start = self.at();
            if self.is("synthetic") || self.is("local") {
                let flags = Flags { synthetic: self.take("synthetic"), untracked: false };
                self.expect("local")?;
                locals.push(self.variable(start, flags)?);
            } else if self.take("channels") {
                channels.extend(self.list(";", Self::name)?);
            } else if self.take("claim") {
                claims.push(self.claim(start)?);
            } else if self.take("prologue") {
                prologue.extend(self.actions()?);
            } else if self.take("catch") {
                catches.push(self.catch(start)?);
            } else if self.take("loc") {
                locations.push(self.location(start)?);
            } else if self.take("resume") {
                locations.push(self.resume(start)?);
            } else {
                return self.fail("a local, a catch or a location");
            }
        }
        Ok(ProcedureTree {
            name,
            kind,
            params,
            locals,
            result,
            entry,
            priority,
            provided,
            channels,
            claims,
            prologue,
            catches,
            locations,
            span,
        })
    }

    pub(super) fn catch(&mut self, start: u32) -> Parsed<CatchTree> {
        let record = self.name()?;
        let variable = self.name()?;
        let covers = if self.take("at") { self.names()? } else { Vec::new() };
        self.expect("goto")?;
        let handler = self.name()?;
        self.expect(";")?;
        Ok(CatchTree { record, variable, covers, handler, span: self.span(start) })
    }

    pub(super) fn location(&mut self, start: u32) -> Parsed<LocationTree> {
        let name = self.name()?;
        let number = self.marked_index("@")?;
        let atomic = self.take("atomic");
        let (fused, end) = (self.take("fused"), self.take("end"));
        let (accept, progress) = (self.take("accept"), self.take("progress"));
        let value = self.marked_index("number")?.unwrap_or(0);
        let synthetic = self.take("synthetic");
        let live = if self.take("live") {
            self.expect("{")?;
            Some(self.list("}", Self::name)?)
        } else {
            None
        };
        let span = self.span(start);
        self.expect(":")?;
        let mut transitions = Vec::new();
        let ends = ["}", "loc", "resume", "synthetic", "local", "catch", "channels", "prologue"];
        while !ends.iter().any(|end| self.is(end)) {
            transitions.push(self.transition()?);
        }
        let resume = None;
        Ok(LocationTree {
            name,
            number,
            atomic,
            fused,
            end,
            accept,
            progress,
            value,
            synthetic,
            live,
            transitions,
            resume,
            span,
        })
    }

    pub(super) fn resume(&mut self, start: u32) -> Parsed<LocationTree> {
        let name = self.name()?;
        let number = self.marked_index("@")?;
        let atomic = self.take("atomic");
        let value = self.marked_index("number")?.unwrap_or(0);
        let synthetic = self.take("synthetic");
        self.expect("of")?;
        let origin = self.name()?;
        let result = if self.take("into") { Some(self.postfix()?) } else { None };
        let then = self.jump()?;
        self.expect(";")?;
        let resume = Some(ResumeTree { origin, result, then });
        let span = self.span(start);
        Ok(LocationTree {
            name,
            number,
            atomic,
            fused: false,
            end: false,
            accept: false,
            progress: false,
            value,
            synthetic,
            live: None,
            transitions: Vec::new(),
            resume,
            span,
        })
    }

    pub(super) fn transition(&mut self) -> Parsed<TransitionTree> {
        let start = self.at();
        let number = self.transition_label()?;
        let guard = if self.take("when") {
            GuardTree::When(self.expr()?)
        } else if self.take("else") {
            GuardTree::Else
        } else if self.take("ready") {
            GuardTree::Ready(self.name()?)
        } else {
            GuardTree::Always
        };
        let rank = self.marked_index("rank")?.unwrap_or(0);
        let exclusive = self.take("exclusive");
        let trail_number = self.marked_index("number")?.unwrap_or(0);
        let invisible = self.take("invisible");
        let fair = self.take("fair");
        let body = if self.take("do") { self.actions()? } else { Vec::new() };
        let exit = if self.take("call") {
            let dispatched = self.take("virtual");
            let callee = self.name()?;
            let args = self.args()?;
            self.expect("resume")?;
            ExitTree::Call { dispatched, callee, args, resume: self.name()? }
        } else {
            ExitTree::Jump(self.jump()?)
        };
        self.expect(";")?;
        let span = self.span(start);
        Ok(TransitionTree { number, guard, rank, exclusive, trail_number, invisible, fair, body, exit, span })
    }

    pub(super) fn transition_label(&mut self) -> Parsed<Option<u32>> {
        let Token::Word(word) = &self.peek().token else { return Ok(None) };
        if KEYWORDS.contains(&word.as_str())
            || ["ready", "rank", "exclusive", "number"].contains(&word.as_str())
        {
            return Ok(None);
        }
        let Some(number) = word.strip_prefix('t').and_then(|digits| digits.parse().ok()) else {
            return self.fail("a transition");
        };
        self.next += 1;
        self.expect(":")?;
        Ok(Some(number))
    }

    pub(super) fn jump(&mut self) -> Parsed<JumpTree> {
        if self.take("goto") {
            Ok(JumpTree::Goto(self.name()?))
        } else if self.take("return") {
            Ok(JumpTree::Return(if self.is(";") { None } else { Some(self.expr()?) }))
        } else {
            self.fail("`goto` or `return`")
        }
    }
}
