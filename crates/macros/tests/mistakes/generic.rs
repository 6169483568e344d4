#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State<T> { value: T }

#[model]
impl<T: Shape> State<T> {
    #[initial]
    fn start() -> Self { todo!() }

    #[action]
    fn step(&mut self) {}
}

fn main() {}
