#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

use std::collections::BTreeSet;

fn add(set: &mut BTreeSet<Client>, client: Client) {
    set.insert(client);
}

fn main() {}
