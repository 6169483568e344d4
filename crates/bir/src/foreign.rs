//! Words of other languages, with what is written here instead. Only diagnostics use them: a model may use
//! all of these words as names.

/// What to write instead of a type of another language.
pub fn type_hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" | "Boolean" | "BOOLEAN" => "the type of truth values is `boolean`",
        "bit" => "write `boolean`, or `int (0, 1)`",
        "byte" | "u8" | "uint8" | "uint8_t" => "write `int (0, 255)`",
        "short" | "i16" => "write `int (-32768, 32767)`",
        "i32" | "Integer" | "Int" | "integer" | "i8" | "number" => "write `int`",
        "i64" | "Long" => "write `long`",
        "unsigned" | "uint" | "u16" | "u32" | "u64" | "usize" | "Nat" | "nat" => {
            "write `int`, or a range such as `int (0, 100)`"
        }
        "char" | "Char" => "there are no characters: use an `enum`, or a range of `int`",
        "float" | "double" | "f32" | "f64" | "real" | "Real" => "there are integers only",
        "String" | "str" | "Str" => "write `string`",
        "void" => "a function without a result has no `returns`",
        "List" | "list" | "ArrayList" | "LinkedList" | "Vec" | "vector" | "Array" | "array" | "seq" => {
            "a sequence is a `Seq.type<T>`, an array is a `T[]`"
        }
        "HashMap" | "TreeMap" | "dict" | "Dict" | "map" => "write `Map.type<K, V>`",
        "HashSet" | "TreeSet" | "set" => "write `Set.type<T>`",
        "chan" | "Channel" | "channel" | "queue" => "a channel with a buffer is a `Queue.type<T>`",
        "mtype" => "names for values are declared with `enum Color { red, green }`",
        "Mutex" | "mutex" | "Lock" | "Semaphore" => "write `lock`",
        "Thread" | "pid" | "pthread_t" => "a reference to a thread is a `tid`",
        "let" | "var" | "auto" | "val" | "local" | "Object" | "any" => {
            "a declaration starts with a type: `int x;`, or `int x := 3;`"
        }
        _ => return None,
    })
}

/// What to write instead of a value of another language.
pub fn value_hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "None" | "nil" | "NULL" | "Null" | "nullptr" => "write `null`",
        "this" | "self" => "a function gets the record that it works on as a parameter",
        _ => return None,
    })
}

/// What to write instead of a function of another language. `in_formula` is the place.
pub fn function_hint(name: &str, in_formula: bool) -> Option<&'static str> {
    Some(match name {
        "G" if in_formula => "`G p` is written `[] p`, or `always p`",
        "F" if in_formula => "`F p` is written `<> p`, or `eventually p`",
        "not" => "`not` is written `!`",
        "range" => "a range is written `0..n`, in `for i in 0..n do … end`",
        "len" | "size" | "length" => "the number of elements is `s.size`, the length of an array `a.length`",
        "max" => "write `a > b ? a : b`",
        "min" => "write `a < b ? a : b`",
        _ => return statement_hint(name),
    })
}

/// What to do instead of writing something out, or of freeing memory.
pub fn statement_hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "print" | "printf" | "println" | "puts" | "echo" => {
            "there is no output: the trace of a violation shows all variables"
        }
        "free" | "dispose" | "dealloc" => "an object is deleted with `delete e;`",
        _ => return None,
    })
}

/// What to write instead of an operation of another language's collections.
pub fn operation_hint(name: &str) -> Option<&'static str> {
    Some(match name {
        "length" | "len" | "count" => "the number of elements is `s.size`",
        "push" | "push_back" | "enqueue" | "offer" | "insert" => {
            "an element is added with `s.add(x);`, to a map with `m[k] := v;`"
        }
        "pop" | "poll" | "dequeue" | "pop_front" => {
            "the first element is `q.head()`, and goes with `q.tail();`"
        }
        "has" | "includes" | "member" => "membership is `s.contains(x)`",
        "empty" | "is_empty" => "ask with `s.isEmpty()`",
        "clear" => "assign an empty collection: `s := Set{};`",
        "delete" | "erase" | "discard" => "an element goes with `s.remove(x);`",
        _ => return None,
    })
}
