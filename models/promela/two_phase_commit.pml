// Two-phase commit. The coordinator asks N participants to prepare; each votes or fails before it does. When
// all have voted yes, all commit; after a no, or when no more votes come, all abort. A participant that voted
// no or failed has aborted already.
//
// verdict: holds
// states: 6395
// transitions: 19136
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
  :: votes?yes ->
     agreed++;
     if
     :: agreed == N ->
        outcome = commit;
        break
     :: else
     fi
  :: votes?no -> break
  :: timeout -> break
  od;
  for (i : 0 .. N - 1) {
    order[i]!outcome
  }
}
