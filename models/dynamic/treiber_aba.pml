// A lock-free stack whose cells are used again: a popped cell is pushed again rather than deleted. That its top is the
// cell that was read does not mean that nothing has happened (the ABA problem), so the top has a version, which
// every change increments and the compare-and-swap compares, too (IBM System/370, 1983).
//
// verdict: holds
// states: 807
// orbits: 805
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
  byte seen;
  do
  :: seen = version;
     cell = top;
     if
     :: cell == null -> return null
     :: else -> next = cell.next
     fi;
     atomic {
       if
       :: top == cell && version == seen ->
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
