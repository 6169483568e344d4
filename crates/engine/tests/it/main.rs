//! All tests of the engine from outside, in one executable.

mod alarms;
mod differential;
mod numbered;
mod valuations;
