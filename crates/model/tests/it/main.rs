//! All integration tests of model programs in one executable.

mod broken;
mod counts;
mod orbits;
mod runs;
mod steps;
mod violations;
