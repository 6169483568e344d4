//! Mistakes that are recognised: habits from other languages, calls of things that cannot be called.
//!
//! A mistake is recognised where the text is wrong in any case, by the last token and the next ones. At most
//! three tokens ahead are looked at: a call of an inline must not be read past its end.

use source::{Diagnostic, Span, similar};

use super::statements::starts_expr;
use super::{Class, Parsed, Parser, Reported};
use crate::ast::{BinaryOp, Name};
use crate::codes;
use crate::foreign;
use crate::lexer::{Lexeme, Token, join};
use crate::text::clip;

/// Words that start a unit.
const UNITS: [&str; 9] =
    ["active", "proctype", "init", "never", "trace", "notrace", "ltl", "typedef", "inline"];
/// The types that are part of the language.
const TYPES: [&str; 9] = ["bit", "bool", "byte", "pid", "short", "int", "unsigned", "chan", "mtype"];
/// Statements with parentheses.
const CALLS: [&str; 6] = ["assert", "printf", "printm", "select", "for", "run"];

/// What belongs to another language.
pub(super) fn foreign_syntax(
    span: Span,
    message: impl Into<String>,
    label: &str,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(codes::FOREIGN, message).at(span, label).help(help)
}

impl Parser<'_> {
    fn text_of(&self, lexeme: Lexeme) -> String {
        clip(self.input.interner.text(lexeme.symbol))
    }

    /// Whether the token at this distance follows the one before it without a space.
    fn is_joined(&mut self, distance: usize) -> bool {
        let before = match distance {
            0 => self.last.lexeme,
            distance => self.peek_at(distance - 1).lexeme,
        };
        let next = self.peek_at(distance).lexeme;
        !next.space && !next.newline && before.span.file == next.span.file
    }

    /// The operator that the last token and the next one are together.
    fn pair(&mut self) -> (Span, String) {
        let (last, next) = (self.last.lexeme, self.peek_at(0).lexeme);
        (join(last.span, next.span), self.text_of(last) + &self.text_of(next))
    }

    /// The mistake that the next token is a part of, if it is one of those that are known.
    #[cold]
    #[inline(never)]
    pub(super) fn recognised(&mut self) -> Option<Diagnostic> {
        use Token::*;
        let (previous, last, next) = (self.previous, self.last, self.peek_at(0));
        let span = next.lexeme.span;
        let text = self.text_of(next.lexeme);
        let joined = self.is_joined(0);
        Some(match (last.token, next.token) {
            (
                Plus | Minus | Star | Slash | Percent | BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight,
                Assign,
            ) if joined => {
                let (span, operator) = self.pair();
                let plain = self.text_of(last.lexeme);
                let name =
                    if previous.token == Ident { self.text_of(previous.lexeme) } else { "x".to_owned() };
                let diagnostic = foreign_syntax(
                    span,
                    format!("Promela has no `{operator}`"),
                    "",
                    format!("write `{name} = {name} {plain} …`"),
                );
                if last.token == Slash { diagnostic.help("\"not equal\" is `!=`") } else { diagnostic }
            }
            (Equal | NotEqual, Assign) if joined => {
                let (span, operator) = self.pair();
                let help = format!("write `{}`", self.text_of(last.lexeme));
                foreign_syntax(span, format!("Promela has no `{operator}`"), "", help)
            }
            (Assign | Equal, Greater) if joined => {
                let (span, operator) = self.pair();
                arrow(span, &operator)
            }
            (_, Assign) if self.second() == Greater && self.is_joined(1) => {
                arrow(join(span, self.peek_at(1).lexeme.span), "=>")
            }
            (Assign, Less) if joined => {
                foreign_syntax(self.pair().0, "Promela has no `=<`", "", "\"at most\" is `<=`")
            }
            (LessEqual, Greater) if joined => foreign_syntax(
                self.pair().0,
                "Promela has no `<=>`",
                "",
                "values are compared by `==`; in formulas, equivalence is `<->`",
            ),
            (Less, Greater) if joined => foreign_syntax(
                self.pair().0,
                "`<>` does not compare values",
                "",
                "\"not equal\" is `!=`; `<>` is \"eventually\", at the beginning of a formula",
            ),
            (Ident | RightBracket, Increment | Decrement) => {
                let counted = if last.token == Ident { self.text_of(last.lexeme) } else { "x".to_owned() };
                Diagnostic::error(codes::UNEXPECTED, format!("`{text}` is a statement, and has no value"))
                    .at(span, "this cannot be part of an expression")
                    .help(format!("make it a statement of its own: `{counted}{text};`"))
            }
            (_, Decrement) if self.peek_at(1).lexeme.space => comment(span, "--"),
            (_, Increment | Decrement) if self.second() == Ident => {
                let counted = self.peek_at(1).lexeme;
                let counted = self.text_of(counted);
                let help = format!("write `{counted}{text}`, as a statement of its own");
                foreign_syntax(span, format!("`{text}` comes after its variable"), "", help)
            }
            (last, Str) if last != Str => foreign_syntax(
                span,
                "a text is not a value",
                "",
                "only `printf` has a text; to name values, declare them, as in `mtype = { idle, busy }`",
            ),
            (_, Comma) if self.second() == Str => {
                let span = join(span, self.peek_at(1).lexeme.span);
                let help = "put the text into a comment, or into a `printf` before this";
                foreign_syntax(span, "no text can be given here", "", help)
            }
            (Ident, next)
                if foreign::operator(&self.text_of(last.lexeme)) == Some("!") && starts_expr(next) =>
            {
                word_operator(last.lexeme.span, &self.text_of(last.lexeme), "!")
            }
            (_, Ident) if foreign::operator(&text).is_some() && starts_expr(self.second()) => {
                word_operator(span, &text, foreign::operator(&text)?)
            }
            (_, Ident) if text == "then" => foreign_syntax(
                span,
                "Promela has no `then`",
                "",
                "the statements of an option come after `->`",
            ),
            (_, Ident) if matches!(&*text, "else" | "elif" | "elseif" | "elsif") => foreign_syntax(
                span,
                format!("Promela has no `{text}`"),
                "",
                "every option starts with `::`; the last one may be `:: else -> …`",
            ),
            (Ident, LeftParen) => {
                return Some(self.unknown_call(last.lexeme, previous.token == Dot));
            }
            (_, Question) => {
                let value = !matches!(last.token, Ident | RightBracket);
                if value || self.peek_at(2).token == Colon {
                    let help = "write `(condition -> value : other)`, with the parentheses";
                    foreign_syntax(span, "a choice between two values is not written with `?`", "", help)
                } else {
                    Diagnostic::error(codes::UNEXPECTED, "a receive is a statement, and has no value")
                        .at(span, "this cannot be part of an expression")
                        .help(
                            "`q?x` stores the message in `x`; `q?[x]` asks whether a message can be received",
                        )
                }
            }
            (Number | True | False | Skip, Assign) => {
                Diagnostic::error(codes::CONSTANT_TARGET, "a constant cannot be set")
                    .at(last.lexeme.span, "a constant")
                    .help("`==` compares")
            }
            (RightBracket, LeftBracket) => self.dimensions(),
            (Ident | RightBracket, Of) => Diagnostic::error(codes::UNEXPECTED, "`of` without a capacity")
                .at(span, "the capacity of the channel is missing")
                .help("the capacity comes after `=`, as in `chan q = [2] of { byte }`"),
            _ => return None,
        })
    }

    /// `=` where a value is needed. It is passed over.
    #[cold]
    #[inline(never)]
    pub(super) fn assignment_in_expression(&mut self) {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "an assignment inside of an expression")
            .at(self.span(), "this sets a variable")
            .help("`==` compares");
        self.report_here(diagnostic);
        self.bump();
        self.last_error = Some(self.consumed);
    }

    /// `run` and a name, without parentheses.
    #[cold]
    #[inline(never)]
    pub(super) fn run_without_arguments(&mut self, process: &Name) -> Reported {
        let name = clip(&process.text);
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "expected `(` before the arguments")
            .at(self.span(), "expected `(` before this")
            .help(format!("write `run {name}()`, even without arguments"));
        self.report_here(diagnostic)
    }

    /// An array of arrays.
    #[cold]
    #[inline(never)]
    fn dimensions(&mut self) -> Diagnostic {
        Diagnostic::error(codes::UNEXPECTED, "an array has one dimension")
            .at(self.span(), "a second index")
            .help("use an array of records: `typedef Row { byte cell[3] }; Row a[2]`, and `a[1].cell[2]`")
    }

    /// Passes over further indices, with one report in a model.
    pub(super) fn more_dimensions(&mut self) -> Parsed<()> {
        while self.at(Token::LeftBracket) {
            let diagnostic = self.dimensions();
            if !std::mem::replace(&mut self.told_dimensions, true) {
                self.report_here(diagnostic);
            }
            self.bump();
            self.expr()?;
            self.expect(Token::RightBracket, " after an index")?;
        }
        Ok(())
    }

    /// Something that is called, and cannot be.
    #[cold]
    #[inline(never)]
    fn unknown_call(&mut self, lexeme: Lexeme, is_method: bool) -> Diagnostic {
        let name = self.text_of(lexeme);
        let here =
            |code, message: String, label: &str| Diagnostic::error(code, message).at(lexeme.span, label);
        match self.classes.get(&lexeme.symbol) {
            Some(Class::Proctype) => {
                let message = format!("`{name}` is a process, and is started by `run`");
                let diagnostic = here(codes::BAD_RUN, message, "`run` is missing before this")
                    .help(format!("write `run {name}(…)`"));
                return match self.processes.get(&lexeme.symbol) {
                    Some(&declared) => diagnostic.label(declared, "declared here"),
                    None => diagnostic,
                };
            }
            Some(Class::Inline(_)) => {
                let message = format!("the inline `{name}` has no value inside of an expression");
                return here(codes::BAD_INLINE, message, "a call of an inline")
                    .help(format!("assign its result to a variable first: `x = {name}(…)`"));
            }
            _ => {}
        }
        if is_method {
            let message = format!("Promela has no methods, such as `{name}`");
            let help = foreign::statement(&name).unwrap_or("`len(q)` is the number of messages in a channel");
            return foreign_syntax(lexeme.span, message, "", help);
        }
        if let Some(operator) = foreign::operator(&name) {
            return word_operator(lexeme.span, &name, operator);
        }
        let inlines = self.inlines.iter().map(|inline| &*inline.name.text);
        let processes = self.processes.keys().map(|&symbol| &**self.input.interner.text(symbol));
        let own = similar(&name, inlines.clone().chain(processes));
        if let (None, Some(help)) = (own, foreign::statement(&name)) {
            return foreign_syntax(lexeme.span, format!("Promela has no `{name}`"), "", help);
        }
        let diagnostic = here(codes::UNDECLARED, format!("there is no inline `{name}`"), "not known here");
        match own.or_else(|| similar(&name, CALLS)) {
            Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
            None => diagnostic.note("only an inline can be called, and it is declared before it is used"),
        }
    }

    /// `name(…)` as a statement, where `name` is not an inline; also with a block after it.
    #[cold]
    #[inline(never)]
    pub(super) fn bad_call(&mut self) {
        let lexeme = self.peek_at(0).lexeme;
        if self.unknown.contains(&lexeme.symbol) {
            self.repeated();
        } else {
            let diagnostic = self.unknown_call(lexeme, false);
            self.report_here(diagnostic);
            self.unknown.insert(lexeme.symbol);
        }
        self.bump();
        self.skip_parens();
        self.skip_block();
        if self.last.token == Token::RightParen {
            self.skip_statement();
        }
    }

    /// Skips what is in parentheses.
    pub(super) fn skip_parens(&mut self) {
        let mut depth = 0_usize;
        self.skipping = true;
        loop {
            match self.peek() {
                Token::LeftParen => depth += 1,
                Token::RightParen => depth = depth.saturating_sub(1),
                Token::Eof | Token::LeftBrace | Token::RightBrace => break,
                _ => {}
            }
            if depth == 0 {
                self.eat(Token::RightParen);
                break;
            }
            self.bump();
        }
        self.skipping = false;
    }

    /// Skips a block, which may be on the next line.
    pub(super) fn skip_block(&mut self) {
        let line_end = self.at(Token::LineEnd) && self.second() == Token::LeftBrace;
        if line_end {
            self.bump();
        }
        if self.at(Token::LeftBrace) {
            let open = self.bump();
            // A missing brace is reported there.
            let _ = self.lexemes_to_brace(open);
            self.last.token = Token::RightBrace;
        }
    }

    /// `and`, `or` or `mod` between two operands: an operator of other languages.
    pub(super) fn operator_word(&mut self) -> Option<(BinaryOp, u8)> {
        let next = self.peek_at(0);
        if next.token != Token::Ident || self.class().is_some() {
            return None;
        }
        let word = self.text_of(next.lexeme);
        let (operator, op) = match foreign::operator(&word)? {
            "&&" => (Token::And, "&&"),
            "||" => (Token::Or, "||"),
            "%" => (Token::Percent, "%"),
            "/" => (Token::Slash, "/"),
            _ => return None,
        };
        if !starts_expr(self.second()) {
            return None;
        }
        let diagnostic = word_operator(next.lexeme.span, &word, op);
        self.report_here(diagnostic);
        super::exprs::binary_operator(operator)
    }

    /// Whether two names in a row are an operand and an operator of another language: `not a`, `a and b`.
    pub(super) fn at_operator_word(&mut self) -> bool {
        if self.class().is_some() {
            return false;
        }
        let (first, second) = (self.peek_at(0).lexeme, self.peek_at(1).lexeme);
        match foreign::operator(&self.text_of(first)) {
            Some("!") => true,
            _ => foreign::operator(&self.text_of(second)).is_some() && starts_expr(self.peek_at(2).token),
        }
    }

    /// `not a`: a prefix operator of other languages.
    pub(super) fn not_word(&mut self) -> bool {
        let next = self.peek_at(0);
        let found = next.token == Token::Ident
            && matches!(&*self.text_of(next.lexeme), "not" | "NOT")
            && self.class().is_none()
            && starts_expr(self.second())
            && !matches!(self.second(), Token::LeftParen | Token::Not | Token::Minus);
        if found {
            let diagnostic = word_operator(next.lexeme.span, &self.text_of(next.lexeme), "!");
            self.report_here(diagnostic);
        }
        found
    }

    /// Whether `:=` is next.
    pub(super) fn at_pascal(&mut self, distance: usize) -> bool {
        self.peek_at(distance).token == Token::Colon && self.peek_at(distance + 1).token == Token::Assign
    }

    /// Reports `:=`, and consumes its colon.
    #[cold]
    #[inline(never)]
    pub(super) fn pascal(&mut self) {
        let span = join(self.span(), self.peek_at(1).lexeme.span);
        let diagnostic = foreign_syntax(span, "Promela has no `:=`", "", "write `=`");
        self.report_here(diagnostic);
        self.bump();
    }

    /// A type that is not declared. It is reported here, since it decides how the rest is read.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_type(&mut self, lexeme: Lexeme) {
        let name = self.text_of(lexeme);
        let is_foreign = foreign::declaration(&name).is_some();
        if !self.unknown.insert(lexeme.symbol) || self.is_lost() && !is_foreign {
            self.repeated();
            return;
        }
        let classes = self.classes.iter().filter(|&(_, &class)| class == Class::Typedef);
        let typedefs = classes.map(|(&symbol, _)| &**self.input.interner.text(symbol));
        let meant = similar(&name, typedefs.chain(TYPES));
        let known = meant.is_some_and(|meant| !TYPES.contains(&meant));
        let diagnostic = Diagnostic::error(codes::UNDECLARED, format!("there is no type `{name}`"))
            .at(lexeme.span, "not known here");
        let diagnostic = match (foreign::declaration(&name), meant) {
            (Some(help), _) if !known => {
                foreign_syntax(lexeme.span, format!("Promela has no `{name}`"), "", help)
            }
            (_, Some(meant)) => diagnostic.help(format!("did you mean `{meant}`?")),
            (_, None) => diagnostic.note("a type is declared by `typedef`, before it is used"),
        };
        self.report_about(lexeme, diagnostic);
        self.last_error = Some(self.consumed);
        self.lost |= !self.in_sequence && !is_foreign;
    }

    /// Whether an error before this place may be the reason for one here.
    pub(super) fn is_lost(&self) -> bool {
        self.lost && !self.in_sequence
    }

    /// Whether a unit of another language starts here: `struct A {`, `void f(`, `const int n`.
    pub(super) fn at_foreign_unit(&mut self) -> bool {
        use Token::*;
        self.class().is_none()
            && match self.second() {
                Ident => matches!(self.peek_at(2).token, LeftBrace | LeftParen),
                Bit | Bool | Byte | Pid | Short | Int | Unsigned | Chan | Mtype | Str | LeftBrace => true,
                _ => false,
            }
    }

    /// A unit that does not start with a word of the language.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_unit(&mut self) -> Parsed<()> {
        let next = self.peek_at(0);
        let text = self.text_of(next.lexeme);
        if std::mem::replace(&mut self.lost, true) && foreign::declaration(&text).is_none() {
            return Err(self.repeated());
        }
        if next.token != Token::Ident {
            return Err(self.unexpected("a declaration or a process"));
        }
        let expected = format!("expected a declaration or a process, found `{text}`");
        let diagnostic =
            Diagnostic::error(codes::UNEXPECTED, expected).at(next.lexeme.span, "no unit starts like this");
        let second = self.second();
        let diagnostic = match (similar(&text, UNITS), foreign::declaration(&text)) {
            (_, Some(help)) => foreign_syntax(next.lexeme.span, format!("Promela has no `{text}`"), "", help),
            (Some(meant), None) => diagnostic.help(format!("did you mean `{meant}`?")),
            (None, None) if matches!(second, Token::Assign | Token::Increment | Token::Decrement) => {
                diagnostic.help("statements are inside of processes: `init { … }`")
            }
            (None, None) => diagnostic,
        };
        self.report_here(diagnostic);
        // The whole unit is passed over.
        self.bump();
        self.eat(Token::Ident);
        if self.at(Token::LeftParen) {
            self.skip_parens();
        }
        if self.at(Token::LeftBrace) {
            self.skip_block();
            self.eat(Token::Semicolon);
        } else {
            self.skip_unit();
        }
        Ok(())
    }
}

fn arrow(span: Span, operator: &str) -> Diagnostic {
    let help = "the statements of an option come after `->`, which is also implication in formulas; \"at least\" is `>=`";
    foreign_syntax(span, format!("Promela has no `{operator}`"), "", help)
}

fn word_operator(span: Span, word: &str, operator: &str) -> Diagnostic {
    let help = if operator == "!" { "write `!x`".to_owned() } else { format!("write `{operator}`") };
    foreign_syntax(span, format!("Promela has no `{word}`"), "", help)
}

pub(super) fn comment(span: Span, start: &str) -> Diagnostic {
    let help = "comments are `// …` to the end of the line, or `/* … */`";
    foreign_syntax(span, format!("`{start}` does not start a comment"), "", help)
}
