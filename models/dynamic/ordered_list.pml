// A list in increasing order, under one lock. Each process puts in its own key.
//
// verdict: holds
// states: 5085
// orbits: 1082
#define N 3

typedef Cell {
  byte key;
  Cell& next
};

Cell& first;
bool locked;
byte length;

function sorted(Cell& at) : bool =
  (at == null || at.next == null -> true : at.key <= at.next.key && sorted(at.next));

function insert(Cell& cell) {
  Cell& before;
  Cell& after;
  atomic { !locked -> locked = true };
  before = first;
  after = first.next;
  do
  :: after != null && after.key < cell.key ->
     before = after;
     after = after.next
  :: else -> break
  od;
  cell.next = after;
  before.next = cell;
  length++;
  locked = false
}

proctype Inserter(byte key) {
  Cell& cell;
  cell = new Cell;
  cell.key = key;
  insert(cell);
  assert(locked || sorted(first))
}

init {
  byte i;
  first = new Cell;
  atomic {
    for (i : 1 .. N) {
      run Inserter(N - i + 1)
    }
  }
}

ltl all_arrive { <> (length == N) }
