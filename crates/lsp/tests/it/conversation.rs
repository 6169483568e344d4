//! The protocol itself: its phases, what is refused, what is cancelled, how it ends.

use quotient_lsp::Ended;
use serde_json::{Value, json};

use crate::client::{Client, GOOD, uri};

const NOT_INITIALIZED: i32 = -32002;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const CANCELLED: i32 = -32800;

#[test]
fn a_conversation_has_its_phases() {
    let mut client = Client::raw();
    let early = client.request("textDocument/hover", Value::Null).unwrap_err();
    assert_eq!(early.code, NOT_INITIALIZED);
    let answer = client.request("initialize", json!({ "capabilities": {} })).unwrap();
    assert_eq!(answer["serverInfo"]["name"], "quotient");
    assert_eq!(answer["capabilities"]["textDocumentSync"], 2);
    for capability in [
        "hoverProvider",
        "definitionProvider",
        "referencesProvider",
        "documentHighlightProvider",
        "documentSymbolProvider",
        "documentFormattingProvider",
        "foldingRangeProvider",
        "completionProvider",
        "codeLensProvider",
        "renameProvider",
        "executeCommandProvider",
        "semanticTokensProvider",
    ] {
        assert!(!answer["capabilities"][capability].is_null(), "{capability}");
    }
    assert_eq!(
        client.request("initialize", json!({ "capabilities": {} })).unwrap_err().code,
        INVALID_REQUEST
    );
    assert_eq!(client.request("shutdown", Value::Null).unwrap(), Value::Null);
    let late = client.request("textDocument/hover", Value::Null).unwrap_err();
    assert_eq!(late.code, INVALID_REQUEST);
    client.notify("exit", Value::Null);
    assert_eq!(client.leave(), Ended::Properly);
}

#[test]
fn leaving_without_a_word_is_noticed() {
    let mut client = Client::new();
    client.notify("exit", Value::Null);
    assert_eq!(client.leave(), Ended::Abruptly);
    assert_eq!(Client::new().leave(), Ended::Abruptly);
    assert_eq!(Client::raw().leave(), Ended::Abruptly);
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_breaks() {
    let mut client = Client::opened("/good.bir", GOOD);
    let mut code = |method: &str, params: Value| client.request(method, params).unwrap_err().code;
    assert_eq!(code("textDocument/teleport", json!({})), METHOD_NOT_FOUND);
    assert_eq!(code("$/unknown", json!({})), METHOD_NOT_FOUND);
    assert_eq!(code("textDocument/hover", json!({ "what": 1 })), INVALID_PARAMS);
    assert_eq!(code("textDocument/hover", Value::Null), INVALID_PARAMS);
    let elsewhere =
        json!({ "textDocument": { "uri": "file:///gone.bir" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(code("textDocument/hover", elsewhere), INVALID_PARAMS);
    assert_eq!(code("workspace/executeCommand", json!({ "command": "rm", "arguments": [] })), INVALID_PARAMS);
    assert_eq!(
        code("workspace/executeCommand", json!({ "command": "quotient.check", "arguments": [] })),
        INVALID_PARAMS
    );
    // Notifications that make no sense are passed over.
    for method in ["textDocument/didChange", "textDocument/didOpen", "textDocument/didClose", "what/ever"] {
        client.notify(method, json!({ "x": 1 }));
        client.notify(method, Value::Null);
    }
    client.change("/never-opened.bir", 3, "x");
    client.notify("$/cancelRequest", json!({ "id": 999 }));
    client.notify("$/cancelRequest", json!({}));
    // Positions that are nowhere.
    for (line, character) in [(0, 9999), (9999, 0), (u32::MAX, u32::MAX)] {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri("/good.bir") }, "position": position });
        for method in ["hover", "definition", "documentHighlight", "completion"] {
            client.request(&format!("textDocument/{method}"), params.clone()).unwrap();
        }
    }
}

#[test]
fn requests_are_cancelled_before_they_are_looked_at() {
    // Messages that arrive together are looked through first: the server is kept busy meanwhile.
    let long = format!("system Long {{ active thread T() {{ int x; {} }} }}", "x := x + 1; ".repeat(20_000));
    let mut client = Client::new();
    client.open("/long.bir", &long);
    let hover =
        json!({ "textDocument": { "uri": uri("/long.bir") }, "position": { "line": 0, "character": 0 } });
    let first = client.ask("textDocument/hover", hover.clone());
    let second = client.ask("textDocument/hover", hover.clone());
    let third = client.ask("textDocument/hover", hover);
    client.notify("$/cancelRequest", json!({ "id": second }));
    client.answer(first).unwrap();
    assert_eq!(client.answer(second).unwrap_err().code, CANCELLED);
    client.answer(third).unwrap();
}

#[test]
fn settings_reach_models() {
    let mut client = Client::with(&json!({ "defines": ["N=7"] }));
    let text = GOOD.replace("N = 3", "‸N = 3");
    let hover = client.at_mark("textDocument/hover", "/good.bir", &text);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("value `7`"), "{hover}");
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "quotient": { "defines": ["M=1"] } } }),
    );
    assert_eq!(client.diagnostics("/good.bir"), Vec::<Value>::new());
    let found = client.diagnostics("/good.bir");
    assert!(found[0]["message"].as_str().unwrap().contains("no constant `M`"), "{found:?}");
    client
        .notify("workspace/didChangeConfiguration", json!({ "settings": { "quotient": { "defines": 1 } } }));
    client.request("shutdown", Value::Null).unwrap();
    assert!(client.notifications.iter().any(|it| it.method == "window/showMessage"));
}
