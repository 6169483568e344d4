#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

fn number(client: Client) -> u32 {
    client as u32
}

fn main() {}
