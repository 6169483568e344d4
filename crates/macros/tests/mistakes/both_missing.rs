#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

#[model]
impl State {

}

fn main() {}
