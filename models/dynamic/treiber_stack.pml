// Treiber's lock-free stack (1986). Push and pop read the top, prepare, and replace the top by compare-and-swap,
// which is one atomic statement; who was too late starts again. Who pops publishes first which cell it is going
// to read, a hazard pointer (Michael 2004), and looks whether that is still the top. A popped cell is deleted by
// the process that popped it, after no hazard pointer of the other one leads to it.
//
// verdict: holds
// states: 4208
// orbits: 2151
typedef Cell {
  byte value;
  Cell& next
};

Cell& top;
Cell& hazard0;
Cell& hazard1;
byte taken;

function push(byte value) {
  Cell& cell;
  bool done;
  cell = new Cell;
  cell.value = value;
  do
  :: !done ->
     cell.next = top;
     atomic {
       if
       :: top == cell.next -> top = cell; done = true
       :: else
       fi
     }
  :: else -> break
  od
}

function protect(bit me; Cell& cell) {
  if
  :: me == 0 -> hazard0 = cell
  :: else -> hazard1 = cell
  fi
}

function pop(bit me) {
  Cell& cell;
  Cell& next;
  bool done;
  do
  :: !done ->
     cell = top;
     protect(me, cell);
     if
     :: cell == null -> return
     :: cell != null && cell == top ->
        next = cell.next;
        atomic {
          if
          :: top == cell -> top = next; taken = taken + cell.value; done = true
          :: else
          fi
        }
     :: else
     fi
  :: else -> break
  od;
  next = null;
  protect(me, null);
  (hazard0 != cell && hazard1 != cell);
  delete cell
}

proctype Worker(bit me) {
  push(1 + me);
  pop(me)
}

init {
  atomic { run Worker(0); run Worker(1) }
}

ltl all_taken { <> (taken == 3) }
