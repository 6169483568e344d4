//! All integration tests of conformance in one executable.

mod cache;
mod chat;
mod concurrent;
mod database;
mod online;
mod suites;
mod tree;
mod validate;
