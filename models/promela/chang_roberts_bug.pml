// Leader election in a one-way ring, as in chang_roberts.pml.
// Planted: claims of lesser names are passed on too, so every claim comes home and everybody leads.
//
// verdict: violated assertion
// states: 13561
// transitions: 36864
#ifndef N
#define N 4
#endif
#ifndef FACTOR
#define FACTOR 3
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
     :: other < name && started -> out!claim(other)
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
