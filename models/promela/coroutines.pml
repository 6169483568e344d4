// Two coroutines, neither of which may move twice in succession: each is executed only if the last to move
// was somebody else. So they count in step, up to COUNT and again from 0.
//
// verdict: holds
// states: 120
// transitions: 121
#ifndef COUNT
#define COUNT 60
#endif

byte count[2];

active [2] proctype Coroutine() provided (_last != _pid) {
  do
  :: d_step {
       count[_pid] = (count[_pid] + 1) % COUNT;
       assert(count[0] == count[1] || count[1] == (count[0] + 1) % COUNT)
     }
  od
}
