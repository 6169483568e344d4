//! All integration tests of model programs in one executable.

mod broken;
mod changes;
mod classes;
mod counts;
mod examples;
mod known;
mod orbits;
mod runs;
mod steps;
mod violations;
