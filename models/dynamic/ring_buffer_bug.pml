// The ring buffer of ring_buffer.pml.
// Planted: a slot is marked as ready before its value is there.
//
// verdict: violated assertion, use-after-free
// states: 554
// orbits: 554
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
     slot.ready = true;
     slot.value = made + 1;
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
