// A reactor with two levels of escape. It heats up as it works; when it gets warm, it leaves the work for
// cooling, and when the alarm goes off, it leaves both, at once, and cools down for good. The pumps can fail
// meanwhile, but beyond HOT nothing heats it; at HOT the guard sets off the alarm.
//
// verdict: holds
// states: 1682
// transitions: 3749
#ifndef WARM
#define WARM 20
#endif
#ifndef HOT
#define HOT 25
#endif
#define MELTS (HOT + 1)

byte heat;
bool alarm, down;
byte load; // pieces of work that wait

active proctype Reactor() {
  {
    do
    :: {
         do
         :: heat < HOT -> heat = heat + 1
         :: load > 0 -> load--
         od
       } unless {
         heat >= WARM ->
         do
         :: heat > 2 -> heat = heat - 2
         :: heat <= 2 -> break
         :: heat < HOT -> heat++ // a pump fails
         od
       }
    od
  } unless {
    alarm ->
    atomic {
      heat = 0;
      down = true
    }
  }
}

active proctype Load() {
  do
  :: atomic { !down && load < 3 -> load++ }
  :: down -> break
  od
}

active proctype Guard() {
  if
  :: heat >= HOT -> alarm = true
  :: atomic { heat >= MELTS -> assert(false) }
  fi;
  down;
  assert(heat == 0)
}
