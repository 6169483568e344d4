//! What the macros generate, and what they say of mistakes.

mod mistakes;
mod rules;
