// An arena: cells are handed out from one block that is allocated once. The free ones are linked by pointers into the
// block, so that no cell is ever deleted by itself.
//
// verdict: holds
// states: 4564
// orbits: 4564
#define CELLS 2

typedef Cell {
  byte owner;
  Cell& next
};

Cell& arena;
Cell& free;
byte done;

function take(byte owner) : Cell& {
  Cell& cell;
  atomic {
    free != null;
    cell = free;
    free = cell.next
  };
  cell.next = null;
  cell.owner = owner;
  return cell
}

function give(Cell& cell) {
  atomic {
    cell.next = free;
    free = cell
  }
}

proctype User(byte me) {
  Cell& mine;
  mine = take(me);
  assert(mine.owner == me);
  give(mine);
  mine = null;
  atomic {
    done++;
    if
    :: done == 3 -> free = null; delete arena; arena = null
    :: else
    fi
  }
}

init {
  byte i;
  atomic {
    arena = new Cell[CELLS];
    for (i : 0 .. CELLS - 2) {
      arena[i].next = &arena[i + 1]
    }
    free = arena;
    run User(1);
    run User(2);
    run User(3)
  }
}
