//! Partial order reduction: of the orders in which independent steps can be taken, one is enough.
//!
//! [`Reduced`] is a system that offers, where it can, the steps of one thread only: an *ample* set. Which one is a pure
//! function of the state as the store sees it, so that the reduced system is an ordinary one: every search, every store and
//! every property automaton may be put on top of it. (After Holzmann and Peled; deciding by what a search has on its stack
//! is what makes reductions and products of automata go wrong together.)
//!
//! # Which steps are ample
//!
//! Those of a thread at a location if, for *all* transitions there, enabled or not, and all statements that a step can get
//! to from there (fused locations and atomic blocks included):
//!
//! - **C0.** One is enabled, and all that are lead to a state: behind a fault or a bound, what others do would be lost.
//! - **C1.** Nothing that others may do before can change what they do, or notice it. What a statement touches apart from its
//!   thread's variables is a set of *resources* (`footprint`); what the others may still touch is known for each location
//!   (`analysis`): all that can come after it, in threads that are started too. Both sets are compared in the
//!   state at hand. So a global is as good as a local while nobody else can get to it. A message is received if there is one
//!   and nobody else receives from that channel or looks into it, and sent if there is room and nobody else sends or
//!   looks; which channels others use is read from the state (`channels`). Who only waits in a guard until there is a message does
//!   not mind another one, and who waits for room does not mind more of it (`assured`). What threads claim (`xr`, `xs`) is not relied on,
//!   only checked. Messages that a monitor watches are sent and received in all orders. What is done to objects is found out by
//!   doing it (`heap`): they may be such that the thread alone can reach (`owners`), or such that others use only with a
//!   lock that the thread holds, as far as the program keeps to that (`discipline`). [`Classes`] tells which of these are
//!   permitted.
//! - **C2.** They write nothing that properties of runs read. What properties of states read (invariants) they may write if nobody
//!   else can do so before: then all states that are left out on the way look like the one at hand, which is not left out.
//! - **C3.** No location that is passed is *sticky*.
//!
//! Otherwise all steps are offered.
//!
//! # What it costs
//!
//! A state in which nobody is at a candidate location costs one look at each thread. The others cost, for each candidate, one
//! look into a table for each other thread (`conflicts`), and only then what depends on more than locations: channels and
//! their loads, porters (`porters`), and at last the thread's own steps. What others can do at the moment is never asked. Where the
//! engine remembers what threads can do, it tells these steps, and that they lead on; otherwise they are tried out.
//!
//! # The proviso
//!
//! Steps that are put off must not be put off for ever: every cycle of the reduced system has a state at which all steps are
//! offered. Every cycle of a procedure's control flow goes through a sticky location (`cycles`), except for those on which a
//! counter rises and nothing lets it fall (`ranks`): these lead to no state twice. A thread with a sticky
//! location in its step has no ample steps, with one exception. In programs with observable ids of threads, a thread may
//! leave a sticky location by ample steps if it can do so only by messages and by *detours*, and is no *porter*. A detour leads back only through a sticky
//! location that is *firm*: one that no thread ever leaves by ample steps. One thread *feeds* another if it may send a message that the
//! other may receive to leave a sticky location, or receive one that the other may send there, in the future that their
//! locations have. Porters are threads, chosen by who feeds whom alone, such that there is one on every circle of feeding.
//!
//! *Proof.* Take a cycle of states in which only ample steps are taken. To start threads is never ample, so none is started and
//! none ends. (Under thread symmetry, threads change places, but go round all the same: the steps are a circulation on
//! locations, which consists of cycles.) A thread that moves goes round in its control flow; if it makes calls, its lowest
//! frame that moves does. Its variables come back to their values, so it does not only go round where a counter rises, and
//! it takes a sticky transition. Without the exception, it had no ample steps then: all steps
//! were offered. With it, it takes another one than a detour at some sticky location, since it does not come back from these
//! without passing a firm one. So it is no porter, and receives a message. In the end there are as many in that channel as before, so
//! somebody sends one in this cycle: a thread that moves, and feeds it. The same holds for a message that is sent. So every thread
//! that moves is fed by one that moves, and following these back there is a circle without porter. But who feeds whom
//! is the same in all states of the cycle, and so are porters: a thread that goes round has the same future everywhere, and
//! channels are told apart only where they are named by what never changes. ∎
//!
//! # What is dependent in unexpected ways
//!
//! - *An alternative to a message.* Where there is an `else`, another rank, or an atomic block that others may interrupt,
//!   a thread that can't send does not wait: it notices that there is no room (`footprint::senses`).
//! - *A rendezvous.* Who comes to where a message is awaited changes what a sender with an alternative does.
//! - *Ends.* Only the youngest thread can end. It makes another one the youngest, which is no more than to let it end; but it
//!   frees its number, its channels and what it claims. Its channels go with it, which is a use of these channels that is in
//!   conflict with all others (`UseKind::End`), and of no other channel. Threads older than one that stays where it is do not end
//!   before it, so what they take with them is not in its way. A thread that is started later has channels with numbers that
//!   are free by then: to be that of a channel that exists now, that must have gone first, which is in conflict already. The
//!   end itself is ample if nobody else may use the channels, nobody may start threads, and nobody asks how many there are.
//! - *Arrivals.* Where a thread is, and what it has in variables that others ask for, is its own. Two threads of a procedure may
//!   both write such a resource, in either order: only who reads it is in conflict with them.
//! - *Names.* Two threads that make objects do so in either order only if nobody sees the names: below the heap level of
//!   symmetry, reduction is not for programs with objects. How many objects there are at a time depends on the order too: a search
//!   that exceeds a bound on them is [in doubt](Invalidated).
//! - *The middle of an atomic block.* A thread that can't take a lock there lets others in. Who goes on there in one of several
//!   ways keeps all others out meanwhile, so steps that lead there are not ample.
//! - *Timeouts* are false while a thread has ample steps, since nobody can disable these.
//!
//! # Fair runs
//!
//! Whether a run is weakly fair depends on who is enabled in its states. A fair run takes the steps that are ample in a state sooner or
//! later, as nobody can disable them: to take them first changes the order of its steps only. If they do not change whether others are
//! enabled either, each of these is disabled as often as before. So all but those are left out where runs are to be fair
//! ([`Analysis::for_fair_runs`]), and who is enabled is told by all steps, not by those that are offered.
//!
//! [`obstacle`] tells what programs are not reduced at all.

mod analysis;
mod assured;
mod bits;
mod channels;
mod conflicts;
mod cycles;
mod discipline;
mod flow;
mod footprint;
mod futures;
mod heap;
mod inert;
mod owners;
mod porters;
mod ranks;
mod reduced;
mod sets;
#[cfg(feature = "testing")]
pub mod testing;

pub use analysis::{Analysis, Classes, Observed, obstacle, visible};
pub use discipline::Breach;
pub use reduced::{Counts, Invalidated, Reduced};
