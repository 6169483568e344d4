// A producer, a consumer, and somebody who has nothing to do with them. What is sent arrives, if the schedule is fair;
// otherwise it is possible that only the third one moves.
//
// verdict: holds
// states: 24
// transitions: 61
// property arrives: violated
// property arrives under weak fairness: holds
// property both: violated
// property both under weak fairness: holds
// property progress: violated
// property progress under weak fairness: holds
chan buffer = [2] of { bit };
bit sent, received;

active proctype Producer() {
  do
  :: atomic { buffer!(1 - sent); sent = 1 - sent }
  od
}

active proctype Consumer() {
  do
  :: buffer?received ->
progress_received:
     skip
  od
}

active proctype Bystander() {
  bit idles;
  do
  :: idles = 1 - idles
  od
}

ltl arrives { [] (sent == 1 -> <> (received == 1)) }
ltl both { ([] <> (received == 1)) && ([] <> (received == 0)) }
