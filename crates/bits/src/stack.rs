//! Recursion that is too deep for the native stack continues on a fresh one.
//!
//! The fresh stack is that of a native thread, which the caller waits for. Switching stacks within a thread
//! (the crate `stacker`) would be cheaper, but it has no way to report that there is no memory for a stack:
//! it panics. Here, that is a result, so that callers can make it a limit that they report.

use std::panic::resume_unwind;
use std::thread;

/// Left free for allocations that cannot fail gracefully, when a stack is made.
const SPARE: usize = 32 << 20;

/// Runs `work` on a fresh native stack of this size; `None` if the system has no memory for it.
pub fn on_fresh_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> Option<T> {
    // Memory that is only reserved counts against the limits of the process, but is never touched.
    Vec::<u8>::new().try_reserve_exact(bytes + SPARE).ok()?;
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work).ok()?;
        Some(worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(left: usize) -> usize {
        let frame = std::hint::black_box([left; 64]);
        if left == 0 { 0 } else { 1 + depth(left - 1) + frame[63] - left }
    }

    #[test]
    fn deep_recursion_fits_a_large_stack() {
        assert_eq!(on_fresh_stack(256 << 20, || depth(100_000)), Some(100_000));
    }

    #[test]
    fn a_stack_that_is_too_large_is_a_result() {
        assert_eq!(on_fresh_stack(usize::MAX / 4, || 1), None);
    }
}
