//! Symbols, folding, the kinds of names, and formatting.

use serde_json::{Value, json};
use testing::{files_below, root};

use crate::client::{Client, GOOD, range, uri};

fn ask(client: &mut Client, method: &str, path: &str) -> Value {
    client.request(method, json!({ "textDocument": { "uri": uri(path) } })).unwrap()
}

fn contains(outer: &Value, inner: &Value) -> bool {
    let key = |value: &Value| (value["line"].as_u64().unwrap(), value["character"].as_u64().unwrap());
    key(&outer["start"]) <= key(&inner["start"]) && key(&inner["end"]) <= key(&outer["end"])
}

#[test]
fn symbols_are_nested() {
    let mut client = Client::opened("/m.bir", GOOD);
    let found = ask(&mut client, "textDocument/documentSymbol", "/m.bir");
    let names: Vec<_> = found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["P", "x", "Done", "T"]);
    assert_eq!(found[0]["children"][0]["name"], "N");
    assert_eq!(range(&found[3]["range"]), "4:2-8:3");
    let text = "typedef R { byte f }\nproctype P(byte p) { byte l;\nend: skip }\ninit { run P(1) }\nltl a { [] true }\n";
    client.open("/m.pml", text);
    let found = ask(&mut client, "textDocument/documentSymbol", "/m.pml");
    let names: Vec<_> = found.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["R", "P", "init", "a"]);
    let inner: Vec<_> =
        found[1]["children"].as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(inner, ["l", "end"]);
}

/// What the protocol demands of symbols and tokens, on all bundled models.
#[test]
fn all_models_have_sound_symbols_and_tokens() {
    let mut client = Client::new();
    let mut tokens = 0;
    for ending in ["bir", "pml"] {
        for (number, model) in files_below(&root().join("models"), ending).into_iter().enumerate() {
            let path = format!("/{number}.{ending}");
            client.open(&path, &model.text);
            let found = ask(&mut client, "textDocument/documentSymbol", &path);
            for symbol in found.as_array().unwrap() {
                assert!(contains(&symbol["range"], &symbol["selectionRange"]), "{}: {symbol}", model.name);
                for inner in symbol["children"].as_array().map_or(&[][..], Vec::as_slice) {
                    assert!(contains(&inner["range"], &inner["selectionRange"]), "{}: {inner}", model.name);
                }
            }
            let data = ask(&mut client, "textDocument/semanticTokens/full", &path);
            let data: Vec<u64> =
                data["data"].as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
            let lines: Vec<Vec<u16>> =
                model.text.split('\n').map(|line| line.encode_utf16().collect()).collect();
            let (mut line, mut column) = (0, 0);
            for token in data.chunks(5) {
                column = if token[0] == 0 { column + token[1] } else { token[1] };
                line += token[0];
                let text = &lines[line as usize][column as usize..(column + token[2]) as usize];
                let text = String::from_utf16(text).unwrap();
                let is_name = text.chars().all(|letter| letter.is_alphanumeric() || "_$".contains(letter));
                assert!(is_name && token[2] > 0, "{}: `{text}`", model.name);
                tokens += 1;
            }
        }
    }
    assert!(tokens > 5000, "{tokens}");
}

#[test]
fn braces_fold() {
    let mut client = Client::opened("/m.bir", GOOD);
    let found = ask(&mut client, "textDocument/foldingRange", "/m.bir");
    let lines: Vec<_> =
        found.as_array().unwrap().iter().map(|it| (it["startLine"].clone(), it["endLine"].clone())).collect();
    assert_eq!(lines, [(json!(4), json!(7)), (json!(0), json!(8))]);
}

#[test]
fn texts_are_formatted() {
    let mut client = Client::opened("/m.bir", &GOOD.replace("  int (0, P.N) x;", "int (0, P.N)   x ;"));
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let ask = |client: &mut Client, path: &str| {
        client.request(
            "textDocument/formatting",
            json!({ "textDocument": { "uri": uri(path) }, "options": options }),
        )
    };
    let edits = ask(&mut client, "/m.bir").unwrap();
    assert_eq!(edits[0]["newText"], GOOD);
    assert_eq!(range(&edits[0]["range"]), "0:0-10:0");
    client.change("/m.bir", 2, GOOD);
    assert_eq!(ask(&mut client, "/m.bir").unwrap(), json!([]));
    client.change("/m.bir", 3, "system S {");
    assert!(ask(&mut client, "/m.bir").unwrap_err().message.contains("with errors"));
    client.open("/m.pml", "init { skip }");
    assert!(ask(&mut client, "/m.pml").unwrap_err().message.contains("only BIR"));
}
