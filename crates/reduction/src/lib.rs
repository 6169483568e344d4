//! Partial order reduction: of the orders in which independent steps can be taken, one is enough.
//!
//! [`Reduced`] is a system that offers, where possible, the steps of one thread only: an *ample* set (Peled,
//! All from one, one for all, CAV 1993; Holzmann and Peled, An improvement in formal verification, FORTE
//! 1994; Clarke, Grumberg and Peled, Model Checking, 1999). Which thread that is, is a pure function of the
//! state as the store sees it, so the reduced system is an ordinary one: every search, every store and every
//! property automaton can be combined with it. (A decision that depends on the stack of a search is what
//! makes the combination of reductions with products of automata unsound: Siegel, What's wrong with
//! on-the-fly partial order reduction, CAV 2019.)
//!
//! # Which steps are ample
//!
//! The steps of a thread at a location are ample if the following holds for *all* transitions there, enabled
//! or not, and for all statements that a step can reach from there (fused locations and atomic blocks
//! included):
//!
//! - **C0.** At least one is enabled, and all enabled ones lead to a state: behind a fault or a bound, what
//!   other threads do would be lost.
//! - **C1.** Nothing that other threads may do before them can change their effects, or notice them. What a
//!   statement accesses apart from its thread's variables is a set of *resources* (`footprint`); what the
//!   other threads may still access is known for each location (`analysis`): everything that can come after
//!   it, also in threads that are started. Both sets are compared in the current state. So a global is as
//!   good as a local while no other thread can access it. A receive satisfies this if there is a message and
//!   no other thread receives from that channel or inspects it, a send if there is room and no other thread
//!   sends to it or inspects it; which channels other threads use is read from the state (`channels`). A
//!   thread that only waits in a guard until there is a message is not affected by one more message, and a
//!   thread that waits for room is not affected by more room (`assured`). Claims of threads (`xr`, `xs`) are
//!   not relied on, only checked. Messages that a monitor watches are sent and received in all orders.
//!   Accesses to objects, and to channels that are objects, are found by performing them (`heap`): the objects may be ones that only the thread
//!   can reach (`owners`), or ones that other threads use only with a lock that the thread holds, as far as
//!   the program follows that discipline (`discipline`). [`Classes`] says which of these are permitted.
//! - **C2.** They write nothing that properties of runs read. They may write what properties of states
//!   (invariants) read if no other thread can write it before: then all states that are left out on the way
//!   look like the current state, which is not left out.
//! - **C3.** No location that is passed is *sticky*.
//!
//! Otherwise all steps are offered.
//!
//! # What it costs
//!
//! A state in which no thread is at a candidate location costs one table access per thread. The others cost,
//! for each candidate, one table access per other thread (`conflicts`), and only then the checks that depend
//! on more than locations: channels and their loads, the cycle cut (`cycle_cut`), and finally the thread's
//! own steps. What other threads can do in the current state is never computed. If the engine has the
//! successors of the thread in its cache, the cache provides these steps and the knowledge that they succeed;
//! otherwise they are tried.
//!
//! # The proviso
//!
//! Steps that are postponed must not be postponed for ever: every cycle of the reduced system must have a
//! state in which all steps are offered. The proviso is static, as in Kurshan, Levin, Minea, Peled and
//! Yenigün (Static partial order reduction, TACAS 1998). Every cycle of a procedure's control flow goes
//! through a sticky location (`cycles`), except for the cycles on which a counter rises and nothing decreases
//! it (`ranks`): these never lead to the same state twice. A thread with a sticky location in its step has no
//! ample steps, with one exception. In programs with observable thread ids, a thread may leave a sticky
//! location by ample steps if all its transitions there are messages or *detours*, and the thread is not in
//! the *cycle cut*. A detour leads back only through a sticky location that is *firm*: one that no thread
//! ever leaves by ample steps. One thread *feeds* another if, in the future that their locations have, it may
//! send a message that the other may receive to leave a sticky location, or receive a message that the other
//! may send to leave one. The cycle cut is a set of threads, chosen by the relation "feeds" alone, that
//! contains a thread of every cycle of this relation (a feedback vertex set).
//!
//! *Proof.* Take a cycle of states in which only ample steps are taken. Starting a thread is never ample, so
//! no thread is started, and none ends. (Under thread symmetry, threads change places, but their moves still
//! form cycles: the steps are a circulation on locations, which decomposes into cycles.) A thread that moves
//! follows a cycle of its control flow; if it makes calls, its lowest frame that moves does. Its variables
//! return to their values, so it does not only follow cycles on which a counter rises, and it takes a sticky
//! transition. Without the exception, it had no ample steps at that point: all steps were offered. With the
//! exception, it takes a transition that is not a detour at some sticky location, since it does not return
//! from detours without passing a firm location. So it is not in the cycle cut, and it receives or sends a
//! message there. Suppose that it receives one. At the end of the cycle there are as many messages in that
//! channel as at its beginning, so some thread sends one in this cycle: a thread that moves, and feeds it.
//! The same holds for a message that is sent. So every thread that moves is fed by one that moves, and
//! following this relation backwards yields a cycle of it without a thread of the cycle cut. But the relation
//! "feeds" is the same in all states of the cycle, and so is the cycle cut: a thread on a cycle of its
//! control flow has the same future everywhere, and channels are distinguished only if they are named by
//! expressions that never change. ∎
//!
//! # Dependences that are easy to miss
//!
//! - *An alternative to a message.* If there is an `else`, another rank, or an atomic block that other
//!   threads may interrupt, a thread that cannot send does not wait: it notices that there is no room
//!   (`footprint::sensing`).
//! - *A rendezvous.* A thread that arrives where a message is awaited changes what a sender with an
//!   alternative does. Where channels are objects, any sender may be in the middle of an atomic block, so an
//!   arrival conflicts with all sends that may be by hand; and since a thread that waits for such a message is moved by
//!   another thread, whatever else it may do there, it has no ample steps.
//! - *Ends.* Only the youngest thread can end. Its end makes another thread the youngest, which only lets
//!   that thread end as well; but it frees its number, its channels and its claims. Its channels are removed
//!   with it, which is a use of these channels that conflicts with all others (`UseKind::End`), and of no
//!   other channel. Threads older than a thread that stays where it is do not end before it, so the removal
//!   of their channels does not concern it. A thread that is started later has channels with numbers that are
//!   free at that time: for such a number to be that of a channel that exists now, this channel must have
//!   been removed first, which is a conflict already. The end itself is ample if no other thread may use the
//!   channels, no thread may start threads, and no thread reads the number of threads.
//! - *Arrivals.* The location of a thread, and its variables that other threads read, belong to the thread.
//!   Two threads of a procedure may both write such a resource, in either order: only a thread that reads it
//!   conflicts with them.
//! - *Names.* The creation of objects by two threads commutes only if names are not observable: below the
//!   heap level of symmetry, reduction is not available for programs with objects. The number of
//!   objects that exist at a time depends on the order too: a search that exceeds a bound on them is
//!   [invalidated](Invalidated).
//! - *The middle of an atomic block.* A thread that cannot take a lock there lets other threads run. A thread
//!   that has several ways to continue there excludes all other threads meanwhile, so steps that lead there
//!   are not ample.
//! - *Timeouts* are false while a thread has ample steps, since no thread can disable these.
//!
//! # Fair runs
//!
//! Whether a run is weakly fair depends on which threads are enabled in its states. A fair run takes the
//! steps that are ample in a state sooner or later, because no thread can disable them: taking them first
//! only changes the order of its steps. If they do not change whether other threads are enabled either, each
//! of these threads is disabled as often as before. So if runs are to be fair, only ample steps of that kind
//! are used ([`Analysis::for_fair_runs`]), and whether a thread is enabled is determined by all its steps,
//! not by those that are offered.
//!
//! [`obstacle`] says which programs are not reduced at all.

mod analysis;
mod assured;
mod bits;
mod channels;
mod conflicts;
mod cycle_cut;
mod cycles;
mod discipline;
mod flow;
mod footprint;
mod futures;
mod heap;
mod owners;
mod ranks;
mod reduced;
mod sets;
#[cfg(feature = "testing")]
pub mod testing;

pub use analysis::{Analysis, Classes, Observed, obstacle, visible};
pub use discipline::Breach;
pub use reduced::{Counts, Invalidated, Reduced};
