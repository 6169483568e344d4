// A watchman and his workers, as in watchman.pml.
// Planted: the watchman does not look whether his box is empty. The number in there runs over.
//
// verdict: violated assertion
// states: 1548
// transitions: 1815
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
       !enabled(0) && !enabled(1) ->
       assert(permits == 0);
       box--;
       permits++;
       seen = used
     }
  :: box == 0 -> break
  od;
  used == PERMITS
}
