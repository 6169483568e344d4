//! The structure of a file: symbols, what can be folded, and the kinds of names for highlighting.

use std::collections::BTreeMap;

use lsp_types::{
    DocumentSymbol, FoldingRange, FoldingRangeKind, SemanticToken, SemanticTokenModifier, SemanticTokenType,
    SemanticTokensLegend, SymbolKind,
};
use source::{Definition, FileId, NameKind, Span};

use crate::analysis::Analysed;
use crate::lines::Lines;

/// The definitions of a file, each with those that are a part of it.
pub fn symbols(analysed: &Analysed, file: FileId) -> Vec<DocumentSymbol> {
    let shown = |known: &&Definition| {
        known.at.file == file
            && !matches!(known.kind, NameKind::Bound | NameKind::Parameter | NameKind::System)
    };
    let mut children: BTreeMap<Option<Span>, Vec<&Definition>> = BTreeMap::new();
    for known in analysed.analysis.index.definitions().filter(shown) {
        let owner = known.owner.filter(|owner| owner.file == file && *owner != known.at);
        children.entry(owner).or_default().push(known);
    }
    nested(analysed, &children, None)
}

#[allow(deprecated, reason = "a field of the protocol that has to be set")]
fn nested(
    analysed: &Analysed,
    children: &BTreeMap<Option<Span>, Vec<&Definition>>,
    owner: Option<Span>,
) -> Vec<DocumentSymbol> {
    let symbol = |known: &&Definition| {
        // Owners own nothing that owns something: no recursion is deeper than two.
        let inner = if owner.is_none() { nested(analysed, children, Some(known.at)) } else { Vec::new() };
        DocumentSymbol {
            name: known.name.clone(),
            detail: Some(known.text.clone()),
            kind: symbol_kind(known.kind),
            tags: None,
            deprecated: None,
            range: analysed.range(known.extent),
            selection_range: analysed.range(known.at),
            children: (!inner.is_empty()).then_some(inner),
        }
    };
    children.get(&owner).map_or(&[][..], Vec::as_slice).iter().map(symbol).collect()
}

const fn symbol_kind(kind: NameKind) -> SymbolKind {
    match kind {
        NameKind::System => SymbolKind::MODULE,
        NameKind::ConstantGroup => SymbolKind::NAMESPACE,
        NameKind::Constant | NameKind::Macro => SymbolKind::CONSTANT,
        NameKind::Enum => SymbolKind::ENUM,
        NameKind::Element => SymbolKind::ENUM_MEMBER,
        NameKind::Record => SymbolKind::STRUCT,
        NameKind::Field => SymbolKind::FIELD,
        NameKind::Type => SymbolKind::INTERFACE,
        NameKind::Global | NameKind::Local | NameKind::Parameter | NameKind::Bound => SymbolKind::VARIABLE,
        NameKind::Thread => SymbolKind::CLASS,
        NameKind::Function | NameKind::PureFunction | NameKind::Inline => SymbolKind::FUNCTION,
        NameKind::Table => SymbolKind::OBJECT,
        NameKind::Label => SymbolKind::KEY,
        NameKind::Invariant | NameKind::Property => SymbolKind::BOOLEAN,
    }
}

/// What can be folded: braces and comments that have several lines.
pub fn folds(text: &str) -> Vec<FoldingRange> {
    let lines = Lines::of(text);
    let mut folds = Vec::new();
    let mut add = |start: usize, end: usize, kind: Option<FoldingRangeKind>| {
        let (first, last) = (lines.position(text, start as u32).line, lines.position(text, end as u32).line);
        // The line of a closing brace stays.
        let last = if kind.is_none() { last.saturating_sub(1) } else { last };
        if last > first {
            folds.push(FoldingRange { start_line: first, end_line: last, kind, ..FoldingRange::default() });
        }
    };
    let mut open = Vec::new();
    // The start of the line comments that follow each other, and the end of the last one.
    let mut run: Option<(usize, usize)> = None;
    for (start, end, piece) in pieces(text) {
        if let (Some((first, last)), true) = (run, !matches!(piece, Piece::Line)) {
            add(first, last, Some(FoldingRangeKind::Comment));
            run = None;
        }
        match piece {
            Piece::Line => run = Some((run.map_or(start, |(first, _)| first), end)),
            Piece::Block => add(start, end, Some(FoldingRangeKind::Comment)),
            Piece::Open => open.push(start),
            Piece::Close => {
                if let Some(first) = open.pop() {
                    add(first, start, None);
                }
            }
            Piece::Other => {}
        }
    }
    if let Some((first, last)) = run {
        add(first, last, Some(FoldingRangeKind::Comment));
    }
    folds
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Line,
    Block,
    Open,
    Close,
    Other,
}

/// Comments, braces, and everything else that is not blank. Both languages have the same comments and strings.
fn pieces(text: &str) -> Vec<(usize, usize, Piece)> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let line = || rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (piece, length) = match rest[0] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with(b"//") => (Piece::Line, line()),
            b'/' if rest.starts_with(b"/*") => {
                let end = rest[2..].windows(2).position(|pair| pair == b"*/");
                (Piece::Block, end.map_or(rest.len(), |end| end + 4))
            }
            b'"' => {
                let mut escaped = false;
                let end = rest[1..].iter().position(|&byte| {
                    let ends = byte == b'"' && !escaped || byte == b'\n';
                    escaped = byte == b'\\' && !escaped;
                    ends
                });
                (Piece::Other, end.map_or(rest.len(), |end| end + 2))
            }
            b'{' => (Piece::Open, 1),
            b'}' => (Piece::Close, 1),
            _ => (Piece::Other, 1),
        };
        all.push((at, at + length, piece));
        at += length;
    }
    all
}

const TYPES: [SemanticTokenType; 11] = [
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
    SemanticTokenType::CLASS,
    SemanticTokenType::ENUM,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::STRUCT,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::MACRO,
];

pub fn legend() -> SemanticTokensLegend {
    let token_modifiers = vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::READONLY];
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers }
}

fn token_type(kind: NameKind) -> u32 {
    let wanted = match kind {
        NameKind::System | NameKind::ConstantGroup => SemanticTokenType::NAMESPACE,
        NameKind::Type => SemanticTokenType::TYPE,
        NameKind::Thread => SemanticTokenType::CLASS,
        NameKind::Enum => SemanticTokenType::ENUM,
        NameKind::Constant | NameKind::Element => SemanticTokenType::ENUM_MEMBER,
        NameKind::Record => SemanticTokenType::STRUCT,
        NameKind::Field | NameKind::Label => SemanticTokenType::PROPERTY,
        NameKind::Global | NameKind::Local | NameKind::Bound => SemanticTokenType::VARIABLE,
        NameKind::Parameter => SemanticTokenType::PARAMETER,
        NameKind::Function
        | NameKind::PureFunction
        | NameKind::Table
        | NameKind::Invariant
        | NameKind::Property
        | NameKind::Inline => SemanticTokenType::FUNCTION,
        NameKind::Macro => SemanticTokenType::MACRO,
    };
    TYPES.iter().position(|known| *known == wanted).unwrap_or(0) as u32
}

/// The kinds of the names of a file, each relative to the one before, as the protocol has them.
pub fn tokens(analysed: &Analysed, file: FileId) -> Vec<SemanticToken> {
    let index = &analysed.analysis.index;
    let mut kinds: BTreeMap<Span, (NameKind, bool)> = BTreeMap::new();
    for mention in index.mentions().filter(|mention| mention.at.file == file) {
        if let Some(known) = index.definition(mention.definition) {
            kinds.entry(mention.at).or_insert((known.kind, false));
        }
    }
    for known in index.definitions().filter(|known| known.at.file == file) {
        // `init`, and formulas without a name, have a keyword in its place.
        if analysed.analysis.map.text(known.at) == known.name {
            kinds.insert(known.at, (known.kind, true));
        }
    }
    let (mut line, mut column, mut end) = (0, 0, 0);
    let mut tokens = Vec::new();
    for (span, (kind, is_declaration)) in kinds {
        let range = analysed.range(span);
        if range.start.line != range.end.line || span.start < end {
            continue;
        }
        let is_fixed = matches!(kind, NameKind::Constant | NameKind::Element);
        let delta_line = range.start.line - line;
        let delta_start = range.start.character - if delta_line == 0 { column } else { 0 };
        tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length: range.end.character - range.start.character,
            token_type: token_type(kind),
            token_modifiers_bitset: u32::from(is_declaration) | u32::from(is_fixed) << 1,
        });
        (line, column, end) = (range.start.line, range.start.character, span.end);
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_comments_fold() {
        let text = "/* a\n b */\nx {\n  \"}{\"\n  // c\n  // d\n  y { z }\n}\n";
        let found: Vec<_> =
            folds(text).iter().map(|fold| (fold.start_line, fold.end_line, fold.kind.is_some())).collect();
        assert_eq!(found, [(0, 1, true), (4, 5, true), (2, 6, false)]);
        for broken in ["{", "}", "/*", "\"", "//", "é{\n\n"] {
            folds(broken);
        }
    }
}
