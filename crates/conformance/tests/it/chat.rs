//! A chat server over TCP on the loopback interface, beside a model of it: outputs that come by themselves, and
//! silence where one is due.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use quotient_conformance::{Bindings, Mismatch, Online, Stepper};
use quotient_model::{Map, Program, Rules, Seq, Shape, Term, model, sort};

sort! { pub struct Client; }

/// Who is there, and what is on its way to whom.
#[derive(Clone, Debug, Default, Shape)]
pub(crate) struct Room {
    present: Map<Client, Seq<(Client, u8)>>,
}

#[model]
impl Room {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action(when = !self.present.contains_key(&client))]
    fn join(&mut self, client: Client) {
        self.present.insert(client, Seq::new());
    }

    #[action(when = self.present.contains_key(&from))]
    fn say(&mut self, from: Client, #[from(0..3)] text: u8) {
        for (client, waiting) in self.present.iter_mut() {
            if *client != from {
                waiting.push((from, text));
            }
        }
    }

    #[action(kind = output, when = self.present.get(&to).and_then(|waiting| waiting.first()) == Some(&(from, text)))]
    fn hear(&mut self, to: Client, from: Client, #[from(0..3)] text: u8) {
        self.present[to].remove(0);
    }

    #[action(kind = cleanup, when = self.present.get(&client).is_some_and(|waiting| waiting.is_empty()))]
    fn leave(&mut self, client: Client) {
        self.present.remove(&client);
    }

    #[accepting]
    fn is_empty(&self) -> bool {
        self.present.is_empty()
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fault {
    Drops,
    Duplicates,
    Reorders,
    EchoesToSelf,
}

type Writers = Arc<Mutex<BTreeMap<String, TcpStream>>>;

/// The server: a thread for each connection. A client says its name, then texts, each in a line; what is said is sent
/// to all others, and then `ok` to who said it.
struct Server {
    port: u16,
    is_closed: Arc<AtomicBool>,
}

impl Server {
    fn start(fault: Option<Fault>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("it is bound").port();
        let is_closed = Arc::new(AtomicBool::new(false));
        let (closed, writers) = (Arc::clone(&is_closed), Writers::default());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if closed.load(SeqCst) {
                    break;
                }
                let writers = Arc::clone(&writers);
                thread::spawn(move || serve(stream, &writers, fault));
            }
        });
        Self { port, is_closed }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_closed.store(true, SeqCst);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

fn serve(stream: TcpStream, writers: &Writers, fault: Option<Fault>) {
    stream.set_nodelay(true).expect("it is a socket");
    let mut lines = BufReader::new(stream.try_clone().expect("a copy")).lines().map_while(Result::ok);
    let Some(name) = lines.next() else { return };
    let own = stream.try_clone().expect("a copy");
    writers.lock().expect("no panic").insert(name.clone(), own);
    let mut stream = stream;
    let mut held: Option<String> = None;
    let mut said = 0;
    writeln!(stream, "ok").expect("it listens");
    for text in lines {
        said += 1;
        let mut writers = writers.lock().expect("no panic");
        let message = format!("msg {name} {text}");
        let messages = match (fault, held.take()) {
            (Some(Fault::Drops), _) if said % 3 == 0 => vec![],
            (Some(Fault::Duplicates), _) if said % 3 == 0 => vec![message.clone(), message],
            // The second goes first.
            (Some(Fault::Reorders), None) if said % 2 == 1 && writers.len() > 2 => {
                held = Some(message);
                vec![]
            }
            (_, Some(first)) => vec![message, first],
            _ => vec![message],
        };
        for message in messages {
            for (other, writer) in writers.iter_mut() {
                if *other != name || fault == Some(Fault::EchoesToSelf) && said > 1 {
                    writeln!(writer, "{message}").expect("it listens");
                }
            }
        }
        drop(writers);
        writeln!(stream, "ok").expect("it listens");
    }
    writers.lock().expect("no panic").remove(&name);
    drop(stream.shutdown(Shutdown::Both));
}

/// Who heard something, and what.
type Heard = (String, String);

/// Clients of a server, under the names of the model.
struct Clients {
    fault: Option<Fault>,
    server: Option<Server>,
    names: Bindings<Client, String>,
    streams: BTreeMap<String, (TcpStream, Receiver<()>)>,
    heard: (Sender<Heard>, Receiver<Heard>),
}

impl Clients {
    fn new(fault: Option<Fault>) -> Self {
        Self { fault, server: None, names: Bindings::new(), streams: BTreeMap::new(), heard: channel() }
    }

    fn send(&mut self, name: &str, line: &str) {
        let (stream, done) = self.streams.get_mut(name).expect("it joined");
        writeln!(stream, "{line}").expect("it listens");
        done.recv_timeout(Duration::from_secs(10)).expect("the server says ok");
    }
}

impl Stepper<Rules<Room>> for Clients {
    fn reset(&mut self) {
        assert!(self.streams.is_empty() || self.fault.is_some(), "a run ends when all have left");
        *self = Self { server: Some(Server::start(self.fault)), ..Self::new(self.fault) };
    }

    fn act(&mut self, action: &RoomAction) -> Option<Term> {
        let mut name = |client| self.names.handle_or(client, |number| format!("client{number}")).clone();
        match *action {
            RoomAction::Join { client } => {
                let name = name(client);
                let port = self.server.as_ref().expect("it was started").port;
                let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
                stream.set_nodelay(true).expect("it is a socket");
                let lines = BufReader::new(stream.try_clone().expect("a copy")).lines();
                let (ok, done) = channel();
                let (own, heard) = (name.clone(), self.heard.0.clone());
                thread::spawn(move || {
                    for line in lines.map_while(Result::ok) {
                        let sent = match line.strip_prefix("msg ") {
                            Some(message) => heard.send((own.clone(), message.to_owned())).is_ok(),
                            None => ok.send(()).is_ok(),
                        };
                        if !sent {
                            break;
                        }
                    }
                });
                self.streams.insert(name.clone(), (stream, done));
                self.send(&name, &name);
            }
            RoomAction::Say { from, text } => {
                let name = name(from);
                self.send(&name, &text.to_string());
            }
            RoomAction::Leave { client } => {
                let (stream, _) = self.streams.remove(&name(client)).expect("it joined");
                stream.shutdown(Shutdown::Write).expect("it is open");
            }
            RoomAction::Hear { .. } => unreachable!("that is an output"),
        }
        None
    }

    fn observe(&mut self, patience: Duration) -> Option<RoomAction> {
        let (to, message) = self.heard.1.recv_timeout(patience).ok()?;
        let (from, text) = message.split_once(' ').expect("a name and a text");
        let client = |name: &str| self.names.individual(&name.to_owned()).expect("it joined");
        Some(RoomAction::Hear { to: client(&to), from: client(from), text: text.parse().expect("a number") })
    }
}

fn program() -> Program<Rules<Room>> {
    Room::program().sort::<Client>(3)
}

#[test]
fn a_chat_server_conforms() {
    let online = Online::new(program()).runs(6, 24).patience(Duration::from_secs(1));
    let trial = online.run(&mut Clients::new(None));
    trial.assert_conforms();
    assert!(trial.outputs > 50 && trial.classes > 20, "{} {}", trial.outputs, trial.classes);
}

#[test]
fn faults_of_a_chat_server_are_found() {
    for fault in [Fault::Drops, Fault::Duplicates, Fault::Reorders, Fault::EchoesToSelf] {
        let online = Online::new(program()).runs(40, 12).patience(Duration::from_millis(300));
        let online = online.shorten_for(Duration::from_secs(3));
        let trial = online.run(&mut Clients::new(Some(fault)));
        let failure = trial.assert_diverges();
        let is_right = match (fault, &failure.mismatch) {
            (Fault::Drops | Fault::Reorders, Mismatch::Silence { allowed }) => !allowed.is_empty(),
            (Fault::Duplicates | Fault::EchoesToSelf | Fault::Reorders, Mismatch::Output { .. }) => true,
            _ => false,
        };
        assert!(is_right && failure.rate.0 > 0 && failure.events.len() <= 24, "{fault:?}: {failure}");
    }
}
