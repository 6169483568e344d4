//! A chat: the twin of `models/chat.bir`. Clients join and leave; who is online can send to anybody else who is.
//! A client has a set of those whose messages wait for it. Who is still to be read by somebody does not leave.

use quotient_model::{Cx, Doing, Map, Model, Program, Properties, Set, Shape, Symmetry, sort};

sort! { pub struct Client: dynamic; }

/// Who is online, with whose messages wait.
pub type Online = Map<Client, Set<Client>>;

#[derive(Clone, Debug, Shape)]
pub enum Act {
    Join(Client),
    Send { from: Client, to: Client },
    Receive { from: Client, to: Client },
    Leave(Client),
}

pub struct Chat;

impl Model for Chat {
    type State = Online;
    type Action = Act;

    fn initial(&self, _: &Cx<'_>, out: &mut Vec<Online>) {
        out.push(Map::new());
    }

    fn actions(&self, cx: &Cx<'_>, online: &Online, out: &mut Vec<Act>) {
        if online.len() < cx.count::<Client>() {
            out.extend(cx.fresh(online).map(Act::Join));
        }
        for (&to, waiting) in online.iter() {
            out.extend(online.keys().filter(|&&from| from != to).map(|&from| Act::Send { from, to }));
            out.extend(waiting.iter().map(|&from| Act::Receive { from, to }));
            if online.values().all(|waiting| !waiting.contains(&to)) {
                out.push(Act::Leave(to));
            }
        }
    }

    fn apply(&self, _: &mut Doing<'_>, online: &mut Online, action: &Act) {
        match *action {
            Act::Join(client) => _ = online.insert(client, Set::new()),
            Act::Send { from, to } => _ = online[to].insert(from),
            Act::Receive { from, to } => _ = online[to].remove(&from),
            Act::Leave(client) => _ = online.remove(&client),
        }
    }

    fn properties(&self, to: &mut Properties<Online>) {
        to.invariant("nobody is away", |_, online| {
            online.values().all(|waiting| waiting.iter().all(|client| online.contains_key(client)))
        });
        to.invariant("nobody writes to herself", |_, online| {
            online.iter().all(|(client, waiting)| !waiting.contains(client))
        });
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    for clients in 2..=4 {
        let mut chat = Program::new(Chat).sort::<Client>(clients);
        let plain = chat.check().symmetry(Symmetry::None).run().states;
        println!("{clients} clients: {plain} states, {} orbits", chat.check().run().states);
    }
}
