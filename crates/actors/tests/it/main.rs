//! All integration tests of systems of actors in one executable.

mod algorithms;
mod failures;
mod monitors;
mod networks;
mod registers;
