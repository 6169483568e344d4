// The dining philosophers. A fork is a channel with one place: it is taken while there is something in it.
// Everybody takes the left fork first, except for one, who takes the right one: so nobody waits in a circle.
//
// verdict: holds
// states: 6784
// transitions: 27905
#ifndef N
#define N 5
#endif

chan fork[N] = [1] of { byte };
bool eats[N];

active [N] proctype Philosopher() {
  byte one = _pid, two = (_pid + 1) % N;
  if
  :: _pid == N - 1 ->
     one = two;
     two = _pid
  :: else
  fi;
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
