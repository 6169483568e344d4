//! Values as people and other programs read them: the same tree for traces, JSON and differences.
//!
//! A term shows what a value consists of, under the names of its types, fields and variants. Two terms of one
//! type are equal exactly if the values are. A trail may hold actions as the text of their terms: a replay
//! then looks for the action that is offered with that text.

use std::any::TypeId;
use std::fmt::{self, Write as _};

use crate::Individual;
use crate::sorts::label_of;

/// A value as a tree.
///
/// ```
/// use quotient_model::{Set, Shape};
/// let term = (7_u8, Some('x'), Set::from_iter([false])).term();
/// assert_eq!(term.json(), r#"[7,{"Some":"x"},[false]]"#);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A truth value.
    Bool(bool),
    /// A number.
    Number(i128),
    /// A character.
    Char(char),
    /// A string.
    Text(String),
    /// An individual or an object. Its number tells it apart from others in the same state, and says nothing.
    Individual {
        /// The name of the sort, or of the type of objects.
        sort: String,
        /// The number.
        number: u32,
    },
    /// A struct, a variant of an enum or a tuple, with fields in order.
    Tuple {
        /// The name of the type or variant; empty for a tuple.
        name: &'static str,
        /// It is a variant of an enum.
        is_variant: bool,
        /// The fields.
        fields: Vec<Term>,
    },
    /// A struct or a variant of an enum, with fields that have names.
    Record {
        /// The name of the type or variant.
        name: &'static str,
        /// It is a variant of an enum.
        is_variant: bool,
        /// The fields with their names.
        fields: Vec<(&'static str, Term)>,
    },
    /// A sequence.
    Sequence(Vec<Term>),
    /// A set.
    Set(Vec<Term>),
    /// A bag: elements, and how often each occurs.
    Bag(Vec<(Term, u32)>),
    /// A map, or the objects of a heap.
    Map(Vec<(Term, Term)>),
}

// These are called by `derive(Shape)` and `sort!`.
#[doc(hidden)]
impl Term {
    pub fn tuple(name: &'static str, fields: Vec<Self>) -> Self {
        Self::Tuple { name, is_variant: false, fields }
    }

    pub fn variant(name: &'static str, fields: Vec<Self>) -> Self {
        Self::Tuple { name, is_variant: true, fields }
    }

    pub fn tuple_with(name: &'static str, fields: Vec<(&'static str, Self)>) -> Self {
        Self::Record { name, is_variant: false, fields }
    }

    pub fn variant_with(name: &'static str, fields: Vec<(&'static str, Self)>) -> Self {
        Self::Record { name, is_variant: true, fields }
    }

    pub fn individual<I: Individual>(individual: I) -> Self {
        let index = individual.index();
        let (sort, number) =
            label_of(TypeId::of::<I>(), index).unwrap_or_else(|| (I::NAME.to_owned(), index.0));
        Self::Individual { sort, number }
    }
}

impl Term {
    /// The term as JSON.
    ///
    /// | term                          | JSON                                                          |
    /// |-------------------------------|---------------------------------------------------------------|
    /// | number                        | a number; beyond 2^53 a string                                |
    /// | individual                    | `"Client0"`                                                   |
    /// | struct                        | an object of its fields; without names an array               |
    /// | variant                       | `"Idle"`; with fields an object with one key, its name        |
    /// | `None`, `Some(x)`             | `null`, `{"Some": x}`                                         |
    /// | sequence, set                 | an array                                                      |
    /// | bag                           | an array of `[element, times]`                                |
    /// | map                           | an object, if its keys are texts; otherwise `[key, value]`s   |
    pub fn json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Self::Bool(value) => _ = write!(out, "{value}"),
            Self::Number(value) if value.unsigned_abs() <= 1 << 53 => _ = write!(out, "{value}"),
            Self::Number(value) => quote(&value.to_string(), out),
            Self::Char(value) => quote(value.encode_utf8(&mut [0; 4]), out),
            Self::Text(text) => quote(text, out),
            Self::Individual { .. } => quote(&self.to_string(), out),
            Self::Tuple { name: "None", is_variant: true, fields } if fields.is_empty() => {
                out.push_str("null");
            }
            Self::Tuple { name, is_variant: true, fields } if fields.is_empty() => quote(name, out),
            Self::Tuple { name, is_variant, fields } => {
                if *is_variant {
                    key(name, out);
                }
                match &fields[..] {
                    [one] if !name.is_empty() => one.write_json(out),
                    fields => list('[', fields, ']', out, Self::write_json),
                }
                if *is_variant {
                    out.push('}');
                }
            }
            Self::Record { name, is_variant, fields } => {
                if *is_variant {
                    key(name, out);
                }
                list('{', fields, '}', out, |(name, value), out| {
                    quote(name, out);
                    out.push(':');
                    value.write_json(out);
                });
                if *is_variant {
                    out.push('}');
                }
            }
            Self::Sequence(entries) | Self::Set(entries) => list('[', entries, ']', out, Self::write_json),
            Self::Bag(entries) => list('[', entries, ']', out, |(element, times), out| {
                out.push('[');
                element.write_json(out);
                _ = write!(out, ",{times}]");
            }),
            Self::Map(rows) if rows.iter().all(|(key, _)| key.is_text()) => {
                list('{', rows, '}', out, |(key, value), out| {
                    key.write_json(out);
                    out.push(':');
                    value.write_json(out);
                });
            }
            Self::Map(rows) => list('[', rows, ']', out, |(key, value), out| {
                out.push('[');
                key.write_json(out);
                out.push(',');
                value.write_json(out);
                out.push(']');
            }),
        }
    }

    /// Whether its JSON is a string.
    fn is_text(&self) -> bool {
        match self {
            Self::Char(_) | Self::Text(_) | Self::Individual { .. } => true,
            Self::Tuple { name, is_variant: true, fields } => fields.is_empty() && *name != "None",
            _ => false,
        }
    }

    /// What differs from `other`: the path to each part that does, with the two parts. Parts that only one
    /// side has are `None` at the other.
    pub fn differences<'a>(&'a self, other: &'a Self) -> Vec<Difference<'a>> {
        let mut found = Vec::new();
        differences(self, other, &mut String::new(), &mut found);
        found
    }
}

/// A part in which two terms differ: the path to it, and the part in each of them.
///
/// ```
/// use quotient_model::{Difference, Shape};
/// let (before, after) = ((1_u8, [2_u8, 3]).term(), (1_u8, [2_u8, 4]).term());
/// let differences: Vec<Difference<'_>> = before.differences(&after);
/// assert_eq!(differences.len(), 1);
/// ```
pub type Difference<'a> = (String, Option<&'a Term>, Option<&'a Term>);

fn differences<'a>(a: &'a Term, b: &'a Term, path: &mut String, found: &mut Vec<Difference<'a>>) {
    let length = path.len();
    let mut below = |step: fmt::Arguments<'_>, a: Option<&'a Term>, b: Option<&'a Term>| {
        _ = path.write_fmt(step);
        match (a, b) {
            (Some(a), Some(b)) => differences(a, b, path, found),
            (None, None) => {}
            (a, b) => found.push((path.clone(), a, b)),
        }
        path.truncate(length);
    };
    match (a, b) {
        (a, b) if a == b => {}
        (Term::Record { name, fields, .. }, Term::Record { name: other, fields: others, .. })
            if name == other =>
        {
            for ((name, a), (_, b)) in fields.iter().zip(others) {
                below(format_args!(".{name}"), Some(a), Some(b));
            }
        }
        (Term::Tuple { name, fields, .. }, Term::Tuple { name: other, fields: others, .. })
            if name == other && fields.len() == others.len() =>
        {
            for (at, (a, b)) in fields.iter().zip(others).enumerate() {
                below(format_args!(".{at}"), Some(a), Some(b));
            }
        }
        (Term::Sequence(entries), Term::Sequence(others)) => {
            for at in 0..entries.len().max(others.len()) {
                below(format_args!("[{at}]"), entries.get(at), others.get(at));
            }
        }
        (Term::Map(rows), Term::Map(others)) => {
            for (key, a) in rows {
                let b = others.iter().find(|(other, _)| other == key).map(|(_, b)| b);
                below(format_args!("[{key}]"), Some(a), b);
            }
            for (key, b) in others.iter().filter(|(key, _)| !rows.iter().any(|(other, _)| other == key)) {
                below(format_args!("[{key}]"), None, Some(b));
            }
        }
        (a, b) => found.push((path.clone(), Some(a), Some(b))),
    }
}

fn key(name: &str, out: &mut String) {
    out.push('{');
    quote(name, out);
    out.push(':');
}

fn list<T>(open: char, entries: &[T], close: char, out: &mut String, mut write: impl FnMut(&T, &mut String)) {
    out.push(open);
    for (number, entry) in entries.iter().enumerate() {
        if number > 0 {
            out.push(',');
        }
        write(entry, out);
    }
    out.push(close);
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            character if (character as u32) < 0x20 => _ = write!(out, "\\u{:04x}", character as u32),
            character => out.push(character),
        }
    }
    out.push('"');
}

/// In the notation of Rust: `Assign(Side0, Red)`, `{Side0: Red}`, `{Side0, Side1}`.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(value) => write!(f, "{value}"),
            Self::Char(value) => write!(f, "{value:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Individual { sort, number } => write!(f, "{sort}{number}"),
            Self::Tuple { name, fields, .. } => {
                f.write_str(name)?;
                if fields.is_empty() && !name.is_empty() {
                    return Ok(());
                }
                separated(f, "(", fields, ")", Self::fmt)
            }
            Self::Record { name, fields, .. } => {
                write!(f, "{name} ")?;
                separated(f, "{ ", fields, " }", |(name, value), f| write!(f, "{name}: {value}"))
            }
            Self::Sequence(entries) => separated(f, "[", entries, "]", Self::fmt),
            Self::Set(entries) => separated(f, "{", entries, "}", Self::fmt),
            Self::Bag(entries) => separated(f, "{", entries, "}", |(element, times), f| match times {
                1 => element.fmt(f),
                times => write!(f, "{element} × {times}"),
            }),
            Self::Map(rows) => separated(f, "{", rows, "}", |(key, value), f| write!(f, "{key}: {value}")),
        }
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    entries: &[T],
    close: &str,
    mut show: impl FnMut(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    f.write_str(open)?;
    for (number, entry) in entries.iter().enumerate() {
        if number > 0 {
            f.write_str(", ")?;
        }
        show(entry, f)?;
    }
    f.write_str(close)
}
