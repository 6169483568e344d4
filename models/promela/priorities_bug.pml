// Jobs by priority, as in priorities.pml.
// Planted: the handler has the priority of the background, which now can go on while an alarm is not served.
//
// verdict: violated assertion
// states: 5312
// transitions: 14155
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

active proctype Handler() priority 2 {
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
