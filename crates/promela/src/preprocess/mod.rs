//! The C preprocessor, as far as models use it.
//!
//! [`Preprocessor::next`] returns one lexeme after the other, with macros expanded and directives obeyed.
//! There is no intermediate text: a lexeme of a macro has the place of the macro's use, and knows where it is
//! spelled.
//!
//! Expansion follows the usual scheme: the lexemes of an expansion are read again, before the text that
//! follows the macro. Meanwhile the macro is switched off, and its name is painted: it stays a name forever.
//! Arguments are expanded on their own first, except next to `#` and `##`.
//!
//! Everything that could grow without bound is limited: the depth of included files and of arguments within
//! arguments, and the total size of all expansions. Exceeding a limit is one error, and the input ends there.

mod condition;
mod directives;
mod macros;
mod scan;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use source::{Diagnostic, Diagnostics, FileId, Index, Provider, SourceMap, Span};

use crate::codes;
use crate::lexer::{Interner, Kind, Lexeme, Symbol};
pub use condition::character;
use directives::Condition;
use macros::{Context, Macro};
use scan::Scanner;

/// A file that is being read.
struct Input {
    scanner: Scanner,
    conditions: Vec<Condition>,
}

pub struct Preprocessor<'a> {
    pub map: &'a mut SourceMap,
    provider: &'a dyn Provider,
    pub diagnostics: &'a mut Diagnostics,
    pub interner: Interner,
    macros: FxHashMap<Symbol, Rc<Macro>>,
    /// The file with the macros of the command line.
    given: Option<FileId>,
    /// Macros of the command line that the model has not used so far.
    unasked: Vec<Symbol>,
    /// The names that occurred in conditions.
    asked: FxHashSet<Symbol>,
    /// The file, followed by those that are being included.
    inputs: Vec<Input>,
    /// The number of included files.
    included: usize,
    /// Lexemes to read before the files: expansions of macros, the innermost last.
    contexts: Vec<Context>,
    /// Macros that are switched off.
    active: FxHashSet<Symbol>,
    /// The number of lexemes that all macros together have expanded to.
    expanded: usize,
    /// The nesting depth of arguments within arguments.
    nesting: usize,
    /// A macro that was the first of its line had an empty expansion: the next lexeme is the first.
    newline: bool,
    /// The use of a macro had more than one line: the next lexeme of the file is on a new line.
    broken: bool,
    /// The place of the last lexeme, which is also that of the end of the input.
    last: Span,
    given_up: bool,
    /// What names stand for, if an editor asks.
    pub index: Index,
}

impl<'a> Preprocessor<'a> {
    pub fn new(
        map: &'a mut SourceMap,
        provider: &'a dyn Provider,
        file: FileId,
        defines: &[(String, String)],
        diagnostics: &'a mut Diagnostics,
        index: Index,
    ) -> Self {
        let text = map.file(file).text().into();
        let mut preprocessor = Self {
            map,
            provider,
            diagnostics,
            interner: Interner::new(),
            macros: FxHashMap::default(),
            given: None,
            unasked: Vec::new(),
            asked: FxHashSet::default(),
            inputs: vec![Input { scanner: Scanner::new(text, file), conditions: Vec::new() }],
            included: 0,
            contexts: Vec::new(),
            active: FxHashSet::default(),
            expanded: 0,
            nesting: 0,
            newline: false,
            broken: false,
            last: Span::new(file, 0, 0),
            given_up: false,
            index,
        };
        preprocessor.command_line(defines);
        preprocessor
    }

    /// Continues with another file, after the end of the others.
    pub fn read(&mut self, file: FileId) {
        let text = self.map.file(file).text().into();
        self.inputs.push(Input { scanner: Scanner::new(text, file), conditions: Vec::new() });
        self.last = Span::new(file, 0, 0);
    }

    /// The next lexeme. After the last one it returns ends forever.
    pub fn next(&mut self) -> Lexeme {
        let Some(mut lexeme) = self.expand_next() else { return self.end() };
        lexeme.newline |= std::mem::take(&mut self.newline);
        self.last = lexeme.span;
        if lexeme.span != lexeme.spelled && lexeme.kind == Kind::Word {
            self.index.spell(lexeme.span, self.interner.text(lexeme.symbol), lexeme.spelled);
        }
        lexeme
    }

    /// The end of the input.
    pub fn end(&mut self) -> Lexeme {
        let span = self.last.after();
        let symbol = self.interner.intern("");
        Lexeme {
            kind: Kind::End,
            symbol,
            span,
            spelled: span,
            first: true,
            newline: true,
            space: true,
            painted: false,
        }
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        if self.given_up {
            return;
        }
        let error = diagnostic.severity == source::Severity::Error;
        self.diagnostics.push(diagnostic);
        if error && self.diagnostics.is_full() {
            self.diagnostics.stop();
            self.give_up();
        }
    }

    /// Ends the input.
    pub fn give_up(&mut self) {
        self.given_up = true;
        self.inputs.clear();
        self.contexts.clear();
        self.active.clear();
    }

    pub fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// The next lexeme of the files, not expanded. Directives on the way are obeyed.
    fn next_of_files(&mut self) -> Option<Lexeme> {
        loop {
            let input = self.inputs.last_mut()?;
            let mut lexeme = input.scanner.next(&mut self.interner);
            if lexeme.first && lexeme.is(crate::lexer::Token::Hash) {
                self.directive(lexeme);
            } else if lexeme.kind == Kind::End {
                self.end_of_file(lexeme);
            } else {
                lexeme.newline |= std::mem::take(&mut self.broken);
                return Some(lexeme);
            }
        }
    }

    fn end_of_file(&mut self, end: Lexeme) {
        let Some(input) = self.inputs.pop() else { return };
        if self.inputs.is_empty() {
            self.last = end.span;
        }
        if let Some(span) = input.scanner.open_comment {
            self.report(
                Diagnostic::error(codes::UNTERMINATED_COMMENT, "this comment does not end")
                    .at(span, "it starts here")
                    .help("a comment ends with `*/`; comments do not nest"),
            );
        }
        if self.inputs.is_empty() {
            self.warn_of_unasked();
        }
        for condition in input.conditions {
            self.report(
                Diagnostic::error(codes::UNBALANCED_CONDITION, "this condition does not end")
                    .at(condition.span, "it starts here")
                    .help("each `#if`, `#ifdef` and `#ifndef` needs an `#endif` in the same file"),
            );
        }
        self.newline = true;
    }
}
