//! Servers that each keep a register, and do not talk to each other. With one server what clients observe is
//! linearizable; with two it is not.
//!
//! `cargo run --release -p quotient-actors --example single_copy -- 3 1 monitor` checks three clients and one server; with
//! `history`, whole histories are kept. Four clients: 56,881 states, and 400,233 with histories.

use quotient_actors::monitor::{Linearizable, LinearizableHistory, Monitor, Register};
use quotient_actors::register::{Client, Msg, Role};
use quotient_actors::{Actor, Addr, Choice, Draft, Network, Never, NoOps, Out, System};

/// A value that clients write; 0 is there first.
pub type Value = u8;

/// Keeps the value that was written last.
pub struct Copy;

impl Actor for Copy {
    type State = Value;
    type Msg = Msg<Value, Never>;
    type Timer = Never;
    type Random = Never;
    type Storage = Never;

    fn on_start(&self, _: Addr, _: Option<&Never>, _: &mut Out<Self>) -> Value {
        0
    }

    fn on_msg(
        &self,
        _: Addr,
        value: &mut Draft<'_, Value>,
        from: Addr,
        msg: &Self::Msg,
        out: &mut Out<Self>,
    ) {
        match *msg {
            Msg::Put(request, new) => {
                value.set(new);
                out.send(from, Msg::PutOk(request));
            }
            Msg::Get(request) => out.send(from, Msg::GetOk(request, **value)),
            _ => {}
        }
    }
}

/// Each client writes a value of its own, and then reads.
pub fn system<W: Monitor<Msg<Value, Never>>>(
    clients: usize,
    servers: usize,
    monitor: W,
) -> System<Role<Copy, Value>, W> {
    System::new()
        .pinned("server", servers, |_| Choice::R(Copy))
        .pinned("client", clients, |place| {
            let (mut servers, number) = (place.in_order("server"), place.number());
            let count = servers.len();
            servers.rotate_left(number % count);
            Choice::L(Client::new(servers, [number as Value + 1]))
        })
        .network(Network::Unordered { duplicating: false })
        .noops(NoOps::Ignore)
        .monitor(monitor)
        .some_message("a value is read", |_, _, msg| matches!(msg, Msg::GetOk(_, value) if *value > 0))
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [clients, servers, judge] = &arguments[..] else {
        panic!("three arguments: clients, servers, and `monitor` or `history`")
    };
    let [clients, servers] = [clients, servers].map(|text| text.parse().expect("a number"));
    let (states, transitions, verdict) = if judge == "history" {
        let report = system(clients, servers, LinearizableHistory(Register(0))).program().check().run();
        (report.states, report.transitions, report.verdict.to_string())
    } else {
        let report = system(clients, servers, Linearizable(Register(0))).program().check().run();
        (report.states, report.transitions, report.verdict.to_string())
    };
    println!("{states} states, {transitions} transitions, {verdict}");
}
