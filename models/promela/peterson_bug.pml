// Mutual exclusion for two, as in peterson.pml.
// Planted: the two lines before the wait are swapped. A process that yields before it says what it wants can
// be overtaken in between by one that sees nobody.
//
// verdict: violated assertion
// states: 1132
// transitions: 2207
#ifndef WRITES
#define WRITES 3
#endif
#define OTHER (1 - _pid)

bool wants[2];
byte yields; // the one that lets the other go first
byte slate;

active [2] proctype Contender() {
  byte written;
  do
  :: yields = _pid;
     wants[_pid] = true;
     if
     :: !wants[OTHER]
     :: yields != _pid
     fi;
     do
     :: written < WRITES ->
        slate = _pid;
        written++;
        assert(slate == _pid)
     :: else ->
        written = 0;
        break
     od;
     wants[_pid] = false
  od
}
