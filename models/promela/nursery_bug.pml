// Dispatchers that start workers, as in nursery.pml.
// Planted: a dispatcher looks at the number of processes and starts one in two steps. Both dispatchers find
// the same last place free.
//
// verdict: violated assertion
// states: 28883
// transitions: 96244
#ifndef JOBS
#define JOBS 3
#endif
#ifndef LIMIT
#define LIMIT 2
#endif
#define DISPATCHERS 2

byte done;

proctype Worker(byte job) {
  assert(_pid >= DISPATCHERS && _pid < DISPATCHERS + LIMIT);
  atomic {
    done++;
    job = 0
  }
}

active [DISPATCHERS] proctype Dispatcher() {
  byte job;
  pid worker;
  for (job : 1 .. JOBS) {
    _nr_pr < DISPATCHERS + LIMIT;
    worker = run Worker(job);
    assert(worker > 0)
  }
  done == DISPATCHERS * JOBS
}
