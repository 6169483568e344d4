// The list of ordered_list.pml.
// Planted: the lock is taken after the place has been found, so that somebody else may have changed it.
//
// verdict: violated assertion
// states: 35019
// orbits: 6339
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

function count(Cell& at) : byte = (at == null -> 0 : 1 + count(at.next));

function insert(Cell& cell) {
  Cell& before;
  Cell& after;
  before = first;
  after = first.next;
  do
  :: after != null && after.key < cell.key ->
     before = after;
     after = after.next
  :: else -> break
  od;
  atomic { !locked -> locked = true };
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
  assert(locked || sorted(first));
  assert(length < N || locked || count(first.next) == N)
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
