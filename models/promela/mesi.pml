// Cache coherence with the states modified, exclusive, shared and invalid, for one line in CACHES caches. A
// cache that misses, upgrades or writes back takes the bus; then the others snoop one by one, give up what
// they hold or share it, and flush what they have modified. Whoever is alone writes without the bus. A cache
// that holds the line holds what was written last.
//
// verdict: holds
// states: 5897
// transitions: 12189
#ifndef CACHES
#define CACHES 2
#endif
#define FREE CACHES

mtype:line = { invalid, shared, exclusive, modified };

typedef Cache {
  mtype:line line = invalid;
  bit copy
}

Cache cache[CACHES];
byte bus = FREE;
bit memory;
bit latest; // what was written last; not part of the protocol

#define MINE cache[_pid]

inline take_bus() {
  atomic { bus == FREE -> bus = _pid }
}

// All other caches see the request and go to the state `then`.
inline snoop(then) {
  alone = true;
  for (i : 0 .. CACHES - 1) {
    atomic {
      if
      :: i != _pid && cache[i].line != invalid ->
         if
         :: cache[i].line == modified -> memory = cache[i].copy
         :: else
         fi;
         cache[i].line = then;
         alone = false
      :: else
      fi
    }
  }
}

inline write() {
  d_step {
    latest = 1 - latest;
    MINE.copy = latest;
    MINE.line = modified
  }
}

active [CACHES] proctype Controller() {
  byte i;
  bool alone;
  do
  :: atomic { MINE.line != invalid -> assert(MINE.copy == latest) }
  :: atomic { MINE.line == exclusive || MINE.line == modified -> write() }
  :: MINE.line == invalid ->
     take_bus();
     snoop(shared);
     atomic {
       MINE.copy = memory;
       MINE.line = (alone -> exclusive : shared);
       bus = FREE
     }
  :: MINE.line == invalid || MINE.line == shared ->
     take_bus();
     snoop(invalid);
     atomic { write(); bus = FREE }
  :: MINE.line == modified -> // write back, if nobody was faster
     take_bus();
     d_step {
       if
       :: MINE.line == modified -> memory = MINE.copy
       :: else
       fi;
       MINE.line = invalid;
       bus = FREE
     }
  od
}
