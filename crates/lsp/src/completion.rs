//! Names and words that can stand at a position.

use check::Language;
use lsp_types::{CompletionItem, CompletionItemKind, Position};
use source::{Definition, NameKind, Span};

use crate::analysis::Analysed;
use crate::names::visible;

/// Words of BIR that have a meaning at one place only, and are names everywhere else.
const SOFT_WORDS: &[&str] = &[
    "abstract",
    "active",
    "at",
    "break",
    "continue",
    "delete",
    "exists",
    "fair",
    "for",
    "forall",
    "import",
    "in",
    "invisible",
    "live",
    "main",
    "throwable",
    "top",
    "wrap",
];

/// What the text before the cursor asks for.
enum Context<'t> {
    /// `base.`
    Member(&'t str),
    /// `goto`, or `@` behind a process or thread.
    Label,
    Anything,
}

pub fn complete(
    analysed: &Analysed,
    path: &str,
    position: Position,
    language: Language,
) -> Vec<CompletionItem> {
    let Some(file) = analysed.file(path) else { return Vec::new() };
    let place = analysed.byte(file, position);
    let before = &analysed.text(file)[..place.start as usize];
    if is_in_comment(before) {
        return Vec::new();
    }
    let index = &analysed.analysis.index;
    let mut items: Vec<CompletionItem> = match context(before) {
        Context::Member(base) => members(analysed, base, place).map(item).collect(),
        Context::Label => {
            let labels = index.definitions().filter(|known| known.kind == NameKind::Label);
            let (here, elsewhere): (Vec<_>, Vec<_>) =
                labels.partition(|known| known.scope.is_some_and(|scope| scope.contains(place)));
            // A jump stays in its procedure; a property asks about any.
            if here.is_empty() { elsewhere } else { here }.into_iter().map(item).collect()
        }
        Context::Anything => {
            let names = visible(index, place).filter(|known| known.kind != NameKind::Label).map(item);
            names.chain(words(language)).collect()
        }
    };
    items.sort_by(|a, b| a.label.cmp(&b.label));
    items.dedup_by(|a, b| a.label == b.label);
    items
}

fn words(language: Language) -> Box<dyn Iterator<Item = CompletionItem>> {
    let item = |word: &'static str| CompletionItem {
        label: word.to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    };
    match language {
        Language::Bir => Box::new(bir::keywords().chain(SOFT_WORDS.iter().copied()).map(item)),
        Language::Promela => Box::new(promela::keywords().map(item)),
    }
}

fn item(known: &Definition) -> CompletionItem {
    let kind = match known.kind {
        NameKind::System | NameKind::ConstantGroup => CompletionItemKind::MODULE,
        NameKind::Constant | NameKind::Macro => CompletionItemKind::CONSTANT,
        NameKind::Enum => CompletionItemKind::ENUM,
        NameKind::Element => CompletionItemKind::ENUM_MEMBER,
        NameKind::Record => CompletionItemKind::STRUCT,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Type => CompletionItemKind::INTERFACE,
        NameKind::Global | NameKind::Local | NameKind::Parameter | NameKind::Bound => {
            CompletionItemKind::VARIABLE
        }
        NameKind::Thread => CompletionItemKind::CLASS,
        NameKind::Label => CompletionItemKind::REFERENCE,
        NameKind::Function
        | NameKind::PureFunction
        | NameKind::Table
        | NameKind::Inline
        | NameKind::Invariant
        | NameKind::Property => CompletionItemKind::FUNCTION,
    };
    let detail = match &known.value {
        Some(value) => format!("{} (value {value})", known.text),
        None => known.text.clone(),
    };
    CompletionItem {
        label: known.name.clone(),
        kind: Some(kind),
        detail: Some(detail),
        ..CompletionItem::default()
    }
}

/// What can follow `base.`: constants of a group, elements of an enum, fields of the record that a variable holds.
/// All fields, if it is not known which record that is.
fn members<'a>(analysed: &'a Analysed, base: &str, place: Span) -> impl Iterator<Item = &'a Definition> {
    let index = &analysed.analysis.index;
    let named = |known: &&Definition| known.name == base;
    let mut owners: Vec<Span> = Vec::new();
    for known in
        visible(index, place).chain(index.definitions().filter(|known| known.kind == NameKind::Field))
    {
        match known.kind {
            NameKind::ConstantGroup | NameKind::Enum if named(&known) => owners.push(known.at),
            NameKind::Global | NameKind::Local | NameKind::Parameter | NameKind::Bound | NameKind::Field
                if named(&known) =>
            {
                let words = known.text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                let records = index.definitions().filter(|other| other.kind == NameKind::Record);
                let records: Vec<_> = records.collect();
                owners.extend(words.filter_map(|word| {
                    records
                        .iter()
                        .find(|record| record.name == word && record.name != known.name)
                        .map(|record| record.at)
                }));
            }
            _ => {}
        }
    }
    index.definitions().filter(move |known| match known.owner {
        Some(owner) if known.kind.is_member() => {
            owners.contains(&owner) || owners.is_empty() && known.kind == NameKind::Field
        }
        _ => false,
    })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// The word that a text ends in, and what is before it.
fn last_word(text: &str) -> (&str, &str) {
    let length = text.bytes().rev().take_while(|&byte| is_word(byte)).count();
    text.split_at(text.len() - length)
}

fn context(before: &str) -> Context<'_> {
    let (before, _) = last_word(before);
    let blank = before.trim_end();
    if let Some(base) = blank.strip_suffix('.') {
        // `a[i].`, and `0..` is a range.
        let base = base.trim_end();
        if base.ends_with('.') {
            return Context::Anything;
        }
        let base =
            base.strip_suffix(']').map_or(base, |inner| inner.rfind('[').map_or(base, |at| &inner[..at]));
        return Context::Member(last_word(base.trim_end()).1);
    }
    if blank.ends_with('@') || last_word(blank).1 == "goto" {
        return Context::Label;
    }
    Context::Anything
}

/// Whether a text ends inside of a comment or a string.
fn is_in_comment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let end = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n'),
            b'/' if rest.starts_with("/*") => rest[2..].find("*/").map(|end| end + 4),
            b'"' => {
                let mut escaped = false;
                let end = rest.bytes().skip(1).position(|byte| {
                    let ends = byte == b'"' && !escaped || byte == b'\n';
                    escaped = byte == b'\\' && !escaped;
                    ends
                });
                end.map(|end| end + 2)
            }
            _ => Some(1),
        };
        match end {
            Some(length) => at += length,
            None => return true,
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts() {
        let member = |text| match context(text) {
            Context::Member(base) => Some(base),
            _ => None,
        };
        assert_eq!(member("x := Limits.N"), Some("Limits"));
        assert_eq!(member("a.b[i + 1]."), Some("b"));
        assert_eq!(member("for i in 0.."), None);
        assert!(matches!(context("goto lo"), Context::Label));
        assert!(matches!(context("p@"), Context::Label));
        assert!(matches!(context("goto l; x"), Context::Anything));
    }

    #[test]
    fn comments_and_strings_have_no_names() {
        for text in ["// x", "a /* b", "\"c", "é /*"] {
            assert!(is_in_comment(text), "{text}");
        }
        for text in ["", "// x\n", "/* b */ c", "\"c\" d", "1 / 2", "\"a\\\"b\""] {
            assert!(!is_in_comment(text), "{text}");
        }
    }
}
