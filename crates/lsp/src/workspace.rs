//! The open texts, the models that they are, and what was found out about them.
//!
//! Every open text is analysed as a model of its own. One that other open models include, and that is no model by
//! itself, is a *fragment*: what is said about it comes from the models around it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use check::Language;
use lsp_types::{Diagnostic, TextDocumentContentChangeEvent, Uri};
use source::{FileId, NameKind, Span};

use crate::analysis::Analysed;
use crate::checks::{Goal, Outcome, Spot};
use crate::diagnostics::{of_model, of_violation, start_of};
use crate::documents::{Document, Files, Overlay};
use crate::settings::Settings;

/// How long a text has to stay as it is before it is analysed.
const QUIET: Duration = Duration::from_millis(150);

/// An open text, as a model.
pub struct Root {
    pub analysed: Analysed,
    /// When it is to be analysed anew, if anything has changed.
    due: Option<Instant>,
    pub outcomes: BTreeMap<Goal, Outcome>,
}

impl Root {
    /// Whether a text of the model has changed since it was analysed.
    pub fn is_stale(&self) -> bool {
        self.due.is_some()
    }
}

pub struct Workspace {
    files: Files,
    pub settings: Settings,
    documents: BTreeMap<String, Document>,
    roots: BTreeMap<String, Root>,
    /// By path: what the editor shows.
    published: BTreeMap<String, Vec<Diagnostic>>,
}

/// What the editor is to show in a file from now on.
pub struct Published {
    pub path: String,
    pub version: Option<i32>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Workspace {
    pub fn new(files: Files) -> Self {
        let (settings, documents, roots) = (Settings::default(), BTreeMap::new(), BTreeMap::new());
        Self { files, settings, documents, roots, published: BTreeMap::new() }
    }

    pub fn overlay(&self) -> Overlay {
        Overlay::new(&self.files, self.documents.values())
    }

    pub fn document(&self, path: &str) -> Option<&Document> {
        self.documents.get(path)
    }

    /// Opens a text. Returns the models to which something has happened.
    pub fn open(&mut self, uri: &Uri, language: &str, version: i32, text: &str) -> BTreeSet<String> {
        let document = Document::new(uri, language, version, text);
        let path = document.path.clone();
        self.documents.insert(path.clone(), document);
        let mut touched = self.touch(&path, Duration::ZERO);
        self.analyse(&path);
        touched.insert(path);
        touched
    }

    pub fn change(
        &mut self,
        path: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> BTreeSet<String> {
        let Some(document) = self.documents.get_mut(path) else { return BTreeSet::new() };
        document.change(version, changes);
        self.touch(path, QUIET)
    }

    pub fn close(&mut self, path: &str) -> BTreeSet<String> {
        self.documents.remove(path);
        self.roots.remove(path);
        let mut touched = self.touch(path, Duration::ZERO);
        touched.insert(path.to_owned());
        touched
    }

    /// Analyses everything anew: files that are not open may have changed, or settings.
    pub fn refresh(&mut self) -> BTreeSet<String> {
        for root in self.roots.values_mut() {
            root.due = Some(Instant::now());
            root.outcomes.clear();
        }
        self.roots.keys().cloned().collect()
    }

    /// Notes that a text has changed. Returns the models that read it.
    fn touch(&mut self, path: &str, wait: Duration) -> BTreeSet<String> {
        let readers =
            self.roots.iter_mut().filter(|(root, known)| *root == path || known.analysed.reads(path));
        let touched = readers.map(|(root, known)| {
            known.due = Some(Instant::now() + wait);
            known.outcomes.clear();
            root.clone()
        });
        touched.collect()
    }

    /// When the next analysis is due.
    pub fn due(&self) -> Option<Instant> {
        self.roots.values().filter_map(|root| root.due).min()
    }

    /// Analyses what is due. Returns whether anything was.
    pub fn analyse_due(&mut self) -> bool {
        let now = Instant::now();
        let due = |root: &Root| root.due.is_some_and(|due| due <= now);
        let paths: Vec<_> =
            self.roots.iter().filter(|(_, root)| due(root)).map(|(path, _)| path.clone()).collect();
        for path in &paths {
            self.analyse(path);
        }
        !paths.is_empty()
    }

    fn analyse(&mut self, path: &str) {
        let Some(document) = self.documents.get(path) else { return };
        let analysed = Analysed::of(document, &self.overlay(), &self.settings.defines);
        let outcomes = BTreeMap::new();
        self.roots.insert(path.to_owned(), Root { analysed, due: None, outcomes });
    }

    pub fn root(&self, path: &str) -> Option<&Root> {
        self.roots.get(path)
    }

    pub fn root_mut(&mut self, path: &str) -> Option<&mut Root> {
        self.roots.get_mut(path)
    }

    pub fn language(&self, path: &str) -> Language {
        self.documents.get(path).map_or_else(|| Language::of(path), |document| document.language)
    }

    /// The models that a text belongs to, the one that knows it best first. They are up to date.
    pub fn roots_of(&mut self, path: &str) -> Vec<String> {
        let readers: Vec<_> = (self.roots.iter())
            .filter(|(root, known)| known.is_stale() && (*root == path || known.analysed.reads(path)))
            .map(|(root, _)| root.clone())
            .collect();
        for root in &readers {
            self.analyse(root);
        }
        let is_fragment = self.is_fragment(path);
        let own = self.roots.contains_key(path) && !is_fragment;
        let others = self.roots.iter().filter(|(root, known)| *root != path && known.analysed.reads(path));
        let others = others.map(|(root, _)| root.clone());
        own.then(|| path.to_owned()).into_iter().chain(others).collect()
    }

    /// Whether a text is no model, and a part of another one that is open. Of several that include each other, the
    /// first is the model.
    fn is_fragment(&self, path: &str) -> bool {
        let Some(own) = self.roots.get(path) else { return true };
        own.analysed.analysis.diagnostics.has_errors()
            && self.roots.iter().any(|(root, known)| {
                root != path
                    && known.analysed.reads(path)
                    && (!own.analysed.reads(root) || root.as_str() < path)
            })
    }

    /// The properties that a file declares, and where the whole model can be checked.
    pub fn goals(&self, root: &str, path: &str) -> Vec<(Span, Goal)> {
        let Some(Root { analysed, .. }) = self.roots.get(root) else { return Vec::new() };
        let Some(file) = analysed.file(path) else { return Vec::new() };
        let is_promela = self.language(root) == Language::Promela;
        let mut goals = Vec::new();
        if is_promela && root == path {
            goals.push((Span::new(file, 0, 0), None));
        }
        for known in analysed.analysis.index.definitions().filter(|known| known.at.file == file) {
            match known.kind {
                NameKind::System => goals.push((known.at, None)),
                // A trace is a part of every check.
                NameKind::Property if !matches!(known.name.as_str(), "trace" | "notrace") => {
                    goals.push((known.at, Some(known.name.clone())));
                }
                _ => {}
            }
        }
        goals
    }

    /// The place that stands for a goal.
    fn home(&self, root: &str, goal: &Goal) -> Spot {
        let Some(known) = self.roots.get(root) else { return start_of(root) };
        let files = 0..known.analysed.analysis.map.files().count() as u32;
        for file in files.map(FileId) {
            let path = known.analysed.path(file);
            if let Some((span, _)) = self.goals(root, path).into_iter().find(|(_, known)| known == goal) {
                return Spot { path: path.to_owned(), range: known.analysed.range(span) };
            }
        }
        start_of(root)
    }

    /// What has changed in what the editor is to show.
    pub fn publish(&mut self) -> Vec<Published> {
        let mut wanted: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for (path, root) in &self.roots {
            let is_promela = self.language(path) == Language::Promela;
            let mut found: Vec<(String, Diagnostic)> = Vec::new();
            if !self.is_fragment(path) {
                let all = of_model(&root.analysed, path, is_promela);
                found.extend(
                    all.into_iter()
                        .flat_map(|(path, all)| all.into_iter().map(move |one| (path.clone(), one))),
                );
            }
            for (goal, outcome) in &root.outcomes {
                if let Some(violation) = &outcome.violation {
                    found.push(of_violation(violation, &self.home(path, goal)));
                }
            }
            for (path, diagnostic) in found {
                let known = wanted.entry(path).or_default();
                if !known.contains(&diagnostic) {
                    known.push(diagnostic);
                }
            }
        }
        // A text without diagnostics is told so once, so that an editor can tell that it was looked at.
        for path in self.documents.keys() {
            wanted.entry(path.clone()).or_default();
        }
        let gone: Vec<_> =
            self.published.keys().filter(|path| !wanted.contains_key(*path)).cloned().collect();
        let mut changed = Vec::new();
        for path in gone {
            let known = self.published.remove(&path);
            if known.is_some_and(|known| !known.is_empty()) {
                changed.push(Published { path, version: None, diagnostics: Vec::new() });
            }
        }
        for (path, diagnostics) in wanted {
            if self.published.get(&path) == Some(&diagnostics) {
                continue;
            }
            self.published.insert(path.clone(), diagnostics.clone());
            let version = self.documents.get(&path).map(|document| document.version);
            changed.push(Published { path, version, diagnostics });
        }
        changed
    }
}
