//! From tokens to trees: recursive descent, with operator precedence for expressions.
//!
//! **Recovery.** A function that meets an unexpected token reports it and returns [`Reported`]. Lists catch
//! it (members, locations, statements, actions), skip to where the next element is likely to start, and
//! continue, so that one run reports several independent mistakes. After any error there is a tree with
//! holes, in which only editors look for names.
//!
//! **Limits.** Nesting is limited, and so is the height of expressions that grow without nesting (`1+1+1+…`).
//! Beyond the limits, and when no further error would be shown, the parser gives up the rest of the file.

mod blocks;
mod exprs;
mod foreign;
mod formulas;
mod members;
mod statements;
mod types;

use std::collections::VecDeque;

use source::{Diagnostic, Diagnostics, FileId, SourceMap, Span};

pub use statements::STATEMENT_WORDS;

use crate::ast::{Expr, Name, System, Temporal};
use crate::codes;
use crate::lexer::{Bad, Lexeme, Lexer, Token};
use crate::text::clip;

/// The largest nesting depth of expressions, statements and types.
const MAX_NESTING: u32 = 200;
/// The largest height of the tree of an expression. Less than the limit of the IR's verifier, since lowering
/// can add a node or two on top.
const MAX_HEIGHT: u32 = 400;

/// The largest number of types that a type may be made of. The limit also holds for the expansion of aliases.
pub const MAX_TYPE_SIZE: u32 = 100;

/// The number of invalid characters after which the rest of the file is not looked at.
const MAX_UNREPORTED: usize = 200;

/// The largest lookahead, in tokens, to decide what brackets mean.
const MAX_LOOKAHEAD: usize = 64;

/// The mistake has been reported.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Parses a model, and the files that it imports.
pub fn parse<'s>(
    map: &'s SourceMap,
    file: FileId,
    imports: &[FileId],
    diagnostics: &mut Diagnostics,
) -> Option<System<'s>> {
    let (system, sound) = parse_all(map, file, imports, diagnostics);
    sound.then_some(system)
}

/// What there is of a model, with holes where mistakes are, and whether there is none.
pub fn parse_all<'s>(
    map: &'s SourceMap,
    file: FileId,
    imports: &[FileId],
    diagnostics: &mut Diagnostics,
) -> (System<'s>, bool) {
    let mut system = System::new(Name { text: "", span: Span::new(file, 0, 0) });
    for &import in imports {
        let _ = Parser::new(map.file(import).text(), import, diagnostics).imported(&mut system);
    }
    let parsed = Parser::new(map.file(file).text(), file, diagnostics).system(&mut system);
    let sound = parsed.is_ok() && !diagnostics.has_errors();
    (system, sound)
}

/// Whether a file is what another one can import: members without a system around them.
pub fn is_fragment(map: &SourceMap, file: FileId, diagnostics: &mut Diagnostics) -> bool {
    let mut system = System::new(Name { text: "", span: Span::new(file, 0, 0) });
    Parser::new(map.file(file).text(), file, diagnostics).imported(&mut system).is_ok()
}

/// The names of the files that a file imports, and where it does.
pub fn imports(map: &SourceMap, file: FileId, diagnostics: &mut Diagnostics) -> Vec<(String, Span)> {
    Parser::new(map.file(file).text(), file, diagnostics).imports().unwrap_or_default()
}

/// A property in a file of its own: a formula, or an automaton in the HOA format. Its name is that of the
/// file.
pub fn parse_property<'s>(
    map: &'s SourceMap,
    file: FileId,
    diagnostics: &mut Diagnostics,
) -> Option<Temporal<'s>> {
    let (name, text) = (map.file(file).name(), map.file(file).text());
    let name = Name { text: name, span: Span::new(file, 0, text.len() as u32) };
    if text.trim_start().starts_with("HOA:") {
        return formulas::automaton(name, text, diagnostics);
    }
    let mut parser = Parser::new(text, file, diagnostics);
    let parsed = parser.formula(name).ok()?;
    if !parser.at(Token::Eof) {
        parser.unexpected("an operator or the end");
        return None;
    }
    (!diagnostics.has_errors()).then_some(parsed)
}

/// A block whose `end` is not indented as it is.
struct Crooked {
    word: &'static str,
    keyword: Span,
    end: Span,
}

struct Parser<'s, 'd> {
    text: &'s str,
    file: FileId,
    lexer: Lexer<'s>,
    /// Tokens ahead; there is always one.
    ahead: VecDeque<Lexeme>,
    /// The token before.
    last: Lexeme,
    /// The number of consumed tokens, to see whether a list makes progress.
    consumed: usize,
    nesting: u32,
    /// The place of the last error: a second one at the same place is not reported.
    last_error: Option<u32>,
    given_up: bool,
    /// Whether text is being skipped, which may contain invalid tokens.
    skipping: bool,
    /// Whether a mistake was reported of which the current text is a part.
    silent: bool,
    /// Whether the current statement has text that is no part of the language: it is not looked at further.
    spoiled: bool,
    /// Whether a formula is being parsed: there, `and` and `or` are operators.
    in_formula: bool,
    /// The number of characters that were not reported, since others of their statement were.
    unreported: usize,
    /// Whether blocks in braces were reported.
    has_braces: bool,
    /// Blocks whose `end` is not indented as they are.
    crooked: Vec<Crooked>,
    /// Whether the condition of `when < e >` is being parsed.
    in_angles: bool,
    /// `when e do`, found where a statement could begin: a branch of the `choose` around it.
    branch: Option<(Expr<'s>, Span)>,
    diagnostics: &'d mut Diagnostics,
}

impl<'s, 'd> Parser<'s, 'd> {
    fn new(text: &'s str, file: FileId, diagnostics: &'d mut Diagnostics) -> Self {
        let start = Lexeme { token: Token::Eof, start: 0, end: 0 };
        let mut parser = Self {
            text,
            file,
            lexer: Lexer::new(text, 0),
            ahead: VecDeque::new(),
            last: start,
            consumed: 0,
            nesting: 0,
            last_error: None,
            given_up: false,
            skipping: false,
            silent: false,
            spoiled: false,
            in_formula: false,
            unreported: 0,
            has_braces: false,
            crooked: Vec::new(),
            in_angles: false,
            branch: None,
            diagnostics,
        };
        parser.fill();
        parser
    }

    // Tokens.

    /// Makes sure that the next token is valid.
    fn fill(&mut self) {
        while !self.given_up {
            if self.ahead.is_empty() {
                let lexeme = self.lexer.next();
                self.ahead.push_back(lexeme);
            }
            let next = self.ahead[0];
            let Token::Bad(bad) = next.token else { return };
            if !self.skipping {
                self.report_bad(bad, next);
            }
            self.ahead.pop_front();
        }
        let end = self.text.len() as u32;
        self.ahead.clear();
        self.ahead.push_back(Lexeme { token: Token::Eof, start: end, end });
    }

    fn report_bad(&mut self, bad: Bad, lexeme: Lexeme) {
        if self.spoiled {
            // One message is enough. Where there are many such characters, the file is not a model.
            self.unreported += 1;
            if self.unreported > MAX_UNREPORTED {
                self.give_up();
            }
            return;
        }
        let span = self.span_of(lexeme);
        let spoils = bad == Bad::Character;
        let text = &self.text[lexeme.start as usize..lexeme.end as usize];
        self.report(match bad {
            Bad::Character => {
                let shown: String = text.chars().take(1).flat_map(char::escape_default).collect();
                let shown = if text.chars().any(char::is_control) || text.is_empty() { &shown } else { text };
                let diagnostic = Diagnostic::error(
                    codes::UNEXPECTED_CHARACTER,
                    format!("unexpected character `{}`", clip(shown)),
                )
                .at(span, "this is no part of the language");
                match character_hint(self.text, lexeme) {
                    Some(hint) => diagnostic.help(hint),
                    None => diagnostic,
                }
            }
            Bad::UnterminatedString => {
                Diagnostic::error(codes::UNTERMINATED_STRING, "this string does not end")
                    .at(span, "it starts here")
                    .help("a string ends with `\"` on the line it starts")
            }
            Bad::UnterminatedComment => {
                let start = Span::new(self.file, lexeme.start, lexeme.start + 2);
                Diagnostic::error(codes::UNTERMINATED_COMMENT, "this comment does not end")
                    .at(start, "it starts here")
                    .help("a comment ends with `*/`; comments do not nest")
            }
        });
        self.spoiled |= spoils;
    }

    fn peek(&self) -> Token {
        self.ahead[0].token
    }

    /// The token `distance` after the next one.
    fn peek_at(&mut self, distance: usize) -> Token {
        self.lexeme_at(distance).token
    }

    fn lexeme_at(&mut self, distance: usize) -> Lexeme {
        while self.ahead.len() <= distance {
            if self.given_up {
                return self.ahead[0];
            }
            let lexeme = self.lexer.next();
            self.ahead.push_back(lexeme);
        }
        self.ahead[distance]
    }

    fn at(&self, token: Token) -> bool {
        self.peek() == token
    }

    /// Whether the next token is this word, which is not a keyword.
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Ident && self.slice(self.ahead[0]) == word
    }

    fn slice(&self, lexeme: Lexeme) -> &'s str {
        &self.text[lexeme.start as usize..lexeme.end as usize]
    }

    fn bump(&mut self) -> Lexeme {
        self.last = self.ahead[0];
        if matches!(self.last.token, Token::Semicolon | Token::LeftBrace | Token::RightBrace) {
            self.spoiled = false;
        }
        if self.last.token != Token::Eof {
            self.consumed += 1;
            self.ahead.pop_front();
            self.fill();
        }
        self.last
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.at(token);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: Token, context: &str) -> Parsed<Span> {
        if self.at(token) {
            let lexeme = self.bump();
            return Ok(self.span_of(lexeme));
        }
        let text = token.fixed_text().unwrap_or("?");
        Err(self.unexpected(&format!("`{text}`{context}")))
    }

    /// A semicolon; a missing one is reported after the token it should follow. If that ends its line, the
    /// rest is likely to be fine.
    fn semicolon(&mut self) -> Parsed<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let found = self.describe_next();
        let place = self.span_of(self.last).after();
        let here = self.span();
        if self.is_news(here.start) {
            let mut diagnostic = Diagnostic::error(codes::UNEXPECTED, format!("expected `;`, found {found}"))
                .at(place, "expected `;` here");
            if self.at(Token::Equal) {
                diagnostic = diagnostic.help("values are compared with `==`, and assigned with `:=`");
            }
            self.report(diagnostic);
            self.last_error = Some(here.start);
        }
        let between = self.text.get(place.start as usize..here.start as usize);
        if between.is_some_and(|between| between.contains('\n')) { Ok(()) } else { Err(Reported) }
    }

    fn name(&mut self, what: &str) -> Parsed<Name<'s>> {
        if self.at(Token::Ident) {
            let lexeme = self.bump();
            return Ok(Name { text: self.slice(lexeme), span: self.span_of(lexeme) });
        }
        if self.peek().is_keyword() {
            let word = self.peek().fixed_text().unwrap_or_default();
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, format!("expected {what}, found the keyword `{word}`"))
                    .at(self.span(), format!("expected {what}"))
                    .help(format!("`{word}` is a word of the language and cannot be a name"));
            return Err(self.report_here(diagnostic));
        }
        Err(self.unexpected(what))
    }

    /// One or more, separated by commas.
    fn names(&mut self, what: &str) -> Parsed<Vec<Name<'s>>> {
        let mut names = vec![self.name(what)?];
        while self.eat(Token::Comma) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    // Places.

    fn span_of(&self, lexeme: Lexeme) -> Span {
        Span::new(self.file, lexeme.start, lexeme.end)
    }

    /// The place of the token `distance` after the next one.
    fn span_at(&mut self, distance: usize) -> Span {
        let lexeme = self.lexeme_at(distance);
        self.span_of(lexeme)
    }

    /// The place of the next token.
    fn span(&self) -> Span {
        self.span_of(self.ahead[0])
    }

    /// From a place to the last token that was consumed.
    fn since(&self, start: Span) -> Span {
        Span::new(self.file, start.start, self.last.end.max(start.end))
    }

    // Errors.

    fn describe_next(&self) -> String {
        let lexeme = self.ahead[0];
        match lexeme.token {
            Token::Eof => "the end of the file".to_owned(),
            Token::Str => "a string".to_owned(),
            token if token.is_keyword() => format!("the keyword `{}`", self.slice(lexeme)),
            _ => format!("`{}`", clip(self.slice(lexeme))),
        }
    }

    fn unexpected(&mut self, expected: &str) -> Reported {
        let found = self.describe_next();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, format!("expected {expected}, found {found}"))
            .at(self.span(), format!("expected {expected}"));
        self.report_here(diagnostic)
    }

    fn is_news(&self, start: u32) -> bool {
        self.last_error != Some(start)
    }

    /// Reports an error about the next token, unless there already was one.
    fn report_here(&mut self, diagnostic: Diagnostic) -> Reported {
        let start = self.ahead[0].start;
        if self.is_news(start) {
            self.last_error = Some(start);
            self.report(diagnostic);
        }
        Reported
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.given_up || self.silent || self.spoiled {
            return;
        }
        self.diagnostics.push(diagnostic);
        if self.diagnostics.is_full() {
            self.diagnostics.stop();
            self.give_up();
        }
    }

    /// Continues as if the file ended here.
    fn give_up(&mut self) {
        self.given_up = true;
        self.fill();
    }

    // Limits.

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep("this is nested too deeply", MAX_NESTING));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn too_deep(&mut self, message: &str, limit: u32) -> Reported {
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message)
            .at(self.span(), "the limit is reached here")
            .note(format!("the limit is {limit}; the rest of the file was not looked at"));
        self.report_here(diagnostic);
        self.give_up();
        Reported
    }

    // Recovery.

    /// Whether a member of the system starts here. None of these tokens is part of a body, except `virtual`
    /// after `invoke`.
    fn at_member(&mut self) -> bool {
        use Token::*;
        match self.peek() {
            Const | Enum | Record | Typealias | Thread | Function | Fun | Extension | Invariant | Ltl => true,
            Virtual => self.last.token != Invoke,
            Ident => self.at_modifier() && (self.peek_at(1) != LeftBracket || self.at_counted_threads()),
            _ => false,
        }
    }

    /// Whether `active[n] thread` starts here, rather than an element of an array named `active`.
    fn at_counted_threads(&mut self) -> bool {
        let end = self.behind_brackets(1);
        end.is_some_and(|end| matches!(self.peek_at(end), Token::Thread | Token::Function))
    }

    /// The distance of the token after the brackets that start at `start`, if they are not far apart.
    fn behind_brackets(&mut self, start: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for distance in start..start + MAX_LOOKAHEAD {
            match self.peek_at(distance) {
                Token::LeftBracket => depth += 1,
                Token::RightBracket if depth <= 1 => return Some(distance + 1),
                Token::RightBracket => depth -= 1,
                Token::Semicolon | Token::LeftBrace | Token::RightBrace | Token::Eof => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether the next token is a word that belongs to the member keyword after it.
    fn at_modifier(&mut self) -> bool {
        if !self.at(Token::Ident) {
            return false;
        }
        let next = self.peek_at(1);
        match self.slice(self.ahead[0]) {
            "top" | "throwable" => {
                next == Token::Record || {
                    let lexeme = self.lexeme_at(1);
                    next == Token::Ident && matches!(self.slice(lexeme), "top" | "throwable" | "record")
                }
            }
            "abstract" => next == Token::Enum,
            "main" => matches!(next, Token::Thread | Token::Function),
            "active" => {
                matches!(next, Token::Thread | Token::Function)
                    || next == Token::LeftBracket && self.peek_at(2) != Token::RightBracket
            }
            _ => false,
        }
    }

    /// Skips to the next member: to a keyword that starts one, or past the `;` or the braces that end one.
    fn skip_member(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::Eof => return,
                Token::Semicolon if depth == 0 => {
                    self.bump();
                    return;
                }
                Token::LeftBrace => depth += 1,
                Token::RightBrace if depth == 0 => return,
                Token::RightBrace => {
                    depth -= 1;
                    if depth == 0 {
                        self.bump();
                        return;
                    }
                }
                _ if self.at_member() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Parses an element of a list. After an error, skips to where the next one may start.
    fn element<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed<T>,
        stop: impl Fn(Token) -> bool,
    ) -> Option<T> {
        let before = self.consumed;
        let parsed = parse(self).ok();
        if parsed.is_none() {
            if self.consumed == before {
                self.bump();
            }
            self.skip_to(stop);
        }
        parsed
    }

    /// The contents of braces, the first of which was just consumed. After an error, skips past the closing
    /// one.
    fn braced<T: Default>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>, what: &str) -> T {
        let parsed = parse(self).and_then(|parsed| {
            self.expect(Token::RightBrace, &format!(" after {what}"))?;
            Ok(parsed)
        });
        parsed.unwrap_or_else(|Reported| {
            while !matches!(self.peek(), Token::RightBrace | Token::Eof) && !self.at_member() {
                self.bump();
            }
            self.eat(Token::RightBrace);
            T::default()
        })
    }

    /// Skips past the next `;`, or to a token that `stop` accepts, or out of the procedure.
    fn skip_to(&mut self, stop: impl Fn(Token) -> bool) {
        loop {
            match self.peek() {
                Token::Eof | Token::RightBrace | Token::Loc => return,
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                token if stop(token) => return,
                _ if self.at_member() => return,
                _ => {
                    self.bump();
                }
            }
        }
    }
}

/// What to write instead of a character that is no part of the language.
fn character_hint(text: &str, lexeme: Lexeme) -> Option<&'static str> {
    let (before, after) = (&text[..lexeme.start as usize], &text[lexeme.end as usize..]);
    let word = after.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
    match &text[lexeme.start as usize..lexeme.end as usize] {
        "\\" if before.ends_with('/') => Some("`/\\` is written `&&`"),
        "\\" if after.starts_with('/') => Some("`\\/` is written `||`"),
        "\\" => match word {
            "in" => Some("`x \\in s` is written `s.contains(x)`"),
            "A" => Some("`\\A x \\in s : p` is written `forall x in s : p`"),
            "E" => Some("`\\E x \\in s : p` is written `exists x in s : p`"),
            "cup" | "union" => Some("the union of two sets is `s.union(t)`"),
            "cap" | "intersect" => Some("the intersection of two sets is `s.intersection(t)`"),
            _ => None,
        },
        "'" if before.ends_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_') => {
            Some("the next value of a variable is assigned: `x := x + 1;`")
        }
        "'" => Some("a string is in double quotes, `\"a\"`; there are no characters"),
        "~" => Some("`~` is written `!`; `~=` is written `!=`"),
        "“" | "”" | "„" => Some("strings are in straight quotes, `\"`"),
        "`" => Some("names are written without ticks"),
        _ => None,
    }
}
