//! Hover, definitions, references, highlights, completion, and renaming.

use std::collections::BTreeMap;

use check::{Extension, Language};
use serde_json::{Value, json};
use testing::{files_below, root};

use crate::client::{Client, GOOD, marked, range, uri};

fn hover(path: &str, text: &str) -> String {
    let found = Client::new().at_mark("textDocument/hover", path, text);
    found["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn hover_tells_types_and_values() {
    let text = hover("/m.bir", &GOOD.replace("P.N) x", "P.‸N) x"));
    assert!(
        text.starts_with("```bir\nP.N = 3\n```\nconstant of the group of constants `P`, value `3`"),
        "{text}"
    );
    let text = hover("/m.bir", &GOOD.replace("while x", "while ‸x"));
    assert!(text.starts_with("```bir\nint (0, P.N) x // int (0, 3)\n```\nglobal variable"), "{text}");
    assert!(text.ends_with("mentioned 4 times"), "{text}");
    assert_eq!(hover("/m.bir", &GOOD.replace("while", "wh‸ile")), "");
    let text = hover("/m.pml", "#define N 3\nbyte a[‸N];\nactive proctype P() { a[0] = 1 }");
    assert!(text.starts_with("```promela\n#define N 3\n```\nmacro"), "{text}");
}

#[test]
fn positions_are_in_utf_16_everywhere() {
    // The comment has characters of one, two, three and four bytes before the name.
    let text = GOOD.replace("    while x", "    /* aé€𝄞 */ while ‸x");
    let (plain, position) = marked(&text);
    let mut client = Client::opened("/m.bir", &plain);
    let params = json!({ "textDocument": { "uri": uri("/m.bir") }, "position": position });
    let found = client.request("textDocument/hover", params.clone()).unwrap();
    assert_eq!(range(&found["range"]), "5:22-5:23");
    let found = client.request("textDocument/documentHighlight", params).unwrap();
    let found: Vec<_> = found.as_array().unwrap().iter().map(|it| range(&it["range"])).collect();
    assert_eq!(found, ["2:15-2:16", "3:17-3:18", "5:22-5:23", "6:6-6:7", "6:11-6:12"]);
}

#[test]
fn definitions_and_references() {
    let mut client = Client::new();
    let text = GOOD.replace("x := x + 1", "x := ‸x + 1");
    let found = client.at_mark("textDocument/definition", "/m.bir", &text);
    assert_eq!(found[0]["uri"], json!(uri("/m.bir")));
    assert_eq!(range(&found[0]["range"]), "2:15-2:16");
    let (_, position) = marked(&text);
    let ask = |client: &mut Client, with: bool| {
        let params = json!({
            "textDocument": { "uri": uri("/m.bir") },
            "position": position,
            "context": { "includeDeclaration": with },
        });
        client.request("textDocument/references", params).unwrap().as_array().unwrap().len()
    };
    assert_eq!((ask(&mut client, true), ask(&mut client, false)), (5, 4));
    client.files.write("/lib.h", "inline set(v) { v = 1 }\n");
    let found = client.at_mark(
        "textDocument/definition",
        "/m.pml",
        "#include \"lib.h\"\nbyte x;\nactive proctype P() { ‸set(x) }\n",
    );
    assert_eq!(found[0]["uri"], json!(uri("/lib.h")));
    assert_eq!(range(&found[0]["range"]), "0:7-0:10");
}

fn completed(path: &str, text: &str) -> Vec<String> {
    let found = Client::new().at_mark("textDocument/completion", path, text);
    found.as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn completion_knows_what_fits() {
    let text =
        "system S { const P { N = 3; M = 4; } enum E { a, b } record R { int f; R next; } record Q { int g; }
R r; int x;
active thread T() { int y; loc one: do { x := P.‸; } goto one; loc two: return; } }";
    assert_eq!(completed("/m.bir", text), ["M", "N"]);
    let with = |to: &str| completed("/m.bir", &text.replace("P.‸", to));
    assert_eq!(with("E.‸"), ["a", "b"]);
    assert_eq!(with("r.‸"), ["f", "next"]);
    assert_eq!(with("r.next.‸"), ["f", "next"]);
    assert_eq!(with("r.n‸"), ["f", "next"]);
    assert!(with("1; // ‸").is_empty());
    assert_eq!(
        completed("/m.bir", &text.replace("P.‸", "1").replace("goto one", "goto ‸one")),
        ["one", "two"]
    );
    let all = with("‸");
    for name in ["P", "E", "R", "r", "x", "y", "T", "while", "forall"] {
        assert!(all.contains(&name.to_owned()), "{name} in {all:?}");
    }
    assert!(!all.contains(&"f".to_owned()) && !all.contains(&"one".to_owned()));
    let outside = completed("/m.bir", &text.replace("P.‸", "1").replace("R r;", "R r; ‸"));
    assert!(!outside.contains(&"y".to_owned()) && outside.contains(&"x".to_owned()));
    let all = completed("/m.pml", "mtype { ping }\n#define N 3\nbyte x;\nproctype P(byte p) { byte y; ‸ }");
    for name in ["ping", "N", "x", "p", "y", "P", "do", "printf"] {
        assert!(all.contains(&name.to_owned()), "{name} in {all:?}");
    }
}

fn rename(client: &mut Client, path: &str, text: &str, name: &str) -> Result<Value, String> {
    let (text, position) = marked(text);
    client.open(path, &text);
    let mut params = json!({ "textDocument": { "uri": uri(path) }, "position": position });
    let prepared = client.request("textDocument/prepareRename", params.clone());
    params["newName"] = json!(name);
    let renamed = client.request("textDocument/rename", params).map_err(|error| error.message);
    if let Err(refused) = prepared {
        assert_eq!(renamed, Err(refused.message));
    }
    renamed
}

#[test]
fn names_are_renamed_where_nothing_else_changes() {
    let mut client = Client::new();
    let text = GOOD.replace("while x", "while ‸x");
    let edits = rename(&mut client, "/m.bir", &text, "counter").unwrap();
    let edits = edits["changes"][uri("/m.bir")].as_array().unwrap();
    assert_eq!(edits.len(), 5);
    assert!(edits.iter().all(|edit| edit["newText"] == "counter"));
    let mut refusal = |text: &str, name: &str| rename(&mut client, "/m.bir", text, name).unwrap_err();
    assert!(refusal(&text, "while").contains("is not a name"));
    assert!(refusal(&text, "a b").contains("is not a name"));
    assert!(refusal(&text, "").contains("is not a name"));
    assert!(refusal(&text, "P").contains("declared twice"), "a clash");
    assert!(refusal(&GOOD.replace("while", "wh‸ile"), "y").contains("no name here"));
    assert!(refusal(&text.replace("x + 1", "x + z"), "y").contains("has errors"));
    let captured = "system S { int ‸x; active thread T() { int y; y := 1; x := y; } }";
    assert!(refusal(captured, "y").contains("would stand for something else"));
    let captured = "system S { int x; active thread T() { int ‸y; y := 1; x := y; } }";
    assert!(refusal(captured, "x").contains("would stand for something else"));
    let promela = rename(&mut client, "/m.pml", "byte ‸x;\nactive proctype P() { x = 1 }", "y");
    assert!(promela.unwrap_err().contains("macros"));
}

#[test]
fn names_of_imported_files_are_renamed_in_all_open_models() {
    let mut client = Client::new();
    client.open("/m.bir", "import \"lib.bir\";\nsystem S { int x; active thread T() { x := P.N; } }\n");
    client.files.write("/lib.bir", "");
    let edits = rename(&mut client, "/lib.bir", "const P { ‸N = 3; }\n", "Most").unwrap();
    assert_eq!(edits["changes"][uri("/lib.bir")].as_array().unwrap().len(), 1);
    assert_eq!(edits["changes"][uri("/m.bir")].as_array().unwrap().len(), 1);
}

/// Every name of every bundled model can be renamed, and the program stays the same but for that name.
#[test]
fn all_names_can_be_renamed() {
    let mut client = Client::new();
    let mut renamed = 0;
    for (number, model) in files_below(&root().join("models"), "bir").into_iter().enumerate() {
        let path = format!("/{number}.bir");
        let files = BTreeMap::from([(path.clone(), model.text.clone().into_bytes())]);
        let before = check::Analysis::of(&files, &path, Language::Bir, Extension::Auto, &[]);
        if before.diagnostics.has_errors() {
            continue;
        }
        client.open(&path, &model.text);
        let file = before.file.unwrap();
        for known in before.index.definitions().step_by(5) {
            let start = known.at.start as usize;
            let (line, column) = (
                model.text[..start].matches('\n').count(),
                model.text[..start].rsplit('\n').next().unwrap().encode_utf16().count(),
            );
            let params = json!({
                "textDocument": { "uri": uri(&path) },
                "position": { "line": line, "character": column },
                "newName": "Fresh_1",
            });
            let edits = client.request("textDocument/rename", params);
            let edits =
                edits.unwrap_or_else(|error| panic!("{}: {}: {}", model.name, known.name, error.message));
            let count = edits["changes"][uri(&path)].as_array().unwrap().len();
            assert_eq!(
                count,
                1 + before.index.mentions_of(known.at).count(),
                "{}: {}",
                model.name,
                known.name
            );
            assert_eq!(known.at.file, file);
            renamed += 1;
        }
    }
    assert!(renamed > 200, "{renamed}");
}
