//! `quotient explore` from outside: the calls that the page makes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::support::{Sandbox, finish};

/// A server that is used.
struct Site {
    child: Option<Child>,
    host: String,
    token: String,
}

impl Site {
    fn new(sandbox: &Sandbox, line: &str) -> Self {
        let mut child = sandbox.command(&format!("explore {line}")).spawn().expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let address = lines.find_map(|line| {
            let line = line.expect("a line");
            line.trim().strip_prefix("http://").map(str::to_owned)
        });
        let address = address.expect("an address");
        let (host, token) = address.split_once("/?token=").expect("a token");
        Self { child: Some(child), host: host.to_owned(), token: token.to_owned() }
    }

    fn request(&self, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        let port = self.host.rsplit(':').next().expect("a port");
        let (host, token) = (&self.host, &self.token);
        write!(
            stream,
            "{head} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: quotient-{port}={token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        stream
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let mut answer = String::new();
        self.request(&format!("POST {path}"), &body.to_string())
            .read_to_string(&mut answer)
            .expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    #[track_caller]
    fn call(&self, call: &Value) -> Value {
        let (status, answer) = self.post("/api/call", call);
        assert_eq!(status, 200, "{call}: {answer}");
        answer
    }

    /// Runs a job to its end.
    fn job(&self, job: &Value) -> Value {
        let mut events = BufReader::new(self.request("GET /api/events", ""));
        let mut line = String::new();
        while !line.starts_with("retry:") {
            line.clear();
            events.read_line(&mut line).expect("a line");
        }
        assert_eq!(self.post("/api/job", job).0, 200);
        loop {
            line.clear();
            assert!(events.read_line(&mut line).expect("a line") > 0, "the stream ended");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(data).expect("JSON");
            if event["event"] == "done" || event["event"] == "failed" {
                return event;
            }
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            drop(child.kill());
            drop(finish(child));
        }
    }
}

#[test]
fn a_walk_to_a_deadlock() {
    let sandbox = Sandbox::with("philosophers.bir");
    let site = Site::new(&sandbox, "philosophers.bir");
    let about = site.call(&json!({ "call": "about" }));
    assert_eq!(about["model"], "philosophers.bir");
    assert!(about["files"][0]["lines"].as_array().is_some_and(|lines| lines.len() > 20));
    let (mut node, mut before) = (0, None);
    // Each philosopher takes the left fork.
    for _ in 0..20 {
        let state = site.call(&json!({ "call": "state", "node": node, "before": before }));
        let steps = state["steps"].as_array().expect("a list");
        let wanted = steps.iter().position(|step| {
            let text = step["text"].as_str().unwrap_or_default();
            text.contains("new Fork") || text.contains("!left.isHeld")
        });
        let Some(step) = wanted else { break };
        let next = site.call(&json!({ "call": "take", "node": node, "step": step }));
        before = Some(node);
        node = next["node"].as_u64().expect("a node");
    }
    let state = site.call(&json!({ "call": "state", "node": node, "before": before }));
    assert!(state["wrong"].as_str().is_some_and(|text| text.contains("deadlock")), "{state}");
    assert_eq!(state["steps"], json!([]));
    let why = state["threads"][0]["why"].as_str().expect("a reason");
    assert!(why.contains("waits until `!right.isHeld`"), "{why}");
    assert!(state["picture"].as_str().is_some_and(|svg| svg.starts_with("<svg ")));
    assert_eq!(site.call(&json!({ "call": "expand", "node": node }))["nodes"], json!([]));
    let path = site.call(&json!({ "call": "path", "node": node }))["nodes"].clone();
    let rows = site.call(&json!({ "call": "rows", "nodes": path }));
    assert_eq!(rows.as_array().map(Vec::len), path.as_array().map(|nodes| nodes.len() - 1));
    let chart = site.call(&json!({ "call": "chart", "nodes": path }));
    assert!(chart["picture"].as_str().is_some_and(|svg| svg.contains("✗ deadlock")), "{chart}");
    // The trail is one that the command replays.
    let trail = site.call(&json!({ "call": "trail", "nodes": path }));
    sandbox.write("t.json", trail["trail"].as_str().expect("a file"));
    let replayed = sandbox.run("replay philosophers.bir t.json");
    replayed.expect(1);
    assert!(replayed.stdout.contains("deadlock"), "{}", replayed.stdout);
}

#[test]
fn symmetric_states_are_found() {
    let sandbox = Sandbox::with("philosophers.bir");
    let site = Site::new(&sandbox, "philosophers.bir");
    let first = site.call(&json!({ "call": "expand", "node": 0 }))["nodes"][0].as_u64().expect("a node");
    let next = site.call(&json!({ "call": "expand", "node": first }))["nodes"].clone();
    let all = next.as_array().expect("a list");
    assert_eq!(all.len(), 3, "each of three philosophers can begin");
    let orbit = site.call(&json!({ "call": "orbit", "nodes": next, "node": all[0] }));
    assert_eq!(orbit["nodes"], next);
    let graph = site.call(&json!({ "call": "graph", "nodes": [0, first, all[0]], "here": first }));
    let svg = graph["picture"].as_str().expect("a picture");
    assert!(svg.contains("class=\"n doubt here\"") || svg.contains("here\""), "{svg}");
    let diff = site.call(&json!({ "call": "diff", "left": all[0], "right": all[1] }));
    assert!(diff["differences"].as_array().is_some_and(|lines| !lines.is_empty()), "{diff}");
}

#[test]
fn checks_and_conditions() {
    let sandbox = Sandbox::with("philosophers.bir");
    let site = Site::new(&sandbox, "philosophers.bir");
    let done = site.job(&json!({ "job": "check", "property": null, "formula": null, "safety": true }));
    assert_eq!((&done["outcome"]["verdict"], &done["event"]), (&json!("violated"), &json!("done")), "{done}");
    assert_eq!(done["run"]["nodes"].as_array().map(Vec::len), Some(5), "{done}");
    let bad =
        site.job(&json!({ "job": "check", "property": null, "formula": "[] (nonsense", "safety": false }));
    assert_eq!(bad["event"], "failed", "{bad}");
    let counter =
        "system S { int (0, 9) x; active thread T() { loc a: when x < 9 do { x := x + 1; } goto a; } }";
    sandbox.write("c.bir", counter);
    let site = Site::new(&sandbox, "c.bir");
    let found = site.job(&json!({ "job": "find", "condition": "x == 4", "node": 0 }));
    assert_eq!(found["run"]["nodes"], json!([0, 1, 2, 3, 4]), "{found}");
    let further = site.job(&json!({ "job": "find", "condition": "x == 6", "node": 4 }));
    assert_eq!(further["run"]["nodes"], json!([0, 1, 2, 3, 4, 5, 6]), "{further}");
    let none = site.job(&json!({ "job": "find", "condition": "x < 0", "node": 0 }));
    let sentence = none["outcome"]["sentence"].as_str().expect("words");
    assert!(sentence.contains("holds in none of the 10 states"), "{sentence}");
    assert_eq!(none.get("run"), None);
}

#[test]
fn promela_and_trails() {
    let sandbox = Sandbox::new();
    let model = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(false) od }";
    sandbox.write("m.pml", model);
    sandbox.run("check m.pml --trail t.json").expect(1);
    let site = Site::new(&sandbox, "m.pml --trail t.json");
    let run = site.call(&json!({ "call": "about" }))["run"].clone();
    assert!(run["nodes"].as_array().is_some_and(|nodes| nodes.len() > 3), "{run}");
    let last = run["nodes"].as_array().and_then(|nodes| nodes.last()).cloned();
    let state = site.call(&json!({ "call": "state", "node": last, "before": null }));
    assert!(state["wrong"].as_str().is_some_and(|text| text.contains("assertion")), "{state}");
}

#[test]
fn nodes_that_do_not_exist_are_refused() {
    let sandbox = Sandbox::with("philosophers.bir");
    let site = Site::new(&sandbox, "philosophers.bir");
    for call in [
        json!({ "call": "state", "node": 99, "before": null }),
        json!({ "call": "take", "node": 0, "step": 99 }),
        json!({ "call": "graph", "nodes": [0, 99], "here": 0 }),
        json!({ "call": "diff", "left": 99, "right": 0 }),
    ] {
        assert_eq!(site.post("/api/call", &call).0, 422, "{call}");
    }
}
