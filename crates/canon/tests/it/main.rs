//! All tests of canonical labelling from outside, in one executable.

mod graph;
mod graphs;
