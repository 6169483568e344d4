// Workers with a shared device and interrupts, as in interrupts.pml.
// Planted: the handler does not give the device back, and nobody ever gets it again.
//
// verdict: violated deadlock
// states: 16840
// transitions: 44545
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef INTERRUPTS
#define INTERRUPTS 2
#endif
#define NOBODY WORKERS

byte owner = NOBODY;
byte slate;
chan line[WORKERS] = [1] of { bit };

active [WORKERS] proctype Worker() {
  byte jobs;
again:
  {
    do
    :: jobs < 2 ->
       atomic { owner == NOBODY -> owner = _pid }
       slate = _pid;
       assert(slate == _pid && owner == _pid);
       d_step {
         owner = NOBODY;
         jobs++
       }
    :: else -> goto done
    od
  } unless {
    line[_pid]?1;
    goto again
  }
done:
  skip
}

active proctype Source() {
  byte i, sent;
  do
  :: sent < INTERRUPTS ->
     select (i : 0 .. WORKERS - 1);
     if
     :: line[i]!1
     :: full(line[i]) // the line is raised already
     fi;
     sent++;
     i = 0
  :: break
  od
}
