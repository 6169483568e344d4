#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {
    #[initial]
    fn start() -> Self { Self { count: 0 } }

    #[action(kind = internal)]
    fn step(&mut self) {}

    #[action(fair = always)]
    fn other(&mut self) {}

}

fn main() {}
