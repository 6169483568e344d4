// Readers and writers with two semaphores. The first reader takes the room and the last one gives it back; a
// second semaphore guards the count of readers. The count is read and written in two steps, as by a machine
// without better instructions.
//
// verdict: holds
// states: 11317
// transitions: 26484
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
     :: readers == 1 -> down(room)
     :: else
     fi;
     up(guard);
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
