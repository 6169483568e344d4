// A token goes round. Only who has it can move, so it goes round for ever.
//
// verdict: holds
// states: 34
// transitions: 59
// property everybody: holds
// property settles: violated
// property progress: holds
#ifndef N
#define N 3
#endif

chan arc[N] = [1] of { bit };
byte holder = N;

active [N] proctype Station() {
  if
  :: _pid == 0 -> arc[0]!1
  :: else
  fi;
  do
  :: arc[_pid]?1 ->
progress:
     holder = _pid;
     arc[(_pid + 1) % N]!1
  od
}

ltl everybody { ([] <> (holder == 0)) && ([] <> (holder == 1)) && ([] <> (holder == N - 1)) }
ltl settles { <> [] (holder == 0) }
