//! All tests of programs in one executable. They are outside the crate, because the random programs are made
//! by a crate that depends on it.

extern crate quotient_ir as ir;

mod features;
mod marked;
mod program;
mod text;
mod verify;
