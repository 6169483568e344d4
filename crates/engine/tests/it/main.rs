//! All tests of the engine from outside, in one executable.

mod alarms;
mod differential;
mod harness;
mod memory;
mod mixed;
mod pointers;
mod processes;
mod valuations;
