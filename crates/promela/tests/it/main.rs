//! All tests of the front end from outside, in one executable.

mod lowering;
mod mistakes;
mod names;
mod syntax;
