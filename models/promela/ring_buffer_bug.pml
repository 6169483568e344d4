// A ring buffer without locks, as in ring_buffer.pml.
// Planted: the indexes have as many bits as the places need and none more. A full buffer looks like an empty
// one.
//
// verdict: violated assertion
// states: 7194
// transitions: 13853
#ifndef SIZE
#define SIZE 4
#define INDEX 2
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
