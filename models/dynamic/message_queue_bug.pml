// The queue of message_queue.pml.
// Planted: `put` looks at the front before it has the lock, so that a job can be lost, or linked to one that is deleted.
//
// verdict: violated leak, null-dereference, use-after-free
// states: 49227
// orbits: 5247
typedef Job { byte urgency; Job& behind };

Job& front;
bit locked;
byte present;

function put(Job& job) {
  Job& before; Job& at;
  at = front;
  atomic { locked == 0 -> locked = 1 };
  do
  :: at != null && at.urgency >= job.urgency -> before = at; at = at.behind
  :: else -> break
  od;
  job.behind = at;
  if
  :: before == null -> front = job
  :: else -> before.behind = job
  fi;
  present++;
  locked = 0
}

proctype Client(byte urgency) {
  Job& job;
  job = new Job;
  job.urgency = urgency;
  put(job)
}

proctype Dispatcher() {
  Job& job; byte taken;
  do
  :: taken < 3 ->
     atomic { locked == 0 && present > 0 -> locked = 1 };
     job = front;
     assert(job.behind == null || job.urgency >= job.behind.urgency);
     front = job.behind;
     present--;
     locked = 0;
     delete job;
     job = null;
     taken++
  :: else -> break
  od
}

init {
  atomic { run Client(1); run Client(2); run Client(2); run Dispatcher() }
}
