// Leader election in a one-way ring with n log n messages, after Dolev, Klawe and Rodeh, and Peterson. In
// each phase an active station learns the values of the two active stations before it. If the nearer of them
// has the greatest value of the three, the station stays active and takes over that value; otherwise it
// becomes a relay. The last active station gets its own value back: the greatest of all.
//
// verdict: holds
// states: 6120
// transitions: 20469
#ifndef N
#define N 5
#endif
#ifndef FACTOR
#define FACTOR 3
#endif

mtype = { first, second, found };

chan arc[N] = [2] of { mtype, byte };
byte finders;

proctype Station(byte here) {
  chan in = arc[here], out = arc[(here + 1) % N];
  byte value = (here * FACTOR) % N + 1;
  byte near, far;
  mtype kind;

phase:
  out!first(value);
  in?first(near);
  if
  :: near == value -> // alone
     finders++;
     assert(finders == 1 && value == N);
     out!found(value);
     in?found(eval(value));
     goto done
  :: else
  fi;
  out!second(near);
  in?second(far);
  if
  :: near > value && near > far ->
     value = near;
     goto phase
  :: else
  fi;

relay:
  in?kind(near);
  out!kind(near);
  if
  :: kind != found -> goto relay
  :: else
  fi;

done:
  skip
}

init {
  byte i;
  atomic {
    for (i : 0 .. N - 1) {
      run Station(i)
    }
  }
}
