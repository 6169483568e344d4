//! A client and a server that talk over sockets: the example of Jacky, Veanes, Campbell and Schulte, "Model-based
//! software testing and analysis with C#" (2008), chapter 5. The client sends a request, the server answers with a
//! temperature in tenths of a degree.

use quotient_model::{Bounded, Cx, Doing, Model, Program, Properties, Role, Shape};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
pub enum Socket {
    None,
    Created,
    Bound,
    Listening,
    Connecting,
    Connected,
    Disconnected,
    Closed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Shape)]
pub enum Phase {
    Send,
    ServerReceive,
    ClientReceive,
}

/// Temperatures; floating-point numbers have no shape.
pub type Tenths = Bounded<0, 2000>;

#[derive(Clone, Debug, Shape)]
pub struct Sockets {
    server: Socket,
    client: Socket,
    phase: Phase,
    sent: Option<Tenths>,
}

#[derive(Clone, Debug, Shape)]
pub enum Act {
    ServerSocket,
    ServerBind,
    ServerListen,
    ServerAccept,
    ServerReceive,
    ServerSend(Tenths),
    ServerCloseConnection,
    ServerClose,
    ClientSocket,
    ClientConnect,
    ClientSend,
    ClientReceive,
    ClientClose,
}

pub struct ClientServer;

impl Model for ClientServer {
    type State = Sockets;
    type Action = Act;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Sockets>) {
        out.push(Sockets { server: Socket::None, client: Socket::None, phase: Phase::Send, sent: None });
    }

    fn actions(&self, _: &Cx<'_>, state: &Sockets, out: &mut Vec<Act>) {
        use Socket::{Bound, Closed, Connected, Connecting, Created, Listening, None};
        let Sockets { server, client, phase, .. } = *state;
        match server {
            None => out.push(Act::ServerSocket),
            Created => out.push(Act::ServerBind),
            Bound => out.push(Act::ServerListen),
            Listening if client == Connecting => out.push(Act::ServerAccept),
            Connected => {
                match phase {
                    Phase::ServerReceive => out.push(Act::ServerReceive),
                    Phase::Send if client == Connected => {
                        out.extend([999, 1000].map(|tenths| Act::ServerSend(Tenths::new(tenths))));
                    }
                    _ => {}
                }
                out.push(Act::ServerCloseConnection);
            }
            _ => {}
        }
        if !matches!(server, None | Connected | Closed) {
            out.push(Act::ServerClose);
        }
        match (client, phase) {
            (None, _) => out.push(Act::ClientSocket),
            (Created, _) if server == Listening => out.push(Act::ClientConnect),
            (Connected, Phase::Send) => out.extend([Act::ClientSend, Act::ClientClose]),
            (Connected, Phase::ClientReceive) => out.push(Act::ClientReceive),
            _ => {}
        }
    }

    fn apply(&self, doing: &mut Doing<'_>, state: &mut Sockets, action: &Act) {
        match *action {
            Act::ServerSocket => state.server = Socket::Created,
            Act::ServerBind => state.server = Socket::Bound,
            Act::ServerListen => state.server = Socket::Listening,
            Act::ServerAccept => (state.server, state.client) = (Socket::Connected, Socket::Connected),
            Act::ServerReceive => state.phase = Phase::Send,
            Act::ServerSend(datum) => (state.sent, state.phase) = (Some(datum), Phase::ClientReceive),
            Act::ServerCloseConnection => state.server = Socket::Disconnected,
            Act::ServerClose => state.server = Socket::Closed,
            Act::ClientSocket => state.client = Socket::Created,
            Act::ClientConnect => state.client = Socket::Connecting,
            Act::ClientSend => state.phase = Phase::ServerReceive,
            Act::ClientReceive => {
                state.phase = Phase::Send;
                let datum = state.sent.take().expect("something was sent");
                doing.output(&datum);
                doing.covers("what is received was sent");
            }
            Act::ClientClose => state.client = Socket::Closed,
        }
    }

    fn properties(&self, to: &mut Properties<Sockets>) {
        to.reachable("both are closed", |_, state| {
            (state.server, state.client) == (Socket::Closed, Socket::Closed)
        });
        to.invariant("what was sent waits to be received", |_, state| {
            state.sent.is_some() == (state.phase == Phase::ClientReceive)
        });
    }

    fn role(&self, action: &Act) -> Role {
        match action {
            Act::ServerCloseConnection | Act::ServerClose | Act::ClientClose => Role::Cleanup,
            _ => Role::Input,
        }
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let report = Program::new(ClientServer).check().run();
    println!("{} states, {} transitions: {}", report.states, report.transitions, report.verdict);
}
