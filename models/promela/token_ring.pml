// A token ring. Who has the token may send one frame, takes it off the ring when it has come round, and
// passes the token on. The token can get lost, up to LOSSES times; when nothing moves any more, a monitor
// puts a new one on the ring. There is never more than one frame.
//
// verdict: holds
// states: 13086
// transitions: 25111
#ifndef N
#define N 3
#endif
#ifndef LOSSES
#define LOSSES 1
#endif

mtype = { token, frame };

chan arc[N] = [2] of { mtype, byte, byte }; // a frame has a sender and a receiver
byte talking;
byte got[N]; // by receiver: who sent the last frame

active [N] proctype Station() {
  byte from, target;
  chan in = arc[_pid], out = arc[(_pid + 1) % N];
  do
  :: in?token(_, _) ->
     if
     :: talking++;
        assert(talking == 1);
        select (target : 0 .. N - 1);
        if
        :: target != _pid ->
           out!frame(_pid, target);
           in?frame(eval(_pid), _);
           assert(got[target] == _pid)
        :: else
        fi;
        target = 0;
        talking--
     :: true // nothing to say
     fi;
     out!token(0, 0)
  :: in?frame(from, target) ->
     if
     :: target == _pid -> got[_pid] = from
     :: else
     fi;
     out!frame(from, target);
     from = 0;
     target = 0
  od
}

active proctype Monitor() {
  do
  :: timeout -> arc[0]!token(0, 0)
  od
}

active proctype Noise() {
  byte losses;
  do
  :: losses < LOSSES && arc[0]?[token] ->
     arc[0]?token(_, _);
     losses++
  :: losses == LOSSES -> break
  od
}
