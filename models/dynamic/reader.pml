// A reader walks a list while a writer takes a cell out and deletes it. The reader counts itself in and out, and
// the writer waits until nobody reads.
//
// verdict: holds
// states: 34
// orbits: 34
typedef Cell {
  byte key;
  Cell& next
};

Cell& first;
byte readers;
bool writing;

active proctype Reader() {
  Cell& at;
  byte sum;
  atomic { !writing -> readers++ };
  at = first;
  do
  :: at != null ->
     sum = sum + at.key;
     at = at.next
  :: else -> break
  od;
  readers--
}

active proctype Writer() {
  Cell& victim;
  atomic { readers == 0 && !writing && first != null -> writing = true };
  victim = first.next;
  first.next = victim.next;
  delete victim;
  writing = false
}

active proctype Builder() {
  Cell& cell;
  atomic {
    cell = new Cell;
    cell.key = 2;
    cell.next = null;
    first = new Cell;
    first.key = 1;
    first.next = cell;
    cell = null
  }
}
