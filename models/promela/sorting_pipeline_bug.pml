// A pipeline that sorts, as in sorting_pipeline.pml.
// Planted: a stage does not pass the end of the input on. The next one waits for numbers for ever.
//
// verdict: violated deadlock
// states: 2444
// transitions: 6862
#ifndef STAGES
#define STAGES 3
#endif
#ifndef WIRE
#define WIRE 1
#endif
#define STOP 255

chan wire[STAGES + 1] = [WIRE] of { byte };
chan collector = [0] of { byte, byte };

proctype Stage(byte here; chan in; chan out) {
  xr in;
  xs out;
  byte kept, next;
  in?kept;
  do
  :: in?next ->
     if
     :: next == STOP ->
        collector!here, kept;
        break
     :: next != STOP && next > kept ->
        out!kept;
        kept = next
     :: next <= kept ->
        out!next
     fi
  od
}

proctype Input(chan out) {
  bool used[STAGES + 1];
  byte sent, i;
  xs out;
  do
  :: sent < STAGES ->
     select (i : 1 .. STAGES);
     if
     :: !used[i] ->
        used[i] = true;
        out!i;
        sent++
     :: else
     fi
  :: else -> break
  od;
  out!STOP
}

init {
  byte i, rank, number;
  atomic {
    for (i : 0 .. STAGES - 1) {
      run Stage(i, wire[i], wire[i + 1])
    }
    run Input(wire[0])
  }
  for (i : 0 .. STAGES - 1) {
    collector?rank, number;
    assert(number == STAGES - rank)
  }
  wire[STAGES]?STOP
}
