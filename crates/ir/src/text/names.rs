//! The names in the text: plain names, as long as these are identifiers and unambiguous.

use std::collections::BTreeMap;

use crate::*;

/// Words that mean something by themselves; names that look like them are quoted.
pub(super) const KEYWORDS: &[&str] = &[
    "Bag",
    "Map",
    "Queue",
    "Seq",
    "Set",
    "abstract",
    "active",
    "all",
    "as",
    "assert",
    "assume",
    "at",
    "atomic",
    "block",
    "badcall",
    "boolean",
    "call",
    "catch",
    "chan",
    "choose",
    "do",
    "else",
    "entry",
    "enum",
    "delete",
    "exists",
    "exit",
    "extends",
    "false",
    "fields",
    "forall",
    "fun",
    "function",
    "global",
    "goto",
    "hasLock",
    "synthetic",
    "instanceof",
    "int",
    "into",
    "invariant",
    "invisible",
    "kill",
    "length",
    "live",
    "loc",
    "local",
    "lock",
    "lockAvailable",
    "long",
    "new",
    "notify",
    "notifyAll",
    "null",
    "of",
    "pointer",
    "program",
    "property",
    "record",
    "resume",
    "return",
    "returns",
    "scoped",
    "shl",
    "shr",
    "start",
    "string",
    "strings",
    "thread",
    "threadTerminated",
    "throw",
    "throwable",
    "tid",
    "true",
    "types",
    "unlock",
    "unwait",
    "ushr",
    "virtual",
    "wait",
    "wasNotified",
    "when",
    "wrap",
];

pub(super) fn is_identifier_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '$'
}

pub(super) fn is_identifier_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Words that have a meaning before a parenthesis: functions of these names are quoted.
pub(super) const QUESTION_WORDS: &[&str] = &[
    "address",
    "channel",
    "enabled",
    "first",
    "full",
    "has",
    "heads",
    "individualAt",
    "last",
    "load",
    "location",
    "number",
    "offset",
    "priority",
    "threads",
    "threadsAt",
    "timeout",
    "within",
    "youngest",
];

/// A name that is not ambiguous.
pub(super) fn plain(name: &str) -> String {
    let identifier = name.starts_with(is_identifier_start) && name.chars().all(is_identifier_part);
    if identifier && !KEYWORDS.contains(&name) { name.to_owned() } else { quote(name, '\'') }
}

pub(super) fn quote(text: &str, quote: char) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// The names of one scope, each with its index in its table if the name alone is ambiguous.
fn scope<'a>(names: impl Iterator<Item = (usize, &'a str)> + Clone) -> impl Iterator<Item = (usize, String)> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, name) in names.clone() {
        *uses.entry(name).or_default() += 1;
    }
    names.map(move |(index, name)| {
        let label = plain(name);
        (index, if uses[name] == 1 { label } else { format!("{label}#{index}") })
    })
}

/// A label for everything that has a name.
pub(super) struct Labels {
    pub enums: Table<EnumId, String>,
    pub records: Table<RecordId, String>,
    pub fields: Table<FieldId, String>,
    pub globals: Table<GlobalId, String>,
    pub funs: Table<FunId, String>,
    pub params: Table<FunId, Vec<String>>,
    pub procedures: Table<ProcedureId, String>,
    pub locals: Table<ProcedureId, Table<LocalId, String>>,
    pub virtuals: Table<VirtualId, String>,
    pub locations: Table<LocationId, String>,
    pub channels: Table<ChannelId, String>,
}

impl Labels {
    pub fn new(program: &Program) -> Self {
        fn table<'a, I: Id>(names: impl Iterator<Item = &'a str> + Clone) -> Table<I, String> {
            scope(names.enumerate()).map(|(_, label)| label).collect()
        }
        let mut locations: Vec<String> = vec![String::new(); program.locations.len()];
        for procedure in program.procedures.ids() {
            let own = program.locations.iter().filter(|(_, location)| location.procedure == procedure);
            let own: Vec<_> = own.map(|(id, location)| (id.index(), location.name.as_str())).collect();
            for (index, label) in scope(own.iter().copied()) {
                locations[index] = label;
            }
        }
        Self {
            enums: table(program.enums.values().map(|item| item.name.as_str())),
            records: table(program.records.values().map(|item| item.name.as_str())),
            fields: program.fields.values().map(|field| plain(&field.name)).collect(),
            globals: table(program.globals.values().map(|item| item.name.as_str())),
            funs: table::<FunId>(program.funs.values().map(|item| item.name.as_str()))
                .values()
                .map(|label| {
                    if QUESTION_WORDS.contains(&label.as_str()) { quote(label, '\'') } else { label.clone() }
                })
                .collect(),
            params: program
                .funs
                .values()
                .map(|fun| {
                    let names = fun.params.iter().map(|(name, _)| name.as_str());
                    scope(names.enumerate()).map(|(_, label)| label).collect()
                })
                .collect(),
            procedures: table(program.procedures.values().map(|item| item.name.as_str())),
            locals: program
                .procedures
                .values()
                .map(|procedure| table(procedure.locals.values().map(|local| local.name.as_str())))
                .collect(),
            virtuals: table(program.virtuals.values().map(|item| item.name.as_str())),
            locations: locations.into_iter().collect(),
            channels: table(program.channels.values().map(|item| item.name.as_str())),
        }
    }
}
