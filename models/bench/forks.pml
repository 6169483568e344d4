// The dining philosophers with forks as an array. Everybody takes the left fork first, except for one, who
// takes the right one.
//
// verdict: holds
// states: 338769
// transitions: 2605861
#ifndef N
#define N 11
#endif
#define ONE (_pid == N - 1 -> 0 : _pid)
#define TWO (_pid == N - 1 -> N - 1 : _pid + 1)

bool taken[N];

active [N] proctype Philosopher() {
  do
  :: atomic { !taken[ONE] -> taken[ONE] = true };
     atomic { !taken[TWO] -> taken[TWO] = true };
     taken[TWO] = false;
     taken[ONE] = false
  od
}
