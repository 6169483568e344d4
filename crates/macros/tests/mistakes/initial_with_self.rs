#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {
    #[initial]
    fn start(&self) -> Self { self.clone() }

    #[initial]
    fn parameters(number: u8) -> Self { Self { count: number } }

    #[initial]
    fn nothing() {}

    #[action]
    fn step(&mut self) { self.count += 1; }
}

fn main() {}
