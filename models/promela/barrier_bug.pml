// A barrier that is used again and again, as in barrier.pml.
// Planted: the sense is turned before the count is set back. A fast thread arrives for the next round in
// between, and is not counted.
//
// verdict: violated deadlock
// states: 37854
// transitions: 125521
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
        sense = mine;
        missing = N
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
