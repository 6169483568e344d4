// Packets on a ring. A station sends a packet to the one that is REACH further; packets are passed on, carry
// a counter of hops and a checksum that every station brings up to date, are checked where they are addressed
// to, and travel on until they come home. Each station has one packet under way at most. Channels have many
// places and wide messages: the vector is large, and little of it changes in a step.
//
// verdict: holds
// states: 623552
// transitions: 2166457
#ifndef N
#define N 4
#endif
#ifndef PLACES
#define PLACES 6 // of a channel: N are enough
#endif
#ifndef REACH
#define REACH 2
#endif
#define SUM(from, hops) (1000 * (from) + 77 * (hops))

chan arc[N] = [PLACES] of { byte, byte, short, int, int }; // from, to, hops, payload, checksum

active [N] proctype Station() {
  byte from, target;
  short hops;
  int payload, checksum;
  bool away; // its packet is under way
  do
  :: !away ->
     arc[(_pid + 1) % N]!_pid, ((_pid + REACH) % N), 1, (100000 + _pid), SUM(_pid, 1);
     away = true
  :: arc[_pid]?from, target, hops, payload, checksum ->
     assert(checksum == SUM(from, hops));
     if
     :: from == _pid ->
        assert(hops == N);
        away = false
     :: else ->
        assert(target != _pid || hops == REACH && payload == 100000 + from);
        hops++;
        arc[(_pid + 1) % N]!from, target, hops, payload, SUM(from, hops)
     fi;
     d_step {
       from = 0;
       target = 0;
       hops = 0;
       payload = 0;
       checksum = 0
     }
  od
}
