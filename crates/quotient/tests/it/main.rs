//! What a user of the façade sees.

mod example;
mod rust_model;
#[cfg(target_os = "linux")]
mod terminal;
