//! What a user of the façade sees.

mod example;
mod rust_model;
