//! From lexemes to a model, by recursive descent after SPIN's grammar.
//!
//! # Where SPIN reads a semicolon
//!
//! Inside bodies and typedefs, outside of parentheses, SPIN reads the end of a line as `;` if the line ends
//! in a token that can end a statement: a closing bracket, `od`, `fi`, `else`, `break`, a name, a constant,
//! `++` or `--`. So `x = a` and `- b` on two lines are two statements. The stream of tokens does the same
//! with [`Token::LineEnd`], except where a `;` would make no sense: before `}`, `;`, `->` and `unless`. After
//! `}` and `else` separators are optional anyway.
//!
//! # Inlines
//!
//! The body of an inline is kept as lexemes. A call inserts them, with the parameters replaced, before the
//! rest of the input, and the result of parsing them is the block that the call stands for. Formulas are kept
//! as lexemes too, and parsed when all processes are known, as in SPIN.
//!
//! # Where this parser accepts more than SPIN
//!
//! - `unless` may start a line, whatever the line before ends in.
//! - `P@label` and `P[e]@label` may occur before `P` is declared.
//! - A macro is expanded in `0..N`, which is a single token for C's preprocessor.
//! - Initial values in braces may be any expressions, and further variables may follow them.
//! - An argument of an inline may have commas in parentheses, and may be the name of another parameter.
//! - In formulas, `full`, `empty`, `nfull` and `nempty` may be negated; `[]` and `<>` may have spaces inside.

mod additional;
mod declarations;
mod dynamic;
mod exprs;
mod inlines;
mod ltl;
mod mistakes;
mod recovery;
mod selections;
mod statements;
mod units;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Diagnostics, FileId, Index, Provider, SourceMap, Span};

use crate::Extension;
use crate::ast::{Item, Literal, Model, Name};
use crate::codes;
use crate::lexer::{Kind, Lexeme, Symbol, Token, join};
use crate::preprocess::{Preprocessor, character};
use crate::text::clip;
use inlines::{Frame, Inline};
use ltl::Deferred;
use recovery::Open;

/// The largest nesting depth of expressions and statements.
const MAX_NESTING: u32 = 150;
/// The largest height of the tree of an expression.
const MAX_HEIGHT: u32 = 400;
/// The largest number of tokens of a model, after macros and inlines.
const MAX_TOKENS: usize = 2_000_000;

/// The mistake has been reported.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// Preprocesses and parses a model. `defines` are macros, as from `-DNAME=VALUE`; included files are read
/// through `provider` and added to `map`. `None` if there are errors; there may be warnings in any case.
pub fn parse(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    parse_with(map, provider, file, defines, &[], Extension::Auto, diagnostics)
}

/// Like [`parse`], with files of properties: see [`crate::compile_with`].
pub fn parse_with(
    map: &mut SourceMap,
    provider: &dyn Provider,
    file: FileId,
    defines: &[(String, String)],
    properties: &[FileId],
    extension: Extension,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let sources = (map, provider);
    let (model, _) = parse_all(sources, file, defines, properties, extension, diagnostics, Index::default());
    (!diagnostics.has_errors()).then_some(model)
}

/// What there is of a model, with holes where mistakes are, and the names of macros and inlines.
pub(crate) fn parse_all(
    (map, provider): (&mut SourceMap, &dyn Provider),
    file: FileId,
    defines: &[(String, String)],
    properties: &[FileId],
    extension: Extension,
    diagnostics: &mut Diagnostics,
    index: Index,
) -> (Model, Index) {
    let functions = dynamic::function_names(map.file(file).text());
    let mut parser = Parser::new(Preprocessor::new(map, provider, file, defines, diagnostics, index));
    parser.may_extend = extension != Extension::Spin;
    if extension == Extension::Dynamic {
        parser.extends(Span::new(file, 0, 0), "the dialect that was asked for");
    }
    parser.callables.extend(functions.iter().map(|name| parser.input.interner.intern(name)));
    let model = parser.model(properties);
    (model, parser.input.index)
}

/// A token, and where it is from.
#[derive(Clone, Copy, Debug)]
struct Next {
    token: Token,
    lexeme: Lexeme,
}

/// The kind of a declared name, where the parser depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Typedef,
    Proctype,
    Inline(usize),
}

struct Parser<'a> {
    input: Preprocessor<'a>,
    /// Lexemes to read before the input: bodies of inlines, the innermost last.
    frames: Vec<Frame>,
    /// A lexeme that was read ahead.
    held: Option<Lexeme>,
    /// Tokens ahead.
    ahead: VecDeque<Next>,
    /// Whether the last token ahead can end a statement.
    ends: bool,
    /// The number of open parentheses at the last token ahead.
    parens: usize,
    /// Whether ends of lines can be semicolons.
    in_sequence: bool,
    /// The token that was consumed last, and the one before it.
    last: Next,
    previous: Next,
    consumed: usize,
    nesting: u32,
    /// The number of consumed tokens at the last error: a second error at the same place is not reported.
    last_error: Option<usize>,
    /// Whether text is being skipped, which may contain invalid tokens.
    skipping: bool,
    /// Whether the rest of the line is skipped.
    skipping_line: bool,
    classes: FxHashMap<Symbol, Class>,
    /// Where processes are declared.
    processes: FxHashMap<Symbol, Span>,
    /// What is open at this place, the innermost last.
    open: Vec<Open>,
    /// A block of this unit whose braces are not indented alike: it may be the one that lacks its end.
    suspect: Option<(Span, Span)>,
    /// Codes and places of reports: the text of a macro or inline is read at each use.
    told: FxHashSet<(&'static str, Span)>,
    /// Types and inlines that were reported as unknown.
    unknown: FxHashSet<Symbol>,
    /// Whether an error left it open where the next unit starts, so that what follows need not be a unit.
    lost: bool,
    /// Whether an array of more than one dimension was reported.
    told_dimensions: bool,
    /// Whether the formula has an operator of another notation, whose precedence may be another.
    foreign_formula: bool,
    inlines: Vec<Inline>,
    /// Names that can be called: functions, whether declared yet or not, and variables that hold functions.
    callables: FxHashSet<Symbol>,
    /// Words of the extension that the model declares as names.
    plain_words: FxHashSet<Symbol>,
    /// Whether the body of a function is read.
    in_function: bool,
    /// Whether the model may use the extension.
    may_extend: bool,
    /// The first use of the extension.
    extension: Option<(Span, &'static str)>,
    items: Vec<Option<Item>>,
    deferred: Vec<Deferred>,
}

impl<'a> Parser<'a> {
    fn new(mut input: Preprocessor<'a>) -> Self {
        let lexeme = input.end();
        Self {
            input,
            frames: Vec::new(),
            held: None,
            ahead: VecDeque::new(),
            ends: false,
            parens: 0,
            in_sequence: false,
            last: Next { token: Token::Eof, lexeme },
            previous: Next { token: Token::Eof, lexeme },
            consumed: 0,
            nesting: 0,
            last_error: None,
            skipping: false,
            skipping_line: false,
            classes: FxHashMap::default(),
            processes: FxHashMap::default(),
            open: Vec::new(),
            suspect: None,
            told: FxHashSet::default(),
            unknown: FxHashSet::default(),
            lost: false,
            told_dimensions: false,
            foreign_formula: false,
            inlines: Vec::new(),
            callables: FxHashSet::default(),
            plain_words: FxHashSet::default(),
            in_function: false,
            may_extend: true,
            extension: None,
            items: Vec::new(),
            deferred: Vec::new(),
        }
    }

    // Tokens.

    /// The next lexeme of the innermost input.
    fn read(&mut self) -> Lexeme {
        if let Some(lexeme) = self.held.take() {
            return lexeme;
        }
        while let Some(frame) = self.frames.last_mut() {
            if let Some(lexeme) = frame.next() {
                return lexeme;
            }
            self.frames.pop();
        }
        self.input.next()
    }

    /// Makes sure that at least `count` tokens are ahead.
    fn fill(&mut self, count: usize) {
        while self.ahead.len() < count {
            let lexeme = self.read();
            self.skipping_line &= !lexeme.newline && lexeme.kind != Kind::End;
            if self.skipping_line {
                continue;
            }
            let Some(token) = self.classify(lexeme) else { continue };
            let next = if self.ends_statement(lexeme, token) {
                self.held = Some(lexeme);
                let span = self.ahead.back().unwrap_or(&self.last).lexeme.span.after();
                Next { token: Token::LineEnd, lexeme: Lexeme { span, spelled: span, ..lexeme } }
            } else {
                Next { token, lexeme }
            };
            match next.token {
                Token::LeftParen => self.parens += 1,
                Token::RightParen => self.parens = self.parens.saturating_sub(1),
                _ => {}
            }
            self.ends = self.can_end(next);
            self.ahead.push_back(next);
        }
    }

    /// Whether SPIN reads a `;` before this lexeme.
    fn ends_statement(&self, lexeme: Lexeme, token: Token) -> bool {
        use Token::{Arrow, Eof, RightBrace, Semicolon, Unless};
        let separate = !matches!(token, RightBrace | Semicolon | Arrow | Unless | Eof);
        lexeme.newline && self.in_sequence && self.parens == 0 && self.ends && separate
    }

    fn can_end(&self, next: Next) -> bool {
        use Token::*;
        match next.token {
            Ident => !self.classes.contains_key(&next.lexeme.symbol) || self.is_after_new(),
            Bit | Bool | Byte | Pid | Short | Int | Mtype | BitAnd | And => self.is_after_new(),
            Return => self.in_function,
            RightParen | RightBracket | Od | Fi | Else | Break | Number | Char | True | False | Skip
            | Increment | Decrement | Timeout => true,
            _ => false,
        }
    }

    /// The token of a lexeme; `None`, with a report, if there is no such token.
    fn classify(&mut self, lexeme: Lexeme) -> Option<Token> {
        match lexeme.kind {
            Kind::Word => return Some(Token::fixed(lexeme.symbol).unwrap_or(Token::Ident)),
            Kind::Operator => {
                let token = Token::fixed(lexeme.symbol);
                if !matches!(token, Some(Token::Hash | Token::HashHash)) {
                    return token;
                }
            }
            Kind::Number => return Some(Token::Number),
            Kind::Char => return Some(Token::Char),
            Kind::Str => return Some(Token::Str),
            Kind::End => return Some(Token::Eof),
            Kind::Stray | Kind::CommentEnd | Kind::Unterminated => {}
        }
        if self.skipping {
            return None;
        }
        if lexeme.kind == Kind::CommentEnd {
            let diagnostic = Diagnostic::warning(codes::STRAY_COMMENT_END, "a `*/` that ends no comment")
                .at(lexeme.span, "passed over, as by SPIN")
                .help("a comment ends at the first `*/`, whatever began inside of it");
            self.report_about(lexeme, diagnostic);
            return None;
        }
        let text = clip(self.input.interner.text(lexeme.symbol));
        let diagnostic = if lexeme.kind == Kind::Unterminated {
            let what = if text.starts_with('"') { "string" } else { "character" };
            Diagnostic::error(codes::UNTERMINATED_STRING, format!("this {what} does not end"))
                .at(lexeme.span, "it starts here")
                .help(format!("a {what} ends on the line it starts"))
        } else {
            self.unexpected_character(lexeme, &text)
        };
        self.report_about(lexeme, diagnostic);
        // A token that is missing here need not be reported as well.
        self.last_error = Some(self.consumed + self.ahead.len());
        None
    }

    fn peek(&mut self) -> Token {
        self.peek_at(0).token
    }

    /// The token after the next one.
    fn second(&mut self) -> Token {
        self.peek_at(1).token
    }

    fn peek_at(&mut self, distance: usize) -> Next {
        self.fill(distance + 1);
        self.ahead[distance]
    }

    fn at(&mut self, token: Token) -> bool {
        self.peek() == token
    }

    /// Whether the next token is this word, which is not a keyword.
    fn at_word(&mut self, word: &str) -> bool {
        let next = self.peek_at(0);
        next.token == Token::Ident && &**self.input.interner.text(next.lexeme.symbol) == word
    }

    fn bump(&mut self) -> Lexeme {
        self.fill(1);
        let next = self.ahead[0];
        if next.token != Token::Eof {
            self.ahead.pop_front();
            self.previous = std::mem::replace(&mut self.last, next);
            self.consumed += 1;
            if self.consumed == MAX_TOKENS {
                self.too_deep("this model is too large", MAX_TOKENS);
            }
        }
        next.lexeme
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.at(token);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: Token, context: &str) -> Parsed<Span> {
        if self.at(token) {
            return Ok(self.bump().span);
        }
        let text = token.text().unwrap_or("?");
        Err(self.unexpected(&format!("`{text}`{context}")))
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.at(Token::Ident) {
            let lexeme = self.bump();
            return Ok(self.name_of(lexeme));
        }
        let token = self.peek();
        if token.is_word() {
            let word = token.text().unwrap_or_default();
            if self.last.token == Token::Dot {
                let message = format!("Promela has no methods, such as `{word}`");
                let diagnostic = mistakes::foreign_syntax(
                    self.span(),
                    message,
                    "",
                    "`len(q)` is the number of messages in the channel `q`; `empty(q)` and `full(q)` ask about it",
                );
                return Err(self.report_here(diagnostic));
            }
            let diagnostic =
                Diagnostic::error(codes::UNEXPECTED, format!("expected {what}, found the keyword `{word}`"))
                    .at(self.span(), format!("expected {what}"))
                    .help(format!("`{word}` is a word of the language and cannot be a name"));
            return Err(self.report_here(diagnostic));
        }
        Err(self.unexpected(what))
    }

    fn name_of(&self, lexeme: Lexeme) -> Name {
        Name { text: self.input.interner.text(lexeme.symbol).clone(), span: lexeme.span }
    }

    /// The class of the next token, which must be a name.
    fn class(&mut self) -> Option<Class> {
        let next = self.peek_at(0);
        self.classes.get(&next.lexeme.symbol).copied()
    }

    /// Whether the next token is a constant.
    fn at_literal(&mut self) -> bool {
        matches!(self.peek(), Token::Number | Token::Char | Token::True | Token::False | Token::Skip)
    }

    /// A constant: decimal, and truncated to 32 bits as in SPIN.
    fn literal(&mut self) -> Parsed<Literal> {
        if !self.at_literal() {
            return Err(self.unexpected("a number"));
        }
        let lexeme = self.bump();
        let span = lexeme.span;
        let text = self.input.interner.text(lexeme.symbol).clone();
        let value = match self.last.token {
            Token::True | Token::Skip => 1,
            Token::False => 0,
            Token::Char => {
                if character(&text).is_none() {
                    let message = format!("{} is not exactly one character", clip(&text));
                    let diagnostic =
                        Diagnostic::error(codes::BAD_CHARACTER, message).at(span, "in these quotes");
                    self.report_about(lexeme, diagnostic);
                }
                character(&text).map_or(0, i32::from)
            }
            _ => self.number(&text, lexeme),
        };
        Ok(Literal { value, span })
    }

    fn number(&mut self, text: &str, lexeme: Lexeme) -> i32 {
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            let diagnostic =
                Diagnostic::error(codes::BAD_NUMBER, format!("`{}` is no decimal number", clip(text)))
                    .at(lexeme.span, "Promela has decimal numbers only");
            let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let value = hexadecimal.and_then(|digits| i64::from_str_radix(digits, 16).ok());
            let diagnostic = match value {
                Some(value) => diagnostic.help(format!("write `{value}`")),
                None if text.contains('.') => {
                    diagnostic.help("Promela has whole numbers only: count in a smaller unit")
                }
                None => diagnostic,
            };
            self.report_about(lexeme, diagnostic);
            return 0;
        }
        let value = text.parse().unwrap_or(i64::MAX);
        if i32::try_from(value).is_err() {
            let message = format!("`{}` does not fit 32 bits", clip(text));
            let diagnostic = Diagnostic::warning(codes::WRAPPED_NUMBER, message)
                .at(lexeme.span, format!("this is read as {}", value as i32));
            self.report_about(lexeme, diagnostic);
        }
        value as i32
    }

    // Places.

    /// The place of the next token.
    fn span(&mut self) -> Span {
        self.peek_at(0).lexeme.span
    }

    /// From a place to the last token that was consumed.
    fn since(&self, start: Span) -> Span {
        join(start, self.last.lexeme.span)
    }

    // Limits.

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep("this is nested too deeply", MAX_NESTING as usize));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn too_deep(&mut self, message: &str, limit: usize) -> Reported {
        let diagnostic = Diagnostic::error(codes::TOO_DEEP, message)
            .at(self.span(), "the limit is reached here")
            .note(format!("the limit is {limit}; the rest of the model was not looked at"));
        self.report_here(diagnostic);
        self.give_up();
        Reported
    }
}
