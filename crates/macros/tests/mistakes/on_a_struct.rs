#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[model]
#[derive(Clone, Debug, Shape)]
struct State { count: u8 }

fn main() {}
