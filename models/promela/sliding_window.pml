// A sliding window protocol that goes back: up to WINDOW frames are under way without acknowledgement, and
// the sender may start again with the oldest one at any time. An acknowledgement names the frame that the
// receiver waits for and so confirms all before it. On wires that lose frames and keep their order, WINDOW +
// 1 different numbers are enough.
//
// verdict: holds
// states: 39726
// transitions: 136604
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef WIRE
#define WIRE 2
#endif
#define NUMBERS (WINDOW + 1)
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
