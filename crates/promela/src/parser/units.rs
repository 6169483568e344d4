//! The top level of a model.

use source::Diagnostic;

use super::declarations::Declared;
use super::{Class, Parsed, Parser, Reported};
use crate::ast::{Active, Block, Claim, Init, Item, Literal, Model, Name, Proctype, Trace, Typedef};
use crate::codes;
use crate::lexer::Token;
use crate::text::clip;

impl Parser<'_> {
    pub(super) fn model(&mut self, properties: &[source::FileId]) -> Model {
        self.units();
        self.formulas();
        for &file in properties {
            self.additional(file);
        }
        let items = std::mem::take(&mut self.items).into_iter().flatten().collect();
        Model { items, extension: self.extension }
    }

    pub(super) fn units(&mut self) {
        while !self.at(Token::Eof) {
            let before = self.consumed;
            let is_clear = self.at_unit();
            let unit = self.unit();
            self.in_sequence = false;
            if let Ok(item) = unit {
                self.lost &= !is_clear;
                self.items.extend(item.map(Some));
            } else {
                self.lost = true;
                if self.consumed == before {
                    self.bump();
                }
                self.skip_unit();
            }
        }
    }

    /// One unit; `None` if it leaves no item.
    fn unit(&mut self) -> Parsed<Option<Item>> {
        Ok(Some(match self.peek() {
            Token::Semicolon | Token::Arrow | Token::LineEnd => {
                self.bump();
                return Ok(None);
            }
            Token::Active | Token::Proctype | Token::DProctype => Item::Proctype(self.proctype()?),
            Token::Init => {
                let span = self.bump().span;
                if self.at(Token::LeftParen) {
                    let diagnostic = Diagnostic::error(codes::UNEXPECTED, "`init` has no parameters")
                        .at(self.span(), "expected `{`")
                        .help("write `init { … }`");
                    self.report_here(diagnostic);
                    self.skip_parens();
                }
                let priority = self.priority()?;
                Item::Init(Init { priority, body: self.body()?, span })
            }
            Token::Never => {
                let span = self.bump().span;
                let name = if self.at(Token::Ident) { Some(self.name("a name")?) } else { None };
                Item::Never(Claim { name, body: self.body()?, span })
            }
            token @ (Token::Trace | Token::Notrace) => {
                let span = self.bump().span;
                Item::Trace(Trace { negated: token == Token::Notrace, body: self.body()?, span })
            }
            Token::Ltl => {
                self.defer_formula()?;
                return Ok(None);
            }
            Token::Typedef => match self.typedef()? {
                Ok(typedef) => Item::Typedef(typedef),
                Err(forward) => Item::Forward(forward),
            },
            Token::Ident if self.at_function() => Item::Function(self.function()?),
            Token::Inline => {
                self.inline()?;
                return Ok(None);
            }
            Token::CCode | Token::CDecl | Token::CExpr | Token::CState | Token::CTrack => {
                self.embedded_c();
                return Ok(None);
            }
            Token::Ident if self.at_foreign_unit() => {
                self.unknown_unit()?;
                return Ok(None);
            }
            _ if self.at_declaration() => match self.declaration()? {
                Declared::Variables(declaration) => Item::Variables(declaration),
                Declared::Mtype(mtype) => Item::Mtype(mtype),
            },
            _ => {
                self.unknown_unit()?;
                return Ok(None);
            }
        }))
    }

    /// Refuses embedded C, and skips it.
    pub(super) fn embedded_c(&mut self) {
        let word = self.peek().text().unwrap_or_default();
        let diagnostic =
            Diagnostic::error(codes::EMBEDDED_C, format!("`{word}`: embedded C is not supported"))
                .at(self.span(), "C code cannot be checked here")
                .help("say the same in Promela, for example with an inline or a `d_step`");
        self.report_here(diagnostic);
        self.skipping = true;
        self.bump();
        while matches!(self.peek(), Token::Str | Token::LeftBracket) {
            let mut depth = usize::from(self.bump_is(Token::LeftBracket));
            while depth > 0 && !self.at(Token::Eof) {
                match self.peek() {
                    Token::LeftBracket => depth += 1,
                    Token::RightBracket => depth -= 1,
                    _ => {}
                }
                self.bump();
            }
        }
        if self.at(Token::LeftBrace) {
            let open = self.bump();
            // An unterminated block is reported there.
            let _ = self.lexemes_to_brace(open);
            self.last.token = Token::RightBrace;
        }
        self.skipping = false;
    }

    /// Consumes a token, and returns whether it is this one.
    fn bump_is(&mut self, token: Token) -> bool {
        self.bump();
        self.last.token == token
    }

    fn proctype(&mut self) -> Parsed<Proctype> {
        let start = self.span();
        let active = if self.eat(Token::Active) {
            let count = if self.eat(Token::LeftBracket) {
                let count = self.expr()?;
                self.expect(Token::RightBracket, " after the number of processes")?;
                Some(count)
            } else {
                None
            };
            Some(Active { count, span: self.since(start) })
        } else {
            None
        };
        let deterministic = self.at(Token::DProctype);
        if !self.eat(Token::DProctype) {
            self.expect(Token::Proctype, "")?;
        }
        let symbol = self.peek_at(0).lexeme.symbol;
        let name = self.name("the name of a process")?;
        self.classes.insert(symbol, Class::Proctype);
        self.processes.insert(symbol, name.span);
        if !self.at(Token::LeftParen) {
            let shown = clip(&name.text);
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `(` before the parameters")
                .at(self.span(), "expected `(` before this")
                .help(format!("write `proctype {shown}()`, even without parameters"));
            self.report_here(diagnostic);
            if self.at(Token::LeftBrace) {
                self.skip_block();
            }
            return Err(Reported);
        }
        self.bump();
        let params = if self.at(Token::RightParen) { Vec::new() } else { self.fields(Token::RightParen)? };
        self.expect(Token::RightParen, " after the parameters")?;
        let span = self.since(start);
        let priority = self.priority()?;
        let provided = if self.eat(Token::Provided) {
            self.expect(Token::LeftParen, " after `provided`")?;
            let condition = self.expr()?;
            self.expect(Token::RightParen, " after the condition")?;
            Some(condition)
        } else {
            None
        };
        let body = self.body()?;
        Ok(Proctype { name, active, deterministic, params, priority, provided, body, span })
    }

    /// `priority n`, if it is there.
    pub(super) fn priority(&mut self) -> Parsed<Option<Literal>> {
        if self.eat(Token::Priority) { self.literal().map(Some) } else { Ok(None) }
    }

    /// The body of a process, in which ends of lines can be semicolons.
    pub(super) fn body(&mut self) -> Parsed<Block> {
        // The line before the brace does not end a statement.
        self.peek();
        self.suspect = None;
        self.in_sequence = true;
        let body = self.block(" before the body");
        self.in_sequence = false;
        body
    }

    /// A record, or the name of one that is declared later.
    fn typedef(&mut self) -> Parsed<Result<Typedef, Name>> {
        let start = self.bump().span;
        let symbol = self.peek_at(0).lexeme.symbol;
        let name = self.name("the name of a type")?;
        self.classes.insert(symbol, Class::Typedef);
        if self.at(Token::Semicolon) {
            self.extends(self.since(start), "a type that is declared later");
            return Ok(Err(name));
        }
        self.expect(Token::LeftBrace, " before the fields")?;
        self.in_sequence = true;
        let fields = self.fields(Token::RightBrace)?;
        self.expect(Token::RightBrace, " after the fields")?;
        self.in_sequence = false;
        Ok(Ok(Typedef { name, fields, span: self.since(start) }))
    }
}
