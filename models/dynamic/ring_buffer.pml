// A ring buffer between a producer and a consumer, without a lock: the slots are one block, `new Slot[SIZE]`, and
// each process works on a pointer to the slot that is its turn. A slot is ready once its value is there.
//
// verdict: holds
// states: 521
// orbits: 521
#define SIZE 2
#define ITEMS 4

typedef Slot {
  byte value;
  bool ready
};

Slot& ring;

proctype Producer() {
  byte at;
  byte made;
  Slot& slot;
  do
  :: made < ITEMS ->
     slot = &ring[at];
     !slot.ready;
     slot.value = made + 1;
     slot.ready = true;
     slot = null;
     at = (at + 1) % SIZE;
     made++
  :: else -> break
  od
}

proctype Consumer() {
  byte at;
  byte taken;
  Slot& slot;
  do
  :: taken < ITEMS ->
     slot = &ring[at];
     slot.ready;
     assert(slot.value == taken + 1);
     slot.ready = false;
     slot = null;
     at = (at + 1) % SIZE;
     taken++
  :: else -> break
  od;
  delete ring;
  ring = null
}

init {
  atomic {
    ring = new Slot[SIZE];
    run Producer();
    run Consumer()
  }
}
