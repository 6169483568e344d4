// The configuration of hazard_pointers.pml.
// Planted: who reads does not look whether the object is still the current one after it has been protected.
//
// verdict: violated use-after-free
// states: 11242
// orbits: 10029
typedef Config {
  byte version;
  byte copy;
  Config& older
};

Config& current;
Config& hazard[2];
byte gone;

proctype Reader(byte me) {
  Config& mine;
  mine = current;
  hazard[me] = mine;
  assert(mine.version == mine.copy);
  hazard[me] = null;
  mine = null
}

proctype Writer() {
  Config& next; Config& retired; Config& at; Config& kept; byte round;
  do
  :: round < 2 ->
     round++;
     next = new Config;
     next.version = round;
     next.copy = round;
     current.older = retired;
     retired = current;
     current = next;
     next = null;
     /* Those that are still in use are kept. */
     kept = null;
     do
     :: retired != null ->
        at = retired;
        retired = at.older;
        if
        :: at == hazard[0] || at == hazard[1] -> at.older = kept; kept = at
        :: else -> delete at; gone++
        fi;
        at = null
     :: else -> break
     od;
     retired = kept;
     kept = null
  :: else -> break
  od;
  /* At the end everybody is waited for. */
  do
  :: retired != null ->
     at = retired;
     retired = at.older;
     (at != hazard[0] && at != hazard[1]);
     delete at;
     gone++;
     at = null
  :: else -> break
  od;
  assert(gone == 2)
}

init {
  atomic {
    current = new Config;
    run Reader(0);
    run Reader(1);
    run Writer()
  }
}
