// Mutual exclusion for two, after Peterson. Whoever wants in says so, then lets the other go first; it waits
// only as long as the other wants in too and was not the last to be polite. In the critical section each
// writes its name on a slate WRITES times, and must find it there afterwards.
//
// verdict: holds
// states: 122
// transitions: 203
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
  :: wants[_pid] = true;
     yields = _pid;
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
