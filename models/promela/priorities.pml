// Jobs by priority. A background process raises alarms; a handler of higher priority then goes before
// everything else until it has served them. A maintenance process lowers and raises its own priority as it
// goes. Nobody of lower priority sees an alarm that is not yet served.
//
// verdict: holds
// states: 432
// transitions: 615
#ifndef ALARMS
#define ALARMS 20
#endif

byte raised, served;

active proctype Background() priority 2 {
  do
  :: raised < ALARMS ->
     raised++;
     assert(served == raised)
  :: else -> break
  od
}

active proctype Handler() priority 9 {
end:
  do
  :: served < raised -> served++
  od
}

active proctype Maintenance() priority 2 {
  byte rounds;
  assert(get_priority(_pid) == 2);
  do
  :: rounds < 4 ->
     set_priority(_pid, 1); // idle: only when the background is done
     assert(raised == ALARMS);
     set_priority(_pid, 3);
     assert(_priority == 3);
     rounds++
  :: else -> break
  od
}
