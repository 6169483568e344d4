// The stack of treiber_stack.pml.
// Planted: a popped cell is deleted at once, while another process may be about to read it.
//
// verdict: violated use-after-free
// states: 3846
// orbits: 1968
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
  delete cell
}

proctype Worker(bit me) {
  push(1 + me);
  pop(me)
}

init {
  atomic { run Worker(0); run Worker(1) }
}
