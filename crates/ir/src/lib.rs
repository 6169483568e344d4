//! The typed guarded-command program: what every front end produces and every back end consumes.
//!
//! A [`Program`] is a set of procedures. A *thread* procedure is the body of threads; a *function* procedure
//! is called by other procedures, and may be recursive. A procedure is a graph of [`Location`]s joined by
//! [`Transition`]s: guarded commands, each atomic. Threads interleave between locations and nowhere else.
//!
//! # What a program means
//!
//! **State.** Values of the globals; a set of threads, each a stack of frames (a location and values of the
//! procedure's variables); a heap of records, arrays and locks; channels. Objects and ended threads that
//! nothing refers to are not part of the state. Roots are the globals, the messages in channels, all frames
//! of threads that have not ended, and the lock that a thread waits for. A lock refers to its owner.
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
//! outcome does not depend on an order. If that exceeds the bound on frames for any element, so does the
//! whole, at the span of the quantifier, and the elements after it are left out; else if it faults for any
//! element, the fault is the one with the least kind, then the least span (by start, then by end).
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
//! continued step is truncated by a bound, so is the whole. Once the limit was reached, no step is continued any more until
//! the block branches or ends: where only one step is possible and the thread is exclusive, nothing follows at once.
//!
//! **Live sets.** On arrival at a location with a [live set](Location::live) (by goto, entry, handler or
//! resume's jump), variables that are not in it get their default value, not their initial one.
//!
//! **Invariants** must hold in every state between steps, except where a thread is exclusive: that is the
//! middle of an atomic block. An invariant whose evaluation exceeds a bound is not known to hold: where
//! bounds truncate, the state counts as one where it was not evaluated, unless another invariant is violated.
//!
//! **Temporal properties** ([`Property`]) are about the states that a run goes through, except where a thread
//! is exclusive or has the floor: nobody looks into the middle of an atomic block. A run that ends stays in
//! its last state for ever; of an infinite run in the middle of an atomic block, the last state
//! that properties see counts for ever. A proposition whose evaluation faults is a fault. One whose evaluation
//! exceeds a bound has no value: where bounds truncate, what is known of a run ends there. Threads that are
//! counted have not ended, and are where their first frame is: at the [origin](Location::origin) of a resume
//! location, while that waits for a call.
//!
//! **Individuals.** A property that is [about individuals](Property::each) holds of a run if its formula, from the first state on, holds of every
//! thread of the procedure that is there at the beginning or is started some time. What asks where the individual is
//! ([`ExprKind::IndividualAt`]) is false before it is started and after it has ended.
//!
//! **Deadlock.** No thread can step, no guard faults, and some thread has neither ended nor is at an
//! [end](Location::end) location; or, while there are threads that have not ended, the program's monitor is
//! at a state where no run may end.
//!
//! **Ranks.** Of the transitions of a location whose guards hold and that meet no obstacle, those are enabled that have
//! the least rank. An `else` looks at the transitions of its own rank or a lesser one only. A fault in a guard counts
//! as a transition of its rank.
//!
//! **Conditions.** A thread whose top frame is of a procedure with a [condition](Procedure::provided) has
//! steps only where that holds. A fault of the condition counts as one of the guard of the location's first
//! transition.
//!
//! **Array variables** have an element for each combination of indices, the last index running fastest. Elements start
//! with the initial value of the variable. Indices are evaluated left to right; then the first one that is outside of
//! its dimension is an index fault.
//!
//! # Processes and channels
//!
//! **Observable ids.** In programs with [observable ids of threads](Features::thread_ids_observable), the id
//! of a thread is its number, and can be asked for. When a thread ends, it and its channels are gone at once,
//! and their numbers are free. The program must see to it that a thread ends only when it is the youngest
//! ([`ExprKind::IsYoungest`] as guard). There are no `tid` values: `Start` stores the number of the thread.
//!
//! **Numbers of channels** are from 1 in the order in which they came, up to 255; 0 is none. First come
//! [`Program::first_channels`], then those of each thread when it starts, before its prologue.
//!
//! **Transparent variables** are no part of the state: states that differ in them only are the same, and a search goes on
//! with what they held when it met the state first.
//!
//! **Prologues.** The initial state is made by the program's prologue, then by starting the active threads one after
//! the other. Starting a thread stores its arguments, makes its channels, and runs its prologue. Prologues are
//! assignments only, and end at the first fault. That is a fault of the step that starts the thread, or of the initial
//! state, which nevertheless has its steps; of several there, the first one counts.
//!
//! **Channels.** A message is a value per field; references in it keep their objects. `Send` evaluates
//! channel and message; it is an obstacle while the channel is full. What goes into the channel is admitted
//! to the types of the fields, of which integers wrap; sorting compares the values as they were before that.
//! `Receive` evaluates the channel; it is an obstacle while there is no message that fits the pattern, the
//! expressions of which are evaluated as far as it takes to see that. It takes the message out, unless it
//! keeps it, and then stores fields from left to right (a place is evaluated when its turn comes).
//!
//! A message fits a pattern if it has the values that the pattern asks for, whatever is in further fields. To ask for a field
//! that the message does not have is a [channel](system-fault) fault, once the fields before it fit. So is taking out a message
//! that fits a pattern of another number of fields, keeping one that fits a pattern of more fields, and sending a message of
//! another number of fields where it could be sent: the channel has room for it, or has no capacity. Other channel faults are
//! to name no channel (0 above all) and to ask about the contents of a channel without capacity. Channel faults and others in
//! what the first action of a body evaluates count as faults of the guard, except that in a rendezvous a pattern of the
//! partner with another number of fields is a fault of the step.
//!
//! **Rendezvous.** Through a channel without capacity a `Send` goes together with the `Receive` of another thread, as one
//! step: that of the sender, with the partner as choice point. Partners are the threads other than the sender, in the
//! order of their numbers, that may step ([`Procedure::provided`]), with each of their transitions, in order, that begins
//! with a `Receive` from that channel that fits the message and whose guard is `Always`; of one thread, those of the least
//! rank only. A `Send` without partner meets an obstacle, and so does a `Receive` from such a channel on its own. The
//! partner's pattern is stored, then the rest of the sender's body runs and its jump, then the rest of the partner's body
//! and its jump, each with the inner locations it leads to. [The last thread](ExprKind::LastThread) is the partner.
//!
//! **Exclusive transitions.** After a step whose last transition (of the partner, in a rendezvous) is
//! [exclusive](Transition::exclusive), its thread has the floor if it can step or its guards fault, with timeouts false:
//! only its steps are possible, and the state is *transient*, not one of those that are stored and counted. Otherwise the
//! state is one like others.
//!
//! **Inner locations.** A step that leads its thread to an [inner](Location::inner) location goes on there at once: with
//! the first transition, in the order of the location, that is enabled (ranks aside; `else` if no other is). None is an
//! [inner block](system-fault) fault; more than [`MAX_INNER_STEPS`] in a row exceed the bound on frames, and are always
//! truncated. Nobody meets anybody there: a `Send` to a channel without capacity, by a transition that leads to or leaves
//! from an inner location, is an inner block fault. [`Guard::Ready`] holds if some transition of the inner location is
//! enabled.
//!
//! **Timeout** is false, unless the state has no step with it false: then its steps are those with it true.
//!
//! **Priorities.** If any transition sets or asks for a priority, or any procedure or start has one other than 1, a
//! thread can step only if no thread of a greater priority can (or its guards fault). A priority outside of `1..=255` is
//! a range fault. [Asking](ExprKind::ThreadEnabled) what another thread can do leaves priorities and
//! [`Procedure::provided`] aside; a thread that is asked while it asks itself can do nothing.
//!
//! **Checks** ([`ActionKind::Check`]) that fail are assertion faults of a step that nevertheless has its successor. The
//! first soft_fault of a step counts; a fault that ends the step hides it.
//!
//! **Claims.** A thread [claims](Procedure::claims) channels from its start to its end. If a thread sends to a channel, or
//! receives from it (or keeps what it receives), while another thread claims to be the only one that does, that is an
//! [exclusive channel](system-fault) fault of a step that has its successor, like that of a check. Claims are evaluated
//! when a message is sent or received, before anything is done to channels, monitor and variables; the first one counts,
//! by the numbers of threads. A claim that cannot be evaluated claims nothing. Of a rendezvous the send comes first, then
//! the receive.
//!
//! **Monitors.** A `Send`, and a `Receive` that takes its message out, is an event if some event of the monitor, in any
//! state, names its channel and its direction. The first event of the monitor's state with the same direction, the same
//! channel and a pattern that fits the message moves the monitor to its target. If there is none, that is a
//! [monitor](system-fault) fault and the monitor stays where it is; but a negated one goes to its last state, which has no
//! events. A pattern that asks for a field that the message does not have does not fit. That an event moves a negated monitor
//! to its last state is a fault. Like those of checks, these are faults of a step that
//! has its successor. Of a rendezvous the send comes first, then the receive; both come before anything is stored.
//!
//! [system-fault]: # "FaultKind::Range of the crate `system`"

mod expr;
mod features;
mod ids;
mod marked;
mod names;
mod program;
mod property;
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
pub use marked::{MarkedProgram, Origin};
pub use program::*;
pub use property::*;
pub use types::{IntType, Type, Types, Width};
pub use typing::Scope;
pub use verify::{
    MAX_ARRAY_SIZE, MAX_CHANNEL_CAPACITY, MAX_EXPR_DEPTH, MAX_MESSAGE_FIELDS, MAX_TYPE_SIZE, verify,
};

/// How many steps of an atomic block are taken as one before the state in between is stored like others, and then all
/// that follow. It only has to be finite: an atomic block that never ends then is a cycle that the search finds.
pub const MAX_MICRO_STEPS: usize = 4096;

/// How many channels there may be at a time: their numbers fit a byte, in which 0 is none.
pub const MAX_CHANNELS: u32 = 255;

/// How many steps an inner block may take.
pub const MAX_INNER_STEPS: usize = 1 << 20;

/// In how many ways the choice points of one body can be resolved, at most.
pub const MAX_CHOICES: u64 = 1 << 16;

/// The number of the step that stands for more choices than there may be.
pub const TOO_MANY_CHOICES: u32 = u32::MAX;

/// A longer array exceeds the bound on objects: no single step may use up the memory.
pub const MAX_ARRAY_LENGTH: i64 = 1 << 24;

/// To hold a lock more often than this is a range fault.
pub const MAX_LOCK_COUNT: u32 = u16::MAX as u32;
