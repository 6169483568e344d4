//! What editors are told about names.

use std::collections::{BTreeMap, BTreeSet};

use quotient_promela::Extension;
use source::{FileId, Index, NameKind, SourceMap, Span};
use testing::{SplitMix64, effort, files_below, robustness, root};

fn analyse_with(text: &str, files: &[(&str, &str)]) -> (SourceMap, Index) {
    let mut map = SourceMap::new();
    let file = map.add("m.pml", text).unwrap();
    let files: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    let (_, index) = quotient_promela::analyse(&mut map, &files, file, &[], Extension::Auto);
    (map, index)
}

fn analyse(text: &str) -> (SourceMap, Index) {
    analyse_with(text, &[])
}

/// All places of the name that is where `‸` is in the text.
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
fn variables_types_labels_and_processes() {
    let text = "mtype = { ping, pong };
typedef R { byte n; bit b[2] }
R ‸r; chan q = [1] of { mtype };
active proctype P() { byte x;
again: x = r.n; r.b[x] = 1;
  if :: q!ping; goto again :: q?pong -> goto out :: run Q(x) fi;
out: skip }
proctype Q(byte p) { { byte x; x = p; r.n = x } }
ltl live { [] (P@again -> <> (r.n == 1 && P:x == 0)) }";
    assert_eq!(places(text), ["3:3", "5:12", "5:17", "8:39", "9:31"]);
    let with = |from: &str, to: &str| places(&text.replace('‸', "").replacen(from, to, 1));
    assert_eq!(with("byte n", "byte ‸n"), ["2:18", "5:14", "8:41", "9:33"]);
    assert_eq!(with("ping", "‸ping"), ["1:11", "6:11"]);
    assert_eq!(with("R r", "‸R r"), ["2:9", "3:1"]);
    assert_eq!(with("again:", "‸again:"), ["5:1", "6:22", "9:18"]);
    assert_eq!(with("byte x", "byte ‸x"), ["4:28", "5:8", "5:21", "6:59", "9:45"]);
    assert_eq!(with("{ byte x", "{ byte ‸x").len(), 5);
    assert_eq!(with("byte p", "byte ‸p"), ["8:17", "8:36"]);
    assert_eq!(with("pe Q", "pe ‸Q"), ["6:57", "8:10"]);
    assert_eq!(with("live", "‸live"), ["9:5"]);
}

#[test]
fn names_are_followed_through_macros() {
    let text = "#define LIMIT 3
#define full(c) (c == LIMIT)
#define twice x = x + x
#ifdef LIMIT
byte ‸x;
#endif
active proctype P() { byte y; twice; full(x); full(y) }";
    assert_eq!(places(text), ["3:15", "3:19", "3:23", "5:6", "7:43"]);
    let with = |from: &str, to: &str| places(&text.replace('‸', "").replacen(from, to, 1));
    assert_eq!(with("LIMIT", "‸LIMIT"), ["1:9", "2:23", "4:8"]);
    assert_eq!(with("full", "‸full"), ["2:9", "7:38", "7:47"]);
    assert_eq!(with("byte y", "byte ‸y"), ["7:28", "7:52"]);
}

#[test]
fn names_are_followed_through_inlines() {
    let text = "byte g;
inline ‸inc(v, by) { v = v + by; g = v; }
active proctype P() { byte a; inc(a, 1); inc(g, a) }
active proctype Q() { byte a; inc(a, 2) }";
    assert_eq!(places(text), ["2:8", "3:31", "3:42", "4:31"]);
    let with = |from: &str, to: &str| places(&text.replace('‸', "").replacen(from, to, 1));
    assert_eq!(with("(v,", "(‸v,"), ["2:12", "2:21", "2:25", "2:37"]);
    assert_eq!(with("byte g", "byte ‸g"), ["1:6", "2:33", "3:46"]);
    assert_eq!(with("byte a; inc(a, 1)", "byte ‸a; inc(a, 1)"), ["3:28", "3:35", "3:49"]);
}

#[test]
fn included_files_are_known() {
    let text = "#include \"lib.h\"\nactive proctype P() { n = MAX }";
    let (map, index) = analyse_with(text, &[("lib.h", "#define MAX 3\nbyte n;")]);
    let target = |from: &str| {
        let at = text.find(from).unwrap() as u32;
        let (_, definitions) = index.at(Span::new(FileId(0), at, at)).unwrap();
        map.describe(definitions[0])
    };
    assert_eq!(target("\"lib"), "lib.h:1:1");
    assert_eq!(target("n ="), "lib.h:2:6");
    assert_eq!(target("MAX"), "lib.h:1:9");
}

#[test]
fn dynamic_models_have_pointers_and_functions() {
    let text = "typedef Node;
typedef Node { byte value; Node& next }
Node& ‸head;
function push(byte v) { Node& made; made = new Node; made.value = v; made.next = head; head = made }
function twice(byte v) : byte = v + v;
active proctype P() { byte x; push(1); x = twice(head.value); delete head }";
    assert_eq!(places(text), ["3:7", "4:82", "4:88", "6:50", "6:70"]);
    let with = |from: &str, to: &str| places(&text.replace('‸', "").replacen(from, to, 1));
    assert_eq!(with("byte value", "byte ‸value"), ["2:21", "4:59", "6:55"]);
    assert_eq!(with("on push", "on ‸push"), ["4:10", "6:31"]);
    assert_eq!(with("on twice", "on ‸twice"), ["5:10", "6:44"]);
}

#[test]
fn kinds_and_texts() {
    let (_, index) = analyse(
        "#define N 3\nint a[N] = 1; proctype P(byte x) { skip } init { run P(1) } never { do :: skip od } ltl { [] true }",
    );
    let of = |name: &str| {
        let known = index.definitions().find(|known| known.name == name);
        let known = known.unwrap_or_else(|| panic!("no {name}"));
        (known.kind, known.text.as_str())
    };
    assert_eq!(of("N"), (NameKind::Macro, "#define N 3"));
    assert_eq!(of("a"), (NameKind::Global, "int a[N] = 1"));
    assert_eq!(of("P"), (NameKind::Thread, "proctype P(byte x)"));
    assert_eq!(of("x").0, NameKind::Parameter);
    assert_eq!(of("init").0, NameKind::Thread);
    assert_eq!(of("never").0, NameKind::Property);
    assert_eq!(of("ltl_0").0, NameKind::Property);
}

/// Every name in the index has the spelling of its definition, in all bundled models.
#[test]
fn mentions_have_the_spelling_of_their_definitions() {
    let (mut checked, mut known) = (0, 0);
    for model in files_below(&root().join("models"), "pml") {
        let (map, index) = analyse(&model.text);
        for mention in index.mentions() {
            let (used, defined) = (map.text(mention.at), map.text(mention.definition));
            // The name of an included file leads to its start.
            if index.definition(mention.definition).is_none() {
                continue;
            }
            assert_eq!(used, defined, "{}: {}", model.name, map.describe(mention.at));
            checked += 1;
        }
        known += index.definitions().count();
    }
    assert!(checked > 1000 && known > 500, "{checked} {known}");
}

#[test]
fn mutants_are_analysed_without_a_panic() {
    let mut random = SplitMix64::new(7);
    for model in files_below(&root().join("models"), "pml") {
        for _ in 0..effort(3) {
            let mutant = robustness::mutant(&model.text, &mut random);
            robustness::frugally(|| analyse(&mutant));
        }
    }
}
