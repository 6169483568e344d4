//! Macros and their expansion.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use super::{Preprocessor, scan};
use crate::codes;
use crate::lexer::{Kind, Lexeme, Symbol, Token, join};
use crate::text::{clip, count};

/// The largest number of lexemes that all macros of a run together may expand to.
const MAX_EXPANDED: usize = 1 << 21;
/// The largest nesting depth of macro arguments.
const MAX_NESTING: usize = 100;

pub struct Macro {
    pub name: Lexeme,
    /// Absent if the macro takes no arguments.
    pub params: Option<Vec<Symbol>>,
    /// The last parameter takes all remaining arguments.
    pub variadic: bool,
    pub body: Vec<Item>,
}

/// A piece of the body of a macro.
pub enum Item {
    Lexeme(Lexeme),
    /// A parameter, by its index.
    Param(usize, Lexeme),
    /// A parameter after `#`.
    Quoted(usize, Lexeme),
    /// `##`
    Paste,
}

/// Lexemes to be read before all others.
pub struct Context {
    lexemes: Vec<Lexeme>,
    at: usize,
    /// The macro that this is an expansion of.
    active: Option<Symbol>,
    /// Reading does not continue past its end.
    closed: bool,
}

impl Macro {
    /// Whether both have the same parameters and body.
    pub fn same(&self, other: &Self) -> bool {
        let part = |item: &Item| match item {
            Item::Lexeme(lexeme) | Item::Param(_, lexeme) => (0, lexeme.symbol, lexeme.space),
            Item::Quoted(_, lexeme) => (1, lexeme.symbol, lexeme.space),
            Item::Paste => (0, Token::HashHash.symbol(), false),
        };
        let same = |(at, (left, right)): (usize, (&Item, &Item))| {
            let (left, right) = (part(left), part(right));
            (left.0, left.1) == (right.0, right.1) && (at == 0 || left.2 == right.2)
        };
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).enumerate().all(same)
    }
}

/// The arguments of one use of a macro, each as written and, once it was needed, expanded.
struct Arguments {
    given: Vec<Vec<Lexeme>>,
    expanded: FxHashMap<usize, Vec<Lexeme>>,
}

impl Preprocessor<'_> {
    /// The next lexeme, expanded; `None` at the end of the input, or of a closed context.
    pub(super) fn expand_next(&mut self) -> Option<Lexeme> {
        loop {
            let mut lexeme = self.next_raw()?;
            if lexeme.kind != Kind::Word || lexeme.painted {
                return Some(lexeme);
            }
            let Some(found) = self.macros.get(&lexeme.symbol) else {
                match self.builtin(lexeme) {
                    Some(builtin) => return Some(builtin),
                    None => return Some(lexeme),
                }
            };
            if self.active.contains(&lexeme.symbol) {
                lexeme.painted = true;
                return Some(lexeme);
            }
            let found = found.clone();
            self.ask(lexeme.symbol);
            if !self.expand(lexeme, &found) {
                return Some(lexeme);
            }
        }
    }

    /// `__LINE__` and `__FILE__`.
    fn builtin(&mut self, lexeme: Lexeme) -> Option<Lexeme> {
        let (kind, text) = match &**self.interner.text(lexeme.symbol) {
            "__LINE__" => (Kind::Number, self.map.line(lexeme.span).to_string()),
            "__FILE__" => (Kind::Str, format!("{:?}", self.map.file(lexeme.span.file).name())),
            _ => return None,
        };
        Some(Lexeme { kind, symbol: self.interner.intern(&text), ..lexeme })
    }

    /// The next lexeme, not expanded.
    fn next_raw(&mut self) -> Option<Lexeme> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(&lexeme) = context.lexemes.get(context.at) {
                context.at += 1;
                return Some(lexeme);
            }
            if context.closed {
                return None;
            }
            self.pop();
        }
        self.next_of_files()
    }

    fn pop(&mut self) {
        if let Some(symbol) = self.contexts.pop().and_then(|context| context.active) {
            self.active.remove(&symbol);
        }
    }

    fn push(&mut self, lexemes: Vec<Lexeme>, active: Option<Symbol>, closed: bool) {
        self.contexts.push(Context { lexemes, at: 0, active, closed });
        if let Some(symbol) = active {
            self.active.insert(symbol);
        }
    }

    /// Expands lexemes on their own.
    pub(super) fn expand_all(&mut self, lexemes: Vec<Lexeme>) -> Vec<Lexeme> {
        self.push(lexemes, None, true);
        let mut expanded = Vec::new();
        while let Some(lexeme) = self.expand_next() {
            expanded.push(lexeme);
        }
        if !self.has_given_up() {
            self.pop();
        }
        expanded
    }

    /// Inserts the expansion of a macro before the rest of the input. Returns false if its name stands for
    /// itself.
    fn expand(&mut self, name: Lexeme, found: &Rc<Macro>) -> bool {
        let mut call = name.span;
        let given = match &found.params {
            None => Vec::new(),
            Some(params) => {
                let Some(open) = self.next_raw() else { return false };
                if !open.is(Token::LeftParen) {
                    self.push(vec![open], None, false);
                    return false;
                }
                let Some((given, end)) = self.arguments(name, open, found, params.len()) else {
                    self.push_placeholder(name);
                    return true;
                };
                call = join(call, end);
                given
            }
        };
        self.index.mention(name.spelled, found.name.spelled);
        if name.span == name.spelled {
            self.map.add_expansion(call, found.name.spelled);
        }
        let mut arguments = Arguments { given, expanded: FxHashMap::default() };
        let Some(mut lexemes) = self.substitute(found, &mut arguments, call) else {
            self.push_placeholder(name);
            return true;
        };
        self.expanded += lexemes.len() + 1;
        if self.expanded > MAX_EXPANDED {
            self.limit(call, "macros expand to too much", MAX_EXPANDED);
            return true;
        }
        if let Some(first) = lexemes.first_mut() {
            first.space = name.space;
        }
        self.newline |= name.newline;
        self.push(lexemes, Some(name.symbol), false);
        true
    }

    /// The expansion of a wrong use of a macro: a lexeme that is valid in most places.
    fn push_placeholder(&mut self, name: Lexeme) {
        if !self.has_given_up() {
            let symbol = self.interner.intern("0");
            self.push(vec![Lexeme { kind: Kind::Number, symbol, ..name }], None, false);
        }
    }

    fn limit(&mut self, span: Span, message: &str, limit: usize) {
        self.report(
            Diagnostic::error(codes::MACRO_LIMIT, message)
                .at(span, "the limit is reached here")
                .note(format!("the limit is {limit}; the rest of the model was not looked at")),
        );
        self.give_up();
    }

    /// Reads the arguments after an opening parenthesis, up to the closing one.
    fn arguments(
        &mut self,
        name: Lexeme,
        open: Lexeme,
        found: &Macro,
        params: usize,
    ) -> Option<(Vec<Vec<Lexeme>>, Span)> {
        let mut given = vec![Vec::new()];
        let mut depth = 0_usize;
        let mut lines = open.newline;
        let end = loop {
            let Some(mut lexeme) = self.next_raw() else {
                let text = clip(self.interner.text(name.symbol));
                self.report(
                    Diagnostic::error(
                        codes::MACRO_ARGUMENTS,
                        format!("the arguments of `{text}` do not end"),
                    )
                    .at(open.span, "they start here")
                    .label(found.name.spelled, "the macro"),
                );
                return None;
            };
            // Arguments count as being on the line of the macro.
            lines |= lexeme.newline;
            lexeme.newline = false;
            match () {
                () if lexeme.is(Token::LeftParen) => depth += 1,
                () if lexeme.is(Token::RightParen) && depth == 0 => break lexeme.span,
                () if lexeme.is(Token::RightParen) => depth -= 1,
                () if lexeme.is(Token::Comma) && depth == 0 => {
                    if !found.variadic || given.len() < params {
                        given.push(Vec::new());
                        continue;
                    }
                }
                () => {}
            }
            if let Some(last) = given.last_mut() {
                last.push(lexeme);
            }
        };
        self.broken |= lines;
        // Arguments within arguments are read once for each level.
        if self.nesting > 0 {
            self.expanded += given.iter().map(Vec::len).sum::<usize>();
            if self.expanded > MAX_EXPANDED {
                self.limit(join(name.span, end), "macros expand to too much", MAX_EXPANDED);
                return None;
            }
        }
        if params == 0 && given.len() == 1 && given[0].is_empty() {
            given.clear();
        }
        if found.variadic && given.len() + 1 == params {
            given.push(Vec::new());
        }
        if given.len() != params {
            let text = clip(self.interner.text(name.symbol));
            let message = format!("the macro `{text}` takes {}", count(params, "argument"));
            self.report(
                Diagnostic::error(codes::MACRO_ARGUMENTS, message)
                    .at(
                        join(name.span, end),
                        format!("here {} {}", if given.len() == 1 { "is" } else { "are" }, given.len()),
                    )
                    .label(found.name.spelled, "the macro"),
            );
            return None;
        }
        Some((given, end))
    }

    /// The body of a macro with its parameters replaced; `None` if there was an error.
    fn substitute(&mut self, found: &Macro, arguments: &mut Arguments, call: Span) -> Option<Vec<Lexeme>> {
        let mut lexemes: Vec<Lexeme> = Vec::new();
        let mut pasting = false;
        // Whether the left operand of `##` is empty.
        let mut nothing = true;
        for (at, item) in found.body.iter().enumerate() {
            let before_paste = matches!(found.body.get(at + 1), Some(Item::Paste));
            let mut operand = match item {
                Item::Paste => {
                    pasting = true;
                    continue;
                }
                Item::Lexeme(lexeme) => vec![Lexeme { span: call, newline: false, ..*lexeme }],
                Item::Quoted(index, lexeme) => vec![self.quote(&arguments.given[*index], *lexeme, call)],
                Item::Param(index, lexeme) => {
                    let raw = before_paste || pasting;
                    let mut operand =
                        if raw { arguments.given[*index].clone() } else { self.argument(arguments, *index) };
                    if let Some(first) = operand.first_mut() {
                        first.space = lexeme.space;
                    }
                    // `, ## __VA_ARGS__`: without arguments there is no comma, with some there is no pasting.
                    let last = found.params.as_ref().is_some_and(|params| index + 1 == params.len());
                    let comma = lexemes.last().is_some_and(|lexeme| lexeme.is(Token::Comma));
                    if pasting && found.variadic && last && comma {
                        pasting = false;
                        if operand.is_empty() {
                            lexemes.pop();
                        }
                    }
                    operand
                }
            };
            if self.has_given_up() {
                return None;
            }
            if std::mem::take(&mut pasting) && !nothing && !operand.is_empty() {
                let left = lexemes.pop()?;
                operand[0] = self.paste(left, operand[0], call)?;
            } else if matches!(found.body.get(at.wrapping_sub(1)), Some(Item::Paste)) && operand.is_empty() {
                // The text on the left stays the left operand of a `##` that follows.
                continue;
            }
            nothing = operand.is_empty();
            if self.expanded + lexemes.len() + operand.len() > MAX_EXPANDED {
                self.limit(call, "macros expand to too much", MAX_EXPANDED);
                return None;
            }
            lexemes.append(&mut operand);
        }
        Some(lexemes)
    }

    /// An argument, expanded.
    fn argument(&mut self, arguments: &mut Arguments, index: usize) -> Vec<Lexeme> {
        if let Some(expanded) = arguments.expanded.get(&index) {
            return expanded.clone();
        }
        let given = arguments.given[index].clone();
        if self.nesting == MAX_NESTING {
            let span = given.first().map_or(self.last, |lexeme| lexeme.span);
            self.limit(span, "arguments of macros are nested too deeply", MAX_NESTING);
            return Vec::new();
        }
        self.nesting += 1;
        let expanded = self.expand_all(given);
        self.nesting -= 1;
        self.expanded += expanded.len();
        arguments.expanded.insert(index, expanded.clone());
        expanded
    }

    /// Charges a long spelling like the many lexemes that it could have been.
    fn charge(&mut self, text: &str) {
        self.expanded += text.len() / 8;
    }

    /// `#param`: the argument as a string.
    fn quote(&mut self, argument: &[Lexeme], param: Lexeme, call: Span) -> Lexeme {
        let mut text = String::from("\"");
        for (at, lexeme) in argument.iter().enumerate() {
            if at > 0 && lexeme.space {
                text.push(' ');
            }
            let escaped = matches!(lexeme.kind, Kind::Str | Kind::Char);
            for letter in self.interner.text(lexeme.symbol).chars() {
                if letter == '"' || escaped && letter == '\\' {
                    text.push('\\');
                }
                text.push(letter);
            }
        }
        text.push('"');
        self.charge(&text);
        Lexeme { kind: Kind::Str, symbol: self.interner.intern(&text), span: call, newline: false, ..param }
    }

    /// `left ## right`
    fn paste(&mut self, left: Lexeme, right: Lexeme, call: Span) -> Option<Lexeme> {
        let text = format!("{}{}", self.interner.text(left.symbol), self.interner.text(right.symbol));
        self.charge(&text);
        let Some(kind) = scan::single(&text) else {
            let message = format!("`##` makes `{}`, which is no single token", clip(&text));
            self.report(
                Diagnostic::error(codes::BAD_PASTE, message)
                    .at(call, "in the macro that is used here")
                    .label(left.spelled, "the left side"),
            );
            return None;
        };
        Some(Lexeme { kind, symbol: self.interner.lexeme(&text), span: call, painted: false, ..left })
    }
}
