#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {
    #[initial]
    fn start() -> Self { Self { count: 0 } }

    #[action(process = self.count)]
    fn step(&mut self) {}

    #[action(process = 3.5)]
    fn other(&mut self) {}

}

fn main() {}
