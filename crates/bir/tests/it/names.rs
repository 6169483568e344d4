//! What editors are told about names.

use std::collections::{BTreeMap, BTreeSet};

use source::{FileId, Index, NameKind, SourceMap, Span};
use testing::{SplitMix64, effort, files_below, random_model, robustness, root};

fn analyse(text: &str) -> (SourceMap, Index) {
    let mut map = SourceMap::new();
    let file = map.add("m.bir", text).unwrap();
    let (_, index) = quotient_bir::analyse(&mut map, &BTreeMap::new(), file, &[]);
    (map, index)
}

/// All places of the name that is defined where `‸` is in the text, as `line:column`.
fn places(text: &str) -> Vec<String> {
    let byte = text.find('‸').expect("a mark") as u32;
    let (map, index) = analyse(&text.replace('‸', ""));
    let place = Span::new(FileId(0), byte, byte);
    let (_, definitions) = index.at(place).unwrap_or_else(|| panic!("no name in {text}"));
    let mut all: BTreeSet<Span> = definitions.iter().copied().collect();
    all.extend(definitions.iter().flat_map(|&definition| index.mentions_of(definition)));
    all.into_iter().map(|span| map.position(span).to_string()).collect()
}

#[test]
fn locals_hide_globals() {
    let text = "system S {
int ‸x;
active thread T() { int x; x := 1; }
active thread U() { x := x + 1; assert forall x in Set{1} : x > 0; }
invariant I = x > 0; }";
    assert_eq!(places(text), ["2:5", "4:21", "4:26", "5:15"]);
    let text = text.replace('‸', "").replace("int x; x", "int x; ‸x");
    assert_eq!(places(&text), ["3:25", "3:28"]);
    let text = text.replace('‸', "").replace(": x > 0; }\ninv", ": ‸x > 0; }\ninv");
    assert_eq!(places(&text), ["4:47", "4:61"]);
}

#[test]
fn fields_constants_elements_and_labels() {
    let text = "system S {
const P { ‸N = 3; M = P.N; }
enum E { a, b }
record R { E n; R next; }
record Q extends R { int N; }
typealias Small int (0, P.N);
Q q; Small small;
fun last(R r) returns R = r.next == null ? r : last(r.next);
virtual v { R -> f Q -> f }
function f(R r) returns E { return r.n; }
thread W(R r) { loc idle: when r.n == E.a do { r.n := E.b; } goto done; loc done: return; }
main thread T() { E e; begin: q := new Q; start W(q); e := invoke f(q); e := invoke virtual v(q); q.N := 1;
  try skip; catch (X x) throw x; end
  for i in 0..P.N do small := i; end }
throwable record X {}
ltl L = [] ((exists W w: w@done) -> <> (#(T t: t@begin) > 0));
}";
    assert_eq!(places(text), ["2:11", "2:24", "6:27", "14:17"]);
    let with = |from: &str, to: &str| places(&text.replace('‸', "").replacen(from, to, 1));
    assert_eq!(with("int N;", "int ‸N;"), ["5:26", "12:101"]);
    assert_eq!(with("E n;", "E ‸n;"), ["4:14", "10:38", "11:34", "11:50"]);
    assert_eq!(with("R ne", "R ‸ne"), ["4:19", "8:29", "8:55"]);
    assert_eq!(with("{ a", "{ ‸a"), ["3:10", "11:41"]);
    assert_eq!(with("loc done", "loc ‸done"), ["11:67", "11:77", "16:28"]);
    assert_eq!(with("begin:", "‸begin:"), ["12:24", "16:50"]);
    assert_eq!(with("fun l", "fun ‸l"), ["8:5", "8:48"]);
    assert_eq!(with("on f", "on ‸f"), ["9:18", "9:25", "10:10", "12:67"]);
    assert_eq!(with("al v", "al ‸v"), ["9:9", "12:93"]);
    assert_eq!(with("X x", "X ‸x"), ["13:22", "13:31"]);
    assert_eq!(with("rd X", "rd ‸X"), ["13:20", "15:18"]);
    assert_eq!(with("for i", "for ‸i"), ["14:7", "14:31"]);
    assert_eq!(with("W w", "W ‸w"), ["16:23", "16:26"]);
    assert_eq!(with("ad W", "ad ‸W"), ["11:8", "12:49", "16:21"]);
    assert_eq!(with("Small int", "‸Small int"), ["6:11", "7:6"]);
}

/// The words of a text that are names, by a lexer of this test.
fn words(text: &str) -> Vec<(u32, u32)> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let mut all = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            byte if is_word(byte) => rest.bytes().take_while(|&byte| is_word(byte)).count(),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        if is_word(bytes[at]) && !bytes[at].is_ascii_digit() {
            all.push((at as u32, (at + length) as u32));
        }
        at += length;
    }
    all
}

/// Words that mean something where they stand.
const SOFT: &[&str] = &[
    "top",
    "throwable",
    "abstract",
    "any",
    "class",
    "main",
    "active",
    "wrap",
    "live",
    "invisible",
    "fair",
    "at",
    "length",
    "size",
    "forall",
    "exists",
    "in",
    "all",
    "type",
    "for",
    "break",
    "continue",
    "import",
    "delete",
    "Set",
    "Bag",
    "Map",
    "Seq",
    "Queue",
    "X",
    "U",
    "W",
    "R",
    "V",
    "M",
    "and",
    "or",
    "not",
    "true",
    "false",
];

/// Every name of a model is in the index, under the spelling of its definition.
#[test]
fn no_name_is_missing() {
    let mut models = files_below(&root().join("models"), "bir");
    for seed in 0..effort(60) {
        models.push(testing::ModelFile { name: format!("seed {seed}"), text: random_model(seed) });
    }
    let keywords: BTreeSet<&str> = quotient_bir::keywords().collect();
    let mut checked = 0;
    for model in models {
        let mut map = SourceMap::new();
        let file = map.add("m.bir", &model.text).unwrap();
        let (found, index) = quotient_bir::analyse(&mut map, &BTreeMap::new(), file, &[]);
        if found.is_err() {
            continue;
        }
        for mention in index.mentions() {
            let (used, defined) = (map.text(mention.at), map.text(mention.definition));
            assert_eq!(used, defined, "{}: {}", model.name, map.describe(mention.at));
            assert!(index.definition(mention.definition).is_some(), "{}: {used} is not defined", model.name);
        }
        for (start, end) in words(&model.text) {
            let span = Span::new(file, start, end);
            let word = map.text(span);
            let is_operation = model.text[..start as usize].trim_end().ends_with('.')
                && model.text[end as usize..].trim_start().starts_with(['(', '<']);
            if keywords.contains(word) || SOFT.contains(&word) || is_operation {
                continue;
            }
            let known = index.at(span).map(|(at, _)| at);
            assert_eq!(known, Some(span), "{}: `{word}` at {}", model.name, map.describe(span));
            checked += 1;
        }
    }
    assert!(checked > 5000, "{checked}");
}

#[test]
fn values_and_types_are_told() {
    let (_, index) = analyse(
        "system S { const P { N = 3; M = 2 * P.N; } enum E { a }
        typealias T int (0, P.M); T x := 1; active thread A() { int (0, P.N) y; y := x; } invariant I = x < 4; }",
    );
    let of = |name: &str| {
        let known = index.definitions().find(|known| known.name == name).expect("a definition");
        (known.kind, known.text.clone(), known.value.clone())
    };
    assert_eq!(of("M"), (NameKind::Constant, "P.M = 2 * P.N".to_owned(), Some("6".to_owned())));
    assert_eq!(of("x"), (NameKind::Global, "T x // int (0, 6) := 1".to_owned(), None));
    assert_eq!(of("y").1, "int (0, 3) y");
    assert_eq!(of("A").1, "active thread A()");
    assert_eq!(of("I"), (NameKind::Invariant, "invariant I = x < 4".to_owned(), None));
}

#[test]
fn broken_models_keep_the_names_that_can_be_understood() {
    let (map, index) =
        analyse("system S { int x; record R { int f; } active thread T() { int y; x := ; y := x; if } }");
    let names: Vec<_> = index.definitions().map(|known| known.name.as_str()).collect();
    assert!(["x", "y", "T", "R", "f"].iter().all(|name| names.contains(name)), "{names:?}");
    assert!(index.mentions().any(|mention| map.text(mention.at) == "x"));
}

#[test]
fn imported_names_lead_to_their_files() {
    let mut map = SourceMap::new();
    let files = BTreeMap::from([("lib.bir".to_owned(), b"const P { N = 3; }".to_vec())]);
    let text = "import \"lib.bir\"; system S { int x; active thread T() { x := P.N; } }";
    let file = map.add("m.bir", text).unwrap();
    let (found, index) = quotient_bir::analyse(&mut map, &files, file, &[]);
    found.unwrap();
    let at = text.find("P.N").unwrap() as u32;
    let (_, definitions) = index.at(Span::new(file, at + 2, at + 2)).unwrap();
    assert_eq!(map.describe(definitions[0]), "lib.bir:1:11");
}

#[test]
fn mutants_are_analysed_without_a_panic() {
    let models = files_below(&root().join("models"), "bir");
    let mut random = SplitMix64::new(7);
    for model in &models {
        for _ in 0..effort(3) {
            let mutant = robustness::mutant(&model.text, &mut random);
            robustness::frugally(|| analyse(&mutant));
        }
    }
}
