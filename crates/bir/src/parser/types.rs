//! Types, parameters and variables.

use source::Diagnostic;

use super::{Parsed, Parser, Reported};
use crate::ast::{Name, Param, Range, Type, TypeKind, Variable};
use crate::codes;
use crate::lexer::Token;

/// How many dimensions an array may have.
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
        let span = self.since(element.span);
        Ok(Type { kind: TypeKind::Array(Box::new(element)), span })
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
                return Ok(Type { kind: TypeKind::Int { long, range }, span: self.since(start) });
            }
            Token::Ident => {
                let name = self.name("a type")?;
                if self.at(Token::Dot) {
                    return Err(self.collection(name));
                }
                return Ok(Type { kind: TypeKind::Named(name.text), span: name.span });
            }
            _ => return Err(self.unexpected("a type")),
        };
        self.bump();
        Ok(Type { kind, span: start })
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

    /// Refuses `extension.something`, the first name of which was just consumed.
    pub(super) fn collection(&mut self, extension: Name<'s>) -> Reported {
        let diagnostic = Diagnostic::error(codes::UNSUPPORTED, "collections are not supported yet")
            .at(extension.span, "this would be the name of an extension");
        self.report_here(diagnostic)
    }

    /// `( T a, T b, … )`
    pub(super) fn params(&mut self) -> Parsed<Vec<Param<'s>>> {
        self.expect(Token::LeftParen, " before the parameters")?;
        let mut params = Vec::new();
        if !self.at(Token::RightParen) {
            loop {
                let ty = self.ty()?;
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
        let ty = self.ty()?;
        let name = self.name("the name of a variable")?;
        let init = if self.eat(Token::Assign) { Some(self.expr()?) } else { None };
        if self.at(Token::Equal) {
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `:=`, found `=`")
                .at(self.span(), "expected `:=`")
                .help("`=` defines constants; variables are assigned with `:=`");
            return Err(self.report_here(diagnostic));
        }
        self.semicolon()?;
        Ok(Variable { name, ty, init })
    }

    /// Whether a declaration of a variable starts here, rather than a statement.
    pub(super) fn at_variable(&mut self) -> bool {
        match self.peek() {
            Token::Boolean | Token::IntType | Token::LongType | Token::Tid | Token::StringType => true,
            // `lock(e);` is a statement.
            Token::Lock => self.peek_at(1) != Token::LeftParen,
            Token::Ident => match self.peek_at(1) {
                Token::Ident => true,
                Token::LeftBracket => self.peek_at(2) == Token::RightBracket,
                // `Set.type<int> s;`
                Token::Dot => {
                    self.peek_at(2) == Token::Ident && matches!(self.peek_at(3), Token::Ident | Token::Less)
                }
                _ => false,
            },
            _ => false,
        }
    }
}
