// A spin lock and an observer, as in observer.pml.
// Planted: test and set are two steps.
//
// verdict: violated assertion
// states: 11870
// transitions: 45273
#ifndef LOCKERS
#define LOCKERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

bool lock;

active [LOCKERS] proctype Locker() {
  byte rounds;
  bool busy;
  do
  :: rounds < ROUNDS ->
try:
     busy = lock;
     lock = true;
     if
     :: busy -> goto try
     :: else
     fi;
critical:
     rounds++;
     lock = false
  :: else -> break
  od;
end:
  false // stays, so that it can be looked at
}

active proctype Observer() {
  byte i, j;
end:
  do
  :: atomic {
       for (i : 0 .. LOCKERS - 1) {
         assert(Locker[i]:rounds <= ROUNDS);
         for (j : 0 .. LOCKERS - 1) {
           assert(i == j || !(Locker[i]@critical && Locker[j]@critical))
         }
       }
       i = 0;
       j = 0
     }
  od
}
