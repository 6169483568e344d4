//! Forms of other languages: each is reported once, with the form that is used here, and then parsed as what
//! was meant, so that the rest of the file is read as it should be.

use source::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::ast::{Block, Expr, ExprKind, Stmt, StmtKind};
use crate::codes;
use crate::foreign;
use crate::lexer::Token;
use crate::text::clip;

/// Statements that start with a word, and what is written instead.
const STATEMENTS: &[(&str, &str)] = &[
    ("switch", "write `if e do … elseif e do … end`, or `choose when <e> do … end`"),
    ("match", "write `if e do … elseif e do … end`, or `choose when <e> do … end`"),
    ("synchronized", "write `lock(l); … unlock(l);`"),
    ("loop", "write `while true do … end`"),
    ("repeat", "write `while true do … if e do break; end end`"),
    ("until", "write `while !(e) do … end`"),
    ("unless", "write `if !(e) do … end`"),
    ("foreach", "write `for x in s do … end`"),
];

/// What a statement that was reported stands for.
fn nothing<'s>(span: Span) -> Stmt<'s> {
    Stmt { label: None, kind: StmtKind::Skip, span }
}

impl<'s> Parser<'s, '_> {
    /// Reports something about the next token, with what to write instead.
    fn instead(&mut self, span: Span, message: &str, label: &str, help: &str) -> Reported {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, message).at(span, label).help(help.to_owned());
        self.report_here(diagnostic)
    }

    // Blocks.

    /// The `do` that begins a block, after `what`. Returns whether the block is in braces, which is reported.
    pub(super) fn begin(&mut self, what: &str) -> Parsed<bool> {
        if self.eat(Token::Do) {
            return Ok(false);
        }
        let found = self.describe_next();
        let (after, here) = (self.span_of(self.last).after(), self.span());
        let message = format!("expected `do` after {what}, found {found}");
        if self.at(Token::LeftBrace) {
            self.braces();
            self.bump();
            return Ok(true);
        }
        if self.at(Token::Equal) {
            self.instead(
                here,
                "expected `==`, found `=`",
                "expected `==`",
                "values are compared with `==`, and assigned with `:=`",
            );
            return Err(Reported);
        }
        let foreign = self.at(Token::Colon) || self.at_word("then") || self.at_word("begin");
        if foreign {
            self.instead(here, &message, "expected `do`", "a block is written `do … end`");
            self.bump();
            return Ok(false);
        }
        let between = self.text.get(after.start as usize..here.start as usize);
        if between.is_some_and(|between| between.contains('\n')) {
            // What follows is probably the block.
            let diagnostic = Diagnostic::error(codes::UNEXPECTED, message)
                .at(after, "expected `do` here")
                .help("a block is written `do … end`");
            self.report_here(diagnostic);
            return Ok(false);
        }
        Err(self.unexpected(&format!("`do` after {what}")))
    }

    /// Reports that a block is in braces, once per file.
    fn braces(&mut self) {
        if !std::mem::replace(&mut self.has_braces, true) {
            self.instead(
                self.span(),
                "blocks are not written in braces",
                "expected `do`",
                "a block is written `do … end`, as in `while e do … end`; `atomic` and `try` need no `do`",
            );
        }
    }

    /// Whether a block in braces starts here, instead of one without, as after `atomic`. Consumes the brace.
    pub(super) fn eat_brace(&mut self) -> bool {
        let found = self.at(Token::LeftBrace);
        if found {
            if !std::mem::replace(&mut self.has_braces, true) {
                self.instead(
                    self.span(),
                    "blocks are not written in braces",
                    "expected a statement",
                    "a block ends with `end`, as in `atomic … end`",
                );
            }
            self.bump();
        }
        found
    }

    /// The statements of a block. In braces, it may be empty, and ends with a brace.
    pub(super) fn block(&mut self, braced: bool) -> Block<'s> {
        if !braced {
            return self.statements(true);
        }
        let block = if self.at(Token::RightBrace) { Vec::new() } else { self.statements(true) };
        self.eat(Token::RightBrace);
        block
    }

    // Statements.

    /// A statement of another language, if one starts here.
    pub(super) fn foreign_statement(&mut self) -> Option<Parsed<Stmt<'s>>> {
        let start = self.span();
        let next = self.peek_at(1);
        let word = self.slice(self.ahead[0]);
        match (self.peek(), next) {
            (Token::Ident, Token::LeftParen | Token::LeftBrace | Token::Ident)
                if STATEMENTS.iter().any(|(known, _)| *known == word) =>
            {
                let is_declared = next == Token::Ident
                    && matches!(self.peek_at(2), Token::Semicolon | Token::Assign | Token::Equal);
                let is_called = next == Token::LeftParen && self.behind_parens(1) == Some(Token::Semicolon);
                if is_declared || is_called {
                    return None;
                }
                let (_, help) = STATEMENTS.iter().find(|(known, _)| *known == word)?;
                self.instead(start, &format!("there is no statement `{word}`"), "", help);
                self.bump();
                self.skip_form();
                Some(Ok(nothing(start)))
            }
            (Token::Ident, Token::Ident) if word == "run" && self.peek_at(2) == Token::LeftParen => {
                let name = self.lexeme_at(1);
                let help = format!("threads are started with `start {}(…);`", clip(self.slice(name)));
                self.instead(start, "there is no statement `run`", "", &help);
                self.skip_to(|_| false);
                Some(Ok(nothing(start)))
            }
            (Token::Ident, Token::Ident) if self.at_foreign_local() => {
                self.instead(
                    start,
                    &format!("variables are not declared with `{word}`"),
                    "expected a type",
                    "variables are declared at the start of a body, with a type: `int x := 3;`",
                );
                self.skip_to(|_| false);
                Some(Ok(nothing(start)))
            }
            (Token::Ident, Token::Semicolon) if word == "pass" => {
                self.instead(start, "there is no statement `pass`", "", "write `skip;`");
                self.skip_to(|_| false);
                Some(Ok(nothing(start)))
            }
            (Token::Plus, Token::Plus) | (Token::Minus, Token::Minus) => {
                let sign = if self.at(Token::Plus) { "+" } else { "-" };
                let both = start.to(self.span_at(1));
                let name = self.lexeme_at(2);
                let name = if name.token == Token::Ident { clip(self.slice(name)) } else { "x".to_owned() };
                let help = format!("write `{name} {sign}= 1;`");
                self.instead(both, &format!("there is no operator `{sign}{sign}`"), "", &help);
                self.skip_to(|_| false);
                Some(Ok(nothing(start)))
            }
            (Token::If | Token::Do, Token::Colon) => {
                let is_loop = self.at(Token::Do);
                let help = if is_loop {
                    "a choice is written `choose when <e> do … end`, and repeated by `while true do … end`"
                } else {
                    "a choice is written `choose when <e> do … else do … end`"
                };
                self.instead(start, "this is a choice of Promela", "expected a statement", help);
                self.skip_promela();
                Some(Ok(nothing(start)))
            }
            (Token::Do, Token::LeftBrace) => {
                let help = "the condition comes first: `while e do … end`";
                self.instead(start, "there is no statement `do`", "expected a statement", help);
                self.bump();
                self.skip_form();
                if self.eat(Token::While) {
                    self.skip_to(|_| false);
                }
                Some(Ok(nothing(start)))
            }
            (Token::Goto, _) => {
                let help = "use `while`, `break` and `continue`; bodies made of locations have `goto`";
                self.instead(start, "statements do not jump", "expected a statement", help);
                self.skip_to(|_| false);
                Some(Ok(nothing(start)))
            }
            _ => None,
        }
    }

    /// Whether `let x =` or the like starts here. A type may have this name too: then `:=` or `;` follows.
    pub(super) fn at_foreign_local(&mut self) -> bool {
        let third = self.peek_at(2);
        match self.slice(self.ahead[0]) {
            "let" | "var" | "val" | "auto" => {
                self.peek_at(1) == Token::Ident && matches!(third, Token::Equal | Token::Colon | Token::Ident)
            }
            "run" => self.peek_at(1) == Token::Ident && third == Token::LeftParen,
            _ => false,
        }
    }

    /// Whether `elif` or the like follows a block.
    pub(super) fn at_foreign_elseif(&mut self) -> bool {
        matches!(self.slice(self.ahead[0]), "elif" | "elsif" | "elseIf")
            && self.at(Token::Ident)
            && match self.peek_at(1) {
                Token::Ident => !matches!(self.peek_at(2), Token::Semicolon | Token::Assign),
                Token::LeftParen | Token::Bang | Token::True | Token::False => true,
                _ => false,
            }
    }

    /// Reports `elif`, and consumes it.
    pub(super) fn eat_foreign_elseif(&mut self) -> bool {
        let found = self.at_foreign_elseif();
        if found {
            let message = format!("expected `elseif`, found {}", self.describe_next());
            self.instead(self.span(), &message, "expected `elseif`", "write `elseif e do …`");
            self.bump();
        }
        found
    }

    /// Reports a loop as other languages write it, and skips it. Its `for` was consumed.
    pub(super) fn foreign_for(&mut self, start: Span) -> Stmt<'s> {
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "this is not how a `for` loop is written")
            .at(start, "expected `for x in … do … end`")
            .help("over numbers: `for i in 0..3 do … end`, where `i` is 0, 1 and 2 and needs no declaration")
            .help("over elements: `for x in s do … end`, where `s` is a collection or an array");
        self.report_here(diagnostic);
        self.skip_form();
        if self.eat(Token::Do) {
            self.silently(|parser| {
                parser.statements(true);
                parser.eat(Token::End);
            });
        }
        nothing(start)
    }

    /// Reports a value of a collection or array as other languages write it.
    pub(super) fn foreign_literal(&mut self) -> Reported {
        let start = self.span();
        let (message, help) = if self.at(Token::LeftBrace) {
            ("a set is not written in braces alone", "write `Set{…}`, `Bag{…}`, `Seq{…}` or `Map{k: v, …}`")
        } else {
            ("a sequence is not written in brackets", "write `Seq{…}`; arrays are made by `new T[length]`")
        };
        let reported = self.instead(start, message, "expected an expression", help);
        let (open, close) = if self.at(Token::LeftBrace) {
            (Token::LeftBrace, Token::RightBrace)
        } else {
            (Token::LeftBracket, Token::RightBracket)
        };
        self.skip_balanced(open, close);
        self.skip_to(super::statements::starts_statement);
        reported
    }

    // Expressions.

    /// Reports an operator of another language after an operand, and consumes it if it has a counterpart.
    pub(super) fn foreign_operator(&mut self) -> Option<Token> {
        let here = self.span();
        if self.at(Token::Ident) && !self.in_formula && !self.at_assignment(0) {
            let (token, help) = match self.slice(self.ahead[0]) {
                "and" | "AND" => (Token::AndAnd, "`and` is written `&&`"),
                "or" | "OR" => (Token::OrOr, "`or` is written `||`"),
                "mod" => (Token::Percent, "`mod` is written `%`"),
                "xor" => (Token::BangEqual, "on booleans, write `!=`; on numbers, `^`"),
                "is" => (Token::EqualEqual, "write `==`, or `instanceof` to ask for the record of an object"),
                "in" => (Token::EqualEqual, "membership is `s.contains(x)`"),
                _ => return None,
            };
            let message = format!("there is no operator `{}`", self.slice(self.ahead[0]));
            self.instead(here, &message, "", help);
            return Some(token);
        }
        let next = self.span_at(1);
        let adjacent = here.end == next.start;
        if self.at(Token::Less) && self.peek_at(1) == Token::Greater && adjacent && !self.in_angles {
            self.instead(here.to(next), "there is no operator `<>` between values", "", "write `!=`");
            self.bump();
            return Some(Token::BangEqual);
        }
        None
    }

    /// Consumes `not`, which is reported.
    pub(super) fn eat_foreign_not(&mut self) -> bool {
        let next = self.peek_at(1);
        let found = self.at_word("not")
            && (matches!(next, Token::True | Token::False | Token::Bang)
                || next == Token::Ident && !self.at_assignment(1));
        if found {
            self.instead(self.span(), "there is no operator `not`", "", "`not` is written `!`");
            self.bump();
        }
        found
    }

    /// Reports what follows an expression that was meant as a statement.
    pub(super) fn foreign_assignment(&mut self, place: &Expr<'s>) -> Option<Reported> {
        let here = self.span();
        let (first, second) = (self.peek(), self.peek_at(1));
        if self.at(Token::Equal) {
            return Some(self.instead(
                here,
                "expected `:=`, found `=`",
                "expected `:=`",
                "variables are assigned with `:=`, and compared with `==`",
            ));
        }
        if matches!((first, second), (Token::Plus, Token::Plus) | (Token::Minus, Token::Minus)) {
            let both = here.to(self.span_at(1));
            return Some(self.increment(place, both));
        }
        if !self.at(Token::Semicolon) {
            return None;
        }
        let help = match &place.kind {
            ExprKind::Call(name, _) => {
                let name = clip(name.text);
                match foreign::statement_hint(&name) {
                    Some(hint) => hint.to_owned(),
                    None => format!(
                        "a function is called with `invoke {name}(…);`, a thread is started with \
                         `start {name}(…);`"
                    ),
                }
            }
            ExprKind::Binary(binary) if binary.op == ir::BinaryOp::Eq => {
                "`:=` assigns; a condition is checked with `assert e;`, and waited for with `when e;`"
                    .to_owned()
            }
            ExprKind::Quantified(_)
            | ExprKind::Threads(_)
            | ExprKind::At(..)
            | ExprKind::Binary(_)
            | ExprKind::Not(_)
            | ExprKind::Bool(_) => {
                "a condition is checked with `assert e;`, and waited for with `when e;`".to_owned()
            }
            ExprKind::Name(name) => format!("to assign to it, write `{} := …;`", clip(name)),
            _ => return None,
        };
        let diagnostic = Diagnostic::error(codes::UNEXPECTED, "an expression is no statement")
            .at(place.span, "its value is not used")
            .help(help);
        self.report(diagnostic);
        self.last_error = Some(self.ahead[0].start);
        Some(Reported)
    }

    /// Reports `x++`. The operator is at `span`.
    fn increment(&mut self, place: &Expr<'s>, span: Span) -> Reported {
        let sign = if self.at(Token::Plus) { "+" } else { "-" };
        let start = place.span.start as usize;
        let shown = clip(self.text.get(start..place.span.end as usize).unwrap_or("x"));
        let help = format!("write `{shown} {sign}= 1;`");
        self.instead(span, &format!("there is no operator `{sign}{sign}`"), "", &help)
    }

    /// Reports `x++` where the first sign was taken for an operator between two values.
    pub(super) fn at_increment(&mut self) -> bool {
        let pair = (self.peek(), self.peek_at(1));
        let is_pair = matches!(pair, (Token::Plus, Token::Plus) | (Token::Minus, Token::Minus));
        is_pair
            && self.span().end == self.span_at(1).start
            && matches!(self.peek_at(2), Token::Semicolon | Token::RightParen)
    }

    // Members.

    /// Reports a member as other languages write it, if one starts here, and skips it.
    pub(super) fn foreign_member(&mut self) -> Option<Reported> {
        let here = self.span();
        let (word, next, third) = (self.slice(self.ahead[0]), self.peek_at(1), self.peek_at(2));
        let named = if next == Token::Ident {
            let lexeme = self.lexeme_at(1);
            clip(self.slice(lexeme))
        } else {
            "name".to_owned()
        };
        let declares = next == Token::Ident && matches!(third, Token::LeftParen | Token::LeftBrace);
        let ends = matches!(third, Token::Semicolon | Token::Assign);
        let (message, help) = match word {
            "class" | "struct" | "typedef" | "interface" | "data" if declares => {
                (format!("there is no `{word}`"), format!("write `record {named} {{ int value; … }}`"))
            }
            "fn" | "def" | "func" | "void" | "proc" | "procedure" | "method" | "static" if declares => (
                format!("functions are not declared with `{word}`"),
                format!("write `function {named}(…) {{ … }}`, or `function {named}(…) returns T {{ … }}`"),
            ),
            "process" | "proctype" | "actor" if declares => (
                format!("threads are not declared with `{word}`"),
                format!("write `thread {named}(…) {{ … }}`, or `active thread {named}() {{ … }}`"),
            ),
            "active" if named == "proctype" && third == Token::Ident => {
                let lexeme = self.lexeme_at(2);
                let name = clip(self.slice(lexeme));
                (
                    "threads are not declared with `proctype`".to_owned(),
                    format!("write `active thread {name}() {{ … }}`"),
                )
            }
            "init" if next == Token::LeftBrace => (
                "there is no `init`".to_owned(),
                "write `main thread init() { … }`, which starts the others".to_owned(),
            ),
            "mtype" if matches!(next, Token::Equal | Token::LeftBrace | Token::Colon) => (
                "there is no `mtype`".to_owned(),
                "names for values are declared with `enum Color { red, green }`".to_owned(),
            ),
            "chan" if next == Token::Ident && !ends => (
                "there are no channels".to_owned(),
                format!("a channel with a buffer is a queue: `Queue.type<int> {named};`"),
            ),
            "VARIABLES" | "VARIABLE" | "CONSTANTS" | "CONSTANT" | "EXTENDS"
                if next == Token::Ident && !ends =>
            {
                (
                    format!("there is no `{word}`"),
                    format!("variables are declared with a type: `int {named};`"),
                )
            }
            "#" if next == Token::Ident => {
                let help = if named == "include" {
                    "write `import \"other.bir\";` before `system`".to_owned()
                } else {
                    "constants are declared with `const Limits { N = 3; }`, and used as `Limits.N`".to_owned()
                };
                ("there is no preprocessor".to_owned(), help)
            }
            "import" if next == Token::Str => (
                "files are imported before the system".to_owned(),
                "move it to the start of the file".to_owned(),
            ),
            _ if self.at_function_of_c() => (
                "a function starts with `function`".to_owned(),
                format!("write `function {named}(…) returns {} {{ … }}`", clip(word)),
            ),
            _ => return None,
        };
        let reported = self.instead(here, &message, "", &help);
        if word == "#" {
            let line = self.text[here.start as usize..]
                .find('\n')
                .map_or(self.text.len(), |at| at + here.start as usize);
            while !self.at(Token::Eof) && (self.span().start as usize) < line {
                self.bump();
            }
        } else {
            self.bump();
            self.skip_foreign_member();
        }
        Some(reported)
    }

    /// Whether `int name(` starts here.
    fn at_function_of_c(&mut self) -> bool {
        use Token::{Boolean, Ident, IntType, LeftParen, LongType, StringType};
        matches!(self.peek(), Boolean | IntType | LongType | StringType)
            && self.peek_at(1) == Ident
            && self.peek_at(2) == LeftParen
            && self.behind_parens(2) == Some(Token::LeftBrace)
    }

    /// Skips to what follows the braces, or the `;`, that end a member.
    fn skip_foreign_member(&mut self) {
        loop {
            match self.peek() {
                Token::Eof | Token::RightBrace => return,
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                Token::LeftBrace => {
                    self.skip_balanced(Token::LeftBrace, Token::RightBrace);
                    self.eat(Token::Semicolon);
                    return;
                }
                _ => {
                    self.bump();
                }
            }
        }
    }

    /// Reports what follows the name of a variable in C.
    pub(super) fn foreign_declarator(&mut self, ty: Span, name: &str) -> Option<Reported> {
        let written = clip(self.text.get(ty.start as usize..ty.end as usize).unwrap_or("int"));
        let (here, name) = (self.span(), clip(name));
        match self.peek() {
            Token::LeftBracket => {
                let length = self.lexeme_at(1);
                let length = if length.token == Token::RightBracket { "n" } else { self.slice(length) };
                let help = format!(
                    "write `{written}[] {name};`, and make the array with `{name} := new {written}[{}];`",
                    clip(length)
                );
                Some(self.instead(here, "the brackets of an array belong to its type", "", &help))
            }
            Token::Comma => {
                let other = self.lexeme_at(1);
                let other =
                    if other.token == Token::Ident { clip(self.slice(other)) } else { "…".to_owned() };
                let help = format!("write `{written} {name};` and `{written} {other};`");
                Some(self.instead(here, "variables are declared one by one", "expected `;`", &help))
            }
            Token::Equal => {
                let help = "`=` defines constants; variables are assigned with `:=`";
                Some(self.instead(here, "expected `:=`, found `=`", "expected `:=`", help))
            }
            _ => None,
        }
    }

    // Skipping.

    /// Skips `( … )` and `{ … }`, if they are next.
    fn skip_form(&mut self) {
        if self.at(Token::LeftParen) {
            self.skip_balanced(Token::LeftParen, Token::RightParen);
        }
        while !matches!(self.peek(), Token::LeftBrace | Token::Do | Token::Semicolon | Token::Eof)
            && !matches!(self.peek(), Token::RightBrace | Token::End)
        {
            self.bump();
        }
        if self.at(Token::LeftBrace) {
            self.skip_balanced(Token::LeftBrace, Token::RightBrace);
        } else if self.at(Token::Semicolon) {
            self.bump();
        }
    }

    /// Skips from an opening token past the closing one that belongs to it.
    pub(super) fn skip_balanced(&mut self, open: Token, close: Token) {
        let mut depth = 0_usize;
        loop {
            let token = self.peek();
            if token == Token::Eof {
                return;
            }
            self.bump();
            if token == open {
                depth += 1;
            } else if token == close {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }

    /// Skips a choice of Promela up to the word that ends it.
    fn skip_promela(&mut self) {
        let mut depth = 0_usize;
        loop {
            let word = self.slice(self.ahead[0]);
            let begins = matches!(self.peek(), Token::If | Token::Do) && self.peek_at(1) == Token::Colon;
            match self.peek() {
                Token::Eof | Token::RightBrace => return,
                _ if begins => depth += 1,
                Token::Ident if matches!(word, "fi" | "od") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.bump();
                        self.eat(Token::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// The token after the parentheses that start at a distance, if they are not far apart.
    fn behind_parens(&mut self, start: usize) -> Option<Token> {
        let mut depth = 0_usize;
        for distance in start..start + super::MAX_LOOKAHEAD {
            match self.peek_at(distance) {
                Token::LeftParen => depth += 1,
                Token::RightParen if depth <= 1 => return Some(self.peek_at(distance + 1)),
                Token::RightParen => depth -= 1,
                Token::Eof => return None,
                _ => {}
            }
        }
        None
    }

    /// Parses something without reports: a mistake around it was reported.
    pub(super) fn silently<T>(&mut self, parse: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.silent, true);
        let parsed = parse(self);
        self.silent = outer;
        parsed
    }
}
