// Observers: processes register functions with a subject, which calls them at each event. A function that has
// seen enough puts another one in its place.
//
// verdict: holds
// states: 176
// orbits: 176
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
  (observers[1] == check) -> observers[1] = ignore
}
