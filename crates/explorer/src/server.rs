//! Connections, calls, jobs and events.
//!
//! Each connection has a thread, up to a number. Calls go to the thread that owns the model, and are answered one after
//! the other; what takes long is a job, of which there is one at a time. Its progress and its result are events, which
//! all pages get that are open.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, atomic::AtomicBool};
use std::thread::{self, Scope};
use std::time::Duration;

use serde_json::{Value, json};

use crate::assets::asset;
use crate::guard::{Admission, Guard};
use crate::http::{Limits, Request, Response};
use crate::{Call, Explorable, Job, Jobs, Outcome, Refusal};

/// At most so many connections are open at a time, streams of events included.
const MOST_CONNECTIONS: usize = 24;
const MOST_STREAMS: usize = 12;
/// A stream that does not take its events is closed when it is so many behind.
const MOST_BEHIND: usize = 256;
/// How often threads look whether the server is to end.
const TICK: Duration = Duration::from_millis(100);
/// How long the other side may take to receive an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server that listens, and has no model yet.
pub struct Server {
    listener: TcpListener,
    guard: Guard,
    limits: Limits,
}

/// What connections ask of the thread of the model.
enum Message {
    Call(Call, Sender<Result<Value, Refusal>>),
    Start(Job, Sender<Result<Value, Refusal>>),
    Stop,
    Progress(Value),
    Done(Job, Result<Outcome, Refusal>),
}

/// The open streams of events.
#[derive(Default)]
struct Streams {
    open: Mutex<BTreeMap<u64, SyncSender<String>>>,
    next: Mutex<u64>,
}

impl Streams {
    fn send(&self, event: &Value) {
        let text = format!("data: {event}\n\n");
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, stream| {
            !matches!(
                stream.try_send(text.clone()),
                Err(TrySendError::Disconnected(_) | TrySendError::Full(_))
            )
        });
    }

    /// A new stream, unless there are too many.
    fn open(&self) -> Option<(u64, Receiver<String>)> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST_STREAMS {
            return None;
        }
        let (to, from) = sync_channel(MOST_BEHIND);
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next += 1;
        open.insert(*next, to);
        Some((*next, from))
    }

    fn close(&self, number: u64) {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    }
}

/// What connections share.
struct Shared<'s> {
    guard: &'s Guard,
    limits: Limits,
    streams: &'s Streams,
    connections: &'s AtomicUsize,
    ends: &'s AtomicBool,
}

impl Server {
    /// Listens at an address, which must be a loopback address, with a token.
    pub fn bind(address: SocketAddr, token: String) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("{address} is not a loopback address: the explorer is for this machine only"),
            ));
        }
        let listener = TcpListener::bind(address)?;
        let local = listener.local_addr()?;
        let guard = Guard::new(local.to_string(), local.port(), token);
        Ok(Self { listener, guard, limits: Limits::default() })
    }

    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The address to open, with the token.
    pub fn address(&self) -> String {
        self.guard.address()
    }

    /// Serves until `ends` is set.
    pub fn serve(&self, model: &mut dyn Explorable, jobs: &dyn Jobs, ends: &AtomicBool) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let (streams, connections) = (Streams::default(), AtomicUsize::new(0));
        let (to_model, from_connections) = channel();
        let shared = Shared {
            guard: &self.guard,
            limits: self.limits,
            streams: &streams,
            connections: &connections,
            ends,
        };
        thread::scope(|scope| {
            let acceptor = to_model.clone();
            let shared = &shared;
            scope.spawn(move || accept(scope, &self.listener, shared, &acceptor));
            let mut desk = Desk { model, jobs, streams: &streams, job: None, to_model };
            desk.work(scope, &from_connections, ends);
        });
        Ok(())
    }
}

/// Takes connections.
fn accept<'s>(
    scope: &'s Scope<'s, '_>,
    listener: &'s TcpListener,
    shared: &'s Shared<'s>,
    to_model: &Sender<Message>,
) {
    while !shared.ends.load(Relaxed) {
        match listener.accept() {
            Ok((mut stream, _)) => {
                if shared.connections.fetch_add(1, AcqRel) >= MOST_CONNECTIONS {
                    shared.connections.fetch_sub(1, Release);
                    drop(stream.set_nonblocking(false));
                    drop(stream.set_write_timeout(Some(TICK)));
                    drop(Response::status(503).write(&mut stream));
                    continue;
                }
                let to_model = to_model.clone();
                scope.spawn(move || {
                    // Nothing can be told to a side that is gone.
                    drop(serve_one(stream, shared, &to_model));
                    shared.connections.fetch_sub(1, Release);
                });
            }
            Err(_) => thread::sleep(TICK / 10),
        }
    }
}

/// Answers the one request of a connection.
fn serve_one(mut stream: TcpStream, shared: &Shared<'_>, to_model: &Sender<Message>) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = match Request::read(&mut stream, &shared.limits) {
        Ok(request) => request,
        Err(malformed) => return refuse(stream, &Response::status(malformed.status())),
    };
    if let Admission::Refused(response) = shared.guard.admit(&request) {
        return response.write(&mut stream);
    }
    let response = match (&*request.method, &*request.path) {
        ("GET", "/api/events") => return events(stream, shared),
        ("POST", "/api/call") => ask(&request, to_model, Message::Call),
        ("POST", "/api/job") => ask(&request, to_model, Message::Start),
        ("POST", "/api/stop") => {
            drop(to_model.send(Message::Stop));
            Response::new(200, JSON, "{}")
        }
        ("GET", path) => asset(path).unwrap_or_else(|| Response::status(404)),
        _ => Response::status(404),
    };
    response.write(&mut stream)
}

/// Answers a request that was not read to its end: what is left of it is read and thrown away, up to a limit, so that the
/// answer arrives.
fn refuse(mut stream: TcpStream, response: &Response) -> io::Result<()> {
    response.write(&mut stream)?;
    stream.shutdown(std::net::Shutdown::Write)?;
    stream.set_read_timeout(Some(TICK))?;
    let mut rest = [0; 4096];
    for _ in 0..64 {
        if !matches!(io::Read::read(&mut stream, &mut rest), Ok(1..)) {
            break;
        }
    }
    Ok(())
}

const JSON: &str = "application/json; charset=utf-8";

/// Hands a body in JSON to the thread of the model, and waits for the answer.
fn ask<T: serde::de::DeserializeOwned>(
    request: &Request,
    to_model: &Sender<Message>,
    message: impl Fn(T, Sender<Result<Value, Refusal>>) -> Message,
) -> Response {
    let kind = request.header("content-type").unwrap_or_default();
    if kind.split(';').next().is_none_or(|kind| kind.trim() != "application/json") {
        return Response::status(415);
    }
    let Ok(asked) = serde_json::from_slice(&request.body) else { return Response::status(400) };
    let (to, from) = channel();
    if to_model.send(message(asked, to)).is_err() {
        return Response::status(503);
    }
    match from.recv() {
        Ok(Ok(value)) => Response::new(200, JSON, value.to_string()),
        Ok(Err(reason)) => Response::new(422, JSON, json!({ "error": reason }).to_string()),
        Err(_) => Response::status(503),
    }
}

/// A stream of events, until the other side or the server ends.
fn events(mut stream: TcpStream, shared: &Shared<'_>) -> io::Result<()> {
    let Some((number, events)) = shared.streams.open() else {
        return Response::status(503).write(&mut stream);
    };
    let mut serve = || -> io::Result<()> {
        let head = Response::new(200, "text/event-stream", "").head(false);
        stream.write_all(head.as_bytes())?;
        stream.write_all(b"retry: 1000\n\n")?;
        let mut quiet = 0;
        while !shared.ends.load(Relaxed) {
            match events.recv_timeout(TICK) {
                Ok(event) => {
                    stream.write_all(event.as_bytes())?;
                    quiet = 0;
                }
                Err(RecvTimeoutError::Timeout) => {
                    quiet += 1;
                    if quiet == 20 {
                        // Finds out whether the other side is there.
                        stream.write_all(b":\n\n")?;
                        quiet = 0;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(())
    };
    let served = serve();
    shared.streams.close(number);
    served
}

/// The thread of the model.
struct Desk<'d> {
    model: &'d mut dyn Explorable,
    jobs: &'d dyn Jobs,
    streams: &'d Streams,
    /// How the job that runs is interrupted.
    job: Option<Arc<AtomicBool>>,
    to_model: Sender<Message>,
}

impl<'d> Desk<'d> {
    fn work<'s, 'e>(&mut self, scope: &'s Scope<'s, 'e>, messages: &Receiver<Message>, ends: &AtomicBool)
    where
        'd: 's,
    {
        while !ends.load(Acquire) {
            match messages.recv_timeout(TICK) {
                Ok(message) => self.handle(scope, message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.stop();
    }

    fn stop(&self) {
        if let Some(job) = &self.job {
            job.store(true, Relaxed);
        }
    }

    fn handle<'s, 'e>(&mut self, scope: &'s Scope<'s, 'e>, message: Message)
    where
        'd: 's,
    {
        match message {
            // Who asked may be gone.
            Message::Call(call, to) => drop(to.send(self.model.answer(&call))),
            Message::Start(job, to) => drop(to.send(self.start(scope, job))),
            Message::Stop => self.stop(),
            Message::Progress(progress) => {
                self.streams.send(&json!({ "event": "progress", "progress": progress }));
            }
            Message::Done(job, outcome) => {
                self.job = None;
                let event = match outcome.and_then(|outcome| self.done(outcome)) {
                    Ok(mut event) => {
                        event["event"] = json!("done");
                        event
                    }
                    Err(reason) => json!({ "event": "failed", "error": reason }),
                };
                drop(job);
                self.streams.send(&event);
            }
        }
    }

    fn start<'s, 'e>(&mut self, scope: &'s Scope<'s, 'e>, mut job: Job) -> Result<Value, Refusal>
    where
        'd: 's,
    {
        if self.job.is_some() {
            return Err("a search is running already; stop it first".to_owned());
        }
        if let Job::Find { node, steps, .. } = &mut job {
            *steps = self.model.steps_to(*node)?;
        }
        let interrupt = Arc::new(AtomicBool::new(false));
        self.job = Some(Arc::clone(&interrupt));
        let (jobs, to_model) = (self.jobs, self.to_model.clone());
        scope.spawn(move || {
            let progress = |value| drop(to_model.send(Message::Progress(value)));
            let run = || jobs.run(&job, &interrupt, &mut { progress });
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
            let outcome = caught.unwrap_or_else(|_| Err("an internal error: please report it".to_owned()));
            drop(to_model.send(Message::Done(job, outcome)));
        });
        self.streams.send(&json!({ "event": "started" }));
        Ok(json!({}))
    }

    /// What the page is told of the result of a job.
    fn done(&mut self, outcome: Outcome) -> Result<Value, Refusal> {
        let Outcome { words, run } = outcome;
        let mut event = json!({ "outcome": words });
        if let Some(run) = run {
            let (nodes, fault) = self.model.follow(&run)?;
            event["run"] = json!({ "nodes": nodes, "fault": fault, "cycle": run.cycle });
        }
        Ok(event)
    }
}
