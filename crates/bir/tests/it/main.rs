//! All tests of the front end from outside, in one executable.

mod common;

mod diagnostics;
mod format;
mod imports;
mod lowering;
mod mistakes;
mod models;
mod names;
mod random;
mod robustness;
