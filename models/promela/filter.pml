// The filter lock: mutual exclusion for N. A process climbs rungs 1 to N - 1; on each it signs as the last to
// arrive and waits until somebody else signs or nobody else is as high. Every look at another process is a
// step of its own. At least one process stays behind on each rung, so one alone gets to the top.
//
// verdict: holds
// states: 24624
// transitions: 68458
#ifndef N
#define N 3
#endif

byte rung[N];   // by process, 0 outside
byte latest[N]; // by rung: the last process to arrive
byte inside;

active [N] proctype Climber() {
  byte mine = 1, other;
idle:
  do
  :: mine < N ->
     rung[_pid] = mine;
     latest[mine] = _pid;
     for (other : 0 .. N - 1) {
       if
       :: other == _pid
       :: other != _pid && rung[other] < mine
       :: other != _pid && latest[mine] != _pid
       fi
     }
     mine++
  :: else -> break
  od;
  atomic {
    inside++;
    assert(inside == 1)
  }
  inside--;
  atomic {
    rung[_pid] = 0;
    mine = 1;
    other = 0
  }
  goto idle
}
