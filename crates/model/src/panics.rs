//! Panics of models, as violations.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// Where and with which message something panicked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Panicked {
    pub location: String,
    pub message: String,
}

thread_local! {
    /// The number of calls of [`caught`] under way, and the last panic in one.
    static CAUGHT: RefCell<(u32, Option<Panicked>)> = const { RefCell::new((0, None)) };
}

/// Runs code of a model. Its panics are not printed.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Panicked> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |info| {
            let is_ours = CAUGHT.with_borrow_mut(|(calls, last)| {
                if *calls > 0 {
                    let location = info.location().map_or_else(String::new, ToString::to_string);
                    let message = info.payload_as_str().unwrap_or("a panic").to_owned();
                    *last = Some(Panicked { location, message });
                }
                *calls > 0
            });
            if !is_ours {
                others(info);
            }
        }));
    });
    CAUGHT.with_borrow_mut(|(calls, _)| *calls += 1);
    let result = catch_unwind(AssertUnwindSafe(run));
    let last = CAUGHT.with_borrow_mut(|(calls, last)| {
        *calls -= 1;
        last.take()
    });
    let unknown = || Panicked { location: String::new(), message: "a panic".to_owned() };
    result.map_err(|_| last.unwrap_or_else(unknown))
}
