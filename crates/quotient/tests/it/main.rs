//! What a user of the façade sees.

mod documented;
mod example;
#[rustfmt::skip] // as the README shows it
mod lost_update;
mod readme;
mod rust_model;
