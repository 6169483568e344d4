// Clients put jobs into a queue, the most urgent one first; a dispatcher takes them out in that order. One lock
// protects the queue.
//
// verdict: holds
// states: 16430
// orbits: 1954
typedef Job { byte urgency; Job& behind };

Job& front;
bit locked;
byte present;

function put(Job& job) {
  Job& before; Job& at;
  atomic { locked == 0 -> locked = 1 };
  at = front;
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
