//! Directives: lines that start with `#`.

use std::collections::BTreeSet;
use std::rc::Rc;

use source::{Definition, Diagnostic, NameKind, Origin, Span};

use super::condition::{self, Wrong};
use super::macros::{Item, Macro};
use super::scan::Scanner;
use super::{Input, Preprocessor};
use crate::codes;
use crate::index::one_line;
use crate::lexer::{Kind, Lexeme, Symbol, Token, join};
use crate::text::clip;

/// The largest depth of files that include each other.
const MAX_DEPTH: usize = 64;
/// The largest number of included files.
const MAX_INCLUDED: usize = 10_000;
/// The number of names that a list shows.
const SHOWN: usize = 20;

/// An `#if` whose `#endif` is yet to come.
pub struct Condition {
    pub span: Span,
    /// Whether a group was taken, or none may be.
    taken: bool,
    /// Whether the `#else` was seen.
    last: bool,
}

impl Preprocessor<'_> {
    fn line(&mut self) -> Vec<Lexeme> {
        match self.inputs.last_mut() {
            Some(input) => input.scanner.line(&mut self.interner),
            None => Vec::new(),
        }
    }

    fn text(&self, symbol: Symbol) -> Rc<str> {
        self.interner.text(symbol).clone()
    }

    pub(super) fn directive(&mut self, hash: Lexeme) {
        let line = self.line();
        // A `#` on its own has no effect; `# 12 "file"` comes from another preprocessor.
        let Some((&name, rest)) = line.split_first() else { return };
        if name.kind == Kind::Number {
            return;
        }
        let span = join(hash.span, name.span);
        let text = if name.kind == Kind::Word { self.text(name.symbol) } else { "".into() };
        match &*text {
            "define" => self.define(span, rest),
            "undef" => self.undef(span, rest),
            "include" => self.include(span, rest),
            "if" | "ifdef" | "ifndef" => self.open(&text, span, rest),
            "elif" | "else" => self.alternative(&text, span),
            "endif" => self.close(span),
            "error" | "warning" => self.message(&text, span, rest),
            "line" | "pragma" | "ident" => {}
            _ => {
                let shown = clip(self.interner.text(name.symbol));
                self.report(
                    Diagnostic::error(codes::BAD_DIRECTIVE, format!("unknown directive `#{shown}`"))
                        .at(span, "a line that starts with `#` is for the preprocessor")
                        .help(
                            "there are: #define, #undef, #include, #if, #ifdef, #ifndef, #elif, #else, #endif, #error",
                        ),
                );
            }
        }
    }

    fn malformed(&mut self, span: Span, message: &str, label: &str) {
        self.report(Diagnostic::error(codes::BAD_DIRECTIVE, message).at(span, label));
    }

    fn message(&mut self, kind: &str, span: Span, rest: &[Lexeme]) {
        let mut text = String::new();
        for lexeme in rest {
            if lexeme.space && !text.is_empty() {
                text.push(' ');
            }
            text.push_str(self.interner.text(lexeme.symbol));
        }
        let span = rest.last().map_or(span, |last| join(span, last.span));
        let message = format!("#{kind} {}", text.chars().take(200).collect::<String>());
        self.report(if kind == "error" {
            Diagnostic::error(codes::ERROR_DIRECTIVE, message).at(span, "the model says so")
        } else {
            Diagnostic::warning(codes::WARNING_DIRECTIVE, message).at(span, "the model says so")
        });
    }

    // Macros.

    /// The macros of the command line.
    pub(super) fn command_line(&mut self, defines: &[(String, String)]) {
        if defines.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in defines {
            let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            if name.is_empty() || !name.chars().all(is_name) || name.starts_with(|c: char| c.is_ascii_digit())
            {
                self.report(
                    Diagnostic::error(
                        codes::BAD_MACRO_DEFINE,
                        format!("`{}` is no name of a macro", clip(name)),
                    )
                    .help("a macro of the command line is NAME or NAME=VALUE"),
                );
                continue;
            }
            if value.contains('\n') {
                let message = format!("the value of the macro `{}` has more than one line", clip(name));
                self.report(Diagnostic::error(codes::BAD_MACRO_DEFINE, message));
                continue;
            }
            text.push_str(name);
            text.push(' ');
            text.push_str(value);
            text.push('\n');
        }
        let Ok(file) = self.map.add_derived("<command line>", text, Origin::Given) else { return };
        self.given = Some(file);
        let text = self.map.file(file).text().into();
        let mut scanner = Scanner::new(text, file);
        loop {
            let name = scanner.next(&mut self.interner);
            if name.kind == Kind::End {
                return;
            }
            let body = scanner.line(&mut self.interner);
            self.define_plain(name, &body);
            self.unasked.push(name.symbol);
        }
    }

    /// Records that the model uses a macro, if there is one of this name.
    pub(super) fn ask(&mut self, name: Symbol) {
        self.unasked.retain(|&given| given != name);
    }

    /// Whether there is a macro of this name, for a condition.
    fn is_defined(&mut self, name: Symbol) -> bool {
        self.ask(name);
        self.asked.insert(name);
        self.macros.contains_key(&name)
    }

    /// Warns of macros of the command line that the model does not use: a misspelled name would check another
    /// model than intended.
    pub(super) fn warn_of_unasked(&mut self) {
        let asked: BTreeSet<_> = self.asked.iter().map(|&name| self.text(name)).collect();
        let shown: Vec<_> = asked.iter().take(SHOWN).map(|name| format!("`{}`", clip(name))).collect();
        let more = if asked.len() > SHOWN { ", …" } else { "" };
        for name in std::mem::take(&mut self.unasked) {
            let message = format!("the model has no use for the macro `{}`", clip(&self.text(name)));
            let diagnostic = Diagnostic::warning(codes::UNUSED_MACRO_DEFINE, message);
            self.report(if shown.is_empty() {
                diagnostic
            } else {
                diagnostic.note(format!("it asks for {}{more}", shown.join(", ")))
            });
        }
    }

    fn define(&mut self, span: Span, rest: &[Lexeme]) {
        let Some((&name, rest)) = rest.split_first() else {
            return self.malformed(span, "`#define` without a name", "expected a name behind this");
        };
        if name.kind != Kind::Word || &*self.text(name.symbol) == "defined" {
            return self.malformed(name.span, "only a name can be a macro", "expected a name");
        }
        match rest.split_first() {
            Some((open, rest)) if open.is(Token::LeftParen) && !open.space => {
                self.define_function(name, rest);
            }
            _ => self.define_plain(name, rest),
        }
    }

    fn define_plain(&mut self, name: Lexeme, rest: &[Lexeme]) {
        let body = rest
            .iter()
            .map(|&lexeme| if lexeme.is(Token::HashHash) { Item::Paste } else { Item::Lexeme(lexeme) });
        let body = body.collect();
        self.add_macro(Macro { name, params: None, variadic: false, body });
    }

    fn define_function(&mut self, name: Lexeme, rest: &[Lexeme]) {
        let mut params = Vec::new();
        let mut variadic = false;
        let mut at = 0;
        let wrong = loop {
            let Some(lexeme) = rest.get(at) else { break Some(at) };
            at += 1;
            if lexeme.is(Token::RightParen) && params.is_empty() {
                break None;
            }
            if lexeme.is(Token::DotDot) && rest.get(at).is_some_and(|dot| dot.is(Token::Dot)) {
                variadic = true;
                params.push(self.interner.intern("__VA_ARGS__"));
                at += 1;
            } else if lexeme.kind == Kind::Word && !params.contains(&lexeme.symbol) {
                params.push(lexeme.symbol);
            } else {
                break Some(at - 1);
            }
            match rest.get(at) {
                Some(next) if next.is(Token::RightParen) => {
                    at += 1;
                    break None;
                }
                Some(next) if next.is(Token::Comma) && !variadic => at += 1,
                _ => break Some(at),
            }
        };
        if let Some(at) = wrong {
            let span = rest.get(at).or(rest.last()).map_or(name.span, |lexeme| lexeme.span);
            let message = "the parameters of a macro are different names between commas";
            return self.malformed(span, message, "this does not fit");
        }
        let Some(body) = self.function_body(&params, &rest[at..]) else { return };
        self.add_macro(Macro { name, params: Some(params), variadic, body });
    }

    fn function_body(&mut self, params: &[Symbol], lexemes: &[Lexeme]) -> Option<Vec<Item>> {
        let index = |lexeme: &Lexeme| {
            let found = params.iter().position(|&param| param == lexeme.symbol);
            found.filter(|_| lexeme.kind == Kind::Word)
        };
        let mut body = Vec::new();
        let mut at = 0;
        while let Some(lexeme) = lexemes.get(at) {
            at += 1;
            body.push(if lexeme.is(Token::HashHash) {
                Item::Paste
            } else if lexeme.is(Token::Hash) {
                let Some((next, found)) = lexemes.get(at).and_then(|next| Some((next, index(next)?))) else {
                    self.malformed(lexeme.span, "`#` is not followed by a parameter", "in this macro");
                    return None;
                };
                at += 1;
                Item::Quoted(found, Lexeme { space: lexeme.space, ..*next })
            } else {
                index(lexeme).map_or(Item::Lexeme(*lexeme), |found| Item::Param(found, *lexeme))
            });
        }
        Some(body)
    }

    fn add_macro(&mut self, new: Macro) {
        let pasted = |item: Option<&Item>| matches!(item, Some(Item::Paste));
        if pasted(new.body.first()) || pasted(new.body.last()) {
            let message = "`##` is between two tokens, not at an end of a macro";
            return self.malformed(new.name.span, message, "in this macro");
        }
        self.ask(new.name.symbol);
        let clash = self.macros.get(&new.name.symbol).filter(|old| !old.same(&new)).cloned();
        if let Some(old) = clash {
            let text = clip(self.interner.text(new.name.symbol));
            if Some(old.name.spelled.file) == self.given {
                self.overridden(&text, new.name.spelled);
            } else {
                let message = format!("the macro `{text}` is defined again");
                let diagnostic = Diagnostic::warning(codes::MACRO_REDEFINED, message)
                    .at(new.name.spelled, "with another meaning")
                    .label(old.name.spelled, "it was defined here")
                    .help("`#undef` says that this is on purpose");
                self.report(diagnostic);
            }
        }
        self.define_name(&new);
        self.macros.insert(new.name.symbol, Rc::new(new));
    }

    /// Notes the definition of a macro.
    fn define_name(&mut self, new: &Macro) {
        let at = new.name.spelled;
        if !self.index.is_on() || Some(at.file) == self.given {
            return;
        }
        let last = new.body.last().map(|item| match item {
            Item::Lexeme(lexeme) | Item::Param(_, lexeme) | Item::Quoted(_, lexeme) => lexeme.spelled,
            Item::Paste => at,
        });
        let extent = join(at, last.unwrap_or(at));
        let text = format!("#define {}", one_line(self.map.text(extent)));
        let name = self.interner.text(new.name.symbol);
        self.index.define(Definition::new(NameKind::Macro, name, at).text(text).extent(extent));
    }

    /// Reports that a macro of the command line would have no effect.
    fn overridden(&mut self, name: &str, span: Span) {
        let message = format!("the model says itself what `{name}` is, and the command line something else");
        self.report(
            Diagnostic::error(codes::OVERRIDDEN_MACRO_DEFINE, message)
                .at(span, "this would win over `-D`")
                .help(format!(
                    "write `#ifndef {name}` before it and `#endif` behind it, or leave out `-D {name}`"
                )),
        );
    }

    /// Notes that a directive names a macro.
    pub(super) fn mention_macro(&mut self, name: &Lexeme) {
        if let Some(found) = self.macros.get(&name.symbol) {
            self.index.mention(name.spelled, found.name.spelled);
        }
    }

    fn undef(&mut self, span: Span, rest: &[Lexeme]) {
        match rest.first() {
            Some(name) if name.kind == Kind::Word => {
                self.mention_macro(name);
                if self.unasked.contains(&name.symbol) {
                    let text = clip(self.interner.text(name.symbol));
                    self.overridden(&text, name.spelled);
                }
                self.ask(name.symbol);
                self.macros.remove(&name.symbol);
            }
            _ => self.malformed(span, "`#undef` without a name", "expected a name behind this"),
        }
    }

    // Files.

    fn include(&mut self, span: Span, rest: &[Lexeme]) {
        let rest = match rest.first() {
            Some(first) if first.kind == Kind::Word => self.expand_all(rest.to_vec()),
            _ => rest.to_vec(),
        };
        let bad = |message: String, span: Span, label: &str| {
            Diagnostic::error(codes::BAD_INCLUDE, message).at(span, label)
        };
        let name = match rest.as_slice() {
            [name, ..] if name.kind == Kind::Str => *name,
            [open, ..] if open.is(Token::Less) => {
                let message = "`<…>` names a header of the system, and models have none".to_owned();
                let diagnostic = bad(message, open.span, "expected a name in quotes");
                return self
                    .report(diagnostic.help("`#include \"name\"` looks next to the file that includes"));
            }
            _ => {
                let message = "`#include` without the name of a file".to_owned();
                return self.report(bad(message, span, "expected a name in quotes behind this"));
            }
        };
        let quoted = self.text(name.symbol);
        let path = relative(self.map.file(span.file).name(), &quoted[1..quoted.len() - 1]);
        if self.inputs.len() > MAX_DEPTH || self.included >= MAX_INCLUDED {
            let message = format!("too many files are included, the last one `{}`", clip(&path));
            self.report(
                bad(message, name.span, "the limit is reached here")
                    .note(format!("the limit is {MAX_DEPTH} within each other, and {MAX_INCLUDED} in all"))
                    .help("a file that includes itself needs a guard: `#ifndef NAME`, `#define NAME`, …, `#endif`"),
            );
            return self.give_up();
        }
        let text = self.provider.include(&path).map(source::decode);
        let by = Origin::Included { by: join(span, name.span) };
        match text {
            Ok(text) => {
                let Ok(file) = self.map.add_derived(&path, text, by) else { return };
                let text = self.map.file(file).text().into();
                self.included += 1;
                self.index.mention(name.spelled, Span::new(file, 0, 0));
                self.inputs.push(Input { scanner: Scanner::new(text, file), conditions: Vec::new() });
            }
            Err(reason) => {
                let message = format!("cannot include `{}`: {reason}", clip(&path));
                let help = "the name of an included file is relative to the file that includes it";
                self.report(bad(message, name.span, "this file").help(help));
            }
        }
    }

    // Conditions.

    fn open(&mut self, kind: &str, span: Span, rest: &[Lexeme]) {
        let value = if kind == "if" {
            self.holds(span, rest)
        } else {
            match rest.first() {
                Some(name) if name.kind == Kind::Word => {
                    self.mention_macro(name);
                    self.is_defined(name.symbol) == (kind == "ifdef")
                }
                _ => {
                    let message = format!("`#{kind}` without a name");
                    self.malformed(span, &message, "expected a name behind this");
                    false
                }
            }
        };
        if let Some(input) = self.inputs.last_mut() {
            input.conditions.push(Condition { span, taken: value, last: false });
        }
        if !value {
            self.skip_group();
        }
    }

    /// An `#elif` or `#else` after a group that was taken.
    fn alternative(&mut self, kind: &str, span: Span) {
        if self.check_alternative(kind, span) {
            self.skip_group();
        }
    }

    /// Whether there can be an `#elif` or `#else` here.
    fn check_alternative(&mut self, kind: &str, span: Span) -> bool {
        let condition = self.inputs.last_mut().and_then(|input| input.conditions.last_mut());
        let Some(condition) = condition else {
            self.unbalanced(kind, span);
            return false;
        };
        if condition.last {
            let diagnostic =
                Diagnostic::error(codes::UNBALANCED_CONDITION, format!("`#{kind}` behind `#else`"))
                    .at(span, "nothing but `#endif` can follow")
                    .label(condition.span, "the condition starts here");
            self.report(diagnostic);
        } else {
            condition.last = kind == "else";
        }
        true
    }

    fn unbalanced(&mut self, kind: &str, span: Span) {
        let message = format!("`#{kind}` without a condition that it belongs to");
        self.report(
            Diagnostic::error(codes::UNBALANCED_CONDITION, message).at(span, "there is no `#if` before this"),
        );
    }

    fn close(&mut self, span: Span) {
        if self.inputs.last_mut().and_then(|input| input.conditions.pop()).is_none() {
            self.unbalanced("endif", span);
        }
    }

    /// Skips to the group that is taken, or past the condition.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        loop {
            let Some(input) = self.inputs.last_mut() else { return };
            let next = input.scanner.peek(&mut self.interner);
            if next.kind == Kind::End {
                return;
            }
            let hash = input.scanner.next(&mut self.interner);
            if !hash.first || !hash.is(Token::Hash) {
                continue;
            }
            let name = input.scanner.peek(&mut self.interner);
            if name.first || name.kind != Kind::Word {
                continue;
            }
            let text = self.text(name.symbol);
            match &*text {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.line();
                    return self.close(name.span);
                }
                "elif" | "else" if depth == 0 => {
                    let span = join(hash.span, name.span);
                    let line = self.line();
                    if !self.check_alternative(&text, span) {
                        return;
                    }
                    let taken = self.inputs.last().and_then(|input| input.conditions.last());
                    let taken = taken.is_none_or(|condition| condition.taken);
                    if !taken && (&*text == "else" || self.holds(span, &line[1..])) {
                        let condition = self.inputs.last_mut().and_then(|input| input.conditions.last_mut());
                        if let Some(condition) = condition {
                            condition.taken = true;
                        }
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a condition holds. A condition with errors does not.
    fn holds(&mut self, span: Span, line: &[Lexeme]) -> bool {
        let line = self.without_defined(line);
        let line = self.expand_all(line);
        match condition::evaluate(&line, &self.interner) {
            Ok(value) => value != 0,
            Err(Wrong { at, message }) => {
                let span = line.get(at).map_or(span, |lexeme| lexeme.span);
                self.report(
                    Diagnostic::error(codes::BAD_CONDITION, message)
                        .at(span, "in the condition of this line"),
                );
                false
            }
        }
    }

    /// Replaces `defined NAME` and `defined(NAME)` by 0 or 1.
    fn without_defined(&mut self, line: &[Lexeme]) -> Vec<Lexeme> {
        let defined = self.interner.intern("defined");
        let mut replaced = Vec::new();
        let mut at = 0;
        while let Some(&lexeme) = line.get(at) {
            at += 1;
            let operand = match &line[at..] {
                [name, ..] if name.kind == Kind::Word => Some((*name, 1)),
                [open, name, close, ..]
                    if open.is(Token::LeftParen)
                        && name.kind == Kind::Word
                        && close.is(Token::RightParen) =>
                {
                    Some((*name, 3))
                }
                _ => None,
            };
            match operand {
                Some((name, length)) if lexeme.kind == Kind::Word && lexeme.symbol == defined => {
                    at += length;
                    self.mention_macro(&name);
                    let text = if self.is_defined(name.symbol) { "1" } else { "0" };
                    replaced.push(Lexeme {
                        kind: Kind::Number,
                        symbol: self.interner.intern(text),
                        ..lexeme
                    });
                }
                _ => replaced.push(lexeme),
            }
        }
        replaced
    }
}

/// A path, relative to the file that names it.
fn relative(from: &str, path: &str) -> String {
    match from.rfind('/') {
        Some(end) if !path.starts_with('/') => format!("{}{path}", &from[..=end]),
        _ => path.to_owned(),
    }
}
