// A watchman looks from outside whether the workers can move, and gives one more permit when none of them
// can, as long as there are any in his box. Workers use up permits. Nobody is left waiting before the box is
// empty.
//
// verdict: holds
// states: 133
// transitions: 163
#ifndef PERMITS
#define PERMITS 20
#endif

byte permits, box = PERMITS;
byte used;
local byte seen; // only the watchman uses it

active [2] proctype Worker() {
end:
  do
  :: atomic { permits > 0 -> permits-- }
     used++;
     assert(used + permits + box <= PERMITS)
  od
}

active proctype Watchman() {
  do
  :: atomic {
       !enabled(0) && !enabled(1) && box > 0 ->
       assert(permits == 0);
       box--;
       permits++;
       seen = used
     }
  :: box == 0 -> break
  od;
  used == PERMITS
}
