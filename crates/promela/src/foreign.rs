//! Words that other languages have, and how Promela expresses what they mean.
//!
//! These are names like any others, so a word is only looked up where the text is wrong anyway.

/// A word that starts a declaration in other languages, with its Promela counterpart.
pub fn declaration(word: &str) -> Option<&'static str> {
    Some(match word {
        "string" | "String" | "str" => {
            "Promela has no strings as values: give the texts names, as in `mtype = { hello, bye }; mtype x`"
        }
        "integer" | "Integer" | "long" | "int32_t" | "int64_t" | "i32" | "i64" | "Int" | "Nat" => {
            "`int` has 32 bits, `short` 16 and `byte` 8"
        }
        "boolean" | "Boolean" | "BOOLEAN" | "_Bool" => "this type is called `bool`",
        "float" | "double" | "real" | "decimal" | "f32" | "f64" => {
            "Promela has whole numbers only: count in a smaller unit"
        }
        "char" | "uint8_t" | "u8" | "uchar" => "`byte` holds 0 to 255; `'a'` is a number",
        "uint" | "uint16_t" | "uint32_t" | "u16" | "u32" | "size_t" | "word" => {
            "`byte` holds 0 to 255, and `unsigned x : 5` has 5 bits"
        }
        "var" | "let" | "auto" | "val" => "a declaration starts with a type, such as `int`, `byte` or `bool`",
        "const" | "final" | "static" | "constant" | "CONSTANT" | "CONSTANTS" => {
            "a constant is a macro, as in `#define N 3`"
        }
        "void" | "def" | "func" | "function" | "fn" | "procedure" | "method" | "fun" => {
            "what can be called is an `inline name(x, y) { … }`, whose parameters have no types"
        }
        "struct" | "record" | "class" | "union" | "object" => {
            "a record is declared by `typedef Name { byte x; byte y }`"
        }
        "enum" | "enumeration" => "names for values are declared by `mtype = { red, green }`",
        "process" | "thread" | "task" | "proc" | "agent" | "actor" => {
            "a process is declared by `proctype Name() { … }`, or `active proctype` if it runs from the start"
        }
        "system" | "module" | "MODULE" | "program" | "package" | "namespace" => {
            "a Promela model has no enclosing unit; for a BIR model, use a name that ends in `.bir`, or `--language bir`"
        }
        "import" | "using" | "include" | "from" | "require" | "EXTENDS" => {
            "another file is included by `#include \"file.h\"`"
        }
        "queue" | "Queue" | "channel" | "Channel" | "buffer" => {
            "a channel is declared by `chan q = [2] of { byte }`"
        }
        "property" | "LTLSPEC" | "invariant" | "assertion" | "spec" | "claim" => {
            "a property is declared by `ltl name { [] (x > 0) }`"
        }
        _ => return None,
    })
}

/// A word with parentheses that starts a statement in other languages, with its Promela counterpart.
pub fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "while" | "until" | "loop" | "repeat" => {
            "a loop lists its options: `do :: x < 3 -> x++ :: else -> break od`"
        }
        "foreach" | "forall" => {
            "`for (i : 0 .. 9) { … }` counts, and `for (i in a) { … }` goes over an array"
        }
        "switch" | "case" | "match" | "when" => {
            "a choice lists its options: `if :: x == 0 -> … :: x == 1 -> … :: else -> … fi`"
        }
        "print" | "println" | "puts" | "echo" | "write" | "log" | "fprintf" => {
            "text is printed by `printf(\"x is %d\\n\", x)`"
        }
        "wait" | "await" | "waitfor" | "assume" | "guard" | "block" => {
            "a condition is a statement that waits until it is true: `x == 1;`"
        }
        "send" | "put" | "enqueue" | "push" => "a message is sent by `q!x`",
        "receive" | "recv" | "get" | "dequeue" | "pop" => "a message is received by `q?x`",
        "lock" | "acquire" | "P" => {
            "a lock is a variable that is tested and set in one step: `atomic { !held -> held = true }`"
        }
        "unlock" | "signal" | "V" => "a lock is released by setting its variable: `held = false`",
        "notify" | "notifyAll" => "a process that waits for a condition goes on when the condition is true",
        "sleep" | "delay" | "usleep" | "yield" => {
            "Promela has no clock: any process may take the next step at any time, so leave this out"
        }
        "start" | "spawn" | "fork" | "create" | "async" | "go" => "a process is started by `run Name(args)`",
        "join" => "a process ends unnoticed: let it set a variable or send a message, and wait for that",
        "exit" | "abort" | "stop" => "a process ends at its closing brace: `goto` a label there",
        "random" | "rand" | "choose" | "nondet" => {
            "`select (x : 0 .. 9)` chooses a number, `if` without guards a statement"
        }
        "assume_abort_if_not" => "a condition is a statement that waits until it is true",
        _ => return None,
    })
}

/// A name that stands for a value, or for a statement, in other languages, with its Promela counterpart.
pub fn value(word: &str) -> Option<&'static str> {
    Some(match word {
        "TRUE" | "True" => "this is written `true`",
        "FALSE" | "False" => "this is written `false`",
        "null" | "NULL" | "nil" | "None" | "nullptr" => {
            "without pointers there is no null: use a number that means nothing else, such as 0 or 255"
        }
        "continue" => "to go on with the next round, let the option end here",
        "pass" | "noop" | "nop" => "the statement that does nothing is `skip`",
        "self" | "this" | "pid" | "tid" => "the number of the process is `_pid`",
        "exit" | "stop" | "abort" => "a process ends at its closing brace: `goto` a label there",
        "otherwise" | "default" => "the option that is taken if no other can be is `else`",
        _ => return None,
    })
}

/// The operator that a word is written as.
pub fn operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" | "AND" => "&&",
        "or" | "OR" => "||",
        "not" | "NOT" => "!",
        "mod" | "MOD" => "%",
        "div" | "DIV" => "/",
        "is" => "==",
        _ => return None,
    })
}
