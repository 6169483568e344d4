// An elevator that serves calls. It goes on in its direction as long as somebody waits there, stops where it
// was called, opens its door and closes it before it moves. People press buttons until they have done so
// PRESSES times.
//
// verdict: holds
// states: 24999
// transitions: 51282
#ifndef FLOORS
#define FLOORS 4
#endif
#ifndef PRESSES
#define PRESSES 3
#endif
#define TOP (FLOORS - 1)
#define UP 1
#define DOWN -1
#define CALLED(floor) (called[floor])

bool called[FLOORS];
bool open, moves;
byte floor;
short direction = UP;

// Is anybody waiting beyond this floor, as the elevator goes?
inline look_ahead(found) {
  found = false;
  probe = floor + direction;
  do
  :: probe >= 0 && probe <= TOP ->
     found = found || CALLED(probe);
     probe = probe + direction
  :: else -> break
  od;
  probe = 0
}

inline serve() {
  open = true;
  assert(!moves);
  called[floor] = false;
  open = false
}

inline move() {
  moves = true;
  assert(!open);
  assert(floor + direction >= 0 && floor + direction <= TOP);
  floor = floor + direction;
  moves = false
}

active proctype Elevator() {
  short probe;
  bool ahead;
end:
  do
  :: CALLED(floor) -> serve()
  :: !CALLED(floor) ->
     atomic { look_ahead(ahead) }
     if
     :: ahead -> move()
     :: !ahead ->
        direction = -direction;
        atomic { look_ahead(ahead) }
        if
        :: ahead -> move()
        :: else
        fi
     fi
  od
}

active proctype People() {
  byte button, i;
  for (i : 1 .. PRESSES) {
    select (button : 0 .. TOP);
    called[button] = true
  }
}
