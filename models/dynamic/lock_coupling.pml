// A list with a lock in each cell. Who walks it holds the lock of a cell until it has that of the next one, so
// that nobody overtakes. One process puts a key in while others take keys out.
//
// verdict: holds
// states: 1427
// orbits: 1365
typedef Cell {
  byte key;
  bool locked;
  Cell& next
};

Cell& first;
byte length;

function lock(Cell& cell) {
  atomic { !cell.locked -> cell.locked = true }
}

function remove(byte key) {
  Cell& before;
  Cell& at;
  before = first;
  lock(before);
  at = before.next;
  do
  :: at == null -> break
  :: else ->
     lock(at);
     if
     :: at.key == key ->
        before.next = at.next;
        length--;
        delete at;
        break
     :: else
     fi;
     before.locked = false;
     before = at;
     at = before.next
  od;
  before.locked = false
}

function put(byte key) {
  Cell& cell;
  lock(first);
  cell = new Cell;
  cell.key = key;
  cell.next = first.next;
  first.next = cell;
  length++;
  first.locked = false
}

proctype Remover(byte key) { remove(key) }

proctype Adder(byte key) { put(key) }

init {
  first = new Cell;
  put(1);
  put(2);
  atomic {
    run Remover(1);
    run Remover(2);
    run Adder(3)
  }
}
