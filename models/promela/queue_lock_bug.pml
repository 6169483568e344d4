// The queue lock, as in queue_lock.pml.
// Planted: a thread links itself before it raises its flag. The one before may hand over in between, and the
// flag is raised for ever.
//
// verdict: violated deadlock
// states: 11829
// transitions: 32062
#ifndef N
#define N 3
#endif
#define NOBODY N

byte tail = NOBODY;
byte behind[N] = NOBODY;
bool waits[N];
byte inside;

active [N] proctype Thread() {
  byte before = NOBODY;
  do
  :: behind[_pid] = NOBODY;
     atomic { // swap
       before = tail;
       tail = _pid
     }
     if
     :: before != NOBODY ->
        behind[before] = _pid;
        waits[_pid] = true;
        before = NOBODY;
        !waits[_pid]
     :: else
     fi;
     inside++;
     assert(inside == 1);
     inside--;
     if
     :: behind[_pid] == NOBODY ->
        if
        :: atomic { tail == _pid -> tail = NOBODY } // compare and swap
        :: atomic { tail != _pid -> skip }
           behind[_pid] != NOBODY; // is about to link itself
           waits[behind[_pid]] = false
        fi
     :: behind[_pid] != NOBODY ->
        waits[behind[_pid]] = false
     fi
  od
}
