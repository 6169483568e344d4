//! The texts that are open in the editor. They take the place of the files of their names.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use check::{Language, Provider};
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use source::plain;

use crate::lines::Lines;
use crate::uri::path_of;

/// A source of files that threads share.
pub type Files = Arc<dyn Provider + Send + Sync>;

/// A text that is open.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name under which front ends know it.
    pub path: String,
    pub language: Language,
    pub version: i32,
    pub text: Arc<str>,
}

impl Document {
    /// `language` is the name that the editor gives it, which counts more than the ending of the file.
    pub fn new(uri: &Uri, language: &str, version: i32, text: &str) -> Self {
        let path = plain(&path_of(uri));
        let language = match language {
            "bir" => Language::Bir,
            "promela" => Language::Promela,
            _ => Language::of(&path),
        };
        Self { path, language, version, text: text.into() }
    }

    /// Applies the changes of a notification, one after the other.
    pub fn change(&mut self, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let mut text = self.text.to_string();
        for change in changes {
            match change.range {
                None => text = change.text,
                Some(range) => {
                    let lines = Lines::of(&text);
                    let start = lines.byte(&text, range.start) as usize;
                    let end = (lines.byte(&text, range.end) as usize).max(start);
                    text.replace_range(start..end, &change.text);
                }
            }
        }
        (self.version, self.text) = (version, text.into());
    }
}

/// Files, some of which are open, or are as they would be after an edit.
#[derive(Clone)]
pub struct Overlay {
    files: Files,
    texts: BTreeMap<String, Arc<str>>,
}

impl Overlay {
    pub fn new<'a>(files: &Files, documents: impl Iterator<Item = &'a Document>) -> Self {
        let texts = documents.map(|document| (document.path.clone(), document.text.clone()));
        Self { files: files.clone(), texts: texts.collect() }
    }

    /// Puts another text in the place of a file.
    pub fn replace(&mut self, path: &str, text: String) {
        self.texts.insert(plain(path), text.into());
    }
}

impl Provider for Overlay {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.texts.get(&plain(path)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.files.read(path),
        }
    }

    fn include(&self, path: &str) -> io::Result<Vec<u8>> {
        match self.texts.get(&plain(path)) {
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => self.files.include(path),
        }
    }
}
