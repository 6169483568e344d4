#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

use std::collections::HashMap;

fn number(numbers: &HashMap<Client, u8>, client: Client) -> u8 {
    numbers[&client]
}

fn main() {}
