//! All tests from outside, in one executable.

mod hoa;
mod sizes;
mod spin;
mod support;
mod translations;
