// A lamp that can burn out while it is on. The claim is what must not happen: that it stays on for ever.
//
// verdict: holds
// states: 4
// transitions: 5
// property never: violated
// property never under weak fairness: violated
bool on;

active proctype Lamp() {
  do
  :: on = !on
  :: on -> break
  od
}

never {
  do
  :: true
  :: on -> break
  od;
accept:
  do
  :: on
  od
}
