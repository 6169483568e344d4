//! The typed guarded-command program: what every front end produces and every back end consumes.
//!
//! A [`Program`] is a set of procedures. A *thread* procedure is the body of threads; a *function* procedure
//! is called by other procedures, and may be recursive. A procedure is a graph of [`Location`]s joined by
//! [`Transition`]s: guarded commands, each atomic. Threads interleave between locations and nowhere else.
//!
//! # What a program means
//!
//! **State.** Values of the globals; a set of threads, each a stack of frames (a location and values of the
//! procedure's variables); a heap of records, arrays and locks. Objects and ended threads that nothing refers
//! to are not part of the state. Roots are the globals, all frames of threads that have not ended, and the
//! lock that a thread waits for. A lock refers to its owner.
//!
//! **Ids.** A new thread or object gets the least id that no thread or object has at that moment; garbage keeps
//! its id until the step (with all that an atomic block makes part of it) is over. An id that is not less than
//! the bound on threads or objects exceeds that bound. Ids are unobservable: only equality of references can be
//! asked.
//!
//! **Initial state.** Globals have their initial values, and the threads of [`Program::active`] exist, in that
//! order, at the entry of their procedures.
//!
//! **Values.** Integers are mathematical, and computed in 64 bits: what does not fit is a
//! [range](system-fault) fault. A value that is stored into a place of an integer type (variable, field,
//! element, parameter, result) must lie in the range of the type; if the type wraps, it is brought into the
//! range modulo its size. `/` and `%` truncate towards zero. `shl` multiplies by a power of two, `shr` divides
//! by one and rounds down, `ushr` shifts the two's complement of the operand, of 32 bits for `int` and 64 for
//! `long`; a shift distance outside of `0..width` (32 or 64, by the type of the left operand) is a range
//! fault. `&`, `|`, `^` work on integers (two's complement) and on booleans. `&&`, `||`, `=>` and `?:` evaluate
//! only what they need, left to right.
//!
//! **Defaults.** `false`; 0, or the bound of the range that is nearest to 0; the first element; `null`; the empty
//! collection, for a queue the one of capacity 0. `null` is also the `tid` of no thread and the element of an
//! abstract enum that is none.
//!
//! **Collections** are values: equal if they have equal elements (multiplicities, keys and values, order,
//! capacity, as fits their kind), copied when they are stored. What becomes an element, key or value of a
//! collection is admitted to its type like what is stored to a place; what is only looked for is not. `Head` and
//! `Tail` of what is empty and `Choose` from what is empty are an [empty](system-fault) fault, `Get` of a
//! key that is not there is a missing key, `Get` and `Put` of an index that is not there an index fault, more
//! elements in a queue than its capacity an overflow; a negative capacity is an index fault. Elements have an
//! order, which only choice points show: integers by value, elements of enums by position, references and
//! threads by id with `null` first, strings likewise, `false` before `true`; collections by the number of their
//! elements (distinct ones for bags, keys for maps; a queue first by its capacity), then by the elements one after
//! the other (with each its multiplicity or value). Sets, bags and maps keep their elements in that order.
//!
//! **Quantifiers** evaluate their collection and captures, then the function for *every* element, so that the
//! outcome does not depend on an order. If that exceeds a bound for any element, so does the whole, at the least span; else if it
//! faults for any element, the fault is the one with the least kind, then the least span (by start, then by end).
//!
//! **Abstract enums.** Their elements are interchangeable: only equality can be asked. Constants of abstract
//! enums stand in invariants and assertions only, and nowhere in functions; what such a constant names is *pinned*,
//! and no longer interchangeable with the others.
//!
//! **Steps.** A thread that has not ended is at the location of its top frame. A transition of that location is
//! *enabled* if its guard holds and its body does not meet an obstacle: `assume` of a false condition, or `lock`
//! or `unwait` that has to wait. An `else` guard holds if no other transition of the location is enabled and none
//! of them faults. A step executes the body and then the jump, as a whole.
//!
//! **Choice points.** `notify` chooses among the threads that wait for the lock and were not notified yet, in
//! order of their ids; with none it does nothing (and is no choice point). `Choose` chooses among the elements of
//! its collection (distinct ones of a bag, positions of a sequence), in order. Each resolution is a step of its own.
//! A body that meets points with more than [`MAX_CHOICES`] resolutions together is one step, numbered
//! [`TOO_MANY_CHOICES`], that exceeds the bound on threads.
//!
//! **Faults.** A step that meets a fault has no successor. If evaluating a guard faults, so does the attempt to
//! take the transition: it counts as neither enabled nor disabled. A fault in the body counts where the
//! body gets there: obstacles met earlier win.
//!
//! **Calls.** A call evaluates its arguments, moves the caller to the [resume](LocationKind::Resume) location of
//! the call, pushes a frame and is at the entry of the callee. `return` pops the frame; in the same
//! step the caller's resume location stores the result and jumps on, which can be another return. When
//! the last frame of a thread is popped, or by `exit`, the thread has ended. A thread that ends keeps its locks.
//!
//! **Virtual calls** select the procedure by the dynamic record of the first argument, which must not be `null`.
//! The tables have an entry for each record that the static type admits, unless the program faults there: a
//! record without an entry is a bad cast.
//!
//! **Exceptions.** `throw` abandons the rest of the body (what was done stays done). In the top frame the catches of
//! the procedure are tried in order: one that covers the frame's location ([`Location::origin`] for resume
//! locations, and the source location of the transition for the frame that throws) and whose record is an
//! ancestor of the exception's stores it to its variable and moves the frame to its handler. Without one the frame
//! is popped and the search goes on in the caller; with no frame left it is an uncaught exception. Throwing `null`
//! is a null dereference.
//!
//! **Locks** are re-entrant monitors. `lock` waits until the lock is free or the thread's own, and counts (up to
//! [`MAX_LOCK_COUNT`]; more is a range fault).
//! `unlock` needs ownership, and frees at count 0. `wait` needs ownership, frees the lock and makes the
//! thread wait for it with its count remembered; a thread that waits already cannot wait again. `unwait` needs the
//! thread to wait for that lock; it can proceed once the thread was notified and the lock is free, and
//! restores the count. `notify` and `notifyAll` need ownership. `lockAvailable`: free or own. `hasLock`: own.
//! `wasNotified`: the thread waits for this lock and was notified. Any of them on `null` is a null dereference.
//!
//! **Atomic blocks.** A thread is inside of an atomic block while one of its frames is at an
//! [atomic](Location::atomic) location: the top one, or a resume location below, so that a block covers the
//! functions it calls. When a step leads its thread to such a state and exactly one step of the thread is possible
//! there and no guard faults, that step is taken at once, as a part of the same step, and so on (at most
//! [`MAX_MICRO_STEPS`] times). A fault there is a fault of the whole step. Where several steps are possible, or a
//! guard faults, or the limit is reached, the state is one like others except that the thread is *exclusive*: only
//! its steps are possible. Where none is possible, the thread gives up exclusiveness and others run. If the
//! continued step is truncated by a bound, so is the whole.
//!
//! **Live sets.** On arrival at a location with a [live set](Location::live) (by goto, entry, handler or
//! resume's jump), variables that are not in it get their default value, not their initial one.
//!
//! **Invariants** must hold in every state between steps, except where a thread is exclusive: that is the middle of
//! an atomic block.
//!
//! **Deadlock.** No thread can step, no guard faults, and some thread has not ended.
//!
//! [system-fault]: # "FaultKind::Range of the crate `system`"

mod expr;
mod ids;
mod names;
mod program;
mod spans;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
mod types;
mod typing;
mod verify;

pub use expr::{
    Action, ActionKind, BinaryOp, Callee, CollectionOp, Const, Expr, ExprKind, New, Place, PlaceKind, UnaryOp,
};
pub use ids::*;
pub use program::*;
pub use types::{IntType, Type, Types, Width};
pub use typing::Scope;
pub use verify::{MAX_EXPR_DEPTH, MAX_TYPE_SIZE, verify};

/// How many steps of an atomic block are taken as one before the state in between is stored like others. It
/// only has to be finite: an atomic block that never ends then is a cycle that the search finds.
pub const MAX_MICRO_STEPS: usize = 4096;

/// In how many ways the choice points of one body can be resolved, at most.
pub const MAX_CHOICES: u64 = 1 << 16;

/// The number of the step that stands for more choices than there may be.
pub const TOO_MANY_CHOICES: u32 = u32::MAX;

/// A longer array exceeds the bound on objects: no single step may use up the memory.
pub const MAX_ARRAY_LENGTH: i64 = 1 << 24;

/// To hold a lock more often than this is a range fault.
pub const MAX_LOCK_COUNT: u32 = u16::MAX as u32;
