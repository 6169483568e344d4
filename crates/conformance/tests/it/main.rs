//! All integration tests of conformance in one executable.

mod cache;
mod online;
mod suites;
