// A dispatcher that hands jobs to whichever worker is ready. In a rendezvous both processes move, and the sender chooses
// the receiver. A worker can be passed over each time: it is ready, but the step is the dispatcher's, so weak fairness
// does not help. Strong fairness does, because there a process can move if it can take part in a step.
//
// verdict: holds
// states: 9
// transitions: 19
// property second: violated
// property second under weak fairness: violated
// property second under strong fairness: holds
// property idle: violated
// property idle under strong fairness: violated
chan jobs = [0] of { bit };
byte working;

active proctype Dispatcher() {
  do
  :: jobs ! 1
  od
}

active [2] proctype Worker() {
  bit job;
  do
  :: jobs ? job;
busy:
     working++;
     working--
  od
}

ltl second { [] <> Worker[2]@busy }
ltl idle { <> [] (working == 0) }
