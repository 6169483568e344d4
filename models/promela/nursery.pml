// Two dispatchers start short-lived workers, JOBS each, and have at most LIMIT of them at a time: they look
// at the number of processes and start one in the same step. Worker numbers are used again after their
// workers have died.
//
// verdict: holds
// states: 10407
// transitions: 31596
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
    atomic {
      _nr_pr < DISPATCHERS + LIMIT ->
      worker = run Worker(job)
    }
    assert(worker > 0)
  }
  done == DISPATCHERS * JOBS
}
