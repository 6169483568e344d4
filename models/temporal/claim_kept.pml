// A lamp that flickers, or is switched off in the end. What the claim says does not happen.
//
// verdict: holds
// states: 4
// transitions: 5
// property never: holds
bool on;

active proctype Lamp() {
  do
  :: on = !on
  :: !on -> break
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
