// A sliding window protocol that goes back, as in sliding_window.pml.
// Planted: there are only as many numbers as places in the window. When all acknowledgements of a window are
// lost, its repetition looks like the next window.
//
// verdict: violated assertion
// states: 10291
// transitions: 29337
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef WIRE
#define WIRE 1
#endif
#define NUMBERS WINDOW
#define DATA (2 * NUMBERS) // data are numbers too, but repeat later

chan frames = [WIRE] of { byte, byte };
chan acks = [WIRE] of { byte };

active proctype Sender() {
  byte oldest; // datum that is not confirmed
  byte sent;   // frames under way, from the oldest on
  byte number;
  do
  :: sent < WINDOW ->
     frames!((oldest + sent) % NUMBERS), ((oldest + sent) % DATA);
     sent++
  :: sent > 0 -> sent = 0 // time is up: go back
  :: acks?number ->
     // A late acknowledgement can confirm frames that were sent before the sender went back.
     d_step {
       do
       :: number != oldest % NUMBERS ->
          oldest = (oldest + 1) % DATA;
          sent = (sent > 0 -> sent - 1 : 0)
       :: else -> break
       od
     }
  od
}

active proctype Receiver() {
  byte number, datum, awaited;
  do
  :: frames?number, datum ->
     if
     :: number == awaited % NUMBERS ->
        assert(datum == awaited);
        awaited = (awaited + 1) % DATA
     :: else
     fi;
     acks!(awaited % NUMBERS)
  od
}

active proctype Noise() {
  do
  :: frames?_, _
  :: acks?_
  od
}
