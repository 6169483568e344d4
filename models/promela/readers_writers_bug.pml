// Readers and writers, as in readers_writers.pml.
// Planted: the first reader gives the count back before it has the room. A second reader then finds that it
// is not the first, and goes in while a writer is still there.
//
// verdict: violated assertion
// states: 20593
// transitions: 53424
#ifndef READERS
#define READERS 3
#endif
#ifndef WRITERS
#define WRITERS 2
#endif

byte room = 1, guard = 1; // semaphores
byte readers;
byte reading, writing;    // who is really in

inline down(semaphore) {
  atomic { semaphore > 0 -> semaphore-- }
}

inline up(semaphore) {
  semaphore++
}

inline change_readers(by) {
  seen = readers;
  readers = seen + by
}

active [READERS] proctype Reader() {
  byte seen;
  do
  :: down(guard);
     change_readers(1);
     if
     :: readers == 1 ->
        up(guard);
        down(room)
     :: else -> up(guard)
     fi;
     reading++;
     assert(writing == 0);
     reading--;
     down(guard);
     change_readers(-1);
     if
     :: readers == 0 -> up(room)
     :: else
     fi;
     up(guard)
  od
}

active [WRITERS] proctype Writer() {
  do
  :: down(room);
     writing++;
     assert(writing == 1 && reading == 0);
     writing--;
     up(room)
  od
}
