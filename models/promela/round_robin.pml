// A round-robin scheduler. Tasks run only while the processor is theirs; the timer takes it away at any time
// and puts them at the end of the queue. A task computes, waits for a device now and then, and ends after
// WORK units. A task that waits is not in the queue, and no task is in there twice.
//
// verdict: holds
// states: 16076
// transitions: 28784
#ifndef TASKS
#define TASKS 3
#endif
#ifndef WORK
#define WORK 2
#endif
#define NOBODY TASKS

mtype:phase = { ready, waiting, ended };

byte running = NOBODY;
chan queue = [TASKS] of { byte };
chan requests = [TASKS] of { byte };
mtype:phase phase[TASKS] = ready;

active [TASKS] proctype Task() provided (running == _pid) {
  byte units;
  do
  :: units < WORK -> units++
  :: units < WORK -> // nothing to compute before the device answers
     units++;
     atomic {
       phase[_pid] = waiting;
       requests!_pid;
       running = NOBODY
     }
  :: units == WORK ->
     atomic {
       phase[_pid] = ended;
       running = NOBODY
     }
     break
  od
}

active proctype Scheduler() {
  byte i;
  atomic {
    for (i : 0 .. TASKS - 1) {
      queue!i
    }
    i = 0
  }
end:
  do
  :: atomic {
       running == NOBODY && nempty(queue) ->
       queue?running;
       assert(phase[running] == ready && !queue??[eval(running)])
     }
  od
}

active proctype Timer() {
end:
  do
  :: atomic {
       running != NOBODY ->
       queue!running;
       running = NOBODY
     }
  od
}

active proctype Device() {
  byte i;
end:
  do
  :: atomic {
       requests?i ->
       phase[i] = ready;
       queue!i;
       i = 0
     }
  od
}
