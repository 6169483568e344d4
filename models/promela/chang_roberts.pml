// Leader election in a one-way ring, after Chang and Roberts. Any station may start by sending its own name;
// names travel on as long as they meet lesser ones, so that only the greatest name comes home. Its station
// leads, and sends a notice around that lets everybody stop. FACTOR spreads the names over the ring; it must
// have no divisor in common with N.
//
// verdict: holds
// states: 8247
// transitions: 28547
#ifndef N
#define N 5
#endif
#ifndef FACTOR
#define FACTOR 2
#endif

mtype = { claim, notice };

chan arc[N] = [N] of { mtype, byte };
byte leaders;

proctype Station(byte here) {
  byte name = (here * FACTOR) % N + 1;
  byte other;
  bool started;
  chan in = arc[here], out = arc[(here + 1) % N];

  do
  :: !started ->
     started = true;
     out!claim(name)
  :: in?claim(other) ->
     if
     :: other > name ->
        started = true; // no use in a claim of its own any more
        out!claim(other)
     :: other < name && !started ->
        started = true;
        out!claim(name)
     :: other < name && started
     :: other == name ->
        leaders++;
        assert(leaders == 1);
        out!notice(name)
     fi
  :: in?notice(other) ->
     assert(other == N);
     if
     :: other != name -> out!notice(other)
     :: else
     fi;
     break
  od
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run Station(i)
    }
  }
}
