//! Calls, jobs and events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use quotient_explorer::http::Limits;
use serde_json::{Value, json};

use crate::toy::{Site, status, with_site};

/// The events of a page.
struct Events(BufReader<TcpStream>);

impl Events {
    fn new(site: &Site) -> Self {
        let mut stream = site.connect();
        stream.write_all(site.head("GET /api/events", "\r\n").as_bytes()).expect("a request");
        let mut events = Self(BufReader::new(stream));
        let mut line = String::new();
        events.0.read_line(&mut line).expect("a status");
        assert_eq!(status(&line), 200);
        // The stream is registered before anything is written to it.
        while !line.starts_with("retry:") {
            line.clear();
            events.0.read_line(&mut line).expect("a line");
        }
        events
    }

    /// The next event of a kind.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("a line") > 0, "the stream ended");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(data).expect("JSON");
            if event["event"] == kind {
                return event;
            }
        }
    }
}

fn site(body: impl FnOnce(&Site)) {
    with_site(Limits::default(), body);
}

#[test]
fn calls_are_answered() {
    site(|site| {
        assert_eq!(
            site.post("/api/call", r#"{"call":"take","node":5,"step":1}"#),
            (200, json!({ "node": 10 }))
        );
        let refused = json!({ "error": "the state has no such step" });
        assert_eq!(site.post("/api/call", r#"{"call":"take","node":5,"step":2}"#), (422, refused));
        for body in [
            "",
            "{",
            "[]",
            r#"{"call":"unknown"}"#,
            r#"{"call":"take","node":-1,"step":0}"#,
            r#"{"call":"take","node":1,"step":0,"more":1}"#,
        ] {
            assert_eq!(site.post("/api/call", body).0, 400, "{body}");
        }
    });
}

#[test]
fn the_parts_of_the_page_are_there() {
    site(|site| {
        let page = site.raw(site.head("GET /", "\r\n").as_bytes());
        for part in
            ["/app.js", "/dom.js", "/panes.js", "/timeline.js", "/style.css", "/look.css", "/icon.svg"]
        {
            assert_eq!(
                status(&site.raw(site.head(&format!("GET {part}"), "\r\n").as_bytes())),
                200,
                "{part}"
            );
        }
        assert!(
            page.contains("/app.js") && !page.contains("http://") && !page.contains("https://"),
            "{page}"
        );
        assert!(!page.contains("<script>") && !page.contains(" style=") && !page.contains(" onclick"));
    });
}

/// What writes markup or runs text is not in the scripts.
#[test]
fn scripts_make_no_markup_of_text() {
    for name in ["app.js", "dom.js", "panes.js", "timeline.js"] {
        let path = format!("{}/www/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).expect("a script");
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "setTimeout('",
        ] {
            assert!(!text.contains(word), "{name}: {word}");
        }
        assert!(text.starts_with("// @ts-check\n"), "{name}");
    }
}

#[test]
fn one_job_at_a_time_and_all_pages_hear_of_it() {
    site(|site| {
        let (mut one, mut other) = (Events::new(site), Events::new(site));
        let check = r#"{"job":"check","property":null,"formula":null,"safety":false}"#;
        assert_eq!(site.post("/api/job", check).0, 200);
        one.next("progress");
        let (code, refusal) = site.post("/api/job", check);
        assert_eq!(
            (code, refusal["error"].as_str()),
            (422, Some("a search is running already; stop it first"))
        );
        // Calls are answered while it runs.
        assert_eq!(site.post("/api/call", r#"{"call":"take","node":1,"step":0}"#).0, 200);
        assert_eq!(site.post("/api/stop", "{}").0, 200);
        assert_eq!(one.next("done")["outcome"], "stopped");
        assert_eq!(other.next("done")["outcome"], "stopped");
        assert_eq!(site.post("/api/job", r#"{"job":"find","condition":"x","node":3}"#).0, 200);
        let done = one.next("done");
        assert_eq!(done["run"]["nodes"], json!([0, 1, 2, 3, 4, 5, 6]));
    });
}

#[test]
fn a_job_that_panics_fails_and_the_next_one_runs() {
    site(|site| {
        let mut events = Events::new(site);
        let check = r#"{"job":"check","property":null,"formula":null,"safety":true}"#;
        assert_eq!(site.post("/api/job", check).0, 200);
        assert!(events.next("failed")["error"].as_str().is_some_and(|text| text.contains("internal error")));
        assert_eq!(site.post("/api/job", r#"{"job":"find","condition":"x","node":0}"#).0, 200);
        events.next("done");
    });
}
