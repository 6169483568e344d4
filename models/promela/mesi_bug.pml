// Cache coherence, as in mesi.pml.
// Planted: a cache that has modified the line gives it up without a flush, and the next one reads what is
// old.
//
// verdict: violated assertion
// states: 7327
// transitions: 14707
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
