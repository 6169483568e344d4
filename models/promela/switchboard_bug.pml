// A switchboard, as in switchboard.pml.
// Planted: the operator mixes up the plugs: everybody is connected with himself.
//
// verdict: violated assertion
// states: 5805
// transitions: 16725
#ifndef CALLERS
#define CALLERS 4 // an even number
#endif

chan desk = [1] of { byte, chan, chan };
byte partner[CALLERS] = CALLERS;

active [CALLERS] proctype Caller() {
  chan line = [1] of { byte };
  chan plug = [0] of { chan };
  chan other;
  byte who;
  desk!_pid, line, plug;
  plug?other;
  other!_pid;
  line?who;
  assert(who == partner[_pid] && partner[who] == _pid)
}

active proctype Operator() {
  byte a, b;
  chan line_a, line_b, plug_a, plug_b;
end:
  do
  :: desk?a, line_a, plug_a;
     desk?b, line_b, plug_b;
     d_step {
       partner[a] = b;
       partner[b] = a
     }
     plug_a!line_a;
     plug_b!line_b
  od
}
