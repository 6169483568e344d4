#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model(fair)]
impl State {
    #[initial]
    fn start() -> Self { Self { count: 0 } }

    #[action]
    fn step(&mut self) { self.count += 1; }
}

fn main() {}
