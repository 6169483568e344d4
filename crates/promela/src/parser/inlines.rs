//! Inlines: definitions kept as lexemes, calls that read them.

use std::rc::Rc;

use source::{Definition, Diagnostic, NameKind, Span};

use super::{Class, Parsed, Parser};
use crate::ast::{Block, InlineCall, Name, VarRef};
use crate::codes;
use crate::lexer::{Kind, Lexeme, Symbol, Token, join};
use crate::text::{clip, count};

/// The largest nesting depth of calls, the same as SPIN's.
const MAX_DEPTH: usize = 16;

pub struct Inline {
    pub name: Name,
    params: Vec<Symbol>,
    /// From brace to brace.
    body: Rc<[Lexeme]>,
}

/// Lexemes that are read before others.
pub struct Frame {
    lexemes: Vec<Lexeme>,
    at: usize,
    /// The call that these are the body for.
    pub call: Option<Call>,
}

#[derive(Clone)]
pub struct Call {
    inline: usize,
    pub site: InlineCall,
    /// The variable that the result is assigned to.
    pub result: Option<VarRef>,
}

impl Frame {
    pub fn new(lexemes: Vec<Lexeme>, call: Option<Call>) -> Self {
        Self { lexemes, at: 0, call }
    }

    pub fn next(&mut self) -> Option<Lexeme> {
        let lexeme = self.lexemes.get(self.at).copied();
        self.at += 1;
        lexeme
    }
}

impl Parser<'_> {
    /// `inline name(params) { … }`
    pub(super) fn inline(&mut self) -> Parsed<()> {
        self.bump();
        let symbol = self.peek_at(0).lexeme.symbol;
        let name = self.name("the name of an inline")?;
        self.expect(Token::LeftParen, " before the parameters of an inline")?;
        let mut params: Vec<Symbol> = Vec::new();
        let mut places: Vec<Span> = Vec::new();
        while !self.at(Token::RightParen) {
            if !params.is_empty() {
                self.expect(Token::Comma, " or `)` after a parameter of an inline")?;
            }
            let param = self.peek_at(0).lexeme.symbol;
            places.push(self.name("the name of a parameter")?.span);
            params.push(param);
        }
        self.bump();
        self.expect(Token::LeftBrace, " before the body of an inline")?;
        let open = self.last.lexeme;
        let body = self.lexemes_to_brace(open)?;
        self.define_inline(&name, &params, &places, &body);
        if let Some(&Class::Inline(other)) = self.classes.get(&symbol) {
            let message = format!("there are two inlines called `{}`", clip(&name.text));
            let diagnostic = Diagnostic::error(codes::BAD_INLINE, message)
                .at(name.span, "this is the second one")
                .label(self.inlines[other].name.span, "this is the first one");
            self.report(diagnostic);
            return Ok(());
        }
        self.classes.insert(symbol, Class::Inline(self.inlines.len()));
        self.inlines.push(Inline { name, params, body: body.into() });
        Ok(())
    }

    /// Notes the definition of an inline, and where its body mentions its parameters.
    fn define_inline(&mut self, name: &Name, params: &[Symbol], places: &[Span], body: &[Lexeme]) {
        if !self.input.index.is_on() {
            return;
        }
        let last = body.last().map_or(name.span, |brace| brace.span);
        let scope = join(name.span, last);
        let texts: Vec<_> = params.iter().map(|&param| self.input.interner.text(param).clone()).collect();
        let definition = Definition::new(NameKind::Inline, &name.text, name.span);
        let text = format!("inline {}({})", name.text, texts.join(", "));
        self.input.index.define(definition.text(text).extent(scope));
        for (text, &at) in texts.iter().zip(places) {
            let definition = Definition::new(NameKind::Parameter, text, at);
            self.input.index.define(definition.owner(name.span).scope(scope));
        }
        for lexeme in body.iter().filter(|lexeme| lexeme.kind == Kind::Word) {
            if let Some(param) = params.iter().position(|&param| param == lexeme.symbol) {
                let text = self.input.interner.text(lexeme.symbol);
                self.input.index.mention_name(self.input.map, text, lexeme.span, places[param]);
            }
        }
    }

    /// The next lexeme, whether or not it was read ahead as a token.
    fn lexeme(&mut self) -> Lexeme {
        while let Some(next) = self.ahead.pop_front() {
            if next.token != Token::LineEnd {
                return next.lexeme;
            }
        }
        self.read()
    }

    /// The lexemes up to the brace that closes `open`, including both.
    pub(super) fn lexemes_to_brace(&mut self, open: Lexeme) -> Parsed<Vec<Lexeme>> {
        let mut lexemes = vec![open];
        let mut depth = 1_usize;
        while depth > 0 {
            let lexeme = self.lexeme();
            match () {
                () if lexeme.is(Token::LeftBrace) => depth += 1,
                () if lexeme.is(Token::RightBrace) => depth -= 1,
                () if lexeme.kind == Kind::End => {
                    let diagnostic =
                        Diagnostic::error(codes::UNEXPECTED, "expected `}`, found the end of the model")
                            .at(open.span, "the brace that does not end")
                            .help("each `{` needs a `}`");
                    return Err(self.report_here(diagnostic));
                }
                () => {}
            }
            lexemes.push(lexeme);
        }
        Ok(lexemes)
    }

    /// Whether a call of an inline is next.
    pub(super) fn at_call(&mut self) -> Option<usize> {
        if !self.at(Token::Ident) {
            return None;
        }
        match self.class() {
            Some(Class::Inline(index)) if self.second() == Token::LeftParen => Some(index),
            _ => None,
        }
    }

    /// `name(args)`, as the block that it stands for.
    pub(super) fn call(&mut self, index: usize, result: Option<VarRef>) -> Parsed<Block> {
        let lexeme = self.bump();
        let name = self.name_of(lexeme);
        self.bump();
        let args = self.call_arguments(name.span)?;
        let site = InlineCall { span: self.since(name.span), name };
        let declared = self.inlines[index].name.span;
        self.input.index.mention_name(self.input.map, &site.name.text, site.name.span, declared);
        self.check_call(index, &site, args.len())?;
        let inline = &self.inlines[index];
        let mut lexemes = Vec::with_capacity(inline.body.len());
        for &lexeme in &*inline.body {
            let param = inline.params.iter().position(|&param| param == lexeme.symbol);
            match param.filter(|_| lexeme.kind == Kind::Word) {
                None => lexemes.push(lexeme),
                Some(param) => {
                    for arg in args[param].iter().filter(|arg| arg.kind == Kind::Word) {
                        let text = self.input.interner.text(arg.symbol);
                        self.input.index.spell_argument(lexeme.span, text, arg.span, site.span);
                    }
                    let replaced = args[param].iter().enumerate().map(|(at, arg)| Lexeme {
                        span: lexeme.span,
                        newline: at == 0 && lexeme.newline,
                        ..*arg
                    });
                    lexemes.extend(replaced);
                }
            }
        }
        self.frames.push(Frame::new(lexemes, Some(Call { inline: index, site: site.clone(), result })));
        // The first line of the body does not end a statement.
        self.ends = false;
        let mut block = self.block(" before the body of an inline")?;
        block.inlined = Some(site);
        Ok(block)
    }

    fn check_call(&mut self, index: usize, site: &InlineCall, args: usize) -> Parsed<()> {
        let inline = &self.inlines[index];
        let shown = clip(&inline.name.text);
        let params = inline.params.len();
        let running = || self.frames.iter().filter_map(|frame| frame.call.as_ref());
        let (message, label) = if params != args {
            let message = format!("the inline `{shown}` takes {}", count(params, "argument"));
            (message, format!("here {} {args}", if args == 1 { "is" } else { "are" }))
        } else if running().any(|call| call.inline == index) {
            (format!("the inline `{shown}` calls itself"), "its body stands for this call".to_owned())
        } else if running().count() == MAX_DEPTH {
            (format!("inlines call each other more than {MAX_DEPTH} deep"), "the last call".to_owned())
        } else {
            return Ok(());
        };
        let diagnostic = Diagnostic::error(codes::BAD_INLINE, message)
            .at(site.span, label)
            .label(inline.name.span, "the inline");
        self.last_error = Some(self.consumed);
        self.report(diagnostic);
        Err(super::Reported)
    }

    /// The arguments of a call, up to the closing parenthesis. Nothing after it is read.
    fn call_arguments(&mut self, start: Span) -> Parsed<Vec<Vec<Lexeme>>> {
        let mut args: Vec<Vec<Lexeme>> = vec![Vec::new()];
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::RightParen if depth == 0 => break,
                Token::Comma if depth == 0 => {
                    self.bump();
                    args.push(Vec::new());
                    continue;
                }
                Token::LeftParen | Token::LeftBracket => depth += 1,
                Token::RightParen | Token::RightBracket => depth = depth.saturating_sub(1),
                Token::Eof | Token::Semicolon | Token::LeftBrace | Token::RightBrace => {
                    return Err(self.unexpected("`)` after the arguments of an inline"));
                }
                _ => {}
            }
            let lexeme = self.bump();
            if let Some(last) = args.last_mut() {
                last.push(lexeme);
            }
        }
        self.bump();
        if args.len() == 1 && args[0].is_empty() {
            args.clear();
        }
        if args.iter().any(Vec::is_empty) {
            let diagnostic = Diagnostic::error(codes::BAD_INLINE, "an argument of this call is empty")
                .at(self.since(start), "an argument is missing in these parentheses");
            self.report(diagnostic);
            return Err(super::Reported);
        }
        Ok(args)
    }

    /// Whether the current text comes from an inline.
    pub(super) fn in_inline(&self) -> bool {
        self.frames.iter().any(|frame| frame.call.is_some())
    }
}
