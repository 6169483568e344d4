//! All integration tests of stores in one executable.

mod lossy;
mod renamed;
mod stores;
