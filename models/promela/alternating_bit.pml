// The alternating bit protocol. The sender repeats a frame with its bit until the acknowledgement has the
// same bit; the receiver takes a frame only if its bit is the one that it expects, and acknowledges all that
// come. Both wires hold up to WIRE frames and lose any of them. Data are numbers modulo DATA: the receiver
// must get them in order, each once.
//
// verdict: holds
// states: 1517
// transitions: 5101
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
     if
     :: mark == next ->
        assert(datum == awaited);
        awaited = (awaited + 1) % DATA;
        next = 1 - next
     :: else // seen before: the acknowledgement was lost
     fi;
     acks!mark
  od
}

active proctype Noise() {
  do
  :: frames?_(_)
  :: acks?_
  od
}
