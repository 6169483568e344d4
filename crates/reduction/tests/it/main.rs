//! All integration tests of reduction in one executable.

extern crate quotient_reduction as reduction;

mod common;

mod validity;
