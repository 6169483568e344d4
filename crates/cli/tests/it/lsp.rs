//! `quotient lsp`, over standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::Sandbox;

struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Messages that were not waited for.
    others: Vec<Value>,
}

impl Editor {
    fn start(sandbox: &Sandbox, line: &str) -> Self {
        let mut child = sandbox.command(line).stdin(Stdio::piped()).spawn().expect("quotient starts");
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, input: Some(input), output: BufReader::new(output), next: 0, others: Vec::new() }
    }

    fn write(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).and_then(|()| input.flush()).expect("the server listens");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.write(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.wait(|message| message["id"] == json!(id) && message.get("method").is_none())
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.others.iter().position(&is_it) {
                return self.others.remove(at);
            }
            let mut length = 0;
            loop {
                let mut line = String::new();
                self.output.read_line(&mut line).expect("a header");
                match line.trim().split_once(": ") {
                    Some(("Content-Length", size)) => length = size.parse().expect("a length"),
                    Some(_) => {}
                    None => break,
                }
            }
            assert!(length > 0, "the server has ended");
            let mut body = vec![0; length];
            self.output.read_exact(&mut body).expect("a message");
            self.others.push(serde_json::from_slice(&body).expect("JSON"));
        }
    }

    /// Closes the pipe, and waits for the end.
    fn end(mut self) -> (Option<i32>, String) {
        self.input = None;
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).unwrap();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), errors)
    }
}

fn initialized(sandbox: &Sandbox, line: &str) -> Editor {
    let mut editor = Editor::start(sandbox, line);
    let answer =
        editor.request("initialize", &json!({ "processId": null, "rootUri": null, "capabilities": {} }));
    assert_eq!(answer["result"]["serverInfo"]["name"], "quotient");
    editor.notify("initialized", &json!({}));
    editor
}

#[test]
fn an_editor_works_with_files() {
    let sandbox = Sandbox::new();
    sandbox.write("a b.bir", "system S { import }");
    sandbox.write("lib.bir", "const P { N = 3; }");
    let path = sandbox.path("a b.bir").canonicalize().unwrap();
    let uri = format!("file://{}", path.to_str().unwrap().replace(' ', "%20"));
    let mut editor = initialized(&sandbox, "lsp --stdio");
    let text = "import \"lib.bir\";\nsystem S { // é𝄞\n  int (0, P.N) x;\n  active thread T() { x := P.N + 1; }\n}\n";
    let document = json!({ "uri": uri, "languageId": "bir", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    let shown = editor.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(shown["params"]["uri"], json!(uri));
    assert_eq!(shown["params"]["diagnostics"], json!([]));
    // A definition on disk.
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 2, "character": 12 } });
    let found = editor.request("textDocument/definition", &at);
    assert!(found["result"][0]["uri"].as_str().unwrap().ends_with("/lib.bir"), "{found}");
    // The check finds that the value does not fit.
    let check = json!({ "command": "quotient.check", "arguments": [uri] });
    let answer = editor.request("workspace/executeCommand", &check);
    assert_eq!(answer["result"]["verdict"], "violated", "{answer}");
    assert_eq!(answer["result"]["violation"]["kind"], "range");
    let shown = editor.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(shown["params"]["diagnostics"][0]["code"], "range");
    assert_eq!(editor.request("no/such/method", &json!({}))["error"]["code"], -32601);
    assert_eq!(editor.request("shutdown", &Value::Null)["result"], Value::Null);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.end(), (Some(0), String::new()));
    assert_eq!(sandbox.files(), ["a b.bir", "lib.bir"]);
}

#[test]
fn exit_codes_tell_how_it_ended() {
    let sandbox = Sandbox::new();
    // Without `shutdown`.
    let mut editor = initialized(&sandbox, "lsp");
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.end(), (Some(1), String::new()));
    // The pipe is closed.
    assert_eq!(initialized(&sandbox, "lsp").end(), (Some(1), String::new()));
    assert_eq!(Editor::start(&sandbox, "lsp").end(), (Some(1), String::new()));
    // What the editor sends is no message.
    for nonsense in ["Content-Length: 5\r\n\r\nhello", "Content-Length: many\r\n\r\n", "what?\r\n\r\n"] {
        let mut editor = initialized(&sandbox, "lsp");
        editor.write(nonsense);
        let (code, errors) = editor.end();
        assert_eq!(code, Some(1), "{nonsense:?}");
        assert!(
            errors.starts_with("error: the conversation with the editor has ended"),
            "{nonsense:?}: {errors}"
        );
    }
}

#[test]
fn a_check_does_not_outlive_the_editor() {
    let sandbox = Sandbox::new();
    let mut editor = initialized(&sandbox, "lsp");
    let text = "system S { int (0, 1000000) a; int (0, 1000000) b;
        active thread T() { while true do a := (a + 1) % 1000000; end }
        active thread U() { while true do b := (b + 1) % 999983; end } }";
    let document = json!({ "uri": "untitled:A", "languageId": "bir", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    let params = json!({ "command": "quotient.check", "arguments": ["untitled:A"] });
    editor
        .send(&json!({ "jsonrpc": "2.0", "id": 77, "method": "workspace/executeCommand", "params": params }));
    editor.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(editor.end().0, Some(1));
}
