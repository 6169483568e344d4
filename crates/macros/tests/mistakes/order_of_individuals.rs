#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

fn first(a: Client, b: Client) -> bool {
    a < b
}

fn main() {}
