//! A chat: the twin of `models/chat.bir`. Clients join and leave; who is online can send to anybody else who is.
//! A client has a set of those whose messages wait for it. Who is still to be read by somebody does not leave.

use quotient_model::{Map, Set, Shape, Symmetry, model, sort};

sort! { pub struct Client: dynamic; }

#[derive(Clone, Debug, Default, Shape)]
pub struct Chat {
    /// Who is online, with whose messages wait.
    online: Map<Client, Set<Client>>,
}

#[model]
impl Chat {
    #[initial]
    fn empty() -> Self {
        Self::default()
    }

    #[action(when = self.online.len() < cx.count::<Client>())]
    fn join(&mut self, #[fresh] client: Client) {
        self.online.insert(client, Set::new());
    }

    #[action(when = from != to, process = from)]
    fn send(&mut self, from: Client, to: Client) {
        self.online[to].insert(from);
    }

    #[action(when = self.online[to].contains(&from), process = to)]
    fn receive(&mut self, to: Client, from: Client) {
        self.online[to].remove(&from);
    }

    #[action(when = self.online.values().all(|waiting| !waiting.contains(&client)), process = client)]
    fn leave(&mut self, client: Client) {
        self.online.remove(&client);
    }

    #[invariant]
    fn nobody_is_away(&self) -> bool {
        self.online.values().flatten().all(|client| self.online.contains_key(client))
    }

    #[invariant]
    fn nobody_writes_to_herself(&self) -> bool {
        self.online.iter().all(|(client, waiting)| !waiting.contains(client))
    }
}

#[allow(dead_code, reason = "tests include this file")]
fn main() {
    for clients in 2..=4 {
        let mut chat = Chat::program().sort::<Client>(clients);
        let plain = chat.check().symmetry(Symmetry::None).run().states;
        println!("{clients} clients: {plain} states, {} orbits", chat.check().run().states);
    }
}
