#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl Default for State {
    fn default() -> Self { Self { count: 0 } }
}

fn main() {}
