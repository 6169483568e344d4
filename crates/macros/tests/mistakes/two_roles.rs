#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {
    #[initial]
    fn start() -> Self { Self { count: 0 } }

    #[action]
    #[invariant]
    fn step(&mut self) {}

}

fn main() {}
