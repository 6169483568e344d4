//! The typed guarded-command program that every front end produces and every back end consumes.
//!
//! A [`Program`] is a set of procedures. A *thread* procedure is the body of threads; a *function* procedure
//! is called by other procedures, and may be recursive. A procedure is a graph of [`Location`]s joined by
//! [`Transition`]s: guarded commands, each atomic. Threads interleave between locations and nowhere else.
//!
//! # What a program means
//!
//! **State.** Values of the globals; a set of threads, each a stack of frames (a location and the values of
//! the procedure's variables); a heap of records, arrays, locks and channels. Objects and ended threads that
//! nothing refers to are not part of the state. Roots are the globals, all frames of threads that have not
//! ended, and the lock that a thread waits for. A lock refers to its owner, a channel to what its messages
//! mention.
//!
//! **Ids.** A new thread or object gets the least id that no thread or object has at that moment; garbage
//! keeps its id until the end of the step (including the rest of an atomic block that is part of the step).
//! An id that is not less than the bound on threads or objects exceeds that bound. Ids are unobservable:
//! references can only be compared for equality.
//!
//! **Initial state.** Globals have their initial values, and the threads of [`Program::active`] exist, in
//! that order, at the entry of their procedures.
//!
//! **Values.** Integers are mathematical, and computed in 64 bits: a result that does not fit is a
//! [range](system-fault) fault. A value that is stored into a place of an integer type (variable, field,
//! element, parameter, result) must lie in the range of the type; if the type wraps, it is brought into the
//! range modulo its size. `/` and `%` truncate towards zero. `shl` multiplies by a power of two, `shr`
//! divides by one and rounds down, `ushr` shifts the two's complement of the operand, of 32 bits for `int`
//! and 64 for `long`; a shift distance outside of `0..width` (32 or 64, by the type of the left operand) is a
//! range fault. `&`, `|`, `^` work on integers (two's complement) and on booleans. `&&`, `||`, `=>` and `?:`
//! evaluate only what they need, left to right.
//!
//! **Defaults.** `false`; 0, or the bound of the range that is nearest to 0; the first element; `null`; the
//! empty collection, for a queue the one of capacity 0. `null` is also the `tid` of no thread and stands for
//! no element of an abstract enum.
//!
//! **Collections** are values: equal if they have equal elements (multiplicities, keys and values, order,
//! capacity, as fits their kind), copied when they are stored. A value that becomes an element, key or value
//! of a collection is admitted to its type as if it were stored to a place; a value that is only searched for
//! is not. `Head` and `Tail` of an empty collection and `Choose` from an empty collection are an
//! [empty](system-fault) fault, `Get` of an absent key is a missing key, `Get` and `Put` of an absent index
//! an index fault, more elements in a queue than its capacity an overflow; a negative capacity is an index
//! fault. Elements have an order, which is visible only at choice points: integers by value, elements of
//! enums by position, references and threads by id with `null` first, strings likewise, `false` before
//! `true`; collections by the number of their elements (distinct ones for bags, keys for maps; a queue first
//! by its capacity), then by the elements one after the other (each with its multiplicity or value). Sets,
//! bags and maps keep their elements in that order.
//!
//! **Quantifiers** evaluate their collection and captures, then the function for *every* element, so that the
//! outcome does not depend on an order. If that exceeds the bound on frames for some element, so does the
//! quantifier, at its own span, and the elements after that one are not evaluated. Otherwise, if it faults
//! for some element, the fault is the one with the least kind, then the least span (by start, then by end).
//!
//! **Abstract enums.** Their elements are interchangeable: they can only be compared for equality. Constants
//! of abstract enums occur in invariants, propositions and assertions only, and nowhere in functions; an
//! element that such a constant names is no longer interchangeable with the others.
//!
//! **Steps.** A thread that has not ended is at the location of its top frame. A transition of that location
//! is *enabled* if its guard holds and its body does not meet an obstacle: `assume` of a false condition, or
//! `lock` or `unwait` that has to wait. An `else` guard holds if no other transition of the location is
//! enabled and none of them faults. A step executes the body and then the jump, as a whole.
//!
//! **Choice points.** `notify` chooses among the threads that wait for the lock and were not notified yet, in
//! order of their ids; with none it does nothing (and is not a choice point). `Choose` chooses among the
//! elements of its collection (distinct ones of a bag, positions of a sequence), in order. Each resolution is
//! a step of its own. A body whose choice points have more than [`MAX_CHOICES`] resolutions together is one
//! step, numbered [`TOO_MANY_CHOICES`], that exceeds the bound on threads.
//!
//! **Faults.** A step with a fault has no successor. If evaluating a guard faults, so does the attempt to
//! take the transition: it counts as neither enabled nor disabled. A fault in the body counts if the body
//! gets there: an obstacle before it takes precedence. The message of an assertion is for reports only.
//!
//! **Calls.** A call evaluates its arguments, moves the caller to the [resume](LocationKind::Resume) location
//! of the call, and pushes a frame at the entry of the callee. `return` pops the frame; in the same step the
//! caller's resume location stores the result and jumps on, which can be another return. When the last frame
//! of a thread is popped, or by `exit`, the thread has ended. A thread that ends keeps its locks.
//!
//! **Virtual calls** select the procedure by the dynamic record of the first argument, which must not be
//! `null`. The tables have an entry for each record that the static type admits, unless the program faults
//! there: a record without an entry is a bad cast.
//!
//! **Memory.** If memory is [explicit](Memory), `Delete` turns the object into a *tombstone*: an object
//! without contents, which is a part of the state, and keeps its id, as long as something refers to it. It is
//! equal to itself only. To delete `null` is a null dereference, to delete a tombstone a double delete; it is
//! a bad delete of an object of a [scoped](Record::scoped) record or channel, and of a lock that a thread holds or waits
//! for. If memory is collected, `Delete` has these faults (except for double deletes) and no effect.
//! `Kill` turns an object into a tombstone with either kind of memory; it has no effect on `null` and on
//! tombstones. Whatever needs the contents or the kind of an object (fields, elements, length, record,
//! operations on locks and channels, `throw`) is, for a tombstone, a use after free, or a dangling local if the object was
//! killed: the fault takes the place of a null dereference. Comparing references needs neither.
//!
//! **Pointers** lead to places inside of objects. The *leaves* of a record are its fields, in order; those of
//! a *block*, an object that has the fields of several records in a row, are the fields of the first, then
//! those of the second, and so on. A pointer is an object and the number of one of its leaves, from 0; two
//! are equal if both are. `New` of a record or block, stored to a place of type `pointer`, gives a pointer to
//! the first leaf. `Offset` evaluates pointer and distance, then looks the leaf up that it leads to: like
//! `null` and tombstones (see Memory), which count first, a leaf that is not there is an index fault. A block
//! without leaves has a first one only to compare with. `Load`, and `Through` as a place, look the leaf up in
//! the same way; it is a bad cast if the leaf has another type, where integers are of one type: what is
//! stored is admitted to the type of the leaf. A pointer keeps its whole object alive. To delete what a
//! pointer leads to is a bad delete, before all but `null`, if that is not the first leaf. A block of more than
//! [`MAX_BLOCK_LEAVES`] leaves exceeds the bound on objects.
//!
//! **Leaks.** If memory is explicit, a step has a *leak* if at its end an object is garbage that is no
//! tombstone and of no scoped record or channel, unless [`Leaks`] are off. With [`Leaks::End`], a step that ends a
//! thread also has one if no thread is left that has not ended, and such an object is there. A leak is a soft
//! fault, like that of a failed `Check`, of the transition that the step begins with; it counts before other
//! soft faults of the step, which would hide it for good. Locals that are not live refer to nothing, so what
//! only they referred to is lost where they were used last.
//!
//! **Exceptions.** `throw` abandons the rest of the body (earlier effects remain). In the top frame the
//! catches of the procedure are tried in order: one that covers the frame's location ([`Location::origin`]
//! for resume locations, and the source location of the transition for the frame that throws) and whose
//! record is an ancestor of the exception's stores it to its variable and moves the frame to its handler.
//! Without one the frame is popped and the search continues in the caller; with no frame left it is an
//! uncaught exception. Throwing `null` is a null dereference.
//!
//! **Locks** are re-entrant monitors. `lock` waits until the lock is free or the thread's own, and counts (up
//! to [`MAX_LOCK_COUNT`]; more is a range fault). `unlock` needs ownership, and frees at count 0. `wait`
//! needs ownership, frees the lock and makes the thread wait for it with its count remembered; a thread that
//! waits already cannot wait again. `unwait` needs the thread to wait for that lock; it can proceed once the
//! thread has been notified and the lock is free, and restores the count. `notify` and `notifyAll` need
//! ownership. `lockAvailable`: free or own. `hasLock`: own. `wasNotified`: the thread waits for this lock and
//! was notified. Any of them on `null` is a null dereference.
//!
//! **Atomic blocks.** A thread is inside an atomic block while one of its frames is at an
//! [atomic](Location::atomic) location: the top one, or a resume location below, so that a block covers the
//! functions it calls. When a step leads its thread to such a state and exactly one step of the thread is
//! possible there and no guard faults, that step is taken at once, as a part of the same step, and so on (at
//! most [`MAX_MICRO_STEPS`] times). A fault there is a fault of the whole step. Where several steps are
//! possible, or a guard faults, or the limit is reached, the state is an ordinary state except that the
//! thread is *exclusive*: only its steps are possible. Where none is possible, the thread gives up
//! exclusiveness and others run. If the continued step is truncated by a bound, so is the whole step. Once
//! the limit was reached, no step is continued until the block branches or ends: where only one step is
//! possible and the thread is already exclusive, that step is not taken at once.
//!
//! **Live sets.** On arrival at a location with a [live set](Location::live) (by goto, entry, handler or
//! resume's jump), variables that are not in it get their default value, not their initial one.
//!
//! **Invariants** must hold in every state between steps, except where a thread is exclusive: that is the
//! middle of an atomic block. An invariant whose evaluation exceeds a bound is not known to hold: where
//! bounds truncate, the state counts as one in which it was not evaluated, unless another invariant is
//! violated.
//!
//! **Temporal properties** ([`Property`]) are about the states that a run goes through, except where a thread
//! is exclusive: the middle of an atomic block is not observed. A run that ends stays in its last state
//! forever; if an infinite run stays in the middle of an atomic block, the last observed state counts
//! forever. A proposition whose evaluation faults is a fault. One whose evaluation exceeds a bound has no
//! value: where bounds truncate, the known part of a run ends there. The threads that are counted are those
//! that have not ended, and the location of a thread is that of its first frame: the
//! [origin](Location::origin) of a resume location, while that waits for a call.
//!
//! **Individuals.** A property that is [about individuals](Property::each) holds of a run if its formula,
//! from the first state on, holds of every thread of the procedure that exists in the initial state or is
//! started later. A question for the location of the individual ([`ExprKind::IndividualAt`]) is false before
//! it is started and after it has ended.
//!
//! **Deadlock.** No thread can step, no guard faults, and some thread has neither ended nor is at an
//! [end](Location::end) location; or, while there are threads that have not ended, the program's monitor is
//! at a state where no run may end.
//!
//! **Ranks.** Among the transitions of a location whose guards hold and that meet no obstacle, those with the
//! least rank are enabled. An `else` considers only the transitions of its own rank or a lesser one. A fault
//! in a guard counts as a transition of its rank.
//!
//! **Conditions.** A thread whose top frame is of a procedure with a [condition](Procedure::provided) has
//! steps only where the condition holds. A fault of the condition counts as one of the guard of the
//! location's first transition.
//!
//! **Array variables** have an element for each combination of indices, the last index running fastest.
//! Elements start with the initial value of the variable. Indices are evaluated left to right; then the first
//! one outside its dimension is an index fault.
//!
//! # Processes and channels
//!
//! **Observable ids.** In programs with [observable ids of threads](Features::thread_ids_observable), the id
//! of a thread is its number, and programs can read it. When a thread ends, it and its channels are gone at
//! once, and their numbers are free. The program must ensure that a thread ends only when it is the youngest
//! ([`ExprKind::IsYoungest`] as guard). There are no `tid` values: `Start` stores the number of the thread.
//!
//! **Channels are objects**, made by [`New::Channel`] and referred to by values of [`Type::Channel`], except in
//! [flat](Program::is_flat) programs, where they have numbers. Any variable can refer to any channel. Whether
//! messages and patterns [fit](Program::fits_message) a channel is found when they meet: to send or receive
//! what does not fit is a [channel](system-fault) fault, whether there is room, a message, or a partner, or
//! not. An operation on `null` is a null dereference.
//!
//! **Channel numbers** start at 1, in the order in which the channels were made, up to 255; 0 is no channel.
//! First come [`Program::first_channels`], then those of each thread when it starts, before its prologue.
//!
//! **Untracked variables** are not part of the state: states that differ only in them are the same, and a
//! search continues with the values they had when it first reached the state.
//!
//! **Prologues.** The initial state is made by the program's prologue, then by starting the active threads
//! one after the other. Starting a thread stores its arguments, makes its channels, and runs its prologue.
//! Prologues assign and make objects, and end at the first fault. That is a fault of the step that starts the
//! thread, or of the initial state, which nevertheless has its steps; if there are several, the first one
//! counts.
//!
//! **Channels.** A message has a value for each field; references in it keep their objects alive. `Send`
//! evaluates channel and message; it is an obstacle while the channel is full. The values are admitted to the
//! types of the fields, where integers wrap; sorting compares the values before that, as far as they are
//! integers. `Receive` evaluates the
//! channel; it is an obstacle while there is no message that fits the pattern, whose expressions are
//! evaluated only as far as needed. It removes the message, unless it keeps it, and then stores fields from
//! left to right (each place is evaluated just before it is stored to).
//!
//! A message fits a pattern if it has the values that the pattern requires; further fields are ignored. To
//! require a field that the message does not have is a [channel](system-fault) fault, once the fields before
//! it fit. It is also a channel fault to remove a message that fits a pattern with another number of fields,
//! to keep one that fits a pattern with more fields, and to send a message with another number of fields
//! where it could be sent: the channel has room for it, or has no capacity. Other channel faults are a number
//! that is not the number of a channel (such as 0) and questions about the contents of a channel without
//! capacity. Channel faults and other faults in the expressions of the first action of a body count as faults
//! of the guard, except that in a rendezvous a pattern of the partner with another number of fields is a
//! fault of the step.
//!
//! **Rendezvous.** Through a channel without capacity a `Send` happens together with the `Receive` of another
//! thread, as one step: a step of the sender, with the partner as choice point. Partners are the threads
//! other than the sender, in the order of their numbers, that may step ([`Procedure::provided`]), with each
//! of their transitions, in order, that begins with a `Receive` from that channel that fits the message and
//! whose guard is `Always`; of one thread, those of the least rank only. A `Send` without partner meets an
//! obstacle, and so does a `Receive` from such a channel on its own. The partner's pattern is stored, then
//! the rest of the sender's body runs and its jump, then the rest of the partner's body and its jump, each
//! with the fused locations it leads to. [The last thread](ExprKind::LastThread) is the partner.
//!
//! **Exclusive transitions.** After a step whose last transition (of the partner, in a rendezvous) is
//! [exclusive](Transition::exclusive), its thread is *exclusive* if it can step or its guards fault, with
//! timeouts false: only its steps are possible, and the state is *transient*: it is neither stored nor
//! counted. Otherwise the state is an ordinary state.
//!
//! **Fused locations.** A step that leads its thread to a [fused](Location::fused) location continues there
//! at once, with the first transition, in the order of the location, that is enabled (ranks are ignored;
//! `else` if no other is). If none is enabled, that is an [inner block](system-fault) fault; more than
//! [`MAX_FUSED_STEPS`] in a row exceed the bound on frames, and are always truncated. There is no rendezvous
//! there: a `Send` to a channel without capacity, by a transition that leads to or leaves from a fused
//! location, is an inner block fault. [`Guard::Ready`] holds if some transition of the fused location is
//! enabled.
//!
//! **Fair transitions** ([`Transition::fair`]) restrict the runs that temporal properties are about. In such
//! a run, if a fair transition is enabled for a thread in infinitely many states between atomic blocks,
//! infinitely many steps of the thread begin with it, or the thread ends. Everything else is as without the
//! mark.
//!
//! **Timeout** is false, unless the state has no step with it false: then its steps are those with it true.
//!
//! **Priorities.** If any transition sets or reads a priority, or any procedure or start has one other than
//! 1, a thread can step only if no thread of a greater priority can (or its guards fault). A priority outside
//! of `1..=255` is a range fault. Whether another thread [can step](ExprKind::ThreadEnabled) is decided
//! without regard to priorities and [`Procedure::provided`]; a thread about which this is asked while it
//! evaluates the same question itself cannot.
//!
//! **Checks** ([`ActionKind::Check`]) that fail are assertion faults of a step that nevertheless has its
//! successor. The first such soft fault of a step counts; a fault that ends the step hides it.
//!
//! **Claims.** A thread [claims](Procedure::claims) channels from its start to its end. If a thread sends to
//! a channel, or receives from it (or keeps what it receives), while another thread claims to be the only one
//! that does, that is an [exclusive channel](system-fault) fault, a soft fault like that of a check. Claims
//! are evaluated when a message is sent or received, before channels, monitor and variables change; the first
//! one counts, in the order of thread numbers. A claim that cannot be evaluated claims nothing. In a
//! rendezvous the send comes first, then the receive.
//!
//! **Monitors.** A `Send`, and a `Receive` that takes its message out, is an event if some event of the
//! monitor, in any state, names its channel and its direction. The first event of the monitor's state with
//! the same direction, the same channel and a pattern that fits the message moves the monitor to its target.
//! If there is none, that is a [monitor](system-fault) fault and the monitor stays where it is; a negated
//! monitor goes to its last state instead, which has no events. A pattern that requires a field that the
//! message does not have does not fit. It is a fault if an event moves a negated monitor to its last state.
//! These are soft faults, like those of checks. In a rendezvous the send comes first, then the receive; both
//! come before anything is stored.
//!
//! [system-fault]: # "FaultKind::Range of the crate `system`"

// Everything here has typed indices: no number is cut off silently.
#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]

mod expr;
mod features;
mod ids;
mod inert;
mod marked;
mod names;
mod operands;
mod program;
mod property;
mod sorts;
mod spans;
pub mod text;
mod types;
mod typing;
mod verify;

pub use expr::{
    Action, ActionKind, Array, BinaryOp, Callee, CollectionOp, Const, Expr, ExprKind, New, Pattern, Place,
    PlaceKind, UnaryOp,
};
pub use features::Features;
pub use ids::*;
pub use inert::{inert, sets_inert};
pub use marked::{MarkedProgram, Origin};
pub use program::*;
pub use property::*;
pub use sorts::{Permutation, Recoded, Recoding, Sort, Sorts, VariableSort};
pub use types::{IntType, Type, Types, Width};
pub use typing::Scope;
pub use verify::{
    Exchange, MAX_ARRAY_SIZE, MAX_CHANNEL_CAPACITY, MAX_EXPR_DEPTH, MAX_MESSAGE_FIELDS, MAX_TYPE_SIZE,
    Refuted, verify, verify_exchange,
};

/// The largest number of steps of an atomic block that are taken as one step. After that, the states in
/// between are stored like others. It only has to be finite: then an endless atomic block is a cycle that the
/// search finds.
pub const MAX_MICRO_STEPS: usize = 4096;

/// The largest number of channels at a time: their numbers fit a byte, in which 0 is no channel.
pub const MAX_CHANNELS: u32 = 255;

/// The largest number of transitions from fused locations in a row.
pub const MAX_FUSED_STEPS: usize = 1 << 20;

/// The largest number of resolutions of the choice points of one body.
pub const MAX_CHOICES: u64 = 1 << 16;

/// The number of the step that stands for more choices than there may be.
pub const TOO_MANY_CHOICES: u32 = u32::MAX;

/// A longer array exceeds the bound on objects: no single step may use up the memory.
pub const MAX_ARRAY_LENGTH: i64 = 1 << 24;

/// The largest number of leaves of a block.
pub const MAX_BLOCK_LEAVES: i64 = 1 << 16;

/// To hold a lock more often than this is a range fault.
pub const MAX_LOCK_COUNT: u32 = u16::MAX as u32;
