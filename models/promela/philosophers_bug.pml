// The dining philosophers, as in philosophers.pml.
// Planted: everybody takes the left fork first. When all have one, all wait in a circle.
//
// verdict: violated deadlock
// states: 1022
// transitions: 3321
#ifndef N
#define N 5
#endif

chan fork[N] = [1] of { byte };
bool eats[N];

active [N] proctype Philosopher() {
  byte one = _pid, two = (_pid + 1) % N;
  do
  :: fork[one]!_pid;
     fork[two]!_pid;
     eats[_pid] = true;
     assert(!eats[(_pid + 1) % N] && !eats[(_pid + N - 1) % N]);
     eats[_pid] = false;
     fork[two]?eval(_pid);
     fork[one]?eval(_pid)
  od
}
