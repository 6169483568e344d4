//! All tests of stores from outside, in one executable.

mod lossy;
mod stores;
