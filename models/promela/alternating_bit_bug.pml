// The alternating bit protocol, as in alternating_bit.pml.
// Planted: the receiver does not look at the bit and takes every frame for a new one, repetitions included.
//
// verdict: violated assertion
// states: 8200
// transitions: 28185
#ifndef WIRE
#define WIRE 2
#endif
#ifndef DATA
#define DATA 4
#endif

chan frames = [WIRE] of { bit, byte };
chan acks = [WIRE] of { bit };

active proctype Sender() {
  byte datum;
  bit mark, answer;
  do
  :: frames!mark(datum)
  :: acks?answer ->
     if
     :: answer == mark ->
        mark = 1 - mark;
        datum = (datum + 1) % DATA
     :: else
     fi
  od
}

active proctype Receiver() {
  byte datum, awaited;
  bit mark, next;
  do
  :: frames?mark(datum) ->
     assert(datum == awaited);
     awaited = (awaited + 1) % DATA;
     next = 1 - next;
     acks!mark
  od
}

active proctype Noise() {
  do
  :: frames?_(_)
  :: acks?_
  od
}
