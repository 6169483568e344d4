// The queue lock of Mellor-Crummey and Scott. Who wants in swaps itself into the tail of a queue, links
// itself to the one before and waits on a flag of its own; who leaves hands over to the one behind, or takes
// the queue away if it is still the only one.
//
// verdict: holds
// states: 9279
// transitions: 25306
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
        waits[_pid] = true;
        behind[before] = _pid;
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
