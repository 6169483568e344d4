// A ring buffer between one writer and one reader, without locks. Both ends count with an index of INDEX bits
// that runs over on purpose: its lower bits are the place in the buffer, and one bit more tells a full buffer
// from an empty one. The reader gets all that was written, in order.
//
// verdict: holds
// states: 2266
// transitions: 4349
#ifndef SIZE
#define SIZE 4
#define INDEX 3
#endif
#define MASK (SIZE - 1)

unsigned head : INDEX;
unsigned tail : INDEX;
byte place[SIZE];

active proctype Writer() {
  unsigned datum : 4;
  unsigned used : INDEX;
  do
  :: used = head - tail;
     if
     :: used < SIZE ->
        place[head & MASK] = datum;
        head++;
        datum++
     :: else
     fi
  od
}

active proctype Reader() {
  unsigned awaited : 4;
  do
  :: tail != head ->
     assert(place[tail & MASK] == awaited);
     tail++;
     awaited++
  od
}
