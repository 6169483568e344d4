//! The names of a model: where each is defined, and where it is mentioned.
//!
//! Editors ask for this table, checks do not. A front end fills it while it resolves names, so that it knows what
//! the compiler knows: which of two variables of the same name is meant, which field of which record. An index that
//! is off ignores everything that is put in, and costs a comparison for each name.
//!
//! A definition is identified by the place of its name. Text that macros make has no place of its own: a lexeme of an
//! expansion has the place of the macro's use. For such names, the front end notes how they are spelled
//! ([`Index::spell`]), and [`Index::mention_name`] finds the places in the bodies and arguments of macros.

use std::collections::{BTreeMap, BTreeSet};

use crate::{SourceMap, Span};

/// The table of names. By default it is off.
#[derive(Clone, Debug, Default)]
pub struct Index {
    on: bool,
    definitions: BTreeMap<Span, Definition>,
    mentions: BTreeSet<Mention>,
    /// The mentions, by definition.
    uses: BTreeSet<Mention>,
    spelled: BTreeMap<Span, Vec<Spelling>>,
    /// The calls of inlines that the current text comes from.
    calls: Vec<Span>,
}

/// How a name is spelled that has the place of something else.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Spelling {
    name: String,
    place: Span,
    /// The call of an inline among whose arguments it is.
    call: Option<Span>,
}

/// A name that a model defines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    pub name: String,
    pub kind: NameKind,
    /// The place of the name.
    pub at: Span,
    /// The place of all that is defined, for instance with the body of a procedure.
    pub extent: Span,
    /// The definition on one line, with the type: `int (0, 3) x`.
    pub text: String,
    /// The value of a constant.
    pub value: Option<String>,
    /// The place of the name of what it is a part of: the record of a field, the procedure of a local variable.
    pub owner: Option<Span>,
    /// Where the name is known by itself. `None` if it is known everywhere, or only behind a dot.
    pub scope: Option<Span>,
}

/// What kind of thing a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameKind {
    System,
    ConstantGroup,
    Constant,
    Enum,
    Element,
    Record,
    Field,
    Type,
    Global,
    Local,
    Parameter,
    /// A variable of a loop, a quantifier or a handler.
    Bound,
    Thread,
    Function,
    /// A pure function of BIR.
    PureFunction,
    /// A table of functions of BIR.
    Table,
    /// A location or label.
    Label,
    Invariant,
    Property,
    Macro,
    Inline,
}

impl NameKind {
    /// The noun for what is defined, for messages.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::ConstantGroup => "group of constants",
            Self::Constant => "constant",
            Self::Enum => "enum",
            Self::Element => "element",
            Self::Record => "record",
            Self::Field => "field",
            Self::Type => "type",
            Self::Global => "global variable",
            Self::Local => "local variable",
            Self::Parameter => "parameter",
            Self::Bound => "bound variable",
            Self::Thread => "thread",
            Self::Function => "function",
            Self::PureFunction => "pure function",
            Self::Table => "table of functions",
            Self::Label => "label",
            Self::Invariant => "invariant",
            Self::Property => "property",
            Self::Macro => "macro",
            Self::Inline => "inline",
        }
    }

    /// Whether the name is known only behind the name of its owner.
    pub const fn is_member(self) -> bool {
        matches!(self, Self::Constant | Self::Element | Self::Field)
    }
}

/// A place at which a name is used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mention {
    pub at: Span,
    /// The place of the name in its definition.
    pub definition: Span,
}

impl Definition {
    /// A definition of which only the name is known.
    pub fn new(kind: NameKind, name: &str, at: Span) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            at,
            extent: at,
            text: name.to_owned(),
            value: None,
            owner: None,
            scope: None,
        }
    }

    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    #[must_use]
    pub fn value(mut self, value: Option<String>) -> Self {
        self.value = value;
        self
    }

    /// The whole definition. A place that does not contain the name is not taken.
    #[must_use]
    pub fn extent(mut self, extent: Span) -> Self {
        if extent.contains(self.at) {
            self.extent = extent;
        }
        self
    }

    #[must_use]
    pub fn owner(mut self, owner: Span) -> Self {
        self.owner = Some(owner);
        self
    }

    #[must_use]
    pub fn scope(mut self, scope: Span) -> Self {
        self.scope = Some(scope);
        self
    }
}

impl Index {
    /// An index that takes what is put in.
    pub fn on() -> Self {
        Self { on: true, ..Self::default() }
    }

    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Adds a definition. The first one at a place stays.
    pub fn define(&mut self, definition: Definition) {
        if self.on {
            self.definitions.entry(definition.at).or_insert(definition);
        }
    }

    /// Records that the text at a place is the name that is defined at another one.
    pub fn mention(&mut self, at: Span, definition: Span) {
        if self.on && at != definition {
            self.mentions.insert(Mention { at, definition });
            self.uses.insert(Mention { at: definition, definition: at });
        }
    }

    /// Records that a lexeme of an expansion, which has the place `at`, is spelled somewhere else.
    pub fn spell(&mut self, at: Span, name: &str, place: Span) {
        self.add_spelling(at, Spelling { name: name.to_owned(), place, call: None });
    }

    /// The same, for the argument of a call: the name is spelled there only while the body stands for this call.
    pub fn spell_argument(&mut self, at: Span, name: &str, place: Span, call: Span) {
        self.add_spelling(at, Spelling { name: name.to_owned(), place, call: Some(call) });
    }

    fn add_spelling(&mut self, at: Span, spelling: Spelling) {
        if self.on {
            let known = self.spelled.entry(at).or_default();
            if !known.contains(&spelling) {
                known.push(spelling);
            }
        }
    }

    /// The text that follows is the body of an inline, for this call.
    pub fn enter_call(&mut self, call: Span) {
        self.calls.push(call);
    }

    pub fn leave_call(&mut self) {
        self.calls.pop();
    }

    /// Records a mention of a name that may come from a macro.
    pub fn mention_name(&mut self, map: &SourceMap, name: &str, at: Span, definition: Span) {
        if !self.on {
            return;
        }
        if map.text(at) == name {
            self.mention(at, definition);
            return;
        }
        for place in self.spellings(name, at) {
            if map.text(place) == name {
                self.mention(place, definition);
            }
        }
    }

    /// The places at which a name is spelled that has the place `at`.
    fn spellings(&self, name: &str, at: Span) -> Vec<Span> {
        // The argument of an inline may itself come from a macro: its place is followed once more.
        let direct = |at: Span| {
            let known = self.spelled.get(&at).map_or(&[][..], Vec::as_slice);
            let is_here = |call: Span| self.calls.contains(&call);
            let fits = |it: &&Spelling| it.name == name && it.call.is_none_or(is_here);
            known.iter().filter(fits).map(|it| it.place).collect::<Vec<_>>()
        };
        let first = direct(at);
        let second: Vec<_> = first.iter().filter(|&&place| place != at).flat_map(|&at| direct(at)).collect();
        first.into_iter().chain(second).collect()
    }

    /// All definitions, in the order of their places.
    pub fn definitions(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// The definition whose name is at this place.
    pub fn definition(&self, at: Span) -> Option<&Definition> {
        self.definitions.get(&at)
    }

    /// All mentions, in the order of their places.
    pub fn mentions(&self) -> impl Iterator<Item = Mention> {
        self.mentions.iter().copied()
    }

    /// The places at which a definition is mentioned, without that of the definition.
    pub fn mentions_of(&self, definition: Span) -> impl Iterator<Item = Span> {
        let first = Mention { at: definition, definition: Span::default() };
        self.uses.range(first..).take_while(move |entry| entry.at == definition).map(|entry| entry.definition)
    }

    /// The name at a byte of a file, and the places of the definitions that it can stand for: several if it is in
    /// the body of an inline that different processes use. The end of a name belongs to it.
    pub fn at(&self, byte: Span) -> Option<(Span, Vec<Span>)> {
        let is_near =
            |span: Span| span.file == byte.file && span.start <= byte.start && byte.start <= span.end;
        let after = Span { end: u32::MAX, start: byte.start, ..byte };
        let last = Mention { at: after, definition: Span { file: crate::FileId(u32::MAX), ..after } };
        // Mentions at one place differ in their definitions only, and names do not overlap.
        let mut found: Vec<Mention> = Vec::new();
        for mention in self.mentions.range(..=last).rev().take(64) {
            if found.last().is_some_and(|first| first.at != mention.at) {
                break;
            }
            if is_near(mention.at) {
                found.push(*mention);
            } else if !found.is_empty() {
                break;
            }
        }
        if let Some(first) = found.last() {
            let at = first.at;
            return Some((at, found.iter().rev().map(|mention| mention.definition).collect()));
        }
        let (&at, _) = self.definitions.range(..=after).next_back()?;
        is_near(at).then(|| (at, vec![at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    fn span(start: u32, end: u32) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn names_are_found_where_they_are() {
        let mut index = Index::on();
        index.define(Definition::new(NameKind::Global, "x", span(4, 5)));
        index.define(Definition::new(NameKind::Local, "y", span(6, 7)));
        index.mention(span(10, 11), span(4, 5));
        index.mention(span(12, 13), span(4, 5));
        index.mention(span(12, 13), span(6, 7));
        let at = |byte| index.at(span(byte, byte));
        assert_eq!(at(4), Some((span(4, 5), vec![span(4, 5)])));
        assert_eq!(at(5), Some((span(4, 5), vec![span(4, 5)])));
        assert_eq!(at(8), None);
        assert_eq!(at(10), Some((span(10, 11), vec![span(4, 5)])));
        assert_eq!(at(13), Some((span(12, 13), vec![span(4, 5), span(6, 7)])));
        assert_eq!(at(14), None);
        assert_eq!(index.mentions_of(span(4, 5)).collect::<Vec<_>>(), [span(10, 11), span(12, 13)]);
        assert_eq!(index.mentions_of(span(6, 7)).collect::<Vec<_>>(), [span(12, 13)]);
    }

    #[test]
    fn an_index_that_is_off_stays_empty() {
        let mut index = Index::default();
        index.define(Definition::new(NameKind::Global, "x", span(4, 5)));
        index.mention(span(10, 11), span(4, 5));
        index.spell(span(10, 11), "x", span(12, 13));
        assert!(index.at(span(4, 4)).is_none() && index.definitions().next().is_none());
    }

    #[test]
    fn names_from_macros_are_mentioned_where_they_are_spelled() {
        let mut map = SourceMap::new();
        // The use of `BOTH` stands for `x + x`.
        map.add("m.pml", "#define BOTH x + x\nBOTH").unwrap();
        let mut index = Index::on();
        index.spell(span(19, 23), "x", span(13, 14));
        index.spell(span(19, 23), "x", span(17, 18));
        index.mention_name(&map, "x", span(19, 23), span(0, 1));
        assert_eq!(index.mentions_of(span(0, 1)).collect::<Vec<_>>(), [span(13, 14), span(17, 18)]);
    }
}
