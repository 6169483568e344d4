// Two coroutines that take turns, as in coroutines.pml.
// Planted: there is a third process. After it has moved, either coroutine may, also the one that moved
// before.
//
// verdict: violated assertion
// states: 18360
// transitions: 30961
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

active proctype Logger() {
  do
  :: count[0] % 10 == 9 -> skip
  od
}
