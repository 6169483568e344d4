// A semaphore that is a process, as in semaphore_server.pml.
// Planted: the semaphore lets clients in without a look at the permits, whose number runs over below 0.
//
// verdict: violated assertion, deadlock
// states: 5040
// transitions: 18177
// property bounded: violated
// property served: violated
// property accept: violated
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
  :: true ->
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
