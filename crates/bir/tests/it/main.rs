//! All tests of the front end from outside, in one executable.

mod common;

mod diagnostics;
mod imports;
mod lowering;
mod mistakes;
mod models;
mod random;
mod robustness;
