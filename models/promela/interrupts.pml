// Workers use a shared device and are interrupted at any point, which they notice before anything else. The
// handler gives the device back if the worker has it, and the work starts anew. INTERRUPTS come in all; each
// interrupt line holds one.
//
// verdict: holds
// states: 21858
// transitions: 59969
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
    if
    :: owner == _pid -> owner = NOBODY
    :: else
    fi;
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
