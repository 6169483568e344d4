// Mutual exclusion for two, after Peterson. Who wants in gets in, however unfair the schedule: the other one can
// overtake once, and then has to wait. That somebody wants in again and again takes a schedule that lets it.
//
// verdict: holds
// states: 20
// transitions: 35
// property exclusion: holds
// property entry: holds
// property again: violated
// property again under weak fairness: holds
bool wants[2];
byte yields; // the one that lets the other go first

active [2] proctype Contender() {
  do
  :: wants[_pid] = true;
     yields = _pid;
     (!wants[1 - _pid] || yields != _pid);
critical:
     wants[_pid] = false
  od
}

ltl exclusion { [] !(Contender[0]@critical && Contender[1]@critical) }
ltl entry { [] (wants[0] -> <> Contender[0]@critical) }
ltl again { [] <> Contender[0]@critical }
