//! Reports, and how the parser continues after one.

use source::{Diagnostic, Span};

use super::exprs::binary_operator;
use super::mistakes::{comment, foreign_syntax};
use super::{Parser, Reported};
use crate::codes;
use crate::lexer::{Lexeme, Token};
use crate::text::clip;

/// A `{`, `if` or `do` whose end was not read yet.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// The token that ends it.
    pub end: Token,
    pub span: Span,
}

impl Open {
    /// What it starts with, and ends with.
    pub fn words(self) -> (&'static str, &'static str) {
        let start = match self.end {
            Token::Fi => "if",
            Token::Od => "do",
            _ => "{",
        };
        (start, self.end.text().unwrap_or_default())
    }
}

impl Parser<'_> {
    fn describe_next(&mut self) -> String {
        let next = self.peek_at(0);
        let text = clip(self.input.interner.text(next.lexeme.symbol));
        match next.token {
            Token::Eof => "the end of the model".to_owned(),
            Token::LineEnd => "the end of the line".to_owned(),
            Token::Str => "a string".to_owned(),
            token if token.is_word() => format!("the keyword `{text}`"),
            _ => format!("`{text}`"),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let is_call = self.last.token == Token::Ident && self.at(Token::LeftParen);
        if is_call && self.unknown.contains(&self.last.lexeme.symbol) {
            return self.repeated();
        }
        if let Some(diagnostic) = self.recognised() {
            if is_call {
                self.unknown.insert(self.last.lexeme.symbol);
            }
            return self.report_here(diagnostic);
        }
        if self.at_unit() && !self.open.is_empty() {
            return self.unclosed();
        }
        let found = self.describe_next();
        let mut diagnostic =
            Diagnostic::error(codes::UNEXPECTED, format!("expected {expected}, found {found}"))
                .at(self.span(), format!("expected {expected}"));
        let next = self.peek();
        let goes_on = takes_left(next) && self.last.token == Token::LineEnd;
        if next == Token::LineEnd || goes_on {
            diagnostic = diagnostic
                .note("a line that could end a statement does end it")
                .help("to go on in the next line, end the line with an operator, or use parentheses");
        }
        self.report_here(diagnostic)
    }

    /// The innermost `{`, `if` or `do` does not end before the next token.
    #[cold]
    #[inline(never)]
    pub(super) fn unclosed(&mut self) -> Reported {
        let found = self.describe_next();
        let Some(&innermost) = self.open.last() else { return self.unexpected("a statement") };
        let (start, end) = innermost.words();
        let expected =
            if innermost.end == Token::RightBrace { format!("`{end}`") } else { format!("`::` or `{end}`") };
        let mut diagnostic =
            Diagnostic::error(codes::UNEXPECTED, format!("expected {expected}, found {found}"))
                .at(self.span(), format!("expected {expected} before this"))
                .label(innermost.span, format!("this `{start}` has no `{end}`"));
        if let Some((open, close)) = self.suspect.filter(|_| innermost.end == Token::RightBrace) {
            diagnostic = diagnostic
                .label(open, "or this one, by the indentation:")
                .label(close, "this is read as its end, and is indented otherwise");
        }
        let next = self.peek();
        if matches!(next, Token::Typedef | Token::Inline | Token::Ltl) {
            let word = next.text().unwrap_or_default();
            diagnostic =
                diagnostic.help(format!("if no `{end}` is missing: `{word}` is at the top level of a model"));
        }
        if matches!(next, Token::Fi | Token::Od) && !self.is_open(next) {
            diagnostic = diagnostic.help(format!("`{start}` ends with `{end}`"));
        }
        self.report_here(diagnostic)
    }

    /// Whether something around this place ends with this token.
    pub(super) fn is_open(&self, end: Token) -> bool {
        self.open.iter().any(|open| open.end == end)
    }

    /// Parses something that is open until its end.
    pub(super) fn within<T>(&mut self, end: Token, span: Span, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.open.len();
        self.open.push(Open { end, span });
        let result = parse(self);
        self.open.truncate(outer);
        result
    }

    /// Notes a block whose closing brace starts a line and is not indented like the line of the opening one.
    #[inline(never)]
    pub(super) fn compare_indentation(&mut self, open: Span, close: Span) {
        let map = &*self.input.map;
        if self.suspect.is_some() || open.file != close.file || map.line(open) == map.line(close) {
            return;
        }
        let file = map.file(open.file);
        let indent = |line: &str| line.len() - line.trim_start().len();
        let (first, last) = (file.line_text(map.line(open)), file.line_text(map.line(close)));
        if last.trim_start().starts_with('}') && indent(first) != indent(last) {
            self.suspect = Some((open, close));
        }
    }

    pub(super) fn unexpected_character(&mut self, lexeme: Lexeme, text: &str) -> Diagnostic {
        let span = lexeme.span;
        let file = self.input.map.file(span.file).text();
        let (before, after) = (&file[..span.start as usize], &file[span.end as usize..]);
        if text == "#" {
            self.skipping_line = lexeme.spelled == lexeme.span;
            return comment(span, "#");
        }
        let wide = |start: u32, end: u32| Span::new(span.file, span.start - start, span.end + end);
        if text == "\\" && before.ends_with('/') {
            return foreign_syntax(wide(1, 0), "Promela has no `/\\`", "", "\"and\" is `&&`");
        }
        if text == "\\" && after.starts_with('/') {
            return foreign_syntax(wide(0, 1), "Promela has no `\\/`", "", "\"or\" is `||`");
        }
        let help = match text {
            "∧" => "\"and\" is `&&`",
            "∨" => "\"or\" is `||`",
            "¬" => "\"not\" is `!`",
            "→" | "⇒" => "the arrow is written `->`",
            "≠" => "\"not equal\" is `!=`",
            "≤" => "\"at most\" is `<=`",
            "≥" => "\"at least\" is `>=`",
            "□" => "\"always\" is `[]`",
            "◇" => "\"eventually\" is `<>`",
            "“" | "”" | "„" => "a text is between straight quotes: `\"…\"`",
            _ => "names consist of ASCII letters, digits and `_`",
        };
        Diagnostic::error(codes::UNEXPECTED_CHARACTER, format!("unexpected character `{text}`"))
            .at(span, "this is not part of the language")
            .help(help)
    }

    /// Reports an error about the next token, unless there already was one.
    #[cold]
    #[inline(never)]
    pub(super) fn report_here(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.last_error != Some(self.consumed) || !self.input.diagnostics.has_errors() {
            self.last_error = Some(self.consumed);
            let lexeme = self.peek_at(0).lexeme;
            self.report_about(lexeme, diagnostic);
        }
        Reported
    }

    /// Leaves an error out that follows from one before. If there is none, the model must not be accepted.
    #[cold]
    #[inline(never)]
    pub(super) fn repeated(&mut self) -> Reported {
        if !self.input.diagnostics.has_errors() {
            let found = self.describe_next();
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, format!("unexpected {found}"))
                .at(self.span(), "not expected here");
            self.report_here(diagnostic);
        }
        Reported
    }

    /// Reports something about a lexeme, with the path from where it is written to where it is used.
    pub(super) fn report_about(&mut self, lexeme: Lexeme, mut diagnostic: Diagnostic) {
        if lexeme.spelled != lexeme.span {
            diagnostic = diagnostic.label(lexeme.spelled, "it is written here");
        }
        self.report_once(lexeme.spelled, diagnostic);
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.primary.as_ref().map_or_else(|| self.last.lexeme.span, |label| label.span);
        self.report_once(span, diagnostic);
    }

    /// Reports something that is written at this place, unless that was reported for another use of the text.
    #[cold]
    #[inline(never)]
    fn report_once(&mut self, written: Span, mut diagnostic: Diagnostic) {
        if !self.told.insert((diagnostic.code, written)) {
            return;
        }
        if let Some(call) = self.frames.iter().rev().find_map(|frame| frame.call.as_ref()) {
            diagnostic = diagnostic.label(call.site.span, "in this call of an inline");
        }
        self.input.report(diagnostic);
        if self.input.has_given_up() {
            self.give_up();
        }
    }

    /// Continues as if the model ended here.
    pub(super) fn give_up(&mut self) {
        self.input.give_up();
        self.forget();
    }

    /// Drops everything that is to be read before the input.
    pub(super) fn forget(&mut self) {
        self.frames.clear();
        self.ahead.clear();
        self.held = None;
    }

    /// Whether something starts here that cannot be part of a body.
    pub(super) fn at_unit(&mut self) -> bool {
        use Token::*;
        matches!(
            self.peek(),
            Active | Proctype | DProctype | Init | Never | Trace | Notrace | Ltl | Typedef | Inline
        )
    }

    /// Skips to where the next unit may start.
    pub(super) fn skip_unit(&mut self) {
        self.skip_to(|token| token == Token::Semicolon);
        self.eat(Token::RightBrace);
    }

    /// Skips to where the next statement may start: after a separator, or before the end of a sequence.
    pub(super) fn skip_statement(&mut self) {
        self.skip_to(|token| {
            matches!(
                token,
                Token::Semicolon | Token::Arrow | Token::LineEnd | Token::Separator | Token::Fi | Token::Od
            )
        });
    }

    /// Skips past the `fi` or `od` of the current options.
    pub(super) fn skip_options(&mut self) {
        self.skip_to(|token| matches!(token, Token::Fi | Token::Od));
        if self.at(Token::Fi) || self.at(Token::Od) {
            self.bump();
        }
    }

    /// Skips to a token that `stops` accepts, to the end of the enclosing braces and options, or to a unit.
    /// Braces and options on the way are skipped as a whole.
    fn skip_to(&mut self, stops: impl Fn(Token) -> bool) {
        let mut depth = 0_usize;
        self.skipping = true;
        loop {
            match self.peek() {
                Token::Eof => break,
                Token::RightBrace if depth == 0 => break,
                token if depth == 0 && stops(token) => break,
                Token::LeftBrace | Token::If | Token::Do => depth += 1,
                Token::RightBrace | Token::Fi | Token::Od => depth = depth.saturating_sub(1),
                _ if self.at_unit() => break,
                _ => {}
            }
            self.bump();
        }
        self.skipping = false;
    }
}

/// Whether a token needs a left operand.
fn takes_left(token: Token) -> bool {
    use Token::*;
    matches!(
        token,
        Assign | Increment | Decrement | Question | RandomReceive | Comma | Dot | Of | Priority | At
    ) || binary_operator(token).is_some()
}
