//! The text form of a [`Program`]: [`print()`] writes it, [`parse`] reads it back.
//!
//! For every program that verifies, `parse(print(p))` is `p` up to spans; those of a parsed program point
//! into the text. Nothing is lost and little is repeated: ids follow from the order of declarations, and
//! types of expressions from [their form](Program::natural_type); where they do not, the text says so.
//!
//! ```text
//! program     := "program" name ";" item*
//! item        := "features" ("thread_ids" | "last"),.. ";"
//!              | "memory" "explicit" "leaks" ("off" | "unreachable" | "end") ";"
//!              | "types" type,.. ";"                        the order of the type table
//!              | "strings" string,.. ";"                    the order of the string table
//!              | ["abstract"] "enum" name "{" name,.. "}"
//!              | ["throwable"] ["scoped"] "record" name ["extends" name,..]
//!                "{" (type name [at] ";")* ["fields" name,.. ";"] "}"
//!              | ["synthetic"] ["untracked"] "global" type name shape ["=" const] ";"
//!              | "channel" name "[" capacity "]" "{" (type [meaning]),.. "}" ["scoped"] ";"
//!              | "channels" name,.. ";"                     those that exist from the start
//!              | "prologue" block
//!              | "monitor" ["negated"] "{" ("state" ["end"] "{" (event "goto" index ";")* "}")* "}"
//!              | "fun" name "(" params ")" "returns" type "=" expr ";"
//!              | "virtual" name "{" (name "->" name ";")* "}"
//!              | "active" name,.. ";"
//!              | "invariant" name "=" expr ";"
//!              | "property" name ["forall" name name]
//!                "{" ("prop" string "=" expr ";")* (formula | claim) "}"
//!              | ("thread" | "function") name "(" params ")" ["returns" type] ["entry" name]
//!                ["priority" number] ["provided" expr] "{" part* "}"
//! formula     := "formula" string ";"                      where `p0` is the first proposition
//! claim       := "claim" index "sets" number "{" ("state" "{" edge* "}")* "}"
//! edge        := "goto" index "if" "{" (["!"] index),.. "}" "marks" "{" index,.. "}" ";"
//! params      := (["synthetic"] type name shape),..
//! shape       := ("[" length "]")* [meaning]               the dimensions of an array variable
//! meaning     := "means" ("enum" name | "channel")
//! event       := ("send" | "receive") "(" expr ("," wanted)* ")"
//! wanted      := expr | "*"
//! part        := ["synthetic"] "local" type name shape ["=" const] ";"
//!              | "channels" name,.. ";"
//!              | "claim" ("send" | "receive") expr ";"
//!              | "prologue" block
//!              | "catch" name name ["at" name,..] "goto" name ";"
//!              | "loc" name [at] ["atomic"] ["fused"] ["end"] ["accept"] ["progress"] ["number" number]
//!                ["synthetic"] ["live" "{" name,.. "}"] ":" transition*
//!              | "resume" name [at] ["atomic"] ["synthetic"] "of" name ["into" place] jump ";"
//! transition  := [id ":"] ["when" expr | "else" | "ready" name] ["rank" number] ["exclusive"]
//!                ["number" number] ["invisible"] ["fair"] ["do" block] exit ";"
//! block       := "{" (action ";")* "}"
//! exit        := jump | "call" ["virtual"] name "(" expr,.. ")" "resume" name
//! jump        := "goto" name | "return" [expr]
//! action      := place ":=" expr | place ":=" "new" (name | "lock" | "chan" "(" name ")" | type "[" expr "]")
//!              | place ":=" "choose" expr
//!              | "assert" expr [":" string] | ("assume" | "throw" | "delete" | "kill") expr | "exit" | "badcall" string
//!              | ("lock" | "unlock" | "wait" | "unwait" | "notify" | "notifyAll") "(" expr ")"
//!              | [place ":="] "start" name "(" expr,.. ")" ["priority" number]
//!              | "check" "(" expr ")" | "priority" "(" expr "," expr ")"
//!              | "print" "(" string ("," expr)* ")"
//!              | ("send" | "insert") "(" expr ("," expr)* ")"
//!              | ("receive" | "extract" | "peek" | "find") "(" expr ("," (wanted | place ":="))* ")"
//! expr        := like BIR and Java, with `e as R` for casts, `E::x` for elements of enums, `::x` for a
//!                global that a local hides, and `(e : type)` where the type is not the natural one
//!              | collection "(" expr,.. ")" | expr "." method "(" expr,.. ")"
//!              | "all" name | ("forall" | "exists") "(" expr "," name ["," expr,..] ")"
//!              | ("thread" | "threads" | "last" | "youngest" | "timeout") "(" ")"
//!              | ("first" | "channel") "(" name ")"
//!              | ("wrap" | "number" | "enabled" | "location" | "priority" | "length" | "full") "(" expr ")"
//!              | ("threadsAt" | "individualAt") "(" name ("," name)* ")"
//!              | "at" "(" expr "," name ("," name)* ")"
//!              | "of" "(" expr "," name "," name ("[" expr "]")* ")"
//!              | ("has" | "heads") "(" expr ("," wanted)* ")"
//! method      := "add" | "remove" | "put" | "contains" | "size" | "count" | "get" | "head" | "tail" | "keys"
//!              | "union" | "intersection" | "difference" | "subset" | "capacity"
//! type        := "boolean" | ("int" | "long") [["wrap"] "(" lo "," hi ")"] | "tid" | "string" | "lock" | "chan"
//!              | "null" | ["enum" | "record"] name | type "[]" | collection
//! collection  := ("Set" | "Bag" | "Seq" | "Queue") "<" type ">" | "Map" "<" type "," type ">"
//! name        := identifier | 'anything else'              and "#" index where it would be ambiguous
//! at          := "@" index                                 where ids do not follow the order of the text
//! ```
//!
//! `insert` is a sorted send; `extract` receives from anywhere, `peek` keeps, `find` does both; `has`
//! considers all messages, `heads` the first one. The words for channels and numbers of threads are names as
//! well, except that a function of such a name is written in ticks.
//!
//! Comments start with `//`. A transition is written as [`TransitionId`] displays, as in trails: `t7`.

mod lex;
mod names;
mod parse;
mod print;
mod resolve;
mod syntax;

use std::fmt;

pub use print::{expr, place, print};

use crate::*;

/// The text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextError {
    /// The first line is 1.
    pub line: usize,
    pub message: String,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for TextError {}

/// Reads a program back. The result is well formed as a text; [`verify`] checks whether it makes sense.
pub fn parse(text: &str) -> Result<Program, TextError> {
    let parse = || resolve::resolve(&parse::parse(lex::lex(text)?)?);
    // Descent into an expression of the greatest depth needs a larger stack than that of some threads.
    let parsed = bits::on_fresh_stack(STACK, parse).expect("memory for a stack");
    parsed.map_err(|error| TextError {
        line: text.as_bytes().iter().take(error.at as usize).filter(|&&byte| byte == b'\n').count() + 1,
        message: error.message,
    })
}

const STACK: usize = 16 << 20;

/// An error at a byte of the text.
#[derive(Debug)]
struct Error {
    at: u32,
    message: String,
}

impl Error {
    fn new(at: u32, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}
