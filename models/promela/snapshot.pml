// A snapshot of a running system, after Chandy and Lamport. N processes send each other coins over channels
// that keep their order. The first one starts: it notes what it has and sends a marker to everybody. Who gets
// its first marker does the same in one step, and then notes what still arrives on each channel until the
// marker comes there too. All notes together add up to the coins that there are.
//
// verdict: holds
// states: 17280
// transitions: 42571
#ifndef N
#define N 2
#endif
#ifndef COINS
#define COINS 2 // of each process
#endif

mtype = { coin, marker };

typedef Row {
  chan to[N] = [N * COINS + 1] of { mtype }
}

Row from[N];
byte noted, finished;

inline record() {
  recorded = true;
  noted = noted + coins;
  i = 0;
  do
  :: i < N ->
     if
     :: i != _pid -> from[_pid].to[i]!marker
     :: else
     fi;
     i++
  :: else ->
     i = 0;
     break
  od
}

active [N] proctype Holder() {
  byte coins = COINS;
  bool recorded;
  bool closed[N]; // by channel: its marker has come
  byte markers, i;
end:
  do
  :: coins > 0 -> // pay somebody
     select (i : 0 .. N - 1);
     atomic {
       if
       :: i != _pid ->
          coins--;
          from[_pid].to[i]!coin
       :: else
       fi;
       i = 0
     }
  :: atomic { _pid == 0 && !recorded -> record() }
  :: select (i : 0 .. N - 1); // look into a channel
     atomic {
       if
       :: i != _pid && from[i].to[_pid]?[coin] ->
          from[i].to[_pid]?coin;
          coins++;
          noted = noted + (recorded && !closed[i] -> 1 : 0)
       :: i != _pid && from[i].to[_pid]?[marker] ->
          from[i].to[_pid]?marker;
          closed[i] = true;
          markers++;
          if
          :: !recorded -> record()
          :: else
          fi;
          if
          :: markers == N - 1 ->
             finished++;
             assert(finished < N || noted == N * COINS)
          :: else
          fi
       :: else
       fi;
       i = 0
     }
  od
}
