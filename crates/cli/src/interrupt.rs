//! Signals that ask for an end, and what is left behind then.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use terminal::interrupt::EXIT_CODE;

use crate::files;

/// The flag that such a signal sets, from now on.
pub fn flag() -> &'static Arc<AtomicBool> {
    terminal::interrupt::flag(files::remove_temporary)
}
