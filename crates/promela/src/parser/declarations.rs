//! Declarations of variables, parameters, fields and mtypes.

use source::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::ast::{ChannelInit, Declaration, Initializer, Mtype, Type, TypeKind, Variable, Visibility};
use crate::codes;
use crate::lexer::Token;

pub enum Declared {
    Variables(Declaration),
    Mtype(Mtype),
}

impl Parser<'_> {
    /// Whether a declaration is next.
    pub(super) fn at_declaration(&mut self) -> bool {
        use Token::*;
        match self.peek() {
            Hidden | Show | Local | Bit | Bool | Byte | Pid | Short | Int | Unsigned | Chan | Mtype => true,
            // Two names in a row are always a declaration.
            Ident => self.second() == Ident,
            _ => false,
        }
    }

    pub(super) fn declaration(&mut self) -> Parsed<Declared> {
        let start = self.span();
        let visibility = match self.peek() {
            Token::Hidden => Visibility::Hidden,
            Token::Show => Visibility::Show,
            Token::Local => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.bump();
        }
        let ty = self.ty()?;
        if matches!(ty.kind, TypeKind::Mtype(_)) && matches!(self.peek(), Token::Assign | Token::LeftBrace) {
            return self.mtype(ty, start).map(Declared::Mtype);
        }
        let mut variables = vec![self.variable()?];
        while self.eat(Token::Comma) {
            variables.push(self.variable()?);
        }
        Ok(Declared::Variables(Declaration { visibility, ty, variables, span: self.since(start) }))
    }

    /// Declarations of variables only, up to `end`.
    pub(super) fn fields(&mut self, end: Token) -> Parsed<Vec<Declaration>> {
        let mut fields = Vec::new();
        loop {
            if !self.at_declaration() {
                return Err(self.unexpected("a declaration"));
            }
            match self.declaration()? {
                Declared::Variables(declaration) => fields.push(declaration),
                Declared::Mtype(mtype) => self.must_be_global("the elements of an mtype", mtype.span),
            }
            let mut separated = false;
            while matches!(self.peek(), Token::Semicolon | Token::LineEnd) {
                self.bump();
                separated = true;
            }
            if self.at(end) {
                return Ok(fields);
            }
            if !separated {
                let text = end.text().unwrap_or_default();
                return Err(self.unexpected(&format!("`;` or `{text}` after a declaration")));
            }
        }
    }

    pub(super) fn must_be_global(&mut self, what: &str, span: Span) {
        let message = format!("{what} must be declared at the top level");
        self.report(
            Diagnostic::error(codes::MUST_BE_GLOBAL, message)
                .at(span, "this is inside of something else")
                .help("move it out, before what uses it"),
        );
    }

    /// A type, with the name behind `mtype:`.
    fn ty(&mut self) -> Parsed<Type> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Bit => TypeKind::Bit,
            Token::Bool => TypeKind::Bool,
            Token::Byte => TypeKind::Byte,
            Token::Pid => TypeKind::Pid,
            Token::Short => TypeKind::Short,
            Token::Int => TypeKind::Int,
            Token::Unsigned => TypeKind::Unsigned,
            Token::Chan => TypeKind::Chan,
            Token::Mtype => TypeKind::Mtype(None),
            Token::Ident => TypeKind::Named(self.name("a type")?),
            _ => return Err(self.unexpected("a type")),
        };
        let kind = match kind {
            TypeKind::Named(_) => kind,
            TypeKind::Mtype(_) => {
                self.bump();
                let subtype =
                    if self.eat(Token::Colon) { Some(self.name("the name of an mtype")?) } else { None };
                TypeKind::Mtype(subtype)
            }
            _ => {
                self.bump();
                kind
            }
        };
        Ok(Type { kind, span: self.since(start) })
    }

    /// The elements of an mtype; commas between them are optional.
    fn mtype(&mut self, ty: Type, start: Span) -> Parsed<Mtype> {
        self.eat(Token::Assign);
        self.expect(Token::LeftBrace, " before the elements of an mtype")?;
        let mut elements = vec![self.name("an element of the mtype")?];
        while !self.at(Token::RightBrace) {
            if !self.eat(Token::Comma) {
                elements.push(self.name("an element of the mtype, or `}`")?);
            }
        }
        self.bump();
        let subtype = match ty.kind {
            TypeKind::Mtype(subtype) => subtype,
            _ => None,
        };
        Ok(Mtype { subtype, elements, span: self.since(start) })
    }

    fn variable(&mut self) -> Parsed<Variable> {
        let start = self.span();
        let name = self.name("the name of a variable")?;
        let mut width = None;
        let mut size = None;
        if self.eat(Token::Colon) {
            width = Some(self.literal()?);
        } else if self.eat(Token::LeftBracket) {
            size = Some(self.expr()?);
            self.expect(Token::RightBracket, " after the size of an array")?;
        }
        let init = if self.eat(Token::Assign) { Some(self.initializer()?) } else { None };
        Ok(Variable { name, width, size, init, span: self.since(start) })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        let start = self.span();
        match self.peek() {
            Token::LeftBrace => {
                self.bump();
                let mut values = vec![self.expr()?];
                while self.eat(Token::Comma) {
                    values.push(self.expr()?);
                }
                self.expect(Token::RightBrace, " after the elements of an array")?;
                Ok(Initializer::List(values, self.since(start)))
            }
            Token::LeftBracket => {
                self.bump();
                let capacity = self.expr()?;
                self.expect(Token::RightBracket, " after the capacity of a channel")?;
                self.expect(Token::Of, " and the types of the messages")?;
                self.expect(Token::LeftBrace, " before the types of the messages")?;
                let mut fields = vec![self.ty()?];
                while self.eat(Token::Comma) {
                    fields.push(self.ty()?);
                }
                self.expect(Token::RightBrace, " after the types of the messages")?;
                Ok(Initializer::Channel(ChannelInit { capacity, fields, span: self.since(start) }))
            }
            _ => self.expr().map(Initializer::Expr),
        }
    }
}
