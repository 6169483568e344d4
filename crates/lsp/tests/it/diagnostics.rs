//! Diagnostics: as one types, through macros and included files, for files that are parts of others.

use serde_json::{Value, json};

use crate::client::{Client, GOOD, range, uri};

#[test]
fn mistakes_are_shown_and_go_away() {
    let mut client = Client::opened("/m.bir", &GOOD.replace("x := x + 1", "x := y + 1; z := 1"));
    let found = client.diagnostics("/m.bir");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0]["code"], "E0301");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "quotient");
    assert_eq!(range(&found[0]["range"]), "6:11-6:12");
    let href = found[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(href.ends_with("/diagnostics.md#e0301"), "{href}");
    assert!(found[0]["message"].as_str().unwrap().starts_with("there is no variable `y`\n"), "{found:?}");
    client.change("/m.bir", 2, GOOD);
    assert_eq!(client.diagnostics("/m.bir"), Vec::<Value>::new());
}

#[test]
fn positions_are_in_utf_16() {
    let text = "system S {\r\n\tint x; /* 𝄞é */ int y; /* 𝄞 */ int x;\r\n\tactive thread T() { x := 1; y := 1; }\r\n}\r\n";
    let mut client = Client::opened("/m.bir", text);
    let found = client.diagnostics("/m.bir");
    assert_eq!(found[0]["code"], "E0306", "{found:?}");
    // A tab is one, 𝄞 two units.
    assert_eq!(range(&found[0]["range"]), "1:38-1:39");
    assert_eq!(range(&found[0]["relatedInformation"][0]["location"]["range"]), "1:5-1:6");
    assert_eq!(found[0]["relatedInformation"][0]["message"], "the first declaration");
}

#[test]
fn typing_is_waited_for() {
    let mut client = Client::opened("/m.bir", GOOD);
    client.diagnostics("/m.bir");
    // Character by character; what is in between is not shown.
    for (version, length) in (2..).zip(1..=GOOD.len()) {
        if GOOD.is_char_boundary(length) {
            client.change("/m.bir", version, &GOOD[..length]);
        }
    }
    client.change("/m.bir", 10_000, &GOOD.replace("int (0", "int (1, 0"));
    let found = client.diagnostics("/m.bir");
    assert!(!found.is_empty());
    let shown =
        client.notifications.iter().filter(|it| it.method == "textDocument/publishDiagnostics").count();
    assert!(shown <= 2, "{shown}");
}

#[test]
fn macros_and_their_definitions_are_shown() {
    let text = "#define BAD y + 1\nbyte x;\nactive proctype P() { x = BAD; x = z }\n";
    let mut client = Client::opened("/m.pml", text);
    let found = client.diagnostics("/m.pml");
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(range(&found[0]["range"]), "2:26-2:29");
    let related = &found[0]["relatedInformation"][0];
    assert_eq!(range(&related["location"]["range"]), "0:8-0:11");
    assert!(related["message"].as_str().unwrap().contains("macro"), "{related}");
    let href = found[0]["codeDescription"]["href"].as_str().unwrap();
    assert!(href.contains("/promela/diagnostics.md#e"), "{href}");
}

#[test]
fn open_texts_take_the_place_of_included_files() {
    let mut client = Client::new();
    client.files.write("/lib.h", "byte n;\n");
    client.open("/m.pml", "#include \"lib.h\"\nactive proctype P() { n = 1; m = 1 }\n");
    let found = client.diagnostics("/m.pml");
    assert_eq!(range(&found[0]["range"]), "1:29-1:30");
    // The file is opened, and changed without being saved.
    client.open("/lib.h", "byte n;\n");
    client.change("/lib.h", 2, "byte n, m;\n");
    while !client.diagnostics("/m.pml").is_empty() {}
    // A mistake in the included text is shown there.
    client.change("/lib.h", 3, "byte n, m\nbyte 3;\n");
    let found = loop {
        let found = client.diagnostics("/lib.h");
        if !found.is_empty() {
            break found;
        }
    };
    assert_eq!(range(&found[0]["range"]).split(':').next(), Some("1"), "{found:?}");
    // What is on disk counts again when the text is closed.
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri("/lib.h") } }));
    let found = loop {
        let found = client.diagnostics("/m.pml");
        if !found.is_empty() {
            break found;
        }
    };
    assert_eq!(range(&found[0]["range"]), "1:29-1:30");
}

#[test]
fn files_that_are_imported_are_no_models() {
    let mut client = Client::new();
    client.open("/lib.bir", "const P { N = 3; }\n");
    let alone = client.diagnostics("/lib.bir");
    assert_eq!(alone[0]["code"], "E0201", "{alone:?}");
    client.open("/m.bir", "import \"lib.bir\";\nsystem S { int x; active thread T() { x := P.N; } }\n");
    assert_eq!(client.diagnostics("/m.bir"), Vec::<Value>::new());
    assert_eq!(client.diagnostics("/lib.bir"), Vec::<Value>::new());
    // A name of the imported file has its uses in the other one.
    let params = json!({
        "textDocument": { "uri": uri("/lib.bir") },
        "position": { "line": 0, "character": 10 },
        "context": { "includeDeclaration": true },
    });
    let found = client.request("textDocument/references", params).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    // A file on disk changes, which the editor tells.
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri("/lib.bir") } }));
    assert!(!client.diagnostics("/m.bir").is_empty());
    client.files.write("/lib.bir", "const P { N = 3; }\n");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    assert_eq!(client.diagnostics("/m.bir"), Vec::<Value>::new());
}

#[test]
fn closed_texts_have_no_diagnostics() {
    let mut client = Client::opened("/m.bir", "system S {");
    assert!(!client.diagnostics("/m.bir").is_empty());
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri("/m.bir") } }));
    assert!(client.diagnostics("/m.bir").is_empty());
}

#[test]
fn texts_without_a_file_have_a_language() {
    let mut client = Client::new();
    let document = json!({ "uri": "untitled:New", "languageId": "bir", "version": 1, "text": "system" });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.request("shutdown", Value::Null).unwrap();
    let shown =
        client.notifications.iter().find(|it| it.params["uri"] == "untitled:New").expect("diagnostics");
    assert_eq!(shown.params["diagnostics"][0]["code"], "E0201");
}
