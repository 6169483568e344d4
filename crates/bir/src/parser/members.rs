//! The system and its members.

use source::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::ast::*;
use crate::codes;
use crate::collections::Kind;
use crate::lexer::Token;
use crate::text::clip;

impl<'s> Parser<'s, '_> {
    /// A whole model: `import`s, then `system Name { … }`.
    pub(super) fn system(&mut self, system: &mut System<'s>) -> Parsed<()> {
        self.imports()?;
        self.expect(Token::System, ": a model starts with `system Name { … }`")?;
        system.name = self.name("the name of the system")?;
        let brace = self.expect(Token::LeftBrace, " before the members of the system")?;
        while !self.at(Token::RightBrace) && !self.at(Token::Eof) {
            if let Err(Reported) = self.member(system) {
                self.skip_member();
            }
        }
        self.close("the members of the system", brace)?;
        if !self.at(Token::Eof) {
            return Err(self.unexpected("the end of the file after the system"));
        }
        Ok(())
    }

    /// The brace after `what`, which began with another brace.
    fn close(&mut self, what: &str, begin: Span) -> Parsed<Span> {
        if self.at(Token::RightBrace) {
            let lexeme = self.bump();
            return Ok(self.span_of(lexeme));
        }
        let message = format!("expected `}}` after {what}, found {}", self.describe_next());
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
            .at(self.span(), format!("expected `}}` after {what}"))
            .label(begin, "to close this brace");
        Err(self.report_here(diagnostic))
    }

    /// An imported file: a model, or members alone.
    pub(super) fn imported(&mut self, system: &mut System<'s>) -> Parsed<()> {
        self.imports()?;
        if self.at(Token::System) {
            let name = system.name;
            let parsed = self.system(system);
            system.name = name;
            return parsed;
        }
        while !self.at(Token::Eof) {
            let before = self.consumed;
            if let Err(Reported) = self.member(system) {
                self.skip_member();
                if self.consumed == before {
                    self.bump();
                }
            }
        }
        Ok(())
    }

    /// `import "name";`, any number of times.
    pub(super) fn imports(&mut self) -> Parsed<Vec<(String, Span)>> {
        let mut imports = Vec::new();
        while self.at_word("import") {
            let start = self.span();
            self.bump();
            if !self.at(Token::Str) {
                let found = self.describe_next();
                let message = format!("expected the name of a file in quotes, found {found}");
                let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                    .at(self.span(), "expected the name of a file")
                    .help("write `import \"other.bir\";`");
                return Err(self.report_here(diagnostic));
            }
            let name = self.string_literal();
            self.bump();
            self.semicolon()?;
            imports.push((name, self.since(start)));
        }
        Ok(imports)
    }

    fn member(&mut self, system: &mut System<'s>) -> Parsed<()> {
        if let Some(Reported) = self.foreign_member() {
            return Ok(());
        }
        let start = self.span();
        let parsed = self.known_member(system);
        system.extents.push(self.since(start));
        parsed
    }

    fn known_member(&mut self, system: &mut System<'s>) -> Parsed<()> {
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
        if self.at_variable() {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "constants are declared in groups")
                .at(self.span(), "expected the name of a group")
                .help("write `const Limits { N = 3; }`, and use it as `Limits.N`");
            return Err(self.report_here(diagnostic));
        }
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
        let fields = self.fields(|parser| parser.declaration("the name of a field"));
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
        self.defined_as("invariant", name, " before the condition")?;
        let expr = self.expr()?;
        self.semicolon()?;
        Ok(Invariant { name, expr })
    }

    /// The `=` between the name of a property and its condition.
    fn defined_as(&mut self, word: &str, name: Name<'s>, context: &str) -> Parsed<()> {
        if self.eat(Token::Equal) {
            return Ok(());
        }
        let found = self.describe_next();
        let message = format!("expected `=`{context}, found {found}");
        let help = format!("write `{word} {} = …;`", clip(name.text));
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, message).at(self.span(), "expected `=`").help(help);
        Err(self.report_here(diagnostic))
    }

    fn temporal(&mut self) -> Parsed<Temporal<'s>> {
        self.bump();
        let name = self.name("the name of a property")?;
        self.defined_as("ltl", name, " before the formula")?;
        let outer = self.silent;
        let property = self.formula(name);
        self.silent = outer;
        let property = property?;
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
        if self.at(Token::LeftBrace) {
            let word = if is_thread { "thread" } else { "function" };
            let message = "expected `(` before the parameters, found `{`";
            let help = format!("without parameters, write `{word} {}() {{ … }}`", clip(name.text));
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, message).at(self.span(), "expected `(`").help(help);
            return Err(self.report_here(diagnostic));
        }
        let params = self.params()?;
        let kind = if is_thread {
            ProcedureKind::Thread { active }
        } else {
            if self.at(Token::Colon) || self.at(Token::Arrow) {
                let message = format!("expected `returns`, found {}", self.describe_next());
                let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                    .at(self.span(), "expected `returns`")
                    .help("the type of the result follows `returns`: `function f() returns int { … }`");
                self.report_here(diagnostic);
                self.bump();
                self.ty()?;
            }
            let result = if self.eat(Token::Returns) { Some(self.ty()?) } else { None };
            ProcedureKind::Function { result }
        };
        let brace = self.span();
        if !self.at(Token::LeftBrace) {
            self.unexpected("`{` before the body");
            // Probably up to an `end`.
            let (locals, body) = self.silently(Self::body);
            self.eat(Token::RightBrace);
            return Ok(Procedure { name, kind, params, locals, body, end: brace });
        }
        self.bump();
        let (locals, body) = self.body();
        let end = self.close("the body", brace)?;
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
        let end = self.eat(Token::End);
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
        Ok(Location { name, end, live, transformations })
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
            Token::Goto | Token::Return => Command::Do { invisible: false, fair: false, actions: Vec::new() },
            _ if guard.is_some() => return Err(self.unexpected("`do`, `invoke` or a jump after the guard")),
            _ => return Err(self.unexpected("a transformation: `when`, `do`, `invoke`, or a jump")),
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
