//! All tests of states from outside, in one executable.

mod garbage;
mod journal;
mod layout;
