//! An editor: it sends what a test says, and keeps what comes back.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use check::Provider;
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response, ResponseError};
use quotient_lsp::{Ended, serve};
use serde_json::{Value, json};

/// How long an answer may take before a test gives up.
const PATIENCE: Duration = Duration::from_mins(1);

/// Files that are not open, and that a test can change.
#[derive(Clone, Default)]
pub struct Files(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Files {
    pub fn write(&self, path: &str, text: &str) {
        self.0.lock().unwrap().insert(path.to_owned(), text.as_bytes().to_vec());
    }
}

impl Provider for Files {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let files = self.0.lock().unwrap();
        files.get(path).cloned().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

pub struct Client {
    connection: Option<Connection>,
    server: Option<JoinHandle<Ended>>,
    pub files: Files,
    next: i32,
    pub notifications: Vec<Notification>,
    pub requests: Vec<Request>,
    responses: Vec<Response>,
}

impl Client {
    /// A server that was told nothing yet.
    pub fn raw() -> Self {
        let (here, there) = Connection::memory();
        let files = Files::default();
        let shared = files.clone();
        let server = std::thread::Builder::new().stack_size(16 << 20);
        let server = server.spawn(move || serve(&there, Arc::new(shared))).unwrap();
        Self {
            connection: Some(here),
            server: Some(server),
            files,
            next: 0,
            notifications: Vec::new(),
            requests: Vec::new(),
            responses: Vec::new(),
        }
    }

    pub fn with(options: &Value) -> Self {
        let mut client = Self::raw();
        let capabilities = json!({
            "workspace": { "codeLens": { "refreshSupport": true } },
            "window": { "workDoneProgress": true },
        });
        client
            .request("initialize", json!({ "capabilities": capabilities, "initializationOptions": options }))
            .unwrap();
        client.notify("initialized", json!({}));
        client
    }

    pub fn new() -> Self {
        Self::with(&Value::Null)
    }

    /// A server with one open text.
    pub fn opened(path: &str, text: &str) -> Self {
        let mut client = Self::new();
        client.open(path, text);
        client
    }

    pub fn send(&self, message: impl Into<Message>) {
        self.connection.as_ref().unwrap().sender.send(message.into()).unwrap();
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request, and returns its number.
    pub fn ask(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        self.send(Request { id: self.next.into(), method: method.to_owned(), params });
        self.next
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let number = self.ask(method, params);
        self.answer(number)
    }

    /// Waits for the answer to a request.
    pub fn answer(&mut self, number: i32) -> Result<Value, ResponseError> {
        let id = RequestId::from(number);
        loop {
            if let Some(at) = self.responses.iter().position(|response| response.id == id) {
                return self.responses.remove(at).response_result;
            }
            self.receive();
        }
    }

    fn receive(&mut self) {
        let connection = self.connection.as_ref().unwrap();
        match connection.receiver.recv_timeout(PATIENCE).expect("the server says nothing") {
            Message::Notification(notification) => self.notifications.push(notification),
            Message::Response(response) => self.responses.push(response),
            Message::Request(request) => {
                self.send(Response::new_ok(request.id.clone(), Value::Null));
                self.requests.push(request);
            }
        }
    }

    pub fn open(&mut self, path: &str, text: &str) {
        let language = match path.rsplit_once('.') {
            Some((_, "bir")) => "bir",
            _ => "promela",
        };
        let document = json!({ "uri": uri(path), "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the whole text.
    pub fn change(&mut self, path: &str, version: i32, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri(path), "version": version },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// The next diagnostics of a file, which is waited for.
    pub fn diagnostics(&mut self, path: &str) -> Vec<Value> {
        loop {
            let is_it = |it: &Notification| {
                it.method == "textDocument/publishDiagnostics" && it.params["uri"] == json!(uri(path))
            };
            if let Some(at) = self.notifications.iter().position(is_it) {
                let found = self.notifications.remove(at);
                return found.params["diagnostics"].as_array().unwrap().clone();
            }
            self.receive();
        }
    }

    /// The result of a request about the mark `‸` in a text, which is opened.
    pub fn at_mark(&mut self, method: &str, path: &str, text: &str) -> Value {
        let (text, position) = marked(text);
        self.open(path, &text);
        self.request(method, json!({ "textDocument": { "uri": uri(path) }, "position": position })).unwrap()
    }

    /// Leaves the server alone, and returns how it ended.
    pub fn leave(&mut self) -> Ended {
        self.connection = None;
        self.server.take().unwrap().join().expect("the server panicked")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.connection = None;
        if let Some(server) = self.server.take()
            && !std::thread::panicking()
        {
            server.join().expect("the server panicked");
        }
    }
}

pub fn uri(path: &str) -> String {
    format!("file://{path}")
}

/// A text without its mark, and where that was.
pub fn marked(text: &str) -> (String, Value) {
    let byte = text.find('‸').expect("a mark");
    let before = &text[..byte];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let character = before[start..].encode_utf16().count();
    (text.replacen('‸', "", 1), json!({ "line": line, "character": character }))
}

/// A range as text: `1:2-1:5`, from 0.
pub fn range(value: &Value) -> String {
    let end = |end: &str| format!("{}:{}", value[end]["line"], value[end]["character"]);
    format!("{}-{}", end("start"), end("end"))
}

/// A small model that holds, with a property, and a multibyte comment.
pub const GOOD: &str = "system Good { // ünïcödé 𝄞
  const P { N = 3; }
  int (0, P.N) x;
  ltl Done = <> (x == P.N);
  active thread T() {
    while x < P.N do
      x := x + 1;
    end
  }
}
";
