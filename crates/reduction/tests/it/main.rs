//! All tests of reduction from outside, in one executable.

extern crate quotient_reduction as reduction;

mod common;

mod validity;

#[allow(dead_code, reason = "no runs are shown")]
#[path = "../../../check/src/lift.rs"]
mod lift;
#[allow(dead_code, reason = "cycles are looked for elsewhere")]
#[path = "../../../check/src/symmetric.rs"]
mod symmetric;
