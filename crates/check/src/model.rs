//! From a file to a program.

use std::collections::BTreeSet;

use ir::{Expr, ExprKind, GlobalId, Guard, TransitionId, UnaryOp};
use promela::Extension;
use source::{Diagnostics, FileId, Index, Provider, SourceMap, Span, Style};

use crate::dialect::{Compiled, Dialect};
use crate::memory::MemoryOptions;
use crate::report::{Diagnostic, LONGEST_TEXT, Place, shortened};

/// Expressions up to this number of bytes are quoted from the model.
const LONGEST_QUOTE: usize = 60;

/// A compiled model, with the text it came from.
#[derive(Debug)]
pub struct Model {
    pub name: String,
    pub language: Language,
    pub map: SourceMap,
    pub program: ir::Program,
    /// Which transitions of the program can be merged.
    pub chains: promela::Chains,
    /// The globals that the model declares `hidden`.
    pub hidden: BTreeSet<GlobalId>,
    /// The transitions that come from the bodies of inlines.
    pub inlined: promela::Inlined,
    /// Whether it uses the dynamic extension of Promela.
    pub is_dynamic: bool,
    /// Why processes have numbers in a dynamic program, and where.
    pub numbered: Option<(Span, &'static str)>,
    pub defines: Vec<(String, String)>,
    /// How its memory was asked to be: see [`Model::set_memory`].
    pub memory: MemoryOptions,
    pub warnings: Diagnostics,
    pub file: FileId,
}

/// Warnings of compilers without which a verdict would be taken for one about another model: a macro of the
/// command line that the model does not use.
pub const MISLEADING: &[&str] = &[promela::codes::UNUSED_MACRO_DEFINE];

/// A model that can't be compiled: at least one of the diagnostics is an error.
#[derive(Debug)]
pub struct Rejected {
    pub diagnostics: Diagnostics,
    /// The files that were read.
    pub map: SourceMap,
}

impl Rejected {
    /// The diagnostics for people, with their line ends.
    pub fn render(&self, style: Style) -> String {
        self.diagnostics.render(&self.map, style)
    }

    /// The diagnostics for programs.
    pub fn list(&self) -> Vec<Diagnostic> {
        Diagnostic::all(&self.diagnostics, &self.map)
    }
}

impl std::fmt::Display for Rejected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.render(Style::Plain).trim_end())
    }
}

impl std::error::Error for Rejected {}

/// A text as an editor sees it, whether or not it is a model yet.
#[derive(Debug)]
pub struct Analysis {
    /// The files that were read.
    pub map: SourceMap,
    /// The text itself. There is none if it could not be read.
    pub file: Option<FileId>,
    /// What names stand for, as far as that is known.
    pub index: Index,
    /// What a check of the model would say about the text.
    pub diagnostics: Diagnostics,
}

impl Analysis {
    /// Reads a text, and finds out what its names stand for.
    pub fn of(
        provider: &dyn Provider,
        path: &str,
        language: Language,
        extension: Extension,
        defines: &[(String, String)],
    ) -> Self {
        let mut map = SourceMap::new();
        let dialect = language.dialect();
        match (dialect.load)(&mut map, provider, path) {
            Ok(file) => {
                let (found, index) = (dialect.analyse)(&mut map, provider, file, defines, extension);
                let (Ok(diagnostics) | Err(diagnostics)) = found;
                Self { map, file: Some(file), index, diagnostics }
            }
            Err(diagnostics) => Self { map, file: None, index: Index::default(), diagnostics },
        }
    }
}

/// A text before and after formatting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formatted {
    pub before: String,
    pub after: String,
}

impl Formatted {
    /// Reads a model in BIR, and formats it.
    pub fn of(provider: &dyn Provider, path: &str) -> Result<Self, Rejected> {
        let mut map = SourceMap::new();
        let loaded = map.load(provider, path);
        let formatted = loaded.and_then(|file| Ok((file, bir::format(&map, file)?)));
        match formatted {
            Ok((file, after)) => Ok(Self { before: map.file(file).text().to_owned(), after }),
            Err(diagnostics) => Err(Rejected { diagnostics, map }),
        }
    }
}

/// A modelling language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Bir,
    Promela,
}

impl Language {
    /// The language of a file of this name: a name that ends in `.bir` is of BIR, all others of Promela.
    pub fn of(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((_, ending)) if ending.eq_ignore_ascii_case("bir") => Self::Bir,
            _ => Self::Promela,
        }
    }
}

impl std::str::FromStr for Language {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bir" => Ok(Self::Bir),
            "promela" => Ok(Self::Promela),
            _ => Err("expected bir or promela".to_owned()),
        }
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bir => "bir",
            Self::Promela => "promela",
        })
    }
}

impl Model {
    /// Reads and compiles a model.
    pub fn load(provider: &dyn Provider, path: &str, defines: &[(String, String)]) -> Result<Self, Rejected> {
        Self::load_with(provider, path, Language::of(path), defines, &[])
    }

    /// Reads and compiles a model of a given language, together with properties that are not in the model:
    /// their names, and a formula, a `never` claim (in Promela) or an automaton in the HOA format.
    pub fn load_with(
        provider: &dyn Provider,
        path: &str,
        language: Language,
        defines: &[(String, String)],
        properties: &[(&str, &str)],
    ) -> Result<Self, Rejected> {
        Self::load_as(provider, path, language, Extension::Auto, defines, properties)
    }

    /// [`Model::load_with`], where it is known whether a model in Promela may use the dynamic extension. For other
    /// languages, that has no meaning.
    pub fn load_as(
        provider: &dyn Provider,
        path: &str,
        language: Language,
        extension: Extension,
        defines: &[(String, String)],
        properties: &[(&str, &str)],
    ) -> Result<Self, Rejected> {
        let mut map = SourceMap::new();
        let dialect = language.dialect();
        let unreadable = |diagnostics| Rejected { diagnostics, map: SourceMap::new() };
        let file = (dialect.load)(&mut map, provider, path).map_err(unreadable)?;
        let files = properties.iter().map(|(name, text)| map.add(name, text).map_err(unreadable));
        let files: Vec<FileId> = files.collect::<Result<_, _>>()?;
        match (dialect.compile)(&mut map, provider, file, defines, &files, extension) {
            Ok(Compiled { program, chains, hidden, inlined, is_dynamic, numbered, warnings }) => {
                let (name, defines) = (path.to_owned(), defines.to_vec());
                let memory = MemoryOptions::default();
                Ok(Self {
                    name,
                    language,
                    map,
                    program,
                    chains,
                    hidden,
                    inlined,
                    is_dynamic,
                    numbered,
                    defines,
                    memory,
                    warnings,
                    file,
                })
            }
            Err(diagnostics) => Err(Rejected { diagnostics, map }),
        }
    }

    /// The words and rules of its language.
    pub fn dialect(&self) -> &'static Dialect {
        match self.language {
            Language::Promela if self.is_dynamic => Dialect::dynamic(),
            language => language.dialect(),
        }
    }

    /// What is said of a run that ends well.
    pub fn ended(&self) -> &'static str {
        let dialect = self.dialect();
        if self.has_end_locations() { dialect.ended_or_waiting } else { dialect.ended }
    }

    /// What a deadlock is called.
    pub fn deadlock(&self) -> &'static str {
        let dialect = self.dialect();
        if self.has_end_locations() { dialect.deadlock_outside } else { dialect.deadlock }
    }

    fn has_end_locations(&self) -> bool {
        self.program.locations.values().any(|location| location.end)
    }

    /// Where a span is, for reports.
    pub fn place(&self, span: Span) -> Place {
        Place::of(span, &self.map)
    }

    /// What the compiler warned of.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        Diagnostic::all(&self.warnings, &self.map)
    }

    /// Where a step is. A transition on several lines is shown as a whole: its first line is often no more
    /// than `do {`.
    pub fn place_of_step(&self, id: TransitionId) -> Place {
        let span = self.program.transitions[id].span;
        let place = self.place(span);
        if self.map.text(span).contains('\n') { Place { text: self.one_line(span), ..place } } else { place }
    }

    /// An expression as the model writes it. One that comes from a macro or an inline has no text of its own,
    /// and a long one is not quoted.
    pub(crate) fn written(&self, span: Span) -> Option<String> {
        let text = self.map.text(span).trim();
        let is_inside = |id: &TransitionId| {
            let Span { file, start, end } = self.program.transitions[*id].span;
            file == span.file && start <= span.start && span.end <= end
        };
        let is_own = self.map.expansion(span).is_none()
            && !self.inlined.keys().any(is_inside)
            && matches!(self.map.file(span.file).origin(), source::Origin::Given);
        let is_short = !text.is_empty() && !text.contains('\n') && text.len() <= LONGEST_QUOTE;
        (span != Span::default() && is_own && is_short).then(|| text.to_owned())
    }

    /// Whether a step of a search may be several steps of a trail: the statements of an `atomic`. Then a run
    /// with the fewest steps of one kind need not have the fewest of the other.
    pub(crate) fn has_coarse_steps(&self) -> bool {
        self.program.transitions.values().any(|transition| transition.exclusive)
    }

    /// The names of the source files.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.map.files().map(source::SourceFile::name)
    }

    /// A line of a source file of this name, from 1.
    pub fn source_line(&self, file: &str, line: u32) -> Option<&str> {
        let file = self.map.files().find(|known| known.name() == file)?;
        (1..=file.line_count()).contains(&line).then(|| file.line_text(line))
    }

    /// The text of a span without its comments, on one line.
    pub fn one_line(&self, span: Span) -> String {
        let text = self.map.text(span);
        // Longer than what is shown, since blanks and comments go.
        let text = text.get(..text.floor_char_boundary(10 * LONGEST_TEXT)).unwrap_or(text);
        let code = text.lines().map(without_comment);
        let line = code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
        shortened(&line).to_owned()
    }

    /// Which way the test went that a transition stands for. A test of an `if` or `while` is one place in the
    /// source and two transitions, one of which is guarded by the negation, made up for it.
    pub fn test_outcome(&self, id: TransitionId) -> Option<bool> {
        if !self.dialect().tests_have_outcomes {
            return None;
        }
        let negates = |id: TransitionId| match &self.program.transitions[id].guard {
            Guard::When(Expr { kind: ExprKind::Unary(UnaryOp::Not, inner), span, .. }) => inner.span == *span,
            _ => false,
        };
        let source = &self.program.locations[self.program.transitions[id].source];
        source.transitions.iter().any(|&other| negates(other)).then(|| !negates(id))
    }

    /// The compiled program, as text that can be parsed again.
    pub fn ir_text(&self) -> String {
        ir::text::print(&self.program)
    }

    /// A number that changes with whatever matters to a trail: which transitions there are, and what they do.
    /// Lines do not matter, and locations without a name of their own are called by their lines.
    pub fn fingerprint(&self) -> String {
        let mut program = self.program.clone();
        for (index, location) in program.locations.values_mut().enumerate() {
            if location.synthetic {
                location.name = format!("hidden{index}");
            }
        }
        format!("{:016x}", xxhash_rust::xxh3::xxh3_64(ir::text::print(&program).as_bytes()))
    }
}

/// A line up to its `//`, unless that is part of a string.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'/' if !quoted && line[at..].starts_with("//") => return &line[..at],
            _ => {}
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::without_comment;

    #[test]
    fn comments_end_lines_unless_they_are_quoted() {
        assert_eq!(without_comment("x := 1; // one"), "x := 1; ");
        assert_eq!(without_comment(r#"s := "a//b\"//c"; // "d"#), r#"s := "a//b\"//c"; "#);
        assert_eq!(without_comment("x := x / 2;"), "x := x / 2;");
        assert_eq!(without_comment("//"), "");
    }
}
