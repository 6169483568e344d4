// Mutual exclusion by a flag that is tested and set at once. The other one can be faster each time: nobody can take
// the flag while it is up, so that fairness to those who always can move does not help, and strong fairness does.
//
// verdict: holds
// states: 3
// transitions: 5
// property exclusion: holds
// property somebody: holds
// property entry: violated
// property entry under weak fairness: violated
// property entry under strong fairness: holds
bool held;

active [2] proctype Contender() {
  do
  :: atomic { !held -> held = true };
critical:
     held = false
  od
}

ltl exclusion { [] !(Contender[0]@critical && Contender[1]@critical) }
ltl somebody { [] <> held }
ltl entry { [] <> Contender[0]@critical }
