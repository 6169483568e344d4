// Two-phase commit as a set of rules. A manager that works prepares and votes, or gives up by itself; its vote
// is noted, as often as anybody looks at it. The coordinator commits when all votes are noted, or aborts at
// any time before; each manager hears of that, again and again. Messages are facts that never go away, so
// there are no channels: nearly every state has steps that change nothing.
//
// verdict: holds
// states: 10340352
// transitions: 123558402
#ifndef N
#define N 9
#endif

mtype:manager = { working, prepared, committed, aborted };
mtype:decision = { undecided, commit, abort };

mtype:manager manager[N] = working;
mtype:decision decision = undecided;
bool voted[N], noted[N];
byte votes; // how many are noted

active [N] proctype Manager() {
  do
  :: d_step {
       manager[_pid] == working ->
       manager[_pid] = prepared;
       voted[_pid] = true
     }
  :: d_step {
       manager[_pid] == working ->
       manager[_pid] = aborted
     }
  :: d_step {
       decision == undecided && voted[_pid] ->
       votes = votes + 1 - noted[_pid];
       noted[_pid] = true
     }
  :: d_step {
       decision == commit ->
       assert(manager[_pid] != aborted);
       manager[_pid] = committed
     }
  :: d_step {
       decision == abort ->
       assert(manager[_pid] != committed);
       manager[_pid] = aborted
     }
  od
}

active proctype Coordinator() {
  do
  :: d_step { decision == undecided && votes == N -> decision = commit }
  :: d_step { decision == undecided -> decision = abort }
  od
}
