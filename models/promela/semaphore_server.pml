// A semaphore that is a process: clients ask for it with one handshake and give it back with another. The
// labels say that the server may rest, that being in is progress, and that a client waits; the formulas are
// for checks of liveness and are not part of the check for safety.
//
// verdict: holds
// states: 1840
// transitions: 6177
// property bounded: holds
// property served: holds
// property accept: violated
// property progress: holds
#ifndef CLIENTS
#define CLIENTS 4
#endif
#ifndef PERMITS
#define PERMITS 2
#endif

mtype = { take, give };

chan door = [0] of { mtype };
byte inside;

active proctype Semaphore() {
  byte permits = PERMITS;
end:
  do
  :: permits > 0 ->
end_some:
     if
     :: door?take -> permits--
     :: permits < PERMITS -> door?give; permits++
     fi
  :: permits == 0 -> door?give; permits++
  od
}

active [CLIENTS] proctype Client() {
  do
  :: true ->
accept_waits:
     door!take;
progress_inside:
     inside++;
     assert(inside <= PERMITS);
     inside--;
     door!give
  od
}

ltl bounded { [] (inside <= PERMITS) }
ltl served { [] <> (inside > 0) }
