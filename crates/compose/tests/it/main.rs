//! All integration tests of compositions in one executable.

mod explored;
mod products;
mod scenarios;
mod tables;
