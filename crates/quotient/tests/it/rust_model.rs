//! A first model, as somebody writes it who depends on the façade alone.

use quotient::model::*;

sort! { struct Client; }

#[derive(Clone, Copy, PartialEq, Debug, Shape, Domain)]
enum Mode {
    Shared,
    Exclusive,
}

#[derive(Clone, Debug, Default, Shape)]
struct Lock {
    holders: Map<Client, Mode>,
}

#[model]
impl Lock {
    #[initial]
    fn free() -> Self {
        Self::default()
    }

    #[action(when = !self.holders.contains_key(&client) && self.admits(mode), process = client)]
    fn acquire(&mut self, client: Client, mode: Mode) {
        self.holders.insert(client, mode);
    }

    #[action(when = self.holders.contains_key(&client), process = client)]
    fn release(&mut self, client: Client) {
        self.holders.remove(&client);
    }

    #[invariant]
    fn exclusive_is_alone(&self) -> bool {
        self.holders.len() <= 1 || self.holders.values().all(|mode| *mode == Mode::Shared)
    }

    fn admits(&self, mode: Mode) -> bool {
        self.holders.values().all(|held| (*held, mode) == (Mode::Shared, Mode::Shared))
    }
}

/// Nobody, one exclusively, or one to nine together.
#[test]
fn a_lock() {
    assert_eq!(Lock::program().sort::<Client>(9).check().assert_holds().states, 11);
}
