#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

use std::cell::RefCell;

#[derive(Clone, Debug, Shape)]
struct State { count: RefCell<u8> }

fn main() {}
