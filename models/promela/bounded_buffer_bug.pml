// Producers and consumers with a monitor, as in bounded_buffer.pml.
// Planted: there is one condition variable for both. A wake-up that is meant for a consumer reaches a
// producer, which goes to sleep again, and in the end all sleep.
//
// verdict: violated deadlock
// states: 1894
// transitions: 3571
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef PLACES
#define PLACES 1
#endif
#define THREADS (PRODUCERS + CONSUMERS)

bool locked;
bool asleep[THREADS];
chan changed = [THREADS] of { byte }; // who waits
byte count;

inline enter() {
  atomic { !locked -> locked = true }
}

inline leave() {
  locked = false
}

inline wait(condition) {
  atomic {
    condition!_pid;
    asleep[_pid] = true;
    locked = false
  }
  !asleep[_pid];
  enter()
}

inline wake(condition) {
  atomic {
    if
    :: condition?who ->
       asleep[who] = false;
       who = 0
    :: empty(condition)
    fi
  }
}

active [PRODUCERS] proctype Producer() {
  byte who;
  do
  :: enter();
     do
     :: count == PLACES -> wait(changed)
     :: else -> break
     od;
     count++;
     assert(count <= PLACES);
     wake(changed);
     leave()
  od
}

active [CONSUMERS] proctype Consumer() {
  byte who;
  do
  :: enter();
     do
     :: count == 0 -> wait(changed)
     :: else -> break
     od;
     count--;
     wake(changed);
     leave()
  od
}
