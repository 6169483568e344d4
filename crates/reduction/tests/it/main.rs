//! All tests of reduction from outside, in one executable.

extern crate quotient_reduction as reduction;

mod common;

mod validity;
