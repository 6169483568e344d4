#![allow(unused)]

use quotient_model::*;

sort! { struct Client; struct Ticket: dynamic; }

#[derive(Clone, Debug, Shape, Domain)]
enum Message { Empty, Number(u64) }

fn main() {}
