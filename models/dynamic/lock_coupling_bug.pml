// The list of lock_coupling.pml.
// Planted: a cell is let go before the next one is locked, which may be deleted in the meantime.
//
// verdict: violated leak, use-after-free
// states: 4891
// orbits: 4563
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
     before.locked = false;
     lock(at);
     if
     :: at.key == key ->
        before.next = at.next;
        length--;
        delete at;
        break
     :: else
     fi;
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
