// A barrier that is used again and again. The last thread to arrive sets the count back and then turns the
// sense of the barrier, for which the others wait. No thread is more than one round ahead of another.
//
// verdict: holds
// states: 14790
// transitions: 50257
#ifndef N
#define N 4
#endif
#ifndef ROUNDS
#define ROUNDS 3 // counted modulo this
#endif

byte missing = N;
bool sense;
byte round[N];

active [N] proctype Thread() {
  bool mine;
  bool last;
  byte i;
  do
  :: mine = !mine;
     atomic {
       missing--;
       last = (missing == 0)
     }
     if
     :: last ->
        missing = N;
        sense = mine
     :: else -> sense == mine
     fi;
     atomic {
       round[_pid] = (round[_pid] + 1) % ROUNDS;
       for (i : 0 .. N - 1) {
         assert(round[i] == round[_pid] || (round[i] + 1) % ROUNDS == round[_pid] ||
                round[i] == (round[_pid] + 1) % ROUNDS)
       }
       i = 0
     }
  od
}
