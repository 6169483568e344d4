//! What a user of the façade sees.

mod example;
