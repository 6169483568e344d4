// Producers and consumers share a buffer that is a monitor with two condition variables. Who waits gives the
// lock back and sleeps until woken, and then must get the lock again and look again: others may have been
// faster. A wake-up goes to the one that waits longest, or to nobody.
//
// verdict: holds
// states: 1690
// transitions: 3287
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
chan not_full = [THREADS] of { byte };  // who waits
chan not_empty = [THREADS] of { byte };
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
     :: count == PLACES -> wait(not_full)
     :: else -> break
     od;
     count++;
     assert(count <= PLACES);
     wake(not_empty);
     leave()
  od
}

active [CONSUMERS] proctype Consumer() {
  byte who;
  do
  :: enter();
     do
     :: count == 0 -> wait(not_empty)
     :: else -> break
     od;
     count--;
     wake(not_full);
     leave()
  od
}
