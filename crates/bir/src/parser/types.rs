//! Types, parameters and variables.

use source::Diagnostic;

use super::{MAX_TYPE_SIZE, Parsed, Parser};
use crate::ast::{Name, Param, Range, Type, TypeKind, Variable};
use crate::codes;
use crate::collections::Kind;
use crate::foreign;
use crate::lexer::{Lexeme, Token};
use crate::text::clip;

/// The largest number of dimensions of an array.
const MAX_DIMENSIONS: u32 = 32;

impl<'s> Parser<'s, '_> {
    pub(super) fn ty(&mut self) -> Parsed<Type<'s>> {
        let mut ty = self.element_type()?;
        let mut dimensions = 0;
        while self.at(Token::LeftBracket) && self.peek_at(1) == Token::RightBracket {
            self.bump();
            self.bump();
            ty = self.array_of(ty, &mut dimensions)?;
        }
        Ok(ty)
    }

    /// The array type whose brackets were just consumed.
    pub(super) fn array_of(&mut self, element: Type<'s>, dimensions: &mut u32) -> Parsed<Type<'s>> {
        *dimensions += 1;
        if *dimensions > MAX_DIMENSIONS {
            return Err(self.too_deep("this array has too many dimensions", MAX_DIMENSIONS));
        }
        let (span, size) = (self.since(element.span), element.size + 1);
        self.sized(Type { kind: TypeKind::Array(Box::new(element)), span, size })
    }

    fn sized(&mut self, ty: Type<'s>) -> Parsed<Type<'s>> {
        if ty.size > MAX_TYPE_SIZE {
            return Err(self.too_deep("this type has too many parts", MAX_TYPE_SIZE));
        }
        Ok(ty)
    }

    /// A type that is not an array.
    pub(super) fn element_type(&mut self) -> Parsed<Type<'s>> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Boolean => TypeKind::Boolean,
            Token::Tid => TypeKind::Tid,
            Token::StringType => TypeKind::String,
            Token::Lock => TypeKind::Lock,
            Token::IntType | Token::LongType => {
                let long = self.bump().token == Token::LongType;
                let range = self.range()?;
                return Ok(Type { kind: TypeKind::Int { long, range }, span: self.since(start), size: 1 });
            }
            Token::Ident => {
                let name = self.name("a type")?;
                if self.at(Token::Dot) || self.at(Token::Less) && Kind::named(name.text).is_some() {
                    return self.extension_type(name);
                }
                if self.at(Token::Less)
                    && let Some(hint) = foreign::type_hint(name.text)
                {
                    let message = format!("there is no type `{}`", clip(name.text));
                    let diagnostic =
                        Diagnostic::error(codes::UNKNOWN_TYPE, message).at(name.span, "").help(hint);
                    return Err(self.report_here(diagnostic));
                }
                return Ok(Type { kind: TypeKind::Named(name.text), span: name.span, size: 1 });
            }
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(Type { kind, span: start, size: 1 })
    }

    /// `name<T, …>` or `name.type<T, …>`, whose name was just consumed.
    fn extension_type(&mut self, name: Name<'s>) -> Parsed<Type<'s>> {
        if self.eat(Token::Dot) && !self.eat_word("type") {
            return Err(self.unexpected("`type` after the name of an extension"));
        }
        let args = if self.at(Token::Less) { self.type_arguments()? } else { Vec::new() };
        let size = 1 + args.iter().map(|arg| arg.size).sum::<u32>();
        let span = self.since(name.span);
        self.sized(Type { kind: TypeKind::Extension { name, args }, span, size })
    }

    /// `< T, … >`
    pub(super) fn type_arguments(&mut self) -> Parsed<Vec<Type<'s>>> {
        self.nested(|parser| {
            parser.expect(Token::Less, " before the types")?;
            let mut args = vec![parser.ty()?];
            while parser.eat(Token::Comma) {
                args.push(parser.ty()?);
            }
            parser.close_types()?;
            Ok(args)
        })
    }

    /// The `>` after types, which an `=` may follow immediately.
    fn close_types(&mut self) -> Parsed<()> {
        if self.at(Token::GreaterEqual) {
            let Lexeme { start, end, .. } = self.ahead[0];
            self.last = Lexeme { token: Token::Greater, start, end: start + 1 };
            self.ahead[0] = Lexeme { token: Token::Equal, start: start + 1, end };
            self.consumed += 1;
            return Ok(());
        }
        self.expect(Token::Greater, " after the types")?;
        Ok(())
    }

    fn range(&mut self) -> Parsed<Option<Box<Range<'s>>>> {
        // `int wrap;` declares a variable of this name.
        let named = matches!(
            self.peek_at(1),
            Token::Semicolon | Token::Comma | Token::RightParen | Token::Assign | Token::Equal
        );
        let wrap = !named && self.eat_word("wrap");
        if !wrap && !self.at(Token::LeftParen) {
            return Ok(None);
        }
        self.expect(Token::LeftParen, " before the bounds of the range")?;
        let lo = self.expr()?;
        self.expect(Token::Comma, " between the bounds of the range")?;
        let hi = self.expr()?;
        self.expect(Token::RightParen, " after the bounds of the range")?;
        Ok(Some(Box::new(Range { wrap, lo, hi })))
    }

    /// `( T a, T b, … )`
    pub(super) fn params(&mut self) -> Parsed<Vec<Param<'s>>> {
        self.expect(Token::LeftParen, " before the parameters")?;
        let mut params = Vec::new();
        if !self.at(Token::RightParen) {
            loop {
                let ty = self.ty()?;
                if let TypeKind::Named(name) = ty.kind
                    && matches!(self.peek(), Token::Comma | Token::RightParen | Token::Colon)
                {
                    let diagnostic =
                        Diagnostic::error(codes::UNEXPECTED, "a parameter has a type and a name")
                            .at(ty.span, "")
                            .help(format!("write `int {}`", clip(name)));
                    return Err(self.report_here(diagnostic));
                }
                let name = self.name("the name of a parameter")?;
                params.push(Param { name, ty });
                if !self.eat(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::RightParen, " after the parameters")?;
        Ok(params)
    }

    /// `T name [:= value];`
    pub(super) fn variable(&mut self) -> Parsed<Variable<'s>> {
        self.declaration("the name of a variable")
    }

    /// The declaration of a variable or a field.
    pub(super) fn declaration(&mut self, what: &str) -> Parsed<Variable<'s>> {
        let ty = self.ty()?;
        if self.at(Token::Colon) && matches!(ty.kind, TypeKind::Named(_)) {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "the type comes before the name")
                .at(self.span(), "")
                .help("write `int x;`");
            return Err(self.report_here(diagnostic));
        }
        let name = self.name(what)?;
        let init = if self.eat(Token::Assign) { Some(self.expr()?) } else { None };
        if let Some(reported) = self.foreign_declarator(ty.span, name.text) {
            return Err(reported);
        }
        self.semicolon()?;
        Ok(Variable { name, ty, init })
    }

    /// Whether a declaration of a variable starts here, rather than a statement.
    pub(super) fn at_variable(&mut self) -> bool {
        if self.at(Token::Ident) && (self.at_foreign_local() || self.at_foreign_elseif() || self.at_delete())
        {
            return false;
        }
        match self.peek() {
            Token::Boolean | Token::IntType | Token::LongType | Token::Tid | Token::StringType => true,
            // `lock(e);` is a statement.
            Token::Lock => self.peek_at(1) != Token::LeftParen,
            Token::Ident => match self.peek_at(1) {
                Token::Ident => {
                    let third = self.lexeme_at(2);
                    !((self.at_quantifier() || self.at_word("for")) && self.slice(third) == "in")
                }
                Token::LeftBracket => self.peek_at(2) == Token::RightBracket,
                // `Set.type<int> s;`
                Token::Dot => {
                    let word = self.lexeme_at(2);
                    self.slice(word) == "type" && matches!(self.peek_at(3), Token::Ident | Token::Less)
                }
                // `Set<int> s;`
                Token::Less => Kind::named(self.slice(self.ahead[0])).is_some(),
                _ => false,
            },
            _ => false,
        }
    }
}
