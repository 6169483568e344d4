// The filter lock, as in filter.pml.
// Planted: a process does not wait for others on its own rung, only for higher ones. So two who arrive
// together climb together.
//
// verdict: violated assertion
// states: 512
// transitions: 1057
#ifndef N
#define N 2
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
       :: other != _pid && rung[other] <= mine
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
