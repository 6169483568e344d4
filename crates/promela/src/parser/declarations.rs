//! Declarations of variables, parameters, fields and mtypes.

use source::{Diagnostic, Span};

use super::mistakes::foreign_syntax;
use super::{Class, Parsed, Parser};
use crate::ast::{ChannelInit, Declaration, Initializer, Mtype, Type, TypeKind, Variable, Visibility};
use crate::codes;
use crate::lexer::Token;
use crate::text::clip;

/// The largest number of `&` of a type.
const MAX_POINTERS: u32 = 16;

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
            // Two names in a row are always a declaration, unless they are an operator of another language.
            Ident if self.second() == Ident => !self.at_operator_word() && !self.at_delete(),
            Ident => self.at_pointer_type(),
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
        let holds_function = ty.kind == TypeKind::Function && ty.pointers == 0;
        if holds_function {
            let symbol = self.peek_at(0).lexeme.symbol;
            self.callables.insert(symbol);
        }
        let mut variables = vec![self.variable()?];
        while self.eat(Token::Comma) {
            if self.at_declaration() {
                self.repeated_type(start)?;
            }
            if holds_function {
                let symbol = self.peek_at(0).lexeme.symbol;
                self.callables.insert(symbol);
            }
            variables.push(self.variable()?);
        }
        Ok(Declared::Variables(Declaration { visibility, ty, variables, span: self.since(start) }))
    }

    /// A type after a comma, as in `byte a, byte b`.
    fn repeated_type(&mut self, start: Span) -> Parsed<()> {
        if self.is_lost() {
            self.repeated();
            return self.ty().map(drop);
        }
        let comma = self.last.lexeme.span;
        let text = clip(self.input.map.text(self.since(start)).trim_end_matches(','));
        let next = self.peek_at(0).lexeme;
        let next = clip(self.input.interner.text(next.symbol));
        let text = if text.is_empty() || text.contains('\n') { "byte a".to_owned() } else { text };
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `;` between declarations, found `,`")
            .at(comma, "expected `;`")
            .help(format!("write `{text}; {next} …`: after a comma follows a variable of the same type"));
        self.report_here(diagnostic);
        self.ty().map(drop)
    }

    /// Declarations of variables only, up to `end`.
    pub(super) fn fields(&mut self, end: Token) -> Parsed<Vec<Declaration>> {
        let mut fields = Vec::new();
        loop {
            if !self.at_declaration() {
                if self.at(Token::Ident) && end == Token::RightParen {
                    let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected the type of a parameter")
                        .at(self.span(), "expected a type before this")
                        .help("parameters of processes have types, as in `proctype P(byte a; chan q)`");
                    return Err(self.report_here(diagnostic));
                }
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
    pub(super) fn ty(&mut self) -> Parsed<Type> {
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
            Token::Ident => {
                let is_known = self.class() == Some(Class::Typedef);
                let is_function = !is_known && self.at_word("ftype");
                let lexeme = self.bump();
                if is_function {
                    self.extends(lexeme.span, "`ftype`");
                    TypeKind::Function
                } else {
                    if !is_known {
                        self.unknown_type(lexeme);
                    }
                    TypeKind::Named(self.name_of(lexeme))
                }
            }
            _ => return Err(self.unexpected("a type")),
        };
        let kind = match kind {
            TypeKind::Named(_) | TypeKind::Function => kind,
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
        let mut pointers = 0;
        // Two of them are one token.
        while matches!(self.peek(), Token::BitAnd | Token::And) {
            pointers += if self.at(Token::And) { 2 } else { 1 };
            self.bump();
            self.extends(start, "a pointer");
        }
        if pointers > MAX_POINTERS {
            return Err(self.too_deep("this type is too deep", MAX_POINTERS as usize));
        }
        Ok(Type { kind, pointers, span: self.since(start) })
    }

    /// The elements of an mtype; commas between them are optional.
    fn mtype(&mut self, ty: Type, start: Span) -> Parsed<Mtype> {
        self.eat(Token::Assign);
        if !self.at(Token::LeftBrace) {
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, "expected `{` before the elements of an mtype")
                    .at(self.span(), "expected `{` before this")
                    .help("elements are declared by `mtype = { red, green }`, a variable by `mtype x = red`");
            return Err(self.report_here(diagnostic));
        }
        self.bump();
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
        if self.at(Token::LeftBracket) {
            self.early_size();
        }
        self.declares_word();
        let name = self.name("the name of a variable")?;
        let mut width = None;
        let mut size = None;
        if self.at_pascal(0) {
            self.pascal();
        } else if self.eat(Token::Colon) {
            width = Some(self.literal()?);
        } else if self.eat(Token::LeftBracket) {
            size = Some(self.expr()?);
            self.expect(Token::RightBracket, " after the size of an array")?;
            self.more_dimensions()?;
        }
        let init = if self.eat(Token::Assign) { Some(self.initializer()?) } else { None };
        Ok(Variable { name, width, size, init, span: self.since(start) })
    }

    /// The size of an array before its name.
    fn early_size(&mut self) {
        let start = self.span();
        let ty = clip(self.input.interner.text(self.last.lexeme.symbol));
        while !matches!(self.peek(), Token::RightBracket | Token::Semicolon | Token::RightBrace | Token::Eof)
        {
            self.bump();
        }
        self.eat(Token::RightBracket);
        let span = self.since(start);
        let size = clip(self.input.map.text(span));
        let size = if size.trim_matches(['[', ']', ' ']).is_empty() { "[3]" } else { &size };
        let name = self.peek_at(0);
        let name = if name.token == Token::Ident { self.name_of(name.lexeme).text } else { "a".into() };
        let help = format!("write `{ty} {}{size}`", clip(&name));
        let diagnostic = foreign_syntax(span, "the size of an array comes after its name", "", help);
        self.report(diagnostic);
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        let start = self.span();
        if self.at_new() {
            return self.new_object().map(Initializer::New);
        }
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
                let capacity_text = clip(self.input.map.text(self.since(start)));
                for token in [Token::Of, Token::LeftBrace] {
                    if !self.eat(token) {
                        let found = token.text().unwrap_or_default();
                        let message = format!("expected `{found}` and the types of the messages");
                        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                            .at(self.span(), format!("expected `{found}` before this"))
                            .help(format!(
                                "a channel says what its messages consist of: `chan q = {capacity_text} of {{ byte, bool }}`"
                            ));
                        return Err(self.report_here(diagnostic));
                    }
                }
                let fields = self.message_types()?;
                Ok(Initializer::Channel(ChannelInit { capacity, fields, span: self.since(start) }))
            }
            _ => self.expr().map(Initializer::Expr),
        }
    }

    /// The types of the fields of messages, after the brace.
    pub(super) fn message_types(&mut self) -> Parsed<Vec<Type>> {
        let mut fields = vec![self.ty()?];
        while self.eat(Token::Comma) {
            fields.push(self.ty()?);
        }
        self.expect(Token::RightBrace, " after the types of the messages")?;
        Ok(fields)
    }
}
