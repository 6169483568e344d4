// The list of reader.pml.
// Planted: the writer does not wait for the reader, which may stand on the cell that is deleted.
//
// verdict: violated use-after-free
// states: 89
// orbits: 89
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
  atomic { readers++ };
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
  atomic { !writing && first != null -> writing = true };
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
