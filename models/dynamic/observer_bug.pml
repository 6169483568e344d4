// The observers of observer.pml.
// Planted: who leaves puts nothing in its place, and the subject calls what is not there.
//
// verdict: violated bad-call
// states: 154
// orbits: 154
#define EVENTS 3

ftype observers[2];
byte seen;
bool quiet;

function ignore(byte event) { skip }

function count(byte event) {
  seen++;
  if
  :: seen == 2 ->
     observers[0] = ignore;
     quiet = true
  :: else
  fi
}

function check(byte event) { assert(event > 0 && event <= EVENTS) }

active proctype Subject() {
  byte event, i;
  ftype call;
  atomic {
    observers[0] = count;
    observers[1] = check
  };
  for (event : 1 .. EVENTS) {
    for (i : 0 .. 1) {
      call = observers[i];
      call(event)
    }
  };
  assert(seen == 2 && quiet)
}

active proctype Newcomer() {
  (observers[1] == check) -> observers[1] = null
}
