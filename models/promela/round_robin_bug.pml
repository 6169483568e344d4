// A round-robin scheduler, as in round_robin.pml.
// Planted: the timer looks who is running, and only then takes the processor away. In between the task can
// have started to wait, or ended, and gets into the queue nevertheless.
//
// verdict: violated assertion, deadlock
// states: 3879
// transitions: 7478
#ifndef TASKS
#define TASKS 2
#endif
#ifndef WORK
#define WORK 1
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
  byte victim;
end:
  do
  :: atomic { running != NOBODY -> victim = running }
     atomic {
       queue!victim;
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
