//! A text that was analysed, with the places of the protocol.

use std::cell::OnceCell;

use check::Analysis;
use lsp_types::{Location, Position, Range, Uri};
use source::{FileId, Span, plain};

use crate::documents::{Document, Overlay};
use crate::lines::Lines;
use crate::uri::uri_of;

/// What is known of a model, of which at least one file is open.
pub struct Analysed {
    pub analysis: Analysis,
    /// By file: its path, and where its lines start.
    files: Vec<(String, OnceCell<Lines>)>,
}

impl Analysed {
    pub fn of(document: &Document, files: &Overlay, defines: &[(String, String)]) -> Self {
        let extension = check::Extension::Auto;
        let analysis = Analysis::of(files, &document.path, document.language, extension, defines);
        let files = analysis.map.files().map(|file| (plain(file.name()), OnceCell::new()));
        Self { files: files.collect(), analysis }
    }

    /// The file of this path, if it is a part of the model.
    pub fn file(&self, path: &str) -> Option<FileId> {
        self.files.iter().position(|(known, _)| known == path).map(|at| FileId(at as u32))
    }

    pub fn path(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].0
    }

    pub fn reads(&self, path: &str) -> bool {
        self.file(path).is_some()
    }

    fn lines(&self, file: FileId) -> &Lines {
        self.files[file.0 as usize].1.get_or_init(|| Lines::of(self.text(file)))
    }

    pub fn text(&self, file: FileId) -> &str {
        self.analysis.map.file(file).text()
    }

    pub fn range(&self, span: Span) -> Range {
        self.lines(span.file).range(self.text(span.file), span.start, span.end)
    }

    pub fn byte(&self, file: FileId, position: Position) -> Span {
        let byte = self.lines(file).byte(self.text(file), position);
        Span::new(file, byte, byte)
    }

    pub fn uri(&self, file: FileId) -> Option<Uri> {
        uri_of(self.path(file))
    }

    /// A place in a file that has a name.
    pub fn location(&self, span: Span) -> Option<Location> {
        Some(Location { uri: self.uri(span.file)?, range: self.range(span) })
    }
}
