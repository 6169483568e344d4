#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {
    #[initial]
    fn start() -> Self { Self { count: 0 } }

    #[action(guard = self.count < 3, wen = true)]
    fn step(&mut self) { self.count += 1; }

    #[action(wen = true)]
    fn other(&mut self) {}

}

fn main() {}
