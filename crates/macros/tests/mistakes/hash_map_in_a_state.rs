#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

use std::collections::HashMap;

#[derive(Clone, Debug, Shape)]
struct State { clients: HashMap<u8, Client> }

fn main() {}
