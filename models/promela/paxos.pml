// Agreement by majority, after Paxos, on one value. Each proposer has one ballot: it asks the acceptors to
// promise that they take part in no lesser one, takes over the value of the greatest ballot that it hears of
// in a majority of promises, or its own, and asks for votes. Messages may overtake each other, or stay unread
// for ever. No two values ever have a majority.
//
// verdict: holds
// states: 11981
// transitions: 39187
#ifndef PROPOSERS
#define PROPOSERS 2
#endif
#ifndef ACCEPTORS
#define ACCEPTORS 3
#endif
#define MAJORITY (ACCEPTORS / 2 + 1)

mtype = { prepare, promise, propose };

chan asked[ACCEPTORS] = [2 * PROPOSERS] of { mtype, byte, byte }; // ballot and value
chan told[PROPOSERS] = [ACCEPTORS] of { mtype, byte, byte };
byte votes[PROPOSERS];
byte chosen; // 0: none yet

// The number of a proposer is its value and its ballot; both start with 1.
proctype Proposer(byte me) {
  byte i, ballot, value, greatest, choice;
  choice = me;
  atomic {
    for (i : 0 .. ACCEPTORS - 1) {
      asked[i]!prepare(me, 0)
    }
  }
  for (i : 1 .. MAJORITY) {
end:
    atomic {
      told[me - 1]?promise(ballot, value);
      if
      :: ballot > greatest ->
         greatest = ballot;
         choice = value
      :: else
      fi
    }
  }
  atomic {
    for (i : 0 .. ACCEPTORS - 1) {
      asked[i]!propose(me, choice)
    }
  }
}

proctype Acceptor(byte me) {
  byte promised, voted, value, ballot, other;
end:
  do
  :: atomic {
       asked[me]??prepare(ballot, _) ->
       if
       :: ballot > promised ->
          promised = ballot;
          told[ballot - 1]!promise(voted, value)
       :: else
       fi;
       ballot = 0
     }
  :: atomic {
       asked[me]??propose(ballot, other) ->
       if
       :: ballot >= promised ->
          promised = ballot;
          voted = ballot;
          value = other;
          votes[ballot - 1]++;
          if
          :: votes[ballot - 1] == MAJORITY ->
             assert(chosen == 0 || chosen == value);
             chosen = value
          :: else
          fi
       :: else
       fi;
       ballot = 0;
       other = 0
     }
  od
}

init {
  byte i;
  atomic {
    for (i : 1 .. PROPOSERS) {
      run Proposer(i)
    }
    for (i : 0 .. ACCEPTORS - 1) {
      run Acceptor(i)
    }
  }
}
