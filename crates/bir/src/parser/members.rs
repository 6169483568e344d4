//! The system and its members.

use source::Diagnostic;

use super::{Parsed, Parser, Reported};
use crate::ast::*;
use crate::codes;
use crate::collections::Kind;
use crate::lexer::Token;
use crate::text::clip;

impl<'s> Parser<'s, '_> {
    pub(super) fn system(&mut self) -> Parsed<System<'s>> {
        self.expect(Token::System, ": a model starts with `system Name { … }`")?;
        let name = self.name("the name of the system")?;
        let mut system = System {
            name,
            consts: Vec::new(),
            enums: Vec::new(),
            records: Vec::new(),
            aliases: Vec::new(),
            globals: Vec::new(),
            procedures: Vec::new(),
            virtuals: Vec::new(),
            funs: Vec::new(),
            invariants: Vec::new(),
            temporal: Vec::new(),
        };
        self.expect(Token::LeftBrace, " before the members of the system")?;
        while !self.at(Token::RightBrace) && !self.at(Token::Eof) {
            if let Err(Reported) = self.member(&mut system) {
                self.skip_member();
            }
        }
        self.expect(Token::RightBrace, " after the members of the system")?;
        if !self.at(Token::Eof) {
            return Err(self.unexpected("the end of the file after the system"));
        }
        Ok(system)
    }

    fn member(&mut self, system: &mut System<'s>) -> Parsed<()> {
        match self.peek() {
            Token::Const => system.consts.push(self.constants()?),
            Token::Enum => system.enums.push(self.enumeration(false)?),
            Token::Record => system.records.push(self.record()?),
            Token::Typealias => system.aliases.push(self.alias()?),
            Token::Thread | Token::Function => system.procedures.push(self.procedure()?),
            Token::Virtual => system.virtuals.push(self.table()?),
            Token::Fun => system.funs.push(self.fun()?),
            Token::Invariant => system.invariants.push(self.invariant()?),
            Token::Ltl => system.temporal.push(self.temporal()?),
            Token::Extension => self.extension()?,
            Token::Ident if self.at_modifier() => match self.slice(self.ahead[0]) {
                "abstract" => {
                    self.bump();
                    system.enums.push(self.enumeration(true)?);
                }
                "active" | "main" => system.procedures.push(self.procedure()?),
                _ => system.records.push(self.record()?),
            },
            Token::Ident
            | Token::Boolean
            | Token::IntType
            | Token::LongType
            | Token::Tid
            | Token::StringType
            | Token::Lock => system.globals.push(self.variable()?),
            _ => return Err(self.unexpected("a member of the system")),
        }
        Ok(())
    }

    fn constants(&mut self) -> Parsed<ConstGroup<'s>> {
        self.bump();
        let name = self.name("the name of a group of constants")?;
        self.expect(Token::LeftBrace, " before the constants")?;
        let elements = self.fields(|parser| {
            let name = parser.name("the name of a constant")?;
            parser.expect(Token::Equal, " before the value of the constant")?;
            let value = parser.expr()?;
            parser.semicolon()?;
            Ok((name, value))
        });
        self.expect(Token::RightBrace, " after the constants")?;
        Ok(ConstGroup { name, elements })
    }

    /// Elements that end in `;`, up to a closing brace.
    fn fields<T>(&mut self, mut field: impl FnMut(&mut Self) -> Parsed<T>) -> Vec<T> {
        let mut fields = Vec::new();
        while !matches!(self.peek(), Token::RightBrace | Token::Eof) && !self.at_member() {
            fields.extend(self.element(&mut field, |_| false));
        }
        fields
    }

    fn enumeration(&mut self, is_abstract: bool) -> Parsed<Enum<'s>> {
        self.bump();
        let name = self.name("the name of an enum")?;
        if is_abstract && self.eat(Token::LeftBracket) {
            let size = self.expr()?;
            self.expect(Token::RightBracket, " after the number of elements")?;
            self.semicolon()?;
            return Ok(Enum { name, is_abstract, elements: Vec::new(), size: Some(size) });
        }
        self.expect(Token::LeftBrace, " before the elements")?;
        let elements = self.braced(|parser| parser.names("the name of an element"), "the elements");
        Ok(Enum { name, is_abstract, elements, size: None })
    }

    fn record(&mut self) -> Parsed<Record<'s>> {
        let (mut top, mut throwable) = (false, false);
        loop {
            if self.eat_word("top") {
                top = true;
            } else if self.eat_word("throwable") {
                throwable = true;
            } else {
                break;
            }
        }
        self.expect(Token::Record, "")?;
        let name = self.name("the name of a record")?;
        let parents = if self.eat(Token::Extends) { self.names("the name of a record")? } else { Vec::new() };
        self.expect(Token::LeftBrace, " before the fields")?;
        let fields = self.fields(|parser| {
            let ty = parser.ty()?;
            let name = parser.name("the name of a field")?;
            parser.semicolon()?;
            Ok(Param { name, ty })
        });
        self.expect(Token::RightBrace, " after the fields")?;
        Ok(Record { name, top, throwable, parents, fields })
    }

    fn alias(&mut self) -> Parsed<Alias<'s>> {
        self.bump();
        let name = self.name("the name of a type")?;
        let ty = self.ty()?;
        self.semicolon()?;
        Ok(Alias { name, ty })
    }

    fn table(&mut self) -> Parsed<Virtual<'s>> {
        self.bump();
        let name = self.name("the name of a table of functions")?;
        self.expect(Token::LeftBrace, " before the entries")?;
        let entries = self.braced(Self::entries, "the entries");
        Ok(Virtual { name, entries })
    }

    fn entries(&mut self) -> Parsed<Vec<(Name<'s>, Name<'s>)>> {
        let mut entries = Vec::new();
        loop {
            let record = self.name("the name of a record")?;
            self.expect(Token::Arrow, " between the record and its function")?;
            let function = self.name("the name of a function")?;
            entries.push((record, function));
            if !self.at(Token::Ident) {
                return Ok(entries);
            }
        }
    }

    fn fun(&mut self) -> Parsed<Fun<'s>> {
        self.bump();
        let name = self.name("the name of a pure function")?;
        let params = self.params()?;
        self.expect(Token::Returns, ": a pure function has a result")?;
        let result = self.ty()?;
        self.expect(Token::Equal, " before the value of the function")?;
        let body = self.expr()?;
        self.semicolon()?;
        Ok(Fun { name, params, result, body })
    }

    fn invariant(&mut self) -> Parsed<Invariant<'s>> {
        self.bump();
        let name = self.name("the name of an invariant")?;
        self.expect(Token::Equal, " before the condition")?;
        let expr = self.expr()?;
        self.semicolon()?;
        Ok(Invariant { name, expr })
    }

    fn temporal(&mut self) -> Parsed<Temporal<'s>> {
        self.bump();
        let name = self.name("the name of a property")?;
        self.expect(Token::Equal, " before the formula")?;
        let property = self.formula(name)?;
        self.semicolon()?;
        Ok(property)
    }

    /// `extension X for java.class { … }` or `extension X for java.class;`, with any contents. Built-in
    /// extensions need no such line.
    fn extension(&mut self) -> Parsed<()> {
        let start = self.span();
        self.bump();
        let name = self.name("the name of an extension")?;
        if Kind::named(name.text).is_none() {
            let message = format!("there is no extension `{}`", clip(name.text));
            self.report(
                Diagnostic::error(codes::UNSUPPORTED, message)
                    .at(start.to(name.span), "")
                    .note("extensions that are written in Java cannot be loaded")
                    .note("`Set`, `Bag`, `Map`, `Seq` and `Queue` are built in"),
            );
        }
        self.skipping = true;
        self.skip_member();
        self.skipping = false;
        Ok(())
    }

    fn procedure(&mut self) -> Parsed<Procedure<'s>> {
        let start = self.span();
        let active = if self.eat_word("main") {
            Some(Active { main: true, count: None, span: start })
        } else if self.eat_word("active") {
            let mut count = None;
            if self.eat(Token::LeftBracket) {
                count = Some(self.expr()?);
                self.expect(Token::RightBracket, " after the number of threads")?;
            }
            Some(Active { main: false, count, span: self.since(start) })
        } else {
            None
        };
        let is_thread = self.at(Token::Thread);
        if active.is_some() && !is_thread {
            return Err(self.unexpected("`thread`"));
        }
        self.bump();
        let name = self.name(if is_thread { "the name of a thread" } else { "the name of a function" })?;
        let params = self.params()?;
        let kind = if is_thread {
            ProcedureKind::Thread { active }
        } else {
            let result = if self.eat(Token::Returns) { Some(self.ty()?) } else { None };
            ProcedureKind::Function { result }
        };
        self.expect(Token::LeftBrace, " before the body")?;
        let (locals, body) = self.body();
        let end = self.expect(Token::RightBrace, " after the body")?;
        Ok(Procedure { name, kind, params, locals, body, end })
    }

    fn body(&mut self) -> (Vec<Variable<'s>>, Body<'s>) {
        let mut locals = Vec::new();
        while self.at_variable() {
            match self.variable() {
                Ok(local) => locals.push(local),
                Err(Reported) => self.skip_to(super::statements::starts_statement),
            }
        }
        let body = if self.at(Token::Loc) || self.at(Token::Catch) {
            self.locations()
        } else {
            Body::Statements(self.statements(false))
        };
        (locals, body)
    }

    fn locations(&mut self) -> Body<'s> {
        let (mut locations, mut catches) = (Vec::new(), Vec::new());
        loop {
            let outcome = match self.peek() {
                Token::RightBrace | Token::Eof => break,
                Token::Loc => self.location().map(|location| locations.push(location)),
                Token::Catch => self.catch().map(|catch| catches.push(catch)),
                _ if self.at_member() => break,
                _ if self.at_variable() => Err(self.late_local()),
                _ => Err(self.unexpected("a location")),
            };
            if let Err(Reported) = outcome {
                self.skip_location();
            }
        }
        Body::Locations { locations, catches }
    }

    /// Skips to the next location. Braces of actions in between are balanced.
    fn skip_location(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::Eof | Token::Loc => return,
                Token::Catch | Token::RightBrace if depth == 0 => return,
                Token::LeftBrace => depth += 1,
                Token::RightBrace => depth -= 1,
                _ if self.at_member() => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn location(&mut self) -> Parsed<Location<'s>> {
        self.bump();
        let name = self.name("the name of a location")?;
        self.expect(Token::Colon, " after the name of the location")?;
        let mut live = None;
        if self.at_word("live") && self.peek_at(1) == Token::LeftBrace {
            self.bump();
            self.bump();
            live = Some(if self.at(Token::RightBrace) {
                Vec::new()
            } else {
                self.names("the name of a local variable")?
            });
            self.expect(Token::RightBrace, " after the live variables")?;
        }
        let mut transformations = vec![self.transformation()?];
        while !matches!(self.peek(), Token::Loc | Token::Catch | Token::RightBrace | Token::Eof)
            && !self.at_member()
        {
            transformations.push(self.transformation()?);
        }
        Ok(Location { name, live, transformations })
    }

    fn transformation(&mut self) -> Parsed<Transformation<'s>> {
        let start = self.span();
        let guard = if self.eat(Token::When) { Some(self.expr()?) } else { None };
        let command = match self.peek() {
            Token::Do => {
                self.bump();
                let (mut invisible, mut fair) = (false, false);
                loop {
                    if !invisible && self.eat_word("invisible") {
                        invisible = true;
                    } else if !fair && self.eat_word("fair") {
                        fair = true;
                    } else {
                        break;
                    }
                }
                self.expect(Token::LeftBrace, " before the actions")?;
                let actions = self.actions();
                self.expect(Token::RightBrace, " after the actions")?;
                Command::Do { invisible, fair, actions }
            }
            Token::Invoke => Command::Invoke(self.invoke(None, start)?),
            Token::Ident => {
                let place = self.expr()?;
                self.expect(Token::Assign, " before the call")?;
                if !self.at(Token::Invoke) {
                    return Err(self.unexpected("`invoke`: other actions are written `do { … }`"));
                }
                Command::Invoke(self.invoke(Some(place), start)?)
            }
            _ if guard.is_some() => return Err(self.unexpected("`do` or `invoke` after the guard")),
            _ => return Err(self.unexpected("a transformation: `when`, `do` or `invoke`")),
        };
        let jump = self.jump()?;
        Ok(Transformation { guard, command, jump, span: self.since(start) })
    }

    fn jump(&mut self) -> Parsed<Jump<'s>> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Goto => {
                self.bump();
                JumpKind::Goto(self.name("the name of a location")?)
            }
            Token::Return => {
                self.bump();
                JumpKind::Return(if self.at(Token::Semicolon) { None } else { Some(self.expr()?) })
            }
            _ => return Err(self.unexpected("`goto` or `return`")),
        };
        self.semicolon()?;
        Ok(Jump { kind, span: self.since(start) })
    }

    fn catch(&mut self) -> Parsed<Catch<'s>> {
        let start = self.span();
        self.bump();
        let record = self.name("the name of a record")?;
        let variable = self.name("the name of a local variable")?;
        if !self.eat_word("at") {
            return Err(self.unexpected("`at` before the locations"));
        }
        let covers = self.names("the name of a location")?;
        self.expect(Token::Goto, " before the location of the handler")?;
        let handler = self.name("the name of a location")?;
        self.semicolon()?;
        Ok(Catch { record, variable, covers, handler, span: self.since(start) })
    }
}
