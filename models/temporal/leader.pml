// An election in a ring: everybody sends its number round, and who gets its own back is the leader. All runs end, and a
// run that has ended stays where it is.
//
// verdict: holds
// states: 62
// transitions: 120
// property elected: holds
// property greatest: holds
// property rests: holds
// property undecided: violated
#ifndef N
#define N 3
#endif
#define NEXT arc[(_pid + 1) % N]

chan arc[N] = [N] of { byte };
byte leader;

active [N] proctype Node() {
  byte number;
  NEXT!(_pid + 1);
end:
  do
  :: arc[_pid]?number ->
     if
     :: number > _pid + 1 -> NEXT!number
     :: number < _pid + 1
     :: number == _pid + 1 -> leader = number
     fi
  od
}

ltl elected { <> (leader > 0) }
ltl greatest { [] (leader > 0 -> leader == N) }
ltl rests { <> [] (len(arc[0]) == 0) }
ltl undecided { (leader == 0) U (leader == 0 && len(arc[0]) == 2) }
