// Two-phase commit, as in two_phase_commit.pml.
// Planted: the coordinator counts answers, whatever they say, and commits when it has all of them.
//
// verdict: violated assertion, deadlock
// states: 3037
// transitions: 7735
#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort };

chan order[N] = [1] of { mtype };
chan votes = [N] of { mtype };
byte committed, aborted;

inline settle(counter) {
  d_step {
    counter++;
    assert(committed == 0 || aborted == 0)
  }
}

active [N] proctype Participant() {
  order[_pid]?prepare;
  if
  :: votes!yes;
     if
     :: order[_pid]?commit -> settle(committed)
     :: order[_pid]?abort -> settle(aborted)
     fi
  :: settle(aborted);
     votes!no;
     order[_pid]?abort
  :: settle(aborted); // fails
     order[_pid]?abort
  fi
}

active proctype Coordinator() {
  byte i, agreed;
  mtype outcome = abort;

  for (i : 0 .. N - 1) {
    order[i]!prepare
  }
  do
  :: votes?_ ->
     agreed++;
     if
     :: agreed == N ->
        outcome = commit;
        break
     :: else
     fi
  :: timeout -> break
  od;
  for (i : 0 .. N - 1) {
    order[i]!outcome
  }
}
