// A spin lock made with test-and-set, and an observer that looks into the other processes from outside: at
// which label they are, and at the values of their variables. The lock itself needs no counters for it.
//
// verdict: holds
// states: 16504
// transitions: 63749
#ifndef LOCKERS
#define LOCKERS 3
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif

bool lock;

active [LOCKERS] proctype Locker() {
  byte rounds;
  bool busy;
  do
  :: rounds < ROUNDS ->
try:
     atomic {
       busy = lock;
       lock = true
     }
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
