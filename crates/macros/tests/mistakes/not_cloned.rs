#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Shape)]
struct State { count: u8 }

fn main() {}
