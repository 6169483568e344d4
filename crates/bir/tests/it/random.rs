//! Random models: they compile, and use every construct of the language.

use source::{SourceMap, Style};
use testing::{Variant, random_model, random_variant};

fn models() -> u64 {
    testing::effort(1500)
}

fn compiled(text: &str) -> ir::Program {
    let mut map = SourceMap::new();
    let file = map.add("model.bir", text).expect("not too long");
    match quotient_bir::compile(&map, file, &[]) {
        Ok((program, _)) => program,
        Err(errors) => panic!("{}\n{text}", errors.render(&map, Style::Plain)),
    }
}

#[test]
fn models_compile_verify_and_come_back() {
    for seed in 0..models() {
        let text = random_model(seed);
        let program = compiled(&text);
        assert_eq!(ir::verify(&program), Ok(()), "{text}");
        let printed = ir::text::print(&program);
        let again = ir::text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}\n{text}"));
        assert_eq!(again.without_spans(), program.without_spans(), "{text}");
    }
}

#[test]
fn parentheses_make_no_difference() {
    for seed in 0..models() {
        let (few, many) = (random_model(seed), random_variant(seed, Variant::Parentheses));
        assert_eq!(ir::text::print(&compiled(&few)), ir::text::print(&compiled(&many)), "{few}{many}");
    }
}

#[test]
fn methods_make_no_difference() {
    let mut methods = 0;
    for seed in 0..models() / 4 {
        let (functions, other) = (random_model(seed), random_variant(seed, Variant::Methods));
        methods += usize::from(functions != other);
        let (one, two) = (compiled(&functions), compiled(&other));
        assert_eq!(ir::text::print(&one), ir::text::print(&two), "{functions}{other}");
    }
    assert!(methods as u64 > models() / 16, "{methods}");
}

/// Every construct of the language, as it occurs in models.
const PIECES: &[&str] = &[
    "const ",
    "enum ",
    "typealias ",
    "record ",
    "extends R0, R",
    "throwable ",
    "top ",
    "virtual ",
    "fun ",
    "function ",
    "returns ",
    "invariant ",
    "ltl ",
    "active thread",
    "active[",
    "main thread",
    "boolean ",
    "int ",
    "long ",
    "wrap (",
    "string ",
    "lock ",
    "tid ",
    "[] ",
    "lock(",
    "unlock(",
    "wait(",
    "unwait(",
    "notify(",
    "notifyAll(",
    "start ",
    "invoke ",
    "invoke virtual",
    "throw ",
    "try",
    "catch (",
    "catch Failure",
    "atomic",
    "while ",
    "for ",
    "..",
    "break;",
    "continue;",
    "if ",
    "elseif ",
    "else do",
    "choose",
    "when <",
    "when ",
    "skip;",
    "exit;",
    "return;",
    "return ",
    "assert ",
    "assume ",
    "loc ",
    "goto ",
    "do {",
    "do invisible",
    "live {",
    " at ",
    "?",
    "=>",
    "&&",
    "||",
    "|",
    "&",
    "^",
    "==",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "shl",
    "shr",
    "ushr",
    "!",
    "true",
    "false",
    "null",
    "new ",
    "new lock",
    "instanceof ",
    ".length",
    "(long) ",
    "lockAvailable(",
    "hasLock(",
    "wasNotified(",
    "threadTerminated(",
    "abstract enum ",
    "extension ",
    "Set.type<",
    "Bag.type<",
    "Map.type<",
    "Seq.type<",
    "Queue.type<",
    ".type<Set.type<",
    ".type<R0>",
    ".type<tid>",
    ".type<lock>",
    ".type<Key>",
    "Map.type<R0",
    "Map.type<Key",
    "Color.all",
    "Key.all",
    "Key.K0",
    "forall ",
    "exists ",
    ".choose(",
    ".create(",
    ".create<",
    ".add(",
    "Seq.append(",
    ".remove(",
    ".contains(",
    ".containsKey(",
    ".size(",
    ".isEmpty(",
    ".put(",
    "Map.get(",
    ".get(",
    ".head(",
    ".tail(",
    ".keys(",
    ".count(",
    ".union(",
    ".intersection(",
    ".difference(",
    ".subset(",
    "Queue.isFull(",
    "Queue.capacity(",
];

#[test]
fn models_use_the_whole_language() {
    let texts: Vec<_> = (0..1500).map(random_model).collect();
    for piece in PIECES {
        let count = texts.iter().filter(|text| text.contains(piece)).count();
        assert!(count >= texts.len() / 100, "`{piece}` is in {count} of {} models", texts.len());
    }
}
