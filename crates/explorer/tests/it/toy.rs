//! A model of numbers: from each, one can go to the next and to the double. And a server for it.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::Duration;

use quotient_explorer::http::Limits;
use quotient_explorer::server::Server;
use quotient_explorer::{Call, Explorable, FoundRun, Job, Jobs, Outcome, Refusal};
use serde_json::{Value, json};

pub struct Numbers;

impl Explorable for Numbers {
    fn answer(&mut self, call: &Call) -> Result<Value, Refusal> {
        match call {
            Call::Take { node, step: 0 } => Ok(json!({ "node": node + 1 })),
            Call::Take { node, step: 1 } => Ok(json!({ "node": node * 2 })),
            Call::Take { .. } => Err("the state has no such step".to_owned()),
            other => Ok(json!(format!("{other:?}"))),
        }
    }

    fn steps_to(&self, node: usize) -> Result<Vec<[u32; 3]>, Refusal> {
        Ok(vec![[0, 0, 0]; node])
    }

    fn follow(&mut self, run: &FoundRun) -> Result<(Vec<usize>, Option<String>), Refusal> {
        Ok(((0..=run.from + run.steps.len()).collect(), None))
    }
}

/// Runs until it is stopped, if it is a check of everything.
pub struct Waiting;

impl Jobs for Waiting {
    fn run(
        &self,
        job: &Job,
        interrupt: &Arc<AtomicBool>,
        progress: &mut dyn FnMut(Value),
    ) -> Result<Outcome, Refusal> {
        match job {
            Job::Find { steps, node, .. } => {
                let run = FoundRun { from: *node, steps: steps.clone(), cycle: None };
                Ok(Outcome { words: json!("found"), run: Some(run) })
            }
            Job::Check { safety: true, .. } => panic!("a bug"),
            Job::Check { .. } => {
                while !interrupt.load(Relaxed) {
                    progress(json!({ "states": 1 }));
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(Outcome { words: json!("stopped"), run: None })
            }
        }
    }
}

pub const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// A server in use.
pub struct Site {
    pub port: u16,
}

impl Site {
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        stream
    }

    /// Sends bytes, and returns all that comes back.
    pub fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may answer, and close, before it has read everything.
        drop(stream.write_all(request));
        let mut answer = Vec::new();
        drop(stream.read_to_end(&mut answer));
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The head of a request of the page.
    pub fn head(&self, first: &str, further: &str) -> String {
        let (host, port) = (self.host(), self.port);
        format!("{first} HTTP/1.1\r\nHost: {host}\r\nCookie: quotient-{port}={TOKEN}\r\n{further}")
    }

    /// A request with a body, as the page makes it.
    pub fn post(&self, path: &str, body: &str) -> (u16, Value) {
        let further = format!(
            "Origin: http://{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host(),
            body.len()
        );
        let answer = self.raw(self.head(&format!("POST {path}"), &further).as_bytes());
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status(&answer), serde_json::from_str(body).unwrap_or(Value::Null))
    }
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// Runs a server, and something that uses it.
pub fn with_site(limits: Limits, body: impl FnOnce(&Site)) {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = Server::bind(address, TOKEN.to_owned()).expect("a server").with_limits(limits);
    let (_, port) = server
        .address()
        .split_once("127.0.0.1:")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .expect("an address");
    let port = port.split('/').next().and_then(|port| port.parse().ok()).expect("a port");
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| server.serve(&mut Numbers, &Waiting, &ends).expect("it serves"));
        let site = Site { port };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&site)));
        ends.store(true, Relaxed);
        outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}
