//! What names stand for: hover, definitions, references, renaming.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use check::{Extension, Language};
use lsp_types::{
    DocumentHighlight, Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, Range, TextEdit,
    Uri, WorkspaceEdit,
};
use source::{Definition, Index, Mention, NameKind, Span};

use crate::analysis::Analysed;
use crate::documents::Overlay;

/// The name at a position, and the places of its definitions.
pub fn at(analysed: &Analysed, path: &str, position: Position) -> Option<(Span, Vec<Span>)> {
    let file = analysed.file(path)?;
    analysed.analysis.index.at(analysed.byte(file, position))
}

pub fn hover(analysed: &Analysed, path: &str, position: Position, language: Language) -> Option<Hover> {
    let (span, definitions) = at(analysed, path, position)?;
    let index = &analysed.analysis.index;
    let texts: Vec<_> = definitions
        .iter()
        .filter_map(|&at| index.definition(at))
        .map(|known| described(analysed, known, language))
        .collect();
    if texts.is_empty() {
        return None;
    }
    let value = texts.join("\n\n---\n\n");
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(analysed.range(span)) })
}

fn described(analysed: &Analysed, known: &Definition, language: Language) -> String {
    let index = &analysed.analysis.index;
    let owner = known.owner.and_then(|owner| index.definition(owner));
    // Three ticks in a text would end its block.
    let mut text =
        format!("```{language}\n{}\n```\n{}", known.text.replace("```", "` ` `"), known.kind.noun());
    if let Some(owner) = owner {
        let _ = write!(text, " of the {} `{}`", owner.kind.noun(), owner.name);
    }
    if let Some(value) = known.value.as_ref() {
        let _ = write!(text, ", value `{value}`");
    }
    let uses = index.mentions_of(known.at).count();
    text.push_str(
        match uses {
            0 => "\n\nnot mentioned anywhere".to_owned(),
            1 => "\n\nmentioned once".to_owned(),
            _ => format!("\n\nmentioned {uses} times"),
        }
        .as_str(),
    );
    text
}

pub fn definitions(analysed: &Analysed, path: &str, position: Position) -> Vec<Location> {
    let Some((_, definitions)) = at(analysed, path, position) else { return Vec::new() };
    definitions.into_iter().filter_map(|span| analysed.location(span)).collect()
}

/// All places of a name, each once, in the order of files and text.
fn places(analysed: &Analysed, definitions: &[Span], with_definitions: bool) -> Vec<Span> {
    let index = &analysed.analysis.index;
    let mut all: BTreeSet<Span> = definitions.iter().flat_map(|&at| index.mentions_of(at)).collect();
    if with_definitions {
        all.extend(definitions.iter().filter(|&&at| index.definition(at).is_some()));
    }
    all.into_iter().collect()
}

pub fn references(
    analysed: &Analysed,
    path: &str,
    position: Position,
    with_definitions: bool,
) -> Vec<Location> {
    let Some((_, definitions)) = at(analysed, path, position) else { return Vec::new() };
    let places = places(analysed, &definitions, with_definitions);
    places.into_iter().filter_map(|span| analysed.location(span)).collect()
}

pub fn highlights(analysed: &Analysed, path: &str, position: Position) -> Vec<DocumentHighlight> {
    let Some((span, definitions)) = at(analysed, path, position) else { return Vec::new() };
    let places = places(analysed, &definitions, true).into_iter();
    let here = places.filter(|place| place.file == span.file);
    here.map(|place| DocumentHighlight { range: analysed.range(place), kind: None }).collect()
}

/// The range of the name at a position, if it can be renamed; otherwise, why not.
pub fn renamable(
    analysed: &Analysed,
    path: &str,
    position: Position,
    language: Language,
) -> Result<(Range, Span), String> {
    if language == Language::Promela {
        return Err(
            "names of Promela models cannot be renamed: macros may spell them in other ways".to_owned()
        );
    }
    if analysed.analysis.diagnostics.has_errors() {
        return Err("the model has errors: what its names stand for is not known for certain".to_owned());
    }
    let (span, definitions) = at(analysed, path, position).ok_or("there is no name here")?;
    let index = &analysed.analysis.index;
    let [definition] = definitions[..] else { return Err("this name stands for several things".to_owned()) };
    if index.definition(definition).is_none() {
        return Err("this is the name of a file".to_owned());
    }
    Ok((analysed.range(span), definition))
}

/// The edits that give a name another spelling. The result is analysed again, and refused if it is no model, or if
/// any name stands for something else than before.
pub fn rename(
    analysed: &Analysed,
    root: (&str, Language),
    definition: Span,
    name: &str,
    files: &Overlay,
    defines: &[(String, String)],
) -> Result<WorkspaceEdit, String> {
    let index = &analysed.analysis.index;
    if !bir::is_name(name) {
        return Err(format!("`{name}` is not a name"));
    }
    let places = places(analysed, &[definition], true);
    let mut changes: BTreeMap<u32, Vec<Span>> = BTreeMap::new();
    for &place in &places {
        changes.entry(place.file.0).or_default().push(place);
    }
    let mut edited = files.clone();
    #[allow(clippy::mutable_key_type, reason = "the key is that of the protocol, and is not changed")]
    let mut edits: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for spans in changes.values() {
        let file = spans[0].file;
        let mut text = analysed.text(file).to_owned();
        for span in spans.iter().rev() {
            text.replace_range(span.start as usize..span.end as usize, name);
        }
        edited.replace(analysed.path(file), text);
        let uri = analysed.uri(file).ok_or("the file has no name")?;
        let edit = |span: &Span| TextEdit { range: analysed.range(*span), new_text: name.to_owned() };
        edits.insert(uri, spans.iter().map(edit).collect());
    }
    let after = check::Analysis::of(&edited, root.0, root.1, Extension::Auto, defines);
    if after.diagnostics.has_errors() {
        let first = after.diagnostics.iter().next().map_or(String::new(), |error| error.message.clone());
        return Err(format!("with the name `{name}`, this is no model: {first}"));
    }
    let moved =
        |span: Span| moved(span, changes.get(&span.file.0).map_or(&[][..], Vec::as_slice), name.len());
    let expected: BTreeSet<Mention> = index
        .mentions()
        .map(|mention| Mention { at: moved(mention.at), definition: moved(mention.definition) })
        .collect();
    let found: BTreeSet<Mention> = after.index.mentions().collect();
    if expected != found {
        return Err(format!("with the name `{name}`, a name would stand for something else than before"));
    }
    Ok(WorkspaceEdit { changes: Some(edits), ..WorkspaceEdit::default() })
}

/// Where a span is after edits that replace others by texts of a length.
fn moved(span: Span, edits: &[Span], length: usize) -> Span {
    let shift = |byte: u32| {
        let before = edits.iter().filter(|edit| edit.end <= byte);
        before.fold(i64::from(byte), |at, edit| at + length as i64 - i64::from(edit.end - edit.start)) as u32
    };
    Span::new(span.file, shift(span.start), shift(span.end))
}

/// Names that are known at a place, by themselves.
pub fn visible(index: &Index, place: Span) -> impl Iterator<Item = &Definition> {
    index.definitions().filter(move |known| {
        let is_here = known.scope.is_none_or(|scope| scope.contains(place));
        let is_plain = !known.kind.is_member() || known.kind == NameKind::Element && known.owner.is_none();
        is_here && is_plain && known.kind != NameKind::System
    })
}
