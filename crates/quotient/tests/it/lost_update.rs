use quotient::model::*;

sort! { struct Client; }

/// A counter that each client reads, and writes back increased by one.
#[derive(Clone, Debug, Default, Shape)]
struct Counter { value: u8, written: u8, read: Map<Client, u8> }

#[model]
impl Counter {
    #[initial]
    fn zero() -> Self { Self::default() }

    #[action(when = self.written < 2 && !self.read.contains_key(&client))]
    fn read(&mut self, client: Client) { self.read.insert(client, self.value); }

    #[action(when = self.read.contains_key(&client))]
    fn write(&mut self, client: Client) {
        self.value = self.read.remove(&client).unwrap() + 1;
        self.written += 1;
    }

    #[accepting]
    fn is_over(&self) -> bool { self.written >= 2 }

    #[invariant]
    fn no_update_is_lost(&self) -> bool { self.value == self.written }
}

pub fn no_update_is_lost() {
    Counter::program().sort::<Client>(2).check().assert_holds();
}
