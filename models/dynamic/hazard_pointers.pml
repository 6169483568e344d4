// A configuration that one process replaces while others read it. Who reads says first, in a hazard pointer (Michael,
// 2004), which object that will be, and looks whether it is still the current one. Who replaces it keeps the old ones in
// a list, and deletes those to which no hazard pointer leads; the others wait for the next time.
//
// verdict: holds
// states: 38746
// orbits: 32012
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
  do
  :: mine = current;
     hazard[me] = mine;
     if
     :: current == mine -> break
     :: else
     fi
  od;
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
