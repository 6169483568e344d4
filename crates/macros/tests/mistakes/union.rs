#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Copy, Shape)]
union State { number: u32, flag: bool }

fn main() {}
