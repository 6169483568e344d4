// The stack of treiber_aba.pml.
// Planted: the compare-and-swap does not compare the version, so a cell is on the stack that somebody has.
//
// verdict: violated assertion
// states: 431
// orbits: 429
typedef Cell {
  bool taken;
  Cell& next
};

Cell& top;
byte version;

function push(Cell& cell) {
  do
  :: cell.next = top;
     atomic {
       if
       :: top == cell.next ->
          cell.taken = false;
          top = cell;
          version++;
          return
       :: else
       fi
     }
  od
}

function pop() : Cell& {
  Cell& cell;
  Cell& next;
  do
  :: cell = top;
     if
     :: cell == null -> return null
     :: else -> next = cell.next
     fi;
     atomic {
       if
       :: top == cell ->
          assert(!cell.taken);
          cell.taken = true;
          top = next;
          version++;
          return cell
       :: else
       fi
     }
  od
}

proctype Taker() {
  Cell& first;
  Cell& second;
  first = pop();
  second = pop()
}

proctype Recycler() {
  Cell& first;
  Cell& second;
  first = pop();
  second = pop();
  if
  :: first != null -> push(first)
  :: else
  fi
}

init {
  atomic {
    top = new Cell;
    top.next = new Cell;
    run Taker();
    run Recycler()
  }
}
