//! Ctrl-C: the first one asks for a report of what was found so far, the second one just ends.

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

pub const EXIT_CODE: u8 = 130;

/// The flag that an interrupt sets, from now on.
pub fn flag() -> &'static Arc<AtomicBool> {
    let installed = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    });
    // Without a handler an interrupt ends the program at once, which is no harm.
    drop(installed);
    &INTERRUPTED
}
